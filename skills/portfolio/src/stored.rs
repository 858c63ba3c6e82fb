use std::collections::BTreeMap;

use nova_skill::jiff::tz::TimeZone;
use nova_skill::jiff::{Timestamp, ToSpan as _};
use nova_skill::serde_json;
use nova_skill::{Date, Decimal, ToolContext, ToolError};
use serde::{Deserialize, Serialize};

/// The key in the skill's store.
const KEY: &str = "quotes";
/// The maximum number of attempts when others write concurrently.
const TRIES: usize = 20;
/// The maximum number of days stored for a symbol. Beyond it, days older than a year are thinned to one a
/// week, and then the oldest are dropped: a chart over years has no more points.
const DAYS: usize = 800;

/// The quotes fetched from sources, by symbol and day. It is a cache that can be fetched again; a `price`
/// note takes precedence.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Kept {
    symbols: BTreeMap<String, BTreeMap<Date, KeptQuote>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct KeptQuote {
    #[serde(with = "text")]
    pub(crate) price: Decimal,
    pub(crate) currency: String,
    /// The source's display name, such as "Stooq".
    pub(crate) source: String,
    /// The URL of the response, without a query.
    pub(crate) url: String,
    /// The time of the price as RFC 3339, if the source states it. Without it, the price is a close, adjusted
    /// for splits up to the day it was fetched.
    pub(crate) at: Option<String>,
    /// The time of the response as RFC 3339.
    pub(crate) fetched: String,
    /// The previous day's close.
    #[serde(default, with = "text_or_nothing")]
    pub(crate) before: Option<Decimal>,
}

impl KeptQuote {
    /// Whether the day had ended when the source answered, in UTC.
    fn was_fetched_after(&self, day: Date) -> bool {
        let fetched = self.fetched.parse::<Timestamp>().ok();
        fetched.is_some_and(|fetched| fetched.to_zoned(TimeZone::UTC).date() > day)
    }
}

impl Kept {
    /// Empty if there is no store or its content is invalid.
    pub(crate) async fn read(ctx: &dyn ToolContext) -> Self {
        ctx.store().get(KEY).await.ok().flatten().map(Self::of_value).unwrap_or_default()
    }

    /// Updates the stored quotes with compare-and-swap: `add` is called again if another process has written
    /// meanwhile.
    ///
    /// # Errors
    /// If the store cannot be read or written; existing quotes are then preserved.
    pub(crate) async fn change(
        ctx: &dyn ToolContext,
        mut add: impl FnMut(&mut Self) + Send,
    ) -> Result<(), ToolError> {
        for _ in 0..TRIES {
            let before = ctx.store().get(KEY).await?;
            let mut kept = before.clone().map(Self::of_value).unwrap_or_default();
            add(&mut kept);
            let value = serde_json::to_value(kept)
                .map_err(|error| ToolError::failed(format!("The quotes cannot be kept: {error}."), ""))?;
            if ctx.store().replace(KEY, before.as_ref(), value).await? {
                return Ok(());
            }
        }
        Err(ToolError::failed("Others keep quotes all the time.", "Ask again later."))
    }

    fn of_value(value: serde_json::Value) -> Self {
        serde_json::from_value(value).unwrap_or_default()
    }

    /// A close replaces an intraday quote once it was fetched after the day; until then it may be older than
    /// the quote.
    pub(crate) fn add(&mut self, symbol: &str, day: Date, quote: KeptQuote) {
        let days = self.symbols.entry(symbol.to_owned()).or_default();
        let is_timed = days.get(&day).is_some_and(|known| known.at.is_some());
        if quote.at.is_none() && is_timed && !quote.was_fetched_after(day) {
            return;
        }
        days.insert(day, quote);
        while days.len() > DAYS {
            let Some(year) = days.keys().next_back().map(|newest| newest.saturating_sub(1.year())) else {
                break;
            };
            let of_week = |day: Date| (day.iso_week_date().year(), day.iso_week_date().week());
            let mut pairs = days.range(..year).map(|(day, _)| *day).zip(days.keys().skip(1));
            let followed = pairs.find(|(day, next)| of_week(*day) == of_week(**next)).map(|(day, _)| day);
            match followed {
                Some(day) => days.remove(&day),
                None => days.pop_first().map(|(_, quote)| quote),
            };
        }
    }

    pub(crate) fn symbols(&self) -> impl Iterator<Item = &str> {
        self.symbols.keys().map(String::as_str)
    }

    pub(crate) fn of(&self, symbol: &str) -> impl DoubleEndedIterator<Item = (Date, &KeptQuote)> {
        self.symbols.get(symbol).into_iter().flatten().map(|(day, quote)| (*day, quote))
    }
}

