//! Questions to the user: their text, what makes them stale, and the effect of an answer.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use nova_protocol::{Decision, DetailView, ErrorCode, NoteChangeKind, NoteDiffView, UserError};
use nova_registry::{SkillEntry, ToolEntry};
use nova_skill::{Effect, VaultAccess, VaultPath};
use nova_vault::Vault;
use serde_json::Value;

use super::planning::{MOST_NOTES, Plan};
use super::{Reach, Running};
use crate::hosts::shown_hosts_of;
use crate::questions::{Allowed, NotAllowed};
use crate::trusted::effect_word;
use crate::view::{effect_view, principal_view};
use crate::{
    Answer, Approval, ApprovalRequest, Because, Content, Grantee, Ruling, Standing, ToolContent, ToolFace,
    Verdict, arguments,
};

impl Running<'_> {
    /// Asks before a call that plans no notes, or whose tool was never reviewed.
    pub(super) async fn ask(
        &mut self,
        tool: &ToolEntry,
        args: &mut Value,
        asked: Question,
        fresh: &[String],
    ) -> Result<Allowed, UserError> {
        let Question { decisions, editable, because } = asked;
        let mut request = self.request(tool, args.clone(), decisions, editable, None);
        request.question = self.question(tool, args, None, &because);
        if matches!(because, Because::NewContent | Because::ChangedContent) {
            request.credentials.clone_from(&tool.spec().credentials);
        } else if !fresh.is_empty() && ToolContent::of(tool).is_some() {
            // The answer covers the call and its credentials.
            request.credentials = fresh.to_vec();
            let names = fresh.join(", ");
            request.question =
                format!("{} It also needs a grant for the credential {names}.", request.question);
        }
        loop {
            match self.questions.ask(&mut request).await? {
                Answer::Revised { args: revised } => {
                    match arguments::fit(tool, revised) {
                        Ok(fitting) => *args = fitting,
                        Err(error) => self.report_rejection(&error),
                    }
                    request.args = args.clone();
                    request.host = self.host_line(tool, args);
                }
                answer => {
                    return self.decided(tool, &request, answer);
                }
            }
        }
    }

    /// Asks whether a tool's result may be passed to the model: it is drawn from notes for which a rule
    /// requires approval.
    pub(super) async fn ask_about_answer(&self, tool: &ToolEntry, args: &Value) -> Result<(), UserError> {
        let offered = vec![Decision::Once, Decision::Deny];
        let mut request = self.request(tool, args.clone(), offered, false, None);
        let notes = match self.reached.read.as_slice() {
            [] => String::new(),
            read => format!(" It has read {}.", and_more(read)),
        };
        request.question =
            format!("Show the assistant what {} found?{notes} A rule requires asking.", tool.shown_name());
        loop {
            match self.questions.ask(&mut request).await? {
                // The tool has already run, so there are no arguments to edit and the question stands.
                Answer::Revised { .. } => {}
                answer => return self.decided(tool, &request, answer).map(drop),
            }
        }
    }

    /// Asks about planned writes; plans again if one of the notes changes meanwhile.
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
        request.question = self.question(tool, args, Some(&asking.diff), &asking.because);
        request.details.clone_from(&asking.details);
        let mut changes = self.scope.access.vault.as_ref().map(Vault::changes);
        loop {
            let stale = async {
                match &mut changes {
                    Some(changes) => changed_one_of(changes, &asking.paths).await,
                    None => std::future::pending().await,
                }
            };
            let answer = tokio::select! {
                biased;
                answer = self.questions.ask(&mut request) => Some(answer?),
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
                        // Invalid edits do not end the call: the question stands as it was.
                        Err(error) => self.report_rejection(&error),
                    }
                }
                Some(answer) => {
                    let allowed = self.decided(tool, &request, answer)?;
                    if allowed.decision == Decision::Session {
                        self.grant_writes(tool, &asking);
                    }
                    return Ok(match allowed.args {
                        Some(edited) => Approved::Edited { args: edited, shown: asking.diff },
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
            (asking.diff, asking.paths, asking.tools) = (plan.diff(), plan.paths(), plan.tools());
            if let Ruling { verdict: Verdict::Ask { decisions, .. }, because } =
                self.judge_plan(tool, args, &plan)
            {
                (request.decisions, asking.because) = (decisions, because);
            }
            request.question = self.question(tool, args, Some(&asking.diff), &asking.because);
            request.diff = Some(asking.diff.clone());
            request.details = plan.details();
            newer = Some(plan);
        }
    }

    /// Grants "for this chat" to the tools whose changes the question showed.
    fn grant_writes(&self, tool: &ToolEntry, asking: &Asking) {
        let grants = &self.scope.grants;
        let writers = asking.tools.iter().map(|writer| &**writer);
        for writer in writers.chain((!tool.spec().calls_tools).then_some(tool)) {
            let grantee = Grantee::of(writer);
            grants.add(&grantee, writer.effect());
            if let Because::OpenNotes(notes) = &asking.because {
                notes.iter().for_each(|note| grants.add_open_note(&grantee, note));
            }
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
        let before = std::mem::take(&mut self.reached);
        let planned = match self.check_not_denied(tool, &args) {
            Ok(()) => self.plan(skill, tool, reach, args.clone()).await,
            Err(denied) => Err(denied),
        };
        if planned.is_err() {
            // The question stands, with its notes.
            self.reached = before;
        }
        Ok((args, planned?))
    }

    /// Shows on the card why an edit was rejected.
    pub(super) fn report_rejection(&self, error: &UserError) {
        self.questions.report_rejection(&self.id, format!("{} {}", error.message, error.hint));
    }

    pub(super) fn request(
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
            host: self.host_line(tool, &args),
            args,
            effect: effect_view(tool.effect()),
            principal: principal_view(&self.scope.principal),
            question: String::new(),
            decisions,
            editable,
            diff,
            details: Vec::new(),
            credentials: Vec::new(),
            elicitation: None,
            revision: 0,
        }
    }

    pub(super) fn host_line(&self, tool: &ToolEntry, args: &Value) -> Option<String> {
        let hosts = self.hosts(tool, args).shown;
        (!hosts.is_empty()).then(|| hosts.into_iter().collect::<Vec<_>>().join(", "))
    }

    /// Phrases the consequence as a question, with the reason for asking if that is not obvious.
    pub(super) fn question(
        &self,
        tool: &ToolEntry,
        args: &Value,
        diff: Option<&[NoteDiffView]>,
        because: &Because,
    ) -> String {
        let asked = match self.own_question(tool, args, diff) {
            Some(own) => own,
            None => question(tool, &self.hosts(tool, args).shown, diff),
        };
        match because {
            Because::NewContent => first_question(tool),
            Because::ChangedContent => {
                let standing =
                    ToolContent::of(tool).map(|content| self.scope.access.approved.standing(&content));
                changed_question(tool, standing.as_ref())
            }
            Because::Repeated(times) => format!(
                "Run {} again? The assistant already made this call {} times in this turn.",
                tool.shown_name(),
                times - 1
            ),
            Because::Routine => format!("{asked} It changes a routine, which runs later by itself."),
            Because::Tainted => format!(
                "{asked} The assistant has read untrusted text in this turn, which may have requested this, \
                 so earlier approvals do not apply."
            ),
            Because::ManyNotes(notes) => {
                format!("{asked} With this, the assistant will have changed {notes} notes in this turn.")
            }
            Because::OpenNotes(notes) => format!(
                "{asked} This chat was given private notes, and a remote model may read {}.",
                and_more(notes)
            ),
            Because::OutsideOwn if tool.spec().calls_tools => {
                format!("{asked} It moves notes, or changes notes outside the skills that it calls.")
            }
            Because::OutsideOwn => {
                format!("{asked} It moves notes, or changes notes outside the skill {}.", tool.skill)
            }
            _ => asked,
        }
    }

    /// The tool's own question, if it is part of the program and plans no changes.
    fn own_question(&self, tool: &ToolEntry, args: &Value, diff: Option<&[NoteDiffView]>) -> Option<String> {
        if tool.spec().definition.is_some() || diff.is_some_and(|diff| !diff.is_empty()) {
            return None;
        }
        let skill = self.scope.snapshot.skill(&tool.skill);
        tool.tool.question(args, skill.map_or(&Value::Null, |skill| skill.config.as_ref()))
    }

    /// Records the decision; returns edited arguments, or the denial as an error.
    pub(super) fn decided(
        &self,
        tool: &ToolEntry,
        request: &ApprovalRequest,
        answer: Answer,
    ) -> Result<Allowed, UserError> {
        let allowed = self
            .questions
            .settle(request, answer)
            .map_err(|why| not_allowed(tool, why, self.content(tool)))?;
        let decision = allowed.decision;
        let grantee = Grantee::of(tool);
        // A tool that calls others receives no grants itself.
        if decision == Decision::Session && !tool.spec().calls_tools {
            self.scope.grants.add(&grantee, tool.effect());
            for host in self.hosts(tool, &request.args).shown {
                self.scope.grants.add_host(&grantee, &host);
            }
        }
        match ToolContent::of(tool) {
            Some(content) => self.keep(tool, &content, decision)?,
            None if decision == Decision::Always => {
                self.scope
                    .access
                    .save_rule
                    .allow(&tool.wire_name)
                    .map_err(|reason| not_kept(tool, &reason))?;
            }
            None => {}
        }
        Ok(allowed)
    }

    /// Saves an approval of a file, bound to its content: a rule in permissions.yaml, which only knows its
    /// name, would also cover later contents of the file.
    fn keep(&self, tool: &ToolEntry, content: &ToolContent, decision: Decision) -> Result<(), UserError> {
        let approval = if decision == Decision::Always { Approval::Always } else { Approval::Seen };
        if matches!(self.scope.access.approved.standing(content), Standing::This(kept) if kept >= approval) {
            return Ok(());
        }
        match self.scope.access.approved.keep(content, approval, &ToolFace::of(tool)) {
            Ok(()) => Ok(()),
            Err(reason) if approval == Approval::Always => Err(not_kept(tool, &reason)),
            Err(reason) => {
                // The next call asks again.
                tracing::warn!(tool = tool.shown_name(), reason, "cannot save an approval");
                Ok(())
            }
        }
    }
}

