use nova_market::{Age, QUOTE_DAYS};
use nova_skill::figures::{Sums, TooLarge, day_and_month, minus, money, percent};
use nova_skill::jiff::civil::date;
use nova_skill::{
    Date, Decimal, Figure, NotePath, Output, OwnFields, Problem, Source, ToolContext, ToolError, Value, json,
};

use crate::amount::{price as price_shown, shown};
use crate::books::{Books, as_symbol, problems_json};
use crate::holdings::{Holding, Holdings};
use crate::ledger::{Event, Method};
use crate::prices::{Price, Prices};
use crate::stored::{Stored, migrate};

/// What the tools compute from: the records, the stored prices of quote sources, and the day.
pub(crate) struct Snapshot {
    pub(crate) books: Books,
    pub(crate) stored: Stored,
    pub(crate) day: Date,
    pub(crate) today: Date,
    pub(crate) method: Method,
}

/// The holdings on a day with their prices. The amounts of rows are rounded, and totals are sums of those, so
/// that a table adds up; currencies are kept separate.
pub(crate) struct Valuation<'a> {
    pub(crate) rows: Vec<Row<'a>>,
    pub(crate) value: Sums,
    pub(crate) cost: Sums,
    pub(crate) gain: Sums,
    pub(crate) problems: Vec<Problem>,
    pub(crate) day: Date,
    today: Date,
    method: Method,
}

/// A non-empty holding.
pub(crate) struct Row<'a> {
    pub(crate) holding: Holding<'a>,
    pub(crate) price: Option<&'a Price<'a>>,
    /// The price per share as of the day, adjusted for splits.
    pub(crate) each: Option<Decimal>,
    pub(crate) value: Option<Decimal>,
    pub(crate) cost: Option<Decimal>,
    pub(crate) gain: Option<Decimal>,
    pub(crate) exact: Exact,
    /// The change from the previous close, in percent.
    pub(crate) change: Option<Decimal>,
}

/// The unrounded amounts from which a row's ratios are computed.
pub(crate) struct Exact {
    pub(crate) value: Option<Decimal>,
    cost: Option<Decimal>,
}

impl Exact {
    fn gain(&self) -> Option<Decimal> {
        self.value?.checked_sub(self.cost?)
    }
}

impl Snapshot {
    /// Without stored prices.
    pub(crate) async fn read(ctx: &dyn ToolContext, as_of: Option<&str>) -> Result<Self, ToolError> {
        let today = ctx.clock().today();
        let day = crate::amount::day(as_of, today)?;
        let books = Books::read(ctx).await?;
        let method = method(ctx.config().get("method").and_then(Value::as_str));
        Ok(Self { books, stored: Stored::default(), day, today, method })
    }

    /// With the stored prices of all symbols and currencies of the records, the benchmark, and the exchange rates
    /// into `currency`.
    pub(crate) async fn priced(
        ctx: &dyn ToolContext,
        as_of: Option<&str>,
        currency: Option<&str>,
    ) -> Result<Self, ToolError> {
        let mut snapshot = Self::read(ctx, as_of).await?;
        migrate(&snapshot.books, ctx).await;
        let noted = snapshot.books.prices.iter().map(|note| note.symbol.clone());
        let held = snapshot.books.symbols().into_iter().map(str::to_owned);
        let symbols: Vec<String> = noted.chain(held).chain(benchmark(ctx)).collect();
        snapshot.read_prices(symbols, ctx).await;
        snapshot.stored.read_rates(currency, &snapshot.books, ctx).await;
        Ok(snapshot)
    }

    /// Also reads the stored prices of other symbols.
    pub(crate) async fn read_prices(&mut self, symbols: Vec<String>, ctx: &dyn ToolContext) {
        self.stored.read(symbols, &self.books, ctx).await;
    }

