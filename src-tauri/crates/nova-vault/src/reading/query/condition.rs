//! Parses and evaluates conditions, `KEY OP VALUE`.

use std::cmp::Ordering;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::key::{FileKey, Key, extension, unquote};
use super::number::Number;
use super::scalar::{Moment, Period, link_name};
use crate::error::QueryError;
use crate::note::{Document, Value, VaultPath, folded};

/// One condition on a note's properties, such as `amount >= 100`, `tags contains saas`,
/// `stage in lead, contacted`, `"next contact" = 2026-11-24`, `email exists false`.
///
/// The property decides how VALUE is interpreted. Numbers are compared by value, exactly and at any size;
/// dates by the calendar, and with a date-time by the start of the day; links by the name of their note;
/// everything else as text, ignoring case. A month (`due = 2026-11`) or a year covers all of its days.
/// Incomparable values (`amount < abc`) match nothing. For a list, one item must match; `contains` finds an
/// item in a list and a substring in a text. `tags` are those of front matter and body, with or without
/// `#`; `tags contains work` also finds `work/acme`.
///
/// A note where the property is missing or empty (`email:`, `tags: []`) satisfies only `exists false`,
/// hence not `!=` either.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    pub(super) key: Key,
    test: Test,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Test {
    Equal(Operand),
    NotEqual(Operand),
    Ordered(Ordered, Operand),
    Contains(Operand),
    In(Vec<Operand>),
    Exists(bool),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ordered {
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// A VALUE in all forms in which it may be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Operand {
    /// Folded; for a link, the name of its note.
    text: String,
    /// Folded: the note's name if the value is read as a link.
    name: String,
    number: Option<Number>,
    moment: Option<Moment>,
    period: Option<Period>,
}

/// A note's value prepared for comparison, once for any number of VALUEs.
enum Item {
    /// Null, a list or a mapping.
    NotOne,
    Number(Option<Number>, String),
    Moment(DateTime, String),
    /// Folded.
    Text(String),
    /// The name of the linked note, folded.
    Link(String),
}

impl Item {
    fn of(value: &Value, zone: &TimeZone) -> Item {
        #[cfg(test)]
        crate::tests::work::done();
        match value {
            Value::Null | Value::List(_) | Value::Map(_) => Item::NotOne,
            Value::Bool(value) => Item::Text(value.to_string()),
            Value::Number(written) => Item::Number(Number::parse(written), folded(written)),
            Value::Text(text) => match Moment::parse(text) {
                Some(moment) => Item::Moment(moment.civil(zone), folded(text)),
                None => Item::Text(folded(text)),
            },
            Value::Link(inner) => Item::Link(folded(link_name(inner))),
        }
    }
}

/// The result of a condition for a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Met,
    NotMet,
    /// The note's value is not comparable with VALUE.
    NotComparable,
}

const OPERATORS: &str = "= != < <= > >= contains in exists";

impl Condition {
    /// Parses `KEY OP VALUE`. A KEY with spaces must be in `"` quotes; a VALUE may be in `"` or `'`; `in`
    /// takes `a, b, c`, `[a, "b, c"]` or `(a, b)`; `exists` takes nothing, `true` or `false`.
    pub fn parse(text: &str) -> Result<Condition, QueryError> {
        let error = |problem: &str, remedy: &str| QueryError::new("condition", text, problem, remedy);
        let (key, rest) = split_key(text).map_err(|problem| error(problem, EXAMPLE))?;
        let (operator, value) = split_operator(rest);
        let value = match (&key, value.trim()) {
            // `Projects/` is a common way to write a folder, and `/` is the vault's root.
            (Key::File(FileKey::Folder), folder) if folder.starts_with('/') || folder.ends_with('/') => {
                Some(folder.trim_matches('/')).filter(|folder| !folder.is_empty()).unwrap_or("\"\"")
            }
            (_, value) => value,
        };
        if let Some(second) = second_condition(value) {
            return Err(error(
                &format!("the value holds a second condition, `{second}`"),
                "give each condition separately, all must hold; use `in` or a second query for `or`; quote a value that \
                 contains such words",
            ));
        }
        let operand = || match operand(value) {
            Ok(Some(operand)) => Ok(operand),
            Ok(None) => {
                Err(error("there is no value", "write one after the operator, `\"\"` for empty text"))
            }
            Err(problem) => {
                Err(error(problem, "end the value at its closing `\"`; write a `\"` in it as `\\\"`"))
            }
        };
        let test = match operator.to_lowercase().as_str() {
            "=" => Test::Equal(operand()?),
            "!=" => Test::NotEqual(operand()?),
            "<" => Test::Ordered(Ordered::Less, operand()?),
            "<=" => Test::Ordered(Ordered::AtMost, operand()?),
            ">" => Test::Ordered(Ordered::Greater, operand()?),
            ">=" => Test::Ordered(Ordered::AtLeast, operand()?),
            "contains" => Test::Contains(operand()?),
            "in" => Test::In(
                operands(value)
                    .map_err(|problem| error(problem, "write `in a, b, c` or `in [a, \"b, c\"]`"))?,
            ),
            "exists" => match value.to_lowercase().as_str() {
                "" | "true" => Test::Exists(true),
                "false" => Test::Exists(false),
                _ => {
                    return Err(error(
                        "`exists` takes nothing, `true` or `false`",
                        "ask with `=` for a value",
                    ));
                }
            },
            "" => return Err(error("there is no operator", &format!("use one of {OPERATORS}"))),
            unknown => {
                let quotes = "; put a property's name with spaces into quotes: `\"next contact\" exists`";
                let quotes = if unknown.starts_with(char::is_alphabetic) { quotes } else { "" };
                return Err(error(
                    &format!("`{unknown}` is not an operator"),
                    &format!("use one of {OPERATORS}{quotes}"),
                ));
            }
        };
        Ok(Condition { key, test })
    }

