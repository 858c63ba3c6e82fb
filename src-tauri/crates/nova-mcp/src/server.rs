//! The state of one configured server: agreement, phase, connection and tools.

mod attend;
mod listed;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use nova_calls::Secrets;
use nova_registry::{LoadedTool, harmless_line};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::authorized::Gate;
use crate::config::ServerConfig;
use crate::connection::Connection;
use crate::definition::{cut, short};
use crate::host::Host;
use crate::known_tools::{ChangedTool, KnownTools};
use crate::last_lines::LastLines;
use crate::limits;
use crate::media::Media;
use crate::start::{Started, start};
use crate::tool::Called;
use crate::trouble::{Trouble, TroubleKind};

/// Automatic attempts to start a server whose tools are unknown.
const TRIES: u32 = 5;

pub use listed::ListedTool;

pub(crate) struct Server {
    pub(crate) config: ServerConfig,
    pub(crate) host: Arc<Host>,
    state: Mutex<Now>,
    /// Serialises start attempts.
    starting: Arc<tokio::sync::Mutex<()>>,
    /// It was removed from the configuration.
    gone: AtomicBool,
    pub(crate) secrets: Arc<Secrets>,
    pub(crate) gate: Arc<Gate>,
    /// Stderr of its newest process.
    said: LastLines,
}

struct Now {
    phase: Phase,
    connection: Option<Arc<Connection>>,
    failures: u32,
    next_try: Option<Instant>,
    known: KnownTools,
    /// Derived from the known definitions; unchanged tools keep their identity for the registry.
    tools: Vec<LoadedTool>,
    protocol: Option<String>,
    /// The start in progress: its beginning, and its cancellation.
    starting: Option<(Instant, CancellationToken)>,
    /// Number of completed starts, successful or not.
    starts: u64,
    /// Time of the last call.
    used: Instant,
    /// Number of changes of prompts, resources, or resources that were read.
    offers_changed: u64,
}

/// State besides the phase.
pub(crate) struct Running {
    pub(crate) protocol: Option<String>,
    pub(crate) starting_for: Option<Duration>,
    /// Failures since the last successful call.
    pub(crate) failures: u32,
    /// Delay until the next automatic start.
    pub(crate) next_try: Option<Duration>,
    pub(crate) offers_changed: u64,
}

/// The phase of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Phase {
    /// Not started yet, or idle until the next call.
    Configured,
    Starting,
    Ready,
    NeedsSignIn(String),
    /// The reason and the remedy.
    Failed(String),
}

impl Server {
    pub(crate) fn new(config: ServerConfig, host: Arc<Host>) -> Arc<Self> {
        let stored = host.agreements.known_tools(&config.name);
        let known = KnownTools::of(config.fingerprint(), stored);
        let secrets = Arc::<Secrets>::default();
        let server = Arc::new(Self {
            gate: Gate::new(&config, host.agreements.clone(), secrets.clone()),
            config,
            host,
            state: Mutex::new(Now {
                phase: Phase::Configured,
                connection: None,
                failures: 0,
                next_try: None,
                known,
                tools: Vec::new(),
                protocol: None,
                starting: None,
                starts: 0,
                used: Instant::now(),
                offers_changed: 0,
            }),
            starting: Arc::default(),
            gone: AtomicBool::new(false),
            secrets,
            said: LastLines::default(),
        });
        server.make_tools(&mut server.now());
        server
    }

    /// Whether the user agreed to exactly this configuration.
    pub(crate) fn is_agreed(&self) -> bool {
        self.agreed().is_some_and(|agreed| agreed == self.config.fingerprint())
    }

    pub(crate) fn agreed(&self) -> Option<String> {
        self.host.agreements.agreed(&self.config.name)
    }

    pub(crate) fn phase(&self) -> Phase {
        self.now().phase.clone()
    }

    pub(crate) fn known(&self) -> KnownTools {
        self.now().known.clone()
    }

