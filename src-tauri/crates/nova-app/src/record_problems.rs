//! Problems of the records of a vault, for `nova vault check`.

use std::collections::{BTreeMap, BTreeSet};

use nova_protocol::RecordMark;
use nova_registry::Snapshot;
use nova_skill::figures::folded;
use nova_skill::{Note, RecordType, VaultPath};
use nova_vault::{Problem, Recogniser, Rule, VaultError, View};
use serde_json::Value;

use crate::config_line::line_of;
use crate::record_reach::reach_problem;

/// A record type and its skill.
struct Kind<'a> {
    skill: &'a str,
    declared: &'a RecordType,
}

/// A problem; for a note that is not a record, with what would make it one.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Found {
    pub(crate) problem: Problem,
    pub(crate) mark: Option<Mark>,
}

/// Skill, record type, and property with its value.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mark(String, String, String);

impl From<Problem> for Found {
    fn from(problem: Problem) -> Self {
        Self { problem, mark: None }
    }
}

impl From<Mark> for RecordMark {
    fn from(Mark(skill, record_type, mark): Mark) -> Self {
        Self { skill, record_type, mark }
    }
}

/// Records that violate their declaration, notes claimed by several types, and notes in a folder of records
/// that are not records. `config` is the text of `nova.config.json`.
pub(crate) fn record_problems(
    view: &View,
    skills: &Snapshot,
    config: &str,
) -> Result<Vec<Found>, VaultError> {
    let kinds: Vec<Kind<'_>> = skills
        .available()
        .flat_map(|skill| skill.records.iter().map(|declared| Kind { skill: &skill.id, declared }))
        .collect();
    let folders = kinds.iter().map(|kind| Rule::Folder(kind.declared.folder.clone()));
    let in_folders = Recogniser::new(folders);
    let recognisers = kinds.iter().map(|kind| kind.declared.recogniser());
    let mut found: Vec<Found> = Vec::new();
    for note in view.records(&Recogniser::any_of(recognisers.chain([&in_folders])))? {
        let claimed: Vec<&Kind<'_>> = kinds.iter().filter(|kind| kind.declared.recognises(&note)).collect();
        match claimed.as_slice() {
            [] => found.extend(own_folder(&note, &kinds).map(|kind| fits_nothing(&note, kind))),
            [kind] => found.extend(kind.declared.check(&note).into_iter().map(Found::from)),
            [_, .., last] => {
                if !says_each(&note, &claimed) {
                    found.push(claimed_by(&note, &claimed, last).into());
                }
                let mut checked: Vec<Problem> =
                    claimed.iter().flat_map(|kind| kind.declared.check(&note)).collect();
                // Removes duplicates for a property that both have.
                checked.sort();
                checked.dedup();
                found.extend(checked.into_iter().map(Found::from));
            }
        }
    }
    for kind in &kinds {
        found.extend(reach_problem(view, kind.skill, kind.declared, config)?.map(Found::from));
        found.extend(missing_template(view, kind, config)?.map(Found::from));
    }
    Ok(found)
}

/// The note that new records are to be made from is missing: none can be added.
fn missing_template(view: &View, kind: &Kind, config: &str) -> Result<Option<Problem>, VaultError> {
    let Some(template) = kind.declared.template_note() else { return Ok(None) };
    match VaultPath::parse(template).map_err(drop).map(|path| view.read(&path)) {
        Ok(Ok(_)) => return Ok(None),
        Ok(Err(VaultError::NotFound { .. })) | Err(()) => {}
        Ok(Err(error)) => return Err(error),
    }
    let name = kind.declared.name();
    let key = format!("skills.{}.config.records.{name}.template", kind.skill);
    Ok(Some(Problem {
        path: "nova.config.json".to_owned(),
        line: line_of(config, &key),
        problem: format!("the template {template} of {name} is not in the vault"),
        remedy: format!("Add that note, or correct {key}; until then no {name} can be added."),
    }))
}

