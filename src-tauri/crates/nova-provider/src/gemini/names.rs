//! Tool names, which must start with a letter or `_` in this dialect. A leading digit is prefixed with `_`.

use std::collections::HashMap;

use crate::ChatRequest;

/// The name of a tool on the wire.
pub(super) fn wire_name(name: &str) -> String {
    let is_taken = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if is_taken { name.to_owned() } else { format!("_{name}") }
}

/// Maps the wire names of renamed tools to their original names.
pub(super) fn renamed(request: &ChatRequest) -> HashMap<String, String> {
    let names = request.all_tools().map(|tool| (wire_name(&tool.name), tool.name.clone()));
    names.filter(|(wire, name)| wire != name).collect()
}
