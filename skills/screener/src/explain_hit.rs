use std::sync::Arc;

use nova_market::expression::{Comparison, Expression, Kind, Truth};
use nova_market::screen::Verdict;
use nova_market::{Age, KeyFigure, Listing, age, sources};
use nova_skill::figures::days_between;
use nova_skill::{
    Date, Description, Effect, JsonSchema, NativeTool, Output, ToolContext, ToolError, ToolOutput, Value,
    async_trait, json, schemars,
};
use serde::Deserialize;

use crate::scan::{distance, missing};
use crate::screen_args::ScreenArgs;
use crate::share::{Market, Share};
use crate::shares::begin;
use crate::shown::{figure, named, unit};
use crate::universe::{Member, universe};

pub(crate) struct ExplainHit;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Shows why a share meets a screen, or does not."))]
pub(crate) struct HitOf {
    /// The symbol, such as NGTL.
    #[schemars(extend("x-help" = "Such as NGTL"))]
    symbol: String,
    #[serde(flatten)]
    asked: ScreenArgs,
}

/// A report older than this many days has been superseded.
const OLD_REPORT: i64 = 200;

#[async_trait]
impl NativeTool for ExplainHit {
    type Args = HitOf;
    const ID: &'static str = "explain_hit";
    const EFFECT: Effect = Effect::External;
    const CALLS_TOOLS: bool = true;
    const HOSTS: &'static [&'static str] = &sources::WITH_REPORTS;
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = &sources::CREDENTIALS;

    fn description(&self) -> Description {
        Description::purpose(
            "Shows each condition of a screen for one share: whether it holds, its figure with source and day, and at which limit \
             the share would drop out.",
        )
        .use_when("the user asks why a share is a hit of a screen, or why it is none")
        .cite("the day of each figure")
        .example("Why is BWOP a hit of Mid-cap value?")
    }

    async fn run(&self, of: HitOf, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let ctx = ctx.as_ref();
        let resolved = of.asked.read(ctx).await?;
        let screen = &resolved.screen;
        // A share outside of the list can be explained, too.
        let listed = universe(resolved.universe.as_deref(), ctx).await.ok();
        let wanted = Listing::parse(&of.symbol);
        let members = listed.iter().flat_map(|universe| &universe.members);
        let is_it = |member: &&Member| {
            member.listing.symbol == wanted.symbol
                && (wanted.exchange.is_none() || wanted.is_same(&member.listing))
        };
        let member = members.into_iter().find(is_it).cloned().unwrap_or_else(|| Member {
            listing: Listing { own: nova_market::tools::own_names(ctx, &wanted.symbol), ..wanted },
            name: None,
        });
        let market = Market::open(begin(None, ctx), screen.needs_reports(), ctx).await?;
        let share = market.share(member, ctx).await.map_err(|reasons| {
            ToolError::failed(
                format!("{} has no closes: {reasons}.", of.symbol),
                "Check the symbol, or try again.",
            )
        })?;
        let look = screen.look(&share.columns());
        let mut reasons = missing(screen, &share, &look).into_iter();
        let figures = share.key_figures();
        let today = ctx.clock().today();
        let rows = screen.conditions.iter().zip(&look.truths).zip(&look.figures).map(|((condition, truth), value)| {
            let (name, kind) = named(condition);
            let (source, date) = origin(condition, &share, &figures);
            let old = date.is_none_or(|day| match condition.needs_reports() {
                true => days_between(day, today) > OLD_REPORT,
                false => age(day, today) != Age::Fresh,
            });
            json!({
                "text": condition.text(),
                "name": name,
                "holds": match truth { Truth::Yes => Some(true), Truth::No => Some(false), Truth::Unknown => None },
                "value": figure(*value, kind),
                "unit": unit(kind),
                "limit": condition.limited().map(|(_, limits)| limit_words(&limits, kind)),
                "source": source,
                "date": date.map(|day| day.to_string()),
                "old": old,
                "reason": (*truth == Truth::Unknown).then(|| reasons.next()).flatten(),
            })
        });
        let rows: Vec<Value> = rows.collect();
        // The condition with the nearest limit would be the first to fail.
        let near = (0..screen.conditions.len())
            .filter(|place| look.truths[*place] == Truth::Yes)
            .filter_map(|place| Some((distance(screen, place, look.figures[place])?, place)))
            .min_by(|(a, _), (b, _)| a.total_cmp(b));
        let nearest = near.map(|(_, place)| {
            let kind = named(&screen.conditions[place]).1;
            json!({"condition": place, "limit": figure(look.figures[place], kind)})
        });
        let value = json!({
            "symbol": share.symbol(),
            "name": share.name(),
            "hit": screen.verdict(&look) == Verdict::Hit,
            "conditions": rows,
            "nearest": nearest,
        });
        let mut output = Output::new(value).from_notes(resolved.path);
        output.sources.extend(share.cited());
        Ok(output.into())
    }
}

