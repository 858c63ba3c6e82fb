//! A vault's task statuses, and the options of the plugin Tasks.

use serde::Serialize;

use super::TaskForm;

/// Options of the plugin Tasks. The default is a vault without the plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskRules {
    /// The format of fields; `None`: as in the line or the vault.
    pub form: Option<TaskForm>,
    /// The statuses, each symbol once.
    pub statuses: Vec<TaskStatus>,
    /// A list item is a task only if its text contains this (the *global filter*), such as `#task`; empty
    /// for none.
    pub filter: String,
    /// Whether new tasks get a creation date.
    pub set_created: bool,
    /// Whether completed tasks get a completion date; `None`: if the line has a field.
    pub set_done: Option<bool>,
    /// Whether cancelled tasks get a cancellation date; `None`: if the line has a field.
    pub set_cancelled: Option<bool>,
    /// Whether the next occurrence is added below the completed task rather than above.
    pub next_below: bool,
    /// Whether the next occurrence drops the scheduled date if it has another date.
    pub drop_scheduled: bool,
}

/// The meaning of a checkbox character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskStatus {
    /// The character.
    pub symbol: char,
    /// The name given by the user.
    pub name: String,
    /// The character after toggling.
    pub next: char,
    pub kind: TaskKind,
}

/// The kind of a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskKind {
    /// Open.
    Todo,
    /// In progress.
    InProgress,
    /// On hold.
    OnHold,
    /// Completed.
    Done,
    /// Cancelled.
    Cancelled,
    /// A checkbox that is no task.
    NonTask,
}

impl TaskKind {
    /// Whether it is done or cancelled.
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
    /// The meaning of a character. Unknown ones are open, except `x` and `X`.
    pub fn kind(&self, symbol: char) -> TaskKind {
        match self.status(symbol) {
            Some(status) => status.kind,
            None if matches!(symbol, 'x' | 'X') => TaskKind::Done,
            None => TaskKind::Todo,
        }
    }

    /// Whether a text contains the global filter.
    pub fn passes(&self, text: &str) -> bool {
        self.filter.is_empty() || text.contains(&self.filter)
    }

    /// Finds a status by its character, name, or kind (`in progress`).
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

    /// The status after completing a task with this one: the first of kind *done* reached by toggling.
    pub(super) fn done_from(&self, symbol: char) -> char {
        self.on_the_way(symbol, TaskKind::Done).unwrap_or('x')
    }

    /// The status of the next occurrence, when a recurring task got this status.
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
