//! Transactions from a bank's file.

mod alike;
mod mapping;
mod plan;
mod table;
mod transactions;
mod transfers;
mod values;

use std::collections::BTreeSet;
use std::sync::Arc;

use nova_skill::serde_json::Map;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, NewNote, Note, NotePath, Output, ToolContext, ToolError,
    ToolOutput, Value, VaultError, VaultPath, async_trait, folded, json, schemars,
};
use serde::Deserialize;

use crate::arguments::line;
use crate::ledger::{EXPENSE, INCOME, Ledger, text};
use crate::money::money;
use mapping::Mapping;
use plan::Imported;
use table::Table;
use transactions::{Columns, Currencies, Question};
use transfers::{Pair, TOLD};

/// What remembers the mapping of a bank's files.
const BANK: &str = "bank";

/// How many transactions are shown before they are imported.
const PREVIEW: usize = 10;
/// So many rows are imported at once: what is planned stays in memory until it is written.
const MOST: usize = 100_000;

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
    /// Which column means what. Left out, the mapping that is remembered for this bank, else a
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
    /// The currency of what has none in the file, such as EUR; remembered with the mapping.
    #[schemars(extend("x-help" = "Where the file has none"))]
    #[schemars(extend("x-values-from" = ["expense.currency", "income.currency", "limit.currency"]))]
    currency: Option<String>,
    /// What to call the bank whose mapping is remembered; the file's name where nothing is given.
    #[schemars(extend("x-help" = "Remembers the columns under this name", "x-values-from" = ["bank.name"]))]
    bank: Option<String>,
    /// Whether transfers between the user's own accounts are joined; "join" where nothing is given.
    #[schemars(extend("x-label" = "Transfers", "x-help" = "Join the two sides, or keep both entries"))]
    transfers: Option<OfTransfers>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum OfTransfers {
    /// Two sides that are certain become one note.
    Join,
    /// Every transaction is an income or an expense.
    Keep,
}

/// A mapping, and what else is known of the bank.
struct Known {
    mapping: Mapping,
    account: Option<String>,
    currency: Option<String>,
    note: Option<Note>,
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
        file.refuse_other_formats()?;
        let path = VaultPath::parse(file.path.trim()).map_err(|_| elsewhere(&file.path))?;
        let bytes = ctx.vault().read_file(&path).await.map_err(|error| unread(&path, error))?;
        let given = file.mapping.clone().unwrap_or_default();
        let name = path.as_str();
        let table = Table::read(name, &bytes, given.encoding.as_deref(), given.delimiter.as_deref())?;
        if table.rows.len() > MOST {
            return Err(ToolError::failed(
                format!("{name} has {} rows; at most {MOST} are imported at once.", table.rows.len()),
                "Split the file, for example by year, and import the parts one after the other.",
            ));
        }
        let ledger = Ledger::read(ctx.as_ref()).await?;
        let known = file.known(ctx.as_ref(), &table, &ledger).await?;
        let Some(mut known) = known else {
            let (account, currency) = file.said(&ledger)?;
            let imported = Imported::of(ctx.as_ref(), &ledger, account, currency).await?;
            return propose(&file, &table, Mapping::proposed(&table), &imported);
        };
        let imported =
            Imported::of(ctx.as_ref(), &ledger, known.account.clone(), known.currency.clone()).await?;
        if file.mapping.is_none()
            && let Some(open) = Columns::doubt(&table, &known.mapping)?
        {
            return propose(&file, &table, open, &imported);
        }
        if known.mapping.encoding.is_none() {
            known.mapping.encoding = Some(table.encoding.to_lowercase());
        }
        known.mapping.delimiter = Some(table.delimiter.into());
        let columns = match Columns::of(&table, &mut known.mapping)? {
            Ok(columns) => columns,
            Err(questions) => return Err(open_question(name, &table, &questions)),
        };
        let currencies = Currencies { given: known.currency.as_deref(), usual: ledger.currency.as_deref() };
        let transactions = columns.transactions(&table, currencies)?;
        let dry_run = file.dry_run.unwrap_or_default();
        let alike = imported.alike(&transactions);
        // Neither is a payment counted twice nor one left out without the user's word.
        if alike.count() > 0 && known.mapping.alike.is_none() && !dry_run {
            return propose(&file, &table, known.mapping, &imported);
        }
        let told_alike = alike.rows(&transactions);
        let pairs = match file.joins() {
            true => imported.pairs(ctx.as_ref(), &transactions, &alike, known.mapping.alike).await?,
            false => Vec::new(),
        };
        let mut plan = imported.plan(ctx.as_ref(), transactions, &alike, known.mapping.alike, &pairs)?;
        let said: Vec<(&str, usize)> =
            plan.currencies.iter().map(|(code, times)| (code.as_str(), *times)).collect();
        ledger.leaves_others(ctx.as_ref(), &said).await?;
        let mut value = json!({
            "dry_run": dry_run,
            "summary": plan.summary(dry_run),
            "file": name,
            "rows": table.rows.len(),
            "imported": plan.notes.len(),
            "joined": plan.joined,
            "already_there": plan.already_there,
            "of_no_amount": plan.of_no_amount,
            "without_a_category": plan.without_a_category,
            "alike": alike.count(),
            "left_out": plan.left_out,
            "looks_like": told_alike,
            "header": table.header,
            "mapping": known.mapping,
            "preview": plan.preview,
        });
        let mut transfers: Vec<Value> = pairs.iter().take(TOLD).map(Pair::row).collect();
        let open = Question::of_alike(alike.count()).filter(|_| known.mapping.alike.is_none());
        if let Some(question) = open {
            value["questions"] = json!([question.to_json()]);
        }
        let mut paths: Vec<NotePath> = Vec::new();
        if !dry_run {
            let bank = file.remember(ctx.as_ref(), &table, &known, &path).await?;
            value["bank"] = json!(bank);
            paths.push(bank);
            let made = ctx.vault().create_all(std::mem::take(&mut plan.notes)).await?;
            plan.write_transfers(ctx.as_ref(), &pairs, &made, &mut transfers).await?;
            let proposed = pairs.iter().filter(|pair| !pair.is_certain).map(|pair| pair.place);
            if let Some(note) = transfers_to_look_at(proposed.collect::<BTreeSet<_>>().len()) {
                value["note"] = note.into();
            }
        }
        value["transfers"] = transfers.into();
        Ok(Output::new(value).from_notes(paths).untrusted().into())
    }
}

