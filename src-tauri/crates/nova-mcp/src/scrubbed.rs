//! The one place where a server's secrets are removed from what it sends: definitions, instructions, prompts,
//! resources, progress, questions and results.

use std::sync::Arc;

use nova_calls::Secrets;
use rmcp::RoleClient;
use rmcp::model::ServerJsonRpcMessage;
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::Transport;
use serde_json::Value;

/// Fields of a result that are returned to the server as they are, and shown to nobody.
const OPAQUE: [&str; 2] = ["requestState", "nextCursor"];

/// Scrubs the messages of a server.
pub(crate) struct Scrubbed<T> {
    transport: T,
    secrets: Arc<Secrets>,
}

impl<T> Scrubbed<T> {
    pub(crate) fn from(transport: T, secrets: Arc<Secrets>) -> Self {
        Self { transport, secrets }
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Scrubbed<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.transport.send(message)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let message = self.transport.receive().await?;
            match scrubbed(message, &self.secrets) {
                Ok(message) => return Some(message),
                // A secret is a word of the protocol.
                Err(error) => tracing::warn!(%error, "a message is unreadable without the server's secrets"),
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.transport.close().await
    }
}

fn scrubbed(
    message: ServerJsonRpcMessage,
    secrets: &Secrets,
) -> Result<ServerJsonRpcMessage, serde_json::Error> {
    if secrets.is_empty() || !secrets.are_in(&serde_json::to_string(&message)?) {
        return Ok(message);
    }
    let mut value = serde_json::to_value(&message)?;
    let opaque = OPAQUE.map(|key| value["result"].get(key).cloned());
    for part in ["params", "result", "error"] {
        if let Some(part) = value.get_mut(part) {
            secrets.scrub_value(part);
        }
    }
    for (key, text) in OPAQUE.into_iter().zip(opaque) {
        if let (Some(result), Some(text)) = (value.get_mut("result").and_then(Value::as_object_mut), text) {
            result.insert(key.to_owned(), text);
        }
    }
    serde_json::from_value::<ServerJsonRpcMessage>(value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn scrubbed_value(message: Value) -> Value {
        let secrets = Secrets::default();
        secrets.add(&"hunter22".into());
        let message = serde_json::from_value(message).expect("a message");
        serde_json::to_value(scrubbed(message, &secrets).expect("still a message")).expect("JSON")
    }

    #[test]
    fn secrets_are_scrubbed_from_each_kind_of_message() {
        for message in [
            json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": [{
                "name": "hunter22", "description": "Sends hunter22.",
                "inputSchema": {"type": "object", "properties": {"a": {"description": "hunter22"}}},
            }]}}),
            json!({"jsonrpc": "2.0", "id": 1, "result": {
                "protocolVersion": "2025-11-25", "capabilities": {}, "instructions": "hunter22",
                "serverInfo": {"name": "hunter22", "version": "1"},
            }}),
            json!({"jsonrpc": "2.0", "id": 1, "result": {"structuredContent": {"env": ["A=hunter22"], "hunter22": 1}, "content": []}}),
            json!({"jsonrpc": "2.0", "id": 1, "result": {"prompts": [{"name": "a", "description": "hunter22"}]}}),
            json!({"jsonrpc": "2.0", "id": 1, "result": {"resources": [{"uri": "a:b", "name": "hunter22"}]}}),
            json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": "no hunter22", "data": "hunter22"}}),
            json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {
                "progressToken": 1, "progress": 1.0, "message": "hunter22",
            }}),
            json!({"jsonrpc": "2.0", "id": 2, "method": "elicitation/create", "params": {
                "mode": "form", "message": "hunter22",
                "requestedSchema": {"type": "object", "properties": {"a": {"type": "string", "title": "hunter22", "default": "hunter22"}}},
            }}),
        ] {
            let shown = scrubbed_value(message).to_string();
            assert!(shown.contains("[REDACTED]") && !shown.contains("hunter22"), "{shown}");
        }
    }

    #[test]
    fn state_of_the_server_is_returned_as_it_is() {
        let listed = json!({"jsonrpc": "2.0", "id": 1, "result": {
            "tools": [{"name": "a", "description": "hunter22", "inputSchema": {"type": "object"}}], "nextCursor": "hunter22:2",
        }});
        let shown = scrubbed_value(listed);
        assert_eq!(shown["result"]["nextCursor"], "hunter22:2");
        assert_eq!(shown["result"]["tools"][0]["description"], "[REDACTED]");
    }
}
