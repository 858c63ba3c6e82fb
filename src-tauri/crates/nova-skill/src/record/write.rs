//! Converts values from a tool to those of a note.

use nova_vault::Note;
use nova_vault::note::{PropertyEdit, Value as PropertyValue, compose, file_name};
use serde_json::{Map, Value};

use super::fault::Fault;
use super::{Field, FieldKind, ItemKind, RecordType, plain, with_article};
use crate::figures::{folded, near_currency_codes};
use crate::{ToolError, ToolVault};

impl RecordType {
    /// The text of a new note: the property that makes it a record, then the declared fields that have a
    /// value.
    ///
    /// # Errors
    /// [`ToolError::NotDeclared`] for a field the type does not have, [`ToolError::InvalidArguments`] for a
    /// value of the wrong kind or a missing required one.
    pub fn new_note(&self, values: &Map<String, Value>) -> Result<String, ToolError> {
        for field in values.keys() {
            self.field(field)?;
        }
        let mut properties = Vec::new();
        for (key, field) in &self.fields {
            match values.get(key).filter(|value| !value.is_null()).or(field.default.as_ref()) {
                Some(_) if field.is_file_name() => {}
                Some(value) => properties.push((field.property.clone(), field.write(key, value)?)),
                None if field.required => {
                    return Err(invalid(
                        key,
                        format!("{} needs {}", with_article(&self.name), with_article(key)),
                        Vec::new(),
                    ));
                }
                None => {}
            }
        }
        Ok(compose(&self.marked(properties)?, &self.body))
    }

    /// The edits of the note that set these values; null removes the property. Existing properties keep the
    /// note's spelling.
    ///
    /// # Errors
    /// As [`RecordType::new_note`]; a required field cannot be removed.
    pub fn edits(&self, note: &Note, values: &Map<String, Value>) -> Result<Vec<PropertyEdit>, ToolError> {
        let mut edits = Vec::new();
        for (key, value) in values {
            let field = self.field(key)?;
            if field.is_file_name() {
                if value.as_str().is_some_and(|name| folded(name.trim()) == folded(note.path.name())) {
                    continue;
                }
                return Err(invalid(
                    key,
                    "is the name of the note; move the note to rename it".into(),
                    Vec::new(),
                ));
            }
            let property = note.document.spelled(&field.property).unwrap_or(&field.property).to_owned();
            edits.push(match value {
                Value::Null if field.required => {
                    return Err(invalid(key, "cannot be removed".into(), Vec::new()));
                }
                Value::Null => PropertyEdit::Remove { key: property },
                value => PropertyEdit::Set { key: property, value: field.write(key, value)? },
            });
        }
        Ok(edits)
    }
}

impl Field {
    /// The value as stored in a note, in the vault's vocabulary; `key` is the field's name for errors.
    pub(super) fn write(&self, key: &str, value: &Value) -> Result<PropertyValue, ToolError> {
        let written = self.checked(key, value)?;
        if let PropertyValue::Text(text) = &written
            && self.has_values()
        {
            return Ok(PropertyValue::Text(self.as_vault_writes(text).to_owned()));
        }
        Ok(written)
    }

    fn checked(&self, key: &str, value: &Value) -> Result<PropertyValue, ToolError> {
        let wrong = |rule: String| invalid(key, rule, self.choices.clone());
        let text = || value.as_str().ok_or_else(|| wrong("must be a string".into()));
        Ok(match self.kind {
            FieldKind::Text => {
                let text = text()?;
                if self.required && text.trim().is_empty() {
                    return Err(wrong("must not be empty".into()));
                }
                PropertyValue::Text(text.to_owned())
            }
            FieldKind::Link => PropertyValue::Link(link_inner(text()?)),
            FieldKind::Date => {
                let text = text()?;
                let date = plain::date(text.trim())
                    .ok_or_else(|| wrong(format!("\"{text}\" is not a date YYYY-MM-DD")))?;
                PropertyValue::Text(date.to_string())
            }
            FieldKind::Decimal => {
                let text = number_text(value).ok_or_else(|| wrong("must be a decimal".into()))?;
                let number = plain::decimal(&text)
                    .ok_or_else(|| wrong("must be a plain decimal such as 1250.50".into()))?;
                self.in_range(number).map_err(|fault| wrong(range_rule(&fault)))?;
                PropertyValue::Number(text)
            }
            FieldKind::Integer => {
                let text = number_text(value).ok_or_else(|| wrong("must be a whole number".into()))?;
                let number =
                    plain::integer(&text).ok_or_else(|| wrong("must be a whole number such as 12".into()))?;
                self.in_range(number.into()).map_err(|fault| wrong(range_rule(&fault)))?;
                PropertyValue::Number(text)
            }
            FieldKind::Bool => {
                PropertyValue::Bool(value.as_bool().ok_or_else(|| wrong("must be true or false".into()))?)
            }
            FieldKind::Choice => {
                let text = text()?;
                let choice = self
                    .choice(text)
                    .ok_or_else(|| wrong(format!("\"{text}\" is not one of the choices")))?;
                PropertyValue::Text(choice.to_owned())
            }
            FieldKind::Currency => {
                let text = text()?;
                let code = self.code(text).ok_or_else(|| {
                    let near = near_currency_codes(text).into_iter().map(str::to_owned).collect();
                    invalid(key, format!("\"{text}\" is not an ISO 4217 currency such as EUR"), near)
                })?;
                PropertyValue::Text(code.to_owned())
            }
            FieldKind::List => {
                let items = value.as_array().ok_or_else(|| wrong("must be a list".into()))?;
                let items = items.iter().map(|item| {
                    let text = item.as_str().ok_or_else(|| wrong("must be a list of strings".into()))?;
                    Ok(match self.items() {
                        ItemKind::Text => PropertyValue::from_text(text),
                        ItemKind::Link => PropertyValue::Link(link_inner(text)),
                    })
                });
                PropertyValue::List(items.collect::<Result<_, ToolError>>()?)
            }
        })
    }
}

