//! Configured folders outside of the vault.

use std::path::PathBuf;

use nova_skill::Access;
use serde_json::Value;

/// An entry of `workspaces`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceConfig {
    pub path: PathBuf,
    pub access: Access,
}

/// Parses `workspaces`.
///
/// # Errors
/// With the invalid key, and the reason.
pub(super) fn read(value: Option<&Value>) -> Result<Vec<WorkspaceConfig>, (String, String)> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(Vec::new()) };
    let wrong = |key: String, why: &str| (key, why.to_owned());
    let list = value.as_array().ok_or_else(|| wrong("workspaces".into(), "must be a list"))?;
    let entry = |(at, entry): (usize, &Value)| {
        let key = |name: &str| format!("workspaces[{at}].{name}");
        let path = entry["path"].as_str().map(PathBuf::from).filter(|path| path.is_absolute());
        let path = path.ok_or_else(|| wrong(key("path"), "must be an absolute path"))?;
        let access = match &entry["access"] {
            Value::Null => Access::Read,
            access => serde_json::from_value(access.clone())
                .map_err(|_| wrong(key("access"), "must be \"read\" or \"write\""))?,
        };
        Ok(WorkspaceConfig { path, access })
    };
    list.iter().enumerate().map(entry).collect()
}
