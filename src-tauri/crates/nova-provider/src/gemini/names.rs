//! Names of tools, which begin with a letter or `_` here. One that begins with a digit gets a `_` before it.

use std::collections::HashMap;

use crate::ChatRequest;

/// The name of a tool on the wire.
pub(super) fn wire_name(name: &str) -> String {
    let is_taken = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if is_taken { name.to_owned() } else { format!("_{name}") }
}

/// The names of the tools that are called otherwise on the wire.
pub(super) fn renamed(request: &ChatRequest) -> HashMap<String, String> {
    let names = request.all_tools().map(|tool| (wire_name(&tool.name), tool.name.clone()));
    names.filter(|(wire, name)| wire != name).collect()
}
