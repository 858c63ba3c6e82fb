//! Running what the model asks for.

use std::sync::Arc;

use futures::future::join_all;
use nova_calls::{Call, CallScope, Outcome, is_foreign, run_call};
use nova_registry::{Snapshot, ToolLookup};
use nova_skill::{Effect, Principal, VaultPath};
use serde_json::{Value, json};

use super::{Stop, Turn};
use crate::activation::{ControlTool, Told, fenced_output};
use crate::message::{LogCall, LogMessage, Notes};

/// The most of one output that the model is sent, in bytes.
const OUTPUT_CAP: usize = 48 * 1024;

impl Turn {
    /// Reads that follow each other run together, everything else in the order it was asked for.
    pub(super) async fn run_calls(
        &mut self,
        snapshot: &Arc<Snapshot>,
        calls: Vec<LogCall>,
    ) -> Result<(), Stop> {
        let mut left = calls.as_slice();
        while let Some(first) = left.first() {
            if self.cancel.is_cancelled() {
                let output = json!({"error": {"code": "cancelled", "message": "The user stopped the turn before this call ran."}});
                self.output(&first.id, &output, Notes::new());
                left = &left[1..];
                continue;
            }
            if let Some(control) = ControlTool::named(&first.name) {
                let (output, told) = self.run_control(snapshot, control, first).await;
                self.message(LogMessage::ToolOutput {
                    call_id: first.id.clone(),
                    content: cap(output),
                    notes: Notes::new(),
                    told,
                });
                // A call that comes after it may wait for the user for hours.
                self.journal.flush().await?;
                left = &left[1..];
                continue;
            }
            let reads = left.iter().take_while(|call| is_read(snapshot, &call.name)).count().max(1);
            let (together, rest) = left.split_at(reads);
            left = rest;
            self.run_together(snapshot, together).await?;
        }
        if self.cancel.is_cancelled() { Err(Stop::Cancelled) } else { Ok(()) }
    }

    async fn run_together(&mut self, snapshot: &Arc<Snapshot>, calls: &[LogCall]) -> Result<(), Stop> {
        let scope = self.call_scope(snapshot);
        for call in calls {
            self.activate_for(snapshot, call);
        }
        self.journal.flush().await?;
        let running = calls.iter().map(|call| {
            let id = self.scope.ids.next();
            let call = Call::from_model(id, call.name.clone(), call.arguments.clone());
            run_call(&scope, call, self.cancel.child_token())
        });
        let outcomes = join_all(running).await;
        for (call, outcome) in calls.iter().zip(outcomes) {
            self.note_outcome(snapshot, call, outcome).await;
        }
        self.journal.flush().await?;
        Ok(())
    }

    async fn note_outcome(&mut self, snapshot: &Snapshot, call: &LogCall, outcome: Outcome) {
        if outcome.unknown {
            self.unknown.push(outcome.call.clone());
        }
        let written = outcome.changes.iter().filter_map(|change| VaultPath::parse(&change.path).ok());
        let mut notes = outcome.seen.clone();
        let privacy = self.privacy();
        for (path, note) in self.read_notes(written.collect()).await {
            match note {
                // A hidden note in which a move rewrote a link was changed and not seen.
                Some(note) if !privacy.hides(&path, &note.document) => notes.insert(path, note.hash),
                Some(_) | None => notes.remove(&path),
            };
        }
        self.session.lock().seen.extend(notes.clone());
        let output = match &outcome.result {
            Ok(value) if outcome.merged.is_empty() => value.clone(),
            Ok(value) => json!({"value": value, "changed_outside_meanwhile": outcome.merged}),
            Err(error) => json!({"error": error}),
        };
        let content = match snapshot.tool(&call.name) {
            ToolLookup::Found { tool, .. } if is_foreign(&tool) => {
                fenced_output(&tool.shown_name(), &cap(output.to_string()))
            }
            _ => cap(output.to_string()),
        };
        self.tool_output(&call.id, content, notes);
    }

    fn output(&self, call_id: &str, output: &Value, notes: Notes) {
        self.tool_output(call_id, cap(output.to_string()), notes);
    }

    fn tool_output(&self, call_id: &str, content: String, notes: Notes) {
        let call_id = call_id.to_owned();
        self.message(LogMessage::ToolOutput { call_id, content, notes, told: Told::default() });
    }

    fn call_scope(&self, snapshot: &Arc<Snapshot>) -> CallScope {
        CallScope {
            snapshot: snapshot.clone(),
            vault: self.scope.vault.clone(),
            rules: self.scope.rules.clone(),
            grants: self.session.grants.clone(),
            keep_rule: self.scope.keep_rule.clone(),
            approved: self.scope.approved.clone(),
            web: self.scope.web.clone(),
            credentials: self.scope.credentials.clone(),
            stores: self.scope.stores.clone(),
            clock: self.scope.clock.clone(),
            approver: self.scope.approver.clone(),
            events: self.journal.clone(),
            change_set: self.change_set.clone(),
            touched: self.touched.clone(),
            so_far: self.so_far.clone(),
            privacy: Arc::new(self.privacy()),
            session: self.session.id.clone(),
            turn: Some(self.scope.turn.clone()),
            principal: Principal::owner(),
            author: "model".into(),
            by_hand: false,
            time_limit: self.scope.call_limit,
        }
    }
}

fn is_read(snapshot: &Snapshot, name: &str) -> bool {
    matches!(snapshot.tool(name), ToolLookup::Found { tool, .. } if tool.effect() == Effect::Read)
}

fn cap(mut output: String) -> String {
    if output.len() > OUTPUT_CAP {
        let end = (0..=OUTPUT_CAP).rev().find(|at| output.is_char_boundary(*at)).unwrap_or_default();
        let rest = output.len() - end;
        output.truncate(end);
        output.push_str(&format!("\n[{rest} more bytes were left out: ask for less at once.]"));
    }
    output
}
