//! The path of a note, as a type that cannot point outside the vault.

use std::fmt;
use std::sync::Arc;

use memchr::memrchr;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

/// A path relative to the vault's root, `/` separated.
///
/// Cannot contain `..`, `.`, empty components, absolute, UNC or drive paths, backslashes, NUL or control
/// characters, or a component that ends in a dot or a space. The bytes are those on disk, without Unicode
/// normalisation. Clones share the allocation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct VaultPath(Arc<str>);

impl VaultPath {
    /// Parses a path relative to the vault's root, such as `CRM/People/Jane Doe.md`.
    pub fn parse(path: &str) -> Result<Self, PathError> {
        check(path)?;
        Ok(Self(path.into()))
    }

    /// Joins a folder (`""` is the vault's root) and a file name.
    pub fn in_folder(folder: &str, file_name: &str) -> Result<Self, PathError> {
        if file_name.contains('/') {
            return Err(PathError {
                path: file_name.chars().take(200).collect(),
                problem: "the file name holds a slash",
                instead: None,
            });
        }
        match folder.strip_suffix('/').unwrap_or(folder) {
            "" => Self::parse(file_name),
            folder => Self::try_from(format!("{folder}/{file_name}")),
        }
    }

    /// The path of `name` in the folder `prefix`, which is `""` or ends in `/`. `sound` is the result of
    /// [`VaultPath::is_sound_folder`] for `prefix`. `room` is a buffer that is overwritten.
    pub fn within(prefix: &str, sound: bool, name: &str, room: &mut String) -> Result<Self, PathError> {
        room.clear();
        room.push_str(prefix);
        room.push_str(name);
        // The full check produces the error.
        if !(sound && is_sound_name(name) && room.len() <= MAX_PATH_BYTES) {
            check(room)?;
        }
        Ok(Self(room.as_str().into()))
    }

    /// Whether the folder `prefix`, which is `""` or ends in `/`, can be part of a path.
    pub fn is_sound_folder(prefix: &str) -> bool {
        prefix.strip_suffix('/').map_or(prefix.is_empty(), |folder| check(folder).is_ok())
    }

    /// The whole path, `/` separated.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name used in a wikilink: the file name without `.md` (`Jane Doe`); other files keep their
    /// extension.
    pub fn name(&self) -> &str {
        let file = self.file_name();
        without_extension(file).unwrap_or(file)
    }

    /// The note's folder (`CRM/People`), `""` for the vault's root.
    pub fn folder(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// Whether this is a Markdown file.
    pub fn is_note(&self) -> bool {
        without_extension(self.file_name()).is_some()
    }

    /// Whether any component begins with a dot (`.obsidian`, `.trash`).
    pub fn is_hidden(&self) -> bool {
        self.0.split('/').any(|component| component.starts_with('.'))
    }

    /// Whether the name is that of a conflicted copy made by a sync program.
    ///
    /// Recognises the documented names of Syncthing (`a.sync-conflict-20261121-101112-ABCDEFG.md`),
    /// Dropbox, Nextcloud and Obsidian Sync (`a (Jane's conflicted copy 2026-11-21).md`), ownCloud
    /// (`a_conflict-20261121-101112.md`) and Seafile (`a (SFConflict …).md`). Names that people use, too,
    /// such as `a 2.md` and `a (1).md`, count as ordinary notes.
    pub fn is_sync_conflict(&self) -> bool {
        self.sync_conflict_of().is_some()
    }

    /// The name (without `.md`) of the note of which this is a conflicted copy.
    pub fn sync_conflict_of(&self) -> Option<&str> {
        conflict_original(without_extension(self.file_name())?)
    }

    /// Whether this is Nova's copy of an edit that it could not merge.
    pub fn is_unmerged_edit(&self) -> bool {
        self.file_name().contains(UNMERGED)
    }

    fn file_name(&self) -> &str {
        memrchr(b'/', self.0.as_bytes()).map_or(&self.0, |slash| &self.0[slash + 1..])
    }
}

/// File name for a copy of an edit that could not be merged into `stem.extension`, made on `date`; `count`
/// distinguishes several on one day.
///
/// ```
/// # use nova_note::unmerged_name;
/// assert_eq!(unmerged_name("Jane", "md", "2026-11-21", 0), "Jane (Nova's conflicted copy 2026-11-21).md");
/// assert_eq!(unmerged_name("Jane", "md", "2026-11-21", 2), "Jane (Nova's conflicted copy 2026-11-21 (2)).md");
/// ```
pub fn unmerged_name(stem: &str, extension: &str, date: &str, count: usize) -> String {
    let count = if count == 0 { String::new() } else { format!(" ({count})") };
    file_name_about("", stem, &format!("{UNMERGED}{date}{count}).{extension}"))
}

/// Named as by Dropbox, so that sync programs and [`VaultPath::is_sync_conflict`] recognise it.
const UNMERGED: &str = " (Nova's conflicted copy ";

/// The name of a note's file without its extension; `None` for any other file.
fn without_extension(file: &str) -> Option<&str> {
    let (name, extension) = file.split_at_checked(file.len().checked_sub(NOTE_EXTENSION.len())?)?;
    (!name.is_empty() && extension.eq_ignore_ascii_case(NOTE_EXTENSION)).then_some(name)
}

impl fmt::Display for VaultPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for VaultPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VaultPath({:?})", self.0)
    }
}

