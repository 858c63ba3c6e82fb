//! Which folders can be no workspace.

use std::path::{Path, PathBuf};

/// Why a folder can be no workspace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("{folder} is not a readable folder: {reason}")]
    Missing { folder: PathBuf, reason: String },
    #[error("{folder} is {what}")]
    Is { folder: PathBuf, what: String },
    #[error("{folder} lies in {what}, {other}")]
    LiesIn { folder: PathBuf, what: String, other: PathBuf },
    #[error("{folder} holds {what}, {other}")]
    Holds { folder: PathBuf, what: String, other: PathBuf },
}

/// Below the home folder: keys, passwords and the profiles of browsers.
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

/// The system's own.
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

/// The folder without links, if it may be a workspace.
///
/// `taken` are the folders that none may be, lie in or hold, each with what it is: the vault, Nova's own.
///
/// # Errors
/// Why it may not.
pub fn refuse(folder: &Path, home: Option<&Path>, taken: &[(PathBuf, String)]) -> Result<PathBuf, Refused> {
    let missing = |reason: String| Refused::Missing { folder: folder.to_owned(), reason };
    let real = folder.canonicalize().map_err(|error| missing(error.to_string()))?;
    if !real.is_dir() {
        return Err(missing("it is a file".to_owned()));
    }
    let secret = home
        .into_iter()
        .flat_map(|home| SECRET.map(|below| (home.join(below), "a place for keys and passwords".to_owned())));
    let system = SYSTEM.map(|path| (PathBuf::from(path), "a folder of the system".to_owned()));
    for (other, what) in taken.iter().cloned().chain(secret).chain(system) {
        // One that does not exist yet may be there tomorrow.
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

/// Without links, as far as it exists.
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
