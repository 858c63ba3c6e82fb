//! The sub-agents of a turn: each has a sub-session, a subset of the turn's skills, and never more rights.

use std::collections::BTreeSet;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use nova_calls::{
    Access, SubAgentEnd, SubAgentHow, SubAgentTask, SubAgentUser, SubAgents, TurnHistory, effect_view,
};
use nova_protocol::{ErrorCode, Event, UserError};
use nova_registry::{Snapshot, Subset, SubsetError, ToolEntry, harmless_line};
use nova_skill::{
    Documents, FileJournal, FolderSource, Folders, Principal, PrincipalKind, ProcessNews, ProcessOutput,
    Sandbox, SandboxSource, Secret, Source, Task, TaskLimits, ToolError, UserRun, VaultPath,
};
use nova_vault::{ChangeSet, Privacy};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::seen::NotesRead;
use super::{Stop, Turn, TurnEnd, TurnScope, begin_turn};
use crate::error::SessionError;
use crate::journal::Journal;
use crate::message::{LogMessage, Notes};
use crate::report::Report;
use crate::session::{Session, UserMessage};

/// How long sub-agents may take to write their end if the turn ends before them.
const ENDING: Duration = Duration::from_secs(10);
/// Maximum length of a name, in characters.
const NAME: usize = 40;

/// Opens the sessions of sub-agents.
#[async_trait]
pub trait SubSessions: Send + Sync {
    /// Creates a sub-session of an open session, occupied by a turn that `cancel` stops.
    ///
    /// # Errors
    /// If it cannot be written.
    async fn open(
        &self,
        parent: &Session,
        title: &str,
        cancel: CancellationToken,
    ) -> Result<SubSession, SessionError>;
}

/// A session of a sub-agent.
pub struct SubSession {
    pub session: Arc<Session>,
    /// Dropped when its turn has ended.
    pub occupied: Box<dyn Send + Sync>,
}

/// For turns without sub-agents.
#[async_trait]
impl SubSessions for () {
    async fn open(
        &self,
        parent: &Session,
        _: &str,
        _: CancellationToken,
    ) -> Result<SubSession, SessionError> {
        Err(SessionError::Unknown(parent.id.clone()))
    }
}

/// State that the turn of a sub-agent shares with its parent's.
pub(super) struct SubAgent {
    principal: Principal,
    /// The subset of skills that it may use.
    may_use: Subset,
    limits: TaskLimits,
    user: Arc<dyn SubAgentUser>,
    report: Arc<Report>,
    /// The task was written after private notes were read.
    pub(super) private: bool,
    pub(super) change_set: Option<Arc<ChangeSet>>,
    pub(super) touched: Arc<Mutex<BTreeSet<VaultPath>>>,
    pub(super) history: Arc<TurnHistory>,
}

impl SubAgent {
    pub(super) fn skills(&self) -> impl Iterator<Item = &str> {
        self.may_use.skills()
    }
}

/// The sub-agents of one turn.
#[derive(Default)]
pub(super) struct Started {
    count: AtomicUsize,
    running: TaskTracker,
}

impl Started {
    /// Waits until none of them can write any more.
    pub(super) async fn ended(&self) {
        self.running.close();
        if tokio::time::timeout(ENDING, self.running.wait()).await.is_err() {
            tracing::warn!("timed out waiting for sub-agents to end");
        }
    }
}

impl Turn {
    /// The skills that the turn may use.
    pub(super) fn snapshot(&self) -> Arc<Snapshot> {
        let all = self.scope.registry.snapshot();
        match &self.sub_agent {
            None => all,
            Some(agent) => Arc::new(part_of(&all, &agent.may_use)),
        }
    }

    /// The principal of its calls.
    pub(super) fn principal(&self) -> Principal {
        self.sub_agent.as_ref().map_or_else(Principal::owner, |agent| agent.principal.clone())
    }

