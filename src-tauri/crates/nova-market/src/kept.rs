//! Serialisation of cached closes: a line of JSON, then days and prices as little-endian columns, with NaN for
//! what is unknown. They can be fetched again, so bytes of another version or a truncated file count as a cache miss.

use jiff::civil::Date;
use rust_decimal::Decimal;
use rust_decimal::prelude::{FromPrimitive as _, ToPrimitive as _};
use serde::{Deserialize, Serialize};

use crate::{Bar, Daily, Events, History};

/// Closes of one source.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    /// "Yahoo"
    pub source: String,
    /// The first day requested; the closes may begin later.
    pub since: Date,
    pub history: History,
}

/// The header line.
#[derive(Serialize, Deserialize)]
struct Head {
    version: u32,
    source: String,
    since: Date,
    currency: String,
    url: String,
    fetched: String,
    days: usize,
    splits: Option<Vec<(Date, Decimal)>>,
    dividends: Option<Vec<(Date, Decimal)>>,
}

const VERSION: u32 = 1;

impl Kept {
    pub fn encode(&self) -> Vec<u8> {
        let History { currency, bars, unknown, events, url, fetched } = &self.history;
        let rows = rows(bars, unknown);
        let head = Head {
            version: VERSION,
            source: self.source.clone(),
            since: self.since,
            currency: currency.clone(),
            url: url.clone(),
            fetched: fetched.clone(),
            days: rows.len(),
            splits: events.as_ref().map(|events| events.splits.clone()),
            dividends: events.as_ref().map(|events| events.dividends.clone()),
        };
        let mut bytes = serde_json::to_vec(&head).unwrap_or_default();
        bytes.push(b'\n');
        for (day, _) in &rows {
            bytes.extend(day.year().to_le_bytes());
            bytes.extend([day.month(), day.day()].map(i8::cast_unsigned));
        }
        let price = |price: Option<Decimal>| price.and_then(|price| price.to_f64()).unwrap_or(f64::NAN);
        let columns: [fn(&Bar) -> Option<Decimal>; 5] = [
            |bar| bar.open,
            |bar| bar.high,
            |bar| bar.low,
            |bar| Some(bar.close),
            |bar| bar.volume.map(Decimal::from),
        ];
        for column in columns {
            bytes.extend(rows.iter().flat_map(|(_, bar)| price(bar.and_then(column)).to_le_bytes()));
        }
        bytes
    }

    /// `None` for bytes that [`Kept::encode`] did not write.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let (head, columns) = read(bytes)?;
        let price = |price: f64| Decimal::from_f64(price).map(|price| price.normalize());
        let (mut bars, mut unknown) = (Vec::with_capacity(head.days), Vec::new());
        for (place, date) in columns.days.iter().copied().enumerate() {
            match columns.close[place] {
                close if close.is_nan() => unknown.push(date),
                close => bars.push(Bar {
                    date,
                    open: price(columns.open[place]),
                    high: price(columns.high[place]),
                    low: price(columns.low[place]),
                    close: price(close)?,
                    volume: columns.volume[place].to_u64(),
                }),
            }
        }
        let events = head.splits.zip(head.dividends).map(|(splits, dividends)| Events { splits, dividends });
        let Head { currency, url, fetched, .. } = head;
        let history = History { currency, bars, unknown, events, url, fetched };
        Some(Self { source: head.source, since: head.since, history })
    }

    /// Prepends the older days of `before`, if both are of the same source and agree on the first day, which
    /// means that no split is in between.
    pub fn continuing(mut self, before: Option<Self>) -> Self {
        let first = self.history.bars.first().cloned();
        let (Some(first), Some(before)) = (first, before) else { return self };
        let older = before.history.bars.partition_point(|bar| bar.date < first.date);
        let agree = before
            .history
            .bars
            .get(older)
            .is_some_and(|bar| bar.date == first.date && bar.close == first.close);
        let is_alike = before.source == self.source
            && before.history.currency == self.history.currency
            && before.history.events.is_some() == self.history.events.is_some();
        if agree && is_alike {
            self.since = self.since.min(before.since);
            self.history.bars.splice(0..0, before.history.bars[..older].iter().cloned());
            self.history.unknown.retain(|day| *day > first.date);
            let unknown = before.history.unknown.into_iter().filter(|day| *day < first.date);
            self.history.unknown.splice(0..0, unknown);
            self.history.events =
                self.history.events.zip(before.history.events).map(|(mut events, before)| {
                    let is_older = |(day, _): &(Date, Decimal)| *day < first.date;
                    events.splits.splice(0..0, before.splits.into_iter().filter(is_older));
                    events.dividends.splice(0..0, before.dividends.into_iter().filter(is_older));
                    events
                });
        }
        self
    }
}

