use std::collections::BTreeSet;
use std::sync::Arc;

use nova_skill::{
    Date, Decimal, Description, Effect, Figure, JsonSchema, NativeTool, Output, ToolContext, ToolError,
    ToolOutput, Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::arguments::{date, line, wrong};
use crate::ledger::{Entry, Ledger, UNCATEGORISED};
use crate::money::{Sums, minus, money, plus};
use crate::period::{Days, Month};

/// How many rows are shown where nothing is said; sums and count are of all.
const ROWS: usize = 200;

pub(crate) struct List;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Lists budget entries."))]
pub(crate) struct Filters {
    /// The first day, YYYY-MM-DD.
    #[schemars(extend("format" = "date"))]
    #[schemars(extend("x-help" = "The first day"))]
    from: Option<String>,
    /// The last day, YYYY-MM-DD; the end of this month where nothing is given.
    #[schemars(extend("format" = "date"))]
    #[schemars(extend("x-help" = "End of this month if left empty"))]
    to: Option<String>,
    /// Only this category; "uncategorised" finds entries without one.
    #[schemars(extend("x-help" = "Or “uncategorised”"))]
    #[schemars(extend("x-values-from" = ["expense.category", "income.category"], "x-values" = "only"))]
    #[schemars(extend("x-values-also" = ["uncategorised"]))]
    category: Option<String>,
    /// Only this month, YYYY-MM, instead of the two days.
    #[schemars(extend("x-help" = "YYYY-MM, instead of from and to"))]
    month: Option<String>,
    /// Only those whose payee or memo contains this.
    #[schemars(extend("x-help" = "A part of payee or memo"))]
    #[schemars(extend("x-values-from" = ["expense.payee", "income.payee"], "x-values" = "part"))]
    payee: Option<String>,
    /// How many rows to show, newest first; 200 where nothing is given. Count and sums are of all.
    #[schemars(extend("x-label" = "Rows", "x-help" = "200 if left empty"))]
    limit: Option<usize>,
}

#[async_trait]
impl NativeTool for List {
    type Args = Filters;
    const ID: &'static str = "list";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose(
            "Lists incomes and expenses, newest first, with their count and sums so far; upcoming ones are summed \
             apart. A recurring entry is listed on each of its days.",
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

        let totals = Totals::of(&rows, today)?;
        let shown = filters.limit.unwrap_or(ROWS);
        let lines: Vec<Value> = rows.iter().take(shown).map(|(day, entry)| row(*day, entry, today)).collect();
        let mut value = json!({
            "to": days.last, "count": rows.len(), "totals": totals.told()?,
            "upcoming": rows.iter().filter(|(day, _)| *day > today).count(),
            "entries": lines, "unreadable": ledger.unreadable_rows(),
        });
        if days.first > Date::MIN {
            value["from"] = json!(days.first);
        }
        if rows.len() > shown {
            value["not_shown"] = json!(rows.len() - shown);
        }
        let mut output = Output::new(value).from_notes(paths(rows.iter().map(|(_, entry)| *entry)));
        output.figures = totals.figures(&rows, &ledger)?;
        Ok(output.into())
    }
}

/// The sums of all that fits, up to today and after it.
#[derive(Default)]
struct Totals {
    today: Date,
    income: Sums,
    spent: Sums,
    upcoming_income: Sums,
    upcoming_spent: Sums,
}

/// The keys of one currency's totals, each with its label and its formula.
const TOTALS: [(&str, &str, &str); 6] = [
    ("income", "Income", "Σ incomes"),
    ("spent", "Spent", "Σ expenses − refunds"),
    ("left", "Left", "income − spent"),
    ("upcoming_income", "Upcoming income", "Σ incomes"),
    ("upcoming_spent", "Upcoming spent", "Σ expenses − refunds"),
    ("left_with_upcoming", "Left with upcoming", "left + upcoming income − upcoming spent"),
];

impl Totals {
    fn of(rows: &[(Date, &Entry)], today: Date) -> Result<Self, ToolError> {
        let mut totals = Self { today, ..Self::default() };
        for (day, entry) in rows {
            let sums = match (entry.is_income, *day > today) {
                (true, false) => &mut totals.income,
                (false, false) => &mut totals.spent,
                (true, true) => &mut totals.upcoming_income,
                (false, true) => &mut totals.upcoming_spent,
            };
            sums.add(&entry.currency, entry.counted())?;
        }
        Ok(totals)
    }

    fn currencies(&self) -> BTreeSet<&str> {
        let sums = [&self.income, &self.spent, &self.upcoming_income, &self.upcoming_spent];
        sums.into_iter().flat_map(Sums::currencies).collect()
    }

    /// In the order of [`TOTALS`].
    fn amounts(&self, currency: &str) -> Result<[Decimal; 6], ToolError> {
        let [income, spent, upcoming_income, upcoming_spent] =
            [&self.income, &self.spent, &self.upcoming_income, &self.upcoming_spent]
                .map(|sums| money(sums.get(currency)));
        let left = money(minus(income, spent)?);
        let with_upcoming = money(minus(plus(left, upcoming_income)?, upcoming_spent)?);
        Ok([income, spent, left, upcoming_income, upcoming_spent, with_upcoming])
    }

    fn told(&self) -> Result<Vec<Value>, ToolError> {
        let told = |currency| {
            let mut row = json!({ "currency": currency });
            for ((key, ..), amount) in TOTALS.iter().zip(self.amounts(currency)?) {
                row[*key] = json!(amount);
            }
            Ok(row)
        };
        self.currencies().into_iter().map(told).collect()
    }

    fn figures(&self, rows: &[(Date, &Entry)], ledger: &Ledger) -> Result<Vec<Figure>, ToolError> {
        let mut figures = Vec::new();
        for (at, currency) in self.currencies().into_iter().enumerate() {
            let amounts = self.amounts(currency)?;
            for ((key, label, formula), amount) in TOTALS.iter().zip(amounts) {
                let is_behind = |day: Date, entry: &Entry| {
                    let is_upcoming = day > self.today;
                    match *key {
                        "income" => entry.is_income && !is_upcoming,
                        "spent" => !entry.is_income && !is_upcoming,
                        "left" => !is_upcoming,
                        "upcoming_income" => entry.is_income && is_upcoming,
                        "upcoming_spent" => !entry.is_income && is_upcoming,
                        _ => true,
                    }
                };
                let own =
                    rows.iter().filter(|(day, entry)| entry.currency == currency && is_behind(*day, entry));
                let mut figure = Figure::new(format!("/totals/{at}/{key}"), *label, amount, currency)
                    .formula(*formula)
                    .caution(ledger.caution())
                    .from_notes(paths(own.map(|(_, entry)| *entry)));
                let parts: &[usize] = match *key {
                    "left" => &[0, 1],
                    "left_with_upcoming" => &[2, 3, 4],
                    _ => &[],
                };
                for part in parts {
                    figure = figure.part(TOTALS[*part].1, amounts[*part], currency);
                }
                figures.push(figure);
            }
        }
        Ok(figures)
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
        said.push("refund".to_owned());
    }
    if entry.every.is_some() {
        said.push("repeats".to_owned());
    }
    if day > today {
        row["upcoming"] = json!(true);
        said.push(format!("due {}", day.strftime("%-d %b")));
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