    pub(crate) fn prices(&self) -> Prices<'_> {
        Prices::new(&self.books, &self.stored)
    }

    pub(crate) fn prices_of<'a>(&'a self, symbol: &'a str) -> Prices<'a> {
        Prices::only(symbol, &self.books, &self.stored)
    }

    pub(crate) fn holdings(&self) -> Result<Holdings<'_>, TooLarge> {
        self.holdings_on(self.day)
    }

    pub(crate) fn holdings_on(&self, day: Date) -> Result<Holdings<'_>, TooLarge> {
        self.books.holdings(self.method, day, day == self.today)
    }

    pub(crate) fn value<'a>(&'a self, prices: &'a Prices<'a>) -> Result<Valuation<'a>, TooLarge> {
        self.value_on(prices, self.day)
    }

    /// The valuation at the end of any day, by the same rules.
    pub(crate) fn value_on<'a>(
        &'a self,
        prices: &'a Prices<'a>,
        day: Date,
    ) -> Result<Valuation<'a>, TooLarge> {
        let holdings = self.holdings_on(day)?;
        let mut all = Valuation {
            rows: Vec::new(),
            value: Sums::default(),
            cost: Sums::default(),
            gain: Sums::default(),
            problems: [holdings.problems, self.unrecorded_splits(&holdings.held, day)].concat(),
            day,
            today: self.today,
            method: self.method,
        };
        for holding in holdings.held {
            if !holding.quantity.is_zero() {
                all.add(holding, prices)?;
            }
        }
        all.keep(|_| true)?;
        // Groups by currency, largest value first, rows without a value last.
        all.rows.sort_by(|a, b| {
            let key = |row: &Row| (row.holding.currency.to_owned(), std::cmp::Reverse(row.value));
            key(a).cmp(&key(b)).then_with(|| a.holding.symbol.cmp(b.holding.symbol))
        });
        Ok(all)
    }
}

pub(crate) fn method(word: Option<&str>) -> Method {
    if word == Some("average") { Method::Average } else { Method::Fifo }
}

pub(crate) fn method_word(method: Method) -> &'static str {
    match method {
        Method::Fifo => "fifo",
        Method::Average => "average",
    }
}

impl<'a> Valuation<'a> {
    fn add(&mut self, holding: Holding<'a>, prices: &'a Prices<'a>) -> Result<(), TooLarge> {
        let (symbol, currency) = (holding.symbol, holding.currency);
        let price = prices.usable(symbol, currency, self.day);
        if price.is_none() {
            self.problems.push(no_price(&holding, prices.last(symbol, currency, self.day), self.today));
        }
        if holding.cost.is_none() {
            self.problems.push(no_cost(&holding));
        }
        let splits = &holding.ledger.splits;
        let each = price.map(|price| price.after(splits, self.day)).transpose()?;
        let value = each.map(|each| holding.quantity.at(each)).transpose()?;
        let exact = Exact { value, cost: holding.cost };
        let in_row = |amount: Decimal| money(amount, currency);
        let (value, cost) = (exact.value.map(in_row), exact.cost.map(in_row));
        let gain = value.zip(cost).map(|(value, cost)| minus(value, cost)).transpose()?;
        let before = price.filter(|price| price.age(self.day) == Age::Fresh).and_then(|price| {
            let before = prices.before(symbol, price).filter(|before| before.age(price.date) == Age::Fresh);
            price.before.map(Ok).or_else(|| before.map(|before| before.after(splits, price.date)))
        });
        let change = match (price, before.transpose()?) {
            (Some(price), Some(before)) => {
                price.amount.checked_sub(before).and_then(|by| percent(by, before, 2))
            }
            _ => None,
        };
        self.rows.push(Row { holding, price, each, value, cost, gain, exact, change });
        Ok(())
    }

    /// Retains only the requested symbols.
    pub(crate) fn keep(&mut self, is_asked: impl Fn(&str) -> bool) -> Result<(), TooLarge> {
        self.rows.retain(|row| is_asked(row.holding.symbol));
        (self.value, self.cost, self.gain) = Default::default();
        for row in &self.rows {
            let currency = row.holding.currency;
            if let (Some(value), Some(exact)) = (row.value, row.exact.value) {
                self.value.add_row(currency, value, exact)?;
            }
            if let (Some(cost), Some(exact)) = (row.cost, row.exact.cost.filter(|_| row.gain.is_some())) {
                self.cost.add_row(currency, cost, exact)?;
            }
            if let (Some(gain), Some(exact)) = (row.gain, row.exact.gain()) {
                self.gain.add_row(currency, gain, exact)?;
            }
        }
        Ok(())
    }

