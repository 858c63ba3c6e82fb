//! Skills are added, changed and removed while chats use them.

use std::collections::BTreeMap;
use std::fs;

use nova_app::{App, NoApprover};
use nova_protocol::{Commands as _, CredentialRef, Event, Nothing, SkillState};
use nova_testkit::{call, text};
use serde_json::json;

use super::keeping_credentials::{CANARY, PASSPHRASE};
use super::nova::{Nova, PEOPLE, turn, wait_for};
use super::skills::{activations, all_text, offered, parts, post, setting, skill, started};
use super::using_credentials::{set, store};

#[tokio::test]
async fn removed_active_skill_takes_its_tools_and_is_announced() {
    let nova = post([
        call("load_skill", json!({"skill": "post"})),
        text("Loaded."),
        call("post__send", json!({})),
        text("It is gone."),
    ]);
    setting(&nova, "skills", json!({}));
    skill(&nova, "other", &["look"]);
    let app = started(&nova).await;
    let mut changes = app.events();
    let (end, _) = turn(&app, None, "Any mail?", NoApprover).await;

    fs::remove_dir_all(nova.config().join("skills").join("post")).unwrap();
    wait_for(
        &mut changes,
        |event| matches!(event, Event::RegistryChanged { removed, .. } if removed.contains(&"post".into())),
    )
    .await;
    let (_, events) = turn(&app, Some(&end.session), "Send it", NoApprover).await;

    assert_eq!(activations(&events), ["-post Unavailable"]);
    let requests = nova.model.requests();
    assert!(!offered(&requests[2]).contains(&"post__send".into()));
    assert!(all_text(&requests[2]).contains("The skill post is no longer available"));
    assert!(nova.model.last_texts("tool").pop().unwrap().contains("unknown_tool"));
    assert_eq!(requests[2]["messages"][0], requests[0]["messages"][0], "the system prompt is frozen");
}

#[tokio::test]
async fn later_skill_is_announced_at_the_end_and_loadable() {
    let nova = post([text("Hello."), call("load_skill", json!({"skill": "travel"})), text("Loaded.")]);
    let app = started(&nova).await;
    let (end, _) = turn(&app, None, "Hi", NoApprover).await;
    let mut changes = app.events();

    skill(&nova, "travel", &["book"]);
    wait_for(&mut changes, |event| {
        matches!(event, Event::RegistryChanged { added, .. } if added.contains(&"travel.book".into()))
    })
    .await;
    turn(&app, Some(&end.session), "I need a train", NoApprover).await;

    let requests = nova.model.requests();
    assert_eq!(
        parts(&requests[1])[..parts(&requests[0]).len()],
        parts(&requests[0])[..],
        "earlier messages are unchanged"
    );
    assert!(all_text(&requests[1]).contains("- travel: Does travel things."), "{}", all_text(&requests[1]));
    assert!(offered(&requests[2]).contains(&"travel__book".into()));
    assert_eq!(all_text(&requests[2]).matches("- travel: ").count(), 1, "announced once");
}

#[tokio::test]
async fn changed_instructions_of_active_skill_are_resent() {
    let nova = post([call("load_skill", json!({"skill": "post"})), text("Loaded."), text("I see.")]);
    setting(&nova, "skills", json!({}));
    let app = started(&nova).await;
    let (end, _) = turn(&app, None, "Any mail?", NoApprover).await;
    let mut changes = app.events();

    let file = nova.config().join("skills").join("post").join("SKILL.md");
    let text = fs::read_to_string(&file).unwrap().replace("The instructions of post.", "Answer in verse.");
    fs::write(&file, text).unwrap();
    wait_for(
        &mut changes,
        |event| matches!(event, Event::RegistryChanged { changed, .. } if changed.contains(&"post".into())),
    )
    .await;
    turn(&app, Some(&end.session), "And now?", NoApprover).await;

    let told = all_text(&nova.model.requests()[2]);
    assert!(told.contains("The instructions of post changed."), "{told}");
    assert_eq!(told.matches("Answer in verse.").count(), 1, "{told}");
}

