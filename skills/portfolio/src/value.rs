use std::sync::Arc;

use nova_skill::figures::{Sums, TooLarge, plus};
use nova_skill::{
    Description, Effect, Figure, JsonSchema, NativeTool, Output, Source, ToolContext, ToolError, ToolOutput,
    Value as Json, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::amount::{currency, shown};
use crate::books::Books;
use crate::cash::Cash;
use crate::prices::Prices;
use crate::rates::Rates;
use crate::totals::{Realised, realised_figure};
use crate::valuation::{Snapshot, Valuation, method_word, year_begins};

pub(crate) struct Value;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Adds up what you hold."))]
pub(crate) struct ValueOf {
    /// The day, YYYY-MM-DD; default: today.
    #[schemars(extend("format" = "date"))]
    #[schemars(extend("x-label" = "On", "x-help" = "Today if left empty"))]
    as_of: Option<String>,
    /// Also one total in this currency, such as EUR, with the rates used.
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
        let wanted = currency(of.currency.as_deref())?;
        let snapshot = Snapshot::priced(ctx.as_ref(), of.as_of.as_deref(), wanted).await?;
        let prices = snapshot.prices();
        let mut all = snapshot.value(&prices)?;
        let since = year_begins(snapshot.day);
        let holdings = snapshot.holdings()?;
        let realised = Realised::of(&holdings.held, since, snapshot.day)?;
        let cash = snapshot.cash(&holdings.held, snapshot.day)?;

        let converted = match wanted {
            Some(wanted) => convert(&mut all, cash.as_ref(), &prices, &snapshot, wanted)?,
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
            "cash": null,
            "with_cash": null,
            "newest_price": newest.map(|price| json!({"at": price.when(), "source": price.source_name()})),
        });
        let mut output = Output::default().from_notes(all.notes(&snapshot.books));
        if let Some((total, figures)) = converted {
            value["converted"] = total;
            output.figures.extend(figures);
        }
        if let Some(cash) = &cash {
            all.problems.extend(cash.problems(snapshot.today));
            add_cash(&mut value, &mut output, &all, cash, &snapshot.books)?;
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

/// Adds `cash` and `with_cash` by currency.
fn add_cash(
    value: &mut Json,
    output: &mut Output,
    all: &Valuation,
    cash: &Cash,
    books: &Books,
) -> Result<(), TooLarge> {
    output.sources.extend(cash.notes().cloned().map(Source::Note));
    let mut with_cash = Sums::default();
    for (currency, amount) in all.value.iter().chain(cash.balances.iter()) {
        with_cash.add(currency, amount)?;
    }
    value["cash"] = cash.to_json();
    value["with_cash"] = with_cash.to_json();
    for (place, (currency, _)) in cash.balances.iter().enumerate() {
        output.figures.push(cash.figure(format!("/cash/{place}/amount"), currency));
    }
    for (place, (currency, sum)) in with_cash.iter().enumerate() {
        let of_cash = cash.figure(String::new(), currency);
        let of_value = all.value_figure(String::new(), currency, books);
        let cautions: Vec<String> =
            of_value.iter().chain([&of_cash]).filter_map(|figure| figure.caution.clone()).collect();
        let sources = of_value.map(|figure| figure.sources).unwrap_or_default();
        output.figures.push(
            Figure::new(format!("/with_cash/{place}/amount"), "Value with cash", sum, currency)
                .formula("positions + cash")
                .part("Positions", all.value.money(currency), currency)
                .part("Cash", cash.balance(currency), currency)
                .from_sources(sources)
                .from_sources(of_cash.sources)
                .caution((!cautions.is_empty()).then(|| cautions.join(", "))),
        );
    }
    Ok(())
}

/// `None` unless there is a single currency.
fn gain_percent(all: &Valuation) -> Json {
    let mut gains = all.gain.iter();
    match (gains.next(), gains.next()) {
        (Some((currency, _)), None) => shown(all.gain_percent(currency)),
        _ => Json::Null,
    }
}

/// The total in one currency; missing rates are problems.
fn convert(
    all: &mut Valuation,
    cash: Option<&Cash>,
    prices: &Prices,
    snapshot: &Snapshot,
    wanted: &'static str,
) -> Result<Option<(Json, Vec<Figure>)>, ToolError> {
    let mut rates = Rates::new(prices, wanted, snapshot.today);
    let of_cash = cash.map(|cash| all.converted_cash(cash, &mut rates)).transpose()?.flatten();
    let Some(total) = all.converted_total(&mut rates)? else {
        all.problems.extend(rates.problems());
        return Ok(None);
    };
    let figure = all.converted_figure("/converted/value", &total, &rates, &snapshot.books);
    let mut value = json!({
        "currency": wanted,
        "value": total.value.to_string(),
        "rates": rates.to_json(),
        "rates_detail": rates.detail(),
        "cash": null,
        "with_cash": null,
    });
    let mut figures = vec![figure];
    if let (Some(of_cash), Some(cash)) = (of_cash, cash) {
        let sum = plus(total.value, of_cash)?;
        value["cash"] = shown(Some(of_cash));
        value["with_cash"] = shown(Some(sum));
        let with_cash =
            Figure::new("/converted/with_cash", format!("Value with cash in {wanted}"), sum, wanted)
                .formula("positions + cash")
                .part(format!("Positions in {wanted}"), total.value, wanted)
                .part(format!("Cash in {wanted}"), of_cash, wanted)
                .from_sources(figures[0].sources.clone())
                .from_notes(cash.notes().cloned())
                .caution(figures[0].caution.clone());
        figures.push(rates.explain(with_cash));
    }
    Ok(Some((value, figures)))
}