    /// The positions as rows of an answer, with the user's own fields.
    pub(crate) fn rows_json(&self, own: &OwnFields) -> Value {
        let rows = self.rows.iter().map(|row| {
            let mut told = row.to_json(self);
            if let Some(position) = row.holding.position {
                own.add_to(&mut told, &position.path);
            }
            told
        });
        rows.collect()
    }

    /// The total row of the table; null for several currencies, which do not add up.
    pub(crate) fn total_json(&self) -> Value {
        let mut totals = self.value.iter();
        let (Some((currency, value)), None) = (totals.next(), totals.next()) else { return Value::Null };
        let (cost, gain) = (self.cost.get(currency), self.gain.get(currency));
        json!({
            "symbol": "Total",
            "currency": currency,
            "value": value.to_string(),
            "cost": shown(cost),
            "gain": shown(gain),
            "gain_percent": shown(self.gain_percent(currency)),
            "share": "100.0",
        })
    }

    /// The gain of a currency in percent of its cost.
    pub(crate) fn gain_percent(&self, currency: &str) -> Option<Decimal> {
        percent(self.gain.exact(currency)?, self.cost.exact(currency)?, 1)
    }

    /// The number of stale prices.
    pub(crate) fn old_prices(&self) -> usize {
        let priced = self.rows.iter().filter_map(|row| row.price);
        priced.filter(|price| price.age(self.day) != Age::Fresh).count()
    }

    /// The number of stale prices in words; empty if there are none.
    pub(crate) fn staleness(&self) -> String {
        match (self.old_prices(), self.rows.iter().filter_map(|row| row.price).count()) {
            (0, _) => String::new(),
            (1, 1) => "the price is old".into(),
            (1, of) => format!("1 of {of} prices is old"),
            (old, of) => format!("{old} of {of} prices are old"),
        }
    }

    /// The caution of a total in one currency.
    pub(crate) fn caution(&self, currency: &str) -> Option<String> {
        let rows = || self.rows.iter().filter(|row| row.holding.currency == currency);
        let old =
            rows().filter_map(|row| row.price).filter(|price| price.age(self.day) != Age::Fresh).count();
        let without = rows().filter(|row| row.price.is_none()).count();
        let mut said = Vec::new();
        match old {
            0 => {}
            1 => said.push("1 old quote".to_owned()),
            old => said.push(format!("{old} old quotes")),
        }
        match without {
            0 => {}
            1 => said.push("1 position without a price is left out".to_owned()),
            count => said.push(format!("{count} positions without a price are left out")),
        }
        (!said.is_empty()).then(|| said.join(", "))
    }

    /// The currencies of the positions, sorted.
    pub(crate) fn currencies(&self) -> Vec<&str> {
        let all: std::collections::BTreeSet<&str> =
            self.rows.iter().map(|row| row.holding.currency).collect();
        all.into_iter().collect()
    }

    /// The caution of a gain, which depends on the costs as well.
    fn gain_caution(&self, currency: &str) -> Option<String> {
        let rows = self.rows.iter().filter(|row| row.holding.currency == currency);
        let without = match rows.filter(|row| row.value.is_some() && row.cost.is_none()).count() {
            0 => None,
            1 => Some("1 position without a cost is left out".to_owned()),
            count => Some(format!("{count} positions without a cost are left out")),
        };
        let said: Vec<String> = self.caution(currency).into_iter().chain(without).collect();
        (!said.is_empty()).then(|| said.join(", "))
    }

    /// The origin of a currency's costs, such as "from 2 buys and 1 position, first in, first out".
    fn cost_from(&self, currency: &str, method: &str, books: &Books) -> String {
        let counted =
            || self.rows.iter().filter(|row| row.holding.currency == currency && row.gain.is_some());
        let is_buy = |place: &&usize| matches!(books.trades[**place].trade.event, Event::Buy { .. });
        let bought = counted().filter(|row| !row.holding.is_own());
        let buys: usize = bought.map(|row| row.holding.trades.iter().filter(is_buy).count()).sum();
        match (buys, counted().filter(|row| row.holding.is_own()).count()) {
            (0, own) => format!("Cost, from {}", count(own, "position")),
            (buys, 0) => format!("Cost, from {}, {method}", count(buys, "buy")),
            (buys, own) => {
                format!("Cost, from {} and {}, {method}", count(buys, "buy"), count(own, "position"))
            }
        }
    }

