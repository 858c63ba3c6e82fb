use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::stream::{BoxStream, StreamExt as _, unfold};
use nova_credentials::Challenge;
use nova_http::{Names, SystemNames};
use nova_registry::{
    LoadedSkill, Problem, Review, Scan, SkillMd, Source, SourceKind, State, harmless, harmless_line,
};
use nova_skill::{Clock, Manifest};
use serde_json::{Map, Value};
use tokio::sync::watch;

use crate::config::{ServerConfig, Way};
use crate::definition::cut;
use crate::host::{Agreements, Host};
use crate::known_tools::{ChangedTool, KnownTools};
use crate::launch_environment::LaunchEnvironment;
use crate::limits;
use crate::media::{Media, ServerMedia};
use crate::offers::Offers;
use crate::pause::Pause;
use crate::probe::{Probed, probe};
use crate::server::{ListedTool, Phase, Running, Server};
use crate::tool::Called;
use crate::trouble::Trouble;

/// Long enough that a chat seldom waits for a start.
const IDLE: Duration = Duration::from_secs(600);

/// The configured MCP servers. Dropping it stops those that run.
#[derive(Clone)]
pub struct McpServers {
    host: Arc<Host>,
    servers: Arc<Mutex<Servers>>,
}

#[derive(Default)]
struct Servers {
    servers: Vec<Arc<Server>>,
    problems: Vec<Problem>,
}

/// Options of [`McpServers`].
pub struct McpOptions {
    pub launch_environment: LaunchEnvironment,
    pub agreements: Arc<dyn Agreements>,
    pub names: Arc<dyn Names>,
    pub pause: Pause,
    /// Idle time after which a server is stopped; the next call restarts it.
    pub idle: Duration,
    pub clock: Arc<dyn Clock>,
}

/// Status of a server for the user.
#[derive(Debug, Clone)]
pub struct ServerStatus {
    pub name: String,
    pub id: String,
    pub enabled: bool,
    /// Whether the user agreed to exactly this configuration.
    pub agreed: bool,
    /// The user agreed to a different configuration before.
    pub changed: bool,
    pub phase: Phase,
    /// Last negotiated protocol version.
    pub protocol: Option<String>,
    /// The server's own version, as reported.
    pub version: Option<String>,
    pub tools: usize,
    /// The command as configured, or the URL.
    pub shown: String,
    /// Host of a remote server.
    pub host: Option<String>,
    pub starting_for: Option<Duration>,
    pub startup_timeout: Duration,
    /// Failures since the last successful call.
    pub failures: u32,
    /// Delay until the next automatic start.
    pub next_try: Option<Duration>,
    /// Number of changes of prompts, resources, or resources that were read, since it was configured.
    pub offers_changed: u64,
}

/// What the user reviews before agreeing to a server.
#[derive(Debug, Clone)]
pub struct ServerReview {
    pub name: String,
    /// Hash of everything reviewed, including changed tools.
    pub fingerprint: String,
    /// Hash of the configuration only, which the agreement stores.
    pub own: String,
    pub agreed: bool,
    /// A different configuration was agreed to before.
    pub changed: bool,
    /// As configured.
    pub shown: String,
    /// Path of the program; `None` for a remote server or a missing program.
    pub program: Option<String>,
    /// Host of a remote server.
    pub host: Option<String>,
    pub folder: Option<String>,
    /// Names of its variables or headers; the values of credentials are secret.
    pub variables: Vec<String>,
    pub credentials: Vec<String>,
    /// Tools that differ from the approved definitions.
    pub tools: Vec<ChangedTool>,
}

/// Prompts and resources of one server.
#[derive(Debug, Clone)]
pub struct OfferedBy {
    pub name: String,
    pub id: String,
    /// The id of the tool that reads resources; `None` if it cannot be called.
    pub resource_tool: Option<String>,
    pub offers: Offers,
}

impl McpOptions {
    pub fn new(
        launch_environment: LaunchEnvironment,
        agreements: Arc<dyn Agreements>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            launch_environment,
            agreements,
            names: Arc::new(SystemNames),
            pause: Pause::default(),
            idle: IDLE,
            clock,
        }
    }
}

