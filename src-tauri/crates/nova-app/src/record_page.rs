//! The settings page of a skill's records: how the vault would be read with settings that are not in force yet,
//! which notes would be taken, left out and not understood. It changes nothing.

use std::collections::{HashMap, HashSet};

use nova_protocol::{NewNotes, NoteGroup, PreviewRecords, RecordsFault, RecordsPreview, TypeTab, UserError};
use nova_registry::{SkillEntry, Snapshot};
use nova_skill::{ConfigFault, MatchRule, Note, RecordType};
use nova_vault::{QueryRow, Recogniser, VaultPath};
use serde_json::{Map, Value};

use crate::app::App;
use crate::blocking::blocking;
use crate::chat::unknown_skill;
use crate::field_proposals::{WholeVault, count, suggested, suggested_notes};
use crate::record_reach::says_nearly_all;

mod fields;
mod note;
mod rules;

/// Paths that a group of notes lists.
const LISTED: usize = 50;

impl App {
    pub(crate) async fn preview_records(&self, wanted: PreviewRecords) -> Result<RecordsPreview, UserError> {
        let snapshot = self.inner.registry.snapshot();
        let skill =
            snapshot.listed(&wanted.skill).ok_or_else(|| unknown_skill(&snapshot, &wanted.skill))?.clone();
        let set = self.config().skills.of(&skill.id).map(|own| own.config.clone()).unwrap_or_default();
        let vault = self.vault()?;
        blocking(move || {
            let whole = WholeVault::read(&vault.seen_by_owner())?;
            preview(&skill, &snapshot, &whole, &set, &wanted)
        })
        .await
    }
}

/// The records that one type would have.
struct Taken<'a> {
    declared: &'a RecordType,
    notes: Vec<&'a Note>,
    /// Of the same notes.
    rows: Vec<&'a QueryRow>,
}

fn preview(
    skill: &SkillEntry,
    snapshot: &Snapshot,
    whole: &WholeVault,
    set: &Value,
    wanted: &PreviewRecords,
) -> Result<RecordsPreview, UserError> {
    let name = &wanted.record_type;
    let in_force = set.pointer("/records").and_then(|records| records.get(name)).cloned().unwrap_or_default();
    let own = match &wanted.own {
        Some(own) => own.clone(),
        None if in_force.is_null() => Value::Object(suggested(skill, snapshot, whole, name)),
        None => in_force.clone(),
    };
    let config = with_own(set, name, &own);
    let (records, faults) = match skill.records_with(&config) {
        Ok(records) => (records, Vec::new()),
        Err(faults) => {
            let prefix = format!("records.{name}.");
            let readable = skill.records.iter().any(|declared| declared.name() == name);
            let records = if readable { &*skill.records } else { &skill.manifest.records };
            (records.clone(), faults.into_iter().map(|fault| fault_of(fault, &prefix)).collect())
        }
    };
    let declared = crate::record_forms::declared_in(skill, &records, name)?;
    let taken = Taken::of(declared, whole);
    let rules = rules::rules(skill, snapshot, whole, &taken, &own, wanted.rules.as_deref());
    let fields = fields::fields(&taken);
    Ok(RecordsPreview {
        skill: skill.id.clone(),
        record_type: name.clone(),
        label: declared.label(),
        types: tabs(skill, snapshot, whole, wanted),
        read: count(whole.notes.len()),
        in_force,
        config,
        properties: fields::properties(&taken),
        own_fields: fields::own_fields(&taken, &own),
        taken: count(taken.notes.len()),
        left_out: left_out(&taken, whole, &rules),
        not_understood: fields::not_understood(&taken),
        shared: shared(skill, snapshot, &taken),
        note: note::as_read(&taken, wanted.note.unwrap_or_default()),
        new_notes: NewNotes {
            folder: declared.folder.clone(),
            mark: declared.mark_in_words(),
            template: declared.template_note().map(str::to_owned),
        },
        takes_nearly_all: says_nearly_all(declared, taken.notes.len(), whole.notes.len()),
        own,
        faults,
        rules,
        fields,
    })
}

