//! Compares a month with its limits and with earlier months.

mod figures;
mod row;

use crate::arguments::month as month_argument;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use nova_skill::figures::{Days, Month, Sums, folded, minus, money, percent, plus, rounded_to};
use nova_skill::{
    Date, Decimal, Description, Effect, JsonSchema, NativeTool, NotePath, Output, ToolContext, ToolError,
    ToolOutput, Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::arguments::invalid_argument;
use crate::ledger::{Entry, Ledger, Limit, Spellings};
use crate::list::paths;
use crate::transfer::Transfer;
use figures::Figures;
use row::Row;

/// The number of months in the trend, including the requested one.
const MONTHS: i32 = 6;

pub(crate) struct MonthSummary;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Sums up a month."))]
pub(crate) struct Which {
    /// The month, YYYY-MM; "today" for this one.
    #[serde(default)]
    #[schemars(extend("x-help" = "YYYY-MM, or “today”"))]
    month: String,
    /// How many months to compare, including this one: 1 to 24; default: 6.
    #[schemars(extend("x-label" = "Months to compare", "x-help" = "1 to 24"))]
    months: Option<i32>,
    /// The currency that comes first, such as EUR; default: the usual one. The others follow.
    #[schemars(extend("x-label" = "First currency"))]
    #[schemars(extend("x-values-from" = ["expense.currency", "income.currency", "limit.currency"]))]
    #[schemars(extend("x-values" = "part"))]
    currency: Option<String>,
    /// Whether the twelve months of the year follow as "year".
    #[serde(default)]
    #[schemars(extend("x-label" = "With the year", "x-help" = "Adds the twelve months of its year"))]
    year: bool,
}

#[async_trait]
impl NativeTool for MonthSummary {
    type Args = Which;
    const ID: &'static str = "month_summary";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose(
            "Sums up a month: income, spent and left so far, each category against its limit and the months before. \
             Upcoming entries, those of recurring ones included, and transfers stand apart.",
        )
        .use_when("the user asks how a month stands, how much was spent or is left, or whether a limit holds")
        .not_when("single payments are asked for", "budget.list")
        .cite("the month")
        .example("How much have I spent on groceries this month?")
    }

    fn refine_parameters(&self, parameters: &mut Value) {
        parameters["required"] = json!([]);
    }

    async fn run(&self, which: Which, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let today = ctx.clock().today();
        let month = month_argument("month", &which.month, today)?;
        let months = which.months.unwrap_or(MONTHS);
        if !(1..=24).contains(&months) {
            return Err(invalid_argument("months", "must be 1 to 24".into()));
        }
        let ledger = Ledger::read(ctx.as_ref()).await?;
        let given = which.currency.as_deref().filter(|text| !text.trim().is_empty());
        let first = given.map(|given| ledger.currency_or(Some(given))).transpose()?;
        let mut output = Summary::of(&ledger, month, months, today)?.to_output(&ledger, first)?;
        if which.year {
            let currency = output.value["currency"].as_str().unwrap_or_default().to_owned();
            output.value["year"] = Summary::of(&ledger, month.last_of_year(), 12, today)?.year(&currency)?;
        }
        Ok(output.into())
    }
}

/// The sums of a month and of the months before it.
struct Summary<'a> {
    month: Month,
    /// Oldest first; the requested month is the last.
    months: Vec<Sides<'a>>,
    /// The occurrences of the entries in the month.
    entries: Vec<(Date, &'a Entry)>,
    /// The transfers of the month; in no other sum.
    transfers: Vec<&'a Transfer>,
    /// Later days are upcoming.
    today: Date,
    /// The month of the first entry.
    since: Option<Month>,
}

/// The sums of one month.
struct Sides<'a> {
    month: Month,
    income: Side<'a>,
    spent: Side<'a>,
}

/// Income or spending.
#[derive(Default)]
struct Side<'a> {
    so_far: Total<'a>,
    /// Dated after today.
    upcoming: Total<'a>,
}

#[derive(Default)]
struct Total<'a> {
    all: Sums,
    /// By folded category and currency.
    by_category: BTreeMap<(&'a str, &'a str), Decimal>,
}

impl<'a> Sides<'a> {
    fn of(month: Month) -> Self {
        Self { month, income: Side::default(), spent: Side::default() }
    }

