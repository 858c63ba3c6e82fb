use std::sync::Arc;

use nova_skill::{
    Date, Description, Effect, Figure, JsonSchema, NativeTool, Output, ToolContext, ToolError, ToolOutput,
    Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::arguments::{date, line, wrong};
use crate::ledger::{Entry, Ledger, UNCATEGORISED};
use crate::money::{Sums, minus, money};
use crate::period::{Days, Month};

/// How many rows are shown where nothing is said; sums and count are of all.
const ROWS: usize = 200;

pub(crate) struct List;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Filters {
    /// The first day, YYYY-MM-DD.
    #[schemars(extend("format" = "date"))]
    from: Option<String>,
    /// The last day, YYYY-MM-DD; the end of this month where nothing is given.
    #[schemars(extend("format" = "date"))]
    to: Option<String>,
    /// Only this category; "uncategorised" finds entries without one.
    category: Option<String>,
    /// Only this month, YYYY-MM, instead of the two days.
    month: Option<String>,
    /// Only those whose payee or memo contains this.
    payee: Option<String>,
    /// How many rows to show, newest first; 200 where nothing is given. Count and sums are of all.
    limit: Option<usize>,
}

#[async_trait]
impl NativeTool for List {
    type Args = Filters;
    const ID: &'static str = "list";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose(
            "Lists incomes and expenses, newest first, with their count and sums. What comes again is listed on each of \
             its days.",
        )
        .use_when("single payments, incomes or expenses are to be listed or looked up")
        .not_when("a month as a whole is asked about", "budget.month_summary")
        .cite("the period")
        .example("List my payments to Corner Market in October")
    }

    async fn run(&self, filters: Filters, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let today = ctx.clock().today();
        let days = filters.days(today)?;
        let category = line("category", filters.category.as_deref().filter(|text| !text.trim().is_empty()))?;
        let category = category.as_deref().map(nova_skill::folded);
        let payee = filters.payee.as_deref().map(nova_skill::folded).filter(|payee| !payee.is_empty());
        let ledger = Ledger::read(ctx.as_ref()).await?;
        let is_paid_to = |entry: &Entry, wanted: &str| {
            let texts = [Some(entry.payee()), entry.memo.as_deref()];
            texts.into_iter().flatten().any(|text| nova_skill::folded(text).contains(wanted))
        };
        let mut rows: Vec<(Date, &Entry)> = ledger
            .entries
            .iter()
            .filter(|entry| category.as_deref().is_none_or(|key| entry.is_of(key)))
            .filter(|entry| payee.as_deref().is_none_or(|payee| is_paid_to(entry, payee)))
            .flat_map(|entry| entry.days(days).into_iter().map(move |day| (day, entry)))
            .collect();
        rows.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.path.cmp(&b.1.path)));

        let (mut income, mut spent) = (Sums::default(), Sums::default());
        for (_, entry) in &rows {
            let side = if entry.is_income { &mut income } else { &mut spent };
            side.add(&entry.currency, entry.counted())?;
        }
        let mut currencies: Vec<String> =
            income.currencies().chain(spent.currencies()).map(str::to_owned).collect();
        currencies.sort();
        currencies.dedup();
        let mut totals = Vec::new();
        let mut figures = Vec::new();
        for (at, currency) in currencies.iter().enumerate() {
            let (earned, paid) = (money(income.get(currency)), money(spent.get(currency)));
            let left = money(minus(earned, paid)?);
            totals.push(json!({"currency": currency, "income": earned, "spent": paid, "left": left}));
            let figure = |key: &str, label: &str, value, side: Option<bool>| {
                let own = rows.iter().filter(|(_, entry)| {
                    entry.currency == *currency && side.is_none_or(|is_income| entry.is_income == is_income)
                });
                let upcoming = own.clone().filter(|(day, _)| *day > today).count();
                Figure::new(format!("/totals/{at}/{key}"), label, value, currency.as_str())
                    .caution(ledger.caution(upcoming))
                    .from_notes(paths(own.map(|(_, entry)| *entry)))
            };
            figures.push(figure("income", "Income", earned, Some(true)).formula("Σ incomes"));
            figures.push(figure("spent", "Spent", paid, Some(false)).formula("Σ expenses − refunds"));
            figures.push(
                figure("left", "Left", left, None)
                    .formula("income − spent")
                    .part("Income", earned, currency.as_str())
                    .part("Spent", paid, currency.as_str()),
            );
        }
        let shown = filters.limit.unwrap_or(ROWS);
        let lines: Vec<Value> = rows.iter().take(shown).map(|(day, entry)| row(*day, entry, today)).collect();
        let mut value = json!({
            "to": days.last, "count": rows.len(), "totals": totals,
            "entries": lines, "unreadable": ledger.unreadable_rows(),
        });
        if days.first > Date::MIN {
            value["from"] = json!(days.first);
        }
        if rows.len() > shown {
            value["not_shown"] = json!(rows.len() - shown);
        }
        let mut output = Output::new(value).from_notes(paths(rows.iter().map(|(_, entry)| *entry)));
        output.figures = figures;
        Ok(output.into())
    }
}

impl Filters {
    fn days(&self, today: Date) -> Result<Days, ToolError> {
        let given = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        let (from, to) = (given(&self.from), given(&self.to));
        if let Some(month) = given(&self.month) {
            if from.is_some() || to.is_some() {
                return Err(wrong("month", "stands for both days; give it alone".into()));
            }
            return Ok(Month::parse("month", &month, today)?.days());
        }
        let first = from.map_or(Ok(Date::MIN), |from| date("from", &from))?;
        let last = match to {
            Some(to) => date("to", &to)?,
            None => Month::of(today.max(first)).days().last,
        };
        if last < first {
            return Err(wrong("to", format!("is before {first}")));
        }
        Ok(Days { first, last })
    }
}

fn row(day: Date, entry: &Entry, today: Date) -> Value {
    let kind = match (entry.is_income, entry.is_refund) {
        (true, false) => "income",
        (false, false) => "expense",
        (_, true) => "refund",
    };
    let mut row = json!({
        "date": day,
        "payee": entry.payee(),
        "category": entry.category.as_deref().unwrap_or(UNCATEGORISED),
        "kind": kind,
        "amount": money(entry.amount),
        "signed": money(entry.signed()),
        "currency": entry.currency,
        "path": entry.path,
    });
    let mut said = Vec::new();
    if entry.is_refund {
        said.push("refund");
    }
    if entry.every.is_some() {
        said.push("comes again");
    }
    if day > today {
        row["upcoming"] = json!(true);
        said.push("still to come");
    }
    if !said.is_empty() {
        row["detail"] = json!(said.join(", "));
    }
    for (key, value) in [("account", &entry.account), ("memo", &entry.memo)] {
        if let Some(value) = value {
            row[key] = json!(value);
        }
    }
    row
}

/// The notes of these entries, each once, in the order of their paths.
pub(crate) fn paths<'a>(entries: impl Iterator<Item = &'a Entry>) -> Vec<nova_skill::NotePath> {
    let mut paths: Vec<_> = entries.map(|entry| entry.path.clone()).collect();
    paths.sort();
    paths.dedup();
    paths
}
