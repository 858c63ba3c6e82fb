//! The output of a tool is judged by the notes it is drawn from, while it runs and at its end.

use std::sync::Arc;

use nova_calls::{Call, Outcome, run_call};
use nova_protocol::{Decision, ErrorCode};
use nova_skill::{
    CallToken, Effect, Output, OutputPart, Progress, Query, Search, SearchMode, Skill, Tool, ToolContext,
    ToolError, ToolOutput, ToolSpec, Value, VaultPath, async_trait, json,
};
use nova_testkit::{ScriptedApprover, TempVault, decided, snapshot_of};
use tokio_util::sync::CancellationToken;

use crate::{Bench, Fetch, fetch};

const NOTES: &str = "
//- Diary/June.md
---
type: day
mood: radiant
---
canary-june
//- Work/Plan.md
---
status: draft
---
A plan for July.
";

/// `net.fetch {path, how}`: returns what it finds in the vault without naming the notes.
#[derive(Clone)]
struct Careless(Fetch);

impl Skill for Careless {
    fn skill_md(&self) -> &str {
        self.0.skill_md()
    }

    fn manifest(&self) -> &str {
        "display_name: Net\nversion: 1.0.0\nrecords:\n  day: {folder: Diary, fields: {mood: {kind: text}}}\n"
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![Arc::new(self.clone())]
    }
}

#[async_trait]
impl Tool for Careless {
    fn spec(&self) -> &ToolSpec {
        &self.0.0
    }

    async fn run(
        &self,
        _: CallToken,
        args: Value,
        ctx: Arc<dyn ToolContext>,
    ) -> Result<ToolOutput, ToolError> {
        let vault = ctx.vault();
        let all = Query::default();
        let found = async |text: &str| {
            let sought = Search { query: text.into(), mode: SearchMode::Text, limit: 10 };
            vault.search(&sought).await.map(|answer| answer.hits)
        };
        let values = |rows: &[nova_vault::QueryRow], key: &str| -> Vec<Value> {
            let values =
                rows.iter().filter_map(|row| row.document.property(key).map(|value| value.to_json()));
            values.collect()
        };
        Ok(match args["how"].as_str().unwrap_or_default() {
            "lines" => json!(found("canary").await?.iter().map(|hit| hit.text.clone()).collect::<Vec<_>>()),
            "sentence" => json!(format!("It says: {}", found("canary").await?[0].text)),
            "names" => {
                json!(vault.query(&all).await?.rows.iter().map(|row| row.path.name()).collect::<Vec<_>>())
            }
            "moods" => json!(values(&vault.query(&all).await?.rows, "mood")),
            "statuses" => json!(values(&vault.query(&all).await?.rows, "status")),
            "notes of a type" => {
                let notes = vault.read_records(&["day"]).await?.notes;
                json!(notes[0].document.property("mood").map(|mood| mood.to_json()))
            }
            "count" => json!({"notes": vault.query(&all).await?.rows.len()}),
            "nothing" => {
                vault.query(&all).await?;
                json!({"next": null, "rows": []})
            }
            "none of them" => {
                vault.query(&all).await?;
                return Ok(Output::new(json!("None of them fits.")).from_notes([]).into());
            }
            "one of them" => {
                let june = VaultPath::parse("Diary/June.md").expect("a valid test path");
                vault.read(&june).await?;
                let plan = vault.query(&all).await?.rows[1].path.clone();
                return Ok(Output::new(json!("This one.")).from_notes([plan]).into());
            }
            "vague error" => {
                vault.query(&all).await?;
                return Err(ToolError::failed("It cannot be done.", "Try another."));
            }
            "error" => return Err(ToolError::failed(found("canary").await?[0].text.clone(), "Look there.")),
            how => {
                let path =
                    VaultPath::parse(if how == "stream plan" { "Work/Plan.md" } else { "Diary/June.md" });
                let before = OutputPart::Partial(json!("nothing yet"));
                let text = vault.read(&path.expect("a valid test path")).await?.text.to_string();
                ctx.progress(Progress { fraction: Some(0.5), message: Some(text.clone()) });
                let parts = [
                    before,
                    OutputPart::Partial(json!({"so_far": text})),
                    OutputPart::End(Ok(Output::new(json!(text)))),
                ];
                return Ok(ToolOutput::Stream(Box::pin(futures::stream::iter(parts))));
            }
        }
        .into())
    }
}

