//! Listing, adding, moving and updating deals.

use nova_protocol::ErrorCode;
use nova_skill::{Value, json};

use crate::crm;

/// Today is 2026-11-21.
pub(crate) const DEALS: &str = r#"
//- CRM/Deals/Quillon renewal.md
---
type: deal
title: Quillon licence renewal
contact: "[[Jane Doe]]"
company: "[[Quillon Labs]]"
stage: contacted # since June
value: 18500
currency: EUR
probability: 40
close_date: 2026-12-31
---

Two years.
//- CRM/Deals/Harborline rollout.md
---
type: deal
title: Harborline rollout
contact: "[[Mara Lindholt]]"
company: "[[Harborline Logistics]]"
stage: Lead
value: 48500.50
currency: eur
close_date: 2026-11-20
---
//- CRM/Deals/Harborline depots.md
---
type: deal
title: Harborline depots
company: "[[Harborline Logistics]]"
stage: proposal
value: 1000
currency: GBP
---
//- Elsewhere/Audit.md
---
type: deal
title: Fernhill audit
company: "[[Fernhill Dairy]]"
stage: won
value: 8000
currency: EUR
close_date: 2026-10-09
---
//- CRM/People/Jane.md
---
type: contact
name: Jane Doe
---
"#;

const RENEWAL: &str = "CRM/Deals/Quillon renewal.md";

fn titles(answer: &Value) -> Vec<&str> {
    answer["deals"].as_array().unwrap().iter().map(|deal| deal["title"].as_str().unwrap()).collect()
}

#[track_caller]
fn lists(args: Value, expected: &[&str]) {
    let answer = crm(DEALS).value("list_deals", args.clone());
    assert_eq!(titles(&answer), expected, "{args}");
    assert_eq!(answer["count"], expected.len());
}

#[test]
fn deals_are_sorted_by_close_date() {
    lists(
        json!({}),
        &["Fernhill audit", "Harborline rollout", "Quillon licence renewal", "Harborline depots"],
    );
    lists(json!({"stage": "LEAD"}), &["Harborline rollout"]);
    lists(json!({"stage": "open", "company": "harborline"}), &["Harborline rollout", "Harborline depots"]);
    lists(json!({"contact": "jane"}), &["Quillon licence renewal"]);
    lists(json!({"contact": "nobody"}), &[]);
}

#[test]
fn row_omits_unknown_fields() {
    let answer = crm(DEALS).value("list_deals", json!({"company": "Harborline"}));
    assert_eq!(
        answer,
        json!({
            "deals": [
                {
                    "title": "Harborline rollout", "stage": "lead", "contact": "Mara Lindholt",
                    "company": "Harborline Logistics", "value": "48500.50", "currency": "EUR", "probability": "10",
                    "close_date": "2026-11-20", "late": true, "path": "CRM/Deals/Harborline rollout.md",
                },
                {
                    "title": "Harborline depots", "stage": "proposal", "company": "Harborline Logistics",
                    "value": "1000", "currency": "GBP", "probability": "60", "path": "CRM/Deals/Harborline depots.md",
                },
            ],
            "count": 2,
            "total": [{"amount": "48500.50", "currency": "EUR"}, {"amount": "1000", "currency": "GBP"}],
        })
    );
}

#[test]
fn total_cites_its_deals() {
    let outcome = crm(DEALS).call("list_deals", json!({"stage": "open"}));
    let figure = outcome.figures.iter().find(|figure| figure.at == "/total/0/amount").unwrap();
    assert_eq!((figure.value.as_str(), figure.unit.as_str()), ("67000.50", "EUR"));
    assert_eq!(figure.sources.len(), 2);
    let rows: Vec<&str> =
        outcome.figures.iter().filter(|f| f.at.starts_with("/deals/")).map(|f| f.value.as_str()).collect();
    assert_eq!(rows, ["48500.50", "18500", "1000"]);
}

