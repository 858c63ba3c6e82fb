//! Folders outside of the vault that tools may access: the user's workspaces, and a scratch folder per chat.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nova_protocol::{
    AddWorkspace, ErrorCode, Nothing, UserError, WorkspaceAccess, WorkspaceRef, WorkspaceView, Workspaces,
};
use nova_skill::{Access, FileJournal, Folder, FolderSource, Folders};
use nova_workspace::{Documents, Refused, refuse};
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::blocking::blocking;
use crate::config::WorkspaceConfig;

/// Name of a chat's scratch folder in paths.
pub(crate) const SCRATCH: &str = "scratch";
/// Relative to the data folder: the scratch folders by chat.
const SCRATCH_FOLDERS: &str = "scratch";
/// Names with another meaning in paths.
const RESERVED: [&str; 2] = [SCRATCH, "vault"];

impl App {
    /// The configured workspaces, with the reasons for those that cannot be used.
    ///
    /// # Errors
    /// Only during shutdown.
    pub async fn list_workspaces(&self, _: Nothing) -> Result<Workspaces, UserError> {
        let app = self.clone();
        blocking(move || {
            let rows = app.checked_workspaces().into_iter().map(|(name, config, checked)| WorkspaceView {
                shown: app.places().shown(&config.path),
                path: config.path.display().to_string(),
                name,
                access: match config.access {
                    Access::Read => WorkspaceAccess::Read,
                    Access::Write => WorkspaceAccess::Write,
                },
                problem: checked.err().map(|refused| format!("{refused}.")),
            });
            Ok(Workspaces { folders: rows.collect() })
        })
        .await
    }

    /// Adds a folder, or changes its access.
    ///
    /// # Errors
    /// `path_refused` for a folder that is refused as a workspace.
    pub async fn add_workspace(&self, add: AddWorkspace) -> Result<Workspaces, UserError> {
        let app = self.clone();
        blocking(move || {
            let given = PathBuf::from(&add.path);
            if !given.is_absolute() {
                return Err(refused("A workspace needs an absolute path."));
            }
            let places = app.places();
            let real = refuse(&given, places.home.as_deref(), &app.taken_folders())
                .map_err(|error| refused(&format!("{error}.")))?;
            app.change_config(|config| {
                change_list(config, |list| {
                    list.retain(|entry| !names(entry, &real));
                    list.push(json!({"path": real.display().to_string(), "access": add.access}));
                });
            })
        })
        .await?;
        self.list_workspaces(Nothing {}).await
    }

    /// Removes a folder from the list, without changing its contents.
    ///
    /// # Errors
    /// `path_refused` if it is not a workspace.
    pub async fn remove_workspace(&self, workspace: WorkspaceRef) -> Result<Workspaces, UserError> {
        let app = self.clone();
        let path = PathBuf::from(workspace.path);
        blocking(move || {
            let real = path.canonicalize().unwrap_or_else(|_| path.clone());
            if !app.config().workspaces.iter().any(|config| config.path == real || config.path == path) {
                return Err(refused(&format!("{} is not a workspace.", app.places().shown(&path))));
            }
            app.change_config(|config| {
                change_list(config, |list| {
                    list.retain(|entry| !names(entry, &real) && !names(entry, &path));
                });
            })
        })
        .await?;
        self.list_workspaces(Nothing {}).await
    }