    /// The author of its changes.
    pub(super) fn author(&self) -> String {
        match &self.sub_agent {
            None => "model".into(),
            Some(agent) => format!("subagent {}", agent.principal.name),
        }
    }

    /// Starts the sub-agents of its calls; a sub-agent cannot start any.
    pub(super) fn sub_agents(&self) -> Arc<dyn SubAgents> {
        if self.sub_agent.is_some() {
            return Arc::new(());
        }
        Arc::new(OfTurn {
            scope: self.scope.again(),
            session: self.session.clone(),
            journal: self.journal.clone(),
            change_set: self.change_set.clone(),
            touched: self.touched.clone(),
            started: self.started.clone(),
        })
    }

    /// Adds the cost of a request.
    pub(super) fn spend(&mut self, tokens: u64) {
        self.spent += tokens;
        if let Some(agent) = &self.sub_agent {
            agent.report.spent(tokens);
        }
    }

    /// Whether a sub-agent may make another request, after this many.
    pub(super) async fn check_limits(&self, agent: &SubAgent, steps: u32) -> Result<(), Stop> {
        if self.spent >= agent.limits.tokens {
            let what = format!("{} tokens", in_thousands(agent.limits.tokens));
            return Err(used_up(ErrorCode::TokenLimit, &what).into());
        }
        let limit = agent.report.limit();
        if steps < limit {
            return Ok(());
        }
        let more = agent.limits.steps;
        let allowed = tokio::select! {
            biased;
            () = self.cancel.cancelled() => return Err(Stop::Cancelled),
            allowed = agent.user.allows_more(&agent.principal.name, limit, more) => allowed,
        };
        if self.cancel.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        if !allowed {
            return Err(used_up(ErrorCode::StepLimit, &format!("{limit} steps")).into());
        }
        agent.report.allow_more(more);
        Ok(())
    }
}

impl TurnScope {
    /// The same environment for another turn, which has no id yet.
    fn again(&self) -> Self {
        Self {
            turn: String::new(),
            access: self.access.clone(),
            store: self.store.clone(),
            registry: self.registry.clone(),
            provider: self.provider.clone(),
            model: self.model.clone(),
            locality: self.locality.clone(),
            agreed: self.agreed,
            place: self.place.clone(),
            private: self.private.clone(),
            sink: self.sink.clone(),
            ids: self.ids.clone(),
            sub_sessions: self.sub_sessions.clone(),
            context: self.context,
            catalog: self.catalog,
            images: self.images,
            router: self.router,
            settle: self.settle,
            begun: Arc::new(|| ()),
            occupied: Box::new(()),
        }
    }
}

/// Starts the sub-agents of one turn.
struct OfTurn {
    scope: TurnScope,
    session: Arc<Session>,
    journal: Arc<Journal>,
    change_set: Option<Arc<ChangeSet>>,
    touched: Arc<Mutex<BTreeSet<VaultPath>>>,
    started: Arc<Started>,
}

