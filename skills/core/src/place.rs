//! What a path names: something in the vault, or in a folder outside of it.

use nova_skill::{ToolContext, ToolError, VaultPath};

pub(crate) enum Place {
    /// Relative to the vault; empty for the vault itself.
    Vault(String),
    /// As it was given.
    Folder(String),
}

/// The name of the vault in a path.
pub(crate) const VAULT: &str = "vault";

impl Place {
    pub(crate) async fn of(ctx: &dyn ToolContext, path: &str) -> Result<Self, ToolError> {
        let path = path.trim_end_matches('/');
        if path == VAULT {
            return Ok(Self::Vault(String::new()));
        }
        if let Some(below) = path.strip_prefix("vault/") {
            return Ok(Self::Vault(below.to_owned()));
        }
        if path.starts_with('/') || path.contains(":\\") {
            let name = match ctx.vault().name_of(path).await {
                Err(ToolError::NoVault) => None,
                name => name?,
            };
            if let Some(name) = name {
                return Ok(Self::Vault(name));
            }
        }
        Ok(Self::Folder(path.to_owned()))
    }
}

/// As tools name a file of the vault.
pub(crate) fn in_vault(path: &VaultPath) -> String {
    format!("{VAULT}/{path}")
}

pub(crate) fn vault_path(below: &str) -> Result<VaultPath, ToolError> {
    VaultPath::parse(below).map_err(|error| nova_skill::VaultError::from(error).into())
}

/// The notes of the vault below a folder of it that fit, by path.
pub(crate) async fn notes_below(
    ctx: &dyn ToolContext,
    folder: &str,
    fits: impl Fn(&str) -> bool,
) -> Result<Vec<VaultPath>, ToolError> {
    let mut paths = ctx.vault().paths().await?;
    paths.retain(|path| below(path, folder).is_some_and(&fits));
    Ok(paths)
}

/// The path from that folder on; `None` outside of it.
pub(crate) fn below<'a>(path: &'a VaultPath, folder: &str) -> Option<&'a str> {
    match folder {
        "" => Some(path.as_str()),
        folder => path.as_str().strip_prefix(folder)?.strip_prefix('/'),
    }
}
