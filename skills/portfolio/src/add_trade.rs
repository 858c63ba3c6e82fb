use std::sync::Arc;

use nova_skill::serde_json::Map;
use nova_skill::{
    Date, Decimal, Description, Effect, Figure, JsonSchema, NativeTool, Output, ToolContext, ToolError,
    ToolOutput, Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::amount::{CURRENCY_REMEDY, Given, currency, date, invalid, money, price as price_shown, shown};
use crate::books::{Books, PositionNote, TRADE, as_symbol};
use crate::ledger::{Event, Impossible, Ledger, Trade};
use crate::valuation::{Snapshot, method_word};

pub(crate) struct AddTrade;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct NewTrade {
    /// The symbol, such as NGTL, or the name of a position.
    symbol: String,
    /// What happened.
    kind: Kind,
    /// The day it happened, YYYY-MM-DD.
    #[schemars(extend("format" = "date", "x-starts" = "today"))]
    date: String,
    /// How many shares; of a split, how many new shares there are for each old one; of a dividend, what is held on the
    /// day where nothing is given.
    quantity: Option<Given>,
    /// The price of one share; of a dividend, the payment for each share.
    price: Option<Given>,
    /// What the whole trade cost besides, or what was withheld of a dividend; 0 where nothing is given.
    fee: Option<Given>,
    /// Such as EUR; that of the position, else the usual one, where nothing is given.
    currency: Option<String>,
    /// Of a split only: how many old shares become "quantity" new ones, where it is not one.
    per: Option<Given>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    Buy,
    Sell,
    Dividend,
    Split,
    Fee,
}

#[async_trait]
impl NativeTool for AddTrade {
    type Args = NewTrade;
    const ID: &'static str = "add_trade";
    const EFFECT: Effect = Effect::Write;

    fn description(&self) -> Description {
        Description::purpose(
            "Records a trade as a new note: a buy, sell, dividend, split or fee. A sale of more than is held is refused. \
             Answers with what is held afterwards and, for a sale, the realised gain.",
        )
        .use_when("the user bought or sold something, got a dividend, or a share was split")
        .not_when("the user would buy or sell at a price", "portfolio.watch")
        .example("I bought 100 NGTL at 34.40 yesterday, fee 5 euros")
    }

    async fn run(&self, new: NewTrade, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let today = ctx.clock().today();
        let day = date(&new.date, "date")?;
        if day > today {
            return Err(invalid("date", &format!("{day} is in the future; a trade has happened")));
        }
        let snapshot = Snapshot::read(ctx.as_ref(), None).await?;
        let books = &snapshot.books;
        let symbol = symbol(&new.symbol, books)?;
        let currency = currency_of(&new, &symbol, books)?;
        let held_then = || held_on(&snapshot, &symbol, &currency, day);
        let (event, values) = event(&new, held_then)?;
        let position = books
            .positions
            .iter()
            .find(|position| position.symbol == symbol && position.currency == currency);
        let mut trades: Vec<Trade> =
            books.trades_of(&symbol, &currency).map(|note| note.trade.clone()).collect();
        if let Some(position) = books.position(&symbol) {
            keeps_its_own(position, books, &event)?;
        }
        let new_one = books.trades.len();
        let before = Ledger::of(snapshot.method, &trades, None).ok();
        let new_trade = Trade { date: day, event, origin: new_one };
        let checked = |mut trades: Vec<Trade>| {
            trades.push(new_trade.clone());
            Ledger::of(snapshot.method, &trades, None)
                .map_err(|(origin, why)| refused(books, &symbol, origin == new_one, origin, &why))
        };
        let ledger = checked(std::mem::take(&mut trades))?;
        if new.kind == Kind::Split {
            // It is one of the symbol in each of its currencies.
            let all = books.trades.iter().filter(|note| note.symbol == symbol);
            let others: std::collections::BTreeSet<&str> =
                all.map(|note| note.currency.as_str()).filter(|other| *other != currency).collect();
            for other in others {
                checked(books.trades_of(&symbol, other).map(|note| note.trade.clone()).collect())?;
            }
        }

        let mut note: Map<String, Value> = values;
        note.insert("symbol".into(), json!(symbol));
        note.insert("date".into(), json!(day.to_string()));
        note.insert("currency".into(), json!(currency));
        let kind = new.kind.word();
        note.insert("kind".into(), json!(kind));
        let declared = ctx.records().get(TRADE)?;
        let mut text = declared.new_note(&note)?;
        if let Some(position) = position {
            text.push_str(&format!("\n[[{}]]\n", position.path.name()));
        }
        let path = ctx.vault().free_path(&declared.folder, &format!("{day} {symbol} {kind}")).await?;
        ctx.vault().create(&path, text).await?;

        // What a position alone says is held, too, as long as no trade moves it.
        let own = position.filter(|_| !books.moves(&symbol) && !new_trade.event.moves());
        let (held, cost) = match own {
            Some(position) => (position.quantity.unwrap_or_default(), position.cost),
            None => (ledger.quantity().to_decimal()?, Some(ledger.cost())),
        };
        if let (Some(position), Some(before)) = (position, before) {
            follow(ctx.as_ref(), position, &before, &ledger).await?;
        }
        let average = cost.and_then(|cost| cost.checked_div(held));
        let mut value = note;
        value.insert("path".into(), json!(path));
        value.insert("method".into(), json!(method_word(snapshot.method)));
        value.insert("held".into(), shown(Some(held)));
        value.insert("cost".into(), shown(cost.map(money)));
        value.insert("average_cost".into(), shown(average.map(price_shown)));
        let mut output = Output::default().from_notes([path.clone()]);
        if let Some(sale) = ledger.sales.iter().find(|sale| sale.origin == new_one) {
            let (proceeds, cost) = (money(sale.proceeds), money(sale.cost));
            let moving = books.trades_of(&symbol, &currency).filter(|note| note.trade.event.moves());
            let behind = moving.map(|note| note.path.clone()).chain([path.clone()]);
            let gain = proceeds.checked_sub(cost).ok_or(crate::quantity::TooLarge)?;
            value.insert("gain".into(), shown(Some(gain)));
            output = output.figure(
                Figure::new("/gain", "Realised gain", gain, &currency)
                    .formula("proceeds less fee − cost of what was sold")
                    .part("Proceeds less fee", proceeds, &currency)
                    .part("Cost of what was sold", -cost, &currency)
                    .from_notes(behind),
            );
        }
        output.value = value.into();
        Ok(output.into())
    }
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Buy => "buy",
            Self::Sell => "sell",
            Self::Dividend => "dividend",
            Self::Split => "split",
            Self::Fee => "fee",
        }
    }
}

