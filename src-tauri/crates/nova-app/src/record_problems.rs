//! What is wrong with the records of a vault, for `nova vault check`.

use nova_registry::Snapshot;
use nova_skill::{Note, RecordType};
use nova_vault::{Problem, Recogniser, Rule, VaultError, View};

use crate::record_reach::reach_problem;

/// A record type and the skill that declares it.
struct Kind<'a> {
    skill: &'a str,
    declared: &'a RecordType,
}

/// What is not as declared, which notes several types claim, and which notes lie in a folder of records and
/// are none.
pub(crate) fn record_problems(view: &View, skills: &Snapshot) -> Result<Vec<Problem>, VaultError> {
    let kinds: Vec<Kind<'_>> = skills
        .available()
        .flat_map(|skill| skill.records.iter().map(|declared| Kind { skill: &skill.id, declared }))
        .collect();
    let folders = kinds.iter().map(|kind| Rule::Folder(kind.declared.folder.clone()));
    let in_folders = Recogniser::new(folders);
    let recognisers = kinds.iter().map(|kind| kind.declared.recogniser());
    let mut problems = Vec::new();
    for note in view.records(&Recogniser::any_of(recognisers.chain([&in_folders])))? {
        let claimed: Vec<&Kind<'_>> = kinds.iter().filter(|kind| kind.declared.recognises(&note)).collect();
        match claimed.as_slice() {
            [] => problems.extend(own_folder(&note, &kinds).map(|kind| fits_nothing(&note, kind))),
            [kind] => problems.extend(kind.declared.check(&note)),
            [one, other, ..] => {
                problems.push(claimed_twice(&note, one, other));
                let mut checked: Vec<Problem> =
                    claimed.iter().flat_map(|kind| kind.declared.check(&note)).collect();
                // Both say the same of a property that both have.
                checked.sort();
                checked.dedup();
                problems.extend(checked);
            }
        }
    }
    for kind in &kinds {
        problems.extend(reach_problem(view, kind.skill, kind.declared)?);
    }
    Ok(problems)
}

/// The kind in whose folder the note lies. A folder that has folders of other kinds below it is none of its own.
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

fn claimed_twice(note: &Note, one: &Kind, other: &Kind) -> Problem {
    let name = |kind: &Kind| format!("{} of the skill {}", kind.declared.name(), kind.skill);
    Problem {
        path: note.path.to_string(),
        line: 1,
        problem: format!("it counts as {} and as {}", name(one), name(other)),
        remedy: format!(
            "Narrow `match` under skills.{}.config.records.{} in nova.config.json, or under that of the other.",
            other.skill,
            other.declared.name()
        ),
    }
}

fn fits_nothing(note: &Note, kind: &Kind) -> Problem {
    let declared = kind.declared;
    let (folder, name) = (&declared.folder, declared.name());
    let why = match note.document.record_type() {
        Some(other) => format!(", and its type is {other}"),
        None => declared.check(note).first().map_or_else(String::new, |fault| format!(": {}", fault.problem)),
    };
    let remedy = match declared.mark_in_words() {
        Some(mark) => format!("Set `{mark}` in the note, or move it out of {folder}."),
        None => format!("Move it out of {folder}, or add what makes it one: {}.", declared.recognised_by()),
    };
    Problem {
        path: note.path.to_string(),
        line: 1,
        problem: format!("it lies in {folder} and is no {name}{why}"),
        remedy,
    }
}
