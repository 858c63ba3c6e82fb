use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use nova_skill::{
    Date, Decimal, Description, Effect, Figure, JsonSchema, NativeTool, Output, RoundingStrategy,
    ToolContext, ToolError, ToolOutput, Value, async_trait, folded, json, schemars,
};
use serde::Deserialize;

use crate::arguments::wrong;
use crate::ledger::{Entry, Ledger, Spellings};
use crate::list::paths;
use crate::money::{Sums, minus, money, percent, plus};
use crate::period::{Days, Month};

/// How many months the trend has, the one that is asked for included.
const MONTHS: i32 = 6;

pub(crate) struct MonthSummary;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Which {
    /// The month, YYYY-MM; "today" for this one.
    #[serde(default)]
    month: String,
    /// How many months to compare, the one that is asked for included: 1 to 24, 6 where nothing is given.
    months: Option<i32>,
    /// The currency that comes first, such as EUR; the usual one where nothing is given. The others follow.
    currency: Option<String>,
}

#[async_trait]
impl NativeTool for MonthSummary {
    type Args = Which;
    const ID: &'static str = "month_summary";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose(
            "Sums up a month: income, spent and left, each category against its limit and the months before. What comes \
             again is counted on its days of the month, also those still to come.",
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
        let month = Month::parse("month", &which.month, today)?;
        let months = which.months.unwrap_or(MONTHS);
        if !(1..=24).contains(&months) {
            return Err(wrong("months", "must be 1 to 24".into()));
        }
        let ledger = Ledger::read(ctx.as_ref()).await?;
        let given = which.currency.as_deref().filter(|text| !text.trim().is_empty());
        let first = given.map(|given| ledger.currency_or(Some(given))).transpose()?;
        Ok(Summary::of(&ledger, month, months, today)?.told(&ledger, first)?.into())
    }
}

/// The sums of one month, and of those before it.
struct Summary<'a> {
    month: Month,
    /// The earliest first, the one that is asked for last.
    months: Vec<(Month, Side<'a>, Side<'a>)>,
    /// What falls into the month, on its days.
    entries: Vec<(Date, &'a Entry)>,
    /// The last day that is not still to come.
    today: Date,
    /// The first month of which anything is known.
    since: Option<Month>,
}

/// What was earned, or what was spent.
#[derive(Default)]
struct Side<'a> {
    total: Sums,
    /// By folded category and currency.
    by_category: BTreeMap<(&'a str, &'a str), Decimal>,
}

impl<'a> Side<'a> {
    fn add(&mut self, entry: &'a Entry) -> Result<(), ToolError> {
        let sum = self.by_category.entry((&entry.category_key, &entry.currency)).or_default();
        *sum = plus(*sum, entry.counted())?;
        self.total.add(&entry.currency, entry.counted())
    }

    fn of(&self, category: &str, currency: &str) -> Decimal {
        self.by_category.get(&(category, currency)).copied().unwrap_or_default()
    }
}

impl<'a> Summary<'a> {
    fn of(ledger: &'a Ledger, month: Month, count: i32, today: Date) -> Result<Self, ToolError> {
        let mut months: Vec<(Month, Side<'_>, Side<'_>)> =
            (0..count).rev().map(|back| (month.back(back), Side::default(), Side::default())).collect();
        let first = months.first().map_or(month, |(first, ..)| *first);
        let span = Days { first: first.days().first, last: month.days().last };
        let mut entries = Vec::new();
        for entry in &ledger.entries {
            for day in entry.days(span) {
                let of = Month::of(day);
                if let Some((_, income, spent)) = months.iter_mut().find(|(month, ..)| *month == of) {
                    if entry.is_income { income } else { spent }.add(entry)?;
                }
                if of == month {
                    entries.push((day, entry));
                }
            }
        }
        let since = ledger.entries.iter().map(|entry| Month::of(entry.date)).min();
        Ok(Self { month, months, entries, today, since })
    }