impl McpServers {
    /// Starts no server.
    pub fn new(options: McpOptions) -> Self {
        let McpOptions { launch_environment, agreements, names, pause, idle, clock } = options;
        let news = watch::Sender::new(0);
        let media = Media::default();
        let host = Arc::new(Host { launch_environment, agreements, names, pause, idle, news, media, clock });
        Self { host, servers: Arc::default() }
    }

    /// Applies a configuration: unchanged servers keep running, removed ones are stopped, and a new agreed
    /// server whose tools are unknown is started in the background.
    pub fn configure(&self, read: Vec<Result<ServerConfig, (String, String)>>) {
        let (left, is_news) = {
            let mut now = self.now();
            let mut before = std::mem::take(&mut now.servers);
            let problems = std::mem::take(&mut now.problems);
            let mut is_new = false;
            for entry in read {
                match entry {
                    Ok(config) => {
                        let same = before.iter().position(|server| server.config == config);
                        let server = match same {
                            Some(at) => before.swap_remove(at),
                            None => {
                                is_new = true;
                                Server::new(config, self.host.clone())
                            }
                        };
                        now.servers.push(server);
                    }
                    Err((id, reason)) => now.problems.push(Problem { id, reason }),
                }
            }
            for server in &now.servers {
                server.look();
            }
            let is_news = is_new || !before.is_empty() || problems != now.problems;
            (before, is_news)
        };
        left.into_iter().for_each(Server::removed);
        if is_news {
            self.host.changed();
        }
    }

    pub fn source(&self) -> Box<dyn Source> {
        Box::new(self.clone())
    }

    pub fn statuses(&self) -> Vec<ServerStatus> {
        self.now().servers.iter().map(status).collect()
    }

    /// The tools of a server, selected or not; `None` if they or the server are unknown.
    pub fn listed(&self, name: &str) -> Option<Vec<ListedTool>> {
        self.server(name)?.listed()
    }

    /// Prompts and resources of the agreed servers, as last listed.
    pub fn offered(&self) -> Vec<OfferedBy> {
        let servers = self.now().servers.clone();
        let usable = servers.iter().filter(|server| server.config.enabled && server.is_agreed());
        usable
            .map(|server| OfferedBy {
                name: server.config.name.clone(),
                id: server.config.id.clone(),
                resource_tool: server.resource_tool(),
                offers: server.known().offers,
            })
            .collect()
    }

    /// Fills in a prompt and returns its text; starts the server if necessary.
    ///
    /// # Errors
    /// Why it failed; `None` if there is no such server or prompt.
    pub async fn fill_prompt(
        &self,
        server: &str,
        prompt: &str,
        arguments: Map<String, Value>,
    ) -> Option<Result<String, Trouble>> {
        let server = self.server(server)?;
        server.known().offers.prompt(prompt)?;
        let filled = async {
            let connection = server.clone().connection().await?;
            connection.fill_prompt(prompt, arguments, server.config.timeout).await
        };
        Some(filled.await.map_err(|mut trouble| {
            server.secrets.scrub(&mut trouble.what);
            server.call_failed(&trouble);
            trouble
        }))
    }

    /// An image, audio or file from a result; `None` once evicted by newer ones.
    pub fn media(&self, id: &str) -> Option<ServerMedia> {
        self.host.media.get(id)
    }

    /// Completions by a running server for an argument of a prompt that begins with `begun`.
    pub async fn complete_argument(
        &self,
        server: &str,
        prompt: &str,
        argument: &str,
        begun: &str,
        others: HashMap<String, String>,
    ) -> Vec<String> {
        let Some(server) = self.server(server) else { return Vec::new() };
        let Ok(connection) = server.clone().connection().await else { return Vec::new() };
        connection.complete(prompt, argument, begun, others, server.config.timeout).await
    }

    /// The last lines of a server's stderr.
    pub fn last_lines(&self, name: &str) -> Vec<String> {
        self.server(name).map(|server| server.last_lines(limits::STDERR_LINES)).unwrap_or_default()
    }

    /// Approves a changed tool. `false` if it has changed since the user saw it.
    pub fn approve_tool(&self, name: &str, seen: &ChangedTool) -> bool {
        let approved = self.server(name).is_some_and(|server| server.approve_tool(seen));
        self.host.changed();
        approved
    }

