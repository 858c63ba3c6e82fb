//! A vault whose notes have other types and properties than a skill expects.

use nova_protocol::{Commands as _, SkillRef};
use serde_json::{Value, json};

use super::nova::{Nova, PEOPLE};

/// Two people as somebody kept them before Nova, and a project that is none of the skill's.
const OLD: &str = "
//- People/Ada Byron.md
---
type: person
e-mail: ada@byron.example
status: friend
employer: \"[[Analytical Engines]]\"
next: 2026-12-01
---
Met at the fair.
//- People/Grace Hopper.md
---
type: person
e-mail: grace@navy.example # work
status: lead
---
//- Journal/2026-11-02.md
---
type: journal
status: done
---
";

fn settings(nova: &Nova) -> Value {
    serde_json::from_slice(&std::fs::read(nova.config().join("nova.config.json")).unwrap()).unwrap()
}

/// The rows that the skill lists.
fn contacts(nova: &Nova) -> Value {
    let (_, listed) = nova.json(&["tool", "call", "crm.list_contacts"]);
    let value = &listed["value"];
    value.get("contacts").unwrap_or(value).clone()
}

#[tokio::test]
async fn names_are_proposed_with_what_speaks_for_them_and_nothing_is_changed() {
    let nova = Nova::new(OLD, []);
    let before = settings(&nova);
    let app = nova.start().await;

    let proposal = app.propose_fields(SkillRef { skill: "crm".into() }).await.unwrap();

    let people = &proposal.types[0];
    assert_eq!(people.summary, "2 notes look like contacts (type: person)");
    assert_eq!(people.examples, ["People/Ada Byron.md", "People/Grace Hopper.md"]);
    let fields: Vec<_> = people
        .fields
        .iter()
        .map(|found| (found.field.as_str(), found.property.as_str(), found.notes, found.because.as_str()))
        .collect();
    assert_eq!(
        fields,
        [
            ("company", "employer", 1, "is another name for company"),
            ("email", "e-mail", 2, "is another spelling of email"),
            ("stage", "status", 2, "is another name for stage"),
            ("next_contact", "next", 1, "is another name for next_contact"),
        ]
    );
    assert_eq!(people.fields[1].examples, ["ada@byron.example", "grace@navy.example"]);
    assert_eq!(
        proposal.config,
        json!({"fields": {"contact": {
            "type": ["person", "contact"], "company": "employer", "email": "e-mail", "stage": "status",
            "next_contact": "next",
        }}})
    );
    assert_eq!(proposal.types.len(), 1, "a journal is none of its records");
    assert_eq!(settings(&nova), before);
}

#[test]
fn once_confirmed_the_notes_are_found_and_changed_under_their_own_names() {
    let nova = Nova::new(OLD, []);
    assert_eq!(contacts(&nova), json!([]));
    let ada = nova.vault.read("People/Ada Byron.md");

    let (code, applied) = nova.json(&["skill", "fields", "crm", "--apply"]);

    assert_eq!((code, &applied["applied"]), (0, &json!(true)));
    assert_eq!(nova.vault.read("People/Ada Byron.md"), ada, "no note is changed");
    let rows = contacts(&nova);
    let rows = rows.as_array().unwrap();
    let known: Vec<_> = rows.iter().map(|row| (row["name"].as_str(), row["stage"].as_str())).collect();
    assert_eq!(known, [(Some("Ada Byron"), Some("friend")), (Some("Grace Hopper"), Some("lead"))]);
    let update = r#"{"name": "grace", "email": "grace@yale.example", "next_contact": "2026-12-09"}"#;
    let (code, _) = nova.json(&["tool", "call", "crm.update_contact", "--args", update, "--approve", "all"]);
    assert_eq!(code, 0);
    assert_eq!(
        nova.vault.read("People/Grace Hopper.md"),
        "---\ntype: person\ne-mail: grace@yale.example # work\nstatus: lead\nnext: 2026-12-09\n---\n"
    );
    let add = r#"{"name": "Alan Turing"}"#;
    let (code, _) = nova.json(&["tool", "call", "crm.add_contact", "--args", add, "--approve", "all"]);
    assert_eq!(code, 0);
    assert!(nova.vault.read("CRM/People/Alan Turing.md").starts_with("---\ntype: person\n"));
    let (_, again) = nova.json(&["skill", "fields", "crm"]);
    assert_eq!((&again["types"], &again["applied"]), (&json!([]), &json!(false)));
}

#[test]
fn what_the_user_has_set_stays_and_a_vault_of_its_own_gets_no_proposal() {
    let nova = Nova::new(PEOPLE, []);
    assert_eq!(nova.json(&["skill", "fields", "crm"]).1["types"], json!([]));

    let nova = Nova::new(OLD, []);
    let mut own = settings(&nova);
    own["skills"] = json!({"crm": {"config": {"fields": {"contact": {"phone": "Tel"}}}}});
    nova.settings(&own);
    nova.json(&["skill", "fields", "crm", "--apply"]);
    let fields = &settings(&nova)["skills"]["crm"]["config"]["fields"]["contact"];
    assert_eq!((&fields["phone"], &fields["email"]), (&json!("Tel"), &json!("e-mail")));
    let unknown = nova.run(&["skill", "fields", "nobody"]);
    assert_eq!(unknown.status.code(), Some(1));
}

#[tokio::test]
async fn notes_are_known_by_their_folder_or_by_most_of_their_properties() {
    let notes = "
//- Kontakte/Ada.md
---
type: mensch
email: ada@byron.example
phone: 1
company: Engines
stage: lead
---
//- Kontakte/Grace.md
---
type: mensch
email: grace@navy.example
phone: 2
company: Navy
stage: lead
---
//- Companies/Engines.md
---
type: firma
domain: engines.example
---
//- Books/Notes.md
---
type: book
stage: reading
---
";
    let nova = Nova::new(notes, []);
    let app = nova.start().await;
    let proposal = app.propose_fields(SkillRef { skill: "crm".into() }).await.unwrap();
    let found: Vec<_> = proposal
        .types
        .iter()
        .map(|found| (found.record_type.as_str(), found.type_values.as_slice()))
        .collect();
    assert_eq!(found, [("contact", &["mensch".to_owned()][..]), ("company", &["firma".to_owned()][..])]);
}
