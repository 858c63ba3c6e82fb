//! The mapping of a broker's columns: proposed, given by the user, stored in a note.

use std::collections::BTreeMap;

use nova_skill::figures::folded;
use nova_skill::serde_json::Map;
use nova_skill::{JsonSchema, Record, ToolError, Value, schemars};
use nova_statement::{OfAlike, Table, column_name};
use serde::{Deserialize, Serialize};

use super::actions::Action;
use super::names::Proposed;

/// What a mapping says; a column is named by its header, or by its number from 1.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct Mapping {
    /// The column of the day.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header"))]
    pub(super) date: Option<String>,
    /// The column of the action; without one, a negative quantity is a sale.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header"))]
    pub(super) action: Option<String>,
    /// The column of the symbol.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header"))]
    pub(super) symbol: Option<String>,
    /// The column of the ISIN, or another number of the security.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header", "x-label" = "ISIN"))]
    pub(super) isin: Option<String>,
    /// The column of the security's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header"))]
    pub(super) name: Option<String>,
    /// The column of the number of shares.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header"))]
    pub(super) quantity: Option<String>,
    /// The column of the price of one share.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header"))]
    pub(super) price: Option<String>,
    /// The column of the currency of the price.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header"))]
    pub(super) currency: Option<String>,
    /// The column of the fee, in the currency of the amount.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header"))]
    pub(super) fee: Option<String>,
    /// The column of another fee.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header", "x-label" = "Second fee"))]
    pub(super) more_fees: Option<String>,
    /// The column of the tax that was withheld.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header"))]
    pub(super) tax: Option<String>,
    /// The column of the tax's currency, if it differs from the amount's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header", "x-label" = "Currency of the tax"))]
    pub(super) tax_currency: Option<String>,
    /// The column of the money that moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header"))]
    pub(super) amount: Option<String>,
    /// The column of the currency of amount and fees, if it differs from the price's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header", "x-label" = "Currency of the amount"))]
    pub(super) amount_currency: Option<String>,
    /// The column of the exchange rate between the two currencies.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header", "x-label" = "Exchange rate"))]
    pub(super) rate: Option<String>,
    /// The column of the broker's unique transaction number.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header", "x-label" = "Transaction number"))]
    pub(super) id: Option<String>,
    /// The column of the account or depot.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header"))]
    pub(super) account: Option<String>,
    /// Such as DD.MM.YYYY; needed if the file's dates are ambiguous.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-help" = "Such as DD.MM.YYYY"))]
    pub(super) date_format: Option<String>,
    /// "," or "."; needed if the numbers are ambiguous.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-label" = "Decimal sign"))]
    pub(super) decimal: Option<String>,
    /// comma, semicolon, tab or pipe.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-label" = "Separator"))]
    pub(super) delimiter: Option<String>,
    /// Such as utf-8 or windows-1252.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-help" = "Such as utf-8"))]
    pub(super) encoding: Option<String>,
    /// The meanings of the broker's unknown action words.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("x-form" = "hidden"))]
    pub(super) actions: BTreeMap<String, Action>,
    /// The symbols of ISINs and names, if known.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("x-form" = "hidden"))]
    pub(super) symbols: BTreeMap<String, String>,
    /// What to do with rows that look like existing trades, in this file only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-label" = "Possible duplicates"))]
    pub(super) alike: Option<OfAlike>,
}

impl Mapping {
    /// Proposes a mapping from the header and the cells.
    pub(super) fn proposed(table: &Table) -> Self {
        let found = Proposed::of(table);
        let name = |at: Option<usize>| at.map(|at| column_name(&table.header, at));
        Self {
            date: name(found.date),
            action: name(found.action),
            symbol: name(found.symbol),
            isin: name(found.isin),
            name: name(found.name),
            quantity: name(found.quantity),
            price: name(found.price),
            currency: name(found.currency),
            fee: name(found.fee),
            more_fees: name(found.more_fees),
            tax: name(found.tax),
            tax_currency: name(found.tax_currency),
            amount: name(found.amount),
            amount_currency: name(found.amount_currency),
            rate: name(found.rate),
            id: name(found.id),
            account: name(found.account),
            delimiter: Some(table.delimiter.into()),
            encoding: Some(table.encoding.to_lowercase()),
            ..Self::default()
        }
    }

