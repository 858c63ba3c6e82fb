use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use futures::channel::mpsc::{UnboundedSender, unbounded};
use futures::{FutureExt as _, Stream, StreamExt as _, stream};
use nova_vault::note::VaultPath;
use rust_decimal::Decimal;
use serde_json::Value;

use crate::{Detail, ToolError};

/// What a tool gives back: a value, or a stream of progress and partial results that ends in one.
pub enum ToolOutput {
    Value(Output),
    Stream(OutputStream),
}

/// Yields any number of parts and then exactly one [`OutputPart::End`].
pub type OutputStream = Pin<Box<dyn Stream<Item = OutputPart> + Send>>;

/// How far a call is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Progress {
    /// 0 to 1, where the total is known.
    pub fraction: Option<f64>,
    pub message: Option<String>,
}

pub enum OutputPart {
    Progress(Progress),
    /// The best result so far; replaces the one before.
    Partial(Value),
    End(Result<Output, ToolError>),
}

/// Where a tool that streams says what it has so far.
#[derive(Clone)]
pub struct Parts(UnboundedSender<OutputPart>);

impl Parts {
    /// The best result so far.
    pub fn partial(&self, value: Value) {
        // After its end nobody is listening.
        let _ = self.0.unbounded_send(OutputPart::Partial(value));
    }
}

impl ToolOutput {
    /// A result that says what it has while it is worked out.
    pub fn streamed<F>(work: impl FnOnce(Parts) -> F) -> Self
    where
        F: Future<Output = Result<Output, ToolError>> + Send + 'static,
    {
        let (says, said) = unbounded();
        let end = work(Parts(says)).map(OutputPart::End).into_stream();
        Self::Stream(stream::select(said, end).boxed())
    }
}

/// A finished result.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Output {
    /// What the model reads; a list of objects is shown as a table.
    pub value: Value,
    /// Where the value came from.
    pub sources: Vec<Source>,
    /// The sources name every note that the value says something of, also where they name none. Else it
    /// may be any that the tool read.
    pub names_notes: bool,
    /// The numbers of the value that a person would quote, each with what is behind it.
    pub figures: Vec<Figure>,
    /// It holds untrusted text, such as a mail: what it asks for is not the user's
    /// wish. Answers from the web and of tools that did not come with Nova count as such anyway.
    pub untrusted: bool,
    /// Shown to a model that can look at images, and to nobody else: the value says what they are, too.
    pub images: Vec<OutputImage>,
    /// Of a tool that plans writes: what its card shows of them beside the diff.
    pub details: Vec<Detail>,
}

/// An image beside the value of a result.
#[derive(Clone, PartialEq, Eq)]
pub struct OutputImage {
    /// As its file is called.
    pub name: String,
    /// A PNG, JPEG, GIF or WebP.
    pub bytes: Arc<[u8]>,
}

impl fmt::Debug for OutputImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OutputImage({:?}, {} bytes)", self.name, self.bytes.len())
    }
}

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Source {
    Note(VaultPath),
    Web(WebSource),
}

/// An answer from the web.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WebSource {
    pub url: String,
    /// When it answered, RFC 3339.
    pub at: String,
    /// The page's own title, for a page that was read.
    pub title: Option<String>,
    /// The day the page says it is from, `YYYY-MM-DD`.
    pub date: Option<String>,
}

impl WebSource {
    /// An answer that is no page.
    pub fn new(url: impl Into<String>, at: impl Into<String>) -> Self {
        Self { url: url.into(), at: at.into(), title: None, date: None }
    }
}

/// A number that a tool computed, and what it was computed from. The model is not told: it reads the
/// value; a person opens the figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// JSON Pointer (RFC 6901) to the number in [`Output::value`].
    pub at: String,
    /// What it is, in a few words: "Unrealised gain".
    pub label: String,
    /// The decimal as it stands in the value.
    pub value: String,
    /// A currency code, `%`, or empty for a plain number.
    pub unit: String,
    /// How it was computed, in a few words: "Σ quantity × (price − average cost)".
    pub formula: Option<String>,
    /// What it is made of, in the order of the formula.
    pub parts: Vec<FigurePart>,
    /// The notes and answers behind it; those of the whole output need not name them again.
    pub sources: Vec<Source>,
    /// What a person should know before they trust it: "2 old quotes".
    pub caution: Option<String>,
}

/// One line of what a figure is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FigurePart {
    pub label: String,
    /// A decimal with its sign, or a date.
    pub value: String,
    pub unit: String,
    pub caution: Option<String>,
}

impl Figure {
    /// The number at `at`, in `unit`. What else is known is set afterwards.
    pub fn new(
        at: impl Into<String>,
        label: impl Into<String>,
        value: Decimal,
        unit: impl Into<String>,
    ) -> Self {
        Self {
            at: at.into(),
            label: label.into(),
            value: value.to_string(),
            unit: unit.into(),
            formula: None,
            parts: Vec::new(),
            sources: Vec::new(),
            caution: None,
        }
    }

    pub fn formula(mut self, formula: impl Into<String>) -> Self {
        self.formula = Some(formula.into());
        self
    }

    /// One more line of what it is made of.
    pub fn part(mut self, label: impl Into<String>, value: impl ToString, unit: impl Into<String>) -> Self {
        self.parts.push(FigurePart {
            label: label.into(),
            value: value.to_string(),
            unit: unit.into(),
            caution: None,
        });
        self
    }

    pub fn from_notes(mut self, paths: impl IntoIterator<Item = VaultPath>) -> Self {
        self.sources.extend(paths.into_iter().map(Source::Note));
        self
    }

    pub fn from_sources(mut self, sources: impl IntoIterator<Item = Source>) -> Self {
        self.sources.extend(sources);
        self
    }

    pub fn caution(mut self, caution: Option<String>) -> Self {
        self.caution = caution;
        self
    }
}

impl Output {
    pub fn new(value: Value) -> Self {
        Self { value, ..Self::default() }
    }

    /// Marks untrusted text.
    pub fn untrusted(mut self) -> Self {
        self.untrusted = true;
        self
    }

    /// The notes that the value says something of; none is an answer, too.
    pub fn from_notes(mut self, paths: impl IntoIterator<Item = VaultPath>) -> Self {
        self.sources.extend(paths.into_iter().map(Source::Note));
        self.names_notes = true;
        self
    }

    /// A page that the value was read from.
    pub fn from_web(mut self, page: WebSource) -> Self {
        self.sources.push(Source::Web(page));
        self
    }

    /// An image to look at.
    pub fn image(mut self, name: impl Into<String>, bytes: Vec<u8>) -> Self {
        self.images.push(OutputImage { name: name.into(), bytes: bytes.into() });
        self
    }

    /// Lines for the card of the planned writes.
    pub fn details(mut self, details: impl IntoIterator<Item = Detail>) -> Self {
        self.details.extend(details);
        self
    }

    /// A number of the value with what is behind it.
    pub fn figure(mut self, figure: Figure) -> Self {
        self.figures.push(figure);
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