impl<'a> Taken<'a> {
    fn of(declared: &'a RecordType, whole: &'a WholeVault) -> Self {
        let by_path: HashMap<&VaultPath, &QueryRow> = whole.rows.iter().map(|row| (&row.path, row)).collect();
        let mut notes: Vec<&Note> = whole.notes.iter().filter(|note| declared.recognises(note)).collect();
        notes.sort_by(|a, b| a.path.cmp(&b.path));
        let rows = notes.iter().filter_map(|note| by_path.get(&note.path).copied()).collect();
        Self { declared, notes, rows }
    }
}

/// The user's configuration of the skill with `own` in place of what it says of the type.
fn with_own(set: &Value, record_type: &str, own: &Value) -> Value {
    let mut config = set.as_object().cloned().unwrap_or_default();
    let mut records = config.get("records").and_then(Value::as_object).cloned().unwrap_or_default();
    let says_nothing = own.is_null() || own.as_object().is_some_and(Map::is_empty);
    if says_nothing {
        records.remove(record_type);
    } else {
        records.insert(record_type.to_owned(), own.clone());
    }
    if records.is_empty() {
        config.remove("records");
    } else {
        config.insert("records".into(), records.into());
    }
    if config.is_empty() && set.is_null() { Value::Null } else { config.into() }
}

fn fault_of(fault: ConfigFault, prefix: &str) -> RecordsFault {
    let key = fault.key.strip_prefix(prefix).unwrap_or(&fault.key).to_owned();
    let mut reason: String = fault.reason.trim_end_matches('.').to_owned();
    reason.push('.');
    RecordsFault { key, reason }
}

/// The types of the skill. What the notes suggest is looked for when the page opens, not at each change.
fn tabs(
    skill: &SkillEntry,
    snapshot: &Snapshot,
    whole: &WholeVault,
    wanted: &PreviewRecords,
) -> Vec<TypeTab> {
    let opens = wanted.own.is_none();
    let tab = |declared: &RecordType| {
        let notes = whole.notes.iter().filter(|note| declared.recognises(note)).count();
        let notes = if notes == 0 && opens {
            suggested_notes(skill, snapshot, whole, declared.name())
        } else {
            notes
        };
        TypeTab { record_type: declared.name().to_owned(), label: declared.label(), notes: count(notes) }
    };
    skill.records.iter().map(tab).collect()
}

/// Notes of rules that are not used, and templates that look like records.
fn left_out(taken: &Taken, whole: &WholeVault, rules: &[nova_protocol::RulePreview]) -> Vec<NoteGroup> {
    let is_taken: HashSet<&VaultPath> = taken.notes.iter().map(|note| &note.path).collect();
    let mut groups: Vec<NoteGroup> = Vec::new();
    for rule in rules.iter().filter(|rule| !rule.used) {
        let read = serde_json::from_value::<MatchRule>(rule.entry.clone()).ok();
        let Some(recogniser) = read.and_then(|read| read.recogniser()) else { continue };
        let notes =
            whole.notes.iter().filter(|note| !is_taken.contains(&note.path) && recogniser.recognises(note));
        groups.extend(group(rule.words.clone(), notes));
    }
    let templates = whole.templates.iter().filter(|note| taken.declared.recognises(note));
    groups.extend(group("in the templates folder".into(), templates));
    groups
}

/// Notes that another type of any skill claims, too.
fn shared(skill: &SkillEntry, snapshot: &Snapshot, taken: &Taken) -> Vec<NoteGroup> {
    let others =
        snapshot.available().flat_map(|other| other.records.iter().map(move |record| (other, record)));
    let others =
        others.filter(|(other, record)| other.id != skill.id || record.name() != taken.declared.name());
    let groups = others.filter_map(|(other, record)| {
        let recogniser: &Recogniser = record.recogniser();
        let both = taken.notes.iter().copied().filter(|note| recogniser.recognises(note));
        let what = if other.id == skill.id {
            record.label().to_lowercase()
        } else {
            format!("{} of {}", record.label().to_lowercase(), other.name)
        };
        group(what, both)
    });
    groups.collect()
}

/// None of no notes.
fn group<'a>(what: String, notes: impl Iterator<Item = &'a Note>) -> Option<NoteGroup> {
    let paths: Vec<&VaultPath> = notes.map(|note| &note.path).collect();
    (!paths.is_empty()).then(|| NoteGroup {
        what,
        field: None,
        values: Vec::new(),
        notes: count(paths.len()),
        paths: paths.into_iter().take(LISTED).map(ToString::to_string).collect(),
    })
}
