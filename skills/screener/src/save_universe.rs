use std::collections::BTreeSet;
use std::sync::Arc;

use nova_market::sources::sec::HOSTS;
use nova_market::tools::Web;
use nova_market::tools::filers::{said, sec};
use nova_skill::figures::folded;
use nova_skill::serde_json::Map;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, NewNote, Output, RecordUse, ToolContext, ToolError,
    ToolOutput, Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::notes::UNIVERSE;
use crate::universe::{MOST, bullet, dotted, member, of_notes};

pub(crate) struct SaveUniverse;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Makes a list of symbols as a note."))]
pub(crate) struct NewUniverse {
    /// What it is called.
    name: String,
    /// Its symbols as text: one a line with a name behind it, separated by commas, or CSV with a column Symbol.
    #[schemars(extend("x-label" = "Symbols", "x-help" = "One a line, or CSV", "x-lines" = 6))]
    text: Option<String>,
    /// Where they are listed if a symbol does not say it, such as XETRA; default: the United States.
    #[schemars(extend("x-help" = "The United States if left empty"))]
    exchange: Option<String>,
    /// In place of a text: all companies at this exchange that report to the SEC.
    #[schemars(extend("x-label" = "All of", "x-help" = "Companies that report to the SEC"))]
    filers: Option<FilersOf>,
    /// Fields that the user added.
    #[serde(flatten)]
    #[schemars(skip)]
    own: Map<String, Value>,
}

/// The exchanges that the SEC names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum FilersOf {
    Nasdaq,
    Nyse,
    Cboe,
    Otc,
}

impl FilersOf {
    fn word(self) -> &'static str {
        match self {
            Self::Nasdaq => "nasdaq",
            Self::Nyse => "nyse",
            Self::Cboe => "cboe",
            Self::Otc => "otc",
        }
    }

    /// # Errors
    /// Without a contact, or if the SEC does not answer.
    async fn members(self, ctx: &dyn ToolContext) -> Result<Pasted, ToolError> {
        let listed = sec("Screener", ctx)?.listed(&Web(ctx)).await.map_err(|error| said(&error))?;
        let is_there = |exchange: &Option<String>| {
            exchange.as_deref().is_some_and(|exchange| exchange.eq_ignore_ascii_case(self.word()))
        };
        let rows = listed.into_iter().filter(|(_, exchange)| is_there(exchange));
        let rows = rows.map(|(filer, _)| format!("{} {}", dotted(&filer.symbol), filer.name));
        Ok(Pasted::of(rows.collect()))
    }
}

/// Maximum number of skipped lines in an answer.
const SHOWN: usize = 20;

#[async_trait]
impl NativeTool for SaveUniverse {
    type Args = NewUniverse;
    const ID: &'static str = "save_universe";
    const EFFECT: Effect = Effect::Write;
    const HOSTS: &'static [&'static str] = &HOSTS;
    const RECORD: Option<RecordUse<'static>> = Some(RecordUse::Adds(UNIVERSE));

    fn description(&self) -> Description {
        Description::purpose(
            "Makes a list of symbols as a note, from pasted text or CSV that the user gives, or of an exchange's companies \
             that report to the SEC.",
        )
        .use_when("the user gives symbols, such as the members of an index, to keep as a list or universe")
        .example("Keep these symbols as the list Mid caps")
    }

    async fn run(&self, new: NewUniverse, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let name = new.name.trim();
        let refused = |path: &str, rule: String| ToolError::InvalidArguments {
            path: path.into(),
            rule,
            allowed: Vec::new(),
        };
        if name.is_empty() || name.chars().count() > 80 || name.chars().any(char::is_control) {
            return Err(refused("/name", "must be a short name".into()));
        }
        let known = of_notes(ctx.as_ref()).await?;
        if let Some(known) = known.iter().find(|known| folded(&known.name) == folded(name)) {
            let path = known.path.as_ref().map_or("", |path| path.as_str());
            return Err(ToolError::failed(
                format!("There is a list {} already: {path}.", known.name),
                "Add or remove its symbols in that note, or choose another name.",
            ));
        }
        let text = new.text.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let Pasted { members, skipped } = match (text, new.filers) {
            (Some(text), None) => Pasted::read(text),
            (None, Some(exchange)) => exchange.members(ctx.as_ref()).await?,
            _ => return Err(refused("/text", "is needed, or filers in place of it".into())),
        };
        if members.is_empty() {
            return Err(refused(
                "/text",
                "has no symbol; a symbol is in capital letters, such as NGTL".into(),
            ));
        }
        if members.len() > MOST {
            return Err(refused(
                "/text",
                format!("has {} symbols; a list has at most {MOST}", members.len()),
            ));
        }
        if new.filers.is_some() && new.exchange.as_deref().is_some_and(|text| !text.trim().is_empty()) {
            return Err(refused("/exchange", "is for a text; filers are listed in the United States".into()));
        }
        let declared = ctx.records().get(UNIVERSE)?;
        let mut values = declared.with_links(&new.own, ctx.vault()).await?;
        values.insert("day".into(), json!(ctx.clock().today().to_string()));
        if let Some(exchange) = new.exchange.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
            values.insert("exchange".into(), json!(exchange));
        }
        let text = declared.new_note(&values)?;
        let mut text = declared.on_template(text, name, ctx.as_ref()).await?;
        for (symbol, company) in &members {
            text.push_str(&format!("- {symbol}"));
            text.extend(company.iter().map(|company| format!(" {company}")));
            text.push('\n');
        }
        let note = NewNote { folder: declared.folder.clone(), name: name.to_owned(), text };
        let path = ctx.vault().create_all(vec![note]).await?.remove(0);
        let value = json!({
            "path": path,
            "count": members.len(),
            "skipped": skipped.len(),
            "skipped_lines": skipped.iter().take(SHOWN).collect::<Vec<_>>(),
        });
        Ok(Output::new(value).from_notes([path]).into())
    }
}

