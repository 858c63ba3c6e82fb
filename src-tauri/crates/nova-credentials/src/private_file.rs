//! Nova's own files: readable only by the user, replaced atomically, and locked against concurrent writers.

use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use crate::CredentialError;

/// How long to wait for another process that has locked a file.
const LOCK_TIMEOUT: Duration = Duration::from_secs(60);

/// An exclusive lock on writing a file, released on drop.
pub(crate) struct Lock {
    _file: File,
}

/// Locks `file` for writing; blocks. The lock is a separate file, because each write replaces the file
/// itself.
pub(crate) fn lock(file: &Path) -> Result<Lock, CredentialError> {
    wait(file, LOCK_TIMEOUT)
}

/// The same without blocking a thread of the runtime, for locks that are held while a server responds.
pub(crate) async fn lock_async(file: &Path, timeout: Duration) -> Result<Lock, CredentialError> {
    let own = file.to_owned();
    let waited = tokio::task::spawn_blocking(move || wait(&own, timeout)).await;
    waited.unwrap_or_else(|_| Err(CredentialError::Busy { file: file.to_owned() }))
}

/// Queues for the lock in the system: polling could starve next to a process that writes all the time. The
/// system's queue has no timeout, so a separate thread waits in it.
fn wait(file: &Path, timeout: Duration) -> Result<Lock, CredentialError> {
    let lock = open_lock(file)?;
    match lock.try_lock() {
        Ok(()) => return Ok(Lock { _file: lock }),
        Err(TryLockError::WouldBlock) => {}
        Err(TryLockError::Error(source)) => return Err(CredentialError::io(file)(source)),
    }
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let result = lock.lock().map(|()| lock);
        // If the receiver has timed out, the lock is dropped at once.
        let _ = sender.send(result);
    });
    match receiver.recv_timeout(timeout) {
        Ok(Ok(lock)) => Ok(Lock { _file: lock }),
        Ok(Err(source)) => Err(CredentialError::io(file)(source)),
        Err(_) => Err(CredentialError::Busy { file: file.to_owned() }),
    }
}

fn open_lock(file: &Path) -> Result<File, CredentialError> {
    if let Some(folder) = file.parent() {
        nova_files::private_folder(folder).map_err(CredentialError::io(folder))?;
    }
    let path = sibling(file, ".lock");
    nova_files::open_lock(&path).map_err(CredentialError::io(&path))
}

/// The content of the file; `None` if it does not exist.
pub(crate) fn read(file: &Path) -> Result<Option<Vec<u8>>, CredentialError> {
    match nova_files::read(file) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(CredentialError::io(file)(error)),
    }
}

/// Replaces the file atomically: readers see the old or the new content. The lock excludes other writers, so
/// a temporary file can only be left over from a killed process.
pub(crate) fn replace(_lock: &Lock, file: &Path, bytes: &[u8]) -> Result<(), CredentialError> {
    let new = sibling(file, ".new");
    match std::fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(CredentialError::io(&new)(error));
        }
        _ => {}
    }
    let mut options = File::options();
    options.write(true).create_new(true);
    nova_files::private(&mut options);
    let written = options.open(&new).and_then(|mut out| {
        out.write_all(bytes)?;
        out.sync_all()
    });
    written.map_err(CredentialError::io(&new))?;
    std::fs::rename(&new, file).map_err(CredentialError::io(file))?;
    #[cfg(unix)]
    if let Some(folder) = file.parent() {
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(CredentialError::io(folder))?;
    }
    Ok(())
}

fn sibling(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    name.into()
}