#[async_trait]
impl SubAgents for OfTurn {
    async fn run(&self, given: SubAgentTask) -> Result<SubAgentEnd, ToolError> {
        let SubAgentTask { call, task, tainted, cancel, user } = given;
        let all = self.scope.registry.snapshot();
        let may_use = self.may_use(&task, &all)?;
        self.count(&task.limits)?;
        let name = named(&task.name);
        let opened = self.scope.sub_sessions.open(&self.session, &name, cancel.clone()).await;
        let SubSession { session, occupied } = opened.map_err(not_started)?;
        let limit = task.limits.steps;
        let report = Arc::new(Report::new(&call, limit, self.journal.clone(), self.scope.sink.clone()));
        self.emit_started(&call, &session.id, &name, &task.limits, &part_of(&all, &may_use));
        self.journal.flush().await.map_err(not_started)?;
        let history = Arc::new(TurnHistory::default());
        if tainted {
            history.taint(&name);
        }
        let agent = SubAgent {
            principal: Principal { kind: PrincipalKind::Subagent, name, ..Principal::owner() },
            may_use,
            limits: task.limits,
            report: report.clone(),
            private: self.session.lock().has_read_private,
            change_set: self.change_set.clone(),
            touched: self.touched.clone(),
            history: history.clone(),
            user,
        };
        let scope = self.scope_of(&agent, occupied);
        let message = UserMessage { text: task.prompt, ..UserMessage::default() };
        let (vault, private) = (scope.access.vault.clone(), scope.private.clone());
        // It writes its own end, whatever happens to the call.
        let turn = begin_turn(scope, session.clone(), message, false, cancel, Some(agent));
        let ended = self.started.running.spawn(turn).await;
        let how = match ended {
            Ok(Ok(TurnEnd::Completed { .. })) => SubAgentHow::Answered,
            Ok(Ok(TurnEnd::Cancelled)) => SubAgentHow::Stopped,
            Ok(Ok(TurnEnd::Failed(error))) => match error.code {
                ErrorCode::StepLimit => SubAgentHow::UsedUp(format!("{} steps", report.limit())),
                ErrorCode::TokenLimit => {
                    SubAgentHow::UsedUp(format!("{} tokens", in_thousands(task.limits.tokens)))
                }
                _ => SubAgentHow::Failed(error),
            },
            Ok(Err(error)) => SubAgentHow::Failed(error.into()),
            Err(error) => SubAgentHow::Failed(UserError::new(
                ErrorCode::Internal,
                format!("The sub-agent failed: {error}."),
                "Start it again.",
            )),
        };
        let messages = session.lock().messages.clone();
        let (seen, mut sources) = notes_of(&messages);
        sources.extend(report.pages());
        let elsewhere = Privacy { remote: true, private };
        Ok(SubAgentEnd {
            how,
            text: said_last(&messages),
            sources,
            seen,
            local_only: NotesRead::by(&messages).are_private(vault, &elsewhere).await,
            untrusted: history.is_tainted(),
            unknown: report.is_unknown(),
        })
    }
}

impl OfTurn {
    /// The subset of skills that a task names; by default those active in the session.
    fn may_use(&self, task: &Task, all: &Snapshot) -> Result<Subset, ToolError> {
        let names = task.skills.clone().unwrap_or_else(|| self.session.active_skills());
        Subset::named(&names, all).map_err(|error| {
            let said = error.to_string();
            match error {
                SubsetError::Unknown { name, nearest } => {
                    ToolError::NotFound { kind: "skill or tool".into(), name, nearest }
                }
                SubsetError::Unavailable { reason, .. } => ToolError::failed(said, reason),
            }
        })
    }

    /// Limits the cost of all sub-agents of a turn to this many times the limits of one.
    fn count(&self, limits: &TaskLimits) -> Result<(), ToolError> {
        let before = self.started.count.fetch_add(1, Ordering::Relaxed);
        if before < limits.per_turn {
            return Ok(());
        }
        Err(ToolError::failed(
            format!("This turn has started {} sub-agents already, and no more are allowed.", limits.per_turn),
            "Continue with what they found, or do the task yourself.",
        ))
    }

    fn emit_started(&self, call: &str, session: &str, name: &str, limits: &TaskLimits, may_use: &Snapshot) {
        let tools: Vec<&Arc<ToolEntry>> = may_use.available().flat_map(|skill| &skill.tools).collect();
        let effects: BTreeSet<_> = tools.iter().map(|tool| effect_view(tool.effect())).collect();
        self.journal.event(Event::SubagentStarted {
            call: call.to_owned(),
            subagent: session.to_owned(),
            name: name.to_owned(),
            model: format!("{}/{}", self.scope.provider.id(), self.scope.model),
            host: self.scope.host(),
            tools: tools.iter().map(|tool| tool.shown_name()).collect(),
            effects: effects.into_iter().collect(),
            steps: limits.steps,
            tokens: limits.tokens,
            seconds: limits.time.as_secs(),
        });
    }

