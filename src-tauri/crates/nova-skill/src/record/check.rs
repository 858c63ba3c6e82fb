//! Problems of a readable record.

use nova_vault::{Note, Problem};

use super::{Field, RecordType, with_article};

impl RecordType {
    /// Returns every deviation of the note from the declaration, by line, each with its remedy. Undeclared
    /// properties belong to the user.
    ///
    /// A missing title is not a problem: the note's name is the title then.
    pub fn check(&self, note: &Note) -> Vec<Problem> {
        let mut problems: Vec<Problem> =
            self.fields.iter().filter_map(|(key, field)| self.check_field(note, key, field)).collect();
        problems.sort();
        problems
    }

    fn check_field(&self, note: &Note, key: &str, field: &Field) -> Option<Problem> {
        let property = &field.property;
        let present = note.document.entry(property).map(|(_, present)| present);
        if field.is_file_name() {
            return None;
        }
        match present.filter(|present| !field.says_nothing(&present.value)) {
            Some(present) => {
                let fault = field.fault(&present.value)?;
                Some(problem(note, present.line, format!("`{property}` {}", fault.what), fault.remedy))
            }
            None if field.required && self.title.as_deref() != Some(key) => {
                let (line, missing) = match present {
                    Some(present) => (present.line, format!("`{property}` is empty")),
                    None => (1, format!("`{property}` is missing")),
                };
                let name = with_article(&self.name);
                let remedy = match field.choices.as_slice() {
                    [] => format!("Add it: {name} needs {}.", field.kind.noun()),
                    choices => format!("Add it: {name} needs one of {}.", choices.join(", ")),
                };
                Some(problem(note, line, missing, remedy))
            }
            None => None,
        }
    }
}

pub(super) fn problem(note: &Note, line: u32, problem: String, remedy: String) -> Problem {
    Problem { path: note.path.to_string(), line, problem, remedy }
}