    /// Property, operator in lower case and unquoted value, if the text is a condition on a property or the
    /// tags.
    pub fn parts(text: &str) -> Option<(String, String, String)> {
        let about_property = match &Condition::parse(text).ok()?.key {
            Key::Property(name) => name.clone(),
            Key::File(FileKey::Tags) => "tags".to_owned(),
            Key::File(_) => return None,
        };
        let (operator, value) = split_operator(split_key(text).ok()?.1);
        let value = value.trim();
        let plain = match value.starts_with('"') {
            true => unquote(value).ok()?.0,
            false => in_single_quotes(value).unwrap_or(value).to_owned(),
        };
        Some((about_property, operator.to_lowercase(), plain))
    }

    /// Whether a property with this value, or a missing one, satisfies the condition.
    pub(crate) fn judge(&self, value: Option<&Value>, zone: &TimeZone) -> Verdict {
        if self.matches(value, zone) {
            return Verdict::Met;
        }
        match (&self.test, value) {
            (Test::Ordered(_, operand), Some(value))
                if has_item(value) && !any(value, &|item| operand.compared_with(item, zone).is_some()) =>
            {
                Verdict::NotComparable
            }
            _ => Verdict::NotMet,
        }
    }

    /// Whether it concerns the size or the times of a file.
    pub(super) fn is_about_file_facts(&self) -> bool {
        matches!(self.key, Key::File(FileKey::Size | FileKey::Mtime | FileKey::Ctime))
    }

    /// Whether a note with these properties satisfies it; `tags` are all of its tags. Instants are compared
    /// in UTC; size and times of the file are unknown.
    pub(super) fn is_met_by(
        &self,
        path: &VaultPath,
        document: &Document,
        tags: &dyn Fn() -> Vec<String>,
    ) -> bool {
        let text = |text: &str| Some(Value::Text(text.to_owned()));
        let of_file = match &self.key {
            Key::Property(name) => return self.matches(document.property(name), &TimeZone::UTC),
            Key::File(FileKey::Name) => text(path.name()),
            Key::File(FileKey::Path) => text(path.as_str()),
            Key::File(FileKey::Folder) => text(path.folder()),
            Key::File(FileKey::Ext) => text(extension(path)),
            Key::File(FileKey::Tags) => Some(Value::List(tags().into_iter().map(Value::Text).collect())),
            Key::File(FileKey::Size | FileKey::Mtime | FileKey::Ctime) => None,
        };
        self.matches(of_file.as_ref(), &TimeZone::UTC)
    }

