//! Calls that write notes: the approved diff is the diff that is written.

use std::sync::Arc;

use nova_calls::{Answer, Call, Grantee, Outcome, run_call};
use nova_protocol::{Decision, ErrorCode};
use nova_skill::{
    CallToken, Effect, Skill, Tool, ToolContext, ToolError, ToolOutput, ToolSpec, Value, VaultPath,
    async_trait, json,
};
use nova_testkit::{ScriptedApprover, TempVault, decided, edited, snapshot_of};
use nova_vault::{ChangeSetKind, Privacy};
use tokio_util::sync::CancellationToken;

use crate::{Bench, Fetch, fetch};

const NOTES: &str = "
//- Net/Jane.md
jane
//- Net/Bob.md
bob
";

/// `net.fetch {path, text, to, from, file}`: appends to a note, moves it, or copies the body of a note or a
/// file into it.
#[derive(Clone)]
struct Writes(Fetch);

impl Skill for Writes {
    fn skill_md(&self) -> &str {
        self.0.skill_md()
    }

    fn manifest(&self) -> &str {
        "display_name: Net\nversion: 1.0.0\nrecords:\n  day: {folder: Net, fields: {mood: {kind: text}}}\n"
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![Arc::new(self.clone())]
    }
}

#[async_trait]
impl Tool for Writes {
    fn spec(&self) -> &ToolSpec {
        &self.0.0
    }

    async fn run(
        &self,
        _: CallToken,
        args: Value,
        ctx: Arc<dyn ToolContext>,
    ) -> Result<ToolOutput, ToolError> {
        let path = |key: &str| VaultPath::parse(args[key].as_str().unwrap_or_default());
        let note = path("path").expect("a valid test path");
        let copied = match (path("from"), path("file")) {
            (Ok(from), _) => Some(body(&ctx.vault().read(&from).await?.text).to_owned()),
            (_, Ok(file)) => Some(String::from_utf8_lossy(&ctx.vault().read_file(&file).await?).into_owned()),
            _ => None,
        };
        if let Some(copied) = copied {
            match ctx.vault().read(&note).await {
                Ok(_) => ctx.vault().append(&note, &copied, None).await?,
                Err(_) => ctx.vault().create(&note, copied).await?,
            }
            return Ok(json!("done").into());
        }
        match args["to"].as_str() {
            Some(_) => drop(ctx.vault().move_note(&note, &path("to").expect("a valid test path")).await?),
            None => ctx.vault().append(&note, args["text"].as_str().unwrap_or_default(), None).await?,
        }
        Ok(json!("done").into())
    }
}

/// The text below the front matter.
fn body(text: &str) -> &str {
    text.rsplit("---\n").next().unwrap_or_default()
}

async fn write(
    vault: &TempVault,
    args: Value,
    answers: impl IntoIterator<Item = Answer>,
) -> (Outcome, Bench) {
    write_beside_private(vault, &[], args, answers).await
}

async fn write_beside_private(
    vault: &TempVault,
    private: &[&str],
    args: Value,
    answers: impl IntoIterator<Item = Answer>,
) -> (Outcome, Bench) {
    let bench = bench_beside_private(vault, private, answers);
    (call(&bench, args).await, bench)
}

fn bench_beside_private(
    vault: &TempVault,
    private: &[&str],
    answers: impl IntoIterator<Item = Answer>,
) -> Bench {
    let mut tool = fetch(Effect::Write, &[]);
    tool.0.on_notes = true;
    let mut bench = Bench::new(tool.clone(), ScriptedApprover::new(answers), &[]);
    let private = private.iter().map(ToString::to_string).collect();
    bench.scope.privacy = Arc::new(Privacy { remote: false, private });
    bench.scope.snapshot = snapshot_of(vec![Box::new(Writes(tool))]);
    let opened = vault.open();
    bench.scope.change_set = Some(Arc::new(opened.change_set(ChangeSetKind::Turn, "a turn".into())));
    bench.scope.access.vault = Some(opened);
    bench
}

async fn call(bench: &Bench, args: Value) -> Outcome {
    let call = Call::with_value("call1".into(), "net.fetch", args);
    run_call(&bench.scope, call, CancellationToken::new()).await
}

fn to(note: &str, text: &str) -> Value {
    json!({"path": note, "text": text})
}

fn shown(bench: &Bench) -> Vec<Vec<String>> {
    let asked = bench.approver.asked().into_iter();
    asked
        .map(|request| request.diff.unwrap_or_default().into_iter().map(|note| note.path).collect())
        .collect()
}

