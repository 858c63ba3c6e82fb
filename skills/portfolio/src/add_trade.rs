use std::sync::Arc;

use nova_skill::figures::{minus, money, plus};
use nova_skill::serde_json::Map;
use nova_skill::{
    Date, Description, Effect, Figure, GivenDecimal, JsonSchema, NativeTool, Output, RecordUse, ToolContext,
    ToolError, ToolOutput, Value, async_trait, date_argument, json, schemars,
};
use serde::Deserialize;

use crate::amount::{invalid, not_below_zero, price as price_shown, shown};
use crate::books::{Books, Said, TRADE};
use crate::cash::Cash;
use crate::ledger::sum;
use crate::saving::leaves_others;
use crate::trade_rules::{
    Change, Kind, Numbers, Saved, currency_of, currency_of_transfer, event, no_symbol, not_to_come, paid_for,
    symbol, transfer,
};
use crate::valuation::{Snapshot, method_word};

pub(crate) struct AddTrade;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Adds a trade."))]
pub(crate) struct NewTrade {
    /// The symbol, such as NGTL, or the name of a position; a deposit or withdrawal has none.
    #[schemars(extend("x-help" = "Such as NGTL", "x-values-from" = ["position.symbol", "trade.symbol"]))]
    symbol: Option<String>,
    /// What happened.
    kind: Kind,
    /// The day it happened, YYYY-MM-DD.
    #[schemars(extend("format" = "date", "x-starts" = "today"))]
    #[schemars(extend("x-help" = "The day of the trade"))]
    date: String,
    /// How many shares; of a split, how many new shares there are for each old one; of a dividend, by
    /// default what is held on the day.
    #[schemars(extend("x-help" = "Number of shares"))]
    quantity: Option<GivenDecimal>,
    /// The price of one share; of a dividend, the payment for each share; of a deposit or withdrawal, its amount.
    #[schemars(extend("x-help" = "For one share"))]
    price: Option<GivenDecimal>,
    /// What the whole trade cost besides, or what was withheld of a dividend; default: 0.
    #[schemars(extend("x-help" = "For the whole trade"))]
    fee: Option<GivenDecimal>,
    /// Such as EUR; default: that of the position, else the usual one.
    #[schemars(extend("x-help" = "Taken from the position if left empty"))]
    #[schemars(extend("x-values-from" = ["position.currency", "trade.currency"]))]
    currency: Option<String>,
    /// Of a split only: how many old shares become "quantity" new ones, where it is not one.
    #[schemars(extend("x-label" = "Old shares", "x-help" = "Splits only: how many become the quantity"))]
    per: Option<GivenDecimal>,
    /// Fields that the user added.
    #[serde(default)]
    #[schemars(skip)]
    own: Map<String, Value>,
}

impl NewTrade {
    fn numbers(&self) -> Result<Numbers, ToolError> {
        let number = |given: &Option<GivenDecimal>, argument: &str| {
            given.as_ref().map(|given| not_below_zero(given, argument)).transpose()
        };
        Ok(Numbers {
            quantity: number(&self.quantity, "quantity")?,
            per: number(&self.per, "per")?,
            price: number(&self.price, "price")?,
            fee: number(&self.fee, "fee")?,
        })
    }
}

#[async_trait]
impl NativeTool for AddTrade {
    type Args = NewTrade;
    const ID: &'static str = "add_trade";
    const EFFECT: Effect = Effect::Write;
    const RECORD: Option<RecordUse<'static>> = Some(RecordUse::Adds(TRADE));

    fn description(&self) -> Description {
        Description::purpose(
            "Records a trade as a new note: a buy, sell, dividend, split or fee, or cash: a deposit or withdrawal. A sale of more than is held is refused. \
             Answers with what is held afterwards and, for a sale, the realised gain.",
        )
        .use_when("the user bought or sold something, got a dividend, a share was split, or money was deposited into or withdrawn from their brokerage account")
        .not_when("the user would buy or sell at a price", "portfolio.watch")
        .example("I bought 100 NGTL at 34.40 yesterday, fee 5 euros")
    }

