//! Key figures from a company's reports and price: twelve-month sums, growth, margins, ratios.

use jiff::ToSpan as _;
use jiff::civil::Date;
use nova_figures::{at_least, days_between, percent, rounded_to};
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;

use crate::number::number;
use crate::sources::sec::{Fact, Reported};

/// A key figure with its derivation.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyFigure {
    /// "price_to_earnings"
    pub key: &'static str,
    /// "Price ÷ earnings"
    pub name: &'static str,
    /// The figure, or the reason for its absence as a clause, such as "the company made a loss".
    pub value: Result<Figure, String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    pub value: Decimal,
    pub unit: Unit,
    /// A form ("SEC, 10-Q") or a formula ("Market value ÷ net income").
    pub how: String,
    /// The last day of the period.
    pub date: Date,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unit {
    Currency(String),
    Percent,
    Ratio,
}

/// A close, in the shares of its day.
#[derive(Debug, Clone, PartialEq)]
pub struct Close {
    pub price: Decimal,
    pub currency: String,
    pub date: Date,
    /// Splits within [`SHARES_DAYS`] before that day, if the source of the close reports them.
    pub splits: Option<Vec<(Date, Decimal)>>,
}

/// Synonymous tags, the current one first: companies changed them over the years, and IFRS filers use their
/// own.
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
/// The tag of the number of common shares outstanding.
pub const SHARES_TAG: &str = "EntityCommonStockSharesOutstanding";
const SHARES: &[&str] = &[SHARES_TAG];
const CASH: &[&str] = &["CashAndCashEquivalentsAtCarryingValue", "CashAndCashEquivalents"];
const LONG_DEBT: &[&str] = &["LongTermDebtNoncurrent", "LongTermDebt"];
const SHORT_DEBT: &[&str] = &["DebtCurrent", "LongTermDebtCurrent"];

/// Whether a key figure uses this tag.
#[cfg(feature = "tools")]
pub(crate) fn is_read(tag: &str) -> bool {
    [REVENUE, NET_INCOME, OPERATING_INCOME, DEPRECIATION, SHARES, CASH, LONG_DEBT, SHORT_DEBT]
        .iter()
        .any(|tags| tags.contains(&tag))
}

/// Maximum age of a share count: an annual report, and the months until it is filed.
pub const SHARES_DAYS: i64 = 500;
/// The same if no source reports splits.
const SHARES_DAYS_WITHOUT_SPLITS: i64 = 200;

/// Maximum distance in days between the debt and the end of EBITDA's period.
const HALF_A_YEAR: i64 = 190;

/// Maximum age of a share count, in days.
pub(crate) fn oldest_count(knows_splits: bool) -> i64 {
    if knows_splits { SHARES_DAYS } else { SHARES_DAYS_WITHOUT_SPLITS }
}

/// Computes all key figures, each with its value or the reason for its absence.
pub fn key_figures(reported: &Reported, close: Option<&Close>) -> Vec<KeyFigure> {
    let company = Company { reported, close, day: close.map(|close| close.date) };
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

/// Unrounded inputs of a share's figures; `None` if unknown.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Basics {
    /// Adjusted to the day of the close, and the day of the count.
    pub(crate) shares: Option<(f64, Date)>,
    pub(crate) revenue: Option<f64>,
    pub(crate) net_income: Option<f64>,
    /// Whether the company reports in the currency of the price.
    pub(crate) in_currency_of_price: bool,
    /// Percent per year, over 1, 3 and 5 years.
    pub(crate) revenue_growth: [Option<f64>; 3],
    pub(crate) earnings_growth: Option<f64>,
    /// Percent.
    pub(crate) operating_margin: Option<f64>,
    pub(crate) net_margin: Option<f64>,
    pub(crate) net_debt_to_ebitda: Option<f64>,
    /// Percent, over one year.
    pub(crate) share_change: Option<f64>,
}

