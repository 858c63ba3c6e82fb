//! Settings of the plugin Tasks, as far as Nova respects them.

use jiff::civil::Date;
use serde_json::{Map, Value};

use super::{Files, MomentFormat, PLUGINS, flag, text};
use crate::disk::Disk;
use crate::note::VaultPath;
use crate::task::{TaskForm, TaskKind, TaskRules, TaskStatus};

const TASKS: &str = ".obsidian/plugins/obsidian-tasks-plugin/data.json";
const PLUGIN: &str = "obsidian-tasks-plugin";

/// How tasks are read and written in a vault.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TaskSettings {
    /// Statuses, field format, and what completing writes.
    pub rules: TaskRules,
    /// Which notes' names give a scheduled date to tasks without a date; `None` if the option is off.
    names: Option<DatesInNames>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct DatesInNames {
    /// All notes if empty.
    folders: Vec<String>,
    format: Option<String>,
}

impl TaskSettings {
    /// Reads the present settings.
    pub(crate) fn read(disk: &Disk) -> TaskSettings {
        Files { disk, problems: Vec::new() }.task_settings()
    }

    /// The scheduled date of this note's tasks without a date.
    pub fn scheduled_by_name(&self, path: &VaultPath) -> Option<Date> {
        let names = self.names.as_ref()?;
        let is_in = |folder: &String| {
            path.as_str().strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        if !names.folders.is_empty() && !names.folders.iter().any(is_in) {
            return None;
        }
        let name = path.name();
        let set = names.format.as_ref().and_then(|format| MomentFormat::parse(format).date(name));
        set.or_else(|| date_within(name, "-")).or_else(|| date_within(name, ""))
    }
}

/// The first date in a text whose parts are joined by `between`.
fn date_within(name: &str, between: &str) -> Option<Date> {
    let length = 8 + 2 * between.len();
    name.char_indices().find_map(|(at, _)| {
        let part = name.get(at..at + length)?;
        let digits: String = part.chars().filter(char::is_ascii_digit).collect();
        let (year, rest) = digits.split_at_checked(4)?;
        let (month, day) = rest.split_at_checked(2)?;
        let is_so = format!("{year}{between}{month}{between}{day}") == part;
        is_so.then(|| Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()).flatten()
    })
}

impl Files<'_> {
    pub(super) fn task_settings(&mut self) -> TaskSettings {
        let data = self.object(TASKS);
        // If the list of enabled plugins is missing, a plugin with settings counts as enabled.
        let enabled = if data.is_empty() { None } else { self.json(PLUGINS) };
        let is_on =
            enabled.as_ref().and_then(Value::as_array).is_none_or(|ids| ids.iter().any(|id| id == PLUGIN));
        if data.is_empty() || !is_on {
            return TaskSettings::default();
        }
        let is_set = |key: &str| data.get(key).and_then(Value::as_bool).unwrap_or(true);
        let mut rules = TaskRules {
            form: Some(match text(&data, "taskFormat") {
                Some("dataview") => TaskForm::Dataview,
                _ => TaskForm::Emoji,
            }),
            filter: text(&data, "globalFilter").unwrap_or_default().to_owned(),
            set_created: flag(&data, "setCreatedDate"),
            set_done: Some(is_set("setDoneDate")),
            set_cancelled: Some(is_set("setCancelledDate")),
            next_below: flag(&data, "recurrenceOnNextLine"),
            drop_scheduled: flag(&data, "removeScheduledDateOnRecurrence"),
            ..TaskRules::default()
        };
        let statuses = statuses(&data);
        if !statuses.is_empty() {
            rules.statuses = statuses;
        }
        let folders = data.get("filenameAsDateFolders").and_then(Value::as_array);
        let folders = folders.into_iter().flatten().filter_map(Value::as_str);
        let names = flag(&data, "useFilenameAsScheduledDate").then(|| DatesInNames {
            folders: folders.map(|folder| folder.trim_matches('/').to_owned()).collect(),
            format: text(&data, "filenameAsScheduledDateFormat").map(str::to_owned),
        });
        TaskSettings { rules, names }
    }
}

/// Core and custom statuses; the first definition of a symbol wins.
fn statuses(data: &Map<String, Value>) -> Vec<TaskStatus> {
    let settings = data.get("statusSettings").and_then(Value::as_object);
    let lists =
        ["coreStatuses", "customStatuses"].into_iter().filter_map(|key| settings?.get(key)?.as_array());
    let mut statuses: Vec<TaskStatus> = Vec::new();
    for status in lists.flatten().filter_map(Value::as_object) {
        let symbol = |key: &str| status.get(key).and_then(Value::as_str).and_then(|text| text.chars().next());
        let Some(own) = symbol("symbol") else { continue };
        if statuses.iter().any(|status| status.symbol == own) {
            continue;
        }
        statuses.push(TaskStatus {
            symbol: own,
            name: text(status, "name").unwrap_or_default().to_owned(),
            next: symbol("nextStatusSymbol").unwrap_or('x'),
            kind: match text(status, "type") {
                Some("IN_PROGRESS") => TaskKind::InProgress,
                Some("ON_HOLD") => TaskKind::OnHold,
                Some("DONE") => TaskKind::Done,
                Some("CANCELLED") => TaskKind::Cancelled,
                Some("NON_TASK") => TaskKind::NonTask,
                // Settings from before statuses had types.
                None if matches!(own, 'x' | 'X') => TaskKind::Done,
                _ => TaskKind::Todo,
            },
        });
    }
    statuses
}
