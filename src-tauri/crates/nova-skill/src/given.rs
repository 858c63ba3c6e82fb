//! Argument types: changes, decimals, dates.

use std::borrow::Cow;

use jiff::civil::Date;
use nova_figures::plain_date;
use schemars::generate::SchemaGenerator;
use schemars::{JsonSchema, Schema, json_schema};
use serde::{Deserialize, Deserializer};
use serde_json::{Number, Value};

use crate::ToolError;

/// A decimal argument: a text or a JSON number, validated when it is read.
///
/// Its schema has `format: decimal`, for which a form has a number field and sends the typed text: a JSON
/// number would be rounded on its way through the window. A field that accepts a currency after the number
/// (`120 USD`) has `format: amount` instead, and is a text field. Models receive neither format.
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
    /// As typed by the user.
    Text(String),
    /// As written by a model or a script.
    Number(Number),
}

impl GivenDecimal {
    /// The trimmed text.
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

/// The change that an argument makes to a field. A field of this type needs `#[serde(default)]`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Change<T> {
    /// Absent.
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

/// `None` keeps the existing value.
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

/// Parses a date argument.
///
/// # Errors
/// `InvalidArguments` if it is not of the form `YYYY-MM-DD`.
pub fn date_argument(argument: &str, text: &str) -> Result<Date, ToolError> {
    let text = text.trim();
    plain_date(text).ok_or_else(|| ToolError::InvalidArguments {
        path: format!("/{argument}"),
        rule: format!("\"{text}\" is not a date YYYY-MM-DD"),
        allowed: Vec::new(),
    })
}
