//! What a vault's tasks are like: its statuses, and what the plugin Tasks is set to write.

use serde::Serialize;

use super::TaskForm;

/// What the plugin Tasks is set to. The default is that of a vault without the plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskRules {
    /// How fields are written; `None`: as the line or the vault has them.
    pub form: Option<TaskForm>,
    /// The statuses, each symbol once.
    pub statuses: Vec<TaskStatus>,
    /// A list item is a task only with this in its text (*global filter*), such as `#task`; empty for none.
    pub filter: String,
    /// Whether a new task gets the day it was written.
    pub set_created: bool,
    /// Whether a done task gets its day; `None`: where the line has a field.
    pub set_done: Option<bool>,
    /// Whether a cancelled task gets its day; `None`: where the line has a field.
    pub set_cancelled: Option<bool>,
    /// Whether the next task of a recurring one goes below it rather than above.
    pub next_below: bool,
    /// Whether the next task of a recurring one is without its scheduled date, where it has another.
    pub drop_scheduled: bool,
}

/// What a character in a checkbox means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskStatus {
    /// The character.
    pub symbol: char,
    /// What the user calls it.
    pub name: String,
    /// The character that ticking it leads to.
    pub next: char,
    /// Its kind.
    pub kind: TaskKind,
}

/// The kind of a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskKind {
    /// To be done.
    Todo,
    /// Begun.
    InProgress,
    /// Waiting.
    OnHold,
    /// Done.
    Done,
    /// Not to be done any more.
    Cancelled,
    /// A checkbox that is no task.
    NonTask,
}

impl TaskKind {
    /// Whether there is nothing left to be done.
    pub fn is_closed(self) -> bool {
        matches!(self, TaskKind::Done | TaskKind::Cancelled)
    }
}

impl Default for TaskRules {
    fn default() -> TaskRules {
        TaskRules {
            form: None,
            statuses: default_statuses(),
            filter: String::new(),
            set_created: false,
            set_done: None,
            set_cancelled: None,
            next_below: false,
            drop_scheduled: false,
        }
    }
}

fn default_statuses() -> Vec<TaskStatus> {
    let status = |symbol, name: &str, next, kind| TaskStatus { symbol, name: name.to_owned(), next, kind };
    vec![
        status(' ', "Todo", 'x', TaskKind::Todo),
        status('x', "Done", ' ', TaskKind::Done),
        status('/', "In Progress", 'x', TaskKind::InProgress),
        status('-', "Cancelled", ' ', TaskKind::Cancelled),
    ]
}

impl TaskRules {
    /// What a character means. An unknown one is to be done, but for `x` and `X`.
    pub fn kind(&self, symbol: char) -> TaskKind {
        match self.status(symbol) {
            Some(status) => status.kind,
            None if matches!(symbol, 'x' | 'X') => TaskKind::Done,
            None => TaskKind::Todo,
        }
    }

    /// Whether a task's text has the global filter.
    pub fn passes(&self, text: &str) -> bool {
        self.filter.is_empty() || text.contains(&self.filter)
    }

    /// The status that a text names: its character, its name, or its kind (`in progress`).
    pub fn named(&self, said: &str) -> Option<char> {
        let mut chars = said.chars();
        if let (Some(symbol), None) = (chars.next(), chars.next()) {
            return Some(symbol);
        }
        let folded = |text: &str| text.to_lowercase().replace(['_', '-'], " ");
        let said = folded(said.trim());
        let kind = match said.as_str() {
            "todo" | "to do" | "open" => TaskKind::Todo,
            "in progress" => TaskKind::InProgress,
            "on hold" => TaskKind::OnHold,
            "done" => TaskKind::Done,
            "cancelled" | "canceled" => TaskKind::Cancelled,
            _ => {
                let named = self.statuses.iter().find(|status| folded(&status.name) == said);
                return named.map(|status| status.symbol);
            }
        };
        self.statuses.iter().find(|status| status.kind == kind).map(|status| status.symbol)
    }

    /// The status of a task that is done, from the one it has: the first of that kind to which ticking leads.
    pub(super) fn done_from(&self, symbol: char) -> char {
        self.on_the_way(symbol, TaskKind::Done).unwrap_or('x')
    }

    /// The status of the next task, when a recurring one got this status.
    pub(super) fn next_recurrence(&self, done: char) -> char {
        let todo = self.on_the_way(done, TaskKind::Todo);
        todo.or_else(|| self.on_the_way(done, TaskKind::InProgress)).unwrap_or(' ')
    }

    fn on_the_way(&self, from: char, wanted: TaskKind) -> Option<char> {
        let mut symbol = from;
        for _ in 0..=self.statuses.len() {
            symbol = self.status(symbol).map_or('x', |status| status.next);
            if self.kind(symbol) == wanted {
                return Some(symbol);
            }
        }
        None
    }

    fn status(&self, symbol: char) -> Option<&TaskStatus> {
        self.statuses.iter().find(|status| status.symbol == symbol)
    }
}
