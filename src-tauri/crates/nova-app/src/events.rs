use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use nova_protocol::{Envelope, Event, PROTOCOL_VERSION};
use nova_skill::Clock;
use tokio::sync::broadcast;

/// How many events a listener may fall behind before it misses some.
const KEPT: usize = 16_384;

/// Every event of the program and of its sessions, to all who listen.
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

    /// An event of the whole program.
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

    /// An event that its session has numbered.
    pub(crate) fn send(&self, envelope: Envelope) {
        // Nobody listening is not an error.
        let _ = self.listeners.send(envelope);
    }
}
