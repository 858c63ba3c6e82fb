use std::sync::Arc;

use nova_skill::figures::currency_code;
use nova_skill::serde_json::Map;
use nova_skill::{
    Decimal, Description, Effect, GivenDecimal, JsonSchema, NativeTool, Note, NotePath, Output, RecordType,
    RecordUse, ToolContext, ToolError, ToolOutput, Value, async_trait, schemars,
};
use serde::Deserialize;

use crate::amount::{CURRENCY_REMEDY, above_zero, invalid};
use crate::books::{Books, as_symbol};
use crate::valuation::Snapshot;
use crate::watchlist::{Entry, WATCHLIST, Watched, entry_json, is_target, target_text, written};

pub(crate) struct Watch;

// Explicit parameters: an entry is a line of the list, not a field of its note.
#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Adds a symbol to the watchlist."))]
pub(crate) struct NewEntry {
    /// The symbol to watch, such as SLVN, or the name of a position.
    #[schemars(extend("x-help" = "Such as NGTL", "x-values-from" = ["position.symbol", "trade.symbol"]))]
    symbol: String,
    /// The price to wait for, such as 120 or "120 USD".
    #[schemars(extend("format" = "amount"))]
    #[schemars(extend("x-label" = "Target price"))]
    target: Option<GivenDecimal>,
    /// The target's currency, such as EUR; default: that of the current target, else of the position, else of the
    /// last price, else the usual one.
    #[schemars(extend("x-values-from" = ["position.currency", "trade.currency"]))]
    currency: Option<String>,
    /// Fields that the user added to the list.
    #[serde(flatten)]
    #[schemars(skip)]
    own: Map<String, Value>,
}

#[async_trait]
impl NativeTool for Watch {
    type Args = NewEntry;
    const ID: &'static str = "watch";
    const EFFECT: Effect = Effect::Write;
    const RECORD: Option<RecordUse<'static>> = Some(RecordUse::Changes(WATCHLIST));

    fn description(&self) -> Description {
        Description::purpose("Puts a symbol on the watchlist, or changes its target there.")
            .use_when("the user wants to watch a share or keep an eye on it, or names a price below or above which they would buy or sell")
            .example("Watch SLVN, I would buy below 46")
    }

    async fn run(&self, new: NewEntry, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let mut snapshot = Snapshot::priced(ctx.as_ref(), None, None).await?;
        let watched = Watched::read(ctx.as_ref()).await?;
        let symbol = watched_symbol(&new.symbol, &snapshot.books, &watched)?;
        snapshot.read_prices(vec![symbol.clone()], ctx.as_ref()).await;
        let books = &snapshot.books;
        // An unreadable line cannot be changed.
        if watched.get(&symbol).is_none()
            && let Some(problem) = watched.broken(&symbol)
        {
            return Err(ToolError::BrokenRecord(problem.clone()));
        }
        let (target, beside) = target(new.target.as_ref())?;
        let unit = match (&target, one_currency(beside, code("currency", new.currency.as_deref())?)?) {
            (None, None) => None,
            (None, Some(said)) => {
                let has = watched.get(&symbol).and_then(|entry| entry.currency.as_ref());
                has.filter(|has| **has == said).ok_or_else(|| target_is_needed(&said))?;
                None
            }
            (Some(_), Some(said)) => Some(said),
            (Some(_), None) => {
                let known = watched.get(&symbol).and_then(|entry| entry.currency.clone());
                let of_position = books.position(&symbol).map(|position| position.currency.clone());
                let prices = snapshot.prices_of(&symbol);
                let of_price = prices.newest(&symbol, snapshot.day).map(|price| price.currency.to_owned());
                let own = known.or(of_position).or(of_price);
                Some(
                    own.or(books.currency.clone())
                        .ok_or_else(|| invalid("currency", "is needed: the vault names no usual currency"))?,
                )
            }
        };
        let target = target.zip(unit.as_deref());
        let line = written(&symbol, target);
        let declared = ctx.records().get(WATCHLIST)?;
        let own = declared.with_links(&new.own, ctx.vault()).await?;
        let path = match (watched.get(&symbol), watched.notes.first()) {
            // Without a new target the line stays as it is.
            (Some(entry), _) if target.is_none() => {
                set_own(ctx.as_ref(), declared, &entry.path, &own).await?;
                let old = entry.target.zip(entry.currency.as_deref());
                return Ok(Output::new(entry_json(&symbol, old, &entry.path))
                    .from_notes([entry.path.clone()])
                    .into());
            }
            (Some(entry), _) => {
                let note = ctx.vault().read(&entry.path).await?;
                let text = target.map(|(target, unit)| target_text(target, unit));
                let (old, new) = whole_line(&note, entry, text.as_deref());
                ctx.vault().replace(&entry.path, &old, &new, None).await?;
                set_own(ctx.as_ref(), declared, &entry.path, &own).await?;
                entry.path.clone()
            }
            (None, Some(note)) => {
                ctx.vault().append(&note.path, &line, None).await?;
                set_own(ctx.as_ref(), declared, &note.path, &own).await?;
                note.path.clone()
            }
            (None, None) => {
                let path = ctx.vault().free_path(&declared.folder, "Watchlist").await?;
                let own: Map<String, Value> = own.into_iter().filter(|(_, value)| !value.is_null()).collect();
                let text = declared.new_note(&own)?;
                ctx.vault().create(&path, format!("{text}{line}\n")).await?;
                path
            }
        };
        Ok(Output::new(entry_json(&symbol, target, &path)).from_notes([path]).into())
    }
}

