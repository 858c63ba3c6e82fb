mod encrypted_file;
mod keychain;
mod record;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use secrecy::{ExposeSecret, SecretString};

use crate::oauth::tokens::Tokens;
use crate::{CredentialError, CredentialName, StoreKind};
use encrypted_file::EncryptedFile;
use record::Record;

/// The maximum length of a value in bytes. Windows allows less: see [`CredentialStore::set`].
pub const MAX_BYTES: usize = 64 * 1024;

/// Stores secrets. Cheap to clone.
///
/// The first credential decides between keychain and file. The decision is recorded in
/// `<data>/credentials.json` with the names, but never a value; from then on, only that store is used.
#[derive(Clone)]
pub struct CredentialStore {
    record: Arc<Record>,
    backend: Arc<dyn Backend>,
}

/// The content of a credential.
pub(crate) enum Stored {
    /// A secret that the user entered.
    Secret(SecretString),
    /// The tokens of a sign-in.
    SignIn(Tokens),
}

impl Stored {
    fn of(secret: SecretString) -> Self {
        Tokens::from_secret(&secret).map_or(Self::Secret(secret), Self::SignIn)
    }

    /// The part that may leave the store: of a sign-in only the access token.
    fn usable(self) -> SecretString {
        match self {
            Self::Secret(secret) => secret,
            Self::SignIn(tokens) => tokens.access,
        }
    }
}

/// A store of secrets. Its functions block.
trait Backend: Send + Sync {
    fn kind(&self) -> StoreKind;
    fn get(&self, name: &CredentialName) -> Result<Option<SecretString>, CredentialError>;
    fn set(&self, name: &CredentialName, value: &SecretString) -> Result<(), CredentialError>;
    /// Returns whether it existed.
    fn remove(&self, name: &CredentialName) -> Result<bool, CredentialError>;
    /// `None` if the store cannot list names.
    fn names(&self) -> Result<Option<Vec<CredentialName>>, CredentialError>;
}

impl CredentialStore {
    /// Opens the store that holds this data folder's credentials. If there are none yet, chooses the keychain
    /// if it responds, or else the encrypted file if there is a passphrase.
    ///
    /// The keychain belongs to the user rather than to a data folder: two data folders share it.
    ///
    /// # Errors
    /// [`CredentialError::Unreachable`] and [`CredentialError::PassphraseNeeded`] if there are credentials
    /// that cannot be reached, [`CredentialError::WrongPassphrase`], and [`CredentialError::NoStore`] if no
    /// store is available.
    pub async fn open(data: &Path, passphrase: Option<SecretString>) -> Result<Self, CredentialError> {
        let keychain = keychain::available().await;
        let data = data.to_owned();
        blocking(move || Self::choose(&data, passphrase, keychain)).await
    }

    /// Like [`Self::open`], but without the keychain: for `--data` on machines that have none.
    ///
    /// # Errors
    /// As for [`Self::open`].
    pub async fn open_file(data: &Path, passphrase: SecretString) -> Result<Self, CredentialError> {
        let data = data.to_owned();
        let keychain = Err("it was not asked".to_owned());
        blocking(move || Self::choose(&data, Some(passphrase), keychain)).await
    }

    fn choose(
        data: &Path,
        passphrase: Option<SecretString>,
        keychain: Result<Arc<dyn Backend>, String>,
    ) -> Result<Self, CredentialError> {
        let record = Record::of(data);
        let file = data.join("credentials.age");
        let open_file = |passphrase| EncryptedFile::open(file.clone(), passphrase);
        let backend: Arc<dyn Backend> = match (record.read()?.in_use(), file.exists()) {
            (Some(StoreKind::Keychain), other) => {
                if other {
                    tracing::warn!("credentials.age is not used: the credentials are kept in the keychain");
                }
                keychain
                    .map_err(|reason| CredentialError::Unreachable { store: StoreKind::Keychain, reason })?
            }
            (Some(StoreKind::File), false) => {
                let reason = "it is gone".to_owned();
                return Err(CredentialError::Unreachable { store: StoreKind::File, reason });
            }
            (_, true) => Arc::new(open_file(passphrase.ok_or(CredentialError::PassphraseNeeded)?)?),
            (None, false) => match (keychain, passphrase) {
                (Ok(keychain), _) => keychain,
                (Err(reason), None) => return Err(CredentialError::NoStore { reason }),
                (Err(reason), Some(passphrase)) => {
                    tracing::info!("no keychain ({reason}): credentials are kept in an encrypted file");
                    Arc::new(open_file(passphrase)?)
                }
            },
        };
        Ok(Self { record: Arc::new(record), backend })
    }

