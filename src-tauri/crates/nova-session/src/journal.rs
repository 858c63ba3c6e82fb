use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nova_protocol::{Envelope, Event, PROTOCOL_VERSION};
use nova_skill::Clock;

use crate::error::SessionError;
use crate::message::{Entry, LogMessage};
use crate::sequence::{PendingEmit, Sequence};
use crate::store::Store;
use crate::used::{UseMeter, Used};

/// Receives every event as it happens.
pub trait EventSink: Send + Sync {
    fn emit(&self, envelope: Envelope);
}

/// Numbers a session's events, emits them to listeners, and stores those that belong in the log. Entries are
/// buffered until [`Journal::flush`], which the turn calls before anything that must not be lost.
pub(crate) struct Journal {
    session: String,
    turn: Option<String>,
    store: Store,
    clock: Arc<dyn Clock>,
    sink: Arc<dyn EventSink>,
    next: Arc<Sequence>,
    meter: Mutex<UseMeter>,
    waiting: Mutex<Waiting>,
    /// By index, the blocks of the message being written: the log only gets complete messages.
    unfinished: Mutex<BTreeMap<u32, Envelope>>,
    /// Held while entries are written: a concurrent flush waits until they are written.
    writing: tokio::sync::Mutex<()>,
}

/// Entries to be written in one transaction.
#[derive(Default)]
struct Waiting {
    entries: Vec<(i64, Entry)>,
    used: Vec<Used>,
}

impl Journal {
    pub(crate) fn new(
        session: &str,
        turn: Option<String>,
        store: Store,
        clock: Arc<dyn Clock>,
        sink: Arc<dyn EventSink>,
        next: Arc<Sequence>,
    ) -> Self {
        Self {
            session: session.to_owned(),
            turn,
            store,
            clock,
            sink,
            next,
            meter: Mutex::default(),
            waiting: Mutex::default(),
            unfinished: Mutex::default(),
            writing: tokio::sync::Mutex::default(),
        }
    }

    pub(crate) fn event(&self, event: Event) {
        self.next.emit_numbered(|seq| {
            let (envelope, sink) = (self.numbered(seq, event), self.sink.clone());
            PendingEmit::new(move || sink.emit(envelope))
        });
    }

    /// As [`Journal::event`], for a call that is counted by another session.
    pub(crate) fn forward(&self, event: Event) {
        self.next.emit_numbered(|seq| {
            let (envelope, sink) = (self.envelope(seq, event), self.sink.clone());
            self.keep(seq, &envelope);
            PendingEmit::new(move || sink.emit(envelope))
        });
    }

    /// Emits the event that `work` returns, if any. Does nothing and returns `None` while the end of a turn
    /// is being written.
    pub(crate) fn event_unless_ending(&self, work: impl FnOnce() -> Option<Event>) -> Option<bool> {
        self.next.unless_ending(work, |seq, event| self.sink.emit(self.numbered(seq, event)))
    }

    /// Numbers the end of the turn and buffers it for the log. Nothing is emitted until the caller has
    /// emitted it, with [`crate::sequence::Ending::commit`].
    pub(crate) fn record_end(&self, event: Event) -> Envelope {
        self.numbered(self.next.take_and_hold(), event)
    }

    /// Emits a recorded event.
    pub(crate) fn emit_recorded(&self, envelope: Envelope) {
        self.sink.emit(envelope);
    }

    fn numbered(&self, seq: i64, event: Event) -> Envelope {
        let envelope = self.envelope(seq, event);
        let used = self.meter.lock().unwrap_or_else(PoisonError::into_inner).observe(&envelope);
        self.waiting().used.extend(used);
        self.follow_message(&envelope);
        self.keep(seq, &envelope);
        envelope
    }

    fn follow_message(&self, envelope: &Envelope) {
        let mut unfinished = self.unfinished.lock().unwrap_or_else(PoisonError::into_inner);
        match &envelope.event {
            Event::MessageBlock { message, index, .. } => {
                let is_of_another = |block: &Envelope| !matches!(&block.event, Event::MessageBlock { message: of, .. } if of == message);
                // All of them belong to one message, which may have thousands.
                if unfinished.first_key_value().is_some_and(|(_, block)| is_of_another(block)) {
                    unfinished.clear();
                }
                unfinished.insert(*index, envelope.clone());
            }
            Event::MessageCompleted { .. }
            | Event::TurnCompleted { .. }
            | Event::TurnCancelled { .. }
            | Event::TurnFailed { .. } => unfinished.clear(),
            _ => {}
        }
    }

    /// The latest event of each block of the message being written, by number.
    pub(crate) fn unfinished(&self) -> Vec<Envelope> {
        let unfinished = self.unfinished.lock().unwrap_or_else(PoisonError::into_inner);
        let mut blocks: Vec<Envelope> = unfinished.values().cloned().collect();
        blocks.sort_by_key(|block| block.seq);
        blocks
    }

    fn envelope(&self, seq: i64, event: Event) -> Envelope {
        Envelope {
            v: PROTOCOL_VERSION,
            seq: u64::try_from(seq).unwrap_or_default(),
            at: self.clock.now().to_string(),
            session: Some(self.session.clone()),
            turn: self.turn.clone(),
            event,
        }
    }

    fn keep(&self, seq: i64, envelope: &Envelope) {
        if is_kept(&envelope.event) {
            self.waiting().entries.push((seq, Entry::Event(envelope.clone())));
        }
    }

    pub(crate) fn message(&self, message: LogMessage) {
        let seq = self.next.take();
        self.waiting().entries.push((seq, Entry::Message(message)));
    }

    pub(crate) async fn flush(&self) -> Result<(), SessionError> {
        let _writing = self.writing.lock().await;
        let Waiting { entries, used } = std::mem::take(&mut *self.waiting());
        if entries.is_empty() {
            return Ok(());
        }
        let at = self.clock.now().to_string();
        let result = self.store.append(&self.session, &at, &entries, &used).await;
        if result.is_err() {
            let mut waiting = self.waiting();
            waiting.entries.splice(0..0, entries);
            waiting.used.splice(0..0, used);
        }
        result
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl nova_calls::CallEvents for Journal {
    fn emit(&self, event: Event) {
        self.event(event);
    }
}

/// Whether the event is stored: not if it can be derived from others, or only matters when it happens.
fn is_kept(event: &Event) -> bool {
    !matches!(
        event,
        Event::TextDelta { .. }
            | Event::ReasoningDelta { .. }
            | Event::MessageBlock { .. }
            | Event::ToolCallProgress { .. }
            | Event::ChangeSet { .. }
            // Emitted outside of turns, when another Nova process may be writing the session's log.
            | Event::NotesChangedOutside { .. }
    )
}
