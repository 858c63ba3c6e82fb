//! Hits of a scan, and its report on all other shares.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use nova_protocol::Event;
use nova_skill::{Value, json};
use nova_testkit::{CancellationToken, Reply, SkillInVault};

use crate::{Market, chart, over};

const LIST: &str = "\
//- Screener/Universes/Mid caps.md
---
type: universe
day: 2026-09-30
---
- NGTL Northgate Tooling
- BWOP Brightwater Optics
- KSTL
- GONE Delisted Inc.
";

/// Price 40 with earnings of 2 per share, price 60 with 2, price 10 with a loss.
fn market() -> Market {
    Market::default()
        .share("NGTL", &[38.0, 40.0])
        .share("BWOP", &[61.0, 60.0])
        .share("KSTL", &[10.0, 10.0])
        .reports("NGTL", [100, 110, 20, 10])
        .reports("BWOP", [100, 120, 20, 10])
        .reports("KSTL", [100, 90, -5, 10])
}

fn symbols(rows: &Value) -> Vec<&str> {
    rows.as_array().unwrap().iter().map(|row| row["symbol"].as_str().unwrap()).collect()
}

#[test]
fn hits_have_their_figures_and_the_best_comes_first() {
    let skill = market().over(LIST);
    let value = skill.value(
        "scan_universe",
        json!({
            "conditions": ["price_to_earnings < 40", "volume > 50,000"],
            "score": ["low price_to_earnings 50 %", "high revenue_growth_1y 50 %"],
        }),
    );
    assert_eq!(symbols(&value["hits"]), ["NGTL", "BWOP"]);
    let hit = &value["hits"][1];
    // 60 × 10 million shares ÷ 20 million of profit; 120 after 100.
    assert_eq!(hit["values"], json!(["30.0", "60000"]));
    assert_eq!(
        (&hit["price"], &hit["currency"], &hit["date"]),
        (&json!("60.00"), &json!("USD"), &json!("2026-11-20"))
    );
    assert_eq!(hit["name"], "Brightwater Optics");
    // Its ratio is the worse of two, its growth the best of three.
    assert_eq!(
        (&hit["score"], &hit["parts"][0]["points"], &hit["parts"][1]["points"]),
        (&json!("50"), &json!("0"), &json!("50"))
    );
    // The better of two ratios, and the second growth of three.
    assert_eq!(value["hits"][0]["score"], "75");
}

#[test]
fn score_sets_the_order() {
    let skill = market().over(LIST);
    let value = skill.value("scan_universe", json!({"conditions": ["close > 5"], "score": ["low close"]}));
    assert_eq!(symbols(&value["hits"]), ["KSTL", "NGTL", "BWOP"]);
    assert_eq!(value["hits"][0]["score"], "100");
}

#[test]
fn unknown_shares_are_counted_and_named() {
    let skill = market().over(LIST);
    let value = skill.value("scan_universe", json!({"conditions": ["price_to_earnings < 25"]}));
    assert_eq!(symbols(&value["hits"]), ["NGTL"]);
    assert_eq!((&value["scanned"], &value["of"], &value["found"]), (&json!(4), &json!(4), &json!(1)));
    assert_eq!(
        value["left_out"],
        json!([{"symbol": "KSTL", "missing": ["Price ÷ earnings: the company made a loss"]}])
    );
    assert_eq!(symbols(&value["unanswered"]), ["GONE"]);
    assert!(value["unanswered"][0]["reason"].as_str().unwrap().contains("may be delisted"), "{value:#}");
    assert_eq!(
        value["universe"],
        json!({"name": "Mid caps", "count": 4, "day": "2026-09-30", "path": "Screener/Universes/Mid caps.md"})
    );
}

#[test]
fn share_with_a_missing_figure_can_be_kept_and_marked() {
    let skill = market().over(LIST);
    let value = skill.value(
        "scan_universe",
        json!({"conditions": ["close < 50", "price_to_earnings < 25"], "missing": "keep"}),
    );
    assert_eq!(symbols(&value["hits"]), ["KSTL", "NGTL"]);
    assert_eq!(value["hits"][0]["unknown"], json!([1]));
}

#[test]
fn without_a_hit_the_nearest_share_is_named() {
    let skill = market().over(LIST);
    let value = skill.value("scan_universe", json!({"conditions": ["price_to_earnings < 19", "close > 1"]}));
    assert_eq!(value["found"], 0);
    // 20 instead of 19.
    assert_eq!(value["closest"], json!({"symbol": "NGTL", "condition": "Price ÷ earnings", "by": "5.3"}));
}

