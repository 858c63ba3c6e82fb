//! How a call that failed is reported.

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
        FaultKind::Thrown | FaultKind::Arguments => {
            "The tool itself says so; call it with other arguments, or mend its file."
        }
        FaultKind::Syntax | FaultKind::Import | FaultKind::Definition => "Mend the file of the tool.",
        FaultKind::Result => "Let the tool return plain data, and not too much of it.",
        FaultKind::Time => "Give it less to do.",
        FaultKind::Memory => "Give it less to do; it may use only so much memory.",
    };
    ToolError::failed(format!("{place}: {message}"), hint)
}

pub(super) fn broken_call(what: &Callee, broken: &Broken) -> ToolError {
    match broken {
        Broken::Cancelled => ToolError::Cancelled,
        broken => ToolError::failed(format!("{}: {broken}", what.file), broken.remedy()),
    }
}
