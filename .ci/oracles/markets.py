"""Computes indicators and back-tests of a generated market with TA-Lib, backtesting and bt.

Writes the fixtures of nova-market/tests/oracle.rs into the folder that is its argument: `indicators.txt`, `trades.txt`,
`portfolios.txt`. `market` generates the same prices as nova-market/tests/oracle/market.rs, so the fixtures hold results
only. Numbers have twelve digits. With the argument `--seconds` it prints how long backtesting needs for the runs of all
symbols instead. backtesting is under the AGPL: it is run here, and nothing of it is copied.

The libraries differ from Nova in these points, which are bridged here:
- TA-Lib rounds a variance below 1e-14 to zero; the deviations of the series `tiny` come from Python's `statistics`,
  which is exact. So does the volatility, which TA-Lib lacks.
- backtesting truncates cash to whole units before it divides by a price; prices and cash are times 1e6 (`SCALE`).
- backtesting adds its spread to purchases only; Nova's slippage s applies to both sides. Prices are times 1 - s and the
  spread is (1 + s) / (1 - s) - 1, so that purchases are at 1 + s and sales at 1 - s of the price.
- backtesting closes open trades at the last open; `finalize_trades` is off. The runs with costs sell on the last day,
  because backtesting would value an open trade at the price of a sale.
- backtesting never fills the orders of the last day; it has no signal.
- bt buys whole shares by default; `integer_positions` is off. It runs without costs: with them, it sells until the
  amount after costs is the target, and may borrow.
"""

import datetime
import math
import os
import statistics
import sys
import time
import warnings

import numpy as np

# backtesting and bt would write to the terminal how far they are.
os.environ["TQDM_DISABLE"] = "1"

SYMBOLS, DAYS = 500, 2520
SCALE = 1e6
CASH = 10_000
COMMISSION, SLIPPAGE = 0.001, 0.0005
FAST, SLOW = 20, 100
MOMENTUM, BEST = 126, 20


