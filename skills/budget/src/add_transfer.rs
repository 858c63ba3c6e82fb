use std::sync::Arc;

use nova_skill::serde_json::Map;
use nova_skill::{
    Description, Effect, GivenDecimal, JsonSchema, NativeTool, Output, RecordUse, ToolContext, ToolError,
    ToolOutput, Value, async_trait, date_argument, json, schemars,
};
use serde::Deserialize;

use crate::add_entry::new_note;
use crate::arguments::{amount, line, wrong};
use crate::ledger::{Ledger, TRANSFER};
use crate::transfer::{self, NEEDS_TO_AMOUNT, Side};

pub(crate) struct AddTransfer;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Adds a transfer between two of your accounts."))]
pub(crate) struct NewTransfer {
    /// The day, YYYY-MM-DD.
    #[schemars(extend("format" = "date", "x-starts" = "today"))]
    date: String,
    /// What left the first account, a positive decimal such as "300.00".
    amount: GivenDecimal,
    /// The account it left.
    #[schemars(extend("x-label" = "From account", "x-values-from" = ["expense.account", "income.account", "transfer.from", "transfer.to", "bank.account"]))]
    from: String,
    /// The account it reached.
    #[schemars(extend("x-label" = "To account", "x-values-from" = ["expense.account", "income.account", "transfer.from", "transfer.to", "bank.account"]))]
    to: String,
    /// The currency's code, such as EUR; default: that of the other notes.
    #[schemars(extend("x-starts" = "currency", "x-values-from" = ["expense.currency", "income.currency", "limit.currency"]))]
    currency: Option<String>,
    /// What reached the second account, where its currency is another.
    #[schemars(extend("x-label" = "Amount received", "x-help" = "If its currency differs"))]
    to_amount: Option<GivenDecimal>,
    /// The currency of the second account, where it is another.
    #[schemars(extend("x-label" = "Currency received", "x-help" = "If it differs", "x-values-from" = ["expense.currency", "income.currency", "limit.currency"]))]
    to_currency: Option<String>,
    /// What else is worth knowing, one line.
    memo: Option<String>,
    /// Fields that the user added.
    #[serde(default)]
    #[schemars(skip)]
    own: Map<String, Value>,
}

#[async_trait]
impl NativeTool for AddTransfer {
    type Args = NewTransfer;
    const ID: &'static str = "add_transfer";
    const EFFECT: Effect = Effect::Write;
    const RECORD: Option<RecordUse<'static>> = Some(RecordUse::Adds(TRANSFER));

    fn description(&self) -> Description {
        Description::purpose(
            "Adds a transfer between two of the user's own accounts as a new note, which counts as no income and no expense.",
        )
        .use_when("the user moved money from one of their accounts to another")
        .not_when("money was paid to somebody else", "budget.add_expense")
        .example("I moved 300 euros from my current account to my savings")
    }

    async fn run(&self, new: NewTransfer, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let ctx = ctx.as_ref();
        let ledger = Ledger::read(ctx).await?;
        let account = |argument: &str, said: &str| {
            Ok::<_, ToolError>(line(argument, Some(said))?.map(|account| ledger.account_spelling(&account)))
        };
        let currency = ledger.currency_or(new.currency.as_deref())?;
        let out = Side {
            date: date_argument("date", &new.date)?,
            amount: amount("amount", &new.amount)?,
            currency: currency.clone(),
            account: account("from", &new.from)?,
            payee: None,
            memo: line("memo", new.memo.as_deref())?,
            category: None,
            import_id: None,
        };
        let to_currency = match new.to_currency.as_deref().map(str::trim).filter(|said| !said.is_empty()) {
            Some(said) => ledger.currency_or(Some(said)).map_err(|_| {
                wrong("to_currency", format!("\"{said}\" is not a currency; use a code such as EUR"))
            })?,
            None => currency,
        };
        let to_amount = new.to_amount.as_ref().map(|given| amount("to_amount", given)).transpose()?;
        if to_amount.is_none() && to_currency != out.currency {
            return Err(wrong("to_amount", NEEDS_TO_AMOUNT.into()));
        }
        let into = Side {
            amount: to_amount.unwrap_or(out.amount),
            currency: to_currency,
            account: account("to", &new.to)?,
            memo: None,
            ..out.clone()
        };
        let mut values = transfer::values(&out, &into)?;
        ledger.leaves_others(ctx, &[(&out.currency, 1), (&into.currency, 1)]).await?;
        let name = transfer::name(&out, &into);
        let declared = ctx.records().get(TRANSFER)?;
        values.extend(declared.with_links(&new.own, ctx.vault()).await?);
        let mut note = new_note(declared, &values, out.date, Some(&name), out.amount)?;
        note.text = declared.on_template(note.text, &note.name, ctx).await?;
        let path = ctx.vault().create_all(vec![note]).await?.remove(0);
        values.insert("path".into(), json!(path));
        Ok(Output::new(values.into()).from_notes([path]).into())
    }
}
