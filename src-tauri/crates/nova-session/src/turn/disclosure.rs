//! Data that leaves this machine with a request: the model's location, the user's agreement, and the notes
//! that are disclosed.

use std::collections::BTreeSet;

use async_trait::async_trait;
use nova_protocol::{ContextView, ErrorCode, Event, UserError};
use nova_provider::{ChatRequest, Locality, ProviderError};
use nova_skill::VaultPath;
use tokio_util::sync::CancellationToken;

use super::{Stop, Turn, TurnScope};
use crate::message::LogMessage;

/// Determines where a model runs if its server may forward requests to another machine.
#[async_trait]
pub trait ModelPlace: Send + Sync {
    /// Queries the server, until cancelled.
    ///
    /// # Errors
    /// `unknown_model` if the server does not have it, or the reason why the server does not answer.
    async fn find(&self, cancel: &CancellationToken) -> Result<Placed, UserError>;
}

/// A model's location according to its server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    pub locality: Locality,
    /// The user agreed to send notes there.
    pub agreed: bool,
    /// Whether it accepts images, if the server says so.
    pub images: Option<bool>,
}

impl TurnScope {
    /// The destination host of requests; `None` if they stay on this machine.
    pub(super) fn host(&self) -> Option<String> {
        match &self.locality {
            Locality::Local => None,
            Locality::Remote { host } => Some(host.clone()),
        }
    }

    /// Queries the model's location once. On cancellation it stays unknown, but the turn, which is cancelled
    /// too, does not need it.
    ///
    /// # Errors
    /// As [`ModelPlace::find`].
    async fn find_model(&mut self, cancel: &CancellationToken) -> Result<(), UserError> {
        let Some(place) = &self.place else { return Ok(()) };
        let found = tokio::select! {
            biased;
            () = cancel.cancelled() => return Ok(()),
            found = place.find(cancel) => found,
        };
        if cancel.is_cancelled() {
            return Ok(());
        }
        let Placed { locality, agreed, images } = found?;
        self.images = self.images.or(images);
        (self.locality, self.agreed, self.place) = (locality, agreed, None);
        Ok(())
    }
}

/// The error if the user has not agreed to send anything to the provider's host.
pub fn not_agreed(host: &str, provider: &str) -> UserError {
    UserError::new(
        ErrorCode::ProviderNotAgreed,
        format!(
            "{host} is not on this machine. Your messages and the notes that tools read would be sent there."
        ),
        format!("Agree in the window, or run: nova provider allow {provider}"),
    )
    .about_host(host)
}

impl Turn {
    /// Checks that the user has agreed before anything is sent, since the message itself may name notes. If
    /// it has images, the model must accept them.
    pub(super) async fn check_disclosure(&mut self, shows_images: bool) -> Result<(), Stop> {
        self.scope.find_model(&self.cancel).await?;
        if self.cancel.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        if shows_images && self.scope.images == Some(false) {
            self.session.lock().model_without_vision = Some(self.model_name());
            let (provider, model) = (self.scope.provider.id().to_owned(), self.scope.model.clone());
            return Err(UserError::from(ProviderError::NoImages { provider, model }).into());
        }
        let Locality::Remote { host } = &self.scope.locality else { return Ok(()) };
        if self.scope.access.vault.is_some() && !self.scope.agreed {
            return Err(not_agreed(host, self.scope.provider.id()).into());
        }
        self.check_private().await
    }

    /// The destination host of requests; `None` if they stay on this machine.
    pub(super) fn sent_to(&self) -> Option<String> {
        self.scope.host()
    }

    /// Records in the log what a request discloses, before it is sent.
    pub(super) async fn record_disclosure(
        &mut self,
        request: &ChatRequest,
        prefix_kept: bool,
        context: Option<ContextView>,
    ) -> Result<(), Stop> {
        let host = self.sent_to();
        let (notes, notes_before) = self.notes_sent(&host);
        let leaves = host.is_some();
        self.journal.event(Event::StepStarted {
            tools: request.all_tools().map(|tool| tool.name.clone()).collect(),
            prefix_kept,
            bytes: self.scope.provider.encode(request).len() as u64,
            context,
            host: Some(host),
            notes,
            notes_before,
        });
        if leaves {
            self.journal.flush().await?;
        }
        Ok(())
    }

    /// The notes disclosed by the next request and not by earlier ones of this turn, and the number of others
    /// that requests of earlier turns to this host have named. Notes read in this turn are always named. A
    /// summary discloses the notes of the messages it replaces, so messages that are no longer sent count
    /// too.
    fn notes_sent(&mut self, host: &Option<String>) -> (Vec<String>, u32) {
        let mut state = self.session.lock();
        let told = |messages: &[LogMessage]| -> BTreeSet<VaultPath> {
            messages.iter().flat_map(LogMessage::source_notes).cloned().collect()
        };
        let (earlier, own) = state.messages.split_at(self.begun_at.min(state.messages.len()));
        let (earlier, own) = (told(earlier), told(own));
        let before = state.named.entry(host.clone()).or_default();
        let is_first = self.named.is_none();
        let named = self.named.get_or_insert_default();
        let fresh = earlier.iter().filter(|path| !before.contains(*path));
        let new: BTreeSet<VaultPath> =
            own.iter().chain(fresh).filter(|path| !named.contains(*path)).cloned().collect();
        let again = if is_first { earlier.difference(&new).count() } else { 0 };
        before.extend(new.iter().cloned());
        named.extend(new.iter().cloned());
        (new.iter().map(ToString::to_string).collect(), u32::try_from(again).unwrap_or(u32::MAX))
    }
}
