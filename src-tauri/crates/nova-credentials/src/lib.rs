//! Credentials: where secrets are kept, who gets one, and signing in at a server.
//!
//! Secrets are in the system's keychain, or, where none answers, in a file that a passphrase
//! encrypts. This crate never writes one as plain text, prints one, puts one into an error, or opens
//! another store because the one that holds them cannot be reached; it never opens a browser.
//!
//! # Invariants
//!
//! - A secret is in the keychain or the encrypted file, and in no other file, log, error or `Debug` output:
//!   `tests/credentials/canary.rs`.
//! - A store that cannot be reached is an error; no other store is opened instead:
//!   `tests/credentials/secret_service.rs`.
//! - A token is renewed by one request, however many tasks and processes ask, and a refresh token goes only to the
//!   server that issued it: `tests/credentials/renewing.rs`.
//! - Of a sign-in only the access token leaves the store (`CredentialStore::get`):
//!   `tests/credentials/signing_in.rs`.
//! - A server's documents lead a sign-in only to public addresses, or to this machine where the server is on it,
//!   and only to the issuer that they name: `tests/credentials/signing_in_for.rs`.
//! - A client of the user's signs in at its provider alone, and tokens of its sign-in are revoked there:
//!   `tests/credentials/signing_in_known.rs`.
//! - A sign-in ends in a token that its server's tools use, or reports who has to continue:
//!   `tests/journeys/signing_in.rs`.

mod error;
mod grants;
mod interpolation;
mod kept_in;
mod name;
mod oauth;
mod private_file;
mod store;

pub use error::CredentialError;
pub use grants::{Destination, Grant, GrantConsumer, GrantedCredentials, Grants};
pub use interpolation::{Place, Template};
pub use kept_in::KeptIn;
pub use name::CredentialName;
pub use oauth::{
    Access, Challenge, Endpoint, Found, GivenClient, OAuth, OAuthClient, Opener, ProtectedResource, Provider,
    ProviderServers,
};
pub use store::{CredentialStore, MOST_BYTES};
