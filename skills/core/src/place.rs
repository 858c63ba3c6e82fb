//! Resolves a path to the vault or to a folder outside of it.

use nova_skill::{ToolContext, ToolError, VaultPath};

pub(crate) enum Place {
    /// Relative to the vault; empty for the vault itself.
    Vault(String),
    /// As given.
    Folder(String),
}

/// The prefix of vault paths.
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

/// The path that tools use for a file of the vault.
pub(crate) fn in_vault(path: &VaultPath) -> String {
    format!("{VAULT}/{path}")
}

pub(crate) fn vault_path(below: &str) -> Result<VaultPath, ToolError> {
    VaultPath::parse(below).map_err(|error| nova_skill::VaultError::from(error).into())
}

/// The matching notes below a folder of the vault, by path.
pub(crate) async fn notes_below(
    ctx: &dyn ToolContext,
    folder: &str,
    fits: impl Fn(&str) -> bool,
) -> Result<Vec<VaultPath>, ToolError> {
    let mut paths = ctx.vault().paths().await?;
    paths.retain(|path| below(path, folder).is_some_and(&fits));
    Ok(paths)
}

/// The path relative to the folder; `None` outside of it.
pub(crate) fn below<'a>(path: &'a VaultPath, folder: &str) -> Option<&'a str> {
    match folder {
        "" => Some(path.as_str()),
        folder => path.as_str().strip_prefix(folder)?.strip_prefix('/'),
    }
}
