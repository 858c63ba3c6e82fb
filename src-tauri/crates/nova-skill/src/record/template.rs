//! Exports a record type to Obsidian: a template for new notes, and a table.

use nova_vault::note::{Value as PropertyValue, compose};
use nova_vault::{Condition, TemplateFolder};

use super::{FieldKind, MatchRule, RecordType};

impl RecordType {
    /// The text of a template for Obsidian's templates folder: `type`, then every field with its default or
    /// empty, and the body. Obsidian replaces `{{title}}` by the new note's name.
    pub fn template(&self) -> String {
        let mut properties = Vec::new();
        for (key, field) in &self.fields {
            if field.is_file_name() {
                continue;
            }
            let is_title = self.title.as_deref() == Some(key);
            let default = field.default.as_ref().and_then(|default| field.write(key, default).ok());
            let value = match (default, field.kind) {
                (Some(value), _) => value,
                (None, FieldKind::Text) if is_title => PropertyValue::Text("{{title}}".into()),
                (None, FieldKind::List) => PropertyValue::List(Vec::new()),
                (None, _) => PropertyValue::Null,
            };
            properties.push((field.property.clone(), value));
        }
        // Empty values cannot contradict the type.
        let properties = self.marked(properties).unwrap_or_default();
        compose(&properties, &self.body)
    }

    /// The text of a `.base` file with a table of all these records, excluding templates, with a column per
    /// field. The title column is the note's name, which links to it. Format: Obsidian's help, "Bases
    /// syntax".
    pub fn base_view(&self, templates: &TemplateFolder) -> String {
        let columns: Vec<_> =
            self.fields.iter().filter(|(key, _)| self.title.as_deref() != Some(key)).collect();
        let rules: Vec<String> =
            self.match_rules().iter().filter_map(filter).map(|filter| quoted(&filter)).collect();
        let no_template = quoted(&format!("!file.inFolder({})", string(templates.path())));

        let except = self.except.iter().filter_map(filter);
        let except = except.map(|filter| format!("    - {}\n", quoted(&format!("!({filter})"))));

        let mut text = "filters:\n  and:\n".to_owned();
        match rules.as_slice() {
            [] => {}
            [one] => text.push_str(&format!("    - {one}\n")),
            several => {
                text.push_str("    - or:\n");
                several.iter().for_each(|one| text.push_str(&format!("        - {one}\n")));
            }
        }
        text.extend(except);
        text.push_str(&format!("    - {no_template}\n"));
        if !columns.is_empty() {
            text.push_str("properties:\n");
        }
        for (key, field) in &columns {
            let property = quoted(&format!("note.{}", field.property));
            text.push_str(&format!("  {property}:\n    displayName: {}\n", quoted(&field.label(key))));
        }
        text.push_str("views:\n  - type: table\n    name: 'All'\n    order:\n      - 'file.name'\n");
        for (_, field) in &columns {
            text.push_str(&format!("      - {}\n", quoted(&format!("note.{}", field.property))));
        }
        text
    }
}

/// A rule as the filter of a base; `None` if bases cannot express it.
fn filter(rule: &MatchRule) -> Option<String> {
    match rule {
        MatchRule::Type(name) => Some(format!("type == {}", string(name))),
        MatchRule::Folder(folder) => Some(format!("file.inFolder({})", string(folder))),
        MatchRule::Tag(tag) => Some(format!("file.hasTag({})", string(tag))),
        MatchRule::Where(condition) => {
            let (key, operator, value) = Condition::parts(condition)?;
            let property = format!("note[{}]", string(&key));
            let value = match PropertyValue::from_text(&value) {
                PropertyValue::Link(inner) => format!("link({})", string(&inner)),
                PropertyValue::Number(number) => number,
                PropertyValue::Bool(value) => value.to_string(),
                _ => string(&value),
            };
            match operator.as_str() {
                "=" => Some(format!("{property} == {value}")),
                "contains" if key == "tags" => Some(format!("file.hasTag({value})")),
                "contains" => Some(format!("{property}.contains({value})")),
                "!=" | "<" | "<=" | ">" | ">=" => Some(format!("{property} {operator} {value}")),
                _ => None,
            }
        }
    }
}

/// A text as a YAML scalar. Types, fields and properties are names, so there are no line breaks or control
/// characters.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// A string literal in a base's expression.
fn string(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
