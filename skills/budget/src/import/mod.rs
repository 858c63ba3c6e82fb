//! Imports transactions from a bank's file.

mod choices;
mod duplicates;
mod known;
mod mapping;
mod names;
mod plan;
mod proposed;
mod review;
mod transactions;
mod transfers;

use std::collections::BTreeSet;
use std::sync::Arc;

use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, NotePath, Output, ToolContext, ToolError, ToolOutput, Value,
    async_trait, json, schemars,
};
use nova_statement::{Question, Read, Table, first_open};
use serde::Deserialize;

use crate::arguments::line;
use crate::arguments::written;
use crate::ledger::{EXPENSE, INCOME, Ledger};
use choices::{Choices, Line};
use mapping::Mapping;
use plan::Imported;
use transactions::{Columns, Currencies, duplicates_question};
use transfers::{MAX_LISTED, Pair};

/// The record type of the notes that remember mappings.
const BANK: &str = "bank";

/// The number of transactions in the preview.
const PREVIEW_ROWS: usize = 10;
/// The maximum number of rows of an import: the plan is held in memory until it is written.
const MAX_ROWS: usize = 100_000;

pub(crate) struct ImportTransactions;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Imports a bank's CSV file."))]
pub(crate) struct File {
    /// The file, relative to the vault, such as "Budget/statement.csv".
    #[schemars(extend("x-label" = "File"))]
    path: String,
    /// "csv", the only one.
    #[schemars(extend("x-help" = "csv"))]
    format: Option<String>,
    /// The meaning of each column; default: the mapping remembered for this bank, else a
    /// proposal to confirm.
    #[schemars(extend("x-label" = "Columns"))]
    mapping: Option<Mapping>,
    /// Only show what would be imported.
    #[schemars(extend("x-label" = "Only show entries"))]
    dry_run: Option<bool>,
    /// The account the file is of; remembered with the mapping.
    #[schemars(extend("x-help" = "The account the file is of"))]
    #[schemars(extend("x-values-from" = ["expense.account", "income.account", "bank.account"]))]
    account: Option<String>,
    /// The currency of rows without one, such as EUR; remembered with the mapping.
    #[schemars(extend("x-help" = "Where the file has none"))]
    #[schemars(extend("x-values-from" = ["expense.currency", "income.currency", "limit.currency"]))]
    currency: Option<String>,
    /// The bank's name for the remembered mapping; default: the file's name.
    #[schemars(extend("x-help" = "Remembers the columns under this name", "x-values-from" = ["bank.name"]))]
    bank: Option<String>,
    /// Whether transfers between the user's own accounts are joined; default: "join".
    #[schemars(extend("x-label" = "Transfers", "x-help" = "Join the two sides, or keep both entries"))]
    transfers: Option<OfTransfers>,
    /// Decisions about single lines; they override the mapping's for duplicates.
    #[serde(default)]
    #[schemars(extend("x-form" = "hidden"))]
    lines: Vec<Line>,
    /// Return every transaction, examples of each column and open questions; import nothing.
    #[schemars(extend("x-label" = "Review every entry"))]
    review: Option<bool>,
    /// Whether the mapping is remembered for files of this bank; default: yes.
    #[schemars(extend("x-label" = "Remember the columns"))]
    remember: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum OfTransfers {
    /// Two sides that are certain become one note.
    Join,
    /// Every transaction is an income or an expense.
    Keep,
}

#[async_trait]
impl NativeTool for ImportTransactions {
    type Args = File;
    const ID: &'static str = "import_transactions";
    const EFFECT: Effect = Effect::Write;

    fn description(&self) -> Description {
        Description::purpose(
            "Imports a bank's CSV file that lies in the vault, one note for each transaction, categorised by the rules. \
             Without a mapping it answers with a proposal and imports nothing: show it to the user, and call again with the \
             mapping they agree to, which is remembered for files of that bank. What was imported before is left out; \
             what looks like an existing entry or a day of a recurring one is asked about. A transfer whose other side \
             is certain is joined with it, and one that is only likely is proposed.",
        )
        .use_when("the user wants a statement, an export or a CSV file of their bank in the budget")
        .not_when("one payment is to be noted", "budget.add_expense")
        .example("Import the bank statement november.csv")
    }

