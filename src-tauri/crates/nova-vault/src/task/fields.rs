//! The fields of a task: `📅 2026-12-01` as in the plugin Tasks, or `[due:: 2026-12-01]` as in the plugin
//! Dataview.

use std::ops::Range;

use serde::Serialize;

/// The format of fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskForm {
    /// `📅 2026-12-01`.
    #[default]
    Emoji,
    /// `[due:: 2026-12-01]`.
    Dataview,
}

/// The kind of a field, in the order in which the plugin writes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TaskField {
    /// `🆔 dcf64c`.
    Id,
    /// `⛔ dcf64c,0h17ye`.
    DependsOn,
    /// `⏫`.
    Priority,
    /// `🔁 every week`.
    Recurrence,
    /// `🏁 delete`.
    OnCompletion,
    /// `➕ 2026-12-01`.
    Created,
    /// `🛫 2026-12-01`.
    Start,
    /// `⏳ 2026-12-01`.
    Scheduled,
    /// `📅 2026-12-01`.
    Due,
    /// `❌ 2026-12-01`.
    Cancelled,
    /// `✅ 2026-12-01`.
    Done,
}

/// A task's priority. The most urgent is the least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// `🔺`.
    Highest,
    /// `⏫`.
    High,
    /// `🔼`.
    Medium,
    /// `🔽`.
    Low,
    /// `⏬`.
    Lowest,
}

/// A field in a line. Ranges are byte offsets in the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) kind: TaskField,
    pub(super) form: TaskForm,
    /// From its symbol or opening bracket to its end.
    pub(super) span: Range<usize>,
    /// The date, the rule, or the priority's symbol.
    pub(super) value: Range<usize>,
    /// Whether only fields and tags follow.
    pub(super) is_trailing: bool,
}

const PRIORITIES: [(Priority, char, &str); 5] = [
    (Priority::Highest, '🔺', "highest"),
    (Priority::High, '⏫', "high"),
    (Priority::Medium, '🔼', "medium"),
    (Priority::Low, '🔽', "low"),
    (Priority::Lowest, '⏬', "lowest"),
];

/// Each field with its symbol and its key in Dataview's format.
const FIELDS: [(TaskField, char, &str); 11] = [
    (TaskField::Id, '🆔', "id"),
    (TaskField::DependsOn, '⛔', "dependsOn"),
    (TaskField::Priority, '⏫', "priority"),
    (TaskField::Recurrence, '🔁', "repeat"),
    (TaskField::OnCompletion, '🏁', "onCompletion"),
    (TaskField::Created, '➕', "created"),
    (TaskField::Start, '🛫', "start"),
    (TaskField::Scheduled, '⏳', "scheduled"),
    (TaskField::Due, '📅', "due"),
    (TaskField::Cancelled, '❌', "cancelled"),
    (TaskField::Done, '✅', "completion"),
];

/// Further symbols that are accepted.
const OTHER_SYMBOLS: [(TaskField, char); 3] =
    [(TaskField::Scheduled, '⌛'), (TaskField::Due, '📆'), (TaskField::Due, '🗓')];

/// A variation selector, which some keyboards add after a symbol.
const VARIATION: char = '\u{fe0f}';

/// Maximum length of a field, in bytes.
const LONGEST: usize = 300;

/// Maximum number of fields and tags read from the end of a line.
const MOST: usize = 100;

impl Priority {
    /// Parses a symbol or a name.
    pub fn read(said: &str) -> Option<Priority> {
        let said = said.trim_end_matches(VARIATION);
        let is_said = |symbol: char, name: &str| said.eq_ignore_ascii_case(name) || said.chars().eq([symbol]);
        PRIORITIES.iter().find(|(_, symbol, name)| is_said(*symbol, name)).map(|(priority, ..)| *priority)
    }
}

