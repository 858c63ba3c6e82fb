//! Moment's documented tokens. Expected texts are derived by hand from its documentation and a calendar.

use jiff::civil::Date;

use super::{at, saturday};
use crate::obsidian::MomentFormat;

#[track_caller]
fn check(time: &str, table: &[(&str, &str)]) {
    let at = at(time);
    for (format, expected) in table {
        assert_eq!(MomentFormat::parse(format).text(&at), *expected, "{format} of {time}");
    }
}

#[test]
fn formats_every_token() {
    check(
        "2026-11-21T09:05:07.042",
        &[
            ("M Mo MM MMM MMMM", "11 11th 11 Nov November"),
            ("Q Qo", "4 4th"),
            ("D Do DD", "21 21st 21"),
            ("DDD DDDo DDDD", "325 325th 325"),
            ("d do dd ddd dddd e E", "6 6th Sa Sat Saturday 6 6"),
            ("w wo ww gg gggg", "47 47th 47 26 2026"),
            ("W Wo WW GG GGGG", "47 47th 47 26 2026"),
            ("YY YYYY Y YYYYYY", "26 2026 2026 +002026"),
            ("y N NNNN", "2026 AD Anno Domini"),
            ("A a H HH h hh k kk", "AM am 9 09 9 09 9 09"),
            ("m mm s ss", "5 05 7 07"),
            ("S SS SSS SSSS SSSSSSSSS", "0 04 042 0420 042000000"),
            ("z|zz|Z ZZ", "||+01:00 +0100"),
            ("X x", "1795248307 1795248307042"),
            ("Hmm Hmmss", "905 90507"),
        ],
    );
}

#[test]
fn formats_noon_midnight_and_small_numbers() {
    check(
        "2027-03-03T00:00:00",
        &[
            ("M MM Mo D DD Do", "3 03 3rd 3 03 3rd"),
            ("DDD DDDD", "62 062"),
            ("h hh H HH k kk A", "12 12 0 00 24 24 AM"),
            ("d E dddd", "3 3 Wednesday"),
        ],
    );
    check("2027-03-07T12:00:00", &[("h A a k", "12 PM pm 12"), ("d e E dd", "0 0 7 Su")]);
    check("2027-06-11T13:59:00", &[("h:mm a", "1:59 pm"), ("Do", "11th"), ("Z", "+02:00")]);
    check("2027-06-12T13:59:00", &[("Do", "12th")]);
    check("2027-06-13T13:59:00", &[("Do", "13th")]);
    check("2027-06-22T13:59:00", &[("Do", "22nd")]);
}

#[test]
fn formats_long_dates_in_english() {
    // Row "en" of the documentation's table "Localized formats".
    check(
        "1986-09-04T20:30:25",
        &[
            ("LT", "8:30 PM"),
            ("LTS", "8:30:25 PM"),
            ("L", "09/04/1986"),
            ("l", "9/4/1986"),
            ("LL", "September 4, 1986"),
            ("ll", "Sep 4, 1986"),
            ("LLL", "September 4, 1986 8:30 PM"),
            ("lll", "Sep 4, 1986 8:30 PM"),
            ("LLLL", "Thursday, September 4, 1986 8:30 PM"),
            ("llll", "Thu, Sep 4, 1986 8:30 PM"),
        ],
    );
}

#[test]
fn weeks_at_the_turn_of_the_year() {
    // ISO: a week belongs to the year of its Thursday and begins on Monday. English: week 1 contains 1
    // January, and weeks begin on Sunday.
    let weeks = "GGGG-[W]WW gggg-ww";
    check("2026-12-31T08:00:00", &[(weeks, "2026-W53 2027-01")]);
    check("2027-01-01T08:00:00", &[(weeks, "2026-W53 2027-01")]);
    check("2027-01-03T08:00:00", &[(weeks, "2026-W53 2027-02")]);
    check("2027-01-04T08:00:00", &[(weeks, "2027-W01 2027-02")]);
    check("2024-12-30T08:00:00", &[(weeks, "2025-W01 2025-01")]);
    check("2027-12-25T08:00:00", &[(weeks, "2027-W51 2027-52")]);
    check("2028-01-01T08:00:00", &[(weeks, "2027-W52 2028-01")]);
    check("2028-01-02T08:00:00", &[(weeks, "2027-W52 2028-02")]);
}

