//! Waiting for an answer: what is asked, what makes the question stale, what an answer means.

use std::sync::Arc;

use nova_protocol::{Decision, ErrorCode, Event, NoteChangeKind, NoteDiffView, UserError};
use nova_registry::{SkillEntry, ToolEntry};
use nova_skill::{Effect, VaultPath};
use nova_vault::Vault;
use serde_json::Value;

use super::{Plan, Reach, Running};
use crate::hosts::shown_hosts;
use crate::questions::{Allowed, NotAllowed};
use crate::view::{effect_view, error_from_tool, principal_view};
use crate::{Answer, Approval, ApprovalRequest, Grantee, ToolContent, arguments};

impl Running<'_> {
    /// Asks before a call that plans no notes, or whose tool nobody has seen yet.
    pub(super) async fn ask(
        &mut self,
        tool: &ToolEntry,
        args: &mut Value,
        decisions: Vec<Decision>,
        editable: bool,
        unseen: bool,
    ) -> Result<Permission, UserError> {
        let mut request = self.request(tool, args.clone(), decisions, editable, None);
        if unseen {
            request.question = first_question(tool);
            request.credentials.clone_from(&tool.spec().credentials);
        }
        loop {
            match self.questions.ask(&mut request).await.map_err(|error| error_from_tool(&error))? {
                Answer::Revised { args: revised } => {
                    match arguments::fit(tool, revised) {
                        Ok(fitting) => *args = fitting,
                        Err(error) => self.tell(&error),
                    }
                    request.args = args.clone();
                }
                answer => {
                    let edited = self.decided(tool, &request, answer)?;
                    return Ok(edited.map_or(Permission::Granted, Permission::Edited));
                }
            }
        }
    }

    /// Asks about planned writes; plans anew when one of the notes changes meanwhile.
    #[expect(clippy::too_many_arguments, reason = "the call, and the question as it stands")]
    pub(super) async fn ask_about_notes(
        &mut self,
        skill: &Arc<SkillEntry>,
        tool: &Arc<ToolEntry>,
        reach: &Reach,
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
            let answer = tokio::select! {
                biased;
                answer = self.questions.ask(&mut request) => Some(answer.map_err(|error| error_from_tool(&error))?),
                () = stale => None,
            };
            match answer {
                Some(Answer::Revised { args: revised }) => {
                    match self.plan_revised(skill, tool, reach, revised).await {
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
                None => self.plan(skill, tool, reach, args.clone()).await?,
            };
            asking = Asking { diff: plan.diff.clone(), paths: plan.paths() };
            request.question = question(tool, Some(&asking.diff));
            request.diff = Some(asking.diff.clone());
            newer = Some(plan);
        }
    }

    async fn plan_revised(
        &mut self,
        skill: &Arc<SkillEntry>,
        tool: &Arc<ToolEntry>,
        reach: &Reach,
        revised: Value,
    ) -> Result<(Value, Plan), UserError> {
        let args = arguments::fit(tool, revised)?;
        let plan = self.plan(skill, tool, reach, args.clone()).await?;
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
        let hosts = shown_hosts(tool);
        ApprovalRequest {
            call: self.id.clone(),
            tool: tool.shown_name(),
            args,
            effect: effect_view(tool.effect()),
            principal: principal_view(&self.scope.principal),
            question: question(tool, diff.as_deref()),
            decisions,
            editable,
            diff,
            host: (!hosts.is_empty()).then(|| hosts.into_iter().collect::<Vec<_>>().join(", ")),
            credentials: Vec::new(),
            revision: 0,
        }
    }

    /// Notes the decision; answers with edited arguments, or fails with the denial.
    fn decided(
        &self,
        tool: &ToolEntry,
        request: &ApprovalRequest,
        answer: Answer,
    ) -> Result<Option<Value>, UserError> {
        let Allowed { decision, args } =
            self.questions.settle(request, answer).map_err(|why| not_allowed(tool, why))?;
        let grantee = Grantee::of(tool);
        if decision == Decision::Session {
            self.scope.grants.add(&grantee, tool.effect());
            for host in shown_hosts(tool) {
                self.scope.grants.add_host(&grantee, &host);
            }
        }
        match ToolContent::of(tool) {
            Some(content) => self.keep(tool, &content, decision)?,
            None if decision == Decision::Always => {
                self.scope.keep_rule.allow(&tool.wire_name).map_err(|reason| not_kept(tool, &reason))?;
            }
            None => {}
        }
        Ok(args)
    }

    /// What was approved of a file is bound to its content: a rule in permissions.yaml, which knows
    /// its name only, would also cover what the file says tomorrow.
    fn keep(&self, tool: &ToolEntry, content: &ToolContent, decision: Decision) -> Result<(), UserError> {
        let approval = if decision == Decision::Always { Approval::Always } else { Approval::Seen };
        if self.scope.approved.covers(content) >= Some(approval) {
            return Ok(());
        }
        match self.scope.approved.keep(content, approval) {
            Ok(()) => Ok(()),
            Err(reason) if approval == Approval::Always => Err(not_kept(tool, &reason)),
            Err(reason) => {
                // It is asked about once more next time.
                tracing::warn!(tool = tool.shown_name(), reason, "an approval could not be kept");
                Ok(())
            }
        }
    }
}

