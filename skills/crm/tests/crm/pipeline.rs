//! The totals of the pipeline, calculated by hand.

use nova_skill::{Value, json};
use nova_testkit::SkillInVault;

use crate::crm;
use crate::deals::DEALS;

#[track_caller]
fn check(vault: &str, expected: Value) {
    assert_eq!(crm(vault).value("pipeline", json!({})), expected);
}

#[test]
fn stages_are_totalled_by_currency() {
    check(
        DEALS,
        json!({
            "stages": [
                {"stage": "lead", "count": 1, "total": [{"amount": "48500.50", "currency": "EUR"}],
                    "probability": "10", "weighted": [{"amount": "4850.05", "currency": "EUR"}]},
                {"stage": "contacted", "count": 1, "total": [{"amount": "18500", "currency": "EUR"}],
                    "probability": "20", "weighted": [{"amount": "7400", "currency": "EUR"}]},
                {"stage": "qualified", "count": 0, "total": [], "probability": "40", "weighted": []},
                {"stage": "proposal", "count": 1, "total": [{"amount": "1000", "currency": "GBP"}],
                    "probability": "60", "weighted": [{"amount": "600", "currency": "GBP"}]},
                {"stage": "won", "count": 1, "total": [{"amount": "8000", "currency": "EUR"}], "probability": "100"},
                {"stage": "lost", "count": 0, "total": [], "probability": "0"},
            ],
            "open_deals": 3,
            "open": [{"amount": "67000.50", "currency": "EUR"}, {"amount": "1000", "currency": "GBP"}],
            "weighted": [{"amount": "12250.05", "currency": "EUR"}, {"amount": "600", "currency": "GBP"}],
            "won_this_quarter": [{"amount": "8000", "currency": "EUR"}],
            "quarter": {"from": "2026-10-01", "to": "2026-12-31"},
        }),
    );
}

#[test]
fn empty_pipeline_lists_all_stages() {
    let answer = crm("").value("pipeline", json!({}));
    assert_eq!(answer["stages"].as_array().unwrap().len(), 6);
    assert_eq!((&answer["open"], &answer["weighted"]), (&json!([]), &json!([])));
}

/// Deals of (stage, value, further properties).
fn deals(all: &[(&str, &str, &str)]) -> String {
    let note = |(at, (stage, value, rest)): (usize, &(&str, &str, &str))| {
        format!("//- D/{at}.md\n---\ntype: deal\nstage: {stage}\nvalue: {value}\ncurrency: EUR\n{rest}---\n")
    };
    all.iter().enumerate().map(note).collect()
}

#[test]
fn weighted_total_sums_rounded_deals() {
    // Each is 33.335, shown as 33.34; the exact sum 100.005 would be 100.01.
    let vault = deals(&[("lead", "66.67", "probability: 50\n"); 3]);
    let answer = crm(&vault).value("pipeline", json!({}));
    assert_eq!(answer["weighted"], json!([{"amount": "100.02", "currency": "EUR"}]));
    let fraction = deals(&[("lead", "200", "probability: 12.5\n"), ("lead", "0.2", "probability: 50\n")]);
    let answer = crm(&fraction).value("pipeline", json!({}));
    assert_eq!(answer["weighted"], json!([{"amount": "25.10", "currency": "EUR"}]));
}

#[test]
fn inexact_sum_is_an_error() {
    let huge = "9".repeat(28);
    let error = crm(&deals(&[("lead", &huge, ""), ("lead", "0.01", "")])).error("pipeline", json!({}));
    assert_eq!(error.message, "D/0.md: with its value, sums have more than 28 digits and cannot be exact.");
    assert_eq!(error.hint, "Correct the value in this note.");
}

#[test]
fn won_this_quarter_is_decided_by_close_date() {
    let vault = deals(&[
        ("won", "1", "close_date: 2026-09-30\n"),
        ("won", "20", "close_date: 2026-10-01\n"),
        ("won", "300", "close_date: 2026-12-31\n"),
        ("won", "4000", "close_date: 2027-01-01\n"),
        ("won", "50000", ""),
        ("lost", "600000", "close_date: 2026-11-01\n"),
    ]);
    let outcome = crm(&vault).call("pipeline", json!({}));
    assert_eq!(outcome.result.unwrap()["won_this_quarter"], json!([{"amount": "320", "currency": "EUR"}]));
    let figure = outcome.figures.iter().find(|figure| figure.at == "/won_this_quarter/0/amount").unwrap();
    assert_eq!(figure.caution.as_deref(), Some("1 deal won without a close date left out"));
    assert_eq!(figure.sources.len(), 2);
}