mod text {
    use nova_skill::Decimal;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(super) fn serialize<S: Serializer>(number: &Decimal, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(number)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Decimal, D::Error> {
        let text = String::deserialize(from)?;
        Decimal::from_str_exact(&text).map_err(D::Error::custom)
    }
}

mod text_or_nothing {
    use nova_skill::Decimal;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(super) fn serialize<S: Serializer>(number: &Option<Decimal>, to: S) -> Result<S::Ok, S::Error> {
        match number {
            Some(number) => to.collect_str(number),
            None => to.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Decimal>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        text.map(|text| Decimal::from_str_exact(&text)).transpose().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use nova_testkit::{MemoryStore, TestContext};

    use super::*;

    fn close() -> KeptQuote {
        KeptQuote {
            price: Decimal::ONE,
            currency: "EUR".into(),
            source: "Stooq".into(),
            url: String::new(),
            at: None,
            fetched: String::new(),
            before: None,
        }
    }

    #[test]
    fn intraday_quote_is_replaced_by_the_close_fetched_later() {
        let day: Date = "2026-11-20".parse().expect("a date");
        let quote = |price: i64, at: Option<&str>, fetched: &str| KeptQuote {
            price: price.into(),
            at: at.map(str::to_owned),
            fetched: fetched.into(),
            ..close()
        };
        let mut kept = Kept::default();
        let price = |kept: &Kept| kept.of("A").next().map(|(_, quote)| quote.price.to_string());
        kept.add("A", day, quote(40, Some("2026-11-20T10:00:00Z"), "2026-11-20T10:00:05Z"));
        kept.add("A", day, quote(39, None, "2026-11-20T10:01:00Z"));
        assert_eq!(price(&kept).as_deref(), Some("40"), "the day went on: that is no close yet");
        kept.add("A", day, quote(44, None, "2026-11-21T08:00:00Z"));
        assert_eq!(price(&kept).as_deref(), Some("44"), "the close of the day");
    }

    #[tokio::test]
    async fn concurrent_changes_of_two_processes_are_both_stored() {
        let store = MemoryStore::default();
        let nova = || TestContext::of(crate::skill()).with_store(store.clone());
        let (one, other) = (nova(), nova());
        let day: Date = "2026-11-20".parse().expect("a date");
        let mut times = 0;
        let kept = Kept::change(&one, |kept| {
            kept.add("A", day, close());
            times += 1;
            if times == 1 {
                // Between read and write; the test's store never blocks.
                let another = Kept::change(&other, |kept| kept.add("B", day, close())).now_or_never();
                another.expect("done at once").expect("kept");
            }
        });
        kept.await.expect("kept");
        let kept = Kept::read(&one).await;
        assert_eq!((kept.symbols().collect::<Vec<_>>(), times), (vec!["A", "B"], 2));
    }

    /// The weekdays from a Monday.
    fn weekdays(begin: Date, weeks: i32) -> impl Iterator<Item = Date> {
        let days = (0..weeks).flat_map(|week| (0..5).map(move |day| week * 7 + day));
        days.map(move |day| begin.saturating_add(day.days()))
    }

    #[test]
    fn older_years_are_thinned_to_the_last_day_of_each_week() {
        let mut kept = Kept::default();
        // A Monday; five years of weekdays.
        let begin: Date = "2021-01-04".parse().expect("a date");
        for day in weekdays(begin, 5 * 52) {
            kept.add("A", day, close());
        }
        let days: Vec<Date> = kept.of("A").map(|(day, _)| day).collect();
        assert_eq!((days.len(), days[0].to_string().as_str()), (DAYS, "2021-01-08"), "a Friday");
        let longest = days.windows(2).map(|two| (two[1] - two[0]).get_days()).max();
        assert_eq!(longest, Some(7), "no week is lost");
        let recent = begin.saturating_add((4 * 52 * 7).days());
        assert_eq!(days.iter().filter(|day| **day >= recent).count(), 52 * 5, "the last year is whole");
    }

    #[test]
    fn oldest_days_are_dropped_and_the_last_year_is_complete() {
        let mut kept = Kept::default();
        // A Monday; twenty years of weekdays.
        let begin: Date = "2006-01-02".parse().expect("a date");
        for day in weekdays(begin, 20 * 52) {
            kept.add("A", day, close());
        }
        let days: Vec<Date> = kept.of("A").map(|(day, _)| day).collect();
        assert_eq!(days.len(), DAYS);
        let recent = begin.saturating_add((19 * 52 * 7).days());
        assert_eq!(days.iter().filter(|day| **day >= recent).count(), 52 * 5);
        let longest = days.windows(2).map(|two| (two[1] - two[0]).get_days()).max();
        assert_eq!(longest, Some(7), "no week between is lost");
    }
}
