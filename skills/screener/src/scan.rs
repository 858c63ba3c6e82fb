//! Scans a list several shares at a time, reporting partial results.

use std::collections::BTreeSet;
use std::num::NonZero;
use std::sync::Arc;

use futures::{StreamExt as _, stream};
use nova_market::expression::{Expression, Kind, Truth};
use nova_market::screen::{Look, ScorePart, Screen, Verdict, points};
use nova_market::{Age, age};
use nova_skill::figures::{at_least, rounded_to};
use nova_skill::{Decimal, Progress, ToolContext, ToolError, Value, json};

use crate::share::{Market, Share};
use crate::shown::{figure, named, unit};
use crate::universe::Member;

/// Concurrent fetches. Sources have their own rate limits.
const AT_A_TIME: usize = 4;
/// Points of a sparkline.
const SPARK: usize = 26;
/// Trading days in six months.
const HALF_YEAR: usize = 126;
/// Maximum listed shares that were left out or not answered for.
const LISTED: usize = 200;

pub(crate) struct Scan {
    pub(crate) screen: Screen,
    pub(crate) held: Vec<Member>,
    pub(crate) of: usize,
    pub(crate) limit: usize,
    seen: Vec<Seen>,
    unanswered: Vec<(String, String)>,
    sources: BTreeSet<String>,
    currencies: BTreeSet<String>,
    /// Unparsed parts of the list.
    pub(crate) unread: Option<String>,
}

/// A scanned share.
struct Seen {
    symbol: String,
    look: Look,
    verdict: Verdict,
    /// For a hit.
    row: Value,
    /// For a share that is left out: the missing figures, with reasons.
    missing: Vec<String>,
}

impl Scan {
    pub(crate) fn new(screen: Screen, held: Vec<Member>, of: usize, limit: usize) -> Self {
        Self {
            screen,
            held,
            of,
            limit,
            seen: Vec::new(),
            unanswered: Vec::new(),
            sources: BTreeSet::new(),
            currencies: BTreeSet::new(),
            unread: None,
        }
    }

    /// Scans all members; `say` receives partial results.
    ///
    /// # Errors
    /// If the call was stopped.
    pub(crate) async fn run(
        &mut self,
        members: Vec<Member>,
        market: Market,
        ctx: &Arc<dyn ToolContext>,
        say: impl Fn(Value) + Send,
    ) -> Result<(), ToolError> {
        let market = Arc::new(market);
        let screen = Arc::new(self.screen.clone());
        let shares = stream::iter(members).map(|member| {
            let (market, screen, ctx) = (Arc::clone(&market), Arc::clone(&screen), Arc::clone(ctx));
            let symbol = member.listing.symbol.clone();
            // Stored data is read and evaluated on all cores.
            let looked = tokio::spawn(async move {
                let share = market.share(member, ctx.as_ref()).await?;
                let look = screen.look(&share.columns());
                let verdict = screen.verdict(&look);
                Ok::<_, String>((share, look, verdict))
            });
            async move { (symbol, looked.await.unwrap_or_else(|error| Err(error.to_string()))) }
        });
        let at_a_time = AT_A_TIME.max(std::thread::available_parallelism().map_or(1, NonZero::get));
        let mut shares = shares.buffer_unordered(at_a_time);
        let (mut said, mut hits) = (0, 0);
        while let Some((symbol, looked)) = shares.next().await {
            if ctx.cancel().is_cancelled() {
                return Err(ToolError::Cancelled);
            }
            match looked {
                Ok((share, look, verdict)) => self.add(&share, look, verdict, ctx.as_ref()),
                Err(reasons) => self.unanswered.push((symbol, reasons)),
            }
            let (done, found) = (self.done(), self.found());
            // The first hit at once, then at a readable rate.
            let is_time = done - said >= (self.of / 100).max(1);
            if (found > hits && (hits == 0 || is_time)) || (is_time && done < self.of) {
                ctx.progress(Progress {
                    fraction: Some(done as f64 / self.of as f64),
                    message: Some(format!(
                        "{done}/{}, {found} {}",
                        self.of,
                        if found == 1 { "hit" } else { "hits" }
                    )),
                });
                if found > hits {
                    say(self.value());
                }
                (said, hits) = (done, found);
            }
        }
        Ok(())
    }

