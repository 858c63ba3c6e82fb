//! Folders outside of the vault that the assistant may access.

use std::path::Path;

use nova_app::App;
use nova_protocol::{AddWorkspace, ErrorCode, Nothing, UserError, WorkspaceAccess, WorkspaceRef, Workspaces};

use super::lists;
use crate::args::Workspace;
use crate::print::{self, line, visible};

pub(super) async fn run(app: &App, workspace: &Workspace, json: bool) -> Result<u8, UserError> {
    let workspaces = match workspace {
        Workspace::List => app.list_workspaces(Nothing {}).await?,
        Workspace::Add { dir, write } => {
            let access = if *write { WorkspaceAccess::Write } else { WorkspaceAccess::Read };
            app.add_workspace(AddWorkspace { path: whole(dir)?, access }).await?
        }
        Workspace::Remove { dir } => app.remove_workspace(WorkspaceRef { path: whole(dir)? }).await?,
    };
    if json {
        print::json(&workspaces)
    } else {
        show(&workspaces)
    }
    Ok(print::DONE)
}

/// The absolute path, resolved against the current directory.
fn whole(dir: &Path) -> Result<String, UserError> {
    let path = std::path::absolute(dir).map_err(|error| {
        UserError::new(ErrorCode::BadRequest, error.to_string(), "Give the folder's path.")
    })?;
    Ok(path.display().to_string())
}

fn show(workspaces: &Workspaces) {
    if workspaces.folders.is_empty() {
        line("no folder is open; add one with: nova workspace add DIR");
        return;
    }
    let rows = workspaces.folders.iter().map(|folder| {
        [
            visible(&folder.name),
            lists::word(&folder.access),
            visible(&folder.shown),
            visible(folder.problem.as_deref().unwrap_or_default()),
        ]
    });
    lists::table(["name", "access", "folder", "problem"], rows);
}
