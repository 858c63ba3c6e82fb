//! The rules that every trade obeys, however it is saved: its fields match its kind, sales do not exceed the
//! holding, and a position that agreed with its trades continues to agree.

use std::collections::BTreeSet;

use nova_skill::figures::{currency_code, money};
use nova_skill::serde_json::Map;
use nova_skill::{Date, Decimal, ToolContext, ToolError, Value, json};

use crate::amount::{CURRENCY_REMEDY, invalid, price as price_shown};
use crate::books::{
    Books, DEPOSIT, FEE, INTEREST, POSITION, PositionNote, TAX, TradeNote, WITHDRAWAL, as_symbol, is_symbol,
};
use crate::ledger::{Event, Ledger, Method, Trade, TradeError};
use crate::valuation::Snapshot;

/// A new trade, or one that replaces an existing one.
pub(crate) struct Change<'a> {
    books: &'a Books,
    method: Method,
    /// The trade in the books.
    old: Option<&'a TradeNote>,
    /// `None` if the note becomes a transfer without a symbol.
    new: Option<Saved>,
}

/// A trade to be saved.
pub(crate) struct Saved {
    symbol: String,
    currency: String,
    trade: Trade,
}

impl Saved {
    pub(crate) fn new(symbol: &str, currency: &str, date: Date, event: Event) -> Self {
        // Marks the new trade among the trades from the books.
        let trade = Trade { date, event, origin: usize::MAX };
        Self { symbol: symbol.to_owned(), currency: currency.to_owned(), trade }
    }
}

