//! Input typed at a terminal, which the program `script` provides.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use nova_testkit::PATIENCE;

use super::keeping_credentials::{CANARY, PASSPHRASE, assert_clean, run_with_stdin, succeeds};
use super::nova::Nova;

/// The program in a terminal, and all of its output.
pub(crate) struct Terminal {
    child: Child,
    keys: ChildStdin,
    shown: Receiver<Vec<u8>>,
    screen: Vec<u8>,
    /// A file with the device's name, written once the program has it.
    device: PathBuf,
    _folder: tempfile::TempDir,
}

impl Terminal {
    pub(crate) fn run(nova: &Nova, args: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let device = folder.path().join("device");
        let line = format!("tty > '{}'; exec '{}' {args}", device.display(), env!("CARGO_BIN_EXE_nova"));
        let mut script = Command::new("script");
        script.args(["--quiet", "--return", "--command", &line, "/dev/null"]).env_clear();
        let nova = nova.command(&[]);
        script.envs(nova.get_envs().filter_map(|(key, value)| Some((key, value?))));
        script.env("PATH", std::env::var_os("PATH").unwrap());
        let mut child = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut out = child.stdout.take().unwrap();
        let (tell, shown) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 1024];
            while let Ok(read @ 1..) = out.read(&mut bytes) {
                let _ = tell.send(bytes[..read].to_vec());
            }
        });
        Self { keys: child.stdin.take().unwrap(), child, shown, screen: Vec::new(), device, _folder: folder }
    }

    /// Types a line once the screen ends with this text.
    #[track_caller]
    pub(crate) fn type_after(&mut self, prompt: &str, text: &str) {
        self.wait_for(prompt);
        self.keys.write_all(format!("{text}\n").as_bytes()).unwrap();
    }

    #[track_caller]
    fn wait_for(&mut self, prompt: &str) {
        while !self.screen().trim_end().ends_with(prompt) {
            match self.shown.recv_timeout(PATIENCE) {
                Ok(bytes) => self.screen.extend(bytes),
                Err(error) => panic!("no {prompt} ({error}): {}", self.screen()),
            }
        }
    }

    /// Types a line once this is prompted for and echo is off.
    #[track_caller]
    fn type_unseen(&mut self, prompt: &str, text: &str) {
        self.wait_for(prompt);
        let asked = Instant::now();
        while echoes(&self.device) {
            assert!(asked.elapsed() < PATIENCE, "input after {prompt} is echoed");
        }
        self.keys.write_all(format!("{text}\n").as_bytes()).unwrap();
    }

    fn screen(&self) -> String {
        String::from_utf8_lossy(&self.screen).into_owned()
    }

    /// Returns the exit code and everything that was on the screen.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        self.screen.extend(self.shown.iter().flatten());
        (self.child.wait().unwrap().code(), self.screen())
    }
}

/// Whether the terminal echoes input.
fn echoes(device: &Path) -> bool {
    let Ok(device) = std::fs::read_to_string(device) else { return true };
    let told = Command::new("stty").args(["-a", "-F", device.trim()]).output().unwrap();
    !String::from_utf8_lossy(&told.stdout).split_whitespace().any(|word| word == "-echo")
}

#[test]
fn secret_and_passphrase_are_typed_without_echo() {
    let nova = Nova::new("", []);
    let mut terminal = Terminal::run(&nova, "credential set weather/key");
    terminal.type_unseen("Value of weather/key:", CANARY);
    terminal.type_unseen("New passphrase for an encrypted file:", PASSPHRASE);
    terminal.type_unseen("Repeat the passphrase:", PASSPHRASE);
    let (code, screen) = terminal.end();
    assert_eq!(code, Some(0), "{screen}");
    assert!(screen.contains("weather/key is stored."), "{screen}");
    assert_clean(screen.as_bytes(), "the terminal");
    assert!(!screen.contains(PASSPHRASE), "{screen}");

    assert!(succeeds(&run_with_stdin(&nova, &["credential", "list"], "")).contains("weather/key"));
}

#[test]
fn differing_passphrases_store_nothing() {
    let nova = Nova::new("", []);
    let mut terminal = Terminal::run(&nova, "credential set weather/key");
    terminal.type_unseen("Value of weather/key:", CANARY);
    terminal.type_unseen("New passphrase for an encrypted file:", PASSPHRASE);
    terminal.type_unseen("Repeat the passphrase:", "something else");
    let (code, screen) = terminal.end();
    assert_eq!(code, Some(1), "{screen}");
    assert!(screen.contains("The passphrases differ. Nothing was stored."), "{screen}");
    assert_clean(screen.as_bytes(), "the terminal");
    assert!(!nova.data().join("credentials.age").exists());
}

/// A waiting program stands in for the window's: only its process name and arguments are checked.
#[test]
fn without_a_command_nova_becomes_the_window_under_its_desktop_name() {
    let built = Path::new(env!("CARGO_BIN_EXE_nova"));
    let folder = tempfile::tempdir_in(built.parent().unwrap()).unwrap();
    let nova = folder.path().join("nova");
    std::fs::hard_link(built, &nova).unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let cat = std::env::split_paths(&path).map(|at| at.join("cat")).find(|cat| cat.is_file()).unwrap();
    let cat = cat.canonicalize().unwrap();
    std::os::unix::fs::symlink(&cat, folder.path().join("nova-window")).unwrap();
    let mut started = Command::new(&nova).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let of = PathBuf::from(format!("/proc/{}", started.id()));
    let asked = Instant::now();
    // During exec it already is the new process, but without arguments.
    let name = || std::fs::read(of.join("cmdline")).unwrap();
    while std::fs::read_link(of.join("exe")).unwrap() != cat || name().is_empty() {
        assert!(asked.elapsed() < PATIENCE, "it is still {:?}", std::fs::read_link(of.join("exe")));
        std::thread::yield_now();
    }
    assert_eq!(name(), b"nova\0");
    drop(started.stdin.take());
    assert!(started.wait().unwrap().success());
}
