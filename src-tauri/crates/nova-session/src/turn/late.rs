//! Detached calls within a turn: detaching, reporting their end, and the tools to control them.

use std::time::Duration;

use nova_calls::{DetachedCall, Outcome, PartialOutput};
use nova_protocol::{ErrorCode, Event, UserError};
use nova_registry::fenced_output;
use nova_skill::VaultPath;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::calls::{named, output_of};
use super::control_answer::ControlAnswer;
use super::seen::paths;
use super::{Stop, Turn};
use crate::activation::{ControlTool, SkillKnowledge, part};
use crate::branches::After;
use crate::detached::{open_calls, unreported_ends};
use crate::message::{DetachedRef, Ended, LateEnd, LogCall, LogMessage, Notes, Truncation};
use crate::running::Running;
use crate::session::Session;

/// Maximum output of a running call that the model receives, in bytes.
const SO_FAR_CAP: usize = 8 * 1024;
/// The default and maximum waiting time of `wait_call`.
const WAIT: Duration = Duration::from_secs(30);
const LONGEST_WAIT: Duration = Duration::from_secs(120);
/// How long a stopped call may take to report its end.
const STOPPING: Duration = Duration::from_secs(10);

impl Turn {
    /// Detaches the call; its partial result is its output for the model.
    pub(super) fn detach(&self, call: &LogCall, detached: DetachedCall) {
        let held = self.scope.store.hold_call(&detached.call);
        let held = held
            .inspect_err(|error| tracing::warn!(call = detached.call, %error, "cannot hold a detached call"))
            .ok();
        let (so_far, most) = (detached.watch().so_far(), self.output_cap(1));
        let late = move |of: DetachedRef, outcome: Outcome| end_of(of, outcome, most);
        let of = self.session.take_over(detached, self.journal.clone(), held, late);
        let number = of.number;
        tracing::info!(session = self.session.id, call = of.call, number, "call detached");
        let said = said_so_far(&of, &so_far);
        let content = format!(
            "Running as call {number}; so far: {said}\nContinue without it. Nova reports its result when it ends, \
             also in a later turn; check_call, wait_call and cancel_call know it as {number}."
        );
        self.see(&so_far.seen);
        self.message(LogMessage::ToolOutput {
            call_id: call.id.clone(),
            content,
            private: so_far.local_only,
            notes: so_far.seen,
            gone: Vec::new(),
            drawn_from: None,
            told: SkillKnowledge::default(),
            runs_on: Some(of),
            cut: None,
            images: Vec::new(),
        });
    }

    /// Adds a notice for each call that has ended since the last request.
    pub(super) async fn report_late_ends(&self) {
        let ends = unreported_ends(&self.session.lock().messages);
        for LateEnd { of, content, notes, drawn_from, cut, local_only, from_outside } in ends {
            let DetachedRef { number, tool, .. } = &of;
            let told = drawn_from.as_deref().unwrap_or_default();
            if local_only && self.privacy().remote || self.is_local_only(&notes, told).await {
                let text = format!(
                    "Call {number} ({tool}) has ended. It has read private notes, so its result stays on the user's machine."
                );
                let ended = Ended::saying_nothing(*number);
                self.report_end(text, ended);
                continue;
            }
            if from_outside {
                self.history.taint(tool);
            }
            self.see(&notes);
            self.recheck(&notes).await;
            let text = format!("Call {number} ({tool}) has ended:\n{content}");
            self.report_end(text, Ended { number: *number, notes, drawn_from, cut, local_only });
        }
    }

    fn report_end(&self, text: String, ended: Ended) {
        self.message(LogMessage::Notice {
            text,
            outdated: Vec::new(),
            told: SkillKnowledge::default(),
            ended: Some(Box::new(ended)),
        });
    }

