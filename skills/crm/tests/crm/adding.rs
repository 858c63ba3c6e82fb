use nova_protocol::ErrorCode;
use nova_skill::{Value, json};

use crate::{PEOPLE, crm};

/// What a new note holds.
#[track_caller]
fn check(args: Value, path: &str, note: &str) {
    let crm = crm("");
    let value = crm.value("add_contact", args);
    assert_eq!(value["path"], path);
    assert_eq!(crm.vault.read(path), note);
    assert_eq!(crm.vault.files(), [path]);
}

/// What is refused, with nothing written.
#[track_caller]
fn refuses(args: Value, code: ErrorCode, message: &str) {
    let crm = crm(PEOPLE);
    let files = crm.vault.files();
    let error = crm.error("add_contact", args);
    assert_eq!((error.code, error.message.as_str()), (code, message));
    assert!(crm.approver.asked().is_empty(), "what cannot be done is not asked about");
    assert_eq!(crm.vault.files(), files);
}

#[test]
fn a_name_is_enough() {
    check(
        json!({"name": "Sam Ortega"}),
        "CRM/People/Sam Ortega.md",
        "---\ntype: contact\nname: Sam Ortega\nstage: lead\n---\n\n## Log\n",
    );
}

#[test]
fn everything_that_is_known_in_the_order_of_the_manifest() {
    check(
        json!({
            "next_contact": "2026-12-01",
            "tags": ["#saas", " cold chain ", "SaaS"],
            "stage": "qualified",
            "phone": " +44 20 7946 0555 ",
            "email": "sam@quillon.example",
            "company": "Quillon Labs",
            "name": " Sam Ortega ",
        }),
        "CRM/People/Sam Ortega.md",
        r#"---
type: contact
name: Sam Ortega
company: "[[Quillon Labs]]"
email: sam@quillon.example
phone: +44 20 7946 0555
stage: qualified
tags:
  - saas
  - cold chain
next_contact: 2026-12-01
---

## Log
"#,
    );
}

#[test]
fn what_yaml_or_a_file_system_would_take_amiss() {
    check(
        json!({"name": "O'Neil: \"Mo\" / #1", "company": "[[AC/DC]]", "phone": "0155", "stage": "no", "tags": []}),
        "CRM/People/O'Neil- -Mo- - -1.md",
        "---\ntype: contact\nname: 'O''Neil: \"Mo\" / #1'\ncompany: \"[[AC-DC|AC/DC]]\"\nphone: \"0155\"\nstage: no\n---\n\n## Log\n",
    );
}

#[test]
fn a_contact_links_to_the_company_of_that_name_where_another_note_has_it_too() {
    let crm = crm(&format!(
        "{PEOPLE}//- Acme.md\nA mountain.\n//- CRM/Companies/Acme.md\n---\ntype: company\nname: Acme\n---\n\
         //- CRM/Companies/Byte.md\n---\ntype: company\nname: Byte & Sons\n---\n"
    ));
    let company = |path: &str| {
        let text = crm.vault.read(path);
        text.lines().find_map(|line| line.strip_prefix("company: ")).unwrap().to_owned()
    };
    for (name, said, link) in [
        ("Sam", "acme", "\"[[CRM/Companies/Acme]]\""),
        ("Ida", "[[Acme]]", "\"[[CRM/Companies/Acme]]\""),
        ("Bo", "Byte & Sons", "\"[[Byte]]\""),
        ("Cy", "Acm", "\"[[Acm]]\""),
    ] {
        crm.value("add_contact", json!({"name": name, "company": said}));
        assert_eq!(company(&format!("CRM/People/{name}.md")), link, "{said}");
    }
    crm.value("update_contact", json!({"name": "Theo", "company": "Acme"}));
    assert_eq!(company("Friends/Theo.md"), "\"[[CRM/Companies/Acme]]\"");

    crm.vault.write("Other/Acme.md", "---\ntype: company\n---\n");
    let error = crm.error("add_contact", json!({"name": "Di", "company": "Acme"}));
    assert_eq!(error.code, ErrorCode::Ambiguous);
    assert!(
        error.message.contains("CRM/Companies/Acme.md") && error.message.contains("Other/Acme.md"),
        "{error}"
    );
}

