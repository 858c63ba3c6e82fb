//! What the assistant can do beside the skills: files, and writing a tool of its own.
//!
//! Files lie in the vault (`vault/…`), in the scratch folder of the chat (`scratch/…`) and in the folders that the
//! user opened (`NAME/…`). What is in the vault is read through it, with its privacy.
//!
//! A write is planned, shown as a diff and made when the user allowed it; a note is only made or edited exactly.
//!
//! It never puts a tool in force. What it writes goes to [`PendingTools`] and waits for the user.
//!
//! # Invariants
//!
//! - A private note is not found by any of the file tools: `tests/core/files.rs`.
//! - A pending tool is never callable, and what is promoted is what the user looked at:
//!   `tests/journeys/promoting_a_tool.rs`.

use std::sync::Arc;

use nova_skill::{Skill, Tool, ToolError, async_trait, native};

mod create_tool;
mod edit;
mod glob;
mod grep;
mod ls;
mod place;
mod read;
mod write;

/// The skill `core`.
pub fn skill(pending: Arc<dyn PendingTools>) -> Box<dyn Skill> {
    Box::new(Core { pending })
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
            native(create_tool::CreateTool { pending: self.pending.clone() }),
        ]
    }
}
