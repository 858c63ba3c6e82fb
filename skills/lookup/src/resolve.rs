//! Resolves the share that a text means: a position of the user, a symbol, or a company's name.

use nova_market::tools::{Web, own_names};
use nova_market::{Found, Listing, Sources};
use nova_skill::figures::{folded, similarity};
use nova_skill::{ToolContext, ToolError, Value, json};

/// Longer than any symbol or name.
const LONGEST: usize = 80;
/// Maximum matches in an answer.
const MATCHES: usize = 6;
/// Minimum similarity, in percent, of a symbol and its misspelling.
const ALIKE: usize = 60;

/// A share, and the company's name if known.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Resolved {
    pub(crate) listing: Listing,
    pub(crate) name: Option<String>,
}

/// The user's positions, if available.
pub(crate) struct Held(Vec<Value>);

impl Held {
    /// Empty without the skill `portfolio`.
    pub(crate) async fn read(ctx: &dyn ToolContext) -> Self {
        let answer = ctx.tools().call("portfolio.positions", json!({})).await;
        let rows = answer.ok().and_then(|mut answer| answer.get_mut("positions").map(Value::take));
        Self(rows.as_ref().and_then(Value::as_array).cloned().unwrap_or_default())
    }

    fn find(&self, said: &str, ctx: &dyn ToolContext) -> Option<Resolved> {
        let text = |row: &Value, name: &str| row.get(name).and_then(Value::as_str).map(str::to_owned);
        let wanted = folded(said);
        let is_it = |row: &&Value, name: &str| text(row, name).is_some_and(|text| folded(&text) == wanted);
        let mut by_symbol = self.0.iter().filter(|row| is_it(row, "symbol"));
        let mut by_name = self.0.iter().filter(|row| is_it(row, "name"));
        let row = by_symbol.next().or_else(|| by_name.next())?;
        let symbol = text(row, "symbol")?;
        let listing = Listing {
            exchange: text(row, "exchange"),
            currency: text(row, "currency"),
            own: own_names(ctx, &symbol),
            symbol,
        };
        let name = text(row, "name").filter(|name| *name != listing.symbol);
        Some(Resolved { listing, name })
    }

    fn nearest(&self, said: &str) -> Option<String> {
        let symbols = self.0.iter().filter_map(|row| row.get("symbol")?.as_str());
        let alike = symbols.map(|symbol| (similarity(said, symbol), symbol));
        let (likeness, symbol) = alike.max()?;
        (likeness >= ALIKE).then(|| symbol.to_owned())
    }
}

/// Asks no source if the text can be a symbol: the source asked next knows whether it exists.
///
/// # Errors
/// If several companies match, or none.
pub(crate) async fn resolve(
    said: &str,
    held: &Held,
    sources: &Sources,
    ctx: &dyn ToolContext,
) -> Result<Resolved, ToolError> {
    let said = said.trim();
    if said.is_empty() || said.chars().count() > LONGEST || said.chars().any(char::is_control) {
        return Err(ToolError::InvalidArguments {
            path: "/symbol".into(),
            rule: "must be a symbol such as NGTL, or a company's name".into(),
            allowed: Vec::new(),
        });
    }
    if let Some(resolved) = held.find(said, ctx) {
        return Ok(resolved);
    }
    if is_symbol(said) {
        let mut listing = Listing::parse(said);
        listing.own = own_names(ctx, &listing.symbol);
        return Ok(Resolved { listing, name: None });
    }
    let found = sources.search(said, &Web(ctx)).await;
    let (_, found) = found.map_err(|reasons| {
        ToolError::failed(format!("No company \"{said}\" was found: {reasons}."), "Name its symbol.")
    })?;
    let found = chosen(said, &found)?;
    let mut listing = Listing::found(found);
    listing.own.extend(own_names(ctx, &listing.symbol));
    Ok(Resolved { listing, name: Some(found.name.clone()) })
}

/// The error for an unknown symbol.
pub(crate) async fn unknown(
    resolved: &Resolved,
    reasons: &str,
    held: &Held,
    sources: &Sources,
    ctx: &dyn ToolContext,
) -> ToolError {
    let symbol = &resolved.listing.symbol;
    let mut alike: Vec<String> = held.nearest(symbol).into_iter().collect();
    if alike.is_empty()
        && let Ok((_, found)) = sources.search(symbol, &Web(ctx)).await
    {
        alike.extend(found.iter().take(MATCHES).map(shown).filter(|shown| !shown.is_empty()));
    }
    let remedy = match alike.as_slice() {
        [] => "Check the symbol, or name the company.".to_owned(),
        alike => format!("Did you mean {}?", alike.join(", ")),
    };
    ToolError::UnknownSymbol { symbol: symbol.clone(), reasons: reasons.to_owned(), remedy }
}

/// Whether a text can be a symbol: "NGTL", "brk.b", "NGTL.DE". A short lowercase word can be one too.
fn is_symbol(said: &str) -> bool {
    let plain = said.chars().all(|letter| letter.is_ascii_alphanumeric() || ".-=^".contains(letter));
    let is_upper = !said.chars().any(|letter| letter.is_ascii_lowercase());
    plain && said.len() <= 12 && (is_upper || said.len() <= 4 || said.contains('.'))
}

/// The one company that a name means; listings at several exchanges are one company.
fn chosen<'a>(said: &str, found: &'a [Found]) -> Result<&'a Found, ToolError> {
    let wanted = folded(said);
    // A symbol can be another company's at each exchange.
    let is_symbol = |found: &Found| {
        folded(&found.symbol) == wanted || folded(&Listing::parse(&found.symbol).symbol) == wanted
    };
    let exactly: Vec<&Found> =
        found.iter().filter(|found| folded(&found.name) == wanted || is_symbol(found)).collect();
    let begins: Vec<&Found> = found.iter().filter(|found| folded(&found.name).starts_with(&wanted)).collect();
    let of = [exactly, begins, found.iter().collect()]
        .into_iter()
        .find(|list| !list.is_empty())
        .unwrap_or_default();
    match of.as_slice() {
        [first, others @ ..] if others.iter().all(|other| folded(&other.name) == folded(&first.name)) => {
            Ok(first)
        }
        all => Err(ToolError::Ambiguous {
            kind: "company".into(),
            name: said.to_owned(),
            matches: all.iter().take(MATCHES).map(|found| shown(found)).collect(),
        }),
    }
}

/// "NGTL (Northgate Tooling, XETRA)"
fn shown(found: &Found) -> String {
    match &found.exchange {
        Some(exchange) => format!("{} ({}, {exchange})", found.symbol, found.name),
        None => format!("{} ({})", found.symbol, found.name),
    }
}