    fn currencies(&self) -> impl Iterator<Item = &str> {
        [&self.income, &self.spent]
            .into_iter()
            .flat_map(|side| side.so_far.all.currencies().chain(side.upcoming.all.currencies()))
    }
}

impl<'a> Side<'a> {
    fn add(&mut self, entry: &'a Entry, is_upcoming: bool) -> Result<(), ToolError> {
        let total = if is_upcoming { &mut self.upcoming } else { &mut self.so_far };
        let sum = total.by_category.entry((&entry.category_key, &entry.currency)).or_default();
        *sum = plus(*sum, entry.counted())?;
        Ok(total.all.add(&entry.currency, entry.counted())?)
    }

    /// The folded categories with an entry in this currency.
    fn categories(&self, currency: &str) -> impl Iterator<Item = &'a str> {
        let keys = self.so_far.by_category.keys().chain(self.upcoming.by_category.keys());
        keys.filter(move |(_, of)| *of == currency).map(|(category, _)| *category)
    }
}

impl Total<'_> {
    fn of(&self, category: &str, currency: &str) -> Decimal {
        self.by_category.get(&(category, currency)).copied().unwrap_or_default()
    }
}

impl<'a> Summary<'a> {
    fn of(ledger: &'a Ledger, month: Month, count: i32, today: Date) -> Result<Self, ToolError> {
        let mut months: Vec<Sides<'_>> = (0..count).rev().map(|back| Sides::of(month.back(back))).collect();
        let first = months.first().map_or(month, |first| first.month);
        let span = Days { first: first.days().first, last: month.days().last };
        let mut entries = Vec::new();
        for entry in &ledger.entries {
            for day in entry.days(span) {
                let of = Month::of(day);
                if let Some(sides) = months.iter_mut().find(|sides| sides.month == of) {
                    let side = if entry.is_income { &mut sides.income } else { &mut sides.spent };
                    side.add(entry, day > today)?;
                }
                if of == month {
                    entries.push((day, entry));
                }
            }
        }
        let since = ledger.entries.iter().map(|entry| Month::of(entry.date)).min();
        let of_month = |transfer: &&Transfer| month.days().contain(transfer.out.date);
        let transfers = ledger.transfers.iter().filter(of_month).collect();
        Ok(Self { month, months, entries, transfers, today, since })
    }

    fn to_output(&self, ledger: &Ledger, first: Option<String>) -> Result<Output, ToolError> {
        let Some(sides) = self.months.last() else { return Ok(Output::default()) };
        let mut currencies: BTreeSet<String> = sides.currencies().map(str::to_owned).collect();
        currencies.extend(self.transfers.iter().map(|transfer| transfer.out.currency.clone()));
        currencies.extend(ledger.limits.iter().map(|limit| limit.currency.clone()));
        let main = first.or_else(|| ledger.currency.clone()).or_else(|| currencies.iter().next().cloned());
        let main = main.unwrap_or_default();
        currencies.remove(&main);

        let spellings = Spellings::of(ledger);
        let upcoming = self.entries.iter().filter(|(day, _)| *day > self.today).count();
        let mut output = Output::default();
        let mut value = json!({ "month": self.month.to_string() });
        merge(&mut value, self.in_currency(ledger, &spellings, &main, "", &mut output)?);
        let mut others = Vec::new();
        for (at, currency) in currencies.iter().enumerate() {
            let at = format!("/other_currencies/{at}");
            let other = self.in_currency(ledger, &spellings, currency, &at, &mut output)?;
            others.push(other);
        }
        // Inserts the other currencies between the figure and its detail.
        for key in ["income", "spent", "left"].into_iter().filter(|_| !others.is_empty()) {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let amount = |other: &Value| format!("and {} {}", text(&other[key]), text(&other["currency"]));
            let detail = &mut value[format!("{key}_detail")];
            let and = others.iter().map(amount).collect::<Vec<_>>().join(", ");
            *detail = match detail.as_str() {
                Some(detail) => format!("{and}; {detail}").into(),
                None => and.into(),
            };
        }
        value["other_currencies"] = others.into();
        value["entries"] = self.entries.len().into();
        value["upcoming"] = upcoming.into();
        value["unreadable"] = ledger.unreadable_rows().into();
        output.value = value;
        Ok(output.from_notes(self.paths()))
    }

