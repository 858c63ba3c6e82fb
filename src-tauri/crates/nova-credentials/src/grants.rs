use std::fmt;
use std::path::{Path, PathBuf};

use nova_skill::Consumer;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::private_file;
use crate::{CredentialError, CredentialName, CredentialStore};

/// The credential store behind the user's grants.
#[derive(Debug, Clone)]
pub struct GrantedCredentials {
    pub store: CredentialStore,
    pub grants: Grants,
}

impl GrantedCredentials {
    /// Returns the secret for this consumer to use at this destination.
    ///
    /// # Errors
    /// [`CredentialError::NotGranted`] without a grant, whether or not the credential exists;
    /// [`CredentialError::Missing`] if it is granted but does not exist.
    pub async fn get_for(
        &self,
        consumer: &GrantConsumer,
        destination: &Destination,
        name: &CredentialName,
    ) -> Result<SecretString, CredentialError> {
        if !self.grants.allow(name, consumer, destination)? {
            return Err(CredentialError::NotGranted {
                name: name.clone(),
                consumer: consumer.name.clone(),
                destination: destination.to_string(),
            });
        }
        let secret = self.store.get(name).await?;
        secret.ok_or_else(|| CredentialError::Missing { name: name.clone() })
    }

    /// Removes the credential and its grants, so that they do not apply to a later secret of the same name.
    ///
    /// # Errors
    /// If the store or the grants cannot be written.
    pub async fn remove(&self, name: &CredentialName) -> Result<bool, CredentialError> {
        self.grants.revoke(name, None)?;
        self.store.remove(name).await
    }
}

/// "This consumer, in its present form, may use this credential at this destination."
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    pub credential: CredentialName,
    #[serde(flatten)]
    pub consumer: GrantConsumer,
    pub destination: Destination,
}

/// The recipient of a secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantConsumer {
    /// `provider:ID`, `skill:ID`, `server:NAME` or `tool:SKILL.TOOL`.
    #[serde(rename = "consumer")]
    pub name: String,
    /// A hash of its definition; anything else under the same name has a different one.
    pub fingerprint: String,
}

impl GrantConsumer {
    /// `parts` is the complete definition: the content of the file; or command, arguments and environment; or
    /// kind and address.
    pub fn new(name: impl Into<String>, parts: &[&str]) -> Self {
        Self { name: name.into(), fingerprint: hash_of(parts) }
    }
}

impl From<&Consumer> for GrantConsumer {
    fn from(consumer: &Consumer) -> Self {
        match &consumer.definition {
            Some(definition) => Self::new(consumer.to_string(), &["tool", definition]),
            None => Self::new(consumer.to_string(), &["skill", &consumer.skill]),
        }
    }
}

/// The destination of a secret: hosts, or the environment of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Destination(String);

impl Destination {
    /// The origin of a URL, such as `https://api.example.com:443`, without its path.
    pub fn host(url: &Url) -> Self {
        let port = url.port_or_known_default().map(|port| format!(":{port}")).unwrap_or_default();
        Self(format!("{}://{}{port}", url.scheme(), url.host_str().unwrap_or_default()))
    }

    /// The hosts declared by a tool, in any order.
    pub fn hosts<'a>(hosts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut hosts: Vec<String> = hosts.into_iter().map(str::to_ascii_lowercase).collect();
        hosts.sort_unstable();
        hosts.dedup();
        Self(format!("hosts {}", hosts.join(" ")))
    }

    /// A command with its arguments, displayed as the program and a hash of the whole.
    pub fn command(program: &str, args: &[&str]) -> Self {
        let mut parts = vec![program];
        parts.extend_from_slice(args);
        Self(format!("command {program} {}", &hash_of(&parts)[..16]))
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The file `<data>/grants.json`. It is read on every access, so that a revocation takes effect in all
/// processes.
#[derive(Debug, Clone)]
pub struct Grants {
    file: PathBuf,
}

#[derive(Default, Serialize, Deserialize)]
struct Stored {
    grants: Vec<Grant>,
}

impl Grants {
    pub fn of(data: &Path) -> Self {
        Self { file: data.join("grants.json") }
    }

    /// All grants, oldest first.
    ///
    /// # Errors
    /// If the file cannot be read or is invalid; nothing is granted then.
    pub fn list(&self) -> Result<Vec<Grant>, CredentialError> {
        let Some(bytes) = private_file::read(&self.file)? else { return Ok(Vec::new()) };
        let stored: Stored = serde_json::from_slice(&bytes).map_err(|error| CredentialError::Damaged {
            file: self.file.clone(),
            reason: format!("line {}, column {}", error.line(), error.column()),
        })?;
        Ok(stored.grants)
    }

    /// # Errors
    /// As for [`Self::list`].
    pub fn allow(
        &self,
        credential: &CredentialName,
        consumer: &GrantConsumer,
        destination: &Destination,
    ) -> Result<bool, CredentialError> {
        Ok(self.list()?.iter().any(|grant| {
            grant.credential == *credential
                && grant.consumer == *consumer
                && grant.destination == *destination
        }))
    }

    /// Adds a grant and removes the consumer's grants for this credential under other fingerprints, so that
    /// reverting a change asks again.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn grant(&self, grant: Grant) -> Result<(), CredentialError> {
        self.change(|grants| {
            grants.retain(|old| {
                let same = old.credential == grant.credential && old.consumer.name == grant.consumer.name;
                !same
                    || (old.consumer.fingerprint == grant.consumer.fingerprint
                        && old.destination != grant.destination)
            });
            grants.push(grant);
        })
    }

    /// Revokes the credential from the consumer of this name, with any fingerprint, or from all consumers.
    /// Returns the number of removed grants.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn revoke(
        &self,
        credential: &CredentialName,
        consumer: Option<&str>,
    ) -> Result<usize, CredentialError> {
        self.change(|grants| {
            let before = grants.len();
            grants.retain(|grant| {
                grant.credential != *credential || consumer.is_some_and(|name| grant.consumer.name != name)
            });
            before - grants.len()
        })
    }

    fn change<T>(&self, change: impl FnOnce(&mut Vec<Grant>) -> T) -> Result<T, CredentialError> {
        let lock = private_file::lock(&self.file)?;
        let mut grants = self.list()?;
        let changed = change(&mut grants);
        let bytes = serde_json::to_vec_pretty(&Stored { grants })
            .map_err(|error| CredentialError::io(&self.file)(error.into()))?;
        private_file::replace(&lock, &self.file, &bytes)?;
        Ok(changed)
    }
}

/// Prefixes each part with its length, so that different lists have different hashes.
fn hash_of(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}
