//! Writes the journal files of one change set.

use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;

use super::ahead::{Addition, WriteAhead};
use super::beside::Beside;
use super::{Image, Journal, Line, SetLog, TempName, images_path, lines_path, lock_soon};
use crate::change::ChangeSetKind;
use crate::disk::{Fsync, Open, make_private_folder, open_private, sync_path};
use crate::note::ContentHash;

/// Upper bound on the length of a line that records the end of a write.
const LINE_BYTES: u64 = 512;

/// Maximum number of image bytes buffered before they are written.
const MOST_PENDING: usize = 256 * 1024;

/// The writer of one change set. Holds the lock until it is dropped.
#[derive(Debug)]
pub(crate) struct Writer {
    id: String,
    ahead: Arc<WriteAhead>,
    lines: Arc<File>,
    images: Arc<File>,
    lines_len: u64,
    images_len: u64,
    /// Buffered images, because many are small.
    pending: Vec<u8>,
    known: HashMap<ContentHash, Image>,
    next: u64,
    temps: u64,
    /// The mark of the data folder.
    mark: Option<String>,
    /// The folder with the files.
    folder: PathBuf,
    /// Additions that may not be durable yet; `None` if unknown or too large for the log.
    unsynced: Option<Addition>,
    /// A line may be partially written: the next one must begin on a new line.
    torn: bool,
}

impl Writer {
    /// Creates the files of a new set; `AlreadyExists` if the id is taken. After any other error no files
    /// are left, so that the set can be begun later.
    pub(crate) fn create(
        journal: &Journal,
        id: &str,
        kind: ChangeSetKind,
        label: &str,
        at: Timestamp,
    ) -> io::Result<Writer> {
        let folder = journal.folder();
        make_private_folder(folder)?;
        let (lines, images) = match journal.ahead.take_spare(id) {
            Some(files) => files,
            None => {
                let lines = open_private(&lines_path(folder, id), Open::New)?;
                let images = lines.lock().and_then(|()| open_private(&images_path(folder, id), Open::New));
                let images = images.inspect_err(|_| drop(fs::remove_file(lines_path(folder, id))))?;
                (lines, images)
            }
        };
        let mut writer = Writer {
            id: id.to_owned(),
            ahead: Arc::clone(&journal.ahead),
            lines: Arc::new(lines),
            images: Arc::new(images),
            lines_len: 0,
            images_len: 0,
            pending: Vec::new(),
            known: HashMap::new(),
            next: 0,
            temps: 0,
            mark: journal.mark().map(str::to_owned),
            folder: folder.to_owned(),
            unsynced: Some(Addition::default()),
            torn: false,
        };
        let opened = writer.append(&Line::Opened {
            v: 1,
            id: id.to_owned(),
            kind,
            label: label.to_owned(),
            at,
            vault: journal.vault().to_owned(),
            folder: journal.vault_folder().cloned(),
        });
        match opened {
            Ok(()) => Ok(writer),
            Err(error) => {
                journal.remove(id).ok();
                Err(error)
            }
        }
    }