    pub fn kind(&self) -> StoreKind {
        self.backend.kind()
    }

    /// The secret as it is sent; of a sign-in the access token. `None` if the credential does not exist.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn get(&self, name: &CredentialName) -> Result<Option<SecretString>, CredentialError> {
        Ok(self.stored(name).await?.map(Stored::usable))
    }

    pub(crate) async fn stored(&self, name: &CredentialName) -> Result<Option<Stored>, CredentialError> {
        let (backend, name) = (self.backend.clone(), name.clone());
        Ok(blocking(move || backend.get(&name)).await?.map(Stored::of))
    }

    /// # Errors
    /// As for [`Self::get`].
    pub async fn has(&self, name: &CredentialName) -> Result<bool, CredentialError> {
        Ok(self.get(name).await?.is_some())
    }

    /// Stores a value, replacing an existing one.
    ///
    /// # Errors
    /// If it is empty or longer than [`MAX_BYTES`] (2,560 bytes in the Credential Manager of Windows), if
    /// the name differs from an existing one only in case, or if the store refuses.
    pub async fn set(&self, name: &CredentialName, value: SecretString) -> Result<(), CredentialError> {
        let (store, name) = (self.clone(), name.clone());
        blocking(move || store.set_now(&name, &value)).await
    }

    fn set_now(&self, name: &CredentialName, value: &SecretString) -> Result<(), CredentialError> {
        match value.expose_secret().len() {
            0 => return Err(CredentialError::Empty { name: name.clone() }),
            length if length > MAX_BYTES => {
                return Err(CredentialError::TooLong { name: name.clone(), max: MAX_BYTES });
            }
            _ => {}
        }
        let lock = self.record.lock()?;
        let before = self.record.read()?;
        if let Some(store) = before.in_use().filter(|store| *store != self.kind()) {
            return Err(CredentialError::StoreChanged { store });
        }
        let names = self.backend.names()?.unwrap_or_else(|| before.names.iter().cloned().collect());
        if let Some(other) = names.into_iter().find(|other| other.differs_in_case_only(name)) {
            return Err(CredentialError::CaseConflict { name: name.clone(), other });
        }
        let mut after = before.clone();
        after.store = Some(self.kind());
        after.names.insert(name.clone());
        match self.kind() {
            // The record first: without it, a start without the keychain would create a file.
            StoreKind::Keychain => {
                if after != before {
                    self.record.write(&lock, &after)?;
                }
                let set = self.backend.set(name, value);
                if set.is_err() && after != before {
                    self.record.write(&lock, &before)?;
                }
                set
            }
            // The file first: it needs no record, whereas a record without the file means that it was lost.
            StoreKind::File => {
                self.backend.set(name, value)?;
                if after != before {
                    self.record.write(&lock, &after)?;
                }
                Ok(())
            }
        }
    }

    /// The names, sorted.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn list(&self) -> Result<Vec<CredentialName>, CredentialError> {
        let store = self.clone();
        blocking(move || {
            let names = match store.backend.names()? {
                Some(names) => names.into_iter().collect(),
                None => store.record.read()?.names,
            };
            Ok(names.into_iter().collect())
        })
        .await
    }

    /// Returns whether it existed.
    ///
    /// # Errors
    /// If the store refuses.
    pub async fn remove(&self, name: &CredentialName) -> Result<bool, CredentialError> {
        let (store, name) = (self.clone(), name.clone());
        blocking(move || {
            let lock = store.record.lock()?;
            let existed = store.backend.remove(&name)?;
            let mut entries = store.record.read()?;
            if entries.names.remove(&name) {
                store.record.write(&lock, &entries)?;
            }
            Ok(existed)
        })
        .await
    }
}

impl fmt::Debug for CredentialStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CredentialStore({:?})", self.kind())
    }
}

/// Keychains and disks block, and a keychain may even prompt the user.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CredentialError> + Send + 'static,
) -> Result<T, CredentialError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(_) => Err(CredentialError::Keychain { reason: "internal failure".to_owned() }),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
