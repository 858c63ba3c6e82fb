//! The settings of Obsidian that Nova respects: location of new and daily notes, link format, trash.
//!
//! Settings are never written, and are read again each time they are needed. They are untrusted input: a
//! missing or broken file counts as Obsidian's defaults, and a path in one cannot lead out of the vault.

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

/// Obsidian's settings for a vault, as far as Nova respects them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ObsidianSettings {
    /// Where deleted notes go.
    pub trash: Trash,
    /// Folder of new notes if none is given.
    pub new_notes: NewNotes,
    /// The configured attachment folder: `/`, a folder, or `./…` relative to the note.
    pub attachments: String,
    /// How much of a path new links contain.
    pub link_format: LinkFormat,
    /// Whether new links are Markdown's `[]()` rather than `[[]]`.
    pub markdown_links: bool,
    /// Whether Obsidian updates links without asking when a note moves.
    pub update_links: bool,
    pub daily: DailyNotes,
    pub templates: Templates,
    pub tasks: TaskSettings,
    /// Settings that cannot be parsed, or lead out of the vault.
    pub problems: Vec<Problem>,
}

/// Where deleted notes go (`trashOption`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Trash {
    /// The system's trash.
    #[default]
    System,
    /// The vault's folder `.trash`.
    Local,
    /// Deleted permanently.
    None,
}

/// Folder of new notes if none is given (`newFileLocation`).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum NewNotes {
    /// The vault's root.
    #[default]
    Root,
    /// Next to the open note. Nova has no open note, so this is the root.
    Current,
    /// A configured folder.
    Folder(String),
}

/// How much of a path new links contain (`newLinkFormat`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LinkFormat {
    /// Only the name, if it is unique.
    #[default]
    Shortest,
    /// Relative to the note with the link.
    Relative,
    /// From the vault's root.
    Absolute,
}

/// Settings of the core plugin Templates; the folder falls back to that of the plugin Templater.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Templates {
    /// The configured folder of templates.
    pub folder: Option<String>,
    /// Default format of `{{date}}`.
    pub date_format: String,
    /// Default format of `{{time}}`.
    pub time_format: String,
}

impl Default for Templates {
    fn default() -> Templates {
        Templates { folder: None, date_format: "YYYY-MM-DD".to_owned(), time_format: "HH:mm".to_owned() }
    }
}

/// The folder of templates, whose notes are not records: that of the core plugin Templates, else of the
/// plugin Templater, else `Templates`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateFolder {
    path: String,
    folded: String,
}

impl TemplateFolder {
    /// From the setting, or the default.
    pub fn new(set: Option<&str>) -> TemplateFolder {
        let folder = set.map(|folder| folder.trim().trim_matches('/')).filter(|folder| !folder.is_empty());
        let path: String = folder.unwrap_or(TEMPLATE_FOLDER).nfc().collect();
        TemplateFolder { folded: folded(&path), path }
    }

    /// Its path in the vault.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Whether a note is in it or a subfolder, ignoring case and Unicode composition.
    pub fn holds(&self, path: &VaultPath) -> bool {
        let (path, folder) = (path.as_str(), self.folded.as_str());
        // Runs for every record of a list; most are rejected without allocating.
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

/// Default folder of templates.
pub const TEMPLATE_FOLDER: &str = "Templates";

/// A setting of Obsidian that Nova cannot follow.
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
    /// Reads the present setting.
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
    /// If it leads out of the vault or into a dot-folder.
    pub fn folder(&self) -> Result<&str, SettingError> {
        let NewNotes::Folder(set) = self else { return Ok("") };
        checked(set.trim_matches('/'), "new notes", set)
    }
}

impl ObsidianSettings {
    /// The folder for attachments of a note in this folder; `""` is the vault's root.
    ///
    /// # Errors
    /// If it leads out of the vault or into a dot-folder.
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

/// Validates a folder; `set` is the value as configured for `what`.
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

/// The settings files, and problems found in them.
struct Files<'a> {
    disk: &'a Disk,
    problems: Vec<Problem>,
}

impl Files<'_> {
    /// Daily-note settings of the core plugin, or of the plugin Periodic Notes if that manages them.
    fn daily_notes(&mut self) -> DailyNotes {
        if self.is_enabled("periodic-notes")
            && let Some(daily) = periodic_daily(&self.object(PERIODIC_NOTES))
        {
            return daily;
        }
        let core = self.object(DAILY_NOTES);
        daily_notes(DAILY_NOTES, &core, "template")
    }

    /// The folder of the core plugin, else of the plugin Templater.
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

/// The plugin's version 0 has `daily`; version 1 has several sets, one of them active. `None` if it leaves
/// daily notes to the core plugin.
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

/// A non-empty text.
fn text<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    object.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
}

fn flag(object: &Map<String, Value>, key: &str) -> bool {
    object.get(key).and_then(Value::as_bool).unwrap_or_default()
}
