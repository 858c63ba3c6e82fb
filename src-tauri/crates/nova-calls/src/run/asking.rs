//! Waiting for an answer: what is asked, what makes the question stale, what an answer means.

use std::sync::Arc;
use std::time::Instant;

use nova_protocol::{Decision, ErrorCode, Event, NoteChangeKind, NoteDiffView, UserError};
use nova_registry::{SkillEntry, ToolEntry};
use nova_skill::{Effect, ToolError, VaultPath};
use nova_vault::Vault;
use serde_json::Value;

use super::{CallScope, Plan, Running};
use crate::view::{effect_view, error_from_tool, principal_view};
use crate::{Answer, ApprovalRequest, arguments};

impl Running<'_> {
    /// Asks before a call that plans no notes.
    pub(super) async fn ask(
        &mut self,
        tool: &ToolEntry,
        args: &mut Value,
        decisions: Vec<Decision>,
        editable: bool,
        diff: Option<Vec<NoteDiffView>>,
    ) -> Result<Permission, UserError> {
        let mut request = self.request(tool, args.clone(), decisions, editable, diff);
        loop {
            match self.answer(&request).await? {
                Answer::Revised { args: revised } => {
                    match arguments::fit(tool, revised) {
                        Ok(fitting) => *args = fitting,
                        Err(error) => self.tell(&error),
                    }
                    request.args = args.clone();
                    request.revision += 1;
                }
                answer => {
                    let edited = self.decided(tool, &request, answer)?;
                    return Ok(edited.map_or(Permission::Granted, Permission::Edited));
                }
            }
        }
    }

    /// Asks about planned writes; plans anew when one of the notes changes meanwhile.
    pub(super) async fn ask_about_notes(
        &mut self,
        skill: &Arc<SkillEntry>,
        tool: &Arc<ToolEntry>,
        args: &mut Value,
        decisions: Vec<Decision>,
        editable: bool,
        mut asking: Asking,
    ) -> Result<Approved, UserError> {
        let mut newer = None;
        let mut revised_plan = None;
        let mut request = self.request(tool, args.clone(), decisions, editable, Some(asking.diff.clone()));
        let mut changes = self.scope.vault.as_ref().map(Vault::changes);
        loop {
            let stale = async {
                match &mut changes {
                    Some(changes) => changed_one_of(changes, &asking.paths).await,
                    None => std::future::pending().await,
                }
            };
            let scope = self.scope;
            let cancel = self.cancel.clone();
            let waiting = Instant::now();
            let answer = tokio::select! {
                biased;
                () = cancel.cancelled() => Err(error_from_tool(&ToolError::Cancelled)),
                answer = wait_for_answer(scope, &request) => Ok(Some(answer)),
                () = stale => Ok(None),
            };
            self.asking += waiting.elapsed();
            match answer? {
                Some(Answer::Revised { args: revised }) => {
                    match self.plan_revised(skill, tool, revised).await {
                        Ok((fitting, plan)) => {
                            *args = fitting;
                            request.args = args.clone();
                            revised_plan = Some(plan);
                        }
                        // A slip of the pen does not end the call: the question stands as it was.
                        Err(error) => self.tell(&error),
                    }
                }
                Some(answer) => {
                    return Ok(match self.decided(tool, &request, answer)? {
                        Some(edited) => Approved::Edited(edited),
                        None => {
                            newer.map_or(Approved::AsFirstShown, |plan| Approved::AsLastShown(Box::new(plan)))
                        }
                    });
                }
                None => {}
            }
            let plan = match revised_plan.take() {
                Some(plan) => plan,
                None => self.plan(skill, tool, args.clone()).await?,
            };
            asking = Asking { diff: plan.diff.clone(), paths: plan.paths() };
            request.question = question(tool.effect(), Some(&asking.diff));
            request.diff = Some(asking.diff.clone());
            request.revision += 1;
            newer = Some(plan);
        }
    }

    async fn plan_revised(
        &mut self,
        skill: &Arc<SkillEntry>,
        tool: &Arc<ToolEntry>,
        revised: Value,
    ) -> Result<(Value, Plan), UserError> {
        let args = arguments::fit(tool, revised)?;
        let plan = self.plan(skill, tool, args.clone()).await?;
        Ok((args, plan))
    }

    /// Says on the card why an edit was not taken.
    fn tell(&self, error: &UserError) {
        self.scope.events.emit(Event::ToolCallProgress {
            call: self.id.clone(),
            fraction: None,
            message: Some(format!("{} {}", error.message, error.hint)),
            partial: None,
        });
    }

    fn request(
        &self,
        tool: &ToolEntry,
        args: Value,
        decisions: Vec<Decision>,
        editable: bool,
        diff: Option<Vec<NoteDiffView>>,
    ) -> ApprovalRequest {
        ApprovalRequest {
            call: self.id.clone(),
            tool: tool.shown_name(),
            args,
            effect: effect_view(tool.effect()),
            principal: principal_view(&self.scope.principal),
            question: question(tool.effect(), diff.as_deref()),
            decisions,
            editable,
            diff,
            host: None,
            revision: 1,
        }
    }

    async fn answer(&mut self, request: &ApprovalRequest) -> Result<Answer, UserError> {
        let waiting = Instant::now();
        let answer = tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(error_from_tool(&ToolError::Cancelled)),
            answer = wait_for_answer(self.scope, request) => Ok(answer),
        };
        self.asking += waiting.elapsed();
        answer
    }

    /// Notes the decision; answers with edited arguments, or fails with the denial.
    fn decided(
        &self,
        tool: &ToolEntry,
        request: &ApprovalRequest,
        answer: Answer,
    ) -> Result<Option<Value>, UserError> {
        match answer {
            Answer::Decided { decision, args, .. }
                if !request.decisions.contains(&decision) || (args.is_some() && !request.editable) =>
            {
                Err(UserError::new(
                    ErrorCode::ApprovalUnanswered,
                    format!(
                        "{} was not allowed: the answer was not one of those offered.",
                        tool.shown_name()
                    ),
                    "Answer with one of the decisions of the question.",
                ))
            }
            Answer::Decided { decision, args, by, reason } => {
                self.scope.events.emit(Event::ApprovalDecided {
                    call: self.id.clone(),
                    decision,
                    by: by.clone(),
                    reason: reason.clone(),
                });
                match decision {
                    Decision::Deny => {
                        let why = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
                        return Err(UserError::new(
                            ErrorCode::DeniedByUser,
                            format!("Denied by {by}{why}."),
                            "Do not try it again unless the user asks for it.",
                        ));
                    }
                    Decision::Session => self.scope.grants.add(&tool.skill, tool.effect()),
                    Decision::Always => {
                        self.scope.keep_rule.allow(&tool.wire_name).map_err(|reason| {
                            UserError::new(
                                ErrorCode::Io,
                                format!(
                                    "The rule could not be saved, so {} did not run: {reason}.",
                                    tool.shown_name()
                                ),
                                "Allow it once, or write the rule into permissions.yaml.",
                            )
                        })?;
                    }
                    Decision::Once => {}
                }
                Ok(args)
            }
            Answer::Unanswered { reason } => Err(UserError::new(
                ErrorCode::ApprovalUnanswered,
                format!("{} was not allowed: {reason}.", tool.shown_name()),
                "Start it where an approval can be answered, or allow it by a rule.",
            )),
            Answer::Revised { .. } => {
                Err(UserError::new(ErrorCode::Internal, "An edit came where a decision was due.", ""))
            }
        }
    }
}

