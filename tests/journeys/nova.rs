//! A Nova instance with its own folders.

use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use nova_app::{
    App, AppOptions, Approver, CancellationToken, ChatEnd, ChatRequest, CredentialsFrom, Desktop, InProcess,
    LaunchEnvironment, LocalServer, NoDesktop, Places, ProviderServers, StoreOptions, ToolHost, Web,
};
use nova_guard::Guard;
use nova_protocol::{Commands as _, Envelope, Event, SessionRef};
use nova_testkit::{
    CountingIds, FixedClock, FixedCredentials, LineToolHost, ModelServer, PATIENCE, TempVault, web_of,
};
use serde_json::{Value, json};
use tokio::sync::broadcast::Receiver;

/// Numbers the starts, so that each one generates distinct ids.
static STARTS: AtomicUsize = AtomicUsize::new(1);

/// Two people; enough for most journeys.
pub(crate) const PEOPLE: &str = "
//- CRM/People/Jane Doe.md
---
type: contact
name: Jane Doe
company: \"[[Quillon Labs]]\"
email: jane@quillon.example
stage: lead # since May
tags: [design, berlin]
next_contact: 2026-11-24
---
Met at the fair.

## Log
- 2026-11-04 First call
//- Friends/Tomasz Wirek.md
---
type: contact
name: Tomasz Wirek
stage: customer
---
//- Ideas.md
# Ideas

Ask [[Jane Doe]].
";

/// The only secret environment variable of Nova.
pub(crate) const DEPLOY_TOKEN: &str = "DEPLOY_TOKEN";

pub(crate) struct Nova {
    pub(crate) vault: TempVault,
    pub(crate) model: ModelServer,
    /// Where Nova looks for local model servers; nothing listens at the first address.
    pub(crate) local_servers: Vec<LocalServer>,
    /// Reads tool files.
    pub(crate) tools: LineToolHost,
    /// Replaces `tools` if set.
    pub(crate) tool_host: Option<Arc<dyn ToolHost>>,
    pub(crate) web: Arc<Web>,
    pub(crate) credentials: FixedCredentials,
    /// Replaces `credentials` if set.
    pub(crate) store: Option<StoreOptions>,
    /// Where users of mail and calendars sign in.
    pub(crate) providers: ProviderServers,
    pub(crate) desktop: Arc<dyn Desktop>,
    /// Shared by all starts.
    pub(crate) clock: FixedClock,
    /// The guard that confines processes.
    pub(crate) guard: Guard,
    /// How long a turn waits for a call that reads or runs remotely.
    pub(crate) settle: Duration,
    home: tempfile::TempDir,
}

impl Nova {
    /// A vault built from text, and a model with these answers.
    pub(crate) fn new(notes: &str, answers: impl IntoIterator<Item = nova_testkit::Answer>) -> Self {
        let nova = Self {
            vault: TempVault::from(notes),
            model: ModelServer::start(answers),
            local_servers: vec![local_server("ollama", "ollama", "http://127.0.0.1:9")],
            tools: LineToolHost::default(),
            tool_host: None,
            web: Arc::new(web_of(&[])),
            credentials: FixedCredentials::default(),
            store: None,
            providers: ProviderServers::default(),
            desktop: Arc::new(NoDesktop),
            clock: FixedClock::default(),
            guard: Guard::new(env!("CARGO_BIN_EXE_nova"), ["guard".into()]),
            // Longer than any test, so that calls that are slow on a busy machine do not detach.
            settle: 2 * PATIENCE,
            home: tempfile::tempdir().unwrap(),
        };
        nova.settings(&json!({
            "vault": nova.vault.root(),
            "providers": [{"id": "test", "kind": "openai", "base_url": nova.model.base_url()}],
            "model": "test/scripted",
        }));
        nova
    }

    pub(crate) fn settings(&self, settings: &Value) {
        std::fs::create_dir_all(self.config()).unwrap();
        std::fs::write(self.config().join("nova.config.json"), settings.to_string()).unwrap();
    }

    pub(crate) fn read_settings(&self) -> Value {
        serde_json::from_slice(&std::fs::read(self.config().join("nova.config.json")).unwrap()).unwrap()
    }

    pub(crate) fn rules(&self, yaml: &str) {
        std::fs::create_dir_all(self.config()).unwrap();
        std::fs::write(self.config().join("permissions.yaml"), yaml).unwrap();
    }

    pub(crate) fn config(&self) -> PathBuf {
        self.home.path().join("config")
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.home.path().join("data")
    }

    /// The user's home folder, which contains everything but the vault.
    pub(crate) fn home(&self) -> &std::path::Path {
        self.home.path()
    }

