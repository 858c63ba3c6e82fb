use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use nova_calls::{ToolContent, ToolFace};
use nova_credentials::ProviderServers;
use nova_http::Web;
use nova_mcp::{LaunchEnvironment, McpOptions, McpServers};
use nova_protocol::{Envelope, ErrorCode, Event, UserError};
use nova_provider::ProviderKind;
use nova_registry::{
    Changes, KnownCredentials, NativeSkills, Registry, Rules, RulesInForce, Source, ToolFiles, ToolHost,
};
use nova_session::{EventSink, Ids, Session, Store, WaitingApprovals};
use nova_skill::{Clock, CredentialSource, StoreSource};
use nova_vault::Vault;
use nova_workspace::Documents;
use secrecy::SecretString;
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use crate::agreed_servers::AgreedServers;
use crate::config::Config;
use crate::credentials::store::{CredentialsFrom, StoreContext, UserCredentials};
use crate::desktop::Desktop;
use crate::errors::no_vault;
use crate::events::Events;
use crate::given_files::recent::GivenFiles;
use crate::health::Health;
use crate::known_models::KnownModels;
use crate::last_good::LastGoodFiles;
use crate::mail_watch::MailWatch;
use crate::model_place::NonForwardingServers;
use crate::open_conflicts::OpenConflicts;
use crate::pending_tools::PendingFolder;
use crate::places::Places;
use crate::rule_file::RuleFile;
use crate::sandboxes::Sandboxes;
use crate::server_now::ServerNow;
use crate::stores::FileStores;
use crate::trust::Trust;

/// The application: everything that the window and the command line can do.
#[derive(Clone)]
pub struct App {
    pub(crate) inner: Arc<Inner>,
}

/// Returns the secret in an environment variable.
pub type SecretByName = Arc<dyn Fn(&str) -> Option<SecretString> + Send + Sync>;

/// A possible local model server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalServer {
    /// Its id as a provider.
    pub id: String,
    pub kind: ProviderKind,
    pub address: String,
}

/// Dependencies and options of an [`App`].
pub struct AppOptions {
    pub places: Places,
    pub desktop: Arc<dyn Desktop>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn Ids>,
    /// Secrets by environment variable.
    pub secret: SecretByName,
    /// Local model servers to look for.
    pub local_servers: Vec<LocalServer>,
    /// An HTTP proxy for remote providers.
    pub proxy: Option<String>,
    /// Loads and runs tool files.
    pub tool_host: Arc<dyn ToolHost>,
    /// How MCP servers are started.
    pub launch_environment: LaunchEnvironment,
    /// Extracts text from PDF and office files for tools.
    pub documents: Arc<dyn Documents>,
    /// HTTP for tools.
    pub web: Arc<Web>,
    /// The user's secrets.
    pub credentials: CredentialsFrom,
    /// Where users of mail and calendars sign in.
    pub providers: ProviderServers,
    /// How long a turn waits for a reading or external call before it continues without it.
    pub settle: Duration,
}