    async fn run(&self, new: NewTrade, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let today = ctx.clock().today();
        let day = date_argument("date", &new.date)?;
        not_to_come(day, today)?;
        let said = new.symbol.as_deref().filter(|text| !text.trim().is_empty());
        let said = match said {
            None if new.kind.is_transfer() => return transferred(new, day, ctx.as_ref()).await,
            None => return Err(invalid("symbol", "is needed: name what was traded")),
            Some(_) if new.kind.is_transfer() => return Err(no_symbol(new.kind)),
            Some(said) => said.to_owned(),
        };
        let snapshot = Snapshot::read(ctx.as_ref(), None).await?;
        let books = &snapshot.books;
        let symbol = symbol(&said, books)?;
        let currency = currency_of(new.currency.as_deref(), &symbol, books)?;
        let said = Said { note: None, kind: TRADE, symbol: &symbol, currency: Some(&currency) };
        leaves_others(&Books::read_beside(ctx.as_ref(), said).await?, books, None, said.currency)?;
        let kind = new.kind;
        let held_then = || paid_for(&snapshot, &symbol, &currency, day);
        let (event, values) = event(kind, &new.numbers()?, held_then)?;
        let position = books
            .positions
            .iter()
            .find(|position| position.symbol == symbol && position.currency == currency);
        let moves = event.moves();
        let own = new.own;
        let change = Change::new(&snapshot, None, Some(Saved::new(&symbol, &currency, day, event)));
        change.check()?;
        let ledger = change.ledger(&symbol, &currency)?;

        let mut note: Map<String, Value> = values;
        note.extend(own);
        note.insert("symbol".into(), json!(symbol));
        note.insert("date".into(), json!(day.to_string()));
        note.insert("currency".into(), json!(currency));
        let kind = kind.word();
        note.insert("kind".into(), json!(kind));
        let declared = ctx.records().get(TRADE)?;
        let path = ctx.vault().free_path(&declared.folder, &format!("{day} {symbol} {kind}")).await?;
        let text = declared.new_note(&note)?;
        let mut text = declared.on_template(text, path.name(), ctx.as_ref()).await?;
        if let Some(position) = position {
            text.push_str(&format!("\n[[{}]]\n", position.path.name()));
        }
        ctx.vault().create(&path, text).await?;

        // What a position alone says is held, too, as long as no trade moves it.
        let own = position.filter(|_| !books.moves(&symbol) && !moves);
        let (held, cost) = match own {
            Some(position) => (position.quantity.unwrap_or_default(), position.cost),
            None => (ledger.quantity().to_decimal()?, Some(ledger.cost())),
        };
        change.follow(ctx.as_ref()).await?;
        let average = cost.and_then(|cost| cost.checked_div(held));
        let mut value = note;
        value.insert("path".into(), json!(path));
        value.insert("method".into(), json!(method_word(snapshot.method)));
        value.insert("held".into(), shown(Some(held)));
        value.insert("cost".into(), shown(cost.map(|cost| money(cost, &currency))));
        value.insert("average_cost".into(), shown(average.map(price_shown)));
        let mut output = Output::default().from_notes([path.clone()]);
        if let Some(sale) = ledger.sales.iter().find(|sale| sale.origin == change.origin()) {
            let (proceeds, cost) = (money(sale.proceeds, &currency), money(sale.cost, &currency));
            let moving = books.trades_of(&symbol, &currency).filter(|note| note.trade.event.moves());
            let behind = moving.map(|note| note.path.clone()).chain([path.clone()]);
            let gain = minus(proceeds, cost)?;
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

/// A deposit or a withdrawal: a note without a symbol.
async fn transferred(new: NewTrade, day: Date, ctx: &dyn ToolContext) -> Result<ToolOutput, ToolError> {
    let snapshot = Snapshot::read(ctx, None).await?;
    let books = &snapshot.books;
    let numbers = new.numbers()?;
    let mut note = transfer(new.kind, &numbers)?;
    let currency = currency_of_transfer(new.currency.as_deref(), books)?;
    let said = Said { note: None, kind: TRADE, symbol: "", currency: Some(&currency) };
    leaves_others(&Books::read_beside(ctx, said).await?, books, None, said.currency)?;
    let kind = new.kind.word();
    note.extend(new.own);
    note.insert("date".into(), json!(day.to_string()));
    note.insert("currency".into(), json!(currency));
    note.insert("kind".into(), json!(kind));
    let declared = ctx.records().get(TRADE)?;
    let path = ctx.vault().free_path(&declared.folder, &format!("{day} {kind}")).await?;
    let text = declared.new_note(&note)?;
    let text = declared.on_template(text, path.name(), ctx).await?;
    ctx.vault().create(&path, text).await?;

    let (amount, fee) = (numbers.price.unwrap_or_default(), numbers.fee.unwrap_or_default());
    let amount = if new.kind == Kind::Deposit { amount } else { -amount };
    let before = Cash::of(books, &snapshot.holdings()?.held, snapshot.day)?;
    let cash = plus(before.balance(&currency), money(sum(amount, -fee)?, &currency))?;
    note.insert("path".into(), json!(path));
    note.insert("cash".into(), json!(cash.to_string()));
    let behind = before.notes_of(&currency).cloned().chain([path]);
    Ok(Output::new(note.into()).from_notes(behind).into())
}
