use std::sync::Arc;

use nova_skill::figures::folded;
use nova_skill::serde_json::Map;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, NewNote, Output, RecordUse, ToolContext, ToolError,
    ToolOutput, Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::arguments::{line, wrong};
use crate::ledger::{Ledger, RULE};
use crate::rules::Pattern;

pub(crate) struct AddRule;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Adds a rule that sets categories."))]
pub(crate) struct NewRule {
    /// A part of the payee's name, whatever its case; or a regular expression between slashes, such as
    /// "/metro|railway/".
    #[schemars(extend("x-label" = "Payee contains", "x-help" = "Or a regular expression between slashes"))]
    r#match: String,
    /// The category of what fits, in the user's words.
    #[schemars(extend("x-values-from" = ["expense.category", "income.category", "limit.category"]))]
    category: String,
    /// Where several rules fit, the highest wins; default: 10.
    #[schemars(extend("x-help" = "The highest rule wins; 10 if left empty"))]
    priority: Option<i64>,
    /// Fields that the user added.
    #[serde(default)]
    #[schemars(skip)]
    own: Map<String, Value>,
}

#[async_trait]
impl NativeTool for AddRule {
    type Args = NewRule;
    const ID: &'static str = "add_rule";
    const EFFECT: Effect = Effect::Write;
    const RECORD: Option<RecordUse<'static>> = Some(RecordUse::Adds(RULE));

    fn description(&self) -> Description {
        Description::purpose(
            "Adds a rule that says which category a payee belongs to. It holds for what is added or imported from now on.",
        )
        .use_when("the user says which category a payee always is")
        .not_when("entries that are there already are to be categorised", "budget.apply_rules")
        .example("Always count Metro Transit as transport")
    }

    async fn run(&self, new: NewRule, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let says = line("match", Some(&new.r#match))?.unwrap_or_default();
        let category = line("category", Some(&new.category))?.unwrap_or_default();
        Pattern::parse(&says).map_err(|why| wrong("match", format!("is not a regular expression: {why}")))?;
        let ledger = Ledger::read(ctx.as_ref()).await?;
        if let Some(there) = ledger.rules.iter().find(|rule| folded(&rule.says) == folded(&says)) {
            return Err(ToolError::Exists {
                kind: "rule for".into(),
                name: says,
                path: there.path.to_string(),
                remedy: format!("It says \"{}\"; change that note, or delete it first.", there.category),
            });
        }
        let category = ledger.spelling(&category);
        let declared = ctx.records().get(RULE)?;
        let mut values = declared.with_links(&new.own, ctx.vault()).await?;
        values.insert("match".into(), Value::from(says.as_str()));
        values.insert("category".into(), Value::from(category.as_str()));
        if let Some(priority) = new.priority {
            values.insert("priority".into(), priority.into());
        }
        let name = format!("{} is {category}", says.trim_matches('/'));
        let text = declared.on_template(declared.new_note(&values)?, &name, ctx.as_ref()).await?;
        let note = NewNote { folder: declared.folder.clone(), name, text };
        let path = ctx.vault().create_all(vec![note]).await?.remove(0);
        let value = json!({"match": says, "category": category, "path": path});
        Ok(Output::new(value).from_notes([path]).into())
    }
}
