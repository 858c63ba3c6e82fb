//! Queries for tasks in all notes: open, due, tagged.

use std::sync::Arc;

use jiff::civil::Date;
use serde::Serialize;

use crate::error::VaultError;
use crate::note::{ContentHash, VaultPath, folded};
use crate::obsidian::TaskSettings;
use crate::reading::index::{Head, Texts, is_record_place};
use crate::task::{Priority, Task, TaskForm, TaskKind};
use crate::view::View;

/// Which tasks to find, and in what order. The default is all open ones.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TaskQuery {
    /// By the due date or, if a task has none, the scheduled date.
    pub due: Option<TaskDue>,
    /// Only tasks that are done or cancelled, instead of open ones.
    pub closed: bool,
    /// Only those in this note, or in or below this folder, ignoring case.
    pub place: Option<String>,
    /// Only those with this tag or a nested one, ignoring case; without `#`.
    pub tag: Option<String>,
    /// Only those with all of these words in their text, ignoring case.
    pub words: Vec<String>,
    /// The sort order; ties are broken by due date, priority, path and line.
    pub sort: TaskSort,
    /// Maximum number of rows, taken after sorting.
    pub limit: Option<usize>,
}

/// When a task is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskDue {
    /// On any day from the first to the last, inclusive.
    Between(Option<Date>, Option<Date>),
    /// No date.
    Undated,
}

/// Sort order of tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TaskSort {
    /// Earliest first, undated last.
    #[default]
    Due,
    /// Most urgent first.
    Priority,
    /// By path, then line.
    Path,
    /// Most recently closed first.
    Closed,
}

/// A task that satisfies a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskRow {
    pub path: VaultPath,
    /// The task; its scheduled date may come from the note's name ([`TaskSettings::scheduled_by_name`]).
    pub task: Task,
    /// The meaning of its status.
    pub kind: TaskKind,
    /// The hash of the note.
    pub hash: Option<ContentHash>,
}

/// The tasks that satisfy a query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskAnswer {
    /// In the requested order, at most `limit`.
    #[serde(skip)]
    pub rows: Vec<TaskRow>,
    /// Number of tasks without the limit.
    pub total: usize,
    /// The most frequent field format of tasks in the vault.
    pub form: TaskForm,
}

/// A matching task: sort key and location. Paths are sorted, so an index can represent one.
type Found<'a> = (SortKey, &'a Arc<Head>, &'a Task, Option<Date>);

/// Two dates or ranks, a rank, and the index of the task.
type SortKey = (i32, i32, u8, usize);

impl View {
    /// The tasks that satisfy a query, as on disk now, without those in hidden notes, templates and
    /// conflicted copies.
    pub fn tasks(&self, query: &TaskQuery) -> Result<TaskAnswer, VaultError> {
        let (vault, disk) = (self.vault(), &self.vault().core().disk);
        let listing = vault.index().listing(disk, Texts::All)?;
        let (settings, templates) = (TaskSettings::read(disk), vault.template_folder());
        let wanted = Wanted::new(query, &settings);
        let (mut found, mut number): (Vec<Found<'_>>, usize) = (Vec::new(), 0);
        // Number of tasks with Dataview fields minus those with emoji fields.
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

/// A query prepared for matching many tasks.
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

/// A number for each day, in calendar order.
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
