use jiff::civil::Date;

use super::market::Market;
use super::{BacktestError, Day, Fill, Gaps, Rebalance, Rules, Trade, Weight};

/// An order below this fraction of its amount counts as cut; costs alone make some orders slightly smaller.
const CUT: f64 = 0.99;

/// An account that trades on signals.
pub(super) struct Machine<'a> {
    market: Market<'a>,
    rules: Rules,
    cash: f64,
    /// The fraction of the equity per position.
    part: f64,
    /// By index of the candidate.
    positions: Vec<Option<Position>>,
    orders: Vec<Option<Order>>,
    /// Stopped shares, until a day without a signal for them.
    stopped: Vec<bool>,
    /// Commissions and fees of today.
    costs: f64,
    done: Done,
}

pub(super) struct Done {
    pub(super) days: Vec<Day>,
    pub(super) trades: Vec<Trade>,
    pub(super) gaps: Gaps,
}

#[derive(Clone, Copy, PartialEq)]
enum Order {
    Sell,
    /// Buy or sell up to the size of a position.
    Hold,
}

struct Position {
    since: Date,
    quantity: f64,
    bought: f64,
    /// The total value of purchases, without costs.
    spent: f64,
    /// The total value of sales, without costs.
    received: f64,
    dividends: f64,
    costs: f64,
}

impl<'a> Machine<'a> {
    pub(super) fn new(market: Market<'a>, rules: Rules) -> Self {
        let shares = market.shares.len();
        Self {
            market,
            cash: rules.cash,
            part: 1.0 / rules.positions as f64,
            rules,
            positions: (0..shares).map(|_| None).collect(),
            orders: vec![None; shares],
            stopped: vec![false; shares],
            costs: 0.0,
            done: Done { days: Vec::new(), trades: Vec::new(), gaps: Gaps::default() },
        }
    }

    pub(super) fn run(mut self, calendar: &[Date]) -> Result<Done, BacktestError> {
        for (place, day) in calendar.iter().enumerate() {
            self.costs = 0.0;
            self.market.open(*day);
            self.receive_dividends();
            self.sell_unlisted();
            if self.rules.fill == Fill::NextOpen {
                self.fill();
            }
            self.market.close();
            self.stop();
            let ends = calendar.get(place + 1).is_some_and(|next| self.rules.rebalance.ends(*day, *next));
            if self.rules.rebalance == Rebalance::Never {
                self.follow();
            } else if place == 0 || ends {
                self.rebalance();
            }
            if self.rules.fill == Fill::Close {
                self.fill();
            }
            self.record()?;
        }
        for number in 0..self.positions.len() {
            if let Some(position) = self.positions[number].take() {
                let worth = position.quantity * self.price_now(number);
                self.done.trades.push(position.trade(
                    self.market.shares[number].candidate.symbol,
                    worth,
                    None,
                ));
            }
        }
        Ok(self.done)
    }

    fn receive_dividends(&mut self) {
        for (position, share) in self.positions.iter_mut().zip(&self.market.shares) {
            if let Some(position) = position {
                let paid = position.quantity * share.dividend;
                position.dividends += paid;
                self.cash += paid;
            }
        }
    }

    fn sell_unlisted(&mut self) {
        for number in 0..self.positions.len() {
            if self.market.shares[number].trades || self.market.lists(number) {
                continue;
            }
            self.orders[number] = None;
            if self.positions[number].is_some() {
                self.done.gaps.sold_unlisted += 1;
                self.sell(number, None, self.price_now(number));
            }
        }
    }

    /// Orders the sale of shares whose close is below the stop.
    fn stop(&mut self) {
        let Some(stop) = self.rules.stop else { return };
        for (number, position) in self.positions.iter().enumerate() {
            let Some((position, close)) = position.as_ref().zip(self.market.shares[number].close) else {
                continue;
            };
            if close <= position.spent / position.bought * (1.0 - stop) {
                self.orders[number] = Some(Order::Sell);
                self.stopped[number] = true;
            }
        }
    }

