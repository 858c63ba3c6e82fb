//! The data of the import sheet, returned before anything is written.

use std::collections::{BTreeMap, HashMap, HashSet};

use nova_skill::figures::{folded, plus};
use nova_skill::{Date, Decimal, Output, ToolContext, ToolError, ToolOutput, Value, json};
use nova_statement::{Question, Table, choice, date_question, decimal_question, described, report_reading};

use super::choices::{self, Choices};
use super::duplicates::{Duplicate, Duplicates};
use super::known::Known;
use super::mapping::Mapping;
use super::plan::Imported;
use super::transactions::{Columns, Currencies, ReadRows, Transaction};
use super::transfers::Pair;
use super::{File, OfTransfers};
use crate::arguments::written;
use crate::ledger::{EXPENSE, INCOME, Ledger};
use crate::rules::first_match;

/// The maximum number of entries in the answer; counts and sums cover all.
const MAX_ENTRIES: usize = 20_000;
/// The maximum number of unreadable lines in the answer.
const MAX_PROBLEMS: usize = 50;
/// Offered if no record names a currency.
const CURRENCIES: [&str; 4] = ["EUR", "USD", "GBP", "CHF"];

pub(super) async fn review(
    file: &File,
    ctx: &dyn ToolContext,
    ledger: &Ledger,
    table: &Table,
    known: Option<Known>,
) -> Result<ToolOutput, ToolError> {
    let bank = known.as_ref().and_then(|known| known.note.as_ref()).map(|note| note.path.name().to_owned());
    let (mut mapping, account, given) = match known {
        Some(known) => (known.mapping, known.account, known.currency),
        None => {
            let (account, given) = file.given(ledger)?;
            (Mapping::proposed(table), account, given)
        }
    };
    let is_remembered = bank.is_some() && file.mapping.is_none();
    if is_remembered && let Some(open) = Columns::unconfirmed(table, &mapping)? {
        mapping = open;
    }
    let currency = given.or_else(|| mapping.currency_in_names(table));
    let imported = Imported::of(ctx, ledger, account.clone(), currency.clone()).await?;
    let currencies = Currencies { given: currency.as_deref(), default: ledger.currency.as_deref() };
    let (columns, mut open) = match Columns::of(table, &mut mapping)? {
        Ok(columns) => (Some(columns), Vec::new()),
        Err(open) => (None, open.iter().map(|question| question_json(question, table, &mapping)).collect()),
    };
    let rows = match &columns {
        Some(columns) => {
            let report = |done| report_reading(ctx, done, table.rows.len());
            columns.read_rows(table, currencies, &choices::left_out(&file.lines), &report)
        }
        None => ReadRows { read: Vec::new(), invalid: Vec::new() },
    };
    let lacks_currency = currency.is_none()
        && ledger.currency.is_none()
        && rows.read.iter().any(|row| row.currency.is_none() && !row.amount.is_zero());
    let accounts = accounts(ledger);
    if lacks_currency {
        let choices = CURRENCIES.map(|code| choice(code, code.to_owned()));
        let question = "Which currency are the amounts in?";
        open.push(json!({"about": "currency", "question": question, "choices": choices}));
    }
    if account.is_none() && accounts.len() > 1 {
        let choices: Vec<Value> = accounts.iter().map(|name| choice(name, name.clone())).collect();
        let question = "Which account is this file from?";
        open.push(json!({"about": "account", "question": question, "choices": choices}));
    }
    let duplicates = imported.duplicates(&rows.read);
    let choices = Choices::of(&file.lines, ledger, &rows.read, &duplicates, mapping.alike)?;
    let pairs = match lacks_currency || file.transfers == Some(OfTransfers::Keep) {
        true => Vec::new(),
        false => imported.pairs(ctx, &rows.read, &choices).await?,
    };
    let reviewed = Reviewed { ledger, imported: &imported, choices: &choices, duplicates: &duplicates };
    let entries = reviewed.entries(&rows.read, &pairs)?;
    let days = || rows.read.iter().map(|row| row.date);
    let problems: Vec<Value> = rows
        .invalid
        .iter()
        .take(MAX_PROBLEMS)
        .map(|row| json!({"line": row.line, "problem": row.problem}))
        .collect();
    let mut value = json!({
        "imported": 0,
        "file": table.file,
        "rows": table.rows.len(),
        "from": days().min(),
        "to": days().max(),
        "bank": bank,
        "account": account,
        "currency": currency.or_else(|| ledger.currency.clone()),
        "encoding": table.encoding,
        "header": table.header,
        "mapping": mapping,
        "columns": described(table, mapping.columns()),
        "questions": open,
        "problems": problems,
        "wrong_lines": rows.invalid.len(),
        "accounts": accounts,
        "categories": categories(ledger),
    });
    if let Some(value) = value.as_object_mut() {
        value.extend(entries);
    }
    Ok(Output::new(value).untrusted().into())
}