    /// The folder of change sets.
    pub(crate) fn history(&self) -> PathBuf {
        self.home.path().join("data").join("history")
    }

    /// Starts the app as the window does.
    pub(crate) async fn start(&self) -> App {
        App::start(AppOptions {
            places: Places {
                config: self.config(),
                data: self.home.path().join("data"),
                vault: None,
                documents: self.home.path().join("documents"),
                home: Some(self.home.path().to_owned()),
                settings: None,
                obsidian: None,
                trash: None,
            },
            desktop: self.desktop.clone(),
            clock: Arc::new(self.clock.clone()),
            ids: Arc::new(CountingIds::new(&format!("id{}", STARTS.fetch_add(1, Ordering::Relaxed)))),
            secret: Arc::new(|name| (name == DEPLOY_TOKEN).then(|| "canary-token".into())),
            local_servers: self.local_servers.clone(),
            proxy: None,
            launch_environment: LaunchEnvironment::new(
                self.guard.clone(),
                [("HOME".into(), self.home.path().into()), ("PATH".into(), "/usr/bin:/bin".into())],
            ),
            tool_host: self.tool_host.clone().unwrap_or_else(|| Arc::new(self.tools.clone())),
            documents: Arc::new(InProcess),
            web: self.web.clone(),
            settle: self.settle,
            credentials: match &self.store {
                Some(store) => CredentialsFrom::Store(store.clone()),
                None => CredentialsFrom::StandIn(Arc::new(self.credentials.clone())),
            },
            providers: self.providers.clone(),
        })
        .await
        .unwrap()
    }

    /// Runs the program as in a terminal without a user.
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nova"));
        command
            .args(args)
            .env_clear()
            .env("HOME", self.home.path())
            .env("NOVA_CONFIG_DIR", self.config())
            .env("NOVA_DATA_DIR", self.home.path().join("data"))
            .env("OLLAMA_HOST", "127.0.0.1:9")
            .env("NOVA_LOCAL_SERVERS", "")
            // Never use the keychain of whoever runs the tests.
            .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus")
            .env("TZ", "UTC")
            .stdin(std::process::Stdio::null());
        command
    }

    /// Runs the program with `--json` and parses the one value it prints.
    #[track_caller]
    pub(crate) fn json(&self, args: &[&str]) -> (i32, Value) {
        let output = self.run(&[args, &["--json"]].concat());
        let text = String::from_utf8(output.stdout).unwrap();
        let value = serde_json::from_str(&text).unwrap_or_else(|error| {
            panic!("{args:?} printed {text:?} ({error}), {}", String::from_utf8_lossy(&output.stderr))
        });
        (output.status.code().unwrap(), value)
    }
}

/// A candidate address of a local model server.
pub(crate) fn local_server(id: &str, kind: &str, address: &str) -> LocalServer {
    LocalServer { id: id.into(), kind: kind.into(), address: address.into() }
}

/// Runs one turn to its end and returns all events.
pub(crate) async fn turn(
    app: &App,
    session: Option<&str>,
    text: &str,
    approver: impl Approver + 'static,
) -> (ChatEnd, Vec<Event>) {
    let mut events = app.events();
    let end = app
        .chat(ChatRequest {
            session: session.map(str::to_owned),
            text: text.into(),
            skills: Vec::new(),
            tool: None,
            after: None,
            images: Vec::new(),
            model: None,
            approver: Arc::new(approver),
            cancel: CancellationToken::new(),
        })
        .await
        .unwrap();
    (end, drain(&mut events))
}

/// All events emitted so far.
pub(crate) fn drain(events: &mut Receiver<Envelope>) -> Vec<Event> {
    std::iter::from_fn(|| events.try_recv().ok()).map(|envelope| envelope.event).collect()
}

/// Waits for an event.
pub(crate) async fn wait_for(events: &mut Receiver<Envelope>, fits: impl Fn(&Event) -> bool) -> Event {
    let found = async {
        loop {
            let event = events.recv().await.unwrap().event;
            if fits(&event) {
                return event;
            }
        }
    };
    tokio::time::timeout(PATIENCE, found).await.expect("no such event")
}

/// The event's name on the wire.
pub(crate) fn kind(event: &Event) -> String {
    serde_json::to_value(event).unwrap()["type"].as_str().unwrap().to_owned()
}

/// Waits until this many calls of the session run: an end is emitted shortly before it is stored.
pub(crate) async fn until(app: &App, session: &str, running: usize) {
    let written = async {
        loop {
            let view = app.open_session(SessionRef { session: session.into() }).await.unwrap();
            if view.running_calls.len() == running {
                return;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, written).await.expect("no end recorded");
}
