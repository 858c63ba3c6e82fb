//! Tasks of all notes: which are open, due, tagged.

use std::sync::Arc;

use jiff::civil::Date;
use serde::Serialize;

use crate::error::VaultError;
use crate::note::{ContentHash, VaultPath, folded};
use crate::obsidian::TaskSettings;
use crate::reading::index::{Head, Texts, is_record_place};
use crate::task::{Priority, Task, TaskForm, TaskKind};
use crate::view::View;

/// Which tasks are wanted, and in what order. The default is every open one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TaskQuery {
    /// By the due date or, of a task without one, the scheduled date.
    pub due: Option<TaskDue>,
    /// Only those that are done or cancelled, rather than those that are neither.
    pub closed: bool,
    /// Only those in this note, or in this folder and below it, whatever the case.
    pub place: Option<String>,
    /// Only those with this tag or one below it, whatever the case; without `#`.
    pub tag: Option<String>,
    /// Only those with each of these words in their text, whatever the case.
    pub words: Vec<String>,
    /// What decides the order; among equals the due date, the priority, the path and the line.
    pub sort: TaskSort,
    /// At most so many rows, the first ones after sorting.
    pub limit: Option<usize>,
}

/// When a task is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskDue {
    /// On one of the days from the first to the last.
    Between(Option<Date>, Option<Date>),
    /// It has no date.
    Undated,
}

/// What the order of tasks is by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TaskSort {
    /// The earliest first, those without a date last.
    #[default]
    Due,
    /// The most urgent first.
    Priority,
    /// The path, then the line.
    Path,
    /// The one closed last first.
    Closed,
}

/// A task that meets a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskRow {
    /// The note.
    pub path: VaultPath,
    /// The task; its scheduled date may be that of the note's name ([`TaskSettings::scheduled_by_name`]).
    pub task: Task,
    /// What its status means.
    pub kind: TaskKind,
    /// What the note's bytes were.
    pub hash: Option<ContentHash>,
}

/// The tasks that meet a query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskAnswer {
    /// In the wanted order, at most as many as the limit.
    #[serde(skip)]
    pub rows: Vec<TaskRow>,
    /// How many there are without the limit.
    pub total: usize,
    /// The form of most fields of tasks in the vault.
    pub form: TaskForm,
}

/// A task found: what it is sorted by, and where it is. Paths are in order, so that a number stands for one.
type Found<'a> = (SortKey, &'a Arc<Head>, &'a Task, Option<Date>);

/// Two dates or ranks, and the number of the task.
type SortKey = (i32, i32, u8, usize);

impl View {
    /// The tasks that meet a query, as they are on the disk now, without those of hidden notes, of templates and of
    /// the copies of sync programs.
    pub fn tasks(&self, query: &TaskQuery) -> Result<TaskAnswer, VaultError> {
        let (vault, disk) = (self.vault(), &self.vault().core().disk);
        let listing = vault.index().listing(disk, Texts::All)?;
        let (settings, templates) = (TaskSettings::read(disk), vault.template_folder());
        let wanted = Wanted::new(query, &settings);
        let (mut found, mut number): (Vec<Found<'_>>, usize) = (Vec::new(), 0);
        // How many tasks have fields of Dataview's form more than of the other.
        let mut dataview = 0_isize;
        for head in &listing.heads {
            let tasks = head.tasks(|| vault.index().note(disk, head).map(|note| note.text));
            if tasks.is_empty() || self.hides_head(head) || !is_record_place(&listing, &templates, &head.path)
            {
                continue;
            }
            let is_in_place = wanted.is_place(&head.path);
            let by_name = settings.scheduled_by_name(&head.path);
            for task in tasks {
                number += 1;
                dataview += match task.form {
                    Some(TaskForm::Dataview) => 1,
                    Some(TaskForm::Emoji) => -1,
                    None => 0,
                };
                let is_dated = task.due.is_some() || task.scheduled.is_some() || task.start.is_some();
                let by_name = by_name.filter(|_| !is_dated);
                if is_in_place && wanted.meets(task, by_name) {
                    found.push((wanted.key(task, by_name, number), head, task, by_name));
                }
            }
        }
        let total = found.len();
        let limit = query.limit.unwrap_or(total).min(total);
        if limit < total {
            found.select_nth_unstable_by_key(limit, |(key, ..)| *key);
            found.truncate(limit);
        }
        found.sort_unstable_by_key(|(key, ..)| *key);
        let row = |(_, head, task, by_name): Found<'_>| TaskRow {
            path: head.path.clone(),
            task: Task { scheduled: task.scheduled.or(by_name), ..task.clone() },
            kind: settings.rules.kind(task.status),
            hash: head.hash(),
        };
        let form = if dataview > 0 { TaskForm::Dataview } else { TaskForm::Emoji };
        Ok(TaskAnswer { rows: found.into_iter().map(row).collect(), total, form })
    }
}

