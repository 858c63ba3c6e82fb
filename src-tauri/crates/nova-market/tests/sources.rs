//! Each source against the shapes of its answers: good, wrong, empty, throttled. Requests over HTTP are
//! covered by the tests of the skills.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use futures::executor::block_on;
use jiff::civil::Date;
use nova_market::sources::{Description, Known, described};
use nova_market::{
    File, History, Intraday, Listing, Quoted, Request, Response, Source, SourceError, Transport,
};
use url::Url;

/// Responds to each request with a status and a body.
struct Answers {
    answer: fn(&str) -> (u16, String),
    asked: Mutex<Vec<Request>>,
}

#[async_trait]
impl Transport for Answers {
    async fn get(&self, request: Request) -> Result<Response, SourceError> {
        let path = request.url.as_str().trim_start_matches("https://source.test").to_owned();
        let (status, body) = (self.answer)(&path);
        let url = request.url.clone();
        self.asked.lock().unwrap().push(request);
        let at = "2026-11-21T09:00:00Z".to_owned();
        Ok(Response { status, headers: BTreeMap::new(), body: body.into_bytes(), url, at })
    }

    async fn file(&self, path: &str) -> Result<File, SourceError> {
        let (_, body) = (self.answer)(path);
        Ok(File { bytes: body.into_bytes(), at: "2026-11-21T09:00:00Z".to_owned() })
    }

    async fn wait(&self, _: Duration) -> Result<(), SourceError> {
        Ok(())
    }
}

fn answers(answer: fn(&str) -> (u16, String)) -> Answers {
    Answers { answer, asked: Mutex::default() }
}

fn source(name: &str) -> Box<dyn Source> {
    let base = Url::parse("https://source.test").unwrap();
    Known::of(name).unwrap().at(base, Some("a-key".to_owned().into()))
}

fn quote(name: &str, answer: fn(&str) -> (u16, String)) -> Result<Quoted, SourceError> {
    block_on(source(name).quote(&Listing::parse("NGTL"), &answers(answer)))
}

fn history(name: &str, answer: fn(&str) -> (u16, String)) -> Result<History, SourceError> {
    let day = |text: &str| text.parse::<Date>().unwrap();
    let (from, to) = (day("2026-11-16"), day("2026-11-20"));
    block_on(source(name).history(&Listing::parse("NGTL"), from, to, &answers(answer)))
}

fn ok(body: &str) -> (u16, String) {
    (200, body.to_owned())
}

#[track_caller]
fn says<T: std::fmt::Debug>(answer: Result<T, SourceError>, why: &str) {
    assert_eq!(answer.unwrap_err().to_string(), why);
}

fn closes(history: &History) -> Vec<String> {
    history.bars.iter().map(|bar| format!("{} {}", bar.date, bar.close)).collect()
}

const ECB: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
<gesmes:subject>Reference rates</gesmes:subject><Cube><Cube time='2026-11-20'>
<Cube currency='USD' rate='1.0800'/><Cube currency='JPY' rate='162.00'/></Cube></Cube></gesmes:Envelope>"#;

#[test]
fn ecb_cross_rate_is_computed_through_the_euro() {
    let (ecb, web) = (source("ecb"), answers(|_| ok(ECB)));
    let rate = |from: &str, to: &str| block_on(ecb.rate(from, to, &web));
    assert_eq!(rate("EUR", "USD").unwrap().price.to_string(), "1.08");
    assert_eq!(rate("USD", "JPY").unwrap().price.to_string(), "150");
    let rate_to_euro = rate("USD", "EUR").unwrap();
    assert_eq!(rate_to_euro.price.to_string(), "0.9259259259");
    assert_eq!((rate_to_euro.currency.as_str(), rate_to_euro.date.to_string()), ("EUR", "2026-11-20".into()));
    says(rate("USD", "XYZ"), "has no rate of XYZ");
    assert_eq!(web.asked.lock().unwrap().len(), 1, "one page has all rates");
}