#[test]
fn undated_won_deals_are_reported_if_no_figure_can_warn() {
    let vault = deals(&[
        ("won", "50000", ""),
        ("won", "7", "close_date:\n"),
        ("won", "8", "close_date: soon\n"),
        ("won", "9", "close_date: 2026-09-30\n"),
        ("lost", "6", ""),
    ]);
    let answer = crm(&vault).value("pipeline", json!({}));
    assert_eq!(answer["won_this_quarter"], json!([]));
    let problems: Vec<(&str, u64, &str)> = answer["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            let text = |key: &str| row[key].as_str().unwrap();
            (text("path"), row["line"].as_u64().unwrap(), text("remedy"))
        })
        .filter(|(.., remedy)| remedy.starts_with("Add"))
        .collect();
    let remedy = "Add `close_date:` with the day on which it was won.";
    let line =
        deals(&[("won", "7", "close_date:\n")]).lines().position(|line| line == "close_date:").unwrap();
    assert_eq!(problems, [("D/0.md", 1, remedy), ("D/1.md", line as u64, remedy)]);
    assert_eq!(answer["problems"].as_array().unwrap().len(), 3, "a day that is none is one problem, not two");
}

#[test]
fn figure_has_its_stages_as_parts_and_cites_its_notes() {
    let outcome = crm(DEALS).call("pipeline", json!({}));
    let figure = outcome.figures.iter().find(|figure| figure.at == "/weighted/0/amount").unwrap();
    let parts: Vec<_> = figure.parts.iter().map(|part| (part.label.as_str(), part.value.as_str())).collect();
    assert_eq!(
        (figure.value.as_str(), parts),
        ("12250.05", vec![("lead", "4850.05"), ("contacted", "7400")])
    );
    assert_eq!(figure.formula.as_deref(), Some("Σ value × probability"));
    let sources: Vec<_> = figure.sources.iter().map(|at| &outcome.sources[*at as usize]).collect();
    assert_eq!(sources.len(), 2, "{sources:?}");
    assert_eq!(outcome.figures.iter().filter(|figure| figure.at == "/open/1/amount").count(), 1);
}

