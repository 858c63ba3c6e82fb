//! Files of Nova's own that only the user may read, that are whole at any moment, and that
//! several processes write in turn.

use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use crate::CredentialError;

/// How long another process may be busy with a file.
const PATIENCE: Duration = Duration::from_secs(60);

/// The right to write a file; other processes wait until it is dropped.
pub(crate) struct Lock {
    _file: File,
}

/// Waits for the right to write `file`; blocks. The lock is a file beside it, because the file
/// itself is replaced by each write.
pub(crate) fn lock(file: &Path) -> Result<Lock, CredentialError> {
    wait(file, PATIENCE)
}

/// The same without blocking a thread of the runtime, for locks that are held while a server answers.
pub(crate) async fn lock_for_long(file: &Path, patience: Duration) -> Result<Lock, CredentialError> {
    let own = file.to_owned();
    let waited = tokio::task::spawn_blocking(move || wait(&own, patience)).await;
    waited.unwrap_or_else(|_| Err(CredentialError::Busy { file: file.to_owned() }))
}

/// The system queues those who wait. Asking again and again instead would mean never getting it
/// beside a process that writes all the time. Its queue knows no limit, and so a thread stands in it.
fn wait(file: &Path, patience: Duration) -> Result<Lock, CredentialError> {
    let lock = open_lock(file)?;
    match lock.try_lock() {
        Ok(()) => return Ok(Lock { _file: lock }),
        Err(TryLockError::WouldBlock) => {}
        Err(TryLockError::Error(source)) => return Err(CredentialError::io(file)(source)),
    }
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        let got = lock.lock().map(|()| lock);
        // Nobody may be waiting any more: then the lock is let go at once.
        let _ = tell.send(got);
    });
    match told.recv_timeout(patience) {
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

/// What the file holds; None where there is none.
pub(crate) fn read(file: &Path) -> Result<Option<Vec<u8>>, CredentialError> {
    match nova_files::read(file) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(CredentialError::io(file)(error)),
    }
}

/// Puts the bytes in the file's place; readers see the old or the new ones, whole. The lock says
/// that nobody else is at it, and so what a killed process left behind is simply written anew.
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
