use std::io;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use nova_credentials::{CredentialError, CredentialName};
use nova_http::Names;
use nova_skill::{Clock, Secret};
use tokio::sync::watch;

use crate::config::ServerConfig;
use crate::known_tools::KnownTools;
use crate::launch_environment::LaunchEnvironment;
use crate::media::Media;
use crate::pause::Pause;

/// State shared by all servers.
pub(crate) struct Host {
    pub(crate) launch_environment: LaunchEnvironment,
    pub(crate) agreements: Arc<dyn Agreements>,
    pub(crate) names: Arc<dyn Names>,
    pub(crate) pause: Pause,
    /// Idle time after which a server is stopped.
    pub(crate) idle: Duration,
    pub(crate) news: watch::Sender<u64>,
    pub(crate) media: Media,
    pub(crate) clock: Arc<dyn Clock>,
}

/// Persisted agreements of the user, and knowledge about servers.
#[async_trait]
pub trait Agreements: Send + Sync {
    /// The [fingerprint](ServerConfig::fingerprint) that the user agreed to for this server.
    fn agreed(&self, server: &str) -> Option<String>;

    /// `None` if nothing was stored.
    ///
    /// # Errors
    /// When what was stored cannot be read.
    fn known_tools(&self, server: &str) -> io::Result<Option<KnownTools>>;

    /// Stores what `change` makes of the stored tools, without a write of another process in between. It gets
    /// `None` if there are none that can be read.
    ///
    /// # Errors
    /// When writing fails.
    fn change_tools(
        &self,
        server: &str,
        change: &mut (dyn FnMut(Option<KnownTools>) -> KnownTools + Send),
    ) -> io::Result<()>;

    /// A credential for this server at its [destination](ServerConfig::grantee), if granted.
    ///
    /// # Errors
    /// Why it is not available.
    async fn secret(&self, server: &ServerConfig, name: &CredentialName) -> Result<Secret, CredentialError>;

    /// An OAuth token for this server other than the refused one; `None` if the user is not signed in.
    ///
    /// # Errors
    /// Why it cannot be loaded or refreshed.
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
