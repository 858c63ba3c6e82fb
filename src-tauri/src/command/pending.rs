//! Tools written by the assistant that await approval.

use nova_app::App;
use nova_protocol::{Commands as _, ErrorCode, Nothing, PendingToolRef, PendingToolRow, UserError};
use serde_json::json;

use super::lists;
use crate::print;

pub(super) async fn list(app: &App, json: bool) -> Result<u8, UserError> {
    let rows = app.list_pending_tools(Nothing {}).await?;
    if json {
        print::json(&rows);
    } else {
        lists::pending_tools(&rows);
    }
    Ok(print::DONE)
}

/// Without a hash, promotes the current version after printing its declaration.
pub(super) async fn promote(app: &App, name: &str, hash: Option<&str>, json: bool) -> Result<u8, UserError> {
    let row = find(app, name).await?;
    if !json {
        lists::pending_tool(&row);
    }
    let hash = hash.map_or_else(|| row.hash.clone(), str::to_owned);
    let promoted = app.promote_tool(PendingToolRef { name: row.name, hash }).await?;
    if json {
        print::json(&promoted);
    } else {
        print::line(&format!("{} can be called now", promoted.tool));
        if let Some(before) = promoted.replaced {
            print::line(&format!("the previous version is kept: {before}"));
        }
    }
    Ok(print::DONE)
}

pub(super) async fn discard(app: &App, name: &str, hash: Option<&str>, json: bool) -> Result<u8, UserError> {
    let row = find(app, name).await?;
    let hash = hash.map_or_else(|| row.hash.clone(), str::to_owned);
    app.discard_tool(PendingToolRef { name: row.name, hash }).await?;
    if json {
        print::json(&json!({"ok": true}));
    } else {
        print::line(&format!("{} is discarded", row.file));
    }
    Ok(print::DONE)
}

async fn find(app: &App, name: &str) -> Result<PendingToolRow, UserError> {
    let rows = app.list_pending_tools(Nothing {}).await?;
    let names: Vec<String> = rows.iter().map(|row| row.name.clone()).collect();
    rows.into_iter().find(|row| row.name == name || row.file == name).ok_or_else(|| {
        let hint = match names.is_empty() {
            true => "There are no pending tools.".to_owned(),
            false => format!("Pending: {}.", names.join(", ")),
        };
        UserError::new(ErrorCode::UnknownPendingTool, format!("There is no pending tool \"{name}\"."), hint)
    })
}
