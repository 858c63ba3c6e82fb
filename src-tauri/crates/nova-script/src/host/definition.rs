use nova_registry::{ToolFile, ToolFileError};
use nova_skill::{Description, Effect, NoteScope, ToolSpec};

use crate::protocol::{Definition, Fault, FaultKind};

/// Bytes of JSON of a tool's parameters.
pub(super) const MAX_SCHEMA: usize = 256 * 1024;
const MAX_NAME: usize = 64;
const MAX_DESCRIPTION: usize = 4096;
const MAX_LIST: usize = 64;
const EFFECTS: [&str; 5] = ["read", "write", "external", "destructive", "send"];

/// Whether a definition is as one must be. It comes from a process that has run the file, or from
/// a file that may be damaged, so that nothing in it is taken on trust.
///
/// # Errors
/// A sentence that says what is wrong.
pub(super) fn check(definition: &Definition) -> Result<(), String> {
    let Definition { name, description, parameters, effect, credentials, hosts, proposed_hosts } = definition;
    let of_name = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || "_-".contains(char);
    if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(of_name) {
        return Err(format!("name has to be 1 to {MAX_NAME} characters of a-z, 0-9, _ and -."));
    }
    if description.trim().is_empty() || description.chars().count() > MAX_DESCRIPTION {
        return Err(format!("description has to be a text of 1 to {MAX_DESCRIPTION} characters."));
    }
    if let Some(effect) = effect
        && !EFFECTS.contains(&effect.as_str())
    {
        return Err(format!("effect has to be one of {}.", EFFECTS.join(", ")));
    }
    list("requires_credentials", "`service` or `service/key`", credentials, is_credential)?;
    list("hosts", "a host name, or `name:port`", hosts, is_host)?;
    list("a host in the source", "a host name, or `name:port`", proposed_hosts, is_host)?;
    if parameters.get("type").and_then(|kind| kind.as_str()) != Some("object") {
        return Err("parameters has to describe an object: z.object({ … }).".into());
    }
    if parameters.to_string().len() > MAX_SCHEMA {
        return Err(format!("parameters is longer than {} KB as JSON Schema.", MAX_SCHEMA / 1024));
    }
    jsonschema::options()
        .with_draft(jsonschema::Draft::Draft202012)
        .build(parameters)
        .map_err(|error| format!("parameters is no JSON Schema: {error}."))?;
    Ok(())
}

/// What is known of the tool before it runs.
pub(super) fn spec(definition: &Definition, file: &ToolFile) -> ToolSpec {
    ToolSpec {
        id: definition.name.clone(),
        description: Description::purpose(&definition.description),
        parameters: definition.parameters.clone(),
        effect: effect(definition.effect.as_deref()),
        credentials: definition.credentials.clone(),
        hosts: definition.hosts.clone(),
        proposed_hosts: definition.proposed_hosts.clone(),
        definition: Some(blake3::hash(file.source.as_bytes()).to_hex().to_string()),
        question: None,
        on_notes: false,
        scope: NoteScope::OwnRecords,
    }
}

/// The file's name, as messages and stacks say it.
pub(super) fn file_name(file: &ToolFile) -> String {
    file.path.file_name().unwrap_or(file.path.as_os_str()).to_string_lossy().into_owned()
}

pub(super) fn file_error(file: &ToolFile, message: impl Into<String>) -> ToolFileError {
    ToolFileError { file: file_name(file), line: None, column: None, message: message.into() }
}

pub(super) fn fault_error(file: &ToolFile, fault: &Fault) -> ToolFileError {
    ToolFileError {
        file: file_name(file),
        line: fault.line,
        column: fault.column,
        message: fault.message.clone(),
    }
}

/// As a fault of the file that will be found again.
pub(super) fn fault(message: String) -> Fault {
    Fault { kind: FaultKind::Definition, message, line: None, column: None, stack: Vec::new() }
}

/// A script changes no note, so that one that says `write` changes something that Nova neither
/// sees nor can undo: it counts as if it said nothing, and is asked about at each call.
fn effect(spelled: Option<&str>) -> Effect {
    match spelled {
        Some("read") => Effect::Read,
        Some("external") => Effect::External,
        Some("destructive") => Effect::Destructive,
        Some("send") => Effect::Send,
        _ => Effect::Undeclared,
    }
}

fn list(what: &str, shape: &str, entries: &[String], fits: fn(&str) -> bool) -> Result<(), String> {
    if entries.len() > MAX_LIST {
        return Err(format!("{what}: at most {MAX_LIST} are allowed."));
    }
    match entries.iter().find(|entry| !fits(entry)) {
        Some(odd) => Err(format!("{what}: {odd:?} is not {shape}.")),
        None => Ok(()),
    }
}

fn is_credential(name: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty()
            && part.len() <= MAX_NAME
            && part.chars().all(|char| char.is_ascii_alphanumeric() || "._-".contains(char))
    };
    match name.split_once('/') {
        Some((service, key)) => part(service) && part(key),
        None => part(name),
    }
}

fn is_host(host: &str) -> bool {
    let (name, port) = host.split_once(':').map_or((host, None), |(name, port)| (name, Some(port)));
    let of_name = |char: char| char.is_ascii_alphanumeric() || "._-".contains(char);
    !name.is_empty()
        && name.len() <= 253
        && name.chars().all(of_name)
        && port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port > 0))
}
