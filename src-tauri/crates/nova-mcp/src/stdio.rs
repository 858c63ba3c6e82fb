//! The way to a server that is a process: one message per line on its standard input and output.

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

/// How long a process may take to end when its input has ended; then it is killed with all that it
/// has started.
const POLITE: Duration = Duration::from_secs(2);
/// How long a process whose output has ended may take to exit by itself, so that its exit status is reported.
const LAST_BREATH: Duration = Duration::from_millis(500);

/// A running process. To drop it is to end it with all its descendants.
pub(crate) struct Stdio {
    /// None inside once its input is to end.
    to_process: Arc<Mutex<Option<ChildStdin>>>,
    output: BufReader<ChildStdout>,
    /// The beginning of a line.
    line: Vec<u8>,
    /// Bytes that were no message since the last one.
    noise: usize,
    first_noise: Option<String>,
    process: Guarded,
    ending: Arc<Ending>,
    /// Set where it is not to be waited for.
    at_once: CancellationToken,
}

impl Stdio {
    /// # Errors
    /// When the process has not all of its pipes.
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

    /// A line without its end; None at the end, or where one is longer than it may be. May be dropped and
    /// called again.
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

    /// What a line says; None where it is no message, with why nothing more can be read where that is so.
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
            // A caller may wait for just this answer.
            Err(error) if contains(line, b"\"jsonrpc\"") => {
                Err(format!("It sent a message that cannot be read ({})", short(&error.to_string())))
            }
            Err(_) => {
                self.noise += line.len();
                let text = short(&harmless_line(&String::from_utf8_lossy(&line[..line.len().min(2_000)])));
                let first = self.first_noise.get_or_insert(text);
                if self.noise > limits::NOISE {
                    return Err(format!("It prints text where only messages belong: \"{first}\""));
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
                // Where nothing can be written any more its output ends too, and says more.
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
            && let Ok(Ok(status)) = tokio::time::timeout(LAST_BREATH, self.process.wait()).await
        {
            self.ending.process_ended(status);
        }
        None
    }

    async fn close(&mut self) -> io::Result<()> {
        // A process that does not read what is being written is killed below.
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
