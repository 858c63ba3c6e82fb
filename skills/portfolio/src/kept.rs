use std::collections::BTreeMap;

use nova_skill::jiff::tz::TimeZone;
use nova_skill::jiff::{Timestamp, ToSpan as _};
use nova_skill::serde_json;
use nova_skill::{Date, Decimal, ToolContext, ToolError};
use serde::{Deserialize, Serialize};

/// The key of the skill's store.
const KEY: &str = "quotes";
/// How often it is tried to add to what others change at the same time.
const TRIES: usize = 20;
/// How many days are kept of one symbol. Where there are more, of what is older than a year one day of
/// each week stays, and then the oldest go: a line over years has no more points.
const DAYS: usize = 800;

/// What quote sources have said, by symbol and day. It is a copy that can be fetched again; a `price`
/// note is the truth.
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
    /// The source's name: "Stooq".
    pub(crate) source: String,
    /// Where it answered, without a query.
    pub(crate) url: String,
    /// When the price was made, RFC 3339, where the source says it. Without it, the price is a close in
    /// shares of the day on which it was fetched.
    pub(crate) at: Option<String>,
    /// When the source answered, RFC 3339.
    pub(crate) fetched: String,
    /// The close of the day before.
    #[serde(default, with = "text_or_nothing")]
    pub(crate) before: Option<Decimal>,
}

impl KeptQuote {
    /// Whether the day was over, everywhere but in the far west, when the source answered.
    fn was_fetched_after(&self, day: Date) -> bool {
        let fetched = self.fetched.parse::<Timestamp>().ok();
        fetched.is_some_and(|fetched| fetched.to_zoned(TimeZone::UTC).date() > day)
    }
}

impl Kept {
    /// Without a store, or with one that says something else, nothing is kept.
    pub(crate) async fn read(ctx: &dyn ToolContext) -> Self {
        ctx.store().get(KEY).await.ok().flatten().map(Self::of_value).unwrap_or_default()
    }

    /// Adds to what is kept by now. What another Nova process adds meanwhile stays: `add` is called again then.
    ///
    /// # Errors
    /// When the store cannot be read, so that what it has must not be replaced, or not be written.
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

    /// What was said while a day went on gives way to its close, once that was fetched after the day;
    /// until then the close may be older than a quote with its time.
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
    fn a_quote_of_a_day_that_went_on_gives_way_to_the_close_that_is_fetched_after_it() {
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
    async fn what_two_novas_keep_at_once_is_kept_of_both() {
        let store = MemoryStore::default();
        let nova = || TestContext::of(crate::skill()).with_store(store.clone());
        let (one, other) = (nova(), nova());
        let day: Date = "2026-11-20".parse().expect("a date");
        let mut times = 0;
        let kept = Kept::change(&one, |kept| {
            kept.add("A", day, close());
            times += 1;
            if times == 1 {
                // Between reading and writing: the store of a test never makes anybody wait.
                let another = Kept::change(&other, |kept| kept.add("B", day, close())).now_or_never();
                another.expect("done at once").expect("kept");
            }
        });
        kept.await.expect("kept");
        let kept = Kept::read(&one).await;
        assert_eq!((kept.symbols().collect::<Vec<_>>(), times), (vec!["A", "B"], 2));
    }

    /// The weekdays from a Monday on.
    fn weekdays(begin: Date, weeks: i32) -> impl Iterator<Item = Date> {
        let days = (0..weeks).flat_map(|week| (0..5).map(move |day| week * 7 + day));
        days.map(move |day| begin.saturating_add(day.days()))
    }

    #[test]
    fn of_many_years_the_older_keep_the_last_day_of_each_week() {
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
    fn of_decades_the_oldest_go_and_the_last_year_stays_whole() {
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
