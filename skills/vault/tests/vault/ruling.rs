//! Rules about a note apply whatever name a call uses for it.

use std::sync::Arc;

use nova_calls::{Access, Answer, Call, CallScope, Grants, NoCredentials, Outcome, run_call};
use nova_protocol::{Decision, ErrorCode};
use nova_registry::{Rules, RulesInForce};
use nova_skill::{Principal, Value, json};
use nova_testkit::{
    ApprovedContents, KeptRules, PATIENCE, RecordedEvents, ScriptedApprover, TempVault, decided, revised,
    snapshot_of, web_of,
};
use nova_vault::ChangeSetKind;

const NOTES: &str = r#"
//- Diary/May.md
---
aliases: [The good month]
---
canary-may
//- Diary/Sub/June.md
canary-june
//- Work/Plan.md
See [[May]]. A plan.
//- Work/Sub/July.md
work in July
"#;

const DENY: &str = "permissions: {deny: ['vault__*(path=Diary/*)'], allow: ['*']}";

struct Run {
    outcome: Outcome,
    asked: Vec<String>,
    said: String,
}

fn run(vault: &TempVault, rules: &str, answers: Vec<Answer>, tool: &str, args: Value) -> Run {
    let opened = vault.open();
    let approver = ScriptedApprover::new(answers);
    let events = RecordedEvents::new();
    let scope = CallScope {
        access: Access {
            vault: Some(opened.clone()),
            rules: Arc::new(RulesInForce::new(Rules::parse(rules).unwrap())),
            save_rule: Arc::new(KeptRules::default()),
            approved: Arc::new(ApprovedContents::default()),
            web: Arc::new(web_of(&[])),
            credentials: Arc::new(NoCredentials),
            stores: Arc::new(nova_testkit::MemoryStores::default()),
            folders: Arc::new(()),
            sandboxes: Arc::new(()),
            clock: Arc::new(vault.clock().clone()),
            approver: Arc::new(approver.clone()),
            time_limit: PATIENCE,
        },
        snapshot: snapshot_of(vec![nova_skill_vault::skill()]),
        callable: None,
        grants: Arc::new(Grants::default()),
        given: Arc::new(()),
        events: Arc::new(events.clone()),
        change_set: Some(Arc::new(opened.change_set(ChangeSetKind::Turn, "a test".into()))),
        touched: Arc::default(),
        history: Arc::default(),
        sub_agents: Arc::new(()),
        privacy: Arc::default(),
        asker: Arc::new(()),
        session: "session1".into(),
        turn: Some("turn1".into()),
        principal: Principal::owner(),
        author: "model".into(),
        by_hand: false,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let call = Call::with_value("call1".into(), format!("vault.{tool}"), args);
    let outcome = runtime.block_on(run_call(&scope, call, Default::default()));
    Run {
        outcome,
        asked: approver.asked().into_iter().map(|request| request.question).collect(),
        said: format!("{:?}", events.events()),
    }
}

/// Every file and its text.
fn everything(vault: &TempVault) -> Vec<(String, String)> {
    vault.files().into_iter().map(|file| (file.clone(), vault.read(&file))).collect()
}

/// Spellings that users and models use for one of the denied notes.
const SPELLINGS: [&str; 16] = [
    "Diary/May",
    "Diary/May.md",
    "diary/may.MD",
    "./Diary/May.md",
    "Diary//May.md",
    "Work/../Diary/May",
    "[[Diary/May]]",
    "[[Diary/May|x]]",
    "[[Diary/May#Log|x]]",
    "May",
    "[[May]]",
    "The good month",
    "June",
    "Sub/June",
    "[[Sub/June]]",
    "Sub/June.md",
];

#[test]
fn no_alias_of_a_note_evades_a_deny() {
    for spelling in SPELLINGS {
        for (tool, args) in [
            ("read_note", json!({"path": spelling})),
            ("edit_note", json!({"path": spelling, "old": "canary", "new": "gone"})),
            ("append_to_note", json!({"path": spelling, "text": "more"})),
            ("set_properties", json!({"path": spelling, "properties": {"a": 1}})),
            ("delete_note", json!({"path": spelling})),
            ("move_note", json!({"path": spelling, "to": "Work/"})),
        ] {
            let vault = TempVault::from(NOTES);
            let before = everything(&vault);
            let ran = run(&vault, DENY, vec![decided(Decision::Once)], tool, args);
            let error = ran.outcome.result.clone().expect_err(spelling);
            // Names that no note has reach none.
            let none = error.code != ErrorCode::DeniedByRule;
            assert!(!none || spelling.ends_with("MD"), "{tool} {spelling}: {error:?}");
            assert_eq!(everything(&vault), before, "{tool} {spelling}");
            assert_eq!(ran.outcome.sources, [], "{tool} {spelling}");
            let said = format!("{:?} {}", ran.outcome, ran.said);
            assert!(!said.contains("canary-"), "{tool} {spelling}: {said}");
        }
    }
}

#[test]
fn random_aliases_of_a_note_evade_no_deny() {
    let vault = TempVault::from(NOTES);
    let mut seed = 7_u64;
    let mut roll = |sides: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % sides
    };
    for _ in 0..300 {
        let mut name =
            ["May", "Diary/May", "June", "Sub/June", "Diary/Sub/June"][roll(5) as usize].to_owned();
        if roll(3) == 0 {
            name.push_str(".md");
        }
        name = name.chars().map(|c| if roll(4) == 0 { c.to_ascii_uppercase() } else { c }).collect();
        if roll(3) == 0 {
            name.push_str(["#Log", "#^block", "|shown", "#Log|shown"][roll(4) as usize]);
        }
        if roll(2) == 0 {
            name = format!("{}[[{name}]]", ["", "!", " "][roll(3) as usize]);
        }
        if roll(4) == 0 {
            name = format!(" {name}  ");
        }
        let ran = run(&vault, DENY, Vec::new(), "read_note", json!({"path": name}));
        let said = format!("{:?} {}", ran.outcome, ran.said);
        assert!(ran.outcome.result.is_err() && !said.contains("canary-"), "{name:?}: {said}");
    }
}