pub(crate) struct Inner {
    pub(crate) options: AppOptions,
    pub(crate) store: Store,
    pub(crate) registry: Arc<Registry>,
    pub(crate) trust: Arc<Trust>,
    pub(crate) user_credentials: Arc<UserCredentials>,
    /// The credentials as seen by tools.
    pub(crate) credentials: Arc<dyn CredentialSource>,
    pub(crate) given_files: Arc<GivenFiles>,
    /// Data of skills other than notes.
    pub(crate) stores: Arc<dyn StoreSource>,
    pub(crate) credentials_refresh_started: AtomicBool,
    /// True once the credentials have been read.
    pub(crate) credentials_known: tokio::sync::watch::Sender<bool>,
    pub(crate) credentials_watch: Mutex<Option<notify::RecommendedWatcher>>,
    pub(crate) tool_files: Arc<ToolFiles>,
    pub(crate) mcp: McpServers,
    /// Last reported state by server.
    pub(crate) server_states: Mutex<BTreeMap<String, ServerNow>>,
    pub(crate) pending_tools: Arc<PendingFolder>,
    /// Sandboxes for commands of tools.
    pub(crate) sandboxes: Sandboxes,
    pub(crate) rule_file: Arc<RuleFile>,
    pub(crate) rules: Arc<RulesInForce>,
    pub(crate) settings: RwLock<SettingsInForce>,
    pub(crate) vault: RwLock<VaultState>,
    pub(crate) chats: Mutex<HashMap<String, Arc<OpenChat>>>,
    pub(crate) runs: Mutex<HashMap<String, Arc<OpenRun>>>,
    /// Sessions with a turn in another Nova process that is followed here.
    pub(crate) followed: Mutex<HashSet<String>>,
    pub(crate) conflicts: OpenConflicts,
    pub(crate) models: Arc<KnownModels>,
    pub(crate) non_forwarding_servers: Arc<NonForwardingServers>,
    pub(crate) health: Arc<Health>,
    /// Stops forwarding events of the previously open vault.
    pub(crate) feed: Mutex<Option<CancellationToken>>,
    pub(crate) config_watch: Mutex<Option<notify::RecommendedWatcher>>,
    /// Held while a mailbox and its password are stored.
    pub(crate) mailbox_changes: tokio::sync::Mutex<()>,
    /// While the panel of mailboxes is open.
    pub(crate) mail_watch: Mutex<Option<MailWatch>>,
    pub(crate) events: Arc<Events>,
}

/// The last valid configuration, and the problem of a newer one or of the rules.
#[derive(Default)]
pub(crate) struct SettingsInForce {
    pub(crate) config: Config,
    rules_were_good: bool,
    pub(crate) problem: Option<nova_protocol::ConfigProblemView>,
}

#[derive(Default)]
pub(crate) struct VaultState {
    pub(crate) vault: Option<Vault>,
    pub(crate) problem: Option<UserError>,
}

/// A session that was used since the start.
pub(crate) struct OpenChat {
    pub(crate) session: Arc<Session>,
    pub(crate) waiting: Arc<WaitingApprovals>,
    /// Cancels the running turn.
    pub(crate) running: Mutex<Option<CancellationToken>>,
    /// False while a turn runs.
    pub(crate) idle: tokio::sync::watch::Sender<bool>,
}

/// Held by a running turn.
pub(crate) struct Occupied(Arc<OpenChat>);

impl OpenChat {
    /// `None` while a turn is running.
    pub(crate) fn occupy(self: &Arc<Self>, cancel: CancellationToken) -> Option<Occupied> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if running.is_some() {
            return None;
        }
        *running = Some(cancel);
        self.idle.send_replace(false);
        Some(Occupied(self.clone()))
    }
}

impl Drop for Occupied {
    fn drop(&mut self) {
        *self.0.running.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.0.idle.send_replace(true);
    }
}

/// A tool that was started from its form.
pub(crate) struct OpenRun {
    pub(crate) waiting: Arc<WaitingApprovals>,
    pub(crate) cancel: CancellationToken,
}

