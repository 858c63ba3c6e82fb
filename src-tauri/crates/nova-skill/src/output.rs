use std::pin::Pin;

use futures::Stream;
use serde_json::Value;

use crate::{NotePath, Progress, ToolError};

/// What a tool gives back: a value, or a stream of progress and partial results that ends in one.
pub enum ToolOutput {
    Value(Output),
    Stream(OutputStream),
}

/// Yields any number of parts and then exactly one [`OutputPart::End`].
pub type OutputStream = Pin<Box<dyn Stream<Item = OutputPart> + Send>>;

pub enum OutputPart {
    Progress(Progress),
    /// The best result so far; replaces the one before.
    Partial(Value),
    End(Result<Output, ToolError>),
}

/// A finished result.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Output {
    /// What the model reads; a list of objects is shown as a table.
    pub value: Value,
    /// Where the value came from.
    pub sources: Vec<Source>,
    /// It holds text that strangers can write, such as a mail: what it asks for is not the user's
    /// wish. Answers from the web and of tools that did not come with Nova count as such anyway.
    pub untrusted: bool,
}

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    Note(NotePath),
    /// RFC 3339 time of the answer.
    Web {
        url: String,
        at: String,
    },
}

impl Output {
    pub fn new(value: Value) -> Self {
        Self { value, ..Self::default() }
    }

    /// Marks text that strangers can write.
    pub fn untrusted(mut self) -> Self {
        self.untrusted = true;
        self
    }

    pub fn from_notes(mut self, paths: impl IntoIterator<Item = NotePath>) -> Self {
        self.sources.extend(paths.into_iter().map(Source::Note));
        self
    }
}

impl From<Output> for ToolOutput {
    fn from(output: Output) -> Self {
        Self::Value(output)
    }
}

impl From<Value> for ToolOutput {
    fn from(value: Value) -> Self {
        Self::Value(Output::new(value))
    }
}
