//! The user's agreements to MCP servers, and persisted knowledge about their tools.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use nova_credentials::{CredentialError, CredentialName};
use nova_mcp::{Agreements, KnownTools, ServerConfig};
use nova_skill::Secret;

use crate::credentials::store::UserCredentials;
use crate::trust::Trust;

/// Size of the file of one server: several lists, each bounded by `nova-mcp`.
const MOST_BYTES: u64 = 64 << 20;

/// Agreements are in `trust.json`; the tools of each server in one file in `<data>/mcp`.
pub(crate) struct AgreedServers {
    trust: Arc<Trust>,
    credentials: Arc<UserCredentials>,
    folder: PathBuf,
}

impl AgreedServers {
    pub(crate) fn new(trust: Arc<Trust>, credentials: Arc<UserCredentials>, data: &Path) -> Self {
        Self { trust, credentials, folder: data.join("mcp") }
    }

    /// The name of a server may contain any characters, so it is hashed.
    fn place(&self, server: &str) -> PathBuf {
        self.folder.join(format!("{}.json", blake3::hash(server.as_bytes()).to_hex()))
    }
}

#[async_trait]
impl Agreements for AgreedServers {
    fn agreed(&self, server: &str) -> Option<String> {
        self.trust.agreed_server(server)
    }

    fn known_tools(&self, server: &str) -> io::Result<Option<KnownTools>> {
        match nova_files::read_within(&self.place(server), MOST_BYTES) {
            Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn change_tools(
        &self,
        server: &str,
        change: &mut (dyn FnMut(Option<KnownTools>) -> KnownTools + Send),
    ) -> io::Result<()> {
        nova_files::private_folder(&self.folder)?;
        crate::own_files::change(
            &self.place(server),
            |error| error,
            || {
                let bytes = serde_json::to_vec(&change(self.known_tools(server).ok().flatten()))?;
                match u64::try_from(bytes.len()) {
                    Ok(size) if size <= MOST_BYTES => Ok((bytes, ())),
                    _ => Err(io::ErrorKind::FileTooLarge.into()),
                }
            },
        )
    }

    async fn secret(&self, server: &ServerConfig, name: &CredentialName) -> Result<Secret, CredentialError> {
        let (consumer, destination) = server.grantee();
        self.credentials.granted(&consumer, &destination, name).await
    }

    async fn token(
        &self,
        server: &ServerConfig,
        refused: Option<&Secret>,
    ) -> Result<Option<Secret>, CredentialError> {
        self.credentials.server_token(server, refused).await
    }
}
