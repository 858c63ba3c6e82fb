mod asking;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::StreamExt;
use nova_http::Web;
use nova_protocol::{ErrorCode, Event, NoteChangeKind, NoteChangeView, NoteDiffView, SourceView, UserError};
use nova_registry::{Rules, SkillEntry, Snapshot, State, ToolEntry, ToolLookup};
use nova_skill::{
    CallToken, Clock, CredentialSource, Effect, NoteScope, Output, OutputPart, Principal, RequestInfo,
    ToolError, ToolOutput, VaultPath,
};
use nova_vault::note::ContentHash;
use nova_vault::{Author, ChangeSet, Draft, Privacy, Vault};
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use self::asking::{Approved, Asking, Permission};
use crate::context::CallContext;
use crate::credentials::CallCredentials;
use crate::decide::allowed_by_rule;
use crate::draft_vault::DraftVault;
use crate::hosts::{CallHosts, Covers, shown_hosts};
use crate::questions::Questions;
use crate::reach::{CallHttp, Heard};
use crate::secrets::Secrets;
use crate::view::{diff_view, effect_view, error_from_tool, error_from_vault, principal_view, source_view};
use crate::{
    Approval, Approved as ApprovedContents, Approver, Content, Facts, Grantee, Grants, KeepRule, ToolContent,
    Verdict, arguments, decide,
};

/// Runs one call from its name to its report. Exactly one `tool_call_started` and one
/// `tool_call_completed` are emitted, whatever happens.
pub async fn run_call(scope: &CallScope, call: Call, cancel: CancellationToken) -> Outcome {
    let begun = Instant::now();
    let questions = Arc::new(Questions::new(scope.approver.clone(), scope.events.clone(), cancel.clone()));
    let mut running = Running {
        scope,
        id: call.id.clone(),
        cancel,
        seen: BTreeMap::new(),
        unknown: false,
        questions,
        secrets: Arc::default(),
        heard: Arc::default(),
    };
    let result = running.run(call).await;
    let worked = begun.elapsed().saturating_sub(running.questions.stopwatch.waited());
    let ms = u64::try_from(worked.as_millis()).unwrap_or(u64::MAX);
    let heard = running.heard.sources();
    let mut outcome = match result {
        Ok(done) => Outcome {
            call: running.id,
            result: Ok(done.output.value),
            sources: done.output.sources.iter().chain(&heard).map(source_view).collect(),
            changes: done.changes,
            change_set: done.change_set,
            merged: done.merged,
            seen: running.seen,
            unknown: false,
            ms,
        },
        Err(error) => Outcome {
            call: running.id,
            result: Err(error),
            sources: heard.iter().map(source_view).collect(),
            changes: Vec::new(),
            change_set: None,
            merged: Vec::new(),
            seen: running.seen,
            unknown: running.unknown,
            ms,
        },
    };
    without_secrets(&mut outcome, &running.secrets);
    scope.events.emit(Event::ToolCallCompleted {
        call: outcome.call.clone(),
        ok: outcome.result.is_ok(),
        output: outcome.output(),
        sources: outcome.sources.clone(),
        ms: outcome.ms,
        changes: outcome.changes.clone(),
        change_set: outcome.change_set.clone(),
        merged: outcome.merged.clone(),
    });
    outcome
}

/// What the calls of one turn, form or command share.
pub struct CallScope {
    pub snapshot: Arc<Snapshot>,
    pub vault: Option<Vault>,
    pub rules: Arc<Rules>,
    pub grants: Arc<Grants>,
    pub keep_rule: Arc<dyn KeepRule>,
    /// What the user approved of tools that files define.
    pub approved: Arc<dyn ApprovedContents>,
    pub web: Arc<Web>,
    pub credentials: Arc<dyn CredentialSource>,
    pub clock: Arc<dyn Clock>,
    pub approver: Arc<dyn Approver>,
    pub events: Arc<dyn CallEvents>,
    /// All writes of the scope; nothing on disk until the first.
    pub change_set: Option<Arc<ChangeSet>>,
    /// The notes these writes have touched.
    pub touched: Arc<Mutex<BTreeSet<VaultPath>>>,
    pub privacy: Arc<Privacy>,
    /// The session, or the form run.
    pub session: String,
    pub turn: Option<String>,
    pub principal: Principal,
    /// Who the change set's author is: "model", "user".
    pub author: String,
    /// Started by the user's own hand.
    pub by_hand: bool,
    /// How long a tool may run, waiting for an answer not counted.
    pub time_limit: Duration,
}