#[test]
fn unknown_stage_error_lists_the_stages() {
    for (tool, args) in [
        ("list_deals", json!({"stage": "nego"})),
        ("move_deal", json!({"title": "Audit", "stage": "nego"})),
        ("add_deal", json!({"title": "New", "stage": "nego"})),
    ] {
        let error = crm(DEALS).error(tool, args);
        assert_eq!(error.code, ErrorCode::InvalidArguments);
        assert_eq!(error.message, "/stage: \"nego\" is not one of the stages.");
        assert_eq!(error.hint, "Allowed: lead, contacted, qualified, proposal, won, lost.");
    }
}

#[test]
fn move_deal_edits_one_property() {
    let crm = crm(DEALS);
    let before = crm.vault.read(RENEWAL);
    let answer = crm.value("move_deal", json!({"title": "renewal", "stage": "Proposal"}));
    assert_eq!(crm.vault.read(RENEWAL), before.replace("stage: contacted #", "stage: proposal #"));
    assert_eq!(
        answer,
        json!({
            "title": "Quillon licence renewal", "from": "contacted", "stage": "proposal",
            "changed": ["stage: contacted → proposal"], "path": RENEWAL,
        })
    );
    let undo = crm.call("move_deal", json!({"title": RENEWAL, "stage": "contacted"}));
    assert!(undo.change_set.is_some());
    assert_eq!(crm.vault.read(RENEWAL), before, "and back");
}

#[test]
fn move_to_the_current_stage_changes_nothing() {
    let crm = crm(DEALS);
    let path = "CRM/Deals/Harborline rollout.md";
    let before = crm.vault.read(path);
    let answer = crm.value("move_deal", json!({"title": "rollout", "stage": "lead"}));
    assert_eq!((crm.vault.read(path), &answer["changed"]), (before, &json!([])));
}

#[test]
fn deal_closed_early_mentions_its_future_close_date() {
    let won = crm(DEALS).value("move_deal", json!({"title": "renewal", "stage": "won"}));
    assert_eq!(won["note"], "Its close date is still 2026-12-31; set close_date to the day it was decided.");
    let late = crm(DEALS).value("move_deal", json!({"title": "rollout", "stage": "lost"}));
    assert_eq!(late["note"], Value::Null, "its close date has passed");
}

#[test]
fn deal_with_unknown_stage_can_be_moved() {
    let crm = crm("//- A.md\n---\ntype: deal\ntitle: Arden fit-out\nstage: nego\n---\n");
    crm.value("move_deal", json!({"title": "arden", "stage": "qualified"}));
    assert_eq!(crm.vault.read("A.md"), "---\ntype: deal\ntitle: Arden fit-out\nstage: qualified\n---\n");
}

#[test]
fn ambiguous_title_lists_the_matching_deals() {
    let error = crm(DEALS).error("move_deal", json!({"title": "Harborline", "stage": "won"}));
    assert_eq!(error.code, ErrorCode::Ambiguous);
    assert_eq!(
        error.message,
        "Several deals match \"Harborline\": Harborline depots (Harborline Logistics), Harborline rollout (Harborline \
         Logistics)."
    );
    let none = crm(DEALS).error("move_deal", json!({"title": "Harborlin rolout", "stage": "won"}));
    assert_eq!(none.message, "There is no deal \"Harborlin rolout\".");
    assert!(none.hint.starts_with("Nearest: Harborline rollout"), "{}", none.hint);
    let nothing = crm(DEALS).error("move_deal", json!({"title": " ", "stage": "won"}));
    assert_eq!(nothing.message, "/title: must not be empty; say which deal you mean.");
}

#[test]
fn add_deal_links_to_notes_by_their_names() {
    let crm = crm(DEALS);
    let answer = crm.value(
        "add_deal",
        json!({
            "title": "Jane's seats", "contact": "jane doe", "company": "Quillon Labs", "value": 1250.5,
            "stage": "Qualified", "close_date": "2026-12-01",
        }),
    );
    assert_eq!(
        crm.vault.read("CRM/Deals/Jane's seats.md"),
        r#"---
type: deal
title: Jane's seats
contact: "[[Jane]]"
company: "[[Quillon Labs]]"
stage: qualified
value: 1250.5
currency: EUR
close_date: 2026-12-01
---

## Log
"#
    );
    assert_eq!(answer["path"], "CRM/Deals/Jane's seats.md");
    assert_eq!(
        answer["problems"],
        json!([{
            "problem": "There is no company \"Quillon Labs\" yet; the deal links to that name",
            "remedy": "Add a note with `type: company`.",
        }])
    );
}

