//! Trades from a broker's file.

mod actions;
mod against;
mod answer;
mod currency;
mod draft;
mod mapping;
mod money;
mod names;
mod rows;
mod sections;
mod securities;

use std::collections::HashSet;
use std::sync::Arc;

use nova_skill::figures::currency_code;
use nova_skill::{
    Date, Description, Effect, JsonSchema, NativeTool, NewNote, Note, NotePath, Output, ToolContext,
    ToolError, ToolOutput, Value, async_trait, json, schemars,
};
use nova_statement::{OfAlike, Question, Read, Table, first_open, refuse_wrong_lines, report_reading};
use serde::Deserialize;

use crate::amount::{self, invalid};
use crate::books::{TRADE, Transfer};
use crate::trade_rules::Kind;
use crate::valuation::Snapshot;
use against::{Compared, Ready};
use answer::Answer;
use draft::Draft;
use mapping::Mapping;
use rows::{Columns, NO_CURRENCY, ParsedRows};

/// The record type that stores the mapping of a broker's files.
const BROKER: &str = "broker";
/// Maximum number of rows per import: all planned notes are in memory.
const MOST: usize = 50_000;

pub(crate) struct ImportTransactions;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Imports a broker's CSV file."))]
pub(crate) struct File {
    /// The file, relative to the vault, such as "Portfolio/trades.csv".
    #[schemars(extend("x-label" = "File"))]
    path: String,
    /// Which column means what; default: the mapping remembered for this broker, else a proposal to confirm.
    #[schemars(extend("x-label" = "Columns"))]
    mapping: Option<Mapping>,
    /// Only show what would be imported.
    #[schemars(extend("x-label" = "Only show trades"))]
    dry_run: Option<bool>,
    /// The currency of amounts without one, such as USD; remembered with the mapping.
    #[schemars(extend("x-help" = "Where the file has none"))]
    #[schemars(extend("x-values-from" = ["position.currency", "trade.currency"]))]
    currency: Option<String>,
    /// The broker's name for the remembered mapping; default: the file's name.
    #[schemars(extend("x-help" = "Remembers the columns under this name", "x-values-from" = ["broker.name"]))]
    broker: Option<String>,
    /// Decisions about single lines; they override the mapping's for duplicates.
    #[serde(default)]
    #[schemars(extend("x-form" = "hidden"))]
    lines: Vec<Line>,
    /// Answer with every trade, each column with examples and open questions, and import nothing.
    #[schemars(extend("x-label" = "Review every trade"))]
    review: Option<bool>,
    /// Whether the mapping is remembered for files of this broker; default: yes.
    #[schemars(extend("x-label" = "Remember the columns"))]
    remember: Option<bool>,
}

/// The decision about one line.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
struct Line {
    /// The number of the line in the file, from 1.
    line: u64,
    /// false leaves it out; true imports it although it may be a duplicate.
    import: bool,
}

#[async_trait]
impl NativeTool for ImportTransactions {
    type Args = File;
    const ID: &'static str = "import_transactions";
    const EFFECT: Effect = Effect::Write;

    fn description(&self) -> Description {
        Description::purpose(
            "Imports a broker's CSV file that lies in the vault, one note for each trade, dividend, fee or deposit. Without a \
             mapping it answers with a proposal and imports nothing: show it to the user, and call again with the mapping they \
             agree to, which is remembered for files of that broker. What was imported before is left out; what looks like an \
             existing trade is asked about; a line that contradicts itself or sells more than is held is an error.",
        )
        .use_when("the user wants a statement, an export or a CSV file of their broker in the portfolio")
        .not_when("one trade is to be noted", "portfolio.add_trade")
        .not_when("it is a bank's file of payments", "budget.import_transactions")
        .example("Import the trades of my broker from trades.csv")
    }

