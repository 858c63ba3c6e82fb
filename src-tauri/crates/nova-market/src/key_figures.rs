//! What a company's reports and its price come to: sums over twelve months, growth, margins, ratios.

use jiff::ToSpan as _;
use jiff::civil::Date;
use nova_figures::{at_least, days_between, percent, rounded_to};
use rust_decimal::Decimal;

use crate::source::number;
use crate::sources::sec::{Fact, Reported};

/// One figure with where it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyFigure {
    /// "price_to_earnings"
    pub key: &'static str,
    /// "Price ÷ earnings"
    pub name: &'static str,
    /// The figure, or why there is none: a clause such as "the company made a loss".
    pub value: Result<Figure, String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    pub value: Decimal,
    pub unit: Unit,
    /// A form ("SEC, 10-Q") or a formula ("Market value ÷ net income").
    pub how: String,
    /// The last day of what it is about.
    pub date: Date,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unit {
    Currency(String),
    Percent,
    Ratio,
}

/// A close, in shares of its day.
#[derive(Debug, Clone, PartialEq)]
pub struct Close {
    pub price: Decimal,
    pub currency: String,
    pub date: Date,
    /// Splits of the [`SHARES_DAYS`] up to that day, where the source of the close tells of them.
    pub splits: Option<Vec<(Date, Decimal)>>,
}

/// The tags that mean the same, the one of today first; companies changed them over the years, and those that report
/// by IFRS have their own.
const REVENUE: &[&str] = &[
    "RevenueFromContractWithCustomerExcludingAssessedTax",
    "Revenues",
    "RevenueFromContractWithCustomerIncludingAssessedTax",
    "SalesRevenueNet",
    "Revenue",
];
const NET_INCOME: &[&str] = &["NetIncomeLoss", "ProfitLossAttributableToOwnersOfParent", "ProfitLoss"];
const OPERATING_INCOME: &[&str] = &["OperatingIncomeLoss", "ProfitLossFromOperatingActivities"];
const DEPRECIATION: &[&str] = &[
    "DepreciationDepletionAndAmortization",
    "DepreciationAmortizationAndAccretionNet",
    "DepreciationAndAmortization",
];
const SHARES: &[&str] = &["EntityCommonStockSharesOutstanding"];
const CASH: &[&str] = &["CashAndCashEquivalentsAtCarryingValue", "CashAndCashEquivalents"];
const LONG_DEBT: &[&str] = &["LongTermDebtNoncurrent", "LongTermDebt"];
const SHORT_DEBT: &[&str] = &["DebtCurrent", "LongTermDebtCurrent"];

/// How old a number of shares may be: a year's report, and the months until it was made.
pub const SHARES_DAYS: i64 = 500;
/// The same where nobody tells of splits.
const SHARES_DAYS_WITHOUT_SPLITS: i64 = 200;

/// All of them, each with its value or the reason why there is none.
pub fn key_figures(reported: &Reported, close: Option<&Close>) -> Vec<KeyFigure> {
    let company = Company { reported, close };
    let of = |key, name, value| KeyFigure { key, name, value };
    vec![
        of("market_value", "Market value", company.market_value()),
        of("price_to_earnings", "Price ÷ earnings", company.price_to("net income", NET_INCOME)),
        of("price_to_sales", "Price ÷ sales", company.price_to("revenue", REVENUE)),
        of("earnings_per_share", "Earnings per share, 12 m", company.earnings_per_share()),
        of("revenue", "Revenue, 12 m", company.year("revenue", REVENUE).map(Sum::figure)),
        of("revenue_growth_3y", "Revenue growth, 3 y", company.growth()),
        of("operating_margin", "Operating margin", company.margin("operating income", OPERATING_INCOME)),
        of("net_margin", "Net margin", company.margin("net income", NET_INCOME)),
        of("net_debt_to_ebitda", "Net debt ÷ EBITDA", company.net_debt_to_ebitda()),
    ]
}

struct Company<'a> {
    reported: &'a Reported,
    close: Option<&'a Close>,
}

/// A sum over twelve months.
#[derive(Debug, Clone, PartialEq)]
struct Sum {
    value: Decimal,
    currency: String,
    form: String,
    end: Date,
}

impl Sum {
    fn figure(self) -> Figure {
        Figure {
            value: self.value,
            unit: Unit::Currency(self.currency),
            how: format!("SEC, {}", self.form),
            date: self.end,
        }
    }
}

type Found = Result<Figure, String>;