/// Two notes are named Acme; the first match by name alone is not a company.
const TWO_OF_A_NAME: &str = "//- Acme.md\nA mountain.\n\
    //- CRM/Companies/Acme.md\n---\ntype: company\nname: Acme\n---\n\
    //- CRM/Companies/Beta.md\n---\ntype: company\n---\n\
    //- CRM/People/Jo.md\n---\ntype: contact\nname: Jo\nnext_contact: 2026-11-21\n---\n\
    //- Friends/Jo.md\n---\ntype: contact\nname: Jo of Lisbon\n---\n";

#[test]
fn deal_links_by_path_where_two_notes_share_a_name() {
    let crm = crm(TWO_OF_A_NAME);
    for (title, contact, company) in [
        ("By path", "CRM/People/Jo", "CRM/Companies/Acme"),
        ("By link", "[[CRM/People/Jo]]", "[[CRM/Companies/Acme|the firm]]"),
        ("By note", "CRM/People/Jo.md", "CRM/Companies/Acme.md"),
        ("By company", "Friends/Jo", "acme"),
        ("Only one", "jo of lisbon", "CRM/Companies/Beta"),
    ] {
        crm.value("add_deal", json!({"title": title, "contact": contact, "company": company}));
    }
    let links = |title: &str| {
        let text = crm.vault.read(&format!("CRM/Deals/{title}.md"));
        let of = |field: &str| {
            let line = text.lines().find(|line| line.starts_with(field)).unwrap();
            line[field.len()..].trim_start_matches(':').trim().to_owned()
        };
        (of("contact"), of("company"))
    };
    let jo = "\"[[CRM/People/Jo]]\"".to_owned();
    let acme = "\"[[CRM/Companies/Acme]]\"".to_owned();
    let lisbon = "\"[[Friends/Jo]]\"".to_owned();
    for title in ["By path", "By link", "By note"] {
        assert_eq!(links(title), (jo.clone(), acme.clone()), "{title}");
    }
    assert_eq!(links("By company"), (lisbon.clone(), acme));
    assert_eq!(links("Only one"), (lisbon.clone(), "\"[[Beta]]\"".to_owned()));
    // Links by path are resolved in the counts as well.
    let companies = crm.value("list_companies", json!({}));
    assert_eq!(
        (&companies["companies"][0]["name"], &companies["companies"][0]["open_deals"]),
        (&json!("Acme"), &json!(4))
    );
    let due = crm.value("follow_ups", json!({}));
    assert_eq!(due["follow_ups"][0]["deal"], "By link", "{due}");

    crm.value("add_deal", json!({"title": "Amps", "company": "[[AC/DC]]"}));
    assert!(crm.vault.read("CRM/Deals/Amps.md").contains("company: \"[[AC-DC|AC/DC]]\"\n"));

    crm.value("update_deal", json!({"title": "Only one", "company": "CRM/Companies/Acme"}));
    assert_eq!(links("Only one"), (lisbon, "\"[[CRM/Companies/Acme]]\"".to_owned()));
}

#[test]
fn deal_with_only_a_title_starts_at_the_first_stage() {
    let crm = crm("");
    crm.value("add_deal", json!({"title": "Lens order"}));
    assert_eq!(
        crm.vault.read("CRM/Deals/Lens order.md"),
        "---\ntype: deal\ntitle: Lens order\nstage: lead\n---\n\n## Log\n"
    );
}

#[track_caller]
fn refuses(vault: &str, args: Value, code: ErrorCode, message: &str, hint: &str) {
    let crm = crm(vault);
    let files = crm.vault.files();
    let error = crm.error("add_deal", args);
    assert_eq!((error.code, error.message.as_str()), (code, message));
    assert!(error.hint.contains(hint), "{}", error.hint);
    assert_eq!(crm.vault.files(), files, "nothing is written");
}