    /// Deletes the scratch folder of a chat.
    pub(crate) fn remove_scratch(&self, session: &str) {
        let folder = self.scratch_folder(session);
        if let Err(error) = std::fs::remove_dir_all(&folder)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(path = %folder.display(), %error, "cannot remove a scratch folder");
        }
    }

    fn scratch_folder(&self, session: &str) -> PathBuf {
        self.places().data.join(SCRATCH_FOLDERS).join(session)
    }

    /// The chat whose scratch folder contains the file; `None` if the folder no longer exists.
    pub(crate) fn chat_of_scratch(&self, file: &Path) -> Option<String> {
        let folders = self.places().data.join(SCRATCH_FOLDERS).canonicalize().ok()?;
        let chat = file.strip_prefix(folders).ok()?.components().next()?;
        let chat = chat.as_os_str().to_str()?.to_owned();
        self.scratch_folder(&chat).is_dir().then_some(chat)
    }

    /// Name, configuration, and the folder with links resolved or the reason why it cannot be opened.
    fn checked_workspaces(&self) -> Vec<(String, WorkspaceConfig, Result<PathBuf, Refused>)> {
        let taken = self.taken_folders();
        let mut names: Vec<String> = Vec::new();
        let checked = self.config().workspaces.into_iter().map(|config| {
            let name = free_name(&config.path, &names);
            names.push(name.clone());
            let real = refuse(&config.path, self.places().home.as_deref(), &taken);
            (name, config, real)
        });
        checked.collect()
    }

    /// Folders that a workspace must not be, contain or be in.
    fn taken_folders(&self) -> Vec<(PathBuf, String)> {
        let places = self.places();
        let own = "one of Nova's own folders".to_owned();
        let mut taken = vec![(places.config.clone(), own.clone()), (places.data.clone(), own)];
        if let Some(program) = std::env::current_exe().ok().and_then(|own| own.parent().map(Path::to_owned)) {
            taken.push((program, "the program's folder".to_owned()));
        }
        let config = self.config();
        let vault = self.vault().ok().map(|vault| vault.root().to_owned()).or(config.vault);
        taken.extend(vault.map(|vault| (vault, "the vault, whose notes are at vault/…".to_owned())));
        taken.extend(config.roots.into_iter().map(|root| (root, "a folder of the vault".to_owned())));
        taken
    }
}

/// Opened for each call, so that changed settings apply immediately.
impl FolderSource for App {
    fn open(&self, chat: Option<&str>) -> io::Result<Arc<Folders>> {
        let mut folders = Vec::new();
        if let Some(chat) = chat {
            let scratch = self.scratch_folder(chat);
            nova_files::private_folder(&scratch)?;
            folders.push(Folder::open(SCRATCH, &scratch, Access::Write)?);
        }
        for (name, config, checked) in self.checked_workspaces() {
            // The reason is shown in settings.
            let opened = checked.ok().and_then(|real| Folder::open(name, &real, config.access).ok());
            folders.extend(opened);
        }
        Ok(Arc::new(Folders::new(folders)))
    }

    fn documents(&self) -> Arc<dyn Documents> {
        self.inner.options.documents.clone()
    }

    fn kept(&self) -> Option<FileJournal> {
        Some(self.file_journal())
    }
}

/// The folder's name, numbered if taken.
fn free_name(path: &Path, taken: &[String]) -> String {
    let name = path.file_name().map_or_else(|| "folder".into(), |name| name.to_string_lossy().into_owned());
    let is_taken = |name: &String| RESERVED.contains(&name.as_str()) || taken.contains(name);
    let numbered = (2..).map(|number| format!("{name} {number}"));
    std::iter::once(name.clone()).chain(numbered).find(|name| !is_taken(name)).unwrap_or(name)
}

/// Edits the list in the configuration; other types have been refused when it was read.
fn change_list(config: &mut Map<String, Value>, change: impl Fn(&mut Vec<Value>)) {
    let list = config.entry("workspaces").or_insert(Value::Null);
    if list.is_null() {
        *list = json!([]);
    }
    list.as_array_mut().into_iter().for_each(change);
}

fn names(entry: &Value, path: &Path) -> bool {
    entry["path"].as_str().is_some_and(|named| Path::new(named) == path)
}

fn refused(what: &str) -> UserError {
    UserError::new(
        ErrorCode::PathRefused,
        what,
        "Choose a folder with files to work on, apart from the vault, Nova's own folders and keys.",
    )
}
