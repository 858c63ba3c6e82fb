//! What the user set in Obsidian and Nova follows: where new and daily notes go, how links are
//! written, what becomes of a deleted note.
//!
//! Settings are read, never written, and anew whenever they are needed. They are input like any
//! other: a file that is missing or broken counts as Obsidian's defaults, and a path in one cannot
//! lead out of the vault.

mod daily;
mod moment;
mod tasks;
mod template;
#[cfg(test)]
mod tests;

use std::io;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};
use unicode_normalization::UnicodeNormalization as _;

use crate::disk::Disk;
use crate::note::{VaultPath, folded};
use crate::problem::Problem;

pub use daily::DailyNotes;
pub use moment::MomentFormat;
pub use tasks::TaskSettings;
pub use template::{TemplateValues, fill_template};

/// Obsidian's settings for a vault, as far as Nova follows them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ObsidianSettings {
    /// What becomes of a deleted note.
    pub trash: Trash,
    /// Where a new note goes that names no folder.
    pub new_notes: NewNotes,
    /// Where attachments go, as it is set: `/`, a folder, or `./…` relative to the note.
    pub attachments: String,
    /// How much of a path a new link spells out.
    pub link_format: LinkFormat,
    /// Whether new links are Markdown's `[]()` rather than `[[]]`.
    pub markdown_links: bool,
    /// Whether Obsidian rewrites links without asking when a note moves.
    pub update_links: bool,
    /// The daily notes.
    pub daily: DailyNotes,
    /// The templates.
    pub templates: Templates,
    /// The tasks.
    pub tasks: TaskSettings,
    /// Settings that cannot be read, or lead out of the vault.
    pub problems: Vec<Problem>,
}

/// What becomes of a deleted note (`trashOption`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Trash {
    /// The system's trash.
    #[default]
    System,
    /// The vault's folder `.trash`.
    Local,
    /// It is gone.
    None,
}

/// Where a new note goes that names no folder (`newFileLocation`).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum NewNotes {
    /// The vault's root.
    #[default]
    Root,
    /// Beside the note that is open. No note is open in Nova, so that is the root too.
    Current,
    /// A folder, as it is set.
    Folder(String),
}

/// How much of a path a new link spells out (`newLinkFormat`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LinkFormat {
    /// The name alone where it is unique.
    #[default]
    Shortest,
    /// The path from the note with the link.
    Relative,
    /// The path from the vault's root.
    Absolute,
}

/// The core plugin Templates, and the folder of the plugin Templater where that names none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Templates {
    /// The folder that templates lie in, as it is set.
    pub folder: Option<String>,
    /// How `{{date}}` is written.
    pub date_format: String,
    /// How `{{time}}` is written.
    pub time_format: String,
}

impl Default for Templates {
    fn default() -> Templates {
        Templates { folder: None, date_format: "YYYY-MM-DD".to_owned(), time_format: "HH:mm".to_owned() }
    }
}

/// The folder whose notes are forms for notes to come, and no records: the one that the core plugin
/// Templates is set to, else the plugin Templater, `Templates` where none is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateFolder {
    path: String,
    folded: String,
}

impl TemplateFolder {
    /// As the setting names it, if it does.
    pub fn new(set: Option<&str>) -> TemplateFolder {
        let folder = set.map(|folder| folder.trim().trim_matches('/')).filter(|folder| !folder.is_empty());
        let path: String = folder.unwrap_or(TEMPLATE_FOLDER).nfc().collect();
        TemplateFolder { folded: folded(&path), path }
    }

    /// Its path in the vault.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Whether a note lies in it, or in a folder of it; case and Unicode composition do not matter.
    pub fn holds(&self, path: &VaultPath) -> bool {
        let (path, folder) = (path.as_str(), self.folded.as_str());
        // Each record of a list is asked about: most are told apart without a copy.
        let Some((end, _)) = path.match_indices('/').nth(folder.matches('/').count()) else { return false };
        let start = &path[..end];
        if start.is_ascii() { start.eq_ignore_ascii_case(folder) } else { folded(start) == folder }
    }
}

impl Default for TemplateFolder {
    fn default() -> TemplateFolder {
        TemplateFolder::new(None)
    }
}

/// Where templates lie in a vault that says nothing of it.
pub const TEMPLATE_FOLDER: &str = "Templates";

/// A setting of Obsidian's that Nova cannot follow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {problem}. {remedy}")]
pub struct SettingError {
    /// The settings file, relative to the vault.
    pub file: String,
    /// What is wrong, without a full stop.
    pub problem: String,
    /// What to do about it.
    pub remedy: String,
}

