//! The cost of skills in requests, and how much of the previous request's prefix is kept.

use nova_app::{ChatRequest, NoApprover};
use nova_protocol::{Commands as _, Decision, DropSkill, Event};
use nova_testkit::{ScriptedApprover, call, text};
use serde_json::{Value, json};

use super::nova::{Nova, PEOPLE, drain, turn};
use super::skills::{activations, all_text, offered, parts, post, setting, skill, started};

/// A chat of twenty turns with a provider that caches: six of twelve skills become active, one of them by the
/// user, and three of them inactive again. Returns the requests, and for each whether the activity panel
/// reports that its prefix was kept.
async fn a_long_chat(kind: &str) -> (Vec<Value>, Vec<bool>) {
    let ids: Vec<String> = (0..12).map(|at| format!("area-{at}")).collect();
    let load = |at: usize| call("load_skill", json!({"skill": format!("area-{at}")}));
    let unload = |at: usize| call("unload_skill", json!({"skill": format!("area-{at}")}));
    let mut answers = Vec::new();
    for at in 0..20 {
        match at {
            1 => answers.push(load(4)),
            3 => answers.extend([load(9), call("area-9__look", json!({}))]),
            6 => answers.push(load(0)),
            7 => answers.push(load(0)),
            9 => answers.push(unload(4)),
            12 => answers.push(load(11)),
            14 => answers.push(call("area-7__do", json!({}))),
            15 => answers.extend([load(2), unload(9)]),
            17 => answers.push(call("search_tools", json!({"query": "look"}))),
            _ => {}
        }
        answers.push(text(&format!("Answer {at}.")));
    }
    let nova = Nova::new(PEOPLE, answers);
    setting(&nova, "router", json!(false));
    let address = nova.model.base_url();
    let provider = json!({"id": "test", "kind": kind, "base_url": address, "deferred_tools": true});
    setting(&nova, "providers", json!([provider]));
    ids.iter().for_each(|id| skill(&nova, id, &["look", "do"]));
    let mut app = started(&nova).await;

    let (mut session, mut switches) = (None, 0);
    let mut kept = Vec::new();
    for at in 0..20 {
        if at == 10 {
            // Another process continues.
            app = started(&nova).await;
        }
        if at == 16 {
            let drop = DropSkill { session: session.clone().unwrap(), skill: "area-7".into() };
            app.drop_skill(drop).await.unwrap();
        }
        let mut events = app.events();
        let request = ChatRequest {
            session: session.clone(),
            text: format!("Question {at}"),
            skills: if at == 13 { vec!["area-7".into()] } else { Vec::new() },
            tool: None,
            after: None,
            images: Vec::new(),
            model: None,
            approver: std::sync::Arc::new(ScriptedApprover::always(Decision::Once)),
            cancel: nova_app::CancellationToken::new(),
        };
        session = Some(app.chat(request).await.unwrap().session);
        let events = drain(&mut events);
        switches += activations(&events).len();
        kept.extend(events.iter().filter_map(|event| match event {
            Event::StepStarted { prefix_kept, .. } => Some(*prefix_kept),
            _ => None,
        }));
    }
    assert_eq!(switches, 8, "six activated, two deactivated in a turn");
    let requests = nova.model.requests();
    nova.model.finish();
    (requests, kept)
}

/// For each request but the first, whether it does not extend the previous one.
fn breaks(requests: &[Value]) -> Vec<bool> {
    requests.windows(2).map(|pair| !parts(&pair[1]).starts_with(&parts(&pair[0]))).collect()
}

#[tokio::test]
async fn long_chat_keeps_its_prefix_except_where_a_skill_comes_or_goes() {
    for kind in ["openai", "gemini"] {
        let (requests, kept) = a_long_chat(kind).await;
        let breaks = breaks(&requests);
        assert_eq!(breaks.iter().filter(|broken| **broken).count(), 9, "{kind}: {breaks:?}");
        let said: Vec<bool> = kept.iter().skip(1).map(|kept| !kept).collect();
        assert_eq!(said, breaks, "{kind}: the activity panel says the same");
    }
}

#[tokio::test]
async fn with_deferred_tools_skills_come_and_go_without_a_break() {
    for kind in ["anthropic", "openai_responses"] {
        keeps_everything(kind).await;
    }
}

async fn keeps_everything(kind: &str) {
    let (requests, kept) = a_long_chat(kind).await;
    assert!(breaks(&requests).iter().all(|broken| !broken), "{kind}: {:?}", breaks(&requests));
    assert!(kept.iter().all(|kept| *kept), "{kind}: {kept:?}");
    let aside = |request: &Value| {
        let tools = request["tools"].as_array().unwrap().iter();
        tools.filter(|tool| tool["defer_loading"] == true).count()
    };
    assert_eq!((aside(&requests[0]), aside(requests.last().unwrap())), (0, 12), "six skills of two tools");
    let messages = requests.last().unwrap()["messages"].as_array().unwrap();
    let loads = messages.iter().filter_map(|message| message["loads"].as_array());
    let loaded: Vec<&str> = loads.flatten().map(|name| name.as_str().unwrap()).collect();
    assert_eq!(
        loaded,
        [4, 9, 0, 11, 7, 2].map(|at| [format!("area-{at}__do"), format!("area-{at}__look")]).concat(),
        "each once, in the order of their activation"
    );
}

