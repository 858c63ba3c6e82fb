//! Access of a file's tool to notes, through the tools of the skill `vault`.

use std::sync::Arc;

use nova_calls::{Call, CallScope, run_call};
use nova_protocol::Decision;
use nova_skill::{
    CallToken, Description, Effect, Principal, Relationship, Skill, Tool, ToolContext, ToolError, ToolOutput,
    ToolSpec, Value, VaultAccess, async_trait, json,
};
use nova_testkit::{ScriptedApprover, snapshot_of};
use tokio_util::sync::CancellationToken;

use crate::{Bench, fetch};

/// Stands in for the skill `vault`: `vault.read_note {path}` returns the path.
struct Vault(ToolSpec);

impl Skill for Vault {
    fn skill_md(&self) -> &str {
        "---\nname: vault\ndescription: Reads.\n---\nRead.\n"
    }

    fn manifest(&self) -> &str {
        "display_name: Vault\nversion: 1.0.0\n"
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![Arc::new(Read(self.0.clone()))]
    }
}

struct Read(ToolSpec);

#[async_trait]
impl Tool for Read {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn run(&self, _: CallToken, args: Value, _: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        Ok(args["path"].clone().into())
    }
}

/// A tool defined by a file: it reads the note `Diary` in the given way, and returns the answer.
struct File(ToolSpec);

impl Skill for File {
    fn skill_md(&self) -> &str {
        "---\nname: own\ndescription: Reads.\n---\nRead.\n"
    }

    fn manifest(&self) -> &str {
        "display_name: Own\nversion: 1.0.0\n"
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![Arc::new(File(self.0.clone()))]
    }
}

#[async_trait]
impl Tool for File {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn run(
        &self,
        _: CallToken,
        args: Value,
        ctx: Arc<dyn ToolContext>,
    ) -> Result<ToolOutput, ToolError> {
        let note = json!({"path": "Diary"});
        let said = match args["verb"].as_str() {
            None => ctx.tools().call("vault.read_note", note).await,
            Some(verb) => ctx.tools().vault(verb, note).await,
        };
        Ok(said.unwrap_or_else(|error| json!(error.message)).into())
    }
}

fn parameters() -> Value {
    json!({"type": "object", "properties": {"path": {"type": "string"}, "verb": {"type": "string"}}})
}

/// The answer that the file gets with this access, rules and relationship of the principal.
async fn told(access: Option<VaultAccess>, args: Value, rules: &str, who: Relationship) -> Value {
    let spec = |id: &str| ToolSpec::new(id, Description::purpose("Reads."), parameters(), Effect::Read);
    let own = ToolSpec { definition: Some("one".into()), vault: access, ..spec("tried") };
    let approver = ScriptedApprover::always(Decision::Once);
    let bench = Bench::new(fetch(Effect::Read, &[]), approver, &[]).with_rules(rules);
    let skills: Vec<Box<dyn Skill>> = vec![Box::new(Vault(spec("read_note"))), Box::new(File(own))];
    let scope = CallScope {
        snapshot: snapshot_of(skills),
        principal: Principal { relationship: who, ..Principal::owner() },
        ..bench.scope.clone()
    };
    let call = Call::with_value("call1".into(), "own.tried", args);
    run_call(&scope, call, CancellationToken::new()).await.result.expect("the file runs")
}

const NO_RULES: &str = "permissions: {allow: []}";

#[tokio::test]
async fn file_reads_only_with_declared_access() {
    let read = json!({"verb": "read_note"});
    let by = async |access, args: &Value| told(access, args.clone(), NO_RULES, Relationship::Owner).await;
    assert_eq!(by(Some(VaultAccess::Read), &read).await, json!("Diary"));
    assert_eq!(by(Some(VaultAccess::Write), &read).await, json!("Diary"));
    let refused = json!("own.tried does not declare that it may use read_note.");
    assert_eq!(by(None, &read).await, refused);
    assert_eq!(
        by(None, &json!({})).await,
        json!("own.tried may not call vault.read_note, which reaches notes.")
    );
    for verb in ["edit_note", "delete_note", "daily_note", ""] {
        let refused = json!(format!("own.tried does not declare that it may use {verb}."));
        assert_eq!(by(Some(VaultAccess::Read), &json!({"verb": verb})).await, refused, "{verb}");
    }
}

#[tokio::test]
async fn rules_and_policies_about_the_vault_hold_within_a_file() {
    let policy = "policies: [{name: strangers, match: {principal: {relationship: unknown}}, permissions: {tools: \
                  {deny: [read_note]}}}]";
    for (rules, who, expected) in [
        (NO_RULES, Relationship::Owner, "Diary"),
        ("permissions: {deny: [vault__read_note]}", Relationship::Owner, "is denied by the rule"),
        (
            "permissions: {human_approval: [vault__read_note]}",
            Relationship::Owner,
            "A rule requires asking about vault.read_note",
        ),
        (policy, Relationship::Owner, "Diary"),
        (policy, Relationship::Unknown, "of the policy \"strangers\""),
    ] {
        let access = Some(VaultAccess::Read);
        let said = told(access, json!({"verb": "read_note"}), rules, who).await.to_string();
        assert!(said.replace('\\', "").contains(expected), "{rules} {who:?}: {said}");
    }
}
