//! Runs tools of the skill `vault` within a call of a tool whose file declares access to notes.

use std::sync::{Arc, Weak};

use nova_protocol::{ErrorCode, UserError};
use nova_registry::{CallShape, ReachedNotes, SkillEntry, ToolEntry, ToolLookup};
use nova_skill::{
    Clock, Credentials, Delegate, LogLevel, Progress, RecordTypes, RequestInfo, ToolCache, ToolContext,
    ToolHttp, ToolProcess, ToolStore, ToolVault, VaultAccess,
};
use serde_json::Value;
use tokio::sync::mpsc::unbounded_channel;
use tokio_util::sync::CancellationToken;

use super::inner::InnerCalls;
use super::judging::denied_by_rule;
use super::planning::run_body;
use crate::gate::Gate;
use crate::{Content, Facts, arguments};

const READING: [&str; 4] = ["read_note", "query", "search", "links"];
const WRITING: [&str; 5] = ["create_note", "edit_note", "append_to_note", "set_properties", "move_note"];

impl InnerCalls {
    /// # Errors
    /// If the caller does not declare the access, if a rule forbids it, and errors of the tool. A denial that
    /// only applies after planning also fails the running call.
    pub(super) async fn run_on_vault(&self, id: &str, args: Value) -> Result<Value, UserError> {
        let caller = self.caller();
        let writes = WRITING.contains(&id);
        let needed = if writes { VaultAccess::Write } else { VaultAccess::Read };
        if !writes && !READING.contains(&id) || caller.spec().vault.is_none_or(|access| access < needed) {
            let need = if writes { "write" } else { "read" };
            return Err(UserError::new(
                ErrorCode::BadRequest,
                format!("{} does not declare that it may use {id}.", caller.shown_name()),
                format!("Add vault: '{need}' to its file."),
            ));
        }
        let (skill, tool) = self.of_vault(id)?;
        let args = arguments::fit(&tool, args)?;
        self.check_rules(&tool, &args, ReachedNotes::NONE)?;
        let Some(context) = self.context().and_then(Weak::upgrade) else {
            return Err(nova_skill::ToolError::Cancelled.into());
        };
        // One at a time, so that the notes reached by each are known.
        let _turn = self.writes().await;
        let before = self.vault().take_reached();
        let (says, _nobody) = unbounded_channel();
        let on_vault = Arc::new(OnVault { context, skill });
        let done = run_body(tool.tool.as_ref(), args.clone(), on_vault, &says).await;
        let reached = self.vault().take_reached();
        self.vault().reaches_all(before.into_iter().chain(reached.iter().cloned()));
        let read: Vec<_> = reached.into_iter().collect();
        let reached = ReachedNotes { written: if writes { read.clone() } else { Vec::new() }, read };
        if let Err(denied) = self.check_rules(&tool, &args, &reached) {
            if writes {
                self.deny(denied.clone());
            }
            return Err(denied);
        }
        Ok(done?.value)
    }

    fn of_vault(&self, id: &str) -> Result<(Arc<SkillEntry>, Arc<ToolEntry>), UserError> {
        match self.scope().snapshot.tool(&format!("vault.{id}")) {
            ToolLookup::Found { skill, tool } if skill.is_available() => Ok((skill, tool)),
            ToolLookup::Found { .. } | ToolLookup::Unknown { .. } => Err(UserError::new(
                ErrorCode::SkillDisabled,
                format!("{} works on notes with vault.{id}, which is off here.", self.caller().shown_name()),
                "Switch it on in Settings, or run: nova skill enable vault",
            )),
        }
    }

    /// Applies deny rules. A tool that a rule requires asking about must be called separately.
    fn check_rules(&self, tool: &ToolEntry, args: &Value, reached: &ReachedNotes) -> Result<(), UserError> {
        let scope = self.scope();
        let facts = Facts {
            call: CallShape { skill: &tool.skill, tool: &tool.id, effect: tool.effect(), args },
            reached,
            principal: &scope.principal,
            by_hand: scope.by_hand,
            granted: false,
            content: Content::Fixed,
            notes: 0,
            outside_own: false,
            routine: false,
            open_notes: Vec::new(),
            tainted: false,
            times: 1,
            hosts_vary: false,
        };
        let gate = Gate::now(&scope.access.rules);
        if let Some(because) = gate.denial(&facts) {
            return Err(denied_by_rule(tool, &because));
        }
        if gate.wants_approval(&facts).is_some() {
            let name = tool.shown_name();
            return Err(UserError::new(
                ErrorCode::DeniedByRule,
                format!("A rule requires asking about {name}, so it did not run within another call."),
                format!("Call it as ctx.tools.{name}, which asks."),
            ));
        }
        Ok(())
    }
}

/// The context of the running call, passed to a tool of the skill `vault`.
struct OnVault {
    context: Arc<dyn ToolContext>,
    skill: Arc<SkillEntry>,
}

impl ToolContext for OnVault {
    fn vault(&self) -> &dyn ToolVault {
        self.context.vault()
    }

    fn http(&self) -> &dyn ToolHttp {
        self.context.http()
    }

    fn credentials(&self) -> &dyn Credentials {
        self.context.credentials()
    }

    fn clock(&self) -> &dyn Clock {
        self.context.clock()
    }

    fn store(&self) -> &dyn ToolStore {
        self.context.store()
    }

    fn cache(&self) -> &dyn ToolCache {
        self.context.cache()
    }

    fn process(&self) -> &dyn ToolProcess {
        self.context.process()
    }

    fn delegate(&self) -> &dyn Delegate {
        self.context.delegate()
    }

    fn request(&self) -> &RequestInfo {
        self.context.request()
    }

    fn records(&self) -> &RecordTypes {
        &self.skill.records
    }

    fn config(&self) -> &Value {
        &self.skill.config
    }

    fn cancel(&self) -> &CancellationToken {
        self.context.cancel()
    }

    fn progress(&self, progress: Progress) {
        self.context.progress(progress);
    }

    fn log(&self, level: LogLevel, message: &str) {
        self.context.log(level, message);
    }
}
