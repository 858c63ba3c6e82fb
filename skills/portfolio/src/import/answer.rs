//! The answers of the tool: a proposal, a review for the import sheet, or a result.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use nova_skill::figures::{money, plus};
use nova_skill::{Decimal, ToolError, Value, json};
use nova_statement::{Question, Table, WrongLine, choice, date_question, decimal_question, described};

use super::actions::CHOICES;
use super::against::{Compared, Ready};
use super::mapping::Mapping;
use super::rows::NUMBERS;
use crate::amount::{price as price_shown, shown};
use crate::ledger::{Event, sum};

/// Maximum number of trades in a preview.
const PREVIEW: usize = 10;
/// Maximum number of entries in a review; counts and sums include all.
const MOST_ENTRIES: usize = 20_000;
/// Maximum number of invalid lines in an answer.
const MOST_PROBLEMS: usize = 50;

/// All results about a file.
pub(super) struct Answer<'a> {
    pub(super) table: &'a Table,
    pub(super) mapping: &'a Mapping,
    pub(super) broker: Option<&'a str>,
    pub(super) currency: Option<&'static str>,
    pub(super) questions: &'a [Question],
    pub(super) wrong: &'a [WrongLine],
    pub(super) compared: &'a Compared,
    /// Symbols of existing records.
    pub(super) symbols: BTreeSet<&'a str>,
    /// Lines of possible duplicates without a decision.
    pub(super) open: &'a HashSet<u64>,
    pub(super) left_out: &'a HashSet<u64>,
    /// Rows of actions that are left out.
    pub(super) ignored: usize,
    /// Whether deposits or withdrawals are recorded, so that cash is counted.
    pub(super) counts_cash: bool,
}

