use std::sync::Arc;

use nova_market::Age;
use nova_skill::figures::{currency_code, percent};
use nova_skill::{
    Decimal, Description, Effect, JsonSchema, NativeTool, Note, NotePath, Output, Problem, ToolContext,
    ToolError, ToolOutput, Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::amount::{price as price_shown, shown};
use crate::books::{as_symbol, problems_json};
use crate::prices::Price;
use crate::valuation::Snapshot;

pub(crate) const WATCHLIST: &str = "watchlist";

pub(crate) struct Watchlist;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Lists your watchlist."))]
pub(crate) struct Nothing {}

#[async_trait]
impl NativeTool for Watchlist {
    type Args = Nothing;
    const ID: &'static str = "watchlist";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose("Lists the watchlist: the newest price of each symbol, its target and how far away that is in per cent.")
            .use_when("the user asks what is on their watchlist, about targets, or what has come near its target")
            .not_when("it is about what they hold", "portfolio.positions")
            .example("What is on my watchlist?")
    }

    async fn run(&self, _: Nothing, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let mut snapshot = Snapshot::priced(ctx.as_ref(), None, None).await?;
        let watched = Watched::read(ctx.as_ref()).await?;
        let symbols = watched.entries.iter().map(|entry| entry.symbol.clone()).collect();
        snapshot.read_prices(symbols, ctx.as_ref()).await;
        let prices = snapshot.prices();
        let (mut rows, mut problems) = (Vec::new(), watched.problems.clone());
        let mut notes: Vec<NotePath> = watched.entries.iter().map(|entry| entry.path.clone()).collect();
        for entry in &watched.entries {
            let position = snapshot.books.position(&entry.symbol);
            let known = position.map(|position| position.currency.as_str());
            let in_unit = |unit: &str| prices.usable(&entry.symbol, unit, snapshot.day);
            // Prefers a price in the currency of the target; a symbol that is not held is quoted in its own.
            let price = entry.currency.as_deref().and_then(in_unit).or_else(|| known.and_then(in_unit));
            let price = price.or_else(|| prices.newest(&entry.symbol, snapshot.day));
            let unit = price.map(|price| price.currency).or(entry.currency.as_deref()).or(known);
            let unit = unit.or(snapshot.books.currency.as_deref());
            // A target without a currency is in that of the price.
            let target_unit = entry.currency.as_deref().or(unit).filter(|_| entry.target.is_some());
            let age = price.map(|price| price.age(snapshot.day));
            let comparable = price.filter(|price| target_unit == Some(price.currency));
            if let (Some(price), None, Some(target_unit)) = (price, comparable, target_unit) {
                problems.push(differs(entry, target_unit, price.currency));
            }
            let distance = comparable
                .zip(entry.target)
                .and_then(|(price, target)| percent(target.checked_sub(price.amount)?, price.amount, 1));
            let reached = comparable.zip(entry.target).and_then(|(price, target)| {
                let before = prices.week_before(&entry.symbol, price);
                let word = reached(price.amount, target, before.map(|earlier| earlier.amount))?;
                Some(format!("{word} your target of {} {}", price_shown(target), price.currency))
            });
            let price_note = price.and_then(Price::note);
            notes.extend(price_note.cloned());
            let mut row = json!({
                "symbol": entry.symbol,
                "name": position.and_then(|position| position.name.clone()).unwrap_or_else(|| entry.symbol.clone()),
                "price": shown(price.map(|price| price_shown(price.amount))),
                "currency": unit,
                "price_at": price.map(|price| price.when()),
                "price_source": price.map(|price| price.source_name().to_owned()),
                "stale": age.and_then(Age::word),
                "target": shown(entry.target.map(price_shown)),
                "target_currency": target_unit,
                "to_target": shown(distance),
                "reached": reached,
                "line": entry.line,
                "path": entry.path.to_string(),
            });
            if let Some(note) = price_note {
                row["price_note"] = json!(note);
            }
            rows.push(row);
        }
        let value = json!({
            "watched": rows,
            "problems": problems_json(&problems),
            "unreadable": problems_json(&watched.unreadable),
        });
        Ok(Output::new(value).from_notes(notes).into())
    }
}

/// The position of a price that reached or crossed its target within a week. A target has no direction, so
/// one of the prices `before` must be on the other side.
fn reached(price: Decimal, target: Decimal, before: impl Iterator<Item = Decimal>) -> Option<&'static str> {
    if price == target {
        return Some("at");
    }
    let is_above = price > target;
    let crossed = before.into_iter().any(|earlier| earlier == target || (earlier > target) != is_above);
    crossed.then_some(if is_above { "above" } else { "below" })
}

/// The problem if the currencies of target and price differ.
fn differs(entry: &Entry, target: &str, price: &str) -> Problem {
    Problem {
        path: entry.path.to_string(),
        line: entry.line,
        problem: format!("The target of {} is in {target}, its price in {price}", entry.symbol),
        remedy: format!("Write the target in {price}, or add a price note in {target}."),
    }
}

/// The bullets of all watchlists.
#[derive(Default)]
pub(crate) struct Watched {
    pub(crate) entries: Vec<Entry>,
    /// Unreadable bullets.
    pub(crate) problems: Vec<Problem>,
    /// The symbols of unreadable bullets with their problems.
    broken: Vec<(String, Problem)>,
    pub(crate) unreadable: Vec<Problem>,
    pub(crate) notes: Vec<Note>,
}

/// A bullet such as `- [[SLVN]] target 46 EUR`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) symbol: String,
    pub(crate) target: Option<Decimal>,
    pub(crate) currency: Option<String>,
    pub(crate) path: NotePath,
    /// 1-based.
    pub(crate) line: u32,
    /// Without the line ending.
    pub(crate) text: String,
}

