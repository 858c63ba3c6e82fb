use std::time::Duration;

use async_imap::Session;
use async_imap::extensions::idle::IdleResponse;
use async_imap::imap_proto::Response;
use async_imap::types::UnsolicitedResponse;

use super::{Imap, Stream, failed, in_time, no_folder, spelled};
use crate::MailError;
use crate::bounded::Bounded;

/// How long one IDLE lasts: servers end it after half an hour, and routers drop silent connections earlier.
const IDLE: Duration = Duration::from_secs(9 * 60);
/// How often a server without IDLE is polled.
const POLL: Duration = Duration::from_secs(60);

/// A folder that is watched, over a connection of its own.
#[derive(Debug)]
pub struct Watched<S: Stream> {
    session: Session<Bounded<S>>,
    /// Whether the server offers IDLE (RFC 2177).
    idle: bool,
}

impl<S: Stream> Imap<S> {
    /// Opens the folder read-only to watch it. Changes from now on are reported.
    ///
    /// # Errors
    /// `NoFolder`, and as [`MailError`] lists.
    pub async fn watch(mut self, folder: &str) -> Result<Watched<S>, MailError> {
        let opened = in_time(self.session.examine(spelled(folder)?)).await;
        opened.map_err(|error| no_folder(error, folder))?;
        let mut watched = Watched { session: self.session, idle: self.offers.idle };
        watched.takes_news();
        Ok(watched)
    }
}

impl<S: Stream> Watched<S> {
    /// Returns once messages were added, removed or flagged. Other unsolicited responses may count as a change, too.
    ///
    /// # Errors
    /// As [`MailError`] lists, also when the connection was cut.
    pub async fn changed(mut self) -> Result<Self, MailError> {
        loop {
            let idle_has_news;
            (self, idle_has_news) = if self.idle { self.idled().await? } else { self.polled().await? };
            // A change may also be reported before or after IDLE.
            if self.takes_news() || idle_has_news {
                return Ok(self);
            }
        }
    }

    /// Waits for a change or for the end of this IDLE.
    async fn idled(self) -> Result<(Self, bool), MailError> {
        let mut idle = self.session.idle();
        in_time(idle.init()).await?;
        let said = {
            let (news, _stop) = idle.wait_with_timeout(IDLE);
            tokio::time::timeout(IDLE, news).await
        };
        let has_news = match said.unwrap_or(Ok(IdleResponse::Timeout)).map_err(failed)? {
            IdleResponse::NewData(_) => true,
            IdleResponse::Timeout => false,
            IdleResponse::ManualInterrupt => return Err(MailError::Closed),
        };
        let session = in_time(idle.done()).await?;
        Ok((Self { session, idle: self.idle }, has_news))
    }

    async fn polled(mut self) -> Result<(Self, bool), MailError> {
        tokio::time::sleep(POLL).await;
        in_time(self.session.noop()).await?;
        Ok((self, false))
    }

    /// Whether the unsolicited responses contain a change; discards them.
    fn takes_news(&mut self) -> bool {
        let mut has_news = false;
        while let Ok(response) = self.session.unsolicited_responses.try_recv() {
            has_news |= match response {
                UnsolicitedResponse::Exists(_) | UnsolicitedResponse::Expunge(_) => true,
                UnsolicitedResponse::Other(other) => matches!(other.parsed(), Response::Fetch(..)),
                _ => false,
            };
        }
        has_news
    }
}