/// What is to be done about transactions that may be transfers.
fn transfers_to_look_at(count: usize) -> Option<String> {
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
    fn joins(&self) -> bool {
        self.transfers != Some(OfTransfers::Keep)
    }

    fn refuse_other_formats(&self) -> Result<(), ToolError> {
        match self.format.as_deref().map(folded).as_deref() {
            None | Some("" | "csv") => Ok(()),
            Some(other) => Err(ToolError::InvalidArguments {
                path: "/format".into(),
                rule: format!("\"{other}\" cannot be imported"),
                allowed: vec!["csv".into()],
            }),
        }
    }

    /// The account and the currency that the call names.
    fn said(&self, ledger: &Ledger) -> Result<(Option<String>, Option<String>), ToolError> {
        let currency = self.currency.as_deref().map(|said| ledger.currency_or(Some(said))).transpose()?;
        Ok((line("account", self.account.as_deref())?, currency))
    }

    /// The mapping to use; none where one has to be confirmed first.
    async fn known(
        &self,
        ctx: &dyn ToolContext,
        table: &Table,
        ledger: &Ledger,
    ) -> Result<Option<Known>, ToolError> {
        let declared = ctx.records().get(BANK)?;
        let header = folded(&table.fingerprint());
        let mut known = None;
        for note in ctx.vault().records(BANK).await? {
            let record = declared.read(&note);
            if text(&record, "header")?.is_some_and(|own| folded(&own) == header) {
                known = Some(Known {
                    mapping: Mapping::remembered(&record)?,
                    account: text(&record, "account")?,
                    currency: text(&record, "currency")?,
                    note: Some(note.clone()),
                });
                break;
            }
        }
        if let Some(mapping) = &self.mapping {
            let before = known.take();
            known = Some(Known {
                mapping: mapping.clone(),
                account: before.as_ref().and_then(|known| known.account.clone()),
                currency: before.as_ref().and_then(|known| known.currency.clone()),
                note: before.and_then(|known| known.note),
            });
        }
        let Some(mut known) = known else { return Ok(None) };
        if let Some(account) = line("account", self.account.as_deref())? {
            known.account = Some(account);
        }
        if let Some(currency) = self.currency.as_deref().or(known.currency.as_deref()) {
            known.currency = Some(ledger.currency_or(Some(currency))?);
        }
        Ok(Some(known))
    }

    /// Keeps the mapping in the bank's note, and changes there only what differs.
    async fn remember(
        &self,
        ctx: &dyn ToolContext,
        table: &Table,
        known: &Known,
        path: &VaultPath,
    ) -> Result<NotePath, ToolError> {
        let declared = ctx.records().get(BANK)?;
        let mut values = known.mapping.to_fields();
        values.insert("account".into(), known.account.clone().into());
        values.insert("currency".into(), known.currency.clone().into());
        if let Some(note) = &known.note {
            let own = declared.read(note).to_json();
            let differing = values.into_iter().filter(|(field, value)| match own.get(field) {
                Some(own) => own != value,
                None => !value.is_null(),
            });
            let edits = declared.edits(note, &differing.collect::<Map<String, Value>>())?;
            if !edits.is_empty() {
                ctx.vault().set_properties(&note.path, &edits).await?;
            }
            return Ok(note.path.clone());
        }
        let stem = path.name().rsplit_once('.').map_or(path.name(), |(stem, _)| stem);
        let name = line("bank", self.bank.as_deref())?.unwrap_or_else(|| stem.to_owned());
        values.retain(|_, value| !value.is_null());
        values.insert("name".into(), name.as_str().into());
        values.insert("header".into(), table.fingerprint().into());
        let note = NewNote { folder: declared.folder.clone(), name, text: declared.new_note(&values)? };
        Ok(ctx.vault().create_all(vec![note]).await?.remove(0))
    }
}

