//! Shares bought, sold and listed from the command line.

use nova_protocol::{Commands as _, Event, Nothing, RoutineEnd, SessionRef};
use serde_json::{Value, json};

use super::nova::Nova;

const OWNED: &str = "
//- Portfolio/Positions/NGTL.md
---
type: position
symbol: NGTL
name: Northgate Tooling
currency: EUR
quantity: 200
---
//- Portfolio/Trades/2026-03-12 NGTL buy.md
---
type: trade
symbol: NGTL
kind: buy
date: 2026-03-12
quantity: 200
price: 30.00
fee: 5.00
currency: EUR
---
//- Portfolio/Prices/2026-11-20 NGTL.md
---
type: price
symbol: NGTL
date: 2026-11-20
close: 42.18
currency: EUR
---
";

fn call(nova: &Nova, tool: &str, args: Value) -> (i32, Value) {
    let tool = format!("portfolio.{tool}");
    nova.json(&["tool", "call", &tool, "--args", &args.to_string(), "--approve", "all"])
}

/// Of a broker that names shares by number: a buy that was noted by hand, a sale, and a word that only the user knows.
const STATEMENT: &str = "\
Datum;Vorgang;Wertpapier;ISIN;Stück;Kurs;Währung;Provision;Betrag
20.11.2026;Verkauf;Northgate Tooling;DE000A0NGTL1;50;42,00;EUR;4,00;2.096,00
13.03.2026;Kauf;Northgate Tooling;DE000A0NGTL1;200;30,00;EUR;5,00;-6.005,00
10.03.2026;Geldeingang;;;;;EUR;;7.000,00
";

#[test]
fn broker_file_is_imported_once_and_undone() {
    let nova = Nova::new(OWNED, []);
    nova.vault.write("depot.csv", STATEMENT);
    let before = nova.vault.files();
    let file = json!({"path": "depot.csv"});
    let (_, proposal) = call(&nova, "import_transactions", file.clone());
    assert_eq!(proposal["value"]["needs_confirmation"], true, "{proposal}");
    assert_eq!(proposal["value"]["questions"][0]["about"], "actions/Geldeingang");

    // The name is that of a position, and the buy of the day before may be the same.
    let mut mapping = proposal["value"]["mapping"].clone();
    mapping["actions"] = json!({"Geldeingang": "deposit"});
    let args = json!({"path": "depot.csv", "mapping": mapping});
    let (_, open) = call(&nova, "import_transactions", args);
    assert_eq!(open["value"]["looks_like"][0]["path"], "Portfolio/Trades/2026-03-12 NGTL buy.md", "{open}");
    assert_eq!(nova.vault.files(), before, "nothing is imported before the approval");

    mapping["alike"] = "leave_out".into();
    let (code, done) = call(&nova, "import_transactions", json!({"path": "depot.csv", "mapping": mapping}));
    assert_eq!(code, 0, "{done}");
    assert_eq!((&done["value"]["imported"], &done["value"]["left_out"]), (&json!(2), &json!(1)), "{done}");
    let changes = done["changes"].as_array().map(Vec::len);
    assert_eq!(changes, Some(4), "a sale, a deposit, the broker and the position that follows: {done}");
    // 7000 − 6005 + 2096.
    let (_, worth) = call(&nova, "value", json!({}));
    assert_eq!(worth["value"]["cash"], json!([{"amount": "3091.00", "currency": "EUR"}]));

    let (_, again) = call(&nova, "import_transactions", json!({"path": "depot.csv", "mapping": mapping}));
    assert_eq!(
        (&again["value"]["imported"], &again["value"]["already_there"]),
        (&json!(0), &json!(2)),
        "{again}"
    );

    assert_eq!(nova.json(&["changes", "undo", done["change_set"].as_str().unwrap()]).0, 0);
    assert_eq!(nova.vault.files(), before);
    let (_, back) = call(&nova, "positions", json!({}));
    assert_eq!(back["value"]["positions"][0]["quantity"], "200");
}

#[test]
fn sale_is_recorded_valued_and_undone() {
    let nova = Nova::new(OWNED, []);
    let sale = json!({"symbol": "Northgate", "kind": "sell", "date": "2026-11-20", "quantity": 50, "price": "42.00", "fee": 4});
    let (code, sold) = call(&nova, "add_trade", sale);
    assert_eq!(code, 0, "{sold}");
    // 50 of 200 that cost 6,005: 1,501.25. Received: 2,100 - 4.
    assert_eq!(sold["value"]["gain"], "594.75");
    assert_eq!(sold["changes"].as_array().map(Vec::len), Some(2));

    let (_, worth) = call(&nova, "value", json!({}));
    assert_eq!(worth["value"]["value"], json!([{"amount": "6327.00", "currency": "EUR"}]));
    assert_eq!(worth["value"]["gain"], json!([{"amount": "1823.25", "currency": "EUR"}]));
    assert_eq!(worth["value"]["problems"], json!([]));

    let id = sold["change_set"].as_str().unwrap();
    assert_eq!(nova.json(&["changes", "undo", id]).0, 0);
    let (_, back) = call(&nova, "positions", json!({}));
    assert_eq!(back["value"]["positions"][0]["quantity"], "200");
    assert!(nova.vault.read("Portfolio/Positions/NGTL.md").contains("quantity: 200\n"));
}

