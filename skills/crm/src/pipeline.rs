use std::sync::Arc;

use nova_skill::figures::{Sums, quarter_of};
use nova_skill::{
    Description, Effect, Figure, JsonSchema, NativeTool, NotePath, Output, ToolContext, ToolError,
    ToolOutput, Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::deals::{Deal, Deals};
use crate::follow_ups::Due;
use crate::list_deals;
use crate::money::{tidy, tidy_json};
use crate::records::{CONTACT, Records};
use crate::stages::{Outcome, Stage};

pub(crate) struct Pipeline;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Sums up open deals by stage."))]
pub(crate) struct Wanted {
    /// Also every deal, and how many follow-ups are due, as a board of deals shows them.
    #[serde(default)]
    #[schemars(extend("x-label" = "With every deal", "x-help" = "Also lists the deals of each stage"))]
    board: bool,
}

#[async_trait]
impl NativeTool for Pipeline {
    type Args = Wanted;
    const ID: &'static str = "pipeline";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose(
            "Sums up the sales pipeline by stage, as it is and weighted by probability, for every currency; and what \
             was won this quarter.",
        )
        .use_when("the user asks what the pipeline looks like or what it is worth, weighted or not")
        .not_when("single deals are asked for", "crm.list_deals")
        .cite("the currency of each amount")
        .example("How much is in the pipeline, weighted?")
    }

    async fn run(&self, wanted: Wanted, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let deals = Deals::read(ctx.as_ref()).await?;
        let today = ctx.clock().today();
        let quarter = quarter_of(today);
        let mut unreadable = deals.records.unreadable_rows();
        let (mut problems, mut without_date, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        let mut shown = Vec::new();

        let mut totals = Totals::default();
        let mut stages: Vec<Total<'_>> = deals.stages.iter().map(|_| Total::default()).collect();
        for deal in deals.each() {
            let deal = deal?;
            notes.push(deal.entry.note().path.clone());
            problems.extend(deal.problem_rows());
            let Some(stage) = deal.stage else { continue };
            if let Some(at) = deals.stages.position(&stage.name) {
                stages[at].add(&deal)?;
            }
            if stage.is_open() {
                totals.open.add(&deal)?;
            }
            if stage.outcome == Some(Outcome::Won) {
                match deal.close_date {
                    Some(date) if quarter.contain(date) => totals.won.add(&deal)?,
                    Some(_) => {}
                    None => {
                        totals.won_without_date += 1;
                        without_date.extend(missing_close_date(&deal, &deals));
                    }
                }
            }
            if wanted.board {
                shown.push((stage.outcome == Some(Outcome::Won), deal));
            }
        }
        problems.extend(without_date);

        let rows: Vec<Value> =
            deals.stages.iter().zip(&stages).map(|(stage, total)| stage_row(stage, total)).collect();
        let mut out = json!({
            "stages": rows,
            "open_deals": totals.open.count,
            "open": totals.open.value.to_json(),
            "weighted": tidy_json(&totals.open.weighted),
            "won_this_quarter": totals.won.value.to_json(),
            "quarter": {"from": quarter.first.to_string(), "to": quarter.last.to_string()},
        });
        if wanted.board {
            let (won, open): (Vec<_>, Vec<_>) = shown.iter().partition(|(won, _)| *won);
            let [mut won, mut shown] =
                [won, open].map(|deals| deals.into_iter().map(|(_, deal)| deal).collect::<Vec<_>>());
            list_deals::sort(&mut shown);
            list_deals::sort_newest_first(&mut won);
            shown.extend(won);
            out["deals"] = shown.iter().map(|deal| deal.row(today)).collect::<Result<_, _>>()?;
            let contacts = Records::read(ctx.as_ref(), CONTACT).await?;
            let due = Due::count(&contacts, today)?;
            out["follow_ups_due"] = due.due_this_week().into();
            if due.overdue > 0 {
                out["follow_ups_overdue"] = format!("{} overdue", due.overdue).into();
            }
            problems.extend(due.problems);
            unreadable.extend(contacts.unreadable_rows());
        }
        for (key, list) in [("problems", problems), ("unreadable", unreadable)] {
            if !list.is_empty() {
                out[key] = list.into();
            }
        }
        let mut output = Output::new(out).from_notes(notes);
        output.figures = totals.figures(&deals, &stages);
        Ok(output.into())
    }
}

/// The totals of some deals.
#[derive(Default)]
struct Total<'a> {
    count: usize,
    value: Sums,
    /// Rounded per deal before summing, as every shown amount is.
    weighted: Sums,
    /// The deals with a value, by currency.
    notes: Vec<(&'static str, &'a NotePath)>,
    without_value: usize,
    without_probability: usize,
}

