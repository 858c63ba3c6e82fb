//! What the assistant can do beside the skills: files, the web, and writing a tool of its own.
//!
//! Files lie in the vault (`vault/…`), in the scratch folder of the chat (`scratch/…`) and in the folders that the
//! user opened (`NAME/…`). What is in the vault is read through it, with its privacy.
//!
//! A write is planned, shown as a diff and made when the user allowed it; a note is only made or edited exactly.
//!
//! A script (`run_code`) calls the tools of the chat, each by its own rules; it runs in a confined process, by
//! [`Snippets`].
//! A command runs in a sandbox that the card of its call shows: `bash` is off until the user switches it on.
//!
//! It never puts a tool in force. What it writes goes to [`PendingTools`] and waits for the user.
//!
//! # Invariants
//!
//! - A private note is not found by any of the file tools: `tests/core/files.rs`.
//! - No page, however it is made, takes more than its share of memory, stack and time: `tests/core/web.rs`.
//! - A command reaches nothing beside what its card shows: `tests/journeys/running_commands.rs`.
//! - A pending tool is never callable, and what is promoted is what the user looked at:
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

/// Runs TypeScript that the assistant wrote for this one time.
#[async_trait]
pub trait Snippets: Send + Sync {
    /// The source reaches the tools of the context and nothing else.
    ///
    /// # Errors
    /// When it does not run to its end, with its line and column.
    async fn run(&self, source: Arc<str>, context: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError>;
}

/// Where tools wait that the assistant wrote and nobody has approved.
#[async_trait]
pub trait PendingTools: Send + Sync {
    /// Reads what the source defines, without calling it, and puts it aside. A waiting tool of that
    /// name is replaced.
    ///
    /// # Errors
    /// Where the source defines no tool, with its line and column; where the name is no file name;
    /// where too many wait.
    async fn put(&self, name: &str, source: &str) -> Result<PutAside, ToolError>;
}

/// A tool that waits, as its source declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PutAside {
    pub tool: String,
    pub file: String,
    /// `read`, `external` …; `undeclared` where it does not say.
    pub effect: String,
    pub hosts: Vec<String>,
    /// Hosts that stand in the source and are not declared.
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
