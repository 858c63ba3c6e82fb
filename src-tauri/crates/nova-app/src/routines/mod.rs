//! Routines: scheduled messages and tool calls, defined by notes of `type: routine`.
//!
//! `form` creates and edits a routine's note, `note` parses it, `schedule` its times, `due` compares both with
//! the `ledger` of past runs, and `runner` runs it as a separate chat; `card` holds its permissions.
//!
//! # Invariants
//!
//! - The start of a run is durable before it starts, so that each due time is run at most once, even after a
//!   crash: `tests/journeys/keeping_routines.rs`.
//! - Without asking, a run may only read and do what its note allowed when it started; neither the user's
//!   rules, nor standing approvals, nor text that it reads extend that.
//! - An invalid routine does not prevent others from running.

mod card;
mod due;
mod form;
mod ledger;
mod note;
mod records;
mod runner;
mod schedule;
mod today;
mod tool_call;

use jiff::Timestamp;
use nova_protocol::{
    ErrorCode, Event, Nothing, RoutineRef, RoutineRow, RoutineRun, SwitchRoutine, UserError,
};
use nova_skill::{PropertyEdit, RecordType, VaultPath};
use nova_vault::{Author, ChangeSetKind, Draft};
use serde_json::{Map, Value, json};

use self::ledger::{Entry, LastRun, Ledger};
use self::note::{ROUTINE, RoutineNote};
use self::runner::{AtQuestion, LATE, Slot};
use crate::app::App;
use crate::blocking::blocking;

/// The skill that declares the record type: its other records are notes, too, and a type adds no tool for
/// models.
const SKILL: &str = "vault";

impl App {
    /// All routines, by name.
    pub(crate) async fn list_routines(&self, _: Nothing) -> Result<Vec<RoutineRow>, UserError> {
        let notes = self.routine_notes().await?;
        let (app, vault) = (self.clone(), self.vault_key()?);
        let now = self.inner.options.clock.now();
        blocking(move || {
            let ledger = Ledger::read(&app.places().data)?;
            let row =
                |note: &RoutineNote| app.routine_row(note, ledger.entry(&vault, note.path.as_str()), now);
            let mut rows: Vec<_> = notes.iter().map(row).collect();
            rows.sort_by_cached_key(|row| (row.name.to_lowercase(), row.path.clone()));
            Ok(rows)
        })
        .await
    }

    pub(crate) async fn switch_routine(&self, switch: SwitchRoutine) -> Result<RoutineRow, UserError> {
        let note = self.routine_named(&switch.path).await?;
        let declared = self.routine_type()?;
        let path = note.path.clone();
        self.change_routines(format!("Routine {}", note.name), move |draft| {
            let note = draft.read(&path)?;
            let values: Map<String, Value> =
                [("enabled".to_owned(), json!(switch.enabled))].into_iter().collect();
            let edits: Vec<PropertyEdit> = declared.edits(&note, &values).unwrap_or_default();
            draft.set_properties(&path, &edits)?;
            Ok(())
        })
        .await?;
        self.routine_row_of(note.path.as_str()).await
    }

    /// Deletes the note of a routine as any other note.
    ///
    /// # Errors
    /// When there is no such routine, or its note cannot be deleted.
    pub async fn remove_routine(&self, name: &str) -> Result<String, UserError> {
        let note = self.routine_named(name).await?;
        let path = note.path.clone();
        self.change_routines(format!("Removed routine {}", note.name), move |draft| {
            draft.delete(&path)?;
            Ok(())
        })
        .await?;
        Ok(note.path.to_string())
    }

    /// Runs a routine now, regardless of its schedule and of whether it is enabled.
    pub(crate) async fn run_routine(&self, named: RoutineRef) -> Result<RoutineRow, UserError> {
        let note = self.routine_named(&named.path).await?;
        let path = note.path.to_string();
        let slot = self.slot_for_hand().await?;
        let started = self.start_routine(note, None, &Default::default(), AtQuestion::Wait).await??;
        tokio::spawn(async move {
            started.ended_or_waits().await;
            drop(slot);
        });
        self.routine_row_of(&path).await
    }

    /// Like `run_routine`, but waits for the end of the run, which is cancelled at its first question.
    ///
    /// # Errors
    /// When there is no such routine, its note is invalid, or another routine is running.
    pub async fn run_routine_to_end(&self, name: &str) -> Result<RoutineRow, UserError> {
        let note = self.routine_named(name).await?;
        let path = note.path.to_string();
        let _slot = self.slot_for_hand().await?;
        self.start_routine(note, None, &Default::default(), AtQuestion::End).await??.ended().await;
        self.routine_row_of(&path).await
    }

    /// Marks the outcome of the latest run as seen.
    pub(crate) async fn see_routine(&self, named: RoutineRef) -> Result<Nothing, UserError> {
        let (data, vault) = (self.places().data.clone(), self.vault_key()?);
        blocking(move || {
            Ledger::change(&data, |ledger| {
                let entry = ledger.of_vault(&vault).get_mut(&named.path);
                if let Some(last) = entry.and_then(|entry| entry.last.as_mut()).filter(|last| !last.is_open())
                {
                    last.seen = true;
                }
            })
        })
        .await?;
        self.emit(Event::RoutinesChanged {});
        Ok(Nothing {})
    }

    async fn slot_for_hand(&self) -> Result<Slot, UserError> {
        let data = self.places().data.clone();
        blocking(move || {
            Slot::take(&data)?.ok_or_else(|| {
                UserError::new(
                    ErrorCode::SessionBusy,
                    "Another routine is running.",
                    "Try again when it has ended.",
                )
            })
        })
        .await
    }

