use std::cmp::Reverse;
use std::sync::Arc;

use nova_skill::figures::{Sums, folded};
use nova_skill::serde_json::Map;
use nova_skill::{
    Date, Description, Effect, Figure, JsonSchema, NativeTool, Output, RecordUse, ToolContext, ToolError,
    ToolFields, ToolOutput, Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::deals::{Deal, Deals};
use crate::records::DEAL;

/// Longer lists carry no figures: users do not quote single rows of them.
const ROWS_WITH_FIGURES: usize = 100;

pub(crate) struct ListDeals;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Lists your deals."))]
pub(crate) struct Filters {
    #[serde(flatten)]
    #[schemars(skip)]
    fields: Map<String, Value>,
}

#[async_trait]
impl NativeTool for ListDeals {
    type Args = Filters;
    const ID: &'static str = "list_deals";
    const EFFECT: Effect = Effect::Read;
    const RECORD: Option<RecordUse<'static>> = Some(RecordUse::Lists(DEAL));
    const FIELDS: ToolFields<'static> = ToolFields::Only(&["stage", "contact", "company"]);

    fn description(&self) -> Description {
        Description::purpose(
            "Lists deals, all of them or those that fit every filter, with the total of their values for each currency.",
        )
        .use_when("the user asks which deals there are, open or at a stage, with a person or a company")
        .not_when("sums by stage or weighted values are asked for", "crm.pipeline")
        .example("Which deals are open with Fernhill Dairy?")
    }

    fn refine_parameters(&self, parameters: &mut Value) {
        let stage = &mut parameters["properties"]["stage"];
        stage["description"] =
            json!("Only deals at this stage; \"open\" for all that are neither won nor lost.");
        stage["x-help"] = json!("Or “open”: neither won nor lost");
        stage["x-values-also"] = json!([OPEN]);
    }

    async fn run(&self, mut filters: Filters, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let deals = Deals::read(ctx.as_ref()).await?;
        let given = filters.fields.shift_remove("stage");
        let stage = WantedStage::new(given.as_ref().and_then(Value::as_str), &deals)?;
        let by_fields = deals.records.declared.filters(&filters.fields)?;
        let all = deals.all()?;
        let problems: Vec<Value> = all.iter().flat_map(Deal::problem_rows).collect();
        let mut fitting: Vec<&Deal> =
            all.iter().filter(|deal| stage.fits(deal) && by_fields.fit(&deal.entry.record)).collect();
        sort(&mut fitting);
        answer(&fitting, problems, deals.records.unreadable_rows(), ctx.clock().today()).map(Into::into)
    }
}

/// The filter for deals that are neither won nor lost.
const OPEN: &str = "open";

enum WantedStage {
    Any,
    Open,
    Named(String),
}

impl WantedStage {
    fn new(given: Option<&str>, deals: &Deals) -> Result<Self, ToolError> {
        let wanted = given.map(folded).filter(|given| !given.is_empty());
        Ok(match wanted.as_deref() {
            None => Self::Any,
            Some(OPEN) if deals.stages.position(OPEN).is_none() => Self::Open,
            Some(name) => Self::Named(deals.stages.named(name)?.name.clone()),
        })
    }

    fn fits(&self, deal: &Deal) -> bool {
        match self {
            Self::Any => true,
            Self::Open => deal.is_open(),
            Self::Named(name) => deal.stage.is_some_and(|stage| stage.name == *name),
        }
    }
}

/// By close date, undated deals last, then by title.
pub(crate) fn sort(deals: &mut [&Deal]) {
    deals.sort_by_cached_key(|deal| {
        (deal.close_date.is_none(), deal.close_date, folded(&deal.entry.name), deal.entry.path())
    });
}

/// By close date, newest first, undated deals last, then by title.
pub(crate) fn sort_newest_first(deals: &mut [&Deal]) {
    deals.sort_by_cached_key(|deal| {
        (deal.close_date.is_none(), Reverse(deal.close_date), folded(&deal.entry.name), deal.entry.path())
    });
}

fn answer(
    deals: &[&Deal],
    problems: Vec<Value>,
    unreadable: Vec<Value>,
    today: Date,
) -> Result<Output, ToolError> {
    let mut total = Sums::default();
    let mut rows = Vec::new();
    for deal in deals {
        if let Some(money) = &deal.value {
            deal.exactly(total.add(money.currency, money.amount))?;
        }
        rows.push(deal.row(today)?);
    }
    let mut out = json!({"deals": rows, "count": deals.len(), "total": total.to_json()});
    for (key, list) in [("problems", problems), ("unreadable", unreadable)] {
        if !list.is_empty() {
            out[key] = list.into();
        }
    }
    let mut output = Output::new(out).from_notes(deals.iter().map(|deal| deal.entry.note().path.clone()));
    for (at, (currency, amount)) in total.iter().enumerate() {
        let of_currency = deals.iter().filter_map(|deal| {
            let is = deal.value.as_ref().is_some_and(|money| money.currency == currency);
            is.then(|| deal.entry.note().path.clone())
        });
        output = output.figure(
            Figure::new(format!("/total/{at}/amount"), "Value of these deals", amount, currency)
                .formula("Σ value")
                .from_notes(of_currency),
        );
    }
    for (at, deal) in deals.iter().enumerate().take(ROWS_WITH_FIGURES) {
        if let Some(money) = &deal.value {
            let name = deal.entry.name.as_ref();
            output = output.figure(
                Figure::new(format!("/deals/{at}/value"), name, money.rounded(), money.currency)
                    .from_notes([deal.entry.note().path.clone()]),
            );
        }
    }
    Ok(output)
}
