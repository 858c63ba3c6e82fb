//! Rules that assign a category by payee or memo.

use std::cmp::Ordering;

use nova_skill::figures::folded;
use nova_skill::{NotePath, Problem, Record, RecordType, ToolError};
use regex::{Regex, RegexBuilder};

use crate::properties::{missing, text};

/// The maximum size of a compiled pattern.
const MAX_PATTERN_BYTES: usize = 1 << 20;

#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) path: NotePath,
    /// The pattern as written in the note.
    pub(crate) pattern_text: String,
    pub(crate) category: String,
    pub(crate) priority: i64,
    pattern: Pattern,
}

#[derive(Debug)]
pub(crate) enum Pattern {
    /// A folded substring.
    Contained(String),
    Regex(Regex),
}

impl Rule {
    pub(crate) fn read(declared: &RecordType, record: &Record) -> Result<Self, ToolError> {
        let note = record.note();
        let pattern_text = text(record, "match")?.ok_or_else(|| missing(declared, note))?;
        let property = declared.fields.get("match").map_or("match", |field| field.property());
        let pattern = Pattern::parse(&pattern_text).map_err(|why| {
            ToolError::BrokenRecord(Problem {
                path: note.path.to_string(),
                line: note.document.entry(property).map_or(1, |(_, found)| found.line),
                problem: format!("`{property}` is not a regular expression: {why}"),
                remedy: "Correct the expression between the slashes, or leave them out for plain text."
                    .into(),
            })
        })?;
        Ok(Self {
            path: note.path.clone(),
            pattern_text,
            category: text(record, "category")?.ok_or_else(|| missing(declared, note))?,
            priority: match record.integer("priority")? {
                Some(priority) => priority,
                None => {
                    let field = declared.fields.get("priority");
                    field.and_then(|field| field.default.as_ref()?.as_i64()).unwrap_or_default()
                }
            },
            pattern,
        })
    }

    /// By descending priority, then by path.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        other.priority.cmp(&self.priority).then_with(|| self.path.cmp(&other.path))
    }

    fn matches(&self, text: &str, as_folded: &str) -> bool {
        match &self.pattern {
            Pattern::Contained(part) => as_folded.contains(part),
            Pattern::Regex(regex) => regex.is_match(text),
        }
    }
}

impl Pattern {
    /// Parses `/…/` as a case-insensitive regular expression, and anything else as plain text.
    ///
    /// # Errors
    /// Why it is not a regular expression, in a few words.
    pub(crate) fn parse(source: &str) -> Result<Self, String> {
        let inner = source.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
        let Some(inner) = inner.filter(|inner| !inner.is_empty()) else {
            return Ok(Self::Contained(folded(source)));
        };
        let built = RegexBuilder::new(inner).case_insensitive(true).size_limit(MAX_PATTERN_BYTES).build();
        built.map(Self::Regex).map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => "it is too large".to_owned(),
            // The last line of the message is the reason; the lines before show the position.
            error => {
                let message = error.to_string();
                let last = message.lines().last().unwrap_or_default();
                last.trim_start_matches("error: ").trim().to_owned()
            }
        })
    }
}

/// The first of the sorted rules that matches the payee or the bank's memo.
pub(crate) fn first_match<'a>(rules: &'a [Rule], payee: &str, memo: Option<&str>) -> Option<&'a Rule> {
    let texts: Vec<(&str, String)> = [Some(payee), memo]
        .into_iter()
        .flatten()
        .filter(|text| !text.is_empty())
        .map(|text| (text, folded(text)))
        .collect();
    rules.iter().find(|rule| texts.iter().any(|(text, as_folded)| rule.matches(text, as_folded)))
}