    async fn routine_notes(&self) -> Result<Vec<RoutineNote>, UserError> {
        self.routine_notes_at(None).await
    }

    /// All routines, or the one at a path.
    async fn routine_notes_at(&self, path: Option<String>) -> Result<Vec<RoutineNote>, UserError> {
        let view = self.vault()?.seen_by_owner();
        let (declared, here) = (self.routine_type()?, self.inner.options.clock.zone());
        blocking(move || {
            let mut notes = match path {
                None => view.records(declared.recogniser())?,
                Some(path) => {
                    let note = VaultPath::parse(&path).ok().and_then(|path| view.read(&path).ok());
                    note.into_iter().filter(|note| declared.recognises(note)).collect()
                }
            };
            let templates = view.template_folder();
            notes.retain(|note| !templates.holds(&note.path));
            Ok(notes.into_iter().map(|note| RoutineNote::read(&declared, note, &here)).collect())
        })
        .await
    }

    /// By path or name.
    async fn routine_named(&self, name: &str) -> Result<RoutineNote, UserError> {
        let mut notes = self.routine_notes().await?;
        if let Some(at) = notes.iter().position(|note| note.path.as_str() == name) {
            return Ok(notes.swap_remove(at));
        }
        let wanted = name.to_lowercase();
        let fit: Vec<usize> =
            (0..notes.len()).filter(|at| notes[*at].name.to_lowercase() == wanted).collect();
        match fit.as_slice() {
            [at] => Ok(notes.swap_remove(*at)),
            [] => Err(UserError::new(
                ErrorCode::NoteNotFound,
                format!("There is no routine \"{name}\"."),
                "See all with: nova routine list",
            )),
            several => {
                let paths: Vec<_> = several.iter().map(|at| notes[*at].path.to_string()).collect();
                Err(UserError::new(
                    ErrorCode::Ambiguous,
                    format!("Several routines are called \"{name}\"."),
                    format!("Name one by its path: {}.", paths.join(", ")),
                ))
            }
        }
    }

    async fn routine_row_of(&self, path: &str) -> Result<RoutineRow, UserError> {
        let rows = Box::pin(self.list_routines(Nothing {})).await?;
        rows.into_iter().find(|row| row.path == path).ok_or_else(|| {
            UserError::new(ErrorCode::NoteNotFound, format!("There is no routine {path}."), "")
        })
    }

    fn routine_row(&self, note: &RoutineNote, entry: Option<&Entry>, now: Timestamp) -> RoutineRow {
        let through =
            entry.filter(|entry| entry.schedule == note.schedule()).map_or(now, |entry| entry.through);
        let routine = note.routine.as_ref();
        let next = routine.ok().filter(|_| note.enabled);
        let next = next.and_then(|routine| routine.schedule.next_after(through.max(now)));
        let form = note.form.clone();
        RoutineRow {
            path: note.path.to_string(),
            name: note.name.clone(),
            when: form.when,
            zone: form.zone,
            enabled: note.enabled,
            allow: form.allow,
            message: form.message,
            tool: form.tool,
            args: form.args,
            skills: form.skills,
            model: form.model,
            problem: routine.err().cloned(),
            next: next.map(|next| next.to_string()),
            last: entry.and_then(|entry| entry.last.as_ref()).map(|last| self.routine_run(last)),
        }
    }

    fn routine_run(&self, last: &LastRun) -> RoutineRun {
        let late = last.started.duration_since(last.due);
        let is_lost = last.is_open()
            && !self.inner.store.is_running(&last.session)
            // Between recording the start and starting the turn, the runner holds the slot.
            && matches!(Slot::take(&self.places().data), Ok(Some(_)));
        RoutineRun {
            session: last.session.clone(),
            due: last.due.to_string(),
            started: last.started.to_string(),
            ended: last.ended.map(|ended| ended.to_string()),
            late: if late < LATE { 0 } else { u32::try_from(late.as_mins()).unwrap_or(u32::MAX) },
            end: if is_lost { due::ended_unseen(last.end) } else { last.end },
            said: last.said.clone(),
            seen: last.seen,
        }
    }

    fn routine_type(&self) -> Result<RecordType, UserError> {
        let snapshot = self.inner.registry.snapshot();
        let skill = snapshot.skill(SKILL).filter(|skill| skill.is_available());
        let declared = skill.and_then(|skill| skill.records.get(ROUTINE).ok());
        declared.cloned().ok_or_else(|| {
            UserError::new(
                ErrorCode::SkillDisabled,
                format!("The skill {SKILL}, which knows routines, is off. No routine runs."),
                format!("Switch it on in Settings, or run: nova skill enable {SKILL}"),
            )
        })
    }

    /// The ledger's key of the open vault.
    fn vault_key(&self) -> Result<String, UserError> {
        Ok(self.vault()?.root().display().to_string())
    }

    /// Plans changes of notes as the user, and applies them unless `plan` fails.
    async fn change_routines(
        &self,
        title: String,
        plan: impl FnOnce(&mut Draft) -> Result<(), UserError> + Send + 'static,
    ) -> Result<(), UserError> {
        let vault = self.vault()?;
        blocking(move || {
            let mut draft = vault.draft();
            plan(&mut draft)?;
            if draft.is_empty() {
                return Ok(());
            }
            let set = vault.change_set(ChangeSetKind::Form, title);
            set.apply(draft, &Author::new("user"))?;
            set.close()?;
            Ok(())
        })
        .await?;
        self.emit(Event::RoutinesChanged {});
        Ok(())
    }
}
