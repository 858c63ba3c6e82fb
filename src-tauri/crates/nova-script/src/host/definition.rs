use std::time::Duration;

use nova_registry::{ToolFile, ToolFileError, compile_schema};
use nova_skill::{Description, Effect, ToolSpec, VaultAccess};

use crate::protocol::{Definition, Fault, FaultKind, Fragments};

/// Maximum size of a tool's parameters, in bytes of JSON.
pub(super) const MAX_SCHEMA: usize = 256 * 1024;
const MAX_NAME: usize = 64;
const MAX_DESCRIPTION: usize = 4096;
const MAX_FRAGMENT: usize = 500;
const MAX_LIST: usize = 64;
const EFFECTS: [&str; 5] = ["read", "write", "external", "destructive", "send"];

/// Validates a definition. It comes from a process that has run the file, or from a cache file that may be
/// damaged, so it is untrusted.
///
/// # Errors
/// A sentence that names the problem.
pub(super) fn check(definition: &Definition) -> Result<(), String> {
    let Definition {
        name,
        description,
        fragments,
        parameters,
        effect,
        credentials,
        // Only hints, and filtered by `tidy`.
        keys: _,
        hosts,
        proposed_hosts,
        vault,
    } = definition;
    let of_name = |char: char| char.is_ascii_alphanumeric() || "_-".contains(char);
    if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(of_name) {
        return Err(format!("name must be 1 to {MAX_NAME} characters of A-Z, a-z, 0-9, _ and -."));
    }
    if description.trim().is_empty() || description.chars().count() > MAX_DESCRIPTION {
        return Err(format!("description must be a text of 1 to {MAX_DESCRIPTION} characters."));
    }
    if let Some(effect) = effect
        && !EFFECTS.contains(&effect.as_str())
    {
        return Err(format!("effect must be one of {}.", EFFECTS.join(", ")));
    }
    if *vault == Some(VaultAccess::Write) && effect.as_deref().is_some_and(|effect| effect != "write") {
        return Err("vault: 'write' goes with effect: 'write'. Hosts are asked about by themselves.".into());
    }
    let Fragments { use_when, not_when, cite, example } = fragments;
    let clauses = not_when.iter().flat_map(|not_when| [&not_when.clause, &not_when.instead]);
    let clauses: Vec<&String> = use_when.iter().chain(cite).chain(example).chain(clauses).collect();
    let is_text = |text: &&String| !text.trim().is_empty() && text.chars().count() <= MAX_FRAGMENT;
    if clauses.len() > MAX_LIST || !clauses.iter().all(is_text) {
        return Err(format!(
            "use_when, not_when, cite and example must be at most {MAX_LIST} texts of 1 to {MAX_FRAGMENT} characters."
        ));
    }
    list("requires_credentials", "`service` or `service/key`", credentials, is_credential)?;
    list("hosts", "a host name, or `name:port`", hosts, is_host)?;
    list("a host in the source", "a host name, or `name:port`", proposed_hosts, is_host)?;
    if parameters.get("type").and_then(|kind| kind.as_str()) != Some("object") {
        return Err("parameters must describe an object: z.object({ … }).".into());
    }
    if parameters.to_string().len() > MAX_SCHEMA {
        return Err(format!("parameters is longer than {} KB as JSON Schema.", MAX_SCHEMA / 1024));
    }
    compile_schema(parameters).map_err(|error| format!("parameters is not a JSON Schema: {error}."))?;
    Ok(())
}

/// The tool's specification.
pub(super) fn spec(definition: &Definition, file: &ToolFile, time: Duration) -> ToolSpec {
    // The file's own declaration takes precedence over its skill's.
    let declared = definition.vault.or(file.vault);
    let effect = effect(definition.effect.as_deref(), declared);
    // Write access granted by the skill is reduced to reading for files with a weaker effect.
    let vault = declared.map(|access| if effect == Effect::Write { access } else { VaultAccess::Read });
    let definition = &Definition { vault, ..definition.clone() };
    ToolSpec {
        credentials: definition.credentials.clone(),
        credential_keys: definition.keys.clone(),
        hosts: definition.hosts.clone(),
        proposed_hosts: definition.proposed_hosts.clone(),
        definition: Some(content(definition, file)),
        time_limit: Some(time),
        on_notes: effect == Effect::Write,
        vault,
        ..ToolSpec::new(&definition.name, description(definition), definition.parameters.clone(), effect)
    }
}