    fn paths(&self) -> Vec<NotePath> {
        let transfers = self.transfers.iter().map(|transfer| &transfer.path);
        paths(self.entries.iter().map(|(_, entry)| &entry.path).chain(transfers))
    }

    /// All results in one currency; the figures have pointers starting with `at`.
    fn in_currency(
        &self,
        ledger: &Ledger,
        spellings: &Spellings,
        currency: &str,
        at: &str,
        output: &mut Output,
    ) -> Result<Value, ToolError> {
        let Some(Sides { income, spent, .. }) = self.months.last() else { return Ok(Value::Null) };
        let amounts = Amounts::of(income, spent, currency)?;
        let categories = self.categories(ledger, spellings, currency)?;
        let incomes = income_categories(income, spellings, currency);
        let figures = Figures { summary: self, currency, at, caution: ledger.caution() };
        output.figures.extend(figures.of_month(&amounts, &categories, &incomes));
        output.figures.extend(figures.of_categories(&categories));
        let transferred = self.transferred(currency)?;
        output.figures.extend(figures.of_transfers(&transferred));

        let mut own = self.entries.iter().filter(|(_, entry)| entry.currency == currency);
        let end = self.month.days().last.strftime("%-d %b");
        let mut value = json!({
            "currency": currency,
            "income": amounts.income,
            "spent": amounts.spent,
            "left": amounts.left,
            "upcoming_income": amounts.upcoming_income,
            "upcoming_spent": amounts.upcoming_spent,
            "left_with_upcoming": amounts.left_with_upcoming,
            "income_detail": upcoming_detail(amounts.upcoming_income, currency),
            "spent_detail": self.spent_detail(currency),
            "left_detail": own
                .any(|(day, _)| *day > self.today)
                .then(|| format!("{} {currency} on {end}", amounts.left_with_upcoming)),
            "categories": categories.iter().map(Row::to_json).collect::<Result<Vec<Value>, ToolError>>()?,
            "income_categories": incomes,
            "months": self.trend(currency)?,
        });
        merge(&mut value, Limits::of(&categories)?.to_json(currency));
        merge(&mut value, transferred.to_json(currency));
        Ok(value)
    }

    /// The totals of each month.
    fn trend(&self, currency: &str) -> Result<Vec<Value>, ToolError> {
        let row = |Sides { month, income, spent }: &Sides| {
            let amounts = Amounts::of(income, spent, currency)?;
            Ok(json!({
                "month": month.to_string(),
                "income": amounts.income, "spent": amounts.spent, "left": amounts.left,
                "upcoming_income": amounts.upcoming_income, "upcoming_spent": amounts.upcoming_spent,
            }))
        };
        self.months.iter().map(row).collect()
    }

    /// The totals of the year and of each month, with details in whole units.
    fn year(&self, currency: &str) -> Result<Value, ToolError> {
        let (mut income, mut spent) = (Decimal::ZERO, Decimal::ZERO);
        for sides in &self.months {
            let amounts = Amounts::of(&sides.income, &sides.spent, currency)?;
            income = plus(income, amounts.income)?;
            spent = plus(spent, amounts.spent)?;
        }
        let left = money(minus(income, spent)?, currency);
        Ok(json!({
            "income": money(income, currency), "spent": money(spent, currency), "left": left,
            "left_detail": format!("{} {currency} left", rounded_to(left, 0)),
            "months": self.trend(currency)?,
        }))
    }

    fn transferred(&self, currency: &str) -> Result<Transferred, ToolError> {
        let zero = money(Decimal::ZERO, currency);
        let mut transferred = Transferred { so_far: zero, upcoming: zero, count: 0, upcoming_count: 0 };
        for side in self.transfers.iter().map(|transfer| &transfer.out).filter(|out| out.currency == currency)
        {
            let is_upcoming = side.date > self.today;
            let (sum, count) = match is_upcoming {
                true => (&mut transferred.upcoming, &mut transferred.upcoming_count),
                false => (&mut transferred.so_far, &mut transferred.count),
            };
            *sum = plus(*sum, money(side.amount, currency))?;
            *count += 1;
        }
        Ok(transferred)
    }

