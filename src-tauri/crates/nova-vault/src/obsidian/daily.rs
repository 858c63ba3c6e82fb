//! Where daily notes are and which day each is for.

use jiff::Zoned;
use jiff::civil::Date;

use super::{DAILY_NOTES, MomentFormat, SettingError};
use crate::note::{VaultPath, folded};

/// Where daily notes go and how they begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DailyNotes {
    /// The settings file, relative to the vault.
    pub file: &'static str,
    /// The folder, as it is set; empty for the vault's root.
    pub folder: String,
    /// The name without `.md`, in Moment's tokens. A slash in it makes folders.
    pub format: String,
    /// The note that new ones are copied from, as it is set: a path or a name.
    pub template: Option<String>,
}

impl Default for DailyNotes {
    fn default() -> DailyNotes {
        DailyNotes {
            file: DAILY_NOTES,
            folder: String::new(),
            format: "YYYY-MM-DD".to_owned(),
            template: None,
        }
    }
}

impl DailyNotes {
    /// The path of the note for the day of this moment.
    ///
    /// # Errors
    /// Folder or format lead out of the vault or into a dot-folder, or make no file name.
    pub fn path(&self, at: &Zoned) -> Result<VaultPath, SettingError> {
        let name = MomentFormat::parse(&self.format).text(at);
        let name = name.trim().trim_matches('/');
        let file = if name.ends_with(".md") { name.to_owned() } else { format!("{name}.md") };
        let folder = self.folder.trim_matches('/');
        let path = if folder.is_empty() { file } else { format!("{folder}/{file}") };
        let refused = |problem: &str| SettingError {
            file: self.file.to_owned(),
            problem: format!("the daily note \"{}\" cannot be created: {problem}", shown(&path)),
            remedy: "Choose another date format or folder for daily notes in Obsidian's settings.".to_owned(),
        };
        if name.rsplit('/').next().is_none_or(|name| name.trim().is_empty()) {
            return Err(refused("it has no name"));
        }
        let path = VaultPath::parse(&path).map_err(|error| refused(error.problem))?;
        if path.is_hidden() {
            return Err(refused("it would be in a folder that starts with a dot"));
        }
        Ok(path)
    }

    /// The day that a daily note is for; `None` for every other note. One that was moved to
    /// another folder below that of the daily notes is known by its name.
    pub fn date(&self, path: &VaultPath) -> Option<Date> {
        let folder = self.folder.trim_matches('/');
        let rest = match folder {
            "" => path.as_str(),
            folder => below(folder, path.as_str())?,
        };
        let rest = rest.strip_suffix(".md")?;
        let format = self.format.trim().trim_matches('/');
        let whole = MomentFormat::parse(format).date(rest);
        whole.or_else(|| MomentFormat::parse(last_part(format)).date(path.name()))
    }

    /// The template, by its path or, where there is no such note, by its name.
    ///
    /// # Errors
    /// It leads out of the vault or into a dot-folder.
    pub fn template(&self) -> Result<Option<VaultPath>, SettingError> {
        let Some(set) = &self.template else { return Ok(None) };
        let refused = |problem: &str| SettingError {
            file: self.file.to_owned(),
            problem: format!("the template \"{}\" of daily notes is not read: {problem}", shown(set)),
            remedy: "Choose a note of the vault as template for daily notes in Obsidian's settings."
                .to_owned(),
        };
        let name = set.trim().trim_start_matches('/');
        let file = if name.ends_with(".md") { name.to_owned() } else { format!("{name}.md") };
        let path = VaultPath::parse(&file).map_err(|error| refused(error.problem))?;
        if path.is_hidden() {
            return Err(refused("it is in a folder that starts with a dot"));
        }
        Ok(Some(path))
    }
}

/// What follows the folder in the path. Its case and its composition do not matter: the folder that is
/// there may be spelled otherwise than the setting.
fn below<'a>(folder: &str, path: &'a str) -> Option<&'a str> {
    let depth = folder.split('/').count();
    let (end, _) = path.match_indices('/').nth(depth - 1)?;
    (folded(&path[..end]) == folded(folder)).then_some(&path[end + 1..])
}

/// The part of a format behind its last slash outside of brackets.
fn last_part(format: &str) -> &str {
    let mut depth = false;
    let mut start = 0;
    for (at, c) in format.char_indices() {
        match c {
            '[' => depth = true,
            ']' => depth = false,
            '/' if !depth => start = at + 1,
            _ => {}
        }
    }
    &format[start..]
}

fn shown(text: &str) -> String {
    text.chars().take(200).flat_map(char::escape_debug).collect()
}
