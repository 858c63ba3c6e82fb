use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::display::Display;
use super::session::Session;
use super::{copy_tree, desktop};

/// The folders of one Nova during a test: config, data, vault and the user's home. Removed on drop; opening a
/// second [`Window`] on the same home is a restart.
pub(crate) struct Home {
    folder: tempfile::TempDir,
    theme: Theme,
    /// Address of an Ollama.
    ollama: String,
    /// Whether `NOVA_VAULT` names the vault; otherwise the settings do, or nothing does.
    names_vault: bool,
    /// Where local model servers are looked for: `ID=ADDRESS`.
    local_servers: String,
    /// Name of the vault's folder.
    vault: String,
    /// Variables that replace or extend the common environment.
    pub(super) desktop: Vec<(&'static str, PathBuf)>,
    display: Display,
}

/// The configuration folder within a home; the data folder is separate.
const CONFIG: &str = "home/.config/nova";

/// The desktop's colour scheme, which the page sees as `prefers-color-scheme`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "each test target uses its part of the harness")]
pub(crate) enum Theme {
    Light,
    Dark,
}

#[allow(dead_code, reason = "each test target uses its part of the harness")]
impl Home {
    /// An empty vault and no settings at all, as on a first start with `NOVA_VAULT` set.
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("nova-e2e-").tempdir().expect("a temporary folder");
        // Nothing listens there, so no test depends on the machine's servers.
        let ollama = "127.0.0.1:9".into();
        let home = Home {
            folder,
            theme: Theme::Light,
            ollama,
            names_vault: true,
            local_servers: String::new(),
            vault: "vault".into(),
            desktop: Vec::new(),
            display: Display::new(),
        };
        for part in [CONFIG, "data", "vault"] {
            std::fs::create_dir_all(home.path(part)).expect("a folder inside the temporary one");
        }
        home
    }

    pub(crate) fn theme(mut self, theme: Theme) -> Self {
        self.theme = theme;
        self
    }

    /// With an Ollama at this address, `http://127.0.0.1:PORT`.
    pub(crate) fn ollama(mut self, address: &str) -> Self {
        self.ollama = address.to_owned();
        self
    }

    /// Sets the vault folder's name, which the window shows. Call it before adding notes.
    pub(crate) fn vault_named(mut self, name: &str) -> Self {
        let before = std::mem::replace(&mut self.vault, name.to_owned());
        std::fs::rename(self.path(&before), self.vault()).expect("the vault, renamed");
        self
    }

    /// Like a machine on which Nova was never started.
    pub(crate) fn first_start(mut self) -> Self {
        self.names_vault = false;
        self
    }

    /// Adds a local model server at an address where Nova looks for one.
    pub(crate) fn local_server(mut self, id: &str, address: &str) -> Self {
        self.local_servers = format!("{id}={address}");
        self
    }

    /// Sets the system language, such as `de_DE`.
    pub(crate) fn language(mut self, language: &str) -> Self {
        self.desktop.extend(desktop::language(&self.path("locale"), language));
        self
    }

    /// Makes a shell script open addresses; it receives the address as its last argument.
    pub(crate) fn launcher(mut self, script: &str) -> Self {
        self.desktop.push(desktop::launcher(&self.path("home/bin"), script));
        self
    }

    /// On this desktop session, with its notifications and tray.
    pub(crate) fn on(mut self, session: &Session) -> Self {
        self.desktop.push(("DBUS_SESSION_BUS_ADDRESS", session.address().into()));
        self
    }

    /// On a machine whose library for tray icons cannot be loaded.
    pub(crate) fn without_tray_library(mut self) -> Self {
        let folder = self.path("home/lib");
        std::fs::create_dir_all(&folder).expect("a folder for libraries");
        for name in ["libayatana-appindicator3.so", "libappindicator3.so"] {
            for file in [name.to_owned(), format!("{name}.1")] {
                std::fs::write(folder.join(file), "no library").expect("the file");
            }
        }
        self.desktop.push(("LD_LIBRARY_PATH", folder));
        self
    }

    /// The user's documents folder; Nova creates it when it copies the sample there.
    pub(crate) fn documents(&self) -> PathBuf {
        self.path("home/Documents")
    }

    /// Writes a note and creates its folders; `path` is relative to the vault.
    pub(crate) fn note(self, path: &str, text: &str) -> Self {
        let file = self.vault().join(path);
        let folder = file.parent().expect("a note lies in a folder");
        std::fs::create_dir_all(folder).expect("the note's folder");
        std::fs::write(&file, text).expect("the note");
        self
    }

    /// Copies every file below `folder` into the vault.
    pub(crate) fn vault_from(self, folder: &Path) -> Self {
        copy_tree(folder, &self.vault());
        self
    }

