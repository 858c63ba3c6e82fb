//! The list of vaults that were open, in the configuration.

use serde_json::{Map, Value, json};

/// So many vaults are listed besides the open one.
pub(crate) const MOST_RECENT: usize = 8;

/// Puts the vault that is opened now first, after it the one that was open.
pub(crate) fn remember_vault(config: &mut Map<String, Value>, path: &str, now: &str) {
    let before = config.get("vault").and_then(Value::as_str).map(str::to_owned);
    let recent = config.entry("recent_vaults").or_insert_with(|| json!([]));
    // A list of another shape was not written by Nova and tells nothing.
    if !recent.is_array() {
        *recent = json!([]);
    }
    let Some(recent) = recent.as_array_mut() else { return };
    if let Some(before) = before
        && recent.iter().all(|entry| entry["path"] != *before)
    {
        recent.insert(0, json!({ "path": before }));
    }
    recent.retain(|entry| entry["path"] != path);
    recent.insert(0, json!({ "path": path, "opened": now }));
    recent.truncate(MOST_RECENT + 1);
}