    pub(crate) fn tools(&self) -> Vec<LoadedTool> {
        self.now().tools.clone()
    }

    pub(crate) fn running_state(&self) -> Running {
        let now = self.now();
        let is_tried = now.known.listed.is_none() && now.failures < TRIES;
        let left = now.next_try.filter(|_| is_tried && matches!(now.phase, Phase::Failed(_)));
        Running {
            protocol: now.protocol.clone(),
            starting_for: now.starting.as_ref().map(|(since, _)| since.elapsed()),
            failures: now.failures,
            next_try: left.map(|at| at.saturating_duration_since(Instant::now())),
            offers_changed: now.offers_changed,
        }
    }

    /// The last lines of its stderr, with secrets scrubbed.
    pub(crate) fn last_lines(&self, most: usize) -> Vec<String> {
        let mut lines = self.said.last(most);
        lines.iter_mut().for_each(|line| self.secrets.scrub(line));
        lines
    }

    /// Starts it in the background if its tools are unknown; otherwise the first call does.
    pub(crate) fn look(self: &Arc<Self>) {
        let is_known = self.now().known.listed.is_some();
        if !is_known && self.config.enabled && self.is_agreed() {
            let server = self.clone();
            tokio::spawn(async move { server.connection().await });
        }
    }

    async fn begin(self: Arc<Self>) -> Result<Arc<Connection>, Trouble> {
        let stop = CancellationToken::new();
        {
            let mut now = self.now();
            now.phase = Phase::Starting;
            now.starting = Some((Instant::now(), stop.clone()));
        }
        self.said.clear();
        self.host.changed();
        let started = tokio::select! {
            started = start(&self.config, &self.host, &self.secrets, &self.said, &self.gate) => started,
            () = stop.cancelled() => Err(Trouble::stopped()),
        };
        {
            let mut now = self.now();
            now.starting = None;
            now.starts += 1;
        }
        let Started { connection, tools } = match started {
            Ok(started) => started,
            Err(trouble) if trouble.kind == TroubleKind::Stopped => {
                self.set(Phase::Configured);
                return Err(trouble);
            }
            Err(trouble) => {
                self.fail(&trouble);
                return Err(trouble);
            }
        };
        {
            let mut now = self.now();
            now.phase = Phase::Ready;
            now.used = Instant::now();
            now.connection = Some(connection.clone());
            let info = connection.info();
            now.protocol = info.as_ref().map(|info| info.protocol_version.to_string());
            self.take_up(&mut now, |known| {
                known.list(tools, self.host.clock.now());
                let own = info.as_ref().and_then(|info| info.server_info.as_ref());
                known.version = own.map(|own| short(&harmless_line(&own.version)));
                let instructions = info.as_ref().and_then(|info| info.instructions.as_deref());
                known.instructions = instructions.map(|said| cut(said, limits::INSTRUCTIONS));
            });
        }
        self.host.changed();
        tokio::spawn(attend::attend(Arc::downgrade(&self), Arc::downgrade(&connection)));
        Ok(connection)
    }

    async fn list_again(self: Arc<Self>, connection: &Connection) {
        match connection.tools(self.config.timeout).await {
            Ok(tools) => {
                self.take_up(&mut self.now(), |known| known.list(tools, self.host.clock.now()));
                self.host.changed();
            }
            Err(trouble) => tracing::debug!(error = %trouble.line(), "cannot list tools"),
        }
    }

    /// Refreshes its prompts and resources.
    async fn list_offers(self: &Arc<Self>, connection: &Connection) {
        let before = self.now().known.offers.clone();
        let has_changed = connection.notifications.take_changed();
        let offers = connection.offers(self.config.timeout, before.clone()).await;
        if has_changed || offers != before {
            let mut now = self.now();
            now.offers_changed += 1;
            if offers != before {
                now.known.offers = offers;
                self.keep(&mut now, &[]);
            }
            drop(now);
            self.host.changed();
        }
    }

