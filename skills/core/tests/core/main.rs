//! The skill over a store of pending tools that records its calls.
#![allow(clippy::unwrap_used)]

mod files;
mod pages;
mod task;
mod web;

use std::sync::{Arc, Mutex};

use nova_protocol::ErrorCode;
use nova_skill::{ToolContext, ToolError, ToolOutput, async_trait, json};
use nova_skill_core::{PendingTool, PendingTools, Snippets};
use nova_testkit::{SkillInVault, assert_sound, snapshot_of};

#[derive(Default)]
pub(crate) struct Aside(Mutex<Vec<(String, String)>>);

#[async_trait]
impl PendingTools for Aside {
    async fn store(&self, name: &str, source: &str) -> Result<PendingTool, ToolError> {
        if source.is_empty() {
            return Err(ToolError::failed("weather.ts:1:1: the file is empty.", "Mend it and call again."));
        }
        self.0.lock().unwrap().push((name.to_owned(), source.to_owned()));
        Ok(PendingTool {
            tool: name.to_owned(),
            file: format!("{name}.ts"),
            effect: "external".into(),
            hosts: vec!["api.weather.example".into()],
            proposed_hosts: vec!["cdn.weather.example".into()],
            credentials: vec!["weather-api".into()],
            replaces: None,
        })
    }
}

/// Runs no script: the journeys run real ones.
pub(crate) struct NoSnippets;

#[async_trait]
impl Snippets for NoSnippets {
    async fn run(&self, _: Arc<str>, _: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        Err(ToolError::Cancelled)
    }
}

#[test]
fn skill_is_sound() {
    assert_sound(nova_skill_core::skill(Arc::new(Aside::default()), Arc::new(NoSnippets)), "core");
}

#[test]
fn instructions_name_the_tool() {
    let snapshot =
        snapshot_of(vec![nova_skill_core::skill(Arc::new(Aside::default()), Arc::new(NoSnippets))]);
    assert!(snapshot.skills()[0].instructions.contains("`create_tool`"));
}

#[test]
fn tool_is_stored_after_approval_and_the_answer_lists_its_hosts() {
    let aside = Arc::new(Aside::default());
    let core = SkillInVault::new(nova_skill_core::skill(aside.clone(), Arc::new(NoSnippets)), "");
    let value = core.value("create_tool", json!({"name": "weather", "source": "text"}));
    assert_eq!(
        value,
        json!({
            "waits_for_the_user": true, "tool": "weather", "file": "weather.ts", "effect": "external",
            "hosts": ["api.weather.example"], "proposed_hosts": ["cdn.weather.example"],
            "credentials": ["weather-api"], "replaces": null,
        })
    );
    assert_eq!(*aside.0.lock().unwrap(), [("weather".to_owned(), "text".to_owned())]);
    let mut asked = core.events.types();
    asked.retain(|kind| kind == "approval_requested");
    assert_eq!(asked.len(), 1, "a write asks");
}

#[test]
fn source_without_a_tool_is_answered_with_the_error_position() {
    let core =
        SkillInVault::new(nova_skill_core::skill(Arc::new(Aside::default()), Arc::new(NoSnippets)), "");
    let error = core.error("create_tool", json!({"name": "weather", "source": ""}));
    assert_eq!(error.code, ErrorCode::ToolFailed);
    assert!(error.message.contains("weather.ts:1:1"), "{error}");
}