impl<'a> Change<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot, old: Option<&'a TradeNote>, mut new: Option<Saved>) -> Self {
        let books = &snapshot.books;
        if let Some(new) = &mut new {
            new.trade.origin = books.trades.len();
        }
        Self { books, method: snapshot.method, old, new }
    }

    /// The ledger of a symbol in a currency with this change.
    ///
    /// # Errors
    /// Why the change is impossible.
    pub(crate) fn ledger(&self, symbol: &str, currency: &str) -> Result<Ledger, ToolError> {
        self.checked(symbol, currency)
    }

    /// # Errors
    /// If this trade or a later one becomes impossible, or if it would hide shares that only a position
    /// states. Trades that were already impossible may stay so until they are corrected.
    pub(crate) fn check(&self) -> Result<(), ToolError> {
        if let Some(new) = &self.new
            && let Some(position) = self.books.position(&new.symbol)
        {
            check_position_quantity(position, self.books, &new.trade.event)?;
        }
        for (symbol, currency) in self.touched() {
            if let Err(error) = self.checked(symbol, currency) {
                let own = matches!(self.after(symbol, currency), Err((origin, _)) if origin == self.origin());
                let mends = self.old.is_some() && !own && self.before(symbol, currency).is_err();
                if !mends {
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Updates the positions that agreed with their trades; others are left unchanged.
    pub(crate) async fn follow(&self, ctx: &dyn ToolContext) -> Result<(), ToolError> {
        for (symbol, currency) in self.touched() {
            let mut positions = self.books.positions.iter();
            let own = positions.find(|position| position.symbol == symbol && position.currency == currency);
            let (Ok(before), Ok(after)) = (self.before(symbol, currency), self.after(symbol, currency))
            else {
                continue;
            };
            if let Some(position) = own {
                follow(ctx, position, &before, &after).await?;
            }
        }
        Ok(())
    }

    pub(crate) fn origin(&self) -> usize {
        self.books.trades.len()
    }

    /// The symbols and currencies whose totals change. A split affects every currency of its symbol.
    fn touched(&self) -> BTreeSet<(&str, &str)> {
        let mut touched = BTreeSet::new();
        let old = self.old.map(|old| (&old.symbol, &old.currency, &old.trade.event));
        let new = self.new.as_ref().map(|new| (&new.symbol, &new.currency, &new.trade.event));
        for (symbol, currency, event) in old.into_iter().chain(new) {
            touched.insert((symbol.as_str(), currency.as_str()));
            if matches!(event, Event::Split { .. }) {
                let others = self.books.trades.iter().filter(|other| other.symbol == *symbol);
                touched.extend(others.map(|other| (other.symbol.as_str(), other.currency.as_str())));
            }
        }
        touched
    }

    fn checked(&self, symbol: &str, currency: &str) -> Result<Ledger, ToolError> {
        self.after(symbol, currency).map_err(|(origin, why)| self.refused(symbol, origin, &why))
    }

    fn before(&self, symbol: &str, currency: &str) -> Result<Ledger, (usize, TradeError)> {
        let trades: Vec<Trade> =
            self.books.trades_of(symbol, currency).map(|note| note.trade.clone()).collect();
        Ledger::of(self.method, &trades, None)
    }

    fn after(&self, symbol: &str, currency: &str) -> Result<Ledger, (usize, TradeError)> {
        let is_own = |new: &&Saved| {
            let is_split = matches!(new.trade.event, Event::Split { .. });
            new.symbol == symbol && (is_split || new.currency == currency)
        };
        let new = || self.new.as_ref().filter(is_own).map(|new| new.trade.clone());
        // Replaces the old trade in place: within a day, the order of buys decides which is sold first.
        let in_place = self.books.trades.iter().filter_map(|note| match self.old {
            Some(old) if old.path == note.path => new(),
            _ => note.is_of(symbol, currency).then(|| note.trade.clone()),
        });
        let mut trades: Vec<Trade> = in_place.collect();
        if self.old.is_none() {
            trades.extend(new());
        }
        Ledger::of(self.method, &trades, None)
    }

    /// The error for an impossible change.
    fn refused(&self, symbol: &str, origin: usize, why: &TradeError) -> ToolError {
        let TradeError::Oversold { date, sold, held } = why else {
            return match why {
                TradeError::TooLarge(error) => (*error).into(),
                TradeError::Oversold { .. } => ToolError::failed(why.to_string(), ""),
            };
        };
        if origin == self.origin() {
            let place = match self.old {
                Some(old) => format!("{}, line {}: ", old.path, old.line),
                None => String::new(),
            };
            return ToolError::failed(
                format!("{place}{sold} {symbol} cannot be sold on {date}: {held} are held then."),
                "Correct the quantity or the date, or record the buy that is missing first.",
            );
        }
        let problem = self.books.trade_problem(origin, why);
        let with = if self.old.is_some() { "change" } else { "trade" };
        ToolError::failed(
            format!(
                "This {with} makes a later trade impossible: {}, line {}: {}.",
                problem.path, problem.line, problem.problem
            ),
            "Correct the quantity or the date of one of the two.",
        )
    }
}

/// The kind of a trade.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Buy,
    Sell,
    Dividend,
    Split,
    Fee,
    Tax,
    Deposit,
    Withdrawal,
    Interest,
}

/// The given numbers of a trade, none of them negative.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Numbers {
    pub(crate) quantity: Option<Decimal>,
    pub(crate) per: Option<Decimal>,
    pub(crate) price: Option<Decimal>,
    pub(crate) fee: Option<Decimal>,
}

impl Kind {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Buy => "buy",
            Self::Sell => "sell",
            Self::Dividend => "dividend",
            Self::Split => "split",
            Self::Fee => FEE,
            Self::Tax => TAX,
            Self::Deposit => DEPOSIT,
            Self::Withdrawal => WITHDRAWAL,
            Self::Interest => INTEREST,
        }
    }

    pub(crate) const ALL: [Self; 9] = [
        Self::Buy,
        Self::Sell,
        Self::Dividend,
        Self::Split,
        Self::Fee,
        Self::Tax,
        Self::Deposit,
        Self::Withdrawal,
        Self::Interest,
    ];

    pub(crate) fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// Whether it never has a symbol.
    pub(crate) fn is_transfer(self) -> bool {
        matches!(self, Self::Deposit | Self::Withdrawal | Self::Interest)
    }

    /// Whether it belongs to the account: fees and taxes do if no symbol is named.
    pub(crate) fn is_of_account(self, symbol: Option<&str>) -> bool {
        let is_named = symbol.is_some_and(|symbol| !symbol.trim().is_empty());
        self.is_transfer() || (!is_named && matches!(self, Self::Fee | Self::Tax))
    }

    /// Whether it brings in money.
    pub(crate) fn comes_in(self) -> bool {
        matches!(self, Self::Sell | Self::Dividend | Self::Deposit | Self::Interest)
    }
}

/// # Errors
/// If the day is in the future.
pub(crate) fn not_in_future(day: Date, today: Date) -> Result<(), ToolError> {
    if day > today {
        return Err(invalid("date", &format!("{day} is in the future; record it once it has happened")));
    }
    Ok(())
}

/// Resolves a known symbol or the name of a position; anything else is a new symbol.
pub(crate) fn symbol(said: &str, books: &Books) -> Result<String, ToolError> {
    let symbol = as_symbol(said);
    if symbol.is_empty() {
        return Err(invalid("symbol", "must not be empty"));
    }
    match books.find(said) {
        Ok(symbol) => Ok(symbol),
        Err(error @ ToolError::Ambiguous { .. }) => Err(error),
        Err(_) if is_symbol(&symbol) => Ok(symbol),
        Err(_) => Err(invalid(
            "symbol",
            &format!(
                "\"{said}\" is neither a symbol nor a position's name; a symbol is one word such as NGTL"
            ),
        )),
    }
}

