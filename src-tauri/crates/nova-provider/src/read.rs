//! Converts the bytes of an answer to events.

use std::collections::HashMap;

use async_stream::stream;
use futures::FutureExt;
use serde_json::Value;

use crate::http::Answer;
use crate::sse::{LONGEST_EVENT, SseDecoder, SseError};
use crate::{ChatEvent, ChatStream, Completed, ProviderError};

/// Maximum bytes of text and reasoning together per answer, and of the arguments of its calls.
const MOST_SAID: usize = 4 * 1024 * 1024;
/// Maximum bytes of an answer that are stored to be sent back with the next request.
const MOST_KEPT: usize = 2 * MOST_SAID;
/// Maximum number of calls, or content blocks, per answer. The time to distinguish them is quadratic.
pub(crate) const MOST_PARTS: usize = 10_000;

/// A dialect's state while an answer arrives. No I/O.
pub(crate) trait AnswerState: Send + 'static {
    /// The body is JSON lines instead of server-sent events.
    const LINES: bool = false;

    /// Processes the data of one event and appends the resulting events.
    fn accept(&mut self, data: &str, events: &mut Vec<ChatEvent>) -> Result<(), Fault>;

    /// The model has reported why it stopped: only the usage may follow.
    fn is_finished(&self) -> bool;

    /// The server has sent its end marker.
    fn is_done(&self) -> bool;

    /// Returns the answer if it is complete.
    fn close(self) -> Result<Completed, Fault>;
}

