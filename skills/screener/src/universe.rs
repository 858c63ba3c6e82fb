//! Symbol lists: the user's notes, holdings or watchlist, and all SEC filers.

use std::collections::BTreeSet;

use nova_market::Listing;
use nova_market::tools::filers::{filers, sec};
use nova_market::tools::own_names;
use nova_skill::{Date, Note, NotePath, Record, ToolContext, ToolError, Value, json};

use crate::notes::{UNIVERSE, link_name, named};

/// Maximum number of symbols in a list.
pub(crate) const MOST: usize = 20_000;

#[derive(Debug, Clone)]
pub(crate) struct Universe {
    pub(crate) name: String,
    pub(crate) path: Option<NotePath>,
    /// The date of the list.
    pub(crate) day: Option<Date>,
    pub(crate) kind: Kind,
    pub(crate) members: Vec<Member>,
    /// Number of bullets without a symbol.
    pub(crate) unread: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Note,
    Positions,
    Watchlist,
    /// All SEC filers with a symbol.
    Filers,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Member {
    pub(crate) listing: Listing,
    pub(crate) name: Option<String>,
}

impl Kind {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Positions => "positions",
            Self::Watchlist => "watchlist",
            Self::Filers => "filers",
        }
    }
}

/// The list of that name, else the only one in the vault.
///
/// # Errors
/// If no list has that name, there are none or several, or it is too long.
pub(crate) async fn universe(said: Option<&str>, ctx: &dyn ToolContext) -> Result<Universe, ToolError> {
    let said = said.map(link_name).filter(|said| !said.is_empty());
    let found = match said.as_deref().map(str::to_lowercase).as_deref() {
        Some("positions") => held(ctx).await?,
        Some("watchlist") => watched(ctx).await?,
        Some("filers") => all_filers(ctx).await?,
        _ => {
            let all = of_notes(ctx).await?;
            match (said, all.as_slice()) {
                (Some(said), all) => named("universe", &said, all, |universe| &universe.name)?.clone(),
                (None, [one]) => one.clone(),
                (None, all) => {
                    let names: Vec<&str> = all.iter().map(|universe| universe.name.as_str()).collect();
                    let what = if names.is_empty() {
                        "No list of symbols is named."
                    } else {
                        "Which list of symbols is meant?"
                    };
                    let others = "watchlist, positions, filers";
                    return Err(ToolError::failed(
                        what,
                        format!("Name one: {}.", [&names[..], &[others]].concat().join(", ")),
                    ));
                }
            }
        }
    };
    if found.members.len() > MOST {
        return Err(ToolError::failed(
            format!("{} has {} symbols; a scan takes at most {MOST}.", found.name, found.members.len()),
            "Make several lists of it.",
        ));
    }
    if found.members.is_empty() {
        let hint = "Write a bullet for each symbol, such as \"- NGTL\".";
        return Err(ToolError::failed(format!("{} has no symbols.", found.name), hint));
    }
    Ok(found)
}

/// The lists that are notes, by path.
pub(crate) async fn of_notes(ctx: &dyn ToolContext) -> Result<Vec<Universe>, ToolError> {
    let declared = ctx.records().get(UNIVERSE)?;
    let notes = ctx.vault().records(UNIVERSE).await?;
    Ok(notes.iter().map(|note| of_note(note, &declared.read(note), ctx)).collect())
}

fn of_note(note: &Note, record: &Record<'_>, ctx: &dyn ToolContext) -> Universe {
    let exchange = record.text("exchange").ok().flatten();
    let listed = record.list("symbols").unwrap_or_default();
    let body = &note.text[note.document.body_start()..];
    let (mut fenced, mut seen) = (false, BTreeSet::new());
    let lines = body.lines().filter(|line| {
        fenced ^= line.trim_start().starts_with("```");
        !fenced
    });
    let bullets: Vec<String> = lines.filter_map(bullet).map(str::to_owned).collect();
    let unread = bullets.iter().filter(|line| member(line).is_none()).count();
    let members = listed.into_iter().chain(bullets).filter_map(|line| {
        let (symbol, name) = member(&line)?;
        let mut listing = Listing::parse(&symbol);
        listing.exchange = listing.exchange.or_else(|| exchange.clone());
        listing.own = own_names(ctx, &listing.symbol);
        let key = (listing.symbol.clone(), listing.place().map(str::to_owned));
        seen.insert(key).then_some(Member { listing, name })
    });
    let members = members.collect();
    Universe {
        name: note.path.name().to_owned(),
        path: Some(note.path.clone()),
        day: record.date("day").ok().flatten(),
        kind: Kind::Note,
        members,
        unread,
    }
}

