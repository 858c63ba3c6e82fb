//! Converts a note from one record type to another, keeping its body and the user's own properties.

use std::borrow::Cow;

use nova_skill::serde_json::Map;
use nova_skill::{
    Date, Note, NotePath, PropertyEdit, PropertyValue, RecordType, ToolContext, ToolError, Value,
    edit_properties,
};

use crate::add_entry::file_stem;
use crate::ledger::{EXPENSE, INCOME, TRANSFER};

/// The new record type of a note, with its values.
pub(crate) struct Conversion<'a> {
    pub(crate) from: &'a str,
    pub(crate) to: &'a str,
    pub(crate) values: Map<String, Value>,
    /// The day, name and amount form the file name.
    pub(crate) day: Date,
    pub(crate) name: Option<Cow<'a, str>>,
    pub(crate) amount: String,
}

/// The fields of the old type that are removed unless the new one sets them.
fn replaced(record_type: &str) -> &'static [&'static str] {
    const ENTRY: &[&str] =
        &["date", "amount", "currency", "category", "payee", "memo", "account", "recurring", "import_id"];
    match record_type {
        TRANSFER => &[
            "date",
            "amount",
            "currency",
            "from",
            "to",
            "to_amount",
            "to_currency",
            "to_date",
            "payee",
            "to_payee",
            "memo",
            "to_memo",
            "category",
            "to_category",
            "import_id",
            "to_import_id",
        ],
        INCOME | EXPENSE => ENTRY,
        _ => &[],
    }
}

/// The user's own property that the new record would overwrite, if any.
pub(crate) fn conflicting_property(
    ctx: &dyn ToolContext,
    note: &Note,
    conversion: &Conversion<'_>,
) -> Result<Option<String>, ToolError> {
    let (old, new) = (ctx.records().get(conversion.from)?, ctx.records().get(conversion.to)?);
    let own = old.read(note);
    let taken =
        conversion.values.keys().filter_map(|field| new.fields.get(field)).map(|field| field.property());
    let mut taken = taken.filter_map(|property| note.document.spelled(property));
    let is_own = |property: &str| own.other_properties().any(|(name, _)| name == property);
    Ok(taken.find(|property| is_own(property)).map(str::to_owned))
}

/// Whether the note can be edited and has no own property that would be overwritten.
pub(crate) async fn can_convert(
    ctx: &dyn ToolContext,
    path: &NotePath,
    conversion: &Conversion<'_>,
) -> Result<bool, ToolError> {
    let (old, new) = (ctx.records().get(conversion.from)?, ctx.records().get(conversion.to)?);
    let note = ctx.vault().read(path).await?;
    let edits = edits(old, new, &note, conversion)?;
    Ok(conflicting_property(ctx, &note, conversion)?.is_none() && edit_properties(&note.text, &edits).is_ok())
}

/// Rewrites the properties of a note, and moves it to the folder of its new type if it is in that of the old
/// one.
pub(crate) async fn convert(
    ctx: &dyn ToolContext,
    path: &NotePath,
    conversion: Conversion<'_>,
) -> Result<NotePath, ToolError> {
    let (old, new) = (ctx.records().get(conversion.from)?, ctx.records().get(conversion.to)?);
    let note = ctx.vault().read(path).await?;
    let edits = edits(old, new, &note, &conversion)?;
    ctx.vault().set_properties(path, &edits).await?;
    if conversion.from == conversion.to || !note.path.as_str().starts_with(&format!("{}/", old.folder)) {
        return Ok(note.path);
    }
    let folder = format!("{}/{:04}", new.folder, conversion.day.year());
    let to = ctx
        .vault()
        .free_path(&folder, &file_stem(conversion.day, conversion.name.as_deref(), &conversion.amount))
        .await?;
    ctx.vault().move_note(&note.path, &to).await?;
    Ok(to)
}

fn edits(
    old: &RecordType,
    new: &RecordType,
    note: &Note,
    conversion: &Conversion<'_>,
) -> Result<Vec<PropertyEdit>, ToolError> {
    let set = new.edits(note, &conversion.values)?;
    let is_set = |property: &str| {
        set.iter().any(|edit| matches!(edit, PropertyEdit::Set { key, .. } if key == property))
    };
    let value = new.type_values().first().map_or(new.name(), String::as_str);
    if conversion.from == conversion.to {
        return Ok(set);
    }
    let key = note.document.spelled("type").unwrap_or("type").to_owned();
    let mut edits = vec![PropertyEdit::Set { key, value: PropertyValue::Text(value.to_owned()) }];
    for field in replaced(conversion.from).iter().filter_map(|field| old.fields.get(*field)) {
        if let Some(property) = note.document.spelled(field.property()).filter(|property| !is_set(property)) {
            edits.push(PropertyEdit::Remove { key: property.to_owned() });
        }
    }
    edits.extend(set);
    Ok(edits)
}
