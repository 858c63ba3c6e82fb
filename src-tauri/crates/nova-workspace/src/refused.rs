//! Folders that are refused as workspaces.

use std::path::{Path, PathBuf};

/// Why a folder is refused as a workspace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("{folder} is not a readable folder: {reason}")]
    Missing { folder: PathBuf, reason: String },
    #[error("{folder} is {what}")]
    Is { folder: PathBuf, what: String },
    #[error("{folder} is inside {what}, {other}")]
    LiesIn { folder: PathBuf, what: String, other: PathBuf },
    #[error("{folder} contains {what}, {other}")]
    Holds { folder: PathBuf, what: String, other: PathBuf },
}

/// Relative to the home folder: keys, passwords and browser profiles.
const SECRET: [&str; 19] = [
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".config",
    ".local/share/keyrings",
    ".mozilla",
    ".thunderbird",
    ".password-store",
    ".pki",
    ".netrc",
    ".git-credentials",
    ".npmrc",
    ".pypirc",
    ".cargo",
    "Library",
    "AppData",
];

/// System folders.
const SYSTEM: [&str; 14] = [
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/lib",
    "/lib64",
    "/proc",
    "/run",
    "/sbin",
    "/sys",
    "/usr",
    "/System",
    "/Library",
    "C:\\Windows",
];

/// Returns the folder with links resolved, if it may be a workspace.
///
/// A workspace must not be, contain or be in one of the `taken` folders, each with its description: the
/// vault, Nova's own.
///
/// # Errors
/// Why it is refused.
pub fn refuse(folder: &Path, home: Option<&Path>, taken: &[(PathBuf, String)]) -> Result<PathBuf, Refused> {
    let missing = |reason: String| Refused::Missing { folder: folder.to_owned(), reason };
    let real = folder.canonicalize().map_err(|error| missing(error.to_string()))?;
    if !real.is_dir() {
        return Err(missing("it is a file".to_owned()));
    }
    let secret = home
        .into_iter()
        .flat_map(|home| SECRET.map(|below| (home.join(below), "a place for keys and passwords".to_owned())));
    let system = SYSTEM.map(|path| (PathBuf::from(path), "a system folder".to_owned()));
    for (other, what) in taken.iter().cloned().chain(secret).chain(system) {
        // A folder that does not exist yet may be created later.
        let other = real_path(&other);
        let folder = real.clone();
        if real == other {
            return Err(Refused::Is { folder, what });
        }
        if real.starts_with(&other) {
            return Err(Refused::LiesIn { folder, what, other });
        }
        if other.starts_with(&real) {
            return Err(Refused::Holds { folder, what, other });
        }
    }
    Ok(real)
}

/// Resolves links in the existing part of the path.
fn real_path(path: &Path) -> PathBuf {
    let mut rest = Vec::new();
    let mut existing = path;
    loop {
        if let Ok(real) = existing.canonicalize() {
            return rest.iter().rev().fold(real, |path, part| path.join(part));
        }
        match (existing.parent(), existing.file_name()) {
            (Some(parent), Some(name)) => {
                rest.push(name);
                existing = parent;
            }
            _ => return path.to_owned(),
        }
    }
}