    /// Every note behind the positions.
    pub(crate) fn notes(&self, books: &Books) -> Vec<NotePath> {
        let notes = self.rows.iter().flat_map(|row| row.holding.notes(books));
        let priced = self.rows.iter().filter_map(|row| match row.price?.source() {
            Source::Note(path) => Some(path),
            Source::Web(_) => None,
        });
        notes.chain(priced).collect()
    }

    fn sources(&self, currency: &str, books: &Books) -> Vec<Source> {
        let rows = self.rows.iter().filter(|row| row.holding.currency == currency && row.value.is_some());
        rows.flat_map(|row| row.sources(books)).collect()
    }

    fn gain_sources(&self, currency: &str, books: &Books) -> Vec<Source> {
        let rows = self.rows.iter().filter(|row| row.holding.currency == currency && row.gain.is_some());
        rows.flat_map(|row| row.sources(books)).collect()
    }

    /// The figure of one currency's total value, at the pointer `at`.
    pub(crate) fn value_figure(&self, at: String, currency: &str, books: &Books) -> Option<Figure> {
        let value = self.value.get(currency)?;
        let mut figure = Figure::new(at, "Value", value, currency)
            .formula("Σ quantity × price")
            .from_sources(self.sources(currency, books))
            .caution(self.caution(currency));
        let rows = self.rows.iter().filter(|row| row.holding.currency == currency);
        for (row, value) in rows.filter_map(|row| Some((row, row.value?))).take(PARTS) {
            figure = figure.part(row.holding.name(), value, currency);
            if let (Some(part), Some(price)) = (figure.parts.last_mut(), row.price) {
                part.caution = row.caution(price, self.day, self.today);
            }
        }
        Some(figure)
    }

    /// The figure of one currency's total gain, at the pointer `at`.
    pub(crate) fn gain_figure(&self, at: String, currency: &str, books: &Books) -> Option<Figure> {
        let (gain, cost) = (self.gain.get(currency)?, self.cost.get(currency)?);
        let counted =
            || self.rows.iter().filter(|row| row.holding.currency == currency && row.gain.is_some());
        let positions = count(counted().count(), "position");
        let (formula, method) = match self.method {
            Method::Fifo => ("Σ quantity × price − cost of the lots held", "first in, first out"),
            Method::Average => ("Σ quantity × (price − average cost)", "average method"),
        };
        Some(
            Figure::new(at, "Unrealised gain", gain, currency)
                .formula(formula)
                .part(format!("Value of {positions}"), cost.checked_add(gain)?, currency)
                .part(self.cost_from(currency, method, books), -cost, currency)
                .from_sources(self.gain_sources(currency, books))
                .caution(self.gain_caution(currency)),
        )
    }

    /// The figures of each position's value and gain, below the pointer `at`.
    pub(crate) fn row_figures(&self, mut output: Output, at: &str, books: &Books) -> Output {
        for (place, row) in self.rows.iter().enumerate() {
            let (name, currency) = (row.holding.name(), row.holding.currency);
            let (Some(value), Some(each), Some(price)) = (row.value, row.each, row.price) else { continue };
            let quantity = row.holding.quantity.to_decimal().unwrap_or_default();
            output = output.figure(
                Figure::new(format!("{at}/{place}/value"), format!("{name}: value"), value, currency)
                    .formula("quantity × price")
                    .part("Quantity", quantity, "")
                    .part(format!("Price, {}", price.source_name()), price_shown(each), currency)
                    .part("Priced", price.date, "")
                    .from_sources(row.sources(books))
                    .caution(row.caution(price, self.day, self.today)),
            );
            if let (Some(gain), Some(cost)) = (row.gain, row.cost) {
                output = output.figure(
                    Figure::new(
                        format!("{at}/{place}/gain"),
                        format!("{name}: unrealised gain"),
                        gain,
                        currency,
                    )
                    .formula("value − cost")
                    .part("Value", value, currency)
                    .part("Cost", -cost, currency)
                    .from_sources(row.sources(books))
                    .caution(row.caution(price, self.day, self.today)),
                );
            }
        }
        output
    }

