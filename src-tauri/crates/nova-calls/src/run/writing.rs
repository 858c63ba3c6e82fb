//! Writes a tool's plan after the user has seen it.

use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError};

use nova_protocol::{Decision, Event, NoteChangeView, NoteDiffView, UserError};
use nova_registry::{SkillEntry, ToolEntry};
use nova_skill::{Output, ToolError, VaultPath};
use nova_vault::{Author, ChangeSet, Draft};
use nova_workspace::{FileDraft, Made};
use serde_json::Value;

use super::asking::{Approved, Asking};
use super::body::crashed;
use super::inner::{InnerCalls, InnerWrite};
use super::judging::denied_by_rule;
use super::planning::Plan;
use super::{Reach, Running};
use crate::view::{change_kind_view, file_change_kind_view};
use crate::{Ruling, Verdict, arguments};

impl Running<'_> {
    /// Runs a tool that writes notes against a draft, and writes exactly what was shown.
    pub(super) async fn write(
        &mut self,
        skill: &Arc<SkillEntry>,
        tool: &Arc<ToolEntry>,
        reach: &Reach,
        mut args: Value,
    ) -> Result<Output, UserError> {
        let mut plan = match self.plan(skill, tool, reach, args.clone()).await {
            // It may depend on the writes of an earlier call.
            Err(_) if self.reach_place().await? => self.plan(skill, tool, reach, args.clone()).await?,
            plan => plan?,
        };
        // Notes named by edited arguments that no question has shown yet.
        let mut unseen = false;
        loop {
            let paths = plan.paths();
            let Ruling { verdict, because } = self.judge_plan(tool, &args, &plan);
            let each_time = because.is_each_time();
            let asks = match verdict {
                Verdict::Deny => return Err(denied_by_rule(tool, &because)),
                Verdict::Ask { decisions, editable } if plan.writes() || each_time => {
                    Some((decisions, editable))
                }
                Verdict::Run if unseen => Some((vec![Decision::Once, Decision::Deny], true)),
                Verdict::Ask { .. } | Verdict::Run => None,
            };
            let allowed = asks.is_some();
            if let Some((decisions, editable)) = asks {
                let (diff, details, tools) = (plan.diff(), plan.details(), plan.tools());
                let asking = Asking { diff, details, paths, because, tools };
                unseen = false;
                match self.ask_about_notes(skill, tool, reach, &mut args, decisions, editable, asking).await?
                {
                    Approved::AsFirstShown => {}
                    Approved::AsLastShown(newer) => plan = *newer,
                    // Edited arguments may not reach other notes than those shown.
                    Approved::Edited { args: edited, shown } => {
                        let (outside_own, was_open) = (plan.outside_own, !plan.open_notes.is_empty());
                        args = arguments::fit(tool, edited)?;
                        self.check_not_denied(tool, &args)?;
                        plan = self.plan(skill, tool, reach, args.clone()).await?;
                        unseen = !reaches_only(&plan.diff(), &shown)
                            || (plan.outside_own && !outside_own)
                            || (!plan.open_notes.is_empty() && !was_open);
                        if unseen {
                            continue;
                        }
                    }
                }
            }
            if !self.reach_place().await? {
                break;
            }
            // A different change from the one allowed is judged again.
            let newer = self.plan(skill, tool, reach, args.clone()).await?;
            let as_shown = newer.diff() == plan.diff();
            plan = newer;
            if allowed && as_shown {
                break;
            }
        }
        self.check_not_denied(tool, &args)?;
        if !plan.writes() {
            return Ok(plan.output);
        }
        let Some(change_set) = self.scope.change_set.clone() else {
            return Err(ToolError::NoVault.into());
        };
        if self.cancel.is_cancelled() {
            return Err(ToolError::Cancelled.into());
        }
        let Plan { output, draft, files, .. } = plan;
        if let Some(draft) = draft {
            self.write_notes(tool, draft, &change_set).await?;
        }
        match files {
            Some(files) => self.write_files(files, output, &change_set).await,
            None => Ok(output),
        }
    }

    /// Adds the changes to the draft of the outer call, which asks about them and writes them.
    pub(super) async fn write_within(
        &mut self,
        inner: &InnerCalls,
        skill: &Arc<SkillEntry>,
        tool: &Arc<ToolEntry>,
        reach: &Reach,
        args: Value,
    ) -> Result<Output, UserError> {
        let stopped = self.cancel.clone();
        let turn = tokio::select! {
            biased;
            () = stopped.cancelled() => return Err(ToolError::Cancelled.into()),
            turn = inner.writes() => turn,
        };
        let plan = self.plan(skill, tool, reach, args.clone()).await?;
        let ruling = self.judge(tool, &args, Some(&plan));
        if ruling.verdict == Verdict::Deny {
            return Err(denied_by_rule(tool, &ruling.because));
        }
        let Plan { output, draft, files, outside_own, .. } = plan;
        inner.join(draft, files, InnerWrite { tool: tool.clone(), args, times: self.times, outside_own });
        drop(turn);
        Ok(output)
    }

    async fn write_notes(
        &mut self,
        tool: &ToolEntry,
        draft: Draft,
        change_set: &Arc<ChangeSet>,
    ) -> Result<(), UserError> {
        let author = Author {
            principal: self.scope.author.clone(),
            skill: Some(tool.skill.clone()),
            call: Some(self.id.clone()),
        };
        // A move also updates links in hidden notes; this principal may not learn of those changes.
        let hidden: BTreeSet<VaultPath> = draft.paths().into_iter().filter(|path| self.hides(path)).collect();
        // A write is short and must complete, so a cancellation never interrupts it.
        let set = change_set.clone();
        let applied = tokio::task::spawn_blocking(move || {
            let applied = set.apply(draft, &author);
            (applied, set.id().to_owned())
        });
        let (applied, id) = applied.await.map_err(|_panic| crashed(tool))?;
        match applied {
            Ok(applied) => {
                self.scope
                    .touched
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .extend(applied.changes.iter().map(|change| change.path.clone()));
                self.scope.events.emit(Event::ChangeSet { id: id.clone(), state: "open".into() });
                let merged = applied
                    .merged
                    .iter()
                    .filter(|(path, _)| !hidden.contains(path))
                    .map(|(path, what)| format!("{}: {}", path.name(), what.join(", ")))
                    .collect();
                self.outcome.changes = applied.changes.iter().map(change_view).collect();
                self.outcome.change_set = Some(id);
                self.outcome.merged = merged;
                Ok(())
            }
            Err(error) => {
                if let nova_skill::VaultError::Conflict(conflict) = &error {
                    self.scope.events.emit(Event::ConflictFound {
                        note: conflict.path.to_string(),
                        from: conflict.from.as_ref().map(ToString::to_string),
                        kind: Some(change_kind_view(conflict.kind)),
                        what: conflict.what.clone(),
                        mine: conflict.mine.clone(),
                        theirs: conflict.theirs.clone(),
                    });
                }
                Err(user_error(&error, &hidden))
            }
        }
    }

    /// Writes files outside of the vault, as part of the same change set.
    async fn write_files(
        &mut self,
        files: FileDraft,
        output: Output,
        change_set: &ChangeSet,
    ) -> Result<Output, UserError> {
        let Some(kept) = self.scope.access.folders.kept() else { return Ok(output) };
        let made = Made {
            call: self.id.clone(),
            author: self.scope.author.clone(),
            at: self.scope.access.clock.now().to_string(),
        };
        let id = change_set.id().to_owned();
        let set = id.clone();
        let written = tokio::task::spawn_blocking(move || {
            kept.apply(&files, &set, &made).map_err(|error| Box::new((files.conflict(&error), error)))
        });
        let written = written.await.map_err(|error| {
            ToolError::failed(format!("Writing failed: {error}."), "Read the file again.")
        })?;
        let records = written.map_err(|failed| {
            let (conflict, error) = *failed;
            if let Some(conflict) = conflict {
                self.scope.events.emit(Event::ConflictFound {
                    note: conflict.path.display().to_string(),
                    from: None,
                    kind: Some(file_change_kind_view(conflict.kind)),
                    what: vec![conflict.reason],
                    mine: conflict.mine,
                    theirs: conflict.theirs,
                });
            }
            let error = UserError::from(ToolError::from(error));
            match self.outcome.changes.is_empty() {
                true => error,
                // Notes are written before files.
                false => UserError::new(
                    error.code,
                    format!("The notes were changed, the files were not: {}", error.message),
                    "The changes of the notes can be undone.",
                ),
            }
        })?;
        self.scope.events.emit(Event::ChangeSet { id: id.clone(), state: "open".into() });
        let changes = records.into_iter().map(|record| NoteChangeView {
            path: record.path.display().to_string(),
            kind: file_change_kind_view(record.kind),
            from: None,
        });
        self.outcome.changes.extend(changes);
        self.outcome.change_set = Some(id);
        Ok(output)
    }

    /// Waits until earlier calls have ended. Returns whether it had to wait, in which case the plan is
    /// outdated.
    async fn reach_place(&mut self) -> Result<bool, UserError> {
        let Some(place) = self.place.as_mut().filter(|place| !place.is_reached()) else { return Ok(false) };
        let _pause = self.questions.watch.stopwatch.pause();
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(ToolError::Cancelled.into()),
            () = place.reach() => Ok(true),
        }
    }

    fn hides(&self, path: &VaultPath) -> bool {
        self.scope.privacy.remote
            && self.scope.access.vault.as_ref().is_some_and(|vault| {
                let read = vault.seen_by(self.scope.privacy.clone()).read(path);
                // Whether an unreadable note is private is unknown.
                matches!(
                    read,
                    Err(nova_skill::VaultError::Private { .. } | nova_skill::VaultError::Io { .. })
                )
            })
    }
}