    /// Orders by today's signals: exits, and purchases for free positions.
    fn follow(&mut self) {
        for number in 0..self.orders.len() {
            if self.market.leaves(number) {
                self.orders[number] = self.positions[number].as_ref().map(|_| Order::Sell);
            }
        }
        let taken = |number: &usize| {
            self.orders[*number] == Some(Order::Hold)
                || self.positions[*number].is_some() && self.orders[*number].is_none()
        };
        let taken = (0..self.orders.len()).filter(taken).count();
        for (number, stopped) in self.stopped.iter_mut().enumerate() {
            *stopped = *stopped && self.market.wanted(number).is_some();
        }
        let free = self.rules.positions.saturating_sub(taken);
        if free == 0 {
            return;
        }
        let mut wanted = self.wanted();
        wanted.retain(|number| {
            self.positions[*number].is_none() && self.orders[*number].is_none() && !self.stopped[*number]
        });
        for number in wanted.into_iter().take(free) {
            self.orders[number] = Some(Order::Hold);
        }
    }

    /// Orders equal weights of the highest-ranked shares, and the sale of all others.
    fn rebalance(&mut self) {
        let stopped = |number: &usize| self.positions[*number].is_some() && self.stopped[*number];
        let mut wanted = self.wanted();
        wanted.retain(|number| !stopped(number));
        wanted.truncate(self.rules.positions);
        self.part = match self.rules.weight {
            Weight::Equal => 1.0 / wanted.len().max(1) as f64,
            Weight::Slots => 1.0 / self.rules.positions as f64,
        };
        for (order, position) in self.orders.iter_mut().zip(&self.positions) {
            *order = position.as_ref().map(|_| Order::Sell);
        }
        for number in wanted {
            self.orders[number] = Some(Order::Hold);
        }
    }

    /// The wanted shares, highest rank first.
    fn wanted(&self) -> Vec<usize> {
        let rank = |number| self.market.wanted(number).map(|rank| (rank, number));
        let mut wanted: Vec<(f64, usize)> = (0..self.orders.len()).filter_map(rank).collect();
        wanted.sort_by(|(rank, _), (other, _)| other.total_cmp(rank));
        wanted.into_iter().map(|(_, number)| number).collect()
    }

    /// Fills the orders of all shares that have a price.
    fn fill(&mut self) {
        let mut holds = Vec::new();
        for number in 0..self.orders.len() {
            let Some(order) = self.orders[number] else { continue };
            match (self.price(number), order) {
                (None, _) if self.market.shares[number].trades => self.done.gaps.unknown_prices += 1,
                (None, _) => self.done.gaps.waits += 1,
                (Some(price), Order::Sell) => self.sell(number, None, price),
                (Some(price), Order::Hold) => holds.push((number, price)),
            }
        }
        if holds.is_empty() {
            return;
        }
        let size = self.size();
        let mut buys = Vec::new();
        for (number, price) in holds {
            self.orders[number] = None;
            let held = self.positions[number].as_ref().map(|position| position.quantity);
            let missing = size - held.unwrap_or_default() * price;
            if missing > 0.0 {
                buys.push((number, price, missing));
            } else if let Some(held) = held {
                let kept = self.rules.tradable(size / price);
                if (held - kept) * price > self.rules.fee {
                    self.sell(number, (kept > 0.0).then_some(held - kept), price);
                }
            }
        }
        let needed: f64 = buys.iter().map(|(.., missing)| missing).sum();
        let share = (self.cash / needed).min(1.0);
        for (number, price, missing) in buys {
            let new = self.positions[number].is_none();
            let bought = self.buy(number, missing * share, price);
            if share < CUT || new && !bought {
                self.done.gaps.cut += 1;
            }
        }
    }

