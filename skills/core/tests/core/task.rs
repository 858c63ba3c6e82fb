//! Tasks for a sub-agent with scripted answers.

use std::sync::Arc;
use std::time::Duration;

use nova_skill::{Source, TaskEnd, TaskLimits, Value, VaultPath, WebSource, json};
use nova_testkit::{ScriptedDelegate, SkillInVault};

use super::{Aside, NoSnippets};

/// The skill with this configuration, whose tasks go to the delegate.
fn core(delegate: &ScriptedDelegate, config: Value) -> SkillInVault {
    let skill = nova_skill_core::skill(Arc::new(Aside::default()), Arc::new(NoSnippets));
    let mut core = SkillInVault::new(skill, "").with_config(config);
    core.sub_agents = Arc::new(delegate.clone());
    core
}

#[test]
fn answer_has_text_and_sources() {
    let page = Source::Web(WebSource::new("https://quillon.example/terms", "2026-11-26T10:00:00Z"));
    let end = TaskEnd {
        text: "30 days.".into(),
        unfinished: Some("20 steps used up".into()),
        sources: vec![Source::Note(VaultPath::parse("Terms.md").unwrap()), page],
        untrusted: true,
    };
    let delegate = ScriptedDelegate::default().then_end(end);
    let outcome = core(&delegate, Value::Null)
        .call("task", json!({"prompt": "Find the notice period of Quillon.", "skills": ["vault"]}));
    assert_eq!(
        outcome.result.unwrap(),
        json!({
            "sub_agent": "Find the notice period",
            "text": "30 days.",
            "sources": ["Terms.md", "https://quillon.example/terms"],
            "unfinished": "20 steps used up",
        })
    );
    assert!(outcome.from_outside, "untrusted text taints the turn");
    assert_eq!(outcome.drawn_from, Some([VaultPath::parse("Terms.md").unwrap()].into()));
    assert_eq!(outcome.sources.len(), 2);
    let given = delegate.given().pop().unwrap();
    assert_eq!(
        (given.prompt.as_str(), given.skills),
        ("Find the notice period of Quillon.", Some(vec!["vault".into()]))
    );
}

/// The limits that result from this configuration.
fn limits(config: Value) -> TaskLimits {
    let delegate = ScriptedDelegate::default().then("Done.");
    core(&delegate, config).value("task", json!({"prompt": "Look", "name": "looker"}));
    delegate.given().pop().unwrap().limits
}

#[test]
fn limits_follow_the_configuration() {
    let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
    let usual = TaskLimits { steps: 20, tokens: 60_000, time: minutes(10), per_turn: 8 };
    assert_eq!(limits(Value::Null), usual);
    let set = json!({"task": {"steps": 5, "tokens": 1000, "minutes": 1, "per_turn": 2}});
    assert_eq!(limits(set), TaskLimits { steps: 5, tokens: 1000, time: minutes(1), per_turn: 2 });
}

#[test]
fn tasks_without_work_or_tools_are_refused() {
    let delegate = ScriptedDelegate::default();
    for (args, error) in [
        (json!({"prompt": " \n "}), "the task is empty"),
        (json!({"prompt": "Look", "skills": []}), "without any skill"),
        (json!({"prompt": "x".repeat(40_000)}), "longer than 32 KiB"),
    ] {
        let refused = core(&delegate, Value::Null).error("task", args);
        assert!(refused.message.contains(error), "{refused}");
    }
    assert_eq!(delegate.given(), []);
}

#[test]
fn only_the_model_of_a_chat_starts_a_sub_agent() {
    let core =
        SkillInVault::new(nova_skill_core::skill(Arc::new(Aside::default()), Arc::new(NoSnippets)), "");
    let refused = core.error("task", json!({"prompt": "Look"}));
    assert!(refused.message.contains("Only the model of a chat"), "{refused}");
}
