//! Turns the trades of one symbol in one currency into lots, sales and income. Pure: it uses no notes and no
//! clock.
//!
//! - **Cost.** The cost of a buy includes the fee: "the basis of stocks or bonds you buy generally is the
//!   purchase price plus any costs of purchase, such as commissions" (IRS Publication 550, chapter 4, *Basis
//!   of Investment Property*).
//! - **Proceeds.** The fee of a sale is deducted: the amount realised is all that is received "minus expenses
//!   of the sale" (IRS Publication 544, chapter 1, *Gain or Loss From Sales*).
//! - **Shares sold.** [`Method::Fifo`]: those bought first (Publication 550, *Identifying stock or bonds
//!   sold*). [`Method::Average`]: a part of all, at their average cost.
//! - **A split** changes only the number of shares: a lot stores its cost as an amount, never as a price per
//!   share.
//! - **Rounding.** Quantities are fractions. Amounts are exact to eight places; the cost of a part of a lot
//!   is rounded half away from zero there, and the lot keeps the remainder, so that the costs of sold and
//!   remaining shares always add up to what was paid.
//! - **Order within a day.** Notes have a date and no time. Splits come first, because exchanges split before
//!   the market opens, then buys, sales, dividends and fees; within each kind, the caller's order.

use std::collections::VecDeque;

use nova_skill::figures::{Quantity, TooLarge};
use nova_skill::{Date, Decimal};

/// The state after the trades so far.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    method: Method,
    lots: VecDeque<Lot>,
    quantity: Quantity,
    cost: Decimal,
    pub sales: Vec<Sale>,
    pub income: Vec<DatedAmount>,
    pub fees: Vec<DatedAmount>,
    pub splits: Vec<Split>,
}

/// The cost basis method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    #[default]
    Fifo,
    Average,
}

/// A trade. The caller has checked that numbers are positive and fees are not negative.
#[derive(Debug, Clone, PartialEq)]
pub struct Trade {
    pub date: Date,
    pub event: Event,
    /// The caller's identifier.
    pub origin: usize,
}

/// What happened. Prices are per share, fees for the whole trade.
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
    /// A payment per share for this many shares, net of withheld tax.
    Dividend {
        quantity: Decimal,
        price: Decimal,
        fee: Decimal,
    },
    /// `new` shares replace `old` ones.
    Split {
        new: Decimal,
        old: Decimal,
    },
    /// A running cost; it is not part of the cost basis.
    Fee {
        amount: Decimal,
    },
}

/// Shares bought together, or all of them under [`Method::Average`].
#[derive(Debug, Clone, PartialEq)]
pub struct Lot {
    /// The date of the earliest buy.
    pub date: Date,
    pub quantity: Quantity,
    pub cost: Decimal,
    pub origin: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Sale {
    pub date: Date,
    pub quantity: Quantity,
    /// Net of the fee.
    pub proceeds: Decimal,
    pub cost: Decimal,
    pub gain: Decimal,
    pub origin: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub struct DatedAmount {
    pub date: Date,
    pub amount: Decimal,
    pub origin: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    pub date: Date,
    pub ratio: Quantity,
}

/// Why a trade is impossible.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TradeError {
    #[error("{sold} sold on {date}, but only {held} held then")]
    Oversold { date: Date, sold: Decimal, held: Decimal },
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
}

impl Ledger {
    pub fn new(method: Method) -> Self {
        Self { method, ..Self::default() }
    }

    /// Applies all trades up to and including `as_of`.
    ///
    /// # Errors
    /// The origin of the first impossible trade, with the reason.
    pub fn of(method: Method, trades: &[Trade], as_of: Option<Date>) -> Result<Self, (usize, TradeError)> {
        let mut trades: Vec<&Trade> =
            trades.iter().filter(|trade| as_of.is_none_or(|day| trade.date <= day)).collect();
        in_order(&mut trades);
        let mut ledger = Self::new(method);
        for trade in trades {
            ledger.apply(trade).map_err(|why| (trade.origin, why))?;
        }
        Ok(ledger)
    }

    /// Applies the next trade in the order of [`in_order`]. A trade that fails changes nothing.
    ///
    /// # Errors
    /// If more is sold than held, or if numbers have too many digits.
    pub fn apply(&mut self, trade: &Trade) -> Result<(), TradeError> {
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
                    return Err(TradeError::Oversold { date, sold, held });
                }
                let cost = self.take(quantity)?;
                let gain = sum(proceeds, -cost)?;
                self.sales.push(Sale { date, quantity, proceeds, cost, gain, origin });
            }
            Event::Dividend { quantity, price, fee } => {
                let amount = sum(Quantity::of(quantity)?.at(price)?, -fee)?;
                self.income.push(DatedAmount { date, amount, origin });
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
            Event::Fee { amount } => self.fees.push(DatedAmount { date, amount, origin }),
        }
        Ok(())
    }

    /// The lots in the order in which they are sold.
    pub fn lots(&self) -> impl Iterator<Item = &Lot> {
        self.lots.iter()
    }

    /// The quantity held.
    pub fn quantity(&self) -> Quantity {
        self.quantity
    }

    /// The cost of the shares held.
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

    /// Removes shares and returns their cost.
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

/// Sorts by day, and within a day as described in the module documentation.
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
    /// The change in cash: positive for incoming money.
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

    /// Whether it changes the quantity held.
    pub fn moves(&self) -> bool {
        matches!(self, Self::Buy { .. } | Self::Sell { .. } | Self::Split { .. })
    }
}

/// Checked addition.
pub fn sum(a: Decimal, b: Decimal) -> Result<Decimal, TooLarge> {
    a.checked_add(b).ok_or(TooLarge)
}
