//! Files for authors of tools and skills: type declarations for the editor.

mod configs;

use std::path::Path;

use nova_registry::Snapshot;

use crate::blocking::blocking;
use crate::own_files;
use crate::places::Places;

const DECLARATIONS: &str = include_str!("../assets/nova-tools.d.ts");
const TSCONFIG: &str = include_str!("../assets/tsconfig.json");
const SKILLS_TSCONFIG: &str = include_str!("../assets/skills.tsconfig.json");
/// The guide to writing skills, in Markdown.
pub(crate) const SKILL_MANUAL: &str = include_str!("../../../../docs/skills.md");

/// Creates the folders for tools and adds the editor's files. Files that the user changed are left alone;
/// tools work even if nothing can be written.
pub(crate) async fn install(places: &Places) {
    let (tools, folders) = (places.tools(), places.tool_folders());
    let installed = blocking(move || {
        for folder in [&folders.dynamic, &folders.pending, &folders.skills] {
            if let Err(error) = std::fs::create_dir_all(folder) {
                tracing::warn!(path = %folder.display(), %error, "cannot create a folder");
            }
        }
        for (file, text) in [
            (tools.join("nova-tools.d.ts"), DECLARATIONS),
            (tools.join("tsconfig.json"), TSCONFIG),
            (folders.skills.join("tsconfig.json"), SKILLS_TSCONFIG),
        ] {
            if let Err(error) = refresh(&file, text) {
                tracing::warn!(path = %file.display(), %error, "cannot write a file for tool authors");
            }
        }
        Ok(())
    });
    let _ = installed.await;
}

/// Writes the settings of the user's own skills as types, in the background. Tools work even if it cannot be
/// written.
pub(crate) fn declare_configs(places: &Places, snapshot: &Snapshot) {
    let file = places.tool_folders().skills.join("nova-configs.d.ts");
    let text = configs::declarations(snapshot.skills().iter().map(AsRef::as_ref));
    tokio::task::spawn_blocking(move || {
        if let Err(error) = refresh(&file, &text) {
            tracing::warn!(path = %file.display(), %error, "cannot write a file for tool authors");
        }
    });
}

/// Writes the file if it is missing, or an older version that nobody changed.
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

/// The first line of a generated file: a hash that reveals changes.
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
    fn older_file_is_updated_unless_it_was_changed() {
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
