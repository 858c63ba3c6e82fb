//! Screens as notes: listed, refused with their line, saved.

use nova_skill::{Value, json};
use nova_testkit::Reply;

use crate::{Market, over};

const VAULT: &str = "\
//- Screener/Screens/Mid-cap value.md
---
type: screen
universe: \"[[Mid caps]]\"
conditions:
  - market_value between 0.5 bn and 5 bn
  - price_to_earnings < 18
  - close > sma(close, 200)
score:
  - low price_to_earnings 50 %
---
What I like.

//- Screener/Screens/Broken.md
---
type: screen
conditions:
  - close > 10
  - price_to_earning < 18
---
//- Screener/Strategies/Monthly value.md
---
type: strategy
screen: \"[[Mid-cap value]]\"
---
";

#[test]
fn saved_screen_is_listed_with_its_fields() {
    let value = Market::default().over(VAULT).value("list_screens", json!({}));
    let screens = value["screens"].as_array().unwrap();
    let screen = screens.iter().find(|screen| screen["name"] == "Mid-cap value").unwrap();
    assert_eq!(screen["universe"], "Mid caps");
    assert_eq!(
        screen["conditions"],
        json!([
            {"text": "market_value between 0.5 bn and 5 bn", "field": "market_value", "operator": "between",
             "values": ["0.5 bn", "5 bn"], "problem": null},
            {"text": "price_to_earnings < 18", "field": "price_to_earnings", "operator": "below",
             "values": ["18"], "problem": null},
            {"text": "close > sma(close, 200)", "field": null, "operator": null, "values": [], "problem": null},
        ])
    );
    let broken = screens.iter().find(|screen| screen["name"] == "Broken").unwrap();
    let problem = broken["conditions"][1]["problem"].as_str().unwrap();
    assert!(problem.contains("Did you mean price_to_earnings?"), "{problem}");
    assert_eq!(value["strategies"][0]["screen"], "Mid-cap value");
    assert!(value["fields"].as_array().unwrap().iter().any(|field| field["key"] == "net_debt_to_ebitda"));
}

#[test]
fn unparsable_condition_stops_the_scan_with_its_line() {
    let skill = Market::default().over(VAULT);
    let error = skill.error("scan_universe", json!({"screen": "broken", "universe": "watchlist"}));
    assert_eq!(
        error.message,
        "Line 2 of conditions, `price_to_earning < 18`, character 1: \"price_to_earning\" is not a known figure."
    );
    assert_eq!(error.hint, "Did you mean price_to_earnings?");
}

#[test]
fn screen_is_saved_as_a_note_and_updated_without_changing_its_text() {
    let skill = Market::default().over(VAULT);
    let saved = skill.value(
        "save_screen",
        json!({"name": "Oversold", "conditions": ["rsi(close, 14) < 30"], "missing": "keep"}),
    );
    assert_eq!(saved["path"], "Screener/Screens/Oversold.md");
    assert_eq!(
        skill.vault.read("Screener/Screens/Oversold.md"),
        "---\ntype: screen\nconditions:\n  - rsi(close, 14) < 30\nmissing: keep\n---\n"
    );
    skill.value("save_screen", json!({"name": "mid-cap value", "conditions": ["price_to_earnings < 15"]}));
    assert_eq!(
        skill.vault.read("Screener/Screens/Mid-cap value.md"),
        "---\ntype: screen\nuniverse: \"[[Mid caps]]\"\nconditions:\n  - price_to_earnings < 15\nscore:\n  - low price_to_earnings 50 %\n---\nWhat I like.\n\n"
    );
}

#[test]
fn unparsable_screen_is_not_saved() {
    let skill = Market::default().over(VAULT);
    let before = skill.vault.files();
    let error = skill.error("save_screen", json!({"name": "X", "conditions": ["close >"]}));
    assert!(error.message.contains("missing at the end"), "{}", error.message);
    assert_eq!(skill.vault.files(), before);
}

#[test]
fn list_says_when_a_screen_was_last_scanned() {
    let skill = Market::default().share("UPUP", &[10.0, 11.0]).over(
        "//- Rising.md\n---\ntype: screen\nuniverse: One\nconditions:\n  - close > close[1]\n---\n\
         //- One.md\n---\ntype: universe\n---\n- UPUP\n",
    );
    let last = || skill.value("list_screens", json!({}))["screens"][0]["last"].clone();
    assert_eq!(last(), json!(null));
    // A scan with other conditions does not count for the saved screen.
    skill.value("scan_universe", json!({"screen": "Rising", "conditions": ["close > 100"]}));
    assert_eq!(last(), json!(null));
    skill.value("scan_universe", json!({"screen": "Rising"}));
    assert_eq!(last()["hits"], 1);
    assert!(last()["at"].as_str().unwrap().starts_with("2026-11-2"), "{}", last());
}

