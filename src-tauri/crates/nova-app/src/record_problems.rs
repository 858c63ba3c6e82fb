//! What is wrong with the records of a vault, for `nova vault check`.

use std::collections::BTreeMap;

use nova_registry::Snapshot;
use nova_skill::{Note, RecordType};
use nova_vault::note::FrontMatter;
use nova_vault::{Problem, Recogniser, Rule, VaultError, VaultPath, View};

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
    let mut claims: BTreeMap<VaultPath, (Note, Vec<&Kind<'_>>)> = BTreeMap::new();
    for kind in &kinds {
        for note in view.records(kind.declared.recogniser())? {
            claims.entry(note.path.clone()).or_insert_with(|| (note, Vec::new())).1.push(kind);
        }
    }
    let mut problems = Vec::new();
    for (note, claimed) in claims.values() {
        if let [one, other, ..] = claimed.as_slice() {
            problems.push(claimed_twice(note, one, other));
        }
        let checked = claimed.iter().flat_map(|kind| kind.declared.check(note));
        problems.extend(checked);
    }
    // Both types of a note say the same of a property that both have.
    problems.sort();
    problems.dedup();
    for kind in &kinds {
        let folder = Recogniser::new([Rule::Folder(kind.declared.folder.clone())]);
        let others = view.records(&folder)?.into_iter().filter(|note| !claims.contains_key(&note.path));
        let readable =
            others.filter(|note| !matches!(note.document.front_matter(), FrontMatter::Broken { .. }));
        problems.extend(readable.map(|note| fits_nothing(&note, kind)));
    }
    Ok(problems)
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
