//! A virtual display for the windows of one test: two tests on one display take the focus from each other.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

/// The display that the environment names, or an `Xvfb` that ends with it.
pub(super) struct Display(Option<Virtual>);

struct Virtual {
    server: Child,
    name: String,
}

impl Display {
    pub(super) fn new() -> Self {
        let is_given = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
        Self((cfg!(target_os = "linux") && !is_given).then(Virtual::start))
    }

    pub(super) fn environment(&self) -> Option<(&'static str, PathBuf)> {
        self.0.as_ref().map(|display| ("DISPLAY", display.name.clone().into()))
    }
}

impl Virtual {
    /// Returns once the server accepts clients.
    fn start() -> Self {
        let mut server = Command::new("Xvfb")
            // Larger than the window's default size, which would be cut otherwise.
            .args(["-displayfd", "1", "-nolisten", "tcp", "-screen", "0", "1600x1000x24"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("Xvfb: {error}; `make setup` installs it"));
        let mut number = String::new();
        let output = server.stdout.take().expect("the standard output of Xvfb");
        BufReader::new(output).read_line(&mut number).expect("the number of the display");
        assert!(!number.trim().is_empty(), "Xvfb found no free display");
        Self { server, name: format!(":{}", number.trim()) }
    }
}

impl Drop for Virtual {
    /// TERM, because a killed server leaves its lock file behind.
    fn drop(&mut self) {
        let _ = kill_process(Pid::from_child(&self.server), Signal::TERM);
        let _ = self.server.wait();
    }
}
