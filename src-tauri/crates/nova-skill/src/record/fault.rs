//! Converts the value of a property to the kind of its field, or reports why it cannot.

use std::borrow::Cow;

use jiff::civil::Date;
use nova_vault::note::Value;
use rust_decimal::Decimal;

use super::{Field, FieldKind, ItemKind, plain};
use crate::figures::{currency_code, folded, near_currency_codes};

/// Why a value does not fit its field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    /// Follows the property's name, without a full stop: "is `31.12.2026`, which is not a date".
    pub(super) what: String,
    /// A sentence.
    pub(super) remedy: String,
}

impl Field {
    /// Whether the value is empty for the skill: the record does not have the field then.
    pub fn says_nothing(&self, value: &Value) -> bool {
        is_empty(value)
            || !self.values.is_empty() && value.as_text().is_some_and(|text| self.meant(&text).is_none())
    }
}

/// Whether the property is empty: the record does not have the field then.
pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Text(text) => text.trim().is_empty(),
        Value::List(items) => items.iter().all(is_empty),
        _ => false,
    }
}

impl Field {
    /// The error of a present value.
    pub(super) fn fault(&self, value: &Value) -> Option<Fault> {
        match self.kind {
            FieldKind::Text => self.scalar(value).err(),
            FieldKind::Link => link_fault(value),
            FieldKind::Date => self.as_date(value).err(),
            FieldKind::Decimal => self.as_decimal(value).err(),
            FieldKind::Integer => self.as_integer(value).err(),
            FieldKind::Bool => self.as_bool(value).err(),
            FieldKind::Choice => self.as_choice(value).err(),
            FieldKind::Currency => self.as_currency(value).err(),
            FieldKind::List => list_fault(self.items(), value),
        }
    }

    /// Parses `YYYY-MM-DD`; a date with a time is an error.
    pub(super) fn as_date(&self, value: &Value) -> Result<Date, Fault> {
        let text = self.scalar(value)?;
        plain::date(&text).ok_or_else(|| {
            let remedy = plain::meant_date(&text).map_or_else(
                || "Write it as YYYY-MM-DD, such as 2026-12-31.".to_owned(),
                |date| format!("Write it as {date}."),
            );
            fault(format!("is `{}`, which is not a date", shown(&text)), remedy)
        })
    }

    /// Parses a plain decimal, without guessing: anything else is an error.
    pub(super) fn as_decimal(&self, value: &Value) -> Result<Decimal, Fault> {
        let text = self.scalar(value)?;
        let number = plain::decimal(&text).ok_or_else(|| {
            let form = "digits with at most one point, such as 1250.50";
            let remedy = match plain::meant_decimals(&text).as_slice() {
                [] => format!("Write it as {form}."),
                [meant] => format!("Write it as {meant}."),
                several => format!("Write it as {}, whichever is meant.", several.join(" or ")),
            };
            fault(format!("is `{}`, which is not a plain decimal", shown(&text)), remedy)
        })?;
        self.in_range(number)
    }

    pub(super) fn as_integer(&self, value: &Value) -> Result<i64, Fault> {
        let text = self.scalar(value)?;
        let number = plain::integer(&text).ok_or_else(|| {
            let meant = plain::meant_decimals(&text);
            let whole = meant.iter().find(|form| plain::integer(form).is_some());
            let remedy = match whole {
                Some(meant) => format!("Write it as {meant}."),
                None => "Write it with digits alone, such as 12.".to_owned(),
            };
            fault(format!("is `{}`, which is not a whole number", shown(&text)), remedy)
        })?;
        self.in_range(Decimal::from(number))?;
        Ok(number)
    }