/// Receives what happens during a call.
pub trait CallEvents: Send + Sync {
    fn emit(&self, event: Event);
}

/// One call as it was asked for.
pub struct Call {
    pub id: String,
    /// Wire name or `skill.tool`.
    pub tool: String,
    pub args: Arguments,
}

pub enum Arguments {
    /// As a model writes them: the text of a JSON object.
    Text(String),
    Value(Value),
}

impl Call {
    pub fn from_model(id: String, tool: String, args: String) -> Self {
        Self { id, tool, args: Arguments::Text(args) }
    }

    pub fn with_value(id: String, tool: String, args: Value) -> Self {
        Self { id, tool, args: Arguments::Value(args) }
    }
}

/// What became of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    pub call: String,
    pub result: Result<Value, UserError>,
    pub sources: Vec<SourceView>,
    pub changes: Vec<NoteChangeView>,
    pub change_set: Option<String>,
    /// What came from outside while the call wrote.
    pub merged: Vec<String>,
    /// Notes that were read, with what they held.
    pub seen: BTreeMap<VaultPath, ContentHash>,
    /// It was stopped while it may already have had an effect outside of the vault.
    pub unknown: bool,
    pub ms: u64,
}

impl Outcome {
    /// The value, or the error as an object.
    pub fn output(&self) -> Value {
        match &self.result {
            Ok(value) => value.clone(),
            Err(error) => serde_json::to_value(error).unwrap_or_default(),
        }
    }
}

struct Done {
    output: Output,
    changes: Vec<NoteChangeView>,
    change_set: Option<String>,
    merged: Vec<String>,
}

/// A tool has run: what it gave back and what it wants to write.
struct Plan {
    output: Output,
    draft: Option<Draft>,
    diff: Vec<NoteDiffView>,
    /// A note outside the skill's own folders and records is touched, or a note is moved.
    outside_own: bool,
}

impl Plan {
    fn paths(&self) -> Vec<VaultPath> {
        self.draft.as_ref().map(Draft::paths).unwrap_or_default()
    }
}

struct Running<'a> {
    scope: &'a CallScope,
    id: String,
    cancel: CancellationToken,
    seen: BTreeMap<VaultPath, ContentHash>,
    unknown: bool,
    questions: Arc<Questions>,
    /// What the call was given and must not tell.
    secrets: Arc<Secrets>,
    /// What the web answered.
    heard: Arc<Heard>,
}

/// What a call may reach beside its notes, the same however often it is planned anew.
struct Reach {
    hosts: Arc<CallHosts>,
    credentials: CallCredentials,
}

