//! What leaves this machine with a request: where the model runs, whether the user agreed, and which notes
//! it learns something of.

use std::collections::BTreeSet;

use async_trait::async_trait;
use nova_protocol::{ErrorCode, UserError};
use nova_provider::Locality;
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
    /// Asks where the model runs, once. When it is cancelled meanwhile nothing is known, and the turn,
    /// which is cancelled too, does not need it.
    ///
    /// # Errors
    /// As [`ModelPlace::find`].
    pub async fn find_model(&mut self, cancel: &CancellationToken) -> Result<(), UserError> {
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

impl Turn {
    /// Nothing of the vault may leave before the user agreed, and the message itself may name it.
    pub(super) async fn check_leaving(&mut self) -> Result<(), Stop> {
        self.scope.find_model(&self.cancel).await?;
        if self.cancel.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        let Locality::Remote { host } = &self.scope.locality else { return Ok(()) };
        if self.scope.vault.is_some() && !self.scope.agreed {
            return Err(UserError::new(
                ErrorCode::ProviderNotAgreed,
                format!("{host} is not on this machine. Your messages and the notes that tools read would be sent there."),
                format!("Agree in the window, or run: nova provider allow {}", self.scope.provider.id()),
            )
            .into());
        }
        self.check_private().await
    }

    /// The host that requests go to; none where they stay here.
    pub(super) fn sent_to(&self) -> Option<String> {
        match &self.scope.locality {
            Locality::Local => None,
            Locality::Remote { host } => Some(host.clone()),
        }
    }

    /// The notes that the model learns something of by the next request and by none before it in this
    /// turn. A summary was made of what it stands for, so what is not sent any more counts too.
    pub(super) fn notes_sent(&mut self) -> Vec<String> {
        let seen: BTreeSet<VaultPath> = {
            let state = self.session.lock();
            state.messages.iter().flat_map(LogMessage::told_notes).cloned().collect()
        };
        let new = seen.difference(&self.sent_notes).map(ToString::to_string).collect();
        self.sent_notes = seen;
        new
    }
}
