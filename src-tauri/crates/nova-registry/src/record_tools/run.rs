use nova_skill::figures::{folded, similarity};
use nova_skill::serde_json::Map;
use nova_skill::{
    Decimal, FieldKind, Note, Output, Problem, Record, RecordType, ToolContext, ToolError, Value, json,
    summarize,
};

use super::{is_number, name_of};

/// All records of the type, from one snapshot.
pub(super) struct Records<'a> {
    declared: &'a RecordType,
    notes: Vec<Note>,
    unreadable: Vec<Problem>,
}

impl<'a> Records<'a> {
    pub(super) async fn read(declared: &'a RecordType, ctx: &dyn ToolContext) -> Result<Self, ToolError> {
        let read = ctx.vault().read_records(&[declared.name()]).await?;
        Ok(Self { declared, notes: read.notes, unreadable: read.unreadable })
    }

    /// Sorted by path.
    pub(super) fn iter(&self) -> impl Iterator<Item = Record<'_>> {
        self.notes.iter().map(|note| self.declared.read(note))
    }

    /// The records that match the filters among the arguments.
    pub(super) fn fitting(&self, filters: &Map<String, Value>) -> Result<Vec<Record<'_>>, ToolError> {
        let filters = self.declared.filters(filters)?;
        Ok(self.iter().filter(|record| filters.fit(record)).collect())
    }

    /// Adds unreadable notes to an answer, if there are any.
    pub(super) fn and_unreadable(&self, out: &mut Value, more: Vec<Problem>) {
        let rows: Vec<Value> = self.unreadable.iter().cloned().chain(more).map(|problem| {
            json!({"path": problem.path, "line": problem.line, "problem": problem.problem, "remedy": problem.remedy})
        }).collect();
        if !rows.is_empty() {
            out["unreadable"] = rows.into();
        }
    }

    /// Finds a record by path, by its full name, or by a unique part of it.
    fn find(&self, said: &str) -> Result<Record<'_>, ToolError> {
        let kind = || self.declared.name().to_owned();
        let wanted = folded(said.trim().trim_start_matches("[[").trim_end_matches("]]"));
        let names = |record: &Record| [folded(&record.title()), folded(record.note().path.name())];
        let is_path = |record: &Record| {
            let path = folded(record.note().path.as_str());
            path == wanted || path.strip_suffix(".md") == Some(wanted.as_str())
        };
        let tests: [&dyn Fn(&Record) -> bool; 3] =
            [&is_path, &|record: &Record| names(record).contains(&wanted), &|record: &Record| {
                names(record).iter().any(|name| name.contains(&wanted))
            }];
        for test in tests.into_iter().filter(|_| !wanted.is_empty()) {
            let mut found: Vec<Record> = self.iter().filter(|record| test(record)).collect();
            match found.len() {
                0 => {}
                1 => return Ok(found.remove(0)),
                _ => {
                    let matches = found.iter().map(|record| record.note().path.to_string()).collect();
                    return Err(ToolError::Ambiguous { kind: kind(), name: said.into(), matches });
                }
            }
        }
        let mut nearest: Vec<String> = self.iter().map(|record| record.title().into_owned()).collect();
        nearest.sort_by_cached_key(|name| std::cmp::Reverse(similarity(name, said)));
        nearest.truncate(5);
        Err(ToolError::NotFound { kind: kind(), name: said.into(), nearest })
    }
}

pub(super) async fn list(
    declared: &RecordType,
    mut args: Map<String, Value>,
    ctx: &dyn ToolContext,
) -> Result<Output, ToolError> {
    let query = args.remove("query").and_then(|query| query.as_str().map(folded)).unwrap_or_default();
    let sort = args.remove("sort").and_then(|sort| sort.as_str().map(str::to_owned));
    let limit =
        args.remove("limit").and_then(|limit| limit.as_u64()).and_then(|limit| usize::try_from(limit).ok());
    let records = Records::read(declared, ctx).await?;
    let mut fitting = records.fitting(&args)?;
    fitting.retain(|record| {
        let all = folded(&format!("{} {}", record.note().path.name(), record.note().text));
        query.split_whitespace().all(|word| all.contains(word))
    });
    let (key, descending) = match sort.as_deref() {
        Some(sort) => (Some(sort.trim_start_matches('-')), sort.starts_with('-')),
        None => (None, false),
    };
    fitting.sort_by_cached_key(|record| (folded(&record.title()), record.note().path.clone()));
    if let Some(key) = key {
        sort_by(&mut fitting, declared, key, descending);
    }
    let count = fitting.len();
    fitting.truncate(limit.unwrap_or(count));
    let rows: Vec<Value> = fitting.iter().map(|record| row(declared, record).into()).collect();
    let mut out = json!({"records": rows, "count": count});
    records.and_unreadable(&mut out, Vec::new());
    Ok(Output::new(out).from_notes(fitting.iter().map(|record| record.note().path.clone())))
}

