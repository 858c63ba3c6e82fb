//! The settings page of a skill's records: a preview of how the vault would be interpreted with unsaved
//! settings, and which notes would be included, left out or not understood. It changes nothing.

use std::collections::{HashMap, HashSet};

use nova_protocol::{
    ErrorCode, NewNotes, NoteGroup, PreviewRecords, RecordsFault, RecordsPreview, TypeTab, UserError,
};
use nova_registry::{SkillEntry, Snapshot};
use nova_skill::{ConfigFault, MatchRule, Note, RecordType, RecordTypes};
use nova_vault::{Privacy, QueryRow, VaultPath, View};
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::blocking::blocking;
use crate::chat::unknown_skill;
use crate::field_proposals::{WholeVault, count, suggested, suggested_notes};
use crate::record_reach::nearly_all_warning;

mod fields;
mod note;
mod rules;
mod unclear;

/// Maximum number of paths listed per group.
const LISTED: usize = 50;

impl App {
    pub(crate) async fn preview_records(&self, wanted: PreviewRecords) -> Result<RecordsPreview, UserError> {
        let snapshot = self.inner.registry.snapshot();
        let skill =
            snapshot.listed(&wanted.skill).ok_or_else(|| unknown_skill(&snapshot, &wanted.skill))?.clone();
        let set = self.config().skills.of(&skill.id).map(|own| own.config.clone()).unwrap_or_default();
        let vault = self.vault()?;
        let (config, home) = (self.config(), self.places().home.clone());
        blocking(move || {
            let view = vault.seen_by_owner();
            let whole = WholeVault::read(&view)?;
            let private = unclear::private_entries(&vault, &config.private, home.as_deref());
            preview(&skill, &snapshot, &Seen { whole: &whole, view: &view, private }, &set, &wanted)
        })
        .await
    }
}

/// The records of one type.
struct Taken<'a> {
    declared: &'a RecordType,
    notes: Vec<&'a Note>,
    /// The same notes as rows.
    rows: Vec<&'a QueryRow>,
}

/// The vault as seen by the page.
struct Seen<'a> {
    whole: &'a WholeVault,
    view: &'a View,
    /// Each entry of the user's private list, verbatim, with what it hides.
    private: Vec<(String, Privacy)>,
}

fn preview(
    skill: &SkillEntry,
    snapshot: &Snapshot,
    seen: &Seen<'_>,
    set: &Value,
    wanted: &PreviewRecords,
) -> Result<RecordsPreview, UserError> {
    let (whole, name) = (seen.whole, &wanted.record_type);
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
            let records = instead(skill, name, &faults)?;
            (records, faults.into_iter().map(|fault| fault_of(fault, name)).collect())
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
        is_own: declared.is_own(),
        types: tabs(skill, snapshot, whole, wanted, declared),
        read: count(whole.notes.len()),
        in_force,
        config,
        properties: fields::properties(&taken),
        own_fields: fields::own_fields(&taken, &own),
        taken: count(taken.notes.len()),
        left_out: left_out(&taken, whole, &rules),
        not_understood: fields::not_understood(&taken),
        shared: unclear::shared(skill, snapshot, &taken),
        broken: unclear::broken(&taken, seen)?,
        private: unclear::private(&taken, &seen.private),
        note: note::as_read(&taken, wanted.note.unwrap_or_default()),
        new_notes: NewNotes {
            folder: declared.folder.clone(),
            mark: declared.mark_in_words(),
            template: declared.template_note().map(str::to_owned),
        },
        takes_nearly_all: nearly_all_warning(declared, taken.notes.len(), whole.notes.len()),
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

/// The user's configuration of the skill, with the settings of one type replaced by `own`.
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

/// The fallback for an invalid configuration: the one in force or, for a new type, a minimal one.
fn instead(skill: &SkillEntry, name: &str, faults: &[ConfigFault]) -> Result<RecordTypes, UserError> {
    let has = |records: &RecordTypes| records.iter().any(|declared| declared.name() == name);
    if has(&skill.records) {
        return Ok((*skill.records).clone());
    }
    if has(&skill.manifest.records) {
        return Ok(skill.manifest.records.clone());
    }
    let least = json!({"records": {name: {"folder": "Records", "fields": {"name": {"kind": "text"}}}}});
    skill.records_with(&least).map_err(|_| {
        let reason = faults.first().map_or("It cannot be used.", |fault| fault.reason.as_str());
        UserError::new(
            ErrorCode::BadRequest,
            format!("\"{name}\" is not a valid record type: {reason}"),
            "Choose another name.",
        )
    })
}

fn fault_of(fault: ConfigFault, record_type: &str) -> RecordsFault {
    let of_type = format!("records.{record_type}");
    let below = fault.key.strip_prefix(&of_type).map(|key| key.trim_start_matches('.').to_owned());
    let key = below.unwrap_or(fault.key);
    let mut reason: String = fault.reason.trim_end_matches('.').to_owned();
    reason.push('.');
    RecordsFault { key, reason }
}

/// The types of the skill. Suggestions are computed when the page opens, not at each change.
fn tabs(
    skill: &SkillEntry,
    snapshot: &Snapshot,
    whole: &WholeVault,
    wanted: &PreviewRecords,
    shown: &RecordType,
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
    let is_new = skill.records.iter().all(|declared| declared.name() != shown.name());
    skill.records.iter().chain(is_new.then_some(shown)).map(tab).collect()
}

/// Notes of unused rules, and templates that look like records.
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

/// `None` if there are no notes.
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
