//! The outcome of each provider's last request.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use futures::StreamExt as _;
use nova_protocol::{Event, HealthState, ProviderHealth};
use nova_provider::{
    ChatEvent, ChatRequest, ChatStream, Locality, ModelInfo, ModelLookup, Provider, ProviderError,
};
use nova_skill::Clock;
use tokio_util::sync::CancellationToken;

use crate::events::Events;

/// The outcome of the last request since the start, by provider id.
pub(crate) struct Health {
    last: Mutex<HashMap<String, ProviderHealth>>,
    clock: Arc<dyn Clock>,
    events: Arc<Events>,
}

impl Health {
    pub(crate) fn new(clock: Arc<dyn Clock>, events: Arc<Events>) -> Self {
        Self { last: Mutex::default(), clock, events }
    }

    pub(crate) fn of(&self, provider: &str) -> Option<ProviderHealth> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).get(provider).cloned()
    }

    fn note(&self, provider: &str, outcome: Result<(), &ProviderError>) {
        let Some(state) = state_of(outcome) else { return };
        let health = ProviderHealth {
            state,
            at: self.clock.now().to_string(),
            message: outcome.err().map(ToString::to_string),
        };
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.insert(provider.to_owned(), health.clone());
        drop(last);
        self.events.emit(Event::ProviderHealth { provider: provider.to_owned(), health });
    }
}

/// `None` if the outcome says nothing about the provider.
fn state_of(outcome: Result<(), &ProviderError>) -> Option<HealthState> {
    Some(match outcome {
        Ok(()) => HealthState::Answered,
        Err(ProviderError::RateLimited { .. }) => HealthState::RateLimited,
        Err(ProviderError::Unreachable { .. } | ProviderError::Timeout { .. }) => HealthState::Unreachable,
        Err(ProviderError::RefusedKey { .. }) => HealthState::RefusedKey,
        Err(
            ProviderError::Cancelled
            | ProviderError::ContextTooSmall { .. }
            | ProviderError::ModelNotFound { .. }
            | ProviderError::NoTools { .. }
            | ProviderError::NoImages { .. }
            | ProviderError::TooLong { .. }
            | ProviderError::TooMuch { .. }
            | ProviderError::Settings { .. },
        ) => return None,
        Err(
            ProviderError::Truncated
            | ProviderError::AnswerTimeout { .. }
            | ProviderError::BadResponse { .. }
            | ProviderError::Failed { .. },
        ) => HealthState::Failed,
    })
}

/// A provider that records the outcome of its requests.
pub(crate) struct Watched {
    pub(crate) health: Arc<Health>,
    pub(crate) provider: Arc<dyn Provider>,
}

#[async_trait]
impl Provider for Watched {
    fn id(&self) -> &str {
        self.provider.id()
    }

    fn locality(&self) -> Locality {
        self.provider.locality()
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, ProviderError> {
        self.provider.models().await
    }

    async fn model(&self, id: &str, cancel: &CancellationToken) -> Result<ModelLookup, ProviderError> {
        self.provider.model(id, cancel).await.inspect_err(|error| self.health.note(self.id(), Err(error)))
    }

    async fn stream(
        &self,
        request: &ChatRequest,
        cancel: CancellationToken,
    ) -> Result<ChatStream, ProviderError> {
        let id = self.id().to_owned();
        match self.provider.stream(request, cancel).await {
            Ok(stream) => {
                let health = self.health.clone();
                let watched = stream.inspect(move |event| match event {
                    Ok(ChatEvent::End(_)) => health.note(&id, Ok(())),
                    Err(error) => health.note(&id, Err(error)),
                    Ok(_) => {}
                });
                Ok(Box::pin(watched))
            }
            Err(error) => {
                self.health.note(&id, Err(&error));
                Err(error)
            }
        }
    }

    fn defers_tools(&self, model: &str) -> bool {
        self.provider.defers_tools(model)
    }

    fn encode(&self, request: &ChatRequest) -> Vec<u8> {
        self.provider.encode(request)
    }
}