fn not_allowed(tool: &ToolEntry, why: NotAllowed, content: Content) -> UserError {
    match why {
        NotAllowed::Denied { by, reason } => {
            let why = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
            UserError::new(
                ErrorCode::DeniedByUser,
                format!("Denied by {by}{why}."),
                "Do not retry unless the user asks for it.",
            )
        }
        NotAllowed::Unanswered { reason } => UserError::new(
            ErrorCode::ApprovalUnanswered,
            format!("{} was not allowed: {reason}.", tool.shown_name()),
            match content {
                // Rules do not apply to a file that was never reviewed.
                Content::New => "Run it once where an approval can be answered: its file is new.",
                Content::Changed => "Run it once where an approval can be answered: its file changed.",
                Content::Fixed | Content::ByArguments | Content::Seen | Content::Always => {
                    "Run it where an approval can be answered, or allow it with a rule."
                }
            },
        ),
        NotAllowed::NotOffered => UserError::new(
            ErrorCode::ApprovalUnanswered,
            format!(
                "{} was not allowed: the answer was not one of the offered decisions.",
                tool.shown_name()
            ),
            "Answer with one of the offered decisions.",
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

/// The parameters of a question.
pub(super) struct Question {
    pub(super) decisions: Vec<Decision>,
    pub(super) editable: bool,
    pub(super) because: Because,
}

/// The subject of a question about planned writes.
pub(super) struct Asking {
    pub(super) diff: Vec<NoteDiffView>,
    /// The tool's details, shown with the diff.
    pub(super) details: Vec<DetailView>,
    pub(super) paths: Vec<VaultPath>,
    pub(super) because: Because,
    /// The tools that write, for a tool that calls others.
    pub(super) tools: Vec<Arc<ToolEntry>>,
}

pub(super) enum Approved {
    AsFirstShown,
    /// The plan was renewed while the question waited.
    AsLastShown(Box<Plan>),
    /// Arguments that came with the answer, and the changes shown on the card at that time.
    Edited {
        args: Value,
        shown: Vec<NoteDiffView>,
    },
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
            // Some events were missed: check again.
            Err(RecvError::Lagged(_)) => return,
            Err(RecvError::Closed) => std::future::pending::<()>().await,
        }
    }
}

fn and_more(notes: &[VaultPath]) -> String {
    match notes {
        [] => String::new(),
        [one] => one.to_string(),
        [first, second] => format!("{first} and {second}"),
        [first, more @ ..] => format!("{first} and {} more notes", more.len()),
    }
}

/// Phrases the consequence as a question.
fn question(tool: &ToolEntry, hosts: &BTreeSet<String>, diff: Option<&[NoteDiffView]>) -> String {
    if let Some(diff) = diff.filter(|diff| !diff.is_empty()) {
        // Files outside of the vault are named by their path on disk.
        let is_file = |note: &NoteDiffView| {
            let is_note = |path: VaultPath| path.is_note() || path.as_str().ends_with(".base");
            Path::new(&note.path).is_absolute() || !VaultPath::parse(&note.path).is_ok_and(is_note)
        };
        let noun = if diff.iter().all(is_file) { "file" } else { "note" };
        let notes = |count: usize| if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") };
        let created = diff.iter().filter(|note| note.kind == NoteChangeKind::Created).count();
        let deleted = diff.iter().filter(|note| note.kind == NoteChangeKind::Deleted).count();
        return match diff.len() {
            all if all == created => format!("Create {}?", notes(all)),
            all if all == deleted => format!("Delete {}?", notes(all)),
            all => format!("Change {}?", notes(all)),
        };
    }
    let hosts: Vec<&str> = hosts.iter().map(String::as_str).collect();
    match tool.effect() {
        Effect::External if !hosts.is_empty() => format!("Send this to {}?", hosts.join(", ")),
        Effect::Write => "Change notes?".into(),
        Effect::Read => "Read this?".into(),
        Effect::External => "Send this to another machine?".into(),
        Effect::Destructive => "Do this? It cannot be undone.".into(),
        Effect::Send => "Send this?".into(),
        Effect::Undeclared => "Run this? Its effect is not declared.".into(),
    }
}

/// The question before the first call of a new file, with everything that the file declares.
fn first_question(tool: &ToolEntry) -> String {
    let or_nothing = |all: Vec<String>| if all.is_empty() { "none".to_owned() } else { all.join(", ") };
    let effect = effect_word(tool.effect());
    format!(
        "Run {} for the first time? Effect: {effect}. Hosts: {}. Credentials: {}.{}",
        tool.shown_name(),
        or_nothing(shown_hosts_of(tool.spec()).into_iter().collect()),
        or_nothing(tool.spec().credentials.clone()),
        on_notes(tool.spec().vault),
    )
}

/// The declared access to notes, as a sentence with a leading space.
fn on_notes(access: Option<VaultAccess>) -> String {
    match access {
        None => String::new(),
        Some(VaultAccess::Read) => " Notes: read.".into(),
        Some(VaultAccess::Write) => format!(" Notes: read and write, at most {MOST_NOTES} in one call."),
    }
}

/// The question before the first call of a content that differs from the approved one.
fn changed_question(tool: &ToolEntry, standing: Option<&Standing>) -> String {
    let changes = match standing {
        Some(Standing::Changed(Some(before))) => {
            let lines = ToolFace::of(tool).changes_since(before);
            match lines.is_empty() {
                true => "Its declarations are unchanged, but its code changed.".to_owned(),
                false => {
                    let lines = lines.join("; ");
                    if lines.ends_with('.') { lines } else { format!("{lines}.") }
                }
            }
        }
        _ => "The exact changes are unknown.".to_owned(),
    };
    format!("Run {}, which changed since you allowed it? {changes}", tool.shown_name())
}
