//! Detects that a new record would be a duplicate.

use nova_protocol::SameRecord;
use nova_skill::figures::folded;
use nova_skill::{Note, RecordType, VaultPath, file_name};
use serde_json::{Map, Value};

/// The existing record, otherwise the note with the same name. `free` is the path for a new note called
/// `name`.
pub(super) fn same(
    declared: &RecordType,
    notes: &[Note],
    values: &Map<String, Value>,
    name: &str,
    free: &VaultPath,
) -> Option<SameRecord> {
    let free_name = free.name().to_owned();
    let kind = declared.label().to_lowercase();
    if let Some((record, field)) = declared.duplicate_of(notes, values) {
        let path = record.note().path.to_string();
        let (title, place) = (record.title(), &record.note().path);
        let message = if declared.title.as_deref() == Some(field) {
            format!("There is already a {kind} “{title}”, {place}.")
        } else {
            let said = declared.fields[field].label(field);
            format!("There is already a {kind} with the same {}, “{title}”, {place}.", said.to_lowercase())
        };
        return Some(SameRecord { path, message, is_record: true, free_name });
    }
    let own = file_name(name);
    if !declared.is_named() || folded(&own) == folded(&free_name) {
        return None;
    }
    let path = VaultPath::in_folder(free.folder(), &format!("{own}.md")).ok()?;
    let is_record = notes.iter().any(|note| folded(note.path.as_str()) == folded(path.as_str()));
    let message = format!("There is already a note “{own}” in {}.", free.folder());
    Some(SameRecord { path: path.to_string(), message, is_record, free_name })
}