impl AsRef<str> for VaultPath {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for VaultPath {
    type Error = PathError;

    fn try_from(path: String) -> Result<Self, PathError> {
        check(&path)?;
        Ok(Self(path.into()))
    }
}

impl From<&VaultPath> for Arc<str> {
    /// Shares the allocation.
    fn from(path: &VaultPath) -> Self {
        Arc::clone(&path.0)
    }
}

impl From<VaultPath> for String {
    fn from(path: VaultPath) -> Self {
        path.as_str().to_owned()
    }
}

impl std::str::FromStr for VaultPath {
    type Err = PathError;

    fn from_str(path: &str) -> Result<Self, PathError> {
        Self::parse(path)
    }
}

/// Why a text is not a valid path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{path}` is not a path in the vault: {problem}; {}",
    .instead.as_ref().map_or_else(
        || "give it relative to the vault's folder, like `CRM/People/Jane Doe.md`".to_owned(),
        |instead| format!("write `{instead}`"),
    )
)]
pub struct PathError {
    /// The text, truncated to 200 characters.
    pub path: String,
    /// What is wrong with it.
    pub problem: &'static str,
    /// The intended path, if it can be derived.
    pub instead: Option<VaultPath>,
}

/// Turns a display name into a file name (without `.md`).
///
/// `\ / : * ? " < > | # ^ [ ]` and control characters become `-`; spaces, leading dots and trailing dots
/// are trimmed; at most 200 bytes, cut at a character boundary; names reserved by Windows get a `_`; never
/// empty (`Untitled`). Normalised to NFC, so that the same name typed on another system is the same file.
pub fn file_name(display: &str) -> String {
    let replaced: String = display
        .nfc()
        .map(|c| match c {
            '\\' | '/' | ':' | '*' | '?' | '"' | '<' | '>' | '|' | '#' | '^' | '[' | ']' => '-',
            c if c.is_control() => '-',
            c => c,
        })
        .collect();
    let trimmed = replaced.trim().trim_start_matches(['.', ' ']);
    let name = cut(trimmed, MAX_FILE_NAME_BYTES).trim_end_matches(|c: char| c == '.' || c.is_whitespace());
    if name.is_empty() {
        return "Untitled".to_owned();
    }
    let stem = name.split('.').next().unwrap_or(name).trim_end();
    if WINDOWS_RESERVED.iter().any(|reserved| reserved.eq_ignore_ascii_case(stem)) {
        return format!("{name}_");
    }
    name.to_owned()
}

/// File name, outside of the vault, for something about a note: `before`, as much of the note's name as
/// fits, `after`.
///
/// At most 140 bytes, cut at a character boundary: a note's name may use all of the 255 bytes that a file
/// name can have, and in an encrypted home folder the limit is 143.
///
/// ```
/// # use nova_note::file_name_about;
/// assert_eq!(file_name_about("1 ", "Jane Doe", " (Nova).md"), "1 Jane Doe (Nova).md");
/// assert_eq!(file_name_about("1 ", &"é".repeat(120), ".md").len(), 139);
/// ```
pub fn file_name_about(before: &str, note: &str, after: &str) -> String {
    let room = MAX_NAME_ABOUT_BYTES.saturating_sub(before.len() + after.len());
    format!("{before}{}{after}", cut(note, room))
}

