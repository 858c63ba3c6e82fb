//! The declared records, compared with the starter vault and used in a vault with its own names.

use std::fs;
use std::path::PathBuf;

use nova_skill::{PropertyValue, RecordTypes, TemplateFolder, Value, json};
use nova_testkit::{SkillInVault, TempVault, snapshot_of};

fn starter(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vault-template").join(path)
}

fn declared() -> RecordTypes {
    RecordTypes::clone(&snapshot_of(vec![nova_skill_crm::skill()]).skills()[0].records)
}

/// Compares a template with the declaration, field by field. A field without a declared default may have one
/// in the vault, such as the currency.
#[track_caller]
fn check_template(record_type: &str, file: &str, own: &[&str]) {
    let declared = declared();
    let record = declared.get(record_type).unwrap();
    let vault = TempVault::from("");
    vault.write("Declared.md", &record.template());
    vault.write("Starter.md", &fs::read_to_string(starter(file)).unwrap());
    let opened = vault.open();
    let read = |name: &str| opened.read(&opened.find(name).unwrap()[0]).unwrap();
    let (declared, starter) = (read("Declared"), read("Starter"));
    let properties = |note: &nova_skill::Note| -> Vec<(String, PropertyValue)> {
        note.document
            .properties()
            .iter()
            .map(|(key, property)| (key.clone(), property.value.clone()))
            .collect()
    };
    let wanted: Vec<(String, PropertyValue)> = properties(&declared)
        .into_iter()
        .map(|(key, value)| {
            let starter = starter.document.property(&key).cloned();
            let value = starter.filter(|_| own.contains(&key.as_str())).unwrap_or(value);
            (key, value)
        })
        .collect();
    assert_eq!(properties(&starter), wanted, "{file}");
    let body = |note: &nova_skill::Note| note.text[note.document.body_start()..].to_owned();
    assert_eq!(body(&starter), body(&declared), "{file}");
}

#[test]
fn starter_templates_match_the_declaration() {
    check_template("contact", "Templates/Contact.md", &[]);
    check_template("company", "Templates/Company.md", &[]);
    check_template("deal", "Templates/Deal.md", &["currency"]);
    // Byte for byte, as the vault adds nothing of its own here.
    assert_eq!(
        declared().get("contact").unwrap().template(),
        fs::read_to_string(starter("Templates/Contact.md")).unwrap()
    );
}

/// Checks that the table filters by the declared type and shows declared fields, in their order and by their
/// names.
#[track_caller]
fn check_base(record_type: &str, file: &str) {
    let declared = declared();
    let record = declared.get(record_type).unwrap();
    let parsed = |text: &str| -> Value { serde_saphyr::from_str(text).unwrap() };
    let made = parsed(&record.base_view(&TemplateFolder::default()));
    let starter = parsed(&fs::read_to_string(starter(file)).unwrap());
    assert_eq!(starter["filters"], made["filters"], "{file}");

    let shown = starter["properties"].as_object().unwrap();
    let kept: Vec<_> = made["properties"]
        .as_object()
        .unwrap()
        .iter()
        .filter(|(property, _)| shown.contains_key(*property))
        .collect();
    assert_eq!(shown.iter().collect::<Vec<_>>(), kept, "{file}: names and order");

    for view in starter["views"].as_array().unwrap() {
        for column in view["order"].as_array().unwrap() {
            let column = column.as_str().unwrap();
            let field = column.strip_prefix("note.").unwrap_or(column);
            assert!(
                column.starts_with("file.") || record.fields.contains_key(field),
                "{file}: {column} is not declared"
            );
        }
    }
}

#[test]
fn starter_tables_match_the_declaration() {
    check_base("contact", "CRM/People.base");
    check_base("company", "CRM/Companies.base");
    check_base("deal", "CRM/Deals.base");
}

#[test]
fn starter_records_match_the_declaration() {
    let folder = TempVault::copy_of(&starter(""));
    let vault = folder.open();
    let declared = declared();
    for (record_type, folder) in
        [("contact", "CRM/People"), ("company", "CRM/Companies"), ("deal", "CRM/Deals")]
    {
        let notes = vault.records(&[record_type]).unwrap();
        assert_eq!(notes.len(), fs::read_dir(starter(folder)).unwrap().count(), "{record_type}");
        for note in &notes {
            assert_eq!(declared.get(record_type).unwrap().check(note), []);
        }
    }
}

/// Notes on people from before Nova.
const OWN_NAMES: &str = r#"
//- People/Jane.md
---
type: Person
full_name: Jane Doe
works_at: "[[Quillon Labs]]"
status: lead
stage: unrelated
---
//- People/Theo.md
---
type: people
full_name: Theo Marsh
---
//- Contact.md
---
type: contact
name: Nobody of theirs
---
"#;

#[test]
fn vault_with_its_own_names_is_used_unchanged() {
    let crm =
        SkillInVault::new(nova_skill_crm::skill(), OWN_NAMES).with_config(json!({"fields": {"contact": {
            "type": ["person", "people"], "name": "full_name", "company": "works_at", "stage": "status",
        }}}));
    assert_eq!(
        crm.value("list_contacts", json!({})),
        json!({
            "contacts": [
                {"name": "Jane Doe", "company": "Quillon Labs", "stage": "lead", "path": "People/Jane.md"},
                {"name": "Theo Marsh", "path": "People/Theo.md"},
            ],
            "count": 2,
        })
    );
    assert_eq!(crm.value("list_contacts", json!({"stage": "lead"}))["count"], 1);
    let jane = crm.value("get_contact", json!({"name": "Jane"}));
    assert_eq!((&jane["stage"], &jane["other_properties"]), (&json!("lead"), &json!({"stage": "unrelated"})));

    crm.value("update_contact", json!({"name": "Jane", "stage": "customer"}));
    assert_eq!(
        crm.vault.read("People/Jane.md"),
        "---\ntype: Person\nfull_name: Jane Doe\nworks_at: \"[[Quillon Labs]]\"\nstatus: customer\nstage: unrelated\n---\n"
    );
    let added = crm.value("add_contact", json!({"name": "Mara Lind", "company": "Fernhill"}));
    assert_eq!(
        crm.vault.read(added["path"].as_str().unwrap()),
        "---\ntype: person\nfull_name: Mara Lind\nworks_at: \"[[Fernhill]]\"\nstatus: lead\n---\n\n## Log\n"
    );
    let path = added["path"].as_str().unwrap().to_owned();
    assert_eq!(added, json!({"name": "Mara Lind", "company": "Fernhill", "stage": "lead", "path": path}));
}