#[test]
fn second_scan_of_a_day_sends_no_request() {
    let skill = market().over(LIST);
    let args = json!({"conditions": ["price_to_earnings < 25"]});
    let first = skill.value("scan_universe", args.clone());
    let asked = skill.requests().len();
    let again = skill.value("scan_universe", args);
    assert_eq!(first["hits"], again["hits"]);
    // The unknown one is requested again.
    assert_eq!(skill.requests().len(), asked + 1);
}

#[test]
fn hit_is_explained_by_each_condition() {
    let skill = market().over(LIST);
    let value = skill.value(
        "explain_hit",
        json!({"symbol": "bwop", "conditions": ["price_to_earnings < 31", "revenue_growth_1y > 10 %", "close > 70"]}),
    );
    assert_eq!((&value["symbol"], &value["hit"]), (&json!("BWOP"), &json!(false)));
    let row = |place: usize| {
        let row = &value["conditions"][place];
        (
            row["holds"].clone(),
            row["value"].clone(),
            row["limit"].clone(),
            row["source"].clone(),
            row["date"].clone(),
        )
    };
    assert_eq!(
        row(0),
        (json!(true), json!("30.0"), json!("below 31"), json!("Yahoo, SEC"), json!("2025-12-31"))
    );
    assert_eq!(row(1).2, "above 10 %");
    assert_eq!(row(1).1, "20.0");
    assert_eq!(
        row(2),
        (json!(false), json!("60.00"), json!("above 70"), json!("Yahoo"), json!("2026-11-20"))
    );
    // At 30 instead of 31 it would no longer be one.
    assert_eq!(value["nearest"], json!({"condition": 0, "limit": "30.0"}));
    // The profit is that of the previous year.
    assert_eq!(value["conditions"][0]["old"], true);
}

#[test]
fn missing_list_is_refused_with_the_existing_ones() {
    let skill = market().over(LIST);
    let error = skill.error("scan_universe", json!({"conditions": ["close > 1"], "universe": "Large caps"}));
    assert_eq!(
        (error.message.as_str(), error.hint.as_str()),
        ("There is no universe \"Large caps\".", "There are: Mid caps.")
    );
    let empty =
        Market::default().over("//- Screener/Universes/Empty.md\n---\ntype: universe\n---\nNothing yet.\n");
    assert_eq!(
        empty.error("scan_universe", json!({"conditions": ["close > 1"]})).message,
        "Empty has no symbols."
    );
}

/// Sixty shares, all of them hits; the web stops the call at this response.
fn many(stop: &CancellationToken, after: usize) -> SkillInVault {
    let bullets: String = (0..60).map(|number| format!("- S{number}\n")).collect();
    let (stop, answers) = (stop.clone(), AtomicUsize::new(0));
    over(&format!("//- Many.md\n---\ntype: universe\n---\n{bullets}"), move |request| {
        if answers.fetch_add(1, Ordering::SeqCst) + 1 == after {
            stop.cancel();
        }
        let path = request.path.split('?').next().unwrap();
        Reply::text(&chart(path.trim_start_matches("/v8/finance/chart/"), &[10.0, 11.0]))
    })
}

#[test]
fn hits_are_reported_as_they_are_found() {
    let skill = many(&CancellationToken::new(), 0);
    skill.value("scan_universe", json!({"conditions": ["close > 1"]}));
    let events = skill.events.events();
    let said: Vec<(u64, Option<f64>)> = events
        .iter()
        .filter_map(|event| match event {
            Event::ToolCallProgress { partial: Some(partial), .. } => {
                Some((partial["found"].as_u64()?, None))
            }
            Event::ToolCallProgress { fraction, .. } => Some((0, *fraction)),
            _ => None,
        })
        .collect();
    let partials: Vec<u64> = said.iter().map(|(found, _)| *found).filter(|found| *found > 0).collect();
    assert_eq!(partials.first(), Some(&1), "the first hit at once: {said:?}");
    assert!(partials.is_sorted() && partials.len() > 10, "{said:?}");
    assert!(said.iter().any(|(_, fraction)| fraction.is_some_and(|part| part > 0.9)), "{said:?}");
}

#[test]
fn stopped_scan_keeps_its_hits_and_resumes() {
    let stop = CancellationToken::new();
    let skill = many(&stop, 30);
    let outcome = skill.call_until("scan_universe", json!({"conditions": ["close > 1"]}), stop);
    assert!(outcome.result.is_err());
    let so_far = outcome.so_far.unwrap();
    let found = so_far["found"].as_u64().unwrap();
    assert!((10..=30).contains(&found), "{so_far:#}");
    let value = skill.value("scan_universe", json!({"conditions": ["close > 1"]}));
    assert_eq!(value["found"], 60);
    // Only requests in flight at the stop are repeated.
    let mut asked = BTreeMap::<String, usize>::new();
    for request in skill.requests() {
        *asked.entry(request.path.split('?').next().unwrap().to_owned()).or_default() += 1;
    }
    assert_eq!(asked.len(), 60);
    let twice = asked.values().filter(|times| **times > 1).count();
    let at_a_time = std::thread::available_parallelism().map_or(1, usize::from).max(4);
    assert!(twice <= at_a_time, "{asked:?}");
}

