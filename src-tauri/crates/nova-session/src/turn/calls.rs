//! Runs the calls that the model requests.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use nova_calls::{Call, CallScope, Outcome, Place, Settled, is_foreign, places, run_or_detach};
use nova_protocol::{ErrorCode, ImageView, NoteChangeKind, NoteChangeView, SourceView};
use nova_provider::Image;
use nova_registry::{Snapshot, ToolLookup, fenced_output};
use nova_skill::{Effect, OutputImage, VaultPath};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::control_answer::ControlAnswer;
use super::{Stop, Turn};
use crate::activation::{ControlTool, SkillKnowledge, neutral, part};
use crate::message::{LogCall, LogMessage, Notes, Truncation};
use crate::named_image::NamedImage;
use crate::session::Session;

/// Maximum size of an output sent to the model, in bytes.
pub(super) const OUTPUT_CAP: usize = 48 * 1024;
/// Maximum number of calls per answer; further ones get an error.
const MOST_CALLS: usize = 64;
/// Maximum number of calls that run, or ask, concurrently.
const AT_ONCE: usize = 8;
/// Maximum number of detached calls per session; the turn waits for further ones.
const MOST_DETACHED: usize = 16;

impl Turn {
    /// Consecutive reads run concurrently, all other calls in order; consecutive writes ask together if the
    /// approver supports that.
    pub(super) async fn run_calls(
        &mut self,
        snapshot: &Arc<Snapshot>,
        calls: Vec<LogCall>,
    ) -> Result<(), Stop> {
        let (mut left, too_many) = calls.split_at(calls.len().min(MOST_CALLS));
        while let Some(first) = left.first() {
            if self.cancel.is_cancelled() {
                let output = json!({"error": {"code": "cancelled", "message": "The user stopped the turn before this call ran."}});
                self.message(LogMessage::output(&first.id, output.to_string(), Notes::new()));
                left = &left[1..];
                continue;
            }
            if let Some(control) = ControlTool::named(&first.name) {
                let ControlAnswer { text, notes, drawn_from, local_only, knowledge } =
                    if control.is_about_calls() {
                        self.run_call_control(control, first).await
                    } else {
                        let (text, knowledge) = self.run_control(snapshot, control, first).await;
                        (cap(text), knowledge).into()
                    };
                let private =
                    self.see_output(&notes, drawn_from.as_deref().unwrap_or_default()).await || local_only;
                self.message(LogMessage::ToolOutput {
                    call_id: first.id.clone(),
                    content: text,
                    notes,
                    gone: Vec::new(),
                    drawn_from,
                    private,
                    told: knowledge,
                    runs_on: None,
                    cut: None,
                    images: Vec::new(),
                });
                // A later call may wait for the user for hours.
                self.journal.flush().await?;
                left = &left[1..];
                continue;
            }
            let reads = left.iter().take_while(|call| is_read(snapshot, &call.name)).count();
            let asked =
                |call: &&LogCall| self.scope.access.approver.at_once() && is_own_write(snapshot, &call.name);
            let writes = left.iter().take_while(asked).count();
            let (together, rest) = left.split_at(reads.max(writes).max(1));
            left = rest;
            let places = places(writes).into_iter().map(Some);
            self.run_together(snapshot, together, places.chain(std::iter::repeat_with(|| None))).await?;
        }
        for call in too_many {
            let output = json!({"error": {
                "code": "bad_request",
                "message": format!("One answer may make {MOST_CALLS} calls; this one was not run."),
                "hint": "Call it again in your next answer if it is still needed.",
            }});
            self.message(LogMessage::output(&call.id, output.to_string(), Notes::new()));
        }
        if self.cancel.is_cancelled() { Err(Stop::Cancelled) } else { Ok(()) }
    }

