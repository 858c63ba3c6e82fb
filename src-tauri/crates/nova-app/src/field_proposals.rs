//! Analyses an existing vault: which notes could be records of a skill under other names of types and
//! properties. The result is a proposal, which takes effect once the user adds it to the skill's
//! configuration.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use indexmap::IndexMap;
use nova_protocol::{
    FieldProposal, LeftOut, NotUnderstood, PropertyProposal, SkillRef, TypeProposal, UnreadableField,
    UserError,
};
use nova_registry::{SkillEntry, Snapshot};
use nova_skill::figures::folded;
use nova_skill::{FieldKind, MatchRule, Note, PropertyValue, RecordType};
use nova_vault::{Query, QueryRow, Recogniser, VaultError, VaultPath, View};
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::blocking::blocking;
use crate::chat::unknown_skill;
pub(crate) use properties::suggested as suggested_properties;
use properties::{names_of, plural, properties, properties_of, same_word};
use rules::Candidate;
pub(crate) use rules::{entry, weigh};

mod properties;
mod rules;

impl App {
    pub(crate) async fn propose_fields(&self, skill: SkillRef) -> Result<FieldProposal, UserError> {
        let snapshot = self.inner.registry.snapshot();
        let id = &skill.skill;
        let skill = snapshot.listed(id).ok_or_else(|| unknown_skill(&snapshot, id))?.clone();
        let own = self.config().skills.of(&skill.id).map(|own| own.config.clone()).unwrap_or_default();
        let view = self.vault()?.seen_by_owner();
        blocking(move || Ok(propose(&skill, &snapshot, &WholeVault::read(&view)?, &own))).await
    }
}

/// Proposes settings for the skill; `own` is the user's current configuration of it.
fn propose(skill: &SkillEntry, snapshot: &Snapshot, vault: &WholeVault, own: &Value) -> FieldProposal {
    let mut config = own.clone();
    let mut types = Vec::new();
    for (declared, found) in resemblances(skill, snapshot, vault) {
        found.enter(declared, &mut config);
        types.push(found.proposal(declared));
    }
    let config = if types.is_empty() { Value::Null } else { config };
    FieldProposal { skill: skill.id.clone(), types, config }
}

/// The record types of the skill with matching notes.
fn resemblances<'a>(
    skill: &'a SkillEntry,
    snapshot: &Snapshot,
    vault: &'a WholeVault,
) -> Vec<(&'a RecordType, Resemblance<'a>)> {
    let notes = of_types(&vault.rows);
    // A value of `type:` belongs to a single record type of a single skill.
    let mut taken: BTreeSet<String> = snapshot
        .available()
        .flat_map(|skill| skill.records.iter())
        .flat_map(|declared| declared.type_values().iter().map(|value| folded(value)))
        .collect();
    let mut all = Vec::new();
    for declared in skill.records.iter() {
        let known = vault.recognised(declared.recogniser());
        let mut by_rule = candidates(snapshot, vault, declared);
        // Rules without new notes do not justify a change.
        if by_rule
            .iter()
            .filter(|one| one.used)
            .all(|one| one.notes.iter().all(|row| known.contains(&row.path)))
        {
            by_rule.clear();
        }
        let Some(found) = Resemblance::find(declared, &notes, &taken, by_rule) else { continue };
        taken.extend(found.type_values.iter().map(|value| folded(value)));
        all.push((declared, found));
    }
    all
}

fn candidates<'a>(snapshot: &Snapshot, vault: &'a WholeVault, declared: &RecordType) -> Vec<Candidate<'a>> {
    let others = snapshot.available().flat_map(|skill| skill.records.iter());
    let others = Recogniser::any_of(others.filter(|other| *other != declared).map(RecordType::recogniser));
    rules::candidates(declared, vault, &vault.recognised(&others))
}

