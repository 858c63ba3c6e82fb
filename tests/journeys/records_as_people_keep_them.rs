//! Vaults whose people, books and deals are marked by category, tag or folder.

use nova_protocol::{Commands as _, MarkRecord, PreviewRecords, SetSkill, SkillRef, ValueMeaning};
use serde_json::{Value, json};

use super::nova::Nova;

/// A vault that classifies notes by a link property, with a base of its people.
const BY_CATEGORY: &str = r#"
//- Ilse Brandvik.md
---
categories:
  - "[[People]]"
org: "[[Fernhill Dairy]]"
mail: ilse@fernhill.example
followup: 2026-11-24
last_contact: spring
met_on: 1984-03-02
---
//- Odile Farrow.md
---
categories: ["[[People]]", "[[Friends]]"]
mail: odile@quillon.example
---
//- Books/Emma.md
---
categories:
  - "[[Books]]"
---
//- Categories/People.md
![[People.base]]
//- People.base
filters:
  and:
    - 'categories.contains(link("People"))'
    - '!file.name.contains("Template")'
views:
  - type: table
    name: All
    order: [file.name, org]
//- Templates/Person Template.md
---
categories: ["[[People]]"]
mail:
---
"#;

const BY_TAG: &str = "
//- Ada Byron.md
---
tags: [person, poets]
email: ada@byron.example
---
//- Grace Hopper.md
---
tags: [person/navy]
email: grace@navy.example
---
//- Meetings/Monday.md
---
tags: [meeting]
---
Talked about the fair.
";

const BY_FOLDER: &str = "
//- People/Tomasz Wyka.md
---
email: tomasz@harborline.example
phone: 1
---
Met in Lisbon.
//- People/Pia Lund.md
---
email: pia@harborline.example
---
//- Journal/2026-11-02.md
Wrote to [[Pia Lund]].
";

pub(crate) fn call(nova: &Nova, tool: &str, args: Value) -> Value {
    let (code, answer) = nova.json(&["tool", "call", tool, "--args", &args.to_string(), "--approve", "all"]);
    assert_eq!(code, 0, "{tool}: {answer}");
    answer["value"].clone()
}

fn names(nova: &Nova) -> Vec<String> {
    let listed = call(nova, "crm.list_contacts", json!({}));
    let rows = listed["contacts"].as_array().unwrap();
    rows.iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
}

pub(crate) fn config(nova: &Nova, skill: &str, config: Value) {
    let mut settings: Value =
        serde_json::from_slice(&std::fs::read(nova.config().join("nova.config.json")).unwrap()).unwrap();
    settings["skills"][skill]["config"] = config;
    nova.settings(&settings);
}

#[test]
fn people_by_category_are_found_and_added_like_others() {
    let nova = Nova::new(BY_CATEGORY, []);
    assert_eq!(names(&nova), Vec::<String>::new());
    let ilse = nova.vault.read("Ilse Brandvik.md");

    let (code, applied) = nova.json(&["skill", "fields", "crm", "--apply"]);
    assert_eq!((code, &applied["applied"]), (0, &json!(true)), "{applied}");
    let people = &applied["types"][0];
    let rule = &people["rules"][0];
    assert_eq!(
        (&rule["rule"], &rule["notes"], &rule["used"]),
        (&json!("categories contains [[People]]"), &json!(2), &json!(true)),
        "{people}"
    );
    assert_eq!(people["not_understood"][0]["examples"], json!(["spring"]), "{people}");
    let settled = &applied["config"]["records"]["contact"];
    let names_set = json!({"name": "$file", "company": "org", "email": "mail", "next_contact": "followup"});
    assert_eq!(settled["names"], names_set);

    assert_eq!(nova.vault.read("Ilse Brandvik.md"), ilse, "no note is changed");
    assert_eq!(names(&nova), ["Ilse Brandvik", "Odile Farrow"]);
    let (_, rows) = nova.json(&["vault", "query", "--type", "contact"]);
    assert_eq!(rows.as_array().map(Vec::len), Some(2), "a query finds the same: {rows}");
    let found = call(&nova, "vault.query", json!({"type": "contact"}));
    assert_eq!(found["total"], 2, "{found}");

    call(&nova, "crm.add_contact", json!({"name": "Sam Ortega", "email": "sam@quillon.example"}));
    let added = nova.vault.read("CRM/People/Sam Ortega.md");
    assert!(added.starts_with("---\ncategories:\n  - \"[[People]]\"\n"), "{added}");
    assert!(added.contains("mail: sam@quillon.example\n") && !added.contains("name:"), "{added}");
    assert_eq!(names(&nova).len(), 3);
    let (_, again) = nova.json(&["skill", "fields", "crm"]);
    assert_eq!(again["types"], json!([]), "no proposals remain");
}