impl Answer<'_> {
    /// A proposal that the user confirms before the import.
    pub(super) fn proposal(&self) -> Result<Value, ToolError> {
        let mut value = self.common()?;
        let mut questions: Vec<Value> = self.questions.iter().map(Question::to_json).collect();
        questions.extend(Question::of_alike(self.open.len(), "trade", "trades").map(|open| open.to_json()));
        let first: Vec<Value> = self.table.rows.iter().take(3).map(|row| json!(row.cells)).collect();
        value["needs_confirmation"] = true.into();
        value["imported"] = 0.into();
        value["header_line"] = self.table.header_line.into();
        value["first_rows"] = first.into();
        value["questions"] = questions.into();
        value["next"] = "Show the mapping, the preview and the problems to the user. When they agree, call again with this \
                         mapping, the answers to the questions in it, and dry_run false."
            .into();
        Ok(value)
    }

    /// The result of an import or a dry run.
    pub(super) fn result(&self, dry_run: bool) -> Result<Value, ToolError> {
        let mut value = self.common()?;
        let imported = self.imported().count();
        let done = if dry_run { "to import" } else { "imported" };
        let rest = [(self.compared.already_there, "already there"), (self.skipped(), "left out")];
        let rest = rest.into_iter().filter(|(count, _)| *count > 0);
        let words: Vec<String> = [(imported, done)]
            .into_iter()
            .chain(rest)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        value["dry_run"] = dry_run.into();
        value["summary"] = words.join(", ").into();
        value["imported"] = imported.into();
        let open = Question::of_alike(self.open.len(), "trade", "trades");
        value["questions"] = open.iter().map(Question::to_json).collect();
        let paid_otherwise = self.imported().filter(|one| one.draft.paid_in.is_some()).count();
        if paid_otherwise > 0 {
            value["note"] = format!(
                "{paid_otherwise} {} paid in another currency and recorded in the currency of the price. {}",
                if paid_otherwise == 1 { "trade was" } else { "trades were" },
                if self.counts_cash {
                    "The currency exchange is recorded as a withdrawal and a deposit."
                } else {
                    "The currency exchange was not recorded, because without deposits no cash is counted; add your \
                     deposits, then import the file again."
                }
            )
            .into();
        }
        Ok(value)
    }

    /// Everything, for the import sheet.
    pub(super) fn review(&self) -> Result<Value, ToolError> {
        let mut value = self.common()?;
        let new = &self.compared.new;
        let days = || new.iter().map(|one| one.draft.date);
        let mut order: Vec<&Ready> = new.iter().collect();
        order.sort_by_key(|one| std::cmp::Reverse(one.draft.date));
        // Open questions are always included.
        let mut left = MOST_ENTRIES;
        let mut entries = Vec::new();
        for one in order {
            if left > 0 || self.open.contains(&one.draft.line) {
                entries.push(self.entry(one)?);
            }
            left = left.saturating_sub(1);
        }
        let questions: Vec<Value> = self.questions.iter().map(|question| self.asked(question)).collect();
        let Value::Object(more) = json!({
            "imported": 0,
            "from": days().min(),
            "to": days().max(),
            "bank": self.broker,
            "of": "trades",
            "account": null,
            "currency": self.currency,
            "encoding": self.table.encoding,
            "columns": described(self.table, self.mapping.columns()),
            "meanings": MEANINGS.map(|(key, label)| choice(key, label.to_owned())),
            "questions": questions,
            "symbols": self.symbols,
            "accounts": [],
            "categories": [],
            "total": new.len(),
            "by_rule": 0,
            "entries": entries,
            "sums": self.sums()?,
        }) else {
            return Ok(value);
        };
        if let Some(value) = value.as_object_mut() {
            value.extend(more);
        }
        Ok(value)
    }

    fn common(&self) -> Result<Value, ToolError> {
        let problems: Vec<Value> = self
            .wrong
            .iter()
            .take(MOST_PROBLEMS)
            .map(|wrong| json!({"line": wrong.line, "problem": wrong.problem}))
            .collect();
        let preview: Result<Vec<Value>, ToolError> =
            self.imported().take(PREVIEW).map(|one| self.entry(one)).collect();
        let looks_like: Vec<Value> = (self.compared.new.iter())
            .filter_map(|one| Some((one, self.compared.twins.get(&one.draft.line)?)))
            .take(MOST_PROBLEMS)
            .map(|(one, twin)| {
                json!({"line": one.draft.line, "date": one.draft.date, "on": twin.date, "path": twin.path})
            })
            .collect();
        Ok(json!({
            "file": self.table.file,
            "rows": self.table.rows.len(),
            "header": self.table.header,
            "mapping": self.mapping,
            "already_there": self.compared.already_there,
            "left_out": self.skipped(),
            "alike": self.compared.twins.len(),
            "looks_like": looks_like,
            "problems": problems,
            "wrong_lines": self.wrong.len(),
            "preview": preview?,
        }))
    }

    fn imported(&self) -> impl Iterator<Item = &Ready> {
        self.compared.new.iter().filter(|one| !self.left_out.contains(&one.draft.line))
    }

    fn skipped(&self) -> usize {
        let own = self.compared.new.iter().filter(|one| self.left_out.contains(&one.draft.line)).count();
        own + self.ignored
    }

    /// A row of a preview or a review; its amount is the change of cash.
    fn entry(&self, one: &Ready) -> Result<Value, ToolError> {
        let draft = &one.draft;
        let amount = cash(one)?;
        let in_row = |amount: Decimal| money(amount, draft.currency);
        let quantity = match &one.event {
            Some(Event::Split { new, old }) => json!(format!("{new} for {old}")),
            Some(Event::Fee { .. }) | None => Value::Null,
            Some(_) => shown(draft.numbers.quantity),
        };
        let price = draft.numbers.price.filter(|_| one.event.is_some());
        let fee = draft.numbers.fee.filter(|fee| !fee.is_zero() && price.is_some());
        let mut row = json!({
            "line": draft.line,
            "date": draft.date,
            "kind": draft.kind.word(),
            "symbol": draft.symbol,
            "name": draft.name,
            "quantity": quantity,
            "price": shown(price.map(price_shown)),
            "fee": shown(fee.map(in_row)),
            "amount": shown(amount.map(in_row)),
            "currency": draft.currency,
            "left_out": self.left_out.contains(&draft.line),
        });
        if let Some(isin) = &draft.isin {
            row["isin"] = isin.as_str().into();
        }
        if let Some(paid_in) = draft.paid_in {
            row["paid_in"] = paid_in.into();
        }
        if let Some(twin) = self.compared.twins.get(&draft.line) {
            row["twin"] = json!({
                "path": twin.path,
                "payee": twin.path.name(),
                "date": twin.date,
                "amount": row["amount"],
                "days": twin.date.until(draft.date).map_or(0, |span| span.get_days()),
            });
            row["is_open"] = self.open.contains(&draft.line).into();
        }
        Ok(row)
    }

    /// Changes of cash by kind and currency.
    fn sums(&self) -> Result<Vec<Value>, ToolError> {
        let mut sums: BTreeMap<(&str, &str), Decimal> = BTreeMap::new();
        for one in self.imported() {
            let Some(amount) = cash(one)? else { continue };
            let own = sums.entry((one.draft.kind.word(), one.draft.currency)).or_default();
            *own = plus(*own, money(amount.abs(), one.draft.currency))?;
        }
        let row = |((kind, currency), amount): ((&str, &str), Decimal)| json!({"currency": currency, "kind": kind, "amount": amount.to_string()});
        Ok(sums.into_iter().map(row).collect())
    }

    /// A question whose choices are examples instead of format names.
    fn asked(&self, question: &Question) -> Value {
        let table = self.table;
        let place = |name: &Option<String>| table.column("", name.as_deref()?).ok();
        match question.about.as_str() {
            "date_format" => date_question(question, table, place(&self.mapping.date)),
            "decimal" => {
                let columns = self.mapping.columns().into_iter().filter(|(key, _)| NUMBERS.contains(key));
                let columns = columns.filter_map(|(_, name)| place(name));
                decimal_question(question, table, columns, |number| price_shown(number).to_string())
            }
            "currency" => {
                let choices: Vec<Value> =
                    question.choices.iter().map(|code| choice(code, code.clone())).collect();
                json!({"about": "currency", "question": question.asks, "choices": choices})
            }
            about if about.starts_with("actions/") => json!({
                "about": about,
                "question": question.asks,
                "choices": CHOICES.map(|(action, label)| choice(action.word(), label.to_owned())),
            }),
            // The sheet offers the columns of the file.
            about => json!({"about": about, "question": question.asks, "choices": []}),
        }
    }
}

/// The meanings of columns and their labels.
const MEANINGS: [(&str, &str); 17] = [
    ("date", "Date"),
    ("action", "Action"),
    ("symbol", "Symbol"),
    ("isin", "ISIN"),
    ("name", "Name"),
    ("quantity", "Quantity"),
    ("price", "Price"),
    ("currency", "Currency"),
    ("fee", "Fee"),
    ("more_fees", "Second fee"),
    ("tax", "Tax"),
    ("tax_currency", "Currency of the tax"),
    ("amount", "Amount"),
    ("amount_currency", "Currency of the amount"),
    ("rate", "Exchange rate"),
    ("id", "Transaction number"),
    ("account", "Account"),
];

/// The change of cash; `None` for a split.
fn cash(one: &Ready) -> Result<Option<Decimal>, ToolError> {
    let numbers = &one.draft.numbers;
    Ok(match &one.event {
        Some(Event::Split { .. }) => None,
        Some(event) => Some(event.cash()?),
        None => {
            let (price, fee) = (numbers.price.unwrap_or_default(), numbers.fee.unwrap_or_default());
            let amount = if one.draft.kind.comes_in() { price } else { -price };
            Some(sum(amount, -fee)?)
        }
    })
}
