use async_trait::async_trait;
use nova_skill::{Delegate, ProcessOutput, ToolError, ToolProcess};

/// Answers for the parts of a context that the running skill has not declared: it says so.
pub(crate) struct Refused;

fn refused<T>(what: &str, remedy: &str) -> Result<T, ToolError> {
    Err(ToolError::NotDeclared { what: what.into(), remedy: remedy.into() })
}

#[async_trait]
impl ToolProcess for Refused {
    async fn run(&self, command: &[String], _input: &[u8]) -> Result<ProcessOutput, ToolError> {
        let program = command.first().map(String::as_str).unwrap_or_default();
        refused(
            &format!("This skill may not start \"{program}\"."),
            "Only native skills that request it start processes.",
        )
    }
}

#[async_trait]
impl Delegate for Refused {
    async fn run(&self, _prompt: &str, _skills: &[String]) -> Result<String, ToolError> {
        refused("This skill may not start a sub-agent.", "")
    }
}
