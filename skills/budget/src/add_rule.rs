use std::sync::Arc;

use nova_skill::figures::folded;
use nova_skill::serde_json::Map;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, NewNote, Output, RecordUse, ToolContext, ToolError,
    ToolFields, ToolOutput, Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::arguments::{invalid_argument, line, required, with_computed};
use crate::ledger::{Ledger, RULE};
use crate::rules::Pattern;

pub(crate) struct AddRule;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Adds a rule that sets categories."))]
pub(crate) struct NewRule {
    #[serde(flatten)]
    #[schemars(skip)]
    fields: Map<String, Value>,
}

#[async_trait]
impl NativeTool for AddRule {
    type Args = NewRule;
    const ID: &'static str = "add_rule";
    const EFFECT: Effect = Effect::Write;
    const RECORD: Option<RecordUse<'static>> = Some(RecordUse::Adds(RULE));
    const FIELDS: ToolFields<'static> = ToolFields::AllBut(&[]);

    fn description(&self) -> Description {
        Description::purpose(
            "Adds a rule that says which category a payee belongs to. It holds for what is added or imported from now on.",
        )
        .use_when("the user says which category a payee always is")
        .not_when("entries that are there already are to be categorised", "budget.apply_rules")
        .example("Always count Metro Transit as transport")
    }

    async fn run(&self, new: NewRule, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let declared = ctx.records().get(RULE)?;
        let given = declared.given(&new.fields);
        let pattern = required("match", line("match", given.text("match")?)?)?;
        let category = required("category", line("category", given.text("category")?)?)?;
        Pattern::parse(&pattern)
            .map_err(|why| invalid_argument("match", format!("is not a regular expression: {why}")))?;
        let ledger = Ledger::read(ctx.as_ref()).await?;
        if let Some(existing) =
            ledger.rules.iter().find(|rule| folded(&rule.pattern_text) == folded(&pattern))
        {
            return Err(ToolError::Exists {
                kind: "rule for".into(),
                name: pattern,
                path: existing.path.to_string(),
                remedy: format!("It says \"{}\"; change that note, or delete it first.", existing.category),
            });
        }
        let category = ledger.spelling(&category);
        let read = [("match", Some(pattern.clone())), ("category", Some(category.clone()))];
        let values = with_computed(declared.with_links(&new.fields, ctx.vault()).await?, read);
        let name = format!("{} is {category}", pattern.trim_matches('/'));
        let text = declared.on_template(declared.new_note(&values)?, &name, ctx.as_ref()).await?;
        let note = NewNote { folder: declared.folder.clone(), name, text };
        let path = ctx.vault().create_all(vec![note]).await?.remove(0);
        let value = json!({"match": pattern, "category": category, "path": path});
        Ok(Output::new(value).from_notes([path]).into())
    }
}
