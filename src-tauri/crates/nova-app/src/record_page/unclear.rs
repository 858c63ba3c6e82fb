//! Caveats about the records: notes that another type claims as well, unreadable notes, and records hidden
//! from remote models.

use std::path::Path;

use nova_protocol::{NoteGroup, ProblemView, SharedNotes};
use nova_registry::{SkillEntry, Snapshot};
use nova_skill::figures::folded;
use nova_skill::{MatchRule, Note, RecordType};
use nova_vault::note::FrontMatter;
use nova_vault::{Condition, Privacy, Vault, VaultError};
use serde_json::Value;

use super::{LISTED, Seen, Taken, group};
use crate::field_proposals::entry;
use crate::record_forms::problem_view;

/// Notes that another type of any skill claims as well.
pub(super) fn shared(skill: &SkillEntry, snapshot: &Snapshot, taken: &Taken<'_>) -> Vec<SharedNotes> {
    let others =
        snapshot.available().flat_map(|other| other.records.iter().map(move |record| (other, record)));
    let others =
        others.filter(|(other, record)| other.id != skill.id || record.name() != taken.declared.name());
    let groups = others.filter_map(|(other, record)| {
        let both: Vec<&Note> = taken.notes.iter().copied().filter(|note| record.recognises(note)).collect();
        let what = if other.id == skill.id {
            record.label().to_lowercase()
        } else {
            format!("{} of {}", record.label().to_lowercase(), other.name)
        };
        Some(SharedNotes {
            group: group(what, both.iter().copied())?,
            skill: other.id.clone(),
            record_type: record.name().to_owned(),
            except: rules_of(record, &both),
        })
    });
    groups.collect()
}

/// The rules by which the type claims these notes.
fn rules_of(record: &RecordType, notes: &[&Note]) -> Vec<Value> {
    let mut rules = record.match_rules();
    if !record.has_own_match() {
        rules.push(MatchRule::Folder(record.folder.trim_matches('/').to_owned()));
    }
    let mut open: Vec<&Note> = notes.to_vec();
    rules.retain(|rule| {
        let Some(recogniser) = rule.recogniser() else { return false };
        let before = open.len();
        open.retain(|note| !recogniser.recognises(note));
        open.len() < before
    });
    rules.iter().map(entry).collect()
}

/// Notes with unreadable properties that seem to be records, by their path or by the text of their front
/// matter.
pub(super) fn broken(taken: &Taken<'_>, seen: &Seen<'_>) -> Result<Vec<ProblemView>, VaultError> {
    let declared = taken.declared;
    let mut problems = seen.view.unreadable(&declared.folder, declared.recogniser())?;
    let marks: Vec<String> = declared.match_rules().iter().filter_map(mark_of).collect();
    for note in &seen.whole.notes {
        let FrontMatter::Broken { line, reason } = note.document.front_matter() else { continue };
        let path = note.path.as_str();
        if problems.iter().any(|known| known.path == path) {
            continue;
        }
        let matter = folded(note.text.split("\n---").next().unwrap_or_default());
        if marks.iter().any(|mark| matter.contains(mark)) {
            problems.push(nova_vault::Problem {
                path: path.to_owned(),
                line: *line,
                problem: reason.clone(),
                remedy: "Correct its front matter.".to_owned(),
            });
        }
    }
    problems.sort();
    problems.truncate(LISTED);
    Ok(problems.into_iter().map(problem_view).collect())
}

/// Normalised text that a note matching the rule contains; none for a folder.
fn mark_of(rule: &MatchRule) -> Option<String> {
    let said = match rule {
        MatchRule::Folder(_) => return None,
        MatchRule::Type(name) => format!("type: {name}"),
        MatchRule::Tag(tag) => tag.clone(),
        MatchRule::Where(condition) => Condition::parts(condition)?.2,
    };
    (!said.trim().is_empty()).then(|| folded(said.trim()))
}

/// Each entry of the user's private list, with what it hides.
pub(super) fn private_entries(
    vault: &Vault,
    entries: &[String],
    home: Option<&Path>,
) -> Vec<(String, Privacy)> {
    let hides = |entry: &String| Privacy {
        remote: true,
        private: vault.listed_private(std::slice::from_ref(entry), home),
    };
    entries.iter().map(|entry| (entry.clone(), hides(entry))).collect()
}

/// Records hidden from remote models, by reason: the note itself, or the first matching entry of the list.
pub(super) fn private(taken: &Taken<'_>, entries: &[(String, Privacy)]) -> Vec<NoteGroup> {
    let mut open: Vec<&Note> = taken.notes.clone();
    let by_itself = Privacy { remote: true, private: Vec::new() };
    let listed = entries.iter().map(|(entry, hides)| (format!("listed as `{entry}`"), hides));
    // First, because an entry of the list may hide these notes as well.
    let why = std::iter::once(("`nova` in the note".to_owned(), &by_itself)).chain(listed);
    let groups = why.filter_map(|(what, privacy)| {
        let (hidden, seen): (Vec<&Note>, Vec<&Note>) =
            std::mem::take(&mut open).into_iter().partition(|note| privacy.hides(&note.path, &note.document));
        open = seen;
        group(what, hidden.into_iter())
    });
    groups.collect()
}
