use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::iter;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use age::scrypt::{Identity, Recipient};
use age::{DecryptError, Decryptor, Encryptor};
use secrecy::zeroize::Zeroizing;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use super::Backend;
use crate::StoreKind;
use crate::private_file::{self, Lock};
use crate::{CredentialError, CredentialName};

/// scrypt with N = 2^17, r = 8 as recommended by OWASP: each guess takes 128 MB and some tenths of a second.
const WORK_FACTOR: u8 = 17;
/// A file with more than eight times that work factor is rejected: Nova did not create it.
const MAX_WORK_FACTOR: u8 = WORK_FACTOR + 3;

/// The file `<data>/credentials.age`: JSON `{"values": {"service/key": "…"}}`, encrypted with a passphrase in
/// the age format, so that `age --decrypt` can open it.
pub(super) struct EncryptedFile {
    file: PathBuf,
    passphrase: SecretString,
    /// The last decrypted content by the hash of the ciphertext, as deriving the key is deliberately slow.
    opened: Mutex<Option<(blake3::Hash, Values)>>,
}

type Values = BTreeMap<CredentialName, SecretString>;

#[derive(Deserialize)]
struct Stored {
    values: BTreeMap<CredentialName, String>,
}

#[derive(Serialize)]
struct StoredRef<'a> {
    values: BTreeMap<&'a str, &'a str>,
}

impl EncryptedFile {
    /// The file is created with the first credential; an existing one must decrypt.
    pub(super) fn open(file: PathBuf, passphrase: SecretString) -> Result<Self, CredentialError> {
        if passphrase.expose_secret().is_empty() {
            return Err(CredentialError::EmptyPassphrase);
        }
        let opened = Self { file, passphrase, opened: Mutex::new(None) };
        opened.values()?;
        Ok(opened)
    }

    /// The current content of the file, even if another process has written it.
    fn values(&self) -> Result<Values, CredentialError> {
        let Some(bytes) = private_file::read(&self.file)? else { return Ok(Values::new()) };
        let hash = blake3::hash(&bytes);
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, values)) = opened.as_ref().filter(|(known, _)| *known == hash) {
            return Ok(values.clone());
        }
        let values = self.decrypt(&bytes)?;
        *opened = Some((hash, values.clone()));
        Ok(values)
    }

    fn decrypt(&self, bytes: &[u8]) -> Result<Values, CredentialError> {
        let damaged =
            |reason: &str| CredentialError::Damaged { file: self.file.clone(), reason: reason.into() };
        let refused = |error| match error {
            DecryptError::DecryptionFailed
            | DecryptError::KeyDecryptionFailed
            | DecryptError::NoMatchingKeys => CredentialError::WrongPassphrase { file: self.file.clone() },
            DecryptError::ExcessiveWork { .. } => damaged("its key derivation costs more than Nova allows"),
            _ => damaged("it is not an age file, or was truncated or modified"),
        };
        let mut identity = Identity::new(self.passphrase.clone());
        identity.set_max_work_factor(MAX_WORK_FACTOR);
        let decryptor = Decryptor::new(bytes).map_err(refused)?;
        let mut plain = decryptor.decrypt(iter::once(&identity as &dyn age::Identity)).map_err(refused)?;
        // Allocated once, so that reallocation leaves no copies in memory.
        let mut text = Zeroizing::new(Vec::with_capacity(bytes.len()));
        plain.read_to_end(&mut text).map_err(|_| damaged("it was truncated or modified"))?;
        // serde's error could quote the content.
        let stored: Stored =
            serde_json::from_slice(&text).map_err(|_| damaged("its content was not written by Nova"))?;
        Ok(stored.values.into_iter().map(|(name, value)| (name, value.into())).collect())
    }

    fn write(&self, lock: &Lock, values: Values) -> Result<(), CredentialError> {
        let failed = CredentialError::io(&self.file);
        let bytes = self.encrypt(&values).map_err(failed)?;
        private_file::replace(lock, &self.file, &bytes)?;
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        *opened = Some((blake3::hash(&bytes), values));
        Ok(())
    }

    fn encrypt(&self, values: &Values) -> std::io::Result<Vec<u8>> {
        let values = values.iter().map(|(name, value)| (name.as_str(), value.expose_secret())).collect();
        let plain = Zeroizing::new(serde_json::to_vec(&StoredRef { values })?);
        let mut recipient = Recipient::new(self.passphrase.clone());
        recipient.set_work_factor(WORK_FACTOR);
        let encryptor = Encryptor::with_recipients(iter::once(&recipient as &dyn age::Recipient))
            .map_err(std::io::Error::other)?;
        let mut bytes = Vec::new();
        let mut out = encryptor.wrap_output(&mut bytes)?;
        out.write_all(&plain)?;
        out.finish()?;
        Ok(bytes)
    }
}

impl Backend for EncryptedFile {
    fn kind(&self) -> StoreKind {
        StoreKind::File
    }

    fn get(&self, name: &CredentialName) -> Result<Option<SecretString>, CredentialError> {
        Ok(self.values()?.remove(name))
    }

    fn set(&self, name: &CredentialName, value: &SecretString) -> Result<(), CredentialError> {
        let lock = private_file::lock(&self.file)?;
        let mut values = self.values()?;
        values.insert(name.clone(), value.clone());
        self.write(&lock, values)
    }

    fn remove(&self, name: &CredentialName) -> Result<bool, CredentialError> {
        let lock = private_file::lock(&self.file)?;
        let mut values = self.values()?;
        let existed = values.remove(name).is_some();
        if existed {
            self.write(&lock, values)?;
        }
        Ok(existed)
    }

    fn names(&self) -> Result<Option<Vec<CredentialName>>, CredentialError> {
        Ok(Some(self.values()?.into_keys().collect()))
    }
}