    /// Handles the end of a connection; unexpected if it is still the current one.
    fn ended(self: &Arc<Self>, connection: &Arc<Connection>) {
        let is_current = {
            let mut now = self.now();
            let is_current = now.connection.as_ref().is_some_and(|current| Arc::ptr_eq(current, connection));
            if is_current {
                now.connection = None;
            }
            is_current
        };
        if is_current {
            self.fail(&connection.end());
        }
    }

    /// Stops it, even during its start; its known tools are retained.
    pub(crate) async fn stop(&self) {
        let connection = {
            let mut now = self.now();
            if let Some((_, stop)) = &now.starting {
                stop.cancel();
            }
            now.phase = Phase::Configured;
            (now.failures, now.next_try) = (0, None);
            now.connection.take()
        };
        if let Some(connection) = connection {
            connection.close().await;
        }
    }

    /// It was removed from the configuration, or changed.
    pub(crate) fn removed(self: Arc<Self>) {
        self.gone.store(true, Ordering::SeqCst);
        tokio::spawn(async move { self.stop().await });
    }

    /// The user has signed in or out: the last response without a token no longer holds.
    pub(crate) fn sign_in_changed(self: &Arc<Self>) {
        self.gate.forget();
        if matches!(self.phase(), Phase::NeedsSignIn(_)) {
            self.set(Phase::Configured);
            self.look();
        }
    }

    /// After the user's review: allows an immediate start, and approves the changed definitions if they are
    /// still the reviewed ones.
    pub(crate) fn reviewed(self: &Arc<Self>, seen: &[ChangedTool]) {
        let mut now = self.now();
        (now.failures, now.next_try) = (0, None);
        if !seen.is_empty() && now.known.changed() == seen {
            let approved = now.known.approve();
            self.keep(&mut now, &approved);
        }
    }

    /// Approves one changed tool. `false` if it has changed since the user saw it.
    pub(crate) fn approve_tool(self: &Arc<Self>, seen: &ChangedTool) -> bool {
        let mut now = self.now();
        let listed = now.known.listed.iter().flatten();
        let found = listed.filter(|tool| now.known.change_of(tool).as_ref() == Some(seen));
        let Some(name) = found.map(|tool| tool.name.clone()).next() else { return false };
        now.known.approve_tool(&name);
        self.keep(&mut now, &[name]);
        true
    }

    /// Takes a connection that has been idle for this long; otherwise the error is the time of the next
    /// check, if any.
    fn take_idle(&self, after: Duration) -> Result<Arc<Connection>, Option<Instant>> {
        let mut now = self.now();
        let until = now.used + after;
        if Instant::now() < until {
            return Err(Some(until));
        }
        // Running calls hold a reference.
        let connection = now.connection.take_if(|connection| Arc::strong_count(connection) == 1);
        if connection.is_some() {
            now.phase = Phase::Configured;
        } else {
            now.used = Instant::now();
        }
        connection.ok_or_else(|| now.connection.is_some().then(|| now.used + after))
    }

    pub(crate) fn not_agreed(&self) -> Trouble {
        let name = &self.config.name;
        let why = match self.agreed() {
            None => "has not been agreed to",
            Some(_) => "is not what you agreed to: its command, address or environment changed",
        };
        Trouble {
            kind: TroubleKind::NotAgreed,
            what: format!("{name} {why}."),
            remedy: format!("Review it: nova mcp review {name}."),
        }
    }

    fn running(&self) -> Option<Arc<Connection>> {
        let mut now = self.now();
        now.used = Instant::now();
        now.connection.clone().filter(|connection| !connection.closed.is_cancelled())
    }

    /// Why it cannot be started now.
    fn waits(&self) -> Option<Trouble> {
        let now = self.now();
        let left = now.next_try?.saturating_duration_since(Instant::now());
        let Phase::Failed(why) = &now.phase else { return None };
        (!left.is_zero())
            .then(|| Trouble::failed(why.clone(), format!("Next try in {} s.", left.as_secs() + 1)))
    }