/// Sets fields of the list's note.
async fn set_own(
    ctx: &dyn ToolContext,
    declared: &RecordType,
    list: &NotePath,
    own: &Map<String, Value>,
) -> Result<(), ToolError> {
    if own.is_empty() {
        return Ok(());
    }
    let note = ctx.vault().read(list).await?;
    ctx.vault().set_properties(list, &declared.edits(&note, own)?).await
}

pub(crate) struct Unwatch;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Removes a symbol from the watchlist."))]
pub(crate) struct OldEntry {
    /// The symbol to take off the list, or the name of its position.
    symbol: String,
}

#[async_trait]
impl NativeTool for Unwatch {
    type Args = OldEntry;
    const ID: &'static str = "unwatch";
    const EFFECT: Effect = Effect::Write;

    fn description(&self) -> Description {
        Description::purpose("Takes a symbol off the watchlist; nothing else in the note changes.")
            .use_when("the user no longer wants to watch a share")
            .example("Take NGTL off my watchlist")
    }

    async fn run(&self, old: OldEntry, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let books = Books::read(ctx.as_ref()).await?;
        let watched = Watched::read(ctx.as_ref()).await?;
        let symbol = watched_symbol(&old.symbol, &books, &watched)?;
        let entry = watched.get(&symbol).ok_or_else(|| ToolError::NotFound {
            kind: "watched symbol".into(),
            name: old.symbol.clone(),
            nearest: watched.entries.iter().take(5).map(|entry| entry.symbol.clone()).collect(),
        })?;
        let note = ctx.vault().read(&entry.path).await?;
        let (text, nothing) = whole_line(&note, entry, None);
        ctx.vault().replace(&entry.path, &text, &nothing, None).await?;
        let was = entry.target.zip(entry.currency.as_deref());
        Ok(Output::new(entry_json(&symbol, was, &entry.path)).from_notes([entry.path.clone()]).into())
    }
}

/// Resolves a watched symbol, one in the records, or a new one.
fn watched_symbol(said: &str, books: &Books, watched: &Watched) -> Result<String, ToolError> {
    let symbol = as_symbol(said);
    if symbol.is_empty() {
        return Err(invalid("symbol", "must not be empty"));
    }
    if symbol.contains(['[', ']', '|', '#']) {
        return Err(invalid(
            "symbol",
            &format!("\"{said}\" is not a symbol; a symbol is one word such as SLVN"),
        ));
    }
    if watched.get(&symbol).is_some() || watched.broken(&symbol).is_some() {
        return Ok(symbol);
    }
    match books.find(said) {
        Err(ToolError::NotFound { .. }) if !symbol.contains(char::is_whitespace) => Ok(symbol),
        Err(ToolError::NotFound { .. }) => Err(invalid(
            "symbol",
            &format!(
                "\"{said}\" is neither a symbol nor a position's name; a symbol is one word such as SLVN"
            ),
        )),
        found => found,
    }
}