#[test]
fn rejects_duplicate_deal() {
    let message = "There is already a deal \"Quillon licence renewal\": CRM/Deals/Quillon renewal.md.";
    for title in ["quillon  LICENCE renewal", "Quillon renewal"] {
        refuses(DEALS, json!({"title": title}), ErrorCode::NoteExists, message, "crm.move_deal");
    }
}

#[test]
fn rejects_invalid_values() {
    let invalid = ErrorCode::InvalidArguments;
    let with = |key: &str, value: Value| json!({"title": "New", key: value});
    refuses(DEALS, with("value", json!("-5")), invalid, "/value: is -5, which is less than 0.", "");
    refuses(
        DEALS,
        with("value", json!("1,250.50")),
        invalid,
        "/value: must be a plain decimal such as 1250.50.",
        "",
    );
    refuses(
        DEALS,
        json!({"title": "New", "value": 5, "currency": "EUT"}),
        invalid,
        "/currency: \"EUT\" is not an ISO 4217 currency such as EUR.",
        "EUR",
    );
    refuses(
        DEALS,
        with("probability", json!(150)),
        invalid,
        "/probability: is 150, which is more than 100.",
        "",
    );
    refuses(
        DEALS,
        with("close_date", json!("31.12.2026")),
        invalid,
        "/close_date: \"31.12.2026\" is not a date YYYY-MM-DD.",
        "",
    );
    refuses(
        "",
        json!({"title": "New", "value": "5"}),
        invalid,
        "/currency: is needed: no deal has one yet, and none is configured.",
        "",
    );
}

#[test]
fn rejects_ambiguous_contact_of_a_new_deal() {
    let twins = "//- A.md\n---\ntype: contact\nname: Jo Lind\n---\n//- B.md\n---\ntype: contact\nname: Jo Marsh\n---\n";
    refuses(
        twins,
        json!({"title": "New", "contact": "Jo"}),
        ErrorCode::Ambiguous,
        "Several contacts match \"Jo\": Jo Lind, Jo Marsh.",
        "Ask which one",
    );
}

#[test]
fn update_deal_changes_only_given_properties() {
    let crm = crm(DEALS);
    let before = crm.vault.read(RENEWAL);
    let answer = crm.value(
        "update_deal",
        json!({"title": "quillon renewal", "value": "20000", "probability": null, "company": "Quillon Labs"}),
    );
    let expected = before.replace("value: 18500", "value: 20000").replace("probability: 40\n", "");
    assert_eq!(crm.vault.read(RENEWAL), expected);
    assert_eq!(answer["changed"], json!(["value: 18500 → 20000", "probability: removed"]));
    let nothing = crm.error("update_deal", json!({"title": "quillon renewal"}));
    assert_eq!(nothing.message, "there is nothing to change.");
}

#[test]
fn deal_with_list_instead_of_text_is_reported_as_unreadable() {
    for (properties, line, problem) in [
        ("value: 10\ncurrency: [EUR, USD]", 6, "`currency` is a list instead of a currency"),
        ("currency: EUR\ncontact: {name: Jane}", 6, "`contact` is a mapping instead of a link"),
    ] {
        let deal = format!("//- D.md\n---\ntype: deal\ntitle: Odd\nstage: lead\n{properties}\n---\n");
        let value = crm(&format!("{DEALS}{deal}")).value("pipeline", json!({}));
        let found = &value["unreadable"][0];
        assert_eq!(
            (&found["path"], &found["line"], &found["problem"]),
            (&json!("D.md"), &json!(line), &json!(problem))
        );
    }
}

#[test]
fn add_deal_returns_amounts_as_text() {
    let answer = crm(DEALS).value(
        "add_deal",
        json!({"title": "Depot audit", "value": 1250, "currency": "EUR", "probability": 40}),
    );
    assert_eq!((&answer["value"], &answer["probability"]), (&json!("1250"), &json!("40")));
}