    fn told(&self, ledger: &Ledger, first: Option<String>) -> Result<Output, ToolError> {
        let Some((_, income, spent)) = self.months.last() else { return Ok(Output::default()) };
        let mut currencies: BTreeSet<String> =
            income.total.currencies().chain(spent.total.currencies()).map(str::to_owned).collect();
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
            for key in ["income", "spent", "left"] {
                let detail = format!("{key}_detail");
                let and = format!("and {} {currency}", other[key].as_str().unwrap_or_default());
                let said = value[&detail].as_str().map(|said| format!("{said}, {and}"));
                value[&detail] = said.unwrap_or(and).into();
            }
            others.push(other);
        }
        value["other_currencies"] = others.into();
        value["entries"] = self.entries.len().into();
        value["upcoming"] = upcoming.into();
        value["unreadable"] = ledger.unreadable_rows().into();
        output.value = value;
        Ok(output.from_notes(paths(self.entries.iter().map(|(_, entry)| *entry))))
    }

    /// Everything in one currency, its figures at pointers that begin with `at`.
    fn in_currency(
        &self,
        ledger: &Ledger,
        spellings: &Spellings,
        currency: &str,
        at: &str,
        output: &mut Output,
    ) -> Result<Value, ToolError> {
        let Some((_, income, spent)) = self.months.last() else { return Ok(Value::Null) };
        let own: Vec<(Date, &Entry)> =
            self.entries.iter().filter(|(_, entry)| entry.currency == currency).copied().collect();
        let upcoming = own.iter().filter(|(day, _)| *day > self.today).count();
        let caution = |fits: &dyn Fn(&Entry) -> bool| {
            let upcoming = own.iter().filter(|(day, entry)| *day > self.today && fits(entry));
            ledger.caution(upcoming.count())
        };
        let notes = |is_income: bool, category: Option<&str>| {
            let fits =
                |entry: &&Entry| entry.is_income == is_income && category.is_none_or(|key| entry.is_of(key));
            paths(own.iter().map(|(_, entry)| *entry).filter(fits))
        };
        let figure = |key: &str, label: String, amount: Decimal| {
            Figure::new(format!("{at}/{key}"), label, amount, currency)
        };

        let earned = money(income.total.get(currency));
        let paid = money(spent.total.get(currency));
        let left = money(minus(earned, paid)?);
        let categories = self.categories(ledger, spellings, currency)?;
        let incomes = self.income_categories(spellings, currency);
        let month = self.month.in_full();

        let mut income_figure = figure("income", format!("Income in {month}"), earned)
            .formula("Σ incomes − what was paid back")
            .caution(caution(&|entry| entry.is_income))
            .from_notes(notes(true, None));
        for (category, amount) in &incomes {
            income_figure = income_figure.part(category, amount, currency);
        }
        let mut spent_figure = figure("spent", format!("Spent in {month}"), paid)
            .formula("Σ expenses − refunds")
            .caution(caution(&|entry| !entry.is_income))
            .from_notes(notes(false, None));
        for row in categories.iter().filter(|row| row.count > 0) {
            spent_figure = spent_figure.part(&row.category, row.spent, currency);
        }
        output.figures.push(income_figure);
        output.figures.push(spent_figure);
        output.figures.push(
            figure("left", format!("Left in {month}"), left)
                .formula("income − spent")
                .part("Income", earned, currency)
                .part("Spent", paid, currency)
                .caution(caution(&|_| true))
                .from_notes(paths(own.iter().map(|(_, entry)| *entry))),
        );
        for (row_at, row) in categories.iter().enumerate().filter(|(_, row)| row.count > 0) {
            let key = folded(&row.category);
            let mut of_category = figure(
                &format!("categories/{row_at}/spent"),
                format!("{}, {month}", row.category),
                row.spent,
            )
            .formula("Σ expenses − refunds")
            .caution(caution(&|entry| !entry.is_income && entry.is_of(&key)))
            .from_notes(notes(false, Some(&key)));
            if let Some(limit) = row.limit {
                of_category = of_category.part("Limit", limit, currency);
            }
            output.figures.push(of_category);
        }

        let trend: Result<Vec<Value>, ToolError> = self
            .months
            .iter()
            .map(|(month, income, spent)| {
                let (earned, paid) = (money(income.total.get(currency)), money(spent.total.get(currency)));
                let left = money(minus(earned, paid)?);
                Ok(json!({"month": month.to_string(), "income": earned, "spent": paid, "left": left}))
            })
            .collect();
        Ok(json!({
            "currency": currency,
            "income": earned,
            "spent": paid,
            "left": left,
            "income_detail": Value::Null,
            "spent_detail": self.spent_detail(currency),
            "left_detail": match upcoming {
                0 => Value::Null,
                n => format!("{n} still to come").into(),
            },
            "categories": categories.iter().map(Row::told).collect::<Vec<Value>>(),
            "income_categories": incomes
                .iter()
                .map(|(category, amount)| json!({"category": category, "amount": amount}))
                .collect::<Vec<Value>>(),
            "months": trend?,
        }))
    }

    /// How the month compares with the one before, in words.
    fn spent_detail(&self, currency: &str) -> Option<String> {
        let [.., (before, _, earlier), (_, _, spent)] = self.months.as_slice() else { return None };
        let earlier = earlier.total.get(currency);
        // There is no share of nothing, nor of what came back.
        if earlier <= Decimal::ZERO {
            return None;
        }
        let change = spent.total.get(currency).checked_sub(earlier)?;
        if change.is_zero() {
            return Some(format!("as in {}", before.name()));
        }
        let share = percent(change.abs(), earlier)?;
        let share = if share.is_zero() { "less than 1".to_owned() } else { share.to_string() };
        let word = if change.is_sign_negative() { "less" } else { "more" };
        Some(format!("{share} % {word} than in {}", before.name()))
    }

    /// Every category that has an expense in these months, or a limit: what was spent most first.
    fn categories(
        &self,
        ledger: &Ledger,
        spellings: &Spellings,
        currency: &str,
    ) -> Result<Vec<Row>, ToolError> {
        let mut names: BTreeSet<String> = BTreeSet::new();
        let mut limits: BTreeMap<String, Decimal> = BTreeMap::new();
        for (_, _, spent) in &self.months {
            let own = spent.by_category.keys().filter(|(_, of)| *of == currency);
            names.extend(own.map(|(category, _)| (*category).to_owned()));
        }
        for limit in ledger.limits.iter().filter(|limit| limit.currency == currency) {
            names.insert(folded(&limit.category));
            limits.insert(folded(&limit.category), limit.amount);
        }
        let Some(((_, _, spent), before)) = self.months.split_last() else { return Ok(Vec::new()) };
        // Months before the first entry say nothing about what is usual.
        let known: Vec<&Side> = before
            .iter()
            .filter(|(month, ..)| self.since.is_some_and(|since| *month >= since))
            .map(|(_, _, spent)| spent)
            .collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, entry) in
            self.entries.iter().filter(|(_, entry)| !entry.is_income && entry.currency == currency)
        {
            *counts.entry(&entry.category_key).or_default() += 1;
        }
        let mut rows = Vec::new();
        for name in names {
            let paid = money(spent.of(&name, currency));
            let mut earlier = Decimal::ZERO;
            for side in &known {
                earlier = plus(earlier, side.of(&name, currency))?;
            }
            let average = earlier
                .checked_div(Decimal::from(known.len()))
                .map(|average| average.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero));
            let limit = limits.get(&name).copied().map(money);
            rows.push(Row {
                category: spellings.get(&name).to_owned(),
                currency: currency.to_owned(),
                spent: paid,
                limit,
                left_of_limit: limit.map(|limit| minus(limit, paid)).transpose()?.map(money),
                last_month: before.last().map(|(_, _, spent)| money(spent.of(&name, currency))),
                average: average.map(money),
                count: counts.get(name.as_str()).copied().unwrap_or_default(),
            });
        }
        rows.sort_by(|a, b| b.spent.cmp(&a.spent).then_with(|| a.category.cmp(&b.category)));
        Ok(rows)
    }

    fn income_categories(&self, spellings: &Spellings, currency: &str) -> Vec<(String, Decimal)> {
        let Some((_, income, _)) = self.months.last() else { return Vec::new() };
        let own = income.by_category.iter().filter(|((_, of), _)| *of == currency);
        let mut rows: Vec<(String, Decimal)> =
            own.map(|((category, _), amount)| (spellings.get(category).to_owned(), money(*amount))).collect();
        rows.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        rows
    }
}