/// The given currency, or that of the symbol's position or trades, or the default.
pub(crate) fn currency_of(given: Option<&str>, symbol: &str, books: &Books) -> Result<String, ToolError> {
    if let Some(said) = given.filter(|said| !said.trim().is_empty()) {
        let rule = format!("\"{said}\" is not a currency. {}", CURRENCY_REMEDY.trim_end_matches('.'));
        return currency_code(said).map(str::to_owned).ok_or_else(|| invalid("currency", &rule));
    }
    let of_position = books.position(symbol).map(|position| position.currency.clone());
    let own = || books.trades.iter().filter(|note| note.symbol == symbol);
    // The last trade decides if the position's currency is in none of the trades.
    let of_trade = own().next_back().map(|note| note.currency.clone());
    of_position
        .filter(|currency| of_trade.is_none() || own().any(|note| note.currency == *currency))
        .or(of_trade)
        .or_else(|| books.currency.clone())
        .ok_or_else(|| invalid("currency", "is needed: the vault names no usual currency"))
}

/// The quantity held on the day of a payment per share.
///
/// # Errors
/// If nothing is held.
pub(crate) fn quantity_held_for_payment(
    snapshot: &Snapshot,
    symbol: &str,
    currency: &str,
    day: Date,
) -> Result<Decimal, ToolError> {
    match held_on(snapshot, symbol, currency, day)? {
        held if held.is_zero() => {
            Err(invalid("quantity", &format!("is needed: no {symbol} are held on {day}")))
        }
        held => Ok(held),
    }
}

/// The quantity held at the end of a day.
fn held_on(snapshot: &Snapshot, symbol: &str, currency: &str, day: Date) -> Result<Decimal, ToolError> {
    let holdings = snapshot.books.holdings(snapshot.method, day, false)?;
    let mut held = holdings.held.iter();
    let own = held.find(|holding| holding.symbol == symbol && holding.currency == currency);
    Ok(own.map(|holding| holding.quantity.to_decimal()).transpose()?.unwrap_or_default())
}

/// The event and the fields of its note. `held_then` returns the quantity held on its day.
///
/// # Errors
/// If a number is missing or does not belong to the kind.
pub(crate) fn event(
    kind: Kind,
    numbers: &Numbers,
    held_then: impl FnOnce() -> Result<Decimal, ToolError>,
) -> Result<(Event, Map<String, Value>), ToolError> {
    let given = |number: Option<Decimal>, field: &str| {
        number.ok_or_else(|| invalid(field, &format!("a {} needs a {field}", kind.word())))
    };
    let needed = |number: Option<Decimal>, field: &str| match given(number, field)? {
        number if number.is_zero() => Err(invalid(field, "must be above zero")),
        number => Ok(number),
    };
    let foreign = |number: Option<Decimal>, field: &str| match number {
        Some(_) => Err(invalid(field, &format!("a {} has no {field}; leave it out", kind.word()))),
        None => Ok(()),
    };
    if kind != Kind::Split {
        foreign(numbers.per, "per")?;
    }
    let fee = numbers.fee.unwrap_or_default();
    let mut fields = Map::new();
    let mut put = |field: &str, number: Decimal| {
        fields.insert(field.to_owned(), json!(number.to_string()));
    };
    let event = match kind {
        Kind::Buy | Kind::Sell => {
            // A gift needs a price, too: zero.
            let (quantity, price) = (needed(numbers.quantity, "quantity")?, given(numbers.price, "price")?);
            put("quantity", quantity);
            put("price", price);
            put("fee", fee);
            match kind {
                Kind::Buy => Event::Buy { quantity, price, fee },
                _ => Event::Sell { quantity, price, fee },
            }
        }
        Kind::Dividend => {
            let price = needed(numbers.price, "price")?;
            let quantity = match numbers.quantity {
                Some(_) => needed(numbers.quantity, "quantity")?,
                // Without a quantity, the payment covers all shares held on that day.
                None => held_then()?,
            };
            let paid = quantity.checked_mul(price).ok_or(nova_skill::figures::TooLarge)?;
            if fee > paid {
                return Err(invalid(
                    "fee",
                    &format!("{fee} is more than the payment of {}", price_shown(paid)),
                ));
            }
            put("quantity", quantity);
            put("price", price);
            put("fee", fee);
            Event::Dividend { quantity, price, fee }
        }
        Kind::Split => {
            foreign(numbers.price, "price")?;
            if !fee.is_zero() {
                foreign(numbers.fee, "fee")?;
            }
            let quantity = needed(numbers.quantity, "quantity")?;
            let old = numbers.per.map(|per| needed(Some(per), "per")).transpose()?;
            put("quantity", quantity);
            if let Some(old) = old {
                put("per", old);
            }
            Event::Split { new: quantity, old: old.unwrap_or(Decimal::ONE) }
        }
        Kind::Fee | Kind::Tax => {
            foreign(numbers.quantity, "quantity")?;
            foreign(numbers.price, "price")?;
            let amount = needed(numbers.fee, "fee")?;
            put("fee", amount);
            Event::Fee { amount }
        }
        Kind::Deposit | Kind::Withdrawal | Kind::Interest => return Err(no_symbol(kind)),
    };
    Ok((event, fields))
}

