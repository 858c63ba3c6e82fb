/// Why there is no answer: what follows the source's name, without a full stop, such as "answered with a web page
/// instead of a quote".
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SourceError {
    /// About this symbol.
    #[error("{0}")]
    Symbol(String),
    /// About the source: the next symbol will hardly fare better.
    #[error("{0}")]
    Source(String),
    /// The user, or a rule, does not let it be asked.
    #[error("{0}")]
    Refused(String),
    /// The call was stopped.
    #[error("was stopped")]
    Stopped,
}