const FOLDER: &str = ".obsidian";
const APP: &str = ".obsidian/app.json";
const DAILY_NOTES: &str = ".obsidian/daily-notes.json";
const TEMPLATES: &str = ".obsidian/templates.json";
const PLUGINS: &str = ".obsidian/community-plugins.json";
const TEMPLATER: &str = ".obsidian/plugins/templater-obsidian/data.json";
const PERIODIC_NOTES: &str = ".obsidian/plugins/periodic-notes/data.json";

impl TemplateFolder {
    /// As it is set now.
    pub(crate) fn read(disk: &Disk) -> TemplateFolder {
        let mut files = Files { disk, problems: Vec::new() };
        let core = files.object(TEMPLATES);
        TemplateFolder::new(files.template_folder(&core).as_deref())
    }
}

impl ObsidianSettings {
    pub(crate) fn read(disk: &Disk) -> ObsidianSettings {
        let mut files = Files { disk, problems: Vec::new() };
        if let Err(error) = disk.folder(FOLDER) {
            if error.kind() != io::ErrorKind::NotFound {
                files.problem(
                    FOLDER,
                    1,
                    format!("Obsidian's settings are not read ({error}); its defaults are used"),
                    "Make .obsidian a folder of the vault itself, not a link, that your user may read.",
                );
            }
            return ObsidianSettings { problems: files.problems, ..ObsidianSettings::default() };
        }
        let app = files.object(APP);
        let templates = files.object(TEMPLATES);
        let daily = files.daily_notes();
        let tasks = files.task_settings();
        let default = Templates::default();
        let mut settings = ObsidianSettings {
            trash: match text(&app, "trashOption") {
                Some("local") => Trash::Local,
                Some("none") => Trash::None,
                _ => Trash::System,
            },
            new_notes: match (text(&app, "newFileLocation"), text(&app, "newFileFolderPath")) {
                (Some("folder"), Some(folder)) => NewNotes::Folder(folder.to_owned()),
                (Some("current"), _) => NewNotes::Current,
                _ => NewNotes::Root,
            },
            attachments: text(&app, "attachmentFolderPath").unwrap_or("/").to_owned(),
            link_format: match text(&app, "newLinkFormat") {
                Some("relative") => LinkFormat::Relative,
                Some("absolute") => LinkFormat::Absolute,
                _ => LinkFormat::Shortest,
            },
            markdown_links: flag(&app, "useMarkdownLinks"),
            update_links: flag(&app, "alwaysUpdateLinks"),
            daily,
            templates: Templates {
                folder: files.template_folder(&templates),
                date_format: text(&templates, "dateFormat").map_or(default.date_format, str::to_owned),
                time_format: text(&templates, "timeFormat").map_or(default.time_format, str::to_owned),
            },
            tasks,
            problems: Vec::new(),
        };
        let some_day = Timestamp::UNIX_EPOCH.to_zoned(TimeZone::UTC);
        let unusable = [
            settings.daily.path(&some_day).err(),
            settings.daily.template().err(),
            settings.new_notes.folder().err(),
            settings.attachment_folder("").err(),
        ];
        for error in unusable.into_iter().flatten() {
            files.problem(&error.file, 1, error.problem, &error.remedy);
        }
        settings.problems = files.problems;
        settings
    }
}

impl NewNotes {
    /// The folder, empty for the vault's root.
    ///
    /// # Errors
    /// It leads out of the vault or into a dot-folder.
    pub fn folder(&self) -> Result<&str, SettingError> {
        let NewNotes::Folder(set) = self else { return Ok("") };
        checked(set.trim_matches('/'), "new notes", set)
    }
}

impl ObsidianSettings {
    /// The folder for an attachment of a note in this folder; `""` is the vault's root.
    ///
    /// # Errors
    /// It leads out of the vault or into a dot-folder.
    pub fn attachment_folder(&self, of_note: &str) -> Result<String, SettingError> {
        let set = self.attachments.as_str();
        let (base, rest) = match set.strip_prefix("./") {
            Some(rest) => (of_note, rest),
            None if set == "." => (of_note, ""),
            None => ("", set),
        };
        let below = checked(rest.trim_matches('/'), "attachments", set)?;
        Ok(match (base, below) {
            ("", folder) | (folder, "") => folder.to_owned(),
            (base, below) => format!("{base}/{below}"),
        })
    }
}

