use std::sync::Arc;

use nova_skill::serde_json::Map;
use nova_skill::{
    Description, Effect, FrontMatter, JsonSchema, NativeTool, Note, Output, ToolContext, ToolError,
    ToolOutput, Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::notes::{MOST, named};

pub(crate) struct ReadNote;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Shows a note."))]
pub(crate) struct Which {
    /// The note: its path in the vault ("CRM/People/Jane Doe.md"), or its name if unique.
    #[schemars(extend("x-label" = "Note", "x-note" = true))]
    path: String,
    /// Where to continue in a long note: `next_offset` of the previous answer.
    #[serde(default)]
    #[schemars(extend("x-label" = "From character", "x-help" = "For long notes"))]
    offset: Option<usize>,
}

#[async_trait]
impl NativeTool for ReadNote {
    type Args = Which;
    const ID: &'static str = "read_note";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose("Reads one note: its properties, and its text below them as it is.")
            .use_when("the content of a note is asked for, and before a note is changed")
            .not_when("it is not known which note", "vault.search")
            .example("What does the note about the offsite say?")
    }

    async fn run(&self, which: Which, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let note = named(ctx.as_ref(), &which.path).await?;
        let value = content(&note, which.offset)?;
        Ok(Output::new(value).from_notes([note.path.clone()]).into())
    }
}

/// A note for the model: everything but the raw front matter, from `offset` of its text on. Unreadable front
/// matter is included as text.
pub(crate) fn content(note: &Note, offset: Option<usize>) -> Result<Value, ToolError> {
    let broken = match note.document.front_matter() {
        FrontMatter::Broken { line, reason } => Some((line, reason)),
        FrontMatter::Absent | FrontMatter::Present(_) => None,
    };
    // Unreadable properties are only available as text.
    let start = if broken.is_some() { 0 } else { note.document.body_start() };
    let text = note.text.get(start..).unwrap_or_default();
    let offset = offset.unwrap_or_default();
    let Some(rest) = text.get(offset..) else {
        return Err(ToolError::InvalidArguments {
            path: "/offset".into(),
            rule: format!("must be a `next_offset` of this note; its text ends at {}", text.len()),
            allowed: Vec::new(),
        });
    };
    let part = &rest[..cut(rest)];

    let mut out = Map::new();
    out.insert("path".into(), note.path.as_str().into());
    if let Some((line, reason)) = broken {
        out.insert("unreadable_properties".into(), json!({"line": line, "reason": reason}));
    } else if offset == 0 {
        let properties = note.document.properties().iter();
        let properties = properties.map(|(key, property)| (key.clone(), property.value.to_json()));
        out.insert("properties".into(), Value::Object(properties.collect()));
    }
    out.insert("text".into(), part.into());
    if part.len() < rest.len() {
        out.insert("truncated".into(), true.into());
        out.insert("next_offset".into(), (offset + part.len()).into());
        out.insert("length".into(), text.len().into());
    }
    out.insert("hash".into(), note.hash.to_string().into());
    Ok(Value::Object(out))
}

/// Cuts at a line end if possible, else between characters.
fn cut(text: &str) -> usize {
    if text.len() <= MOST {
        return text.len();
    }
    let mut end = MOST;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].rfind('\n').map_or(end, |line| line + 1)
}
