//! Which column of a bank's file means what, as it is proposed, given and remembered.

use nova_skill::serde_json::Map;
use nova_skill::{JsonSchema, Record, ToolError, Value, folded, schemars};
use serde::{Deserialize, Serialize};

use super::table::Table;
use super::values::{self, amount, date_formats};
use crate::ledger::text;

/// What a mapping says; a column is named by its header, or by its number from 1.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct Mapping {
    /// The column of the day.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header"))]
    pub(super) date: Option<String>,
    /// The column of the amount, where one column has both what came in and what went out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header"))]
    pub(super) amount: Option<String>,
    /// The column of what went out, where there are two.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header"))]
    #[schemars(extend("x-label" = "Money out"))]
    pub(super) debit: Option<String>,
    /// The column of what came in, where there are two.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header"))]
    #[schemars(extend("x-label" = "Money in"))]
    pub(super) credit: Option<String>,
    /// The column that says by a word such as S or H, D or C whether it went out or came in, where the
    /// amounts have no sign.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header"))]
    #[schemars(extend("x-label" = "In or out", "x-help" = "Such as S or H"))]
    pub(super) side: Option<String>,
    /// The column of whom it was paid to or came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header"))]
    pub(super) payee: Option<String>,
    /// The column of what the bank writes beside it.
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
    /// The column of a number that the bank gives each transaction once.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-choices-from" = "header"))]
    #[schemars(extend("x-label" = "Transaction number"))]
    pub(super) id: Option<String>,
    /// Such as DD.MM.YYYY; needed where the days of the file do not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-help" = "Such as DD.MM.YYYY"))]
    pub(super) date_format: Option<String>,
    /// "," or "."; needed where the amounts do not tell.
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
    /// Whether expenses have a minus ("negative", as most banks do) or incomes ("positive"); needed where no
    /// amount has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-label" = "Sign of expenses"))]
    pub(super) expenses: Option<Sign>,
    /// What to do with transactions that look like entries which are there already: "leave_out" or
    /// "import" them too. It holds for this file and is not remembered; needed where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-label" = "Entries already there"))]
    pub(super) alike: Option<OfAlike>,
}

/// What becomes of transactions that look like entries which are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(super) enum OfAlike {
    LeaveOut,
    Import,
}

/// The sign that an expense has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(super) enum Sign {
    Negative,
    Positive,
}

/// The names that banks give their columns, the likeliest first.
const DATES: &[&str] = &[
    "date",
    "booking date",
    "transaction date",
    "posting date",
    "posted date",
    "completed date",
    "started date",
    "buchungstag",
    "buchungsdatum",
    "buchung",
    "datum",
    "date d'opération",
    "date operation",
    "fecha",
    "fecha operación",
    "data",
    "data operazione",
    "boekdatum",
    "valutadatum",
    "value date",
];
const AMOUNTS: &[&str] = &[
    "amount",
    "betrag",
    "umsatz",
    "montant",
    "importe",
    "importo",
    "bedrag",
    "transaction amount",
    "value",
    "sum",
];
const DEBITS: &[&str] = &[
    "debit",
    "paid out",
    "money out",
    "withdrawal",
    "withdrawals",
    "debit amount",
    "soll",
    "belastung",
    "lastschrift",
    "ausgabe",
    "ausgaben",
    "débit",
    "cargo",
    "addebiti",
    "uscite",
];
const CREDITS: &[&str] = &[
    "credit",
    "paid in",
    "money in",
    "deposit",
    "deposits",
    "credit amount",
    "haben",
    "gutschrift",
    "einnahme",
    "einnahmen",
    "crédit",
    "abono",
    "accrediti",
    "entrate",
];
const PAYEES: &[&str] = &[
    "payee",
    "merchant",
    "counterparty",
    "counterparty name",
    "beneficiary",
    "name",
    "empfänger",
    "begünstigter/zahlungspflichtiger",
    "beguenstigter/zahlungspflichtiger",
    "zahlungsempfänger",
    "zahlungsempfänger*in",
    "zahlungsbeteiligter",
    "name zahlungsbeteiligter",
    "auftraggeber/empfänger",
    "bénéficiaire",
    "tiers",
    "beneficiario",
    "naam tegenpartij",
    "naam / omschrijving",
    "description",
    "libellé",
    "concepto",
    "descrizione",
    "omschrijving",
    "buchungstext",
    "details",
];
const MEMOS: &[&str] = &[
    "memo",
    "reference",
    "verwendungszweck",
    "purpose",
    "note",
    "notes",
    "message",
    "details",
    "description",
    "communication",
    "mededelingen",
    "buchungstext",
    "type",
];
const CURRENCIES: &[&str] = &["currency", "währung", "waehrung", "devise", "divisa", "munt"];
const CATEGORIES: &[&str] = &["category", "kategorie", "catégorie", "categoría", "categoria", "categorie"];
const IDS: &[&str] = &["transaction id", "transaction number", "fitid", "transaktions-id", "umsatz-id", "id"];

/// A file of a hundred thousand rows tells as much by its first ones.
const LOOKED_AT: usize = 2000;

/// Words of columns that hold no transaction's amount.
const BALANCES: &[&str] = &["balance", "saldo", "solde", "kontostand"];