/// By the row's own action in the panel, with the argument that the row gives.
#[tokio::test]
async fn price_note_is_deleted_where_its_price_is_shown() {
    let list = "//- Portfolio/Watchlist.md\n---\ntype: watchlist\n---\n\n- [[NGTL]]\n";
    for (tool, rows) in [("positions", "positions"), ("watchlist", "watched")] {
        let nova = Nova::new(&format!("{OWNED}{list}"), []);
        let row = |tool: &str| call(&nova, tool, json!({})).1["value"][rows][0].clone();
        let shown = row(tool);
        let panels = nova.start().await.list_panels(Nothing {}).await.unwrap();
        let panel = panels.iter().find(|panel| panel.skill == "portfolio").unwrap();
        let parts = serde_json::to_value(&panel.panel.tabs).unwrap();
        let mut parts = parts.as_array().unwrap().iter().flat_map(|tab| tab["parts"].as_array().unwrap());
        let table = parts.find(|part| part["kind"] == "table" && part["tool"] == tool).unwrap();
        let mut actions = table["actions"].as_array().unwrap().iter();
        let delete = actions.find(|action| action["tool"] == "vault.delete_note").unwrap();
        assert_eq!(delete["when"], json!({"price_source": shown["price_source"]}), "{tool}: {shown}");
        assert_eq!(delete["args"], json!({"path": "{price_note}"}));

        let args = json!({"path": shown["price_note"]}).to_string();
        let (code, gone) =
            nova.json(&["tool", "call", "vault.delete_note", "--args", &args, "--approve", "all"]);
        assert_eq!(code, 0, "{gone}");
        assert!(!nova.vault.root().join("Portfolio/Prices/2026-11-20 NGTL.md").exists());
        assert!(row(tool).get("price_note").is_none(), "{tool}");
        let id = gone["change_set"].as_str().unwrap();
        assert_eq!(nova.json(&["changes", "undo", id]).0, 0);
        assert_eq!(row(tool), shown, "{tool}");
    }
}

#[test]
fn sale_above_holding_is_refused() {
    let nova = Nova::new(OWNED, []);
    let files = nova.vault.files();
    let sale = json!({"symbol": "NGTL", "kind": "sell", "date": "2026-11-20", "quantity": 201, "price": 42});
    let (code, refused) = call(&nova, "add_trade", sale);
    assert_eq!(code, 1);
    assert_eq!(refused["error"]["message"], "201 NGTL cannot be sold on 2026-11-20: 200 are held then.");
    assert_eq!(nova.vault.files(), files);
}

#[test]
fn quotes_ask_first() {
    let nova = Nova::new(OWNED, []);
    let (code, refused) = nova.json(&["tool", "call", "portfolio.quote", "--approve", "none"]);
    assert_eq!((code, refused["ok"].as_bool()), (3, Some(false)));
}

/// A routine that fetches quotes at each start; journeys have no web.
fn fetching_at_start(allow: &str) -> Nova {
    let routine = "//- Routines/Quotes.md\n---\ntype: routine\nwhen: at start\ntool: portfolio.quote\n";
    Nova::new(&format!("{OWNED}{routine}{allow}---\n"), [])
}

/// How the run ended, and its tool's output.
async fn run_at_start(nova: &Nova) -> (RoutineEnd, Option<Value>) {
    let app = nova.start().await;
    app.run_due_routines(true).await.unwrap();
    let run = app.list_routines(Nothing {}).await.unwrap()[0].last.clone().expect("it ran");
    let chat = app.open_session(SessionRef { session: run.session }).await.unwrap();
    let output = chat.events.into_iter().find_map(|envelope| match envelope.event {
        Event::ToolCallCompleted { output, .. } => Some(output),
        _ => None,
    });
    (run.end, output)
}

#[tokio::test]
async fn permitted_routine_fetches_quotes_at_start() {
    let (end, output) = run_at_start(&fetching_at_start("allow: portfolio.quote\n")).await;
    assert_eq!(end, RoutineEnd::Completed);
    let said = output.expect("it answers").to_string();
    assert!(
        said.contains("Stooq") && said.contains("The last price, 42.18 EUR from 20 Nov, is used"),
        "{said}"
    );
}

#[tokio::test]
async fn quotes_at_start_wait_for_permission() {
    let (end, output) = run_at_start(&fetching_at_start("")).await;
    assert_eq!((end, output), (RoutineEnd::Waiting, None));
}
