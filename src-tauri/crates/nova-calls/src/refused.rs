use async_trait::async_trait;
use nova_skill::{Delegate, Task, TaskEnd, ToolError};

/// Stands in for the parts of a context that the running skill has not declared: every use is an error.
pub(crate) struct Refused;

pub(crate) fn refused<T>(what: &str, remedy: &str) -> Result<T, ToolError> {
    Err(ToolError::NotDeclared { what: what.into(), remedy: remedy.into() })
}

#[async_trait]
impl Delegate for Refused {
    async fn run(&self, _: Task) -> Result<TaskEnd, ToolError> {
        refused(
            "This tool may not start a sub-agent.",
            "Only a native tool that declares it starts sub-agents.",
        )
    }
}