#[test]
fn oversized_list_is_refused_before_any_request() {
    let bullets: String = (0..20_001).map(|number| format!("- S{number}\n")).collect();
    let skill = over(&format!("//- Many.md\n---\ntype: universe\n---\n{bullets}"), |_| Reply::text("{}"));
    let error = skill.error("scan_universe", json!({"conditions": ["close > 1"]}));
    assert_eq!(error.message, "Many has 20001 symbols; a scan takes at most 20000.");
    assert!(skill.requests().is_empty());
}

#[test]
fn closes_come_from_a_configured_file_of_the_vault() {
    let vault = "//- Markets/OWN.csv\nday,close\n2026-11-19,9.00\n2026-11-20,12.50\n\
        //- List.md\n---\ntype: universe\n---\n- OWN\n- MISSING\n";
    let skill = over(vault, |_| Reply::with(404, &[], "{}")).with_config(json!({
        "sources": [],
        "own_sources": [
            {"name": "Files", "address": "Markets/{symbol}.csv", "date": "day", "close": "close", "currency": "EUR"},
        ],
    }));
    let value = skill.value("scan_universe", json!({"conditions": ["close > 10"]}));
    assert_eq!(symbols(&value["hits"]), ["OWN"]);
    assert_eq!((&value["hits"][0]["price"], &value["hits"][0]["currency"]), (&json!("12.50"), &json!("EUR")));
    assert_eq!(symbols(&value["unanswered"]), ["MISSING"]);
    assert!(skill.requests().is_empty(), "nothing was asked of the web");
}

#[test]
fn lines_without_a_symbol_are_counted() {
    let skill = market().over("//- List.md\n---\ntype: universe\n---\n- NGTL\n- nvda\n- a remark\n");
    let value = skill.value("scan_universe", json!({"conditions": ["close > 1"]}));
    assert_eq!(value["of"], 1);
    assert_eq!(value["problems"], json!(["2 lines of List name no symbol; a symbol is in capital letters."]));
}

#[test]
fn unparsable_screen_is_neither_scanned_nor_backtested() {
    let skill = market().over(
        "//- Odd.md\n---\ntype: screen\nuniverse: List\nconditions:\n  - close > 1\nmissing: sometimes\n---\n\
         //- List.md\n---\ntype: universe\n---\n- NGTL\n",
    );
    for (tool, name) in [("scan_universe", "screen"), ("backtest", "strategy")] {
        let error = skill.error(tool, json!({name: "Odd"}));
        assert!(error.message.starts_with("Odd.md cannot be used"), "{tool}: {}", error.message);
    }
}

#[test]
fn without_an_address_for_the_sec_its_setting_is_named() {
    let skill = market().over(LIST).with_config(json!({"sources": ["yahoo"]}));
    let error = skill.error("scan_universe", json!({"conditions": ["net_margin > 10 %"]}));
    assert_eq!(error.hint, "Set Contact in Settings, Skills, Screener.");
}

#[test]
fn average_over_a_gap_in_the_closes_is_unknown() {
    let vault = "//- Markets/GAP.csv\nday,close\n2026-10-01,9\n2026-10-02,9\n2026-11-19,9\n2026-11-20,12.5\n\
        //- List.md\n---\ntype: universe\n---\n- GAP\n";
    let skill = over(vault, |_| Reply::with(404, &[], "{}")).with_config(json!({
        "sources": [],
        "own_sources": [
            {"name": "Files", "address": "Markets/{symbol}.csv", "date": "day", "close": "close", "currency": "EUR"},
        ],
    }));
    for condition in
        ["close > sma(close, 3)", "change(close, 2) > 0", "close > close[2]", "close < highest(close, 4)"]
    {
        let value = skill.value("scan_universe", json!({"conditions": [condition]}));
        let missing = value["left_out"][0]["missing"][0].as_str().unwrap_or_default();
        assert!(
            missing.ends_with("its closes have a gap from 2026-10-02 to 2026-11-19"),
            "{condition}: {value:#}"
        );
    }
    // The days since are enough.
    let value = skill.value("scan_universe", json!({"conditions": ["close > sma(close, 2)"]}));
    assert_eq!(symbols(&value["hits"]), ["GAP"]);
    let trades = skill.value("find_trades", json!({"conditions": ["close > sma(close, 2)"]}));
    let line = "Closes of 1 share for more than ten days: no average or change looks back over the gap.";
    assert!(trades["unknown"].as_array().unwrap().contains(&json!(line)), "{trades:#}");
}