impl Watched {
    pub(crate) async fn read(ctx: &dyn ToolContext) -> Result<Self, ToolError> {
        let mut all = Self {
            notes: ctx.vault().records(WATCHLIST).await?,
            unreadable: ctx.vault().unreadable(WATCHLIST).await?,
            ..Self::default()
        };
        // The list shares its folder with all notes of the portfolio; unreadable notes of other types are
        // reported elsewhere.
        let other = |problem: &Problem| {
            ["Trades/", "Positions/", "Prices/"].iter().any(|folder| problem.path.contains(folder))
        };
        all.unreadable.retain(|problem| !other(problem));
        for note in all.notes.clone() {
            all.add(&note);
        }
        Ok(all)
    }

    fn add(&mut self, note: &Note) {
        let body = note.document.body_start();
        let before = note.text[..body].matches('\n').count();
        let mut fenced = false;
        for (place, text) in note.text[body..].lines().enumerate() {
            fenced ^= text.trim_start().starts_with("```");
            let line = u32::try_from(before + place + 1).unwrap_or(u32::MAX);
            let Some(bullet) = bullet(text).filter(|_| !fenced) else { continue };
            let Some((symbol, rest)) = named(bullet) else {
                self.problems.push(Problem {
                    path: note.path.to_string(),
                    line,
                    problem: format!("`{bullet}` names no symbol"),
                    remedy: REMEDY.into(),
                });
                continue;
            };
            match target(rest).map(|(target, currency)| (symbol.clone(), target, currency)) {
                Ok((symbol, target, currency)) => {
                    let twice = self.entries.iter().find(|other| other.symbol == symbol);
                    if let Some(first) = twice {
                        self.problems.push(Problem {
                            path: note.path.to_string(),
                            line,
                            problem: format!(
                                "{symbol} is already watched in line {} of {}",
                                first.line, first.path
                            ),
                            remedy: "Remove one of the two lines.".into(),
                        });
                        continue;
                    }
                    let (path, text) = (note.path.clone(), text.to_owned());
                    self.entries.push(Entry { symbol, target, currency, path, line, text });
                }
                Err(problem) => {
                    let path = note.path.to_string();
                    let problem = Problem { path, line, problem, remedy: REMEDY.into() };
                    self.broken.push((symbol, problem.clone()));
                    self.problems.push(problem);
                }
            }
        }
    }

    /// The problem of the symbol's unreadable bullet.
    pub(crate) fn broken(&self, symbol: &str) -> Option<&Problem> {
        self.broken.iter().find(|(broken, _)| broken == symbol).map(|(_, problem)| problem)
    }

    pub(crate) fn get(&self, symbol: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.symbol == symbol)
    }
}

const REMEDY: &str = "Write it as \"- [[SYM]] target 120 USD\".";

/// The text of a bullet, without a checkbox.
fn bullet(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let text = ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark)).map(str::trim)?;
    let task = ["[ ] ", "[x] ", "[X] "].iter().find_map(|mark| text.strip_prefix(mark));
    Some(task.unwrap_or(text).trim()).filter(|text| !text.is_empty())
}

/// The symbol of a bullet and the text after it.
fn named(bullet: &str) -> Option<(String, &str)> {
    let (name, rest) = match bullet.strip_prefix("[[").and_then(|rest| rest.split_once("]]")) {
        Some((name, rest)) => (name, rest),
        None => bullet.split_once(char::is_whitespace).unwrap_or((bullet, "")),
    };
    // A link may include the folder.
    let name = name.split(['|', '#']).next().unwrap_or(name).rsplit('/').next().unwrap_or(name);
    let symbol = as_symbol(name);
    (!symbol.is_empty()).then_some((symbol, rest))
}

/// Matches "target" and "target:".
pub(crate) fn is_target(word: &str) -> bool {
    word.strip_suffix(':').unwrap_or(word).eq_ignore_ascii_case("target")
}

/// Parses the target and its currency; text after a comma or in brackets is the user's remark.
fn target(rest: &str) -> Result<(Option<Decimal>, Option<String>), String> {
    let mut words = rest.split_whitespace().skip_while(|word| !is_target(word));
    if words.next().is_none() {
        return Ok((None, None));
    }
    let word = words.next().unwrap_or_default();
    let number = word.trim_end_matches([',', ';']);
    let plain = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let target = Decimal::from_str_exact(number).ok().filter(|number| plain && !number.is_zero());
    let target =
        target.ok_or_else(|| format!("`{number}` is not a target: write a plain decimal above zero"))?;
    let code = words.next().filter(|code| number == word && !code.starts_with(['(', '[', '-', '–', '—']));
    let Some(code) = code.map(|code| code.trim_end_matches([',', ';', '.'])) else {
        return Ok((Some(target), None));
    };
    let known = currency_code(code).ok_or_else(|| format!("`{code}` is not a currency"))?;
    Ok((Some(target), Some(known.to_owned())))
}

/// Formats a bullet.
pub(crate) fn written(symbol: &str, target: Option<(Decimal, &str)>) -> String {
    match target {
        Some((target, unit)) => format!("- [[{symbol}]] {}", target_text(target, unit)),
        None => format!("- [[{symbol}]]"),
    }
}

pub(crate) fn target_text(target: Decimal, unit: &str) -> String {
    format!("target {target} {unit}")
}

/// An entry in the answers of `watch` and `unwatch`.
pub(crate) fn entry_json(symbol: &str, target: Option<(Decimal, &str)>, path: &NotePath) -> Value {
    json!({
        "symbol": symbol,
        "target": shown(target.map(|(target, _)| target)),
        "currency": target.map(|(_, unit)| unit.to_owned()),
        "path": path.to_string(),
    })
}