def market(symbols, days):
    """Opens, highs, lows and closes as arrays of days by symbols, in units of 1/10,000."""
    state = np.arange(1, symbols + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)

    def below(count):
        nonlocal state
        state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        return (state >> np.uint64(33)) % np.uint64(count)

    columns = [np.empty((days, symbols), dtype=np.uint64) for _ in range(4)]
    close = np.uint64(100_000) + below(2_000_000)
    unit, one = np.uint64(10_000), np.uint64(1)
    for day in range(days):
        open_ = np.maximum(close * (np.uint64(9_920) + below(161)) // unit, one)
        close = np.maximum(open_ * (np.uint64(9_803) + below(401)) // unit, one)
        high = np.maximum(open_, close) * (unit + below(61)) // unit
        low = np.minimum(open_, close) * (unit - below(61)) // unit
        for column, values in zip(columns, (open_, high, low, close)):
            column[day] = values
    return [column / 10_000 for column in columns]


def weekdays(count):
    day = datetime.date(2016, 1, 4)
    found = []
    while len(found) < count:
        if day.weekday() < 5:
            found.append(day)
        day += datetime.timedelta(days=1)
    return found


def text(values):
    return " ".join("-" if math.isnan(value) else f"{value:.12g}" for value in values)


def series():
    """Highs, lows and closes of 90 days."""
    _, *columns = market(5, 90)
    usual, gap, tiny, pause, _ = (([column[:, number].copy() for column in columns]) for number in range(5))
    for column in gap:
        column[45:] *= 8
    tiny = [column / 1e9 for column in tiny]
    for column in pause:
        column[40:65] = pause[2][39]
    rising = [np.arange(90) + level for level in (12.0, 9.0, 10.0)]
    flat = [np.full(90, 50.0)] * 3
    return {"usual": usual, "gap": gap, "tiny": tiny, "pause": pause, "rising": rising, "flat": flat}


def rolling(values, n, of):
    windows = [values[end - n:end] for end in range(n, len(values) + 1)]
    return np.array([math.nan] * (n - 1) + [of(window) for window in windows])


def indicators():
    import talib

    for name, (high, low, close) in series().items():
        upper, middle, lower = talib.BBANDS(close, 20, 2.0, 2.0)
        deviation = talib.STDDEV(close, 10)
        if name == "tiny":
            exact = rolling(close.tolist(), 20, statistics.pstdev)
            upper, lower = middle + 2 * exact, middle - 2 * exact
            deviation = rolling(close.tolist(), 10, statistics.pstdev)
        line, signal, histogram = talib.MACD(close, 12, 26, 9)
        growth = [math.log(now / before) for before, now in zip(close, close[1:])]
        volatility = [math.nan] + [value * math.sqrt(252) * 100 for value in rolling(growth, 20, statistics.stdev)]
        columns = {
            "sma": talib.SMA(close, 10), "ema": talib.EMA(close, 10), "rsi": talib.RSI(close, 14),
            "macd-line": line, "macd-signal": signal, "macd-histogram": histogram,
            "atr": talib.ATR(high, low, close, 14),
            "bollinger-upper": upper, "bollinger-middle": middle, "bollinger-lower": lower,
            "standard-deviation": deviation, "highest": talib.MAX(high, 10), "lowest": talib.MIN(low, 10),
            "change": talib.ROC(close, 10), "volatility": volatility,
        }
        for column, values in columns.items():
            yield f"{name} {column} {text(values)}"


def crossings(close, costs):
    """The closes after which the fast average is above the slow one, and those after which it is below."""
    def average(n):
        sums = np.cumsum(np.insert(close, 0, 0.0))
        return np.concatenate([np.full(n - 1, math.nan), (sums[n:] - sums[:-n]) / n])
    fast, slow = average(FAST), average(SLOW)
    wanted, leave = fast > slow, fast < slow
    wanted[-1] = leave[-1] = False
    if costs:
        wanted[-2], leave[-2] = False, True
    return wanted, leave


def account(columns, number, days, costs):
    """A run of one symbol: the last equity, and each trade."""
    import pandas as pd
    from backtesting import Backtest, Strategy

    wanted, leave = crossings(columns[3][:, number], costs)

    class Crossing(Strategy):
        def init(self):
            pass

        def next(self):
            place = len(self.data) - 1
            if not self.position and wanted[place]:
                self.buy()
            elif self.position and leave[place]:
                self.position.close()

    slippage = SLIPPAGE if costs else 0.0
    names = ("Open", "High", "Low", "Close")
    prices = {name: column[:, number] * SCALE * (1 - slippage) for name, column in zip(names, columns)}
    run = Backtest(
        pd.DataFrame(prices, index=pd.DatetimeIndex(days)), Crossing, cash=CASH * SCALE,
        commission=COMMISSION if costs else 0.0, spread=(1 + slippage) / (1 - slippage) - 1,
        trade_on_close=not costs, finalize_trades=False,
    )
    result = run.run()
    trades = [
        (int(trade.EntryBar), int(trade.ExitBar), int(trade.Size), trade.EntryPrice / SCALE, trade.ExitPrice / SCALE)
        for trade in result["_trades"].itertuples()
    ]
    return result["Equity Final [$]"] / SCALE, trades


def trades(columns, days):
    """The runs of each symbol; of the first twenty each trade that was closed."""
    for costs in (True, False):
        for number in range(SYMBOLS):
            equity, closed = account(columns, number, days, costs)
            line = f"{'costs' if costs else 'close'} {number} {equity:.12g} {len(closed)}"
            if number < 20:
                line += "".join(f" {a},{b},{size},{buy:.12g},{sell:.12g}" for a, b, size, buy, sell in closed)
            yield line


def portfolios(columns, days):
    """The equity after each twentieth day and the last; volatility and deepest fall of the whole."""
    import bt
    import pandas as pd

    index = pd.DatetimeIndex(days)
    close = pd.DataFrame(columns[3], index=index, columns=[str(number) for number in range(SYMBOLS)])
    change = close / close.shift(MOMENTUM)
    best = change.rank(axis=1, ascending=False) <= BEST
    every = close > 0
    plans = {
        "all-monthly": (every, bt.algos.RunMonthly), "best-quarterly": (best, bt.algos.RunQuarterly),
        "best-weekly": (best, bt.algos.RunWeekly),
    }
    for name, (chosen, period) in plans.items():
        algos = [
            period(run_on_first_date=True, run_on_end_of_period=True),
            bt.algos.SelectWhere(chosen), bt.algos.WeighEqually(), bt.algos.Rebalance(),
        ]
        plan = bt.Backtest(bt.Strategy(name, algos), close, initial_capital=CASH, integer_positions=False)
        plan.run()
        # The first one is the cash on the day before.
        values = plan.strategy.values.to_numpy()
        assert len(values) == DAYS + 1 and values[0] == CASH
        volatility = statistics.stdev((values[1:] / values[:-1]).tolist()) * math.sqrt(252)
        fall = (1 - values / np.maximum.accumulate(values)).max()
        points = [*values[1::20], values[-1]]
        yield f"{name} {volatility:.12g} {fall:.12g} {text(points)}"


def main():
    warnings.simplefilter("ignore")
    columns, days = market(SYMBOLS, DAYS), weekdays(DAYS)
    if sys.argv[1] == "--seconds":
        account(columns, 0, days, True)
        begin = time.monotonic()
        for number in range(SYMBOLS):
            account(columns, number, days, True)
        print(time.monotonic() - begin)
        return
    parts = {"indicators": indicators(), "trades": trades(columns, days), "portfolios": portfolios(columns, days)}
    for name, lines in parts.items():
        with open(f"{sys.argv[1]}/{name}.txt", "w") as file:
            file.writelines(line + "\n" for line in lines)


if __name__ == "__main__":
    main()