/// As known on `day`; `close` has the splits up to its own day.
pub(crate) fn basics(reported: &Reported, close: &Close, day: Date) -> Basics {
    let company = Company { reported, close: Some(close), day: Some(day) };
    let sum = |what, tags| company.year(what, tags).ok();
    let (revenue, net) = (sum("revenue", REVENUE), sum("net income", NET_INCOME));
    let float = |sum: &Option<Sum>| sum.as_ref().and_then(|sum| sum.value.to_f64());
    let margin = |of: &Option<Sum>| {
        let (of, all) = (of.as_ref()?, revenue.as_ref()?);
        let is_same = of.end == all.end && of.currency == all.currency && all.value > Decimal::ZERO;
        is_same.then(|| Some(of.value.to_f64()? / all.value.to_f64()? * 100.0)).flatten()
    };
    let currencies =
        [&revenue, &net].map(|sum| sum.as_ref().is_none_or(|sum| sum.currency == close.currency));
    let counted = company.counted().ok();
    let shares = |count: &Fact| company.since_split(count, close).ok().and_then(|shares| shares.to_f64());
    let share_change = || {
        close.splits.as_ref()?;
        let newest = counted?;
        let counts = company.facts(SHARES)?.facts.iter();
        let near = |fact: &&Fact| (days_between(fact.end, newest.end) - 365).abs() < 46;
        let before =
            counts.filter(near).min_by_key(|fact| (days_between(fact.end, newest.end) - 365).abs())?;
        Some((shares(newest)? / shares(before).filter(|shares| *shares > 0.0)? - 1.0) * 100.0)
    };
    let growth = |tags, years| company.growth_over(tags, years).ok().map(|(growth, ..)| growth);
    Basics {
        shares: counted.and_then(|fact| Some((shares(fact)?, fact.end))),
        revenue: float(&revenue),
        net_income: float(&net),
        in_currency_of_price: currencies == [true; 2],
        revenue_growth: [1, 3, 5].map(|years| growth(REVENUE, years)),
        earnings_growth: growth(NET_INCOME, 3),
        operating_margin: margin(&sum("operating income", OPERATING_INCOME)),
        net_margin: margin(&net),
        net_debt_to_ebitda: company.debt_ratio().ok().and_then(|(ratio, _)| ratio.to_f64()),
        share_change: share_change(),
    }
}

struct Company<'a> {
    reported: &'a Reported,
    close: Option<&'a Close>,
    /// The day of the query.
    day: Option<Date>,
}

