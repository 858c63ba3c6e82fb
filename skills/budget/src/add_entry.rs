use std::sync::Arc;

use nova_skill::serde_json::Map;
use nova_skill::{
    Date, Decimal, Description, Effect, JsonSchema, NativeTool, NewNote, Output, RecordType, RecordUse,
    ToolContext, ToolError, ToolFields, ToolOutput, Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::arguments::{amount, invalid_argument, line, required, with_computed};
use crate::ledger::{EXPENSE, INCOME, Ledger};
use crate::rules::first_match;

pub(crate) struct AddExpense;
pub(crate) struct AddIncome;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Adds an entry to the budget."))]
pub(crate) struct NewEntry {
    #[serde(flatten)]
    #[schemars(skip)]
    fields: Map<String, Value>,
}

/// All fields except those that only the import writes.
const FIELDS: ToolFields<'static> = ToolFields::AllBut(&["import_id"]);

#[async_trait]
impl NativeTool for AddExpense {
    type Args = NewEntry;
    const ID: &'static str = "add_expense";
    const EFFECT: Effect = Effect::Write;
    const RECORD: Option<RecordUse<'static>> = Some(RecordUse::Adds(EXPENSE));
    const FIELDS: ToolFields<'static> = FIELDS;

    fn description(&self) -> Description {
        Description::purpose(
            "Adds an expense as a new note. Without a category the rules choose one. Money that came back from a shop is an \
             expense with the kind refund.",
        )
        .use_when("the user spent money, paid at a shop or a bill, or got money back for it")
        .not_when("many come from a bank's file", "budget.import_transactions")
        .example("I paid 84.20 at Corner Market today")
    }

    async fn run(&self, new: NewEntry, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        add(EXPENSE, new, ctx.as_ref()).await
    }
}

#[async_trait]
impl NativeTool for AddIncome {
    type Args = NewEntry;
    const ID: &'static str = "add_income";
    const EFFECT: Effect = Effect::Write;
    const RECORD: Option<RecordUse<'static>> = Some(RecordUse::Adds(INCOME));
    const FIELDS: ToolFields<'static> = FIELDS;

    fn description(&self) -> Description {
        Description::purpose("Adds an income as a new note. Without a category the rules choose one.")
            .use_when("money came in: a salary, a settled invoice, a gift")
            .not_when("money came back for something bought", "budget.add_expense")
            .example("The salary of 2400 euros came in")
    }

    async fn run(&self, new: NewEntry, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        add(INCOME, new, ctx.as_ref()).await
    }
}

async fn add(record_type: &str, new: NewEntry, ctx: &dyn ToolContext) -> Result<ToolOutput, ToolError> {
    let declared = ctx.records().get(record_type)?;
    let given = declared.given(&new.fields);
    let day = required("date", given.date("date")?)?;
    let amount = amount("amount", &required("amount", given.decimal("amount")?)?)?;
    let until = given.date("until")?;
    let recurring = given.choice("recurring")?.filter(|recurring| *recurring != "none");
    check_until(day, until, recurring.is_some())?;
    let ledger = Ledger::read(ctx).await?;
    let currency = ledger.currency_or(given.text("currency")?)?;
    ledger.check_other_currencies(ctx, &[(&currency, 1)]).await?;
    let payee = line("payee", given.text("payee")?)?;
    let memo = line("memo", given.text("memo")?)?;
    let mut by_rule = None;
    let category = match line("category", given.text("category")?)? {
        Some(category) => Some(ledger.spelling(&category)),
        None => {
            let payee = payee.as_deref().unwrap_or_default();
            by_rule = first_match(&ledger.rules, payee, memo.as_deref());
            by_rule.map(|rule| rule.category.clone())
        }
    };
    let read = [
        ("date", Some(day.to_string())),
        ("amount", Some(amount.to_string())),
        ("currency", Some(currency)),
        ("category", category),
        ("payee", payee.clone()),
        ("memo", memo),
        ("account", line("account", given.text("account")?)?),
        ("recurring", recurring.map(str::to_owned)),
        ("until", until.map(|until| until.to_string())),
    ];
    let values = with_computed(declared.with_links(&new.fields, ctx.vault()).await?, read);
    let mut note = new_note(declared, &values, day, payee.as_deref(), amount)?;
    note.text = declared.on_template(note.text, &note.name, ctx).await?;
    let mut paths = ctx.vault().create_all(vec![note]).await?;
    let path = paths.remove(0);
    let mut out = values;
    out.insert("path".into(), json!(path));
    if let Some(rule) = by_rule {
        out.insert("by_rule".into(), json!(rule.path));
    }
    Ok(Output::new(out.into()).from_notes([path]).into())
}

/// # Errors
/// `InvalidArguments` if `until` is given without `recurring` or is before `day`.
pub(crate) fn check_until(day: Date, until: Option<Date>, is_recurring: bool) -> Result<(), ToolError> {
    if until.is_some() && !is_recurring {
        return Err(invalid_argument("until", "needs recurring as well".into()));
    }
    if until.is_some_and(|until| until < day) {
        return Err(invalid_argument("until", format!("is before the first day, {day}")));
    }
    Ok(())
}

/// A note in the folder of its year, named `YYYY-MM-DD payee amount`.
pub(crate) fn new_note(
    declared: &RecordType,
    values: &Map<String, Value>,
    day: Date,
    payee: Option<&str>,
    amount: Decimal,
) -> Result<NewNote, ToolError> {
    let name = file_stem(day, payee, &amount.to_string());
    let folder = format!("{}/{:04}", declared.folder, day.year());
    Ok(NewNote { folder, name, text: declared.new_note(values)? })
}

/// `YYYY-MM-DD payee amount`
pub(crate) fn file_stem(day: Date, payee: Option<&str>, amount: &str) -> String {
    match payee {
        Some(payee) => format!("{day} {} {amount}", shortened(payee)),
        None => format!("{day} {amount}"),
    }
}

/// Limits the payee in a file name: banks deliver long texts.
fn shortened(payee: &str) -> String {
    const MAX_CHARS: usize = 60;
    let short: String = payee.chars().take(MAX_CHARS).collect();
    short.trim_end().to_owned()
}