const BROKEN: &str = r#"
//- CRM/Deals/Arden.md
---
type: deal
title: Arden fit-out
stage: nego
value: 5000
currency: EUR
---
//- CRM/Deals/Blank.md
---
type: deal
title: Blank
value: 1
currency: EUR
---
//- CRM/Deals/Lens order.md
---
type: deal
title: Lens order
stage: lead
value: 1,250.50
currency: EUR
---
//- CRM/Deals/Negative.md
---
type: deal
title: Negative
stage: lead
value: -5
currency: EUR
---
//- CRM/Deals/Odd money.md
---
type: deal
title: Odd money
stage: lead
value: 7
currency: EUT
---
//- CRM/Deals/Sure.md
---
type: deal
title: Sure
stage: lead
value: 100
currency: EUR
probability: 150
---
//- CRM/Deals/Torn.md
---
type: deal
title: [
---
"#;

#[test]
fn invalid_deals_are_reported_with_their_line_and_excluded() {
    let crm = crm(BROKEN);
    let answer = crm.value("pipeline", json!({}));
    let problem = |path: &str, line: u32, problem: &str, remedy: &str| json!({"path": format!("CRM/Deals/{path}.md"), "line": line, "problem": problem, "remedy": remedy});
    assert_eq!(
        answer["problems"],
        json!([
            problem(
                "Arden",
                4,
                "Arden fit-out is not on the board: stage \"nego\" is not one of the stages",
                "Write one of lead, contacted, qualified, proposal, won, lost.",
            ),
            problem(
                "Blank",
                1,
                "Blank is not on the board: it has no stage",
                "Add `stage:` with one of lead, contacted, qualified, proposal, won, lost.",
            ),
            problem(
                "Lens order",
                5,
                "Lens order is not counted in full: `value` is `1,250.50`, which is not a plain decimal",
                "Write it as 1250.50.",
            ),
            problem(
                "Negative",
                5,
                "Negative is not counted in full: `value` is `-5`, which is less than 0",
                "Write a number of at least 0.",
            ),
            problem(
                "Odd money",
                6,
                "Odd money is not counted in full: `currency` is `EUT`, which is not a currency",
                "Write a code of ISO 4217, such as EUR.",
            ),
            problem(
                "Sure",
                7,
                "Sure is not counted in full: `probability` is `150`, which is more than 100",
                "Write a number of at most 100.",
            ),
        ])
    );
    assert_eq!(answer["unreadable"][0]["path"], "CRM/Deals/Torn.md");
    assert_eq!(answer["open_deals"], 4);
    assert_eq!(answer["open"], json!([{"amount": "100", "currency": "EUR"}]));
    assert_eq!(answer["weighted"], json!([]));
    let figures = crm.call("pipeline", json!({})).figures;
    assert_eq!(figures[0].caution.as_deref(), Some("3 deals without a value"));
}

#[test]
fn value_without_currency_uses_the_most_frequent_one() {
    let vault = format!("{DEALS}//- New.md\n---\ntype: deal\nstage: lead\nvalue: 10\n---\n");
    let answer = crm(&vault).value("list_deals", json!({"stage": "lead"}));
    assert_eq!(answer["total"], json!([{"amount": "48510.50", "currency": "EUR"}]));
    let configured =
        SkillInVault::new(nova_skill_crm::skill(), vault.as_str()).with_config(json!({"currency": "GBP"}));
    let answer = configured.value("list_deals", json!({"stage": "lead"}));
    assert_eq!(answer["total"][1], json!({"amount": "10", "currency": "GBP"}));
    let alone = crm("//- New.md\n---\ntype: deal\ntitle: New\nstage: lead\nvalue: 10\n---\n")
        .value("pipeline", json!({}));
    assert_eq!(
        alone["problems"][0]["problem"],
        "New is not counted in full: `currency` is missing beside its value 10"
    );
}

#[test]
fn board_includes_every_deal_and_due_follow_ups() {
    let vault = format!(
        "{DEALS}//- P/A.md\n---\ntype: contact\nname: A\nnext_contact: 2026-11-20\n---\n\
         //- P/B.md\n---\ntype: contact\nname: B\nnext_contact: 2026-11-27\n---\n\
         //- P/C.md\n---\ntype: contact\nname: C\nnext_contact: 2026-11-28\n---\n"
    );
    let answer = crm(&vault).value("pipeline", json!({"board": true}));
    assert_eq!(answer["deals"].as_array().unwrap().len(), 4);
    assert_eq!((&answer["follow_ups_due"], &answer["follow_ups_overdue"]), (&json!(2), &json!("1 overdue")));
}

#[test]
fn parallel_read_equals_sequential_read() {
    // Thousands of notes are read by several threads, hundreds by one.
    let deal = |at: usize| {
        let odd = match at % 13 {
            0 => "stage: nego\nvalue: 5\ncurrency: EUR\n",
            1 => "stage: lead\nvalue: 1,250.50\ncurrency: EUR\n",
            2 => "stage: WON\nvalue: 12.50\n",
            3 => "stage: won\nvalue: 7\ncurrency: GBP\nclose_date: 2026-11-02\n",
            4 => "stage: [lead]\nvalue: 7\ncurrency: GBP\n",
            5 => "stage: lead\nvalue: 3\nprobability: 33\ncurrency: gbp\n",
            _ => "stage: proposal\nvalue: 0.10\ncurrency: EUR\n",
        };
        format!("//- D/{at:04}.md\n---\ntype: deal\ntitle: Deal {at}\n{odd}---\n")
    };
    let pipeline = |deals: std::ops::Range<usize>| {
        let vault: String = deals.map(deal).collect();
        let outcome = crm(&vault).call("pipeline", json!({"board": true}));
        (outcome.result.unwrap(), outcome.sources)
    };
    let (whole, sources) = pipeline(0..2_100);
    let parts = [0..700, 700..1_400, 1_400..2_100].map(pipeline);

    assert!(sources == parts.iter().flat_map(|(_, sources)| sources.clone()).collect::<Vec<_>>());
    let rows = |value: &Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
    for key in ["problems", "unreadable"] {
        let mut of_parts: Vec<Value> = parts.iter().flat_map(|(value, _)| rows(value, key)).collect();
        // The missing close dates come last.
        of_parts.sort_by_key(|row| row["problem"].as_str().unwrap().contains("says no day"));
        assert!(rows(&whole, key) == of_parts, "{key} of the whole are those of its parts, in their order");
    }
    let by_path = |mut deals: Vec<Value>| {
        deals.sort_by_key(|row| row["path"].as_str().unwrap().to_owned());
        deals
    };
    let of_parts: Vec<Value> = parts.iter().flat_map(|(value, _)| rows(value, "deals")).collect();
    assert!(by_path(rows(&whole, "deals")) == by_path(of_parts), "each deal is shown as in its part");
    let open: usize = parts.iter().map(|(value, _)| value["open_deals"].as_u64().unwrap() as usize).sum();
    assert_eq!(whole["open_deals"], open);
    assert_eq!(
        whole["won_this_quarter"],
        json!([{"amount": (7 * (0..2_100).filter(|at| at % 13 == 3).count()).to_string(), "currency": "GBP"}])
    );
}

#[test]
fn board_lists_won_deals_newest_first() {
    let vault = deals(&[
        ("won", "1", "close_date: 2026-09-30\n"),
        ("won", "1", "close_date: 2026-11-02\n"),
        ("lead", "1", "close_date: 2026-12-01\n"),
        ("lead", "1", "close_date: 2026-11-25\n"),
        ("won", "1", ""),
    ]);
    let answer = crm(&vault).value("pipeline", json!({"board": true}));
    let order: Vec<&str> =
        answer["deals"].as_array().unwrap().iter().filter_map(|deal| deal["path"].as_str()).collect();
    assert_eq!(order, ["D/3.md", "D/2.md", "D/1.md", "D/0.md", "D/4.md"]);
}