/// The proposal for `records.<type>`; empty if there is none.
pub(crate) fn suggested(
    skill: &SkillEntry,
    snapshot: &Snapshot,
    vault: &WholeVault,
    record_type: &str,
) -> Map<String, Value> {
    let all = resemblances(skill, snapshot, vault);
    let Some((declared, found)) = all.into_iter().find(|(declared, _)| declared.name() == record_type) else {
        return Map::new();
    };
    let mut config = Value::Null;
    found.enter_rules(declared, &mut config);
    let mut own = config["records"][record_type].as_object().cloned().unwrap_or_default();
    if found.rules.is_empty() && found.type_values.is_empty() {
        own.remove("match");
        own.remove("folder");
    }
    // Notes that are records by their folder must stay records.
    if let Some(entries) = own.get("match").and_then(Value::as_array) {
        let rules = entries.iter().filter_map(|rule| serde_json::from_value::<MatchRule>(rule.clone()).ok());
        let recognisers: Vec<Recogniser> = rules.filter_map(|rule| rule.recogniser()).collect();
        let kept = vault.recognised(&Recogniser::any_of(&recognisers));
        let is_lost = vault.recognised(declared.recogniser()).into_iter().any(|path| !kept.contains(path));
        if is_lost && let Some(entries) = own.get_mut("match").and_then(Value::as_array_mut) {
            entries.push(json!({"folder": declared.folder.trim_matches('/')}));
        }
    }
    own.retain(|_, value| value.as_object().is_none_or(|map| !map.is_empty()));
    own
}

/// Number of notes that the proposal for the type would include.
pub(crate) fn suggested_notes(
    skill: &SkillEntry,
    snapshot: &Snapshot,
    vault: &WholeVault,
    record_type: &str,
) -> usize {
    let all = resemblances(skill, snapshot, vault);
    let found = all.iter().find(|(declared, _)| declared.name() == record_type);
    found.map_or(0, |(_, found)| found.notes.len())
}

/// All matching rules, including unlikely ones.
pub(crate) fn suggested_rules(
    skill: &SkillEntry,
    snapshot: &Snapshot,
    vault: &WholeVault,
    record_type: &str,
) -> Vec<MatchRule> {
    let Some(declared) = skill.records.iter().find(|declared| declared.name() == record_type) else {
        return Vec::new();
    };
    candidates(snapshot, vault, declared).into_iter().map(|one| one.rule).collect()
}

/// A snapshot of the vault.
pub(crate) struct WholeVault {
    /// Without templates.
    pub(crate) rows: Vec<QueryRow>,
    /// Without templates and sync conflict copies.
    pub(crate) notes: Vec<Note>,
    pub(crate) templates: Vec<Note>,
    /// Name and text of each `.base` file.
    bases: Vec<(String, String)>,
}

impl WholeVault {
    pub(crate) fn read(view: &View) -> Result<Self, VaultError> {
        let mut rows = view.query(&Query::default())?.rows;
        let folder = view.template_folder();
        rows.retain(|row| !folder.holds(&row.path));
        let (templates, mut notes): (Vec<Note>, Vec<Note>) =
            view.notes()?.into_iter().partition(|note| folder.holds(&note.path));
        notes.retain(|note| !note.path.is_sync_conflict());
        Ok(Self { rows, notes, templates, bases: bases(view)? })
    }

    fn recognised(&self, recogniser: &Recogniser) -> HashSet<&VaultPath> {
        let recognised = self.notes.iter().filter(|note| recogniser.recognises(note));
        recognised.map(|note| &note.path).collect()
    }
}

fn bases(view: &View) -> Result<Vec<(String, String)>, VaultError> {
    let bases = view.files()?.into_iter().filter(|path| path.as_str().ends_with(".base"));
    // Unreadable bases are skipped.
    let read = bases.filter_map(|path| {
        let text = view.read_file(&path).ok()?;
        let name = path.as_str().rsplit('/').next().unwrap_or_default().to_owned();
        Some((name, String::from_utf8_lossy(&text).into_owned()))
    });
    Ok(read.collect())
}

/// The notes with one value of `type:`.
struct Kind<'a> {
    /// The most frequent spelling.
    value: &'a str,
    notes: Vec<&'a QueryRow>,
}

