mod asking;
mod body;
pub(crate) mod inner;
mod judging;
mod on_vault;
mod planning;
mod previewing;
mod reporting;
mod writing;

use std::collections::BTreeSet;
use std::sync::Arc;

use nova_protocol::{Decision, ErrorCode, Event, SourceView, UserError};
use nova_registry::{ReachedNotes, SkillEntry, State, ToolEntry, ToolLookup};
use nova_skill::{Effect, Output, PrincipalKind, Sandbox, ToolError};
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use self::asking::Question;
use self::inner::{InnerCalls, MadeBefore};
use self::judging::denied_by_rule;
use crate::credentials::CallCredentials;
use crate::decide::OFTEN;
use crate::delegate::Delegated;
use crate::figures::sources_and_figures;
use crate::hosts::{CallHosts, ToolHosts};
use crate::log::CallLog;
use crate::questions::Questions;
use crate::reach::{SideEffects, WebSources};
use crate::secrets::Secrets;
use crate::view::{effect_view, principal_view, sandbox_view};
use crate::watch::CallWatch;
use crate::{
    Arguments, Because, Call, CallScope, CalledTool, Content, Grantee, Outcome, Place, Ruling, ToolContent,
    Verdict, arguments,
};

/// Runs a call from name lookup to report. Emits exactly one `tool_call_started` and one
/// `tool_call_completed`, whatever happens.
pub async fn run_call(scope: &CallScope, call: Call, cancel: CancellationToken) -> Outcome {
    run_watched(scope, call, cancel, &Arc::default()).await
}

pub(crate) async fn run_watched(
    scope: &CallScope,
    mut call: Call,
    cancel: CancellationToken,
    watch: &Arc<CallWatch>,
) -> Outcome {
    let running = Running::new(scope, &mut call, cancel, watch);
    run_to_end(scope, running, call, watch).await
}

/// Runs a call that a running tool makes: its writes join the draft of that tool.
pub(crate) async fn run_inner(
    scope: &CallScope,
    mut call: Call,
    cancel: CancellationToken,
    watch: &Arc<CallWatch>,
    inner: &InnerCalls,
) -> Outcome {
    let running = Running { inner: Some(inner.clone()), ..Running::new(scope, &mut call, cancel, watch) };
    run_to_end(scope, running, call, watch).await
}

async fn run_to_end(
    scope: &CallScope,
    mut running: Running<'_>,
    call: Call,
    watch: &Arc<CallWatch>,
) -> Outcome {
    let begun = Instant::now();
    let result = running.run(call).await;
    let worked = begun.elapsed().saturating_sub(watch.stopwatch.waited());
    let outcome = running.finish(result, watch.so_far().partial, worked);
    watch.ends();
    scope.events.emit(completed(&outcome));
    outcome
}

fn completed(outcome: &Outcome) -> Event {
    Event::ToolCallCompleted {
        call: outcome.call.clone(),
        ok: outcome.result.is_ok(),
        output: outcome.output(),
        sources: outcome.sources.clone(),
        figures: outcome.figures.clone(),
        ms: outcome.ms,
        changes: outcome.changes.clone(),
        change_set: outcome.change_set.clone(),
        merged: outcome.merged.clone(),
        so_far: outcome.so_far.clone(),
        log: outcome.log.clone(),
    }
}

/// Whether the call was stopped before it had all results; other errors may reveal what it found.
fn is_stop(error: &UserError) -> bool {
    matches!(error.code, ErrorCode::Cancelled | ErrorCode::ToolTimedOut)
}

struct Running<'a> {
    scope: &'a CallScope,
    id: String,
    /// The outcome so far.
    outcome: Outcome,
    /// Released when the call has ended.
    place: Option<Place>,
    cancel: CancellationToken,
    /// The model had read untrusted text before it made the call.
    tainted: bool,
    /// How often this identical call was made in the turn, including this time.
    times: usize,
    /// The notes that the tool reached in its last run.
    reached: ReachedNotes,
    /// The user has reviewed and allowed the call.
    asked: bool,
    questions: Arc<Questions>,
    /// The credentials passed to the call, which must not appear in its output.
    secrets: Arc<Secrets>,
    /// The sources of web responses.
    web_sources: Arc<WebSources>,
    /// Whether it sent requests that may have an effect.
    side_effects: Arc<SideEffects>,
    /// Reads and effects of its sub-agents.
    delegated: Arc<Delegated>,
    /// The calls of the tool that makes this one, for an inner call.
    inner: Option<InnerCalls>,
    /// External calls that the tool made in earlier runs of the same plan.
    made_before: Arc<MadeBefore>,
    /// The sources of its inner calls, in addition to those of its output.
    inner_sources: Vec<SourceView>,
    log: Arc<CallLog>,
    /// The sandbox of its commands, for a tool that runs some.
    sandbox: Option<Arc<dyn Sandbox>>,
    /// The digest of the preview on its card.
    shown: Option<String>,
}