fn not_allowed(tool: &ToolEntry, why: NotAllowed) -> UserError {
    match why {
        NotAllowed::Denied { by, reason } => {
            let why = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
            UserError::new(
                ErrorCode::DeniedByUser,
                format!("Denied by {by}{why}."),
                "Do not try it again unless the user asks for it.",
            )
        }
        NotAllowed::Unanswered { reason } => UserError::new(
            ErrorCode::ApprovalUnanswered,
            format!("{} was not allowed: {reason}.", tool.shown_name()),
            "Start it where an approval can be answered, or allow it by a rule.",
        ),
        NotAllowed::NotOffered => UserError::new(
            ErrorCode::ApprovalUnanswered,
            format!("{} was not allowed: the answer was not one of those offered.", tool.shown_name()),
            "Answer with one of the decisions of the question.",
        ),
    }
}

fn not_kept(tool: &ToolEntry, reason: &str) -> UserError {
    UserError::new(
        ErrorCode::Io,
        format!("The rule could not be saved, so {} did not run: {reason}.", tool.shown_name()),
        "Allow it once, or write the rule into permissions.yaml.",
    )
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
fn question(tool: &ToolEntry, diff: Option<&[NoteDiffView]>) -> String {
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
    let own = tool.spec().question.clone().filter(|_| tool.spec().definition.is_none());
    if let Some(own) = own {
        return own;
    }
    let hosts: Vec<_> = shown_hosts(tool).into_iter().collect();
    match tool.effect() {
        Effect::External if !hosts.is_empty() => format!("Send this to {}?", hosts.join(", ")),
        Effect::Write => "Change notes?".into(),
        Effect::Read => "Read this?".into(),
        Effect::External => "Send this off this machine?".into(),
        Effect::Destructive => "Do this? It cannot be undone.".into(),
        Effect::Send => "Send this?".into(),
        Effect::Undeclared => "Run this? What it does is not declared.".into(),
    }
}

/// The question before the first call of a content, with all that its file declares.
fn first_question(tool: &ToolEntry) -> String {
    let or_nothing = |all: Vec<String>| if all.is_empty() { "none".to_owned() } else { all.join(", ") };
    let effect = match tool.effect() {
        Effect::Read => "read",
        Effect::Write => "write",
        Effect::External => "external",
        Effect::Destructive => "destructive",
        Effect::Send => "send",
        Effect::Undeclared => "not declared",
    };
    format!(
        "Run {} for the first time? Effect: {effect}. Hosts: {}. Credentials: {}.",
        tool.shown_name(),
        or_nothing(shown_hosts(tool).into_iter().collect()),
        or_nothing(tool.spec().credentials.clone()),
    )
}
