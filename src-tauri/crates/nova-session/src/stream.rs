use std::time::Duration;

use futures::StreamExt;
use nova_protocol::Event;
use nova_provider::{ChatEvent, ChatStream, Completed, ProviderError, Usage};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::journal::Journal;
use crate::markdown::Growing;

/// Text reaches the window at most this often.
const FLUSH_EVERY: Duration = Duration::from_millis(66);
/// Text of which more than so many bytes came meanwhile is ahead of every reader, and may come in larger parts.
const FAST: usize = 24;
const FLUSH_FAST_EVERY: Duration = Duration::from_millis(100);

/// How a stream ended.
pub(crate) enum StreamEnd {
    Completed(Completed, Usage),
    Cancelled { text: String },
    Failed { text: String, error: ProviderError },
}

/// Shows an answer while it arrives, as deltas and as rendered blocks of the message `id`.
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
        told: 0,
        pace: FLUSH_EVERY,
        growing: Growing::default(),
        sent: Vec::new(),
    };
    let mut reasoning = String::new();
    let mut usage = Usage::default();
    let mut last_flush = Instant::now();
    let end = loop {
        let event = tokio::select! {
            biased;
            () = cancel.cancelled() => break Err(None),
            event = stream.next() => event,
            () = sleep_until(last_flush + shown.pace), if shown.waits() || !reasoning.is_empty() => {
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
        // A stream that never pauses leaves no time for the wait above.
        if last_flush.elapsed() >= shown.pace {
            flush_reasoning(&mut reasoning, journal);
            shown.flush();
            last_flush = Instant::now();
        }
    };
    flush_reasoning(&mut reasoning, journal);
    match end {
        Ok(completed) => {
            shown.text.clone_from(&completed.text);
            shown.finish();
            StreamEnd::Completed(completed, usage)
        }
        Err(error) => {
            shown.finish();
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

/// How much of a message the window has.
struct Shown<'a> {
    id: &'a str,
    journal: &'a Journal,
    text: String,
    /// Bytes told as deltas.
    told: usize,
    /// From one flush to the next.
    pace: Duration,
    growing: Growing,
    /// What was last sent of each block: its HTML, and whether it is whole.
    sent: Vec<(String, bool)>,
}

impl Shown<'_> {
    /// Whether the window does not have all that came.
    fn waits(&self) -> bool {
        self.told < self.text.len()
    }

    fn flush(&mut self) {
        if !self.waits() {
            return;
        }
        self.pace = if self.text.len() - self.told > FAST { FLUSH_FAST_EVERY } else { FLUSH_EVERY };
        let delta = self.text.get(self.told..).unwrap_or_default().to_owned();
        self.told = self.text.len();
        self.journal.event(Event::TextDelta { text: delta });
        self.send_blocks(false);
    }

    fn finish(&mut self) {
        self.flush();
        if !self.text.is_empty() {
            self.send_blocks(true);
        }
    }

    /// Sends the blocks that are others than before. Only the last one is still being written.
    fn send_blocks(&mut self, ended: bool) {
        let Self { id, journal, text, growing, sent, .. } = self;
        let blocks = growing.update(text);
        // A definition that turned out to be one leaves nothing to show in its place.
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