    fn fail(self: &Arc<Self>, trouble: &Trouble) {
        let mut line = trouble.line();
        self.secrets.scrub(&mut line);
        match trouble.kind {
            // Requires an action of the user.
            TroubleKind::NeedsSignIn => self.set(Phase::NeedsSignIn(line)),
            TroubleKind::Failed | TroubleKind::NotAgreed | TroubleKind::Stopped => self.try_later(line),
        }
    }

    fn try_later(self: &Arc<Self>, why: String) {
        let wait = {
            let mut now = self.now();
            now.phase = Phase::Failed(why);
            let wait = self.host.pause.after(now.failures);
            now.failures += 1;
            now.next_try = Some(Instant::now() + wait);
            (now.known.listed.is_none() && now.failures < TRIES).then_some(wait)
        };
        self.host.changed();
        if let Some(wait) = wait {
            let server = Arc::downgrade(self);
            tokio::spawn(async move {
                tokio::time::sleep(wait).await;
                if let Some(server) = server.upgrade() {
                    server.look();
                }
            });
        }
    }

    fn set(&self, phase: Phase) {
        self.now().phase = phase;
        self.host.changed();
    }

    fn take_up(self: &Arc<Self>, now: &mut Now, edit: impl FnOnce(&mut KnownTools)) {
        let before = now.known.clone();
        edit(&mut now.known);
        // What is blocked here may have been approved in another process.
        if before != now.known || now.tools.is_empty() || !now.known.changed().is_empty() {
            self.keep(now, &[]);
        }
    }

    /// Stores what is known, joined with the approvals of other processes, and makes the tools of it.
    fn keep(self: &Arc<Self>, now: &mut Now, just_approved: &[String]) {
        let known = &mut now.known;
        let stored = self.host.agreements.change_tools(&self.config.name, &mut |stored| {
            known.join(stored, just_approved);
            known.clone()
        });
        if let Err(error) = stored {
            tracing::warn!(server = %self.config.name, %error, "cannot save the listed tools");
        }
        self.make_tools(now);
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Called for Server {
    fn config(&self) -> &ServerConfig {
        &self.config
    }

    fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    fn media(&self) -> &Media {
        &self.host.media
    }

    async fn connection(self: Arc<Self>) -> Result<Arc<Connection>, Trouble> {
        if let Some(connection) = self.running() {
            return Ok(connection);
        }
        let starts = self.now().starts;
        let one = self.starting.clone().lock_owned().await;
        if let Some(connection) = self.running() {
            return Ok(connection);
        }
        // The start that this call waited for has failed for lack of a sign-in; trying again would fail, too.
        if self.now().starts > starts && matches!(self.phase(), Phase::NeedsSignIn(_)) {
            return Err(self.gate.trouble());
        }
        if self.gone.load(Ordering::SeqCst) || !self.config.enabled {
            return Err(Trouble::failed(
                format!("{} is off.", self.config.name),
                "Switch it on in nova.config.json.",
            ));
        }
        if !self.is_agreed() {
            return Err(self.not_agreed());
        }
        if let Some(trouble) = self.waits() {
            return Err(trouble);
        }
        // Spawned, so that cancelling this call does not cancel the start, which the next one needs.
        let server = self.clone();
        let started = tokio::spawn(async move {
            let _one = one;
            server.begin().await
        })
        .await;
        started.unwrap_or_else(|_| Err(Trouble::stopped()))
    }

    fn call_failed(&self, trouble: &Trouble) {
        // A missing scope concerns only this call; other calls still work.
        let is_signed_out = self.gate.wanted().is_some_and(|wanted| !wanted.insufficient_scope);
        if trouble.kind == TroubleKind::NeedsSignIn && is_signed_out {
            self.set(Phase::NeedsSignIn(trouble.line()));
        }
    }

    fn call_succeeded(&self) {
        let mut now = self.now();
        (now.failures, now.next_try) = (0, None);
        now.used = Instant::now();
    }
}
