use nova_protocol::ErrorCode;
use nova_skill::{Value, json};

use crate::{PEOPLE, crm};

/// Adds a contact and compares the new note.
#[track_caller]
fn check(args: Value, path: &str, note: &str) {
    let crm = crm("");
    let value = crm.value("add_contact", args);
    assert_eq!(value["path"], path);
    assert_eq!(crm.vault.read(path), note);
    assert_eq!(crm.vault.files(), [path]);
}

/// Expects the call to fail without writing anything.
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
fn add_contact_needs_only_a_name() {
    check(
        json!({"name": "Sam Ortega"}),
        "CRM/People/Sam Ortega.md",
        "---\ntype: contact\nname: Sam Ortega\nstage: lead\n---\n\n## Log\n",
    );
}

#[test]
fn properties_are_written_in_manifest_order() {
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
fn special_characters_are_escaped_in_yaml_and_file_names() {
    check(
        json!({"name": "O'Neil: \"Mo\" / #1", "company": "[[AC/DC]]", "phone": "0155", "stage": "no", "tags": []}),
        "CRM/People/O'Neil- -Mo- - -1.md",
        "---\ntype: contact\nname: 'O''Neil: \"Mo\" / #1'\ncompany: \"[[AC-DC|AC/DC]]\"\nphone: \"0155\"\nstage: no\n---\n\n## Log\n",
    );
}

#[test]
fn company_link_prefers_the_company_over_a_note_of_the_same_name() {
    let crm = crm(&format!(
        "{PEOPLE}//- Acme.md\nA mountain.\n//- CRM/Companies/Acme.md\n---\ntype: company\nname: Acme\n---\n\
         //- CRM/Companies/Byte.md\n---\ntype: company\nname: Byte & Sons\n---\n"
    ));
    let company = |path: &str| {
        let text = crm.vault.read(path);
        text.lines().find_map(|line| line.strip_prefix("company: ")).unwrap().to_owned()
    };
    for (name, given, link) in [
        ("Sam", "acme", "\"[[CRM/Companies/Acme]]\""),
        ("Ida", "[[Acme]]", "\"[[CRM/Companies/Acme]]\""),
        ("Bo", "Byte & Sons", "\"[[Byte]]\""),
        ("Cy", "Acm", "\"[[Acm]]\""),
    ] {
        crm.value("add_contact", json!({"name": name, "company": given}));
        assert_eq!(company(&format!("CRM/People/{name}.md")), link, "{given}");
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
fn link_to_existing_company_is_preserved() {
    let there = "//- CRM/Companies/Acme.md\n---\ntype: company\nname: Acme\n---\n\
                 //- Else/Acme.md\n\
                 //- CRM/Companies/What now?.md\n---\ntype: company\nname: What now?\n---\n";
    for (given, link) in [
        ("[[CRM/Companies/Acme]]", "[[CRM/Companies/Acme]]"),
        ("CRM/Companies/Acme", "[[CRM/Companies/Acme]]"),
        ("[[What now?]]", "[[What now?]]"),
        ("What now?", "[[What now?]]"),
        // Without such a note, the link gets a name that a note can have.
        ("[[CRM/Companies/Bcme]]", "[[CRM-Companies-Bcme|CRM/Companies/Bcme]]"),
        ("What then?", "[[What then-|What then?]]"),
    ] {
        let crm = crm(&format!("{PEOPLE}{there}"));
        crm.value("add_contact", json!({"name": "Sam Ortega", "company": given}));
        let text = crm.vault.read("CRM/People/Sam Ortega.md");
        assert!(text.contains(&format!("company: \"{link}\"\n")), "{given}: {text}");
        crm.value("update_contact", json!({"name": "Theo", "company": given}));
        let text = crm.vault.read("Friends/Theo.md");
        assert!(text.contains(&format!("company: \"{link}\"\n")), "{given}: {text}");
    }
}

#[test]
fn add_contact_returns_the_record_and_a_change_set() {
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
fn rejects_duplicate_contact() {
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
fn rejects_contact_whose_note_is_unreadable() {
    let crm = crm("//- CRM/People/Max Frei.md\n---\nname: [\n---\n");
    let error = crm.error("add_contact", json!({"name": "Max Frei"}));
    assert!(error.message.contains("\"CRM/People/Max Frei.md\" cannot be read"), "{error}");
    assert_eq!(crm.vault.files(), ["CRM/People/Max Frei.md"]);
}

#[test]
fn contact_avoids_the_name_of_another_note() {
    let crm = crm("//- CRM/People/Sam Ortega.md\nJust text.\n");
    assert_eq!(crm.value("add_contact", json!({"name": "Sam Ortega"}))["path"], "CRM/People/Sam Ortega 2.md");
    assert_eq!(crm.vault.read("CRM/People/Sam Ortega.md"), "Just text.\n");
}

#[test]
fn rejects_invalid_details() {
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
fn rejects_unknown_argument_before_the_tool_runs() {
    let error = crm("").error("add_contact", json!({"name": "A", "mail": "a@b.example"}));
    assert_eq!(error.code, ErrorCode::InvalidArguments);
    assert!(error.message.contains("mail"), "{error}");
}
