use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use nova_market::returns::{Flow, FlowDay, a_year, money_weighted, time_weighted};
use nova_skill::figures::{TooLarge, at_least, days_between, money, plus, rounded_to};
use nova_skill::{
    Date, Decimal, Description, Effect, JsonSchema, NativeTool, Output, Problem, ToolContext, ToolError,
    ToolOutput, Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::amount::{currency, shown};
use crate::benchmark::Benchmark;
use crate::books::problems_json;
use crate::cash::Cash;
use crate::history::Range;
use crate::holdings::Holding;
use crate::ledger::Event;
use crate::pair::as_pair;
use crate::prices::Prices;
use crate::rates::Rates;
use crate::valuation::benchmark;
use crate::valuation::{Snapshot, day_text};

pub(crate) struct Returns;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Computes returns."))]
pub(crate) struct ReturnsOf {
    /// Only this symbol, or the position of this name.
    #[schemars(extend("x-help" = "Only this position"))]
    #[schemars(extend("x-values-from" = ["position.symbol", "trade.symbol", "position.name"]))]
    #[schemars(extend("x-values" = "only"))]
    symbol: Option<String>,
    /// How far back; default: since the first trade.
    #[schemars(extend("x-label" = "Over", "x-help" = "Since the first trade if left empty"))]
    range: Option<Range>,
    /// The last day that counts, YYYY-MM-DD; default: today.
    #[schemars(extend("format" = "date"))]
    #[schemars(extend("x-label" = "On", "x-help" = "Today if left empty"))]
    as_of: Option<String>,
    /// Also the return of everything in this currency, such as EUR, with the rates that it was computed with.
    #[schemars(extend("x-help" = "Convert everything into this"))]
    #[schemars(extend("x-values-from" = ["position.currency", "trade.currency"], "x-values" = "part"))]
    currency: Option<String>,
}

#[async_trait]
impl NativeTool for Returns {
    type Args = ReturnsOf;
    const ID: &'static str = "returns";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose(
            "Computes returns in percent over a period, for each position and for all of a currency, dividends and fees included: \
             time-weighted, which compares with a market, and money-weighted (XIRR), which depends on when money was put in.",
        )
        .use_when("the user asks what the return or performance of the portfolio or a position was over a year or another period")
        .not_when("gains in money are asked for, or for taxes", "portfolio.gains")
        .cite("the period, and which of the two returns")
        .example("What was the return of my portfolio over the last year?")
    }

    async fn run(&self, of: ReturnsOf, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let wanted = currency(of.currency.as_deref())?;
        let snapshot = Snapshot::priced(ctx.as_ref(), of.as_of.as_deref(), wanted).await?;
        let said = of.symbol.as_deref().filter(|text| !text.trim().is_empty());
        let symbol = said.map(|said| snapshot.books.find(said)).transpose()?;
        let prices = snapshot.prices();
        let begin = of.range.and_then(|range| range.begins(snapshot.day));
        let holdings = snapshot.holdings()?;
        let mut problems =
            [holdings.problems.clone(), snapshot.unrecorded_splits(&holdings.held, snapshot.day)].concat();
        let mut lines = Vec::new();
        let mut unknown = BTreeSet::new();
        for holding in &holdings.held {
            if holding.is_own()
                && holding.position.is_some_and(|own| own.opened.is_none() || own.cost.is_none())
            {
                problems.extend(holding.position.map(|own| Problem {
                    path: own.path.to_string(),
                    line: 1,
                    problem: format!("{} has no purchase date or no cost, so it is in no return", own.symbol),
                    remedy: "Add `opened` and `cost_basis`, or a trade.".into(),
                }));
                unknown.insert((holding.symbol, holding.currency));
            } else {
                lines.push((Some(holding.symbol), holding.currency));
            }
        }
        lines.retain(|(line, _)| symbol.is_none() || *line == symbol.as_deref());
        let mut currencies: BTreeSet<&str> = lines.iter().map(|(_, currency)| *currency).collect();
        let transfers = snapshot.books.transfers.iter().filter(|one| one.date <= snapshot.day);
        currencies.extend(transfers.map(|one| one.currency.as_str()));
        let of = |symbol, currency| Scope {
            snapshot: &snapshot,
            prices: &prices,
            symbol,
            currency,
            unknown: &unknown,
        };
        let benchmark = benchmark(ctx.as_ref()).map(|symbol| Benchmark::new(symbol, &snapshot, &prices));
        let mut missing = BTreeSet::new();
        let mut row_of = |whole: &Whole| -> Result<Value, ToolError> {
            let returned = whole.returned(begin)?;
            let mut row = returned.to_json();
            row["benchmark"] = Value::Null;
            if let Some(benchmark) = &benchmark {
                let over = benchmark.over(returned.from, snapshot.day, &returned.currency)?;
                row["benchmark"] = percent(over.as_ref().ok().copied());
                missing.extend(over.err());
            }
            Ok(row)
        };
        let mut rows = Vec::new();
        for (symbol, currency) in &lines {
            let name = holdings.held.iter().find(|held| Some(held.symbol) == *symbol).map(Holding::name);
            let mut row = row_of(&Whole::one(of(*symbol, currency)))?;
            row["symbol"] = json!(symbol);
            row["name"] = json!(name);
            rows.push(row);
        }
        let mut totals = Vec::new();
        if symbol.is_none() {
            for currency in &currencies {
                totals.push(row_of(&Whole::one(of(None, currency)))?);
            }
        }
        let mut total = if let [only] = totals.as_slice() { only.clone() } else { Value::Null };
        let mut of_rates = Vec::new();
        if let Some(wanted) = wanted {
            let parts: Vec<Scope> = match symbol {
                None => currencies.iter().map(|currency| of(None, currency)).collect(),
                Some(_) => lines.iter().map(|(symbol, currency)| of(*symbol, currency)).collect(),
            };
            let rates = Rates::new(&prices, wanted, snapshot.today);
            let currency = wanted.to_owned();
            let whole = Whole { parts, snapshot: &snapshot, currency, rates: Some(RefCell::new(rates)) };
            let row = if whole.parts.is_empty() { Value::Null } else { row_of(&whole)? };
            total = Value::Null;
            if let Some(rates) = whole.rates.map(RefCell::into_inner) {
                if rates.is_complete() && row.is_object() {
                    total = row;
                    total["rates"] = rates.to_json().into();
                    total["rates_detail"] = json!(rates.detail());
                }
                of_rates.extend(rates.sources());
                problems.extend(rates.problems());
            }
        }
        let cash = if symbol.is_none() { snapshot.cash(&holdings.held, snapshot.day)? } else { None };
        problems.extend(cash.iter().flat_map(|cash| cash.problems(snapshot.today)));
        let of_cash =
            snapshot.books.transfers.iter().filter(|_| cash.is_some()).map(|note| note.path.clone());
        let notes = holdings.held.iter().flat_map(|holding| holding.notes(&snapshot.books)).chain(of_cash);
        let is_used = |symbol: &str| {
            let compared =
                benchmark.as_ref().is_some_and(|one| one.symbol == symbol || as_pair(symbol).is_some());
            compared || holdings.held.iter().any(|held| held.symbol == symbol)
        };
        let priced = snapshot.books.prices.iter().filter(|note| is_used(&note.symbol));
        let notes = notes.chain(priced.map(|note| note.path.clone()));
        problems.extend(missing.into_iter().map(|why| Problem {
            path: String::new(),
            line: 0,
            problem: format!("benchmark: {why}, so there is no comparison over that period"),
            remedy: "Call portfolio.quote with a range to fetch closes, or add price notes.".into(),
        }));
        let value = json!({
            "to": snapshot.day.to_string(),
            "positions": rows,
            "currencies": totals,
            "total": total,
            "problems": problems_json(&problems),
            // Price changes only, without dividends.
            "benchmark": {
                "symbol": benchmark.as_ref().map(|benchmark| &benchmark.symbol),
                "name": benchmark.as_ref().map(|benchmark| benchmark.name(&snapshot.books)),
                "counts": "closes without dividends",
            },
            "unreadable": snapshot.books.unreadable_json(),
        });
        let mut output = Output::new(value).from_notes(notes);
        output.sources.extend(of_rates);
        Ok(output.into())
    }
}

