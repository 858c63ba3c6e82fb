//! One server of the configuration: what it is to the user, when it runs, and its tools.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use async_trait::async_trait;
use nova_calls::Secrets;
use nova_registry::{LoadedTool, State};
use tokio::time::Instant;

use crate::config::ServerConfig;
use crate::connection::Connection;
use crate::definition::{ChangedTool, Definition, KnownTools};
use crate::host::Host;
use crate::limits;
use crate::start::{Started, start};
use crate::tool::{Called, McpTool};
use crate::trouble::{Trouble, TroubleKind};

/// How often a server whose tools nobody knows is started by itself.
const TRIES: u32 = 5;
/// Between two lists of tools of a server that says all the time that they are others.
const BETWEEN_LISTS: Duration = Duration::from_secs(1);

pub(crate) struct Server {
    pub(crate) config: ServerConfig,
    pub(crate) host: Arc<Host>,
    state: Mutex<Now>,
    /// One attempt to start it at a time.
    starting: Arc<tokio::sync::Mutex<()>>,
    /// It is in the configuration no more.
    gone: AtomicBool,
    pub(crate) secrets: Arc<Secrets>,
}

struct Now {
    phase: Phase,
    connection: Option<Arc<Connection>>,
    failures: u32,
    next_try: Option<Instant>,
    known: KnownTools,
    /// Of what is known; made once, so that the registry sees what did not change.
    tools: Vec<LoadedTool>,
    protocol: Option<String>,
}

/// How far a server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Phase {
    /// It has not been started, or sleeps until the next call.
    Configured,
    Starting,
    Ready,
    NeedsSignIn(String),
    /// Why, and what to do.
    Failed(String),
}

