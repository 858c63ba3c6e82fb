//! Record forms: their contents, and saving. Saving is a separate tool call on behalf of the record's skill,
//! so that rules, change sets and undo work as for any other call.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use nova_calls::CalledTool;
use nova_protocol::{
    ErrorCode, FieldErrorView, NoteSuggestion, ProblemView, RecordFormRef, RecordFormView, RecordTypeRow,
    SaveRecord, SavedRecord, SuggestNotes, UserError, UsualCurrency,
};
use nova_registry::{SkillEntry, ToolEntry};
use nova_skill::figures::{currency_code, folded};
use nova_skill::{
    Date, FieldFault, Note, PropertyValue, RecordType, RecordTypes, Start, ToolError, VaultPath, native,
};
use nova_vault::note::FrontMatter;
use nova_vault::{Query, TemplateFolder, View};
use serde_json::{Map, Value};

use crate::app::App;
use crate::blocking::blocking;
use crate::chat::unknown_skill;
use crate::notes::find_note;
use save::{FilledForm, SaveRecordTool};

mod offered;
mod same;
mod save;

impl App {
    pub(crate) fn record_types(&self) -> Vec<RecordTypeRow> {
        let snapshot = self.inner.registry.snapshot();
        let rows = snapshot.available().flat_map(|skill| {
            skill.records.iter().map(|declared| RecordTypeRow {
                skill: skill.id.clone(),
                record_type: declared.name().to_owned(),
                label: declared.label(),
                folder: declared.folder.clone(),
                title: declared.title.clone(),
            })
        });
        rows.collect()
    }

    /// The text of an empty note of the type, for Obsidian's templates folder, with the property names
    /// configured for the skill.
    ///
    /// # Errors
    /// When the skill or its type does not exist.
    pub fn record_template(&self, skill: &str, record_type: &str) -> Result<String, UserError> {
        Ok(declared(&*self.skill_with(skill, record_type)?, record_type)?.template())
    }

    /// A `.base` file with a table of all records of the type, excluding templates of the open vault.
    ///
    /// # Errors
    /// See [`App::record_template`].
    pub fn record_base(&self, skill: &str, record_type: &str) -> Result<String, UserError> {
        let templates =
            self.vault().map_or_else(|_| TemplateFolder::default(), |vault| vault.template_folder());
        Ok(declared(&*self.skill_with(skill, record_type)?, record_type)?.base_view(&templates))
    }

    pub(crate) async fn record_form(&self, wanted: RecordFormRef) -> Result<RecordFormView, UserError> {
        let skill = self.skill_with(&wanted.skill, &wanted.record_type)?;
        let vault = self.vault()?;
        let today = self.inner.options.clock.today();
        blocking(move || {
            let declared = declared(&skill, &wanted.record_type)?;
            let note = match &wanted.path {
                Some(path) => Some(find_note(&vault.seen_by_owner(), path)?),
                None => None,
            };
            let broken = note.as_ref().and_then(broken_matter);
            if let (Some(note), None) = (&note, &broken) {
                check_type(&skill, declared, note)?;
            }
            let readable = note.as_ref().filter(|_| broken.is_none());
            let mut form = declared.form(note.is_some());
            if note.is_none() {
                start(&mut form["schema"], &skill, declared, today, &vault.seen_by_owner())?;
            }
            Ok(RecordFormView {
                skill: skill.id.clone(),
                record_type: declared.name().to_owned(),
                label: declared.label(),
                path: note.as_ref().map(|note| note.path.to_string()),
                name: note.as_ref().map(|note| declared.read(note).title().into_owned()),
                schema: form["schema"].take(),
                ui_schema: form["uiSchema"].take(),
                values: Value::Object(readable.map(|note| declared.form_values(note)).unwrap_or_default()),
                problems: readable
                    .map(|note| declared.check(note).into_iter().map(problem_view).collect())
                    .unwrap_or_default(),
                hash: note.as_ref().map(|note| note.hash.to_string()),
                broken,
            })
        })
        .await
    }

