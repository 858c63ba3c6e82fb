//! The folders outside of the vault that a call can reach.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use async_trait::async_trait;
use nova_skill::{
    FileRead, FolderSource, Folders, FoundSoFar, GlobAnswer, Grep, GrepAnswer, Listing, OpenFolder, Range,
    ToolError, ToolFiles,
};
use nova_workspace::{FileDraft, FileError, FilePath};
use tokio_util::sync::CancellationToken;

use crate::CallScope;

#[derive(Clone)]
pub(crate) struct CallFiles {
    state: Arc<State>,
}

struct State {
    source: Arc<dyn FolderSource>,
    /// The chat, whose scratch folder is among them.
    chat: Option<String>,
    /// Opened on first use.
    folders: OnceLock<Arc<Folders>>,
    draft: Mutex<FileDraft>,
    cancel: CancellationToken,
}

impl CallFiles {
    pub(crate) fn new(scope: &CallScope, cancel: CancellationToken) -> Self {
        let chat = scope.turn.as_ref().map(|_| scope.session.clone());
        let source = scope.access.folders.clone();
        Self {
            state: Arc::new(State {
                source,
                chat,
                folders: OnceLock::new(),
                draft: Mutex::default(),
                cancel,
            }),
        }
    }

    /// Returns the files for an inner call, which adds to the changes planned here.
    pub(crate) fn fork(&self, cancel: CancellationToken) -> Self {
        let State { source, chat, folders, draft, .. } = &*self.state;
        let draft = draft.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (source, chat, folders) = (source.clone(), chat.clone(), folders.clone());
        Self { state: Arc::new(State { source, chat, folders, draft: Mutex::new(draft), cancel }) }
    }

    /// Takes over the changes planned in a fork.
    pub(crate) fn join(&self, fork: FileDraft) {
        *self.state.draft.lock().unwrap_or_else(PoisonError::into_inner) = fork;
    }

    /// Takes the planned writes when the tool has returned.
    pub(crate) fn take_draft(&self) -> Option<FileDraft> {
        let mut draft = self.state.draft.lock().unwrap_or_else(PoisonError::into_inner);
        let draft = std::mem::take(&mut *draft);
        (!draft.is_empty()).then_some(draft)
    }

    async fn plan<R: Send + 'static>(
        &self,
        path: &str,
        plan: impl FnOnce(&mut FileDraft, &FilePath) -> Result<R, FileError> + Send + 'static,
    ) -> Result<R, ToolError> {
        let (path, state) = (path.to_owned(), self.state.clone());
        self.with(move |folders, _| {
            let path = folders.find(&path)?;
            plan(&mut state.draft.lock().unwrap_or_else(PoisonError::into_inner), &path)
        })
        .await
    }

    async fn with<R: Send + 'static>(
        &self,
        work: impl FnOnce(&Folders, &(dyn Fn() -> bool + Sync)) -> Result<R, FileError> + Send + 'static,
    ) -> Result<R, ToolError> {
        let state = self.state.clone();
        let done = tokio::task::spawn_blocking(move || {
            let folders = state.folders()?;
            Ok(work(&folders, &|| state.cancel.is_cancelled())?)
        });
        done.await
            .map_err(|error| ToolError::failed(format!("Reading the files failed: {error}."), "Try again."))?
    }
}

impl State {
    fn folders(&self) -> Result<Arc<Folders>, ToolError> {
        if let Some(folders) = self.folders.get() {
            return Ok(folders.clone());
        }
        let opened = self.source.open(self.chat.as_deref()).map_err(|error| {
            ToolError::failed(
                format!("The scratch folder of this chat cannot be created: {error}."),
                "Make Nova's data folder writable.",
            )
        })?;
        Ok(self.folders.get_or_init(|| opened).clone())
    }
}

#[async_trait]
impl ToolFiles for CallFiles {
    async fn folders(&self) -> Result<Vec<OpenFolder>, ToolError> {
        let open = |folders: &Folders| {
            let folders = folders.iter();
            folders
                .map(|folder| OpenFolder {
                    name: folder.name().to_owned(),
                    path: folder.path().to_owned(),
                    access: folder.access(),
                })
                .collect()
        };
        self.with(move |folders, _| Ok(open(folders))).await
    }

    async fn read(&self, path: &str, range: Range) -> Result<FileRead, ToolError> {
        let path = path.to_owned();
        let documents = self.state.source.documents();
        self.with(move |folders, stop| folders.find(&path)?.read(range, &*documents, stop)).await
    }

    async fn read_bytes(&self, path: &str, bytes: Vec<u8>, range: Range) -> Result<FileRead, ToolError> {
        let path = path.to_owned();
        let size = bytes.len() as u64;
        let documents = self.state.source.documents();
        self.with(move |_, stop| nova_workspace::read_bytes(&path, bytes, size, range, &*documents, stop))
            .await
    }

    async fn list(&self, path: &str, limit: usize) -> Result<Listing, ToolError> {
        let path = path.to_owned();
        self.with(move |folders, stop| folders.find(&path)?.list(limit, stop)).await
    }

    async fn glob(&self, folder: &str, pattern: &str, limit: usize) -> Result<GlobAnswer, ToolError> {
        let (folder, pattern) = (folder.to_owned(), pattern.to_owned());
        self.with(move |folders, stop| folders.find(&folder)?.glob(&pattern, limit, stop)).await
    }

    async fn write(&self, path: &str, text: String) -> Result<bool, ToolError> {
        self.plan(path, move |draft, path| draft.write(path, text)).await
    }

    async fn attach_file(&self, folder: &str, name: &str, bytes: Vec<u8>) -> Result<String, ToolError> {
        let Some(name) = nova_vault::attachment_name(name) else {
            return Err(ToolError::failed(
                format!("Nova saves no file of the type of {name}."),
                "Save it with another program where you trust its source.",
            ));
        };
        self.plan(folder, move |draft, folder| Ok(draft.attach(folder, &name, bytes)?.to_string())).await
    }

    async fn edit(&self, path: &str, old: &str, new: &str, count: Option<usize>) -> Result<(), ToolError> {
        let (old, new) = (old.to_owned(), new.to_owned());
        self.plan(path, move |draft, path| draft.edit(path, &old, &new, count)).await
    }

    async fn grep(&self, path: &str, grep: Grep, so_far: FoundSoFar) -> Result<GrepAnswer, ToolError> {
        let path = path.to_owned();
        self.with(move |folders, stop| folders.find(&path)?.grep(&grep, &*so_far, stop)).await
    }
}