#[test]
fn other_notes_are_unaffected() {
    let vault = TempVault::from(NOTES);
    for path in ["Work/Plan", "Work/Sub/July.md"] {
        run(&vault, DENY, Vec::new(), "read_note", json!({"path": path})).outcome.result.expect(path);
    }
    let edit = json!({"path": "Work/Plan", "old": "A plan", "new": "The plan"});
    run(&vault, DENY, Vec::new(), "edit_note", edit).outcome.result.expect("allowed");
    assert!(vault.read("Work/Plan.md").contains("The plan"));
}

#[test]
fn note_that_a_move_would_rewrite_or_replace_is_denied_too() {
    for args in
        [json!({"path": "Work/Plan", "to": "Diary/Plan.md"}), json!({"path": "Work/Plan", "to": "Diary/"})]
    {
        let vault = TempVault::from(NOTES);
        let error = run(&vault, DENY, Vec::new(), "move_note", args).outcome.result.expect_err("denied");
        assert_eq!(error.code, ErrorCode::DeniedByRule);
        assert!(vault.exists("Work/Plan.md"));
    }
}

#[test]
fn allow_rule_covers_only_the_notes_it_names() {
    let rules = "permissions: {allow: ['vault__edit_note(path=Sub/*)', 'vault__edit_note(path=Work/*)']}";
    for (path, old, asks) in [
        ("Sub/June", "canary", true),
        ("Sub/July", "work", true),
        ("Work/Sub/July", "work", false),
        ("Work/Sub/July.md", "work", false),
    ] {
        let vault = TempVault::from(NOTES);
        let before = everything(&vault);
        let args = json!({"path": path, "old": old, "new": "x"});
        let ran = run(&vault, rules, vec![decided(Decision::Deny)], "edit_note", args);
        assert_eq!(!ran.asked.is_empty(), asks, "{path}: {:?}", ran.outcome.result);
        assert_eq!(everything(&vault) == before, asks, "{path}");
    }
}

#[test]
fn asking_rule_asks_before_a_note_is_disclosed() {
    let rules = "permissions: {human_approval: ['vault__read_note(path=Diary/*)'], allow: ['*']}";
    let vault = TempVault::from(NOTES);
    let args = json!({"path": "Sub/June"});
    let denied = run(&vault, rules, vec![decided(Decision::Deny)], "read_note", args.clone());
    assert_eq!(
        denied.asked,
        ["Show the assistant what vault.read_note found? It has read Diary/Sub/June.md. A rule requires \
             asking."]
    );
    assert_eq!(denied.outcome.result.clone().expect_err("denied").code, ErrorCode::DeniedByUser);
    assert!(!format!("{:?} {}", denied.outcome, denied.said).contains("canary-"));
    let allowed = run(&vault, rules, vec![decided(Decision::Once)], "read_note", args);
    assert!(allowed.outcome.result.expect("allowed").to_string().contains("canary-june"));
    let other = run(&vault, rules, Vec::new(), "read_note", json!({"path": "Work/Plan"}));
    other.outcome.result.expect("no rule matches");
}

#[test]
fn edit_on_the_card_does_not_run_a_denied_call() {
    let rules = "permissions: {deny: ['vault__*(path=Diary/*)']}";
    for path in ["Diary/May", "Sub/June"] {
        let vault = TempVault::from(NOTES);
        let before = everything(&vault);
        let to_diary = revised(json!({"path": path, "old": "not in it", "new": "x"}));
        let args = json!({"path": "Work/Plan", "old": "A plan", "new": "The plan"});
        let ran = run(&vault, rules, vec![to_diary, decided(Decision::Deny)], "edit_note", args);
        assert_eq!(ran.outcome.result.clone().expect_err("denied").code, ErrorCode::DeniedByUser);
        assert_eq!(everything(&vault), before);
        // The rule refused the edit before the tool looked for the text.
        assert!(ran.said.contains("is denied by the rule"), "{}", ran.said);
        assert!(!ran.said.contains("canary-"), "{}", ran.said);
        assert_eq!(ran.asked.len(), 2, "the question is unchanged");
    }
}