    /// Invalid entries of the configuration.
    pub fn problems(&self) -> Vec<Problem> {
        self.now().problems.clone()
    }

    /// By name or id.
    pub fn config(&self, name: &str) -> Option<ServerConfig> {
        self.server(name).map(|server| server.config.clone())
    }

    /// What the user has to review; starts nothing.
    pub async fn review(&self, name: &str) -> Option<ServerReview> {
        let server = self.server(name)?;
        let config = &server.config;
        let texts = match &config.way {
            Way::Command { env, .. } => env,
            Way::Address { headers, .. } => headers,
        };
        let (mut program, mut host, mut folder) = (None, None, None);
        match &config.way {
            Way::Command { program: named, cwd, .. } => {
                let from = cwd.clone().unwrap_or_else(|| "/".into());
                let found = self.host.launch_environment.find(named, &from).await;
                program = found.map(|found| found.display().to_string());
                folder = cwd.as_ref().map(|cwd| cwd.display().to_string());
            }
            Way::Address { url, .. } => host = nova_http::host_of(url),
        }
        let agreed = server.agreed();
        let own = config.fingerprint();
        let tools = server.known().changed();
        Some(ServerReview {
            name: config.name.clone(),
            agreed: agreed.as_ref() == Some(&own),
            changed: agreed.is_some_and(|agreed| agreed != own),
            fingerprint: fingerprint_of(&own, &tools),
            own,
            shown: config.shown(),
            program,
            host,
            folder,
            variables: texts.keys().cloned().collect(),
            credentials: config.credentials().iter().map(ToString::to_string).collect(),
            tools,
        })
    }

    /// Handles the user's agreement to a review, which must already be stored.
    pub fn agreed_to(&self, review: &ServerReview) {
        if let Some(server) = self.server(&review.name) {
            server.reviewed(&review.tools);
            server.look();
            self.host.changed();
        }
    }

    /// Waits until the tools of a server, or of all, are known or it has failed; starts servers with unknown
    /// tools.
    pub async fn ready(&self, name: Option<&str>, at_most: Duration) {
        let servers = match name {
            Some(name) => self.server(name).into_iter().collect(),
            None => self.now().servers.clone(),
        };
        let unknown = servers
            .into_iter()
            .filter(|server| server.config.enabled && server.is_agreed() && server.known().listed.is_none());
        let started = futures::future::join_all(unknown.map(|server| async move {
            let _ = server.clone().connection().await;
        }));
        let _ = tokio::time::timeout(at_most, started).await;
    }

    /// Restarts a server, ignoring its back-off.
    ///
    /// # Errors
    /// Why it does not run; `None` if there is no such server.
    pub async fn restart(&self, name: &str) -> Option<Result<(), Trouble>> {
        let server = self.server(name)?;
        server.stop().await;
        Some(server.clone().connection().await.map(drop))
    }

    /// Starts a separate instance of a server, lists its tools and, if `call` is set, calls each of them.
    ///
    /// # Errors
    /// Why it does not run. Also returns the server's last challenge, if it demanded authorization.
    pub async fn probe(
        &self,
        config: &ServerConfig,
        call: bool,
    ) -> (Result<Probed, Trouble>, Option<Challenge>) {
        probe(config, &self.host, call).await
    }

    /// The server's last challenge to sign in.
    pub fn sign_in_wanted(&self, name: &str) -> Option<Challenge> {
        self.server(name)?.gate.wanted()
    }

    /// Handles a sign-in or sign-out: servers that waited for it start, and the others authenticate again
    /// when next needed.
    pub fn sign_ins_changed(&self) {
        self.now().servers.iter().for_each(Server::sign_in_changed);
    }

    /// Stops a server, even during its start. The next call restarts it.
    pub async fn stop(&self, name: &str) {
        if let Some(server) = self.server(name) {
            server.stop().await;
            self.host.changed();
        }
    }

    /// Stops all servers and waits until they have ended.
    pub async fn close(&self) {
        let servers = std::mem::take(&mut *self.now()).servers;
        futures::future::join_all(servers.iter().map(|server| server.stop())).await;
    }

