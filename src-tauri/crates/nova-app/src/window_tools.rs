//! Tools of built-in skills for the window alone. They are in no list, so that no model, script or client finds them;
//! calls go through `nova-calls` as all do, and rules refer to them as `<skill>.<tool>`.

use std::sync::Arc;

use nova_calls::CalledTool;
use nova_protocol::{ErrorCode, UserError};
use nova_registry::{SourceKind, ToolEntry};

use crate::app::App;

impl App {
    /// What a call of the window names: a tool for the window alone, or any other.
    ///
    /// # Errors
    /// If the parameters of the tool are not a JSON Schema.
    pub(crate) fn tool_for_window(&self, name: String) -> Result<CalledTool, UserError> {
        let Some((id, tool)) = name.split_once('.') else { return Ok(CalledTool::Named(name)) };
        let tools = match id {
            "mail" => nova_skill_mail::for_window(),
            _ => return Ok(CalledTool::Named(name)),
        };
        let snapshot = self.inner.registry.snapshot();
        let skill = snapshot.available().find(|skill| skill.id == id && skill.source == SourceKind::Native);
        let found = tools.into_iter().find(|known| known.spec().id == tool);
        let (Some(skill), Some(found)) = (skill, found) else { return Ok(CalledTool::Named(name)) };
        let entry =
            ToolEntry::of_form(id, found).map_err(|error| UserError::new(ErrorCode::Internal, error, ""))?;
        Ok(CalledTool::OfForm { skill: skill.clone(), tool: Arc::new(entry) })
    }
}
