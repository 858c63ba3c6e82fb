use std::sync::Arc;

use nova_skill::serde_json::Map;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, RecordUse, ToolContext, ToolError, ToolFields,
    ToolOutput, Value, async_trait, json, schemars, summarize,
};
use serde::Deserialize;

use crate::deals::Deals;
use crate::details::Details;
use crate::records::DEAL;
use crate::update_contact::effective_edits;

pub(crate) struct UpdateDeal;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Changes a deal."))]
pub(crate) struct ChangedDeal {
    /// The deal: its title or a part of it, or the note's path.
    #[schemars(extend("x-label" = "Deal", "x-record" = "deal"))]
    title: String,
    #[serde(flatten)]
    #[schemars(skip)]
    fields: Map<String, Value>,
}

#[async_trait]
impl NativeTool for UpdateDeal {
    type Args = ChangedDeal;
    const ID: &'static str = "update_deal";
    const EFFECT: Effect = Effect::Write;
    const RECORD: Option<RecordUse<'static>> = Some(RecordUse::Changes(DEAL));
    const FIELDS: ToolFields<'static> = ToolFields::AllBut(&["stage"]);

    fn description(&self) -> Description {
        Description::purpose(
            "Changes the given properties of one deal and nothing else in its note. Answers with what changed.",
        )
        .use_when("a deal or quote that is there is worth another amount now, or its dates or people changed")
        .not_when("the deal moved to another stage", "crm.move_deal")
        .example("The Fernhill quote is 26,000 now and closes in January")
    }

    async fn run(&self, changed: ChangedDeal, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let declared = ctx.records().get(DEAL)?;
        let mut details = Details::of(declared, &changed.fields)?.require_changes(declared, Self::FIELDS)?;
        let unknown = details.link(ctx.as_ref()).await?;

        let deals = Deals::read(ctx.as_ref()).await?;
        let deal = deals.records.find(&changed.title)?;
        let before = deal.note();
        let gains_value = details.0.get("value").is_some_and(|value| !value.is_null());
        if gains_value && !details.0.contains_key("currency") && deal.record.text("currency")?.is_none() {
            details.0.insert("currency".into(), deals.default_currency()?.into());
        }
        if let Some(currency) = details.0.get("currency").map(Value::as_str) {
            let has_value =
                details.0.get("value").map_or(deal.record.text("value")?.is_some(), |value| !value.is_null());
            if let (None, true, Some(removed)) = (currency, has_value, deal.record.text("currency")?) {
                deals.check_currency_removal(&before.path, &removed)?;
            }
            deals.check_other_currencies(Some(&before.path), currency)?;
        }
        let edits = declared.edits(before, &declared.with_links(&details.0, ctx.vault()).await?)?;
        let edits = effective_edits(before, edits, ctx.vault()).await?;
        ctx.vault().set_properties(&before.path, &edits).await?;

        let after = ctx.vault().read(&before.path).await?;
        let mut out = json!({
            "title": deal.name,
            "changed": summarize(&before.text, &after.text),
            "path": before.path,
        });
        if !unknown.is_empty() {
            out["problems"] = unknown.into();
        }
        Ok(Output::new(out).from_notes([before.path.clone()]).into())
    }
}
