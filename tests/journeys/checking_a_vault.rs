use nova_protocol::{Commands as _, Event, Nothing};
use serde_json::{Value, json};

use super::nova::{Nova, wait_for};

/// Eleven faults, a template that is not one, and a note that is not a record.
const FAULTY: &str = "
//- CRM/Deals/Lens order.md
---
type: deal
title: Lens order
stage: qualifed
value: 1,250.50
probability: 150
close_date: 31.12.2026
---
//- CRM/Deals/No stage.md
---
type: deal
value: € 12
---
//- CRM/People/Mara.md
---
type: contact
name: Mara
//- Friends/Theo.md
---
type: Contact
company: Quillon Labs
tags: dairy, food
next_contact: 2026-12-01T10:00
---
//- Templates/Deal.md
---
type: deal
close_date: \"{{date}}\"
value: to be said
---
//- Recipes/Soup.md
---
type: recipe
stage: simmering
value: a lot
---
";

fn faulty() -> Nova {
    let nova = Nova::new(FAULTY, []);
    nova.vault.write_bytes("CRM/People/Old.md", b"---\ntype: contact\nname: J\xfcrgen\n---\n");
    nova
}

fn problem(path: &str, line: u32, problem: &str, remedy: &str) -> Value {
    json!({"path": path, "line": line, "problem": problem, "remedy": remedy})
}

/// Problems reported regardless of skills.
fn unreadable() -> [Value; 2] {
    [
        problem(
            "CRM/People/Mara.md",
            1,
            "the front matter cannot be read: the front matter is never closed; add a line `---` after the last property",
            "Correct that line in the note.",
        ),
        problem(
            "CRM/People/Old.md",
            1,
            "\"CRM/People/Old.md\" is not UTF-8 text",
            "Open it in an editor and save it in the encoding UTF-8.",
        ),
    ]
}

#[test]
fn every_fault_is_listed_with_its_line_and_fix() {
    let nova = faulty();
    let (code, problems) = nova.json(&["vault", "check"]);
    let stages = "Write one of lead, contacted, qualified, proposal, won, lost; the nearest is qualified.";
    let (lens, none, theo) = ("CRM/Deals/Lens order.md", "CRM/Deals/No stage.md", "Friends/Theo.md");
    let [mara, old] = unreadable();
    assert_eq!(
        problems,
        json!([
            problem(lens, 4, "`stage` is `qualifed`, which is not one of its choices", stages),
            problem(lens, 5, "`value` is `1,250.50`, which is not a plain decimal", "Write it as 1250.50."),
            problem(
                lens,
                6,
                "`probability` is `150`, which is more than 100",
                "Write a number of at most 100."
            ),
            problem(lens, 7, "`close_date` is `31.12.2026`, which is not a date", "Write it as 2026-12-31."),
            problem(
                none,
                1,
                "`stage` is missing",
                "Add it: a deal needs one of lead, contacted, qualified, proposal, won, lost."
            ),
            problem(none, 3, "`value` is `€ 12`, which is not a plain decimal", "Write it as 12."),
            mara,
            old,
            problem(
                theo,
                3,
                "`company` is the text `Quillon Labs`, not a link; it is read as a note's name",
                "Write it as \"[[Quillon Labs]]\"."
            ),
            problem(theo, 4, "`tags` is `dairy, food` instead of a list", "Write it as [dairy, food]."),
            problem(
                theo,
                5,
                "`next_contact` is `2026-12-01T10:00`, which is not a date",
                "Write it as 2026-12-01."
            ),
        ])
    );
    assert_eq!(code, 1);
    assert_eq!(nova.json(&["vault", "status"]).1["problems"], 11, "the count matches the list");
    let (code, listed) = nova.json(&["tool", "call", "crm.list_contacts"]);
    assert!(
        code == 0 && listed["value"].to_string().contains("Friends/Theo.md"),
        "a broken record stays: {listed}"
    );
}

#[test]
fn records_of_a_disabled_skill_are_plain_notes() {
    let nova = faulty();
    nova.settings(&json!({"vault": nova.vault.root(), "skills": {"crm": {"enabled": false}}}));
    assert_eq!(nova.json(&["vault", "check"]), (1, json!(unreadable())));
}

#[test]
fn sync_copy_is_a_record_only_without_original() {
    let nova = Nova::new(super::nova::PEOPLE, []);
    let (jane, copy) = ("CRM/People/Jane Doe.md", "CRM/People/Jane Doe (conflicted copy 2026-11-21).md");
    nova.vault.write(copy, &nova.vault.read(jane));
    let contacts = || nova.json(&["vault", "query", "--type", "contact"]).1.as_array().unwrap().len();
    let remedy = || nova.json(&["vault", "check"]).1[0]["remedy"].as_str().unwrap().to_owned();

    assert_eq!(contacts(), 2, "Jane once, and Tomasz");
    assert!(remedy().contains("keep one of the two"));
    nova.vault.remove(jane);
    assert_eq!(contacts(), 2, "the copy is the only Jane");
    assert!(remedy().contains("rename this file"));
}