/// A symbol that is known, a position's name, or a symbol that is new.
fn symbol(said: &str, books: &Books) -> Result<String, ToolError> {
    let symbol = as_symbol(said);
    let legal = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '=' | '^' | '/' | ':');
    if symbol.is_empty() {
        return Err(invalid("symbol", "must not be empty"));
    }
    match books.find(said) {
        Ok(symbol) => Ok(symbol),
        Err(error @ ToolError::Ambiguous { .. }) => Err(error),
        Err(_) if symbol.chars().all(legal) && symbol.chars().count() <= 20 => Ok(symbol),
        Err(_) => Err(invalid(
            "symbol",
            &format!("\"{said}\" is no symbol and no position's name; a symbol is one word such as NGTL"),
        )),
    }
}

/// The one that is given, that of the symbol's position or trades, or the usual one.
fn currency_of(new: &NewTrade, symbol: &str, books: &Books) -> Result<String, ToolError> {
    if let Some(said) = new.currency.as_deref().filter(|said| !said.trim().is_empty()) {
        let rule = format!("\"{said}\" is no currency. {}", CURRENCY_REMEDY.trim_end_matches('.'));
        return currency(said).ok_or_else(|| invalid("currency", &rule));
    }
    let of_position = books.position(symbol).map(|position| position.currency.clone());
    let own = || books.trades.iter().filter(|note| note.symbol == symbol);
    // Trades decide where the position is in none of their currencies.
    let of_trade = own().next_back().map(|note| note.currency.clone());
    of_position
        .filter(|currency| of_trade.is_none() || own().any(|note| note.currency == *currency))
        .or(of_trade)
        .or_else(|| books.currency.clone())
        .ok_or_else(|| invalid("currency", "is needed: nothing in the vault says which one is usual"))
}

/// How much is held at the end of a day.
fn held_on(snapshot: &Snapshot, symbol: &str, currency: &str, day: Date) -> Result<Decimal, ToolError> {
    let holdings = snapshot.books.holdings(snapshot.method, day, false)?;
    let mut held = holdings.held.iter();
    let own = held.find(|holding| holding.symbol == symbol && holding.currency == currency);
    Ok(own.map(|holding| holding.quantity.to_decimal()).transpose()?.unwrap_or_default())
}