impl TaskField {
    /// The field in this format, without surrounding blanks. For a priority, `value` is its name.
    pub(super) fn written(self, value: &str, form: TaskForm) -> String {
        let known = FIELDS.iter().find(|(field, ..)| *field == self);
        let (symbol, key) = known.map_or((' ', ""), |(_, symbol, key)| (*symbol, *key));
        match (form, self) {
            (TaskForm::Dataview, _) => format!("[{key}:: {value}]"),
            (TaskForm::Emoji, TaskField::Priority) => value_of_priority(value, form),
            (TaskForm::Emoji, _) => format!("{symbol} {value}"),
        }
    }

    /// Whether its value is a date.
    pub(super) fn holds_date(self) -> bool {
        matches!(
            self,
            TaskField::Created
                | TaskField::Start
                | TaskField::Scheduled
                | TaskField::Due
                | TaskField::Cancelled
                | TaskField::Done
        )
    }

    /// Whether a text is a valid value of this field.
    pub(super) fn accepts(self, value: &str) -> bool {
        let of = |accepts: fn(char) -> bool| !value.is_empty() && value.chars().all(accepts);
        let is_id = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        match self {
            TaskField::Priority => Priority::read(value).is_some(),
            TaskField::Recurrence => of(|c| c.is_ascii_alphanumeric() || matches!(c, ',' | ' ' | '!')),
            TaskField::OnCompletion => of(|c| c.is_ascii_alphabetic()),
            TaskField::Id => of(is_id),
            TaskField::DependsOn => {
                value.split(',').map(str::trim).all(|id| !id.is_empty() && id.chars().all(is_id))
            }
            _ => is_date(value),
        }
    }
}

/// A priority as the value of its field.
pub(super) fn value_of_priority(said: &str, form: TaskForm) -> String {
    let known = Priority::read(said).and_then(|said| PRIORITIES.iter().find(|known| known.0 == said));
    match (known, form) {
        (Some((_, symbol, _)), TaskForm::Emoji) => symbol.to_string(),
        (Some((_, _, name)), TaskForm::Dataview) => (*name).to_owned(),
        (None, _) => said.to_owned(),
    }
}

/// The fields of a line, in order: at its end as in the plugin Tasks, and Dataview's anywhere.
pub(super) fn fields(text: &str, body: &Range<usize>) -> Vec<Field> {
    let mut found = Vec::new();
    let mut end = body.end;
    for _ in 0..MOST {
        end = body.start + text[body.start..end].trim_end().len();
        let rest = &text[body.start..end];
        match field_at_end(rest).or_else(|| dataview_at_end(rest)) {
            Some(field) => {
                end = body.start + field.span.start;
                found.push(field.moved(body.start));
            }
            None => match tag_at_end(rest) {
                Some(start) => end = body.start + start,
                None => break,
            },
        }
    }
    let mut all = dataview_within(&text[body.start..end], body.start);
    found.reverse();
    all.append(&mut found);
    all
}

impl Field {
    fn moved(self, by: usize) -> Field {
        let range = |range: Range<usize>| range.start + by..range.end + by;
        Field { span: range(self.span), value: range(self.value), ..self }
    }
}

/// Start of the longest suffix that can be a field.
fn tail(rest: &str) -> usize {
    let mut from = rest.len().saturating_sub(LONGEST);
    while !rest.is_char_boundary(from) {
        from += 1;
    }
    from
}

/// A symbol and its value at the end of the text.
fn field_at_end(rest: &str) -> Option<Field> {
    let from = tail(rest);
    if rest[from..].is_ascii() {
        return None;
    }
    let (at, symbol, kind) =
        rest[from..].char_indices().rev().find_map(|(at, c)| Some((from + at, c, kind_of(c)?)))?;
    let behind = &rest[at + symbol.len_utf8()..];
    let selector = if behind.starts_with(VARIATION) { VARIATION.len_utf8() } else { 0 };
    let value = behind[selector..].trim_start();
    let value = match kind {
        TaskField::Priority if value.is_empty() => at..at + symbol.len_utf8(),
        TaskField::Priority => return None,
        _ if kind.accepts(value) => rest.len() - value.len()..rest.len(),
        _ => return None,
    };
    Some(Field { kind, form: TaskForm::Emoji, span: at..rest.len(), value, is_trailing: true })
}

