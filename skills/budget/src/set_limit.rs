use std::sync::Arc;

use nova_skill::figures::folded;
use nova_skill::serde_json::Map;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, NewNote, Output, RecordUse, ToolContext, ToolError,
    ToolFields, ToolOutput, Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::arguments::{amount, invalid_argument, line, required, with_computed, written};
use crate::ledger::{LIMIT, Ledger};

pub(crate) struct SetLimit;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Sets a monthly limit."))]
pub(crate) struct NewLimit {
    #[serde(flatten)]
    #[schemars(skip)]
    fields: Map<String, Value>,
}

#[async_trait]
impl NativeTool for SetLimit {
    type Args = NewLimit;
    const ID: &'static str = "set_limit";
    const EFFECT: Effect = Effect::Write;
    const RECORD: Option<RecordUse<'static>> = Some(RecordUse::Sets(LIMIT));
    const FIELDS: ToolFields<'static> = ToolFields::AllBut(&[]);

    fn description(&self) -> Description {
        Description::purpose(
            "Sets how much may be spent on a category in a month; a limit that is there is changed.",
        )
        .use_when("the user wants to spend at most so much on something, or changes such a limit")
        .not_when("it is asked whether a limit holds", "budget.month_summary")
        .example("Set a limit of 120 euros a month for eating out")
    }

    async fn run(&self, new: NewLimit, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let declared = ctx.records().get(LIMIT)?;
        let given = declared.given(&new.fields);
        let category = required("category", line("category", given.text("category")?)?)?;
        let amount = amount("amount", &required("amount", given.decimal("amount")?)?)?;
        let ledger = Ledger::read(ctx.as_ref()).await?;
        let limits = ledger.limits.iter().chain(&ledger.repeated_limits);
        let of_category: Vec<_> =
            limits.filter(|limit| folded(&limit.category) == folded(&category)).collect();
        let currency = match (given.text("currency")?, of_category.as_slice()) {
            (None, [one]) => one.currency.clone(),
            (given, _) => ledger.currency_or(given)?,
        };
        let found: Vec<_> = of_category.into_iter().filter(|limit| limit.currency == currency).collect();
        let category = ledger.spelling(&category);
        let mut values = declared.with_links(&new.fields, ctx.vault()).await?;
        // Category and currency select an existing limit; the amount is set below.
        for field in ["category", "amount", "currency"] {
            values.shift_remove(field);
        }
        let mut value = json!({"category": category, "amount": amount, "currency": currency});
        let path = match found.as_slice() {
            [] => {
                ledger.check_other_currencies(ctx.as_ref(), &[(&currency, 1)]).await?;
                let read = [
                    ("category", Some(category.clone())),
                    ("amount", Some(amount.to_string())),
                    ("currency", Some(currency)),
                ];
                let values = with_computed(values, read);
                let text = declared.new_note(&values)?;
                let text = declared.on_template(text, &category, ctx.as_ref()).await?;
                let note = NewNote { folder: declared.folder.clone(), name: category, text };
                ctx.vault().create_all(vec![note]).await?.remove(0)
            }
            [limit] => {
                value["before"] = json!(written(limit.amount));
                if limit.amount != amount {
                    values.insert("amount".into(), amount.to_string().into());
                }
                if !values.is_empty() {
                    let note = ctx.vault().read(&limit.path).await?;
                    ctx.vault().set_properties(&limit.path, &declared.edits(&note, &values)?).await?;
                }
                limit.path.clone()
            }
            several => {
                let paths: Vec<&str> = several.iter().map(|limit| limit.path.as_str()).collect();
                return Err(invalid_argument(
                    "category",
                    format!("has several limits, {}; delete all but one", paths.join(" and ")),
                ));
            }
        };
        value["path"] = json!(path);
        Ok(Output::new(value).from_notes([path]).into())
    }
}
