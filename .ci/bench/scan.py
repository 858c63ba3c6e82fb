"""Prints how many seconds pandas takes for the scan of src-tauri/crates/nova-market/benches/scan.rs.

The days are in memory as a frame for each symbol, where Nova reads a file for each. A hundred symbols are measured and
the time is that of 8,000.
"""

import time

import numpy as np
import pandas as pd

SYMBOLS, DAYS, MEASURED = 8_000, 2_520, 100


def frames():
    random = np.random.default_rng(1)
    for _ in range(MEASURED):
        close = 100 * np.exp(np.cumsum(random.normal(0, 0.01, DAYS)))
        yield pd.DataFrame({
            'open': close, 'high': close * 1.01, 'low': close * 0.99, 'close': close,
            'volume': np.full(DAYS, 100_000.0),
        })


def wilder(values, n):
    return values.ewm(alpha=1 / n, adjust=False).mean()


def conditions(share):
    close, high, low = share['close'], share['high'], share['low']
    sma = {n: close.rolling(n).mean() for n in (20, 50, 200)}
    change = close.diff()
    rsi = 100 - 100 / (1 + wilder(change.clip(lower=0), 14) / wilder(-change.clip(upper=0), 14))
    ema = {n: close.ewm(span=n, adjust=False).mean() for n in (12, 20, 26, 50)}
    macd = ema[12] - ema[26]
    before = close.shift()
    ranges = pd.concat([high - low, (high - before).abs(), (low - before).abs()], axis=1).max(axis=1)
    return [
        close > sma[200],
        sma[50] > sma[200],
        ema[20] > ema[50],
        rsi < 70,
        macd > macd.ewm(span=9, adjust=False).mean(),
        wilder(ranges, 14) / close < 0.08,
        close < sma[20] + 2 * close.rolling(20).std(ddof=0),
        close > close.rolling(250).max() * 0.7,
        close > close.rolling(250).min(),
        close.pct_change(120) > 0,
        np.log(close).diff().rolling(60).std() * np.sqrt(252) < 0.6,
        share['volume'].rolling(20).mean() > 1,
    ]


shares = list(frames())
begin = time.perf_counter()
hits = sum(all(condition.iloc[-1] for condition in conditions(share)) for share in shares)
print((time.perf_counter() - begin) * SYMBOLS / MEASURED)