impl<'a> Total<'a> {
    fn add(&mut self, deal: &Deal<'a>) -> Result<(), ToolError> {
        self.count += 1;
        let Some(money) = &deal.value else {
            self.without_value += 1;
            return Ok(());
        };
        deal.exactly(self.value.add(money.currency, money.amount))?;
        self.notes.push((money.currency, &deal.entry.note().path));
        let Some(weighted) = deal.weighted else {
            self.without_probability += 1;
            return Ok(());
        };
        let amount = deal.exactly(weighted)?;
        deal.exactly(self.weighted.add(money.currency, amount))
    }

    fn notes_in(&self, currency: &str) -> impl Iterator<Item = NotePath> {
        self.notes.iter().filter(move |(other, _)| *other == currency).map(|(_, path)| (*path).clone())
    }
}

#[derive(Default)]
struct Totals<'a> {
    open: Total<'a>,
    won: Total<'a>,
    won_without_date: usize,
}

impl Totals<'_> {
    fn figures(&self, deals: &Deals, stages: &[Total<'_>]) -> Vec<Figure> {
        let mut figures = Vec::new();
        let open_stages =
            || deals.stages.iter().zip(stages).filter(|(stage, total)| stage.is_open() && total.count > 0);

        let no_value = (self.open.without_value > 0)
            .then(|| format!("{} without a value", deal_count(self.open.without_value)));
        for (at, (currency, amount)) in self.open.value.iter().enumerate() {
            let mut figure = Figure::new(format!("/open/{at}/amount"), "Open pipeline", amount, currency)
                .formula("Σ value of the deals that are neither won nor lost")
                .from_notes(self.open.notes_in(currency))
                .caution(no_value.clone());
            for (stage, total) in open_stages() {
                if let Some(amount) = total.value.get(currency) {
                    figure = figure.part(&stage.name, amount, currency);
                }
            }
            figures.push(figure);
        }

        let unweighted = (self.open.without_probability > 0)
            .then(|| format!("{} without a probability left out", deal_count(self.open.without_probability)));
        for (at, (currency, amount)) in self.open.weighted.iter().enumerate() {
            let mut figure =
                Figure::new(format!("/weighted/{at}/amount"), "Weighted by stage", tidy(amount), currency)
                    .formula("Σ value × probability")
                    .from_notes(self.open.notes_in(currency))
                    .caution(unweighted.clone());
            for (stage, total) in open_stages() {
                if let Some(amount) = total.weighted.get(currency) {
                    figure = figure.part(&stage.name, tidy(amount), currency);
                }
            }
            figures.push(figure);
        }

        let undated = (self.won_without_date > 0)
            .then(|| format!("{} won without a close date left out", deal_count(self.won_without_date)));
        for (at, (currency, amount)) in self.won.value.iter().enumerate() {
            figures.push(
                Figure::new(format!("/won_this_quarter/{at}/amount"), "Won this quarter", amount, currency)
                    .formula("Σ value of the deals won with a close date in the quarter")
                    .from_notes(self.won.notes_in(currency))
                    .caution(undated.clone()),
            );
        }

        for (row, (stage, total)) in deals.stages.iter().zip(stages).enumerate() {
            for (at, (currency, amount)) in total.value.iter().enumerate() {
                figures.push(
                    Figure::new(format!("/stages/{row}/total/{at}/amount"), &stage.name, amount, currency)
                        .from_notes(total.notes_in(currency)),
                );
            }
        }
        figures
    }
}

fn stage_row(stage: &Stage, total: &Total<'_>) -> Value {
    let mut row = json!({"stage": stage.name, "count": total.count, "total": total.value.to_json()});
    if let Some(probability) = stage.probability {
        row["probability"] = probability.to_string().into();
    }
    if stage.is_open() {
        row["weighted"] = tidy_json(&total.weighted);
    }
    row
}

/// The problem of a won deal without a close date: it counts in no quarter, so no figure can carry the
/// caution. An unreadable date is a separate problem.
fn missing_close_date(deal: &Deal, deals: &Deals) -> Option<Value> {
    let property = deals.records.declared.fields["close_date"].property();
    let text = deal.entry.note().document.property(property).map(|value| value.display());
    text.is_none_or(|text| text.trim().is_empty()).then(|| {
        json!({
            "path": deal.entry.path(),
            "line": deal.entry.note().document.entry(property).map_or(1, |(_, found)| found.line),
            "problem": format!("{} is won and counts in no quarter: `{property}` says no day", deal.entry.name),
            "remedy": format!("Add `{property}:` with the day on which it was won."),
        })
    })
}

fn deal_count(deals: usize) -> String {
    if deals == 1 { "1 deal".into() } else { format!("{deals} deals") }
}