    fn matches(&self, value: Option<&Value>, zone: &TimeZone) -> bool {
        let held = value.filter(|value| match value {
            Value::Null => false,
            Value::List(items) => !items.is_empty(),
            _ => true,
        });
        let Some(value) = held else {
            return self.test == Test::Exists(false);
        };
        let is_tags = self.key == Key::File(FileKey::Tags);
        let equals = |operand: &Operand, item: &Value| match is_tags {
            true => operand.is_tag(item),
            false => operand.equals(item, zone),
        };
        match &self.test {
            Test::Equal(operand) => any(value, &|item| equals(operand, item)),
            Test::NotEqual(operand) => !any(value, &|item| equals(operand, item)),
            Test::Ordered(wanted, operand) => any(value, &|item| {
                operand.compared_with(item, zone).is_some_and(|ordering| wanted.admits(ordering))
            }),
            Test::Contains(operand) if is_tags => {
                any(value, &|item| operand.is_tag(item) || operand.is_parent_tag(item))
            }
            Test::Contains(operand) => match value {
                Value::List(_) => any(value, &|item| operand.equals(item, zone)),
                Value::Text(text) | Value::Number(text) => folded(text).contains(&operand.text),
                Value::Link(inner) => folded(link_name(inner)).contains(&operand.text),
                Value::Null | Value::Bool(_) | Value::Map(_) => false,
            },
            Test::In(operands) if is_tags => {
                let is_one = |tag: &str| operands.iter().any(|operand| operand.tag() == tag);
                any(value, &|item| item.as_text().is_some_and(|tag| is_one(&folded(&tag))))
            }
            Test::In(operands) => any(value, &|item| {
                let item = Item::of(item, zone);
                operands.iter().any(|operand| operand.is(&item, zone))
            }),
            Test::Exists(wanted) => *wanted,
        }
    }
}

/// Whether the value, or any item of a list, passes. The YAML parser bounds the depth.
fn any(value: &Value, passes: &dyn Fn(&Value) -> bool) -> bool {
    match value {
        Value::List(items) => items.iter().any(|item| any(item, passes)),
        single => passes(single),
    }
}

/// Whether it is more than nulls and empty lists.
fn has_item(value: &Value) -> bool {
    any(value, &|item| *item != Value::Null)
}

impl Ordered {
    fn admits(self, ordering: Ordering) -> bool {
        match self {
            Ordered::Less => ordering.is_lt(),
            Ordered::AtMost => ordering.is_le(),
            Ordered::Greater => ordering.is_gt(),
            Ordered::AtLeast => ordering.is_ge(),
        }
    }
}

impl Operand {
    fn of(text: &str) -> Operand {
        let written = match Value::from_text(text) {
            Value::Link(inner) => link_name(&inner).to_owned(),
            _ => text.to_owned(),
        };
        Operand {
            name: folded(link_name(&written)),
            text: folded(&written),
            number: Number::parse(text),
            moment: Moment::parse(text),
            period: Period::parse(text),
        }
    }

    fn is_tag(&self, value: &Value) -> bool {
        value.as_text().is_some_and(|tag| folded(&tag) == self.tag())
    }

    /// Whether the tag is nested below this one.
    fn is_parent_tag(&self, value: &Value) -> bool {
        let below =
            |tag: &str| folded(tag).strip_prefix(self.tag()).is_some_and(|rest| rest.starts_with('/'));
        !self.tag().is_empty() && value.as_text().is_some_and(|tag| below(&tag))
    }

    /// Folded, without `#`.
    fn tag(&self) -> &str {
        self.text.strip_prefix('#').unwrap_or(&self.text)
    }

    fn equals(&self, value: &Value, zone: &TimeZone) -> bool {
        self.is(&Item::of(value, zone), zone)
    }

    fn is(&self, item: &Item, zone: &TimeZone) -> bool {
        match item {
            Item::NotOne => false,
            Item::Number(number, text) => match (number, &self.number) {
                (Some(number), Some(wanted)) => number == wanted,
                _ => *text == self.text,
            },
            Item::Moment(moment, text) => match (self.moment, self.period) {
                (Some(wanted), _) => *moment == wanted.civil(zone),
                (None, Some(period)) => period.place_of(moment.date()).is_eq(),
                (None, None) => *text == self.text,
            },
            Item::Text(text) => *text == self.text,
            Item::Link(name) => *name == self.name,
        }
    }

