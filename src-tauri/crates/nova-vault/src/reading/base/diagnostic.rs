//! Diagnostics of a base: why a view of it has no rows, and the problems of its file.

use super::expression::Refused;
use crate::error::BaseError;
use crate::note::VaultPath;
use crate::problem::Problem;

/// A part of a base that Nova cannot use.
#[derive(Debug)]
pub(super) struct Diagnostic {
    /// In the file, 1-based.
    pub(super) line: u32,
    pub(super) cause: Cause,
}

#[derive(Debug)]
pub(super) enum Cause {
    Shape(String),
    Filter { expression: String, refused: Refused },
    Formula { name: String, expression: String, reason: String },
}

impl Diagnostic {
    /// The error of a view with this diagnostic.
    pub(super) fn error(&self, path: &VaultPath) -> BaseError {
        let (path, line) = (path.clone(), self.line);
        match &self.cause {
            Cause::Shape(reason) => BaseError::Broken { path, line, reason: reason.clone() },
            Cause::Filter { expression, refused } => BaseError::Filter {
                path,
                line: matches!(refused, Refused::Unreadable(_)).then_some(line),
                expression: expression.clone(),
                reason: refused.to_string(),
            },
            Cause::Formula { name, reason, .. } => {
                BaseError::Broken { path, line, reason: format!("formula.{name}: {reason}") }
            }
        }
    }

    /// As a problem of the file. An unsupported feature is none: it is valid in Obsidian.
    pub(super) fn problem(&self, path: &VaultPath) -> Option<Problem> {
        let problem = match &self.cause {
            Cause::Shape(reason) => format!("the base cannot be read: {reason}"),
            Cause::Filter { refused: Refused::NotComputed(_), .. } => return None,
            Cause::Filter { expression, refused } => {
                format!("the base's filter `{expression}` cannot be read: {refused}")
            }
            Cause::Formula { name, expression, reason } => {
                format!("the base's formula {name}, `{expression}`, cannot be read: {reason}")
            }
        };
        let remedy = match &self.cause {
            Cause::Formula { .. } => "Correct the formula in Obsidian.".to_owned(),
            _ => self.error(path).hint(),
        };
        Some(Problem { path: path.to_string(), line: self.line, problem, remedy })
    }
}