#[test]
fn private_list_entry_that_matches_nothing_is_reported() {
    let nova = Nova::new(super::nova::PEOPLE, []);
    nova.settings(&json!({"vault": nova.vault.root(), "private": ["friends", "Dairy"]}));
    let (code, problems) = nova.json(&["vault", "check"]);
    assert_eq!((code, problems.as_array().unwrap().len()), (1, 1), "{problems}");
    assert_eq!(problems[0]["path"], json!("Dairy"));
    assert_eq!(nova.json(&["vault", "status"]).1["problems"], 1);

    // A place outside of the vault, and incomplete entries.
    nova.settings(&json!({"vault": nova.vault.root(), "private": ["~/Diary", "", "/"]}));
    let (_, problems) = nova.json(&["vault", "check"]);
    let paths: Vec<_> = problems.as_array().unwrap().iter().map(|row| &row["path"]).collect();
    assert_eq!(paths, ["nova.config.json", "~/Diary"]);
}

#[test]
fn private_list_entry_may_match_files_without_notes() {
    let nova = Nova::new(super::nova::PEOPLE, []);
    nova.vault.write_bytes("Bank/2026.csv", b"2026-11-02;-12.00\n");
    nova.settings(&json!({"vault": nova.vault.root(), "private": ["Bank", "Bank/2026.csv"]}));
    assert_eq!(nova.json(&["vault", "check"]), (0, json!([])));
}

#[test]
fn reports_all_base_errors_and_answers_other_views() {
    let base = "views:\n  - name: All\n    filters: file.ext == \"md\"\n  - name: Due\n    filters:\n      \
                and:\n        - due ==\n        - due = today()\n    limit: few\n";
    let nova =
        Nova::new("//- CRM/People/Jo.md\n---\ntype: contact\nname: Jo\ncompany: [[Acme, Inc]]\n---\n", []);
    nova.vault.write("Work.base", base);
    let (code, problems) = nova.json(&["vault", "check"]);
    let lines: Vec<_> = problems.as_array().unwrap().iter().map(|row| (&row["path"], &row["line"])).collect();
    let of = json!(["Work.base", 7, 8, 9]);
    assert_eq!((code, lines), (1, vec![(&of[0], &of[1]), (&of[0], &of[2]), (&of[0], &of[3])]), "{problems}");
    let (code, answer) =
        nova.json(&["tool", "call", "vault.query_base", "--args", r#"{"path": "Work.base"}"#]);
    assert_eq!((code, &answer["value"]["total"]), (0, &json!(1)), "{answer}");
}

#[test]
fn vault_without_faults_has_no_problems() {
    let nova = Nova::new(super::nova::PEOPLE, []);
    assert_eq!(nova.json(&["vault", "check"]), (0, json!([])));
}

#[tokio::test]
async fn field_names_of_a_vault_take_effect_without_a_restart() {
    let nova = Nova::new("//- Jane.md\n---\ntype: person\ndue: soon\n---\n", []);
    let config = |fields: Value| json!({"vault": nova.vault.root(), "skills": {"crm": {"config": {"fields": {"contact": fields}}}}});
    nova.settings(&config(json!({})));
    let app = nova.start().await;
    app.watch();
    let mut events = app.events();
    assert_eq!(app.vault_problems().await.unwrap(), []);

    nova.settings(&config(json!({"type": "person", "next_contact": "due"})));
    wait_for(&mut events, |event| matches!(event, Event::RegistryChanged { .. })).await;
    let problems = app.vault_problems().await.unwrap();
    assert_eq!(problems[0].problem, "`due` is `soon`, which is not a date");
    let shown = app.app_status(Nothing {}).await.unwrap().vault.unwrap().problems;
    assert_eq!(shown, problems, "the window lists the same");

    nova.settings(&config(json!({"type": "person", "next_contct": "due"})));
    let told = wait_for(&mut events, |event| matches!(event, Event::ConfigProblem { .. })).await;
    let Event::ConfigProblem { file, message, .. } = told else { panic!("{told:?}") };
    assert!(file.ends_with("nova.config.json"));
    assert!(
        message.starts_with(
            "skills.crm.config.fields.contact.next_contct names no field of contact; it has name,"
        ),
        "{message}"
    );
    let now = app.vault_problems().await.unwrap();
    assert_eq!(now[..1], problems, "the last good names stay in use");
    assert_eq!((now.len(), now[1].path.as_str()), (2, "nova.config.json"));
    assert!(message.starts_with(&now[1].problem), "{message}");
}