#[test]
fn ecb_past_rates_have_the_days_of_the_file() {
    const PAST: &str = "<?xml version=\"1.0\"?><Envelope><Cube>\
        <Cube time='2026-11-20'><Cube currency='USD' rate='1.25'/><Cube currency='JPY' rate='150'/></Cube>\
        <Cube time='2026-11-19'><Cube currency='USD' rate='1.28'/></Cube>\
        <Cube time='2026-11-10'><Cube currency='USD' rate='9'/></Cube></Cube></Envelope>";
    let day = |text: &str| text.parse::<Date>().unwrap();
    let (ecb, web) = (source("ecb"), answers(|_| ok(PAST)));
    let rates = |from: &str, to: &str, first: &str| {
        block_on(ecb.rates((from, to), day(first), day("2026-11-20"), &web))
    };
    let history = rates("USD", "EUR", "2026-11-16").unwrap();
    assert_eq!(closes(&history), ["2026-11-20 0.8", "2026-11-19 0.78125"]);
    assert_eq!(history.currency, "EUR");
    // One of the currencies has no rate on some days.
    assert_eq!(closes(&rates("USD", "JPY", "2026-11-16").unwrap()), ["2026-11-20 120"]);
    says(rates("USD", "CHF", "2026-11-16"), "has no rate from USD to CHF in these days");
    // Older rates are in another file.
    rates("USD", "EUR", "2020-01-01").unwrap();
    let asked = web.asked.lock().unwrap();
    let pages: Vec<&str> =
        asked.iter().map(|request| request.url.path().rsplit('/').next().unwrap()).collect();
    assert_eq!(pages.first(), Some(&"eurofxref-hist-90d.xml"));
    assert_eq!(pages.last(), Some(&"eurofxref-hist.xml"));
}

#[test]
fn invalid_ecb_file_is_refused() {
    let rate =
        |answer: fn(&str) -> (u16, String)| block_on(source("ecb").rate("EUR", "USD", &answers(answer)));
    let unreadable = "did not answer with rates";
    says(rate(|_| ok("<html>Sorry</html>")), "answered with a web page instead of a quote");
    says(rate(|_| ok("<?xml version=\"1.0\"?><a><b>")), unreadable);
    says(rate(|_| ok("<?xml version=\"1.0\"?><a/>")), unreadable);
    let many =
        |_: &str| ok(&format!("<?xml version=\"1.0\"?>{}", "<Cube currency='USD' rate='1'/>".repeat(2_000)));
    says(rate(many), unreadable);
    const ZERO: &str =
        "<?xml version=\"1.0\"?><Cube time='2026-11-20'><Cube currency='USD' rate='0'/></Cube>";
    says(rate(|_| ok(ZERO)), unreadable);
    says(rate(|_| (404, "Not found".into())), "has no rates (status 404)");
}

