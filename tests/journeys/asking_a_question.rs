use nova_app::{NoApprover, TurnEnd};
use nova_protocol::{ActivatedBy, Commands as _, Event, SessionRef};
use nova_testkit::{call, calls, text};
use serde_json::{Value, json};

use super::nova::{Nova, PEOPLE, kind, turn};

#[tokio::test]
async fn answer_comes_from_the_notes() {
    let nova = Nova::new(
        PEOPLE,
        [
            call("load_skill", json!({"skill": "crm"})),
            call("crm__get_contact", json!({"name": "jane"})),
            text("Jane Doe is a **lead**. See [[Jane Doe]].").using(120, 80, 9),
        ],
    );
    let app = nova.start().await;

    let (end, events) = turn(&app, None, "And Jane?", NoApprover).await;

    assert_eq!(end.end, TurnEnd::Completed { text: "Jane Doe is a **lead**. See [[Jane Doe]].".into() });
    let mut told: Vec<String> = events.iter().map(kind).collect();
    told.retain(|kind| {
        !["session_changed", "provider_health", "usage"].contains(&kind.as_str()) && !kind.ends_with("_delta")
    });
    told.dedup();
    assert_eq!(
        told,
        [
            "turn_started",
            "step_started",
            "skill_activated",
            "step_started",
            "tool_call_started",
            "tool_call_completed",
            "step_started",
            "message_block",
            "message_completed",
            "turn_completed",
        ],
    );
    assert!(events.contains(&Event::Usage { input: 120, cached: 80, output: 9 }));
    assert!(events.contains(&Event::SkillActivated {
        skill: "crm".into(),
        by: ActivatedBy::Model,
        lifetime: "session".into()
    }));
    assert!(events.iter().any(|event| matches!(event, Event::MessageBlock { html, done: true, .. }
        if html.contains("<strong>lead</strong>") && html.contains("data-note=\"Jane Doe\""))));

    // The model received the catalog first, the tools only after the skill was loaded.
    let requests = nova.model.requests();
    let tools = |request: &Value| -> Vec<String> {
        request["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["function"]["name"].as_str().unwrap().into())
            .collect()
    };
    let always = ["vault__read_note", "vault__search", "vault__query"];
    let control = ["list_skills", "load_skill", "unload_skill", "search_tools", "read_skill_file"];
    assert_eq!(tools(&requests[0]), [&control[..], &always].concat());
    assert_eq!(&tools(&requests[1])[..8], &tools(&requests[0])[..], "earlier tools keep their order");
    assert!(tools(&requests[1]).contains(&"crm__get_contact".into()));
    let system = requests[0]["messages"][0]["content"].as_str().unwrap();
    assert!(system.contains("## Available Skills") && system.contains("\n- crm: "), "{system}");
    assert_eq!(requests[0]["messages"][0], requests[2]["messages"][0], "the system prompt is frozen");
    let told = nova.model.last_texts("tool").join("\n");
    assert!(told.contains("lead"), "the note's text reached the model: {told}");
    nova.model.finish();
}

#[tokio::test]
async fn session_is_continued_by_another_process() {
    let nova = Nova::new(
        PEOPLE,
        [call("load_skill", json!({"skill": "crm"})), text("Loaded."), text("Still here.")],
    );
    let first = nova.start().await;
    let (end, _) = turn(&first, None, "Load the contacts", NoApprover).await;
    drop(first);

    let second = nova.start().await;
    turn(&second, Some(&end.session), "And now?", NoApprover).await;

    let request = nova.model.requests().pop().unwrap();
    let roles: Vec<&str> = request["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles.iter().filter(|role| **role == "assistant").count(), 2, "{roles:?}");
    let tools = request["tools"].to_string();
    assert!(tools.contains("crm__get_contact"), "the skill is still active: {tools}");
    let view = second.open_session(SessionRef { session: end.session.clone() }).await.unwrap();
    assert_eq!(view.row.title, "Load the contacts");
    assert!(view.events.iter().any(
        |envelope| matches!(&envelope.event, Event::MessageBlock { html, .. } if html.contains("Still here"))
    ));
    nova.model.finish();
}

#[tokio::test]
async fn parallel_reads_are_answered_in_order() {
    let nova = Nova::new(
        PEOPLE,
        [
            calls([
                ("crm__get_contact", json!({"name": "Tomasz Wirek"})),
                ("crm__list_contacts", json!({"stage": "lead"})),
                ("crm__get_contact", json!({"name": "Nobody At All"})),
            ]),
            text("Done."),
        ],
    );
    let app = nova.start().await;

    turn(&app, None, "Who is who?", NoApprover).await;

    let outputs = nova.model.last_texts("tool");
    assert_eq!(outputs.len(), 3);
    assert!(outputs[0].contains("customer"), "{}", outputs[0]);
    assert!(outputs[1].contains("Jane Doe") && !outputs[1].contains("Tomasz"), "{}", outputs[1]);
    assert!(outputs[2].contains("error"), "{}", outputs[2]);
    nova.model.finish();
}

#[tokio::test]
async fn model_errors_are_returned_with_the_remedy() {
    let nova = Nova::new(
        PEOPLE,
        [
            call("crm__get_contact", json!({"nam": "Jane"})),
            nova_testkit::call_text("crm__get_contact", "{\"name\": "),
            call("crm__get_kontact", json!({"name": "Jane"})),
            call("load_skill", json!({"skill": "crn"})),
            text("I give up."),
        ],
    );
    let app = nova.start().await;

    let (end, _) = turn(&app, None, "Jane?", NoApprover).await;

    assert_eq!(end.end, TurnEnd::Completed { text: "I give up.".into() });
    let outputs = nova.model.last_texts("tool");
    assert!(
        outputs[0].contains("invalid_arguments") && outputs[0].contains("name (required)"),
        "{}",
        outputs[0]
    );
    assert!(outputs[1].contains("invalid_arguments") && outputs[1].contains("not JSON"), "{}", outputs[1]);
    assert!(outputs[2].contains("unknown_tool") && outputs[2].contains("crm.get_contact"), "{}", outputs[2]);
    assert!(outputs[3].contains("unknown_skill") && outputs[3].contains("crm"), "{}", outputs[3]);
    nova.model.finish();
}