    pub(super) fn as_bool(&self, value: &Value) -> Result<bool, Fault> {
        let text = self.scalar(value)?;
        match (value, folded(&text).as_str()) {
            (Value::Bool(value), _) => Ok(*value),
            // In quotes it is a text, but an unambiguous one.
            (_, "true") => Ok(true),
            (_, "false") => Ok(false),
            (_, said) => {
                let meant = match said {
                    "yes" | "y" | "on" | "1" => "true",
                    "no" | "n" | "off" | "0" => "false",
                    _ => "true or false",
                };
                Err(fault(
                    format!("is `{}`, which is neither true nor false", shown(&text)),
                    format!("Write it as {meant}."),
                ))
            }
        }
    }

    /// The declared choice; case is ignored.
    pub(super) fn as_choice(&self, value: &Value) -> Result<&str, Fault> {
        let text = self.scalar(value)?;
        self.choice(&text).ok_or_else(|| {
            let nearest = self.nearest_choice(&text);
            let nearest = nearest.map_or_else(String::new, |choice| format!("; the nearest is {choice}"));
            fault(
                format!("is `{}`, which is not one of its choices", shown(&text)),
                format!("Write one of {}{nearest}.", self.choices.join(", ")),
            )
        })
    }

    /// The code in upper case.
    fn as_currency(&self, value: &Value) -> Result<&str, Fault> {
        let text = self.scalar(value)?;
        self.code(&text).ok_or_else(|| {
            let remedy = match near_currency_codes(&text).as_slice() {
                [] => "Write its code of three letters, such as EUR or USD.".to_owned(),
                [near] => format!("Write its code of three letters; the nearest is {near}."),
                near => {
                    let near: Vec<&str> = near.iter().take(5).copied().collect();
                    format!("Write its code of three letters; the nearest are {}.", near.join(", "))
                }
            };
            fault(format!("is `{}`, which is not a currency", shown(&text)), remedy)
        })
    }

    /// The currency code that a text names, of ISO 4217 or one of the field's own.
    pub fn code(&self, text: &str) -> Option<&str> {
        let own = || self.codes.iter().find(|code| code.eq_ignore_ascii_case(text.trim()));
        currency_code(text).or_else(|| own().map(String::as_str))
    }

    /// The declared choice that a text names.
    pub(super) fn choice(&self, text: &str) -> Option<&str> {
        // Fast path: nearly every note has the declared spelling.
        let exact = self.choices.iter().find(|choice| *choice == text);
        let choice = exact.or_else(|| {
            let wanted = folded(text);
            self.choices.iter().find(|choice| folded(choice) == wanted)
        });
        choice.map(String::as_str)
    }

    fn nearest_choice(&self, text: &str) -> Option<&str> {
        const ALIKE: f64 = 0.5;
        // Truncated, since longer texts match no choice.
        let wanted: String = folded(text).chars().take(100).collect();
        self.choices
            .iter()
            .map(|choice| (strsim::normalized_levenshtein(&folded(choice), &wanted), choice))
            .filter(|(alike, _)| *alike >= ALIKE)
            .max_by(|(a, _), (b, _)| a.total_cmp(b))
            .map(|(_, choice)| choice.as_str())
    }

    pub(super) fn in_range(&self, number: Decimal) -> Result<Decimal, Fault> {
        if let Some(min) = self.min.filter(|min| number < *min) {
            return Err(fault(
                format!("is `{number}`, which is less than {min}"),
                format!("Write a number of at least {min}."),
            ));
        }
        if let Some(max) = self.max.filter(|max| number > *max) {
            return Err(fault(
                format!("is `{number}`, which is more than {max}"),
                format!("Write a number of at most {max}."),
            ));
        }
        Ok(number)
    }

    /// A single value as text, in the skill's vocabulary; a list or a mapping is an error.
    pub(super) fn scalar<'a>(&'a self, value: &'a Value) -> Result<Cow<'a, str>, Fault> {
        let text = value.as_text().map(|text| match text {
            Cow::Borrowed(text) => Cow::Borrowed(self.meant(text).unwrap_or_default()),
            Cow::Owned(text) => Cow::Owned(self.meant(&text).unwrap_or_default().to_owned()),
        });
        text.ok_or_else(|| {
            let is = if matches!(value, Value::List(_)) { "a list" } else { "a mapping" };
            fault(
                format!("is {is} instead of {}", self.kind.noun()),
                "Write one value after its name.".into(),
            )
        })
    }
}