/// What the file seems to say, for a person to look at.
fn propose(
    file: &File,
    table: &Table,
    mut mapping: Mapping,
    imported: &Imported<'_>,
) -> Result<ToolOutput, ToolError> {
    let usual = imported.ledger.currency.as_deref();
    let currencies = Currencies { given: imported.currency.as_deref(), usual };
    let (mut questions, rows) = match Columns::of(table, &mut mapping)? {
        Ok(columns) => (Vec::new(), columns.transactions(table, currencies)?),
        Err(questions) => (questions, Vec::new()),
    };
    let alike = imported.alike(&rows);
    if mapping.alike.is_none() {
        questions.extend(Question::of_alike(alike.count()));
    }
    let preview: Vec<Value> = rows
        .iter()
        .take(PREVIEW)
        .enumerate()
        .map(|(place, row)| {
            let mut shown = json!({
                "date": row.date,
                "kind": if row.amount.is_sign_positive() { INCOME } else { EXPENSE },
                "amount": money(row.amount.abs()),
                "currency": row.currency,
                "payee": row.payee,
                "memo": row.memo,
            });
            if let Some(twin) = alike.get(place) {
                shown["looks_like"] = json!(twin.entry.path);
            }
            shown
        })
        .collect();
    let first: Vec<Value> = table.rows.iter().take(3).map(|row| json!(row.cells)).collect();
    let questions: Vec<Value> = questions.iter().map(Question::to_json).collect();
    let transfers = match file.joins() {
        true => imported.transfers(&rows, &alike, mapping.alike),
        false => Vec::new(),
    };
    let value = json!({
        "needs_confirmation": true,
        "imported": 0,
        "file": file.path.trim(),
        "rows": table.rows.len(),
        "header": table.header,
        "header_line": table.header_line,
        "first_rows": first,
        "mapping": mapping,
        "questions": questions,
        "alike": alike.count(),
        "looks_like": alike.rows(&rows),
        "transfers": transfers,
        "preview": preview,
        "next": "Show the mapping and the preview to the user. When they agree, call again with this mapping, the answers \
                 to the questions in it, and dry_run false.",
    });
    Ok(Output::new(value).untrusted().into())
}

/// The first thing that the file does not tell.
fn open_question(file: &str, table: &Table, questions: &[Question]) -> ToolError {
    let Some(question) = questions.first() else {
        return ToolError::failed(format!("{file} cannot be read."), "Give a mapping.");
    };
    ToolError::failed(
        format!("{file}, line {}: {}", table.header_line, question.asks),
        format!("Give mapping.{}: one of {}.", question.about, question.choices.join(", ")),
    )
}

/// What to do where there is no file to import.
fn unread(path: &VaultPath, error: ToolError) -> ToolError {
    let is_missing = matches!(
        &error,
        ToolError::NotFound { .. }
            | ToolError::Vault(
                VaultError::NotFound { .. } | VaultError::NotANote { .. } | VaultError::Io { .. }
            )
    );
    if !is_missing {
        return error;
    }
    ToolError::failed(
        format!("There is no file \"{path}\" in the vault that could be read."),
        "Give the path of the CSV file itself with its ending, or copy the file into the vault first.",
    )
}

fn elsewhere(path: &str) -> ToolError {
    ToolError::failed(
        format!("\"{path}\" does not lie in the vault."),
        "Copy the file into the vault, and give its path there, such as Budget/statement.csv.",
    )
}