/// A message about unparsed bullets.
pub(crate) fn unread(universe: &Universe) -> Option<String> {
    let name = &universe.name;
    match universe.unread {
        0 => None,
        1 => Some(format!("1 line of {name} names no symbol; a symbol is in capital letters.")),
        lines => Some(format!("{lines} lines of {name} name no symbol; a symbol is in capital letters.")),
    }
}

/// The text of a bullet, or the first cells of a table row.
pub(crate) fn bullet(line: &str) -> Option<&str> {
    let line = line.trim();
    let text = ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark));
    text.or_else(|| line.strip_prefix('|').filter(|row| !row.trim_start().starts_with([':', '-'])))
        .map(str::trim)
}

/// The symbol of a line and the name after it: "NGTL Northgate Tooling", "[[NGTL]]", "| NGTL | Northgate
/// Tooling |".
pub(crate) fn member(line: &str) -> Option<(String, Option<String>)> {
    let line = line.trim();
    let (symbol, rest) = match line.strip_prefix("[[").and_then(|rest| rest.split_once("]]")) {
        Some((link, rest)) => (link_name(&format!("[[{link}]]")), rest),
        None => {
            let end = line
                .find(|letter: char| letter.is_whitespace() || "|,;".contains(letter))
                .unwrap_or(line.len());
            (line[..end].to_owned(), &line[end..])
        }
    };
    let plain = |letter: char| letter.is_ascii_alphanumeric() || ".-=^".contains(letter);
    // Table heads and words of a sentence are not symbols.
    let is_symbol = (1..=12).contains(&symbol.len())
        && symbol.chars().all(plain)
        && symbol.chars().any(|letter| letter.is_ascii_alphanumeric())
        && !symbol.chars().any(|letter| letter.is_ascii_lowercase());
    let name = rest.trim_matches(|letter: char| letter.is_whitespace() || "|,;–—-:".contains(letter));
    let name = name.split('|').next().unwrap_or(name).trim();
    is_symbol.then(|| (symbol, (!name.is_empty()).then(|| name.to_owned())))
}

/// A holding of the user.
pub(crate) struct Holding {
    pub(crate) member: Member,
    pub(crate) quantity: f64,
    /// The average price paid for a share as of today, if known.
    pub(crate) paid: Option<f64>,
}

/// The holdings, and the problems of their notes, each beginning with its symbol.
///
/// # Errors
/// If the portfolio is unavailable.
pub(crate) async fn holdings(ctx: &dyn ToolContext) -> Result<(Vec<Holding>, Vec<String>), ToolError> {
    let answer = answer("portfolio.positions", "Positions", ctx).await?;
    let rows = list(&answer, "positions");
    let number = |row: &Value, name: &str| row.get(name)?.as_str()?.parse::<f64>().ok();
    let held = rows.iter().filter_map(|row| {
        Some(Holding {
            member: member_of(row, Kind::Positions, ctx)?,
            quantity: number(row, "quantity")?,
            paid: number(row, "average_cost"),
        })
    });
    let held = held.filter(|held| held.quantity > 0.0).collect();
    let problems = list(&answer, "problems").iter();
    let problems = problems.filter_map(|row| Some(row.get("problem")?.as_str()?.to_owned()));
    Ok((held, problems.collect()))
}

/// The user's cash in one currency; `None` if no deposits are recorded.
pub(crate) async fn cash(currency: &str, ctx: &dyn ToolContext) -> Option<f64> {
    let value = ctx.tools().call("portfolio.value", json!({})).await.ok()?;
    let row = value.get("cash")?.as_array()?.iter().find(|row| row["currency"] == currency)?;
    row.get("amount")?.as_str()?.parse().ok()
}

