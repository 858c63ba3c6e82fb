//! Errors about notes on disk, each with a remedy.

mod base;
mod query;

use std::io;
use std::path::PathBuf;

use nova_error::{ErrorCode, UserError};

use crate::change::Conflict;
use crate::content::{MAX_FILE_BYTES, holds_text};
use crate::disk::GoneRoot;
use crate::note::{EditError, PathError, VaultPath};

pub use base::BaseError;
pub use query::QueryError;

/// An error about the vault. `Display` is [`VaultError::message`] followed by [`VaultError::hint`].
#[derive(Debug, thiserror::Error)]
#[error("{}. {}", self.message(), self.hint())]
pub enum VaultError {
    /// The vault's folder cannot be used.
    Unusable {
        /// The folder to be opened.
        root: PathBuf,
        /// Why not, as a clause: "it does not exist".
        reason: String,
        /// What to do.
        remedy: String,
    },
    /// The open vault's folder is not at its path: deleted, renamed, or unmounted. Nothing was read or
    /// written.
    Gone {
        /// The path that the user gave.
        root: PathBuf,
        /// Why, as a clause, unless it is simply missing: "another folder is in its place".
        reason: Option<String>,
    },
    /// The note's extra root is unreachable. Nothing was read or written there.
    RootGone {
        /// The note.
        path: VaultPath,
        /// The folder, and the link that leads to it.
        root: GoneRoot,
    },
    /// No note has this path or name.
    NotFound {
        /// The path or name as it was given.
        name: String,
    },
    /// A note to be created already exists.
    Exists {
        /// The existing note; its path may differ in case.
        path: VaultPath,
    },
    /// The path is invalid.
    Path(#[from] PathError),
    /// The note is private and the reader is remote.
    Private {
        /// The note, by the requested name.
        name: String,
    },
    /// The query is invalid.
    InvalidQuery {
        /// What is wrong with it, as a clause.
        reason: String,
        /// What to do.
        remedy: String,
    },
    /// Dot-folders (`.obsidian`, `.trash`, `.git`) are not notes.
    Hidden {
        /// The refused path.
        path: VaultPath,
    },
    /// Only Markdown notes and `.base` files are written, and the files of [`crate::ATTACHMENTS`] and
    /// [`crate::BINARY_ATTACHMENTS`] made.
    NotANote {
        /// The refused path.
        path: VaultPath,
    },
    /// The path, or a folder on the way to it, is a symbolic link.
    Symlink {
        /// The refused path.
        path: VaultPath,
        /// Why a link to an extra root is not followed, as a clause ("it leads nowhere"), and the remedy.
        refused: Option<(String, &'static str)>,
    },
    /// The note's file has hard links, which would keep the old text.
    HardLink {
        /// The refused path.
        path: VaultPath,
        /// The link count.
        links: u64,
    },
    /// The bytes are not UTF-8 text.
    NotText {
        /// The note.
        path: VaultPath,
    },
    /// The note is larger than [`crate::MAX_NOTE_BYTES`], or the file than [`crate::MAX_FILE_BYTES`].
    TooLarge {
        /// The note.
        path: VaultPath,
        /// Its size in bytes.
        bytes: u64,
    },
    /// The edit does not fit the present text.
    Edit {
        /// The note.
        path: VaultPath,
        /// Why it was refused.
        source: EditError,
    },
    /// A move was refused because a link to the note cannot be rewritten so that it resolves to it. Nothing
    /// was changed.
    Unlinkable {
        /// The note with the link; `None` if it is hidden from the reader.
        path: Option<VaultPath>,
        /// The link's line, 1-based.
        line: u32,
        /// The target path of the move.
        to: VaultPath,
    },
    /// A move was refused because links to a note hidden from the reader would then resolve to the moved
    /// one. Nothing was changed.
    Ambiguous {
        /// The target path of the move.
        to: VaultPath,
    },
    /// The note changed since it was read, and both changes touch the same place. Nothing in that note was
    /// written.
    Conflict(Box<Conflict>),
    /// A condition or a sort key cannot be read.
    Query(#[from] QueryError),
    /// A base has no result.
    Base(#[from] BaseError),
    NoChangeSet {
        /// The id as it was given.
        id: String,
    },
    /// The change set is being written by another process, is complete, or was undone.
    ChangeSetState {
        /// The change set.
        id: String,
        /// Why not, as a clause: "it is still open".
        reason: String,
        /// What to do about it, one sentence.
        remedy: String,
    },
    /// A file system operation failed. The previous content is in place, or in the change set if rolling
    /// back failed, too.
    Io {
        /// The operation: `write "CRM/People/Jane Doe.md"`.
        doing: String,
        /// The note; `None` if it concerned something else, such as the journal.
        path: Option<VaultPath>,
        /// The system's own error.
        source: io::Error,
    },
    /// Writing in place failed, and so did restoring the old text.
    Torn {
        /// The note.
        path: VaultPath,
        /// The system's own error.
        source: io::Error,
    },
    /// The vault cannot be watched.
    Watch {
        /// Why not.
        reason: String,
    },
}

impl VaultError {
    pub(crate) fn io(doing: impl Into<String>) -> impl FnOnce(io::Error) -> VaultError {
        let doing = doing.into();
        move |source| VaultError::Io { doing, path: None, source }
    }

    /// An I/O error for an operation on a note, such as `write`.
    pub(crate) fn io_at(doing: &str, path: &VaultPath) -> impl FnOnce(io::Error) -> VaultError + use<> {
        let (doing, path) = (format!("{doing} \"{path}\""), path.clone());
        move |source| VaultError::Io { doing, path: Some(path), source }
    }

    pub(crate) fn edit(path: &VaultPath) -> impl FnOnce(EditError) -> VaultError + '_ {
        move |source| VaultError::Edit { path: path.clone(), source }
    }

    /// The note concerned, if it is a single one.
    pub fn path(&self) -> Option<&VaultPath> {
        match self {
            VaultError::Exists { path }
            | VaultError::Hidden { path }
            | VaultError::NotANote { path }
            | VaultError::RootGone { path, .. }
            | VaultError::Symlink { path, .. }
            | VaultError::HardLink { path, .. }
            | VaultError::NotText { path }
            | VaultError::TooLarge { path, .. }
            | VaultError::Edit { path, .. }
            | VaultError::Torn { path, .. } => Some(path),
            VaultError::Conflict(conflict) => Some(&conflict.path),
            VaultError::Unlinkable { path, .. } | VaultError::Io { path, .. } => path.as_ref(),
            _ => None,
        }
    }

    /// The error code for programs.
    pub fn code(&self) -> ErrorCode {
        match self {
            VaultError::Unusable { .. } | VaultError::Gone { .. } | VaultError::RootGone { .. } => {
                ErrorCode::VaultUnavailable
            }
            VaultError::NotFound { .. } => ErrorCode::NoteNotFound,
            VaultError::Exists { .. } => ErrorCode::NoteExists,
            VaultError::Path(_)
            | VaultError::Hidden { .. }
            | VaultError::NotANote { .. }
            | VaultError::Symlink { .. }
            | VaultError::HardLink { .. } => ErrorCode::PathRefused,
            VaultError::Private { .. } => ErrorCode::Private,
            VaultError::InvalidQuery { .. } => ErrorCode::InvalidArguments,
            VaultError::NotText { .. } | VaultError::TooLarge { .. } => ErrorCode::NoteBroken,
            VaultError::Edit { .. } | VaultError::Unlinkable { .. } | VaultError::Ambiguous { .. } => {
                ErrorCode::EditRefused
            }
            VaultError::Conflict { .. } => ErrorCode::Conflict,
            VaultError::Query(_) => ErrorCode::InvalidArguments,
            VaultError::Base(BaseError::Broken { .. } | BaseError::Filter { .. }) => ErrorCode::NoteBroken,
            VaultError::Base(BaseError::None { .. } | BaseError::NoView { .. }) => {
                ErrorCode::InvalidArguments
            }
            VaultError::NoChangeSet { .. } | VaultError::ChangeSetState { .. } => ErrorCode::UnknownChangeSet,
            VaultError::Io { .. } | VaultError::Torn { .. } | VaultError::Watch { .. } => ErrorCode::Io,
        }
    }

    /// What happened, without a full stop.
    pub fn message(&self) -> String {
        match self {
            VaultError::Unusable { root, reason, .. } => {
                format!("The folder {} cannot be used as a vault: {reason}", root.display())
            }
            VaultError::Gone { root, .. } => format!("The vault folder is gone: {}", root.display()),
            VaultError::RootGone { root, .. } => root.message(),
            VaultError::NotFound { name } => format!("There is no note \"{name}\""),
            VaultError::Exists { path } => format!("There is already a note \"{path}\""),
            VaultError::Path(error) => error.to_string().trim_end_matches('.').to_owned(),
            VaultError::Private { name } => {
                format!("\"{name}\" is private: it is not read for a remote model")
            }
            VaultError::InvalidQuery { reason, .. } => format!("Invalid search: {reason}"),
            VaultError::Hidden { path } => {
                format!("\"{path}\" is in a folder that starts with a dot, which Nova does not read")
            }
            VaultError::NotANote { path } => format!("\"{path}\" is not a note"),
            VaultError::Symlink { path, refused: None } => {
                format!("\"{path}\" is behind a symbolic link")
            }
            VaultError::Symlink { path, refused: Some((reason, _)) } => {
                let through = match path.as_str().split_once('/') {
                    Some((top, _)) => format!(" through \"{top}\""),
                    None => String::new(),
                };
                format!("\"{path}\" cannot be reached{through}: {reason}")
            }
            VaultError::HardLink { path, links } => {
                format!("The file of \"{path}\" has {links} names (hard links)")
            }
            VaultError::NotText { path } => format!("\"{path}\" is not UTF-8 text"),
            VaultError::TooLarge { path, bytes } if *bytes > MAX_FILE_BYTES && !holds_text(path) => {
                format!("\"{path}\" has {bytes} bytes, more than the 50 MiB a file may have")
            }
            VaultError::TooLarge { path, bytes } => {
                format!("\"{path}\" has {bytes} bytes, more than the 16 MiB a note may have")
            }
            VaultError::Edit { path, source } => {
                format!("\"{path}\" was not changed: {}", source.to_string().trim_end_matches('.'))
            }
            VaultError::Unlinkable { path: Some(path), line, to } => {
                format!("The link in \"{path}\", line {line}, could not be changed to lead to \"{to}\"")
            }
            VaultError::Unlinkable { path: None, to, .. } => {
                format!("A link in another note could not be changed to lead to \"{to}\"")
            }
            VaultError::Ambiguous { to } => format!(
                "The note cannot be moved to \"{to}\", because links that mean another note would lead to it"
            ),
            VaultError::Conflict(conflict) => format!(
                "\"{}\" was changed outside Nova at the same place ({}); it was not written",
                conflict.path,
                conflict.what.join(", ")
            ),
            VaultError::Query(error) => {
                format!("The {} \"{}\" cannot be read: {}", error.kind, error.text, error.problem)
            }
            VaultError::Base(error) => {
                let message = error.to_string();
                let mut chars = message.chars();
                chars
                    .next()
                    .map_or_else(String::new, |first| first.to_uppercase().to_string() + chars.as_str())
            }
            VaultError::NoChangeSet { id } => format!("There is no change set \"{id}\""),
            VaultError::ChangeSetState { id, reason, .. } => format!("Change set \"{id}\": {reason}"),
            VaultError::Io { doing, source, .. } => format!("Could not {doing}: {source}"),
            VaultError::Torn { path, source } => {
                format!(
                    "\"{path}\" may contain parts of two versions, because writing it in place failed: {source}"
                )
            }
            VaultError::Watch { reason } => format!("The vault cannot be watched: {reason}"),
        }
    }

    /// What to do about it, one sentence.
    pub fn hint(&self) -> String {
        match self {
            VaultError::Unusable { remedy, .. } => remedy.clone(),
            VaultError::Gone { reason: None, .. } => {
                "Nothing is written until it is back. Put it back, or open another folder.".to_owned()
            }
            VaultError::Gone { reason: Some(reason), .. } => {
                format!(
                    "Nothing is written until it is back ({reason}). Put it back, or open another folder."
                )
            }
            VaultError::RootGone { root, .. } => root.hint(),
            VaultError::NotFound { .. } => {
                "Look for it with vault.search or vault.query, or create it.".to_owned()
            }
            VaultError::Exists { .. } => "Edit that note, or choose another name.".to_owned(),
            VaultError::Path(PathError { instead: Some(path), .. }) => format!("Write \"{path}\"."),
            VaultError::Path(_) => {
                "Name the note by its path inside the vault, such as \"CRM/People/Jane Doe.md\".".to_owned()
            }
            VaultError::Private { .. } => "Use a model on this machine, or leave the note out.".to_owned(),
            VaultError::InvalidQuery { remedy, .. } => remedy.clone(),
            VaultError::Hidden { .. } => "Choose a path whose folders do not start with a dot.".to_owned(),
            VaultError::NotANote { .. } => "Use a name that ends in .md.".to_owned(),
            VaultError::Symlink { refused: Some((_, remedy)), .. } => (*remedy).to_owned(),
            VaultError::Symlink { refused: None, .. } => {
                "Put the note itself into the vault in place of the link, or set \"write_through\": true in \
                 nova.config.json to read and change a note in the vault that it leads to. A folder that a \
                 link at the top of the vault leads to can be listed under \"roots\" there."
                    .to_owned()
            }
            VaultError::HardLink { .. } => {
                "Copy the note to a file of its own, or set \"write_through\": true in nova.config.json to \
                 change it under all its names."
                    .to_owned()
            }
            VaultError::NotText { .. } => {
                "Open it in an editor and save it in the encoding UTF-8.".to_owned()
            }
            VaultError::TooLarge { path, bytes } if *bytes > MAX_FILE_BYTES && !holds_text(path) => {
                "Keep it outside of the vault.".to_owned()
            }
            VaultError::TooLarge { .. } => "Split it into smaller notes.".to_owned(),
            VaultError::Edit { .. } => "Read the note again, or open it and edit it by hand.".to_owned(),
            VaultError::Unlinkable { .. } => {
                "Choose a name without # ^ | [ ] and backticks, or change that link by hand first.".to_owned()
            }
            VaultError::Ambiguous { .. } => "Choose another name.".to_owned(),
            VaultError::Conflict { .. } => {
                "Read the note again and decide which of the two changes to keep.".to_owned()
            }
            VaultError::Query(error) => sentence(&error.remedy),
            VaultError::Base(error) => error.hint(),
            VaultError::NoChangeSet { .. } => "See `nova changes list`.".to_owned(),
            VaultError::ChangeSetState { remedy, .. } => remedy.clone(),
            VaultError::Io { source, .. } => match source.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                    "Free some space on the disk and try again.".to_owned()
                }
                io::ErrorKind::CrossesDevices => {
                    "The two folders are on different disks: create the note there, then delete this one."
                        .to_owned()
                }
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                    "Give your user the right to write there and try again.".to_owned()
                }
                _ => {
                    "Check the disk, then try again; `nova changes list` lists what could not be rolled back."
                        .to_owned()
                }
            },
            VaultError::Torn { .. } => {
                "Check the disk, then restart Nova: it completes the write.".to_owned()
            }
            VaultError::Watch { .. } => {
                "Answers stay correct; restart Nova to watch for changes again.".to_owned()
            }
        }
    }
}

impl From<&VaultError> for UserError {
    fn from(error: &VaultError) -> Self {
        Self::new(error.code(), format!("{}.", error.message()), error.hint())
    }
}

impl From<VaultError> for UserError {
    fn from(error: VaultError) -> Self {
        Self::from(&error)
    }
}

/// Capitalises the first letter and adds a full stop.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}