fn description(definition: &Definition) -> Description {
    let Fragments { use_when, not_when, cite, example } = definition.fragments.clone();
    let purpose = definition.description.trim();
    let stop = if definition.fragments == Fragments::default() || purpose.ends_with(['.', '!', '?']) {
        ""
    } else {
        "."
    };
    let mut description = Description::purpose(format!("{purpose}{stop}"));
    for clause in use_when {
        description = description.use_when(clause);
    }
    for not_when in not_when {
        description = description.not_when(not_when.clause, not_when.instead);
    }
    for what in cite {
        description = description.cite(what);
    }
    for request in example {
        description = description.example(request);
    }
    description
}

/// The hash that an approval is bound to: source and definition. The definition is included because the same
/// source may define something else the next time it is loaded.
fn content(definition: &Definition, file: &ToolFile) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(blake3::hash(file.source.as_bytes()).as_bytes());
    hasher.update(serde_json::json!(definition).to_string().as_bytes());
    hasher.finalize().to_hex().to_string()
}

/// Drops invalid hints: proposed hosts and keys are extracted from arbitrary text.
pub(super) fn tidy(mut definition: Definition) -> Definition {
    definition.proposed_hosts.retain(|host| is_host(host));
    definition.proposed_hosts.truncate(MAX_LIST);
    definition.keys.retain(|key| is_credential(key));
    definition.keys.truncate(MAX_LIST);
    definition
}

/// The file name for messages and stack traces.
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

/// A permanent fault of the file.
pub(super) fn fault(message: String) -> Fault {
    Fault { kind: FaultKind::Definition, message, line: None, column: None, stack: Vec::new() }
}

/// `write` without write access to notes would change something that Nova can neither observe nor undo: the
/// effect counts as undeclared, so that each call needs approval.
fn effect(spelled: Option<&str>, vault: Option<VaultAccess>) -> Effect {
    match (spelled, vault) {
        (None | Some("write"), Some(VaultAccess::Write)) => Effect::Write,
        (Some("read"), _) => Effect::Read,
        (Some("external"), _) => Effect::External,
        (Some("destructive"), _) => Effect::Destructive,
        (Some("send"), _) => Effect::Send,
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn defined(hosts: &[&str], proposed: &[&str]) -> Definition {
        let owned = |hosts: &[&str]| hosts.iter().map(ToString::to_string).collect();
        Definition {
            name: "weather".into(),
            description: "Says the weather.".into(),
            parameters: serde_json::json!({"type": "object"}),
            effect: Some("external".into()),
            credentials: Vec::new(),
            hosts: owned(hosts),
            proposed_hosts: owned(proposed),
            fragments: Fragments::default(),
            keys: Vec::new(),
            vault: None,
        }
    }

    #[test]
    fn approval_is_bound_to_definition_and_source() {
        let source: Arc<str> = "one text that says now this, now that".into();
        let file =
            ToolFile { owner: "dynamic/weather.ts".into(), path: "/weather.ts".into(), source, vault: None };
        let bound = |hosts: &[&str]| spec(&defined(hosts, &[]), &file, Duration::ZERO).definition.unwrap();
        assert_eq!(bound(&["safe.example"]), bound(&["safe.example"]));
        assert_ne!(bound(&["safe.example"]), bound(&["evil.example"]));
    }

    #[test]
    fn invalid_proposed_hosts_are_dropped() {
        let odd = ["[::1]:8080", "*.example.com", "cdn.example.com", ""];
        let tidied = tidy(defined(&[], &odd));
        assert_eq!(tidied.proposed_hosts, ["cdn.example.com"]);
        assert_eq!(check(&tidied), Ok(()));
        let many: Vec<String> = (0..100).map(|n| format!("h{n}.example")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(check(&tidy(defined(&[], &many))), Ok(()));
    }
}
