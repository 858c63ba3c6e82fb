//! Seals a foreign skill: every file with its hash at one time, to detect any change after the user's
//! agreement.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::listing::{self, Listing};
use super::read::{FileText, MAX_TOOL_FILE, is_tool_file, open};
use crate::SkillFile;

/// Maximum total size of a skill's files, in bytes.
const MAX_TOTAL: u64 = 16 * 1024 * 1024;

/// All files of a skill at one time.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sealed {
    /// Hash of all names and contents.
    pub(super) fingerprint: String,
    pub(super) files: Vec<SkillFile>,
}

/// Contents read while hashing, so that the content in use is the content that was hashed.
#[derive(Debug)]
pub(super) struct Contents {
    texts: BTreeMap<String, FileText>,
}

/// Reads every file of the folder once.
///
/// # Errors
/// If not everything can be read: a sentence with the remedy.
pub(super) fn seal(root: &Path, name: &str) -> Result<(Sealed, Contents, Listing), String> {
    let listing = listing::list(root, name, true);
    if listing.incomplete {
        return Err(format!(
            "It has more than {} files, or folders too deep to scan. Nobody can review that; take out what it \
             does not need.",
            listing::MAX_SKILL_FILES
        ));
    }
    let opened = Dir::open_ambient_dir(root, ambient_authority()).and_then(|root| root.open_dir(name));
    let dir =
        opened.map_err(|error| format!("The folder cannot be read ({error}). Check its permissions."))?;
    let mut all = blake3::Hasher::new();
    let mut add = |kind: &str, path: &str, what: &[u8]| {
        for part in [kind.as_bytes(), path.as_bytes(), what] {
            all.update(&(part.len() as u64).to_le_bytes());
            all.update(part);
        }
    };
    let (mut files, mut texts) = (Vec::new(), BTreeMap::new());
    let mut left = MAX_TOTAL;
    for file in &listing.files {
        let (hash, bytes, text) = content(&dir, &file.path, left)?;
        left -= bytes;
        add("file", &file.path, hash.as_bytes());
        texts.extend(text.map(|text| (file.path.clone(), text)));
        files.push(SkillFile { path: file.path.clone(), bytes, agreed: Some(hash) });
    }
    for (path, target) in &listing.links {
        add("link", path, target.as_bytes());
    }
    for path in &listing.others {
        add("other", path, &[]);
    }
    let fingerprint = all.finalize().to_hex().to_string();
    Ok((Sealed { fingerprint, files }, Contents { texts }, listing))
}

impl Contents {
    pub(super) fn take(&mut self, path: &str) -> Option<FileText> {
        self.texts.remove(path)
    }

    /// Files directly in `tools/`, by name.
    pub(super) fn take_tools(&mut self) -> BTreeMap<String, FileText> {
        let tools = self
            .texts
            .iter()
            .filter_map(|(path, text)| Some((path.strip_prefix("tools/")?.to_owned(), text.clone())));
        tools.collect()
    }
}

/// Returns the hash, the size, and the content of files that Nova interprets.
fn content(dir: &Dir, path: &str, left: u64) -> Result<(blake3::Hash, u64, Option<FileText>), String> {
    let failed = |error: std::io::Error| format!("{path} cannot be read ({error}). Check its permissions.");
    let opened = open(dir, path).map_err(failed)?;
    if !opened.metadata().map_err(failed)?.is_file() {
        return Err(format!("{path} is no longer a regular file. Review it again."));
    }
    let in_tools = path.strip_prefix("tools/").is_some_and(|name| !name.contains('/') && is_tool_file(name));
    let wanted = in_tools || listing::OWN.contains(&path);
    let (mut hasher, mut kept, mut bytes) = (blake3::Hasher::new(), Vec::new(), 0_u64);
    let mut reader = opened.take(left + 1);
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let count = reader.read(&mut buffer).map_err(failed)?;
        if count == 0 {
            break;
        }
        bytes += count as u64;
        hasher.update(&buffer[..count]);
        if wanted && bytes <= MAX_TOOL_FILE {
            kept.extend_from_slice(&buffer[..count]);
        }
    }
    if bytes > left {
        return Err(
            "Its files hold more than 16 MB together. Nobody can review that; remove what it does not \
                    need."
                .into(),
        );
    }
    let text = wanted.then(|| {
        if bytes > MAX_TOOL_FILE {
            return FileText::Refused("it is larger than 1 MB; make it smaller".into());
        }
        match String::from_utf8(kept) {
            Ok(text) => FileText::Text(Arc::from(text)),
            Err(_) => FileText::Refused("it is not UTF-8; save it as UTF-8".into()),
        }
    });
    Ok((hasher.finalize(), bytes, text))
}

#[cfg(test)]
mod tests;