#[test]
fn twelve_data_answer_has_currency_or_error() {
    let quoted = quote("twelve_data", |path| {
        assert_eq!(path, "/quote?symbol=NGTL");
        ok(r#"{"symbol":"NGTL","name":"Northgate Tooling","currency":"USD","datetime":"2026-11-20",
            "timestamp":1795192500,"close":"42.18000","previous_close":"41.83"}"#)
    });
    let quoted = quoted.unwrap();
    assert_eq!((quoted.price.to_string(), quoted.currency.as_str()), ("42.18000".into(), "USD"));
    assert_eq!(
        (quoted.name.as_deref(), quoted.date.to_string()),
        (Some("Northgate Tooling"), "2026-11-20".into())
    );

    let error = |_: &str| ok(r#"{"code":404,"message":"**symbol** not found: NGTL.","status":"error"}"#);
    says(quote("twelve_data", error), "says: **symbol** not found: NGTL");
    let spent = |_: &str| ok(r#"{"code":429,"message":"You have run out of credits","status":"error"}"#);
    says(quote("twelve_data", spent), "receives too many requests");
    let wrong = |_: &str| ok(r#"{"code":401,"message":"apikey is incorrect","status":"error"}"#);
    says(quote("twelve_data", wrong), "does not accept the key");
    let pence = |_: &str| ok(r#"{"currency":"GBp","timestamp":1795192500,"close":"42"}"#);
    says(quote("twelve_data", pence), "quotes it in GBp, which is not a currency");
    let days = history("twelve_data", |path| {
        assert!(path.contains("start_date=2026-11-16&end_date=2026-11-21"), "{path}");
        ok(r#"{"meta":{"currency":"USD"},"values":[{"datetime":"2026-11-20","close":"42.18","volume":"900"},
            {"datetime":"2026-11-19","close":"41.83","volume":"1200"}],"status":"ok"}"#)
    });
    assert_eq!(closes(&days.unwrap()), ["2026-11-20 42.18", "2026-11-19 41.83"]);
}

#[test]
fn tiingo_closes_are_split_adjusted() {
    let days = history("tiingo", |path| {
        assert_eq!(path, "/tiingo/daily/NGTL/prices?startDate=2026-11-16&endDate=2026-11-20");
        ok(r#"[{"date":"2026-11-18T00:00:00.000Z","close":84.0,"volume":10,"divCash":1.0,"splitFactor":1.0},
            {"date":"2026-11-19T00:00:00.000Z","close":42.0,"volume":20,"divCash":0.0,"splitFactor":2.0},
            {"date":"2026-11-20T00:00:00.000Z","close":42.18,"volume":30,"divCash":0.0,"splitFactor":1.0}]"#)
    });
    let days = days.unwrap();
    assert_eq!(closes(&days), ["2026-11-18 42", "2026-11-19 42", "2026-11-20 42.18"]);
    let events = days.events.unwrap();
    assert_eq!(events.splits[0].1.to_string(), "2.0");
    assert_eq!(events.dividends[0].1.to_string(), "0.50", "for one share as there are now");
    says(history("tiingo", |_| (404, r#"{"detail":"Not found."}"#.into())), "says: Not found");
}

#[test]
fn us_only_source_is_not_asked_for_foreign_shares() {
    for name in ["tiingo", "alpha_vantage"] {
        let web = answers(|_| ok("{}"));
        says(block_on(source(name).quote(&Listing::parse("NGTL.DE"), &web)), "does not quote XETRA");
        assert!(web.asked.lock().unwrap().is_empty());
    }
}

#[test]
fn share_class_is_spelled_as_each_source_expects() {
    let path = |name: &str, symbol: &str| {
        let web = answers(|_| ok("{}"));
        let _ = block_on(source(name).quote(&Listing::parse(symbol), &web));
        web.asked.lock().unwrap()[0].url.as_str().to_owned()
    };
    assert!(path("yahoo", "BRK.B").contains("/chart/BRK-B?"));
    assert!(path("stooq", "brk.b").contains("s=brk-b.us&"));
    assert!(path("tiingo", "BRK.B").contains("/daily/BRK-B/"));
    assert!(path("finnhub", "BRK.B").contains("symbol=BRK.B"));
    // Frankfurt's suffix, and that of an unknown exchange.
    assert!(path("yahoo", "BMW.F").contains("/chart/BMW.F?"));
    assert!(path("yahoo", "2330.TW").contains("/chart/2330.TW?"));
}

#[test]
fn alpha_vantage_rate_limit_has_status_200() {
    let limit = |_: &str| ok(r#"{"Information":"Your key a-key has a limit of 25 requests a day."}"#);
    says(quote("alpha_vantage", limit), "receives too many requests, or does not accept the key");
    says(quote("alpha_vantage", |_| ok(r#"{"Global Quote":{}}"#)), "has no price of it");
    says(quote("alpha_vantage", |_| ok(r#"{"Error Message":"Invalid API call."}"#)), "does not know it");
    let quoted = quote("alpha_vantage", |_| {
        ok(
            r#"{"Global Quote":{"01. symbol":"NGTL","05. price":"42.1800","07. latest trading day":"2026-11-20",
            "08. previous close":"41.8300"}}"#,
        )
    });
    let quoted = quoted.unwrap();
    assert_eq!((quoted.price.to_string(), quoted.date.to_string()), ("42.1800".into(), "2026-11-20".into()));
    assert_eq!(quoted.url, "https://source.test/query", "without the key");
}

#[test]
fn yahoo_dividends_are_converted_from_subunits() {
    let days = history("yahoo", |_| {
        ok(r#"{"chart":{"result":[{"meta":{"symbol":"NGTL","currency":"GBp","gmtoffset":0},
            "timestamp":[1795089600,1795176000],
            "events":{"dividends":{"1":{"amount":80,"date":1795089600}},
              "splits":{"1":{"date":1795176000,"numerator":3,"denominator":2,"splitRatio":"3:2"}}},
            "indicators":{"quote":[{"close":[4183,4218],"volume":[1200,null]}]}}],"error":null}}"#)
    });
    let days = days.unwrap();
    assert_eq!(days.currency, "GBP");
    assert_eq!(closes(&days), ["2026-11-19 41.83", "2026-11-20 42.18"]);
    let events = days.events.unwrap();
    assert_eq!(
        (events.dividends[0].1.to_string(), events.splits[0].1.to_string()),
        ("0.8".into(), "1.50".into())
    );
    assert_eq!((days.bars[0].volume, days.bars[1].volume), (Some(1200), None));
}

/// Yahoo's answer about a day at New York, opened at 14:30 UTC.
const MINUTES: &str = r#"{"chart":{"result":[{"meta":{"currency":"USD","symbol":"NGTL","exchangeName":"NYQ",
    "gmtoffset":-18000,"timezone":"EST","exchangeTimezoneName":"America/New_York","regularMarketPrice":42.18,
    "regularMarketTime":1795208402,"chartPreviousClose":41.83,"dataGranularity":"5m","range":"1d"},
    "timestamp":[1795185000,1795185300,1795185600,1795208402],
    "indicators":{"quote":[{"open":[41.9,null,41.9,42.1],"close":[41.900001525878906,null,42.0099983215332,42.18],
    "volume":[12000,null,900,0]}]}}],"error":null}}"#;

fn intraday(name: &str, answer: fn(&str) -> (u16, String)) -> Result<Intraday, SourceError> {
    block_on(source(name).intraday(&Listing::parse("NGTL"), &answers(answer)))
}

/// Time at the exchange, price and volume of each, after the checks.
fn minutes(found: Result<Intraday, SourceError>) -> Result<Vec<String>, SourceError> {
    let day = found?.checked(Some("USD"), "2026-11-21".parse().unwrap())?;
    let zone = day.zone.clone();
    let shown = day.ticks.iter().map(|tick| {
        let time = tick.time.to_zoned(zone.clone()).strftime("%d %H:%M:%S%:z").to_string();
        format!("{time} {} {}", tick.price, tick.volume.unwrap_or_default())
    });
    Ok(shown.collect())
}

const OF_THE_DAY: [&str; 3] =
    ["20 09:30:00-05:00 41.9 12000", "20 09:40:00-05:00 42.01 900", "20 16:00:02-05:00 42.18 0"];

#[test]
fn yahoo_prices_within_a_day_have_the_time_of_the_exchange() {
    let day = intraday("yahoo", |path| {
        assert_eq!(path, "/v8/finance/chart/NGTL?range=1d&interval=5m&includePrePost=false");
        ok(MINUTES)
    });
    assert_eq!(day.as_ref().unwrap().zone.iana_name(), Some("America/New_York"));
    assert_eq!(minutes(day).unwrap(), OF_THE_DAY);
}

#[test]
fn yahoo_before_the_open_gives_the_last_session() {
    let answer = |path: &str| {
        const EMPTY: &str = r#"{"chart":{"result":[{"meta":{"currency":"USD","symbol":"NGTL","gmtoffset":-18000,
            "exchangeTimezoneName":"America/New_York"},"indicators":{"quote":[{}]}}],"error":null}}"#;
        match path.contains("range=1d") {
            true => ok(EMPTY),
            // With a price of the session before.
            false => ok(&MINUTES
                .replace("[1795185000,", "[1795120000,1795185000,")
                .replace(r#""close":["#, r#""close":[41.5,"#)
                .replace(r#""volume":["#, r#""volume":[700,"#)),
        }
    };
    assert_eq!(minutes(intraday("yahoo", answer)).unwrap(), OF_THE_DAY);
    let never = |_: &str| {
        ok(
            r#"{"chart":{"result":[{"meta":{"currency":"USD","symbol":"NGTL"},"indicators":{"quote":[{}]}}],"error":null}}"#,
        )
    };
    says(minutes(intraday("yahoo", never)), "has no prices within a day");
}

#[test]
fn yahoo_zone_outlives_a_change_of_the_clocks() {
    // Friday before the clocks changed, with the offset of the Sunday after.
    let friday = |_: &str| {
        ok(&MINUTES
            .replace("1795185000", "1793367000")
            .replace("1795185300", "1793367300")
            .replace("1795185600", "1793367600")
            .replace("1795208402", "1793390402"))
    };
    let day = intraday("yahoo", friday).unwrap();
    assert_eq!(day.day(), Some("2026-10-30".parse().unwrap()));
    let opened = day.ticks[0].time.to_zoned(day.zone.clone());
    assert_eq!(opened.to_string(), "2026-10-30T09:30:00-04:00[America/New_York]");
}

#[test]
fn yahoo_zone_without_a_known_name_is_its_offset() {
    let unknown = intraday("yahoo", |_| ok(&MINUTES.replace("America/New_York", "Mars/Olympus")));
    assert_eq!(minutes(unknown).unwrap(), OF_THE_DAY);
    let none = intraday("yahoo", |_| ok(&MINUTES.replace("\"America/New_York\"", "null")));
    assert_eq!(minutes(none).unwrap(), OF_THE_DAY);
}

#[test]
fn yahoo_prices_within_a_day_are_converted_from_subunits() {
    let day = intraday("yahoo", |_| ok(&MINUTES.replace("\"USD\"", "\"GBp\""))).unwrap();
    assert_eq!(day.currency, "GBP");
    let prices: Vec<String> = day.ticks.iter().map(|tick| tick.price.to_string()).collect();
    assert_eq!(prices, ["0.419", "0.4201", "0.4218"]);
}

#[test]
fn implausible_prices_within_a_day_are_refused() {
    let refused =
        |answer: fn(&str) -> (u16, String), why: &str| says(minutes(intraday("yahoo", answer)), why);
    refused(|_| ok("<!DOCTYPE html>Are you a robot?"), "answered with a web page instead of a quote");
    refused(|_| ok(&MINUTES.replace("\"USD\"", "\"CAD\"")), "quotes it in CAD, but it is recorded in USD");
    refused(|_| ok(&MINUTES.replace("\"NGTL\"", "\"OTHER\"")), "answered about OTHER instead of NGTL");
    refused(
        |_| ok(&MINUTES.replace(",42.18]", ",421800]")),
        "answered with the price 421800 of 2026-11-20T21:00:02Z, more than 1,000 times off the others",
    );
    refused(
        |_| ok(&MINUTES.replace("17951", "17943").replace("17952", "17944")),
        "has no newer price than that of 11 Nov 2026",
    );
    refused(
        |_| ok(&MINUTES.replace("1795208402", "1795708402")),
        "answered with a price of 2026-11-26, which is in the future",
    );
    // A price of zero is none.
    let zero = intraday("yahoo", |_| ok(&MINUTES.replace(",42.18]", ",0]")));
    assert_eq!(minutes(zero).unwrap(), OF_THE_DAY[..2]);
}

#[test]
fn source_without_prices_within_a_day_says_so() {
    for name in ["stooq", "finnhub", "twelve_data", "tiingo", "alpha_vantage", "ecb"] {
        says(intraday(name, |_| unreachable!("it is not asked")), "gives no prices within a day");
    }
}

#[test]
fn web_page_or_empty_body_is_an_error_for_every_source() {
    for name in ["stooq", "yahoo", "finnhub", "twelve_data", "tiingo", "alpha_vantage"] {
        let page = |_: &str| ok("<!DOCTYPE html><html>Are you a robot?</html>");
        says(quote(name, page), "answered with a web page instead of a quote");
        says(quote(name, |_| ok("")), "answered with nothing");
        says(quote(name, |_| (429, String::new())), "receives too many requests");
        says(quote(name, |_| (403, String::new())), "refuses to answer (status 403)");
    }
}

#[test]
fn key_is_sent_in_a_header_if_the_source_supports_it() {
    for name in ["finnhub", "twelve_data", "tiingo"] {
        let web = answers(|_| ok("{}"));
        let _ = block_on(source(name).quote(&Listing::parse("NGTL"), &web));
        let asked = web.asked.lock().unwrap();
        assert!(!asked[0].url.as_str().contains("a-key"), "{}", asked[0].url);
        assert!(asked[0].headers.values().any(|value| value.contains("a-key")));
    }
}

/// A user-defined source, asked for the week up to 20 November 2026.
fn own(description: serde_json::Value, answer: fn(&str) -> (u16, String)) -> Result<History, SourceError> {
    let day = |text: &str| text.parse::<Date>().unwrap();
    let description: Description = serde_json::from_value(description).unwrap();
    let source = described(description, day("2026-11-20"));
    let listing = Listing { currency: Some("EUR".into()), ..Listing::parse("BRK/B") };
    block_on(source.history(&listing, day("2026-11-16"), day("2026-11-20"), &answers(answer)))
}

#[test]
fn user_defined_service_is_parsed_as_described() {
    let description = serde_json::json!({
        "name": "My bank", "address": "https://source.test/{symbol}?from={from}&to={to}", "rows": "/data",
        "date": "day", "close": "last", "open": "first", "currency": "usd",
    });
    let history = own(description.clone(), |path| {
        // The symbol remains one path segment.
        assert_eq!(path, "/BRK%2FB?from=2026-11-16&to=2026-11-20");
        ok(r#"{"data":[{"day":"2026-11-19T16:00:00","last":"41.5","first":41},{"day":1795132800,"last":42.18},
            {"day":"2026-11-02","last":1}]}"#)
    })
    .unwrap();
    assert_eq!(closes(&history), ["2026-11-19 41.5", "2026-11-20 42.18"]);
    assert_eq!((history.currency.as_str(), history.bars[0].open), ("USD", Some(41.into())));
    assert_eq!(history.url, "https://source.test/BRK%2FB");
    // One list per column.
    let history =
        own(description.clone(), |_| ok(r#"{"data":{"day":["2026-11-19"],"last":[41.5]}}"#)).unwrap();
    assert_eq!(closes(&history), ["2026-11-19 41.5"]);
    // A day without trading, as null in a row or in a column.
    let days = own(description.clone(), |_| {
        ok(r#"{"data":[{"day":"2026-11-18","last":null},{"day":"2026-11-19","last":41.5,"first":null}]}"#)
    });
    assert_eq!(closes(&days.unwrap()), ["2026-11-19 41.5"]);
    let days = own(description.clone(), |_| {
        ok(r#"{"data":{"day":["2026-11-18","2026-11-19"],"last":[null,41.5]}}"#)
    });
    assert_eq!(closes(&days.unwrap()), ["2026-11-19 41.5"]);
    assert!(own(description.clone(), |_| ok(r#"{"data":[{"day":"20261119","last":"1,234"}]}"#)).is_err());
    let compact =
        own(description.clone(), |_| ok(r#"{"data":[{"day":"20261119","last":"1234,5"}]}"#)).unwrap();
    assert_eq!(closes(&compact), ["2026-11-19 1234.5"]);
    says(own(description.clone(), |_| ok("<html>")), "answered with a web page instead of a quote");
    says(own(description.clone(), |_| ok(r#"{"prices":[]}"#)), "has no rows at /data in its answer");
    says(
        own(description.clone(), |_| ok(r#"{"data":[{"date":"2026-11-19","last":1}]}"#)),
        "has no column day; there are date, last",
    );
    says(
        own(description, |_| ok(r#"{"data":[{"day":"yesterday","last":1}]}"#)),
        "answered with \"yesterday\" as the date",
    );
}

#[test]
fn vault_file_is_parsed_as_described() {
    let description = serde_json::json!({"name": "Files", "address": "Markets/{symbol}.csv", "date": "Date", "close": "Close"});
    let history = own(description.clone(), |path| {
        assert_eq!(path, "Markets/BRK_B.csv");
        ok("\u{feff}Date;Close;Note\n2026-11-19;41,50;\"a;b\"\n2026-11-20;42,18;\n")
    })
    .unwrap();
    assert_eq!(closes(&history), ["2026-11-19 41.50", "2026-11-20 42.18"]);
    assert_eq!((history.currency.as_str(), history.url.as_str()), ("EUR", "Markets/BRK_B.csv"));
    assert!(
        own(description, |_| ok("Date,Close\n2026-11-19\n"))
            .unwrap_err()
            .to_string()
            .contains("cannot be read")
    );
}

fn search(name: &str, answer: fn(&str) -> (u16, String)) -> Result<Vec<String>, SourceError> {
    let found = block_on(source(name).search("northgate", &answers(answer)))?;
    let shown = |found: nova_market::Found| {
        let (exchange, kind) = (found.exchange.unwrap_or_default(), found.kind.unwrap_or_default());
        format!("{}|{}|{exchange}|{kind}", found.symbol, found.name)
    };
    Ok(found.into_iter().map(shown).collect())
}

#[test]
fn companies_are_found_by_each_keyed_source() {
    let found = search("finnhub", |path| {
        assert_eq!(path, "/api/v1/search?q=northgate");
        ok(
            r#"{"count":1,"result":[{"description":"NORTHGATE TOOLING","displaySymbol":"NGTL","symbol":"NGTL","type":"Common Stock"}]}"#,
        )
    });
    assert_eq!(found.unwrap(), ["NGTL|NORTHGATE TOOLING||common stock"]);
    let found = search("twelve_data", |path| {
        assert_eq!(path, "/symbol_search?symbol=northgate");
        ok(
            r#"{"data":[{"symbol":"NGTL","instrument_name":"Northgate Tooling Inc","exchange":"NASDAQ","mic_code":"XNGS",
            "instrument_type":"Common Stock","country":"United States","currency":"USD"}],"status":"ok"}"#,
        )
    });
    assert_eq!(found.unwrap(), ["NGTL|Northgate Tooling Inc|NASDAQ|common stock"]);
    let found = search("alpha_vantage", |path| {
        assert_eq!(path, "/query?function=SYMBOL_SEARCH&keywords=northgate&apikey=a-key");
        ok(
            r#"{"bestMatches":[{"1. symbol":"NGT.LON","2. name":"Northgate plc","3. type":"Equity","4. region":"United Kingdom",
            "5. marketOpen":"08:00","6. marketClose":"16:30","7. timezone":"UTC+01","8. currency":"GBX","9. matchScore":"0.7273"}]}"#,
        )
    });
    assert_eq!(found.unwrap(), ["NGT.L|Northgate plc|United Kingdom|equity"]);
    let found = search("tiingo", |path| {
        assert_eq!(path, "/tiingo/utilities/search?query=northgate");
        ok(
            r#"[{"ticker":"ngtl","name":"Northgate Tooling","assetType":"Stock","isActive":true,"permaTicker":"US000000000001",
            "openFIGI":"BBG000000001","countryCode":"US"},
            {"ticker":"ngold","name":"Northgate Gold","assetType":"Stock","isActive":false,"countryCode":"US"},
            {"ticker":"000123","name":"Northgate China","assetType":"Stock","isActive":true,"countryCode":"CN"}]"#,
        )
    });
    assert_eq!(found.unwrap(), ["NGTL|Northgate Tooling|US|stock"]);
}

#[test]
fn search_that_fails_says_why() {
    for name in ["finnhub", "twelve_data", "alpha_vantage", "tiingo"] {
        says(
            search(name, |_| ok("<html>Are you a robot?</html>")),
            "answered with a web page instead of a quote",
        );
        says(search(name, |_| (429, String::new())), "receives too many requests");
    }
    let limit = |_: &str| ok(r#"{"Information":"Your key a-key has a limit of 25 requests a day."}"#);
    says(search("alpha_vantage", limit), "receives too many requests, or does not accept the key");
}

#[test]
fn alpha_vantage_overview_has_a_day_and_a_reason_for_each_figure() {
    const OVERVIEW: &str = r#"{"Symbol":"NGTL","AssetType":"Common Stock","Name":"Northgate Tooling Inc","Currency":"USD",
        "LatestQuarter":"2026-09-30","MarketCapitalization":"1250000000","PERatio":"None","EPS":"2.35",
        "RevenueTTM":"640000000","OperatingMarginTTM":"0.2174","ProfitMargin":"-0.031","PriceToSalesRatioTTM":"1.95",
        "DividendPerShare":"-","DividendYield":"0.0123"}"#;
    let overview = |answer: fn(&str) -> (u16, String)| {
        block_on(source("alpha_vantage").fundamentals(&Listing::parse("NGTL"), &answers(answer)))
    };
    let found = overview(|path| {
        assert_eq!(path, "/query?function=OVERVIEW&symbol=NGTL&apikey=a-key");
        ok(OVERVIEW)
    });
    let found = found.unwrap();
    assert_eq!(
        (found.name.as_str(), found.url.as_str()),
        ("Northgate Tooling Inc", "https://source.test/query")
    );
    let shown: Vec<String> = (found.figures.iter())
        .map(|figure| match &figure.value {
            Ok(value) => format!("{} {} {}", figure.key, value.value, value.date),
            Err(why) => format!("{}: {why}", figure.key),
        })
        .collect();
    assert_eq!(
        shown,
        [
            "market_value 1250000000 2026-11-21",
            "price_to_earnings: Alpha Vantage does not have it",
            "price_to_sales 1.95 2026-11-21",
            "earnings_per_share 2.35 2026-09-30",
            "revenue 640000000 2026-09-30",
            "operating_margin 21.7 2026-09-30",
            "net_margin -3.1 2026-09-30",
            "dividend: Alpha Vantage does not have it",
            "dividend_yield 1.2 2026-11-21",
        ]
    );
    says(overview(|_| ok("{}")), "has no key figures of it");
    says(overview(|_| ok(r#"{"Symbol":"OTHER"}"#)), "answered about OTHER instead of NGTL");
    let other = |_: &str| ok(r#"{"Symbol":"NGTL","Currency":"CAD","LatestQuarter":"2026-09-30"}"#);
    says(overview(other), "reports it in CAD, and it is quoted in USD");
    let web = answers(|_| ok("{}"));
    let foreign = block_on(source("alpha_vantage").fundamentals(&Listing::parse("NGTL.DE"), &web));
    says(foreign, "does not quote XETRA");
    assert!(web.asked.lock().unwrap().is_empty());
}