/// All days, oldest first, with their bars.
fn rows<'a>(bars: &'a [Bar], unknown: &[Date]) -> Vec<(Date, Option<&'a Bar>)> {
    let known = bars.iter().map(|bar| (bar.date, Some(bar)));
    let mut rows: Vec<_> = known.chain(unknown.iter().map(|day| (*day, None))).collect();
    rows.sort_by_key(|(day, _)| *day);
    rows
}

/// Metadata of the columns of [`daily`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// "Yahoo"
    pub source: String,
    /// The first day requested.
    pub since: Date,
    pub currency: String,
    pub url: String,
    /// RFC 3339.
    pub fetched: String,
    /// Whether the source reports splits and dividends.
    pub has_events: bool,
}

impl Origin {
    /// The first day for which splits and dividends are known; `None` if the source does not report them.
    pub fn events_since(&self) -> Option<Date> {
        self.has_events.then_some(self.since)
    }
}

/// Decodes into float columns directly, without decimals.
pub fn daily(bytes: &[u8]) -> Option<(Origin, Daily)> {
    let (head, mut daily) = read(bytes)?;
    let number = |(day, number): &(Date, Decimal)| Some((*day, number.to_f64()?));
    let numbers = |list: &Option<Vec<(Date, Decimal)>>| list.iter().flatten().filter_map(number).collect();
    daily.splits = numbers(&head.splits);
    daily.dividends = numbers(&head.dividends);
    let has_events = head.splits.is_some() && head.dividends.is_some();
    let Head { source, since, currency, url, fetched, .. } = head;
    Some((Origin { source, since, currency, url, fetched, has_events }, daily))
}

