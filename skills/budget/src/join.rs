//! Joins two entries into a transfer, and splits a transfer into two entries.

use std::borrow::Cow;
use std::sync::Arc;

use nova_skill::figures::folded;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Note, NotePath, Output, PropertyEdit, ToolContext,
    ToolError, ToolOutput, Value, VaultPath, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::add_entry::new_note;
use crate::arguments::{invalid_argument, line, written};
use crate::convert::{Conversion, conflicting_property, convert};
use crate::ledger::{EXPENSE, Entry, INCOME, Ledger, TRANSFER};
use crate::transfer::{self, Transfer};

/// The maximum number of days between the booking dates of the two sides of a transfer.
pub(crate) const MAX_DAYS_APART: i32 = 3;

pub(crate) struct JoinTransfer;
pub(crate) struct SplitTransfer;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Joins an expense and an income into one transfer."))]
pub(crate) struct ToJoin {
    /// The notes of the expense and the income; given one, the other is found if only one fits. An
    /// entry and a transfer that lacks it can be joined, too.
    #[schemars(extend("x-label" = "Entries", "x-help" = "The notes of the expense and the income"))]
    paths: Vec<String>,
    /// The account it left, if the expense names none.
    #[schemars(extend("x-label" = "From account", "x-values-from" = ["expense.account", "income.account", "transfer.from", "transfer.to", "bank.account"]))]
    from: Option<String>,
    /// The account it reached, if the income names none.
    #[schemars(extend("x-label" = "To account", "x-values-from" = ["expense.account", "income.account", "transfer.from", "transfer.to", "bank.account"]))]
    to: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Splits a transfer back into an expense and an income."))]
pub(crate) struct ToSplit {
    /// The note of the transfer.
    #[schemars(extend("x-label" = "Transfer", "x-record" = "transfer"))]
    path: String,
}

#[async_trait]
impl NativeTool for JoinTransfer {
    type Args = ToJoin;
    const ID: &'static str = "join_transfer";
    const EFFECT: Effect = Effect::Write;

    fn description(&self) -> Description {
        Description::purpose(
            "Joins an expense and an income that are the two sides of one transfer between the user's own accounts \
             into a single note, which counts as neither.",
        )
        .use_when("two existing entries are one movement between the user's accounts, or an import proposed so")
        .not_when("the transfer has no notes yet", "budget.add_transfer")
        .example("Those two entries of 300 euros are one transfer")
    }

    async fn run(&self, asked: ToJoin, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let ctx = ctx.as_ref();
        let ledger = Ledger::read(ctx).await?;
        let mut named = Vec::new();
        for path in &asked.paths {
            let record = find(ctx, &ledger, path).await?;
            if !named.iter().any(|other: &Found| other.path() == record.path()) {
                named.push(record);
            }
        }
        if let [Found::Entry(entry)] = named.as_slice() {
            named.push(ledger.only_other_side(entry)?);
        }
        let account = |argument: &str, given: &Option<String>| {
            Ok::<_, ToolError>(line(argument, given.as_deref())?.map(|name| ledger.account_spelling(&name)))
        };
        let (from, to) = (account("from", &asked.from)?, account("to", &asked.to)?);
        let done = match named.as_slice() {
            [Found::Entry(one), Found::Entry(other)] => join(ctx, one, other, from, to).await?,
            [Found::Entry(entry), Found::Transfer(transfer)]
            | [Found::Transfer(transfer), Found::Entry(entry)] => {
                complete_transfer(ctx, transfer, entry).await?
            }
            _ => return Err(invalid_argument("paths", "must name an expense and an income".into())),
        };
        Ok(done.into())
    }
}

#[async_trait]
impl NativeTool for SplitTransfer {
    type Args = ToSplit;
    const ID: &'static str = "split_transfer";
    const EFFECT: Effect = Effect::Write;

    fn description(&self) -> Description {
        Description::purpose("Splits a transfer into an expense and an income again, which count as such.")
            .use_when("a transfer is none: the two sides were joined by mistake")
            .example("That is no transfer, split it again")
    }

