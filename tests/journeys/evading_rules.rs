//! A rule about a record holds whatever name a call uses for it; with the built program.

use serde_json::json;

use super::nova::{Nova, PEOPLE};

#[test]
fn no_alias_of_a_person_evades_a_deny() {
    let nova = Nova::new(PEOPLE, []);
    nova.json(&["permission", "deny", "crm__get_contact(name=Jane Doe)"]);
    let get = |name: &str| {
        let args = json!({ "name": name }).to_string();
        nova.json(&["tool", "call", "crm.get_contact", "--args", &args, "--approve", "all"])
    };
    for name in [
        "Jane Doe",
        "Jane",
        "Doe",
        "jan",
        "[[Jane Doe]]",
        "[[Jane Doe|x]]",
        "CRM/People/Jane Doe",
        "CRM/People/Jane Doe.md",
        "Jane  Doe",
        "jane@quillon.example",
        "Jane from Quillon Labs",
    ] {
        let (code, result) = get(name);
        assert_ne!(code, 0, "{name}");
        let said = result.to_string();
        assert!(!said.contains("Met at the fair") && !said.contains("CRM/People"), "{name}: {said}");
    }
    let (code, result) = get("CRM/People/Jane Doe");
    assert_eq!((code, &result["error"]["code"]), (3, &json!("denied_by_rule")));
    let (code, result) = get("Tomasz");
    assert_eq!(code, 0, "{result}");
}

#[test]
fn no_alias_of_a_note_evades_a_deny() {
    let nova = Nova::new(PEOPLE, []);
    nova.json(&["permission", "allow", "vault__delete_note"]);
    nova.json(&["permission", "deny", "vault__*(path=CRM/*)"]);
    for path in ["People/Jane Doe", "[[People/Jane Doe]]", "[[CRM/People/Jane Doe|her]]", "Jane Doe"] {
        let args = json!({ "path": path }).to_string();
        let (code, result) = nova.json(&["tool", "call", "vault.delete_note", "--args", &args]);
        assert_eq!((code, &result["error"]["code"]), (3, &json!("denied_by_rule")), "{path}: {result}");
        assert!(nova.vault.exists("CRM/People/Jane Doe.md"), "{path}");
    }
}