    /// The order of a value relative to this one; `None` if the kinds differ.
    fn compared_with(&self, value: &Value, zone: &TimeZone) -> Option<Ordering> {
        match value {
            Value::Null | Value::List(_) | Value::Map(_) => None,
            Value::Bool(value) => Some(value.cmp(&self.text.parse().ok()?)),
            Value::Number(written) => Some(Number::parse(written)?.cmp(self.number.as_ref()?)),
            Value::Text(text) => match (Moment::parse(text), self.moment) {
                (Some(moment), Some(wanted)) => Some(moment.civil(zone).cmp(&wanted.civil(zone))),
                (Some(moment), None) => Some(self.period?.place_of(moment.civil(zone).date())),
                // Text that is no period is not comparable with one; two months compare as text.
                (None, None) if self.period.is_some() && Period::parse(text).is_none() => None,
                (None, None) if self.number.is_none() => Some(folded(text).cmp(&self.text)),
                _ => None,
            },
            Value::Link(inner) => Some(folded(link_name(inner)).cmp(&self.name)),
        }
    }
}

const EXAMPLE: &str = "write it like `stage = lead` or `\"next contact\" < 2026-12-01`";

fn split_key(text: &str) -> Result<(Key, &str), &'static str> {
    let text = text.trim_start();
    let (key, rest) = if text.starts_with('"') {
        unquote(text)?
    } else {
        let is_end = |c: char| c.is_whitespace() || is_symbol(c);
        let end = text.find(is_end).unwrap_or(text.len());
        (text[..end].to_owned(), &text[end..])
    };
    match Key::parse(&key) {
        Some(key) => Ok((key, rest)),
        None => Err("it does not begin with the name of a property"),
    }
}

/// The operator (a word or a run of symbols) and the rest.
fn split_operator(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let is_end = |c: char| match text.starts_with(is_symbol) {
        true => !is_symbol(c),
        false => c.is_whitespace() || matches!(c, '[' | '"'),
    };
    text.split_at(text.find(is_end).unwrap_or(text.len()))
}

fn is_symbol(c: char) -> bool {
    matches!(c, '=' | '<' | '>' | '!')
}

/// A whole VALUE; `None` if it is missing.
fn operand(value: &str) -> Result<Option<Operand>, &'static str> {
    if !value.starts_with('"') {
        return Ok((!value.is_empty()).then(|| Operand::of(in_single_quotes(value).unwrap_or(value))));
    }
    match unquote(value)? {
        (text, "") => Ok(Some(Operand::of(&text))),
        _ => Err("something follows the quoted value"),
    }
}

/// The content of `'draft'`. Text with another quote in it is taken literally.
fn in_single_quotes(value: &str) -> Option<&str> {
    let inner = value.strip_prefix('\'')?.strip_suffix('\'')?;
    (!inner.contains('\'')).then_some(inner)
}

/// A condition after `and` or `or` in a value, which is surely not meant as part of the value.
fn second_condition(value: &str) -> Option<&str> {
    const BETWEEN: [&str; 4] = [" and ", " or ", " && ", " || "];
    if value.starts_with('"') || in_single_quotes(value).is_some() {
        return None;
    }
    // Same length in bytes; the search terms are ASCII.
    let lower = value.to_ascii_lowercase();
    let behind = BETWEEN.iter().flat_map(|word| lower.match_indices(word).map(|(at, word)| at + word.len()));
    behind.map(|at| &value[at..]).find(|rest| {
        let operator = split_key(rest).map_or("", |(_, rest)| split_operator(rest).0);
        matches!(operator.to_lowercase().as_str(), "=" | "!=" | "<" | "<=" | ">" | ">=" | "contains")
    })
}

fn operands(value: &str) -> Result<Vec<Operand>, &'static str> {
    // `in [[A]], [[B]]` is a list of links without its own brackets.
    let within = |open, close| value.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
    let listed = within('[', ']').or_else(|| within('(', ')'));
    let is_link = value.starts_with("[[")
        && !value.starts_with("[[[")
        && value.ends_with("]]")
        && !value.ends_with("]]]");
    let mut rest = match listed {
        Some(inner) if !is_link => inner,
        _ => value,
    };
    let mut operands = Vec::new();
    loop {
        rest = rest.trim();
        let (text, after) = if rest.starts_with('"') {
            unquote(rest)?
        } else {
            let end = rest.find(',').unwrap_or(rest.len());
            let text = rest[..end].trim_end();
            if text.is_empty() {
                return Err("a value of the list is missing");
            }
            (text.to_owned(), &rest[end..])
        };
        operands.push(Operand::of(in_single_quotes(&text).unwrap_or(&text)));
        let after = after.trim_start();
        match after.strip_prefix(',') {
            Some(next) => rest = next,
            None if after.is_empty() => return Ok(operands),
            None => return Err("something follows the quoted value"),
        }
    }
}