/// A twelve-month sum.
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

    /// The number of shares on the day of the close, and the day of the count.
    fn shares(&self) -> Result<(Decimal, Date), String> {
        let newest = self.counted()?;
        let close = self.close.ok_or("there is no close")?;
        // A company with several share classes reports no total now, but may have done so years ago.
        if days_between(newest.end, close.date) > oldest_count(close.splits.is_some()) {
            return Err(format!("the last reported number of shares is from {}", newest.end));
        }
        Ok((self.since_split(newest, close)?, newest.end))
    }

    fn counted(&self) -> Result<&Fact, String> {
        let facts = self.facts(SHARES).ok_or("no number of shares was reported")?;
        let newest = facts.facts.iter().max_by_key(|fact| (fact.end, fact.filed));
        let newest = newest.ok_or("no number of shares")?;
        // A depositary receipt of a foreign company can stand for several of its shares, or a fraction of
        // one.
        if newest.form.starts_with("20-F") {
            return Err("the ratio of its shares to those that trade here is not reported".into());
        }
        Ok(newest)
    }

    /// A share count, adjusted for splits up to the day of the close.
    fn since_split(&self, counted: &Fact, close: &Close) -> Result<Decimal, String> {
        let mut shares = value(counted).ok_or("the number of shares cannot be read")?;
        let splits = close.splits.iter().flatten();
        for (_, times) in splits.filter(|(day, _)| counted.end < *day && *day <= close.date) {
            shares = shares.checked_mul(*times).ok_or("it is too large")?;
        }
        Ok(shares)
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

    /// Per current share: reports of a year with a split mix two share counts.
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

    fn growth(&self) -> Found {
        let (growth, from, to) = self.growth_over(REVENUE, 3)?;
        let value = Decimal::try_from(growth).map_err(|_| "it is too large".to_owned())?;
        Ok(Figure {
            value: at_least(rounded_to(value, 1), 1),
            unit: Unit::Percent,
            how: format!("A year, from {from} to {to}"),
            date: to,
        })
    }

    /// Percent per year, and the ends of the two years.
    fn growth_over(&self, tags: &[&str], years: i64) -> Result<(f64, Date, Date), String> {
        let what = if tags == REVENUE { "revenue" } else { "net income" };
        let facts = self.facts(tags).ok_or_else(|| format!("no {what} was reported"))?;
        let full = facts.full_years();
        let newest = full.last().ok_or("no full year was reported")?;
        if !self.is_late(newest.end) {
            return Err(format!("the last reported year ends on {}", newest.end));
        }
        let earlier = full
            .iter()
            .rev()
            .find(|year| (days_between(year.end, newest.end) - years * 365).abs() < 20)
            .ok_or_else(|| match years {
                1 => "the year before was not reported".to_owned(),
                3 => "the year three years before was not reported".to_owned(),
                years => format!("the year {years} years before was not reported"),
            })?;
        let float = |fact: &Fact| fact.val.as_f64().filter(|value| *value > 0.0);
        let none = || format!("one of the two years has no {what} above zero");
        let (now, then) = float(newest).zip(float(earlier)).ok_or_else(none)?;
        let growth = ((now / then).powf(1.0 / years as f64) - 1.0) * 100.0;
        Ok((growth, earlier.end, newest.end))
    }

    fn net_debt_to_ebitda(&self) -> Found {
        let (ratio, day) = self.debt_ratio()?;
        Ok(Figure {
            value: at_least(rounded_to(ratio, 1), 1),
            unit: Unit::Ratio,
            how: "(Debt − cash) ÷ (operating income + depreciation, 12 m)".into(),
            date: day,
        })
    }

    fn debt_ratio(&self) -> Result<(Decimal, Date), String> {
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
        if days_between(day, operating.end).abs() > HALF_A_YEAR {
            return Err("debt and EBITDA are not of the same year".into());
        }
        let short =
            self.on_a_day(SHORT_DEBT).filter(|(_, of)| *of == day).map_or(Decimal::ZERO, |(debt, _)| debt);
        let net = long.checked_add(short).and_then(|debt| debt.checked_sub(cash)).ok_or("it is too large")?;
        Ok((net.checked_div(ebitda).ok_or("it is too large")?, day))
    }

    fn same_currency(&self, sum: &Sum) -> Result<(), String> {
        match self.close.filter(|close| close.currency != sum.currency) {
            None => Ok(()),
            Some(close) => {
                Err(format!("the company reports in {} and is quoted in {}", sum.currency, close.currency))
            }
        }
    }

    /// The facts under the first of the tags with the most recent data.
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

    /// The twelve-month sum, if it is recent: a company may have changed the tag.
    fn year(&self, what: &str, tags: &[&str]) -> Result<Sum, String> {
        let sum = self.newest_year(what, tags)?;
        self.is_late(sum.end)
            .then_some(())
            .ok_or_else(|| format!("the last reported {what} ends on {}", sum.end))?;
        Ok(sum)
    }

    fn is_late(&self, end: Date) -> bool {
        self.day.is_none_or(|day| days_between(end, day) <= SHARES_DAYS)
    }

    /// The trailing twelve-month sum: the last full year plus the months after it, minus the same months of
    /// the year before.
    fn newest_year(&self, what: &str, tags: &[&str]) -> Result<Sum, String> {
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
        // Without the months to subtract, the full year is the newest correct sum.
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
    /// The full years, oldest first, each as last reported.
    fn full_years(&self) -> Vec<&'a Fact> {
        let is_full = |fact: &&Fact| {
            fact.start.is_some_and(|start| (350..=380).contains(&days_between(start, fact.end)))
        };
        // A filing can restate twelve months that end with a quarter, so only annual reports count.
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

    /// The fact with the latest end; of several, the one filed last.
    fn latest(&self, which: impl Fn(&&'a Fact) -> bool) -> Option<&'a Fact> {
        self.facts.iter().filter(|fact| which(fact)).max_by_key(|fact| (fact.end, fact.filed))
    }
}

fn value(fact: &Fact) -> Option<Decimal> {
    number(&fact.val.to_string())
}
