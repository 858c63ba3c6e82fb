#![allow(clippy::unwrap_used)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures::stream;
use nova_protocol::Envelope;
use nova_provider::FinishReason;
use nova_skill::Clock;
use sqlx::sqlite::SqlitePoolOptions;
use tokio::sync::Notify;

use super::*;
use crate::journal::EventSink;
use crate::sequence::Sequence;
use crate::store::Store;

struct Noon;

impl Clock for Noon {
    fn now(&self) -> jiff::Timestamp {
        "2026-03-01T12:00:00Z".parse().unwrap()
    }

    fn zone(&self) -> jiff::tz::TimeZone {
        jiff::tz::TimeZone::UTC
    }
}

/// The text that the window received, with timestamps.
#[derive(Default)]
struct Deltas(Mutex<Vec<(Instant, String)>>);

impl EventSink for Deltas {
    fn emit(&self, envelope: Envelope) {
        if let Event::TextDelta { text } = envelope.event {
            self.0.lock().unwrap().push((Instant::now(), text));
        }
    }
}

/// Streams an answer in bursts of this many tokens, with a pause after each; returns the emitted text with
/// timestamps. The clock only advances during those pauses.
async fn check(bursts: u32, tokens: u32, pause: Duration) -> (String, Vec<(Instant, String)>) {
    let said = Arc::new(Deltas::default());
    // Nothing is written, so there is no connection.
    let store = Store::over(SqlitePoolOptions::new().connect_lazy("sqlite::memory:").unwrap());
    let numbers = Arc::new(Sequence::starting_at(1));
    let journal = Journal::new("a", None, store, Arc::new(Noon), said.clone(), numbers);
    let all: Vec<String> = (0..bursts * tokens).map(|at| format!("w{at} ")).collect();
    let text = all.concat();
    let whole =
        Completed { text: text.clone(), calls: Vec::new(), finish: FinishReason::Stop, provider_data: None };
    let events = all.into_iter().enumerate().map(move |(at, token)| async move {
        if (at as u32).is_multiple_of(tokens) && at > 0 {
            tokio::time::sleep(pause).await;
        }
        Ok(ChatEvent::TextDelta(token))
    });
    let answer = stream::iter(events).buffered(1).chain(stream::iter([Ok(ChatEvent::End(whole))]));
    let end = show(Box::pin(answer), "m", &journal, &CancellationToken::new()).await;
    assert!(matches!(end, StreamEnd::Completed(..)));
    let said = said.0.lock().unwrap().clone();
    (text, said)
}

#[tokio::test(start_paused = true)]
async fn text_is_sent_at_most_fifteen_times_a_second() {
    for (bursts, tokens, pause) in [(1_000, 1, 2), (200, 1, 10), (200, 5, 10), (60, 40, 34), (20, 3, 100)] {
        let case = format!("{bursts} times {tokens} tokens, {pause} ms apart");
        let (text, said) = check(bursts, tokens, Duration::from_millis(pause)).await;
        assert_eq!(said.iter().map(|(_, delta)| delta.as_str()).collect::<String>(), text, "{case}");
        // The last one is sent at the end of the answer.
        for (at, window) in said[..said.len() - 1].windows(2).enumerate() {
            let apart = window[1].0 - window[0].0;
            assert!(apart >= Duration::from_millis(65), "{case}: {apart:?} after the flush {at}");
        }
        assert!(said.len() > 10, "{case}: rendered {} times while streaming", said.len());
    }
}

#[tokio::test(start_paused = true)]
async fn text_faster_than_reading_is_sent_ten_times_a_second() {
    let (_, said) = check(300, 1, Duration::from_millis(10)).await;
    let apart: Vec<_> = said.windows(2).map(|window| window[1].0 - window[0].0).collect();
    // Excludes the beginning, which may be slow, and the end.
    let apart = &apart[2..apart.len() - 1];
    assert!(apart.len() > 20 && apart.iter().all(|apart| *apart >= Duration::from_millis(99)), "{apart:?}");
    // Slow text is sent immediately.
    let (_, slow) = check(60, 1, Duration::from_millis(70)).await;
    assert!(slow.len() >= 59, "one event per delta: {}", slow.len());
}

/// Wakes a reader on text, and counts the blocks that follow.
#[derive(Default)]
struct Frames {
    text: Notify,
    blocks: AtomicUsize,
}

impl EventSink for Frames {
    fn emit(&self, envelope: Envelope) {
        match envelope.event {
            Event::TextDelta { .. } => self.text.notify_one(),
            Event::MessageBlock { .. } => {
                self.blocks.fetch_add(1, Ordering::SeqCst);
            }
            _ => {}
        }
    }
}

/// On a single thread: Stop is handled while a frame is rendered.
#[tokio::test]
async fn rendering_leaves_the_runtime_free() {
    let frames = Arc::new(Frames::default());
    let store = Store::over(SqlitePoolOptions::new().connect_lazy("sqlite::memory:").unwrap());
    let numbers = Arc::new(Sequence::starting_at(1));
    let journal = Journal::new("a", None, store, Arc::new(Noon), frames.clone(), numbers);
    let cancel = CancellationToken::new();
    let nested = format!("{}x", "> a\n\n> ".repeat(30_000));
    let answer = stream::iter([Ok(ChatEvent::TextDelta(nested))]).chain(stream::pending());
    let stop = async {
        frames.text.notified().await;
        let blocks = frames.blocks.load(Ordering::SeqCst);
        cancel.cancel();
        blocks
    };
    let (end, blocks_at_stop) = tokio::join!(show(Box::pin(answer), "m", &journal, &cancel), stop);
    assert!(matches!(end, StreamEnd::Cancelled { .. }));
    assert_eq!(blocks_at_stop, 0, "the text was sent before its rendering");
    assert!(frames.blocks.load(Ordering::SeqCst) > 0, "the whole text is rendered at the end");
}