    pub(crate) async fn save_record(&self, save: SaveRecord) -> Result<SavedRecord, UserError> {
        let skill = self.skill_with(&save.skill, &save.record_type)?;
        let filled = FilledForm {
            record_type: save.record_type,
            path: save.path,
            before: object("before", save.before.unwrap_or_default())?,
            values: object("values", save.values)?,
            another: save.another.unwrap_or_default(),
        };
        // Reports all invalid fields at once. The call below checks again, with the then current note.
        let (faults, same) = {
            let (vault, skill, filled) = (self.vault()?, skill.clone(), filled.clone());
            blocking(move || {
                let declared = declared(&skill, &filled.record_type)?;
                let note = match &filled.path {
                    Some(path) => Some(find_note(&vault.seen_by_owner(), path)?),
                    None => None,
                };
                if let Some(note) = &note {
                    if let Some(problem) = broken_matter(note) {
                        return Err(broken(&problem));
                    }
                    check_type(&skill, declared, note)?;
                }
                let faults = filled.faults(declared, note.as_ref());
                let asks = faults.is_empty() && filled.requires_unique();
                let same = if asks { filled.same(declared, &vault.seen_by_owner())? } else { None };
                Ok((faults, same))
            })
            .await?
        };
        if !faults.is_empty() || same.is_some() {
            let errors = faults.into_iter().map(error_view).collect();
            return Ok(SavedRecord { errors, same, result: None });
        }
        let args = serde_json::to_value(&filled)
            .map_err(|error| UserError::new(ErrorCode::Internal, error.to_string(), ""))?;
        let saving = SaveRecordTool::of(&skill);
        let refused = saving.refused();
        let tool = ToolEntry::of_form(&skill.id, native(saving))
            .map_err(|error| UserError::new(ErrorCode::Internal, error, ""))?;
        let called = CalledTool::OfForm { skill, tool: Arc::new(tool) };
        let result = self.run_form(save.run, called, args).await?;
        if let Some(fault) = refused.take().filter(|_| !result.ok) {
            return Ok(SavedRecord { errors: vec![error_view(fault)], same: None, result: None });
        }
        Ok(SavedRecord { errors: Vec::new(), same: None, result: Some(result) })
    }

    pub(crate) async fn usual_currency_of(&self, id: &str) -> Result<UsualCurrency, UserError> {
        let snapshot = self.inner.registry.snapshot();
        let skill = snapshot.skill(id).ok_or_else(|| unknown_skill(&snapshot, id))?.clone();
        let view = self.vault()?.seen_by_owner();
        blocking(move || Ok(UsualCurrency { currency: usual_currency(&skill, &view)? })).await
    }

