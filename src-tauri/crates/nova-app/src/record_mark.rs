//! Turns a note in a folder of records into a record, by a call on behalf of the record's skill, so that
//! rules, change sets and undo work as for any other call.

use std::sync::Arc;

use nova_calls::CalledTool;
use nova_protocol::{ErrorCode, MarkRecord, ToolResult, UserError};
use nova_registry::ToolEntry;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, ToolContext, ToolError, ToolOutput, VaultPath,
    async_trait, json, native, schemars,
};
use serde::{Deserialize, Serialize};

use crate::app::App;

/// Sets the property that makes a note a record. It is in no list of tools; rules refer to it as
/// `<skill>.mark_record`.
struct MarkRecordTool;

#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
struct Marked {
    /// Name of the record type.
    record_type: String,
    /// The note.
    path: String,
}

impl App {
    pub(crate) async fn mark_record(&self, mark: MarkRecord) -> Result<ToolResult, UserError> {
        let internal = |error: String| UserError::new(ErrorCode::Internal, error, "");
        let skill = self.skill_with(&mark.skill, &mark.record_type)?;
        let tool = ToolEntry::of_form(&skill.id, native(MarkRecordTool)).map_err(internal)?;
        let args = json!({"record_type": mark.record_type, "path": mark.path});
        self.run_form(mark.run, CalledTool::OfForm { skill, tool: Arc::new(tool) }, args).await
    }
}

#[async_trait]
impl NativeTool for MarkRecordTool {
    type Args = Marked;
    const ID: &'static str = "mark_record";
    const EFFECT: Effect = Effect::Write;

    fn description(&self) -> Description {
        Description::purpose("Sets the property that makes a note a record.")
    }

    async fn run(&self, marked: Marked, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let declared = ctx.records().get(&marked.record_type)?;
        let path = VaultPath::parse(&marked.path).map_err(|error| ToolError::InvalidArguments {
            path: "/path".into(),
            rule: error.to_string(),
            allowed: Vec::new(),
        })?;
        let note = ctx.vault().read(&path).await?;
        let edit = declared.marking(&note).ok_or_else(|| {
            let name = declared.name();
            ToolError::failed(
                format!("No property makes a note a {name}."),
                format!("A {name} is recognised by: {}.", declared.recognised_by()),
            )
        })?;
        ctx.vault().set_properties(&path, &[edit]).await?;
        Ok(Output::new(json!({"path": path})).from_notes([path]).into())
    }
}
