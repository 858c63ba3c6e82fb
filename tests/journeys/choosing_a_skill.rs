//! The user, a pin or the router chooses a skill, and the user removes one.

use nova_app::{ChatRequest, NoApprover};
use nova_protocol::{Commands as _, Decision, DropSkill, ErrorCode};
use nova_testkit::{ScriptedApprover, call, text};
use serde_json::json;

use super::nova::{Nova, PEOPLE, drain, turn};
use super::skills::{activations, all_text, offered, post, setting, started};

#[tokio::test]
async fn skill_chosen_by_the_user_is_active_from_the_first_request() {
    let nova = post([text("Ready."), text("Again.")]);
    setting(&nova, "skills", json!({"post": {"pinned": false}, "crm": {"pinned": true}}));
    let app = started(&nova).await;
    let mut events = app.events();
    let ask = |session: Option<String>, skills: &[&str]| ChatRequest {
        session,
        text: "Hello".into(),
        skills: skills.iter().map(|id| (*id).to_owned()).collect(),
        tool: None,
        after: None,
        images: Vec::new(),
        model: None,
        approver: std::sync::Arc::new(NoApprover),
        cancel: nova_app::CancellationToken::new(),
    };

    let end = app.chat(ask(None, &["post"])).await.unwrap();
    assert_eq!(activations(&drain(&mut events)), ["+crm Pin", "+post User"]);
    app.chat(ask(Some(end.session), &["post"])).await.unwrap();

    let requests = nova.model.requests();
    assert!(offered(&requests[0]).contains(&"post__send".into()));
    assert!(offered(&requests[0]).contains(&"crm__get_contact".into()));
    assert_eq!(all_text(&requests[1]).matches("The instructions of post.").count(), 1);
    assert_eq!(activations(&drain(&mut events)), [""; 0], "the skill was active");
}

#[tokio::test]
async fn message_with_a_missing_skill_is_not_sent() {
    let nova = post([]);
    setting(&nova, "skills", json!({"crm": {"enabled": false}}));
    let app = started(&nova).await;
    let ask = |skill: &str, tool: Option<&str>| ChatRequest {
        session: None,
        text: "Hello".into(),
        skills: vec![skill.to_owned()],
        tool: tool.map(str::to_owned),
        after: None,
        images: Vec::new(),
        model: None,
        approver: std::sync::Arc::new(NoApprover),
        cancel: nova_app::CancellationToken::new(),
    };

    let unknown = app.chat(ask("mial", None)).await.unwrap_err();
    assert_eq!(unknown.code, ErrorCode::UnknownSkill);
    assert!(unknown.hint.contains("post"), "{}", unknown.hint);
    let off = app.chat(ask("crm", None)).await.unwrap_err();
    assert_eq!(off.code, ErrorCode::SkillUnavailable);
    assert!(off.hint.contains("nova skill enable crm"), "{}", off.hint);
    let tool = app.chat(ask("post", Some("post.snd"))).await.unwrap_err();
    assert_eq!(tool.code, ErrorCode::UnknownTool);
    assert!(tool.hint.contains("post.send"), "{}", tool.hint);
}

#[tokio::test]
async fn tool_chosen_by_the_user_is_forced_in_the_first_step() {
    let nova = post([call("post__send", json!({})), text("Sent.")]);
    let app = started(&nova).await;

    app.chat(ChatRequest {
        session: None,
        text: "to Jane".into(),
        skills: Vec::new(),
        tool: Some("post.send".into()),
        after: None,
        images: Vec::new(),
        model: None,
        approver: std::sync::Arc::new(ScriptedApprover::always(Decision::Once)),
        cancel: nova_app::CancellationToken::new(),
    })
    .await
    .unwrap();

    let requests = nova.model.requests();
    assert_eq!(requests[0]["tool_choice"], json!({"type": "function", "function": {"name": "post__send"}}));
    assert!(all_text(&requests[0]).contains("The user points at the tool post.send"));
    assert_ne!(requests[1]["tool_choice"], requests[0]["tool_choice"], "only the first step forces the tool");
}

#[tokio::test]
async fn request_clearly_about_one_skill_activates_it_before_the_model_is_asked() {
    let answers = || [text("Three people."), text("Hello.")];
    let nova = Nova::new(PEOPLE, answers());
    let app = started(&nova).await;

    let (end, events) = turn(&app, None, "Who do I know at Fernhill Dairy?", NoApprover).await;
    assert_eq!(activations(&events), ["+crm Router"]);
    assert!(offered(&nova.model.requests()[0]).contains(&"crm__list_contacts".into()));
    let (_, events) = turn(&app, Some(&end.session), "Thanks!", NoApprover).await;
    assert_eq!(activations(&events), [""; 0]);

    let nova = Nova::new(PEOPLE, answers());
    setting(&nova, "router", json!(false));
    let app = started(&nova).await;
    let (_, events) = turn(&app, None, "Who do I know at Fernhill Dairy?", NoApprover).await;
    assert_eq!(activations(&events), [""; 0], "it can be switched off");
}

#[tokio::test]
async fn one_word_shared_with_a_skill_activates_none() {
    let requests = ["When was the first iPhone released?", "Is it safe to delete System32?", "Delete that"];
    let nova = Nova::new(PEOPLE, requests.map(text));
    let app = started(&nova).await;
    for request in requests {
        let (_, events) = turn(&app, None, request, NoApprover).await;
        assert_eq!(activations(&events), [""; 0], "{request}");
    }
}

#[tokio::test]
async fn user_removes_a_skill_from_the_next_step_on() {
    let nova =
        post([call("load_skill", json!({"skill": "post"})), text("Loaded."), text("Gone."), text("Still.")]);
    setting(&nova, "skills", json!({}));
    let app = started(&nova).await;
    let (end, _) = turn(&app, None, "Any mail?", NoApprover).await;
    let mut events = app.events();
    let drop = || DropSkill { session: end.session.clone(), skill: "post".into() };

    app.drop_skill(drop()).await.unwrap();
    app.drop_skill(drop()).await.unwrap();

    assert_eq!(activations(&drain(&mut events)), ["-post User"], "pinning is idempotent");
    turn(&app, Some(&end.session), "And now?", NoApprover).await;
    assert!(!offered(&nova.model.requests()[2]).contains(&"post__send".into()));
    let again = nova.start().await;
    turn(&again, Some(&end.session), "And later?", NoApprover).await;
    assert!(!offered(&nova.model.requests()[3]).contains(&"post__send".into()), "also after a restart");
}