impl Company<'_> {
    fn market_value(&self) -> Found {
        let close = self.close.ok_or("there is no close")?;
        let (shares, day) = self.shares()?;
        let value = close.price.checked_mul(shares).ok_or("it is too large")?;
        let how = format!("Shares from SEC, {day} × close");
        Ok(Figure {
            value: rounded_to(value, 0),
            unit: Unit::Currency(close.currency.clone()),
            how,
            date: close.date,
        })
    }

    /// How many shares there are on the day of the close, and the day on which they were counted.
    fn shares(&self) -> Result<(Decimal, Date), String> {
        let facts = self.facts(SHARES).ok_or("no number of shares was reported")?;
        let newest =
            facts.facts.iter().max_by_key(|fact| (fact.end, fact.filed)).ok_or("no number of shares")?;
        let mut shares = value(newest).ok_or("the number of shares cannot be read")?;
        let close = self.close.ok_or("there is no close")?;
        // A company with several classes of shares reports no sum of them, and years ago it may have done so.
        let is_old = |most| days_between(newest.end, close.date) > most;
        let splits = match &close.splits {
            Some(splits) if !is_old(SHARES_DAYS) => splits.as_slice(),
            None if !is_old(SHARES_DAYS_WITHOUT_SPLITS) => &[],
            _ => return Err(format!("the last number of shares that was reported is of {}", newest.end)),
        };
        for (_, times) in splits.iter().filter(|(day, _)| newest.end < *day && *day <= close.date) {
            shares = shares.checked_mul(*times).ok_or("it is too large")?;
        }
        Ok((shares, newest.end))
    }

    fn price_to(&self, what: &str, tags: &[&str]) -> Found {
        let market = self.market_value()?;
        let sum = self.year(what, tags)?;
        self.same_currency(&sum)?;
        if sum.value <= Decimal::ZERO {
            return Err(match what {
                "net income" => "the company made a loss".into(),
                what => format!("it reported no {what} above zero"),
            });
        }
        let ratio = market.value.checked_div(sum.value).ok_or("it is too large")?;
        Ok(Figure {
            value: at_least(rounded_to(ratio, 1), 1),
            unit: Unit::Ratio,
            how: format!("Market value ÷ {what}, 12 m"),
            date: sum.end,
        })
    }

    /// Of the shares there are now: reports of a year with a split count two kinds of shares.
    fn earnings_per_share(&self) -> Found {
        let (shares, day) = self.shares()?;
        let sum = self.year("net income", NET_INCOME)?;
        let each = sum.value.checked_div(shares).ok_or("the number of shares is zero")?;
        Ok(Figure {
            value: at_least(rounded_to(each, 2), 2),
            unit: Unit::Currency(sum.currency),
            how: format!("Net income ÷ shares of {day}"),
            date: sum.end,
        })
    }

    fn margin(&self, what: &str, tags: &[&str]) -> Found {
        let (sum, revenue) = (self.year(what, tags)?, self.year("revenue", REVENUE)?);
        if sum.end != revenue.end || sum.currency != revenue.currency {
            return Err(format!("{what} and revenue are not of the same year"));
        }
        let share = percent(sum.value, revenue.value, 1).ok_or("it reported no revenue")?;
        Ok(Figure {
            value: share,
            unit: Unit::Percent,
            how: format!("{}{} ÷ revenue, 12 m", what[..1].to_uppercase(), &what[1..]),
            date: sum.end,
        })
    }

    /// A year, over three years.
    fn growth(&self) -> Found {
        let facts = self.facts(REVENUE).ok_or("no revenue was reported")?;
        let years = facts.full_years();
        let newest = years.last().ok_or("no full year was reported")?;
        let earlier = years
            .iter()
            .rev()
            .find(|year| (days_between(year.end, newest.end) - 3 * 365).abs() < 20)
            .ok_or("the year three years before was not reported")?;
        let float = |fact: &Fact| fact.val.as_f64().filter(|value| *value > 0.0);
        let (now, then) =
            float(newest).zip(float(earlier)).ok_or("one of the two years has no revenue above zero")?;
        let growth = ((now / then).powf(1.0 / 3.0) - 1.0) * 100.0;
        let value = Decimal::try_from(growth).map_err(|_| "it is too large".to_owned())?;
        Ok(Figure {
            value: at_least(rounded_to(value, 1), 1),
            unit: Unit::Percent,
            how: format!("A year, from {} to {}", earlier.end, newest.end),
            date: newest.end,
        })
    }

    fn net_debt_to_ebitda(&self) -> Found {
        let operating = self.year("operating income", OPERATING_INCOME)?;
        let depreciation = self.year("depreciation", DEPRECIATION)?;
        if operating.end != depreciation.end {
            return Err("operating income and depreciation are not of the same year".into());
        }
        let ebitda = operating.value.checked_add(depreciation.value).ok_or("it is too large")?;
        if ebitda <= Decimal::ZERO {
            return Err("EBITDA is not above zero".into());
        }
        let (cash, day) = self.on_a_day(CASH).ok_or("no cash was reported")?;
        let (long, long_day) = self.on_a_day(LONG_DEBT).ok_or("no debt was reported")?;
        if day != long_day {
            return Err("debt and cash are not of the same day".into());
        }
        let short =
            self.on_a_day(SHORT_DEBT).filter(|(_, of)| *of == day).map_or(Decimal::ZERO, |(debt, _)| debt);
        let net = long.checked_add(short).and_then(|debt| debt.checked_sub(cash)).ok_or("it is too large")?;
        let ratio = net.checked_div(ebitda).ok_or("it is too large")?;
        Ok(Figure {
            value: at_least(rounded_to(ratio, 1), 1),
            unit: Unit::Ratio,
            how: "(Debt − cash) ÷ (operating income + depreciation, 12 m)".into(),
            date: day,
        })
    }

    fn same_currency(&self, sum: &Sum) -> Result<(), String> {
        match self.close.filter(|close| close.currency != sum.currency) {
            None => Ok(()),
            Some(close) => {
                Err(format!("the company reports in {} and is quoted in {}", sum.currency, close.currency))
            }
        }
    }

    /// What was reported by the newest tag of several.
    fn facts(&self, tags: &[&str]) -> Option<Facts<'_>> {
        let mut found: Option<Facts> = None;
        for tag in tags {
            for taxonomy in self.reported.facts.values() {
                for (unit, facts) in taxonomy.get(*tag).into_iter().flat_map(|tag| &tag.units) {
                    let newest = |facts: &[Fact]| facts.iter().map(|fact| fact.end).max();
                    if found.as_ref().is_none_or(|found| newest(found.facts) < newest(facts)) {
                        found = Some(Facts { unit, facts });
                    }
                }
            }
        }
        found
    }

    /// The sum over the last twelve months: the last full year, with what came after it in place of the same months of
    /// the year before.
    fn year(&self, what: &str, tags: &[&str]) -> Result<Sum, String> {
        let facts = self.facts(tags).ok_or_else(|| format!("no {what} was reported"))?;
        let year =
            facts.full_years().pop().ok_or_else(|| format!("no {what} of a full year was reported"))?;
        let sum = |value: Decimal, of: &Fact| Sum {
            value,
            currency: facts.unit.to_owned(),
            form: of.form.clone(),
            end: of.end,
        };
        let unreadable = || format!("{what} cannot be read");
        let full = value(year).ok_or_else(unreadable)?;
        let begins_after = |fact: &&Fact| {
            fact.start.is_some_and(|start| (days_between(year.end, start) - 1).abs() < 10)
                && fact.end > year.end
        };
        let Some(since) = facts.latest(begins_after) else { return Ok(sum(full, year)) };
        let shift = |day: Date| day.checked_sub(1.year()).ok();
        let near = |day: Date, wanted: Option<Date>| {
            wanted.is_some_and(|wanted| days_between(wanted, day).abs() < 10)
        };
        let before = facts.latest(|fact: &&Fact| {
            near(fact.end, shift(since.end))
                && fact.start.is_some_and(|start| near(start, since.start.and_then(shift)))
        });
        // Without the months to take out, the full year is the newest sum that is right.
        let Some(before) = before else { return Ok(sum(full, year)) };
        let (since_value, before) = value(since).zip(value(before)).ok_or_else(unreadable)?;
        let value =
            full.checked_add(since_value).and_then(|all| all.checked_sub(before)).ok_or_else(unreadable)?;
        Ok(sum(value, since))
    }

    fn on_a_day(&self, tags: &[&str]) -> Option<(Decimal, Date)> {
        let facts = self.facts(tags)?;
        let newest = facts.latest(|fact: &&Fact| fact.start.is_none())?;
        Some((value(newest)?, newest.end))
    }
}