impl Running<'_> {
    async fn run(&mut self, call: Call) -> Result<Done, UserError> {
        let (skill, tool) = match self.scope.snapshot.tool(&call.tool) {
            ToolLookup::Found { skill, tool } => (skill, tool),
            ToolLookup::Unknown { nearest } => {
                self.started(&call.tool, raw(&call.args), Effect::Undeclared);
                return Err(unknown_tool(&call.tool, &nearest));
            }
        };
        let args = match &call.args {
            Arguments::Value(value) => Ok(value.clone()),
            Arguments::Text(text) => arguments::parse(&tool, text),
        };
        let args = args.and_then(|args| arguments::fit(&tool, args));
        let shown = args.as_ref().map_or_else(|_| raw(&call.args), Clone::clone);
        self.started(&tool.shown_name(), shown, tool.effect());
        self.check_available(&skill)?;
        let mut args = args?;

        // A denied call runs in no way, not even to see what it would write.
        let verdict = decide(&self.scope.rules, &self.facts(&tool, &[], false));
        if let Verdict::Deny { rule } = verdict {
            return Err(UserError::new(
                ErrorCode::DeniedByRule,
                format!("{} is denied by the rule \"{rule}\".", tool.shown_name()),
                "Change the rule in permissions.yaml to allow it.",
            ));
        }

        let reach = self.reach(&tool);
        let fresh = reach.credentials.not_granted().await.map_err(|error| error_from_tool(&error))?;

        // What nobody has seen does not run at all before it was, not even against a draft.
        let unseen = self.content(&tool) == Content::New;
        if let (Verdict::Ask { decisions, editable }, true) = (verdict, unseen || !tool.spec().on_notes) {
            let permission = self.ask(&tool, &mut args, decisions, editable, unseen).await?;
            if let Permission::Edited(edited) = permission {
                args = arguments::fit(&tool, edited)?;
            }
            reach.hosts.shown_and_allowed();
        } else if self.content(&tool) == Content::Always {
            reach.hosts.shown_and_allowed();
        }
        let credentials = &reach.credentials;
        let granted = if unseen {
            // Its card showed them, with the hosts.
            credentials.shown_and_allowed(&fresh).await
        } else {
            let principal = principal_view(&self.scope.principal);
            credentials.ask(&fresh, &self.questions, &self.id, &tool, &args, &principal).await
        };
        granted.map_err(|error| error_from_tool(&error))?;
        if !tool.spec().on_notes {
            let plan = self.plan(&skill, &tool, &reach, args).await?;
            if plan.draft.is_some() {
                return Err(UserError::new(
                    ErrorCode::ToolFailed,
                    format!(
                        "{} tried to change notes without declaring it. Nothing was changed.",
                        tool.shown_name()
                    ),
                    "Tell the skill's author.",
                ));
            }
            return Ok(Done {
                output: plan.output,
                changes: Vec::new(),
                change_set: None,
                merged: Vec::new(),
            });
        }
        self.write(&skill, &tool, &reach, args).await
    }

    /// How far the tool reaches in this call.
    fn reach(&self, tool: &ToolEntry) -> Reach {
        let facts = self.facts(tool, &[], false);
        let covers = if self.scope.rules.human_approval.restricting(&tool.skill, &tool.id).is_some() {
            Covers::Nothing
        } else if allowed_by_rule(&self.scope.rules, &facts) {
            Covers::Declared
        } else {
            Covers::Granted
        };
        Reach {
            hosts: Arc::new(CallHosts::new(
                self.questions.clone(),
                self.scope.grants.clone(),
                self.scope.approved.clone(),
                &self.id,
                tool,
                principal_view(&self.scope.principal),
                covers,
            )),
            credentials: CallCredentials::new(
                self.scope.credentials.clone(),
                self.scope.events.clone(),
                self.secrets.clone(),
                tool,
            ),
        }
    }

    fn content(&self, tool: &ToolEntry) -> Content {
        let Some(content) = ToolContent::of(tool) else { return Content::Fixed };
        match self.scope.approved.covers(&content) {
            None => Content::New,
            Some(Approval::Seen) => Content::Seen,
            Some(Approval::Always) => Content::Always,
        }
    }

    /// A tool that writes notes runs against a draft first: what is shown is what is written.
    async fn write(
        &mut self,
        skill: &Arc<SkillEntry>,
        tool: &Arc<ToolEntry>,
        reach: &Reach,
        mut args: Value,
    ) -> Result<Done, UserError> {
        let mut plan = self.plan(skill, tool, reach, args.clone()).await?;
        loop {
            let paths = plan.paths();
            let verdict = decide(&self.scope.rules, &self.facts(tool, &paths, plan.outside_own));
            let (false, Verdict::Ask { decisions, editable }) = (paths.is_empty(), verdict) else { break };
            let shown = (paths.len(), plan.outside_own);
            let asking = Asking { diff: plan.diff.clone(), paths };
            match self.ask_about_notes(skill, tool, reach, &mut args, decisions, editable, asking).await? {
                Approved::AsFirstShown => break,
                Approved::AsLastShown(newer) => {
                    plan = *newer;
                    break;
                }
                // Arguments that came with the answer. They may not reach further than what was shown.
                Approved::Edited(edited) => {
                    args = arguments::fit(tool, edited)?;
                    plan = self.plan(skill, tool, reach, args.clone()).await?;
                    if plan.paths().len() <= shown.0 && plan.outside_own <= shown.1 {
                        break;
                    }
                }
            }
        }
        let Some(draft) = plan.draft else {
            return Ok(Done {
                output: plan.output,
                changes: Vec::new(),
                change_set: None,
                merged: Vec::new(),
            });
        };
        let Some(change_set) = self.scope.change_set.clone() else {
            return Err(error_from_tool(&ToolError::NoVault));
        };
        if self.cancel.is_cancelled() {
            return Err(error_from_tool(&ToolError::Cancelled));
        }
        let author = Author {
            principal: self.scope.author.clone(),
            skill: Some(tool.skill.clone()),
            call: Some(self.id.clone()),
        };
        // A move also writes into hidden notes that link to the moved one; what happens there is for
        // their owner.
        let hidden: BTreeSet<VaultPath> = draft.paths().into_iter().filter(|path| self.hides(path)).collect();
        // Writing is short and must come to its end: a stop never cuts it in two.
        let applied = tokio::task::spawn_blocking(move || {
            let applied = change_set.apply(draft, &author);
            (applied, change_set.id().to_owned())
        });
        let (applied, id) = applied.await.map_err(|error| broke(tool, &error))?;
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
                Ok(Done {
                    output: plan.output,
                    changes: applied.changes.iter().map(change_view).collect(),
                    change_set: Some(id),
                    merged,
                })
            }
            Err(error) => {
                if let nova_skill::VaultError::Conflict { path, mine, theirs, .. } = &error {
                    self.scope.events.emit(Event::ConflictFound {
                        note: path.to_string(),
                        mine: mine.clone(),
                        theirs: theirs.clone(),
                    });
                }
                Err(told(&error, &hidden))
            }
        }
    }

    fn hides(&self, path: &VaultPath) -> bool {
        self.scope.privacy.remote
            && self.scope.vault.as_ref().is_some_and(|vault| {
                let read = vault.seen_by(self.scope.privacy.clone()).read(path);
                matches!(read, Err(nova_skill::VaultError::Private { .. }))
            })
    }

    fn started(&self, tool: &str, args: Value, effect: Effect) {
        self.scope.events.emit(Event::ToolCallStarted {
            call: self.id.clone(),
            tool: tool.to_owned(),
            args,
            effect: effect_view(effect),
            principal: principal_view(&self.scope.principal),
        });
    }

    fn check_available(&self, skill: &SkillEntry) -> Result<(), UserError> {
        let (code, why) = match skill.state {
            State::Available => return Ok(()),
            State::Disabled => (ErrorCode::SkillDisabled, "is switched off"),
            _ => (ErrorCode::SkillUnavailable, "is not available"),
        };
        let hint = match skill.state {
            State::Disabled => format!("Switch it on in Settings, or run: nova skill enable {}", skill.id),
            _ => skill.reason.clone().unwrap_or_default(),
        };
        Err(UserError::new(code, format!("The skill {} {why}.", skill.id), hint))
    }

    fn facts<'a>(&self, tool: &'a ToolEntry, paths: &[VaultPath], outside_own: bool) -> Facts<'a> {
        let touched = self.scope.touched.lock().unwrap_or_else(PoisonError::into_inner);
        let new = paths.iter().filter(|path| !touched.contains(*path)).count();
        let grantee = Grantee::of(tool);
        let grants = &self.scope.grants;
        let hosts = shown_hosts(tool);
        let granted = if tool.effect() == Effect::External && !hosts.is_empty() {
            hosts.iter().all(|host| grants.covers_host(&grantee, host))
        } else {
            grants.covers(&grantee, tool.effect())
        };
        Facts {
            skill: &tool.skill,
            tool: &tool.id,
            effect: tool.effect(),
            by_hand: self.scope.by_hand,
            granted,
            content: self.content(tool),
            notes: touched.len() + new,
            outside_own,
        }
    }

    /// Runs the tool; its writes stay in the draft.
    async fn plan(
        &mut self,
        skill: &Arc<SkillEntry>,
        tool: &Arc<ToolEntry>,
        reach: &Reach,
        args: Value,
    ) -> Result<Plan, UserError> {
        let vault =
            DraftVault::new(self.scope.vault.as_ref(), self.scope.privacy.clone(), skill.records.clone());
        let cancel = self.cancel.child_token();
        reach.hosts.runs_with(&args);
        let context = Arc::new(CallContext {
            vault: vault.clone(),
            http: CallHttp {
                web: self.scope.web.clone(),
                hosts: reach.hosts.clone(),
                heard: self.heard.clone(),
                ended: cancel.clone(),
                secrets: self.secrets.clone(),
            },
            credentials: reach.credentials.clone(),
            clock: self.scope.clock.clone(),
            request: RequestInfo {
                call: self.id.clone(),
                session: self.scope.session.clone(),
                turn: self.scope.turn.clone(),
                principal: self.scope.principal.clone(),
            },
            records: skill.records.clone(),
            config: skill.config.clone(),
            cancel: cancel.clone(),
            events: self.scope.events.clone(),
            secrets: self.secrets.clone(),
        });
        // On a task of its own, so that a tool that panics breaks nothing but its call.
        let body = tool.tool.clone();
        let events = self.scope.events.clone();
        let call = self.id.clone();
        let secrets = self.secrets.clone();
        let mut task = tokio::spawn(async move {
            let output = body.run(CallToken::mint_for_nova_calls(), args, context).await?;
            drain(output, events.as_ref(), &secrets, &call).await
        });
        let reaches_out = tool.effect() != Effect::Read && !tool.spec().on_notes;
        let limit = tool.spec().time_limit.unwrap_or(self.scope.time_limit);
        let finished = tokio::select! {
            finished = &mut task => finished.map_err(|error| broke(tool, &error))?,
            () = self.cancel.cancelled() => {
                self.unknown = reaches_out;
                Err(ToolError::Cancelled)
            }
            () = self.questions.stopwatch.passed(limit) => {
                self.unknown = reaches_out;
                task.abort();
                cancel.cancel();
                return Err(UserError::new(
                    ErrorCode::ToolTimedOut,
                    format!("{} did not finish in {} s and was stopped.", tool.shown_name(), limit.as_secs()),
                    "Try again with less to do.",
                ));
            }
        };
        task.abort();
        cancel.cancel();
        self.seen.append(&mut vault.seen());
        let output = finished.map_err(|error| error_from_tool(&error))?;
        let mut draft = vault.take_draft();
        if draft.as_mut().is_some_and(|draft| tells(draft, &self.secrets)) {
            return Err(UserError::new(
                ErrorCode::ToolFailed,
                format!(
                    "{} would have written a credential into a note. Nothing was written.",
                    tool.shown_name()
                ),
                "Tell the tool's author.",
            ));
        }
        let anywhere = tool.spec().scope == NoteScope::Anywhere;
        let outside_own =
            draft.as_mut().is_some_and(|draft| draft.moves() || !(anywhere || within_own(skill, draft)));
        let diff = draft
            .iter()
            .flat_map(Draft::diffs)
            .map(|planned| diff_view(&planned.path, planned.from.as_ref(), &planned.diff))
            .collect();
        Ok(Plan { output, draft, diff, outside_own })
    }
}

