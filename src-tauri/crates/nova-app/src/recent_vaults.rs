//! The list of recently open vaults in the configuration.

use std::path::Path;

use serde_json::{Map, Value, json};

/// Maximum number of vaults besides the open one.
pub(crate) const MOST_RECENT: usize = 8;

/// Puts the vault being opened first, followed by the previously open one.
pub(crate) fn remember_vault(config: &mut Map<String, Value>, path: &str, now: &str) {
    let before = config.get("vault").and_then(Value::as_str).map(str::to_owned);
    let recent = config.entry("recent_vaults").or_insert_with(|| json!([]));
    // Not written by Nova, so it is ignored.
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

/// Adds the current date to entries whose folders are missing, and removes it from those that exist again.
pub(crate) fn date_missing(config: &mut Map<String, Value>, now: &str) {
    let entries = config.get_mut("recent_vaults").and_then(Value::as_array_mut).into_iter().flatten();
    for entry in entries.filter_map(Value::as_object_mut) {
        let Some(path) = entry.get("path").and_then(Value::as_str) else { continue };
        if Path::new(path).is_dir() {
            entry.remove("missing_since");
        } else {
            entry.entry("missing_since").or_insert_with(|| json!(now));
        }
    }
}
