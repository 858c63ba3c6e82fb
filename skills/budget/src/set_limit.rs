use std::sync::Arc;

use nova_skill::figures::folded;
use nova_skill::serde_json::Map;
use nova_skill::{
    Description, Effect, GivenDecimal, JsonSchema, NativeTool, NewNote, Output, RecordUse, ToolContext,
    ToolError, ToolOutput, Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::arguments::{amount, line, written, wrong};
use crate::ledger::{LIMIT, Ledger};

pub(crate) struct SetLimit;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Sets a monthly limit."))]
pub(crate) struct NewLimit {
    /// The category, in the user's words.
    #[schemars(extend("x-values-from" = ["expense.category", "income.category", "limit.category"]))]
    category: String,
    /// How much may be spent in a month, a positive decimal such as "280.00".
    #[schemars(extend("x-label" = "Monthly limit"))]
    amount: GivenDecimal,
    /// The currency's code, such as EUR; default: that of the other notes.
    #[schemars(extend("x-starts" = "currency"))]
    #[schemars(extend("x-values-from" = ["expense.currency", "income.currency", "limit.currency"]))]
    currency: Option<String>,
    /// Fields that the user added.
    #[serde(default)]
    #[schemars(skip)]
    own: Map<String, Value>,
}

#[async_trait]
impl NativeTool for SetLimit {
    type Args = NewLimit;
    const ID: &'static str = "set_limit";
    const EFFECT: Effect = Effect::Write;
    const RECORD: Option<RecordUse<'static>> = Some(RecordUse::Changes(LIMIT));

    fn description(&self) -> Description {
        Description::purpose(
            "Sets how much may be spent on a category in a month; a limit that is there is changed.",
        )
        .use_when("the user wants to spend at most so much on something, or changes such a limit")
        .not_when("it is asked whether a limit holds", "budget.month_summary")
        .example("Set a limit of 120 euros a month for eating out")
    }

    async fn run(&self, new: NewLimit, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let category = line("category", Some(&new.category))?.unwrap_or_default();
        let amount = amount("amount", &new.amount)?;
        let ledger = Ledger::read(ctx.as_ref()).await?;
        let limits = ledger.limits.iter().chain(&ledger.repeated_limits);
        let of_category: Vec<_> =
            limits.filter(|limit| folded(&limit.category) == folded(&category)).collect();
        let currency = match (&new.currency, of_category.as_slice()) {
            (None, [one]) => one.currency.clone(),
            (given, _) => ledger.currency_or(given.as_deref())?,
        };
        let found: Vec<_> = of_category.into_iter().filter(|limit| limit.currency == currency).collect();
        let declared = ctx.records().get(LIMIT)?;
        let category = ledger.spelling(&category);
        let mut values = declared.with_links(&new.own, ctx.vault()).await?;
        let mut value = json!({"category": category, "amount": amount, "currency": currency});
        let path = match found.as_slice() {
            [] => {
                ledger.leaves_others(ctx.as_ref(), &[(&currency, 1)]).await?;
                values.retain(|_, value| !value.is_null());
                values.extend(
                    [("category", category.clone()), ("amount", amount.to_string()), ("currency", currency)]
                        .map(|(field, value)| (field.to_owned(), value.into())),
                );
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
                return Err(wrong(
                    "category",
                    format!("has several limits, {}; delete all but one", paths.join(" and ")),
                ));
            }
        };
        value["path"] = json!(path);
        Ok(Output::new(value).from_notes([path]).into())
    }
}
