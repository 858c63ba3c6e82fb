//! The list of vaults that were open, in the configuration.

use std::path::Path;

use serde_json::{Map, Value, json};

/// How many vaults are listed besides the open one.
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

/// Dates the entries whose folders are missing, and takes the date from those that are back.
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
