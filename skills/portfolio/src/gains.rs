use std::sync::Arc;

use nova_skill::figures::{Sums, money};
use nova_skill::{
    Date, Description, Effect, Figure, JsonSchema, NativeTool, Output, ToolContext, ToolError, ToolOutput,
    Value, async_trait, date_argument, json, schemars,
};
use serde::Deserialize;

use crate::amount::{invalid, shown};
use crate::books::problems_json;
use crate::holdings::Holding;
use crate::ledger::{Method, Sale};
use crate::totals::{Realised, realised_figure};
use crate::valuation::{Snapshot, method_word};

pub(crate) struct Gains;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Adds up gains and dividends."))]
pub(crate) struct GainsOf {
    /// Only this symbol, or the position of this name.
    #[schemars(extend("x-help" = "Only this position"))]
    #[schemars(extend("x-values-from" = ["position.symbol", "trade.symbol", "position.name"]))]
    #[schemars(extend("x-values" = "only"))]
    symbol: Option<String>,
    /// Which shares a sale takes: the first bought ("fifo", the default) or a part of all ("average").
    #[schemars(extend("x-label" = "Shares sold", "x-help" = "fifo: oldest shares first"))]
    method: Option<MethodWord>,
    /// The last day that counts, YYYY-MM-DD; default: today.
    #[schemars(extend("format" = "date"))]
    #[schemars(extend("x-label" = "On", "x-help" = "Today if left empty"))]
    as_of: Option<String>,
    /// Only sales, dividends and fees since this day, YYYY-MM-DD; default: all of them.
    #[schemars(extend("format" = "date"))]
    #[schemars(extend("x-help" = "Only sales since this day"))]
    from: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MethodWord {
    Fifo,
    Average,
}

#[async_trait]
impl NativeTool for Gains {
    type Args = GainsOf;
    const ID: &'static str = "gains";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose(
            "Computes gains: realised by each sale, unrealised of what is held, dividends and fees, by symbol and in total \
             for each currency. Fees of buys are cost, fees of sales are taken off the proceeds.",
        )
        .use_when("the user asks what they gained, made or lost by selling or on one symbol, about dividends, or for taxes")
        .not_when("only the worth of everything is asked for", "portfolio.value")
        .cite("the method, first in first out or average cost")
        .example("What did I make on SLVN?")
    }

    async fn run(&self, of: GainsOf, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let mut snapshot = Snapshot::priced(ctx.as_ref(), of.as_of.as_deref(), None).await?;
        snapshot.method = match of.method {
            Some(MethodWord::Average) => Method::Average,
            Some(MethodWord::Fifo) => Method::Fifo,
            None => snapshot.method,
        };
        let from = of.from.as_deref().filter(|text| !text.trim().is_empty());
        let since = from.map(|text| date_argument("from", text)).transpose()?.unwrap_or(Date::MIN);
        if since > snapshot.day {
            return Err(invalid("from", &format!("{since} is after {}", snapshot.day)));
        }
        let said = of.symbol.as_deref().filter(|text| !text.trim().is_empty());
        let symbol = said.map(|said| snapshot.books.find(said)).transpose()?;
        let is_asked = |other: &str| symbol.as_deref().is_none_or(|symbol| symbol == other);

        let prices = snapshot.prices();
        let mut all = snapshot.value(&prices)?;
        let mut holdings = snapshot.holdings()?;
        // If only this symbol is requested, its problem is the answer.
        let left_out = holdings.left_out.iter().find(|(left_out, _)| is_asked(left_out));
        if let Some((_, problem)) = left_out.filter(|_| symbol.is_some()) {
            return Err(ToolError::BrokenRecord(problem.clone()));
        }
        all.keep(is_asked)?;
        holdings.held.retain(|holding| is_asked(holding.symbol));
        let realised = Realised::of(&holdings.held, since, snapshot.day)?;

        let mut sales = Vec::new();
        let mut figures = Vec::new();
        for (holding, sale) in sales_of(&holdings.held, since) {
            let place = sales.len();
            let gain = money(sale.proceeds, holding.currency)
                .checked_sub(money(sale.cost, holding.currency))
                .unwrap_or_default();
            sales.push(json!({
                "date": sale.date.to_string(),
                "symbol": holding.symbol,
                "name": holding.name(),
                "quantity": shown(sale.quantity.to_decimal().ok()),
                "proceeds": money(sale.proceeds, holding.currency).to_string(),
                "cost": money(sale.cost, holding.currency).to_string(),
                "gain": gain.to_string(),
                "currency": holding.currency,
                "path": snapshot.books.trades[sale.origin].path.to_string(),
            }));
            figures.push(
                Figure::new(
                    format!("/sales/{place}/gain"),
                    format!("{}: realised gain", holding.name()),
                    gain,
                    holding.currency,
                )
                .formula("proceeds less fee − cost of what was sold")
                .part("Proceeds less fee", money(sale.proceeds, holding.currency), holding.currency)
                .part(
                    format!("Cost, {}", method_label(snapshot.method)),
                    -money(sale.cost, holding.currency),
                    holding.currency,
                )
                .from_notes(holding.moving_notes(&snapshot.books)),
            );
        }
        let mut value = json!({
            "as_of": snapshot.day.to_string(),
            "from": (since != Date::MIN).then(|| since.to_string()),
            "method": method_word(snapshot.method),
            "realised": realised.gain.to_json(),
            "unrealised": all.gain.to_json(),
            "income": realised.income.to_json(),
            "fees": realised.fees.to_json(),
            "by_symbol": by_symbol(&holdings.held, &all, since, snapshot.day)?,
            "sales": sales,
            "problems": problems_json(&all.problems),
            "unreadable": snapshot.books.unreadable_json(),
        });
        if symbol.is_some() {
            value["lots"] = lots(&holdings.held, &snapshot);
        }
        let notes = holdings.held.iter().flat_map(|holding| holding.notes(&snapshot.books));
        let notes: Vec<_> = notes.chain(all.notes(&snapshot.books)).collect();
        let mut output = Output::new(value).from_notes(notes);
        output.figures.extend(realised_figure(&realised, "/realised", "/income", &snapshot.books));
        for (place, (currency, _)) in all.gain.iter().enumerate() {
            output.figures.extend(all.gain_figure(
                format!("/unrealised/{place}/amount"),
                currency,
                &snapshot.books,
            ));
        }
        output.figures.extend(figures);
        Ok(output.into())
    }
}

