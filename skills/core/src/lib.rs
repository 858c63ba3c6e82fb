//! Tools of the assistant that belong to no other skill: files, the web, scripts, commands, tasks, new tools.
//!
//! Files are in the vault (`vault/…`), in the chat's scratch folder (`scratch/…`) or in folders that the user
//! opened (`NAME/…`). Vault files are read through the vault, which enforces privacy.
//!
//! A write is planned, shown as a diff and made once the user allows it; a note is only created or edited
//! exactly.
//!
//! A script (`run_code`) calls the chat's tools, each by its own rules, in a confined process run by
//! [`Snippets`].
//! A command runs in a sandbox whose access the call's card shows: `bash` is disabled by default.
//!
//! It never puts a tool in force: a new tool goes to [`PendingTools`] and waits for the user.
//!
//! # Invariants
//!
//! - A private note is not found by any of the file tools: `tests/core/files.rs`.
//! - No page, whatever its content, exceeds its limits of memory, stack and time: `tests/core/web.rs`.
//! - A command reaches nothing beyond what its card shows: `tests/journeys/running_commands.rs`.
//! - A pending tool is never callable, and only the version that the user reviewed is promoted:
//!   `tests/journeys/promoting_a_tool.rs`.

use std::sync::Arc;

use nova_skill::{Skill, Tool, ToolContext, ToolError, ToolOutput, async_trait, native};

mod bash;
mod create_tool;
mod edit;
mod glob;
mod grep;
mod ls;
mod place;
mod read;
mod run_code;
mod task;
mod web;
mod write;

/// The skill `core`.
pub fn skill(pending: Arc<dyn PendingTools>, snippets: Arc<dyn Snippets>) -> Box<dyn Skill> {
    Box::new(Core { pending, snippets })
}

/// Runs one-off TypeScript written by the assistant.
#[async_trait]
pub trait Snippets: Send + Sync {
    /// The source can call the tools of the context and nothing else.
    ///
    /// # Errors
    /// If it does not run to its end, with line and column.
    async fn run(&self, source: Arc<str>, context: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError>;
}

/// Stores tools written by the assistant until the user approves them.
#[async_trait]
pub trait PendingTools: Send + Sync {
    /// Reads what the source defines, without calling it, and stores it as pending. Replaces a pending tool
    /// of that name.
    ///
    /// # Errors
    /// If the source defines no tool, with its line and column; if the name is not a file name; if too many
    /// are pending.
    async fn store(&self, name: &str, source: &str) -> Result<PendingTool, ToolError>;
}

/// A pending tool, as its source declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingTool {
    pub tool: String,
    pub file: String,
    /// `read`, `external` …; `undeclared` if it does not say.
    pub effect: String,
    pub hosts: Vec<String>,
    /// Hosts that occur in the source but are not declared.
    pub proposed_hosts: Vec<String>,
    pub credentials: Vec<String>,
    /// The file in force that it would replace.
    pub replaces: Option<String>,
}

struct Core {
    pending: Arc<dyn PendingTools>,
    snippets: Arc<dyn Snippets>,
}

impl Skill for Core {
    fn skill_md(&self) -> &str {
        include_str!("../SKILL.md")
    }

    fn manifest(&self) -> &str {
        include_str!("../manifest.yaml")
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![
            native(read::Read),
            native(write::Write),
            native(edit::Edit),
            native(ls::Ls),
            native(glob::Glob),
            native(grep::GrepFiles),
            native(web::WebFetch::default()),
            native(web::WebSearch),
            native(task::GiveTask),
            native(run_code::RunCode { snippets: self.snippets.clone() }),
            native(bash::Bash),
            native(create_tool::CreateTool { pending: self.pending.clone() }),
        ]
    }
}
