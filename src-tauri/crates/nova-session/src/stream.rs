use std::time::Duration;

use futures::StreamExt;
use nova_protocol::Event;
use nova_provider::{ChatEvent, ChatStream, Completed, ProviderError, Usage};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::journal::Journal;
use crate::markdown::Growing;

/// Minimum interval between text updates of the window.
const FLUSH_EVERY: Duration = Duration::from_millis(66);
/// More bytes than this per interval are faster than anyone reads, and may be sent in larger parts.
const FAST: usize = 24;
const FLUSH_FAST_EVERY: Duration = Duration::from_millis(100);

/// How a stream ended.
pub(crate) enum StreamEnd {
    Completed(Completed, Usage),
    Cancelled { text: String },
    Failed { text: String, error: ProviderError },
}

/// Emits an answer while it arrives, as deltas and as rendered blocks of the message `id`.
pub(crate) async fn show(
    mut stream: ChatStream,
    id: &str,
    journal: &Journal,
    cancel: &CancellationToken,
) -> StreamEnd {
    let mut shown = Shown {
        id,
        journal,
        text: String::new(),
        sent_bytes: 0,
        pace: FLUSH_EVERY,
        pushed: 0,
        growing: Growing::default(),
        rendering: None,
        sent: Vec::new(),
    };
    let mut reasoning = String::new();
    let mut usage = Usage::default();
    let mut last_flush = Instant::now();
    let end = loop {
        let next_flush = last_flush + shown.pace;
        let something_waits = shown.waits() || !reasoning.is_empty();
        let event = tokio::select! {
            biased;
            () = cancel.cancelled() => break Err(None),
            () = shown.rendered(), if shown.rendering.is_some() => continue,
            event = stream.next() => event,
            () = sleep_until(next_flush), if something_waits => {
                flush_reasoning(&mut reasoning, journal);
                shown.flush();
                last_flush = Instant::now();
                continue;
            }
        };
        match event {
            Some(Ok(ChatEvent::TextDelta(text))) => shown.text.push_str(&text),
            Some(Ok(ChatEvent::ReasoningDelta(text))) => reasoning.push_str(&text),
            Some(Ok(ChatEvent::ToolCallDelta { .. })) => {}
            Some(Ok(ChatEvent::Usage(used))) => usage = used,
            Some(Ok(ChatEvent::End(completed))) => break Ok(completed),
            Some(Err(error)) => break Err(Some(error)),
            None => break Err(Some(ProviderError::Truncated)),
        }
        // A stream without pauses never reaches the timeout above.
        if last_flush.elapsed() >= shown.pace {
            flush_reasoning(&mut reasoning, journal);
            shown.flush();
            last_flush = Instant::now();
        }
    };
    flush_reasoning(&mut reasoning, journal);
    match end {
        Ok(completed) => {
            shown.say_whole(&completed.text);
            shown.finish().await;
            StreamEnd::Completed(completed, usage)
        }
        Err(error) => {
            shown.finish().await;
            let text = shown.text;
            match error {
                None => StreamEnd::Cancelled { text },
                Some(error) => StreamEnd::Failed { text, error },
            }
        }
    }
}

fn flush_reasoning(text: &mut String, journal: &Journal) {
    if !text.is_empty() {
        journal.event(Event::ReasoningDelta { text: std::mem::take(text) });
    }
}

/// The part of a message that the window has.
struct Shown<'a> {
    id: &'a str,
    journal: &'a Journal,
    text: String,
    /// Bytes sent as deltas.
    sent_bytes: usize,
    /// The interval between flushes.
    pace: Duration,
    /// Bytes passed to the renderer.
    pushed: usize,
    /// Owned by the render task while it runs.
    growing: Growing,
    /// Rendering may take as long as a frame, so it runs on a blocking thread.
    rendering: Option<JoinHandle<Growing>>,
    /// The last version sent of each block: its HTML, and whether it is complete.
    sent: Vec<(String, bool)>,
}

impl Shown<'_> {
    /// Whether the window lacks some of the text.
    fn waits(&self) -> bool {
        self.sent_bytes < self.text.len()
    }

    fn flush(&mut self) {
        if !self.waits() {
            return;
        }
        self.pace = if self.text.len() - self.sent_bytes > FAST { FLUSH_FAST_EVERY } else { FLUSH_EVERY };
        let delta = self.text.get(self.sent_bytes..).unwrap_or_default().to_owned();
        self.sent_bytes = self.text.len();
        self.journal.event(Event::TextDelta { text: delta });
        self.render();
    }

    /// Applies the complete text, of which the text so far is usually a prefix.
    fn say_whole(&mut self, text: &str) {
        if !text.starts_with(&self.text) {
            // The deltas differ from it: it is rendered from the start.
            (self.rendering, self.growing, self.pushed) = (None, Growing::default(), 0);
        }
        text.clone_into(&mut self.text);
    }

    /// Starts rendering new text, unless rendering is in progress.
    fn render(&mut self) {
        if self.rendering.is_none() && self.pushed < self.text.len() {
            let more = self.text.get(self.pushed..).unwrap_or_default().to_owned();
            let mut growing = std::mem::take(&mut self.growing);
            self.pushed = self.text.len();
            self.rendering = Some(tokio::task::spawn_blocking(move || {
                growing.push(&more);
                growing
            }));
        }
    }

    /// Waits for the rendering in progress, and sends the result.
    async fn rendered(&mut self) {
        if let Some(rendering) = &mut self.rendering {
            let rendered = rendering.await;
            self.rendering = None;
            match rendered {
                Ok(growing) => {
                    self.growing = growing;
                    self.send_blocks(false);
                }
                // Everything is rendered again with the next piece.
                Err(_) => self.pushed = 0,
            }
        }
    }

    async fn finish(&mut self) {
        self.flush();
        self.rendered().await;
        self.render();
        self.rendered().await;
        if !self.text.is_empty() {
            self.send_blocks(true);
        }
    }

    /// Sends blocks that have changed. Only the last one may be incomplete.
    fn send_blocks(&mut self, ended: bool) {
        let Self { id, journal, growing, sent, .. } = self;
        let blocks = growing.blocks();
        // A block that turned out to be a definition leaves nothing to show.
        for index in 0..blocks.len().max(sent.len()) {
            let html = blocks.get(index).map_or("", |block| block.html.as_str());
            let done = ended || index + 1 < blocks.len();
            if sent.get(index).is_some_and(|(old, was)| old == html && *was == done) {
                continue;
            }
            journal.event(Event::MessageBlock {
                message: (*id).to_owned(),
                index: u32::try_from(index).unwrap_or(u32::MAX),
                html: html.to_owned(),
                done,
            });
            match sent.get_mut(index) {
                Some(last) => *last = (html.to_owned(), done),
                None => sent.push((html.to_owned(), done)),
            }
        }
    }
}

#[cfg(test)]
mod tests;
