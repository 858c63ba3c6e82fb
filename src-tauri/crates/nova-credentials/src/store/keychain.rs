use std::sync::Arc;
use std::time::Duration;

use keyring::{Entry, Error};
use secrecy::zeroize::Zeroizing;
use secrecy::{ExposeSecret, SecretString};

use super::Backend;
use crate::StoreKind;
use crate::{CredentialError, CredentialName};

/// The service of Nova's keychain entries.
const SERVICE: &str = "nova";
/// How long the keychain may take to respond at startup. This only checks that it responds: nothing is
/// unlocked and the user is not prompted.
const STATUS_TIMEOUT: Duration = Duration::from_secs(10);
/// CRED_MAX_CREDENTIAL_BLOB_SIZE of Windows: 5 × 512 bytes.
const MAX_BYTES_ON_WINDOWS: usize = 2560;

/// The system's keychain: Secret Service, Keychain Services or Credential Manager.
struct Keychain;

/// The keychain, or why it is unavailable.
pub(super) async fn available() -> Result<Arc<dyn Backend>, String> {
    let status = tokio::task::spawn_blocking(|| match Entry::store_status() {
        Ok(()) => Ok(()),
        Err(error) => Err(describe(error)),
    });
    match tokio::time::timeout(STATUS_TIMEOUT, status).await {
        Ok(Ok(Ok(()))) => Ok(Arc::new(Keychain)),
        Ok(Ok(Err(reason))) => Err(reason),
        Ok(Err(_)) => Err("internal failure".to_owned()),
        Err(_) => Err(format!("no answer in {} s", STATUS_TIMEOUT.as_secs())),
    }
}

impl Backend for Keychain {
    fn kind(&self) -> StoreKind {
        StoreKind::Keychain
    }

    fn get(&self, name: &CredentialName) -> Result<Option<SecretString>, CredentialError> {
        // Stored as bytes: as a password, Windows accepts half the length.
        match entry(name)?.get_secret() {
            Ok(bytes) => {
                let bytes = Zeroizing::new(bytes);
                let text = std::str::from_utf8(&bytes).map_err(|_| CredentialError::Keychain {
                    reason: format!("its entry {name} is not text"),
                })?;
                Ok(Some(text.into()))
            }
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(refused(&error)),
        }
    }

    fn set(&self, name: &CredentialName, value: &SecretString) -> Result<(), CredentialError> {
        let value = value.expose_secret().as_bytes();
        if cfg!(windows) && value.len() > MAX_BYTES_ON_WINDOWS {
            return Err(CredentialError::TooLong { name: name.clone(), max: MAX_BYTES_ON_WINDOWS });
        }
        match entry(name)?.set_secret(value) {
            Ok(()) => Ok(()),
            Err(Error::TooLong(_, max)) => {
                Err(CredentialError::TooLong { name: name.clone(), max: max.try_into().unwrap_or(0) })
            }
            Err(error) => Err(refused(&error)),
        }
    }

    fn remove(&self, name: &CredentialName) -> Result<bool, CredentialError> {
        match entry(name)?.delete_credential() {
            Ok(()) => Ok(true),
            Err(Error::NoEntry) => Ok(false),
            Err(error) => Err(refused(&error)),
        }
    }

    /// The stores of macOS and Windows have their own search attributes, so the record lists the names there.
    #[cfg(all(unix, not(target_os = "macos")))]
    fn names(&self) -> Result<Option<Vec<CredentialName>>, CredentialError> {
        let found = keyring_core::Entry::search(&[("service", SERVICE)].into());
        let found = found.map_err(|error| refused(&error))?;
        // Entries of other programs under this service are skipped.
        let names = found.iter().filter_map(|entry| entry.get_specifiers()?.1.parse().ok());
        Ok(Some(names.collect()))
    }

    #[cfg(not(all(unix, not(target_os = "macos"))))]
    fn names(&self) -> Result<Option<Vec<CredentialName>>, CredentialError> {
        Ok(None)
    }
}

fn entry(name: &CredentialName) -> Result<Entry, CredentialError> {
    Entry::new(SERVICE, name.as_str()).map_err(|error| refused(&error))
}

fn refused(error: &Error) -> CredentialError {
    CredentialError::Keychain { reason: describe(error) }
}

/// Some of these errors contain the secret's bytes and would print them.
fn describe(error: &Error) -> String {
    match error {
        Error::PlatformFailure(error) => error.to_string(),
        Error::NoStorageAccess(error) => format!("it is locked, or denies access: {error}"),
        Error::Ambiguous(_) => "it has several entries of that name".to_owned(),
        Error::NoDefaultStore => "there is none".to_owned(),
        Error::Invalid(what, why) => format!("{what}: {why}"),
        Error::NotSupportedByStore(_) => "it cannot do that".to_owned(),
        _ => "its entry is damaged".to_owned(),
    }
}
