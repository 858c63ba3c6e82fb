use std::sync::Arc;

use nova_skill::{
    CallToken, Description, Effect, Tool, ToolContext, ToolError, ToolOutput, ToolSpec, Value, async_trait,
    json,
};

use crate::State;

/// Stands in for a tool that cannot be called: a call returns the reason. It never asks for approval, since
/// it does nothing.
pub(crate) struct NotReady {
    spec: ToolSpec,
    reason: String,
    hint: &'static str,
}

impl NotReady {
    pub(crate) fn new(id: &str, state: State, reason: &str) -> Self {
        let spec = ToolSpec::new(id, Description::purpose(reason), json!({"type": "object"}), Effect::Read);
        let hint = match state {
            State::Broken => "Fix its file; it is reloaded when you save it.",
            State::Starting => "Try again in a moment.",
            _ => "",
        };
        Self { spec, reason: reason.to_owned(), hint }
    }
}

#[async_trait]
impl Tool for NotReady {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, _: CallToken, _: Value, _: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        Err(ToolError::failed(self.reason.clone(), self.hint))
    }
}