/// One category of the month.
struct Row {
    category: String,
    currency: String,
    spent: Decimal,
    limit: Option<Decimal>,
    left_of_limit: Option<Decimal>,
    last_month: Option<Decimal>,
    /// Of the earlier months.
    average: Option<Decimal>,
    /// Its entries in the month.
    count: usize,
}

impl Row {
    fn told(&self) -> Value {
        let mut row = json!({
            "category": self.category,
            "currency": self.currency,
            "spent": self.spent,
            "count": self.count,
        });
        if let (Some(limit), Some(left)) = (self.limit, self.left_of_limit) {
            row["limit"] = json!(limit);
            row["left_of_limit"] = json!(left);
            row["over_limit"] = json!(left.is_sign_negative());
            row["limit_detail"] = if left.is_sign_negative() {
                json!(format!("{} over the limit of {limit}", -left))
            } else {
                json!(format!("{left} left of {limit}"))
            };
            if let Some(used) = percent(self.spent, limit) {
                row["used"] = json!(used);
            }
        }
        for (key, value) in [("last_month", self.last_month), ("average", self.average)] {
            if let Some(value) = value {
                row[key] = json!(value);
            }
        }
        row
    }
}

/// Puts the keys of one object behind those of another.
fn merge(into: &mut Value, from: Value) {
    if let (Some(into), Value::Object(from)) = (into.as_object_mut(), from) {
        into.extend(from);
    }
}