fn of_types(rows: &[QueryRow]) -> Vec<Kind<'_>> {
    let mut kinds: IndexMap<String, Kind<'_>> = IndexMap::new();
    for row in rows {
        for value in row.document.record_types() {
            kinds.entry(folded(value)).or_insert_with(|| Kind { value, notes: Vec::new() }).notes.push(row);
        }
    }
    kinds.into_values().collect()
}

/// The match for one record type.
struct Resemblance<'a> {
    /// Values of `type:` to add.
    type_values: Vec<String>,
    /// Number of notes per value, including those in force.
    counts: Vec<(String, usize)>,
    /// All notes that would become records.
    notes: Vec<&'a QueryRow>,
    fields: Vec<PropertyProposal>,
    rules: Vec<Candidate<'a>>,
}

impl<'a> Resemblance<'a> {
    fn find(
        declared: &RecordType,
        kinds: &[Kind<'a>],
        taken: &BTreeSet<String>,
        mut rules: Vec<Candidate<'a>>,
    ) -> Option<Self> {
        let is_own = |kind: &Kind| declared.type_values().iter().any(|own| folded(own) == folded(kind.value));
        let (mut notes, mut type_values, mut counts) = (Vec::new(), Vec::new(), Vec::new());
        for kind in kinds {
            let own = is_own(kind);
            if !own && (taken.contains(&folded(kind.value)) || !resembles(declared, kind)) {
                continue;
            }
            if !own {
                type_values.push(kind.value.to_owned());
            }
            counts.push((kind.value.to_owned(), kind.notes.len()));
            notes.extend(kind.notes.iter().copied());
        }
        let seen: HashSet<&VaultPath> = notes.iter().map(|row| &row.path).collect();
        let more: Vec<&QueryRow> =
            rules::union(&rules).into_iter().filter(|row| !seen.contains(&row.path)).collect();
        // The type already covers these notes.
        if more.is_empty() {
            rules.clear();
        }
        notes.extend(more);
        let fields = properties(declared, &notes);
        let something = !type_values.is_empty() || !fields.is_empty() || !rules.is_empty();
        something.then_some(Self { type_values, counts, notes, fields, rules })
    }

    /// Adds the proposal to a configuration of the skill.
    fn enter(&self, declared: &RecordType, config: &mut Value) {
        if !self.rules.is_empty() || declared.has_own_match() {
            self.enter_rules(declared, config);
            return;
        }
        let Some(fields) = object_in(config, "fields") else { return };
        let Some(entry) = object_at(fields, declared.name()) else { return };
        if !self.type_values.is_empty() {
            let mut values: Vec<String> = declared.type_values().to_vec();
            values.extend(self.type_values.iter().cloned());
            let count = |value: &String| {
                let same = |(of, _): &&(String, usize)| folded(of) == folded(value);
                self.counts.iter().find(same).map_or(0, |(_, count)| *count)
            };
            // The first value is used for new notes, so the most frequent one comes first.
            values.sort_by_key(|value| std::cmp::Reverse(count(value)));
            entry.insert("type".into(), json!(values));
        }
        for field in &self.fields {
            entry.insert(field.field.clone(), json!(field.property));
        }
    }

    /// Like [`Resemblance::enter`], for match rules other than the type.
    fn enter_rules(&self, declared: &RecordType, config: &mut Value) {
        let Some(records) = object_in(config, "records") else { return };
        let Some(entry) = object_at(records, declared.name()) else { return };
        let in_force = declared.match_rules();
        let types = self.type_values.iter().cloned().map(MatchRule::Type);
        let mut rules: Vec<(usize, MatchRule)> =
            in_force.iter().cloned().chain(types).map(|rule| (self.notes_of(&rule), rule)).collect();
        let new = self.rules.iter().filter(|one| one.used && !in_force.contains(&one.rule));
        rules.extend(new.map(|one| (one.notes.len(), one.rule.clone())));
        // The first rule is used for new notes, so the one with the most notes comes first.
        rules.sort_by_key(|(notes, _)| std::cmp::Reverse(*notes));
        entry.insert("match".into(), rules.iter().map(|(_, rule)| rules::entry(rule)).collect());
        let folder = self.commonest_folder().unwrap_or(&declared.folder);
        entry.entry("folder").or_insert_with(|| json!(folder));
        let Some(names) = object_at(entry, "names") else { return };
        for field in &self.fields {
            names.insert(field.field.clone(), json!(field.property));
        }
        if let Some(title) = declared.title.as_deref()
            && declared.fields.get(title).is_some_and(|field| field.kind == FieldKind::Text)
            && !self.notes.iter().any(|row| row.document.property(title).is_some())
        {
            names.entry(title).or_insert_with(|| json!("$file"));
        }
    }

    /// Number of notes that match a current or proposed rule.
    fn notes_of(&self, rule: &MatchRule) -> usize {
        match rule {
            MatchRule::Type(name) => {
                let same = |(of, _): &&(String, usize)| folded(of) == folded(name);
                self.counts.iter().find(same).map_or(0, |(_, count)| *count)
            }
            // Chosen by the user, so it stays first.
            _ => usize::MAX,
        }
    }

    fn commonest_folder(&self) -> Option<&str> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for row in self.notes.iter().filter(|row| !row.path.folder().is_empty()) {
            *counts.entry(row.path.folder()).or_default() += 1;
        }
        counts.into_iter().max_by_key(|(_, notes)| *notes).map(|(folder, _)| folder)
    }