/// Whether every planned change is to a note that was shown, with the same paths and kind of change.
fn reaches_only(planned: &[NoteDiffView], shown: &[NoteDiffView]) -> bool {
    let is_same = |one: &NoteDiffView, other: &NoteDiffView| {
        one.path == other.path && one.from == other.from && one.kind == other.kind
    };
    planned.iter().all(|note| shown.iter().any(|other| is_same(note, other)))
}

/// Rewords an error for a principal who may not know of these notes.
fn user_error(error: &nova_skill::VaultError, hidden: &BTreeSet<VaultPath>) -> UserError {
    let user_error = UserError::from(error);
    match error.path() {
        Some(path) if hidden.contains(path) => UserError::new(
            user_error.code,
            "A private note could not be changed with the others; nothing was written.",
            "The user sees which note it is, and can try again.",
        ),
        _ => user_error,
    }
}

fn change_view(change: &nova_vault::NoteChange) -> NoteChangeView {
    NoteChangeView {
        path: change.path.to_string(),
        kind: change_kind_view(change.kind),
        from: change.from.as_ref().map(ToString::to_string),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io;

    use nova_skill::VaultError;

    use super::*;

    /// The report of a full disk to a reader who may not see `Secret.md`.
    fn message(doing: &str, path: Option<&str>) -> String {
        let error = VaultError::Io {
            doing: doing.to_owned(),
            path: path.map(|path| VaultPath::parse(path).unwrap()),
            source: io::ErrorKind::StorageFull.into(),
        };
        user_error(&error, &BTreeSet::from([VaultPath::parse("Secret.md").unwrap()])).message
    }

    #[test]
    fn io_error_names_no_hidden_note() {
        assert!(!message("write \"Secret.md\"", Some("Secret.md")).contains("Secret"));
        assert!(message("write \"Open.md\"", Some("Open.md")).contains("Open.md"));
        assert!(message("write the journal", None).contains("the journal"));
    }
}