impl App {
    /// Reads the configuration and opens the vault. Neither a broken configuration nor a missing vault
    /// prevents the start: both become problems to show. Tool files with known content are available at once;
    /// see [`App::tools_loaded`].
    ///
    /// # Errors
    /// When the data folder cannot be written.
    pub async fn start(options: AppOptions) -> Result<Self, UserError> {
        let places = &options.places;
        nova_files::private_folder(&places.data).map_err(|error| no_data_folder(&places.data, &error))?;
        let store = Store::open(&places.data).await?;
        crate::author_files::install(places).await;
        let trust = Arc::new(Trust::new(&places.data));
        let user_credentials = Arc::new(UserCredentials::new(
            places.data.clone(),
            options.credentials.store_options(),
            options.clock.clone(),
            options.providers.clone(),
        ));
        let credentials: Arc<dyn CredentialSource> = match &options.credentials {
            CredentialsFrom::Store(_) => user_credentials.clone(),
            CredentialsFrom::StandIn(source) => source.clone(),
        };
        let skills = SkillSources::start(&options, &trust, &user_credentials, &credentials).await;
        let rule_file = Arc::new(RuleFile::new(places.rules_file()));
        let mut settings = SettingsInForce::default();
        let rules = Arc::new(RulesInForce::default());
        settings.reload(places, &rule_file, &rules);
        let registry = Arc::new(Registry::new(skills.sources, &settings.config.skills_in_force()));
        settings.report_config_problem(places, &registry);
        settings.report_trust_problem(&trust);
        let events = Arc::new(Events::new(options.clock.clone()));
        let sandboxes = Sandboxes::new(options.launch_environment.guard().clone(), &places.data);
        let health = Arc::new(Health::new(options.clock.clone(), events.clone()));
        let app = Self {
            inner: Arc::new(Inner {
                trust,
                user_credentials,
                credentials,
                given_files: Arc::default(),
                stores: Arc::new(FileStores::new(&places.data)),
                credentials_refresh_started: AtomicBool::new(false),
                credentials_known: tokio::sync::watch::Sender::new(false),
                credentials_watch: Mutex::default(),
                sandboxes,
                rule_file,
                rules,
                registry,
                tool_files: skills.tool_files,
                mcp: skills.mcp,
                server_states: Mutex::default(),
                pending_tools: skills.pending_tools,
                store,
                settings: RwLock::new(settings),
                vault: RwLock::default(),
                chats: Mutex::default(),
                runs: Mutex::default(),
                conflicts: OpenConflicts::default(),
                followed: Mutex::default(),
                models: Arc::default(),
                non_forwarding_servers: Arc::default(),
                health,
                feed: Mutex::default(),
                config_watch: Mutex::default(),
                mailbox_changes: tokio::sync::Mutex::default(),
                mail_watch: Mutex::default(),
                events,
                options,
            }),
        };
        app.begin().await;
        Ok(app)
    }

    /// Opens the vault, starts to follow skills and settings, and deletes expired data.
    async fn begin(&self) {
        let inner: Arc<dyn StoreContext> = self.inner.clone();
        self.inner.user_credentials.attach(Arc::downgrade(&inner));
        self.inner.registry.provide(self.inner.present(KnownCredentials::NotYet));
        self.inner.declare_configs();
        self.try_commands(&self.config().skills).await;
        self.reload_settings();
        self.inner.note_first_sights();
        self.follow_sources();
        self.open_configured_vault().await;
        self.purge_old_sessions().await;
        self.prune_file_changes(self.config().history.days);
        self.sweep_files();
        self.follow_foreign_skills();
    }

    /// Subscribes to all future events, of every session and of the program.
    pub fn events(&self) -> broadcast::Receiver<Envelope> {
        self.inner.events.subscribe()
    }

    pub fn places(&self) -> &Places {
        &self.inner.options.places
    }

    /// The current skills, tools and record types.
    pub fn registry(&self) -> &Registry {
        &self.inner.registry
    }

    pub(crate) fn emit(&self, event: Event) {
        self.inner.events.emit(event);
    }

    pub(crate) fn config(&self) -> Config {
        self.inner.settings.read().unwrap_or_else(PoisonError::into_inner).config.clone()
    }

    pub(crate) fn rules(&self) -> Arc<RulesInForce> {
        self.inner.rules.clone()
    }

    /// The problem of the settings on disk.
    pub fn settings_problem(&self) -> Option<nova_protocol::ConfigProblemView> {
        self.inner.settings.read().unwrap_or_else(PoisonError::into_inner).problem.clone()
    }

    /// Edits the configuration file and applies the result.
    pub(crate) fn change_config(
        &self,
        edit: impl Fn(&mut serde_json::Map<String, serde_json::Value>),
    ) -> Result<(), UserError> {
        Config::change(&self.places().config_file(), edit)?;
        self.reload_settings();
        Ok(())
    }

