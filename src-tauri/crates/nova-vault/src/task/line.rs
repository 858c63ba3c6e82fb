//! Zero-copy parsing of a task's line.

use std::ops::Range;

use jiff::civil::Date;

use super::fields::{Field, Priority, TaskField, TaskForm, fields};
use super::{Task, checkbox};

/// A task's line. All ranges are byte offsets in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// Without its line break.
    pub(super) text: &'a str,
    pub(super) status: char,
    /// The status character.
    pub(super) status_at: Range<usize>,
    /// Text and fields, trimmed, without the block id.
    pub(super) body: Range<usize>,
    /// The block id with its `^`.
    pub(super) block: Option<Range<usize>>,
    /// In line order.
    pub(super) fields: Vec<Field>,
}

impl<'a> Line<'a> {
    pub(super) fn parse(text: &'a str) -> Option<Line<'a>> {
        let marker = text.trim_start_matches(|c: char| c.is_whitespace() || c == '>');
        let digits = marker.len() - marker.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let behind = match digits {
            0 => marker.strip_prefix(['-', '*', '+']),
            _ => marker[digits..].strip_prefix(['.', ')']),
        }?;
        let square = behind.trim_start_matches([' ', '\t']);
        if square.len() == behind.len() {
            return None;
        }
        let at = text.len() - square.len();
        let (status, body) = checkbox(square)?;
        let status_at = at + 1..at + 1 + status.len_utf8();
        let mut body = at + body.start..at + body.end;
        let block = block_id(&text[body.clone()]).map(|start| body.start + start..body.end);
        if let Some(block) = &block {
            body.end = body.start + text[body.start..block.start].trim_end().len();
        }
        let fields = fields(text, &body);
        Some(Line { text, status, status_at, body, block, fields })
    }

    pub(super) fn field(&self, kind: TaskField) -> Option<&Field> {
        self.fields.iter().find(|field| field.kind == kind)
    }

    pub(super) fn value(&self, kind: TaskField) -> Option<&'a str> {
        self.field(kind).map(|field| &self.text[field.value.clone()])
    }

    /// `None` if the field is missing or not a valid date, such as 30 February.
    pub(super) fn date(&self, kind: TaskField) -> Option<Date> {
        self.value(kind)?.parse().ok()
    }

    /// The text without fields; its pieces are joined by one blank.
    pub(super) fn description(&self) -> String {
        let mut out = String::new();
        let mut at = self.body.start;
        let ends = self
            .fields
            .iter()
            .map(|field| field.span.clone())
            .chain(std::iter::once(self.body.end..self.body.end));
        for span in ends {
            let piece = self.text[at..span.start.max(at)].trim();
            if !piece.is_empty() {
                if !out.is_empty() {
                    out.push(' ');
                }
                out.push_str(piece);
            }
            at = span.end;
        }
        out
    }

    /// The format for a new field of the line.
    pub(super) fn form(&self) -> Option<TaskForm> {
        self.fields.last().map(|field| field.form)
    }

    pub(super) fn task(&self, line: u32) -> Task {
        let text = self.description();
        let owned = |kind| self.value(kind).map(str::to_owned);
        Task {
            line,
            status: self.status,
            due: self.date(TaskField::Due),
            scheduled: self.date(TaskField::Scheduled),
            start: self.date(TaskField::Start),
            created: self.date(TaskField::Created),
            done: self.date(TaskField::Done),
            cancelled: self.date(TaskField::Cancelled),
            priority: self.value(TaskField::Priority).and_then(Priority::read),
            recurrence: owned(TaskField::Recurrence),
            id: owned(TaskField::Id),
            depends_on: self
                .value(TaskField::DependsOn)
                .map(|ids| ids.split(',').map(|id| id.trim().to_owned()).collect())
                .unwrap_or_default(),
            tags: tags(&text),
            form: self.form(),
            text,
        }
    }
}

/// Start of `^id` at the end of the text, after a blank.
fn block_id(text: &str) -> Option<usize> {
    let (before, id) = text.rsplit_once('^')?;
    let is_id = !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    (is_id && before.ends_with([' ', '\t'])).then_some(before.len())
}

/// Words that begin with `#`, as the plugin parses tags.
fn tags(text: &str) -> Vec<String> {
    let words = text.split_whitespace().filter_map(|word| word.strip_prefix('#'));
    words
        .map(|tag| &tag[..tag.find(super::fields::ends_tag).unwrap_or(tag.len())])
        .filter(|tag| !tag.is_empty())
        .map(str::to_owned)
        .collect()
}
