//! Arguments as a tool is given them: changes, decimals, dates.

use std::borrow::Cow;

use jiff::civil::Date;
use nova_figures::plain_date;
use schemars::generate::SchemaGenerator;
use schemars::{JsonSchema, Schema, json_schema};
use serde::{Deserialize, Deserializer};
use serde_json::{Number, Value};

use crate::ToolError;

/// An argument that is a decimal: a text or a JSON number. Whether it is one is seen where it is read.
///
/// Its schema says `format: decimal`, by which a form has a field for a number and sends it as the text
/// that was typed: a JSON number would be rounded on its way through the window. A field that takes a
/// currency beside its number (`120 USD`) says `format: amount` instead, and is a field for a text.
/// Models receive neither.
///
/// ```
/// use nova_skill::{GivenDecimal, json};
/// let given = |value| -> GivenDecimal { nova_skill::serde_json::from_value(value).unwrap() };
/// assert_eq!(given(json!(" 84.20 ")).text(), "84.20");
/// assert_eq!(given(json!(12)).text(), "12");
/// ```
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum GivenDecimal {
    /// As it was typed.
    Text(String),
    /// As a model or a script writes it.
    Number(Number),
}

impl GivenDecimal {
    /// As it was written, without the spaces around.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => text.trim().into(),
            Self::Number(number) => number.to_string().into(),
        }
    }
}

impl From<GivenDecimal> for Value {
    fn from(given: GivenDecimal) -> Self {
        match given {
            GivenDecimal::Text(text) => text.into(),
            GivenDecimal::Number(number) => number.into(),
        }
    }
}

impl JsonSchema for GivenDecimal {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Decimal".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["string", "number"], "format": "decimal"})
    }
}

/// What an argument makes of a field. A field of this type needs `#[serde(default)]`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Change<T> {
    /// Not mentioned.
    #[default]
    Keep,
    /// `null`
    Remove,
    /// Any other value.
    Set(T),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Change<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Option::<T>::deserialize(from)?.map_or(Self::Remove, Self::Set))
    }
}

/// Nothing keeps what is there.
impl<T> From<Option<T>> for Change<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Keep, Self::Set)
    }
}

impl<T: JsonSchema> JsonSchema for Change<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Option::<T>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Option::<T>::json_schema(generator)
    }
}

/// The day that an argument names.
///
/// # Errors
/// `InvalidArguments` where it is not written `YYYY-MM-DD`.
pub fn date_argument(argument: &str, text: &str) -> Result<Date, ToolError> {
    let text = text.trim();
    plain_date(text).ok_or_else(|| ToolError::InvalidArguments {
        path: format!("/{argument}"),
        rule: format!("\"{text}\" is not a date YYYY-MM-DD"),
        allowed: Vec::new(),
    })
}