    async fn run_together(
        &mut self,
        snapshot: &Arc<Snapshot>,
        calls: &[LogCall],
        places: impl Iterator<Item = Option<Place>>,
    ) -> Result<(), Stop> {
        let has_read_private = self.has_read_private().await;
        self.session.lock().has_read_private = has_read_private;
        let scope = self.call_scope(snapshot);
        for call in calls {
            self.activate_for(snapshot, call);
        }
        self.journal.flush().await?;
        let many = self.session.running_calls().len() + calls.len() > MOST_DETACHED;
        let settle = if many { Duration::MAX } else { self.scope.settle };
        let running: Vec<BoxFuture<'_, (Settled, Stopped)>> = calls
            .iter()
            .zip(places)
            .map(|(call, place)| {
                let id = self.scope.ids.next();
                let stop = Stopped::new(&self.session, &id, self.cancel.child_token());
                let call = Call { place, ..Call::from_model(id, call.name.clone(), call.arguments.clone()) };
                let running = run_or_detach(&scope, call, stop.token.clone(), settle);
                async move { (running.await, stop) }.boxed()
            })
            .collect();
        let mut running = futures::stream::iter(running).buffered(AT_ONCE);
        for call in calls {
            let Some((settled, stop)) = running.next().await else { break };
            match settled {
                Settled::Ended(mut outcome) => {
                    if stop.was_stopped_alone(&self.cancel) {
                        mark_stopped_by_user(&mut outcome);
                    }
                    self.note_outcome(snapshot, call, *outcome, calls.len()).await;
                }
                Settled::Detached(detached) => self.detach(call, detached),
            }
            // A later call may wait for the user for hours.
            self.journal.flush().await?;
        }
        Ok(())
    }

    /// `together`: the number of outputs in this step.
    async fn note_outcome(&mut self, snapshot: &Snapshot, call: &LogCall, outcome: Outcome, together: usize) {
        if outcome.unknown {
            self.unknown.push(outcome.call.clone());
        }
        let drawn_from = outcome.drawn_from.map(|notes| notes.into_iter().collect());
        let written = outcome.changes.iter().filter_map(|change| VaultPath::parse(&change.path).ok());
        let mut notes = outcome.seen.clone();
        let privacy = self.privacy();
        for (path, note) in self.read_notes(written.collect()).await {
            match note {
                // A hidden note whose link was updated by a move was changed but not seen.
                Some(note) if !privacy.hides(&path, &note.document) => notes.insert(path, note.hash),
                Some(_) | None => notes.remove(&path),
            };
        }
        // The model knows that the call itself moved or deleted these notes, whichever call read them.
        let gone = left(&outcome.changes);
        notes.retain(|path, _| !gone.contains(path));
        self.session.lock().seen.retain(|path, _| !gone.contains(path));
        let output = match outcome.result {
            Ok(value) => output_of(true, value, &outcome.merged),
            Err(error) => output_of(false, json!(error), &[]),
        };
        let (output, most) = (output.to_string(), self.output_cap(together));
        let how = format!("Read on with read_output, call {:?}, offset {{end}}.", outcome.call);
        let mut content = part(&output, 0, most, &how);
        let mut name = call.name.clone();
        if let ToolLookup::Found { tool, .. } = snapshot.tool(&call.name) {
            name = tool.shown_name();
            let from_strangers = tool.spec().fenced || tool.spec().delegates;
            if is_foreign(&tool) || outcome.from_outside && from_strangers {
                content = fenced_output(&name, &content);
            }
        }
        let images = self.keep_output_images(outcome.images, &mut content).await;
        let (from_outside, id) = (outcome.from_outside, outcome.call);
        let private =
            self.see_output(&notes, drawn_from.as_deref().unwrap_or_default()).await || outcome.local_only;
        let cut = (output.len() > most).then_some(Truncation { call: id, tool: name, from_outside });
        self.message(LogMessage::ToolOutput {
            call_id: call.id.clone(),
            content,
            notes,
            gone,
            drawn_from,
            private,
            told: SkillKnowledge::default(),
            runs_on: None,
            cut,
            images,
        });
    }

    /// Stores the images of an output. The output states which ones cannot be shown.
    async fn keep_output_images(&self, images: Vec<OutputImage>, content: &mut String) -> Vec<ImageView> {
        let mut kept = Vec::new();
        for OutputImage { name, bytes } in images {
            let image = match Image::read(&bytes) {
                Ok(image) => NamedImage { name, image },
                Err(error) => {
                    content.push_str(&format!("\n(The image {name:?} cannot be shown: {error}.)"));
                    continue;
                }
            };
            match self.keep_images(std::slice::from_ref(&image)).await {
                Ok(()) => kept.push(image.view()),
                Err(error) => {
                    content.push_str(&format!("\n(The image {:?} cannot be kept: {error}.)", image.name));
                }
            }
        }
        kept
    }

    pub(super) fn call_scope(&self, snapshot: &Arc<Snapshot>) -> CallScope {
        CallScope {
            access: self.scope.access.clone(),
            snapshot: snapshot.clone(),
            callable: Some(Arc::new(self.session.active_skills().into_iter().collect())),
            grants: self.session.grants.clone(),
            given: Arc::new(()),
            events: self.journal.clone(),
            change_set: self.change_set.clone(),
            touched: self.touched.clone(),
            history: self.history.clone(),
            privacy: Arc::new(self.privacy()),
            asker: self.session.clone(),
            session: self.session.id.clone(),
            turn: Some(self.scope.turn.clone()),
            sub_agents: self.sub_agents(),
            principal: self.principal(),
            author: self.author(),
            by_hand: false,
        }
    }
}

