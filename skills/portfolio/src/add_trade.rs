use std::sync::Arc;

use nova_skill::figures::{minus, money, plus};
use nova_skill::serde_json::Map;
use nova_skill::{
    Date, Description, Effect, Figure, JsonSchema, NativeTool, Output, RecordUse, ToolContext, ToolError,
    ToolFields, ToolOutput, Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::amount::{invalid, not_below_zero, price as price_shown, shown};
use crate::books::{Books, PlannedRecord, TRADE};
use crate::cash::Cash;
use crate::ledger::sum;
use crate::saving::{NUMBERS, check_other_currencies};
use crate::trade_rules::{
    Change, Kind, Numbers, Saved, currency_of, currency_of_transfer, event, no_symbol, not_in_future,
    quantity_held_for_payment, symbol, transfer,
};
use crate::valuation::{Snapshot, method_word};

pub(crate) struct AddTrade;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Adds a trade."))]
pub(crate) struct NewTrade {
    #[serde(flatten)]
    #[schemars(skip)]
    fields: Map<String, Value>,
}

/// The arguments that trades of every kind share.
struct CommonArgs<'a> {
    kind: Kind,
    day: Date,
    symbol: Option<&'a str>,
    currency: Option<&'a str>,
    numbers: Numbers,
    /// All given values.
    values: Map<String, Value>,
}

impl<'a> CommonArgs<'a> {
    async fn of(new: &'a NewTrade, ctx: &'a dyn ToolContext) -> Result<Self, ToolError> {
        let declared = ctx.records().get(TRADE)?;
        let given = declared.given(&new.fields);
        let kind = given.choice("kind")?.and_then(Kind::parse);
        let day = given.date("date")?.ok_or_else(|| invalid("date", "is needed"))?;
        not_in_future(day, ctx.clock().today())?;
        let number =
            |field: &str| given.decimal(field)?.map(|number| not_below_zero(&number, field)).transpose();
        let mut values = declared.with_links(&new.fields, ctx.vault()).await?;
        values.retain(|_, value| !value.is_null());
        Ok(Self {
            kind: kind.ok_or_else(|| invalid("kind", "is needed"))?,
            day,
            symbol: given.text("symbol")?.filter(|text| !text.trim().is_empty()),
            currency: given.text("currency")?,
            numbers: Numbers {
                quantity: number("quantity")?,
                per: number("per")?,
                price: number("price")?,
                fee: number("fee")?,
            },
            values,
        })
    }

    /// The values of the note: the given ones without the numbers, overwritten by `read`.
    fn values(self, read: Map<String, Value>) -> Map<String, Value> {
        let mut values = self.values;
        for number in NUMBERS {
            values.shift_remove(number);
        }
        values.extend(read);
        values
    }
}

#[async_trait]
impl NativeTool for AddTrade {
    type Args = NewTrade;
    const ID: &'static str = "add_trade";
    const EFFECT: Effect = Effect::Write;
    const RECORD: Option<RecordUse<'static>> = Some(RecordUse::Adds(TRADE));
    // `per`, which only a split has, comes last in the form.
    const FIELDS: ToolFields<'static> =
        ToolFields::Only(&["symbol", "kind", "date", "quantity", "price", "fee", "currency", "per"]);

    fn description(&self) -> Description {
        Description::purpose(
            "Records a trade as a new note: a buy, sell, dividend, split or fee, or cash: a deposit or withdrawal. A sale of more than is held is refused. \
             Answers with what is held afterwards and, for a sale, the realised gain.",
        )
        .use_when("the user bought or sold something, got a dividend, a share was split, or money was deposited into or withdrawn from their brokerage account")
        .not_when("the user would buy or sell at a price", "portfolio.watch")
        .example("I bought 100 NGTL at 34.40 yesterday, fee 5 euros")
    }

    fn refine_parameters(&self, parameters: &mut Value) {
        // The form presets a buy and the default currency; a call must name the kind, and takes the currency
        // from the position.
        if let Some(required) = parameters["required"].as_array_mut() {
            required.push(json!("kind"));
        }
        for (field, preset) in [("kind", "default"), ("currency", "x-starts")] {
            parameters["properties"][field].as_object_mut().map(|field| field.shift_remove(preset));
        }
    }

    async fn run(&self, new: NewTrade, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let read = CommonArgs::of(&new, ctx.as_ref()).await?;
        let said = match read.symbol {
            None if read.kind.is_of_account(None) => return transferred(read, ctx.as_ref()).await,
            None => return Err(invalid("symbol", "is needed: name what was traded")),
            Some(_) if read.kind.is_transfer() => return Err(no_symbol(read.kind)),
            Some(said) => said,
        };
        let (kind, day) = (read.kind, read.day);
        let snapshot = Snapshot::read(ctx.as_ref(), None).await?;
        let books = &snapshot.books;
        let symbol = symbol(said, books)?;
        let currency = currency_of(read.currency, &symbol, books)?;
        let said = PlannedRecord { note: None, kind: TRADE, symbol: &symbol, currency: Some(&currency) };
        check_other_currencies(
            &Books::read_with_record(ctx.as_ref(), said).await?,
            books,
            None,
            said.currency,
        )?;
        let held_then = || quantity_held_for_payment(&snapshot, &symbol, &currency, day);
        let (event, numbers) = event(kind, &read.numbers, held_then)?;
        let position = books
            .positions
            .iter()
            .find(|position| position.symbol == symbol && position.currency == currency);
        let moves = event.moves();
        let change = Change::new(&snapshot, None, Some(Saved::new(&symbol, &currency, day, event)));
        change.check()?;
        let ledger = change.ledger(&symbol, &currency)?;

        let mut note = read.values(numbers);
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

        // A position's own quantity counts as long as no trade moves shares.
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

/// Adds a transaction of the account: a trade without a symbol.
async fn transferred(read: CommonArgs<'_>, ctx: &dyn ToolContext) -> Result<ToolOutput, ToolError> {
    let snapshot = Snapshot::read(ctx, None).await?;
    let books = &snapshot.books;
    let (kind, day, numbers) = (read.kind, read.day, read.numbers);
    let amounts = transfer(kind, &numbers)?;
    let currency = currency_of_transfer(read.currency, books)?;
    let said = PlannedRecord { note: None, kind: TRADE, symbol: "", currency: Some(&currency) };
    check_other_currencies(&Books::read_with_record(ctx, said).await?, books, None, said.currency)?;
    let comes_in = kind.comes_in();
    let kind = kind.word();
    let mut note = read.values(amounts);
    note.shift_remove("symbol");
    note.insert("date".into(), json!(day.to_string()));
    note.insert("currency".into(), json!(currency));
    note.insert("kind".into(), json!(kind));
    let declared = ctx.records().get(TRADE)?;
    let path = ctx.vault().free_path(&declared.folder, &format!("{day} {kind}")).await?;
    let text = declared.new_note(&note)?;
    let text = declared.on_template(text, path.name(), ctx).await?;
    ctx.vault().create(&path, text).await?;

    let (amount, fee) = (numbers.price.unwrap_or_default(), numbers.fee.unwrap_or_default());
    let amount = if comes_in { amount } else { -amount };
    let before = Cash::of(books, &snapshot.holdings()?.held, snapshot.day)?;
    let cash = plus(before.balance(&currency), money(sum(amount, -fee)?, &currency))?;
    note.insert("path".into(), json!(path));
    note.insert("cash".into(), json!(cash.to_string()));
    let behind = before.notes_of(&currency).cloned().chain([path]);
    Ok(Output::new(note.into()).from_notes(behind).into())
}
