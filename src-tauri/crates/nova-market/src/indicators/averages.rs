use super::known;
use super::windows::{Mean, Summary as _};

/// The exponential moving average with weight 2 ÷ (`n` + 1) for the newest value. It begins with the simple
/// average of the first `n` values.
pub fn ema(values: &[f64], n: usize) -> Vec<f64> {
    let mut average = Average::exponential(n);
    values.iter().map(|value| average.next(*value)).collect()
}

/// Wilder's relative strength index over `n` changes, from 0 to 100. Without any change it is 0, as in
/// TA-Lib.
pub fn rsi(values: &[f64], n: usize) -> Vec<f64> {
    let (mut gains, mut losses) = (Average::wilder(n), Average::wilder(n));
    let mut before = f64::NAN;
    let strength = |value: &f64| {
        let movement = known(value - before);
        before = *value;
        // The product keeps an unknown change unknown, instead of a gain or loss of 0.
        let (gain, loss) = if movement < 0.0 { (0.0, -movement) } else { (movement, movement * 0.0) };
        let (gain, loss) = (gains.next(gain), losses.next(loss));
        let both = gain + loss;
        if both == 0.0 { 0.0 } else { 100.0 * (gain / both) }
    };
    values.iter().map(strength).collect()
}

/// Three columns of the MACD.
#[derive(Debug, Clone, PartialEq)]
pub struct Macd {
    pub line: Vec<f64>,
    pub signal: Vec<f64>,
    /// The line less the signal.
    pub histogram: Vec<f64>,
}

/// The difference of the exponential averages over `fast` and `slow` values, and the exponential average of
/// this line over `signal` values. Both averages begin on the same day, the fast one with the last `fast` of
/// the first `slow` values, and the three columns begin on the first day of the signal. Swapped lengths are
/// reordered.
pub fn macd(values: &[f64], fast: usize, slow: usize, signal: usize) -> Macd {
    let (fast, slow) = (fast.min(slow), fast.max(slow));
    let mut fast_average = Average::exponential(fast);
    let mut slow_average = Average::exponential(slow);
    let mut signal_average = Average::exponential(signal);
    let column = || Vec::with_capacity(values.len());
    let mut macd = Macd { line: column(), signal: column(), histogram: column() };
    let mut run = 0;
    for value in values {
        run = if value.is_finite() { run + 1 } else { 0 };
        let late = if run > slow - fast { *value } else { f64::NAN };
        let line = fast_average.next(late) - slow_average.next(*value);
        let signal = signal_average.next(line);
        macd.line.push(if signal.is_nan() { signal } else { line });
        macd.signal.push(signal);
        macd.histogram.push(known(line - signal));
    }
    macd
}

/// Wilder's average true range over `n` days. The range of a day includes the previous close, so the first
/// day has none.
pub fn atr(high: &[f64], low: &[f64], close: &[f64], n: usize) -> Vec<f64> {
    let mut average = Average::wilder(n);
    let mut before = f64::NAN;
    let range = |((high, low), close): ((&f64, &f64), &f64)| {
        let sides = [high - low, (high - before).abs(), (low - before).abs()];
        before = *close;
        // `f64::max` would ignore an unknown operand.
        let known = sides.iter().all(|side| side.is_finite());
        average.next(if known { sides[0].max(sides[1]).max(sides[2]) } else { f64::NAN })
    };
    high.iter().zip(low).zip(close).map(range).collect()
}

/// A recursive average that restarts after an unknown value.
struct Average {
    n: usize,
    /// The weight of the newest value.
    weight: f64,
    /// The number of values since the last unknown one, up to `n`.
    count: usize,
    first: Mean,
    value: f64,
}

impl Average {
    fn exponential(n: usize) -> Self {
        Self::of(n, 2.0 / (n as f64 + 1.0))
    }

    fn wilder(n: usize) -> Self {
        Self::of(n, 1.0 / n as f64)
    }

    fn of(n: usize, weight: f64) -> Self {
        Self { n, weight, count: 0, first: Mean::EMPTY, value: f64::NAN }
    }

    /// Adds a value and returns the average.
    fn next(&mut self, value: f64) -> f64 {
        if !value.is_finite() || self.n == 0 {
            *self = Self::of(self.n, self.weight);
        } else if self.count < self.n {
            self.count += 1;
            self.first = self.first.with(value);
            if self.count == self.n {
                self.value = self.first.of(self.n);
            }
        } else {
            self.value += (value - self.value) * self.weight;
        }
        known(self.value)
    }
}
