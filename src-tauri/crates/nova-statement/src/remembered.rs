//! The note that remembers the columns of a bank's or a broker's files.

use nova_skill::figures::folded;
use nova_skill::serde_json::Map;
use nova_skill::{NewNote, Note, NotePath, ToolContext, ToolError, Value};

use crate::table::Table;

/// The note of this record type whose field `header` equals the table's header.
///
/// # Errors
/// If notes cannot be read.
pub async fn remembered(
    ctx: &dyn ToolContext,
    record_type: &str,
    table: &Table,
) -> Result<Option<Note>, ToolError> {
    let declared = ctx.records().get(record_type)?;
    let header = folded(&table.fingerprint());
    for note in ctx.vault().records(record_type).await? {
        let said = declared.read(&note).text_there("header")?;
        if said.is_some_and(|own| folded(own.trim()) == header) {
            return Ok(Some(note.clone()));
        }
    }
    Ok(None)
}

/// Writes the values that differ into the note, or creates a note called `name` or else like the file.
///
/// # Errors
/// If the note cannot be written.
pub async fn remember(
    ctx: &dyn ToolContext,
    record_type: &str,
    table: &Table,
    note: Option<&Note>,
    name: Option<String>,
    mut values: Map<String, Value>,
) -> Result<NotePath, ToolError> {
    let declared = ctx.records().get(record_type)?;
    if let Some(note) = note {
        let own = declared.read(note).to_json();
        let differing = values.into_iter().filter(|(field, value)| match own.get(field) {
            Some(own) => own != value,
            None => !value.is_null(),
        });
        let edits = declared.edits(note, &differing.collect::<Map<String, Value>>())?;
        if !edits.is_empty() {
            ctx.vault().set_properties(&note.path, &edits).await?;
        }
        return Ok(note.path.clone());
    }
    let file = table.file.rsplit('/').next().unwrap_or_default();
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let name = name.unwrap_or_else(|| stem.to_owned());
    values.retain(|_, value| !value.is_null());
    values.insert("name".into(), name.as_str().into());
    values.insert("header".into(), table.fingerprint().into());
    let note = NewNote { folder: declared.folder.clone(), name, text: declared.new_note(&values)? };
    Ok(ctx.vault().create_all(vec![note]).await?.remove(0))
}
