use std::fmt;
use std::path::{Path, PathBuf};

use nova_skill::Consumer;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::private_file;
use crate::{CredentialError, CredentialName, CredentialStore};

/// The credentials, each only for whom and where the user has allowed it.
#[derive(Debug, Clone)]
pub struct GrantedCredentials {
    pub store: CredentialStore,
    pub grants: Grants,
}

impl GrantedCredentials {
    /// The secret, for this consumer to use there.
    ///
    /// # Errors
    /// [`CredentialError::NotGranted`] without a grant, also where there is no such credential;
    /// [`CredentialError::Missing`] where there is a grant and none is kept.
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

    /// Removes the credential and its grants: what is later set under the name is another secret.
    ///
    /// # Errors
    /// When either cannot be written.
    pub async fn remove(&self, name: &CredentialName) -> Result<bool, CredentialError> {
        self.grants.revoke(name, None)?;
        self.store.remove(name).await
    }
}

/// "This consumer, as it is now, may have this credential for this destination."
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    pub credential: CredentialName,
    #[serde(flatten)]
    pub consumer: GrantConsumer,
    pub destination: Destination,
}

/// Who is to have a secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantConsumer {
    /// `provider:ID`, `skill:ID`, `server:NAME` or `tool:SKILL.TOOL`.
    #[serde(rename = "consumer")]
    pub name: String,
    /// A hash of what it is. Something else under the same name has another.
    pub fingerprint: String,
}

impl GrantConsumer {
    /// `parts` are all that make it what it is: the content of its file; command, arguments and
    /// environment; kind and address.
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

/// Where a secret goes: to hosts, or to the environment of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Destination(String);

impl Destination {
    /// The origin of an address: `https://api.example.com:443`, whatever its path.
    pub fn host(url: &Url) -> Self {
        let port = url.port_or_known_default().map(|port| format!(":{port}")).unwrap_or_default();
        Self(format!("{}://{}{port}", url.scheme(), url.host_str().unwrap_or_default()))
    }

    /// The hosts that a tool declares, in any order.
    pub fn hosts<'a>(hosts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut hosts: Vec<String> = hosts.into_iter().map(str::to_ascii_lowercase).collect();
        hosts.sort_unstable();
        hosts.dedup();
        Self(format!("hosts {}", hosts.join(" ")))
    }

    /// A command with its arguments; shown as the program and a hash of all of it.
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

/// `<data>/grants.json`. It is read at every question, so that what one Nova revokes holds in all.
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
    /// When the file cannot be read. A broken one grants nothing.
    pub fn list(&self) -> Result<Vec<Grant>, CredentialError> {
        let Some(bytes) = private_file::read(&self.file)? else { return Ok(Vec::new()) };
        let stored: Stored = serde_json::from_slice(&bytes).map_err(|error| CredentialError::Damaged {
            file: self.file.clone(),
            reason: format!("line {}, column {}", error.line(), error.column()),
        })?;
        Ok(stored.grants)
    }

    /// # Errors
    /// As [`Self::list`].
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

    /// Remembers a grant. It ends those that the consumer had for the credential when it was
    /// something else: changing back asks again.
    ///
    /// # Errors
    /// When the file cannot be read or written.
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

    /// Takes the credential from a consumer (by name, whatever it is now), or from all.
    /// Returns how many grants there were.
    ///
    /// # Errors
    /// When the file cannot be read or written.
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

/// Each part with its length, so that no two lists read the same.
fn hash_of(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}
