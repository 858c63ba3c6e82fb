//! Stores and grants credentials, and signs in at OAuth servers.
//!
//! Secrets are stored in the system's keychain or, if there is none, in a file encrypted with a passphrase.
//! This crate never stores a secret as plain text, never prints one or puts one into an error, never opens
//! another store because the one that holds the credentials cannot be reached, and never opens a browser.
//!
//! # Invariants
//!
//! - A secret is in the keychain or the encrypted file, and in no other file, log, error or `Debug` output:
//!   `tests/credentials/canary.rs`.
//! - A store that cannot be reached is an error; no other store is opened instead:
//!   `tests/credentials/secret_service.rs`.
//! - A token is renewed by a single request, however many tasks and processes need it, and a refresh token is
//!   sent only to the server that issued it: `tests/credentials/renewing.rs`.
//! - Of a sign-in, only the access token leaves the store (`CredentialStore::get`):
//!   `tests/credentials/signing_in.rs`.
//! - A server's documents lead a sign-in only to public addresses, or to this machine if the server runs on
//!   it, and only to the issuer that they name: `tests/credentials/signing_in_for.rs`.
//! - A user's own client signs in only at its provider, and its tokens are revoked there:
//!   `tests/credentials/signing_in_known.rs`.
//! - A sign-in results in a token that its server's tools use, or reports who has to act:
//!   `tests/journeys/signing_in.rs`.

mod error;
mod grants;
mod interpolation;
mod name;
mod oauth;
mod private_file;
mod store;
mod store_kind;

pub use error::CredentialError;
pub use grants::{Destination, Grant, GrantConsumer, GrantedCredentials, Grants};
pub use interpolation::{Place, Template};
pub use name::CredentialName;
pub use oauth::{
    Access, Challenge, ClientSettings, DiscoveredServer, Endpoint, OAuth, OAuthClient, Opener,
    ProtectedResource, Provider, ProviderServers,
};
pub use store::{CredentialStore, MAX_BYTES};
pub use store_kind::StoreKind;