/// What a call may reach apart from notes; unchanged when it is planned again.
struct Reach {
    hosts: Arc<CallHosts>,
    credentials: CallCredentials,
}

impl<'a> Running<'a> {
    fn new(scope: &'a CallScope, call: &mut Call, cancel: CancellationToken, watch: &Arc<CallWatch>) -> Self {
        let questions = Arc::new(Questions::new(
            scope.access.approver.clone(),
            scope.events.clone(),
            cancel.clone(),
            watch.clone(),
        ));
        Self {
            scope,
            id: call.id.clone(),
            outcome: Outcome::of_call(call.id.clone()),
            place: call.place.take(),
            cancel,
            tainted: false,
            times: 1,
            reached: ReachedNotes::default(),
            asked: false,
            questions,
            secrets: Arc::default(),
            web_sources: Arc::default(),
            side_effects: Arc::default(),
            delegated: Arc::default(),
            inner: None,
            made_before: Arc::default(),
            inner_sources: Vec::new(),
            log: Arc::default(),
            sandbox: None,
            shown: None,
        }
    }

    /// Finds the tool, judges the call, asks if required, and runs it.
    async fn run(&mut self, call: Call) -> Result<Output, UserError> {
        let (skill, found) = self.find(&call)?;
        let by_arguments = found.for_call(&raw(&call.args), &skill.config).map(Arc::new);
        let tool = by_arguments.as_ref().unwrap_or(&found).clone();
        let args = self.begin(&skill, &tool, &call.args).await?;
        let inner = self.inner.clone();
        if by_arguments.is_some() {
            self.refuse_unlisted_effect(&tool)?;
        }
        if let Some(inner) = &inner {
            inner.check(&skill, &tool)?;
        }
        self.note_first_sight(&tool);
        self.times = self.scope.history.count(&tool, &args);
        let ruling = self.judge(&tool, &args, None);
        // A denied call does not run at all, not even to compute its diff.
        if ruling.verdict == Verdict::Deny {
            return Err(denied_by_rule(&tool, &ruling.because));
        }
        let mut reach = self.reach(&tool, &args);
        let args = self.allowed(&skill, &tool, &mut reach, args, ruling).await?;
        self.check_not_denied(&tool, &args)?;
        match (&inner, tool.spec().on_notes) {
            (Some(inner), true) => self.write_within(inner, &skill, &tool, &reach, args).await,
            (None, true) => self.write(&skill, &tool, &reach, args).await,
            (_, false) => self.answer(&skill, &tool, &reach, args).await,
        }
    }

    /// Refuses arguments with another effect than the listed one, which is all that scripts and clients know.
    fn refuse_unlisted_effect(&self, tool: &ToolEntry) -> Result<(), UserError> {
        let who = match self.scope.principal.kind {
            PrincipalKind::McpClient => "an MCP client",
            _ if self.inner.is_some() => "a script",
            _ => return Ok(()),
        };
        Err(UserError::new(
            ErrorCode::BadRequest,
            format!(
                "{} cannot be called like this by {who}: it changes something elsewhere.",
                tool.shown_name()
            ),
            "Call it by itself, in a chat.",
        ))
    }

    /// Completes the outcome, with secrets removed.
    fn finish(
        self,
        result: Result<Output, UserError>,
        partial: Option<Value>,
        worked: std::time::Duration,
    ) -> Outcome {
        let mut outcome = self.outcome;
        outcome.log = self.log.take();
        outcome.ms = u64::try_from(worked.as_millis()).unwrap_or(u64::MAX);
        let output = match result {
            Ok(output) => {
                outcome.unknown = false;
                output
            }
            Err(error) => {
                outcome.so_far = partial.filter(|_| is_stop(&error));
                outcome.result = Err(error);
                Output::default()
            }
        };
        (outcome.sources, outcome.figures) = sources_and_figures(&output, &self.web_sources.sources());
        for source in self.inner_sources {
            if !outcome.sources.contains(&source) {
                outcome.sources.push(source);
            }
        }
        outcome.images = output.images;
        outcome.result = outcome.result.map(|_| output.value);
        without_secrets(&mut outcome, &self.secrets);
        outcome
    }