#[test]
fn text_without_tokens_is_literal() {
    check(
        "2026-11-21T09:05:07",
        &[
            ("", ""),
            ("YYYY/MM/YYYY-MM-DD", "2026/11/2026-11-21"),
            ("[Daily] YYYY [at] D", "Daily 2026 at 21"),
            ("[a]b]", "a]b"),
            ("[a] D [b]", "a 21 b"),
            ("[D", "[21"),
            ("D]", "21]"),
            ("[]D", "21"),
            (r"\D D", "D 21"),
            (r"\[D]", "[21]"),
            ("日 D 🍣", "日 21 🍣"),
            ("YYY", "262026"),
            ("MMMMM", "November11"),
            ("fri", "fri"),
        ],
    );
}

#[test]
fn parses_the_day_of_a_formatted_text() {
    let date = |text: &str| -> Option<Date> { Some(text.parse().unwrap()) };
    for (format, text, expected) in [
        ("YYYY-MM-DD", "2026-11-21", date("2026-11-21")),
        ("YYYY/MM/YYYY-MM-DD", "2026/11/2026-11-21", date("2026-11-21")),
        ("YYYYMMDD", "20261121", date("2026-11-21")),
        ("D.M.YYYY", "1.2.2026", date("2026-02-01")),
        ("D.M.YYYY", "21.11.2026", date("2026-11-21")),
        ("YYYY/MMMM/YYYY-MMM-DD", "2023/January/2023-Jan-01", date("2023-01-01")),
        ("dddd, MMMM Do YYYY", "Saturday, November 21st 2026", date("2026-11-21")),
        ("YY-MM-DD", "26-11-21", date("2026-11-21")),
        ("YY-MM-DD", "69-11-21", date("1969-11-21")),
        ("YYYY-DDDD", "2026-325", date("2026-11-21")),
        ("GGGG-[W]WW-E", "2026-W53-5", date("2027-01-01")),
        ("GGGG-[W]WW ddd", "2026-W53 Sun", date("2027-01-03")),
        ("gggg-ww-d", "2027-01-5", date("2027-01-01")),
        ("YYYY-MM-DD[@daily]", "2026-11-21@daily", date("2026-11-21")),
        ("YYYY-MM-DD HHmm", "2026-11-21 0905", date("2026-11-21")),
        // No match, or not an exact one.
        ("YYYY-MM-DD", "2026-11-21 notes", None),
        ("YYYY-MM-DD", "2026-11-2", None),
        ("YYYY-MM-DD", "2026-02-30", None),
        ("YYYY-MM-DD", "", None),
        ("D.M.YYYY", "01.2.2026", None),
        ("dddd YYYY-MM-DD", "Friday 2026-11-21", None),
        ("YYYY/MM/YYYY-MM-DD", "2026/10/2026-11-21", None),
        ("MM-DD", "11-21", None),
        ("YYYY-MM", "2026-11", None),
        ("GGGG-[W]WW", "2026-W47", None),
        ("DD. MMM", "1é. Nov", None),
        ("YYYY-DDD", "2026-366", None),
        ("GGGG-[W]WW-E", "2026-W54-1", None),
        ("gggg-ww-d", "2026-53-5", None),
    ] {
        assert_eq!(MomentFormat::parse(format).date(text), expected, "{text} as {format}");
    }
}

#[test]
fn every_day_of_ten_years_round_trips() {
    let formats = ["YYYY-MM-DD", "D.M.YYYY", "dddd Do MMM YY", "GGGG-[W]WW-E", "gggg w dd", "YYYY DDD"];
    let formats = formats.map(MomentFormat::parse);
    let mut day = saturday();
    for _ in 0..3653 {
        for format in &formats {
            assert_eq!(format.date(&format.text(&day)), Some(day.date()), "{format:?}");
        }
        day = day.tomorrow().unwrap();
    }
}

#[test]
fn hostile_format_is_parsed_in_bounded_time() {
    let at = saturday();
    for unit in ["[", "]", "\\", "L", "LLLL", "[a", "DDDo", "é", "S", "Y[]"] {
        let format = MomentFormat::parse(&unit.repeat(1000 / unit.len()));
        format.text(&at);
        format.date(&"2026".repeat(5_000));
    }
    let long = "D".repeat(1001);
    assert_eq!(MomentFormat::parse(&long).text(&at), long);
}