    /// Suggests notes by name: first the records that the field refers to, then those of the skill. Templates
    /// and sync conflict copies are excluded from fields; a message may refer to any note.
    pub(crate) async fn suggest_notes(&self, wanted: SuggestNotes) -> Result<Vec<NoteSuggestion>, UserError> {
        const MOST: usize = 8;
        let snapshot = self.inner.registry.snapshot();
        // In a message, no skill is preferred.
        let skill = match wanted.skill.as_str() {
            "" => None,
            id => Some(snapshot.skill(id).ok_or_else(|| unknown_skill(&snapshot, id))?.clone()),
        };
        let view = self.vault()?.seen_by_owner();
        blocking(move || {
            let text = folded(&wanted.text);
            if let (Some(record_type), Some(skill)) = (&wanted.record_type, &skill) {
                let mut found = offered::records_like(declared(skill, record_type)?, &view, &text)?;
                found.truncate(MOST);
                return Ok(found);
            }
            let rows = view.query(&Query::default())?.rows;
            let mut record_of: HashMap<VaultPath, String> = HashMap::new();
            if let Some(records) = skill.as_ref().map(|skill| &skill.records) {
                for note in view.records(&records.recogniser())? {
                    let name = records.of_note(&note).map(|declared| declared.name().to_owned());
                    record_of.extend(name.map(|name| (note.path, name)));
                }
            }
            let templates = view.template_folder();
            let paths: HashSet<VaultPath> = rows.iter().map(|row| row.path.clone()).collect();
            let no_record = |path: &VaultPath| templates.holds(path) || is_copy(path, &paths);
            let mut found: Vec<_> = rows
                .into_iter()
                .filter(|row| skill.is_none() || !no_record(&row.path))
                .filter_map(|row| {
                    let place = matching(&folded(row.path.name()), &text)?;
                    let kind = match record_of.get(&row.path) {
                        Some(name) if Some(name.as_str()) == wanted.field.as_deref() => 0,
                        Some(_) => 1,
                        None => 2,
                    };
                    Some(((kind, place), row))
                })
                .collect();
            found.sort_by(|(a, one), (b, other)| a.cmp(b).then_with(|| one.path.cmp(&other.path)));
            // A field contains only the name, so the first of several notes with one name stands for all. A
            // message uses the path if necessary.
            let mut seen = std::collections::BTreeSet::new();
            let rows = found
                .into_iter()
                .map(|(_, row)| row)
                .filter(|row| skill.is_none() || seen.insert(folded(row.path.name())));
            let rows = rows.take(MOST).map(|row| NoteSuggestion {
                name: row.path.name().to_owned(),
                path: row.path.to_string(),
                record_type: row.record_type,
            });
            Ok(rows.collect())
        })
        .await
    }

    /// An available skill with this record type.
    pub(crate) fn skill_with(&self, id: &str, record_type: &str) -> Result<Arc<SkillEntry>, UserError> {
        let snapshot = self.inner.registry.snapshot();
        let skill = snapshot.listed(id).ok_or_else(|| unknown_skill(&snapshot, id))?;
        declared(skill, record_type)?;
        Ok(skill.clone())
    }
}

/// Prefills the form of a new record. Like any default, the values are shown and saved as the user leaves
/// them.
fn start(
    schema: &mut Value,
    skill: &SkillEntry,
    declared: &RecordType,
    today: Date,
    view: &View,
) -> Result<(), UserError> {
    for (key, field) in &declared.fields {
        let value = match field.starts {
            None => continue,
            Some(Start::Today) => Some(today.to_string()),
            // Another field's code may be invalid for this one.
            Some(Start::Currency) => usual_currency(skill, view)?.filter(|usual| field.code(usual).is_some()),
        };
        if let Some(value) = value {
            schema["properties"][key.as_str()]["default"] = Value::from(value);
        }
    }
    Ok(())
}

/// The currency configured for the skill, otherwise the most frequent one in its records; none in case of a
/// tie.
fn usual_currency(skill: &SkillEntry, view: &View) -> Result<Option<String>, UserError> {
    let fields = skill.records.iter().flat_map(|declared| declared.fields.values());
    let mut currencies = fields.filter(|field| field.starts == Some(Start::Currency));
    let set = skill.config.get("currency").and_then(Value::as_str);
    let code = |set| currency_code(set).or_else(|| currencies.find_map(|field| field.code(set)));
    if let Some(code) = set.and_then(code) {
        return Ok(Some(code.to_owned()));
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for note in view.records(&skill.records.recogniser())? {
        let Some(declared) = skill.records.of_note(&note) else { continue };
        let currencies = declared.fields.values().filter(|field| field.starts == Some(Start::Currency));
        for field in currencies {
            let said = note.document.property(field.property()).and_then(PropertyValue::as_text);
            if let Some(code) = said.as_deref().and_then(|said| field.code(said)) {
                *counts.entry(code.to_owned()).or_default() += 1;
            }
        }
    }
    let most = counts.values().max().copied();
    let mut commonest = counts.into_iter().filter(|(_, count)| Some(*count) == most);
    let first = commonest.next().map(|(code, _)| code);
    Ok(first.filter(|_| commonest.next().is_none()))
}

fn declared<'a>(skill: &'a SkillEntry, record_type: &str) -> Result<&'a RecordType, UserError> {
    declared_in(skill, &skill.records, record_type)
}

