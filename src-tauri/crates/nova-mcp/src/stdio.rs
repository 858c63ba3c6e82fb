//! Transport to a server process: one message per line on stdin and stdout.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use nova_guard::Guarded;
use nova_registry::harmless_line;
use rmcp::RoleClient;
use rmcp::model::ServerJsonRpcMessage;
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::definition::short;
use crate::ending::Ending;
use crate::last_lines::LastLines;
use crate::limits;

/// Grace period for exiting after end of file on stdin; then the process is killed with all its descendants.
const POLITE: Duration = Duration::from_secs(2);
/// Grace period for exiting after closing stdout, so that the exit status can be reported.
const EXIT_GRACE: Duration = Duration::from_millis(500);

/// A running process. Dropping it kills the process with all its descendants.
pub(crate) struct Stdio {
    /// Holds `None` once stdin is to be closed.
    to_process: Arc<Mutex<Option<ChildStdin>>>,
    output: BufReader<ChildStdout>,
    /// A partial line.
    line: Vec<u8>,
    /// Bytes of other output since the last message.
    noise: usize,
    first_noise: Option<String>,
    process: Guarded,
    ending: Arc<Ending>,
    /// Cancelled to skip the grace period.
    at_once: CancellationToken,
}

impl Stdio {
    /// # Errors
    /// When a pipe of the process is missing.
    pub(crate) fn new(
        mut process: Guarded,
        said: LastLines,
        ending: Arc<Ending>,
        at_once: CancellationToken,
    ) -> io::Result<Self> {
        let missing = || io::Error::other("a pipe of the process is missing");
        let stdin = process.stdin.take().ok_or_else(missing)?;
        let output = BufReader::new(process.stdout.take().ok_or_else(missing)?);
        tokio::spawn(said.follow(process.stderr.take().ok_or_else(missing)?));
        let to_process = Arc::new(Mutex::new(Some(stdin)));
        let (line, noise, first_noise) = (Vec::new(), 0, None);
        Ok(Self { to_process, output, line, noise, first_noise, process, ending, at_once })
    }

    /// The next line without its ending; `None` at the end of the output, or after an overlong line. Cancel
    /// safe.
    async fn next_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            let read = self.output.fill_buf().await?;
            if read.is_empty() {
                return Ok(None);
            }
            let end = read.iter().position(|byte| *byte == b'\n');
            let part = &read[..end.unwrap_or(read.len())];
            if self.line.len() + part.len() > limits::MESSAGE {
                let most = limits::MESSAGE >> 20;
                self.ending.say(format!("It sent more than {most} MB in one message"));
                return Ok(None);
            }
            self.line.extend_from_slice(part);
            let used = end.map_or(read.len(), |end| end + 1);
            self.output.consume(used);
            if end.is_some() {
                return Ok(Some(std::mem::take(&mut self.line)));
            }
        }
    }

    /// Parses a line; `None` if it is not a message. The error ends the connection.
    fn read(&mut self, line: &[u8]) -> Result<Option<ServerJsonRpcMessage>, String> {
        let line = line.trim_ascii();
        if line.is_empty() {
            return Ok(None);
        }
        match serde_json::from_slice(line) {
            Ok(message) => {
                self.noise = 0;
                Ok(Some(message))
            }
            // Fatal, because a caller may be waiting for this response.
            Err(error) if contains(line, b"\"jsonrpc\"") => {
                Err(format!("It sent a message that cannot be read ({})", short(&error.to_string())))
            }
            Err(_) => {
                self.noise += line.len();
                let text = short(&harmless_line(&String::from_utf8_lossy(&line[..line.len().min(2_000)])));
                let first = self.first_noise.get_or_insert(text);
                if self.noise > limits::NOISE {
                    return Err(format!("It prints text between its messages: \"{first}\""));
                }
                self.ending.hear_noise(first);
                Ok(None)
            }
        }
    }
}

impl Transport<RoleClient> for Stdio {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let to_process = self.to_process.clone();
        async move {
            let mut bytes = serde_json::to_vec(&message)?;
            bytes.push(b'\n');
            if let Some(stdin) = to_process.lock().await.as_mut() {
                // On a write error the output ends as well, which gives a better reason.
                let _ = stdin.write_all(&bytes).await;
                return Ok(());
            }
            Err(io::ErrorKind::BrokenPipe.into())
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let line = match self.next_line().await {
                Ok(Some(line)) => line,
                Ok(None) | Err(_) => break,
            };
            match self.read(&line) {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(why) => {
                    self.ending.say(why);
                    break;
                }
            }
        }
        if self.ending.why().is_none()
            && let Ok(Ok(status)) = tokio::time::timeout(EXIT_GRACE, self.process.wait()).await
        {
            self.ending.process_ended(status);
        }
        None
    }

    async fn close(&mut self) -> io::Result<()> {
        // A process that does not read its input is killed below.
        if let Ok(mut stdin) = self.to_process.try_lock() {
            *stdin = None;
        }
        let at_once = self.at_once.clone();
        tokio::select! {
            ended = tokio::time::timeout(POLITE, self.process.wait()) => {
                if let Ok(Ok(_)) = ended {
                    return Ok(());
                }
            }
            () = at_once.cancelled() => {}
        }
        self.process.kill().await.map(drop)
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}
