//! Trades of one thing in one currency, made into lots, sales and income. Pure: no note, no clock.
//!
//! - **Cost.** What was paid for a buy is its cost, with the fee: "the basis of stocks or bonds you
//!   buy generally is the purchase price plus any costs of purchase, such as commissions" (IRS
//!   Publication 550, chapter 4, *Basis of Investment Property*).
//! - **Proceeds.** The fee of a sale is taken off: the amount realised is all that is received "minus
//!   expenses of the sale" (IRS Publication 544, chapter 1, *Gain or Loss From Sales*).
//! - **Which shares are sold.** [`Method::Fifo`]: those bought first (Publication 550, *Identifying
//!   stock or bonds sold*). [`Method::Average`]: a part of all, at their average cost.
//! - **A split** changes how many shares there are and nothing else: a lot keeps its cost as an amount,
//!   never as a price of one share.
//! - **Rounding.** Quantities are fractions. Amounts are exact to eight places; the cost of a part of
//!   a lot that does not come out even is rounded half away from zero there, and the lot keeps the rest,
//!   so that what is sold and what is left always add up to what was paid.
//! - **The order of a day.** Notes have a date and no time. On one day splits come first, because
//!   exchanges split before the market opens, then buys, sales, dividends and fees; within those, the
//!   order that the caller gave.

use std::collections::VecDeque;

use nova_skill::figures::{Quantity, TooLarge};
use nova_skill::{Date, Decimal};

/// What the trades so far come to.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    method: Method,
    lots: VecDeque<Lot>,
    quantity: Quantity,
    cost: Decimal,
    pub sales: Vec<Sale>,
    pub income: Vec<Paid>,
    pub fees: Vec<Paid>,
    pub splits: Vec<Split>,
}

/// Which shares a sale takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    #[default]
    Fifo,
    Average,
}

/// One trade. Numbers are above zero, fees at least zero; both are checked where one is made.
#[derive(Debug, Clone, PartialEq)]
pub struct Trade {
    pub date: Date,
    pub event: Event,
    /// What the caller calls it.
    pub origin: usize,
}

/// What happened. Prices are for one share, fees for the whole trade.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    Buy {
        quantity: Decimal,
        price: Decimal,
        fee: Decimal,
    },
    Sell {
        quantity: Decimal,
        price: Decimal,
        fee: Decimal,
    },
    /// A payment for each of this many shares, less what was withheld.
    Dividend {
        quantity: Decimal,
        price: Decimal,
        fee: Decimal,
    },
    /// This many new shares for that many old ones.
    Split {
        new: Decimal,
        old: Decimal,
    },
    /// What keeping it costs; no part of its cost.
    Fee {
        amount: Decimal,
    },
}

/// Shares bought together, or under [`Method::Average`] all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Lot {
    /// When the first of them was bought.
    pub date: Date,
    pub quantity: Quantity,
    pub cost: Decimal,
    pub origin: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Sale {
    pub date: Date,
    pub quantity: Quantity,
    /// Less the fee.
    pub proceeds: Decimal,
    pub cost: Decimal,
    pub gain: Decimal,
    pub origin: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Paid {
    pub date: Date,
    pub amount: Decimal,
    pub origin: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    pub date: Date,
    pub ratio: Quantity,
}

/// Why a trade cannot be.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Impossible {
    #[error("{sold} sold on {date}, but only {held} held then")]
    Oversold { date: Date, sold: Decimal, held: Decimal },
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
}

impl Ledger {
    pub fn new(method: Method) -> Self {
        Self { method, ..Self::default() }
    }

    /// All trades up to and with a day.
    ///
    /// # Errors
    /// The first trade that cannot be.
    pub fn of(method: Method, trades: &[Trade], as_of: Option<Date>) -> Result<Self, (usize, Impossible)> {
        let mut trades: Vec<&Trade> =
            trades.iter().filter(|trade| as_of.is_none_or(|day| trade.date <= day)).collect();
        in_order(&mut trades);
        let mut ledger = Self::new(method);
        for trade in trades {
            ledger.apply(trade).map_err(|why| (trade.origin, why))?;
        }
        Ok(ledger)
    }

