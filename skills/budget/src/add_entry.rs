use std::sync::Arc;

use nova_skill::serde_json::Map;
use nova_skill::{
    Date, Decimal, Description, Effect, GivenDecimal, JsonSchema, NativeTool, NewNote, Output, RecordType,
    RecordUse, ToolContext, ToolError, ToolOutput, Value, async_trait, date_argument, json, schemars,
};
use serde::Deserialize;

use crate::arguments::{amount, line, wrong};
use crate::ledger::{EXPENSE, INCOME, Ledger};
use crate::rules::first_that_fits;

pub(crate) struct AddExpense;
pub(crate) struct AddIncome;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Adds an entry to the budget."))]
pub(crate) struct NewEntry {
    /// The day, YYYY-MM-DD; if recurring, the first date.
    #[schemars(extend("format" = "date", "x-starts" = "today"))]
    #[schemars(extend("x-help" = "Of a recurring entry: the first day"))]
    date: String,
    /// A positive decimal, such as "84.20".
    amount: GivenDecimal,
    /// The currency's code, such as EUR; default: that of the other notes.
    #[schemars(extend("x-starts" = "currency"))]
    #[schemars(extend("x-values-from" = ["expense.currency", "income.currency", "limit.currency"]))]
    currency: Option<String>,
    /// What it is for, in the user's words; default: by the rules.
    #[schemars(extend("x-help" = "Your rules decide if left empty"))]
    #[schemars(extend("x-values-from" = ["expense.category", "income.category", "limit.category"]))]
    category: Option<String>,
    /// Whom it was paid to or came from.
    #[schemars(extend("x-help" = "Who was paid, or who paid"))]
    #[schemars(extend("x-values-from" = ["expense.payee", "income.payee"]))]
    payee: Option<String>,
    /// The account it went through.
    #[schemars(extend("x-values-from" = ["expense.account", "income.account", "bank.account"]))]
    account: Option<String>,
    /// What else is worth knowing, one line.
    memo: Option<String>,
    /// Whether it is money that came back: it counts against its category.
    #[schemars(extend("x-help" = "Refund: money that came back"))]
    kind: Option<Kind>,
    /// How often it recurs; each day counts up to today, later ones are upcoming, and only the first is a note.
    #[schemars(extend("x-label" = "Repeats"))]
    recurring: Option<Recurring>,
    /// The last date on which it repeats, YYYY-MM-DD.
    #[schemars(extend("format" = "date"))]
    #[schemars(extend("x-label" = "Repeats until", "x-help" = "The last day"))]
    until: Option<String>,
    /// Fields that the user added.
    #[serde(default)]
    #[schemars(skip)]
    own: Map<String, Value>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Refund,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Recurring {
    None,
    Weekly,
    Monthly,
    Yearly,
}

impl Recurring {
    fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Weekly => "weekly",
            Self::Monthly => "monthly",
            Self::Yearly => "yearly",
        }
    }
}

#[async_trait]
impl NativeTool for AddExpense {
    type Args = NewEntry;
    const ID: &'static str = "add_expense";
    const EFFECT: Effect = Effect::Write;
    const RECORD: Option<RecordUse<'static>> = Some(RecordUse::Adds(EXPENSE));

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
    let day = date_argument("date", &new.date)?;
    let amount = amount("amount", &new.amount)?;
    let until = new.until.as_deref().map(|until| date_argument("until", until)).transpose()?;
    let recurring = new.recurring.filter(|recurring| *recurring != Recurring::None);
    check_until(day, until, recurring.is_some())?;
    let ledger = Ledger::read(ctx).await?;
    let currency = ledger.currency_or(new.currency.as_deref())?;
    ledger.leaves_others(ctx, &[(&currency, 1)]).await?;
    let payee = line("payee", new.payee.as_deref())?;
    let memo = line("memo", new.memo.as_deref())?;
    let mut by_rule = None;
    let category = match line("category", new.category.as_deref())? {
        Some(category) => Some(ledger.spelling(&category)),
        None => {
            let payee = payee.as_deref().unwrap_or_default();
            by_rule = first_that_fits(&ledger.rules, payee, memo.as_deref());
            by_rule.map(|rule| rule.category.clone())
        }
    };
    let fields = [
        ("date", Some(day.to_string())),
        ("amount", Some(amount.to_string())),
        ("currency", Some(currency)),
        ("category", category),
        ("payee", payee.clone()),
        ("memo", memo),
        ("account", line("account", new.account.as_deref())?),
        ("kind", new.kind.map(|Kind::Refund| "refund".to_owned())),
        ("recurring", recurring.map(|recurring| recurring.word().to_owned())),
        ("until", until.map(|until| until.to_string())),
    ];
    let values: Map<String, Value> = fields
        .into_iter()
        .filter_map(|(field, value)| value.map(|value| (field.to_owned(), value.into())))
        .chain(new.own)
        .collect();
    let declared = ctx.records().get(record_type)?;
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
/// `InvalidArguments` for an end that does not go with the rest.
pub(crate) fn check_until(day: Date, until: Option<Date>, comes_again: bool) -> Result<(), ToolError> {
    if until.is_some() && !comes_again {
        return Err(wrong("until", "needs recurring as well".into()));
    }
    if until.is_some_and(|until| until < day) {
        return Err(wrong("until", format!("is before the first day, {day}")));
    }
    Ok(())
}

/// A note of its year, named `YYYY-MM-DD payee amount`.
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

/// How much of a bank's long text as a file name has room for.
fn shortened(payee: &str) -> String {
    const MAX_CHARS: usize = 60;
    let short: String = payee.chars().take(MAX_CHARS).collect();
    short.trim_end().to_owned()
}