    fn add(&mut self, share: &Share, look: Look, verdict: Verdict, ctx: &dyn ToolContext) {
        let row = if verdict == Verdict::Hit { self.row(share, &look, ctx) } else { Value::Null };
        let missing =
            if verdict == Verdict::LeftOut { missing(&self.screen, share, &look) } else { Vec::new() };
        self.currencies.insert(share.days.origin.currency.clone());
        self.sources.insert(share.days.origin.source.clone());
        if share.reports().is_some() {
            self.sources.insert("SEC".into());
        }
        self.seen.push(Seen { symbol: share.symbol().to_owned(), look, verdict, row, missing });
    }

    fn row(&self, share: &Share, look: &Look, ctx: &dyn ToolContext) -> Value {
        let close = &share.days.daily.close;
        let half = &close[close.len().saturating_sub(HALF_YEAR)..];
        let group = half.len().div_ceil(SPARK).max(1);
        let spark: Vec<f64> =
            half.iter().rev().step_by(group).filter(|close| close.is_finite()).copied().collect();
        let spark: Vec<f64> = spark.into_iter().rev().collect();
        let values = self.screen.conditions.iter().zip(&look.figures);
        let unknown = look.truths.iter().enumerate().filter(|(_, truth)| **truth == Truth::Unknown);
        let last = share.last();
        json!({
            "symbol": share.symbol(),
            "name": share.name(),
            "price": last.map(|(_, close)| price(close)),
            "currency": share.days.origin.currency,
            "date": last.map(|(day, _)| day.to_string()),
            "score": null,
            "parts": [],
            "values": values.filter(|(condition, _)| condition.limited().is_some())
                .map(|(condition, value)| figure(*value, named(condition).1)).collect::<Value>(),
            "spark": spark,
            "held": self.held.iter().any(|held| held.listing.is_same(&share.member.listing)),
            "old": last.is_none_or(|(day, _)| age(day, ctx.clock().today()) != Age::Fresh),
            "unknown": unknown.map(|(place, _)| place).collect::<Vec<usize>>(),
        })
    }

    pub(crate) fn done(&self) -> usize {
        self.seen.len() + self.unanswered.len()
    }

    fn found(&self) -> usize {
        self.seen.iter().filter(|seen| seen.verdict == Verdict::Hit).count()
    }

    /// The points of each scanned share, for each part of the score.
    fn points(&self) -> Vec<Vec<f64>> {
        let figures: Vec<Vec<f64>> = self.seen.iter().map(|seen| seen.look.score.clone()).collect();
        points(&self.screen.score, &figures)
    }

    /// The result so far: hits, best first, and what is missing.
    pub(crate) fn value(&self) -> Value {
        let points = self.points();
        let score = |points: &[f64]| points.iter().sum::<f64>();
        let mut hits: Vec<(&[f64], &Seen)> = (points.iter().map(Vec::as_slice))
            .zip(&self.seen)
            .filter(|(_, seen)| seen.verdict == Verdict::Hit)
            .collect();
        // An unknown score comes last.
        let rank =
            |points: &[f64]| Some(score(points)).filter(|score| !score.is_nan()).unwrap_or(f64::NEG_INFINITY);
        hits.sort_by(|(a, one), (b, other)| {
            rank(b).total_cmp(&rank(a)).then_with(|| one.symbol.cmp(&other.symbol))
        });
        let rows = hits.iter().take(self.limit).map(|(points, seen)| {
            let mut row = seen.row.clone();
            let whole = |points: f64| format!("{:.0}", points.round());
            if !points.is_empty() && !score(points).is_nan() {
                row["score"] = json!(whole(score(points)));
                let parts = self.screen.score.iter().zip(*points);
                row["parts"] = parts
                    .map(|(part, points)| json!({"name": part_name(part), "points": whole(*points)}))
                    .collect();
            }
            row
        });
        let columns = self.screen.conditions.iter().filter(|condition| condition.limited().is_some());
        let left_out: Vec<&Seen> = self.seen.iter().filter(|seen| seen.verdict == Verdict::LeftOut).collect();
        json!({
            "scanned": self.done(),
            "of": self.of,
            "found": hits.len(),
            "hits": rows.collect::<Value>(),
            "columns": columns.map(|condition| {
                let (name, kind) = named(condition);
                let field = condition.limited().and_then(|(figure, _)| figure.field());
                let head = field.map_or(name, |field| field.short().to_owned());
                json!({"key": condition.text(), "name": head, "unit": unit(kind)})
            }).collect::<Value>(),
            "conditions": self.screen.conditions.iter().map(|condition| {
                json!({"text": condition.text(), "name": named(condition).0})
            }).collect::<Value>(),
            "left_out_count": left_out.len(),
            "left_out": left_out.iter().take(LISTED)
                .map(|seen| json!({"symbol": seen.symbol, "missing": seen.missing})).collect::<Value>(),
            "unanswered_count": self.unanswered.len(),
            "unanswered": self.unanswered.iter().take(LISTED)
                .map(|(symbol, reason)| json!({"symbol": symbol, "reason": reason})).collect::<Value>(),
            "closest": if hits.is_empty() { self.closest() } else { Value::Null },
            "asks": self.sources,
            "problems": self.problems(),
        })
    }

