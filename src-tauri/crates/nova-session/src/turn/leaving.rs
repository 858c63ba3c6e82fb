//! What leaves this machine with a request: where the model runs, whether the user agreed, and which notes
//! it learns something of.

use std::collections::BTreeSet;

use async_trait::async_trait;
use nova_protocol::{ContextView, ErrorCode, Event, UserError};
use nova_provider::{ChatRequest, Locality, ProviderError};
use nova_skill::VaultPath;
use tokio_util::sync::CancellationToken;

use super::{Stop, Turn, TurnScope};
use crate::message::LogMessage;

/// Knows where a model runs that its server may pass on to another machine.
#[async_trait]
pub trait ModelPlace: Send + Sync {
    /// Asks the server. Cancelling gives it up.
    ///
    /// # Errors
    /// `unknown_model` when the server does not have it, or why the server does not say.
    async fn find(&self, cancel: &CancellationToken) -> Result<Placed, UserError>;
}

/// Where a model runs, as its server says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    pub locality: Locality,
    /// The user agreed that notes go there.
    pub agreed: bool,
    /// Whether it can look at images, where the server says so.
    pub images: Option<bool>,
}

impl TurnScope {
    /// The host that requests go to; none where they stay here.
    pub(super) fn host(&self) -> Option<String> {
        match &self.locality {
            Locality::Local => None,
            Locality::Remote { host } => Some(host.clone()),
        }
    }

    /// Asks where the model runs, once. When it is cancelled meanwhile nothing is known, and the turn,
    /// which is cancelled too, does not need it.
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

/// The user has not agreed to send anything to the provider's host.
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
    /// Nothing of the vault may leave before the user agreed, and the message itself may name it.
    /// Who shows images must hear where they are not looked at.
    pub(super) async fn check_leaving(&mut self, shows_images: bool) -> Result<(), Stop> {
        self.scope.find_model(&self.cancel).await?;
        if self.cancel.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        if shows_images && self.scope.images == Some(false) {
            self.session.lock().blind = Some(self.model_name());
            let (provider, model) = (self.scope.provider.id().to_owned(), self.scope.model.clone());
            return Err(UserError::from(ProviderError::NoImages { provider, model }).into());
        }
        let Locality::Remote { host } = &self.scope.locality else { return Ok(()) };
        if self.scope.access.vault.is_some() && !self.scope.agreed {
            return Err(not_agreed(host, self.scope.provider.id()).into());
        }
        self.check_private().await
    }

    /// The host that requests go to; none where they stay here.
    pub(super) fn sent_to(&self) -> Option<String> {
        self.scope.host()
    }

    /// Tells what leaves with a request, before it does: whatever becomes of it, it stands in the log.
    pub(super) async fn tell_request(
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

    /// The notes that the model learns something of by the next request and by none before it in this
    /// turn, and how many more go along that requests of earlier turns to this host named. What was read
    /// for this turn is named in it, also when it is known. A summary was made of what it stands for, so what is
    /// not sent any more counts too.
    fn notes_sent(&mut self, host: &Option<String>) -> (Vec<String>, u32) {
        let mut state = self.session.lock();
        let told = |messages: &[LogMessage]| -> BTreeSet<VaultPath> {
            messages.iter().flat_map(LogMessage::told_notes).cloned().collect()
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