    /// Takes over the files of a set whose process has ended; `WouldBlock` if it has not.
    pub(crate) fn take_over(journal: &Journal, log: &SetLog) -> io::Result<Writer> {
        let folder = journal.folder();
        let lines = open_private(&lines_path(folder, &log.id), Open::Existing)?;
        match lock_soon(&lines) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::WouldBlock.into()),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let images = open_private(&images_path(folder, &log.id), Open::Existing)?;
        let lines_len = lines.metadata()?.len();
        let images_len = images.metadata()?.len();
        Ok(Writer {
            id: log.id.clone(),
            ahead: Arc::clone(&journal.ahead),
            lines: Arc::new(lines),
            images: Arc::new(images),
            lines_len,
            images_len,
            pending: Vec::new(),
            known: HashMap::new(),
            next: log.records.iter().map(|r| r.n + 1).max().unwrap_or(0),
            // Skips all names that the ended process may have used.
            temps: u64::from(std::process::id()) << 16,
            mark: journal.mark().map(str::to_owned),
            folder: folder.to_owned(),
            unsynced: None,
            torn: true,
        })
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// The number of the next record.
    pub(crate) fn next_record(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    /// A new name for a temporary file of record `n`.
    pub(crate) fn next_temp(&mut self, n: u64) -> String {
        self.temps += 1;
        TempName { n, number: self.temps }.file_name(&self.id, self.mark.as_deref())
    }

    /// Stores bytes, deduplicated. They are in the file before any line that refers to them.
    pub(crate) fn image(&mut self, bytes: &[u8]) -> io::Result<Image> {
        let hash = ContentHash::of(bytes);
        if let Some(image) = self.known.get(&hash) {
            return Ok(image.clone());
        }
        let image = Image { hash, at: self.images_len, len: bytes.len() as u64 };
        self.pending.extend_from_slice(bytes);
        self.images_len += image.len;
        self.known.insert(hash, image.clone());
        if self.pending.len() >= MOST_PENDING {
            self.write_pending()?;
        }
        Ok(image)
    }

    /// As [`Writer::image`], for optional contents.
    pub(crate) fn images<const N: usize, T: AsRef<[u8]> + ?Sized>(
        &mut self,
        contents: [Option<&T>; N],
    ) -> io::Result<[Option<Image>; N]> {
        let mut images = [const { None }; N];
        for (image, content) in images.iter_mut().zip(contents) {
            *image = content.map(|content| self.image(content.as_ref())).transpose()?;
        }
        Ok(images)
    }

    fn write_pending(&mut self) -> io::Result<()> {
        let pending = std::mem::take(&mut self.pending);
        if pending.is_empty() {
            return Ok(());
        }
        if let Err(error) = (&*self.images).write_all(&pending) {
            // The file is opened for appending: skip whatever part was written.
            let begin = self.images_len - pending.len() as u64;
            self.known.retain(|_, image| image.at < begin);
            self.unsynced = None;
            self.images_len = self.images.metadata()?.len();
            return Err(error);
        }
        self.retain_unsynced(&pending, |unsynced| &mut unsynced.images);
        Ok(())
    }

    /// Appends a line, which is durable only after [`Writer::sync`].
    pub(crate) fn append(&mut self, line: &Line) -> io::Result<()> {
        self.append_all(std::slice::from_ref(line))
    }

    /// As [`Writer::append`], for many lines at once.
    pub(crate) fn append_all(&mut self, lines: &[Line]) -> io::Result<()> {
        self.write_pending()?;
        let mut text = Vec::new();
        if self.torn {
            text.push(b'\n');
        }
        for line in lines {
            serde_json::to_writer(&mut text, line).map_err(io::Error::other)?;
            text.push(b'\n');
        }
        self.torn = true;
        if let Err(error) = (&*self.lines).write_all(&text) {
            self.unsynced = None;
            self.lines_len = self.lines.metadata()?.len();
            return Err(error);
        }
        self.torn = false;
        self.lines_len += text.len() as u64;
        self.retain_unsynced(&text, |unsynced| &mut unsynced.lines);
        Ok(())
    }

    fn retain_unsynced(&mut self, added: &[u8], part: fn(&mut Addition) -> &mut Vec<u8>) {
        if let Some(unsynced) = &mut self.unsynced {
            if unsynced.len() + added.len() > Addition::MOST {
                self.unsynced = None;
            } else {
                part(unsynced).extend_from_slice(added);
            }
        }
    }

    /// Reserves space for this many lines of the usual length before a byte of the vault changes: even if
    /// the disk fills up, the outcome of each write can be recorded.
    pub(crate) fn reserve(&self, lines: usize) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{FallocateFlags, fallocate};
            use rustix::io::Errno;
            let end = self.lines.metadata()?.len();
            let bytes = lines as u64 * LINE_BYTES;
            if let Err(full @ (Errno::NOSPC | Errno::DQUOT)) =
                fallocate(&*self.lines, FallocateFlags::KEEP_SIZE, end, bytes)
            {
                return Err(full.into());
            }
        }
        #[cfg(not(target_os = "linux"))]
        let _ = lines;
        Ok(())
    }

    /// Makes everything written so far durable.
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        self.sync_with(|| Ok(()))
    }

    /// As [`Writer::sync`], while `beside` syncs something else in parallel. A power cut meanwhile may
    /// leave lines that refer to partial images; none of their announced writes has happened then.
    pub(crate) fn sync_with(&mut self, beside: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        self.write_pending()?;
        let waiting = self.begin_sync();
        let mut result = beside();
        for synced in waiting {
            result = result.and(synced.end());
        }
        result?;
        self.unsynced =
            Some(Addition { lines_at: self.lines_len, images_at: self.images_len, ..Addition::default() });
        Ok(())
    }

    /// A small addition is made durable by the write-ahead log alone.
    fn begin_sync(&mut self) -> Vec<Beside> {
        let ahead = match &self.unsynced {
            Some(unsynced) if unsynced.len() == 0 => return Vec::new(),
            Some(unsynced) => self.ahead.add(&self.id, unsynced),
            None => None,
        };
        if let Some(log) = ahead {
            let ahead = Arc::clone(&self.ahead);
            return vec![Beside::begin(move || log.fdatasync().inspect_err(|_| ahead.give_up()))];
        }
        let (images, lines) = (Arc::clone(&self.images), Arc::clone(&self.lines));
        let folder = self.folder.clone();
        vec![
            Beside::begin(move || sync_path(&folder)),
            Beside::begin(move || images.fdatasync()),
            Beside::begin(move || lines.fdatasync()),
        ]
    }
}