    /// Problems of the comparison itself.
    fn problems(&self) -> Vec<String> {
        let money = |figure: &Expression| figure.kind() == Some(Kind::Money);
        let of_conditions = self.screen.conditions.iter().filter_map(Expression::limited);
        let compares_money = of_conditions.into_iter().any(|(figure, _)| money(&figure))
            || self.screen.score.iter().any(|part| money(&part.figure));
        let several = self.currencies.len() > 1 && compares_money;
        let currencies = self.currencies.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        several
            .then(|| format!("Amounts are in each share's own currency: {currencies}."))
            .into_iter()
            .chain(self.unread.clone())
            .collect()
    }

    /// The share that misses a single limit by the least, in percent of it.
    fn closest(&self) -> Value {
        let misses = self.seen.iter().filter_map(|seen| {
            let mut failed = seen.look.truths.iter().enumerate().filter(|(_, truth)| **truth != Truth::Yes);
            let (place, _) = failed.next().filter(|(_, truth)| **truth == Truth::No)?;
            failed.next().is_none().then_some(())?;
            let by = distance(&self.screen, place, seen.look.figures[place])?;
            Some((by, place, seen))
        });
        let nearest = misses.min_by(|(a, ..), (b, ..)| a.total_cmp(b));
        nearest.map_or(Value::Null, |(by, place, seen)| {
            json!({
                "symbol": seen.symbol,
                "condition": named(&self.screen.conditions[place]).0,
                "by": figure(by, Kind::Percent),
            })
        })
    }
}

/// "Price ÷ earnings", or the expression of a part of a score.
fn part_name(part: &ScorePart) -> String {
    part.figure.field().map_or_else(|| part.figure.text().to_owned(), |field| field.name().to_owned())
}

/// Distance of a figure from a condition's nearest limit, in percent of that limit.
pub(crate) fn distance(screen: &Screen, place: usize, value: f64) -> Option<f64> {
    let (_, limits) = screen.conditions[place].limited()?;
    let far = limits
        .iter()
        .filter(|limit| limit.limit != 0.0)
        .map(|limit| ((value - limit.limit) / limit.limit).abs() * 100.0);
    far.filter(|far| far.is_finite()).min_by(f64::total_cmp)
}

/// The missing figures with reasons: "Growth, 3 y: no revenue was reported".
pub(crate) fn missing(screen: &Screen, share: &Share, look: &Look) -> Vec<String> {
    let figures = share.key_figures();
    let conditions =
        screen.conditions.iter().zip(&look.truths).filter(|(_, truth)| **truth == Truth::Unknown);
    conditions
        .map(|(condition, _)| {
            let fields = condition.fields();
            let of_report = fields.iter().find_map(|field| {
                let figure = figures.iter().find(|figure| figure.key == field.key())?;
                Some(figure.value.as_ref().err()?.clone())
            });
            let why = match (&share.reported, of_report) {
                (Err(why), _) if condition.needs_reports() => why.clone(),
                (_, Some(why)) => why,
                _ if condition.needs_reports() => "its reports do not state it".into(),
                _ => share.lack(),
            };
            format!("{}: {why}", named(condition).0)
        })
        .collect()
}

fn price(close: Decimal) -> String {
    at_least(rounded_to(close, 6).normalize(), 2).to_string()
}