    fn server(&self, name: &str) -> Option<Arc<Server>> {
        let now = self.now();
        let by_name = now.servers.iter().find(|server| server.config.name == name);
        by_name.or_else(|| now.servers.iter().find(|server| server.config.id == name)).cloned()
    }

    fn now(&self) -> MutexGuard<'_, Servers> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Source for McpServers {
    fn kind(&self) -> SourceKind {
        SourceKind::Mcp
    }

    fn scan(&self) -> Scan {
        let now = self.now();
        Scan { skills: now.servers.iter().map(skill).collect(), problems: now.problems.clone() }
    }

    fn changes(&self) -> BoxStream<'static, ()> {
        let news = self.host.news.subscribe();
        unfold(news, |mut news| async move { news.changed().await.ok().map(|()| ((), news)) }).boxed()
    }
}

/// The server's own fingerprint if no tool changed.
fn fingerprint_of(server: &str, changed: &[ChangedTool]) -> String {
    if changed.is_empty() {
        return server.to_owned();
    }
    let whole = serde_json::json!([server, changed]);
    blake3::hash(whole.to_string().as_bytes()).to_hex().to_string()
}

fn status(server: &Arc<Server>) -> ServerStatus {
    let (own, agreed) = (server.config.fingerprint(), server.agreed());
    let Running { protocol, starting_for, failures, next_try, offers_changed } = server.running_state();
    ServerStatus {
        name: server.config.name.clone(),
        id: server.config.id.clone(),
        enabled: server.config.enabled,
        agreed: agreed.as_ref() == Some(&own),
        changed: agreed.is_some_and(|agreed| agreed != own),
        phase: server.phase(),
        protocol,
        version: server.known().version,
        tools: server.tools().len(),
        shown: server.config.shown(),
        host: match &server.config.way {
            Way::Command { .. } => None,
            Way::Address { url, .. } => nova_http::host_of(url),
        },
        starting_for,
        startup_timeout: server.config.startup_timeout,
        failures,
        next_try,
        offers_changed,
    }
}

fn skill(server: &Arc<Server>) -> LoadedSkill {
    let config = &server.config;
    let KnownTools { listed, instructions, .. } = server.known();
    let tools = server.tools();
    let description = config.description.clone().unwrap_or_else(|| {
        let names: Vec<String> =
            listed.iter().flatten().map(|tool| harmless_line(&tool.name)).take(12).collect();
        match names.as_slice() {
            [] => format!("The MCP server {}.", config.name),
            names => format!("The MCP server {}: {}.", config.name, names.join(", ")),
        }
    });
    let skill_md = SkillMd {
        name: config.id.clone(),
        description: cut(&harmless_line(&description), 1_024),
        instructions: cut(&harmless(instructions.as_deref().unwrap_or_default()), limits::INSTRUCTIONS),
        ..SkillMd::default()
    };
    let manifest = Manifest { display_name: Some(harmless_line(&config.name)), ..Manifest::default() };
    let mut skill = LoadedSkill::new(config.id.clone(), skill_md, manifest, tools);
    skill.foreign = true;
    skill.fingerprint = Some(config.fingerprint());
    let is_known = listed.is_some();
    match (server.agreed(), server.phase()) {
        _ if !config.enabled => {
            skill.kept_from_use = Some((State::Disabled, format!("Off in mcpServers.{}.", config.name)));
        }
        (agreed, _) if agreed.as_ref() != skill.fingerprint.as_ref() => {
            skill.review = Some(if agreed.is_none() { Review::New } else { Review::Changed });
            skill.tools.clear();
        }
        (_, Phase::NeedsSignIn(reason)) => skill.kept_from_use = Some((State::NeedsSignIn, reason)),
        // Its known tools remain available: the next call starts it.
        (_, Phase::Failed(reason)) if is_known => skill.note = Some(format!("Last known tools. {reason}")),
        (_, Phase::Failed(reason)) => skill.kept_from_use = Some((State::Failed, reason)),
        (_, Phase::Configured | Phase::Starting) if !is_known => {
            let reason = "It is being started and asked for its tools.";
            skill.kept_from_use = Some((State::Starting, reason.into()));
        }
        (_, Phase::Configured | Phase::Starting | Phase::Ready) => {}
    }
    skill
}
