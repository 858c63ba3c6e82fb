//! Files outside of the vault: the user's workspaces and the scratch folder of the chat.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use nova_workspace::{
    Access, Documents, FileError, FileJournal, FileRead, Folders, GlobAnswer, Grep, GrepAnswer, GrepHit,
    InProcess, Listing, Range,
};

use crate::ToolError;

/// Receives the lines found so far by a running search.
pub type FoundSoFar = Box<dyn Fn(&[GrepHit]) + Send + Sync>;

/// The folders open to the chat. Writes are planned, and executed after the call was allowed and the tool has
/// returned; reads do not include them.
///
/// A path is absolute, or starts with the name of its folder (`scratch/notes.txt`).
#[async_trait]
pub trait ToolFiles: Send + Sync {
    /// The open folders, in display order.
    async fn folders(&self) -> Result<Vec<OpenFolder>, ToolError>;
    /// Reads lines of a file: text in any encoding; PDF and office files as text.
    async fn read(&self, path: &str, range: Range) -> Result<FileRead, ToolError>;
    /// As [`ToolFiles::read`], for bytes in memory, such as an attachment of the vault.
    async fn read_bytes(&self, path: &str, bytes: Vec<u8>, range: Range) -> Result<FileRead, ToolError>;
    async fn list(&self, path: &str, limit: usize) -> Result<Listing, ToolError>;
    /// Lists the files below a folder whose relative path matches.
    async fn glob(&self, folder: &str, pattern: &str, limit: usize) -> Result<GlobAnswer, ToolError>;
    /// Plans to write the whole text of a file; returns whether it is new.
    async fn write(&self, path: &str, text: String) -> Result<bool, ToolError>;
    /// Plans a new file in a folder, of at most [`crate::MAX_FILE_BYTES`], under a name that is free; returns
    /// its path. As for a file of the vault, the extension must be in [`crate::ATTACHMENTS`] or
    /// [`crate::BINARY_ATTACHMENTS`], and characters that links or some systems refuse are replaced.
    async fn attach_file(&self, folder: &str, name: &str, bytes: Vec<u8>) -> Result<String, ToolError>;
    /// Plans to replace exact text, `count` times (once by default).
    async fn edit(&self, path: &str, old: &str, new: &str, count: Option<usize>) -> Result<(), ToolError>;
    /// Finds matching lines in a file, or below a folder. `so_far` receives results during the search.
    async fn grep(&self, path: &str, grep: Grep, so_far: FoundSoFar) -> Result<GrepAnswer, ToolError>;
}

/// A folder that is open to the chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenFolder {
    pub name: String,
    /// The absolute path with links resolved.
    pub path: PathBuf,
    pub access: Access,
}

/// The folders open to the tools of a chat.
pub trait FolderSource: Send + Sync {
    /// `chat` is `None` for a call outside of any chat, which has no scratch folder.
    ///
    /// # Errors
    /// If the scratch folder cannot be created.
    fn open(&self, chat: Option<&str>) -> io::Result<Arc<Folders>>;

    /// Reads PDF and office files.
    fn documents(&self) -> Arc<dyn Documents> {
        Arc::new(InProcess)
    }

    /// The backup of contents before a write; `None` if writing is not possible.
    fn kept(&self) -> Option<FileJournal> {
        None
    }
}

/// No folders.
impl FolderSource for () {
    fn open(&self, _: Option<&str>) -> io::Result<Arc<Folders>> {
        Ok(Arc::default())
    }
}

/// No folders, for contexts without any.
#[async_trait]
impl ToolFiles for () {
    async fn folders(&self) -> Result<Vec<OpenFolder>, ToolError> {
        Ok(Vec::new())
    }

    async fn read(&self, path: &str, _: Range) -> Result<FileRead, ToolError> {
        Err(none(path))
    }

    async fn read_bytes(&self, path: &str, _: Vec<u8>, _: Range) -> Result<FileRead, ToolError> {
        Err(none(path))
    }

    async fn list(&self, path: &str, _: usize) -> Result<Listing, ToolError> {
        Err(none(path))
    }

    async fn glob(&self, folder: &str, _: &str, _: usize) -> Result<GlobAnswer, ToolError> {
        Err(none(folder))
    }

    async fn write(&self, path: &str, _: String) -> Result<bool, ToolError> {
        Err(none(path))
    }

    async fn attach_file(&self, folder: &str, _: &str, _: Vec<u8>) -> Result<String, ToolError> {
        Err(none(folder))
    }

    async fn edit(&self, path: &str, _: &str, _: &str, _: Option<usize>) -> Result<(), ToolError> {
        Err(none(path))
    }

    async fn grep(&self, path: &str, _: Grep, _: FoundSoFar) -> Result<GrepAnswer, ToolError> {
        Err(none(path))
    }
}

fn none(path: &str) -> ToolError {
    FileError::NoFolder { path: path.to_owned(), folders: Vec::new() }.into()
}