/// An error as the principal may know it, who does not see these notes.
fn told(error: &nova_skill::VaultError, hidden: &BTreeSet<VaultPath>) -> UserError {
    let told = error_from_vault(error);
    // What the file system says may name any of the notes.
    let names_any = matches!(error, nova_skill::VaultError::Io { .. }) && !hidden.is_empty();
    match error.path() {
        path if names_any || path.is_some_and(|path| hidden.contains(path)) => UserError::new(
            told.code,
            "A note that is private could not be changed with the others; nothing was written.",
            "The user sees which note it is, and can try again.",
        ),
        _ => told,
    }
}

/// Takes out what the call was given and must not tell.
fn without_secrets(outcome: &mut Outcome, secrets: &Secrets) {
    match &mut outcome.result {
        Ok(value) => secrets.scrub_value(value),
        Err(error) => secrets.scrub_error(error),
    }
    outcome.merged.iter_mut().for_each(|text| secrets.scrub(text));
    for source in &mut outcome.sources {
        if let SourceView::Web { url, .. } = source {
            secrets.scrub(url);
        }
    }
}

/// Whether a note would hold, or be named by, a secret of the call.
fn tells(draft: &mut Draft, secrets: &Secrets) -> bool {
    draft.paths().iter().any(|path| {
        secrets.are_in(path.as_str()) || draft.read(path).is_ok_and(|note| secrets.are_in(&note.text))
    })
}

