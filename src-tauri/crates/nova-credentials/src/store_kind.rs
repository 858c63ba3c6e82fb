use std::fmt;

use serde::{Deserialize, Serialize};

/// The store that holds the credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoreKind {
    Keychain,
    /// The file `<data>/credentials.age`.
    File,
}

impl fmt::Display for StoreKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Keychain => "the system's keychain",
            Self::File => "the encrypted file credentials.age",
        })
    }
}