    /// Adds the lists `problems` and `unreadable`, which every answer has.
    pub(crate) fn faults(&self, value: &mut Value, books: &Books) {
        value["problems"] = problems_json(&self.problems);
        value["unreadable"] = books.unreadable_json();
    }
}

/// The maximum number of parts of a figure: as many as people read.
pub(crate) const PARTS: usize = 12;

impl Row<'_> {
    fn to_json(&self, all: &Valuation) -> Value {
        let holding = &self.holding;
        let quantity = holding.quantity.to_decimal().ok();
        let average = self.holding.cost.zip(quantity).and_then(|(cost, quantity)| cost.checked_div(quantity));
        let total = all.value.exact(holding.currency);
        let age = self.price.map(|price| price.age(all.day));
        let mut row = json!({
            "symbol": holding.symbol,
            "name": holding.name(),
            "exchange": holding.position.and_then(|position| position.exchange.clone()),
            "currency": holding.currency,
            "quantity": shown(quantity),
            "price": shown(self.each.map(price_shown)),
            "price_at": self.price.map(Price::when),
            "price_source": self.price.map(|price| price.source_name().to_owned()),
            "stale": age.and_then(Age::word),
            "day_change": shown(self.change),
            "value": shown(self.value),
            "cost": shown(self.cost),
            "average_cost": shown(average.map(price_shown)),
            "gain": shown(self.gain),
            "gain_percent": shown(self.exact.gain().zip(self.exact.cost).and_then(|(gain, cost)| percent(gain, cost, 1))),
            "share": shown(self.exact.value.zip(total).and_then(|(value, total)| percent(value, total, 1))),
            "trades": holding.trades.len(),
            "path": holding.position.map(|position| position.path.to_string()),
        });
        if let Some(note) = self.price.and_then(Price::note) {
            row["price_note"] = json!(note);
        }
        row
    }

    pub(crate) fn sources(&self, books: &Books) -> Vec<Source> {
        let notes = self.holding.moving_notes(books).into_iter().map(Source::Note);
        notes.chain(self.price.map(Price::source)).collect()
    }

    fn caution(&self, price: &Price, day: Date, today: Date) -> Option<String> {
        (price.age(day) != Age::Fresh).then(|| format!("price of {}", day_text(price.date, today)))
    }
}

/// The problem of a position without a gain.
fn no_cost(holding: &Holding) -> Problem {
    let place = holding.position.map(|position| (position.path.to_string(), position.cost_line));
    let (path, line) = place.unwrap_or_default();
    Problem {
        path,
        line,
        problem: format!("{} names no cost; it is left out of cost and gain", holding.symbol),
        remedy: "Add `cost_basis:`, or record the buys.".into(),
    }
}

/// The problem of a position without a value.
fn no_price(holding: &Holding, last: Option<&Price>, today: Date) -> Problem {
    let (symbol, currency) = (holding.symbol, holding.currency);
    let problem = match last {
        Some(last) => format!(
            "{symbol}: the last quote, {} {currency} from {}, is more than {QUOTE_DAYS} days old and is not used",
            price_shown(last.amount),
            day_text(last.date, today)
        ),
        None => format!("{symbol} has no price in {currency}"),
    };
    Problem {
        path: holding.position.map(|position| position.path.to_string()).unwrap_or_default(),
        line: 1,
        problem,
        remedy: "Fetch quotes, or add a price note.".into(),
    }
}

/// Such as "12 Nov", with the year if it differs from today's.
pub(crate) fn day_text(day: Date, today: Date) -> String {
    let text = day_and_month(day);
    if day.year() == today.year() { text } else { format!("{text} {}", day.year()) }
}

pub(crate) fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// The first day of the year.
pub(crate) fn year_begins(day: Date) -> Date {
    date(day.year(), 1, 1)
}

/// The symbol of the configured benchmark.
pub(crate) fn benchmark(ctx: &dyn ToolContext) -> Option<String> {
    let said = ctx.config().get("benchmark").and_then(Value::as_str)?;
    Some(as_symbol(said)).filter(|symbol| !symbol.is_empty())
}
