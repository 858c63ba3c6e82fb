use std::sync::Arc;

use nova_skill::serde_json::Map;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Note, NoteScope, Output, PropertyEdit, PropertyValue,
    ToolContext, ToolError, ToolOutput, Value, async_trait, json, schemars, summarize,
};
use serde::Deserialize;

use crate::notes::named;

pub(crate) struct SetProperties;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Changes properties of a note."))]
pub(crate) struct Changes {
    /// The note: its path in the vault, or its name if unique.
    #[schemars(extend("x-label" = "Note", "x-note" = true))]
    path: String,
    /// The properties that change, with their new values; null removes one. Dates as YYYY-MM-DD, links as "[[Name]]"; a list is the whole new list.
    properties: Map<String, Value>,
}

#[async_trait]
impl NativeTool for SetProperties {
    type Args = Changes;
    const ID: &'static str = "set_properties";
    const EFFECT: Effect = Effect::Write;
    const SCOPE: NoteScope = NoteScope::Anywhere;

    fn description(&self) -> Description {
        Description::purpose(
            "Sets, adds or removes properties of a note and changes nothing else in it. Answers with what changed.",
        )
        .use_when("a note's properties change: status, tags, dates, aliases; mark a note as done")
        .not_when("text below the properties changes", "vault.edit_note")
        .example("Mark the Lisbon note as done")
    }

    async fn run(&self, changes: Changes, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        if changes.properties.is_empty() {
            return Err(ToolError::InvalidArguments {
                path: "/properties".into(),
                rule: "must name what changes".into(),
                allowed: Vec::new(),
            });
        }
        let before = named(ctx.as_ref(), &changes.path).await?;
        let mut edits = edits(&before, &changes.properties);
        edits.retain(|edit| !is_unchanged(&before, edit));
        ctx.vault().set_properties(&before.path, &edits).await?;
        let after = ctx.vault().read(&before.path).await?;
        let changed = summarize(&before.text, &after.text);
        Ok(Output::new(json!({"path": before.path, "changed": changed})).from_notes([before.path]).into())
    }
}

/// The edits that JSON describes; null removes a property. An existing property keeps its spelling, and a
/// number stays a number if a decimal is given as text. Obsidian's list properties get a list.
pub(crate) fn edits(note: &Note, properties: &Map<String, Value>) -> Vec<PropertyEdit> {
    let edit = |(asked, value): (&String, &Value)| {
        let key = note.document.spelled(asked).unwrap_or(asked).to_owned();
        let own = note.document.property(&key);
        if let Some(list) = list_for_obsidian(&key, value, own) {
            return PropertyEdit::Set { key, value: list };
        }
        match (value, own) {
            (Value::Null, _) => PropertyEdit::Remove { key },
            (Value::String(text), Some(PropertyValue::Number(_))) if is_plain_decimal(text) => {
                PropertyEdit::Set { key, value: PropertyValue::Number(text.clone()) }
            }
            (value, _) => PropertyEdit::Set { key, value: PropertyValue::from_json(value) },
        }
    };
    properties.iter().map(edit).collect()
}

/// The list for `tags`, `aliases` or `cssclasses`, which Obsidian requires to be lists: `work, #travel`
/// becomes two tags. None for any other property, or if the note already has this text.
fn list_for_obsidian(key: &str, value: &Value, own: Option<&PropertyValue>) -> Option<PropertyValue> {
    let key = key.to_lowercase();
    let text = |text: &str| PropertyValue::from_text(text);
    let items: Vec<&str> = match (value, key.as_str()) {
        (Value::String(said), _) if own == Some(&text(said)) => return None,
        (Value::String(said), "tags" | "cssclasses") => {
            said.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty()).collect()
        }
        (Value::String(said), "aliases") => vec![said.trim()],
        (Value::Array(items), "tags") => items.iter().map(Value::as_str).collect::<Option<_>>()?,
        _ => return None,
    };
    let is_own = |said: &str| match own {
        Some(PropertyValue::List(items)) => items.contains(&text(said)),
        own => own == Some(&text(said)),
    };
    let item = |said: &str| match said.strip_prefix('#') {
        Some(tag) if key == "tags" && !tag.is_empty() && !is_own(said) => text(tag),
        _ => text(said),
    };
    Some(PropertyValue::List(items.into_iter().filter(|said| !said.is_empty()).map(item).collect()))
}

/// An optional minus, digits without leading zeros, and at most one point between digits.
fn is_plain_decimal(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    digits(whole) && digits(fraction) && (whole == "0" || !whole.starts_with('0'))
}

/// Whether the note already has this value: `2` stays as the user wrote it if `"2"` is requested.
fn is_unchanged(note: &Note, edit: &PropertyEdit) -> bool {
    let PropertyEdit::Set { key, value } = edit else { return false };
    let same = |old: &PropertyValue, new: &PropertyValue| match (old, new) {
        (PropertyValue::Number(_) | PropertyValue::Bool(_), PropertyValue::Text(text)) => {
            old.as_text().is_some_and(|old| old == *text)
        }
        (old, new) => old == new,
    };
    match (note.document.property(key), value) {
        (Some(PropertyValue::List(old)), PropertyValue::List(new)) => {
            old.len() == new.len() && old.iter().zip(new).all(|(old, new)| same(old, new))
        }
        (Some(old), new) => same(old, new),
        (None, _) => false,
    }
}
