//! Errors of failed calls.

use nova_skill::ToolError;

use super::callee::Callee;
use super::process::Broken;
use crate::protocol::{Fault, FaultKind};

pub(super) fn failed(what: &Callee, fault: &Fault) -> ToolError {
    let Fault { kind, message, line, column, .. } = fault;
    let file = &what.file;
    if *kind == FaultKind::Arguments {
        let rule = message.trim_end().trim_end_matches('.').to_owned();
        return ToolError::InvalidArguments { path: String::new(), rule, allowed: Vec::new() };
    }
    let place = match (line, column) {
        (Some(line), Some(column)) => format!("{file}:{line}:{column}"),
        (Some(line), None) => format!("{file}:{line}"),
        _ => file.clone(),
    };
    let hint = match kind {
        FaultKind::Thrown if what.snippet => "Fix the script, or catch the error.",
        FaultKind::Syntax | FaultKind::Import | FaultKind::Definition if what.snippet => {
            "Fix the script. It cannot import; `tools` and zod's `z` are predefined."
        }
        FaultKind::Thrown | FaultKind::Arguments => {
            "The tool reported this; use other arguments, or fix its file."
        }
        FaultKind::Syntax | FaultKind::Import | FaultKind::Definition => "Fix the tool's file.",
        FaultKind::Result => "Return less, and only plain data.",
        FaultKind::Time => "Give it less work.",
        FaultKind::Memory => "Give it less work; its memory is limited.",
    };
    ToolError::failed(format!("{place}: {message}"), hint)
}

pub(super) fn broken_call(what: &Callee, broken: &Broken) -> ToolError {
    match broken {
        Broken::Cancelled => ToolError::Cancelled,
        broken => ToolError::failed(format!("{}: {broken}", what.file), broken.remedy()),
    }
}
