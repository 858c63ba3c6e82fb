//! Workspaces as tools see them: confined, bounded, and some refused.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use nova_workspace::{Access, Folder, Folders, Grep, GrepAnswer, InProcess, Range};
use tempfile::TempDir;

mod attaching;
mod confined;
mod odd;
mod reading;
mod refused;
mod searching;
mod writing;

/// A folder named `code` beside files that tools must not reach.
struct Place {
    temp: TempDir,
}

impl Place {
    fn new(files: &[(&str, &str)]) -> Self {
        let place = Self { temp: TempDir::new().unwrap() };
        fs::create_dir(place.code()).unwrap();
        files.iter().for_each(|(path, text)| place.write(path, text));
        place
    }

    fn code(&self) -> PathBuf {
        self.temp.path().join("code")
    }

    fn outside(&self) -> &Path {
        self.temp.path()
    }

    fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.code().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn folders(&self) -> Folders {
        Folders::new(vec![Folder::open("code", &self.code(), Access::Read).unwrap()])
    }

    /// The lines that a tool reads, joined.
    fn read(&self, path: &str) -> Result<String, String> {
        let read = self.folders().find(path).and_then(|path| path.read(ALL, &InProcess, &|| false));
        let read = read.map_err(|error| error.to_string())?;
        Ok(read.page.lines.into_iter().map(|(_, line)| line).collect::<Vec<_>>().join("\n"))
    }

    fn grep(&self, grep: &Grep) -> GrepAnswer {
        self.folders().find("code").unwrap().grep(grep, &|_| (), &|| false).unwrap()
    }

    /// Each hit as `path:line:text`.
    fn found(&self, pattern: &str) -> Vec<String> {
        let answer = self.grep(&Grep { pattern: pattern.into(), limit: 100, ..Grep::default() });
        answer.hits.iter().map(|hit| format!("{}:{}:{}", hit.path, hit.line, hit.text)).collect()
    }

    fn glob(&self, pattern: &str) -> Vec<String> {
        self.folders().find("code").unwrap().glob(pattern, 100, &|| false).unwrap().paths
    }
}

const ALL: Range = Range { offset: 1, limit: 1000 };
