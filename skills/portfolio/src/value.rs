use std::sync::Arc;

use nova_market::Age;
use nova_skill::figures::{TooLarge, currency_code, money, plus};
use nova_skill::{
    Decimal, Description, Effect, Figure, JsonSchema, NativeTool, Output, Problem, Source, ToolContext,
    ToolError, ToolOutput, Value as Json, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::amount::{CURRENCY_REMEDY, invalid, shown};
use crate::prices::{Price, Prices};
use crate::totals::{Realised, realised_figure};
use crate::valuation::{Snapshot, Valuation, day_text, method_word, year_begins};

pub(crate) struct Value;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Adds up what you hold."))]
pub(crate) struct ValueOf {
    /// The day to look at, YYYY-MM-DD; default: today.
    #[schemars(extend("format" = "date"))]
    #[schemars(extend("x-label" = "On", "x-help" = "Today if left empty"))]
    as_of: Option<String>,
    /// Also one total in this currency, such as EUR, with the rates that it was computed with.
    #[schemars(extend("x-help" = "Convert everything into this"))]
    #[schemars(extend("x-values-from" = ["position.currency", "trade.currency"], "x-values" = "part"))]
    currency: Option<String>,
}

#[async_trait]
impl NativeTool for Value {
    type Args = ValueOf;
    const ID: &'static str = "value";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose(
            "Computes what the portfolio is worth, what it cost and its unrealised gain, and this year's realised gain and \
             dividends, for each currency by itself. One total over several currencies only with \"currency\" and a \
             known rate.",
        )
        .use_when("the user asks for the worth, total value or performance of their portfolio or investments")
        .not_when("the gains of single sales or of one symbol are asked for", "portfolio.gains")
        .cite("how many prices are old, where any is")
        .example("What is my portfolio worth?")
    }

    async fn run(&self, of: ValueOf, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let wanted = of.currency.as_deref().filter(|text| !text.trim().is_empty());
        let wanted = wanted
            .map(|text| {
                let rule = format!("\"{text}\" is not a currency. {}", CURRENCY_REMEDY.trim_end_matches('.'));
                currency_code(text).ok_or_else(|| invalid("currency", &rule))
            })
            .transpose()?;
        let snapshot = Snapshot::read(ctx.as_ref(), of.as_of.as_deref()).await?;
        let prices = snapshot.prices();
        let mut all = snapshot.value(&prices)?;
        let since = year_begins(snapshot.day);
        let realised = Realised::of(&snapshot.holdings()?.held, since, snapshot.day)?;

        let converted = match &wanted {
            Some(wanted) => convert(&mut all, &prices, &snapshot, wanted)?,
            None => None,
        };
        let newest = all.rows.iter().filter_map(|row| row.price).max_by_key(|price| price.when());
        let mut value = json!({
            "as_of": snapshot.day.to_string(),
            "method": method_word(snapshot.method),
            "value": all.value.to_json(),
            "cost": all.cost.to_json(),
            "gain": all.gain.to_json(),
            "gain_percent": gain_percent(&all),
            "since": since.to_string(),
            "realised": realised.gain.to_json(),
            "income": realised.income.to_json(),
            "fees": realised.fees.to_json(),
            "positions": all.rows.len(),
            "prices": all.staleness(),
            "old_prices": all.old_prices(),
            "newest_price": newest.map(|price| json!({"at": price.when(), "source": price.source_name()})),
        });
        let mut output = Output::default().from_notes(all.notes(&snapshot.books));
        if let Some((total, figure)) = converted {
            value["converted"] = total;
            output.figures.push(figure);
        }
        all.faults(&mut value, &snapshot.books);
        for (place, (currency, _)) in all.value.iter().enumerate() {
            let at = |field: &str| format!("/{field}/{place}/amount");
            output.figures.extend(all.value_figure(at("value"), currency, &snapshot.books));
        }
        for (place, (currency, _)) in all.gain.iter().enumerate() {
            output.figures.extend(all.gain_figure(
                format!("/gain/{place}/amount"),
                currency,
                &snapshot.books,
            ));
        }
        output.figures.extend(realised_figure(&realised, "/realised", "/income", &snapshot.books));
        output.value = value;
        Ok(output.into())
    }
}

/// Only where it is one number.
fn gain_percent(all: &Valuation) -> Json {
    let mut gains = all.gain.iter();
    match (gains.next(), gains.next()) {
        (Some((currency, _)), None) => shown(all.gain_percent(currency)),
        _ => Json::Null,
    }
}

/// One total, where every rate is known; else what is missing is a problem.
fn convert(
    all: &mut Valuation,
    prices: &Prices,
    snapshot: &Snapshot,
    wanted: &str,
) -> Result<Option<(Json, Figure)>, ToolError> {
    let mut total = money(Decimal::ZERO, wanted);
    let mut rates = Vec::new();
    let mut parts = Vec::new();
    let mut sources: Vec<Source> = all.notes(&snapshot.books).into_iter().map(Source::Note).collect();
    let mut old = false;
    let mut missing = Vec::new();
    for (currency, amount) in all.value.iter() {
        if currency == wanted {
            total = plus(total, amount)?;
            parts.push((format!("Held in {currency}"), amount, currency.to_owned()));
            continue;
        }
        let Some(rate) = prices.rate(currency, wanted, snapshot.day) else {
            missing.push(currency.to_owned());
            continue;
        };
        let converted = money(amount.checked_mul(rate.rate).ok_or(TooLarge)?, wanted);
        total = plus(total, converted)?;
        old |= rate.price.age(snapshot.day) != Age::Fresh;
        let said = format!("{currency} at {}, {}", rate.rate, day_text(rate.price.date, snapshot.today));
        parts.push((said, converted, wanted.to_owned()));
        sources.push(rate.price.source());
        rates.push(rate_json(currency, wanted, rate.rate, rate.price));
    }
    for currency in &missing {
        all.problems.push(Problem {
            path: String::new(),
            line: 0,
            problem: format!(
                "there is no rate from {currency} to {wanted}, so there is no total in {wanted}"
            ),
            remedy: format!(
                "Call portfolio.quote with the symbol {currency}/{wanted}, or add a price note of it."
            ),
        });
    }
    if !missing.is_empty() {
        return Ok(None);
    }
    let cautions = all.value.iter().filter_map(|(currency, _)| all.caution(currency));
    let mut cautions: Vec<String> = cautions.collect();
    if old {
        cautions.push("an old rate".into());
    }
    let caution = (!cautions.is_empty()).then(|| cautions.join(", "));
    let mut figure = Figure::new("/converted/value", format!("Value in {wanted}"), total, wanted)
        .formula("Σ value × rate")
        .from_sources(sources)
        .caution(caution);
    for (label, amount, unit) in parts {
        figure = figure.part(label, amount, unit);
    }
    let total = json!({"currency": wanted, "value": total.to_string(), "rates": rates});
    Ok(Some((total, figure)))
}

/// A rate with where and when it is from.
pub(crate) fn rate_json(from: &str, to: &str, rate: Decimal, price: &Price) -> Json {
    json!({
        "from": from,
        "to": to,
        "rate": rate.to_string(),
        "at": price.when(),
        "source": price.source_name(),
    })
}
