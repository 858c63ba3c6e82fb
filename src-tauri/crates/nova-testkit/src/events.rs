use std::sync::{Arc, Mutex, PoisonError};

use nova_calls::CallEvents;
use nova_protocol::{Envelope, Event};
use nova_session::EventSink;
use tokio::sync::watch;

use crate::PATIENCE;

/// Records all events, in order. Clones share their state.
#[derive(Clone)]
pub struct RecordedEvents {
    record: Arc<Mutex<Record>>,
    grew: watch::Sender<()>,
}

#[derive(Default)]
struct Record {
    events: Vec<Event>,
    envelopes: Vec<Envelope>,
}

impl Default for RecordedEvents {
    fn default() -> Self {
        Self { record: Arc::default(), grew: watch::Sender::new(()) }
    }
}

impl RecordedEvents {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn events(&self) -> Vec<Event> {
        self.with(|record| record.events.clone())
    }

    /// Events that were sent in an envelope, as by a session.
    pub fn envelopes(&self) -> Vec<Envelope> {
        self.with(|record| record.envelopes.clone())
    }

    /// The `type` of each event.
    pub fn types(&self) -> Vec<String> {
        self.events().iter().map(type_of).collect()
    }

    /// Waits for the first matching event, which may precede this call.
    ///
    /// # Panics
    /// If none arrives within [`crate::PATIENCE`]; the message lists all events so far.
    pub async fn wait_for(&self, fits: impl Fn(&Event) -> bool) -> Event {
        let mut grew = self.grew.subscribe();
        let waiting = async {
            loop {
                if let Some(event) =
                    self.with(|record| record.events.iter().find(|event| fits(event)).cloned())
                {
                    return event;
                }
                // The sender is in `self`, so this cannot fail.
                let _ = grew.changed().await;
            }
        };
        match tokio::time::timeout(PATIENCE, waiting).await {
            Ok(event) => event,
            Err(_) => panic!("no such event; received: {:#?}", self.events()),
        }
    }

    /// Waits for the first event of that `type`.
    ///
    /// # Panics
    /// As [`RecordedEvents::wait_for`].
    pub async fn wait_for_type(&self, name: &str) -> Event {
        self.wait_for(|event| type_of(event) == name).await
    }

    fn with<R>(&self, look: impl FnOnce(&Record) -> R) -> R {
        look(&self.record.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, event: Event, envelope: Option<Envelope>) {
        {
            let mut record = self.record.lock().unwrap_or_else(PoisonError::into_inner);
            record.events.push(event);
            record.envelopes.extend(envelope);
        }
        self.grew.send_replace(());
    }
}

impl CallEvents for RecordedEvents {
    fn emit(&self, event: Event) {
        self.add(event, None);
    }
}

impl EventSink for RecordedEvents {
    fn emit(&self, envelope: Envelope) {
        self.add(envelope.event.clone(), Some(envelope));
    }
}

fn type_of(event: &Event) -> String {
    let value = serde_json::to_value(event).unwrap_or_default();
    value["type"].as_str().unwrap_or_default().to_owned()
}