/// The folder, where it is one of the vault; `set` is how the setting for `what` says it.
fn checked<'a>(folder: &'a str, what: &str, set: &str) -> Result<&'a str, SettingError> {
    let refused = |problem: &str| SettingError {
        file: APP.to_owned(),
        problem: format!(
            "{what} cannot go to \"{}\": {problem}",
            set.chars().take(200).flat_map(char::escape_debug).collect::<String>()
        ),
        remedy: format!("Choose a folder of the vault for {what} in Obsidian's settings."),
    };
    if folder.is_empty() {
        return Ok("");
    }
    let path = VaultPath::parse(folder).map_err(|error| refused(error.problem))?;
    if path.is_hidden() {
        return Err(refused("it starts with a dot"));
    }
    Ok(folder)
}

/// The settings files, and what is wrong with them.
struct Files<'a> {
    disk: &'a Disk,
    problems: Vec<Problem>,
}

impl Files<'_> {
    /// The settings of the core plugin, or of the plugin Periodic Notes where that has taken the
    /// daily notes over.
    fn daily_notes(&mut self) -> DailyNotes {
        if self.is_enabled("periodic-notes")
            && let Some(daily) = periodic_daily(&self.object(PERIODIC_NOTES))
        {
            return daily;
        }
        let core = self.object(DAILY_NOTES);
        daily_notes(DAILY_NOTES, &core, "template")
    }

    /// The folder of the core plugin, else that of the plugin Templater.
    fn template_folder(&mut self, core: &Map<String, Value>) -> Option<String> {
        let own = text(core, "folder").map(str::to_owned);
        own.or_else(|| {
            let has_templater = self.is_enabled("templater-obsidian");
            has_templater
                .then(|| text(&self.object(TEMPLATER), "templates_folder").map(str::to_owned))
                .flatten()
        })
    }

    fn is_enabled(&mut self, plugin: &str) -> bool {
        let enabled = self.json(PLUGINS);
        let enabled = enabled.as_ref().and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        enabled.iter().any(|other| other == plugin)
    }

    fn object(&mut self, file: &'static str) -> Map<String, Value> {
        match self.json(file) {
            Some(Value::Object(object)) => object,
            Some(_) => {
                self.broken(file, 1, "it is not a JSON object".to_owned());
                Map::new()
            }
            None => Map::new(),
        }
    }

    fn json(&mut self, file: &'static str) -> Option<Value> {
        let (folder, name) = file.rsplit_once('/')?;
        let text = match self.disk.hidden_file(folder, name) {
            Ok(text) => text?,
            Err(_) => {
                self.broken(file, 1, "it is not readable UTF-8 text".to_owned());
                return None;
            }
        };
        match serde_json::from_str(text.trim_start_matches('\u{feff}')) {
            Ok(value) => Some(value),
            Err(error) => {
                let line = u32::try_from(error.line()).unwrap_or(u32::MAX).max(1);
                self.broken(file, line, error.to_string());
                None
            }
        }
    }

    fn broken(&mut self, file: &str, line: u32, reason: String) {
        self.problem(
            file,
            line,
            format!("Obsidian's settings are not read ({reason}); its defaults are used"),
            "Set it again in Obsidian's settings.",
        );
    }

    fn problem(&mut self, file: &str, line: u32, problem: String, remedy: &str) {
        self.problems.push(Problem { path: file.to_owned(), line, problem, remedy: remedy.to_owned() });
    }
}

/// The plugin's version 0 keeps `daily`, version 1 several sets of which one is active. `None`
/// where it leaves the daily notes to the core plugin.
fn periodic_daily(data: &Map<String, Value>) -> Option<DailyNotes> {
    let (daily, template) = match data.get("calendarSets").and_then(Value::as_array) {
        Some(sets) => {
            let active = data.get("activeCalendarSet");
            let set = sets.iter().find(|set| set.get("id") == active).or(sets.first())?;
            (set.get("day")?, "templatePath")
        }
        None => (data.get("daily")?, "template"),
    };
    let daily = daily.as_object().filter(|daily| flag(daily, "enabled"))?;
    Some(daily_notes(PERIODIC_NOTES, daily, template))
}

fn daily_notes(file: &'static str, set: &Map<String, Value>, template: &str) -> DailyNotes {
    let default = DailyNotes::default();
    DailyNotes {
        file,
        folder: text(set, "folder").unwrap_or_default().to_owned(),
        format: text(set, "format").map_or(default.format, str::to_owned),
        template: text(set, template).map(str::to_owned),
    }
}

/// A text that says something.
fn text<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    object.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
}

fn flag(object: &Map<String, Value>, key: &str) -> bool {
    object.get(key).and_then(Value::as_bool).unwrap_or_default()
}
