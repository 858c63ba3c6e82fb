use nova_skill::{FrontMatter, PropertyValue, RecordType, TemplateFolder};
use serde_json::Value;

use crate::TempVault;

/// Checks a template of the starter vault: it creates a record of the type, contains only declared
/// properties, in order, with everything that the record requires, and its values are of the declared kind or
/// filled in by Obsidian.
///
/// # Panics
/// If a requirement is violated.
#[track_caller]
pub fn assert_template(record: &RecordType, text: &str) {
    let vault = TempVault::from("");
    vault.write("Template.md", text);
    let opened = vault.open();
    let found = opened.find("Template").expect("the template exists");
    let note = opened.read(&found[0]).expect("the template is readable");
    let name = record.name();
    assert!(!matches!(note.document.front_matter(), FrontMatter::Broken { .. }), "{name}: {text}");
    assert_eq!(note.document.record_type(), Some(record.type_values()[0].as_str()), "{name}: its type");

    let keys: Vec<&str> = note.document.properties().keys().map(String::as_str).collect();
    let declared: Vec<&str> = record.fields.values().map(|field| field.property()).collect();
    let kept: Vec<&str> = declared.iter().copied().filter(|property| keys.contains(property)).collect();
    assert_eq!(keys, [vec!["type"], kept].concat(), "{name}: only declared fields, in their order");
    for (key, field) in &record.fields {
        let Some(value) = note.document.property(field.property()) else {
            assert!(!field.required, "{name}: the template lacks {key}, which a record needs");
            continue;
        };
        let by_obsidian = matches!(value, PropertyValue::Text(text) if text.starts_with("{{"));
        assert!(by_obsidian || field.fits(value), "{name}: {key} is {value:?}");
    }
}

/// Checks a `.base` of the starter vault: it includes the records of the type and no template, and its
/// columns are declared properties with their declared labels, or its own formulas.
///
/// # Panics
/// If a requirement is violated.
#[track_caller]
pub fn assert_base(record: &RecordType, text: &str) {
    let name = record.name();
    let parsed = |text: &str| -> Value { serde_saphyr::from_str(text).expect("a base is YAML") };
    let (base, made) = (parsed(text), parsed(&record.base_view(&TemplateFolder::default())));
    assert_eq!(base["filters"], made["filters"], "{name}: its filter");
    let is_formula = |column: &str| {
        column.strip_prefix("formula.").is_some_and(|formula| base["formulas"][formula].is_string())
    };
    let declared = |column: &str| {
        let property = column.strip_prefix("note.").unwrap_or(column);
        record.fields.iter().find(|(_, field)| field.property() == property)
    };
    for (column, shown) in base["properties"].as_object().into_iter().flatten() {
        if is_formula(column) {
            continue;
        }
        let (key, field) = declared(column).unwrap_or_else(|| panic!("{name}: {column} is not declared"));
        assert_eq!(shown["displayName"], field.label(key), "{name}: the label of {column}");
    }
    let views = base["views"].as_array().expect("a base has views");
    assert!(!views.is_empty(), "{name}: a base has views");
    for view in views {
        let order = view["order"].as_array().expect("a view has columns");
        let sorted = view["sort"].as_array().into_iter().flatten().map(|by| &by["property"]);
        let summed = view["summaries"].as_object().into_iter().flatten().map(|(column, _)| column.as_str());
        let named = order.iter().chain(sorted).chain([&view["groupBy"]["property"]]);
        for column in named.filter_map(Value::as_str).chain(summed) {
            let known = column.starts_with("file.") || is_formula(column) || declared(column).is_some();
            assert!(known, "{name}: {column} in {} is not declared", view["name"]);
        }
    }
}