/// Records without the value come last in both directions.
fn sort_by(records: &mut [Record], declared: &RecordType, key: &str, descending: bool) {
    let is_number = declared.fields.get(key).is_some_and(|field| is_number(field.kind));
    let number = |record: &Record| record.decimal(key).ok().flatten();
    let text = |record: &Record| record.text_there(key).ok().flatten().map(|text| folded(&text));
    records.sort_by(|a, b| {
        let (missing, order) = if is_number {
            let (a, b): (Option<Decimal>, Option<Decimal>) = (number(a), number(b));
            (a.is_none().cmp(&b.is_none()), a.cmp(&b))
        } else {
            let (a, b) = (text(a), text(b));
            (a.is_none().cmp(&b.is_none()), a.cmp(&b))
        };
        missing.then(if descending { order.reverse() } else { order })
    });
}

/// The fields of a record, with its name first and its path last.
fn row(declared: &RecordType, record: &Record) -> Map<String, Value> {
    let mut row = Map::new();
    row.insert(name_of(declared).to_owned(), record.title().into_owned().into());
    for (key, value) in record.to_json() {
        let says_something = !value.is_null() && value != "" && value != json!([]);
        if says_something && key != name_of(declared) {
            row.insert(key, value);
        }
    }
    row.insert("path".into(), record.note().path.to_string().into());
    row
}

pub(super) async fn get(
    declared: &RecordType,
    args: &Map<String, Value>,
    ctx: &dyn ToolContext,
) -> Result<Output, ToolError> {
    let records = Records::read(declared, ctx).await?;
    let record = records.find(which(declared, args)?)?;
    let note = record.note();
    let mut out = row(declared, &record);
    let other = record.other_properties();
    let other: Map<String, Value> = other.map(|(key, value)| (key.to_owned(), value.to_json())).collect();
    if !other.is_empty() {
        out.insert("other_properties".into(), other.into());
    }
    let body = note.text.get(note.document.body_start()..).unwrap_or_default();
    out.insert("text".into(), body.trim().into());
    Ok(Output::new(out.into()).from_notes([note.path.clone()]))
}

pub(super) async fn add(
    declared: &RecordType,
    values: &Map<String, Value>,
    ctx: &dyn ToolContext,
) -> Result<Output, ToolError> {
    let records = Records::read(declared, ctx).await?;
    if let Some((same, field)) = declared.duplicate_of(&records.notes, values) {
        let remedy = format!("It has the same {field}. Change it with its update tool instead.");
        return Err(ToolError::Exists {
            kind: declared.name().into(),
            name: same.title().into_owned(),
            path: same.note().path.to_string(),
            remedy,
        });
    }
    let text = declared.new_note(&declared.with_links(values, ctx.vault()).await?)?;
    let (folder, name) = declared.place(values);
    let path = ctx.vault().free_path(&folder, &name).await?;
    let text = declared.on_template(text, path.name(), ctx).await?;
    ctx.vault().create(&path, text).await?;
    let note = ctx.vault().read(&path).await?;
    let out = row(declared, &declared.read(&note));
    Ok(Output::new(out.into()).from_notes([path]))
}

pub(super) async fn update(
    declared: &RecordType,
    mut args: Map<String, Value>,
    ctx: &dyn ToolContext,
) -> Result<Output, ToolError> {
    let records = Records::read(declared, ctx).await?;
    let record = records.find(which(declared, &args)?)?;
    args.remove(name_of(declared));
    if args.is_empty() {
        return Err(ToolError::InvalidArguments {
            path: String::new(),
            rule: "there is nothing to change".into(),
            allowed: declared.fields.keys().filter(|key| *key != name_of(declared)).cloned().collect(),
        });
    }
    let before = record.note();
    let edits = declared.edits(before, &declared.with_links(&args, ctx.vault()).await?)?;
    ctx.vault().set_properties(&before.path, &edits).await?;
    let after = ctx.vault().read(&before.path).await?;
    let mut out = Map::new();
    out.insert(name_of(declared).to_owned(), record.title().into_owned().into());
    out.insert("changed".into(), json!(summarize(&before.text, &after.text)));
    out.insert("path".into(), before.path.to_string().into());
    Ok(Output::new(out.into()).from_notes([before.path.clone()]))
}

fn which<'a>(declared: &RecordType, args: &'a Map<String, Value>) -> Result<&'a str, ToolError> {
    let name = name_of(declared);
    args.get(name).and_then(Value::as_str).ok_or_else(|| ToolError::InvalidArguments {
        path: format!("/{name}"),
        rule: format!("must say which {}", declared.name()),
        allowed: Vec::new(),
    })
}

/// The field that contains currencies, if there is one.
pub(super) fn currency_of(declared: &RecordType) -> Option<&str> {
    let is_currency = |(_, field): &(&String, &nova_skill::Field)| field.kind == FieldKind::Currency;
    declared.fields.iter().find(is_currency).map(|(key, _)| key.as_str())
}