/// What a return is of: one scope, or several in different currencies converted to one.
struct Whole<'a> {
    parts: Vec<Scope<'a>>,
    snapshot: &'a Snapshot,
    currency: String,
    /// `None` if all parts are in this currency.
    rates: Option<RefCell<Rates<'a>>>,
}

/// The scope of a return: one symbol, or everything in a currency.
struct Scope<'a> {
    snapshot: &'a Snapshot,
    prices: &'a Prices<'a>,
    symbol: Option<&'a str>,
    currency: &'a str,
    /// Holdings excluded everywhere because the date they were bought is unknown.
    unknown: &'a BTreeSet<(&'a str, &'a str)>,
}

type ByDay<'a> = BTreeMap<Date, Moved<'a>>;

/// The money put in and taken out on a day, and the prices paid.
#[derive(Default)]
struct Moved<'a> {
    put_in: Decimal,
    taken_out: Decimal,
    paid: BTreeMap<&'a str, Decimal>,
}

struct PeriodReturn {
    currency: String,
    from: Date,
    days: i64,
    begin_value: Option<Decimal>,
    put_in: Decimal,
    taken_out: Decimal,
    value: Option<Decimal>,
    /// Included in the value.
    cash: Option<Decimal>,
    time_weighted: Result<f64, String>,
    money_weighted: Result<f64, String>,
}

