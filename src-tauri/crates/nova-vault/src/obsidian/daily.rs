//! Daily notes: their location, and the day of each.

use jiff::Zoned;
use jiff::civil::Date;

use super::{DAILY_NOTES, MomentFormat, SettingError};
use crate::note::{VaultPath, folded};

/// Settings for daily notes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DailyNotes {
    /// The settings file, relative to the vault.
    pub file: &'static str,
    /// The configured folder; empty for the vault's root.
    pub folder: String,
    /// The name without `.md`, as a Moment.js format. A slash creates folders.
    pub format: String,
    /// The configured template: a path or a name.
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
    /// The path of the daily note for this moment.
    ///
    /// # Errors
    /// If folder or format lead out of the vault or into a dot-folder, or yield no file name.
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

    /// The day of a daily note; `None` for any other note. A daily note in a subfolder of the configured
    /// folder is recognised by its name.
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

    /// The template: a path or, if no such note exists, a name.
    ///
    /// # Errors
    /// If it leads out of the vault or into a dot-folder.
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

/// The rest of the path after the folder, ignoring case and Unicode composition: the folder on disk may be
/// spelled differently from the setting.
fn below<'a>(folder: &str, path: &'a str) -> Option<&'a str> {
    let depth = folder.split('/').count();
    let (end, _) = path.match_indices('/').nth(depth - 1)?;
    (folded(&path[..end]) == folded(folder)).then_some(&path[end + 1..])
}

/// The part of a format after its last slash outside of brackets.
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
