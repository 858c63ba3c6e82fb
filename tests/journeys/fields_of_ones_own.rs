//! Fields and record types of the user's own: in the form, the table, its filters, the template, the base, the check
//! and the tools, without a restart.

use nova_protocol::{Commands as _, Event};
use serde_json::{Value, json};

use super::nova::{Nova, wait_for};
use super::records_as_people_keep_them::{call, config};

#[tokio::test]
async fn custom_field_is_everywhere_without_a_restart() {
    is_everywhere("met_on", "Met on").await;
}

/// The skill has this field, too.
#[tokio::test]
async fn custom_birthday_is_everywhere_without_a_restart() {
    is_everywhere("birthday", "Birthday").await;
}

async fn is_everywhere(field: &str, label: &str) {
    let nova = Nova::new(&format!("//- Ada.md\n---\ntype: contact\n{field}: soon\n---\n"), []);
    let app = nova.start().await;
    app.watch();
    let mut events = app.events();
    config(&nova, "crm", json!({"records": {"contact": {"fields": {field: {"kind": "date"}}}}}));
    wait_for(&mut events, |event| matches!(event, Event::RegistryChanged { .. })).await;

    let contact =
        nova_protocol::RecordFormRef { skill: "crm".into(), record_type: "contact".into(), path: None };
    let form = app.record_form(contact).await.unwrap();
    assert_eq!(form.schema["properties"][field]["format"], "date", "the form");
    let panels = app.list_panels(nova_protocol::Nothing {}).await.unwrap();
    let panel = panels.iter().find(|panel| panel.skill == "crm").unwrap();
    let panel = serde_json::to_value(panel).unwrap().to_string();
    assert!(
        panel.contains(&format!(r#""field":"{field}","label":"{label}","format":"date""#)),
        "the table: {panel}"
    );
    let template = app.record_template("crm", "contact").unwrap();
    assert!(template.contains(&format!("\n{field}:\n")), "the template: {template}");
    let base = app.record_base("crm", "contact").unwrap();
    assert!(base.contains(&format!("'note.{field}'")), "the base: {base}");
    let problems = app.vault_problems().await.unwrap();
    assert!(
        problems[0].problem.contains(&format!("`{field}` is `soon`, which is not a date")),
        "check: {problems:?}"
    );
    for tool in ["add_contact", "update_contact", "list_contacts"] {
        // That of the list is a filter.
        let tools = app.list_tools(nova_protocol::Nothing {}).await.unwrap();
        let row = tools.iter().find(|row| row.name == format!("crm.{tool}")).unwrap();
        let schema = serde_json::to_value(row).unwrap()["input_schema"].clone();
        assert!(schema["properties"].get(field).is_some(), "{tool}: {schema}");
    }
    drop(app);

    call(&nova, "crm.add_contact", json!({"name": "Bea", field: "1984-03-02"}));
    assert!(nova.vault.read("CRM/People/Bea.md").contains(&format!("{field}: 1984-03-02\n")));
    call(&nova, "crm.update_contact", json!({"name": "Ada", field: "1815-12-10"}));
    let listed = call(&nova, "crm.list_contacts", json!({field: "1984"}));
    assert_eq!((&listed["count"], &listed["contacts"][0][field]), (&json!(1), &json!("1984-03-02")));
}

/// The tools whose parameters are not derived from a single record.
#[test]
fn custom_fields_reach_every_tool_that_writes_or_lists_their_records() {
    let nova = Nova::new("", []);
    let own = |types: &[&str]| {
        let fields = |name: &&str| ((*name).to_owned(), json!({"fields": {"project": {"kind": "text"}}}));
        json!({"records": types.iter().map(fields).collect::<serde_json::Map<_, _>>()})
    };
    config(&nova, "budget", own(&["expense", "transfer", "rule", "limit"]));
    config(&nova, "portfolio", own(&["trade", "watchlist", "position"]));
    config(&nova, "crm", own(&["company"]));
    config(&nova, "calendar", own(&["event"]));

    let written = |tool: &str, mut args: Value, path: &str| {
        args["project"] = json!("House");
        call(&nova, tool, args);
        let text = nova.vault.read(path);
        assert!(text.contains("\nproject: House\n"), "{tool}: {text}");
    };
    let day = "2026-11-02";
    written(
        "budget.add_expense",
        json!({"date": day, "amount": "5", "currency": "EUR"}),
        "Budget/Expenses/2026/2026-11-02 5.00.md",
    );
    let transfer = json!({"date": day, "amount": "7", "from": "Current", "to": "Savings"});
    written("budget.add_transfer", transfer, "Budget/Transfers/2026/2026-11-02 Current to Savings 7.00.md");
    written(
        "budget.add_rule",
        json!({"match": "metro", "category": "transport"}),
        "Budget/Rules/metro is transport.md",
    );
    written("budget.set_limit", json!({"category": "food", "amount": "9"}), "Budget/Limits/food.md");
    let trade =
        json!({"symbol": "NGTL", "kind": "buy", "date": day, "quantity": 1, "price": 2, "currency": "EUR"});
    written("portfolio.add_trade", trade, "Portfolio/Trades/2026-11-02 NGTL buy.md");
    written("portfolio.watch", json!({"symbol": "SLVN"}), "Portfolio/Watchlist.md");
    let visit = json!({"title": "Site visit", "start": "2026-11-22"});
    written("calendar.create_event", visit, "Events/2026-11-22 Site visit.md");
    nova.vault.write("Events/Fair.md", "---\ntype: event\ntitle: Fair\ndate: 2026-11-23\n---\n");
    nova.vault.write("CRM/Companies/Quillon.md", "---\ntype: company\nproject: House\n---\n");
    nova.vault.write("CRM/Companies/Acme.md", "---\ntype: company\n---\n");

    // An existing one is changed in place.
    call(&nova, "budget.set_limit", json!({"category": "food", "amount": "9", "project": "Garden"}));
    assert!(nova.vault.read("Budget/Limits/food.md").contains("\nproject: Garden\n"));
    let moved = json!({"event": "Site visit", "project": "Garden"});
    call(&nova, "calendar.update_event", moved);
    assert!(nova.vault.read("Events/2026-11-22 Site visit.md").contains("\nproject: Garden\n"));
    call(&nova, "calendar.update_event", json!({"event": "Site visit", "project": "House"}));
    call(&nova, "portfolio.watch", json!({"symbol": "SLVN", "target": "3 EUR", "project": null}));
    let list = nova.vault.read("Portfolio/Watchlist.md");
    assert!(!list.contains("project") && list.contains("target 3 EUR"), "{list}");

    call(&nova, "budget.add_income", json!({"date": day, "amount": "1"}));
    for (tool, rows, with, all) in [
        ("budget.list", "entries", 2, 3),
        ("portfolio.list_trades", "trades", 1, 1),
        ("crm.list_companies", "companies", 1, 2),
    ] {
        let listed = |args: Value| call(&nova, tool, args)[rows].as_array().unwrap().clone();
        let found = listed(json!({"project": "hous"}));
        assert_eq!(found.len(), with, "{tool}: an income has no such field, {found:?}");
        assert!(found.iter().all(|row| row["project"] == "House"), "{tool}: {found:?}");
        assert_eq!((listed(json!({"project": "boat"})).len(), listed(json!({})).len()), (0, all), "{tool}");
    }
    let events = |mut args: Value| {
        args["from"] = json!("2026-11-20");
        call(&nova, "calendar.list_events", args)
    };
    let found = events(json!({"project": "hous"}));
    assert_eq!((&found["count"], &found["events"][0]["project"]), (&json!(1), &json!("House")));
    assert_eq!(events(json!({}))["count"], 2);
    let rules = call(&nova, "budget.list", json!({"kind": "rule", "project": "House"}));
    assert_eq!((&rules["count"], &rules["rules"][0]["project"]), (&json!(1), &json!("House")));

    let month = call(&nova, "budget.month_summary", json!({"month": "2026-11"}));
    let food = month["categories"].as_array().unwrap().iter().find(|row| row["category"] == "food").unwrap();
    assert_eq!((&food["project"], &food["path"]), (&json!("Garden"), &json!("Budget/Limits/food.md")));
    nova.vault.write("Portfolio/NGTL.md", "---\ntype: position\nsymbol: NGTL\nproject: House\n---\n");
    let held = call(&nova, "portfolio.positions", json!({}));
    assert_eq!(held["positions"][0]["project"], "House", "{held}");
}

#[test]
fn folder_with_records_has_tools_and_a_panel() {
    let nova = Nova::new("//- Reading/Old.md\n---\ntype: book\nstatus: read\nrating: 9\n---\n", []);
    let (code, _) = nova.json(&["skill", "new", "books", "--from", "reading-list"]);
    assert_eq!(code, 0);
    call(&nova, "books.add_book", json!({"title": "Emma", "author": "Jane Austen", "rating": 5}));
    assert_eq!(
        nova.vault.read("Reading/Emma.md"),
        "---\ntype: book\ntitle: Emma\nauthor: Jane Austen\nstatus: to read\nrating: 5\n---\n"
    );
    // The user's additions to the declaration raise no question.
    config(&nova, "books", json!({"records": {"book": {"fields": {"lent_to": {"kind": "text"}}}}}));
    let (code, listed) = nova.json(&["tool", "call", "books.list_book", "--args", "{\"lent_to\": \"Ada\"}"]);
    assert_eq!((code, &listed["value"]["count"]), (0, &json!(0)), "{listed}");
    call(&nova, "books.add_book", json!({"title": "Persuasion", "rating": 4, "status": "read"}));
    let changed = call(&nova, "books.update_book", json!({"title": "emma", "status": "reading"}));
    assert_eq!(changed["path"], "Reading/Emma.md");
    let listed = call(&nova, "books.list_book", json!({"sort": "-rating", "limit": 2}));
    let titles: Vec<_> =
        listed["records"].as_array().unwrap().iter().map(|row| row["title"].clone()).collect();
    assert_eq!((titles, &listed["count"]), (vec![json!("Emma"), json!("Persuasion")], &json!(3)));
    assert_eq!(call(&nova, "books.get_book", json!({"title": "persu"}))["rating"], 4);
    let sums = call(&nova, "books.summarize_book", json!({"of": "rating", "by": "status"}));
    let groups = &sums["groups"];
    assert_eq!(
        (&groups[0]["status"], &groups[0]["count"], &groups[0]["sum"]),
        (&json!("read"), &json!(2), &json!("4"))
    );
    assert_eq!(sums["unreadable"][0]["path"], "Reading/Old.md", "a rating of 9 is not added: {sums}");
    for (args, says) in [
        (json!({"title": "EMMA"}), "There is already a book"),
        (json!({"title": "X", "status": "burnt"}), "status"),
    ] {
        let (code, refused) =
            nova.json(&["tool", "call", "books.add_book", "--args", &args.to_string(), "--approve", "all"]);
        assert!(code != 0 && refused.to_string().contains(says), "{refused}");
    }
}

#[tokio::test]
async fn custom_fields_are_shown_with_their_records() {
    let nova = Nova::new("", []);
    let project = json!({"fields": {"project": {"kind": "text"}}});
    config(&nova, "budget", json!({"records": {"expense": project, "rule": project, "limit": project}}));
    config(&nova, "crm", json!({"records": {"company": project, "deal": project}}));
    config(&nova, "portfolio", json!({"records": {"position": project}}));
    let panels = nova.start().await.list_panels(nova_protocol::Nothing {}).await.unwrap();
    let tabs = panels.iter().flat_map(|panel| &panel.panel.tabs);
    let with_field: Vec<&str> = tabs
        .filter(|tab| serde_json::to_string(&tab.parts).unwrap().contains(r#""project""#))
        .map(|tab| tab.title.as_str())
        .collect();
    assert_eq!(with_field, ["Month", "Limits", "Rules", "Pipeline", "Companies", "Positions"]);
}

#[tokio::test]
async fn folder_with_records_has_a_panel() {
    let nova = Nova::new("", []);
    nova.json(&["skill", "new", "books", "--from", "reading-list"]);
    let app = nova.start().await;
    let panels = app.list_panels(nova_protocol::Nothing {}).await.unwrap();
    let panel = panels.iter().find(|panel| panel.skill == "books").unwrap();
    assert_eq!((panel.problem.as_deref(), panel.panel.tabs[0].title.as_str()), (None, "Books"));
}

#[test]
fn custom_type_gets_tools() {
    let nova = Nova::new("", []);
    let supplier = json!({"folder": "Suppliers", "title": "name", "fields": {"name": {"kind": "text"}, "since": {"kind": "date"}}});
    config(&nova, "crm", json!({"records": {"supplier": supplier}}));
    call(&nova, "crm.add_supplier", json!({"name": "Acme", "since": "2024-01-01"}));
    assert!(nova.vault.read("Suppliers/Acme.md").starts_with("---\ntype: supplier\n"));
    assert_eq!(call(&nova, "crm.list_supplier", json!({"since": "2024-01"}))["count"], 1);
}

#[tokio::test]
async fn faulty_record_settings_are_reported_with_the_reason() {
    for (records, says) in [
        (
            json!({"match": [{"where": "stage is lead"}]}),
            "records.contact.match[0] cannot be used: the condition `stage is lead`",
        ),
        (json!({"match": [{"folder": "/"}]}), "every note would be a record"),
        (json!({"match": [{"tag": "x", "folder": "y"}]}), "one of type, folder, tag and where"),
        (json!({"match": [{"where": "email exists"}]}), "does not recognise new notes"),
        (
            json!({"fields": {"email": {"kind": "date"}}}),
            "records.contact.fields.email is a text of this skill already",
        ),
        (json!({"fields": {"path": {"kind": "text"}}}), "says where the note lies"),
        (json!({"names": {"email": "phone"}}), "the same property"),
        (json!({"names": {"email": "$file"}}), "cannot be $file"),
        (json!({"folder": "../x"}), "records.contact.folder"),
        (json!({"mtach": []}), "records.contact.mtach is not known"),
    ] {
        let nova = Nova::new("", []);
        config(&nova, "crm", json!({"records": {"contact": records}}));
        let app = nova.start().await;
        let crm = app.skill_detail(nova_protocol::SkillRef { skill: "crm".into() }).await.unwrap();
        let reason = crm.config_problem.unwrap_or_default();
        assert!(reason.contains(says), "{records}: {reason}");
    }
}
