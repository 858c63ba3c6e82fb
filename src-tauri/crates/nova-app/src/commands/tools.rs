//! Commands for tools and tool files.

use nova_protocol::{
    CallTool, DryRunResult, DryRunTool, Event, Nothing, PendingToolRef, PendingToolRow, PromotedTool, RunRef,
    SkillState, ToolResult, ToolRow, UserError,
};
use nova_registry::{ToolLookup, lacking};

use crate::app::App;
use crate::credentials::signed_out_reason;
use crate::skill_rows::reason;
use crate::skill_rows::state_view;

impl App {
    pub(crate) async fn list_tools(&self, _: Nothing) -> Result<Vec<ToolRow>, UserError> {
        let snapshot = self.inner.registry.snapshot();
        let present = self.inner.registry.present();
        let rows = snapshot.skills().iter().flat_map(|skill| {
            skill.tools.iter().chain(&skill.tools_not_ready).map(|tool| ToolRow {
                wire_name: tool.wire_name.clone(),
                name: tool.shown_name(),
                skill: skill.id.clone(),
                effect: nova_calls::effect_view(tool.effect()),
                description: tool.spec().description.to_string(),
                input_schema: tool.spec().parameters.clone(),
                state: state_view(if skill.is_available() { tool.state } else { skill.state }),
                reason: if skill.is_available() { tool.reason.clone() } else { reason(skill) },
            })
        });
        let rows = rows.map(|mut row| {
            let ToolLookup::Found { tool, .. } = snapshot.tool(&row.name) else { return row };
            if row.state == SkillState::Available
                && let Some(why) = signed_out_reason(&self.inner, &tool.spec().credentials)
            {
                (row.state, row.reason) = (SkillState::NeedsSignIn, Some(why));
            }
            if row.state == SkillState::Available
                && let Some((state, why)) = lacking(tool.spec(), &present)
            {
                // A call reports it as well, with the form for the credential.
                (row.state, row.reason) = (state_view(state), Some(why));
            }
            row
        });
        Ok(rows.collect())
    }

    pub(crate) async fn call_tool(&self, call: CallTool) -> Result<ToolResult, UserError> {
        self.run_form(call.run, self.tool_for_window(call.tool)?, call.args).await
    }

    pub(crate) async fn stop_tool(&self, run: RunRef) -> Result<Nothing, UserError> {
        if let Some(run) = self.runs().get(&run.run) {
            run.cancel.cancel();
        }
        Ok(Nothing {})
    }

    pub(crate) async fn list_pending_tools(&self, _: Nothing) -> Result<Vec<PendingToolRow>, UserError> {
        self.inner.pending_tools.list().await
    }

    pub(crate) async fn dry_run_tool(&self, run: DryRunTool) -> Result<DryRunResult, UserError> {
        self.inner.pending_tools.dry_run(&run.name, &run.hash, run.args).await
    }

    pub(crate) async fn promote_tool(&self, pending: PendingToolRef) -> Result<PromotedTool, UserError> {
        let promoted = self.inner.pending_tools.promote(&pending.name, &pending.hash).await?;
        // Loaded at once, whether or not this process watches the folder.
        self.tools_loaded(Self::CALL_LIMIT).await;
        self.emit(Event::PendingToolsChanged {});
        Ok(promoted)
    }

    pub(crate) async fn discard_tool(&self, pending: PendingToolRef) -> Result<Nothing, UserError> {
        self.inner.pending_tools.discard(&pending.name, &pending.hash).await?;
        self.emit(Event::PendingToolsChanged {});
        Ok(Nothing {})
    }
}