fn kind_of(symbol: char) -> Option<TaskField> {
    if symbol.is_ascii() {
        return None;
    }
    if PRIORITIES.iter().any(|(_, known, _)| *known == symbol) {
        return Some(TaskField::Priority);
    }
    let known = FIELDS.iter().map(|(field, known, _)| (*field, *known)).chain(OTHER_SYMBOLS);
    known.into_iter().find(|(_, known)| *known == symbol).map(|(field, _)| field)
}

/// `[key:: value]` or `(key:: value)` at the end of the text, optionally followed by a comma.
fn dataview_at_end(rest: &str) -> Option<Field> {
    let bare = rest.strip_suffix(',').map_or(rest, str::trim_end);
    let from = tail(bare);
    let open = match bare.as_bytes().last()? {
        b']' => '[',
        b')' => '(',
        _ => return None,
    };
    let at = from + bare[from..].rfind(open)?;
    let (kind, value) = inline_field(&bare[at + 1..bare.len() - 1])?;
    let value = at + 1 + value.start..at + 1 + value.end;
    Some(Field { kind, form: TaskForm::Dataview, span: at..rest.len(), value, is_trailing: true })
}

/// The same anywhere in the text, which starts at offset `start` of its line.
fn dataview_within(text: &str, start: usize) -> Vec<Field> {
    let mut found: Vec<Field> = Vec::new();
    let mut behind = 0;
    for (colons, _) in text.match_indices("::").take(MOST) {
        let Some(at) = text[behind..colons.max(behind)].rfind(['[', '(']).map(|at| behind + at) else {
            continue;
        };
        let close = if text[at..].starts_with('[') { ']' } else { ')' };
        let Some(end) = text[colons..].find(close).map(|end| colons + end) else { continue };
        let Some((kind, value)) = inline_field(&text[at + 1..end]) else { continue };
        let value = at + 1 + value.start..at + 1 + value.end;
        let field = Field { kind, form: TaskForm::Dataview, span: at..end + 1, value, is_trailing: false };
        behind = end + 1;
        found.push(field.moved(start));
    }
    found
}

/// `key:: value` with a known key.
fn inline_field(inner: &str) -> Option<(TaskField, Range<usize>)> {
    let (key, value) = inner.split_once("::")?;
    let kind = FIELDS.iter().find(|(.., known)| *known == key.trim()).map(|(field, ..)| *field)?;
    let start = inner.len() - value.trim_start().len();
    let value = value.trim();
    let is_named = kind != TaskField::Priority || value.is_ascii();
    (is_named && kind.accepts(value)).then(|| (kind, start..start + value.len()))
}

/// Start of a tag at the end of the text.
fn tag_at_end(rest: &str) -> Option<usize> {
    let from = tail(rest);
    let word = rest[from..].rfind(char::is_whitespace).map_or(from, |at| {
        let blank = rest[from + at..].chars().next().map_or(1, char::len_utf8);
        from + at + blank
    });
    let tag = rest[word..].strip_prefix('#')?;
    // In a truncated text the tag may begin earlier.
    let is_whole = word > from || from == 0;
    (is_whole && !tag.is_empty() && !tag.contains(ends_tag)).then_some(word)
}

/// Characters that no tag contains, as in the plugin.
pub(super) fn ends_tag(c: char) -> bool {
    c.is_whitespace() || "!@#$%^&*(),.?\":{}|<>".contains(c)
}

/// Has the format of a date, but need not be a valid one.
fn is_date(value: &str) -> bool {
    let bytes = value.as_bytes();
    bytes.len() == 10
        && bytes.iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}