#[test]
fn people_by_tag_or_folder_are_proposed() {
    for (notes, rule, people) in [
        (BY_TAG, "#person", ["Ada Byron", "Grace Hopper"]),
        (BY_FOLDER, "in People/", ["Pia Lund", "Tomasz Wyka"]),
    ] {
        let nova = Nova::new(notes, []);
        let (_, applied) = nova.json(&["skill", "fields", "crm", "--apply"]);
        assert_eq!(applied["types"][0]["rules"][0]["rule"], rule, "{applied}");
        assert_eq!(names(&nova), people, "{rule}");
        call(&nova, "crm.add_contact", json!({"name": "Zoe New"}));
        assert_eq!(
            names(&nova).last().map(String::as_str),
            Some("Zoe New"),
            "{rule}: a new note matches too"
        );
    }
}

#[test]
fn notes_without_a_type_in_the_skills_folder_count() {
    let notes = "
//- CRM/People/Ada.md
---
email: ada@byron.example
---
//- CRM/People/Read me.md
How this folder is kept.
//- CRM/People/Plan.md
---
type: plan
---
";
    let nova = Nova::new(notes, []);
    assert_eq!(names(&nova), ["Ada"]);
    let (_, problems) = nova.json(&["vault", "check"]);
    let said: Vec<_> =
        problems.as_array().unwrap().iter().map(|row| row["problem"].as_str().unwrap()).collect();
    assert_eq!(
        said,
        [
            "it is in CRM/People but not a contact, and its type is plan",
            "it is in CRM/People but not a contact"
        ]
    );
    assert_eq!(problems[1]["remedy"], "Set `type: contact` in the note, or move it out of CRM/People.");
}

#[test]
fn note_that_two_types_claim_is_a_problem() {
    let nova = Nova::new("//- Firms/Acme.md\n---\ntype: company\nname: Acme\n---\n", []);
    config(
        &nova,
        "crm",
        json!({"records": {"contact": {"match": [{"folder": "Firms"}], "folder": "Firms"}}}),
    );
    assert_eq!(names(&nova), ["Acme"]);
    assert_eq!(call(&nova, "crm.list_companies", json!({}))["count"], 1, "both have it");
    let (_, problems) = nova.json(&["vault", "check"]);
    let twice = "it counts as contact of the skill crm and as company of the skill crm";
    assert_eq!(problems[0]["problem"], twice, "{problems}");
}

#[test]
fn values_of_the_vault_are_understood_and_written() {
    let nova = Nova::new(
        "//- Big.md\n---\ntype: deal\nstage: gewonnen\n---\n//- Old.md\n---\ntype: deal\nstage: ruht\n---\n",
        [],
    );
    let values = json!({"gewonnen": "won", "angefragt": "lead", "ruht": "lost"});
    config(&nova, "crm", json!({"records": {"deal": {"values": {"stage": values}}}}));
    let won = call(&nova, "crm.list_deals", json!({"stage": "won"}));
    assert_eq!((&won["count"], &won["deals"][0]["title"]), (&json!(1), &json!("Big")), "{won}");
    call(&nova, "crm.add_deal", json!({"title": "New", "stage": "lead"}));
    assert!(nova.vault.read("CRM/Deals/New.md").contains("stage: angefragt\n"));
}

#[tokio::test]
async fn folder_name_alone_proposes_nothing() {
    let nova = Nova::new("//- Contacts/List.md\nNames I forget.\n", []);
    let app = nova.start().await;
    let proposal = app.propose_fields(SkillRef { skill: "crm".into() }).await.unwrap();
    assert_eq!(proposal.types, []);
}

#[tokio::test]
async fn rules_that_match_nearly_every_note_need_confirmation() {
    let notes: String = (0..30).map(|at| format!("//- N{at}.md\n---\nstatus: open\n---\n")).collect();
    let nova = Nova::new(&notes, []);
    let app = nova.start().await;
    let all = json!({"records": {"contact": {"match": [{"where": "status = open"}]}}});
    let set =
        nova_protocol::SetSkill { skill: "crm".into(), config: Some(all.clone()), ..Default::default() };
    let refused = app.set_skill(set).await.unwrap_err();
    assert!(refused.message.contains("30 of 30 notes are records of contact"), "{}", refused.message);
    drop(app);
    config(&nova, "crm", all);
    let (_, problems) = nova.json(&["vault", "check"]);
    assert_eq!(problems.as_array().unwrap().last().unwrap()["path"], "nova.config.json", "{problems}");
}