    fn find(&self, call: &Call) -> Result<(Arc<SkillEntry>, Arc<ToolEntry>), UserError> {
        let name = match &call.tool {
            CalledTool::OfForm { skill, tool } => return Ok((skill.clone(), tool.clone())),
            CalledTool::Named(name) => name,
        };
        match self.scope.snapshot.tool(name) {
            ToolLookup::Found { skill, tool } => Ok((skill, tool)),
            ToolLookup::Unknown { nearest } => {
                self.started(name, raw(&call.args), Effect::Undeclared, BTreeSet::new());
                Err(unknown_tool(name, &nearest))
            }
        }
    }

    /// Reports the start of the call; returns arguments that fit the tool.
    async fn begin(
        &mut self,
        skill: &SkillEntry,
        tool: &Arc<ToolEntry>,
        given: &Arguments,
    ) -> Result<Value, UserError> {
        let args = match given {
            Arguments::Value(value) => Ok(value.clone()),
            Arguments::Text(text) => arguments::parse(tool, text),
        };
        let args = args.and_then(|args| arguments::fit(tool, args));
        let shown = args.as_ref().map_or_else(|_| raw(given), Clone::clone);
        let sandbox = self.sandbox_of(tool);
        self.sandbox = sandbox.as_ref().ok().cloned().flatten();
        let hosts = self.hosts(tool, &shown).shown;
        self.started(&tool.shown_name(), shown, tool.effect(), hosts);
        self.check_available(skill)?;
        sandbox?;
        self.tainted = self.scope.history.is_tainted();
        match args {
            Ok(args) => Ok(args),
            Err(misfit) => self.fix_arguments(tool, raw(given), misfit).await,
        }
    }

    /// Asks about the call and its credentials, unless the question depends on the planned changes; returns
    /// the arguments that were allowed.
    async fn allowed(
        &mut self,
        skill: &Arc<SkillEntry>,
        tool: &Arc<ToolEntry>,
        reach: &mut Reach,
        mut args: Value,
        Ruling { verdict, because }: Ruling,
    ) -> Result<Value, UserError> {
        let credentials = &reach.credentials;
        let mut fresh = credentials.not_granted().await?;
        // An unreviewed tool does not run at all, not even against a draft.
        let unseen = matches!(self.content(tool), Content::New | Content::Changed);
        if unseen {
            // Earlier grants were given to another content.
            let grantee = Grantee::of(tool);
            self.scope.grants.revoke(|other| *other == grantee);
        }
        let mut on_card = None;
        // A tool that calls others has effects before its changes are known.
        let each_time = tool.spec().may_call() && because.is_each_time();
        let undeclared = tool.effect() == Effect::Undeclared;
        let at_once = unseen || each_time || undeclared || !tool.spec().on_notes;
        if let (Verdict::Ask { decisions, editable }, true) = (verdict, at_once) {
            let question = Question { decisions, editable, because };
            let allowed = if tool.spec().previews {
                self.ask_with_preview(skill, tool, reach, &mut args, question, &mut fresh).await?
            } else {
                self.ask(tool, &mut args, question, &fresh).await?
            };
            if let Some(edited) = allowed.args {
                args = arguments::fit(tool, edited)?;
            }
            // Edited arguments may name other hosts.
            reach.hosts = self.call_hosts(tool, &args);
            reach.hosts.shown_and_allowed();
            self.asked = true;
            on_card = Some(allowed.decision).filter(|_| ToolContent::of(tool).is_some());
        }
        let granted = match on_card {
            // The card showed them, along with the hosts.
            Some(decision) => credentials.allowed_on_card(&fresh, decision).await,
            None => {
                let principal = principal_view(&self.scope.principal);
                credentials.ask(&fresh, &self.questions, &self.id, tool, &args, &principal).await
            }
        };
        granted?;
        Ok(args)
    }

    /// Runs a tool that writes no notes.
    async fn answer(
        &mut self,
        skill: &Arc<SkillEntry>,
        tool: &Arc<ToolEntry>,
        reach: &Reach,
        args: Value,
    ) -> Result<Output, UserError> {
        let plan = self.plan(skill, tool, reach, args.clone()).await?;
        if plan.writes() {
            return Err(UserError::new(
                ErrorCode::ToolFailed,
                format!(
                    "{} tried to change notes or files without declaring the effect write. Nothing was changed.",
                    tool.shown_name()
                ),
                "Report it to the skill's author.",
            ));
        }
        if !self.asked && self.wants_approval(tool, &args) {
            self.ask_about_answer(tool, &args).await?;
            self.check_not_denied(tool, &args)?;
        }
        Ok(plan.output)
    }