/// Problems of the user's record settings (`set`, by skill), with lines of `nova.config.json`, whose text is
/// `config`.
pub(crate) fn config_problems(
    skills: &Snapshot,
    set: &BTreeMap<String, Value>,
    config: &str,
) -> Vec<Problem> {
    let owners = skills.type_owners();
    let broken = skills.skills().iter().filter(|skill| skill.config_problem.is_some());
    let problems = broken.flat_map(|skill| {
        let own = set.get(&skill.id).unwrap_or(&Value::Null);
        let faults =
            skill.records_with(own).map_or_else(|faults| faults, |records| owners.taken(&skill.id, &records));
        let until_then = match &skill.config_problem {
            Some(problem) if problem.last_good => "the last good settings stay in use until then".to_owned(),
            _ => format!("{} is not available until then", skill.id),
        };
        let problem = |fault: nova_skill::ConfigFault| {
            let key = format!("skills.{}.config.{}", skill.id, fault.key);
            Problem {
                path: "nova.config.json".to_owned(),
                line: line_of(config, &key),
                problem: format!("{key} {}", fault.reason.trim_end_matches('.')),
                remedy: format!("Correct it; {until_then}."),
            }
        };
        faults.into_iter().map(problem).collect::<Vec<_>>()
    });
    problems.collect()
}

/// The type to whose folder the note belongs; none for a folder that contains folders of other types.
fn own_folder<'a>(note: &Note, kinds: &'a [Kind<'a>]) -> Option<&'a Kind<'a>> {
    let below = |folder: &str, path: &str| {
        path.strip_prefix(folder.trim_matches('/')).is_some_and(|rest| rest.starts_with('/'))
    };
    kinds.iter().find(|kind| {
        let folder = &kind.declared.folder;
        let is_shared = kinds.iter().any(|other| below(folder, &other.declared.folder));
        !is_shared && below(folder, note.path.as_str())
    })
}

/// Whether the note itself says that it is of all these kinds: `type: [contact, company]`.
fn says_each(note: &Note, kinds: &[&Kind]) -> bool {
    let said: BTreeSet<String> = note.document.record_types().map(folded).collect();
    let is_said = |kind: &&Kind| kind.declared.type_values().iter().any(|own| said.contains(&folded(own)));
    said.len() >= kinds.len() && kinds.iter().all(is_said)
}

/// The problem of a note claimed by several types.
fn claimed_by(note: &Note, kinds: &[&Kind], last: &Kind) -> Problem {
    let names: Vec<String> =
        kinds.iter().map(|kind| format!("{} of the skill {}", kind.declared.name(), kind.skill)).collect();
    Problem {
        path: note.path.to_string(),
        line: 1,
        problem: format!("it counts as {}", names.join(" and as ")),
        remedy: format!(
            "Narrow `match` under skills.{}.config.records.{} in nova.config.json, or under that of the other.",
            last.skill,
            last.declared.name()
        ),
    }
}

fn fits_nothing(note: &Note, kind: &Kind) -> Found {
    let declared = kind.declared;
    let (folder, name) = (&declared.folder, declared.name());
    let why = match note.document.record_type() {
        Some(other) => format!(", and its type is {other}"),
        None => declared.check(note).first().map_or_else(String::new, |fault| format!(": {}", fault.problem)),
    };
    let mark = declared.mark_in_words();
    let remedy = match &mark {
        Some(mark) => format!("Set `{mark}` in the note, or move it out of {folder}."),
        None => format!("Move it out of {folder}, or add what makes it one: {}.", declared.recognised_by()),
    };
    let problem = Problem {
        path: note.path.to_string(),
        line: 1,
        problem: format!("it is in {folder} but not a {name}{why}"),
        remedy,
    };
    Found { problem, mark: mark.map(|mark| Mark(kind.skill.to_owned(), name.to_owned(), mark)) }
}