    async fn run(&self, asked: ToSplit, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let ctx = ctx.as_ref();
        let ledger = Ledger::read(ctx).await?;
        let transfer = match find(ctx, &ledger, &asked.path).await? {
            Found::Transfer(transfer) => transfer,
            Found::Entry(entry) => {
                return Err(invalid_argument(
                    "path",
                    format!("names {}, which is not a transfer", entry.path),
                ));
            }
        };
        let (out, into) = (&transfer.out, &transfer.into);
        let income = new_note(
            ctx.records().get(INCOME)?,
            &into.entry_values(),
            into.date,
            into.payee.as_deref().or(out.account.as_deref()),
            written(into.amount),
        )?;
        let as_expense = Conversion {
            from: TRANSFER,
            to: EXPENSE,
            values: out.entry_values(),
            day: out.date,
            name: out.payee.as_deref().or(into.account.as_deref()).map(Cow::Borrowed),
            amount: written(out.amount).to_string(),
        };
        check_conflicts(ctx, &transfer.path, &as_expense).await?;
        let expense = convert(ctx, &transfer.path, as_expense).await?;
        let income = ctx.vault().create_all(vec![income]).await?.remove(0);
        let mut value = transfer::row(out, into);
        value["paths"] = json!([expense, income]);
        Ok(Output::new(value).from_notes([expense, income]).into())
    }
}

/// A note that is a transfer or may be one side of it.
pub(crate) enum Found<'a> {
    Entry(&'a Entry),
    Transfer(&'a Transfer),
}

impl Found<'_> {
    fn path(&self) -> &NotePath {
        match self {
            Self::Entry(entry) => &entry.path,
            Self::Transfer(transfer) => &transfer.path,
        }
    }
}

/// Finds by path or by the name that a link would use.
async fn find<'a>(ctx: &dyn ToolContext, ledger: &'a Ledger, name: &str) -> Result<Found<'a>, ToolError> {
    let name = name.trim();
    let at = |path: &VaultPath| {
        let entry = ledger.entries.iter().find(|entry| entry.path == *path).map(Found::Entry);
        let transfer =
            || ledger.transfers.iter().find(|transfer| transfer.path == *path).map(Found::Transfer);
        entry.or_else(transfer)
    };
    if let Some(found) = VaultPath::parse(name).ok().and_then(|path| at(&path)) {
        return Ok(found);
    }
    let paths = ctx.vault().find(name).await?;
    let mut found: Vec<Found> = paths.iter().filter_map(at).collect();
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(ToolError::NotFound {
            kind: "income, expense or transfer".into(),
            name: name.to_owned(),
            nearest: Vec::new(),
        }),
        _ => Err(ToolError::Ambiguous {
            kind: "note".into(),
            name: name.to_owned(),
            matches: found.iter().map(|found| found.path().to_string()).collect(),
        }),
    }
}

impl Entry {
    /// Why it cannot be a side of a transfer; the text follows the path.
    pub(crate) fn why_not_a_side(&self) -> Option<&'static str> {
        if self.every.is_some() {
            Some("is recurring: one note covers many days")
        } else if self.is_refund {
            Some("is a refund, which lowers what its category has cost")
        } else {
            None
        }
    }
}

impl Ledger {
    /// The only entry, or incomplete transfer, that can be the other side.
    fn only_other_side(&self, entry: &Entry) -> Result<Found<'_>, ToolError> {
        let account = entry.account.as_deref().map(folded);
        let is_other = |other: &&Entry| {
            let own = other.account.as_deref().map(folded);
            other.why_not_a_side().is_none()
                && other.currency == entry.currency
                && other.signed() == -entry.signed()
                && days_apart(entry.date, other.date) <= MAX_DAYS_APART
                && (own.is_none() || own != account)
        };
        let is_open = |transfer: &&Transfer| {
            let side = if entry.is_income { &transfer.into } else { &transfer.out };
            side.import_id.is_none()
                && (&side.currency, side.amount) == (&entry.currency, entry.amount)
                && days_apart(entry.date, side.date) <= MAX_DAYS_APART
                && account.as_deref().is_none_or(|own| folded(side.account()) == own)
        };
        let entries = self.entries.iter().filter(is_other).map(Found::Entry);
        let open = self.transfers.iter().filter(is_open).map(Found::Transfer);
        let mut found: Vec<Found> = entries.chain(open).collect();
        match found.len() {
            1 => Ok(found.remove(0)),
            0 => Err(ToolError::failed(
                format!(
                    "No other side of {} was found: an entry of {} {} the other way, at most {MAX_DAYS_APART} \
                     days apart.",
                    entry.path,
                    written(entry.amount),
                    entry.currency
                ),
                "Give the paths of both entries.",
            )),
            _ => {
                let paths: Vec<&str> = found.iter().map(|found| found.path().as_str()).collect();
                Err(ToolError::failed(
                    format!("Several notes can be the other side of {}: {}.", entry.path, paths.join(", ")),
                    "Give the paths of both entries.",
                ))
            }
        }
    }
}

pub(crate) fn days_apart(one: nova_skill::Date, other: nova_skill::Date) -> i32 {
    one.until(other).map_or(i32::MAX, |span| span.get_days().abs())
}

