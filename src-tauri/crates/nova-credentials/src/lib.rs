//! Credentials: where secrets are kept, who gets one, and signing in at a server.
//!
//! Secrets are in the system's keychain, or, where none answers, in a file that a passphrase
//! encrypts. This crate never writes one as plain text, prints one, puts one into an error, or opens
//! another store because the one that holds them cannot be reached; it never opens a browser.

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
pub use oauth::{Endpoint, OAuth, OAuthClient, Opener};
pub use store::{CredentialStore, MOST_BYTES};
