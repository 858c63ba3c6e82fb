//! What Obsidian is given of a record type: an empty note to begin new ones with, and a table.

use nova_vault::TemplateFolder;
use nova_vault::note::{Value as PropertyValue, compose};

use super::{FieldKind, RecordType};

impl RecordType {
    /// The text of an empty note for Obsidian's templates folder: `type` first, then every field,
    /// empty where it has no default, and the body. Obsidian puts the new note's name in place of
    /// `{{title}}`.
    pub fn template(&self) -> String {
        let mut properties = vec![self.type_property()];
        for (key, field) in &self.fields {
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
        compose(&properties, &self.body)
    }

    /// The text of a `.base` file with one table of all these records, templates left out, a column for each field.
    /// The title's place has the note's name, which is a link to it. Format: Obsidian's help,
    /// "Bases syntax".
    pub fn base_view(&self, templates: &TemplateFolder) -> String {
        let columns: Vec<_> =
            self.fields.iter().filter(|(key, _)| self.title.as_deref() != Some(key)).collect();
        let types: Vec<String> =
            self.type_values.iter().map(|value| quoted(&format!("type == {}", string(value)))).collect();
        let no_template = quoted(&format!("!file.inFolder({})", string(templates.path())));

        let mut text = "filters:\n  and:\n".to_owned();
        match types.as_slice() {
            [one] => text.push_str(&format!("    - {one}\n")),
            several => {
                text.push_str("    - or:\n");
                several.iter().for_each(|one| text.push_str(&format!("        - {one}\n")));
            }
        }
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

/// A text as a YAML scalar. What is written here holds no line break and no control character,
/// because types, fields and properties are names.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// A text in an expression of a base.
fn string(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
