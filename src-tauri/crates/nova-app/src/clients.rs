//! Runs tools for MCP clients.

use std::sync::Arc;

use nova_calls::{Approver, CalledTool};
use nova_protocol::{ErrorCode, ToolResult, UserError};
use nova_registry::harmless_line;
use nova_skill::{Principal, PrincipalKind, Relationship, VaultPath};
use nova_vault::{ChangeSetKind, Privacy};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::blocking::blocking;
use crate::caller::{Caller, SeenByClient};
use crate::tool_runs::{Audience, ToolRun};

/// Maximum length of a client's name, which the client chooses.
const NAME: usize = 64;
const READ_NOTE: &str = "vault.read_note";

/// A connected MCP client.
pub struct McpClient {
    principal: Principal,
    local: bool,
    seen: Arc<SeenByClient>,
}

/// One call of an [`McpClient`].
pub struct ClientCall {
    /// Session id of its events.
    pub run: String,
    /// `skill.tool`, or the wire name.
    pub tool: String,
    pub args: Value,
    pub approver: Arc<dyn Approver>,
    pub cancel: CancellationToken,
}

impl McpClient {
    /// `name` is reported by the client. `local`: neither it nor its model sends data off this machine, so it
    /// may see private notes.
    pub fn new(name: &str, relationship: Relationship, local: bool) -> Self {
        let name: String = harmless_line(name).chars().take(NAME).collect();
        let name = if name.is_empty() { "unnamed".to_owned() } else { name };
        let principal = Principal { kind: PrincipalKind::McpClient, name, relationship };
        Self { principal, local, seen: Arc::default() }
    }
}

impl App {
    /// Runs one tool for a client, by the rules for its principal. Private notes are hidden unless it is
    /// local.
    pub async fn run_for_client(&self, client: &McpClient, call: ClientCall) -> ToolResult {
        let caller = Caller {
            principal: client.principal.clone(),
            author: format!("MCP client {}", client.principal.name),
            privacy: Privacy { remote: !client.local, private: self.private() },
            seen: Some(client.seen.clone()),
        };
        let called = CalledTool::Named(call.tool.clone());
        let run = ToolRun {
            run: call.run,
            tool: call.tool,
            args: call.args,
            kind: ChangeSetKind::Mcp,
            approver: call.approver,
            by_hand: false,
            cancel: call.cancel,
        };
        let mut result = self.run_called(run, called, Audience::All, &caller).await;
        if let Some(error) = &mut result.error {
            hide_private_note(error);
        }
        result
    }

    /// Path and content of a note for a client, subject to the rules for `vault.read_note`.
    ///
    /// # Errors
    /// When the rules deny it, or the note does not exist or is hidden from this client.
    pub async fn note_for_client(
        &self,
        client: &McpClient,
        mut call: ClientCall,
        path: &str,
    ) -> Result<String, UserError> {
        call.tool = READ_NOTE.to_owned();
        call.args = json!({ "path": path });
        let result = self.run_for_client(client, call).await;
        if let Some(error) = result.error {
            return Err(error);
        }
        let path = result.value.as_ref().and_then(|value| value["path"].as_str()).unwrap_or(path);
        let path = VaultPath::parse(path).map_err(|_| no_note(path))?;
        let privacy = Privacy { remote: !client.local, private: self.private() };
        let view = self.vault()?.seen_by(Arc::new(privacy));
        blocking(move || Ok(view.read(&path).map_err(|_| no_note(path.as_str()))?.text.to_string())).await
    }
}

/// Makes the error for a private note identical to that for a missing one.
fn hide_private_note(error: &mut UserError) {
    let named = match error.code {
        ErrorCode::Private => {
            error.message.strip_prefix('"').and_then(|rest| rest.rsplit_once("\" is private"))
        }
        ErrorCode::NoteNotFound => {
            error.message.strip_prefix("There is no note \"").and_then(|rest| rest.rsplit_once('"'))
        }
        _ => None,
    };
    if let Some((name, _)) = named {
        *error = no_note(name);
    } else if error.code == ErrorCode::Private {
        *error = no_note("");
    }
}

fn no_note(name: &str) -> UserError {
    nova_vault::VaultError::NotFound { name: name.to_owned() }.into()
}