impl<'a> Whole<'a> {
    fn one(scope: Scope<'a>) -> Self {
        let (snapshot, currency) = (scope.snapshot, scope.currency.to_owned());
        Self { parts: vec![scope], snapshot, currency, rates: None }
    }

    /// Missing rates are recorded in `rates`; what they would convert counts as nothing.
    fn returned(&self, begin: Option<Date>) -> Result<PeriodReturn, TooLarge> {
        let end = self.snapshot.day;
        let of_parts = self.parts.iter().map(Scope::moved).collect::<Result<Vec<_>, TooLarge>>()?;
        let first = of_parts.iter().filter_map(|moved| moved.keys().next()).min().copied().unwrap_or(end);
        // Before the first trade there is no starting value.
        let begin = begin.filter(|begin| *begin >= first);
        let begin_value = match begin {
            Some(begin) => self.worth(begin, None)?,
            None => Ok(Decimal::ZERO),
        };
        let on = |day| Some((of_parts.as_slice(), day));
        let last = self.worth(end, on(end))?;
        // By day, what was put in and taken out.
        let mut moved: BTreeMap<Date, (Decimal, Decimal)> = BTreeMap::new();
        for (part, of_part) in self.parts.iter().zip(&of_parts) {
            let is_of_period = |day: &Date| *day <= end && begin.is_none_or(|begin| *day > begin);
            for (day, of_day) in of_part.iter().filter(|(day, _)| is_of_period(day)) {
                let (put_in, taken_out) = moved.entry(*day).or_default();
                *put_in = plus(*put_in, self.in_one(of_day.put_in, part, *day)?)?;
                *taken_out = plus(*taken_out, self.in_one(of_day.taken_out, part, *day)?)?;
            }
        }
        let (mut put_in, mut taken_out) = (Decimal::ZERO, Decimal::ZERO);
        for (put, taken) in moved.values() {
            put_in = plus(put_in, *put)?;
            taken_out = plus(taken_out, *taken)?;
        }
        let from = begin.unwrap_or(first);
        let mut flows: Vec<Flow> = moved
            .iter()
            .map(|(date, (put_in, taken_out))| Flow { date: *date, amount: taken_out - put_in })
            .collect();
        let mut days = Vec::new();
        let mut missing = None;
        for (day, (put_in, taken_out)) in &moved {
            let before = day.yesterday().ok().map(|before| self.worth(before, on(*day))).transpose()?;
            match (before.unwrap_or(Ok(Decimal::ZERO)), self.worth(*day, on(*day))?) {
                (Ok(before), Ok(after)) => {
                    days.push(FlowDay { before, put_in: *put_in, taken_out: *taken_out, after });
                }
                (Err(why), _) | (_, Err(why)) => {
                    missing.get_or_insert(why);
                }
            }
        }
        let known = begin_value.clone().and_then(|begin| Ok((begin, last.clone()?)));
        let (time_weighted, money_weighted) = match known {
            Err(why) => (Err(why.clone()), Err(why)),
            Ok((begin_value, last)) => {
                if begin.is_some() {
                    flows.push(Flow { date: from, amount: -begin_value });
                    days.insert(
                        0,
                        FlowDay {
                            before: Decimal::ZERO,
                            put_in: begin_value,
                            taken_out: Decimal::ZERO,
                            after: begin_value,
                        },
                    );
                }
                flows.push(Flow { date: end, amount: last });
                let time = match missing {
                    Some(why) => Err(why),
                    None => time_weighted(&days, last)
                        .ok_or_else(|| "nothing was held when it was paid".to_owned()),
                };
                (time, money_weighted(&flows).map_err(|why| why.to_string()))
            }
        };
        Ok(PeriodReturn {
            currency: self.currency.clone(),
            from,
            days: days_between(from, end),
            begin_value: begin_value.ok(),
            put_in,
            taken_out,
            value: last.ok(),
            cash: self.cash_on(end)?,
            time_weighted,
            money_weighted,
        })
    }

