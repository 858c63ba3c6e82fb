use nova_skill::json;
use nova_testkit::{assert_sound, snapshot_of};

use crate::{PEOPLE, crm};

#[test]
fn the_skill_is_sound() {
    assert_sound(nova_skill_crm::skill(), "crm");
}

#[test]
fn tools_have_the_specified_parameters_and_effects() {
    let snapshot = snapshot_of(vec![nova_skill_crm::skill()]);
    let shown: Vec<String> = snapshot.skills()[0]
        .tools
        .iter()
        .map(|tool| {
            let parameters = &tool.spec().parameters;
            let required = |name: &String| {
                parameters["required"]
                    .as_array()
                    .is_some_and(|all| all.iter().any(|one| one == name.as_str()))
            };
            let names: Vec<String> = parameters["properties"]
                .as_object()
                .unwrap()
                .keys()
                .map(|name| if required(name) { name.clone() } else { format!("{name}?") })
                .collect();
            format!("{} {{{}}} {:?}", tool.wire_name, names.join(", "), tool.effect())
        })
        .collect();
    assert_eq!(
        shown,
        [
            "crm__list_contacts {stage?, company?, tag?, query?} Read",
            "crm__get_contact {name} Read",
            "crm__add_contact {name, company?, email?, phone?, stage?, tags?, next_contact?, birthday?, every?} Write",
            "crm__update_contact {name, company?, email?, phone?, stage?, tags?, next_contact?, birthday?, every?} Write",
            "crm__log_interaction {name, text, date?, next_contact?} Write",
            "crm__list_deals {stage?, contact?, company?} Read",
            "crm__add_deal {title, contact?, company?, stage?, value?, currency?, probability?, close_date?} Write",
            "crm__move_deal {title, stage} Write",
            "crm__update_deal {title, contact?, company?, value?, currency?, probability?, close_date?} Write",
            "crm__pipeline {board?} Read",
            "crm__follow_ups {until?} Read",
            "crm__list_companies {query?} Read",
            "crm__birthdays {from?, days?} Read",
        ]
    );
}

#[test]
fn schema_marks_dates_and_allows_null_only_for_removal() {
    let snapshot = snapshot_of(vec![nova_skill_crm::skill()]);
    let schema = |tool: usize| snapshot.skills()[0].tools[tool].spec().parameters["properties"].clone();
    for (tool, kind) in [(2, json!("string")), (3, json!(["string", "null"]))] {
        assert_eq!(schema(tool)["next_contact"]["format"], "date");
        assert_eq!(schema(tool)["next_contact"]["type"], kind);
        assert_eq!(schema(tool)["tags"]["items"], json!({"type": "string"}));
    }
}

#[test]
fn every_written_parameter_is_a_declared_field() {
    let snapshot = snapshot_of(vec![nova_skill_crm::skill()]);
    let entry = &snapshot.skills()[0];
    for (tool, record) in [
        ("add_contact", "contact"),
        ("update_contact", "contact"),
        ("add_deal", "deal"),
        ("move_deal", "deal"),
        ("update_deal", "deal"),
    ] {
        let fields = &entry.manifest.records.get(record).unwrap().fields;
        let tool = entry.tools.iter().find(|entry| entry.id == tool).unwrap();
        for name in tool.spec().parameters["properties"].as_object().unwrap().keys() {
            assert!(fields.contains_key(name), "{} writes {name}", tool.id);
        }
    }
}

/// The tool's enum values and description come from the declaration.
#[test]
fn tools_accept_only_configured_stages() {
    let own = json!({"stages": [{"name": "new", "probability": 5}, {"name": "signed", "probability": 100}]});
    let crm = crm(PEOPLE).with_config(own);
    assert_eq!(crm.value("add_deal", json!({"title": "First"}))["stage"], "new");
    assert_eq!(crm.value("add_deal", json!({"title": "Second", "stage": "SIGNED"}))["stage"], "signed");
    let error = crm.error("add_deal", json!({"title": "Third", "stage": "lead"}));
    assert!(error.hint.contains("Allowed: new, signed."), "{error}");
    assert_eq!(crm.value("list_deals", json!({"stage": "Signed"}))["count"], 1);
    assert_eq!(crm.value("list_deals", json!({"stage": "open"}))["count"], 2);
}

#[test]
fn tools_use_only_declared_fields() {
    // Reading or writing an undeclared field is an error, so calls that use every field fail if the manifest
    // lacks one.
    let crm = crm(PEOPLE);
    let all = json!({"stage": "lead", "tag": "saas", "company": "quillon", "query": "call"});
    assert_eq!(crm.value("list_contacts", all)["count"], 1);
    crm.value("get_contact", json!({"name": "jane.doe@quillon.example"}));
    crm.value("get_contact", json!({"name": "Jane Quillon"}));
    let every = json!({
        "name": "New", "company": "A", "email": "a@b.example", "phone": "1", "stage": "x",
        "tags": ["t"], "next_contact": "2026-12-01",
    });
    crm.value("add_contact", every.clone());
    crm.value("update_contact", every);
}

#[test]
fn routing_has_enough_examples() {
    let snapshot = snapshot_of(vec![nova_skill_crm::skill()]);
    let routing = &snapshot.skills()[0].manifest.routing;
    assert!(routing.examples.len() >= 8 && routing.near_misses.len() >= 4, "{routing:?}");
}