impl Mapping {
    /// What the header, and where it says nothing the cells, suggest.
    pub(super) fn proposed(table: &Table) -> Self {
        let mut taken: Vec<usize> = Vec::new();
        let mut take = |names: &[&str], fits: &dyn Fn(usize) -> bool| {
            let found =
                named(&table.header, names).into_iter().find(|at| !taken.contains(at) && fits(*at))?;
            taken.push(found);
            Some(found)
        };
        let is_date = |at: usize| !date_formats(cells(table, at)).is_empty();
        let is_amount = |at: usize| {
            let name = folded(&table.header[at]);
            !BALANCES.iter().any(|word| name.contains(word))
                && cells(table, at)
                    .filter(|cell| !cell.trim().is_empty())
                    .all(|cell| amount(cell, '.').is_some() || amount(cell, ',').is_some())
        };
        let has_text = |at: usize| cells(table, at).any(|cell| cell.chars().any(char::is_alphabetic));
        let is_currency = |at: usize| cells(table, at).all(|cell| crate::money::currency(cell).is_some());
        let is_unique = |at: usize| {
            let mut seen = std::collections::HashSet::new();
            cells(table, at).all(|cell| !cell.trim().is_empty() && seen.insert(cell.trim()))
        };

        // One wrong day does not hide the column: the rows that are wrong are named.
        let has_dates = |at: usize| {
            let days = cells(table, at).filter(|cell| values::is_date(cell)).count();
            2 * days >= table.rows.len().min(LOOKED_AT)
        };
        let date = take(DATES, &is_date)
            .or_else(|| (0..table.header.len()).find(|at| is_date(*at)))
            .or_else(|| (0..table.header.len()).find(|at| has_dates(*at)));
        let debit = take(DEBITS, &is_amount);
        let credit = debit.and_then(|_| take(CREDITS, &is_amount));
        let single = match credit {
            Some(_) => None,
            None => take(AMOUNTS, &is_amount).or_else(|| {
                // Of what is unnamed, the first with amounts: a balance stands behind it.
                let columns = 0..table.header.len();
                columns.into_iter().find(|at| Some(*at) != date && is_amount(*at) && has_fraction(table, *at))
            }),
        };
        let payee = take(PAYEES, &has_text).or_else(|| {
            let columns = 0..table.header.len();
            columns.into_iter().find(|at| Some(*at) != date && Some(*at) != single && has_text(*at))
        });
        let memo = take(MEMOS, &has_text).filter(|memo| Some(*memo) != payee);
        let currency = take(CURRENCIES, &is_currency);
        let category = take(CATEGORIES, &has_text);
        let id = take(IDS, &is_unique);
        let is_side = |at: usize| cells(table, at).all(|cell| values::went_out(cell).is_some());
        let without_sign = |at: usize| cells(table, at).all(|cell| values::is_negative(cell) != Some(true));
        let side = single
            .filter(|at| without_sign(*at))
            .and_then(|_| (0..table.header.len()).find(|at| is_side(*at)));
        let name = |at: Option<usize>| at.map(|at| column_name(&table.header, at));
        Self {
            date: name(date),
            amount: name(single),
            debit: name(debit.filter(|_| credit.is_some())),
            credit: name(credit),
            side: name(side),
            payee: name(payee),
            memo: name(memo),
            category: name(category),
            currency: name(currency),
            id: name(id),
            delimiter: Some(table.delimiter.into()),
            encoding: Some(table.encoding.to_lowercase()),
            ..Self::default()
        }
    }

    /// As a note of a bank remembers it.
    pub(super) fn remembered(record: &Record) -> Result<Self, ToolError> {
        let column = |name: &str| text(record, &format!("{name}_column"));
        Ok(Self {
            date: column("date")?,
            amount: column("amount")?,
            debit: column("debit")?,
            credit: column("credit")?,
            side: column("side")?,
            payee: column("payee")?,
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

    /// The fields of the note that remembers it; null for what it does not say.
    pub(super) fn to_fields(&self) -> Map<String, Value> {
        let columns = [
            ("date", &self.date),
            ("amount", &self.amount),
            ("debit", &self.debit),
            ("credit", &self.credit),
            ("side", &self.side),
            ("payee", &self.payee),
            ("memo", &self.memo),
            ("category", &self.category),
            ("currency", &self.currency),
            ("id", &self.id),
        ];
        let mut fields: Map<String, Value> = columns
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

/// The columns of these names, in the order of the names: those that are called so, then those whose
/// name has the words, as `Amount (EUR)` has.
fn named(header: &[String], names: &[&str]) -> Vec<usize> {
    let folded: Vec<String> = header.iter().map(|name| folded(name.trim())).collect();
    let exact = |name: &&str| folded.iter().position(|own| own == name);
    let within = |name: &&str| {
        folded.iter().position(|own| {
            let rest = own.strip_prefix(name).or_else(|| own.strip_suffix(name));
            rest.is_some_and(|rest| rest.starts_with([' ', '(', '/', '-']) || rest.ends_with([' ', '/']))
        })
    };
    names.iter().filter_map(exact).chain(names.iter().filter_map(within)).collect()
}

/// Its name where no other column has it, else its number.
fn column_name(header: &[String], at: usize) -> String {
    let name = header[at].trim();
    let same = header.iter().filter(|other| folded(other.trim()) == folded(name)).count();
    if same == 1 && !name.is_empty() { name.to_owned() } else { (at + 1).to_string() }
}

fn cells(table: &Table, at: usize) -> impl Iterator<Item = &str> {
    table.rows.iter().take(LOOKED_AT).map(move |row| row.cells[at].as_str())
}

fn has_fraction(table: &Table, at: usize) -> bool {
    cells(table, at).any(|cell| cell.contains(['.', ',']))
}
