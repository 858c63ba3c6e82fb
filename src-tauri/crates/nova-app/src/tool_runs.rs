use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use nova_calls::{
    Answer, ApprovalRequest, Approver, Call, CallEvents, CallScope, CalledTool, Grants, run_call,
};
use nova_protocol::{Envelope, ErrorCode, Event, PROTOCOL_VERSION, ToolResult, UserError};
use nova_session::{EventSink, UseMeter, Used, WaitingApprovals};
use nova_skill::PrincipalKind;
use nova_vault::ChangeSetKind;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::app::{App, OpenRun};
use crate::caller::Caller;

/// A tool run from a form or the command line.
pub struct ToolRun {
    /// Session id of its events.
    pub run: String,
    /// `skill.tool`, or the wire name.
    pub tool: String,
    pub args: Value,
    pub kind: ChangeSetKind,
    pub approver: Arc<dyn Approver>,
    /// Started by the user; otherwise approvals are asked as in a turn.
    pub by_hand: bool,
    pub cancel: CancellationToken,
}

impl App {
    /// Runs one tool in the same way as a turn.
    pub async fn run_tool(&self, run: ToolRun) -> ToolResult {
        let called = CalledTool::Named(run.tool.clone());
        self.run_called(run, called, Audience::All, &Caller::owner()).await
    }

    /// Runs a read-only tool without events and without counting its usage, because nobody requested it.
    pub(crate) async fn run_silently(&self, run: ToolRun) -> ToolResult {
        let called = CalledTool::Named(run.tool.clone());
        self.run_called(run, called, Audience::None, &Caller::owner()).await
    }

    pub(crate) async fn run_called(
        &self,
        run: ToolRun,
        called: CalledTool,
        audience: Audience,
        caller: &Caller,
    ) -> ToolResult {
        let access = self.access(Arc::new(Rereading { app: self.clone(), approver: run.approver }));
        let change_set = access
            .vault
            .as_ref()
            .filter(|_| audience == Audience::All)
            .map(|vault| Arc::new(vault.change_set(run.kind, run.tool.clone())));
        let events = Arc::new(RunEvents::new(self, &run.run, audience));
        let scope = CallScope {
            access,
            snapshot: self.inner.registry.snapshot(),
            // An MCP client calls served tools directly; these may not call others on its behalf.
            callable: (caller.principal.kind == PrincipalKind::McpClient).then(Arc::default),
            grants: Arc::new(Grants::default()),
            given: if run.by_hand { self.inner.given_files.clone() } else { Arc::new(()) },
            events: events.clone(),
            change_set: change_set.clone(),
            touched: Arc::default(),
            history: Arc::default(),
            sub_agents: Arc::new(()),
            privacy: Arc::new(caller.privacy.clone()),
            asker: caller.asker(),
            session: run.run,
            turn: None,
            principal: caller.principal.clone(),
            author: caller.author.clone(),
            by_hand: run.by_hand,
        };
        let call = Call::with_value(self.inner.options.ids.next(), called, run.args);
        let outcome = run_call(&scope, call, run.cancel).await;
        drop(scope);
        if let Err(error) = self.inner.store.count(&events.used()).await {
            tracing::warn!(call = outcome.call, %error, "cannot record token usage");
        }
        if let Some(change_set) = change_set.and_then(Arc::into_inner) {
            let closed = tokio::task::spawn_blocking(move || change_set.close()).await;
            if !matches!(closed, Ok(Ok(()))) {
                tracing::error!("cannot close a change set; it is listed as interrupted");
            }
        }
        caller.sees(self.vault().ok(), &outcome).await;
        if let Some(id) = &outcome.change_set {
            self.emit(Event::ChangeSet { id: id.clone(), state: "committed".into() });
        }
        let (value, error) = match outcome.result {
            Ok(value) => (Some(value), None),
            // If a vault is configured, the reason why it is not open.
            Err(error) if error.code == ErrorCode::NoVault => (None, self.vault().err().or(Some(error))),
            Err(error) => (None, Some(error)),
        };
        ToolResult {
            ok: error.is_none(),
            value,
            error,
            sources: outcome.sources,
            figures: outcome.figures,
            changes: outcome.changes,
            change_set: outcome.change_set,
            so_far: outcome.so_far,
            log: outcome.log,
            ms: outcome.ms,
        }
    }

    /// Runs a tool from its form; approvals are answered by `decide_approval`.
    pub(crate) async fn run_form(
        &self,
        run: String,
        tool: impl Into<CalledTool>,
        args: Value,
    ) -> Result<ToolResult, UserError> {
        let open = Arc::new(OpenRun {
            waiting: Arc::new(WaitingApprovals::default()),
            cancel: CancellationToken::new(),
        });
        self.runs().insert(run.clone(), open.clone());
        let called = tool.into();
        let form = ToolRun {
            run: run.clone(),
            tool: called.name(),
            args,
            kind: ChangeSetKind::Form,
            approver: open.waiting.clone(),
            by_hand: true,
            cancel: open.cancel.clone(),
        };
        let result = self.run_called(form, called, Audience::All, &Caller::owner()).await;
        self.runs().remove(&run);
        Ok(result)
    }
}

/// Reloads the rules after each answer, because one may have been added while the question was open.
struct Rereading {
    app: App,
    approver: Arc<dyn Approver>,
}

#[async_trait::async_trait]
impl Approver for Rereading {
    fn expect(&self, request: &ApprovalRequest) {
        self.approver.expect(request);
    }

    async fn ask(&self, request: &ApprovalRequest) -> Answer {
        let answer = self.approver.ask(request).await;
        self.app.reload_settings();
        answer
    }
}

/// The receivers of a run's events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Audience {
    All,
    /// There is no change set either, so it must not write.
    None,
}

/// Emits the events of a run without a session, and counts its usage.
struct RunEvents {
    app: App,
    run: String,
    audience: Audience,
    next: AtomicU64,
    usage: Mutex<(UseMeter, Vec<Used>)>,
}

impl RunEvents {
    fn new(app: &App, run: &str, audience: Audience) -> Self {
        Self {
            app: app.clone(),
            run: run.to_owned(),
            audience,
            next: AtomicU64::new(1),
            usage: Mutex::default(),
        }
    }

    fn used(&self) -> Vec<Used> {
        std::mem::take(&mut self.usage.lock().unwrap_or_else(PoisonError::into_inner).1)
    }
}

impl CallEvents for RunEvents {
    fn emit(&self, event: Event) {
        if self.audience == Audience::None {
            return;
        }
        let envelope = Envelope {
            v: PROTOCOL_VERSION,
            seq: self.next.fetch_add(1, Ordering::SeqCst),
            at: self.app.inner.options.clock.now().to_string(),
            session: Some(self.run.clone()),
            turn: None,
            event,
        };
        {
            let (meter, used) = &mut *self.usage.lock().unwrap_or_else(PoisonError::into_inner);
            used.extend(meter.observe(&envelope));
        }
        EventSink::emit(self.app.inner.as_ref(), envelope);
    }
}
