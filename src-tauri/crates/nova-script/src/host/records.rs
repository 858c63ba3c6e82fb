//! `ctx.records`: the records declared by the tool's skill.

use nova_skill::serde_json::{Map, json};
use nova_skill::{RecordType, ToolContext, ToolError, Value, VaultAccess, VaultPath};

use crate::protocol::RecordsWant;

/// # Errors
/// When the tool does not declare access, or a type, field or value is invalid.
pub(super) async fn answer(
    ctx: &dyn ToolContext,
    access: Option<VaultAccess>,
    want: RecordsWant,
) -> Result<Value, ToolError> {
    let needed = match want {
        RecordsWant::Types | RecordsWant::List { .. } => VaultAccess::Read,
        RecordsWant::Add { .. } | RecordsWant::Update { .. } => VaultAccess::Write,
    };
    if access.is_none_or(|access| access < needed) {
        let word = if needed == VaultAccess::Write { "write" } else { "read" };
        return Err(ToolError::NotDeclared {
            what: "The tool's file does not declare this use of notes.".into(),
            remedy: format!("Add vault: '{word}' to it."),
        });
    }
    match want {
        RecordsWant::Types => Ok(ctx.records().iter().map(RecordType::name).collect()),
        RecordsWant::List { record } => {
            let declared = ctx.records().get(&record)?;
            let notes = ctx.vault().records(&record).await?;
            let rows = notes.iter().map(|note| {
                let mut row = declared.read(note).to_json();
                row.insert("path".into(), json!(note.path));
                Value::Object(row)
            });
            Ok(rows.collect())
        }
        RecordsWant::Add { record, values } => add(ctx, &record, &values).await,
        RecordsWant::Update { record, path, values } => {
            let declared = ctx.records().get(&record)?;
            let path = VaultPath::parse(&path).map_err(|error| ToolError::InvalidArguments {
                path: "/path".into(),
                rule: error.to_string(),
                allowed: Vec::new(),
            })?;
            let note = ctx.vault().read(&path).await?;
            if ctx.records().of_note(&note).is_none_or(|found| found.name() != declared.name()) {
                return Err(ToolError::NoNote {
                    what: format!("{path} is not a {record}."),
                    remedy: "Take the path of a record.".into(),
                });
            }
            let values = declared.with_links(&values, ctx.vault()).await?;
            ctx.vault().set_properties(&path, &declared.edits(&note, &values)?).await?;
            Ok(json!({ "path": path }))
        }
    }
}

async fn add(ctx: &dyn ToolContext, record: &str, values: &Map<String, Value>) -> Result<Value, ToolError> {
    let declared = ctx.records().get(record)?;
    let text = declared.new_note(&declared.with_links(values, ctx.vault()).await?)?;
    let (folder, name) = declared.place(values);
    let path = ctx.vault().free_path(&folder, &name).await?;
    let text = declared.on_template(text, path.name(), ctx).await?;
    ctx.vault().create(&path, text).await?;
    Ok(json!({ "path": path }))
}