/// At most `most` bytes of the text, cut at a character boundary.
fn cut(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn check(path: &str) -> Result<(), PathError> {
    let refuse = |problem| Err(PathError { path: path.chars().take(200).collect(), problem, instead: None });
    if path.is_empty() {
        return refuse("it is empty");
    }
    if path.len() > MAX_PATH_BYTES {
        return refuse("it is longer than 4096 bytes");
    }
    if path.starts_with('/') {
        return refuse("it is absolute");
    }
    if path.contains('\\') {
        return refuse("it holds a backslash");
    }
    let has_control = match path.is_ascii() {
        true => path.bytes().any(|byte| byte.is_ascii_control()),
        false => path.chars().any(char::is_control),
    };
    if has_control {
        return refuse("it holds a control character");
    }
    if is_drive(path) {
        return refuse("it names a drive");
    }
    for component in path.split('/') {
        if component.is_empty() {
            let is_last = path.ends_with('/') && !path.ends_with("//");
            return refuse(if is_last { "it names a folder" } else { "a folder in it has no name" });
        }
        if component == "." || component == ".." {
            return refuse("it holds `.` or `..`");
        }
        if component.ends_with(['.', ' ']) {
            return refuse("a name in it ends in a dot or a space");
        }
        if component.len() > MAX_COMPONENT_BYTES {
            return refuse("a name in it is longer than 255 bytes");
        }
    }
    Ok(())
}

/// Whether [`check`] certainly allows this name, at the root as well; `false` if in doubt.
fn is_sound_name(name: &str) -> bool {
    // No early exit, so that the loop is vectorised.
    let odd = name.bytes().fold(false, |odd, b| odd | !(b' '..0x7f).contains(&b) | matches!(b, b'/' | b'\\'));
    let plain = match odd {
        false => true,
        true => !name.contains(['/', '\\']) && !name.chars().any(char::is_control),
    };
    plain
        && !name.is_empty()
        && name.len() <= MAX_COMPONENT_BYTES
        && !name.ends_with(['.', ' '])
        && !is_drive(name)
}

fn conflict_original(name: &str) -> Option<&str> {
    // Each of these names contains a date and few others do; this runs for every note.
    if name.bytes().filter(u8::is_ascii_digit).count() < 8 {
        return None;
    }
    let original = |name: &'_ str| !name.trim().is_empty();
    for mark in [".sync-conflict-", "_conflict-"] {
        if let Some((before, stamp)) = name.rsplit_once(mark)
            && is_compact_stamp(stamp)
            && original(before)
        {
            return Some(before);
        }
    }
    let name = name.strip_suffix(')')?;
    // Dropbox numbers several copies of one day: `… 2026-11-21 (1))`.
    let is_count = |n: &str| n.strip_suffix(')').is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
    let name = name.rsplit_once(" (").filter(|(_, n)| is_count(n)).map_or(name, |(name, _)| name);
    let (before, inside) = name.rsplit_once(" (")?;
    let folded = inside.to_ascii_lowercase();
    let is_conflict = match folded.split_once("conflicted copy ") {
        Some((whose, when)) => (whose.is_empty() || whose.ends_with(' ')) && ends_in_date(when),
        None => folded.strip_prefix("sfconflict ").is_some_and(ends_in_date),
    };
    (is_conflict && original(before)).then_some(before)
}

/// `20261121-101112`, optionally followed by `-` and a short device id.
fn is_compact_stamp(stamp: &str) -> bool {
    let mut parts = stamp.split('-');
    let mut digits = |count: usize| {
        parts.next().is_some_and(|part| part.len() == count && part.bytes().all(|b| b.is_ascii_digit()))
    };
    let dated = digits(8) && digits(6);
    dated && parts.next().is_none_or(is_device) && parts.next().is_none()
}

fn is_device(id: &str) -> bool {
    id.len() == 7 && id.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
}

/// Whether the text ends in a date such as `2026-11-21`, `2026-11-21 101112`, `2026-11-21-10-11-12` or
/// `202611211011`.
fn ends_in_date(text: &str) -> bool {
    text.split(' ').any(|word| {
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        digits >= 8 && word.starts_with("20") && word.bytes().all(|b| b.is_ascii_digit() || b == b'-')
    })
}

const NOTE_EXTENSION: &str = ".md";
const MAX_PATH_BYTES: usize = 4096;
const MAX_COMPONENT_BYTES: usize = 255;
/// Leaves room within 255 bytes for ` 2`, `.md` and the prefix of a temporary file.
const MAX_FILE_NAME_BYTES: usize = 200;
const MAX_NAME_ABOUT_BYTES: usize = 140;
const WINDOWS_RESERVED: [&str; 22] = [
    "CON", "PRN", "AUX", "NUL", "COM1", "COM2", "COM3", "COM4", "COM5", "COM6", "COM7", "COM8", "COM9",
    "LPT1", "LPT2", "LPT3", "LPT4", "LPT5", "LPT6", "LPT7", "LPT8", "LPT9",
];

/// Windows reads `C:` and `C:name` as drive paths; refused everywhere, because vaults move between systems.
fn is_drive(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.len() >= 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':'
}
