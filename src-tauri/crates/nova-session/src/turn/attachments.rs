//! Attachments of a message from MCP servers: the text of a prompt that the user filled in, and resources,
//! which are read before the message is sent. The message contains both, fenced as untrusted text.

use std::sync::Arc;

use nova_calls::{Call, run_call};
use nova_protocol::AttachedFile;
use nova_registry::Snapshot;
use serde_json::json;

use super::Turn;
use super::calls::{Stopped, cap, output_of};
use crate::outside::{append, fenced_attachment};
use crate::session::{UserMessage, said};

impl Turn {
    /// The user's message for the model. Resources are read by calls of their tools, with approvals and
    /// cards; for one that cannot be read, the reason is included.
    pub(super) async fn whole_message(&mut self, snapshot: &Arc<Snapshot>, message: &UserMessage) -> String {
        let mut text = said(&message.text, message.tool.as_deref());
        for file in &message.outside {
            let content = match &file.uri {
                None => file.text.clone(),
                Some(uri) => self.read_resource(snapshot, file, uri).await,
            };
            self.history.taint(file.from());
            append(&mut text, &fenced_attachment(file, &content));
        }
        text
    }

    async fn read_resource(&self, snapshot: &Arc<Snapshot>, file: &AttachedFile, uri: &str) -> String {
        let has_read_private = self.has_read_private().await;
        self.session.lock().has_read_private = has_read_private;
        let id = self.scope.ids.next();
        let stop = Stopped::new(&self.session, &id, self.cancel.child_token());
        let call = Call::with_value(id, file.from().to_owned(), json!({ "uri": uri }));
        let outcome = run_call(&self.call_scope(snapshot), call, stop.token()).await;
        let output = match outcome.result {
            Ok(value) => output_of(true, value, &[]),
            Err(error) => output_of(false, json!(error), &[]),
        };
        cap(output.to_string())
    }
}
