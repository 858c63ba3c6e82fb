use serde_json::Value;

use super::dialect::{Dialect, Event};

/// The model's answer to one request, built from small parts in order:
///
/// ```
/// use nova_testkit::{call, text};
/// use serde_json::json;
/// text("Let me look.").and(call("crm__get_contact", json!({"name": "Jane Doe"})));
/// text("She is").then_cut();
/// ```
#[derive(Debug, Clone)]
pub struct Answer {
    parts: Vec<Part>,
    pub(super) end: End,
    finish: Option<String>,
    usage: Option<(u64, u64, u64)>,
    pub(super) chunk_size: Option<usize>,
}

#[derive(Debug, Clone)]
enum Part {
    Text(String),
    Reasoning(String),
    Call { name: String, arguments: String },
    Error(String),
    Pause,
}

#[derive(Debug, Clone)]
pub(super) enum End {
    Done,
    /// The connection closes mid-answer.
    Cut,
    /// Nothing more is sent, but the connection stays open.
    Stall,
    /// The last part is repeated endlessly.
    Drip,
    /// An error response instead of a stream.
    Refused {
        status: u16,
        body: Value,
    },
}

/// Text, sent word by word.
pub fn text(text: &str) -> Answer {
    Answer::of(Part::Text(text.into()))
}

/// Reasoning, sent word by word.
pub fn reasoning(text: &str) -> Answer {
    Answer::of(Part::Reasoning(text.into()))
}

/// A call of a tool by its wire name.
pub fn call(tool: &str, args: Value) -> Answer {
    call_text(tool, &args.to_string())
}

/// A call whose arguments are this text, valid JSON or not.
pub fn call_text(tool: &str, arguments: &str) -> Answer {
    Answer::of(Part::Call { name: tool.into(), arguments: arguments.into() })
}

/// Several calls in one answer.
pub fn calls<'a>(calls: impl IntoIterator<Item = (&'a str, Value)>) -> Answer {
    let parts =
        calls.into_iter().map(|(tool, args)| Part::Call { name: tool.into(), arguments: args.to_string() });
    Answer { parts: parts.collect(), ..Answer::empty() }
}

/// Waits for [`super::ModelServer::resume`] before it continues.
pub fn pause() -> Answer {
    Answer::of(Part::Pause)
}

/// An HTTP status with a JSON body instead of a stream.
pub fn error(status: u16, body: Value) -> Answer {
    Answer { end: End::Refused { status, body }, ..Answer::empty() }
}

impl Answer {
    fn empty() -> Self {
        Self { parts: Vec::new(), end: End::Done, finish: None, usage: None, chunk_size: None }
    }

    fn of(part: Part) -> Self {
        Self { parts: vec![part], ..Self::empty() }
    }

    /// Appends the parts of another answer, and takes over its end.
    pub fn and(mut self, next: Answer) -> Self {
        self.parts.extend(next.parts);
        Self { parts: self.parts, chunk_size: next.chunk_size.or(self.chunk_size), ..next }
    }

    /// Closes the connection here, without a finish reason or end marker.
    pub fn then_cut(mut self) -> Self {
        self.end = End::Cut;
        self
    }

    /// Sends nothing more until the client disconnects.
    pub fn stall(mut self) -> Self {
        self.end = End::Stall;
        self
    }

    /// Repeats the last part until the client disconnects.
    pub fn dripping(mut self) -> Self {
        self.end = End::Drip;
        self
    }

    /// Reports an error mid-stream.
    pub fn error_mid_stream(mut self, message: &str) -> Self {
        self.parts.push(Part::Error(message.into()));
        self
    }

    /// Sets the finish reason (`length`, `content_filter`).
    pub fn finishing(mut self, reason: &str) -> Self {
        self.finish = Some(reason.into());
        self
    }

    /// Sets the usage: input tokens, cached ones among them, and output tokens.
    pub fn using(mut self, input: u64, cached: u64, output: u64) -> Self {
        self.usage = Some((input, cached, output));
        self
    }

    /// Sends the body in pieces of this many bytes, regardless of its structure.
    pub fn in_chunks_of(mut self, bytes: usize) -> Self {
        self.chunk_size = Some(bytes.max(1));
        self
    }

    pub(super) fn calls(&self) -> u64 {
        self.parts.iter().filter(|part| matches!(part, Part::Call { .. })).count() as u64
    }

    /// The events of the stream; calls get the ids `call_1`, `call_2`, …, counted per server.
    pub(super) fn events(&self, dialect: Dialect, calls_before: u64, request_bytes: usize) -> Vec<Event> {
        let mut stream = dialect.stream();
        stream.begin();
        let mut calls = 0;
        for part in &self.parts {
            match part {
                Part::Text(text) => words(text).for_each(|word| stream.text(word)),
                Part::Reasoning(text) => words(text).for_each(|word| stream.reasoning(word)),
                Part::Call { name, arguments } => {
                    calls += 1;
                    stream.call(&format!("call_{}", calls_before + calls), name, arguments);
                }
                Part::Error(message) => {
                    stream.error(message);
                    return stream.events();
                }
                Part::Pause => stream.pause(),
            }
        }
        if matches!(self.end, End::Done) {
            let usual = if calls > 0 { "tool_calls" } else { "stop" };
            let written: usize = self.parts.iter().map(Part::bytes).sum();
            let usual_usage = (request_bytes as u64 / 4, 0, written as u64 / 4 + 1);
            stream.end(self.finish.as_deref().unwrap_or(usual), self.usage.unwrap_or(usual_usage));
        }
        stream.events()
    }
}

impl Part {
    fn bytes(&self) -> usize {
        match self {
            Self::Text(text) | Self::Reasoning(text) => text.len(),
            Self::Call { name, arguments } => name.len() + arguments.len(),
            Self::Error(_) | Self::Pause => 0,
        }
    }
}

/// Words including the following space.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(' ')
}
