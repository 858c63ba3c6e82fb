//! Parses the date of a page or a search result.

use nova_skill::Date;
use nova_skill::jiff::fmt::{rfc2822, strtime};

/// `YYYY-MM-DD`; `None` if the format is ambiguous.
pub(super) fn day(text: &str) -> Option<String> {
    let text = text.trim();
    let iso = text.get(..10).and_then(|day| day.parse::<Date>().ok());
    let written = ["%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y", "%Y/%m/%d", "%d.%m.%Y", "%Y%m%d"];
    let spelled = || written.iter().find_map(|form| strtime::parse(form, text).ok()?.to_date().ok());
    let mailed = || rfc2822::parse(text).ok().map(|time| time.date());
    iso.or_else(spelled).or_else(mailed).map(|day| day.to_string())
}

#[cfg(test)]
mod tests {
    use super::day;

    #[test]
    fn common_date_formats_are_parsed() {
        for (text, expected) in [
            ("2026-11-02", Some("2026-11-02")),
            ("2026-11-02T23:30:00-05:00", Some("2026-11-02")),
            (" 2 November 2026 ", Some("2026-11-02")),
            ("Nov 2, 2026", Some("2026-11-02")),
            ("02.11.2026", Some("2026-11-02")),
            ("Mon, 02 Nov 2026 09:00:00 +0000", Some("2026-11-02")),
            ("20261102", Some("2026-11-02")),
            ("11/02/2026", None),
            ("yesterday", None),
            ("2026-13-40", None),
            ("", None),
        ] {
            assert_eq!(day(text).as_deref(), expected, "{text:?}");
        }
    }
}