#[test]
fn a_link_to_a_company_that_is_there_stays_what_it_is() {
    let there = "//- CRM/Companies/Acme.md\n---\ntype: company\nname: Acme\n---\n\
                 //- Else/Acme.md\n\
                 //- CRM/Companies/What now?.md\n---\ntype: company\nname: What now?\n---\n";
    for (said, link) in [
        ("[[CRM/Companies/Acme]]", "[[CRM/Companies/Acme]]"),
        ("CRM/Companies/Acme", "[[CRM/Companies/Acme]]"),
        ("[[What now?]]", "[[What now?]]"),
        ("What now?", "[[What now?]]"),
        // These are there as no note: names that a note may get.
        ("[[CRM/Companies/Bcme]]", "[[CRM-Companies-Bcme|CRM/Companies/Bcme]]"),
        ("What then?", "[[What then-|What then?]]"),
    ] {
        let crm = crm(&format!("{PEOPLE}{there}"));
        crm.value("add_contact", json!({"name": "Sam Ortega", "company": said}));
        let text = crm.vault.read("CRM/People/Sam Ortega.md");
        assert!(text.contains(&format!("company: \"{link}\"\n")), "{said}: {text}");
        crm.value("update_contact", json!({"name": "Theo", "company": said}));
        let text = crm.vault.read("Friends/Theo.md");
        assert!(text.contains(&format!("company: \"{link}\"\n")), "{said}: {text}");
    }
}

#[test]
fn what_was_written_is_answered_and_undoable() {
    let crm = crm(PEOPLE);
    let outcome = crm.call("add_contact", json!({"name": "Sam Ortega", "company": "Quillon Labs"}));
    assert_eq!(
        outcome.result,
        Ok(
            json!({"name": "Sam Ortega", "company": "Quillon Labs", "stage": "lead", "path": "CRM/People/Sam Ortega.md"})
        )
    );
    assert_eq!(outcome.changes[0].path, "CRM/People/Sam Ortega.md");
    assert!(outcome.change_set.is_some(), "there is something to undo");
    let asked = crm.approver.asked();
    assert_eq!((asked[0].tool.as_str(), asked[0].question.as_str()), ("crm.add_contact", "Create 1 note?"));
}

#[test]
fn the_same_person_is_not_added_twice() {
    refuses(
        json!({"name": "jane  doe"}),
        ErrorCode::NoteExists,
        r#"There is already a contact "Jane Doe": CRM/People/Jane Doe.md."#,
    );
    refuses(
        json!({"name": "Theo"}),
        ErrorCode::NoteExists,
        r#"There is already a contact "Theo Marsh": Friends/Theo.md."#,
    );
    refuses(
        json!({"name": "J. Doe", "email": "jane.doe@Quillon.example"}),
        ErrorCode::NoteExists,
        r#"There is already a contact with this e-mail address, "Jane Doe": CRM/People/Jane Doe.md."#,
    );
    let error = crm(PEOPLE).error("add_contact", json!({"name": "Jane Doe"}));
    assert!(error.hint.contains("crm.update_contact"), "{error}");
}

#[test]
fn a_broken_note_of_that_name_is_not_doubled() {
    let crm = crm("//- CRM/People/Max Frei.md\n---\nname: [\n---\n");
    let error = crm.error("add_contact", json!({"name": "Max Frei"}));
    assert!(error.message.contains("\"CRM/People/Max Frei.md\" cannot be read"), "{error}");
    assert_eq!(crm.vault.files(), ["CRM/People/Max Frei.md"]);
}

#[test]
fn a_note_that_is_no_contact_keeps_its_name() {
    let crm = crm("//- CRM/People/Sam Ortega.md\nJust text.\n");
    assert_eq!(crm.value("add_contact", json!({"name": "Sam Ortega"}))["path"], "CRM/People/Sam Ortega 2.md");
    assert_eq!(crm.vault.read("CRM/People/Sam Ortega.md"), "Just text.\n");
}

#[test]
fn details_that_cannot_be_right_are_refused() {
    let invalid = ErrorCode::InvalidArguments;
    let empty = "must not be empty; leave it out when it is not known.";
    refuses(json!({"name": " "}), invalid, &format!("/name: {empty}"));
    refuses(json!({"name": "A", "company": ""}), invalid, &format!("/company: {empty}"));
    refuses(json!({"name": "A", "tags": ["x", "#"]}), invalid, &format!("/tags: {empty}"));
    refuses(json!({"name": "A\nB"}), invalid, "/name: must be one line of text.");
    refuses(
        json!({"name": "A", "next_contact": "tomorrow"}),
        invalid,
        "/next_contact: \"tomorrow\" is not a date YYYY-MM-DD.",
    );
    for email in
        ["jane", "jane@", "@b.example", "jane@localhost", "a b@c.example", "a@b@c.example", "a@.example"]
    {
        let message = format!("/email: \"{email}\" is not an e-mail address such as jane@example.com.");
        refuses(json!({"name": "A", "email": email}), invalid, &message);
    }
}

#[test]
fn an_unknown_argument_is_refused_before_the_tool_runs() {
    let error = crm("").error("add_contact", json!({"name": "A", "mail": "a@b.example"}));
    assert_eq!(error.code, ErrorCode::InvalidArguments);
    assert!(error.message.contains("mail"), "{error}");
}