/// A query, made ready to be compared with many tasks.
struct Wanted<'a> {
    query: &'a TaskQuery,
    settings: &'a TaskSettings,
    place: Option<String>,
    tag: Option<String>,
    words: Vec<String>,
}

impl<'a> Wanted<'a> {
    fn new(query: &'a TaskQuery, settings: &'a TaskSettings) -> Wanted<'a> {
        Wanted {
            query,
            settings,
            place: query.place.as_deref().map(|place| folded(place.trim_matches('/'))),
            tag: query.tag.as_deref().map(|tag| folded(tag.trim_start_matches('#'))),
            words: query.words.iter().map(|word| folded(word)).collect(),
        }
    }

    fn is_place(&self, path: &VaultPath) -> bool {
        let Some(place) = &self.place else { return true };
        let path = folded(path.as_str());
        path.strip_prefix(place.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            || place.is_empty()
    }

    fn meets(&self, task: &Task, by_name: Option<Date>) -> bool {
        let rules = &self.settings.rules;
        let kind = rules.kind(task.status);
        if kind.is_closed() != self.query.closed || kind == TaskKind::NonTask {
            return false;
        }
        let is_due = match self.query.due {
            None => true,
            Some(TaskDue::Undated) => when(task, by_name).is_none(),
            Some(TaskDue::Between(from, to)) => when(task, by_name)
                .is_some_and(|date| from.is_none_or(|from| date >= from) && to.is_none_or(|to| date <= to)),
        };
        is_due && rules.passes(&task.text) && self.has_tag(task) && self.has_words(task)
    }

    fn has_tag(&self, task: &Task) -> bool {
        let Some(wanted) = &self.tag else { return true };
        task.tags.iter().map(|tag| folded(tag)).any(|tag| {
            tag.strip_prefix(wanted.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    fn has_words(&self, task: &Task) -> bool {
        if self.words.is_empty() {
            return true;
        }
        let text = folded(&task.text);
        self.words.iter().all(|word| text.contains(word.as_str()))
    }

    fn key(&self, task: &Task, by_name: Option<Date>, number: usize) -> SortKey {
        let due = when(task, by_name).map_or(i32::MAX, day);
        let urgency = urgency(task.priority);
        match self.query.sort {
            TaskSort::Due => (due, 0, urgency, number),
            TaskSort::Priority => (urgency.into(), due, 0, number),
            TaskSort::Path => (0, 0, 0, number),
            TaskSort::Closed => {
                (task.done.or(task.cancelled).map_or(i32::MAX, |date| -day(date)), due, 0, number)
            }
        }
    }
}

fn when(task: &Task, by_name: Option<Date>) -> Option<Date> {
    task.due.or(task.scheduled).or(by_name)
}

/// A number for each day, in their order.
fn day(date: Date) -> i32 {
    i32::from(date.year()) * 512 + i32::from(date.day_of_year())
}

fn urgency(priority: Option<Priority>) -> u8 {
    match priority {
        Some(Priority::Highest) => 0,
        Some(Priority::High) => 1,
        Some(Priority::Medium) => 2,
        None => 3,
        Some(Priority::Low) => 4,
        Some(Priority::Lowest) => 5,
    }
}
