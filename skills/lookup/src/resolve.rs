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

impl Resolved {
    fn found(&self) -> Found {
        Found {
            symbol: self.listing.symbol.clone(),
            name: self.name.clone().unwrap_or_default(),
            exchange: self.listing.exchange.clone(),
            kind: None,
        }
    }
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

    /// # Errors
    /// If several positions have that name; a symbol is one position's.
    fn find(&self, said: &str, ctx: &dyn ToolContext) -> Result<Option<Resolved>, ToolError> {
        let text = |row: &Value, name: &str| row.get(name).and_then(Value::as_str).map(str::to_owned);
        let wanted = folded(said);
        let is_it = |row: &&Value, name: &str| text(row, name).is_some_and(|text| folded(&text) == wanted);
        let resolved = |row: &Value| {
            let symbol = text(row, "symbol")?;
            let listing = Listing {
                exchange: text(row, "exchange"),
                currency: text(row, "currency"),
                own: own_names(ctx, &symbol),
                symbol,
            };
            let name = text(row, "name").filter(|name| *name != listing.symbol);
            Some(Resolved { listing, name })
        };
        let matches = |name: &str| -> Vec<Resolved> {
            self.0.iter().filter(|row| is_it(row, name)).filter_map(resolved).collect()
        };
        if let Some(found) = matches("symbol").into_iter().next() {
            return Ok(Some(found));
        }
        let found = matches("name");
        if let [first, others @ ..] = found.as_slice()
            && others.iter().any(|other| !other.listing.is_same(&first.listing))
        {
            let mut matches: Vec<String> = found.iter().map(|one| shown(&one.found())).collect();
            matches.sort();
            matches.truncate(MATCHES);
            return Err(ToolError::Ambiguous { kind: "position".into(), name: said.to_owned(), matches });
        }
        Ok(found.into_iter().next())
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
/// If several positions or companies match, or none.
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
    if let Some(resolved) = held.find(said, ctx)? {
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

/// Other companies with the same symbol at other exchanges: "NGTL.L (Norfolk Garden Tools, London)".
pub(crate) fn others(resolved: &Resolved, name: Option<&str>, found: &[Found]) -> Vec<String> {
    let symbol = &resolved.listing.symbol;
    let listings = || found.iter().map(|found| (Listing::found(found), found));
    let own = listings().find(|(listing, _)| listing.is_same(&resolved.listing));
    let own = own.map(|(_, found)| folded(&found.name)).or_else(|| name.map(folded));
    let is_other = |(listing, found): &(Listing, &Found)| {
        listing.symbol == *symbol
            && !listing.is_same(&resolved.listing)
            && own.as_ref().is_some_and(|own| folded(&found.name) != *own)
    };
    listings().filter(is_other).take(MATCHES).map(|(_, found)| shown(found)).collect()
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
    let about = [Some(found.name.as_str()), found.exchange.as_deref()];
    let about: Vec<&str> = about.into_iter().flatten().filter(|text| !text.is_empty()).collect();
    if about.is_empty() { found.symbol.clone() } else { format!("{} ({})", found.symbol, about.join(", ")) }
}
