//! Resolving a name to a contact.

use nova_protocol::ErrorCode;
use nova_skill::json;

use crate::{PEOPLE, crm};

#[track_caller]
fn check(name: &str, path: &str) {
    let found = crm(PEOPLE).value("get_contact", json!({"name": name}));
    assert_eq!(found["path"], path, "{name}");
}

#[track_caller]
fn fails(vault: &str, name: &str, code: ErrorCode, message: &str, hint: &str) {
    let error = crm(vault).error("get_contact", json!({"name": name}));
    assert_eq!((error.code, error.message.as_str(), error.hint.as_str()), (code, message, hint), "{name}");
}

const JANE: &str = "CRM/People/Jane Doe.md";
const THEO: &str = "Friends/Theo.md";

#[test]
fn finds_by_name_in_any_case_and_folder() {
    check("Jane Doe", JANE);
    check("  jane   DOE ", JANE);
    check("Theo Marsh", THEO);
    check("theo", THEO);
    check("[[Jane Doe]]", JANE);
    check("[[Jane Doe|Jane]]", JANE);
    check("Jane Roe", "CRM/People/Jane Roe.md");
}

#[test]
fn finds_by_path_alias_or_email() {
    check("CRM/People/Jane Doe.md", JANE);
    check("CRM/People/Jane Doe", JANE);
    check("teddy", THEO);
    check("The Marsh", THEO);
    check("jane.doe@QUILLON.example", JANE);
}

#[test]
fn finds_by_part_of_the_name_with_or_without_the_company() {
    check("Doe", JANE);
    check("mar", THEO);
    check("Jane Quillon", JANE);
    check("Jane Doe (Quillon Labs)", JANE);
}

#[test]
fn composed_and_decomposed_letters_match() {
    let vault = "//- P/Zoë.md\n---\ntype: contact\nname: Zoë Müller\n---\n";
    let found = crm(vault).value("get_contact", json!({"name": "zoe\u{308} mu\u{308}ller"}));
    assert_eq!(found["name"], "Zoë Müller");
}

#[test]
fn ambiguous_name_lists_distinguishable_matches() {
    fails(
        PEOPLE,
        "Jane",
        ErrorCode::Ambiguous,
        r#"Several contacts match "Jane": Jane Doe (Quillon Labs), Jane Roe (Fernhill Dairy)."#,
        "Ask which one is meant, then use its full name or path.",
    );
    let twins = "//- A/Jo.md\n---\ntype: contact\nname: Jo Lind\ncompany: A\n---\n//- B/Jo.md\n---\ntype: contact\nname: Jo Lind\n---\n";
    fails(
        twins,
        "Jo Lind",
        ErrorCode::Ambiguous,
        r#"Several contacts match "Jo Lind": Jo Lind (A) at A/Jo.md, Jo Lind at B/Jo.md."#,
        "Ask which one is meant, then use its full name or path.",
    );
    assert_eq!(crm(twins).value("get_contact", json!({"name": "B/Jo.md"}))["path"], "B/Jo.md");
}

#[test]
fn whole_word_match_wins_over_a_prefix() {
    let vault = "//- A.md\n---\ntype: contact\nname: Ann Lee\n---\n//- B.md\n---\ntype: contact\nname: Anna Ray\n---\n";
    assert_eq!(crm(vault).value("get_contact", json!({"name": "Ann"}))["name"], "Ann Lee");
    assert_eq!(crm(vault).error("get_contact", json!({"name": "An"})).code, ErrorCode::Ambiguous);
}

#[test]
fn unknown_name_error_suggests_the_nearest() {
    fails(
        PEOPLE,
        "Jayne Do",
        ErrorCode::NoteNotFound,
        r#"There is no contact "Jayne Do"."#,
        "Nearest: Jane Doe, Jane Roe.",
    );
    fails(
        "",
        "Jane",
        ErrorCode::NoteNotFound,
        r#"There is no contact "Jane"."#,
        "Check the list, or create it.",
    );
    fails(
        PEOPLE,
        " ",
        ErrorCode::InvalidArguments,
        "/name: must not be empty; say whom you mean.",
        "Change the argument and call again.",
    );
}

#[test]
fn companies_and_templates_are_not_contacts() {
    assert_eq!(
        crm(PEOPLE).error("get_contact", json!({"name": "Quillon Labs"})).code,
        ErrorCode::NoteNotFound
    );
    assert_eq!(
        crm(PEOPLE).error("get_contact", json!({"name": "Templates/Contact.md"})).code,
        ErrorCode::NoteNotFound
    );
}

#[test]
fn error_names_the_unreadable_note_and_its_line() {
    let vault = "//- CRM/People/Max Frei.md\n---\ntype: contact\nname: [\n---\n";
    let error = crm(vault).error("get_contact", json!({"name": "max frei"}));
    assert_eq!(error.code, ErrorCode::ToolFailed);
    assert!(
        error.message.starts_with("\"CRM/People/Max Frei.md\" cannot be read as a contact: line "),
        "{error}"
    );
}