/// "below 18", "0.5 to 5 bn"
fn limit_words(limits: &[Comparison], kind: Kind) -> String {
    let shown = |limit: f64| match limit.abs() {
        large if large >= 1e9 => (grouped(limit / 1e9), " bn"),
        large if large >= 1e6 => (grouped(limit / 1e6), " m"),
        _ if kind == Kind::Percent => (grouped(limit), " %"),
        _ => (grouped(limit), ""),
    };
    match limits {
        [low, high] if low.above && !high.above => {
            let ((least, of_least), (most, of_most)) = (shown(low.limit), shown(high.limit));
            let of_least = if of_least == of_most { "" } else { of_least };
            format!("{least}{of_least} to {most}{of_most}")
        }
        limits => {
            let words = limits.iter().map(|limit| {
                let (number, unit) = shown(limit.limit);
                format!("{} {number}{unit}", if limit.above { "above" } else { "below" })
            });
            words.collect::<Vec<String>>().join(" and ")
        }
    }
}

/// Thousands separated by commas.
fn grouped(number: f64) -> String {
    let text = number.to_string();
    let (whole, fraction) =
        text.split_once('.').map_or((text.as_str(), None), |(whole, rest)| (whole, Some(rest)));
    let digits = whole.trim_start_matches('-');
    let groups: Vec<&str> = (0..digits.len())
        .rev()
        .step_by(3)
        .map(|end| &digits[end.saturating_sub(2)..=end])
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .collect();
    let sign = if whole.starts_with('-') { "-" } else { "" };
    let fraction = fraction.map(|rest| format!(".{rest}")).unwrap_or_default();
    format!("{sign}{}{fraction}", groups.join(","))
}

/// The source of a condition's figure, and the last day it covers.
fn origin(condition: &Expression, share: &Share, figures: &[KeyFigure]) -> (String, Option<Date>) {
    let closes = &share.days.origin.source;
    let last = share.last().map(|(day, _)| day);
    if !condition.needs_reports() {
        return (closes.clone(), last);
    }
    let fields = condition.fields();
    let known = fields.iter().find_map(|field| {
        let figure = figures.iter().find(|figure| figure.key == field.key())?;
        Some(figure.value.as_ref().ok()?.date)
    });
    let reported = || {
        let facts = share.reports()?.facts.values().flat_map(|tags| tags.values());
        facts.flat_map(|tag| tag.units.values()).flatten().map(|fact| fact.end).max()
    };
    let reads_price = fields.iter().any(|field| field.reads_price());
    let source = if reads_price { format!("{closes}, SEC") } else { "SEC".to_owned() };
    (source, known.or_else(reported))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_worded_naturally() {
        let limit = |above, limit| Comparison { above, limit };
        let words = |limits: &[Comparison]| limit_words(limits, Kind::Money);
        assert_eq!(words(&[limit(false, 18.0)]), "below 18");
        assert_eq!(words(&[limit(true, 50_000.0)]), "above 50,000");
        assert_eq!(words(&[limit(true, 0.5e9), limit(false, 5e9)]), "500 m to 5 bn");
        assert_eq!(words(&[limit(true, 1e9), limit(false, 5e9)]), "1 to 5 bn");
        assert_eq!(words(&[limit(true, -1_234.5)]), "above -1,234.5");
        assert_eq!(limit_words(&[limit(true, 10.0)], Kind::Percent), "above 10 %");
    }
}