fn read(bytes: &[u8]) -> Option<(Head, Daily)> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let head: Head = serde_json::from_slice(&bytes[..end]).ok()?;
    let columns = &bytes[end + 1..];
    // Four bytes for the date, and five numbers of eight bytes.
    if head.version != VERSION || head.days.checked_mul(44) != Some(columns.len()) {
        return None;
    }
    let (days, numbers) = columns.split_at(head.days * 4);
    let day = |bytes: &[u8]| match *bytes {
        [low, high, month, day] => {
            let year = i16::from_le_bytes([low, high]);
            Date::new(year, month.cast_signed(), day.cast_signed()).ok()
        }
        _ => None,
    };
    let days = days.chunks_exact(4).map(day).collect::<Option<Vec<Date>>>()?;
    if !days.is_sorted_by(|day, next| day < next) {
        return None;
    }
    let mut columns = numbers.chunks_exact(head.days.max(1) * 8).map(|column| {
        let number = |bytes: &[u8]| bytes.try_into().map_or(f64::NAN, f64::from_le_bytes);
        column.chunks_exact(8).map(number).collect::<Vec<f64>>()
    });
    let mut next = || columns.next().unwrap_or_default();
    let (open, high, low, close, volume) = (next(), next(), next(), next(), next());
    Some((head, Daily { days, open, high, low, close, volume, ..Daily::default() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(closes: &[(&str, &str)]) -> Kept {
        let bar = |(day, close): &(&str, &str)| Bar {
            date: day.parse().expect("a day"),
            close: close.parse().expect("a price"),
            open: None,
            high: Some("9999.99".parse().expect("a price")),
            low: None,
            volume: Some(9_007_199_254_740_991),
        };
        let history = History {
            currency: "EUR".into(),
            bars: closes.iter().map(bar).collect(),
            unknown: Vec::new(),
            events: Some(Events {
                splits: vec![("2020-08-31".parse().expect("a day"), 4.into())],
                dividends: vec![],
            }),
            url: "https://example.com/".into(),
            fetched: "2026-11-27T10:00:00Z".into(),
        };
        Kept { source: "Yahoo".into(), since: history.bars[0].date, history }
    }

    #[test]
    fn closes_round_trip_exactly() {
        let kept =
            kept(&[("1969-12-31", "0.000001"), ("2026-11-26", "1234567.8901"), ("2026-11-27", "42.18")]);
        assert_eq!(Kept::decode(&kept.encode()), Some(kept.clone()));
        let (origin, columns) = daily(&kept.encode()).expect("columns");
        assert_eq!((origin.source.as_str(), origin.has_events), ("Yahoo", true));
        assert_eq!(columns.close, [0.000001, 1234567.8901, 42.18]);
        assert!(columns.open.iter().all(|open| open.is_nan()));
        assert_eq!(columns.splits, [("2020-08-31".parse().expect("a day"), 4.0)]);
    }

    #[test]
    fn unknown_close_is_a_day_without_a_number() {
        let day = |text: &str| text.parse::<Date>().expect("a day");
        let mut kept = kept(&[("2026-11-24", "10"), ("2026-11-26", "12")]);
        kept.history.bars[0].close = 0.into();
        let (from, to) = (day("2026-11-20"), day("2026-11-27"));
        kept.history = kept.history.checked(None, from, to).expect("a close");
        assert_eq!(kept.history.unknown, [day("2026-11-24")]);
        assert_eq!(Kept::decode(&kept.encode()), Some(kept.clone()));
        let (_, columns) = daily(&kept.encode()).expect("columns");
        assert_eq!(columns.days, [day("2026-11-24"), day("2026-11-26")]);
        assert!(columns.close[0].is_nan() && columns.close[1] == 12.0, "{:?}", columns.close);
        // It stays with the older days.
        assert_eq!(kept.clone().continuing(Some(kept)).history.unknown, [day("2026-11-24")]);
    }

    #[test]
    fn truncated_or_foreign_bytes_are_a_cache_miss() {
        let whole = kept(&[("2026-11-26", "1"), ("2026-11-27", "2")]).encode();
        for length in 0..whole.len() {
            assert_eq!(Kept::decode(&whole[..length]), None, "cut at {length}");
        }
        assert_eq!(Kept::decode(b"{\"version\":2}\n"), None);
        assert_eq!(Kept::decode(br#"[{"date":"2026-11-27"}]"#), None);
    }

    #[test]
    fn older_days_are_kept_if_the_first_new_day_agrees() {
        let before = kept(&[("2026-11-24", "10"), ("2026-11-25", "11"), ("2026-11-26", "12")]);
        let fresh = kept(&[("2026-11-26", "12"), ("2026-11-27", "13")]);
        let dates = |kept: &Kept| kept.history.bars.len();
        assert_eq!(dates(&fresh.clone().continuing(Some(before.clone()))), 4);
        // Data without splits must not be joined with data that has them.
        let mut silent = fresh.clone();
        silent.history.events = None;
        assert_eq!(dates(&silent.continuing(Some(before.clone()))), 2);
        // A split changes all earlier closes.
        let split = kept(&[("2026-11-26", "6"), ("2026-11-27", "6.5")]);
        assert_eq!(dates(&split.continuing(Some(before))), 2);
    }
}
