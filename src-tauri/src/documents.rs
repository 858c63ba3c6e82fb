//! Reads PDF and office files, each in a separate process under the guard: a malicious file can make the
//! parsers overflow the stack or exhaust the memory.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use nova_app::{DAMAGED, Documents, Format, read_document};
use nova_guard::{Confinement, Guard, Limits};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// The first argument of the process.
pub(crate) const DOCUMENT: &str = "document";
const PATIENCE: Duration = Duration::from_secs(20);
/// Memory limit of the process, in bytes.
const MEMORY: u64 = 1 << 30;
/// Maximum size of the extracted text, in bytes; the rest is cut off.
const MOST_TEXT: u64 = 64 << 20;
/// Exit code for a document without text.
const NO_TEXT: u8 = 3;

/// Starts one process per document.
pub(crate) struct InChild {
    pub(crate) guard: Guard,
    /// Absolute path of `nova`.
    pub(crate) program: PathBuf,
}

impl Documents for InChild {
    fn text_of(&self, format: Format, bytes: Vec<u8>) -> Result<String, String> {
        let runtime = tokio::runtime::Handle::try_current().map_err(|error| error.to_string())?;
        let read = tokio::time::timeout(PATIENCE, self.read(format, bytes));
        match runtime.block_on(read) {
            Ok(text) => text,
            Err(_) => Err("it took too long".to_owned()),
        }
    }
}

impl InChild {
    /// Dropping the future kills the process.
    async fn read(&self, format: Format, bytes: Vec<u8>) -> Result<String, String> {
        let limits = Limits {
            memory: Some(MEMORY),
            open_files: Some(16),
            file_size: Some(0),
            cpu_seconds: Some(PATIENCE.as_secs()),
            ..Limits::default()
        };
        // Without confinement, the process still isolates Nova from a crash.
        let confinement = Confinement { limits, require: false, ..Confinement::nothing() };
        let command = self.guard.command(&confinement, &self.program).args([DOCUMENT, format.word()]);
        let mut reader = command.start().await.map_err(|error| error.to_string())?;
        let pipes = reader.stdin.take().zip(reader.stdout.take()).zip(reader.stderr.take());
        let ((mut input, output), mut errors) = pipes.ok_or("a pipe of the process is missing")?;
        let listen = async move {
            let mut said = Vec::new();
            output.take(MOST_TEXT).read_to_end(&mut said).await.map(|_| said)
        };
        let write = async move {
            // An error means that it has ended, after reporting the reason.
            let _ = input.write_all(&bytes).await;
        };
        // Drained, so that a panic message cannot block it.
        let mut nowhere = tokio::io::sink();
        let (_, said, _) = tokio::join!(write, listen, tokio::io::copy(&mut errors, &mut nowhere));
        let said = said.map_err(|error| error.to_string())?;
        let is_cut = said.len() as u64 == MOST_TEXT;
        let said = String::from_utf8_lossy(&said).into_owned();
        if is_cut {
            return Ok(said);
        }
        match reader.wait().await.map_err(|error| error.to_string())?.code() {
            Some(0) => Ok(said),
            Some(code) if code == i32::from(NO_TEXT) => Err(said),
            // Stack overflow, out of memory, or timeout.
            _ => Err(DAMAGED.to_owned()),
        }
    }
}

/// Main function of the process `nova document pdf`.
pub(crate) fn child(mut args: impl Iterator<Item = OsString>) -> ExitCode {
    let format = args.next().unwrap_or_default();
    let read = read_document(&format.to_string_lossy(), io::stdin().lock(), io::stdout().lock());
    match read {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(NO_TEXT),
        Err(_) => ExitCode::FAILURE,
    }
}