    /// The value of a position, at the prices of today's orders.
    fn size(&self) -> f64 {
        if self.rules.rebalance == Rebalance::Never && self.rules.weight == Weight::Equal {
            let held = self.positions.iter().flatten().count();
            return self.cash / self.rules.positions.saturating_sub(held).max(1) as f64;
        }
        let worth = |(number, position): (usize, &Option<Position>)| {
            let price = || self.price(number).unwrap_or_else(|| self.price_now(number));
            position.as_ref().map_or(0.0, |position| position.quantity * price())
        };
        (self.cash + self.positions.iter().enumerate().map(worth).sum::<f64>()) * self.part
    }

    /// Spends up to an amount, costs included. Returns whether anything was bought.
    fn buy(&mut self, number: usize, amount: f64, price: f64) -> bool {
        let quantity = self.rules.bought_for(amount, price);
        let value = quantity * self.rules.buy_price(price);
        if !(value > 0.0 && value.is_finite()) {
            return false;
        }
        let costs = self.rules.costs(value);
        self.cash = (self.cash - value - costs).max(0.0);
        self.costs += costs;
        self.stopped[number] = false;
        let position = self.positions[number].get_or_insert_with(|| Position::new(self.market.today));
        position.quantity += quantity;
        position.bought += quantity;
        position.spent += value;
        position.costs += costs;
        true
    }

    /// Sells a quantity, or all without one.
    fn sell(&mut self, number: usize, quantity: Option<f64>, price: f64) {
        self.orders[number] = None;
        let Some(mut position) = self.positions[number].take() else { return };
        let sold = quantity.unwrap_or(position.quantity);
        let value = sold * self.rules.sell_price(price);
        // A fee above the proceeds takes no more than the cash.
        let cash = self.cash + value;
        let costs = self.rules.costs(value).min(cash);
        self.cash = cash - costs;
        self.costs += costs;
        position.quantity -= sold;
        position.received += value;
        position.costs += costs;
        if quantity.is_none() {
            let symbol = self.market.shares[number].candidate.symbol;
            self.done.trades.push(position.trade(symbol, 0.0, Some(self.market.today)));
        } else {
            self.positions[number] = Some(position);
        }
    }

    /// The price at which an order would be filled now.
    fn price(&self, number: usize) -> Option<f64> {
        match self.rules.fill {
            Fill::NextOpen => self.market.shares[number].open,
            Fill::Close => self.market.shares[number].close,
        }
    }

    /// The last known close; only shares with one are ever bought.
    fn price_now(&self, number: usize) -> f64 {
        self.market.shares[number].last_close().unwrap_or_default()
    }

    fn record(&mut self) -> Result<(), BacktestError> {
        let worth = |(number, position): (usize, &Option<Position>)| {
            position.as_ref().map_or(0.0, |position| position.quantity * self.price_now(number))
        };
        let invested: f64 = self.positions.iter().enumerate().map(worth).sum();
        let (date, equity) = (self.market.today, self.cash + invested);
        if !equity.is_finite() {
            return Err(BacktestError::TooLarge(date));
        }
        let invested = if equity > 0.0 { invested / equity } else { 0.0 };
        self.done.days.push(Day { date, equity, benchmark: equity, invested, costs: self.costs });
        Ok(())
    }
}

impl Position {
    fn new(since: Date) -> Self {
        Self { since, quantity: 0.0, bought: 0.0, spent: 0.0, received: 0.0, dividends: 0.0, costs: 0.0 }
    }

    /// `worth` is the value of the shares still held.
    fn trade(self, symbol: &str, worth: f64, sold: Option<Date>) -> Trade {
        Trade {
            symbol: symbol.to_owned(),
            bought: self.since,
            sold,
            quantity: self.bought,
            buy_price: self.spent / self.bought,
            sell_price: (self.received + worth) / self.bought,
            result: self.received + worth + self.dividends - self.spent - self.costs,
            costs: self.costs,
        }
    }
}