    fn scope_of(&self, agent: &SubAgent, occupied: Box<dyn Send + Sync>) -> TurnScope {
        let scope = self.scope.again();
        let places = Arc::new(PlacesOfChat {
            folders: scope.access.folders.clone(),
            sandboxes: scope.access.sandboxes.clone(),
            chat: self.session.id.clone(),
        });
        TurnScope {
            turn: scope.ids.next(),
            access: Access {
                approver: agent.user.approver(),
                folders: places.clone(),
                sandboxes: places,
                ..scope.access.clone()
            },
            sink: agent.report.clone(),
            sub_sessions: Arc::new(()),
            router: false,
            // Nothing would report the end of a detached call.
            settle: Duration::MAX,
            occupied,
            ..scope
        }
    }
}

/// The folders and sandboxes of the chat that started the sub-agent.
struct PlacesOfChat {
    folders: Arc<dyn FolderSource>,
    sandboxes: Arc<dyn SandboxSource>,
    chat: String,
}

impl FolderSource for PlacesOfChat {
    fn open(&self, chat: Option<&str>) -> io::Result<Arc<Folders>> {
        self.folders.open(chat.map(|_| self.chat.as_str()))
    }

    fn documents(&self) -> Arc<dyn Documents> {
        self.folders.documents()
    }

    fn kept(&self) -> Option<FileJournal> {
        self.folders.kept()
    }
}

#[async_trait]
impl SandboxSource for PlacesOfChat {
    fn sandbox(&self, chat: Option<&str>) -> Result<Arc<dyn Sandbox>, ToolError> {
        self.sandboxes.sandbox(chat.map(|_| self.chat.as_str()))
    }

    fn variable(&self, name: &str) -> Option<Secret> {
        self.sandboxes.variable(name)
    }

    async fn run_as_user(
        &self,
        run: UserRun,
        told: Box<dyn Fn(ProcessNews) + Send + Sync>,
        cancel: &CancellationToken,
    ) -> Result<ProcessOutput, ToolError> {
        let chat = run.chat.is_some().then(|| self.chat.clone());
        self.sandboxes.run_as_user(UserRun { chat, ..run }, told, cancel).await
    }
}

/// Excludes tools that start further sub-agents.
fn part_of(all: &Snapshot, may_use: &Subset) -> Snapshot {
    all.only(may_use, |tool| !tool.spec().delegates)
}

/// On one line, so that a name cannot imitate other text.
fn named(name: &str) -> String {
    let name = harmless_line(name.trim());
    match name.char_indices().nth(NAME) {
        Some((end, _)) => format!("{}…", name[..end].trim_end()),
        None => name,
    }
}

/// The notes in messages with the hash of their content, and the sources they are drawn from.
fn notes_of(messages: &[LogMessage]) -> (Notes, Vec<Source>) {
    let seen = messages.iter().filter_map(LogMessage::notes).flatten();
    let seen = seen.map(|(path, hash)| (path.clone(), *hash)).collect();
    let told: BTreeSet<&VaultPath> = messages.iter().flat_map(LogMessage::source_notes).collect();
    (seen, told.into_iter().cloned().map(Source::Note).collect())
}

fn said_last(messages: &[LogMessage]) -> String {
    let said = messages.iter().rev().find_map(|message| match message {
        LogMessage::Assistant { text, .. } if !text.trim().is_empty() => Some(text.clone()),
        _ => None,
    });
    said.unwrap_or_default()
}

fn used_up(code: ErrorCode, what: &str) -> UserError {
    UserError::new(code, format!("{what} used up."), "Open the sub-agent as a chat to continue.")
}

/// Formats a number: "60k".
fn in_thousands(count: u64) -> String {
    if count >= 1000 && count.is_multiple_of(1000) { format!("{}k", count / 1000) } else { count.to_string() }
}

fn not_started(error: SessionError) -> ToolError {
    ToolError::failed(format!("The sub-agent could not be started: {error}"), "Do the task yourself.")
}