#[tokio::test]
async fn edited_arguments_for_another_note_ask_again() {
    for decision in [Decision::Once, Decision::Session, Decision::Always] {
        let edited = Answer::Decided {
            decision,
            args: Some(to("Net/Bob.md", "unseen")),
            by: "you".into(),
            reason: None,
        };
        let vault = TempVault::from(NOTES);
        let (outcome, bench) =
            write(&vault, to("Net/Jane.md", "seen"), [edited, decided(Decision::Deny)]).await;
        assert_eq!(shown(&bench), [["Net/Jane.md"], ["Net/Bob.md"]], "{decision:?}");
        assert_eq!(outcome.result.expect_err("denied").code, ErrorCode::DeniedByUser);
        assert_eq!((vault.read("Net/Jane.md"), vault.read("Net/Bob.md")), ("jane\n".into(), "bob\n".into()));
    }
}

#[tokio::test]
async fn second_answer_writes_the_note_it_showed() {
    let vault = TempVault::from(NOTES);
    let answers = [edited(to("Net/Bob.md", "more")), decided(Decision::Once)];
    let (outcome, bench) = write(&vault, to("Net/Jane.md", "seen"), answers).await;
    outcome.result.expect("allowed");
    assert_eq!(bench.approver.asked()[1].args, to("Net/Bob.md", "more"));
    assert_eq!(
        (vault.read("Net/Jane.md"), vault.read("Net/Bob.md")),
        ("jane\n".into(), "bob\nmore\n".into())
    );
}

#[tokio::test]
async fn edited_arguments_for_the_shown_note_are_written() {
    let vault = TempVault::from(NOTES);
    let (outcome, bench) =
        write(&vault, to("Net/Jane.md", "seen"), [edited(to("Net/Jane.md", "edited"))]).await;
    outcome.result.expect("allowed");
    assert_eq!(bench.approver.asked().len(), 1);
    assert_eq!(vault.read("Net/Jane.md"), "jane\nedited\n");
}

#[tokio::test]
async fn edit_that_moves_another_note_asks_again() {
    let vault = TempVault::from(NOTES);
    let moved = |from: &str| json!({"path": from, "to": "Net/New.md"});
    let answers = [edited(moved("Net/Bob.md")), decided(Decision::Deny)];
    let (outcome, bench) = write(&vault, moved("Net/Jane.md"), answers).await;
    assert_eq!(outcome.result.expect_err("denied").code, ErrorCode::DeniedByUser);
    assert_eq!(bench.approver.asked().len(), 2);
    assert!(vault.exists("Net/Bob.md") && vault.exists("Net/Jane.md"));
}

#[tokio::test]
async fn note_created_from_a_private_one_is_private() {
    for from in ["from", "file"] {
        let copy = json!({"path": "New.md", from: "Net/Jane.md"});
        for (private, expected) in
            [("Net/Jane.md", "---\nnova: private\n---\njane\n"), ("Net/Bob.md", "jane\n")]
        {
            let vault = TempVault::from(NOTES);
            let (outcome, _) =
                write_beside_private(&vault, &[private], copy.clone(), [decided(Decision::Once)]).await;
            outcome.result.expect("allowed");
            assert_eq!(vault.read("New.md"), expected, "{from}: {private}");
        }
    }
}

#[tokio::test]
async fn unreadable_properties_do_not_make_a_copy_private() {
    let copy = json!({"path": "New.md", "from": "Net/Day.md"});
    for (properties, expected) in [("", "day\n"), ("nova: private\n", "---\nnova: private\n---\nday\n")] {
        let vault = TempVault::from("");
        vault.write("Net/Day.md", &format!("---\n{properties}a: [\n---\nday\n"));
        let (outcome, _) = write_beside_private(&vault, &[], copy.clone(), [decided(Decision::Once)]).await;
        outcome.result.expect("allowed");
        assert_eq!(vault.read("New.md"), expected, "{properties}");
    }
}

#[tokio::test]
async fn copying_a_private_note_into_an_open_one_asks() {
    for from in ["from", "file"] {
        let copy = json!({"path": "Net/Bob.md", from: "Net/Jane.md"});
        for (private, asked) in [("Net/Jane.md", 1), ("Net/Other.md", 0)] {
            let vault = TempVault::from(NOTES);
            let bench = bench_beside_private(&vault, &[private], [decided(Decision::Deny)]);
            bench.scope.grants.add(&Grantee::Skill("net".into()), Effect::Write);
            let outcome = call(&bench, copy.clone()).await;
            assert_eq!((bench.approver.asked().len(), outcome.result.is_err()), (asked, asked == 1));
            assert_eq!(vault.read("Net/Bob.md") == "bob\n", asked == 1, "{from}: {private}");
        }
    }
}

#[tokio::test]
async fn write_into_a_private_note_it_read_is_granted() {
    let vault = TempVault::from(NOTES);
    let bench = bench_beside_private(&vault, &["Net/Jane.md"], []);
    bench.scope.grants.add(&Grantee::Skill("net".into()), Effect::Write);
    call(&bench, json!({"path": "Net/Jane.md", "from": "Net/Jane.md"})).await.result.expect("granted");
    assert_eq!(vault.read("Net/Jane.md"), "jane\njane\n");
}