    /// Reloads configuration and rules; if they are invalid, the last valid ones stay in force.
    pub(crate) fn reload_settings(&self) {
        let rules_before = self.inner.rules.now();
        let kept_running = self.keeps_running();
        let (changed, problem, mended) = {
            let mut settings = self.inner.settings.write().unwrap_or_else(PoisonError::into_inner);
            let before = settings.problem.clone();
            settings.reload(self.places(), &self.inner.rule_file, &self.inner.rules);
            self.inner.mcp.configure(settings.config.mcp_servers());
            let changed = self.inner.registry.reload(&settings.config.skills_in_force());
            settings.report_config_problem(self.places(), &self.inner.registry);
            settings.report_trust_problem(&self.inner.trust);
            self.inner.user_credentials.set_sign_ins(settings.config.sign_ins_in_force());
            let news = settings.problem.clone().filter(|problem| before.as_ref() != Some(problem));
            let of_rules = |problem: &Option<nova_protocol::ConfigProblemView>| {
                let file = self.places().rules_file().display().to_string();
                problem.as_ref().is_some_and(|problem| problem.file == file)
            };
            let mended = of_rules(&before) && !of_rules(&settings.problem);
            (changed, news, mended)
        };
        self.revoke_lost_grants(&rules_before);
        if self.keeps_running() != kept_running {
            self.inner.options.desktop.keep_running(!kept_running);
        }
        if mended || *self.inner.rules.now() != *rules_before {
            self.emit(Event::RulesChanged {});
        }
        if let Some(problem) = problem {
            self.emit(Event::ConfigProblem {
                file: problem.file,
                line: problem.line,
                message: problem.message,
            });
        }
        self.inner.registry_changed(changed);
        self.follow_foreign_skills();
        self.inner.refresh_credentials_if_needed();
        self.try_commands_soon();
    }

    /// The open vault.
    ///
    /// # Errors
    /// `no_vault`, or why the configured vault is not open.
    pub fn vault(&self) -> Result<Vault, UserError> {
        let state = self.inner.vault.read().unwrap_or_else(PoisonError::into_inner);
        match (&state.vault, &state.problem) {
            (Some(vault), _) => Ok(vault.clone()),
            (None, Some(problem)) => Err(problem.clone()),
            (None, None) => Err(no_vault()),
        }
    }

    pub(crate) fn chats(&self) -> MutexGuard<'_, HashMap<String, Arc<OpenChat>>> {
        self.inner.chats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn runs(&self) -> MutexGuard<'_, HashMap<String, Arc<OpenRun>>> {
        self.inner.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Default of [`AppOptions::settle`].
    pub const SETTLE: Duration = Duration::from_secs(5);
    pub(crate) const CALL_LIMIT: Duration = Duration::from_secs(120);
}

/// The sources of skills.
struct SkillSources {
    sources: Vec<Box<dyn Source>>,
    tool_files: Arc<ToolFiles>,
    pending_tools: Arc<PendingFolder>,
    mcp: McpServers,
}

impl SkillSources {
    async fn start(
        options: &AppOptions,
        trust: &Arc<Trust>,
        user_credentials: &Arc<UserCredentials>,
        credentials: &Arc<dyn CredentialSource>,
    ) -> Self {
        let data = &options.places.data;
        let folders = options.places.tool_folders();
        let last_good = Arc::new(LastGoodFiles::new(data));
        let tool_files = Arc::new(
            ToolFiles::start(folders.clone(), options.tool_host.clone(), last_good, trust.clone()).await,
        );
        let pending_tools = Arc::new(PendingFolder {
            folders,
            replaced: data.join("tools").join("replaced"),
            host: options.tool_host.clone(),
            files: tool_files.clone(),
            trust: trust.clone(),
            credentials: credentials.clone(),
            clock: options.clock.clone(),
        });
        let native = NativeSkills::new(crate::skills::built_in(
            pending_tools.clone(),
            Arc::new(crate::skills::HostSnippets(options.tool_host.clone())),
        ));
        let agreed = AgreedServers::new(trust.clone(), user_credentials.clone(), data);
        let mcp = McpServers::new(McpOptions::new(
            options.launch_environment.clone(),
            Arc::new(agreed),
            options.clock.clone(),
        ));
        let mut sources: Vec<Box<dyn Source>> = vec![Box::new(native)];
        sources.extend(tool_files.sources());
        sources.push(mcp.source());
        Self { sources, tool_files, pending_tools, mcp }
    }
}

