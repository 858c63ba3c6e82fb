//! Files that the user chose in the system's dialog or dropped on the window, for a tool to read. Their bytes
//! are retained, so that what was shown is what is imported.

pub(crate) mod recent;

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use nova_protocol::{ChooseFile, ChosenFile, ErrorCode, GiveFile, GivenFileView, UserError};
use nova_skill::GivenFile;

use crate::app::App;
use crate::blocking::blocking;
use crate::places::Places;

use recent::GivenFiles;

/// Size limit of one file, in bytes.
const MOST_BYTES: u64 = 32 * 1024 * 1024;
impl App {
    /// Shows the system's open dialog and reads the chosen file.
    pub(crate) async fn choose_file(&self, choose: ChooseFile) -> Result<ChosenFile, UserError> {
        let endings: Vec<&str> = choose.endings.iter().map(String::as_str).collect();
        let desktop = &self.inner.options.desktop;
        let Some(path) = desktop.choose_file(&choose.title, &choose.kind, &endings).await else {
            return Ok(ChosenFile { file: None });
        };
        let (places, given) = (self.places().clone(), self.inner.given_files.clone());
        let file = blocking(move || read(&path, &places, &given)).await?;
        Ok(ChosenFile { file: Some(file) })
    }

    /// Retains a dropped file, of which the page has only the contents.
    pub(crate) async fn give_file(&self, file: GiveFile) -> Result<GivenFileView, UserError> {
        let given = self.inner.given_files.clone();
        blocking(move || take(&file, &given)).await
    }
}

fn take(file: &GiveFile, given: &GivenFiles) -> Result<GivenFileView, UserError> {
    let bytes = STANDARD.decode(&file.data).map_err(|_| {
        UserError::new(
            ErrorCode::BadRequest,
            format!("{} was damaged in transit.", file.name),
            "Drop it again.",
        )
    })?;
    // Strips folders from an external name.
    let name = Path::new(&file.name).file_name().unwrap_or_default().to_string_lossy().into_owned();
    keep(name, None, bytes, given)
}

fn read(path: &Path, places: &Places, given: &GivenFiles) -> Result<GivenFileView, UserError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let unread = |error: &dyn std::fmt::Display| {
        UserError::new(
            ErrorCode::Io,
            format!("{name} cannot be read: {error}."),
            "Choose a file that can be read.",
        )
    };
    let about = std::fs::metadata(path).map_err(|error| unread(&error))?;
    if !about.is_file() {
        return Err(unread(&"it is not a file"));
    }
    small_enough(&name, about.len())?;
    let bytes = nova_files::read_within(path, MOST_BYTES).map_err(|error| unread(&error))?;
    let folder = path.parent().map(|folder| places.shown(folder));
    keep(name, folder, bytes, given)
}

fn keep(
    name: String,
    folder: Option<String>,
    bytes: Vec<u8>,
    given: &GivenFiles,
) -> Result<GivenFileView, UserError> {
    let size = bytes.len() as u64;
    small_enough(&name, size)?;
    let path = given.add(GivenFile { name: name.clone(), bytes });
    Ok(GivenFileView { path, name, folder, size })
}

fn small_enough(name: &str, size: u64) -> Result<(), UserError> {
    if size <= MOST_BYTES {
        return Ok(());
    }
    Err(UserError::new(
        ErrorCode::BadRequest,
        format!("{name} is {} MB; at most {} MB can be read.", size >> 20, MOST_BYTES >> 20),
        "Export a shorter period at your bank, or split the file by year.",
    ))
}

#[cfg(test)]
mod tests {
    use nova_skill::GivenFiles as _;

    use super::recent::MOST;
    use super::*;

    fn file(name: &str) -> GivenFile {
        GivenFile { name: name.into(), bytes: name.as_bytes().to_vec() }
    }

    #[test]
    fn recent_files_are_found_by_name() {
        let given = GivenFiles::default();
        let first = given.add(file("bank.csv"));
        let again = given.add(file("bank.csv"));
        assert_ne!(first, again, "files with equal names are distinct");
        assert_eq!(given.get(&first).as_deref(), Some(&file("bank.csv")));
        for _ in 0..MOST {
            given.add(file("other.csv"));
        }
        assert_eq!(given.get(&first), None, "the oldest is evicted");
        assert_eq!(given.get("bank.csv"), None);
    }

    #[test]
    fn file_of_200_mb_is_refused_before_it_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("statement.csv");
        // Sparse, so it takes no disk space.
        std::fs::File::create(&path).and_then(|file| file.set_len(200 << 20)).expect("a large file");
        let given = GivenFiles::default();
        let places = Places::find(Some(folder.path().to_owned()), None, None, |_| None).expect("places");
        let error = read(&path, &places, &given).expect_err("too large");
        assert_eq!(error.message, "statement.csv is 200 MB; at most 32 MB can be read.");
        assert!(error.hint.contains("shorter period"), "{error}");

        let error = read(folder.path(), &places, &given).expect_err("a folder");
        assert!(error.message.ends_with("cannot be read: it is not a file."), "{error}");
        let error = read(&folder.path().join("gone.csv"), &places, &given).expect_err("nothing");
        assert!(error.message.starts_with("gone.csv cannot be read: "), "{error}");
    }
}
