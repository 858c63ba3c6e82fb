//! Parameters and results of the commands about credentials.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};
use ts_rs::TS;

/// A secret on its way in. There is no way out of here but [`SecretText::take`]: it is neither
/// written as JSON nor shown, and an error about it does not quote it.
#[derive(Clone, PartialEq, Eq, TS)]
#[ts(type = "string")]
pub struct SecretText(#[ts(skip)] String);

impl SecretText {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Unwraps the secret, for the store.
    pub fn take(self) -> String {
        self.0
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretText(…)")
    }
}

impl<'de> Deserialize<'de> for SecretText {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        // The error must not repeat the secret.
        match String::deserialize(from) {
            Ok(text) => Ok(Self(text)),
            Err(_) => Err(serde::de::Error::custom("it is not a text")),
        }
    }
}

/// The state of credentials: never a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CredentialsView {
    /// None if no store is open.
    pub kept_in: Option<CredentialPlace>,
    /// Why they cannot be reached; `passphrase_needed` or `no_credential_store` where
    /// `unlock_credentials` would help.
    pub problem: Option<crate::UserError>,
    pub credentials: Vec<CredentialRow>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum CredentialPlace {
    Keychain,
    /// `<data>/credentials.age`
    File,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CredentialRow {
    /// `service/key`; only `service` if a tool requires one and no key exists.
    pub name: String,
    pub state: CredentialState,
    pub reason: Option<String>,
    /// Obtained by signing in, not by typing it.
    pub sign_in: bool,
    /// Of a sign-in: the host where one signs in or, with `server`, that of the server, which gets the token.
    pub host: Option<String>,
    /// The MCP server that a sign-in is for.
    pub server: Option<String>,
    /// Who declares it: `skill:ID`, `tool:SKILL.TOOL`, `provider:ID`.
    pub wanted_by: Vec<String>,
    pub grants: Vec<GrantRow>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum CredentialState {
    Kept,
    Missing,
    NeedsSignIn,
    /// Its store cannot be reached.
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct GrantRow {
    /// `provider:ID`, `skill:ID`, `tool:SKILL.TOOL`.
    pub consumer: String,
    /// An address, or hosts.
    pub destination: String,
    /// False if the consumer changed since this was granted.
    pub in_force: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize, TS)]
pub struct SetCredential {
    /// `service/key`
    pub name: String,
    pub value: SecretText,
    /// Its first consumer, as for `grant_credential`. A provider without a key is given the
    /// reference to it in `nova.config.json`, too.
    #[serde(default)]
    #[ts(optional)]
    pub grant_to: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CredentialRef {
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SignIn {
    /// `service/key`
    pub name: String,
    /// The host shown to the user; the browser opens no other.
    #[serde(default)]
    #[ts(optional)]
    pub host: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct GrantCredential {
    pub name: String,
    /// `provider:ID`, `skill:ID`, `tool:SKILL.TOOL`.
    pub to: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize, TS)]
pub struct UnlockCredentials {
    /// Of the encrypted file; without a keychain and a file, one is created with it.
    pub passphrase: SecretText,
}