/// The fields of a trade without a symbol.
///
/// # Errors
/// If a number is missing or does not belong to the kind.
pub(crate) fn transfer(kind: Kind, numbers: &Numbers) -> Result<Map<String, Value>, ToolError> {
    for (number, field) in [(numbers.quantity, "quantity"), (numbers.per, "per")] {
        if number.is_some() {
            let rule = format!("a {} has no {field}; its amount is the price", kind.word());
            return Err(invalid(field, &rule));
        }
    }
    if matches!(kind, Kind::Fee | Kind::Tax) {
        if numbers.price.is_some() {
            let rule = format!("a {} has no price; its amount is the fee", kind.word());
            return Err(invalid("price", &rule));
        }
        let rule = || invalid("fee", &format!("a {} needs its amount as fee", kind.word()));
        let amount = numbers.fee.filter(|amount| !amount.is_zero()).ok_or_else(rule)?;
        return Ok(Map::from_iter([("fee".to_owned(), json!(amount.to_string()))]));
    }
    let rule = || invalid("price", &format!("a {} needs its amount as price", kind.word()));
    let amount = numbers.price.filter(|amount| !amount.is_zero()).ok_or_else(rule)?;
    let mut fields = Map::new();
    fields.insert("price".into(), json!(amount.to_string()));
    fields.insert("fee".into(), json!(numbers.fee.unwrap_or_default().to_string()));
    Ok(fields)
}

pub(crate) fn no_symbol(kind: Kind) -> ToolError {
    invalid("symbol", &format!("a {} has no symbol; leave it out", kind.word()))
}

/// The currency of a deposit or a withdrawal: the given one, or else the default.
pub(crate) fn currency_of_transfer(given: Option<&str>, books: &Books) -> Result<String, ToolError> {
    let usual = || books.currency.clone();
    crate::amount::currency(given)?
        .map(str::to_owned)
        .or_else(usual)
        .ok_or_else(|| invalid("currency", "is needed: the vault names no usual currency"))
}

/// # Errors
/// If the first trade that moves shares would hide those that only the position states.
fn check_position_quantity(position: &PositionNote, books: &Books, new: &Event) -> Result<(), ToolError> {
    let moved = books.moves(&position.symbol);
    let Some(quantity) = position.quantity.filter(|own| !moved && new.moves() && !own.is_zero()) else {
        return Ok(());
    };
    let (symbol, path) = (&position.symbol, &position.path);
    let cost =
        position.cost.map(|cost| format!(" for {cost} {} in all", position.currency)).unwrap_or_default();
    let when = position.opened.map(|day: Date| format!(" of {day}")).unwrap_or_default();
    Err(ToolError::failed(
        format!(
            "The {quantity} {symbol} are in {path} and in no trade; after a first trade only trades count."
        ),
        format!(
            "Remove the quantity from {path}, record the buy{when} of {quantity}{cost}, then record this trade."
        ),
    ))
}

/// Updates a position that agreed with its trades; another is left unchanged.
pub(crate) async fn follow(
    ctx: &dyn ToolContext,
    position: &PositionNote,
    before: &Ledger,
    after: &Ledger,
) -> Result<(), ToolError> {
    let mut changed = Map::new();
    if position.quantity == Some(before.quantity().to_decimal()?) && before.quantity() != after.quantity() {
        changed.insert("quantity".into(), json!(after.quantity().to_decimal()?.to_string()));
    }
    let in_note = |cost: Decimal| money(cost, &position.currency);
    let (cost, now) = (in_note(before.cost()), in_note(after.cost()));
    if position.cost.map(in_note) == Some(cost) && now != cost {
        changed.insert("cost_basis".into(), json!(now.to_string()));
    }
    if changed.is_empty() {
        return Ok(());
    }
    let note = ctx.vault().read(&position.path).await?;
    let edits = ctx.records().get(POSITION)?.edits(&note, &changed)?;
    ctx.vault().set_properties(&position.path, &edits).await
}