impl Server {
    pub(crate) fn new(config: ServerConfig, host: Arc<Host>) -> Arc<Self> {
        let kept = host.agreements.known_tools(&config.name).unwrap_or_default();
        let fingerprint = config.fingerprint();
        let is_own = kept.server == fingerprint;
        let known = if is_own { kept } else { KnownTools { server: fingerprint, ..KnownTools::default() } };
        let server = Arc::new(Self {
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
            }),
            starting: Arc::default(),
            gone: AtomicBool::new(false),
            secrets: Arc::default(),
        });
        server.make_tools(&mut server.now());
        server
    }

    /// Whether the user agreed to exactly this command or address.
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

    pub(crate) fn protocol(&self) -> Option<String> {
        self.now().protocol.clone()
    }

    /// Starts it in the background where its tools are not known yet; otherwise its first call does.
    pub(crate) fn look(self: &Arc<Self>) {
        let is_known = self.now().known.listed.is_some();
        if !is_known && self.config.enabled && self.is_agreed() {
            let server = self.clone();
            tokio::spawn(async move { server.connection().await });
        }
    }

    async fn begin(self: Arc<Self>) -> Result<Arc<Connection>, Trouble> {
        self.set(Phase::Starting);
        let started = start(&self.config, &self.host, &self.secrets).await;
        let Started { connection, tools } = match started {
            Ok(started) => started,
            Err(trouble) => {
                self.fail(&trouble);
                return Err(trouble);
            }
        };
        {
            let mut now = self.now();
            now.phase = Phase::Ready;
            now.connection = Some(connection.clone());
            let info = connection.info();
            now.protocol = info.as_ref().map(|info| info.protocol_version.to_string());
            now.known.instructions = info.and_then(|info| info.instructions.clone());
            self.take_up(&mut now, tools);
        }
        self.host.changed();
        tokio::spawn(attend(Arc::downgrade(&self), Arc::downgrade(&connection)));
        Ok(connection)
    }

    async fn list_again(self: Arc<Self>, connection: &Connection) {
        match connection.list_tools(self.config.timeout).await {
            Ok(tools) => {
                self.take_up(&mut self.now(), tools);
                self.host.changed();
            }
            Err(trouble) => tracing::debug!("{}", trouble.line()),
        }
    }

    /// A connection ended; by itself, where it is still the one in use.
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

    /// Ends it; what is known of it stays.
    pub(crate) async fn stop(&self) {
        let connection = {
            let mut now = self.now();
            now.phase = Phase::Configured;
            (now.failures, now.next_try) = (0, None);
            now.connection.take()
        };
        if let Some(connection) = connection {
            connection.close().await;
        }
    }

    /// It is in the configuration no more, or differently.
    pub(crate) fn leave(self: Arc<Self>) {
        self.gone.store(true, Ordering::SeqCst);
        tokio::spawn(async move { self.stop().await });
    }

    /// The user has looked at it: it may be started at once, and changed definitions are what they want, as far as
    /// they are those that were looked at.
    pub(crate) fn looked_at(self: &Arc<Self>, seen: &[ChangedTool]) {
        let mut now = self.now();
        (now.failures, now.next_try) = (0, None);
        if !seen.is_empty() && now.known.changed() == seen {
            now.known.approve();
            self.make_tools(&mut now);
            self.keep(&now);
        }
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
        self.now().connection.clone().filter(|connection| !connection.closed.is_cancelled())
    }

    /// Why it is not started now.
    fn waits(&self) -> Option<Trouble> {
        let now = self.now();
        let left = now.next_try?.saturating_duration_since(Instant::now());
        let Phase::Failed(why) = &now.phase else { return None };
        (!left.is_zero())
            .then(|| Trouble::failed(why.clone(), format!("Next try in {} s.", left.as_secs() + 1)))
    }

    fn fail(self: &Arc<Self>, trouble: &Trouble) {
        let wait = {
            let mut now = self.now();
            let mut line = trouble.line();
            self.secrets.scrub(&mut line);
            now.phase = match trouble.kind {
                TroubleKind::NeedsSignIn => Phase::NeedsSignIn(line),
                TroubleKind::Failed | TroubleKind::NotAgreed | TroubleKind::Stopped => Phase::Failed(line),
            };
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

    fn take_up(self: &Arc<Self>, now: &mut Now, tools: Vec<Definition>) {
        let before = now.known.clone();
        now.known.list(tools);
        if before != now.known || now.tools.is_empty() {
            self.make_tools(now);
            self.keep(now);
        }
    }

    fn keep(&self, now: &Now) {
        if let Err(error) = self.host.agreements.keep_tools(&self.config.name, &now.known) {
            tracing::warn!("the tools of {} could not be kept: {error}", self.config.name);
        }
    }

    /// The tools that the user chose, each as it can be used; one that did not change is the same as before.
    fn make_tools(self: &Arc<Self>, now: &mut Now) {
        let choice = &self.config.tools;
        let is_chosen = |tool: &&Definition| {
            (choice.allow.is_empty() || choice.allow.contains(&tool.name))
                && !choice.deny.contains(&tool.name)
        };
        let chosen: Vec<&Definition> = now.known.listed.iter().flatten().filter(is_chosen).collect();
        let mut good: Vec<&Definition> = Vec::new();
        let mut tools = Vec::new();
        for definition in chosen.iter().take(limits::TOOLS) {
            let broken = definition.fault(&good).map(|fault| (State::Broken, fault));
            let changed = || {
                let changes = now.known.change_of(definition)?.changes.join("; ");
                let review = format!("Review it: nova mcp review {}.", self.config.name);
                Some((
                    State::NeedsReview,
                    format!("Its definition changed: {}. {review}", changes.trim_end_matches('.')),
                ))
            };
            match broken.or_else(changed) {
                Some((state, reason)) => {
                    let id = crate::definition::cut(&nova_registry::harmless_line(&definition.name), 40);
                    tools.push(LoadedTool::NotReady { id, state, reason });
                }
                None => {
                    good.push(definition);
                    let before = now.tools.iter().find(|tool| McpTool::is_of(tool, &self.config, definition));
                    let new = || McpTool::loaded(self.clone(), definition);
                    tools.push(before.cloned().unwrap_or_else(new));
                }
            }
        }
        if chosen.len() > limits::TOOLS {
            tracing::warn!("{} lists {} tools; {} are used", self.config.name, chosen.len(), limits::TOOLS);
        }
        now.tools = tools;
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

    async fn connection(self: Arc<Self>) -> Result<Arc<Connection>, Trouble> {
        if let Some(connection) = self.running() {
            return Ok(connection);
        }
        let one = self.starting.clone().lock_owned().await;
        if let Some(connection) = self.running() {
            return Ok(connection);
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
        // On a task of its own: a call that is stopped does not stop what the next one needs.
        let server = self.clone();
        let started = tokio::spawn(async move {
            let _one = one;
            server.begin().await
        })
        .await;
        started.unwrap_or_else(|_| Err(Trouble::stopped()))
    }

    fn went_well(&self) {
        let mut now = self.now();
        (now.failures, now.next_try) = (0, None);
    }
}

/// Takes up new lists of tools until the connection ends. Keeps neither in use.
async fn attend(server: Weak<Server>, connection: Weak<Connection>) {
    let parts =
        connection.upgrade().map(|connection| (connection.closed.clone(), connection.tools_changed.clone()));
    let Some((closed, news)) = parts else { return };
    let listing = async {
        loop {
            news.notified().await;
            let (Some(server), Some(connection)) = (server.upgrade(), connection.upgrade()) else { return };
            server.list_again(&connection).await;
            drop(connection);
            tokio::time::sleep(BETWEEN_LISTS).await;
        }
    };
    tokio::select! {
        () = listing => {}
        () = closed.cancelled() => {}
    }
    if let (Some(server), Some(connection)) = (server.upgrade(), connection.upgrade()) {
        server.ended(&connection);
    }
}