impl RecordType {
    /// Normalises the links in the values. A link to an existing note, by its path or by a name that Nova
    /// would not generate (`What now?`), is enclosed in brackets and kept. Any other is the name of a note
    /// that may be created later, and loses its brackets; it is written with the file name that Nova would
    /// generate for it, and displays the name.
    ///
    /// # Errors
    /// If the vault cannot be read.
    pub async fn with_links(
        &self,
        values: &Map<String, Value>,
        vault: &dyn ToolVault,
    ) -> Result<Map<String, Value>, ToolError> {
        let mut values = values.clone();
        for (key, field) in &self.fields {
            match values.get_mut(key) {
                Some(Value::String(said)) if field.kind == FieldKind::Link => {
                    *said = meant(said, vault).await?;
                }
                Some(Value::Array(items))
                    if field.kind == FieldKind::List && field.items() == ItemKind::Link =>
                {
                    for item in items {
                        if let Value::String(said) = item {
                            *said = meant(said, vault).await?;
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(values)
    }
}

async fn meant(said: &str, vault: &dyn ToolVault) -> Result<String, ToolError> {
    let (target, _) = target_of(said);
    // Its file name is the same, whether or not the note exists.
    if file_name(target) == target {
        return Ok(said.to_owned());
    }
    let named = vault.resolve(target).await?.filter(|path| {
        let (path, target) = (folded(path.as_str()), folded(target));
        [Some(path.as_str()), path.strip_suffix(".md")].into_iter().flatten().any(|path| {
            path.strip_suffix(&target).is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
        })
    });
    Ok(if named.is_some() && fits_brackets(target) { format!("[[{target}]]") } else { target.to_owned() })
}

/// The inside of a wikilink. Text in brackets is used as it is; a name is converted to the file name that
/// Nova would generate, with the name as display text: `AC-DC|AC/DC`.
fn link_inner(said: &str) -> String {
    let name = match target_of(said) {
        (target, true) if fits_brackets(target) => return target.to_owned(),
        (target, _) => target,
    };
    let file = file_name(name);
    let can_be_shown =
        !name.is_empty() && !name.contains(['[', ']', '|']) && !name.contains(char::is_control);
    if can_be_shown && folded(&file) != folded(name) { format!("{file}|{name}") } else { file }
}

/// Whether a link's display text differs from its note's name.
pub(super) fn is_renamed(said: &str) -> bool {
    link_inner(said).contains('|')
}

/// The target, and whether it was in brackets.
fn target_of(said: &str) -> (&str, bool) {
    let said = said.trim();
    match said.strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]")) {
        Some(inner) => (inner.split(['|', '#']).next().unwrap_or(inner).trim(), true),
        None => (said, false),
    }
}

/// Whether a wikilink can contain it.
fn fits_brackets(target: &str) -> bool {
    !target.is_empty() && !target.contains(['[', ']', '|', '#', '^']) && !target.contains(char::is_control)
}

fn number_text(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(text.trim().to_owned()),
        _ => None,
    }
}

/// Rewords "is `150`, which is more than 100" as a rule for an argument.
fn range_rule(fault: &Fault) -> String {
    fault.what.replace('`', "")
}

fn invalid(key: &str, rule: String, allowed: Vec<String>) -> ToolError {
    ToolError::InvalidArguments { path: format!("/{key}"), rule, allowed }
}
