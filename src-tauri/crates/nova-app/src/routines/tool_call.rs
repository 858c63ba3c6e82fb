//! A routine that runs a tool: a turn with one predetermined call, which needs no model.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use nova_provider::{
    ChatEvent, ChatRequest, ChatStream, Completed, FinishReason, Locality, Message, ModelInfo, Provider,
    ProviderError, ToolCall,
};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

/// A fake model: answers the first request with the call, and the next one with its outcome.
pub(crate) struct OneCall {
    wire_name: String,
    arguments: String,
    failed: Mutex<Option<String>>,
}

impl OneCall {
    pub(crate) fn new(wire_name: &str, args: Map<String, Value>) -> Self {
        let arguments = Value::Object(args).to_string();
        Self { wire_name: wire_name.to_owned(), arguments, failed: Mutex::default() }
    }

    /// The error of the tool, if it failed.
    pub(crate) fn failure(&self) -> Option<String> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn answer(&self, request: &ChatRequest) -> Completed {
        let output = request.messages.iter().rev().find_map(|message| match message {
            Message::ToolOutput { content, .. } => Some(content),
            _ => None,
        });
        let Some(output) = output else {
            let call = ToolCall {
                id: "call_1".into(),
                name: self.wire_name.clone(),
                arguments: self.arguments.clone(),
            };
            return completed(String::new(), vec![call], FinishReason::ToolCalls);
        };
        let output: Value = serde_json::from_str(output).unwrap_or_default();
        let text = match &output["error"]["message"] {
            Value::String(message) => {
                let hint = output["error"]["hint"].as_str().unwrap_or_default();
                let why = format!("{message} {hint}").trim().to_owned();
                *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(why.clone());
                format!("The tool failed: {why}")
            }
            _ => "Done.".to_owned(),
        };
        completed(text, Vec::new(), FinishReason::Stop)
    }
}

fn completed(text: String, calls: Vec<ToolCall>, finish: FinishReason) -> Completed {
    Completed { text, calls, finish, provider_data: None }
}

#[async_trait]
impl Provider for OneCall {
    fn id(&self) -> &str {
        "routine"
    }

    fn locality(&self) -> Locality {
        Locality::Local
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, ProviderError> {
        Ok(Vec::new())
    }

    async fn stream(&self, request: &ChatRequest, _: CancellationToken) -> Result<ChatStream, ProviderError> {
        let end = self.answer(request);
        let text = (!end.text.is_empty()).then(|| ChatEvent::TextDelta(end.text.clone()));
        let events = text.into_iter().chain([ChatEvent::End(end)]).map(Ok);
        Ok(Box::pin(futures::stream::iter(events.collect::<Vec<_>>())))
    }

    fn defers_tools(&self, _: &str) -> bool {
        false
    }

    fn encode(&self, _: &ChatRequest) -> Vec<u8> {
        Vec::new()
    }
}