struct Facts<'a> {
    unit: &'a str,
    facts: &'a [Fact],
}

impl<'a> Facts<'a> {
    /// The full years, oldest first, each as it was reported last.
    fn full_years(&self) -> Vec<&'a Fact> {
        let is_full = |fact: &&Fact| {
            fact.start.is_some_and(|start| (350..=380).contains(&days_between(start, fact.end)))
        };
        // A filing can restate twelve months that end with a quarter; a year is one of an annual report.
        let annual = |fact: &&Fact| ["10-K", "20-F", "40-F"].iter().any(|form| fact.form.starts_with(form));
        let mut years: Vec<&Fact> = self.facts.iter().filter(is_full).filter(annual).collect();
        years.sort_by_key(|fact| (fact.end, fact.filed));
        years.dedup_by(|later, kept| {
            let same = later.end == kept.end;
            if same {
                *kept = later;
            }
            same
        });
        years
    }

    /// Of those with the last end, the one reported last.
    fn latest(&self, which: impl Fn(&&'a Fact) -> bool) -> Option<&'a Fact> {
        self.facts.iter().filter(|fact| which(fact)).max_by_key(|fact| (fact.end, fact.filed))
    }
}

fn value(fact: &Fact) -> Option<Decimal> {
    number(&fact.val.to_string())
}