    /// The next trade in [`in_order`]. One that fails changes nothing.
    ///
    /// # Errors
    /// When more is sold than held, and when numbers have too many digits.
    pub fn apply(&mut self, trade: &Trade) -> Result<(), Impossible> {
        let Trade { date, origin, .. } = *trade;
        match trade.event {
            Event::Buy { quantity, price, fee } => {
                let quantity = Quantity::of(quantity)?;
                let cost = sum(quantity.at(price)?, fee)?;
                self.buy(Lot { date, quantity, cost, origin })?;
            }
            Event::Sell { quantity, price, fee } => {
                let quantity = Quantity::of(quantity)?;
                let proceeds = sum(quantity.at(price)?, -fee)?;
                if quantity.is_more_than(self.quantity)? {
                    let (sold, held) = (quantity.to_decimal()?, self.quantity.to_decimal()?);
                    return Err(Impossible::Oversold { date, sold, held });
                }
                let cost = self.take(quantity)?;
                let gain = sum(proceeds, -cost)?;
                self.sales.push(Sale { date, quantity, proceeds, cost, gain, origin });
            }
            Event::Dividend { quantity, price, fee } => {
                let amount = sum(Quantity::of(quantity)?.at(price)?, -fee)?;
                self.income.push(Paid { date, amount, origin });
            }
            Event::Split { new, old } => {
                let ratio = Quantity::ratio(new, old)?;
                let quantity = self.quantity.times(ratio)?;
                let lots: Result<VecDeque<Lot>, TooLarge> = self
                    .lots
                    .iter()
                    .map(|lot| Ok(Lot { quantity: lot.quantity.times(ratio)?, ..lot.clone() }))
                    .collect();
                (self.lots, self.quantity) = (lots?, quantity);
                self.splits.push(Split { date, ratio });
            }
            Event::Fee { amount } => self.fees.push(Paid { date, amount, origin }),
        }
        Ok(())
    }

    /// In the order in which they would be sold.
    pub fn lots(&self) -> impl Iterator<Item = &Lot> {
        self.lots.iter()
    }

    /// What is held.
    pub fn quantity(&self) -> Quantity {
        self.quantity
    }

    /// What was paid for what is held.
    pub fn cost(&self) -> Decimal {
        self.cost
    }

    fn buy(&mut self, lot: Lot) -> Result<(), TooLarge> {
        let (quantity, cost) = (self.quantity.plus(lot.quantity)?, sum(self.cost, lot.cost)?);
        match (self.method, self.lots.front_mut()) {
            (Method::Average, Some(all)) => (all.quantity, all.cost) = (quantity, cost),
            _ => self.lots.push_back(lot),
        }
        (self.quantity, self.cost) = (quantity, cost);
        Ok(())
    }

    /// Removes held shares, and returns what they had cost.
    fn take(&mut self, quantity: Quantity) -> Result<Decimal, TooLarge> {
        let (mut left, mut taken, mut whole) = (quantity, Decimal::ZERO, 0);
        let mut rest = None;
        for lot in &self.lots {
            if left.is_zero() {
                break;
            }
            if lot.quantity.is_more_than(left)? {
                let cost = left.share_of(lot.cost, lot.quantity)?;
                taken = sum(taken, cost)?;
                rest = Some((lot.quantity.minus(left)?, sum(lot.cost, -cost)?));
                break;
            }
            taken = sum(taken, lot.cost)?;
            left = left.minus(lot.quantity)?;
            whole += 1;
        }
        let (held, cost) = (self.quantity.minus(quantity)?, sum(self.cost, -taken)?);
        self.lots.drain(..whole);
        if let (Some((quantity, cost)), Some(lot)) = (rest, self.lots.front_mut()) {
            (lot.quantity, lot.cost) = (quantity, cost);
        }
        (self.quantity, self.cost) = (held, cost);
        Ok(taken)
    }
}

/// By day, and within a day as the module says.
pub fn in_order(trades: &mut [&Trade]) {
    let rank = |event: &Event| match event {
        Event::Split { .. } => 0,
        Event::Buy { .. } => 1,
        Event::Sell { .. } => 2,
        Event::Dividend { .. } => 3,
        Event::Fee { .. } => 4,
    };
    trades.sort_by_key(|trade| (trade.date, rank(&trade.event)));
}

impl Event {
    /// The money that it brings in, or takes out with a minus.
    pub fn cash(&self) -> Result<Decimal, TooLarge> {
        let of = |quantity: Decimal, price: Decimal| Quantity::of(quantity)?.at(price);
        match *self {
            Self::Buy { quantity, price, fee } => Ok(-sum(of(quantity, price)?, fee)?),
            Self::Sell { quantity, price, fee } | Self::Dividend { quantity, price, fee } => {
                sum(of(quantity, price)?, -fee)
            }
            Self::Split { .. } => Ok(Decimal::ZERO),
            Self::Fee { amount } => Ok(-amount),
        }
    }

    /// Whether it changes how much is held.
    pub fn moves(&self) -> bool {
        matches!(self, Self::Buy { .. } | Self::Sell { .. } | Self::Split { .. })
    }
}

/// Checked addition.
pub fn sum(a: Decimal, b: Decimal) -> Result<Decimal, TooLarge> {
    a.checked_add(b).ok_or(TooLarge)
}
