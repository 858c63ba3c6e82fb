//! Keys of conditions and sort orders: a property of the note, or an attribute of its file.

use jiff::Timestamp;

use crate::disk::Disk;
use crate::error::QueryError;
use crate::note::VaultPath;

/// The name of a property, or an attribute of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Key {
    Property(String),
    File(FileKey),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKey {
    /// As in a link: without `.md`.
    Name,
    Path,
    Folder,
    Ext,
    Size,
    Mtime,
    Ctime,
    Tags,
}

/// A sort key: `date`, or `-date` for descending. Accepts `file.name` and the other keys of conditions,
/// too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortKey {
    pub(super) key: Key,
    pub(super) descending: bool,
}

impl SortKey {
    /// Parses keys separated by commas; commas in quotes belong to the key.
    pub fn parse_list(text: &str) -> Result<Vec<SortKey>, QueryError> {
        let mut keys = Vec::new();
        let (mut from, mut quoted, mut escaped) = (0, false, false);
        for (at, c) in text.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' if quoted => escaped = true,
                '"' => quoted = !quoted,
                ',' if !quoted => {
                    keys.push(&text[from..at]);
                    from = at + 1;
                }
                _ => {}
            }
        }
        keys.push(&text[from..]);
        keys.into_iter().filter(|key| !key.trim().is_empty()).map(SortKey::parse).collect()
    }

    /// Parses `KEY` or `-KEY`, also `KEY asc` and `KEY desc`; the key may be in `"` quotes.
    pub fn parse(text: &str) -> Result<SortKey, QueryError> {
        let error =
            |problem: &str| QueryError::new("sort key", text, problem, "write it like `date` or `-date`");
        let trimmed = text.trim();
        let (descending, key) = match (trimmed.strip_prefix('-'), worded(trimmed)) {
            (Some(key), _) => (true, key.trim()),
            (None, Some(worded)) => worded,
            (None, None) => (false, trimmed),
        };
        let key = if key.starts_with('"') {
            match unquote(key).map_err(error)? {
                (key, "") => key,
                _ => return Err(error("something follows the quoted key")),
            }
        } else {
            key.to_owned()
        };
        let key = Key::parse(&key).ok_or_else(|| error("the property to sort by is missing"))?;
        Ok(SortKey { key, descending })
    }
}

/// `date desc`, as in other query languages: whether it is descending, and the key.
fn worded(text: &str) -> Option<(bool, &str)> {
    let (key, word) = text.rsplit_once(char::is_whitespace)?;
    let descending = match word.to_lowercase().as_str() {
        "desc" | "descending" => true,
        "asc" | "ascending" => false,
        _ => return None,
    };
    Some((descending, key.trim_end()))
}

impl Key {
    pub(super) fn parse(key: &str) -> Option<Key> {
        let key = key.trim();
        if key.is_empty() {
            return None;
        }
        let file = match key.to_lowercase().as_str() {
            "file.name" => FileKey::Name,
            "file.path" => FileKey::Path,
            "file.folder" => FileKey::Folder,
            "file.ext" => FileKey::Ext,
            "file.size" => FileKey::Size,
            "file.mtime" => FileKey::Mtime,
            "file.ctime" => FileKey::Ctime,
            // Includes the tags in the body: a query for tags never means only one of the two places.
            "file.tags" | "tags" | "tag" => FileKey::Tags,
            _ => return Some(Key::Property(key.to_owned())),
        };
        Some(Key::File(file))
    }
}

/// The extension of a file, without the dot.
pub(crate) fn extension(path: &VaultPath) -> &str {
    let name = path.as_str().rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// A file's present metadata.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileFacts {
    /// In bytes.
    pub(crate) size: u64,
    pub(crate) modified: Timestamp,
    /// The modification time if the file system has no creation time.
    pub(crate) created: Timestamp,
}

impl FileFacts {
    /// `None` if the file no longer exists.
    pub(crate) fn of(disk: &Disk, path: &VaultPath) -> Option<FileFacts> {
        let file = path.as_str().rsplit('/').next()?;
        let metadata = disk.folder(path.folder()).ok()?.symlink_metadata(file).ok()?;
        let timestamp = |time: cap_std::time::SystemTime| {
            Timestamp::try_from(time.into_std()).unwrap_or(Timestamp::UNIX_EPOCH)
        };
        let modified = metadata.modified().map_or(Timestamp::UNIX_EPOCH, timestamp);
        let created = metadata.created().map_or(modified, timestamp);
        Some(FileFacts { size: metadata.len(), modified, created })
    }
}

/// A quoted text at the start of `text`, and the rest.
pub(super) fn unquote(text: &str) -> Result<(String, &str), &'static str> {
    let mut inner = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Ok((inner, &text[at + 1..])),
            '\\' => match chars.next() {
                Some((_, escaped @ ('"' | '\\'))) => inner.push(escaped),
                Some((_, other)) => inner.extend(['\\', other]),
                None => inner.push('\\'),
            },
            other => inner.push(other),
        }
    }
    Err("a quote `\"` is not closed")
}