fn preview(own: Option<Value>, rules: Option<Vec<Value>>) -> PreviewRecords {
    PreviewRecords { skill: "crm".into(), record_type: "contact".into(), own, rules, note: Some(0) }
}

#[tokio::test]
async fn page_previews_what_the_notes_suggest() {
    let nova = Nova::new(BY_CATEGORY, []);
    let app = nova.start().await;
    let page = app.preview_records(preview(None, None)).await.unwrap();
    let used: Vec<&str> =
        page.rules.iter().filter(|rule| rule.used).map(|rule| rule.words.as_str()).collect();
    assert_eq!(used[0], "categories contains [[People]]");
    assert_eq!((page.taken, &page.in_force), (2, &Value::Null));
    let field = |key: &str| page.fields.iter().find(|field| field.field == key).unwrap();
    assert_eq!((field("email").property.as_str(), field("email").notes), ("mail", 2));
    assert_eq!(field("name").property, "$file");
    let spring = &page.not_understood[0];
    assert_eq!(
        (spring.field.as_deref(), spring.values.as_slice()),
        (Some("last_contact"), &["spring".to_owned()][..])
    );
    assert_eq!(spring.paths, ["Ilse Brandvik.md"]);
    let met_on = page.own_fields.iter().find(|field| field.property == "met_on").unwrap();
    assert_eq!((met_on.kind.as_str(), met_on.used, met_on.notes), ("date", false, 1));
    let templates = page.left_out.iter().find(|group| group.what == "in the templates folder").unwrap();
    assert_eq!(templates.paths, ["Templates/Person Template.md"]);
    let note = page.note.as_ref().unwrap();
    let email = note.values.iter().find(|value| value.field == "email").unwrap();
    assert_eq!((email.value.as_str(), email.from.as_str()), ("ilse@fernhill.example", "mail, line 5"));
    assert_eq!(names(&nova), Vec::<String>::new(), "no record yet");

    let set = SetSkill { skill: "crm".into(), config: Some(page.config.clone()), ..Default::default() };
    app.set_skill(set).await.unwrap();
    assert_eq!(names(&nova), ["Ilse Brandvik", "Odile Farrow"]);
    let again = app.preview_records(preview(None, None)).await.unwrap();
    assert_eq!((&again.own, &again.in_force), (&page.own, &page.own));
}

#[tokio::test]
async fn excluded_rule_says_which_notes_it_would_take() {
    let nova = Nova::new(BY_TAG, []);
    let app = nova.start().await;
    let rules = vec![json!({"tag": "poets"}), json!({"tag": "person"}), json!({"where": "stage is lead"})];
    let own = json!({"match": [{"tag": "poets"}]});
    let page = app.preview_records(preview(Some(own), Some(rules))).await.unwrap();
    let rows: Vec<_> = page.rules.iter().map(|rule| (rule.used, rule.notes, rule.more)).collect();
    assert_eq!(rows, [(true, 1, 1), (false, 2, 1), (false, 0, 0)]);
    assert_eq!(
        (page.left_out[0].what.as_str(), &page.left_out[0].paths[..]),
        ("#person", &["Grace Hopper.md".to_owned()][..])
    );
    let fault = page.rules[2].fault.as_deref().unwrap();
    assert!(fault.contains("`is` is not an operator"), "{fault}");
}

#[tokio::test]
async fn values_that_map_to_a_stage_are_counted() {
    let notes =
        "//- A.md\n---\ntype: deal\nstage: warm?\n---\n//- B.md\n---\ntype: deal\nstage: gewonnen\n---\n";
    let nova = Nova::new(notes, []);
    let app = nova.start().await;
    let own = json!({"values": {"stage": {"gewonnen": "won"}}});
    let wanted = PreviewRecords { record_type: "deal".into(), ..preview(Some(own), None) };
    let page = app.preview_records(wanted).await.unwrap();
    let stage = page.fields.iter().find(|field| field.field == "stage").unwrap();
    let meanings: Vec<_> = stage.values.iter().map(|value| (value.value.as_str(), &value.meaning)).collect();
    let won = ValueMeaning::Choice { choice: "won".into() };
    assert_eq!(meanings, [("gewonnen", &won), ("warm?", &ValueMeaning::Open)]);
    assert_eq!((stage.odd, page.not_understood[0].values.clone()), (1, vec!["warm?".to_owned()]));
    let faulty = json!({"values": {"stage": {"warm?": "hot"}}, "match": [{"where": "stage is"}]});
    let wanted = PreviewRecords { record_type: "deal".into(), ..preview(Some(faulty), None) };
    let keys: Vec<String> =
        app.preview_records(wanted).await.unwrap().faults.into_iter().map(|fault| fault.key).collect();
    assert_eq!(keys[..2], ["values.stage.warm?", "match[0]"]);
}

