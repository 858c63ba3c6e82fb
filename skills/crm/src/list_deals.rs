use std::cmp::Reverse;
use std::sync::Arc;

use nova_skill::figures::{Sums, folded};
use nova_skill::serde_json::Map;
use nova_skill::{
    Date, Description, Effect, Figure, JsonSchema, NativeTool, Output, RecordUse, ToolContext, ToolError,
    ToolOutput, Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::deals::{Deal, Deals};
use crate::records::DEAL;

/// Beyond this many rows nobody quotes a single one.
const ROWS_WITH_FIGURES: usize = 100;

pub(crate) struct ListDeals;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Lists your deals."))]
pub(crate) struct Filters {
    /// Only deals at this stage; "open" for all that are neither won nor lost.
    #[schemars(extend("x-help" = "Or “open”: neither won nor lost", "x-values-from" = ["deal.stage"]))]
    #[schemars(extend("x-values" = "only", "x-values-also" = ["open"]))]
    stage: Option<String>,
    /// Only deals made with this person; a part of the name is enough.
    #[schemars(extend("x-help" = "A part of the name is enough"))]
    #[schemars(extend("x-values-from" = ["deal.contact", "contact.name"], "x-values" = "part"))]
    contact: Option<String>,
    /// Only deals made with this company; a part of the name is enough.
    #[schemars(extend("x-help" = "A part of its name is enough"))]
    #[schemars(extend("x-values-from" = ["deal.company", "company.name"], "x-values" = "part"))]
    company: Option<String>,
    /// Fields that the user added.
    #[serde(default)]
    #[schemars(skip)]
    own: Map<String, Value>,
}

#[async_trait]
impl NativeTool for ListDeals {
    type Args = Filters;
    const ID: &'static str = "list_deals";
    const EFFECT: Effect = Effect::Read;
    const RECORD: Option<RecordUse<'static>> = Some(RecordUse::Lists(DEAL));

    fn description(&self) -> Description {
        Description::purpose(
            "Lists deals, all of them or those that fit every filter, with the total of their values for each currency.",
        )
        .use_when("the user asks which deals there are, open or at a stage, with a person or a company")
        .not_when("sums by stage or weighted values are asked for", "crm.pipeline")
        .example("Which deals are open with Fernhill Dairy?")
    }

    async fn run(&self, filters: Filters, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let deals = Deals::read(ctx.as_ref()).await?;
        let own = deals.records.declared.filters(&filters.own)?;
        let filters = Wanted::new(&filters, &deals)?;
        let all = deals.all()?;
        let problems: Vec<Value> = all.iter().flat_map(Deal::problem_rows).collect();
        let mut fitting = Vec::new();
        for deal in &all {
            if filters.fit(deal)? && own.fit(&deal.entry.record) {
                fitting.push(deal);
            }
        }
        sort(&mut fitting);
        answer(&fitting, problems, deals.records.unreadable_rows(), ctx.clock().today()).map(Into::into)
    }
}

/// The filters in the form they are compared in.
struct Wanted {
    stage: Option<WantedStage>,
    contact: Option<String>,
    company: Option<String>,
}

enum WantedStage {
    Open,
    Named(String),
}

impl Wanted {
    fn new(filters: &Filters, deals: &Deals) -> Result<Self, ToolError> {
        let given = |filter: &Option<String>| {
            let text = filter.as_deref().map(|text| folded(text.trim_matches(['[', ']'])));
            text.filter(|text| !text.is_empty())
        };
        let stage = match given(&filters.stage) {
            None => None,
            Some(open) if open == "open" && deals.stages.position("open").is_none() => {
                Some(WantedStage::Open)
            }
            Some(name) => Some(WantedStage::Named(deals.stages.named(&name)?.name.clone())),
        };
        Ok(Self { stage, contact: given(&filters.contact), company: given(&filters.company) })
    }

    fn fit(&self, deal: &Deal) -> Result<bool, ToolError> {
        let at_stage = match &self.stage {
            None => true,
            Some(WantedStage::Open) => deal.is_open(),
            Some(WantedStage::Named(name)) => deal.stage.is_some_and(|stage| stage.name == *name),
        };
        if !at_stage {
            return Ok(false);
        }
        for (field, wanted) in [("contact", &self.contact), ("company", &self.company)] {
            if let Some(wanted) = wanted
                && deal.entry.record.text(field)?.is_none_or(|own| !folded(&own).contains(wanted.as_str()))
            {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// By close date, those without one last, then by title.
pub(crate) fn sort(deals: &mut [&Deal]) {
    deals.sort_by_cached_key(|deal| {
        (deal.close_date.is_none(), deal.close_date, folded(&deal.entry.name), deal.entry.path())
    });
}

/// By close date, the newest first, those without one last, then by title.
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
                Figure::new(format!("/deals/{at}/value"), name, money.shown(), money.currency)
                    .from_notes([deal.entry.note().path.clone()]),
            );
        }
    }
    Ok(output)
}