/// The sales since a day, by day.
fn sales_of<'a>(held: &'a [Holding<'a>], since: Date) -> Vec<(&'a Holding<'a>, &'a Sale)> {
    let of_holding = |holding: &'a Holding<'a>| holding.ledger.sales.iter().map(move |sale| (holding, sale));
    let mut sales: Vec<_> = held.iter().flat_map(of_holding).filter(|(_, sale)| sale.date >= since).collect();
    sales.sort_by_key(|(holding, sale)| (sale.date, holding.symbol));
    sales
}

fn by_symbol(
    held: &[Holding],
    all: &crate::valuation::Valuation,
    since: Date,
    until: Date,
) -> Result<Vec<Value>, ToolError> {
    let mut rows = Vec::new();
    for holding in held {
        let mut own = Realised::default();
        own.add(holding, since, until)?;
        let row = all
            .rows
            .iter()
            .find(|row| row.holding.symbol == holding.symbol && row.holding.currency == holding.currency);
        let amount = |of: &Sums| of.money(holding.currency).to_string();
        rows.push(json!({
            "symbol": holding.symbol,
            "name": holding.name(),
            "currency": holding.currency,
            "quantity": shown(holding.quantity.to_decimal().ok()),
            "realised": amount(&own.gain),
            "unrealised": shown(row.and_then(|row| row.gain)),
            "income": amount(&own.income),
            "fees": amount(&own.fees),
            "path": holding.position.map(|position| position.path.to_string()),
        }));
    }
    Ok(rows)
}

/// The open lots of the holdings.
fn lots(held: &[Holding], snapshot: &Snapshot) -> Value {
    let of_holding = |holding: &Holding| {
        let lots = holding.ledger.lots().map(|lot| {
            json!({
                "bought": lot.date.to_string(),
                "quantity": shown(lot.quantity.to_decimal().ok()),
                "cost": money(lot.cost, holding.currency).to_string(),
                "currency": holding.currency,
                "path": snapshot.books.trades[lot.origin].path.to_string(),
            })
        });
        lots.collect::<Vec<_>>()
    };
    held.iter().flat_map(of_holding).collect()
}

fn method_label(method: Method) -> &'static str {
    match method {
        Method::Fifo => "first in, first out",
        Method::Average => "average method",
    }
}
