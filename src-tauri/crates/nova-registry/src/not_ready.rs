use std::sync::Arc;

use nova_skill::{
    CallToken, Description, Effect, NoteScope, Tool, ToolContext, ToolError, ToolOutput, ToolSpec, Value,
    async_trait, json,
};

/// Stands where a tool would be that cannot be called: a call is answered with the reason. It asks
/// nobody first, since nothing would be done.
pub(crate) struct NotReady {
    spec: ToolSpec,
    reason: String,
}

impl NotReady {
    pub(crate) fn new(id: &str, reason: &str) -> Self {
        let spec = ToolSpec {
            id: id.to_owned(),
            description: Description::purpose(reason),
            parameters: json!({"type": "object"}),
            effect: Effect::Read,
            credentials: Vec::new(),
            hosts: Vec::new(),
            proposed_hosts: Vec::new(),
            definition: None,
            question: None,
            time_limit: None,
            on_notes: false,
            scope: NoteScope::OwnRecords,
        };
        Self { spec, reason: reason.to_owned() }
    }
}

#[async_trait]
impl Tool for NotReady {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, _: CallToken, _: Value, _: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        Err(ToolError::failed(self.reason.clone(), "Mend its file; it is read again when it is saved."))
    }
}
