use std::io;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use nova_credentials::{CredentialError, CredentialName};
use nova_http::Names;
use nova_skill::{Clock, Secret};
use tokio::sync::watch;

use crate::config::ServerConfig;
use crate::definition::KnownTools;
use crate::media::Media;
use crate::pause::Pause;
use crate::surroundings::Surroundings;

/// What all servers share.
pub(crate) struct Host {
    pub(crate) surroundings: Surroundings,
    pub(crate) agreements: Arc<dyn Agreements>,
    pub(crate) names: Arc<dyn Names>,
    pub(crate) pause: Pause,
    /// How long a server runs that no call needs.
    pub(crate) idle: Duration,
    pub(crate) news: watch::Sender<u64>,
    pub(crate) media: Media,
    pub(crate) clock: Arc<dyn Clock>,
}

/// What the user agreed to, and what is known of servers from one Nova to the next.
#[async_trait]
pub trait Agreements: Send + Sync {
    /// The [fingerprint](ServerConfig::fingerprint) that the user agreed to for a server of that name.
    fn agreed(&self, server: &str) -> Option<String>;

    fn known_tools(&self, server: &str) -> Option<KnownTools>;

    /// # Errors
    /// When they could not be written.
    fn keep_tools(&self, server: &str, tools: &KnownTools) -> io::Result<()>;

    /// A credential for this server, at its [destination](ServerConfig::grantee), where it is granted.
    ///
    /// # Errors
    /// Why there is none.
    async fn secret(&self, server: &ServerConfig, name: &CredentialName) -> Result<Secret, CredentialError>;

    /// The token of a sign-in for this server, another one than it refused; None where nobody signed in.
    ///
    /// # Errors
    /// Why it cannot be had or renewed.
    async fn token(
        &self,
        server: &ServerConfig,
        refused: Option<&Secret>,
    ) -> Result<Option<Secret>, CredentialError>;
}

impl Host {
    pub(crate) fn changed(&self) {
        self.news.send_modify(|count| *count += 1);
    }
}