    /// An amount of a part at the rate of a day.
    fn in_one(&self, amount: Decimal, part: &Scope, day: Date) -> Result<Decimal, TooLarge> {
        match &self.rates {
            Some(rates) if !amount.is_zero() => {
                Ok(rates.borrow_mut().exact(amount, part.currency, day)?.unwrap_or_default())
            }
            _ => Ok(amount),
        }
    }

    /// See [`Scope::worth`]; the prices paid are those of the day of `on`.
    fn worth(
        &self,
        day: Date,
        on: Option<(&[ByDay<'a>], Date)>,
    ) -> Result<Result<Decimal, String>, TooLarge> {
        let mut sum = Decimal::ZERO;
        for (place, part) in self.parts.iter().enumerate() {
            let moved = on.and_then(|(of_parts, on)| of_parts[place].get(&on));
            match part.worth(day, moved)? {
                Ok(worth) => sum = plus(sum, self.in_one(worth, part, day)?)?,
                Err(why) => return Ok(Err(why)),
            }
        }
        Ok(Ok(sum))
    }

    fn cash_on(&self, day: Date) -> Result<Option<Decimal>, TooLarge> {
        let held = self.snapshot.holdings_on(day)?.held;
        let mut sum = None;
        for part in &self.parts {
            if let Some(cash) = part.cash_on(&held, day)? {
                sum = Some(plus(sum.unwrap_or_default(), self.in_one(cash, part, day)?)?);
            }
        }
        Ok(sum)
    }
}

impl<'a> Scope<'a> {
    /// Whether the scope is a whole currency with recorded deposits: these are then the flows, and cash is
    /// part of the value.
    fn has_cash(&self) -> bool {
        let mut transfers = self.snapshot.books.transfers.iter();
        self.symbol.is_none()
            && transfers.any(|one| {
                one.is_external() && one.currency == self.currency && one.date <= self.snapshot.day
            })
    }

    fn is_of(&self, symbol: &str, currency: &str) -> bool {
        currency == self.currency
            && self.symbol.is_none_or(|own| own == symbol)
            && !self.unknown.contains(&(symbol, currency))
    }

    /// The flows by day.
    fn moved(&self) -> Result<ByDay<'a>, TooLarge> {
        let mut moved: BTreeMap<Date, Moved> = BTreeMap::new();
        let books = &self.snapshot.books;
        let holdings = self.snapshot.holdings()?;
        let counted: BTreeSet<usize> =
            holdings.held.iter().flat_map(|holding| holding.trades.iter().copied()).collect();
        for note in counted.iter().map(|place| &books.trades[*place]) {
            if !self.is_of(&note.symbol, &note.currency) {
                continue;
            }
            let day = moved.entry(note.trade.date).or_default();
            let times = |quantity: Decimal, price: Decimal| quantity.checked_mul(price).ok_or(TooLarge);
            match note.trade.event {
                Event::Buy { quantity, price, fee } => {
                    day.put_in = plus(day.put_in, plus(times(quantity, price)?, fee)?)?;
                    day.paid.insert(&note.symbol, price);
                }
                Event::Sell { quantity, price, fee } => {
                    day.taken_out = plus(day.taken_out, plus(times(quantity, price)?, -fee)?)?;
                    day.paid.entry(&note.symbol).or_insert(price);
                }
                Event::Dividend { quantity, price, fee } => {
                    day.taken_out = plus(day.taken_out, plus(times(quantity, price)?, -fee)?)?;
                }
                Event::Fee { amount } => day.put_in = plus(day.put_in, amount)?,
                Event::Split { .. } => {}
            }
        }
        if self.has_cash() {
            // Trades move money within the account; their prices still value the holdings.
            moved.values_mut().for_each(|day| (day.put_in, day.taken_out) = Default::default());
            let transfers =
                books.transfers.iter().filter(|one| one.is_external() && one.currency == self.currency);
            for transfer in transfers.filter(|one| one.date <= self.snapshot.day) {
                let day = moved.entry(transfer.date).or_default();
                let flow =
                    if transfer.amount.is_sign_negative() { &mut day.taken_out } else { &mut day.put_in };
                *flow = plus(*flow, transfer.amount.abs())?;
            }
        }
        for holding in holdings.held.iter().filter(|held| held.is_own()) {
            let bought = holding.position.and_then(|own| own.opened.zip(own.cost));
            if let Some((opened, cost)) = bought.filter(|_| self.is_of(holding.symbol, holding.currency)) {
                let day = moved.entry(opened).or_default();
                day.put_in = plus(day.put_in, cost)?;
                if let Some(each) = cost.checked_div(holding.quantity.to_decimal()?) {
                    day.paid.insert(holding.symbol, each);
                }
            }
        }
        moved.retain(|_, moved| !moved.put_in.is_zero() || !moved.taken_out.is_zero());
        Ok(moved)
    }

    fn cash_on(&self, held: &[Holding], day: Date) -> Result<Option<Decimal>, TooLarge> {
        if !self.has_cash() {
            return Ok(None);
        }
        Ok(Some(Cash::of(&self.snapshot.books, held, day)?.balance(self.currency)))
    }

    /// The value at the end of a day; the inner error names the missing price. Without a price of the day,
    /// the price paid in `moved` is used.
    fn worth(&self, day: Date, moved: Option<&Moved>) -> Result<Result<Decimal, String>, TooLarge> {
        let held = self.snapshot.holdings_on(day)?.held;
        let mut sum = self.cash_on(&held, day)?.unwrap_or_default();
        for holding in &held {
            if holding.quantity.is_zero() || !self.is_of(holding.symbol, holding.currency) {
                continue;
            }
            let known = self.prices.usable(holding.symbol, holding.currency, day);
            let known = known.map(|price| price.after(&holding.ledger.splits, day)).transpose()?;
            let paid = || moved.and_then(|moved| moved.paid.get(holding.symbol)).copied();
            let Some(each) = known.or_else(paid) else {
                let day = day_text(day, self.snapshot.day);
                return Ok(Err(format!("there is no price of {} on {day}", holding.symbol)));
            };
            sum = plus(sum, holding.quantity.at(each)?)?;
        }
        Ok(Ok(sum))
    }
}

/// Formats a ratio as a percentage.
fn percent(ratio: Option<f64>) -> Value {
    let percent = ratio.and_then(|ratio| Decimal::try_from(ratio * 100.0).ok());
    shown(percent.map(|percent| at_least(rounded_to(percent, 2), 2)))
}

impl PeriodReturn {
    fn to_json(&self) -> Value {
        let amount = |amount: Decimal| money(amount, &self.currency);
        let time = self.time_weighted.as_ref().ok().copied();
        // Converts the annual rate to the actual number of days.
        let money = self.money_weighted.as_ref().ok().copied();
        let over = money.map(|rate| (1.0 + rate).powf(self.days as f64 / 365.0) - 1.0);
        let missing = self.time_weighted.as_ref().err().or(self.money_weighted.as_ref().err());
        let mut row = json!({
            "currency": self.currency,
            "from": self.from.to_string(),
            "begin_value": shown(self.begin_value.map(amount)),
            "put_in": amount(self.put_in).to_string(),
            "taken_out": amount(self.taken_out).to_string(),
            "value": shown(self.value.map(amount)),
            "time_weighted": percent(time),
            "time_weighted_year": percent(time.and_then(|whole| a_year(whole, self.days))),
            "money_weighted": percent(over),
            "money_weighted_year": percent(money.filter(|_| self.days >= 365)),
            "missing": missing,
        });
        if let Some(cash) = self.cash {
            row["cash"] = json!(amount(cash).to_string());
            row["flows"] = json!("deposits and withdrawals");
        }
        row
    }
}
