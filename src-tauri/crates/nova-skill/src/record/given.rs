//! The fields of a record as the arguments of a call.

use jiff::civil::Date;
use serde_json::{Map, Value};

use super::{FieldKind, RecordType};
use crate::{GivenDecimal, ToolError, date_argument};

/// Arguments that are fields of a record, read as the record type declares them. What was left out and null are
/// nothing.
#[derive(Debug, Clone, Copy)]
pub struct GivenFields<'a> {
    declared: &'a RecordType,
    values: &'a Map<String, Value>,
}

impl RecordType {
    /// The arguments of a call that are fields of this type.
    pub fn given<'a>(&'a self, values: &'a Map<String, Value>) -> GivenFields<'a> {
        GivenFields { declared: self, values }
    }
}

impl<'a> GivenFields<'a> {
    /// A text, the name of another note or a currency, as it was written.
    ///
    /// # Errors
    /// [`ToolError::NotDeclared`] for what is no such field, as for every other kind.
    pub fn text(&self, key: &str) -> Result<Option<&'a str>, ToolError> {
        self.declared.field_of(key, &[FieldKind::Text, FieldKind::Link, FieldKind::Currency])?;
        Ok(self.value(key).and_then(Value::as_str))
    }

    /// # Errors
    /// [`ToolError::InvalidArguments`] where it is not written `YYYY-MM-DD`.
    pub fn date(&self, key: &str) -> Result<Option<Date>, ToolError> {
        self.declared.field_of(key, &[FieldKind::Date])?;
        self.value(key).and_then(Value::as_str).map(|text| date_argument(key, text)).transpose()
    }

    /// A decimal as it was written.
    ///
    /// # Errors
    /// As [`GivenFields::text`].
    pub fn decimal(&self, key: &str) -> Result<Option<GivenDecimal>, ToolError> {
        self.declared.field_of(key, &[FieldKind::Decimal])?;
        Ok(match self.value(key) {
            Some(Value::String(text)) => Some(GivenDecimal::Text(text.clone())),
            Some(Value::Number(number)) => Some(GivenDecimal::Number(number.clone())),
            _ => None,
        })
    }

    /// The declared choice that is meant, whatever the case.
    ///
    /// # Errors
    /// As [`GivenFields::text`].
    pub fn choice(&self, key: &str) -> Result<Option<&'a str>, ToolError> {
        let field = self.declared.field_of(key, &[FieldKind::Choice])?;
        Ok(self.value(key).and_then(Value::as_str).and_then(|said| field.choice(said)))
    }

    fn value(&self, key: &str) -> Option<&'a Value> {
        self.values.get(key).filter(|value| !value.is_null())
    }
}