/// A plain name is accepted as a note's name, but Obsidian does not recognise it as a link.
fn link_fault(value: &Value) -> Option<Fault> {
    let text = match value {
        Value::Link(_) => return None,
        Value::List(items) => {
            let remedy = match items.as_slice() {
                [one] => written_link(one),
                _ => None,
            };
            return Some(fault("is a list instead of a link".into(), remedy.unwrap_or_else(any_link)));
        }
        Value::Map(_) => return Some(fault("is a mapping instead of a link".into(), any_link())),
        scalar => scalar.as_text().unwrap_or_default(),
    };
    Some(fault(
        format!("is the text `{}`, not a link; it is read as a note's name", shown(&text)),
        written_link(value).unwrap_or_else(any_link),
    ))
}

fn list_fault(kind: ItemKind, value: &Value) -> Option<Fault> {
    let items = match value {
        Value::List(items) => items,
        Value::Map(_) => {
            return Some(fault("is a mapping instead of a list".into(), "Write it as [one, two].".into()));
        }
        single => {
            let text = single.display();
            let parts: Vec<String> = match single {
                // A comma in it is part of a name.
                Value::Link(_) => vec![format!("\"{text}\"")],
                _ => text
                    .split(',')
                    .map(str::trim)
                    .filter(|part| !part.is_empty())
                    .map(|part| match kind {
                        ItemKind::Link if !part.starts_with("[[") => format!("\"[[{part}]]\""),
                        _ => part.to_owned(),
                    })
                    .collect(),
            };
            let plain =
                parts.iter().all(|part| !part.contains(['\n', '{', ':', '#', '&', '*', '!', '|', '>']));
            let remedy = if plain && text.chars().count() <= 60 && !text.contains(['\'', '`']) {
                format!("Write it as [{}].", parts.join(", "))
            } else {
                "Write it as [one, two].".to_owned()
            };
            return Some(fault(format!("is `{}` instead of a list", shown(&text)), remedy));
        }
    };
    items.iter().filter(|item| !is_empty(item)).find_map(|item| match (kind, item) {
        (_, Value::List(_) | Value::Map(_)) => Some(fault(
            format!("has the item `{}`, which is not one value", shown(&item.display())),
            "Write each item as one text.".into(),
        )),
        (ItemKind::Text, _) | (ItemKind::Link, Value::Link(_)) => None,
        (ItemKind::Link, _) => Some(fault(
            format!("has the item `{}`, which is a text, not a link", shown(&item.display())),
            written_link(item).unwrap_or_else(any_link),
        )),
    })
}

/// The correct spelling of the link that a text names.
fn written_link(value: &Value) -> Option<String> {
    let text = value.as_text()?;
    let text = text.trim();
    let fits =
        !text.is_empty() && text.chars().count() <= 100 && !text.contains(['[', ']', '"', '\\', '\n', '|']);
    fits.then(|| format!("Write it as \"[[{text}]]\"."))
}

fn any_link() -> String {
    "Write it as a link in quotes, such as \"[[Name]]\".".into()
}

/// Shortens a value to one line for an error message.
fn shown(text: &str) -> String {
    const MAX_CHARS: usize = 60;
    let line = |c: char| if c.is_control() { ' ' } else { c };
    let mut shown: String = text.trim().chars().map(line).take(MAX_CHARS).collect();
    if text.trim().chars().nth(MAX_CHARS).is_some() {
        shown.push('…');
    }
    shown
}

fn fault(what: String, remedy: String) -> Fault {
    Fault { what, remedy }
}
