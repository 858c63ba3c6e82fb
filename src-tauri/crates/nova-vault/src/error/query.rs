//! Errors in conditions and sort keys.

/// A condition or a sort key that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the {kind} `{text}` cannot be read: {problem}; {remedy}")]
pub struct QueryError {
    /// `condition` or `sort key`.
    pub kind: &'static str,
    /// The text, truncated to 200 characters.
    pub text: String,
    /// What is wrong with it.
    pub problem: String,
    /// The correct form.
    pub remedy: String,
}

impl QueryError {
    pub(crate) fn new(kind: &'static str, text: &str, problem: &str, remedy: &str) -> QueryError {
        QueryError {
            kind,
            text: text.chars().take(200).collect(),
            problem: problem.to_owned(),
            remedy: remedy.to_owned(),
        }
    }
}