    /// Writes `nova.config.json`, whole.
    pub(crate) fn settings(self, settings: &Value) -> Self {
        let text = serde_json::to_string_pretty(settings).expect("settings are plain JSON");
        std::fs::write(self.path(CONFIG).join("nova.config.json"), text).expect("the settings");
        self
    }

    /// Settings with one OpenAI-compatible provider, `scripted`, at `base_url` (`http://127.0.0.1:PORT/v1`),
    /// and its model `test` as the default.
    pub(crate) fn provider(self, base_url: &str) -> Self {
        let vault = self.vault();
        self.settings(&json!({
            "vault": vault,
            "providers": [{ "id": "scripted", "kind": "openai", "base_url": base_url, "models": ["test"] }],
            "model": "scripted/test",
        }))
    }

    pub(crate) fn vault(&self) -> PathBuf {
        self.path(&self.vault)
    }

    /// Adds a TypeScript tool written by the assistant and not yet approved.
    pub(crate) fn waiting_tool(self, file: &str, source: &str) -> Self {
        let folder = self.path(CONFIG).join("tools/pending");
        std::fs::create_dir_all(&folder).expect("the folder of waiting tools");
        std::fs::write(folder.join(file), source).expect("the tool");
        self
    }

    /// Writes a file in the configuration folder, such as a skill or a tool.
    pub(crate) fn config_file(self, path: &str, text: &str) -> Self {
        self.file(CONFIG, path, text)
    }

    /// Writes a file in the user's home.
    pub(crate) fn home_file(self, path: &str, text: &str) -> Self {
        self.file("home", path, text)
    }

    fn file(self, folder: &str, path: &str, text: &str) -> Self {
        let file = self.path(folder).join(path);
        std::fs::create_dir_all(file.parent().expect("a file lies in a folder")).expect("its folder");
        std::fs::write(&file, text).expect("the file");
        self
    }

    /// A path in the user's home, which may not exist.
    pub(crate) fn in_home(&self, file: &str) -> PathBuf {
        self.path("home").join(file)
    }

    /// The configuration folder.
    pub(crate) fn config(&self) -> PathBuf {
        self.path(CONFIG)
    }

    /// Nova's data folder.
    pub(crate) fn data(&self) -> PathBuf {
        self.path("data")
    }

    /// Runs this checkout's `nova` as a command in this home and parses the JSON it prints.
    pub(crate) fn nova(&self, args: &[&str]) -> Value {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_nova"))
            .args(args)
            .envs(self.environment())
            .output()
            .expect("the program runs");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
            panic!("{args:?} printed no JSON ({error}): {}", String::from_utf8_lossy(&output.stderr))
        })
    }

    /// The text of a note on disk.
    pub(crate) fn read_note(&self, path: &str) -> String {
        let file = self.vault().join(path);
        std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    }

    /// `nova.config.json` on disk.
    pub(crate) fn read_config(&self) -> Value {
        let text = std::fs::read(self.path(CONFIG).join("nova.config.json")).expect("the settings are there");
        serde_json::from_slice(&text).expect("the settings are JSON")
    }

    pub(super) fn path(&self, part: &str) -> PathBuf {
        self.folder.path().join(part)
    }

    /// The program's environment, which replaces the developer's own settings.
    pub(super) fn environment(&self) -> Vec<(&'static str, PathBuf)> {
        let gtk_theme = match self.theme {
            Theme::Light => "Adwaita",
            Theme::Dark => "Adwaita:dark",
        };
        let mut environment = vec![
            ("NOVA_CONFIG_DIR", self.path(CONFIG)),
            ("NOVA_DATA_DIR", self.path("data")),
            ("NOVA_VAULT", if self.names_vault { self.vault() } else { PathBuf::new() }),
            ("HOME", self.path("home")),
            ("XDG_CONFIG_HOME", self.path("home/.config")),
            ("XDG_DATA_HOME", self.path("home/.local/share")),
            ("XDG_CACHE_HOME", self.path("home/.cache")),
            ("GTK_THEME", gtk_theme.into()),
            ("OLLAMA_HOST", self.ollama.clone().into()),
            ("NOVA_LOCAL_SERVERS", self.local_servers.clone().into()),
            // Never use the keychain of whoever runs the tests.
            ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus".into()),
            ("LC_ALL", "C.UTF-8".into()),
            ("TZ", "UTC".into()),
            // Not WEBKIT_DISABLE_DMABUF_RENDERER: with it WebKitGTK 2.50 never answers a screenshot request.
        ];
        // X clients look for their authority file in HOME, which was just replaced.
        if std::env::var_os("XAUTHORITY").is_none()
            && let Some(real) = std::env::home_dir()
        {
            environment.push(("XAUTHORITY", real.join(".Xauthority")));
        }
        environment.extend(self.display.environment());
        environment.extend(self.desktop.clone());
        environment
    }
}