/// What happened, and the fields of its note.
fn event(
    new: &NewTrade,
    held_then: impl Fn() -> Result<Decimal, ToolError>,
) -> Result<(Event, Map<String, Value>), ToolError> {
    let needed = |given: &Option<Given>, argument: &str| match given {
        Some(given) => given.above_zero(argument),
        None => Err(invalid(argument, &format!("a {} needs a {argument}", new.kind.word()))),
    };
    let foreign = |given: &Option<Given>, argument: &str| match given {
        Some(_) => Err(invalid(argument, &format!("a {} has no {argument}; leave it out", new.kind.word()))),
        None => Ok(()),
    };
    if new.kind != Kind::Split {
        foreign(&new.per, "per")?;
    }
    let fee = new.fee.as_ref().map(|fee| fee.not_below_zero("fee")).transpose()?.unwrap_or_default();
    let mut fields = Map::new();
    let mut put = |field: &str, number: Decimal| {
        fields.insert(field.to_owned(), json!(number.to_string()));
    };
    let event = match new.kind {
        Kind::Buy | Kind::Sell => {
            let (quantity, price) = (needed(&new.quantity, "quantity")?, needed(&new.price, "price")?);
            put("quantity", quantity);
            put("price", price);
            put("fee", fee);
            match new.kind {
                Kind::Buy => Event::Buy { quantity, price, fee },
                _ => Event::Sell { quantity, price, fee },
            }
        }
        Kind::Dividend => {
            let price = needed(&new.price, "price")?;
            let quantity = match &new.quantity {
                Some(quantity) => quantity.above_zero("quantity")?,
                // A payment for each share is one for all that are held then.
                None => match held_then()? {
                    held if held.is_zero() => {
                        let rule =
                            format!("is needed: no {} are held on {}", new.symbol.trim(), new.date.trim());
                        return Err(invalid("quantity", &rule));
                    }
                    held => held,
                },
            };
            let paid = quantity.checked_mul(price).ok_or(crate::quantity::TooLarge)?;
            if fee > paid {
                return Err(invalid("fee", &format!("{fee} is more than the payment of {}", money(paid))));
            }
            put("quantity", quantity);
            put("price", price);
            put("fee", fee);
            Event::Dividend { quantity, price, fee }
        }
        Kind::Split => {
            foreign(&new.price, "price")?;
            if !fee.is_zero() {
                foreign(&new.fee, "fee")?;
            }
            let quantity = needed(&new.quantity, "quantity")?;
            let old = new.per.as_ref().map(|per| per.above_zero("per")).transpose()?;
            put("quantity", quantity);
            if let Some(old) = old {
                put("per", old);
            }
            Event::Split { new: quantity, old: old.unwrap_or(Decimal::ONE) }
        }
        Kind::Fee => {
            foreign(&new.quantity, "quantity")?;
            foreign(&new.price, "price")?;
            let amount = needed(&new.fee, "fee")?;
            put("fee", amount);
            Event::Fee { amount }
        }
    };
    Ok((event, fields))
}

/// # Errors
/// When the first trade that moves shares would make those vanish that stand in the position alone.
fn keeps_its_own(position: &PositionNote, books: &Books, new: &Event) -> Result<(), ToolError> {
    let moved = books.moves(&position.symbol);
    let Some(quantity) = position.quantity.filter(|own| !moved && new.moves() && !own.is_zero()) else {
        return Ok(());
    };
    let (symbol, path) = (&position.symbol, &position.path);
    let cost =
        position.cost.map(|cost| format!(" for {cost} {} in all", position.currency)).unwrap_or_default();
    let when = position.opened.map(|day: Date| format!(" of {day}")).unwrap_or_default();
    Err(ToolError::failed(
        format!(
            "The {quantity} {symbol} stand in {path} and in no trade; with a first trade only trades would count."
        ),
        format!(
            "Remove the quantity from {path}, record the buy{when} of {quantity}{cost}, then record this trade."
        ),
    ))
}

/// Why the trade cannot be recorded.
fn refused(books: &Books, symbol: &str, is_new: bool, origin: usize, why: &Impossible) -> ToolError {
    match why {
        Impossible::Oversold { date, sold, held } if is_new => ToolError::failed(
            format!("{sold} {symbol} cannot be sold on {date}: {held} are held then."),
            "Correct the quantity or the date, or record the buy that is missing first.",
        ),
        Impossible::Oversold { .. } => {
            let problem = books.impossible(origin, why);
            ToolError::failed(
                format!(
                    "With this trade a later one cannot be: {}, line {}: {}.",
                    problem.path, problem.line, problem.problem
                ),
                "Correct the quantity or the date of one of the two.",
            )
        }
        Impossible::TooLarge(error) => (*error).into(),
    }
}

/// A position that said what its trades come to goes on saying so; one that did not is left as it is.
async fn follow(
    ctx: &dyn ToolContext,
    position: &PositionNote,
    before: &Ledger,
    after: &Ledger,
) -> Result<(), ToolError> {
    let mut changed = Map::new();
    if position.quantity == Some(before.quantity().to_decimal()?) && before.quantity() != after.quantity() {
        changed.insert("quantity".into(), json!(after.quantity().to_decimal()?.to_string()));
    }
    let cost = money(before.cost());
    if position.cost.map(money) == Some(cost) && money(after.cost()) != cost {
        changed.insert("cost_basis".into(), json!(money(after.cost()).to_string()));
    }
    if changed.is_empty() {
        return Ok(());
    }
    let note = ctx.vault().read(&position.path).await?;
    let edits = ctx.records().get(crate::books::POSITION)?.edits(&note, &changed)?;
    ctx.vault().set_properties(&position.path, &edits).await
}
