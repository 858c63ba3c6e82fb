/// Why a source has no answer. The text continues the source's name, without a full stop, such as "answered
/// with a web page instead of a quote".
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SourceError {
    /// Concerns this symbol.
    #[error("{0}")]
    Symbol(String),
    /// Concerns the source: other symbols are likely to fail, too.
    #[error("{0}")]
    Source(String),
    /// The user or a rule does not allow the request.
    #[error("{0}")]
    Refused(String),
    /// The call was cancelled.
    #[error("was stopped")]
    Stopped,
}
