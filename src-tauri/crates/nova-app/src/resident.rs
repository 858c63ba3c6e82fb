//! Starting Nova again: a window that keeps running is shown instead of opening another one.
//!
//! The first window on a data folder is its *resident*. It listens on loopback; the port and a token are in
//! `window/resident.json`, which only the user can read. A later start sends the token and, if it names a
//! vault, its path, as a line of JSON; the answer to show that it did is a second secret of that file: another
//! program may have the port by now.

use std::fs::{File, TryLockError};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};

use crate::app::App;
use crate::own_files;
use crate::places::Places;

/// Time limit of one question; a window that is just being opened needs a few seconds.
const PATIENCE: Duration = Duration::from_secs(15);
/// Time limit for the question itself: whoever does not ask must not hold a connection.
const QUESTION: Duration = Duration::from_secs(2);
/// How many questions are answered at once.
const CONNECTIONS: usize = 8;
/// Size limit of a question, in bytes.
const MOST: u64 = 64 * 1024;

/// While it exists, later starts on the same data folder are answered.
#[derive(Debug)]
pub struct Resident {
    listening: AbortHandle,
    address: PathBuf,
    lock: File,
}

#[derive(Serialize, Deserialize)]
struct Address {
    port: u16,
    token: String,
    /// The answer after the window was shown.
    shown: String,
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
        let address =
            Arc::new(Address { port: listener.local_addr()?.port(), token: secret()?, shown: secret()? });
        let file = address_file(data);
        own_files::write(&file, &serde_json::to_vec(address.as_ref())?)?;
        let listener = TcpListener::from_std(listener)?;
        let listening = tokio::spawn(async move {
            let mut asking = JoinSet::new();
            loop {
                let Ok((stream, _)) = listener.accept().await else {
                    // Too many open files, for one.
                    tokio::time::sleep(Duration::from_secs(1)).await;
                    continue;
                };
                while asking.try_join_next().is_some() {}
                if asking.len() < CONNECTIONS {
                    let (address, app) = (address.clone(), app.clone());
                    asking.spawn(async move {
                        let answered = tokio::time::timeout(PATIENCE, answer(stream, &address, &app)).await;
                        if let Ok(Err(error)) = answered {
                            tracing::debug!(%error, "another start of Nova got no answer");
                        }
                    });
                }
            }
        });
        Ok(Some(Self { listening: listening.abort_handle(), address: file, lock }))
    }
}

impl Drop for Resident {
    fn drop(&mut self) {
        self.listening.abort();
        let _ = std::fs::remove_file(&self.address);
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
    let Address { port, token, shown } =
        serde_json::from_slice(&nova_files::read(&address_file(&places.data))?)?;
    let mut stream = TcpStream::connect(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await?;
    let mut question = serde_json::to_vec(&Question { token, vault: places.vault.clone() })?;
    question.push(b'\n');
    stream.write_all(&question).await?;
    let mut answer = String::new();
    stream.take(MOST).read_to_string(&mut answer).await?;
    Ok(answer.trim_end() == shown)
}

async fn answer(mut stream: TcpStream, address: &Address, app: &App) -> io::Result<()> {
    let mut line = String::new();
    let (reading, mut writing) = stream.split();
    let mut reading = BufReader::new(reading.take(MOST));
    tokio::time::timeout(QUESTION, reading.read_line(&mut line)).await??;
    let question: Question = serde_json::from_str(&line)?;
    // Hashes are compared in constant time.
    let is_own = blake3::hash(question.token.as_bytes()) == blake3::hash(address.token.as_bytes());
    let shown = is_own && app.show_for_start(question.vault.as_deref()).await;
    writing.write_all(if shown { &address.shown } else { "no" }.as_bytes()).await
}

fn address_file(data: &Path) -> PathBuf {
    data.join("window").join("resident.json")
}

fn secret() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
