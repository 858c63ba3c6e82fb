use jiff::civil::Date;

/// The rules of an account.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// The initial cash, in the currency of the prices.
    pub cash: f64,
    /// The maximum number of shares held at once.
    pub positions: usize,
    pub weight: Weight,
    pub fill: Fill,
    pub rebalance: Rebalance,
    /// The commission as a fraction of a trade's value.
    pub cost: f64,
    /// The flat fee per trade.
    pub fee: f64,
    /// The fraction of the price by which each trade is worse than the market.
    pub slippage: f64,
    /// Trade whole shares only.
    pub whole: bool,
    /// Sell after a close this fraction below the average buy price; between 0 and 1, both excluded.
    pub stop: Option<f64>,
}

/// The size of a position. Purchases that exceed the cash are all reduced by the same factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// A rebalancing divides the equity by the number of chosen shares; without rebalancing, a purchase takes
    /// the cash divided by the number of free positions.
    Equal,
    /// The equity divided by `positions`; the cash of free positions is not used.
    Slots,
}

/// The price at which an order is filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fill {
    /// The next open of the share.
    NextOpen,
    /// The close from which the signal was computed, at which nobody could have traded.
    Close,
}

/// The days on which positions are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rebalance {
    /// Each day, exits are sold, and wanted shares bought while positions are free; the size of a position
    /// never changes. A stopped share is bought again only after a day on which it was not wanted.
    Never,
    /// On the first day, and on the last trading day of each period, which exchanges announce in advance: the
    /// shares with the highest ranks are held in equal weights, all others are sold.
    Daily,
    Weekly,
    Monthly,
    Quarterly,
    Yearly,
}

/// Why a back-test cannot be run.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BacktestError {
    #[error("The universe is empty. Add a symbol")]
    EmptyUniverse,
    #[error("{0} is in the universe twice. Remove one")]
    Twice(String),
    #[error("The columns of {0} differ in length or its days are out of order. Fetch its closes again")]
    Columns(String),
    #[error("The span ends on {to}, before it begins on {from}. Swap them")]
    Backwards { from: Date, to: Date },
    #[error("Closes begin in {}. Use {first} or later", first.year())]
    TooEarly { first: Date },
    #[error("Closes end on {last}. Begin before it")]
    TooLate { last: Date },
    #[error("No share of the universe has a close. Fetch closes first")]
    NoCloses,
    #[error("There are fewer than two trading days from {from} to {to}. Use a longer span")]
    TooShort { from: Date, to: Date },
    #[error("The closes of {symbol} are of {from} to {to}. Use another span or benchmark")]
    Benchmark { symbol: String, from: Date, to: Date },
    #[error("The number of positions is 0. Use at least 1")]
    NoPositions,
    #[error("The cash is {0}. Use an amount above 0")]
    Cash(f64),
    #[error("The {name} is {value}. Use at least 0 and less than 1")]
    Share { name: &'static str, value: f64 },
    #[error("The stop is {0}. Use more than 0 and less than 1, or none")]
    Stop(f64),
    #[error("The fee is {0}. Use an amount of at least 0")]
    Fee(f64),
    #[error("The amounts of {0} are too large to compute. Check the closes and the cash")]
    TooLarge(Date),
}

/// Relative tolerance within which a quantity is rounded up to a whole one.
const WHOLE: f64 = 1e-12;

impl Rules {
    /// The quantity that an amount buys at a price, with slippage and costs; zero or less if none.
    pub fn bought_for(&self, amount: f64, price: f64) -> f64 {
        self.tradable((amount - self.fee) / (self.buy_price(price) * (1.0 + self.cost)))
    }

    /// Rounds a quantity to what may be traded.
    pub fn tradable(&self, quantity: f64) -> f64 {
        if self.whole { (quantity * (1.0 + WHOLE)).floor() } else { quantity }
    }

    /// The price of a purchase, with slippage.
    pub fn buy_price(&self, price: f64) -> f64 {
        price * (1.0 + self.slippage)
    }

    /// The price of a sale, with slippage.
    pub fn sell_price(&self, price: f64) -> f64 {
        price * (1.0 - self.slippage)
    }

    /// Commission and fee of a trade of that value.
    pub fn costs(&self, value: f64) -> f64 {
        value * self.cost + self.fee
    }

    pub(super) fn check(&self) -> Result<(), BacktestError> {
        if self.positions == 0 {
            return Err(BacktestError::NoPositions);
        }
        if !(self.cash.is_finite() && self.cash > 0.0) {
            return Err(BacktestError::Cash(self.cash));
        }
        if !(self.fee.is_finite() && self.fee >= 0.0) {
            return Err(BacktestError::Fee(self.fee));
        }
        if let Some(stop) = self.stop.filter(|stop| !(*stop > 0.0 && *stop < 1.0)) {
            return Err(BacktestError::Stop(stop));
        }
        let shares = [("cost", self.cost), ("slippage", self.slippage)];
        match shares.into_iter().find(|(_, value)| !(0.0..1.0).contains(value)) {
            Some((name, value)) => Err(BacktestError::Share { name, value }),
            None => Ok(()),
        }
    }

    /// The rules of the benchmark: the universe in equal weights.
    pub(super) fn of_benchmark(&self, positions: usize) -> Self {
        Self {
            positions,
            weight: Weight::Equal,
            cost: 0.0,
            fee: 0.0,
            slippage: 0.0,
            whole: false,
            stop: None,
            ..self.clone()
        }
    }
}

impl Rebalance {
    /// Whether a trading day is the last one of its period.
    pub(super) fn ends(self, day: Date, next: Date) -> bool {
        let month = |day: Date| i32::from(day.year()) * 12 + i32::from(day.month()) - 1;
        match self {
            Self::Never => false,
            Self::Daily => true,
            Self::Weekly => {
                let (week, next) = (day.iso_week_date(), next.iso_week_date());
                (week.year(), week.week()) != (next.year(), next.week())
            }
            Self::Monthly => month(day) != month(next),
            Self::Quarterly => month(day).div_euclid(3) != month(next).div_euclid(3),
            Self::Yearly => day.year() != next.year(),
        }
    }
}