/// Parses `120`, `"120"` or `"120 USD"` into the number and the currency.
fn target(given: Option<&GivenDecimal>) -> Result<(Option<Decimal>, Option<String>), ToolError> {
    let Some(given) = given else { return Ok((None, None)) };
    let text = given.text();
    let (number, beside) = text.split_once(char::is_whitespace).unwrap_or((&text, ""));
    let number = above_zero(&GivenDecimal::Text(number.to_owned()), "target")?;
    Ok((Some(number), code("target", Some(beside))?))
}

/// Parses an optional currency argument.
fn code(argument: &str, said: Option<&str>) -> Result<Option<String>, ToolError> {
    let Some(said) = said.map(str::trim).filter(|said| !said.is_empty()) else { return Ok(None) };
    let remedy = CURRENCY_REMEDY.trim_end_matches('.');
    let code = currency_code(said);
    let code = code
        .map(str::to_owned)
        .ok_or_else(|| invalid(argument, &format!("\"{said}\" is not a currency. {remedy}")));
    code.map(Some)
}

/// The currency next to the number or that of the argument; an error if they differ.
fn one_currency(beside: Option<String>, argument: Option<String>) -> Result<Option<String>, ToolError> {
    match (&beside, &argument) {
        (Some(beside), Some(argument)) if beside != argument => Err(invalid(
            "currency",
            &format!("is {argument}, but the target says {beside}; remove one of the two"),
        )),
        _ => Ok(beside.or(argument)),
    }
}

/// The error for a currency without a target: a line has a currency only with its target.
fn target_is_needed(currency: &str) -> ToolError {
    let why =
        format!("is that of a target; give the target too, such as \"120 {currency}\", or leave it out");
    invalid("currency", &why)
}

/// The text to replace and its replacement: only the line if it is unique, or else everything from the start
/// of the note, so that the match is unambiguous. Only the target changes.
fn whole_line(note: &Note, entry: &Entry, target: Option<&str>) -> (String, String) {
    let place = usize::try_from(entry.line).unwrap_or(1).saturating_sub(1);
    let start: usize = note.text.split_inclusive('\n').take(place).map(str::len).sum();
    let line = note.text[start..].split_inclusive('\n').next().unwrap_or_default();
    let replaced = target.map_or_else(String::new, |target| with_target(line, target));
    if note.text.matches(line).count() == 1 {
        return (line.to_owned(), replaced);
    }
    let before = &note.text[..start + line.len()];
    (before.to_owned(), format!("{}{replaced}", &note.text[..start]))
}

/// Replaces the target in `- [[SLVN]] target 46 EUR, decided in May` and keeps the remark.
fn with_target(line: &str, target: &str) -> String {
    let text = line.trim_end();
    let words: Vec<(usize, &str)> = text.split_whitespace().map(|word| (offset(text, word), word)).collect();
    let Some(at) = words.iter().position(|(_, word)| is_target(word)) else {
        // Without a target, inserts it after the symbol.
        let end = text.find("]]").map_or_else(
            || words.get(symbol_at(&words)).map_or(text.len(), |(at, word)| at + word.len()),
            |at| at + 2,
        );
        return format!("{} {target}{}", &line[..end], &line[end..]);
    };
    let bare = |word: &str| word.trim_end_matches([',', ';', '.']).len();
    let number = words.get(at + 1).map_or(text.len(), |(at, word)| at + bare(word));
    let has_currency = |word: &str| currency_code(&word[..bare(word)]).is_some();
    let ends_with_number = words.get(at + 1).is_some_and(|(_, word)| bare(word) == word.len());
    let end = match words.get(at + 2) {
        Some((at, word)) if ends_with_number && has_currency(word) => at + bare(word),
        _ => number,
    };
    format!("{}{target}{}", &line[..words[at].0], &line[end..])
}

/// The index of the first word after the bullet and an optional checkbox.
fn symbol_at(words: &[(usize, &str)]) -> usize {
    let said: Vec<&str> = words.iter().skip(1).take(2).map(|(_, word)| *word).collect();
    match said.as_slice() {
        ["[", "]"] => 3,
        ["[x]" | "[X]", _] => 2,
        _ => 1,
    }
}

/// The byte offset of a word in its text.
fn offset(text: &str, word: &str) -> usize {
    word.as_ptr() as usize - text.as_ptr() as usize
}
