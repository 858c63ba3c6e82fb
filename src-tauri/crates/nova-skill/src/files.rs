//! Files outside of the vault: the user's workspaces and the scratch folder of the chat.

use std::io;
use std::sync::Arc;

use async_trait::async_trait;
use nova_workspace::{
    Access, Documents, FileError, FileRead, Folders, GlobAnswer, Grep, GrepAnswer, GrepHit, InProcess, Kept,
    Listing, Range,
};

use crate::ToolError;

/// Is told the lines that a search has found while it runs.
pub type FoundSoFar = Box<dyn Fn(&[GrepHit]) + Send + Sync>;

/// The folders that are open to the chat. Writes are planned here and made when the call was allowed and the tool
/// has returned; reads do not see them.
///
/// A path begins with the name of its folder
/// (`scratch/notes.txt`) or is absolute.
#[async_trait]
pub trait ToolFiles: Send + Sync {
    /// The open folders, in the order in which they are listed.
    async fn folders(&self) -> Result<Vec<OpenFolder>, ToolError>;
    /// Lines of a file: text in whatever encoding, PDF and office files as text.
    async fn read(&self, path: &str, range: Range) -> Result<FileRead, ToolError>;
    /// The same of bytes that are in hand, such as an attachment of the vault.
    async fn read_bytes(&self, path: &str, bytes: Vec<u8>, range: Range) -> Result<FileRead, ToolError>;
    async fn list(&self, path: &str, limit: usize) -> Result<Listing, ToolError>;
    /// The files below a folder whose path there matches.
    async fn glob(&self, folder: &str, pattern: &str, limit: usize) -> Result<GlobAnswer, ToolError>;
    /// Plans the whole text of a file. Whether it is new.
    async fn write(&self, path: &str, text: String) -> Result<bool, ToolError>;
    /// Plans the replacement of exact text, `count` times (once by default).
    async fn edit(&self, path: &str, old: &str, new: &str, count: Option<usize>) -> Result<(), ToolError>;
    /// The lines below a folder, or of a file, that match. `so_far` receives what was found while it runs.
    async fn grep(&self, path: &str, grep: Grep, so_far: FoundSoFar) -> Result<GrepAnswer, ToolError>;
}

/// A folder that is open to the chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenFolder {
    pub name: String,
    pub access: Access,
}

/// Which folders are open to the tools of a chat.
pub trait FolderSource: Send + Sync {
    /// `chat` is `None` for a call outside of any chat, which has no scratch folder.
    ///
    /// # Errors
    /// When the scratch folder cannot be made.
    fn open(&self, chat: Option<&str>) -> io::Result<Arc<Folders>>;

    /// Reads PDF and office files.
    fn documents(&self) -> Arc<dyn Documents> {
        Arc::new(InProcess)
    }

    /// Where the bytes before a write are kept; `None` where nothing may be written.
    fn kept(&self) -> Option<Kept> {
        None
    }
}

/// None.
impl FolderSource for () {
    fn open(&self, _: Option<&str>) -> io::Result<Arc<Folders>> {
        Ok(Arc::default())
    }
}

/// None, for contexts without folders.
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
