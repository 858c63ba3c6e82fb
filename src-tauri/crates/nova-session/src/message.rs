use nova_provider::{Message, ToolCall};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What the model is sent, as the log keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub(crate) enum LogMessage {
    /// The system prompt, frozen at the session's first request.
    System {
        text: String,
    },
    User {
        text: String,
    },
    Assistant {
        text: String,
        calls: Vec<LogCall>,
        provider_data: Option<Value>,
    },
    ToolOutput {
        call_id: String,
        content: String,
    },
    Notice {
        text: String,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct LogCall {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: String,
}

impl LogMessage {
    /// None for the system prompt, which has a place of its own in a request.
    pub(crate) fn to_provider(&self) -> Option<Message> {
        Some(match self.clone() {
            Self::System { .. } => return None,
            Self::User { text } => Message::User { content: text },
            Self::Assistant { text, calls, provider_data } => Message::Assistant {
                text,
                calls: calls
                    .into_iter()
                    .map(|call| ToolCall { id: call.id, name: call.name, arguments: call.arguments })
                    .collect(),
                provider_data,
            },
            Self::ToolOutput { call_id, content } => Message::ToolOutput { call_id, content },
            Self::Notice { text } => Message::Notice { text },
        })
    }
}

/// Outputs for calls that never got one: Nova ended while they ran. Every history that is sent
/// answers each call.
pub(crate) fn missing_outputs(messages: &[LogMessage]) -> Vec<LogMessage> {
    let last = messages.iter().rposition(|message| matches!(message, LogMessage::Assistant { .. }));
    let Some(at) = last else { return Vec::new() };
    let LogMessage::Assistant { calls, .. } = &messages[at] else { return Vec::new() };
    calls
        .iter()
        .filter(|call| {
            !messages[at..].iter().any(|message| {
                matches!(message, LogMessage::ToolOutput { call_id, .. } if *call_id == call.id)
            })
        })
        .map(|call| LogMessage::ToolOutput {
            call_id: call.id.clone(),
            content: r#"{"error":{"code":"cancelled","message":"Nova ended while this call ran. Its outcome is unknown.","hint":"Look before trying again."}}"#.into(),
        })
        .collect()
}