/// Allows the user to stop a single call of the turn, until it is dropped.
pub(super) struct Stopped {
    session: Arc<Session>,
    call: String,
    token: CancellationToken,
}

impl Stopped {
    pub(super) fn new(session: &Arc<Session>, call: &str, token: CancellationToken) -> Self {
        session.stops().insert(call.to_owned(), token.clone());
        Self { session: session.clone(), call: call.to_owned(), token }
    }

    pub(super) fn token(&self) -> CancellationToken {
        self.token.clone()
    }

    /// Whether the call was stopped, but not the turn.
    fn was_stopped_alone(&self, turn: &CancellationToken) -> bool {
        self.token.is_cancelled() && !turn.is_cancelled()
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        self.session.stops().remove(&self.call);
    }
}

/// The model continues, so it must know that the user stopped the call, and not to repeat it.
fn mark_stopped_by_user(outcome: &mut Outcome) {
    if let Err(error) = &mut outcome.result
        && error.code == ErrorCode::Cancelled
    {
        error.message = "Stopped by the user.".into();
        let unknown = "What it did elsewhere until then is unknown. ";
        error.hint = format!(
            "{}Continue without it, and call it again only when the user asks for it.",
            if outcome.unknown { unknown } else { "" }
        );
    }
}

/// The paths that are no longer notes after these changes.
fn left(changes: &[NoteChangeView]) -> Vec<VaultPath> {
    let is_deletion = |change: &&NoteChangeView| change.kind == NoteChangeKind::Deleted;
    let taken: BTreeSet<&String> =
        changes.iter().filter(|change| !is_deletion(change)).map(|change| &change.path).collect();
    let deleted = changes.iter().filter(is_deletion).map(|change| &change.path);
    deleted
        .chain(changes.iter().filter_map(|change| change.from.as_ref()))
        .filter(|path| !taken.contains(path))
        .filter_map(|path| VaultPath::parse(path).ok())
        .collect()
}

/// The notes among the sources of an output.
pub(super) fn named(sources: &[SourceView]) -> Vec<VaultPath> {
    let note = |source: &SourceView| match source {
        SourceView::Note { path } => VaultPath::parse(path).ok(),
        SourceView::Web { .. } => None,
    };
    sources.iter().filter_map(note).collect()
}

/// Creates the output of a call for the model. All outputs pass through here.
pub(super) fn output_of(ok: bool, output: Value, merged: &[String]) -> Value {
    neutral(match (ok, merged) {
        (true, []) => output,
        (true, merged) => json!({"value": output, "changed_outside_meanwhile": merged}),
        (false, _) => json!({"error": output}),
    })
}

/// Whether an interrupted call of it has changed nothing.
pub(super) fn only_reads(snapshot: &Snapshot, name: &str) -> bool {
    match ControlTool::named(name) {
        // Activations are in the log.
        Some(control) => control != ControlTool::CancelCall,
        None => is_read(snapshot, name) && !delegates(snapshot, name),
    }
}

fn is_read(snapshot: &Snapshot, name: &str) -> bool {
    matches!(snapshot.tool(name), ToolLookup::Found { tool, .. } if tool.effect() == Effect::Read)
}

/// Whether it delegates to sub-agents, which may change something.
fn delegates(snapshot: &Snapshot, name: &str) -> bool {
    matches!(snapshot.tool(name), ToolLookup::Found { tool, .. } if tool.spec().delegates)
}

/// Whether it writes notes and is part of the program. Writes of foreign tools are reviewed one by one.
fn is_own_write(snapshot: &Snapshot, name: &str) -> bool {
    matches!(snapshot.tool(name), ToolLookup::Found { tool, .. }
        if tool.effect() == Effect::Write && tool.spec().on_notes && !tool.spec().calls_tools && !is_foreign(&tool))
}

pub(super) fn cap(mut output: String) -> String {
    if output.len() > OUTPUT_CAP {
        let end = (0..=OUTPUT_CAP).rev().find(|at| output.is_char_boundary(*at)).unwrap_or_default();
        let rest = output.len() - end;
        output.truncate(end);
        output.push_str(&format!("\n[{rest} more bytes were left out: ask for less at once.]"));
    }
    output
}