pub(super) enum Permission {
    Granted,
    /// Run with these arguments instead.
    Edited(Value),
}

/// What is being asked about.
pub(super) struct Asking {
    pub(super) diff: Vec<NoteDiffView>,
    pub(super) paths: Vec<VaultPath>,
}

pub(super) enum Approved {
    AsFirstShown,
    /// The plan was made anew while the question waited.
    AsLastShown(Box<Plan>),
    /// Arguments that came with the answer.
    Edited(Value),
}

async fn wait_for_answer(scope: &CallScope, request: &ApprovalRequest) -> Answer {
    scope.events.emit(Event::ApprovalRequested {
        call: request.call.clone(),
        args: request.args.clone(),
        decisions: request.decisions.clone(),
        question: request.question.clone(),
        editable: request.editable,
        diff: request.diff.clone(),
        host: request.host.clone(),
        revision: request.revision,
    });
    scope.approver.ask(request).await
}

async fn changed_one_of(
    changes: &mut tokio::sync::broadcast::Receiver<nova_vault::VaultChange>,
    paths: &[VaultPath],
) {
    use tokio::sync::broadcast::error::RecvError;
    loop {
        match changes.recv().await {
            Ok(change) if paths.contains(&change.path) => return,
            Ok(_) => {}
            // Missed some: look again to be sure.
            Err(RecvError::Lagged(_)) => return,
            Err(RecvError::Closed) => std::future::pending::<()>().await,
        }
    }
}

/// The consequence as a question.
fn question(effect: Effect, diff: Option<&[NoteDiffView]>) -> String {
    let notes = |count: usize| if count == 1 { "1 note".to_owned() } else { format!("{count} notes") };
    if let Some(diff) = diff {
        let created = diff.iter().filter(|note| note.kind == NoteChangeKind::Created).count();
        let deleted = diff.iter().filter(|note| note.kind == NoteChangeKind::Deleted).count();
        return match diff.len() {
            all if all == created => format!("Create {}?", notes(all)),
            all if all == deleted => format!("Delete {}?", notes(all)),
            all => format!("Change {}?", notes(all)),
        };
    }
    match effect {
        Effect::Write => "Change notes?".into(),
        Effect::Read => "Read this?".into(),
        Effect::External => "Send this off this machine?".into(),
        Effect::Destructive => "Do this? It cannot be undone.".into(),
        Effect::Send => "Send this?".into(),
        Effect::Undeclared => "Run this? What it does is not declared.".into(),
    }
}