async fn drain(
    output: ToolOutput,
    events: &dyn CallEvents,
    secrets: &Secrets,
    call: &str,
) -> Result<Output, ToolError> {
    let mut stream = match output {
        ToolOutput::Value(output) => return Ok(output),
        ToolOutput::Stream(stream) => stream,
    };
    while let Some(part) = stream.next().await {
        match part {
            OutputPart::Progress(mut progress) => {
                if let Some(message) = &mut progress.message {
                    secrets.scrub(message);
                }
                events.emit(Event::ToolCallProgress {
                    call: call.to_owned(),
                    fraction: progress.fraction,
                    message: progress.message,
                    partial: None,
                });
            }
            OutputPart::Partial(mut value) => {
                secrets.scrub_value(&mut value);
                events.emit(Event::ToolCallProgress {
                    call: call.to_owned(),
                    fraction: None,
                    message: None,
                    partial: Some(value),
                });
            }
            OutputPart::End(result) => return result,
        }
    }
    Err(ToolError::failed("The tool stopped without a result.", "Try again."))
}

/// Whether every note lies in the folders of the skill's records, or is a record of one of its types
/// wherever it lies.
fn within_own(skill: &SkillEntry, draft: &mut Draft) -> bool {
    draft.paths().iter().all(|path| {
        let in_folder = skill.records.iter().any(|record| {
            let folder = record.folder.trim_matches('/');
            path.as_str().strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
        });
        let is_record = |note: nova_skill::Note| skill.records.of_note(&note).is_some();
        in_folder || draft.read(path).is_ok_and(is_record)
    })
}

