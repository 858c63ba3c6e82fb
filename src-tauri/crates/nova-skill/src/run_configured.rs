//! Runs the command that the user configured for a skill.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::{
    CommandInput, ConfiguredCommand, Output, ProcessLimit, ProcessOutput, SaidSoFar, ToolContext, ToolError,
    ToolOutput,
};

impl ConfiguredCommand {
    /// Runs the command `name` of the call's skill. Its output is untrusted.
    pub fn run(name: &'static str, input: CommandInput, ctx: Arc<dyn ToolContext>) -> ToolOutput {
        ToolOutput::streamed(move |parts| async move {
            let said = Box::new(move |said: &SaidSoFar| {
                parts.partial(json!({"lines": said.lines, "output": said.end}));
            });
            let output = ctx.process().run_configured(name, input, said).await?;
            Ok::<_, ToolError>(Output::new(report(&output)).untrusted())
        })
    }
}

fn report(output: &ProcessOutput) -> Value {
    let ProcessOutput { status, ended, text, lines, file, .. } = output;
    let mut value = json!({"succeeded": *status == 0 && ended.is_none(), "exit_code": status, "lines": lines, "output": text});
    if let Some(limit) = ended {
        value["ended"] = match limit {
            ProcessLimit::Time(time) => format!("It did not end in {} minutes.", time.as_secs() / 60),
            _ => "It printed too much.".to_owned(),
        }
        .into();
    }
    if let Some(file) = file {
        value["whole_output"] = file.as_str().into();
    }
    value
}