/// Symbols of a pasted text, each once, with the names behind them.
struct Pasted {
    members: Vec<(String, Option<String>)>,
    /// Lines without a symbol.
    skipped: Vec<String>,
}

impl Pasted {
    fn read(text: &str) -> Self {
        Self::of(columns(text).unwrap_or_else(|| text.lines().flat_map(entries).collect()))
    }

    fn of(rows: Vec<String>) -> Self {
        let (mut members, mut skipped, mut seen) = (Vec::new(), Vec::new(), BTreeSet::new());
        for row in rows.into_iter().filter(|row| !row.trim().is_empty()) {
            match member(&row) {
                Some((symbol, name)) if seen.insert(symbol.clone()) => {
                    // A name must not become a link or another line.
                    let name = name.map(|name| name.replace(['[', ']'], " "));
                    let name = name.map(|name| name.split_whitespace().collect::<Vec<_>>().join(" "));
                    members.push((symbol, name));
                }
                Some(_) => {}
                None => skipped.push(row.chars().take(80).collect()),
            }
        }
        Self { members, skipped }
    }
}

/// A line as one entry, or as several symbols separated by commas.
fn entries(line: &str) -> Vec<String> {
    let line = bullet(line).unwrap_or(line.trim());
    let parts: Vec<&str> = line.split([',', ';']).map(str::trim).filter(|part| !part.is_empty()).collect();
    let is_symbol = |part: &&str| member(part).is_some_and(|(_, name)| name.is_none());
    match parts.len() > 1 && parts.iter().all(is_symbol) {
        true => parts.into_iter().map(str::to_owned).collect(),
        false => vec![line.to_owned()],
    }
}

/// The rows of CSV whose header has a column of symbols, as symbol and name.
fn columns(text: &str) -> Option<Vec<String>> {
    let head = text.lines().find(|line| !line.trim().is_empty())?;
    let delimiter =
        *[b',', b';', b'\t'].iter().max_by_key(|sign| head.bytes().filter(|byte| byte == *sign).count())?;
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.trim_start_matches('\u{feff}').trim_start().as_bytes());
    let header = reader.headers().ok()?.clone();
    let find = |names: &[&str]| header.iter().position(|name| names.contains(&folded(name).as_str()));
    let symbol = find(&["symbol", "ticker", "ticker symbol", "kürzel"])?;
    let name = find(&["name", "company", "security", "company name", "unternehmen"]);
    let row = |row: csv::StringRecord| {
        let cell = |at: usize| row.get(at).unwrap_or_default().to_owned();
        format!("{} {}", cell(symbol), name.map(cell).unwrap_or_default()).trim().to_owned()
    };
    Some(reader.records().filter_map(Result::ok).map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, members: &[(&str, Option<&str>)], skipped: &[&str]) {
        let read = Pasted::read(text);
        let found: Vec<(&str, Option<&str>)> =
            read.members.iter().map(|(symbol, name)| (symbol.as_str(), name.as_deref())).collect();
        assert_eq!(
            (found.as_slice(), read.skipped),
            (members, skipped.iter().map(|s| s.to_string()).collect())
        );
    }

    #[test]
    fn symbols_are_read_from_lines_lists_and_csv() {
        check(
            "NGTL Northgate Tooling\n- KSTL.DE\n\n* NGTL\n",
            &[("NGTL", Some("Northgate Tooling")), ("KSTL.DE", None)],
            &[],
        );
        check("NGTL, KSTL.DE; BRK.B", &[("NGTL", None), ("KSTL.DE", None), ("BRK.B", None)], &[]);
        check("NGTL, Northgate Tooling", &[("NGTL", Some("Northgate Tooling"))], &[]);
        check(
            "\u{feff}Symbol,Security,Sector\nNGTL,\"Northgate, Inc.\",Tools\nBRK.B,Berkshire [[x]],Other\nn/a,Cash,\n",
            &[("NGTL", Some("Northgate, Inc.")), ("BRK.B", Some("Berkshire x"))],
            &["n/a Cash"],
        );
        check("Name;Ticker\nNorthgate;NGTL\n", &[("NGTL", Some("Northgate"))], &[]);
        check("these are words\n", &[], &["these are words"]);
    }
}