#[tokio::test]
async fn rules_for_nearly_every_note_apply_once_confirmed() {
    let notes: String = (0..30).map(|at| format!("//- N{at}.md\n---\nstatus: open\n---\n")).collect();
    let nova = Nova::new(&notes, []);
    let app = nova.start().await;
    let own = json!({"match": [{"where": "status = open"}]});
    let page = app.preview_records(preview(Some(own), None)).await.unwrap();
    let said = page.takes_nearly_all.clone().unwrap();
    assert!(said.contains("30 of 30 notes are records of contact"), "{said}");
    let set = SetSkill {
        skill: "crm".into(),
        config: Some(page.config),
        nearly_all: Some(true),
        ..Default::default()
    };
    app.set_skill(set).await.unwrap();
    assert_eq!(names(&nova).len(), 30);
}

#[tokio::test]
async fn note_that_matches_no_rule_becomes_a_record_in_one_step() {
    let nova = Nova::new("//- CRM/People/Ada.md\nMet in Lisbon.\n", []);
    let app = nova.start().await;
    let problems = app.list_problems(nova_protocol::Nothing {}).await.unwrap();
    let mark = problems[0].mark.clone().unwrap();
    assert_eq!(
        (mark.skill.as_str(), mark.record_type.as_str(), mark.mark.as_str()),
        ("crm", "contact", "type: contact")
    );
    let marked = app
        .mark_record(MarkRecord {
            skill: mark.skill,
            record_type: mark.record_type,
            path: problems[0].path.clone(),
            run: "mark-1".into(),
        })
        .await
        .unwrap();
    assert_eq!((marked.ok, marked.changes.len()), (true, 1));
    assert_eq!(nova.vault.read("CRM/People/Ada.md"), "---\ntype: contact\n---\nMet in Lisbon.\n");
    assert_eq!(app.list_problems(nova_protocol::Nothing {}).await.unwrap(), []);
    let undone =
        nova_protocol::UndoChanges { change_set: marked.change_set.unwrap(), note: None, call: None };
    app.undo_changes(undone).await.unwrap();
    assert_eq!(nova.vault.read("CRM/People/Ada.md"), "Met in Lisbon.\n");
}

#[test]
fn new_records_begin_with_the_users_template() {
    let template = "---\ntype: contact\nstage: lead\ntags: [people]\nmood:\n---\n# {{title}}\n\n## Notes\n";
    let nova = Nova::new(&format!("//- Templates/Person.md\n{template}"), []);
    config(&nova, "crm", json!({"records": {"contact": {"template": "Templates/Person"}}}));
    call(&nova, "crm.add_contact", json!({"name": "Ada Byron", "tags": ["poets"]}));
    let added = nova.vault.read("CRM/People/Ada Byron.md");
    for part in
        ["type: contact\n", "name: Ada Byron\n", "stage: lead\n", "mood:\n", "- poets\n", "- people\n"]
    {
        assert!(added.contains(part), "{part}: {added}");
    }
    assert!(added.ends_with("---\n# Ada Byron\n\n## Notes\n"), "{added}");

    config(&nova, "crm", json!({"records": {"contact": {"template": "Templates/Gone.md"}}}));
    let args = json!({"name": "Grace"}).to_string();
    let (_, refused) = nova.json(&["tool", "call", "crm.add_contact", "--args", &args, "--approve", "all"]);
    assert!(refused.to_string().contains("The template Templates/Gone.md is not in the vault."), "{refused}");

    let problems = || nova.json(&["vault", "check"]).1.as_array().unwrap().clone();
    let missing = &problems()[0];
    assert_eq!(
        (&missing["path"], &missing["problem"]),
        (&json!("nova.config.json"), &json!("the template Templates/Gone.md of contact is not in the vault"))
    );
    let remedy = missing["remedy"].as_str().unwrap();
    assert!(remedy.contains("skills.crm.config.records.contact.template"), "{remedy}");
    nova.vault.write("Templates/Gone.md", "# {{title}}\n");
    assert_eq!(problems(), Vec::<Value>::new());
}

