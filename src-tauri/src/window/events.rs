use std::time::Duration;

use nova_protocol::Envelope;
use tauri::ipc::Channel;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

/// Events within this interval are sent together.
const BATCH_FOR: Duration = Duration::from_millis(8);
const BATCH_LIMIT: usize = 512;

/// Sends every event to the page until it is closed.
pub(crate) fn forward(mut events: Receiver<Envelope>, channel: Channel<Vec<Envelope>>) {
    tauri::async_runtime::spawn(async move {
        loop {
            let first = match events.recv().await {
                Ok(envelope) => envelope,
                Err(RecvError::Lagged(missed)) => {
                    tracing::warn!(missed, "the page lagged behind the events");
                    continue;
                }
                Err(RecvError::Closed) => return,
            };
            let mut batch = vec![first];
            let end = tokio::time::sleep(BATCH_FOR);
            tokio::pin!(end);
            while batch.len() < BATCH_LIMIT {
                tokio::select! {
                    biased;
                    event = events.recv() => match event {
                        Ok(envelope) => batch.push(envelope),
                        Err(_) => break,
                    },
                    () = &mut end => break,
                }
            }
            if channel.send(batch).is_err() {
                return;
            }
        }
    });
}
