//! Reads fields of records and reports faulty ones.

use nova_skill::{Note, Problem, Record, RecordType, ToolError};

/// The trimmed text of a field; `None` if it is blank.
pub(crate) fn text(record: &Record, field: &str) -> Result<Option<String>, ToolError> {
    let text = record.text_there(field)?;
    Ok(text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()))
}

/// The problem of a property that is invalid together with the others.
pub(crate) fn property_problem(
    declared: &RecordType,
    note: &Note,
    field: &str,
    problem: impl FnOnce(&str) -> String,
    remedy: String,
) -> Problem {
    let property = declared.fields.get(field).map_or(field, |field| field.property());
    let line = note.document.entry(property).map_or(1, |(_, found)| found.line);
    Problem { path: note.path.to_string(), line, problem: problem(property), remedy }
}

/// The error for a record without a required field.
pub(crate) fn missing(declared: &RecordType, note: &Note) -> ToolError {
    let found = declared.check(note).into_iter().next();
    ToolError::BrokenRecord(found.unwrap_or_else(|| Problem {
        path: note.path.to_string(),
        line: 1,
        problem: format!("it is not a whole {}", declared.name()),
        remedy: "Look at its properties.".into(),
    }))
}
