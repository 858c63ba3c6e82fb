use std::borrow::Cow;

use nova_skill::figures::folded;
use nova_skill::{
    FieldKind, Note, Problem, PropertyValue, Record, RecordType, ToolContext, ToolError, Value, json, par_map,
};

/// The `type:` of a contact, as the manifest declares it.
pub(crate) const CONTACT: &str = "contact";
/// The `type:` of a company.
pub(crate) const COMPANY: &str = "company";
/// The `type:` of a deal.
pub(crate) const DEAL: &str = "deal";

/// A snapshot of all records of one type.
pub(crate) struct Records {
    pub(crate) declared: RecordType,
    notes: Vec<Note>,
    /// Notes of this type that cannot be read, by path.
    pub(crate) unreadable: Vec<Problem>,
}

/// A contact, company or deal.
pub(crate) struct Entry<'a> {
    pub(crate) record: Record<'a>,
    /// The declared title, or else the note's name.
    pub(crate) name: Cow<'a, str>,
}

impl Records {
    pub(crate) async fn read(ctx: &dyn ToolContext, record_type: &str) -> Result<Self, ToolError> {
        let declared = ctx.records().get(record_type)?.clone();
        let read = ctx.vault().read_records(&[record_type]).await?;
        let (mut notes, mut unreadable) = (read.notes, read.unreadable);
        // Fast path: a note without lists and mappings needs no check of each field.
        let mut plain = par_map(&notes, is_plain).into_iter();
        let mut failed = None;
        notes.retain(|note| match plain.next() {
            Some(true) => true,
            _ => match non_text_problem(&declared, note) {
                Ok(None) => true,
                Ok(Some(problem)) => {
                    unreadable.push(problem);
                    false
                }
                Err(error) => {
                    failed.get_or_insert(error);
                    false
                }
            },
        });
        if let Some(error) = failed {
            return Err(error);
        }
        unreadable.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
        Ok(Self { declared, notes, unreadable })
    }

    /// "contact"
    pub(crate) fn kind(&self) -> &str {
        self.declared.name()
    }

    /// In the order of paths.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Entry<'_>> {
        self.each().map(|record| Entry { name: record.title(), record })
    }

    /// Maps every entry, in the order of paths; `map` runs on several threads.
    pub(crate) fn par_map<'a, R: Send>(&'a self, map: impl Fn(Entry<'a>) -> R + Sync) -> Vec<R> {
        par_map(&self.notes, |note| {
            let record = self.declared.read(note);
            map(Entry { name: record.title(), record })
        })
    }

    /// Like [`Records::iter`], without names.
    pub(crate) fn each(&self) -> impl Iterator<Item = Record<'_>> {
        self.notes.iter().map(|note| self.declared.read(note))
    }

    /// The problem of a field whose text is not valid.
    pub(crate) fn invalid_value(&self, entry: &Entry, field: &str, text: &str, remedy: &str) -> Problem {
        let property = self.declared.fields.get(field).map_or(field, |field| field.property());
        Problem {
            path: entry.path().into(),
            line: entry.note().document.entry(property).map_or(1, |(_, found)| found.line),
            problem: format!("`{property}` is `{text}`, which cannot be read"),
            remedy: remedy.into(),
        }
    }

    /// The unreadable notes as rows of an answer; they are in no count.
    pub(crate) fn unreadable_rows(&self) -> Vec<Value> {
        self.unreadable.iter().map(|problem| problem_row(problem, problem.problem.clone())).collect()
    }
}

impl<'a> Entry<'a> {
    pub(crate) fn note(&self) -> &'a Note {
        self.record.note()
    }

    pub(crate) fn path(&self) -> &'a str {
        self.note().path.as_str()
    }

    /// Whether it is the name of the record or of its note, ignoring case.
    pub(crate) fn has_name(&self, name: &str) -> bool {
        let name = folded(name);
        folded(&self.name) == name || folded(self.note().path.name()) == name
    }

    pub(crate) fn has_email(&self, email: &str) -> Result<bool, ToolError> {
        let own = self.record.text_there("email")?;
        Ok(own.is_some_and(|own| folded(&own) == folded(email)))
    }

    /// Obsidian's `aliases`, a list or a single text.
    pub(crate) fn aliases(&self) -> Vec<String> {
        let text = |value: &PropertyValue| value.as_text().map(|text| text.into_owned());
        match self.note().document.property("aliases") {
            Some(PropertyValue::List(items)) => items.iter().filter_map(text).collect(),
            Some(single) => text(single).into_iter().collect(),
            None => Vec::new(),
        }
    }
}

/// A problem as a row of an answer, with what it means in this context.
pub(crate) fn problem_row(problem: &Problem, message: String) -> Value {
    json!({"path": problem.path, "line": problem.line, "problem": message, "remedy": problem.remedy})
}

/// Whether no property is a list or a mapping.
fn is_plain(note: &Note) -> bool {
    let is_plain = |value: &PropertyValue| !matches!(value, PropertyValue::List(_) | PropertyValue::Map(_));
    note.document.properties().values().all(|property| is_plain(&property.value))
}

/// The problem of a note with a list or a mapping where a text or a link is declared.
fn non_text_problem(declared: &RecordType, note: &Note) -> Result<Option<Problem>, ToolError> {
    let record = declared.read(note);
    for (key, field) in &declared.fields {
        if !matches!(field.kind, FieldKind::Text | FieldKind::Link | FieldKind::Currency) {
            continue;
        }
        match record.text_there(key) {
            Ok(_) => {}
            Err(ToolError::BrokenRecord(problem)) => return Ok(Some(problem)),
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// The value of a field; an invalid one is pushed to `problems` and returned as `None`.
///
/// # Errors
/// Any error other than an invalid record.
pub(crate) fn or_problem<T>(
    read: Result<Option<T>, ToolError>,
    problems: &mut Vec<Problem>,
) -> Result<Option<T>, ToolError> {
    match read {
        Err(ToolError::BrokenRecord(problem)) => {
            problems.push(problem);
            Ok(None)
        }
        other => other,
    }
}