    async fn run(&self, file: File, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let table = file.table(ctx.as_ref()).await?;
        let name = table.file.as_str();
        let ledger = Ledger::read(ctx.as_ref()).await?;
        let known = file.known(ctx.as_ref(), &table, &ledger).await?;
        if file.review == Some(true) {
            return review::review(&file, ctx.as_ref(), &ledger, &table, known).await;
        }
        let Some(mut known) = known else {
            let mapping = Mapping::proposed(&table);
            let (account, given) = file.given(&ledger)?;
            let currency = given.or_else(|| mapping.currency_in_names(&table));
            let imported = Imported::of(ctx.as_ref(), &ledger, account, currency).await?;
            return propose(&file, &table, mapping, &imported);
        };
        known.currency = known.currency.or_else(|| known.mapping.currency_in_names(&table));
        let imported =
            Imported::of(ctx.as_ref(), &ledger, known.account.clone(), known.currency.clone()).await?;
        if file.mapping.is_none()
            && let Some(open) = Columns::unconfirmed(&table, &known.mapping)?
        {
            return propose(&file, &table, open, &imported);
        }
        if known.mapping.encoding.is_none() {
            known.mapping.encoding = Some(table.encoding.to_lowercase());
        }
        known.mapping.delimiter = Some(table.delimiter.into());
        let columns = match Columns::of(&table, &mut known.mapping)? {
            Ok(columns) => columns,
            Err(questions) => return Err(first_open(&table, &questions)),
        };
        let currencies = Currencies { given: known.currency.as_deref(), default: ledger.currency.as_deref() };
        let transactions = columns.transactions(&table, currencies, &choices::left_out(&file.lines))?;
        let dry_run = file.dry_run.unwrap_or_default();
        let duplicates = imported.duplicates(&transactions);
        let choices = Choices::of(&file.lines, &ledger, &transactions, &duplicates, known.mapping.alike)?;
        // Possible duplicates are neither imported nor skipped without the user's decision.
        if choices.open() > 0 && !dry_run {
            return propose(&file, &table, known.mapping, &imported);
        }
        let duplicate_rows = duplicates.rows(&transactions);
        let pairs = match file.joins() {
            true => imported.pairs(ctx.as_ref(), &transactions, &choices).await?,
            false => Vec::new(),
        };
        let mut plan = imported.plan(ctx.as_ref(), transactions, &duplicates, &choices, &pairs).await?;
        let counts: Vec<(&str, usize)> =
            plan.currencies.iter().map(|(code, times)| (code.as_str(), *times)).collect();
        ledger.check_other_currencies(ctx.as_ref(), &counts).await?;
        let mut value = json!({
            "dry_run": dry_run,
            "summary": plan.summary(dry_run),
            "file": name,
            "rows": table.rows.len(),
            "imported": plan.notes.len(),
            "joined": plan.joined,
            "already_there": plan.already_imported,
            "of_no_amount": plan.without_amount,
            "without_a_category": plan.without_a_category,
            "alike": duplicates.count(),
            "left_out": plan.left_out,
            "looks_like": duplicate_rows,
            "header": table.header,
            "mapping": known.mapping,
            "preview": plan.preview,
        });
        let mut transfers: Vec<Value> = pairs.iter().take(MAX_LISTED).map(Pair::row).collect();
        if let Some(question) = duplicates_question(choices.open()) {
            value["questions"] = json!([question.to_json()]);
        }
        let mut paths: Vec<NotePath> = Vec::new();
        if !dry_run {
            if file.remember != Some(false) {
                let bank = file.remember(ctx.as_ref(), &table, &known).await?;
                value["bank"] = json!(bank);
                paths.push(bank);
            }
            ctx.vault().create_all(choices.rule_notes(ctx.as_ref())?).await?;
            let made = ctx.vault().create_all(std::mem::take(&mut plan.notes)).await?;
            plan.write_transfers(ctx.as_ref(), &pairs, &made, &mut transfers).await?;
            let proposed = pairs.iter().filter(|pair| !pair.is_certain).map(|pair| pair.place);
            if let Some(note) = transfers_note(proposed.collect::<BTreeSet<_>>().len()) {
                value["note"] = note.into();
            }
        }
        value["transfers"] = transfers.into();
        Ok(Output::new(value).from_notes(paths).untrusted().into())
    }
}

/// A note for the answer about transactions that may be transfers.
fn transfers_note(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => {
            Some("1 transaction may be a transfer between your accounts. Join it with its other side.".into())
        }
        n => Some(format!(
            "{n} transactions may be transfers between your accounts. Join them with their other sides."
        )),
    }
}

