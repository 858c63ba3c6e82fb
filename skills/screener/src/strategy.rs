//! Strategies in the vault, and their overrides for one run.

use nova_market::backtest::{Fill, Rebalance, Rules, Weight};
use nova_market::expression::Expression;
use nova_market::screen::Screen;
use nova_skill::figures::{folded, plain_decimal};
use nova_skill::{Decimal, GivenDecimal, JsonSchema, NotePath, Record, ToolContext, ToolError, schemars};
use serde::Deserialize;

use crate::notes::{STRATEGY, ScreenText, conditions, link_name, named, screens, text};

/// What to trade, when, and at which cost.
#[derive(Debug, Clone)]
pub(crate) struct Strategy {
    pub(crate) name: Option<String>,
    pub(crate) notes: Vec<NotePath>,
    /// Shares to buy; the score sets their order.
    pub(crate) buy: Screen,
    /// Any one of these triggers a sale.
    pub(crate) sell: Vec<Expression>,
    pub(crate) rules: Rules,
    pub(crate) universe: Option<String>,
}

/// A strategy by its name, with changes.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub(crate) struct AskedStrategy {
    /// The name of a strategy, or of a screen whose hits are held.
    #[schemars(extend("x-help" = "A strategy, or a screen whose hits are held"))]
    pub(crate) strategy: Option<String>,
    /// Conditions of a buy, in place of those of the strategy.
    #[schemars(extend("x-help" = "Such as price_to_earnings < 18"))]
    pub(crate) conditions: Option<Vec<String>>,
    /// What is bought first, such as "low price_to_earnings 50 %".
    #[schemars(extend("x-help" = "Such as low price_to_earnings 50 %"))]
    pub(crate) score: Option<Vec<String>>,
    /// The list of symbols: its name, or watchlist, positions.
    #[schemars(extend("x-help" = "A list, watchlist or positions"))]
    pub(crate) universe: Option<String>,
    /// Cash at the start; default: 10000.
    #[schemars(extend("x-help" = "10,000 if left empty"))]
    pub(crate) cash: Option<GivenDecimal>,
    /// How many shares are held at most; default: 10.
    #[schemars(range(min = 1, max = 1000))]
    #[schemars(extend("x-help" = "10 if left empty"))]
    pub(crate) positions: Option<usize>,
    /// How often holdings are rebalanced; default: monthly. "never" trades on signals alone.
    #[schemars(extend("x-help" = "Monthly if left empty"))]
    pub(crate) rebalance: Option<RebalanceWord>,
    /// When orders are filled; default: next_open.
    #[schemars(extend("x-help" = "At the next open if left empty"))]
    pub(crate) fill: Option<FillWord>,
    /// Costs of a trade as a part of its value; default: "0.1 %".
    #[schemars(extend("x-help" = "0.1 % if left empty"))]
    pub(crate) cost: Option<String>,
    /// A flat fee of a trade, such as 5; default: 0.
    #[schemars(extend("x-help" = "For each trade; none if left empty"))]
    pub(crate) fee: Option<GivenDecimal>,
    /// Whether all money is divided among what is chosen, or each position takes an equal slot; default: equal.
    #[schemars(extend("x-help" = "Equal if left empty"))]
    pub(crate) weight: Option<WeightWord>,
    /// Whether parts of a share are traded; default: false.
    #[schemars(extend("x-help" = "Trade parts of a share"))]
    pub(crate) fractional: Option<bool>,
    /// Slippage as a part of the price; default: "0.05 %".
    #[schemars(extend("x-help" = "0.05 % if left empty"))]
    pub(crate) slippage: Option<String>,
    /// How far below its buy price a share is sold, such as "15 %".
    #[schemars(extend("x-help" = "Such as 15 %"))]
    pub(crate) stop: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RebalanceWord {
    Never,
    Daily,
    Weekly,
    Monthly,
    Quarterly,
    Yearly,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FillWord {
    NextOpen,
    Close,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WeightWord {
    Equal,
    Slots,
}

/// A strategy's fields, unparsed and without overrides.
#[derive(Default)]
struct Said {
    name: Option<String>,
    notes: Vec<NotePath>,
    buy: ScreenText,
    sell: Vec<String>,
    universe: Option<String>,
    cash: Option<Decimal>,
    positions: Option<i64>,
    rebalance: Option<Rebalance>,
    fill: Option<Fill>,
    cost: Option<String>,
    fee: Option<Decimal>,
    weight: Option<Weight>,
    fractional: Option<bool>,
    slippage: Option<String>,
    stop: Option<String>,
}

impl Strategy {
    pub(crate) fn needs_reports(&self) -> bool {
        self.buy.needs_reports() || self.sell.iter().any(Expression::needs_reports)
    }
}

impl AskedStrategy {
    /// # Errors
    /// If nothing has that name, no buy conditions exist, or a line cannot be parsed.
    pub(crate) async fn read(&self, ctx: &dyn ToolContext) -> Result<Strategy, ToolError> {
        let said = match &self.strategy {
            Some(name) => saved(name, ctx).await?,
            None => Said::default(),
        };
        let mut buy = said.buy;
        buy.conditions = self.conditions.clone().unwrap_or(buy.conditions);
        buy.score = self.score.clone().unwrap_or(buy.score);
        if buy.conditions.is_empty() {
            return Err(ToolError::failed(
                "Nothing says what is bought.",
                "Name a strategy or a screen, or conditions such as: close > sma(close, 200)",
            ));
        }
        let cash = amount("cash", self.cash.as_ref())?.or(said.cash).unwrap_or(Decimal::from(10_000));
        let fee = amount("fee", self.fee.as_ref())?.or(said.fee).unwrap_or_default();
        let positions =
            self.positions.or(said.positions.and_then(|positions| usize::try_from(positions).ok()));
        let part = |name: &str, given: &Option<String>, note: Option<String>, default: &str| {
            part(name, given.as_deref().or(note.as_deref()).unwrap_or(default))
        };
        let stop = self.stop.clone().or(said.stop).map(|stop| self::part("stop", &stop)).transpose()?;
        let rules = Rules {
            cash: f64::try_from(cash).unwrap_or_default(),
            positions: positions.unwrap_or(10),
            weight: self.weight.map(Weight::from).or(said.weight).unwrap_or(Weight::Equal),
            fill: self.fill.map(Fill::from).or(said.fill).unwrap_or(Fill::NextOpen),
            rebalance: self.rebalance.map(Rebalance::from).or(said.rebalance).unwrap_or(Rebalance::Monthly),
            cost: part("cost", &self.cost, said.cost, "0.1 %")?,
            fee: f64::try_from(fee).unwrap_or_default(),
            slippage: part("slippage", &self.slippage, said.slippage, "0.05 %")?,
            whole: !self.fractional.or(said.fractional).unwrap_or_default(),
            stop,
        };
        Ok(Strategy {
            name: said.name,
            notes: said.notes,
            sell: conditions("sell", &said.sell)?,
            buy: buy.parse()?,
            rules,
            universe: self.universe.clone().or(said.universe),
        })
    }
}

/// The strategy of that name, else the screen.
async fn saved(name: &str, ctx: &dyn ToolContext) -> Result<Said, ToolError> {
    let notes = ctx.vault().records(STRATEGY).await?;
    let declared = ctx.records().get(STRATEGY)?;
    let (screens, _) = screens(ctx).await?;
    let wanted = folded(&link_name(name));
    let is_screen = screens.iter().any(|screen| folded(&screen.name) == wanted);
    if is_screen && !notes.iter().any(|note| folded(note.path.name()) == wanted) {
        let screen = named("screen", name, &screens, |screen| &screen.name)?.usable()?;
        return Ok(Said {
            name: Some(screen.name.clone()),
            notes: vec![screen.path.clone()],
            buy: screen.text.clone(),
            universe: screen.universe.clone(),
            ..Said::default()
        });
    }
    let note = named("strategy", name, &notes, |note| note.path.name())?;
    let record = declared.read(note);
    let mut said = of_record(&record)?;
    said.name = Some(note.path.name().to_owned());
    said.notes.push(note.path.clone());
    if let Some(screen) = text(&record, "screen") {
        let screen = named("screen", &screen, &screens, |screen| &screen.name)?.usable()?;
        said.notes.push(screen.path.clone());
        let score = if said.buy.score.is_empty() { screen.text.score.clone() } else { said.buy.score };
        let conditions = [screen.text.conditions.clone(), said.buy.conditions].concat();
        said.buy = ScreenText { conditions, score, missing: screen.text.missing };
        said.universe = said.universe.or_else(|| screen.universe.clone());
    }
    Ok(said)
}

fn of_record(record: &Record<'_>) -> Result<Said, ToolError> {
    let word = |field: &str| record.choice(field);
    Ok(Said {
        buy: ScreenText {
            conditions: record.list("buy")?,
            score: record.list("score")?,
            ..ScreenText::default()
        },
        sell: record.list("sell")?,
        universe: text(record, "universe"),
        cash: record.decimal("cash")?,
        positions: record.integer("positions")?,
        rebalance: word("rebalance")?.map(rebalance),
        fill: word("fill")?.map(|word| if word == "close" { Fill::Close } else { Fill::NextOpen }),
        cost: record.text("cost")?,
        fee: record.decimal("fee")?,
        weight: word("weight")?.map(|word| if word == "slots" { Weight::Slots } else { Weight::Equal }),
        fractional: record.bool("fractional")?,
        slippage: record.text("slippage")?,
        stop: record.text("stop")?,
        ..Said::default()
    })
}

fn rebalance(word: &str) -> Rebalance {
    match word {
        "never" => Rebalance::Never,
        "daily" => Rebalance::Daily,
        "weekly" => Rebalance::Weekly,
        "quarterly" => Rebalance::Quarterly,
        "yearly" => Rebalance::Yearly,
        _ => Rebalance::Monthly,
    }
}

impl From<RebalanceWord> for Rebalance {
    fn from(word: RebalanceWord) -> Self {
        match word {
            RebalanceWord::Never => Self::Never,
            RebalanceWord::Daily => Self::Daily,
            RebalanceWord::Weekly => Self::Weekly,
            RebalanceWord::Monthly => Self::Monthly,
            RebalanceWord::Quarterly => Self::Quarterly,
            RebalanceWord::Yearly => Self::Yearly,
        }
    }
}

impl From<FillWord> for Fill {
    fn from(word: FillWord) -> Self {
        match word {
            FillWord::NextOpen => Self::NextOpen,
            FillWord::Close => Self::Close,
        }
    }
}

impl From<WeightWord> for Weight {
    fn from(word: WeightWord) -> Self {
        match word {
            WeightWord::Equal => Self::Equal,
            WeightWord::Slots => Self::Slots,
        }
    }
}

fn amount(name: &str, given: Option<&GivenDecimal>) -> Result<Option<Decimal>, ToolError> {
    let plain = |given: &GivenDecimal| {
        plain_decimal(&given.text()).ok_or_else(|| ToolError::InvalidArguments {
            path: format!("/{name}"),
            rule: "must be a plain decimal such as 10000".into(),
            allowed: Vec::new(),
        })
    };
    given.map(plain).transpose()
}

/// "0.1 %" as 0.001.
fn part(name: &str, said: &str) -> Result<f64, ToolError> {
    let number = said.trim().trim_end_matches('%').trim();
    let percent = number.parse::<f64>().ok().filter(|percent| (0.0..100.0).contains(percent));
    percent.map(|percent| percent / 100.0).ok_or_else(|| ToolError::InvalidArguments {
        path: format!("/{name}"),
        rule: format!("must be a percentage from 0 to below 100 such as \"0.1 %\", and is \"{said}\""),
        allowed: Vec::new(),
    })
}
