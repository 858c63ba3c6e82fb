//! What the author of a tool or a skill finds ready: declarations for the editor, and first files.

use std::path::{Path, PathBuf};

use nova_protocol::{ErrorCode, UserError};
use nova_registry::{canonical, is_skill_name};

use crate::app::{App, blocking};
use crate::own_files;
use crate::pending_tools::file_name;
use crate::places::Places;

const DECLARATIONS: &str = include_str!("../assets/nova-tools.d.ts");
const TSCONFIG: &str = include_str!("../assets/tsconfig.json");
const SKILLS_TSCONFIG: &str = include_str!("../assets/skills.tsconfig.json");
const ECHO: &str = include_str!("../assets/echo.ts");
const SKILL_MD: &str = include_str!("../assets/SKILL.md");
const MANIFEST: &str = include_str!("../assets/manifest.yaml");

/// How skills are written, in Markdown.
pub(crate) const SKILL_MANUAL: &str = include_str!("../../../../docs/skills.md");

/// What `nova skill new` writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewSkill {
    /// One file of the skill `dynamic`.
    Tool,
    /// A skill of its own, with a tool.
    Folder,
}

impl App {
    /// Writes the first files of a skill; they work at once. Answers with what was written.
    ///
    /// # Errors
    /// When the name is none, or something of that name is there.
    pub async fn new_skill(&self, name: &str, kind: NewSkill) -> Result<Vec<PathBuf>, UserError> {
        let bad_name = || {
            UserError::new(
                ErrorCode::InvalidArguments,
                format!("\"{name}\" is not a valid name."),
                "Use letters, digits, - and _, at most 64, beginning with a letter.",
            )
        };
        let file = file_name(name).ok_or_else(bad_name)?;
        let folders = self.places().tool_folders();
        // Ids of skills are written with -, ids of tools with _.
        let id = canonical(file.trim_end_matches(".ts"));
        let tool = id.replace('-', "_");
        let files = match kind {
            NewSkill::Tool => {
                vec![(folders.dynamic.join(file), ECHO.replace("name: 'echo'", &format!("name: '{tool}'")))]
            }
            NewSkill::Folder if !is_skill_name(&id) => {
                return Err(UserError::new(
                    ErrorCode::InvalidArguments,
                    format!("\"{name}\" is not a valid skill name."),
                    "Use words of letters and digits with single hyphens between them.",
                ));
            }
            NewSkill::Folder => {
                let taken = self.registry().snapshot().skill(&id).is_some();
                if taken || id == "dynamic" {
                    return Err(UserError::new(
                        ErrorCode::BadRequest,
                        format!("The id {id} belongs to another skill."),
                        "Choose another name.",
                    ));
                }
                let folder = folders.skills.join(&id);
                vec![
                    (folder.join("SKILL.md"), SKILL_MD.replace("NAME", &id)),
                    (folder.join("manifest.yaml"), MANIFEST.replace("NAME", &id)),
                    (folder.join("tools").join("echo.ts"), ECHO.to_owned()),
                ]
            }
        };
        let written = blocking(move || {
            // The skill counts when its SKILL.md is there, so that comes last.
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
}

/// Makes the folders that tools go to and puts the editor's files beside them. What the user changed
/// is left alone; where nothing can be written, tools are read all the same.
pub(crate) async fn install(places: &Places) {
    let (tools, folders) = (places.tools(), places.tool_folders());
    let installed = blocking(move || {
        for folder in [&folders.dynamic, &folders.pending, &folders.skills] {
            if let Err(error) = std::fs::create_dir_all(folder) {
                tracing::warn!("{}: {error}", folder.display());
            }
        }
        for (file, text) in [
            (tools.join("nova-tools.d.ts"), DECLARATIONS),
            (tools.join("tsconfig.json"), TSCONFIG),
            (folders.skills.join("tsconfig.json"), SKILLS_TSCONFIG),
        ] {
            if let Err(error) = refresh(&file, text) {
                tracing::warn!("{}: {error}", file.display());
            }
        }
        Ok(())
    });
    let _ = installed.await;
}

/// Writes the file where there is none, or an older one that nobody changed.
fn refresh(file: &Path, text: &str) -> std::io::Result<()> {
    let wanted = format!("{}\n{text}", mark(text));
    match nova_files::read_text(file) {
        Ok(there) if there == wanted || !is_ours(&there) => Ok(()),
        Ok(_) => own_files::write(file, wanted.as_bytes()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            own_files::create(file, wanted.as_bytes())
        }
        Err(error) => Err(error),
    }
}

const MARK: &str = "// Kept up to date by Nova until you change it. ";

/// The first line of a file that Nova wrote: by it a change is seen.
fn mark(text: &str) -> String {
    format!("{MARK}{}", &blake3::hash(text.as_bytes()).to_hex()[..16])
}

fn is_ours(there: &str) -> bool {
    there.split_once('\n').is_some_and(|(first, rest)| first == mark(rest))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::refresh;

    #[test]
    fn an_older_file_is_renewed_and_one_that_was_changed_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("nova-tools.d.ts");
        refresh(&file, "one\n").unwrap();
        refresh(&file, "two\n").unwrap();
        assert!(std::fs::read_to_string(&file).unwrap().ends_with("\ntwo\n"));

        let changed = std::fs::read_to_string(&file).unwrap() + "mine\n";
        std::fs::write(&file, &changed).unwrap();
        refresh(&file, "three\n").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), changed);

        std::fs::write(&file, "mine alone\n").unwrap();
        refresh(&file, "three\n").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine alone\n");
    }
}