impl File {
    async fn table(&self, ctx: &dyn ToolContext) -> Result<Table, ToolError> {
        let mapping = self.mapping.as_ref();
        let read = Read {
            path: &self.path,
            format: self.format.as_deref(),
            encoding: mapping.and_then(|mapping| mapping.encoding.as_deref()),
            delimiter: mapping.and_then(|mapping| mapping.delimiter.as_deref()),
            most: MAX_ROWS,
            example: "Budget/statement.csv",
        };
        read.table(ctx, |bytes| bytes).await
    }

    fn joins(&self) -> bool {
        self.transfers != Some(OfTransfers::Keep)
    }

    /// The account and the currency given in the call.
    fn given(&self, ledger: &Ledger) -> Result<(Option<String>, Option<String>), ToolError> {
        let currency = self.currency.as_deref().map(|code| ledger.currency_or(Some(code))).transpose()?;
        Ok((line("account", self.account.as_deref())?, currency))
    }
}

/// The proposed mapping with a preview, for confirmation.
fn propose(
    file: &File,
    table: &Table,
    mut mapping: Mapping,
    imported: &Imported<'_>,
) -> Result<ToolOutput, ToolError> {
    let default = imported.ledger.currency.as_deref();
    let currencies = Currencies { given: imported.currency.as_deref(), default };
    let (mut questions, rows) = match Columns::of(table, &mut mapping)? {
        Ok(columns) => {
            (Vec::new(), columns.transactions(table, currencies, &choices::left_out(&file.lines))?)
        }
        Err(questions) => (questions, Vec::new()),
    };
    let duplicates = imported.duplicates(&rows);
    let choices = Choices::of(&file.lines, imported.ledger, &rows, &duplicates, mapping.alike)?;
    questions.extend(duplicates_question(choices.open()));
    let preview: Vec<Value> = rows
        .iter()
        .take(PREVIEW_ROWS)
        .enumerate()
        .map(|(place, row)| {
            let mut preview_row = json!({
                "date": row.date,
                "kind": if row.amount.is_sign_positive() { INCOME } else { EXPENSE },
                "amount": written(row.amount.abs()),
                "currency": row.currency,
                "payee": row.payee,
                "memo": row.memo,
            });
            if let Some(duplicate) = duplicates.get(place) {
                preview_row["looks_like"] = json!(duplicate.entry.path);
            }
            preview_row
        })
        .collect();
    let first: Vec<Value> = table.rows.iter().take(3).map(|row| json!(row.cells)).collect();
    let questions: Vec<Value> = questions.iter().map(Question::to_json).collect();
    let transfers = match file.joins() {
        true => imported.transfers(&rows, &choices),
        false => Vec::new(),
    };
    let value = json!({
        "needs_confirmation": true,
        "imported": 0,
        "file": table.file,
        "rows": table.rows.len(),
        "header": table.header,
        "header_line": table.header_line,
        "first_rows": first,
        "mapping": mapping,
        "questions": questions,
        "alike": duplicates.count(),
        "looks_like": duplicates.rows(&rows),
        "transfers": transfers,
        "preview": preview,
        "next": "Show the mapping and the preview to the user. When they agree, call again with this mapping, the answers \
                 to the questions in it, and dry_run false.",
    });
    Ok(Output::new(value).untrusted().into())
}