/// As Obsidian's own list properties have it.
#[test]
fn note_of_several_types_is_a_record_of_each() {
    let notes = "//- Quillon.md\n---\ntype: [contact, company]\nname: Quillon Labs\n---\n\
                 //- Templates/Lead.md\n---\ntype: [lead, prospect]\n---\n";
    let nova = Nova::new(notes, []);
    assert_eq!(names(&nova), ["Quillon Labs"]);
    assert_eq!(call(&nova, "crm.list_companies", json!({}))["companies"][0]["name"], "Quillon Labs");
    let (_, rows) = nova.json(&["tool", "call", "vault.query", "--args", r#"{"type": "company"}"#]);
    assert!(rows.to_string().contains("Quillon.md"), "{rows}");
    let (_, problems) = nova.json(&["vault", "check"]);
    assert_eq!(problems, json!([]), "the note has both types");

    // The template's types stay beside that of the record.
    config(&nova, "crm", json!({"records": {"contact": {"template": "Templates/Lead"}}}));
    call(&nova, "crm.add_contact", json!({"name": "Ada"}));
    let added = nova.vault.read("CRM/People/Ada.md");
    assert!(added.starts_with("---\ntype:\n  - contact\n  - lead\n  - prospect\n"), "{added}");
    assert_eq!(names(&nova), ["Ada", "Quillon Labs"]);
}

#[test]
fn imported_entries_begin_with_the_users_template_too() {
    let notes = "//- Templates/Expense.md\n---\ntype: expense\ntags: [bank]\nreviewed: false\n---\n# {{title}}\n\
                 //- Bank.csv\nDate;Payee;Amount\n2026-11-02;Corner Market;-5,00\n2026-11-03;Salary;7,00\n";
    let nova = Nova::new(notes, []);
    let template = |path: &str| {
        config(&nova, "budget", json!({"currency": "EUR", "records": {"expense": {"template": path}}}));
    };
    template("Templates/Gone");
    let proposal = call(&nova, "budget.import_transactions", json!({"path": "Bank.csv"}));
    let agreed = json!({"path": "Bank.csv", "mapping": proposal["mapping"]});
    let args = agreed.to_string();
    let (code, refused) =
        nova.json(&["tool", "call", "budget.import_transactions", "--args", &args, "--approve", "all"]);
    assert!(code != 0 && refused.to_string().contains("The template Templates/Gone.md is not in the vault."));
    assert_eq!(nova.vault.files(), ["Bank.csv", "Templates/Expense.md"], "nothing is imported");

    template("Templates/Expense");
    assert_eq!(call(&nova, "budget.import_transactions", agreed)["imported"], 2);
    let expense = nova.vault.read("Budget/Expenses/2026/2026-11-02 Corner Market 5.00.md");
    for part in ["amount: 5.00\n", "tags:\n  - bank\n", "reviewed: false\n", "import_id: "] {
        assert!(expense.contains(part), "{part}: {expense}");
    }
    assert!(expense.ends_with("---\n# 2026-11-02 Corner Market 5.00\n"), "{expense}");
    let income = nova.vault.read("Budget/Incomes/2026/2026-11-03 Salary 7.00.md");
    assert!(!income.contains("reviewed"), "an income has its own template, {income}");
}

#[test]
fn faulty_condition_is_reported_at_its_line() {
    let nova = Nova::new("", []);
    config(
        &nova,
        "crm",
        json!({"records": {"contact": {"match": [{"tag": "a"}, {"where": "stage is lead"}]}}}),
    );
    let file = nova.config().join("nova.config.json");
    let pretty = serde_json::to_string_pretty(&nova.read_settings()).unwrap();
    std::fs::write(file, &pretty).unwrap();
    let line = pretty.lines().position(|line| line.contains("stage is lead")).unwrap();
    let (_, problems) = nova.json(&["vault", "check"]);
    let fault = problems.as_array().unwrap().iter().find(|one| one["path"] == "nova.config.json").unwrap();
    let key = "skills.crm.config.records.contact.match[1] cannot be used: the condition `stage is lead`";
    assert!(fault["problem"].as_str().unwrap().starts_with(key), "{fault}");
    assert_eq!(fault["line"], line, "the line on which its entry begins: {pretty}");
}