/// The record type of that name, in the user's configuration form.
pub(crate) fn declared_in<'a>(
    skill: &SkillEntry,
    records: &'a RecordTypes,
    record_type: &str,
) -> Result<&'a RecordType, UserError> {
    records.iter().find(|declared| declared.name() == record_type).ok_or_else(|| {
        let known: Vec<&str> = records.iter().map(RecordType::name).collect();
        let hint = match known.as_slice() {
            [] => skill.reason.clone().unwrap_or_else(|| "It declares no records.".into()),
            known => format!("It has {}.", known.join(", ")),
        };
        let message = format!("The skill {} has no record type \"{record_type}\".", skill.id);
        UserError::new(ErrorCode::BadRequest, message, hint)
    })
}

/// Checks that the note is a record of the form's type.
fn check_type(skill: &SkillEntry, declared: &RecordType, note: &Note) -> Result<(), UserError> {
    if declared.recognises(note) {
        return Ok(());
    }
    let name = declared.name();
    let is = match note.document.record_type() {
        Some(other) => format!("its type is {other}"),
        None => "it has no `type`".into(),
    };
    let remedy = match declared.mark_in_words() {
        Some(mark) => format!(
            "Set `{mark}` in the note, or set in the settings of {} how your {name}s are recognised.",
            skill.name
        ),
        None => format!("A {name} is recognised by: {}.", declared.recognised_by()),
    };
    Err(UserError::new(ErrorCode::BadRequest, format!("{} is not a {name}: {is}.", note.path), remedy))
}

fn broken_matter(note: &Note) -> Option<ProblemView> {
    let FrontMatter::Broken { line, reason } = note.document.front_matter() else { return None };
    Some(ProblemView {
        path: note.path.to_string(),
        line: *line,
        problem: reason.clone(),
        remedy: "Correct it in Obsidian, then open the form again; Nova leaves the note as it is.".into(),
        mark: None,
    })
}

fn broken(problem: &ProblemView) -> UserError {
    UserError::from(ToolError::BrokenRecord(nova_vault::Problem {
        path: problem.path.clone(),
        line: problem.line,
        problem: problem.problem.clone(),
        remedy: problem.remedy.clone(),
    }))
}

pub(crate) fn problem_view(problem: nova_vault::Problem) -> ProblemView {
    ProblemView {
        path: problem.path,
        line: problem.line,
        problem: problem.problem,
        remedy: problem.remedy,
        mark: None,
    }
}

fn error_view(fault: FieldFault) -> FieldErrorView {
    FieldErrorView { field: fault.field, message: fault.message, theirs: fault.theirs }
}

fn object(name: &str, value: Value) -> Result<Map<String, Value>, UserError> {
    match value {
        Value::Object(map) => Ok(map),
        Value::Null => Ok(Map::new()),
        _ => Err(UserError::new(
            ErrorCode::BadRequest,
            format!("`{name}` is not an object of fields."),
            "Update the window and the program together.",
        )),
    }
}

/// Position of the text in a normalised name: 0 at the start, 1 at the start of a word, 2 elsewhere.
fn matching(name: &str, text: &str) -> Option<u8> {
    if name.starts_with(text) {
        return Some(0);
    }
    let at_word =
        name.split([' ', '-', '_']).any(|word| word.starts_with(text)) || name.contains(&format!(" {text}"));
    if at_word { Some(1) } else { name.contains(text).then_some(2) }
}

/// Whether it is a sync program's conflict copy of an existing note.
fn is_copy(path: &VaultPath, paths: &HashSet<VaultPath>) -> bool {
    let original = path.sync_conflict_of().map(|name| format!("{name}.md"));
    let original = original.and_then(|name| VaultPath::in_folder(path.folder(), &name).ok());
    original.is_some_and(|original| paths.contains(&original))
}