/// Why a chunk is invalid, or the answer cannot be closed.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The error object reported by the server.
    Reported(Value),
    /// It exceeds a size limit.
    TooMuch(&'static str),
    /// It violates the dialect.
    Bad(&'static str),
    /// The answer is incomplete.
    Truncated,
}

/// Reads an answer to its end, which is one `End` or one error.
pub(crate) fn read(answer: Answer, state: impl AnswerState) -> ChatStream {
    let mut reading = Reading { answer, state, form: Form::Unknown, size: Size::default() };
    Box::pin(stream! {
        loop {
            let mut events = Vec::new();
            let ended = reading.step(&mut events).await;
            for event in events {
                yield Ok(event);
            }
            match ended {
                Ok(false) => {}
                Ok(true) => {
                    let outcome = reading.close();
                    yield outcome.map(ChatEvent::End);
                    return;
                }
                Err(error) => {
                    // Closes the connection now, not when the error is consumed.
                    drop(reading);
                    yield Err(error);
                    return;
                }
            }
        }
    })
}

struct Reading<S> {
    answer: Answer,
    state: S,
    form: Form,
    size: Size,
}

/// The size of an answer so far.
#[derive(Default)]
struct Size {
    /// Text and reasoning, in bytes.
    said: usize,
    /// Bytes of the arguments, by call and in total.
    arguments: HashMap<usize, usize>,
    all_arguments: usize,
}

impl Size {
    fn add(&mut self, events: &[ChatEvent]) -> Result<(), Fault> {
        for event in events {
            match event {
                ChatEvent::TextDelta(text) | ChatEvent::ReasoningDelta(text) => self.said += text.len(),
                ChatEvent::ToolCallDelta { index, arguments_so_far_len, .. } => {
                    let before = self.arguments.insert(*index, *arguments_so_far_len).unwrap_or(0);
                    self.all_arguments = (self.all_arguments + arguments_so_far_len).saturating_sub(before);
                }
                ChatEvent::Usage(_) | ChatEvent::End(_) => {}
            }
        }
        match () {
            () if self.said > MOST_SAID => Err(Fault::TooMuch("its text and reasoning are longer than 4 MB")),
            () if self.all_arguments > MOST_SAID => {
                Err(Fault::TooMuch("the arguments of its calls are longer than 4 MB"))
            }
            () => Ok(()),
        }
    }
}

/// The detected format of the body.
enum Form {
    /// Only white space so far.
    Unknown,
    Events(SseDecoder),
    /// Lines; the last one may be incomplete.
    Lines(Vec<u8>),
    /// A single JSON text: the server ignored the request for a stream, or reports an error.
    Whole(Vec<u8>),
}

impl<S: AnswerState> Reading<S> {
    /// Reads once; returns `true` at the end.
    async fn step(&mut self, events: &mut Vec<ChatEvent>) -> Result<bool, ProviderError> {
        match self.answer.chunk().await {
            Ok(Some(chunk)) => self.take(&chunk, events)?,
            Ok(None) => {
                self.take_rest(events)?;
                return Ok(true);
            }
            // The model had finished: only the usage is missing.
            Err(
                ProviderError::Truncated
                | ProviderError::Timeout { .. }
                | ProviderError::AnswerTimeout { .. },
            ) if self.state.is_finished() => {
                return Ok(true);
            }
            Err(error) => return Err(error),
        }
        if self.state.is_done() {
            // Usually the end of the body has already arrived, and reading it allows the connection to be
            // reused.
            let _ = self.answer.chunk().now_or_never();
        }
        Ok(self.state.is_done())
    }

    fn take(&mut self, chunk: &[u8], events: &mut Vec<ChatEvent>) -> Result<(), ProviderError> {
        if let Form::Unknown = self.form {
            // The byte order mark is ignored here and skipped by the decoder.
            match chunk.iter().find(|byte| !byte.is_ascii_whitespace()) {
                None => return Ok(()),
                Some(b'{') if S::LINES => self.form = Form::Lines(Vec::new()),
                Some(b'{' | b'[') => self.form = Form::Whole(Vec::new()),
                Some(b'<') => return Err(self.answer.bad("it is a web page")),
                Some(_) => self.form = Form::Events(SseDecoder::default()),
            }
        }
        match &mut self.form {
            Form::Unknown => Ok(()),
            Form::Whole(body) => {
                body.extend_from_slice(chunk);
                Ok(())
            }
            Form::Lines(begun) => {
                let old = begun.len();
                begun.extend_from_slice(chunk);
                if begun.len() > LONGEST_EVENT {
                    return Err(self.answer.bad("a part of it is too long"));
                }
                let whole = chunk.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| old + end + 1);
                let lines: Vec<u8> = begun.drain(..whole).collect();
                let lines = String::from_utf8(lines).map_err(|_| self.answer.bad("it is not text"))?;
                for line in lines.lines() {
                    if self.state.is_done() {
                        return Ok(());
                    }
                    self.accept("", line, events)?;
                }
                Ok(())
            }
            Form::Events(decoder) => {
                let mut received = Vec::new();
                let outcome = decoder.push(chunk, &mut received);
                for event in received {
                    if self.state.is_done() {
                        return Ok(());
                    }
                    self.accept(&event.kind, &event.data, events)?;
                }
                match outcome {
                    Err(_) if self.state.is_done() => Ok(()),
                    Err(SseError::NotUtf8) => Err(self.answer.bad("it is not text")),
                    Err(SseError::TooLong) => Err(self.answer.bad("a part of it is too long")),
                    Ok(()) => Ok(()),
                }
            }
        }
    }

    /// Processes an event at the end that lacks its terminator, if it is complete.
    fn take_rest(&mut self, events: &mut Vec<ChatEvent>) -> Result<(), ProviderError> {
        let (kind, data) = match std::mem::replace(&mut self.form, Form::Unknown) {
            Form::Unknown => return Ok(()),
            Form::Events(decoder) => match decoder.rest() {
                Some(event) => (event.kind, event.data),
                None => return Ok(()),
            },
            Form::Lines(body) | Form::Whole(body) => {
                (String::new(), String::from_utf8_lossy(&body).into_owned())
            }
        };
        let whole = data.trim() == "[DONE]" || serde_json::from_str::<Value>(&data).is_ok();
        if whole { self.accept(&kind, &data, events) } else { Ok(()) }
    }

    fn accept(&mut self, kind: &str, data: &str, events: &mut Vec<ChatEvent>) -> Result<(), ProviderError> {
        let before = events.len();
        let outcome = self.state.accept(data, events);
        // `event: error` may contain the error without a wrapper.
        let outcome = match (kind, outcome) {
            ("error", Ok(()) | Err(Fault::Bad(_))) => {
                Err(Fault::Reported(serde_json::from_str(data).unwrap_or_else(|_| data.into())))
            }
            (_, outcome) => outcome,
        };
        let outcome = outcome.and_then(|()| self.size.add(events.get(before..).unwrap_or_default()));
        outcome.map_err(|fault| said(&self.answer, fault))
    }

    fn close(self) -> Result<Completed, ProviderError> {
        let Self { answer, state, .. } = self;
        let completed = state.close().map_err(|fault| said(&answer, fault))?;
        let kept = completed.provider_data.as_ref().map_or(0, |data| data.to_string().len());
        if kept > MOST_KEPT {
            return Err(answer.too_much("its state for the next request is longer than 8 MB"));
        }
        Ok(completed)
    }
}

fn said(answer: &Answer, fault: Fault) -> ProviderError {
    match fault {
        Fault::Reported(error) => answer.failed(&error),
        Fault::TooMuch(reason) => answer.too_much(reason),
        Fault::Bad(reason) => answer.bad(reason),
        Fault::Truncated => ProviderError::Truncated,
    }
}
