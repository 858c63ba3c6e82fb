//! Creates and edits the notes of routines.

use jiff::tz::TimeZone;
use nova_protocol::{EditRoutine, ErrorCode, NewRoutine, RoutineRow, UserError};
use nova_session::UserMessage;
use nova_skill::{FieldFault, Note, RecordType, VaultPath};
use nova_vault::Draft;
use nova_vault::note::file_name;
use serde_json::{Map, Value, json};

use super::note::RoutineNote;
use crate::app::App;
use crate::models::split_model;

impl App {
    /// Creates the note of a new routine.
    pub(crate) async fn add_routine(&self, new: NewRoutine) -> Result<RoutineRow, UserError> {
        let name = file_name(new.name.trim());
        if name.trim().is_empty() {
            return Err(UserError::new(ErrorCode::BadRequest, "The name is empty.", "Name the routine."));
        }
        if !new.tool.trim().is_empty() && !new.message.trim().is_empty() {
            return Err(UserError::new(
                ErrorCode::InvalidArguments,
                "A routine sends a message or runs a tool.",
                "Leave out one of them.",
            ));
        }
        self.check_names(&NewRoutine::default(), &new)?;
        let declared = self.routine_type()?;
        let text = declared.new_note(&values_of(&new)).map_err(UserError::from)?;
        let text = format!("{}\n{}", text.trim_end(), new.message.trim());
        let text = format!("{}\n", text.trim_end());
        let path =
            VaultPath::in_folder(&declared.folder, &format!("{}.md", name.trim())).map_err(|error| {
                UserError::new(ErrorCode::BadRequest, error.to_string(), "Choose another name.")
            })?;
        let here = self.inner.options.clock.zone();
        let written = path.clone();
        self.change_routines(format!("New routine {name}"), move |draft| {
            draft.create(&written, text)?;
            check(draft, &written, &declared, &here)
        })
        .await?;
        self.routine_row_of(path.as_str()).await
    }

    /// Changes what the form changed; edits of the note meanwhile are merged.
    pub(crate) async fn edit_routine(&self, edit: EditRoutine) -> Result<RoutineRow, UserError> {
        let EditRoutine { path, before, after } = edit;
        let note = self.routine_named(&path).await?;
        self.check_names(&before, &after)?;
        let (declared, here) = (self.routine_type()?, self.inner.options.clock.zone());
        let path = note.path.clone();
        self.change_routines(format!("Routine {}", note.name), move |draft| {
            let note = draft.read(&path)?;
            let edits = declared.edits_of_form(&note, &values_of(&before), &values_of(&after));
            let edits = edits.map_err(|faults| first_of(&faults))?;
            if !edits.is_empty() {
                draft.set_properties(&path, &edits)?;
            }
            if lines(&before.message) != lines(&after.message) {
                let note = draft.read(&path)?;
                let text = with_message(&note, &before.message, &after.message)?;
                draft.replace(&path, &note.text, &text, None)?;
            }
            check(draft, &path, &declared, &here)
        })
        .await?;
        self.routine_row_of(note.path.as_str()).await
    }

    /// Rejects an unknown or unavailable tool or skill, and a model of an unknown provider. What was there
    /// before stays, so that a routine can be edited while its skill is off.
    fn check_names(&self, before: &NewRoutine, after: &NewRoutine) -> Result<(), UserError> {
        let changed = |before: &str, after: &str| {
            (before.trim() != after.trim() && !after.trim().is_empty()).then(|| after.trim().to_owned())
        };
        let skills = after.skills.iter().filter(|skill| !before.skills.contains(skill));
        self.check_wanted(&UserMessage {
            tool: changed(&before.tool, &after.tool),
            skills: skills.map(|skill| skill.trim().to_owned()).collect(),
            ..UserMessage::default()
        })?;
        if let Some(model) = changed(&before.model, &after.model) {
            self.provider_config(split_model(&model)?.0)?;
        }
        Ok(())
    }
}

/// The fields of the note, without empty ones.
fn values_of(form: &NewRoutine) -> Map<String, Value> {
    let mut values = Map::new();
    for (key, list) in [("when", &form.when), ("allow", &form.allow), ("skills", &form.skills)] {
        let list: Vec<&str> = list.iter().map(|item| item.trim()).filter(|item| !item.is_empty()).collect();
        if !list.is_empty() {
            values.insert(key.into(), json!(list));
        }
    }
    let texts = [("zone", &form.zone), ("tool", &form.tool), ("args", &form.args), ("model", &form.model)];
    for (key, text) in texts.into_iter().filter(|(_, text)| !text.trim().is_empty()) {
        values.insert(key.into(), json!(text.trim()));
    }
    values
}

/// Fails if the planned note is not a valid routine.
fn check(
    draft: &mut Draft,
    path: &VaultPath,
    declared: &RecordType,
    here: &TimeZone,
) -> Result<(), UserError> {
    let note = draft.read(path)?;
    match RoutineNote::read(declared, note, here).routine {
        Ok(_) => Ok(()),
        Err(problem) => Err(UserError::new(ErrorCode::InvalidArguments, problem, "")),
    }
}

fn first_of(faults: &[FieldFault]) -> UserError {
    let Some(FieldFault { field, message, theirs }) = faults.first() else {
        return UserError::new(ErrorCode::Internal, "The form cannot be saved.", "");
    };
    match theirs {
        None => UserError::new(ErrorCode::InvalidArguments, format!("`{field}`: {message}"), ""),
        Some(_) => changed_meanwhile(&format!("`{field}`")),
    }
}

fn changed_meanwhile(what: &str) -> UserError {
    UserError::new(
        ErrorCode::Conflict,
        format!("{what} was changed in the note while the form was open."),
        "Close the form and open it again to see both.",
    )
}

/// The text of the note with another message below its properties.
fn with_message(note: &Note, before: &str, after: &str) -> Result<String, UserError> {
    let (head, body) = note.text.split_at(note.document.body_start());
    let old = body.trim();
    if lines(old) != lines(before) {
        return Err(changed_meanwhile("The message"));
    }
    let ending = if note.text.contains("\r\n") { "\r\n" } else { "\n" };
    let new = lines(after).join(ending);
    if old.is_empty() {
        return Ok(format!("{}{ending}{new}{ending}", head.trim_end()));
    }
    let at = body.len() - body.trim_start().len();
    Ok(format!("{head}{}{new}{}", &body[..at], &body[at + old.len()..]))
}

fn lines(text: &str) -> Vec<&str> {
    text.trim().lines().collect()
}