fn no_data_folder(data: &Path, error: &std::io::Error) -> UserError {
    UserError::new(
        ErrorCode::Io,
        format!("The folder {} cannot be created: {error}.", data.display()),
        "Make it writable, or choose another one with --data.",
    )
}

impl Inner {
    /// Applies the current state of the sources of skills.
    pub(crate) fn reload_registry(self: &Arc<Self>) {
        let changes = {
            let settings = self.settings.read().unwrap_or_else(PoisonError::into_inner);
            self.registry.reload(&settings.config.skills_in_force())
        };
        self.registry_changed(changes);
        self.refresh_credentials_if_needed();
    }

    /// Records server tools as first seen, so that a rule written for a tool does not apply after it has
    /// changed.
    fn note_first_sights(&self) {
        let snapshot = self.registry.snapshot();
        let tools = snapshot.skills().iter().flat_map(|skill| &skill.tools);
        let vouched = tools.filter(|tool| tool.spec().definition.is_none());
        let seen: Vec<_> =
            vouched.filter_map(|tool| Some((ToolContent::of(tool)?, ToolFace::of(tool)))).collect();
        if let Err(error) = self.trust.first_sights(&seen) {
            tracing::warn!(%error, "cannot record the seen tools");
        }
    }

    pub(crate) fn declare_configs(&self) {
        crate::author_files::declare_configs(&self.options.places, &self.registry.snapshot());
    }

    fn registry_changed(&self, changes: Changes) {
        if !changes.is_empty() {
            self.note_first_sights();
            self.declare_configs();
            let Changes { added, removed, changed } = changes;
            self.events.emit(Event::RegistryChanged { added, removed, changed });
        }
    }
}

impl StoreContext for Inner {
    fn emit(&self, event: Event) {
        self.events.emit(event);
    }

    fn registry(&self) -> &Registry {
        &self.registry
    }

    fn variable(&self, name: &str) -> Option<SecretString> {
        (self.options.secret)(name)
    }
}

impl EventSink for Inner {
    fn emit(&self, envelope: Envelope) {
        self.conflicts.observe(&envelope);
        self.events.send(envelope);
    }
}

impl SettingsInForce {
    fn reload(&mut self, places: &Places, rule_file: &RuleFile, in_force: &RulesInForce) {
        self.problem = None;
        match Config::read(&places.config_file()) {
            Ok(config) => {
                for key in config.unknown_keys() {
                    tracing::warn!(%key, "unknown key in nova.config.json");
                }
                self.config = config;
            }
            Err(error) => self.problem = Some(error.problem(&places.config_file())),
        }
        match rule_file.read() {
            Ok(rules) => {
                in_force.replace(rules);
                self.rules_were_good = true;
            }
            Err(error) => {
                if !self.rules_were_good {
                    in_force.replace(Rules::closed("permissions.yaml cannot be read"));
                }
                self.problem = Some(nova_protocol::ConfigProblemView {
                    file: places.rules_file().display().to_string(),
                    line: error.line,
                    message: format!(
                        "{}. The last good rules stay in use; without any, no tool runs.",
                        error.message.trim_end_matches('.')
                    ),
                });
            }
        }
    }
}

impl SettingsInForce {
    /// Reports an invalid skill configuration.
    fn report_config_problem(&mut self, places: &Places, registry: &Registry) {
        if self.problem.is_none()
            && let Some(message) = registry.snapshot().config_problem()
        {
            self.problem = Some(nova_protocol::ConfigProblemView {
                file: places.config_file().display().to_string(),
                line: None,
                message: message.to_owned(),
            });
        }
    }
}

impl SettingsInForce {
    /// Reported only without another problem: until it is resolved, agreements are not stored.
    fn report_trust_problem(&mut self, trust: &Trust) {
        if self.problem.is_none() {
            self.problem = trust.problem();
        }
    }
}