#[tokio::test]
async fn another_process_knows_the_kept_prefix_and_past_notices() {
    let nova = post([text("One."), text("Two."), text("Three.")]);
    let mut kept = Vec::new();
    let mut session: Option<String> = None;
    for enabled in [true, true, false] {
        setting(
            &nova,
            "skills",
            json!({"vault": {"enabled": true}, "post": {"pinned": true, "enabled": enabled}}),
        );
        let app = started(&nova).await;
        let (end, events) = turn(&app, session.as_deref(), "Hello", NoApprover).await;
        session = Some(end.session);
        kept.extend(events.iter().filter_map(|event| match event {
            Event::StepStarted { prefix_kept, .. } => Some(*prefix_kept),
            _ => None,
        }));
    }
    assert_eq!(kept, [true, true, false], "disabling a skill removes its tools");
    let told = all_text(&nova.model.requests()[2]);
    assert_eq!(told.matches("Today is ").count(), 1, "{told}");
    assert_eq!(told.matches("no longer available").count(), 1, "{told}");
}

#[tokio::test]
async fn chat_begun_without_skills_can_load_a_later_one() {
    let nova =
        Nova::new(PEOPLE, [text("Hello."), call("load_skill", json!({"skill": "crm"})), text("Loaded.")]);
    let off = |on: bool| {
        let ids = [
            "vault",
            "crm",
            "portfolio",
            "lookup",
            "screener",
            "budget",
            "calendar",
            "core",
            "employee-onboarding",
            "release-management",
            "research-assistant",
        ];
        json!(ids.iter().map(|id| (*id, json!({"enabled": on && *id == "crm"}))).collect::<BTreeMap<_, _>>())
    };
    setting(&nova, "skills", off(false));
    let app = started(&nova).await;
    let (end, _) = turn(&app, None, "Hi", NoApprover).await;
    assert_eq!(nova.model.requests()[0].get("tools"), None);

    let mut changes = app.events();
    setting(&nova, "skills", off(true));
    wait_for(&mut changes, |event| matches!(event, Event::RegistryChanged { .. })).await;
    turn(&app, Some(&end.session), "And Jane?", NoApprover).await;

    assert!(offered(&nova.model.requests()[1]).contains(&"load_skill".into()));
    assert!(offered(&nova.model.requests()[2]).contains(&"crm__get_contact".into()));
}

#[tokio::test]
async fn skill_in_use_comes_and_goes_with_its_requirements() {
    let answers = [call("load_skill", json!({"skill": "post"})), text("Loaded.")];
    let mut nova = post(answers.into_iter().chain([text("It is gone."), text("It is back.")]));
    nova.store = Some(store(Some(PASSPHRASE)));
    setting(&nova, "skills", json!({}));
    let manifest = nova.config().join("skills").join("post").join("manifest.yaml");
    fs::write(manifest, "requires: {env: {MAIL_HOST: {}}, credentials: [mail/password]}\n").unwrap();
    let app = started(&nova).await;
    app.credentials_ready().await;
    let remove = || CredentialRef { name: "mail/password".into() };

    assert!(why_not(&app).await.unwrap().contains("set MAIL_HOST"));
    setting(&nova, "skills", json!({"post": {"config": {"MAIL_HOST": "mail.example"}}}));
    until(&app, |why| why.is_some_and(|why| why.contains("mail/password"))).await;
    set(&app, "mail/password", CANARY, None).await;
    until(&app, |why| why.is_none()).await;
    let (end, first) = turn(&app, None, "Any mail?", NoApprover).await;
    assert_eq!(activations(&first), ["+post Model"]);

    app.remove_credential(remove()).await.unwrap();
    until(&app, |why| why.is_some()).await;
    let (_, second) = turn(&app, Some(&end.session), "And now?", NoApprover).await;
    assert_eq!(activations(&second), ["-post Unavailable"]);

    set(&app, "mail/password", CANARY, None).await;
    until(&app, |why| why.is_none()).await;
    turn(&app, Some(&end.session), "And later?", NoApprover).await;
    let requests = nova.model.requests();
    assert!(offered(&requests[1]).contains(&"post__send".into()));
    assert!(!offered(&requests[2]).contains(&"post__send".into()));
    assert!(all_text(&requests[2]).contains("The skill post is no longer available"));
    let news = all_text(&requests[3]);
    assert!(news.contains("new or have changed since this chat began:\\n- post: "), "{news}");
    assert!(!requests.iter().any(|request| request.to_string().contains(CANARY)));
}

/// Why the skill `post` is unavailable.
async fn why_not(app: &App) -> Option<String> {
    let rows = app.list_skills(Nothing {}).await.unwrap();
    let row = rows.into_iter().find(|row| row.id == "post").unwrap();
    (row.state != SkillState::Available).then(|| row.reason.unwrap_or_default())
}

async fn until(app: &App, fits: impl Fn(Option<String>) -> bool) {
    let mut events = app.events();
    while !fits(why_not(app).await) {
        wait_for(&mut events, |event| matches!(event, Event::RegistryChanged { .. })).await;
    }
}