/// The outcome, and all output about it.
async fn run(rules: &str, how: &str, approver: ScriptedApprover) -> (Outcome, String) {
    let vault = TempVault::from(NOTES);
    let mut bench = Bench::new(fetch(Effect::Read, &[]), approver, &[]).with_rules(rules);
    bench.scope.snapshot = snapshot_of(vec![Box::new(Careless(fetch(Effect::Read, &[])))]);
    bench.scope.access.vault = Some(vault.open());
    let args = json!({"path": "Work/Plan.md", "how": how, "urls": []});
    let call = Call::with_value("call1".into(), "net.fetch", args);
    let outcome = run_call(&bench.scope, call, CancellationToken::new()).await;
    (outcome, bench.everything_said())
}

const DENY: &str = "permissions: {deny: ['net__fetch(path=Diary/*)'], allow: ['*']}";

#[tokio::test]
async fn unnamed_results_of_searches_and_queries_are_judged() {
    for how in ["lines", "sentence", "names", "moods", "notes of a type", "error"] {
        let (outcome, said) = run(DENY, how, ScriptedApprover::new(Vec::new())).await;
        let error = outcome.result.expect_err(how);
        assert_eq!(error.code, ErrorCode::DeniedByRule, "{how}: {error}");
        for word in ["canary", "radiant", "June"] {
            assert!(!said.contains(word), "{how}: {said}");
        }
    }
}

#[tokio::test]
async fn output_is_attributed_to_notes_it_is_drawn_from() {
    let (june, plan) = ("Diary/June.md", "Work/Plan.md");
    for (how, expected) in [
        // The source cannot be inferred: it may be any note received.
        ("count", None),
        ("lines", None),
        ("nothing", Some(vec![])),
        ("none of them", Some(vec![])),
        // Notes read individually count, whatever the output names.
        ("one of them", Some(vec![june, plan])),
        ("vague error", Some(vec![])),
        ("error", Some(vec![june])),
    ] {
        let (outcome, _) = run("permissions: {allow: ['*']}", how, ScriptedApprover::new(Vec::new())).await;
        let told = outcome.drawn_from.map(|notes| notes.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(told, expected.map(|notes| notes.into_iter().map(str::to_owned).collect()), "{how}");
    }
}

#[tokio::test]
async fn scanned_notes_do_not_deny_the_output() {
    for (how, gives) in [("statuses", json!(["draft"])), ("count", json!({"notes": 2}))] {
        let (outcome, _) = run(DENY, how, ScriptedApprover::new(Vec::new())).await;
        assert_eq!(outcome.result.expect(how), gives, "{how}");
    }
}

#[tokio::test]
async fn partial_results_of_a_denied_note_are_withheld() {
    let (outcome, said) = run(DENY, "stream diary", ScriptedApprover::new(Vec::new())).await;
    assert_eq!(outcome.result.expect_err("denied").code, ErrorCode::DeniedByRule);
    assert!(!said.contains("canary") && !said.contains("radiant"), "{said}");
}

#[tokio::test]
async fn partial_results_of_other_notes_are_reported_at_once() {
    let (outcome, said) = run(DENY, "stream plan", ScriptedApprover::new(Vec::new())).await;
    assert!(outcome.result.is_ok());
    let (first, then) =
        (said.find("nothing yet").expect("the first"), said.find("so_far").expect("the second"));
    assert!(first < then, "{said}");
    assert!(said.contains("A plan for July."), "{said}");
}

#[tokio::test]
async fn partial_results_wait_for_a_required_approval() {
    let rules = "permissions: {human_approval: ['net__fetch(path=Diary/*)'], allow: ['*']}";
    let (outcome, said) =
        run(rules, "stream diary", ScriptedApprover::new(vec![decided(Decision::Deny)])).await;
    assert_eq!(outcome.result.expect_err("denied").code, ErrorCode::DeniedByUser);
    assert!(!said.contains("canary"), "{said}");
    let allowed = run(rules, "stream diary", ScriptedApprover::new(vec![decided(Decision::Once)])).await;
    assert!(allowed.0.result.expect("allowed").to_string().contains("canary-june"));
    assert!(!allowed.1.contains("so_far"), "something was reported before the answer: {}", allowed.1);
}
