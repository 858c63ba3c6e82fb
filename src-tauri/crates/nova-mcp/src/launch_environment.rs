use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use nova_guard::{Confinement, Guard};
use tokio::io::AsyncReadExt as _;
use tokio::sync::OnceCell;

/// Variables of Nova's environment that a server inherits.
const PASSED_ON: [&str; 15] = [
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "TMPDIR",
    "TEMP",
    "TMP",
    "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
];
/// Variables without which programs do not start on Windows.
const PASSED_ON_WINDOWS: [&str; 7] =
    ["APPDATA", "LOCALAPPDATA", "USERPROFILE", "SYSTEMROOT", "SYSTEMDRIVE", "PATHEXT", "PROGRAMFILES"];
/// A login shell may run arbitrary code.
const SHELL_TIME: Duration = Duration::from_secs(5);
/// Fallback `PATH`.
const PLAIN_PATH: &str = "/usr/local/bin:/usr/bin:/bin";
const MARK: &str = "nova-path=";

/// How server processes are started: guard and environment.
#[derive(Clone)]
pub struct LaunchEnvironment {
    guard: Guard,
    variables: Vec<(OsString, OsString)>,
    path: Arc<OnceCell<OsString>>,
}

impl LaunchEnvironment {
    /// `environment` is Nova's own; a server receives only the essential variables of it.
    pub fn new(guard: Guard, environment: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let is_known = |name: &OsStr| {
            let mut known = PASSED_ON.iter().chain(&PASSED_ON_WINDOWS);
            name == "PATH" || known.any(|known| name.eq_ignore_ascii_case(known))
        };
        let variables = environment.into_iter().filter(|(name, _)| is_known(name)).collect();
        Self { guard, variables, path: Arc::default() }
    }

    /// The guard for all processes.
    pub fn guard(&self) -> &Guard {
        &self.guard
    }

    /// The variables of every server. `PATH` is that of the login shell, because a desktop session often has
    /// a shorter one.
    pub async fn variables(&self) -> Vec<(OsString, OsString)> {
        let path = self.path().await.to_owned();
        let others = self.variables.iter().filter(|(name, _)| name != "PATH").cloned();
        others.chain([("PATH".into(), path)]).collect()
    }

    /// Locates the program of a command; `None` if it is not found.
    pub async fn find(&self, program: &str, folder: &Path) -> Option<PathBuf> {
        let given = Path::new(program);
        if given.components().count() > 1 || given.is_absolute() {
            return Some(folder.join(given)).filter(|file| is_program(file));
        }
        let path = self.path().await;
        let mut folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
        folders.find_map(|folder| Some(folder.join(program)).filter(|file| is_program(file)))
    }

    fn variable(&self, name: &str) -> Option<&OsStr> {
        self.variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_os_str())
    }

    async fn path(&self) -> &OsStr {
        let found = self.path.get_or_init(|| async {
            let own = self.variable("PATH").unwrap_or_default();
            let of_shell = match self.variable("SHELL") {
                Some(shell) => self.ask_shell(shell).await.unwrap_or_default(),
                None => OsString::new(),
            };
            let mut folders: Vec<PathBuf> = Vec::new();
            for folder in std::env::split_paths(&of_shell).chain(std::env::split_paths(own)) {
                if folder.is_absolute() && !folders.contains(&folder) {
                    folders.push(folder);
                }
            }
            if folders.is_empty() {
                return PLAIN_PATH.into();
            }
            std::env::join_paths(folders).unwrap_or_else(|_| own.to_owned())
        });
        found.await
    }

    /// `None` if the shell does not answer in time.
    async fn ask_shell(&self, shell: &OsStr) -> Option<OsString> {
        let mut command = self.guard.command(&Confinement::supervised(), shell);
        command = command.args(["-i", "-l", "-c", &format!("printf '\\n{MARK}%s\\n' \"$PATH\"")]);
        for (name, value) in &self.variables {
            command = command.env(name, value);
        }
        let asked = async {
            let mut running = command.start().await.ok()?;
            drop(running.stdin.take());
            let mut said = Vec::new();
            running.stdout.take()?.take(1 << 20).read_to_end(&mut said).await.ok()?;
            let text = String::from_utf8(said).ok()?;
            text.lines().rev().find_map(|line| line.strip_prefix(MARK)).map(OsString::from)
        };
        tokio::time::timeout(SHELL_TIME, asked).await.ok().flatten()
    }
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}