struct Reviewed<'a> {
    ledger: &'a Ledger,
    imported: &'a Imported<'a>,
    choices: &'a Choices,
    duplicates: &'a Duplicates<'a>,
}

impl Reviewed<'_> {
    /// The new entries, with counts of the transactions that are not new.
    fn entries(
        &self,
        transactions: &[Transaction],
        pairs: &[Pair<'_>],
    ) -> Result<nova_skill::serde_json::Map<String, Value>, ToolError> {
        let joined: HashMap<usize, &Pair<'_>> =
            pairs.iter().filter(|pair| pair.is_certain).map(|pair| (pair.place, pair)).collect();
        let likely: HashSet<usize> = pairs.iter().map(|pair| pair.place).collect();
        let (mut already_there, mut of_no_amount, mut by_rule) = (0, 0, 0);
        let mut found: Vec<(Date, Value)> = Vec::new();
        let mut sums: BTreeMap<(String, &str), Decimal> = BTreeMap::new();
        for (place, transaction) in transactions.iter().enumerate() {
            if transaction.amount.is_zero() {
                of_no_amount += 1;
                continue;
            }
            if self.imported.is_imported(transaction) {
                already_there += 1;
                continue;
            }
            let currency = match &transaction.currency {
                Some(currency) => currency.clone(),
                None => self
                    .imported
                    .currency
                    .clone()
                    .or_else(|| self.ledger.currency.clone())
                    .unwrap_or_default(),
            };
            let amount = written(transaction.amount.abs());
            let is_income = transaction.amount.is_sign_positive();
            let mut row = json!({
                "line": transaction.line,
                "date": transaction.date,
                "kind": if is_income { INCOME } else { EXPENSE },
                "amount": amount,
                "currency": currency,
                "payee": transaction.payee,
                "memo": transaction.memo,
                "left_out": self.choices.leaves_out(place),
            });
            let (category, source) = self.category(place, transaction);
            row["category"] = json!(category);
            row["category_from"] = json!(source);
            if let Some(pair) = joined.get(&place) {
                let (out, into) = pair.sides();
                row["kind"] = "transfer".into();
                row["from"] = json!(out.account);
                row["to"] = json!(into.account);
                row["path"] = json!(pair.path());
            } else if likely.contains(&place) {
                row["may_be_transfer"] = true.into();
            } else if let Some(duplicate) = self.duplicates.get(place) {
                row["twin"] = duplicate_row(&duplicate, transaction.date);
                row["is_open"] = self.choices.is_open(place).into();
            }
            by_rule += usize::from(source == Some("rule"));
            let kind = match () {
                () if joined.contains_key(&place) => "transfer",
                () if is_income => INCOME,
                () => EXPENSE,
            };
            if !self.choices.leaves_out(place) {
                let sum = sums.entry((currency, kind)).or_default();
                *sum = plus(*sum, amount)?;
            }
            found.push((transaction.date, row));
        }
        // Entries that need an answer are included beyond the limit.
        found.sort_by_key(|b| std::cmp::Reverse(b.0));
        let total = found.len();
        let mut left = MAX_ENTRIES;
        found.retain(|(_, row)| {
            let keeps = left > 0 || row["is_open"] == true;
            left = left.saturating_sub(1);
            keeps
        });
        let entries: Vec<Value> = found.into_iter().map(|(_, row)| row).collect();
        let sums: Vec<Value> = sums
            .into_iter()
            .map(|((currency, kind), amount)| json!({"currency": currency, "kind": kind, "amount": written(amount)}))
            .collect();
        let Value::Object(value) = json!({
            "total": total,
            "already_there": already_there,
            "of_no_amount": of_no_amount,
            "by_rule": by_rule,
            "entries": entries,
            "sums": sums,
        }) else {
            return Ok(nova_skill::serde_json::Map::new());
        };
        Ok(value)
    }

    /// The category of a transaction and its origin: the user, the file or a rule.
    fn category(&self, place: usize, transaction: &Transaction) -> (Option<String>, Option<&'static str>) {
        if let Some(category) = self.choices.category(place) {
            return (Some(category.to_owned()), Some("user"));
        }
        if let Some(category) = &transaction.category {
            return (Some(category.clone()), Some("file"));
        }
        let payee = transaction.payee.as_deref().unwrap_or_default();
        match first_match(&self.ledger.rules, payee, transaction.memo.as_deref()) {
            Some(rule) => (Some(rule.category.clone()), Some("rule")),
            None => (None, None),
        }
    }
}