#[test]
fn conditions_are_checked_without_a_request() {
    let skill = Market::default().over(VAULT);
    let lines = ["price_to_earnings < 18", "close > sma(close 200)", "closes > 5", "close", ""];
    let value = skill.value("check_conditions", json!({"conditions": lines}));
    let rows = value["conditions"].as_array().unwrap();
    assert_eq!(
        rows[0],
        json!({"line": 1, "text": "price_to_earnings < 18", "problem": null, "character": null,
               "reads": ["Price ÷ earnings"], "needs_reports": true})
    );
    let at: Vec<(&Value, &Value)> = rows[1..].iter().map(|row| (&row["line"], &row["character"])).collect();
    assert_eq!(
        at,
        [(&json!(2), &json!(19)), (&json!(3), &json!(1)), (&json!(4), &json!(1)), (&json!(5), &json!(1))]
    );
    assert!(rows[1..].iter().all(|row| row["problem"].is_string() && row["reads"] == json!([])), "{value:#}");
    assert!(skill.requests().is_empty());
}

#[test]
fn pasted_symbols_become_a_list_that_the_user_edits() {
    let skill = Market::default().over("//- Note.md\nx\n");
    let pasted = "Symbol,Name\nNGTL,Northgate Tooling\nKSTL.DE,Kestrel Pumps\ncash,Cash\n";
    let value = skill.value("save_universe", json!({"name": "Mid caps", "text": pasted}));
    assert_eq!(
        value,
        json!({"path": "Screener/Universes/Mid caps.md", "count": 2, "skipped": 1, "skipped_lines": ["cash Cash"]})
    );
    let note = skill.vault.read("Screener/Universes/Mid caps.md");
    assert!(note.ends_with("- NGTL Northgate Tooling\n- KSTL.DE Kestrel Pumps\n"), "{note}");
    skill
        .vault
        .write("Screener/Universes/Mid caps.md", &note.replace("- KSTL.DE Kestrel Pumps", "- SLVN\n- BWOP"));
    let listed = skill.value("universes", json!({}))["universes"][0].clone();
    assert_eq!(
        (&listed["name"], &listed["count"], &listed["day"]),
        (&json!("Mid caps"), &json!(3), &json!("2026-11-21"))
    );
    let error = skill.error("save_universe", json!({"name": "mid caps", "text": "NGTL"}));
    assert_eq!(error.message, "There is a list Mid caps already: Screener/Universes/Mid caps.md.");
    let none = skill.error("save_universe", json!({"name": "None", "text": "just words"}));
    assert!(none.message.starts_with("/text: has no symbol"), "{}", none.message);
}

#[test]
fn companies_of_an_exchange_become_a_list() {
    let skill = over("//- Note.md\nx\n", |request| {
        assert_eq!(request.path, "/files/company_tickers_exchange.json");
        assert!(request.headers["user-agent"].contains('@'), "{:?}", request.headers);
        Reply::text(
            r#"{"fields":["cik","name","ticker","exchange"],"data":[[1,"Northgate Tooling Inc","NGTL","Nasdaq"],
            [2,"Berkshire","BRK-B","NYSE"],[3,"Silvan","SLVN","Nasdaq"],[4,"Unlisted","UNLD",null]]}"#,
        )
    });
    let value = skill.value("save_universe", json!({"name": "Nasdaq", "filers": "nasdaq"}));
    assert_eq!(value["count"], 2);
    let note = skill.vault.read("Screener/Universes/Nasdaq.md");
    assert!(note.ends_with("- NGTL Northgate Tooling Inc\n- SLVN Silvan\n"), "{note}");
    skill.value("save_universe", json!({"name": "NYSE", "filers": "nyse"}));
    assert!(skill.vault.read("Screener/Universes/NYSE.md").ends_with("- BRK.B Berkshire\n"));
    let both = skill.error("save_universe", json!({"name": "Both", "filers": "nyse", "text": "NGTL"}));
    assert_eq!(both.message, "/text: is needed, or filers in place of it.");
}

#[test]
fn failed_request_to_the_sec_makes_no_list() {
    let skill = over("", |_| Reply::text("<html>Undeclared automated tool</html>"));
    let before = skill.vault.files();
    let error = skill.error("save_universe", json!({"name": "NYSE", "filers": "nyse"}));
    assert!(error.message.starts_with("The SEC answered with a web page"), "{}", error.message);
    assert_eq!(skill.vault.files(), before);
}