    /// Reports detached calls whose process has exited: their result is lost.
    pub(super) async fn settle_lost_calls(&self) -> Result<(), Stop> {
        if self.lost_calls().is_empty() {
            return Ok(());
        }
        // Their process may have written their ends since the log was read.
        self.journal.flush().await?;
        self.session.refresh(&self.scope.store, &After::Last).await?;
        for of in self.lost_calls() {
            // It ended while another branch was current.
            if let Some(late) = self.scope.store.late_end(&self.session.id, &of.call).await? {
                self.message(LogMessage::LateEnd(Box::new(late)));
                continue;
            }
            let end = self.scope.store.end_of_call(&self.session.id, &of.call).await?;
            if let Some(Event::ToolCallCompleted { ok, output, sources, merged, .. }) = end {
                let drawn_from = named(&sources);
                let made_from = (self.notes_of(&drawn_from).await, Some(drawn_from));
                let mut late =
                    late_end(of, &output_of(ok, output, &merged), made_from, true, self.output_cap(1));
                // Nova exited before it stored all data of the call.
                late.local_only = true;
                self.message(LogMessage::LateEnd(Box::new(late)));
                continue;
            }
            let DetachedRef { number, call, tool } = of;
            let error = UserError::new(
                ErrorCode::Interrupted,
                format!("Nova ended while {tool} ran. Its outcome is unknown."),
                "Check its effect before you retry.",
            );
            self.journal.event(Event::ToolCallCompleted {
                call,
                ok: false,
                output: serde_json::to_value(&error).unwrap_or_default(),
                sources: Vec::new(),
                figures: Vec::new(),
                ms: 0,
                changes: Vec::new(),
                change_set: None,
                merged: Vec::new(),
                so_far: None,
                log: Vec::new(),
            });
            let text =
                format!("Call {number} ({tool}) was interrupted when Nova ended. Its outcome is unknown.");
            self.report_end(text, Ended::saying_nothing(number));
        }
        Ok(())
    }

    /// The current versions of these notes.
    async fn notes_of(&self, paths: &[VaultPath]) -> Notes {
        let read = self.read_notes(paths.to_vec()).await;
        read.into_iter().filter_map(|(path, note)| Some((path, note?.hash))).collect()
    }

    fn lost_calls(&self) -> Vec<DetachedRef> {
        let here = self.session.running_calls();
        let messages = self.session.lock().messages.clone();
        let ended = unreported_ends(&messages);
        let mut open = open_calls(&messages);
        open.retain(|of| !here.contains(&of.call) && !ended.iter().any(|end| end.of == *of));
        open.retain(|of| !self.scope.store.is_held(&of.call));
        open
    }

    /// Detached calls of this conversation that run in this process.
    pub(super) fn running_here(session: &Session) -> Vec<std::sync::Arc<Running>> {
        let running = session.detached.running();
        if running.is_empty() {
            return running;
        }
        let open = open_calls(&session.lock().messages);
        running.into_iter().filter(|running| open.contains(&running.of)).collect()
    }

    pub(super) async fn run_call_control(&self, control: ControlTool, call: &LogCall) -> ControlAnswer {
        if control == ControlTool::ReadOutput {
            return self.read_output(call).await;
        }
        let number = ControlTool::number(&call.arguments, "call");
        let running = Self::running_here(&self.session);
        let known = running.iter().find(|running| Some(u64::from(running.of.number)) == number);
        let Some(running) = known else {
            let ended = number.is_some_and(|number| {
                self.session.lock().messages.iter().any(|message| {
                    matches!(message, LogMessage::ToolOutput { runs_on: Some(of), .. } if u64::from(of.number) == number)
                })
            });
            if ended {
                return json!({"call": number, "state": "ended"}).into();
            }
            let names: Vec<String> = running
                .iter()
                .map(|running| format!("{} ({})", running.of.number, running.of.tool))
                .collect();
            let hint = match names.as_slice() {
                [] => "No call is running.".to_owned(),
                names => format!("Running: {}.", names.join(", ")),
            };
            return json!({"error": {"code": "bad_request", "message": "No running call has that number.", "hint": hint}})
                .into();
        };
        let number = running.of.number;
        let wait = match control {
            ControlTool::WaitCall => {
                let asked = ControlTool::number(&call.arguments, "seconds").map(Duration::from_secs);
                asked.unwrap_or(WAIT).min(LONGEST_WAIT)
            }
            ControlTool::CancelCall => {
                running.stop();
                STOPPING
            }
            _ => Duration::ZERO,
        };
        let ended = tokio::select! {
            biased;
            () = self.cancel.cancelled() => false,
            ended = timeout(wait, self.session.detached.ended(number)) => ended.is_ok(),
        };
        if ended {
            // Nova reports its end once, by a notice.
            return json!({"call": number, "state": "ended"}).into();
        }
        self.still_running(running).await
    }

    async fn still_running(&self, running: &Running) -> ControlAnswer {
        let (of, so_far) = (&running.of, running.watch.so_far());
        if so_far.local_only && self.privacy().remote || self.is_local_only(&so_far.seen, &[]).await {
            return json!({"call": of.number, "state": "running", "so_far": "private"}).into();
        }
        if so_far.says_something() {
            self.history.taint(&of.tool);
        }
        self.see(&so_far.seen);
        ControlAnswer {
            text: format!("Call {} is running; so far: {}", of.number, said_so_far(of, &so_far)),
            notes: so_far.seen,
            drawn_from: None,
            local_only: so_far.local_only,
            knowledge: SkillKnowledge::default(),
        }
    }

