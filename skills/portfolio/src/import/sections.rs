//! The activity statement of Interactive Brokers: one CSV file with many tables, whose first cell names the table and
//! whose second says whether a row is `Header` or `Data`
//! (<https://www.ibkrguides.com/reportingreference/reportguide/activity%20statements.htm>).

use std::borrow::Cow;

const HEADER: &str = "Trades,Header,";
const DATA: &str = "Trades,Data,Order,";
/// Of the third cell behind [`DATA`]: forex, options and futures are no shares.
const SHARES: [&str; 4] = ["Stocks,", "ETFs,", "Funds,", "Mutual Funds,"];

/// Blanks out every line but the trades of shares, so that those keep their numbers; other files stay as they are.
pub(super) fn trades_of_statement(bytes: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let is_statement = |text: &str| {
        let text = text.trim_start_matches('\u{feff}');
        text.starts_with("Statement,Header,") && text.contains(HEADER)
    };
    let Some(text) = std::str::from_utf8(&bytes).ok().filter(|text| is_statement(text)) else { return bytes };
    let mut has_header = false;
    let kept = text.split_inclusive('\n').map(|line| {
        let is_header = !has_header && line.starts_with(HEADER);
        has_header |= is_header;
        let is_share =
            line.strip_prefix(DATA).is_some_and(|rest| SHARES.iter().any(|kind| rest.starts_with(kind)));
        if is_header || is_share { line } else { "\n" }
    });
    Cow::from(kept.collect::<String>().into_bytes())
}