    async fn run(&self, file: File, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let ctx = ctx.as_ref();
        let table = file.table(ctx).await?;
        let snapshot = Snapshot::read(ctx, None).await?;
        let known = file.known(ctx, &table).await?;
        let is_known = known.mapping.is_some();
        let mut mapping = known.mapping.unwrap_or_else(|| Mapping::proposed(&table));
        let is_remembered = known.note.is_some() && file.mapping.is_none();
        let to_confirm = if is_remembered { rows::mapping_to_confirm(&table, &mapping)? } else { None };
        let is_open = to_confirm.is_some();
        mapping = to_confirm.unwrap_or(mapping);
        mapping.delimiter = Some(table.delimiter.into());
        mapping.encoding.get_or_insert_with(|| table.encoding.to_lowercase());

        let left_out: HashSet<u64> =
            file.lines.iter().filter(|line| !line.import).map(|line| line.line).collect();
        let said = mapping.clone();
        let found = Columns::of(&table, &said, known.currency)?;
        let (rows, mut questions) = match &found {
            Ok(columns) => {
                mapping.date_format = Some(columns.format().name.into());
                mapping.decimal = Some(columns.decimal().to_string());
                let report = |done| report_reading(ctx, done, table.rows.len());
                (columns.read(&table, &snapshot.books, snapshot.today, &left_out, &report), Vec::new())
            }
            Err(_) => (ParsedRows::default(), Vec::new()),
        };
        if let Err(open) = found {
            questions = open;
        }
        let ParsedRows { drafts, mut wrong, ignored } = rows;
        let without_currency = wrong.iter().filter(|one| one.problem == NO_CURRENCY).count();
        if without_currency > 0 && known.currency.is_none() {
            wrong.retain(|one| one.problem != NO_CURRENCY);
            questions.push(Question {
                about: "currency".into(),
                asks: "Which currency are the prices in?".into(),
                choices: ["EUR", "USD", "GBP", "CHF"].map(str::to_owned).into(),
            });
        }
        let is_external = |draft: &Draft| matches!(draft.kind, Kind::Deposit | Kind::Withdrawal);
        let counts_cash = snapshot.books.transfers.iter().any(Transfer::is_external)
            || drafts.iter().any(|draft| {
                draft.exchanged_for.is_none() && is_external(draft) && !left_out.contains(&draft.line)
            });
        // Without deposits there is no cash that an exchange could move.
        let drafts =
            drafts.into_iter().filter(|draft| counts_cash || draft.exchanged_for.is_none()).collect();
        let mut compared = Compared::of(ctx, &snapshot, drafts).await?;
        compared.wrong.retain(|one| !left_out.contains(&one.line));
        let out = file.left_out_lines(&compared, mapping.alike, &left_out);
        compared.reject_invalid_trades(&snapshot, &out)?;
        wrong.append(&mut compared.wrong);
        wrong.sort_by_key(|one| one.line);
        let open = file.open(&compared, mapping.alike);
        let answer = Answer {
            table: &table,
            mapping: &mapping,
            broker: known.note.as_ref().map(|note| note.path.name()),
            currency: known.currency,
            questions: &questions,
            wrong: &wrong,
            compared: &compared,
            symbols: snapshot.books.symbols(),
            open: &open,
            left_out: &out,
            ignored,
            counts_cash,
        };
        if file.review == Some(true) {
            return Ok(Output::new(answer.review()?).untrusted().into());
        }
        let dry_run = file.dry_run.unwrap_or_default();
        if !is_known || is_open || (!open.is_empty() && !dry_run) {
            return Ok(Output::new(answer.proposal()?).untrusted().into());
        }
        if !questions.is_empty() {
            return Err(first_open(&table, &questions));
        }
        refuse_wrong_lines(&table.file, &wrong)?;
        let mut value = answer.result(dry_run)?;
        compared.new.retain(|one| !out.contains(&one.draft.line));
        let mut paths: Vec<NotePath> = Vec::new();
        compared.check_other_currencies(ctx, &snapshot.books).await?;
        if !dry_run {
            if file.remember != Some(false) {
                let path = file.remember(ctx, &table, &known.note, &mapping, known.currency).await?;
                value["broker"] = json!(path);
                paths.push(path);
            }
            ctx.vault().create_all(notes(ctx, &snapshot, &compared.new).await?).await?;
            compared.follow(ctx, &snapshot).await?;
        }
        Ok(Output::new(value).from_notes(paths).untrusted().into())
    }
}

/// What is stored or given about the broker.
struct Known {
    /// `None` if the user has to confirm one first.
    mapping: Option<Mapping>,
    currency: Option<&'static str>,
    note: Option<Note>,
}

