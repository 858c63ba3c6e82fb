use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use futures::channel::mpsc::{UnboundedSender, unbounded};
use futures::{FutureExt as _, Stream, StreamExt as _, stream};
use nova_vault::note::VaultPath;
use rust_decimal::Decimal;
use serde_json::Value;

use crate::{Detail, ToolError};

/// The output of a tool: a value, or a stream of progress and partial results that ends with one.
pub enum ToolOutput {
    Value(Output),
    Stream(OutputStream),
}

/// Yields any number of parts and then exactly one [`OutputPart::End`].
pub type OutputStream = Pin<Box<dyn Stream<Item = OutputPart> + Send>>;

/// The progress of a call.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Progress {
    /// 0 to 1, if the total is known.
    pub fraction: Option<f64>,
    pub message: Option<String>,
}

pub enum OutputPart {
    Progress(Progress),
    /// The best result so far; replaces the previous one.
    Partial(Value),
    End(Result<Output, ToolError>),
}

/// Receives the partial results of a streaming tool.
#[derive(Clone)]
pub struct Parts(UnboundedSender<OutputPart>);

impl Parts {
    /// Sends the best result so far.
    pub fn partial(&self, value: Value) {
        // After the end of the call, nobody listens.
        let _ = self.0.unbounded_send(OutputPart::Partial(value));
    }
}

impl ToolOutput {
    /// Creates an output that reports partial results while it is computed.
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
    /// The value for the model; a list of objects is shown as a table.
    pub value: Value,
    /// The sources of the value.
    pub sources: Vec<Source>,
    /// The sources name every note that the value is drawn from, even if there are none. Otherwise it may be
    /// any note that the tool read.
    pub names_notes: bool,
    /// The numbers in the value that a person would quote, with their derivation.
    pub figures: Vec<Figure>,
    /// It contains untrusted text, such as a mail, whose instructions are not the user's. Responses from the
    /// web and output of tools that are not part of Nova always count as such.
    pub untrusted: bool,
    /// Shown only to a model that accepts images: the value must describe them too.
    pub images: Vec<OutputImage>,
    /// For a tool that plans writes: details that its card shows with the diff.
    pub details: Vec<Detail>,
}

/// An image in addition to the value of a result.
#[derive(Clone, PartialEq, Eq)]
pub struct OutputImage {
    /// The file name.
    pub name: String,
    /// A PNG, JPEG, GIF or WebP.
    pub bytes: Arc<[u8]>,
}

impl fmt::Debug for OutputImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OutputImage({:?}, {} bytes)", self.name, self.bytes.len())
    }
}

/// The source of a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Source {
    Note(VaultPath),
    Web(WebSource),
}

/// A response from the web.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WebSource {
    pub url: String,
    /// Time of the response, RFC 3339.
    pub at: String,
    /// The page's own title, if it was read.
    pub title: Option<String>,
    /// The date stated by the page, `YYYY-MM-DD`.
    pub date: Option<String>,
}

impl WebSource {
    /// A response that is not a page.
    pub fn new(url: impl Into<String>, at: impl Into<String>) -> Self {
        Self { url: url.into(), at: at.into(), title: None, date: None }
    }
}

/// A number that a tool computed, and its inputs. Shown to the user, who can open it; the model only reads
/// the value.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// JSON Pointer (RFC 6901) to the number in [`Output::value`].
    pub at: String,
    /// A short name: "Unrealised gain".
    pub label: String,
    /// The decimal as it is in the value.
    pub value: String,
    /// A currency code, `%`, or empty for a plain number.
    pub unit: String,
    /// A short formula: "Σ quantity × (price − average cost)".
    pub formula: Option<String>,
    /// Its inputs, in the order of the formula.
    pub parts: Vec<FigurePart>,
    /// The notes and responses behind it; those of the whole output need not be repeated.
    pub sources: Vec<Source>,
    /// A caveat for the user: "2 old quotes".
    pub caution: Option<String>,
}

/// One input of a figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FigurePart {
    pub label: String,
    /// A signed decimal, or a date.
    pub value: String,
    pub unit: String,
    pub caution: Option<String>,
}

impl Figure {
    /// The number at `at`, in `unit`. Other properties are set afterwards.
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

    /// Adds an input.
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

    /// Marks the output as untrusted text.
    pub fn untrusted(mut self) -> Self {
        self.untrusted = true;
        self
    }

    /// Adds the notes that the value is drawn from; an empty list means none.
    pub fn from_notes(mut self, paths: impl IntoIterator<Item = VaultPath>) -> Self {
        self.sources.extend(paths.into_iter().map(Source::Note));
        self.names_notes = true;
        self
    }

    /// Adds a page that the value was read from.
    pub fn from_web(mut self, page: WebSource) -> Self {
        self.sources.push(Source::Web(page));
        self
    }

    /// Adds an image for the model.
    pub fn image(mut self, name: impl Into<String>, bytes: Vec<u8>) -> Self {
        self.images.push(OutputImage { name: name.into(), bytes: bytes.into() });
        self
    }

    /// Adds details for the card of the planned writes.
    pub fn details(mut self, details: impl IntoIterator<Item = Detail>) -> Self {
        self.details.extend(details);
        self
    }

    /// Adds a number of the value with its derivation.
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
