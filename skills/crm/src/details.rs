//! The details of a record as a tool is given them, made fit for a note.

use nova_skill::figures::{currency_code, near_currency_codes};
use nova_skill::serde_json::Map;
use nova_skill::{Change, GivenDecimal, ToolError, Value};

use crate::dates::{Birthday, Cadence};

pub(crate) const BIRTHDAY_REMEDY: &str = "Write it as 1990-03-14, or as --03-14 without the year.";
pub(crate) const EVERY_REMEDY: &str = "Write it as 2 weeks, month or 3 months.";

/// Checked values by the names of their fields, null for what goes.
#[derive(Default)]
pub(crate) struct Details(pub(crate) Map<String, Value>);

impl Details {
    /// A text that may stand in a property: trimmed, on one line, not empty.
    pub(crate) fn text(&mut self, field: &str, text: Change<String>) -> Result<(), ToolError> {
        self.put(field, text, |text| Ok(one_line(field, &text)?.into()))
    }

    /// An address that looks like one.
    pub(crate) fn email(&mut self, email: Change<String>) -> Result<(), ToolError> {
        self.put("email", email, |text| {
            let text = one_line("email", &text)?;
            if is_email(text) {
                return Ok(text.into());
            }
            Err(wrong("email", format!("\"{text}\" is not an e-mail address such as jane@example.com")))
        })
    }

    /// A day of the year, with the year or without.
    pub(crate) fn birthday(&mut self, birthday: Change<String>) -> Result<(), ToolError> {
        self.put("birthday", birthday, |text| {
            let text = one_line("birthday", &text)?;
            match Birthday::read(text) {
                Some(_) => Ok(text.into()),
                None => Err(wrong(
                    "birthday",
                    format!("\"{text}\" is no birthday; write 1990-03-14, or --03-14 without the year"),
                )),
            }
        })
    }

    /// How often to be in touch.
    pub(crate) fn every(&mut self, every: Change<String>) -> Result<(), ToolError> {
        self.put("every", every, |text| {
            let text = one_line("every", &text)?;
            match Cadence::read(text) {
                Some(_) => Ok(text.into()),
                None => {
                    Err(wrong("every", format!("\"{text}\" is no cadence; write 2 weeks, month or 3 months")))
                }
            }
        })
    }

    /// A decimal, looked at when it is written.
    pub(crate) fn amount(&mut self, field: &str, amount: Change<GivenDecimal>) {
        match amount {
            Change::Keep => {}
            Change::Remove => {
                self.0.insert(field.into(), Value::Null);
            }
            Change::Set(value) => {
                self.0.insert(field.into(), value.into());
            }
        }
    }

    /// A code of ISO 4217, in capitals.
    pub(crate) fn currency(&mut self, currency: Change<String>) -> Result<(), ToolError> {
        self.put("currency", currency, |text| {
            let code = currency_code(&text).ok_or_else(|| ToolError::InvalidArguments {
                path: "/currency".into(),
                rule: format!("\"{}\" is not an ISO 4217 currency such as EUR", text.trim()),
                allowed: near_currency_codes(&text).into_iter().map(str::to_owned).collect(),
            })?;
            Ok(code.into())
        })
    }

    /// A list without empty items and doubles; a leading `#` is Obsidian's way to show a tag, not
    /// a part of it.
    pub(crate) fn tags(&mut self, tags: Change<Vec<String>>) -> Result<(), ToolError> {
        self.put("tags", tags, |tags| {
            let mut kept: Vec<&str> = Vec::new();
            for tag in &tags {
                let tag = one_line("tags", tag.trim().trim_start_matches('#'))?;
                if !kept
                    .iter()
                    .any(|other| nova_skill::figures::folded(other) == nova_skill::figures::folded(tag))
                {
                    kept.push(tag);
                }
            }
            Ok(kept.into())
        })
    }

    fn put<T>(
        &mut self,
        field: &str,
        change: Change<T>,
        check: impl FnOnce(T) -> Result<Value, ToolError>,
    ) -> Result<(), ToolError> {
        let value = match change {
            Change::Keep => return Ok(()),
            Change::Remove => Value::Null,
            Change::Set(value) => check(value)?,
        };
        self.0.insert(field.into(), value);
        Ok(())
    }
}

fn one_line<'a>(field: &str, text: &'a str) -> Result<&'a str, ToolError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(wrong(field, "must not be empty; leave it out when it is not known".into()));
    }
    if text.chars().any(char::is_control) {
        return Err(wrong(field, "must be one line of text".into()));
    }
    Ok(text)
}

/// One `@`, something before it, a domain with a dot after it, no white space.
fn is_email(text: &str) -> bool {
    let Some((name, domain)) = text.split_once('@') else { return false };
    let labels = || domain.split('.');
    !name.is_empty()
        && !text.chars().any(char::is_whitespace)
        && !domain.contains('@')
        && labels().count() > 1
        && labels().all(|label| !label.is_empty())
}

fn wrong(field: &str, rule: String) -> ToolError {
    ToolError::InvalidArguments { path: format!("/{field}"), rule, allowed: Vec::new() }
}
