//! Starting Nova again: a window that keeps running is shown instead of opening another one.
//!
//! The first window on a data folder is its *resident*. It listens on loopback; the port and a token are in
//! `window/resident.json`, which only the user can read. A later start sends the token and, if it names a
//! vault, its path, as a line of JSON; the answer is `shown` or `no`.

use std::fs::{File, TryLockError};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;

use crate::app::App;
use crate::own_files;
use crate::places::Places;

/// Time limit of one question; a window that is just being opened needs a few seconds.
const PATIENCE: Duration = Duration::from_secs(15);
/// Size limit of a question, in bytes.
const MOST: u64 = 64 * 1024;
const SHOWN: &str = "shown\n";

/// While it exists, later starts on the same data folder are answered.
#[derive(Debug)]
pub struct Resident {
    listening: AbortHandle,
    lock: File,
}

#[derive(Serialize, Deserialize)]
struct Address {
    port: u16,
    token: String,
}

#[derive(Serialize, Deserialize)]
struct Question {
    token: String,
    vault: Option<PathBuf>,
}

impl App {
    /// Makes this window the resident of the data folder, on the current runtime; `None` if another one is,
    /// or if it is not possible.
    pub fn become_resident(&self) -> Option<Resident> {
        match Resident::take(self.clone()) {
            Ok(resident) => resident,
            Err(error) => {
                tracing::warn!("another start of Nova will open another window: {error}");
                None
            }
        }
    }

    /// Whether the window was shown. One that neither keeps running nor is hidden is left alone, and so is
    /// one with another vault.
    async fn show_for_start(&self, vault: Option<&Path>) -> bool {
        let desktop = &self.inner.options.desktop;
        let whole = |path: &Path| std::fs::canonicalize(path).ok();
        let same = |named: &Path| {
            self.vault().is_ok_and(|open| whole(named).is_some() && whole(named) == whole(open.root()))
        };
        vault.is_none_or(same) && (self.keeps_running() || desktop.is_hidden()) && desktop.show_window().await
    }
}

impl Resident {
    fn take(app: App) -> io::Result<Option<Self>> {
        let data = &app.places().data;
        nova_files::private_folder(&data.join("window"))?;
        let lock = nova_files::open_lock(&data.join("window").join("resident.lock"))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let token = token()?;
        let address = Address { port: listener.local_addr()?.port(), token: token.clone() };
        own_files::write(&address_file(data), &serde_json::to_vec(&address)?)?;
        let listener = TcpListener::from_std(listener)?;
        let listening = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                // One after the other, so that they hold a single connection.
                if let Ok(Err(error)) = tokio::time::timeout(PATIENCE, answer(stream, &token, &app)).await {
                    tracing::debug!("another start of Nova: {error}");
                }
            }
        });
        Ok(Some(Self { listening: listening.abort_handle(), lock }))
    }
}

impl Drop for Resident {
    fn drop(&mut self) {
        self.listening.abort();
        // A child process being started briefly inherits the descriptor, and with it the lock.
        let _ = self.lock.unlock();
    }
}

/// Asks the resident of the data folder to show its window. `false` if there is none, or if it does not.
pub async fn show_resident(places: &Places) -> bool {
    match tokio::time::timeout(PATIENCE, ask(places)).await {
        Ok(Ok(shown)) => shown,
        Ok(Err(error)) => {
            tracing::debug!("no window is shown: {error}");
            false
        }
        Err(_) => false,
    }
}

async fn ask(places: &Places) -> io::Result<bool> {
    let Address { port, token } = serde_json::from_slice(&nova_files::read(&address_file(&places.data))?)?;
    let mut stream = TcpStream::connect(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await?;
    let mut question = serde_json::to_vec(&Question { token, vault: places.vault.clone() })?;
    question.push(b'\n');
    stream.write_all(&question).await?;
    let mut answer = String::new();
    stream.take(MOST).read_to_string(&mut answer).await?;
    Ok(answer == SHOWN)
}

async fn answer(mut stream: TcpStream, token: &str, app: &App) -> io::Result<()> {
    let mut line = String::new();
    let (reading, mut writing) = stream.split();
    BufReader::new(reading.take(MOST)).read_line(&mut line).await?;
    let question: Question = serde_json::from_str(&line)?;
    // Hashes are compared in constant time.
    let is_own = blake3::hash(question.token.as_bytes()) == blake3::hash(token.as_bytes());
    let shown = is_own && app.show_for_start(question.vault.as_deref()).await;
    writing.write_all(if shown { SHOWN } else { "no\n" }.as_bytes()).await
}

fn address_file(data: &Path) -> PathBuf {
    data.join("window").join("resident.json")
}

fn token() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