/// Number of built-in skills.
const BUILT_IN: usize = 11;

/// The product's promise: an unused skill costs at most one line.
#[tokio::test]
async fn hundred_skills_and_a_thousand_tools_cost_as_much_as_ten() {
    let mut sizes = Vec::new();
    for (skills, tools) in [(10, 2), (94, 3), (94, 11)] {
        let nova = Nova::new(PEOPLE, [text("Hello.")]);
        let names: Vec<String> = (0..tools).map(|at| format!("tool_number_{at}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        (0..skills).for_each(|at| skill(&nova, &format!("a-skill-with-a-name-{at:02}"), &names));
        let app = started(&nova).await;
        let snapshot = app.registry().snapshot();
        let installed: usize = snapshot.available().map(|skill| skill.tools.len()).sum();
        assert_eq!(snapshot.available().count(), skills + BUILT_IN);
        assert!(skills < 94 || tools < 11 || installed >= 1_000, "{installed}");
        turn(&app, None, "Hi", NoApprover).await;

        let request = nova.model.requests().pop().unwrap();
        let system = request["messages"][0]["content"].as_str().unwrap();
        assert!(system.contains("a-skill-with-a-name-09"));
        sizes.push(system.len() + request["tools"].to_string().len());
    }
    assert!(sizes.iter().all(|bytes| *bytes <= 16_000), "{sizes:?} bytes are more than 4,000 tokens");
    assert_eq!(sizes[1], sizes[2], "unloaded tools cost nothing: {sizes:?}");
}

#[tokio::test]
async fn control_tools_are_small_and_absent_if_there_is_nothing_to_control() {
    let nova = post([text("Hello.")]);
    let app = started(&nova).await;
    turn(&app, None, "Hi", NoApprover).await;
    let request = nova.model.requests().pop().unwrap();
    let control: Vec<&Value> = request["tools"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|tool| !tool["function"]["name"].as_str().unwrap().contains("__"))
        .collect();
    assert_eq!(control.len(), 5, "{control:?}");
    let bytes: usize = control.iter().map(|tool| tool.to_string().len()).sum();
    assert!(bytes <= 450 * 4, "{bytes} bytes");

    let nova = Nova::new(PEOPLE, [text("Hello.")]);
    setting(
        &nova,
        "skills",
        json!({
            "budget": {"enabled": false},
            "calendar": {"enabled": false},
            "crm": {"enabled": false},
            "portfolio": {"enabled": false},
            "lookup": {"enabled": false},
            "screener": {"enabled": false},
            "core": {"enabled": false},
            "employee-onboarding": {"enabled": false},
            "release-management": {"enabled": false},
            "research-assistant": {"enabled": false},
            "vault": {"mode": "always"},
        }),
    );
    let app = started(&nova).await;
    turn(&app, None, "Hi", NoApprover).await;
    let request = nova.model.requests().pop().unwrap();
    assert!(offered(&request).iter().all(|name| name.starts_with("vault__")), "{:?}", offered(&request));
    let told = all_text(&request);
    assert!(told.contains("Skill activated: Notes"), "instructions of an always-on skill: {told}");
}

/// To a tenth: a word more in a description is no reason to measure again.
#[test]
fn manual_says_what_each_skill_costs() {
    let manual = include_str!("../../docs/measurements.md");
    let (_, skills) = Nova::new(PEOPLE, []).json(&["skill", "list"]);
    let costs = |skill: &Value| {
        let tokens = &skill["tokens"];
        ["catalog", "instructions", "schemas"].map(|part| tokens[part].as_u64().unwrap())
    };
    let skills = skills.as_array().unwrap();
    for skill in skills.iter().filter(|skill| skill["state"] == "available") {
        let id = skill["id"].as_str().unwrap();
        let row =
            manual.lines().find_map(|line| line.strip_prefix(&format!("| `{id}` | "))).unwrap_or_default();
        let said: Vec<u64> =
            row.split('|').filter_map(|cell| cell.trim().replace(',', "").parse().ok()).collect();
        let measured = costs(skill);
        let is_near = |(said, is): (&u64, &u64)| said.abs_diff(*is) * 10 <= (*is).max(10);
        assert!(
            said.len() == 3 && said.iter().zip(&measured).all(is_near),
            "docs/measurements.md lists {said:?} for {id}, measured {measured:?}"
        );
    }
}