fn raw(args: &Arguments) -> Value {
    match args {
        Arguments::Value(value) => value.clone(),
        Arguments::Text(text) => serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone())),
    }
}

fn unknown_tool(name: &str, nearest: &[String]) -> UserError {
    let hint = if nearest.is_empty() {
        "No tool is available.".to_owned()
    } else {
        format!("Nearest: {}.", nearest.join(", "))
    };
    UserError::new(ErrorCode::UnknownTool, format!("There is no tool \"{name}\"."), hint)
}

fn broke(tool: &ToolEntry, error: &tokio::task::JoinError) -> UserError {
    // What it said in its panic may hold a secret.
    tracing::error!(tool = tool.shown_name(), panicked = error.is_panic(), "a tool broke");
    UserError::new(
        ErrorCode::ToolFailed,
        format!("{} broke while it ran. Nothing was written.", tool.shown_name()),
        "Try again; if it happens again, tell the skill's author.",
    )
}

fn change_view(change: &nova_vault::NoteChange) -> NoteChangeView {
    NoteChangeView {
        path: change.path.to_string(),
        kind: match change.kind {
            nova_vault::NoteChangeKind::Created => NoteChangeKind::Created,
            nova_vault::NoteChangeKind::Modified => NoteChangeKind::Modified,
            nova_vault::NoteChangeKind::Deleted => NoteChangeKind::Deleted,
            nova_vault::NoteChangeKind::Renamed => NoteChangeKind::Renamed,
        },
        from: change.from.as_ref().map(ToString::to_string),
    }
}
