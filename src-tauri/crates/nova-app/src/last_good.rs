use std::path::{Path, PathBuf};

use nova_registry::{LastGood, LastGoodTool};
use serde::{Deserialize, Serialize};

/// The last valid version of each tool file, so that a file that was broken while Nova was closed still
/// works, and keeps its name. One small file each, in `<data>/tools/last-good`.
pub(crate) struct LastGoodFiles {
    folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct SavedTool {
    file: String,
    tool: String,
    source: String,
}

impl LastGoodFiles {
    pub(crate) fn new(data: &Path) -> Self {
        Self { folder: data.join("tools").join("last-good") }
    }

    /// The file name may be anything, possibly too long for another extension, so it is hashed.
    fn place(&self, file: &str) -> PathBuf {
        self.folder.join(format!("{}.json", blake3::hash(file.as_bytes()).to_hex()))
    }
}

impl LastGood for LastGoodFiles {
    fn get(&self, file: &str) -> Option<LastGoodTool> {
        let saved: SavedTool = serde_json::from_slice(&nova_files::read(&self.place(file)).ok()?).ok()?;
        (saved.file == file).then(|| LastGoodTool { name: saved.tool, source: saved.source.into() })
    }

    fn keep(&self, file: &str, good: &LastGoodTool) {
        let saved = SavedTool {
            file: file.to_owned(),
            tool: good.name.clone(),
            source: good.source.as_ref().to_owned(),
        };
        let written = serde_json::to_vec(&saved)
            .map_err(std::io::Error::from)
            .and_then(|bytes| crate::own_files::write(&self.place(file), &bytes));
        if let Err(error) = written {
            tracing::warn!(file, %error, "cannot save the last good version of a tool");
        }
    }

    fn remove_others(&self, folder: &str, there: &dyn Fn(&str) -> bool) {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        for place in entries.map(|entry| entry.path()) {
            let saved = nova_files::read(&place).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
            let Some(SavedTool { file, .. }) = saved else { continue };
            let of_folder = file.rsplit_once('/').filter(|(of, _)| *of == folder);
            if of_folder.is_some_and(|(_, name)| !there(name)) {
                let _ = std::fs::remove_file(place);
            }
        }
    }

    fn forget(&self, file: &str) {
        // An error means that there is none.
        let _ = std::fs::remove_file(self.place(file));
    }
}
