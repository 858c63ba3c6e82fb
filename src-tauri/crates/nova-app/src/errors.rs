//! Errors shared by several commands.

use nova_protocol::{ErrorCode, UserError};

pub(crate) fn no_vault() -> UserError {
    UserError::new(
        ErrorCode::NoVault,
        "No vault is open.",
        "Open one in the window, or choose a folder with --vault.",
    )
}
