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

use crate::asked::Asked;
use crate::scan::{distance, missing};
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
    asked: Asked,
}

/// A report that is older has been followed by another.
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
        let meant = of.asked.read(ctx).await?;
        let screen = &meant.screen;
        // A share outside of the list is explained as well.
        let listed = universe(meant.universe.as_deref(), ctx).await.ok();
        let wanted = Listing::parse(&of.symbol);
        let members = listed.iter().flat_map(|universe| &universe.members);
        let is_it = |member: &&Member| {
            member.listing.symbol == wanted.symbol
                && (wanted.exchange.is_none() || wanted.exchange == member.listing.exchange)
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
        // The condition whose limit is nearest is the one that would end it.
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
        let mut output = Output::new(value).from_notes(meant.path);
        output.sources.extend(share.cited());
        Ok(output.into())
    }
}

/// "below 18", "between 0.5 bn and 5 bn"
fn limit_words(limits: &[Comparison], kind: Kind) -> String {
    let shown = |limit: f64| match limit.abs() {
        large if large >= 1e9 => format!("{} bn", limit / 1e9),
        large if large >= 1e6 => format!("{} m", limit / 1e6),
        _ if kind == Kind::Percent => format!("{limit} %"),
        _ => limit.to_string(),
    };
    let words = limits
        .iter()
        .map(|limit| format!("{} {}", if limit.above { "above" } else { "below" }, shown(limit.limit)));
    words.collect::<Vec<String>>().join(" and ")
}

/// Who says the figure of a condition, and the last day of what it is about.
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