async fn join(
    ctx: &dyn ToolContext,
    one: &Entry,
    other: &Entry,
    from: Option<String>,
    to: Option<String>,
) -> Result<Output, ToolError> {
    for entry in [one, other] {
        if let Some(why) = entry.why_not_a_side() {
            return Err(invalid_argument("paths", format!("names {}, which {why}", entry.path)));
        }
    }
    let (expense, income) = match (one.is_income, other.is_income) {
        (false, true) => (one, other),
        (true, false) => (other, one),
        _ => return Err(invalid_argument("paths", "must name an expense and an income".into())),
    };
    let (mut out, mut into) = (expense.side(), income.side());
    out.account = from.or(out.account);
    into.account = to.or(into.account);
    for (side, argument, entry) in [(&out, "from", expense), (&into, "to", income)] {
        if side.account.is_none() {
            return Err(invalid_argument(argument, format!("is needed: {} names no account", entry.path)));
        }
    }
    let values = transfer::values(&out, &into)?;
    let name = transfer::name(&out, &into);
    let as_transfer = Conversion {
        from: EXPENSE,
        to: TRANSFER,
        values,
        day: out.date,
        name: Some(name.into()),
        amount: written(out.amount).to_string(),
    };
    check_conflicts(ctx, &expense.path, &as_transfer).await?;
    let links = merge_into(ctx, &expense.path, (&income.path, INCOME), &as_transfer).await?;
    let path = convert(ctx, &expense.path, as_transfer).await?;
    let mut value = transfer::row(&out, &into);
    value["path"] = json!(path);
    Ok(Output::new(with_links(value, links)).from_notes([path]))
}

/// Adds the entry to the transfer as its missing side.
async fn complete_transfer(
    ctx: &dyn ToolContext,
    transfer: &Transfer,
    entry: &Entry,
) -> Result<Output, ToolError> {
    if let Some(why) = entry.why_not_a_side() {
        return Err(invalid_argument("paths", format!("names {}, which {why}", entry.path)));
    }
    let side = if entry.is_income { &transfer.into } else { &transfer.out };
    let is_same = (&side.currency, side.amount) == (&entry.currency, entry.amount)
        && entry.account.as_deref().is_none_or(|own| folded(own) == folded(side.account()));
    if !is_same || (side.import_id.is_some() && entry.import_id.is_some()) {
        return Err(invalid_argument(
            "paths",
            format!("names {}, which is not an open side of {}", entry.path, transfer.path),
        ));
    }
    let values = transfer::added_values(side, entry.is_income, &entry.side());
    let kept = Conversion {
        from: TRANSFER,
        to: TRANSFER,
        values,
        day: transfer.out.date,
        name: None,
        amount: String::new(),
    };
    let record_type = if entry.is_income { INCOME } else { EXPENSE };
    let links = merge_into(ctx, &transfer.path, (&entry.path, record_type), &kept).await?;
    convert(ctx, &transfer.path, kept).await?;
    let mut value = transfer::row(&transfer.out, &transfer.into);
    value["path"] = json!(transfer.path);
    Ok(Output::new(with_links(value, links)).from_notes([transfer.path.clone()]))
}

/// # Errors
/// `InvalidArguments` if the new record would overwrite one of the note's own properties.
async fn check_conflicts(
    ctx: &dyn ToolContext,
    path: &NotePath,
    new: &Conversion<'_>,
) -> Result<(), ToolError> {
    let note = ctx.vault().read(path).await?;
    match conflicting_property(ctx, &note, new)? {
        None => Ok(()),
        Some(property) => Err(ToolError::failed(
            format!("{path} has a property `{property}` of its own, which a {} uses.", new.to),
            format!("Rename the property `{property}`, or remove it."),
        )),
    }
}

/// Moves the body and the user's own properties of a note into another note and deletes it. Returns the
/// number of links to it.
async fn merge_into(
    ctx: &dyn ToolContext,
    into: &NotePath,
    (path, record_type): (&NotePath, &str),
    new: &Conversion<'_>,
) -> Result<usize, ToolError> {
    let (kept, gone) = (ctx.vault().read(into).await?, ctx.vault().read(path).await?);
    let mut edits = Vec::new();
    for (name, value) in ctx.records().get(record_type)?.read(&gone).other_properties() {
        let own = kept.document.property(name);
        let is_used = new.values.keys().any(|field| folded(field) == folded(name));
        match own {
            Some(own) if own == value => {}
            None if !is_used => edits.push(PropertyEdit::Set { key: name.to_owned(), value: value.clone() }),
            _ => {
                return Err(ToolError::failed(
                    format!(
                        "{path} has a property `{name}` that differs in {into}, or that a transfer uses."
                    ),
                    format!("Rename the property `{name}` in one of the two, or remove it."),
                ));
            }
        }
    }
    if !edits.is_empty() {
        ctx.vault().set_properties(into, &edits).await?;
    }
    let body = body(&gone);
    if !body.is_empty() {
        ctx.vault().append(into, body, None).await?;
    }
    let links = ctx.vault().links(path).await?.back.len();
    ctx.vault().delete(path).await?;
    Ok(links)
}

fn body(note: &Note) -> &str {
    note.text.get(note.document.body_start()..).unwrap_or_default().trim()
}

fn with_links(mut value: Value, links: usize) -> Value {
    match links {
        0 => {}
        1 => value["note"] = "1 link leads to the deleted entry. Change it to the transfer.".into(),
        n => {
            value["note"] =
                format!("{n} links lead to the deleted entry. Change them to the transfer.").into()
        }
    }
    value
}