impl File {
    async fn table(&self, ctx: &dyn ToolContext) -> Result<Table, ToolError> {
        let mapping = self.mapping.as_ref();
        let read = Read {
            path: &self.path,
            format: None,
            encoding: mapping.and_then(|mapping| mapping.encoding.as_deref()),
            delimiter: mapping.and_then(|mapping| mapping.delimiter.as_deref()),
            most: MOST,
            example: "Portfolio/trades.csv",
        };
        read.table(ctx, sections::rows_of_statement).await
    }

    async fn known(&self, ctx: &dyn ToolContext, table: &Table) -> Result<Known, ToolError> {
        let note = nova_statement::remembered(ctx, BROKER, table).await?;
        let mut known = Known { mapping: self.mapping.clone(), currency: None, note: None };
        if let Some(note) = &note {
            let record = ctx.records().get(BROKER)?.read(note);
            if known.mapping.is_none() {
                known.mapping = Some(Mapping::remembered(&record)?);
            }
            known.currency = record.text_there("currency")?.and_then(|code| currency_code(&code));
        }
        known.currency = amount::currency(self.currency.as_deref())?.or(known.currency);
        known.note = note;
        Ok(known)
    }

    /// Stores the mapping in the broker's note.
    async fn remember(
        &self,
        ctx: &dyn ToolContext,
        table: &Table,
        note: &Option<Note>,
        mapping: &Mapping,
        currency: Option<&str>,
    ) -> Result<NotePath, ToolError> {
        let mut values = mapping.to_fields();
        values.insert("currency".into(), currency.into());
        let name = self.broker.as_deref().map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
        if name.as_deref().is_some_and(|name| name.chars().any(char::is_control)) {
            return Err(invalid("broker", "must be one line of text"));
        }
        nova_statement::remember(ctx, BROKER, table, note.as_ref(), name, values).await
    }

    /// Lines that are not imported. A decision about one line overrides the one about all duplicates.
    fn left_out_lines(
        &self,
        compared: &Compared,
        alike: Option<OfAlike>,
        said: &HashSet<u64>,
    ) -> HashSet<u64> {
        let mut lines = said.clone();
        if alike == Some(OfAlike::LeaveOut) {
            let decided: HashSet<u64> = self.lines.iter().map(|line| line.line).collect();
            lines.extend(compared.twins.keys().filter(|line| !decided.contains(line)));
        }
        lines
    }

    /// Lines of possible duplicates without a decision.
    fn open(&self, compared: &Compared, alike: Option<OfAlike>) -> HashSet<u64> {
        if alike.is_some() {
            return HashSet::new();
        }
        let decided: HashSet<u64> = self.lines.iter().map(|line| line.line).collect();
        compared.twins.keys().filter(|line| !decided.contains(line)).copied().collect()
    }
}

/// Notes of new trades, each linked to its position's note.
async fn notes(ctx: &dyn ToolContext, snapshot: &Snapshot, new: &[Ready]) -> Result<Vec<NewNote>, ToolError> {
    let declared = ctx.records().get(TRADE)?;
    let template = declared.user_template(ctx).await?;
    let note = |Ready { draft, fields, .. }: &Ready| {
        let date: Date = draft.date;
        let mut values = fields.clone();
        let kind = draft.kind.word();
        let named = [
            ("date", Value::from(date.to_string())),
            ("currency", draft.currency.into()),
            ("kind", kind.into()),
            ("import_id", draft.import_id().into()),
        ];
        values.extend(named.map(|(field, value)| (field.to_owned(), value)));
        let mut name = match &draft.exchanged_for {
            Some(symbol) => format!("{date} {kind} for {symbol}"),
            None => format!("{date} {kind}"),
        };
        let mut position = None;
        if let Some(symbol) = &draft.symbol {
            values.insert("symbol".into(), symbol.as_str().into());
            name = format!("{date} {symbol} {kind}");
            position = snapshot.books.position(symbol).filter(|own| own.currency == draft.currency);
        }
        let mut text = declared.new_note(&values)?;
        if let Some(template) = &template {
            text = template.under(&text, &name)?;
        }
        if let Some(position) = position {
            text.push_str(&format!("\n[[{}]]\n", position.path.name()));
        }
        Ok(NewNote { folder: declared.folder.clone(), name, text })
    };
    new.iter().map(note).collect()
}
