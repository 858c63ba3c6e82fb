//! `tauri-driver` and its children, as one process group that ends with the test.

use std::fs::File;
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::json;

use super::PATIENCE;

/// Startup takes about a second, or ten on a busy machine; after this long it has failed.
const START: Duration = Duration::from_secs(60);

/// Starts the driver and through it `program`, with `environment` set on top of this process's own.
pub(super) async fn start(program: &Path, environment: &[(&str, PathBuf)]) -> (Driver, Client) {
    let mut capabilities = serde_json::Map::new();
    capabilities.insert("tauri:options".into(), json!({ "application": program }));
    capabilities.insert("timeouts".into(), json!({ "script": PATIENCE.as_millis() }));

    // In one of a hundred starts on a busy machine, WebKitWebDriver never attaches to the web view; and
    // another process can take a port after it was found free.
    let mut attempts = 3;
    loop {
        let mut driver = Driver::spawn(environment);
        let why = match tokio::time::timeout(START, connect(&mut driver, &capabilities)).await {
            Ok(Ok(client)) => return (driver, client),
            Ok(Err(why)) => why,
            Err(_) => format!("no window after {START:?}"),
        };
        attempts -= 1;
        if attempts == 0 {
            driver.fail(&why, None);
        }
        eprintln!("{why}; starting again");
    }
}

/// Requests a session until the driver, which needs a moment to listen, provides one.
async fn connect(
    driver: &mut Driver,
    capabilities: &serde_json::Map<String, serde_json::Value>,
) -> Result<Client, String> {
    loop {
        let asked = ClientBuilder::new(HttpConnector::new())
            .capabilities(capabilities.clone())
            .connect(&driver.address)
            .await;
        match asked {
            Ok(client) => return Ok(client),
            Err(error) if driver.has_ended() => return Err(format!("the driver ended: {error}")),
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

/// The driver's process group.
pub(super) struct Driver {
    child: Child,
    address: String,
    log: PathBuf,
    ended: bool,
}

impl Driver {
    fn spawn(environment: &[(&str, PathBuf)]) -> Self {
        let reports = reports_folder();
        std::fs::create_dir_all(&reports).expect("a folder for logs and pictures");
        let log = reports.join(format!("{}.log", test_name()));
        let output = File::create(&log).unwrap_or_else(|error| panic!("{}: {error}", log.display()));
        let errors = output.try_clone().expect("a second handle of the log");

        let (port, native_port) = two_free_ports();
        let program = driver_program();
        let child = Command::new(&program)
            .arg(format!("--port={port}"))
            .arg(format!("--native-port={native_port}"))
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors)
            .process_group(0)
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}; `make test-window` installs it", program.display()));
        Driver { child, address: format!("http://127.0.0.1:{port}"), log, ended: false }
    }

    /// Ends the group and waits until its last process is gone, so that a restart on the same folders finds
    /// none. TERM, because a killed `tauri-driver` leaves WebKitWebDriver behind, which then keeps this
    /// test's pipes open.
    pub(super) fn end(&mut self) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        let group = Pid::from_child(&self.child);
        // An error means that the group is empty already.
        let _ = kill_process_group(group, Signal::TERM);
        let deadline = Instant::now() + Duration::from_secs(5);
        while !self.members().is_empty() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = kill_process_group(group, Signal::KILL);
        let _ = self.child.wait();
    }

    /// Fails the test with the reason and the paths of the screenshot and the log.
    pub(super) fn fail(&self, reason: &str, picture: Option<&[u8]>) -> ! {
        let log = std::fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        let tail = lines[lines.len().saturating_sub(20)..].join("\n");
        let seen = picture.map_or_else(String::new, |png| {
            let file = self.log.with_extension("png");
            match std::fs::write(&file, png) {
                Ok(()) => format!("\nthe window then: {}", file.display()),
                Err(error) => format!("\nno picture: {error}"),
            }
        });
        panic!("{reason}{seen}\nthe program's log ({}):\n{tail}", self.log.display());
    }

    /// The processes of the window itself: program, web and network process.
    pub(super) fn processes(&self) -> Vec<u32> {
        let is_driver = |name: &str| name == "tauri-driver" || name == "WebKitWebDriver";
        let members = self.members().into_iter();
        members.filter(|(_, name)| !is_driver(name)).map(|(process, _)| process).collect()
    }

    /// Every living process of the group, with its name.
    fn members(&self) -> Vec<(u32, String)> {
        let group = self.child.id().to_string();
        let everyone = std::fs::read_dir("/proc").expect("the list of processes");
        let numbers = everyone.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        numbers
            .filter_map(|process: u32| {
                // `ID (NAME) STATE PARENT GROUP …`; a name may hold spaces and parentheses.
                let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
                let (start, rest) = stat.rsplit_once(") ")?;
                let mut fields = rest.split(' ');
                let (state, in_group) = (fields.next()?, fields.nth(1)? == group);
                let name = start.split_once(" (")?.1.to_owned();
                (in_group && state != "Z").then_some((process, name))
            })
            .collect()
    }

    fn has_ended(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)))
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.end();
    }
}

/// `target/tools/bin/tauri-driver`, or `TAURI_DRIVER`.
fn driver_program() -> PathBuf {
    std::env::var_os("TAURI_DRIVER")
        .map_or_else(|| target_folder().join("tools/bin/tauri-driver"), PathBuf::from)
}

fn reports_folder() -> PathBuf {
    target_folder().join("e2e")
}

/// The target folder this test was built into, wherever `CARGO_TARGET_DIR` put it.
fn target_folder() -> PathBuf {
    let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
    temporary.parent().expect("cargo's temporary folder lies in the target folder").to_owned()
}

/// The test's name, which the test runner gives to its thread.
fn test_name() -> String {
    let thread = std::thread::current();
    thread.name().unwrap_or("window").replace("::", "-")
}

fn two_free_ports() -> (u16, u16) {
    let bind = || TcpListener::bind("127.0.0.1:0").expect("a free port on loopback");
    let port = |listener: &TcpListener| listener.local_addr().expect("a bound port").port();
    // Both stay bound until both are known, so that they differ.
    let (first, second) = (bind(), bind());
    (port(&first), port(&second))
}