    fn proposal(self, declared: &RecordType) -> TypeProposal {
        const EXAMPLES: usize = 3;
        let new: Vec<&QueryRow> = if self.type_values.is_empty() || !self.rules.is_empty() {
            self.notes
        } else {
            let is_new = |row: &&QueryRow| {
                let mut said = row.document.record_types();
                said.any(|own| self.type_values.iter().any(|value| folded(value) == folded(own)))
            };
            self.notes.into_iter().filter(is_new).collect()
        };
        let what = plural(declared.name());
        let (noun, look) =
            if new.len() == 1 { ("note", "looks like a record of") } else { ("notes", "look like") };
        let summary = if !self.rules.is_empty() {
            let used = self.rules.iter().filter(|one| one.used).map(|one| one.rule.in_words());
            let types = self.type_values.iter().map(|name| format!("type: {name}"));
            let known: Vec<String> = used.chain(types).collect();
            format!("{} {noun} {look} {what} ({})", new.len(), known.join(" or "))
        } else if self.type_values.is_empty() {
            format!("{} {noun} of {what} have properties under other names", new.len())
        } else {
            format!("{} {noun} {look} {what} (type: {})", new.len(), self.type_values.join(", "))
        };
        let unreadable = unreadable(declared, &self.fields, &new);
        let taken: HashSet<&VaultPath> = new.iter().map(|row| &row.path).collect();
        let left_out = self.rules.iter().filter(|one| !one.used).filter_map(|one| {
            let notes = one.notes.iter().filter(|row| !taken.contains(&row.path)).count();
            (notes > 0).then(|| LeftOut { what: one.rule.in_words(), notes: count(notes) })
        });
        TypeProposal {
            record_type: declared.name().to_owned(),
            summary,
            notes: count(new.len()),
            type_values: self.type_values,
            examples: new.iter().take(EXAMPLES).map(|row| row.path.to_string()).collect(),
            rules: self.rules.iter().map(Candidate::proposal).collect(),
            left_out: left_out.collect(),
            not_understood: not_understood(declared, &self.fields, &new),
            fields: self.fields,
            unreadable,
        }
    }
}