    /// Returns more of a truncated output.
    async fn read_output(&self, call: &LogCall) -> ControlAnswer {
        let wanted = ControlTool::argument(&call.arguments, "call");
        let cuts: Vec<(Truncation, Notes, Option<Vec<VaultPath>>, bool)> = {
            let state = self.session.lock();
            let cut = |message: &LogMessage| {
                let (notes, drawn_from) = (message.notes()?.clone(), message.drawn_from().cloned());
                Some((message.cut()?.clone(), notes, drawn_from, message.is_private()))
            };
            state.messages.iter().filter_map(cut).collect()
        };
        let Some((cut, notes, drawn_from, local_only)) = cuts.iter().find(|(cut, ..)| cut.call == wanted)
        else {
            let known: Vec<&str> = cuts.iter().map(|(cut, ..)| cut.call.as_str()).collect();
            return json!({"error": {
                "code": "bad_request",
                "message": "No output of that call was cut.",
                "hint": format!("Cut: {}.", known.join(", ")),
            }})
            .into();
        };
        let told = drawn_from.as_deref().unwrap_or_default();
        if *local_only && self.privacy().remote || self.is_local_only(notes, told).await {
            return json!({"error": {"code": "private", "message": "It was made from private notes."}})
                .into();
        }
        let end = self.scope.store.end_of_call(&self.session.id, &cut.call).await;
        let output = match end {
            Ok(Some(Event::ToolCallCompleted { ok, output, merged, .. })) => output_of(ok, output, &merged),
            _ => return json!({"error": {"code": "io", "message": "It can no longer be read."}}).into(),
        };
        let how = format!("Read on with read_output, call {:?}, offset {{end}}.", cut.call);
        let offset = ControlTool::offset(&call.arguments);
        let mut text = part(&output.to_string(), offset, self.output_cap(1), &how);
        if cut.from_outside {
            self.history.taint(&cut.tool);
            text = fenced_output(&cut.tool, &text);
        }
        let (notes, drawn_from, local_only) = (notes.clone(), drawn_from.clone(), *local_only);
        ControlAnswer { text, notes, drawn_from, local_only, knowledge: SkillKnowledge::default() }
    }

    /// Whether output derived from these notes must not be sent to this turn's model.
    async fn is_local_only(&self, notes: &Notes, drawn_from: &[VaultPath]) -> bool {
        let privacy = self.privacy();
        let paths = paths(notes, drawn_from);
        if !privacy.remote || paths.is_empty() {
            return false;
        }
        let asked = paths.len();
        let read = self.read_notes(paths.into_iter().collect()).await;
        let unread = read.len() < asked;
        unread
            || read.iter().any(|(path, note)| {
                privacy.lists(path) || note.as_ref().is_some_and(|note| privacy.hides(path, &note.document))
            })
    }
}

/// Converts an outcome to the end of a detached call.
fn end_of(of: DetachedRef, outcome: Outcome, most: usize) -> LateEnd {
    let output = match outcome.result {
        Ok(value) => output_of(true, value, &outcome.merged),
        Err(error) => output_of(false, json!(error), &[]),
    };
    let drawn_from = outcome.drawn_from.map(|notes| notes.into_iter().collect());
    let mut end = late_end(of, &output, (outcome.seen, drawn_from), outcome.from_outside, most);
    end.local_only = outcome.local_only;
    if !outcome.images.is_empty() {
        end.content.push_str("\nIts images are not shown, because it took so long. Ask again to see them.");
    }
    if outcome.unknown {
        end.content.push_str("\nWhat it did elsewhere before it was stopped is unknown.");
    }
    end
}

/// Always fenced, since notices speak for Nova.
fn late_end(
    of: DetachedRef,
    output: &Value,
    (notes, drawn_from): (Notes, Option<Vec<VaultPath>>),
    from_outside: bool,
    most: usize,
) -> LateEnd {
    let output = output.to_string();
    let how = format!("Read on with read_output, call {:?}, offset {{end}}.", of.call);
    let cut = Truncation { call: of.call.clone(), tool: of.tool.clone(), from_outside };
    LateEnd {
        content: fenced_output(&of.tool, &part(&output, 0, most, &how)),
        notes,
        drawn_from,
        cut: (output.len() > most).then_some(cut),
        local_only: false,
        from_outside,
        of,
    }
}

fn said_so_far(of: &DetachedRef, so_far: &PartialOutput) -> String {
    if !so_far.says_something() {
        return "nothing yet.".into();
    }
    let said = so_far.to_value().to_string();
    fenced_output(&of.tool, &part(&said, 0, SO_FAR_CAP, "The rest follows when it ends."))
}
