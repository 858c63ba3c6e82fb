use nova_protocol::{ErrorCode, SourceView};
use nova_skill::json;
use nova_testkit::Privacy;

use crate::{PEOPLE, crm};

#[test]
fn get_contact_returns_the_whole_note() {
    let outcome = crm(PEOPLE).call("get_contact", json!({"name": "Jane Doe"}));
    assert_eq!(
        outcome.result.unwrap(),
        json!({
            "name": "Jane Doe",
            "company": "Quillon Labs",
            "email": "Jane.Doe@quillon.example",
            "phone": "+44 20 7946 0018",
            "stage": "lead",
            "tags": ["saas", "food/dairy"],
            "last_contact": "2026-11-12",
            "next_contact": "2026-11-24",
            "birthday": "1990-02-03",
            "text": "Signs for tools. [[Theo Marsh]] introduced us.\n\n## Log\n\n- 2026-11-12 Call: two years.",
            "path": "CRM/People/Jane Doe.md",
        })
    );
    assert_eq!(outcome.sources, [SourceView::Note { path: "CRM/People/Jane Doe.md".into() }]);
}

#[test]
fn unknown_fields_are_omitted() {
    assert_eq!(
        crm("//- P/Al.md\n---\ntype: contact\nemail:\nphone: 0155\n---\n")
            .value("get_contact", json!({"name": "Al"})),
        json!({"name": "Al", "phone": "0155", "text": "", "path": "P/Al.md"})
    );
}

#[test]
fn unquoted_company_link_is_resolved() {
    let vault = "//- P/Al.md\n---\ntype: contact\ncompany: [[Acme, Inc]]\n---\n\
                 //- C/Acme, Inc.md\n---\ntype: company\n---\n";
    let crm = crm(vault);
    assert_eq!(crm.value("get_contact", json!({"name": "Al"}))["company"], "Acme, Inc");
    assert_eq!(crm.value("list_companies", json!({}))["companies"][0]["people"], 1);
    crm.value("update_contact", json!({"name": "Al", "company": "Beta, Co"}));
    assert_eq!(crm.vault.read("P/Al.md"), "---\ntype: contact\ncompany: \"[[Beta, Co]]\"\n---\n");
}

#[test]
fn next_call_sees_an_external_edit() {
    let crm = crm(PEOPLE);
    crm.value("get_contact", json!({"name": "Theo"}));
    crm.vault.write("Friends/Theo.md", "---\ntype: contact\nname: Theo Marsh\nstage: lost\n---\n");
    assert_eq!(crm.value("get_contact", json!({"name": "Theo"}))["stage"], "lost");
    crm.vault.remove("Friends/Theo.md");
    assert_eq!(crm.error("get_contact", json!({"name": "Theo"})).code, ErrorCode::NoteNotFound);
}

#[test]
fn private_contact_is_hidden_from_a_remote_model() {
    let vault = "//- P/Al.md\n---\ntype: contact\nname: Al Green\nnova: private\n---\n//- Q/Bo.md\n---\ntype: contact\nname: Bo Green\n---\n//- Q/Cy Green.md\n---\ntype: contact\nnova: private\nname: [\n---\n";
    let mut remote = crm(vault);
    remote.privacy = Privacy { remote: true, private: Vec::new() };
    assert_eq!(remote.value("get_contact", json!({"name": "Green"}))["name"], "Bo Green");
    let listed = remote.value("list_contacts", json!({})).to_string();
    assert!(!listed.contains("Al") && !listed.contains("Cy"), "{listed}");
    let error = remote.error("get_contact", json!({"name": "Al Green"})).to_string();
    assert!(!error.contains("P/Al.md"), "{error}");

    let listed = crm(vault).value("list_contacts", json!({})).to_string();
    assert!(
        listed.contains("Al Green") && listed.contains("Q/Cy Green.md"),
        "a local model sees all: {listed}"
    );
}