fn duplicate_row(duplicate: &Duplicate<'_>, date: Date) -> Value {
    let entry = duplicate.entry;
    json!({
        "path": entry.path,
        "payee": entry.payee(),
        "memo": entry.memo,
        "date": duplicate.day,
        "amount": written(entry.amount),
        "repeats": entry.every.map(|every| every.word()),
        "days": duplicate.day.until(date).map_or(0, |span| span.get_days()),
    })
}

/// A question whose choices need no knowledge of format names.
fn question_json(question: &Question, table: &Table, mapping: &Mapping) -> Value {
    let place = |name: &Option<String>| table.column("", name.as_deref()?).ok();
    match question.about.as_str() {
        "date_format" => date_question(question, table, place(&mapping.date)),
        "decimal" => {
            let columns = [&mapping.amount, &mapping.debit, &mapping.credit].into_iter().filter_map(place);
            decimal_question(question, table, columns, |amount| written(amount).to_string())
        }
        "expenses" if mapping.amount.is_some() => json!({
            "about": "expenses",
            "question": "No amount has a minus sign. What are they?",
            "choices": [choice("positive", "Expenses".into()), choice("negative", "Income".into())],
        }),
        "expenses" => json!({
            "about": "expenses",
            "question": "Some amounts of money out have a minus sign. Which are expenses?",
            "choices": [
                choice("negative", "Those with a minus".into()),
                choice("positive", "Those without".into()),
            ],
        }),
        // The choices for a missing column are the columns themselves.
        about => json!({"about": about, "question": question.asks, "choices": []}),
    }
}

/// The user's accounts as spelled in the notes.
fn accounts(ledger: &Ledger) -> Vec<String> {
    let entries = ledger.entries.iter().filter_map(|entry| entry.account.as_ref());
    let sides = ledger.transfers.iter().flat_map(|transfer| [&transfer.out.account, &transfer.into.account]);
    distinct(entries.chain(sides.flatten()))
}

fn categories(ledger: &Ledger) -> Vec<String> {
    let limits = ledger.limits.iter().map(|limit| &limit.category);
    let rules = ledger.rules.iter().map(|rule| &rule.category);
    distinct(limits.chain(rules).chain(ledger.entries.iter().filter_map(|entry| entry.category.as_ref())))
}

/// Deduplicates names ignoring case; the first spelling is used.
fn distinct<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    for name in names {
        known.entry(folded(name)).or_insert_with(|| name.clone());
    }
    known.into_values().collect()
}
