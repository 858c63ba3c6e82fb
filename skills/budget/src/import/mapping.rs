//! The mapping of a bank's columns, as proposed, given and remembered.

use nova_skill::serde_json::Map;
use nova_skill::{JsonSchema, Record, ToolError, Value, schemars};
use nova_statement::{OfAlike, Table, column_name, currency_in};
use serde::{Deserialize, Serialize};

use super::proposed::ProposedColumns;
use crate::properties::text;

/// A mapping; a column is named by its header, or by its number from 1.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct Mapping {
    /// The column of the day.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header"))]
    pub(super) date: Option<String>,
    /// The column of the amount, if one column has both money in and money out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header"))]
    pub(super) amount: Option<String>,
    /// The column of money out, if there are two.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header"))]
    #[schemars(extend("x-label" = "Money out"))]
    pub(super) debit: Option<String>,
    /// The column of money in, if there are two.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header"))]
    #[schemars(extend("x-label" = "Money in"))]
    pub(super) credit: Option<String>,
    /// The column with the direction as a word such as S or H, D or C, if amounts
    /// have no sign.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header"))]
    #[schemars(extend("x-label" = "In or out", "x-help" = "Such as S or H"))]
    pub(super) side: Option<String>,
    /// The column of the payee or payer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header"))]
    pub(super) payee: Option<String>,
    /// The column of the payer, if incomes have their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header"))]
    pub(super) payer: Option<String>,
    /// The column of the bank's memo.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header"))]
    pub(super) memo: Option<String>,
    /// The column of the category.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header"))]
    pub(super) category: Option<String>,
    /// The column of the currency's code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header"))]
    pub(super) currency: Option<String>,
    /// The column of a number unique to each transaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header"))]
    #[schemars(extend("x-label" = "Transaction number"))]
    pub(super) id: Option<String>,
    /// Such as DD.MM.YYYY; needed if the file's dates are ambiguous.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-help" = "Such as DD.MM.YYYY"))]
    pub(super) date_format: Option<String>,
    /// "," or "."; needed if the amounts are ambiguous.
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
    /// Whether expenses have a minus ("negative", as most banks do) or incomes ("positive"); needed if no
    /// amount has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-label" = "Sign of expenses"))]
    pub(super) expenses: Option<Sign>,
    /// What to do with transactions that look like existing entries: "leave_out" or
    /// "import" them too. For this file only; needed if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-label" = "Possible duplicates"))]
    pub(super) alike: Option<OfAlike>,
}

/// The sign that an expense has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(super) enum Sign {
    Negative,
    Positive,
}

impl Mapping {
    /// The mapping suggested by the header or else by the cells.
    pub(super) fn proposed(table: &Table) -> Self {
        let money = ProposedColumns::money(table);
        let text = ProposedColumns::texts(table, &money);
        let name = |at: Option<usize>| at.map(|at| column_name(&table.header, at));
        Self {
            date: name(money.date),
            amount: name(money.single),
            debit: name(money.debit),
            credit: name(money.credit),
            side: name(money.side),
            payee: name(text.payee),
            payer: name(text.payer),
            memo: name(text.memo),
            category: name(text.category),
            currency: name(money.currency),
            id: name(text.id),
            delimiter: Some(table.delimiter.into()),
            encoding: Some(table.encoding.to_lowercase()),
            ..Self::default()
        }
    }

    /// The currency in the header of an amount column, if there is no currency column.
    pub(super) fn currency_in_names(&self, table: &Table) -> Option<String> {
        if self.currency.is_some() {
            return None;
        }
        let columns = [&self.amount, &self.debit, &self.credit].into_iter().flatten();
        let place = |name: &String| table.column("amount", name).ok();
        columns.filter_map(place).find_map(|at| currency_in(&table.header[at]))
    }

    /// Reads the mapping from a bank's note.
    pub(super) fn remembered(record: &Record) -> Result<Self, ToolError> {
        let column = |name: &str| text(record, &format!("{name}_column"));
        Ok(Self {
            date: column("date")?,
            amount: column("amount")?,
            debit: column("debit")?,
            credit: column("credit")?,
            side: column("side")?,
            payee: column("payee")?,
            payer: column("payer")?,
            memo: column("memo")?,
            category: column("category")?,
            currency: column("currency")?,
            id: column("id")?,
            date_format: text(record, "date_format")?,
            decimal: record.choice("decimal")?.map(|word| sign_of(word).into()),
            delimiter: record.choice("delimiter")?.map(str::to_owned),
            encoding: text(record, "encoding")?,
            alike: None,
            expenses: record.choice("expenses")?.map(|word| match word {
                "positive" => Sign::Positive,
                _ => Sign::Negative,
            }),
        })
    }

    /// The mapped columns by the key of the mapping.
    pub(super) fn columns(&self) -> [(&'static str, &Option<String>); 11] {
        [
            ("date", &self.date),
            ("amount", &self.amount),
            ("debit", &self.debit),
            ("credit", &self.credit),
            ("side", &self.side),
            ("payee", &self.payee),
            ("payer", &self.payer),
            ("memo", &self.memo),
            ("category", &self.category),
            ("currency", &self.currency),
            ("id", &self.id),
        ]
    }

    /// The mapping as fields of the bank's note; null for unmapped columns.
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
        let expenses = self.expenses.map(|sign| match sign {
            Sign::Negative => "negative",
            Sign::Positive => "positive",
        });
        fields.insert("expenses".into(), expenses.into());
        fields
    }
}

fn sign_of(word: &str) -> &'static str {
    if word == "comma" { "," } else { "." }
}
