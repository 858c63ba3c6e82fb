use std::sync::Arc;

use nova_skill::serde_json::Map;
use nova_skill::{
    Description, Effect, Field, JsonSchema, NativeTool, Output, RecordUse, ToolContext, ToolError,
    ToolFields, ToolOutput, Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::add_entry::new_note;
use crate::arguments::{amount, invalid_argument, line, required};
use crate::ledger::{Ledger, TRANSFER};
use crate::transfer::{self, NEEDS_TO_AMOUNT, Side};

pub(crate) struct AddTransfer;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Adds a transfer between two of your accounts."))]
pub(crate) struct NewTransfer {
    #[serde(flatten)]
    #[schemars(skip)]
    fields: Map<String, Value>,
}

/// All fields except those that only the import writes for each side.
const FIELDS: ToolFields<'static> = ToolFields::AllBut(&[
    "to_date",
    "payee",
    "category",
    "to_memo",
    "to_payee",
    "to_category",
    "import_id",
    "to_import_id",
]);

#[async_trait]
impl NativeTool for AddTransfer {
    type Args = NewTransfer;
    const ID: &'static str = "add_transfer";
    const EFFECT: Effect = Effect::Write;
    const RECORD: Option<RecordUse<'static>> = Some(RecordUse::Adds(TRANSFER));
    const FIELDS: ToolFields<'static> = FIELDS;

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
        let declared = ctx.records().get(TRANSFER)?;
        let given = declared.given(&new.fields);
        let account = |argument: &str| {
            let name = required(argument, line(argument, given.text(argument)?)?)?;
            Ok::<_, ToolError>(Some(ledger.account_spelling(&name)))
        };
        let currency = ledger.currency_or(given.text("currency")?)?;
        let out = Side {
            date: required("date", given.date("date")?)?,
            amount: amount("amount", &required("amount", given.decimal("amount")?)?)?,
            currency: currency.clone(),
            account: account("from")?,
            payee: None,
            memo: line("memo", given.text("memo")?)?,
            category: None,
            import_id: None,
        };
        let to_currency = match given.text("to_currency")?.map(str::trim).filter(|code| !code.is_empty()) {
            Some(code) => ledger.currency_or(Some(code)).map_err(|_| {
                invalid_argument(
                    "to_currency",
                    format!("\"{code}\" is not a currency; use a code such as EUR"),
                )
            })?,
            None => currency,
        };
        let to_amount = given.decimal("to_amount")?.map(|given| amount("to_amount", &given)).transpose()?;
        if to_amount.is_none() && to_currency != out.currency {
            return Err(invalid_argument("to_amount", NEEDS_TO_AMOUNT.into()));
        }
        let into = Side {
            amount: to_amount.unwrap_or(out.amount),
            currency: to_currency,
            account: account("to")?,
            memo: None,
            ..out.clone()
        };
        let read = transfer::values(&out, &into)?;
        ledger.check_other_currencies(ctx, &[(&out.currency, 1), (&into.currency, 1)]).await?;
        let name = transfer::name(&out, &into);
        // The arguments of the two sides are in `read`.
        let mut values = declared.with_links(&new.fields, ctx.vault()).await?;
        values
            .retain(|field, value| !value.is_null() && declared.fields.get(field).is_some_and(Field::is_own));
        values.extend(read);
        let mut note = new_note(declared, &values, out.date, Some(&name), out.amount)?;
        note.text = declared.on_template(note.text, &note.name, ctx).await?;
        let path = ctx.vault().create_all(vec![note]).await?.remove(0);
        values.insert("path".into(), json!(path));
        Ok(Output::new(values.into()).from_notes([path]).into())
    }
}