    /// The upcoming spending, and the comparison of the month including it with the previous month.
    fn spent_detail(&self, currency: &str) -> Option<String> {
        let upcoming = upcoming_detail(self.months.last()?.spent.upcoming.all.money(currency), currency);
        match (upcoming, self.compared(currency)) {
            (Some(upcoming), Some(compared)) => Some(format!("{upcoming}, together {compared}")),
            (one, other) => one.or(other),
        }
    }

    fn compared(&self, currency: &str) -> Option<String> {
        let [.., before, now] = self.months.as_slice() else { return None };
        let whole = |side: &Side| {
            let (so_far, upcoming) = (side.so_far.all.money(currency), side.upcoming.all.money(currency));
            so_far.checked_add(upcoming)
        };
        let (earlier, now) = (whole(&before.spent)?, whole(&now.spent)?);
        // No percentage of zero or of a net refund.
        if earlier <= Decimal::ZERO {
            return None;
        }
        let change = now.checked_sub(earlier)?;
        let before = before.month.name();
        if change.is_zero() {
            return Some(format!("as in {before}"));
        }
        let share = percent(change.abs(), earlier, 1)?.normalize();
        let share = if share.is_zero() { "less than 1".to_owned() } else { share.to_string() };
        let word = if change.is_sign_negative() { "less" } else { "more" };
        Some(format!("{share} % {word} than in {before}"))
    }

    /// The categories with an expense in these months or a limit, by spending in descending order.
    fn categories<'l>(
        &self,
        ledger: &'l Ledger,
        spellings: &Spellings,
        currency: &str,
    ) -> Result<Vec<Row<'l>>, ToolError> {
        let mut names: BTreeSet<String> = BTreeSet::new();
        let mut limits: BTreeMap<String, &Limit> = BTreeMap::new();
        for sides in &self.months {
            names.extend(sides.spent.categories(currency).map(str::to_owned));
        }
        for limit in ledger.limits.iter().filter(|limit| limit.currency == currency) {
            names.insert(folded(&limit.category));
            limits.insert(folded(&limit.category), limit);
        }
        let Some((now, before)) = self.months.split_last() else { return Ok(Vec::new()) };
        // Averages exclude months before the first entry and months that have not ended.
        let is_known = |month: Month| self.since.is_some_and(|since| month >= since);
        let has_ended = |month: Month| month.days().last <= self.today;
        let known: Vec<&Total> = before
            .iter()
            .filter(|sides| is_known(sides.month) && has_ended(sides.month))
            .map(|sides| &sides.spent.so_far)
            .collect();
        let mut counts: BTreeMap<(&str, bool), usize> = BTreeMap::new();
        let own = |entry: &Entry| !entry.is_income && entry.currency == currency;
        for (day, entry) in self.entries.iter().filter(|(_, entry)| own(entry)) {
            *counts.entry((&entry.category_key, *day > self.today)).or_default() += 1;
        }
        let count = |name: &str, upcoming| counts.get(&(name, upcoming)).copied().unwrap_or_default();
        let mut rows = Vec::new();
        for name in names {
            let mut earlier = Decimal::ZERO;
            for total in &known {
                earlier = plus(earlier, total.of(&name, currency))?;
            }
            let average = earlier.checked_div(Decimal::from(known.len()));
            let in_row = |amount: Decimal| money(amount, currency);
            rows.push(Row {
                category: spellings.get(&name).to_owned(),
                currency: currency.to_owned(),
                spent: in_row(now.spent.so_far.of(&name, currency)),
                upcoming: in_row(now.spent.upcoming.of(&name, currency)),
                limit: limits.get(&name).map(|limit| (in_row(limit.amount), *limit)),
                last_month: before.last().map(|sides| in_row(sides.spent.so_far.of(&name, currency))),
                average: average.map(in_row),
                count: count(&name, false),
                upcoming_count: count(&name, true),
            });
        }
        rows.sort_by(|a, b| {
            let amounts = (b.spent, b.upcoming).cmp(&(a.spent, a.upcoming));
            amounts.then_with(|| a.category.cmp(&b.category))
        });
        Ok(rows)
    }
}

