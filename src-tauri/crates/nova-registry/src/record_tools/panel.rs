//! The panel generated from declared record types, and the user's additions to a panel.

use nova_skill::{Field, FieldKind, RecordType, RecordTypes, Value, json};

use super::run::currency_of;
use super::{list_id, name_of, several};

/// Maximum number of columns in a narrow window.
const MOST_COLUMNS: usize = 7;

/// Creates a tab with a table for each type; `None` if there are no types.
pub(crate) fn panel_of<'a>(types: impl Iterator<Item = &'a RecordType>) -> Option<Value> {
    let tabs: Vec<Value> = types.map(tab).collect();
    (!tabs.is_empty()).then(|| json!({"tabs": tabs}))
}

/// Adds each of the user's own fields to the panel, as a column of the record's table or a detail of a
/// board's cards, and a tab for each of the user's own types.
pub(crate) fn add_own(panel: Option<&Value>, records: &RecordTypes) -> Option<Value> {
    let own_types = || records.iter().filter(|declared| declared.is_own());
    let Some(panel) = panel else { return panel_of(own_types()) };
    let mut panel = panel.clone();
    if let Some(tabs) = panel.get_mut("tabs").and_then(Value::as_array_mut) {
        for tab in tabs.iter_mut() {
            let parts = tab.get_mut("parts").and_then(Value::as_array_mut);
            parts.into_iter().flatten().for_each(|part| add_fields(part, records));
        }
        tabs.extend(own_types().map(tab));
    }
    Some(panel)
}

fn add_fields(part: &mut Value, records: &RecordTypes) {
    let of_rows = part["records"].as_array().into_iter().flatten().map(Value::as_str);
    let of_actions = part["actions"].as_array().into_iter().flatten().map(|action| action["record"].as_str());
    let shown: Vec<String> = of_rows.chain(of_actions).flatten().map(str::to_owned).collect();
    let own = records
        .iter()
        .filter(|declared| shown.iter().any(|name| name == declared.name()))
        .flat_map(|declared| declared.fields.iter().map(move |(key, field)| (declared, key, field)))
        .filter(|(_, _, field)| field.is_own());
    let kind = part["kind"].as_str().unwrap_or_default().to_owned();
    for (declared, key, field) in own {
        match (kind.as_str(), part["columns"].as_array_mut()) {
            ("table", Some(columns)) if columns.iter().all(|column| column["field"] != **key) => {
                columns.push(column(declared, key, field));
            }
            ("board", _) => match part["detail"].as_array_mut() {
                Some(detail) if detail.iter().all(|shown| shown != key) => detail.push(json!(key)),
                Some(_) => {}
                None => part["detail"] = json!([key]),
            },
            _ => {}
        }
    }
}

fn tab(declared: &RecordType) -> Value {
    let (name, label) = (declared.name(), declared.label());
    let title = several(&label);
    let new = json!({"label": format!("New {}", label.to_lowercase()), "icon": "plus", "record": name});
    let first = name_of(declared);
    let first_label =
        declared.fields.get(first).map_or_else(|| "Note".to_owned(), |field| field.label(first));
    let others = declared
        .fields
        .iter()
        .filter(|(key, field)| key.as_str() != first && field.kind != FieldKind::Currency);
    let others = others.take(MOST_COLUMNS - 1).map(|(key, field)| column(declared, key, field));
    let columns: Vec<Value> =
        [json!({"field": first, "label": first_label})].into_iter().chain(others).collect();
    let list = list_id(declared);
    json!({
        "title": title,
        "count": {"tool": list, "at": "/count"},
        "actions": [new],
        "parts": [{
            "kind": "table", "tool": list, "rows": "/records", "sort": first, "columns": columns,
            "actions": [
                {"label": "Edit", "icon": "pencil", "record": name},
                {"label": "Delete", "icon": "trash", "delete": true, "key": "Del"},
            ],
            "empty": {"text": format!("No {} yet. New ones go to {}.", title.to_lowercase(), declared.folder), "action": new},
        }],
    })
}

fn column(declared: &RecordType, key: &str, field: &Field) -> Value {
    let mut column = json!({"field": key, "label": field.label(key)});
    match (field.kind, currency_of(declared)) {
        (FieldKind::Date, _) => column["format"] = json!("date"),
        (FieldKind::Link, _) => column["format"] = json!("note"),
        (FieldKind::List, _) => column["format"] = json!("tags"),
        (FieldKind::Decimal, Some(currency)) => {
            column["format"] = json!("money");
            column["unit"] = json!(currency);
        }
        (FieldKind::Decimal | FieldKind::Integer, _) => column["format"] = json!("number"),
        (FieldKind::Text | FieldKind::Bool | FieldKind::Choice | FieldKind::Currency, _) => {}
    }
    column
}
