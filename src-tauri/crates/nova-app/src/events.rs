use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use nova_protocol::{Envelope, Event, PROTOCOL_VERSION};
use nova_skill::Clock;
use tokio::sync::broadcast;

/// Number of events that a slow listener may lag behind before it misses some.
const KEPT: usize = 16_384;

/// Broadcasts the events of the program and of its sessions.
pub(crate) struct Events {
    listeners: broadcast::Sender<Envelope>,
    next_seq: AtomicU64,
    clock: Arc<dyn Clock>,
}

impl Events {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { listeners: broadcast::channel(KEPT).0, next_seq: AtomicU64::new(1), clock }
    }

    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Envelope> {
        self.listeners.subscribe()
    }

    /// Emits an event of the program.
    pub(crate) fn emit(&self, event: Event) {
        self.send(Envelope {
            v: PROTOCOL_VERSION,
            seq: self.next_seq.fetch_add(1, Ordering::SeqCst),
            at: self.clock.now().to_string(),
            session: None,
            turn: None,
            event,
        });
    }

    /// Emits an event numbered by its session.
    pub(crate) fn send(&self, envelope: Envelope) {
        // An error means that there are no listeners.
        let _ = self.listeners.send(envelope);
    }
}