/// The totals of a month in one currency.
struct Amounts {
    income: Decimal,
    spent: Decimal,
    left: Decimal,
    upcoming_income: Decimal,
    upcoming_spent: Decimal,
    left_with_upcoming: Decimal,
}

impl Amounts {
    fn of(income: &Side, spent: &Side, currency: &str) -> Result<Self, ToolError> {
        let of = |total: &Total| total.all.money(currency);
        let left = minus(of(&income.so_far), of(&spent.so_far))?;
        let upcoming = minus(of(&income.upcoming), of(&spent.upcoming))?;
        Ok(Self {
            income: of(&income.so_far),
            spent: of(&spent.so_far),
            left: money(left, currency),
            upcoming_income: of(&income.upcoming),
            upcoming_spent: of(&spent.upcoming),
            left_with_upcoming: money(plus(left, upcoming)?, currency),
        })
    }
}

/// Transfers between the user's own accounts in one month and currency.
struct Transferred {
    so_far: Decimal,
    count: usize,
    upcoming: Decimal,
    upcoming_count: usize,
}

impl Transferred {
    /// Null without transfers.
    fn to_json(&self, currency: &str) -> Value {
        let is_any = self.count + self.upcoming_count > 0;
        let detail = match self.count {
            1 => "moved between accounts in 1 transfer, not counted as income or spent".to_owned(),
            n => format!("moved between accounts in {n} transfers, not counted as income or spent"),
        };
        let detail = match upcoming_detail(self.upcoming, currency) {
            Some(upcoming) => format!("{detail}, {upcoming}"),
            None => detail,
        };
        json!({
            "transferred": is_any.then_some(self.so_far),
            "upcoming_transferred": (self.upcoming_count > 0).then_some(self.upcoming),
            "transfer_count": self.count,
            "transferred_detail": is_any.then_some(detail),
        })
    }
}

/// The month's limits in total, and the spending without a limit.
struct Limits {
    count: usize,
    spent: Decimal,
    limit: Decimal,
    without: Decimal,
}

impl Limits {
    fn of(categories: &[Row<'_>]) -> Result<Self, ToolError> {
        let mut limits =
            Self { count: 0, spent: Decimal::ZERO, limit: Decimal::ZERO, without: Decimal::ZERO };
        for row in categories {
            let Some((limit, _)) = row.limit else {
                limits.without = plus(limits.without, row.spent)?;
                continue;
            };
            limits.count += 1;
            limits.limit = plus(limits.limit, limit)?;
            limits.spent = plus(limits.spent, row.spent)?;
        }
        Ok(limits)
    }

    /// Such as "462 of 755", in whole units.
    fn to_json(&self, currency: &str) -> Value {
        let whole = |amount: Decimal| rounded_to(amount, 0);
        json!({
            "limits": self.count,
            "limits_detail": (self.count > 0).then(|| format!("{} of {}", whole(self.spent), whole(self.limit))),
            "without_limit_detail": format!("{} {currency}", money(self.without, currency)),
        })
    }
}

/// Such as "+ 3.50 EUR upcoming".
fn upcoming_detail(amount: Decimal, currency: &str) -> Option<String> {
    (!amount.is_zero()).then(|| format!("+ {amount} {currency} upcoming"))
}

fn income_categories(income: &Side, spellings: &Spellings, currency: &str) -> Vec<Value> {
    let names: BTreeSet<&str> = income.categories(currency).collect();
    let of = |total: &Total, name: &str| money(total.of(name, currency), currency);
    let mut rows: Vec<(Decimal, Decimal, &str)> = names
        .into_iter()
        .map(|name| (of(&income.so_far, name), of(&income.upcoming, name), spellings.get(name)))
        .collect();
    rows.sort_by(|a, b| (b.0, b.1).cmp(&(a.0, a.1)).then_with(|| a.2.cmp(b.2)));
    let row = |(amount, upcoming, category): (Decimal, Decimal, &str)| {
        let mut row = json!({"category": category, "amount": amount});
        if !upcoming.is_zero() {
            row["upcoming_amount"] = json!(upcoming);
        }
        row
    };
    rows.into_iter().map(row).collect()
}

/// Appends the keys of one object to another.
fn merge(into: &mut Value, from: Value) {
    if let (Some(into), Value::Object(from)) = (into.as_object_mut(), from) {
        into.extend(from);
    }
}