/// Required fields that some of the notes would lack under the proposal.
fn unreadable(
    declared: &RecordType,
    proposed: &[PropertyProposal],
    notes: &[&QueryRow],
) -> Vec<UnreadableField> {
    let mut unreadable = Vec::new();
    // The file name substitutes a missing title.
    let needed = declared
        .fields
        .iter()
        .filter(|(key, field)| field.required && declared.title.as_deref() != Some(key.as_str()));
    for (key, field) in needed {
        let own = proposed.iter().find(|found| found.field == *key).map(|found| found.property.as_str());
        // A property with a matching name counts even if its values do not fit.
        let names = names_of(declared, key, key);
        let named = || {
            let is_named = |property: &&String| {
                names.iter().any(|name| properties::bare(name) == properties::bare(property))
            };
            notes.iter().find_map(|note| note.document.properties().keys().find(is_named))
        };
        let property = own.or_else(|| named().map(String::as_str)).unwrap_or(field.property());
        let mut missing = 0;
        let mut example = None;
        for note in notes {
            let value = note.document.property(property).filter(|value| says_something(value));
            match value {
                Some(value) if field.fits(value) => continue,
                Some(value) => example = example.or_else(|| Some(value.display())),
                None => {}
            }
            missing += 1;
        }
        if missing > 0 {
            unreadable.push(UnreadableField {
                field: key.clone(),
                label: field.label(key),
                notes: count(missing),
                needs: field.needs(),
                example,
            });
        }
    }
    unreadable
}

/// Fields whose property has unsuitable values in some of the notes: the notes become records, with the field
/// empty.
fn not_understood(
    declared: &RecordType,
    proposed: &[PropertyProposal],
    notes: &[&QueryRow],
) -> Vec<NotUnderstood> {
    let fields = declared.fields.iter().filter_map(|(key, field)| {
        let own = proposed.iter().find(|found| found.field == *key).map(|found| found.property.as_str());
        let property = own.unwrap_or(field.property());
        let values = notes.iter().filter_map(|row| row.document.property(property));
        let odd: Vec<String> = values
            .filter(|value| says_something(value) && !field.fits(value))
            .map(PropertyValue::display)
            .collect();
        (!odd.is_empty()).then(|| NotUnderstood {
            field: key.clone(),
            property: property.to_owned(),
            notes: count(odd.len()),
            needs: field.needs(),
            examples: odd.into_iter().take(2).collect(),
        })
    });
    fields.collect()
}

fn says_something(value: &PropertyValue) -> bool {
    !matches!(value, PropertyValue::Null) && !value.display().trim().is_empty()
}

/// Whether notes of a type resemble such records: by the name of the type; by their folder together with a
/// property; or by most of their properties.
fn resembles(declared: &RecordType, kind: &Kind) -> bool {
    let words = names_of(declared, "type", declared.name());
    if words.iter().any(|word| same_word(word, kind.value)) {
        return true;
    }
    let fitting = properties_of(declared, &kind.notes).len();
    let own_folder = declared.folder.rsplit('/').next().unwrap_or_default();
    let in_folder = kind.notes.iter().filter(|row| {
        let folder = row.path.folder().rsplit('/').next().unwrap_or_default();
        same_word(folder, own_folder) || words.iter().any(|word| same_word(folder, word))
    });
    if in_folder.count() * 2 > kind.notes.len() && fitting >= 1 {
        return true;
    }
    const ENOUGH: usize = 3;
    kind.notes.len() >= 2 && fitting >= ENOUGH && fitting * 2 >= declared.fields.len()
}

/// Paths of some example notes.
pub(crate) fn examples_of(notes: &[&QueryRow]) -> Vec<String> {
    const EXAMPLES: usize = 2;
    notes.iter().take(EXAMPLES).map(|row| row.path.to_string()).collect()
}

pub(crate) fn count(of: usize) -> u32 {
    u32::try_from(of).unwrap_or(u32::MAX)
}

fn object_in<'a>(value: &'a mut Value, key: &str) -> Option<&'a mut Map<String, Value>> {
    if value.is_null() {
        *value = Value::Object(Map::new());
    }
    object_at(value.as_object_mut()?, key)
}

fn object_at<'a>(map: &'a mut Map<String, Value>, key: &str) -> Option<&'a mut Map<String, Value>> {
    let value = map.entry(key).or_insert(Value::Null);
    if value.is_null() {
        *value = Value::Object(Map::new());
    }
    value.as_object_mut()
}