    /// Reads the mapping from a broker's note.
    pub(super) fn remembered(record: &Record) -> Result<Self, ToolError> {
        let text = |field: &str| -> Result<Option<String>, ToolError> {
            let said = record.text_there(field)?.map(|text| text.trim().to_owned());
            Ok(said.filter(|text| !text.is_empty()))
        };
        let column = |name: &str| text(&format!("{name}_column"));
        let pairs = |field: &str| -> Result<Vec<(String, String)>, ToolError> {
            let pair = |line: String| {
                let (key, value) = line.rsplit_once('=')?;
                Some((key.trim().to_owned(), value.trim().to_owned()))
            };
            Ok(record.list(field)?.into_iter().filter_map(pair).collect())
        };
        let actions = pairs("actions")?.into_iter();
        Ok(Self {
            date: column("date")?,
            action: column("action")?,
            symbol: column("symbol")?,
            isin: column("isin")?,
            name: column("name")?,
            quantity: column("quantity")?,
            price: column("price")?,
            currency: column("currency")?,
            fee: column("fee")?,
            more_fees: column("more_fees")?,
            tax: column("tax")?,
            tax_currency: column("tax_currency")?,
            amount: column("amount")?,
            amount_currency: column("amount_currency")?,
            rate: column("rate")?,
            id: column("id")?,
            account: column("account")?,
            date_format: text("date_format")?,
            decimal: record.choice("decimal")?.map(|word| if word == "comma" { "," } else { "." }.into()),
            delimiter: record.choice("delimiter")?.map(str::to_owned),
            encoding: text("encoding")?,
            actions: actions.filter_map(|(word, action)| Some((word, Action::parse(&action)?))).collect(),
            symbols: pairs("symbols")?.into_iter().collect(),
            alike: None,
        })
    }

    /// The columns by their key in the mapping.
    pub(super) fn columns(&self) -> [(&'static str, &Option<String>); 17] {
        [
            ("date", &self.date),
            ("action", &self.action),
            ("symbol", &self.symbol),
            ("isin", &self.isin),
            ("name", &self.name),
            ("quantity", &self.quantity),
            ("price", &self.price),
            ("currency", &self.currency),
            ("fee", &self.fee),
            ("more_fees", &self.more_fees),
            ("tax", &self.tax),
            ("tax_currency", &self.tax_currency),
            ("amount", &self.amount),
            ("amount_currency", &self.amount_currency),
            ("rate", &self.rate),
            ("id", &self.id),
            ("account", &self.account),
        ]
    }

    /// The fields of the broker's note; null if unset.
    pub(super) fn to_fields(&self) -> Map<String, Value> {
        let mut fields: Map<String, Value> = self
            .columns()
            .into_iter()
            .map(|(name, column)| (format!("{name}_column"), column.clone().into()))
            .collect();
        fields.insert("date_format".into(), self.date_format.clone().into());
        let word = self.decimal.as_deref().map(|sign| if sign == "," { "comma" } else { "point" });
        fields.insert("decimal".into(), word.into());
        fields.insert("delimiter".into(), self.delimiter.clone().into());
        fields.insert("encoding".into(), self.encoding.clone().into());
        let list = |pairs: Vec<String>| if pairs.is_empty() { Value::Null } else { pairs.into() };
        let actions = self.actions.iter().map(|(word, action)| format!("{word} = {}", action.word()));
        fields.insert("actions".into(), list(actions.collect()));
        let symbols = self.symbols.iter().map(|(said, symbol)| format!("{said} = {symbol}"));
        fields.insert("symbols".into(), list(symbols.collect()));
        fields
    }

    /// The symbol that the user chose for an ISIN or a name.
    pub(super) fn symbol_of(&self, said: &str) -> Option<&str> {
        let wanted = folded(said.trim());
        self.symbols.iter().find(|(key, _)| folded(key) == wanted).map(|(_, symbol)| symbol.as_str())
    }
}
