//! The rules of a type: those in use, those of its manifest, and suggested ones.

use std::collections::HashSet;

use nova_protocol::{Confidence, RulePreview};
use nova_registry::{SkillEntry, Snapshot};
use nova_skill::{MatchRule, Note, RecordType};
use nova_vault::{QueryRow, VaultPath};
use serde_json::{Value, json};

use super::Taken;
use crate::field_proposals::{WholeVault, count, entry, examples_of, suggested_rules, weigh};

/// An entry of `match`, parsed if possible.
struct Listed {
    entry: Value,
    read: Result<MatchRule, String>,
    /// For the type's own folder: notes without a type count if their properties fit.
    fitting: bool,
    used: bool,
}

pub(super) fn rules(
    skill: &SkillEntry,
    snapshot: &Snapshot,
    whole: &WholeVault,
    taken: &Taken<'_>,
    own: &Value,
    wanted: Option<&[Value]>,
) -> Vec<RulePreview> {
    let declared = taken.declared;
    let used = own.get("match").and_then(Value::as_array);
    let mut listed: Vec<Listed> = Vec::new();
    let mut add = |entry: &Value| {
        let one = Listed::new(entry, used.map(Vec::as_slice), declared);
        if listed.iter().all(|other| !other.is(&one)) {
            listed.push(one);
        }
    };
    match wanted {
        Some(wanted) => wanted.iter().for_each(&mut add),
        None => {
            used.into_iter().flatten().for_each(&mut add);
            usual(skill, declared).iter().for_each(&mut add);
            suggested_rules(skill, snapshot, whole, declared.name())
                .iter()
                .for_each(|rule| add(&entry(rule)));
        }
    }
    let mut seen: HashSet<&VaultPath> = HashSet::new();
    let rules = listed.iter().map(|one| one.preview(whole, declared, &mut seen));
    // An unused manifest rule without notes is not worth showing beside the user's own rules.
    let is_idle = |rule: &RulePreview| wanted.is_none() && used.is_some() && !rule.used && rule.notes == 0;
    rules.filter(|rule| !is_idle(rule)).collect()
}

/// The default rules of a type, as entries.
fn usual(skill: &SkillEntry, declared: &RecordType) -> Vec<Value> {
    let usual =
        skill.manifest.records.iter().find(|usual| usual.name() == declared.name()).unwrap_or(declared);
    let mut entries: Vec<Value> = usual.match_rules().iter().map(entry).collect();
    if !usual.has_own_match() {
        entries.push(json!({"folder": declared.folder.trim_matches('/')}));
    }
    entries
}

impl Listed {
    /// Without a `match` of the user's, the default rules are in use.
    fn new(entry: &Value, used: Option<&[Value]>, declared: &RecordType) -> Self {
        let read = serde_json::from_value::<MatchRule>(entry.clone()).map_err(|error| error.to_string());
        let own_folder = MatchRule::Folder(declared.folder.trim_matches('/').to_owned());
        let fitting = used.is_none() && !declared.has_own_match() && read.as_ref() == Ok(&own_folder);
        let is_used = match used {
            Some(used) => used.iter().any(|other| {
                other == entry
                    || read.is_ok()
                        && serde_json::from_value::<MatchRule>(other.clone()).ok() == read.clone().ok()
            }),
            None => fitting || read.as_ref().is_ok_and(|rule| declared.match_rules().contains(rule)),
        };
        Self { entry: entry.clone(), read, fitting, used: is_used }
    }

    fn is(&self, other: &Self) -> bool {
        self.entry == other.entry || matches!((&self.read, &other.read), (Ok(one), Ok(other)) if one == other)
    }

    fn preview<'a>(
        &self,
        whole: &'a WholeVault,
        declared: &RecordType,
        seen: &mut HashSet<&'a VaultPath>,
    ) -> RulePreview {
        let notes = self.notes(whole, declared);
        let paths: HashSet<&VaultPath> = notes.iter().map(|note| &note.path).collect();
        let rows: Vec<&QueryRow> = whole.rows.iter().filter(|row| paths.contains(&row.path)).collect();
        let (confidence, reason) = weigh(declared, &rows, None);
        let is_type = matches!(self.read, Ok(MatchRule::Type(_)));
        let more = paths.iter().filter(|path| !seen.contains(*path)).count();
        if self.used {
            seen.extend(paths);
        }
        RulePreview {
            entry: self.entry.clone(),
            words: self.words(),
            used: self.used,
            notes: count(notes.len()),
            more: count(more),
            examples: examples_of(&rows),
            // A note with the type is certainly a record.
            confidence: if is_type || self.fitting { Confidence::Sure } else { confidence },
            reason: if notes.is_empty() { "no note".to_owned() } else { reason },
            fault: self.read.as_ref().err().cloned(),
        }
    }

    fn notes<'a>(&self, whole: &'a WholeVault, declared: &RecordType) -> Vec<&'a Note> {
        let Some(recogniser) = self.read.as_ref().ok().and_then(MatchRule::recogniser) else {
            return Vec::new();
        };
        let found = whole.notes.iter().filter(|note| recogniser.recognises(note));
        if self.fitting {
            let by_type = |note: &Note| note.document.record_type().is_some();
            return found.filter(|note| !by_type(note) && declared.recognises(note)).collect();
        }
        found.collect()
    }

    fn words(&self) -> String {
        match &self.read {
            Ok(rule) if self.fitting => format!("{}, where properties fit", rule.in_words()),
            Ok(rule) => rule.in_words(),
            Err(_) => {
                let said = self.entry.as_object().and_then(|entry| entry.values().next());
                said.and_then(Value::as_str).unwrap_or_default().to_owned()
            }
        }
    }
}
