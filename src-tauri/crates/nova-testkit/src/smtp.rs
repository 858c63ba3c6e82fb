use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::Dovecot;

/// A real mail server on a port of this machine to which a test sends: aiosmtpd, installed by `.ci/setup test`. It shows
/// the certificate of a [`Dovecot`] and takes its password, and its access tokens by XOAUTH2. Names of recipients make it misbehave, see `smtp.py`. It ends
/// when it is dropped.
pub struct SmtpServer {
    process: Child,
    port: u16,
    taken: tempfile::TempDir,
}

/// A message that the server accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenMail {
    pub from: String,
    pub to: Vec<String>,
    pub message: String,
}

impl SmtpServer {
    /// Starts a server with TLS from the first byte.
    ///
    /// # Panics
    /// If it is not installed, or does not start.
    pub fn start(beside: &Dovecot) -> Self {
        Self::run(beside, "tls")
    }

    /// Starts a server with STARTTLS.
    ///
    /// # Panics
    /// As [`SmtpServer::start`].
    pub fn start_with_starttls(beside: &Dovecot) -> Self {
        Self::run(beside, "starttls")
    }

    fn run(beside: &Dovecot, way: &str) -> Self {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let taken = tempfile::Builder::new().prefix("smtp").tempdir().expect("a folder");
        let (certificate, key) = (beside.certificate_file(), beside.key_file());
        let mut process = Command::new(here.join("../../../.cache/mail/bin/python"))
            .arg(here.join("src/smtp.py"))
            .args([taken.path(), &certificate, &key])
            .args([way, Dovecot::PASSWORD, beside.lookup(), &beside.port().to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("aiosmtpd is missing. Run `.ci/setup test`.");
        let mut line = String::new();
        let mut says = BufReader::new(process.stdout.take().expect("piped"));
        says.read_line(&mut line).expect("its port");
        let port = line.trim().parse().expect("aiosmtpd does not start");
        Self { process, port, taken }
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// The accepted messages, in order of arrival.
    ///
    /// # Panics
    /// If they cannot be read.
    pub fn taken(&self) -> Vec<TakenMail> {
        let entries = fs::read_dir(self.taken.path()).expect("a folder");
        let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
        files.retain(|file| file.extension().is_some_and(|ending| ending == "json"));
        files.sort();
        let read = |file| TakenMail::read(&fs::read(file).expect("a message"));
        files.iter().map(read).collect()
    }
}

impl TakenMail {
    fn read(json: &[u8]) -> Self {
        let value: Value = serde_json::from_slice(json).expect("a message");
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        Self {
            from: text(&value["from"]),
            to: value["to"].as_array().expect("recipients").iter().map(text).collect(),
            message: text(&value["message"]),
        }
    }
}

impl SmtpServer {
    /// Ends it and its connections, like a network that fails.
    pub fn stop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for SmtpServer {
    fn drop(&mut self) {
        self.stop();
    }
}