    /// Handles arguments that do not fit: a call that repeats them asks the user, who may edit them.
    ///
    /// # Errors
    /// The validation errors, or the user's denial.
    async fn fix_arguments(
        &mut self,
        tool: &Arc<ToolEntry>,
        mut args: Value,
        misfit: UserError,
    ) -> Result<Value, UserError> {
        self.times = self.scope.history.count(tool, &args);
        if self.times < OFTEN {
            return Err(misfit);
        }
        self.check_not_denied(tool, &args)?;
        let decisions = vec![Decision::Once, Decision::Deny];
        let because = Because::Repeated(self.times);
        self.report_rejection(&misfit);
        let editable = args.is_object() && tool.effect() != Effect::External;
        let allowed = self.ask(tool, &mut args, Question { decisions, editable, because }, &[]).await?;
        arguments::fit(tool, allowed.args.unwrap_or(args)).map_err(|_| misfit)
    }

    fn hosts(&self, tool: &ToolEntry, args: &Value) -> ToolHosts {
        ToolHosts::of(tool, args, self.config_of(tool))
    }

    fn config_of(&self, tool: &ToolEntry) -> &Value {
        self.scope.snapshot.skill(&tool.skill).map_or(&Value::Null, |skill| skill.config.as_ref())
    }

    fn call_hosts(&self, tool: &Arc<ToolEntry>, args: &Value) -> Arc<CallHosts> {
        let (questions, hosts) = (self.questions.clone(), self.hosts(tool, args));
        Arc::new(CallHosts::new(self.scope, questions, &self.id, tool, hosts, self.tainted))
    }

    /// What the call may reach apart from notes.
    fn reach(&self, tool: &Arc<ToolEntry>, args: &Value) -> Reach {
        Reach {
            hosts: self.call_hosts(tool, args),
            credentials: CallCredentials::new(
                self.scope.access.credentials.clone(),
                self.scope.events.clone(),
                self.secrets.clone(),
                self.scope.grants.clone(),
                tool,
                self.config_of(tool),
            ),
        }
    }

    /// `hosts`: the hosts that its commands may contact, if it runs any.
    fn started(&self, tool: &str, args: Value, effect: Effect, hosts: BTreeSet<String>) {
        self.scope.events.emit(Event::ToolCallStarted {
            call: self.id.clone(),
            tool: tool.to_owned(),
            args,
            effect: effect_view(effect),
            principal: principal_view(&self.scope.principal),
            within: self.inner.as_ref().map(|inner| inner.outer().to_owned()),
            sandbox: self.sandbox.as_ref().map(|sandbox| sandbox_view(sandbox.facts(), hosts)),
        });
    }

    fn sandbox_of(&self, tool: &ToolEntry) -> Result<Option<Arc<dyn Sandbox>>, ToolError> {
        if !tool.spec().runs_commands {
            return Ok(None);
        }
        let chat = self.scope.turn.is_some().then_some(self.scope.session.as_str());
        self.scope.access.sandboxes.sandbox(chat).map(Some)
    }

    fn check_available(&self, skill: &SkillEntry) -> Result<(), UserError> {
        let (code, why) = match skill.state {
            State::Available => return Ok(()),
            State::Disabled => (ErrorCode::SkillDisabled, "is disabled"),
            _ => (ErrorCode::SkillUnavailable, "is not available"),
        };
        let hint = match skill.state {
            State::Disabled => format!("Switch it on in Settings, or run: nova skill enable {}", skill.id),
            _ => skill.reason.clone().unwrap_or_default(),
        };
        Err(UserError::new(code, format!("The skill {} {why}.", skill.id), hint))
    }
}

/// Removes the credentials passed to the call.
fn without_secrets(outcome: &mut Outcome, secrets: &Secrets) {
    match &mut outcome.result {
        Ok(value) => secrets.scrub_value(value),
        Err(error) => secrets.scrub_error(error),
    }
    outcome.merged.iter_mut().for_each(|text| secrets.scrub(text));
    for source in &mut outcome.sources {
        if let SourceView::Web { url, title, date, .. } = source {
            [url].into_iter().chain(title).chain(date).for_each(|text| secrets.scrub(text));
        }
    }
    for figure in &mut outcome.figures {
        let said = [&mut figure.label, &mut figure.value, &mut figure.unit].into_iter();
        said.chain(&mut figure.formula).chain(&mut figure.caution).for_each(|text| secrets.scrub(text));
        for part in &mut figure.parts {
            let said = [&mut part.label, &mut part.value, &mut part.unit].into_iter();
            said.chain(&mut part.caution).for_each(|text| secrets.scrub(text));
        }
    }
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