async fn held(ctx: &dyn ToolContext) -> Result<Universe, ToolError> {
    of_portfolio("portfolio.positions", "positions", Kind::Positions, "Positions", ctx).await
}

async fn watched(ctx: &dyn ToolContext) -> Result<Universe, ToolError> {
    of_portfolio("portfolio.watchlist", "watched", Kind::Watchlist, "Watchlist", ctx).await
}

async fn of_portfolio(
    tool: &str,
    at: &str,
    kind: Kind,
    name: &str,
    ctx: &dyn ToolContext,
) -> Result<Universe, ToolError> {
    let answer = answer(tool, name, ctx).await?;
    let mut members: Vec<Member> = Vec::new();
    for member in list(&answer, at).iter().filter_map(|row| member_of(row, kind, ctx)) {
        // A share traded in two currencies has two rows.
        match members.iter_mut().find(|known| known.listing.is_same(&member.listing)) {
            Some(known) if known.listing.currency != member.listing.currency => known.listing.currency = None,
            Some(_) => {}
            None => members.push(member),
        }
    }
    let day = Some(ctx.clock().today());
    Ok(Universe { name: name.to_owned(), path: None, day, kind, members, unread: 0 })
}

async fn answer(tool: &str, name: &str, ctx: &dyn ToolContext) -> Result<Value, ToolError> {
    ctx.tools().call(tool, json!({})).await.map_err(|error| {
        ToolError::failed(
            format!("{name} cannot be read: {error}"),
            "Enable the skill Portfolio, or name another list.",
        )
    })
}

fn list<'a>(answer: &'a Value, at: &str) -> &'a [Value] {
    answer.get(at).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn member_of(row: &Value, kind: Kind, ctx: &dyn ToolContext) -> Option<Member> {
    let text = |name: &str| row.get(name).and_then(Value::as_str).map(str::to_owned);
    let symbol = text("symbol")?;
    let parsed = Listing::parse(&symbol);
    let listing = Listing {
        exchange: text("exchange").or(parsed.exchange),
        currency: text("currency").filter(|_| kind == Kind::Positions),
        own: own_names(ctx, &symbol),
        symbol: parsed.symbol,
    };
    let name = text("name").filter(|name| *name != listing.symbol);
    Some(Member { listing, name })
}

async fn all_filers(ctx: &dyn ToolContext) -> Result<Universe, ToolError> {
    let filers = filers(&sec("Screener", ctx)?, ctx).await?;
    let members = filers.into_iter().map(|filer| {
        let mut listing = Listing::parse(&dotted(&filer.symbol));
        listing.exchange = Some("US".into());
        listing.own = own_names(ctx, &listing.symbol);
        Member { listing, name: Some(filer.name) }
    });
    Ok(Universe {
        name: "Filers".into(),
        path: None,
        day: None,
        kind: Kind::Filers,
        members: members.collect(),
        unread: 0,
    })
}

/// The SEC writes share classes with a hyphen, BRK-B, and preferred shares, too: GS-PA, which with a dot would be a
/// share of Paris.
pub(crate) fn dotted(symbol: &str) -> String {
    match symbol.rsplit_once('-') {
        Some((company, class @ ("A" | "B"))) => format!("{company}.{class}"),
        _ => symbol.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Option<(&str, Option<&str>)>) {
        let found = bullet(line).and_then(member);
        let found = found.as_ref().map(|(symbol, name)| (symbol.as_str(), name.as_deref()));
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn symbol_is_the_first_word_of_a_bullet_or_a_row() {
        check("- NGTL", Some(("NGTL", None)));
        check("- NGTL Northgate Tooling", Some(("NGTL", Some("Northgate Tooling"))));
        check("* [[Portfolio/Positions/NGTL|Northgate]] – tools", Some(("NGTL", Some("tools"))));
        check("| BRK.B | Berkshire Hathaway | 2026 |", Some(("BRK.B", Some("Berkshire Hathaway"))));
        check("- KSTL.DE, Kestrel Pumps", Some(("KSTL.DE", Some("Kestrel Pumps"))));
        check("| Symbol | Name |", None);
        check("|---|---|", None);
        check("- this is a remark", None);
        check("NGTL", None);
        check("- 7203.T Toyota", Some(("7203.T", Some("Toyota"))));
    }
}
