use std::path::PathBuf;

use nova_protocol::{ErrorCode, UserError};
use nova_registry::{canonical, is_skill_name};

use crate::app::App;
use crate::blocking::blocking;
use crate::own_files;
use crate::pending_tools::file_name;

const ECHO: &str = include_str!("../assets/echo.ts");
const SKILL_MD: &str = include_str!("../assets/SKILL.md");
const MANIFEST: &str = include_str!("../assets/manifest.yaml");
const READING_LIST_MD: &str = include_str!("../assets/reading-list/SKILL.md");
const READING_LIST_MANIFEST: &str = include_str!("../assets/reading-list/manifest.yaml");

/// Template of `nova skill new`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewSkill {
    /// A single file of the skill `dynamic`.
    Tool,
    /// A folder skill with a tool.
    Folder,
    /// A folder skill that maintains a reading list, without tool files.
    ReadingList,
}

impl App {
    /// Writes the first files of a skill, which is usable at once. Returns the paths written.
    ///
    /// # Errors
    /// When the name is empty or taken.
    pub async fn new_skill(&self, name: &str, kind: NewSkill) -> Result<Vec<PathBuf>, UserError> {
        let file = file_name(name).ok_or_else(|| bad_name(name))?;
        let folders = self.places().tool_folders();
        // Skill ids are written with `-`, tool ids with `_`.
        let tool = canonical(file.trim_end_matches(".ts")).replace('-', "_");
        let files = match kind {
            NewSkill::Tool => {
                vec![(folders.dynamic.join(file), ECHO.replace("name: 'echo'", &format!("name: '{tool}'")))]
            }
            NewSkill::ReadingList => {
                let id = self.new_skill_id(name)?;
                let folder = folders.skills.join(&id);
                vec![
                    (folder.join("SKILL.md"), READING_LIST_MD.replace("NAME", &id)),
                    (folder.join("manifest.yaml"), READING_LIST_MANIFEST.to_owned()),
                ]
            }
            NewSkill::Folder => {
                let id = self.new_skill_id(name)?;
                let folder = folders.skills.join(&id);
                vec![
                    (folder.join("SKILL.md"), SKILL_MD.replace("NAME", &id)),
                    (folder.join("manifest.yaml"), MANIFEST.replace("NAME", &id)),
                    (folder.join("tools").join("echo.ts"), ECHO.to_owned()),
                ]
            }
        };
        let written = blocking(move || {
            // The skill is detected by its SKILL.md, which is therefore written last.
            for (file, text) in files.iter().rev() {
                own_files::create(file, text.as_bytes()).map_err(|error| match error.kind() {
                    std::io::ErrorKind::AlreadyExists => UserError::new(
                        ErrorCode::BadRequest,
                        format!("{} already exists.", file.display()),
                        "Choose another name, or edit the existing one.",
                    ),
                    _ => UserError::new(
                        ErrorCode::Io,
                        format!("{} cannot be written: {error}.", file.display()),
                        "Make its folder writable.",
                    ),
                })?;
            }
            Ok(files.into_iter().map(|(file, _)| file).collect::<Vec<_>>())
        })
        .await?;
        self.tools_loaded(Self::CALL_LIMIT).await;
        Ok(written)
    }

    /// The id for a new skill of this name.
    pub(crate) fn new_skill_id(&self, name: &str) -> Result<String, UserError> {
        let file = file_name(name).ok_or_else(|| bad_name(name))?;
        let id = canonical(file.trim_end_matches(".ts"));
        if !is_skill_name(&id) {
            return Err(UserError::new(
                ErrorCode::InvalidArguments,
                format!("\"{name}\" is not a valid skill name."),
                "Use words of letters and digits with single hyphens between them.",
            ));
        }
        if self.registry().snapshot().skill(&id).is_some() || id == "dynamic" {
            return Err(UserError::new(
                ErrorCode::BadRequest,
                format!("The id {id} belongs to another skill."),
                "Choose another name.",
            ));
        }
        Ok(id)
    }
}

fn bad_name(name: &str) -> UserError {
    UserError::new(
        ErrorCode::InvalidArguments,
        format!("\"{name}\" is not a valid name."),
        "Use letters, digits, - and _, at most 64, beginning with a letter.",
    )
}
