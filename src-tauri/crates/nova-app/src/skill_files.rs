//! Reveals the files of a skill to the user.

use std::path::{Path, PathBuf};

use nova_protocol::{ErrorCode, Nothing, SkillRef, UserError};
use nova_registry::{SkillEntry, SourceKind};

use crate::app::App;
use crate::blocking::blocking;
use crate::chat::unknown_skill;

impl App {
    /// Reveals the file of a skill that needs a fix in the system's file manager.
    pub(crate) async fn show_skill_files(&self, skill: SkillRef) -> Result<Nothing, UserError> {
        let snapshot = self.inner.registry.snapshot();
        let id = &skill.skill;
        let skill = snapshot.listed(id).ok_or_else(|| unknown_skill(&snapshot, id))?;
        let Some(path) = self.file_of(skill) else {
            return Err(UserError::new(
                ErrorCode::BadRequest,
                format!("{} has no files on this machine.", skill.name),
                "Set what it needs in nova.config.json.",
            ));
        };
        self.show_in_file_manager(path).await?;
        Ok(Nothing {})
    }

    /// Reveals a file or folder without opening it.
    pub(crate) async fn show_in_file_manager(&self, path: PathBuf) -> Result<(), UserError> {
        let (desktop, shown) = (self.inner.options.desktop.clone(), path.clone());
        // Waits for a reply of the file manager.
        blocking(move || Ok(desktop.show_file(&shown))).await?.map_err(|reason| {
            UserError::new(
                ErrorCode::Io,
                format!("The file manager could not be opened: {reason}."),
                format!("Open {} by hand.", self.places().shown(&path)),
            )
        })
    }

    fn file_of(&self, skill: &SkillEntry) -> Option<PathBuf> {
        let folders = self.places().tool_folders();
        match skill.source {
            SourceKind::Native | SourceKind::Mcp => None,
            SourceKind::Dynamic => Some(named_in(skill.reason.as_deref(), &folders.dynamic)),
            SourceKind::Folder => {
                let folder = skill.folder.as_ref().and_then(|folder| folder.path());
                let folder = folder.unwrap_or_else(|| folders.skills.join(&skill.id));
                let shown = [folder.join("SKILL.md"), folder, folders.skills];
                shown.into_iter().find(|path| path.exists())
            }
        }
    }
}

/// The tool file named at the start of the reason, otherwise the folder.
fn named_in(reason: Option<&str>, folder: &Path) -> PathBuf {
    let name = reason.and_then(|reason| reason.split([',', ' ', ':']).next()).filter(|name| {
        let plain = !name.contains(['/', '\\']);
        plain && Path::new(name).extension().is_some_and(|extension| extension == "ts")
    });
    name.map(|name| folder.join(name)).filter(|file| file.is_file()).unwrap_or_else(|| folder.to_owned())
}
