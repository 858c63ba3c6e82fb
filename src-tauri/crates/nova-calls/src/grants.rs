use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use nova_registry::ToolEntry;
use nova_skill::Effect;

/// What the user allowed "for this chat": gone with the session.
#[derive(Debug, Default)]
pub struct Grants(Mutex<HashSet<(Grantee, Granted)>>);

/// Whom a grant is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Grantee {
    /// All tools of a skill that change only with the program.
    Skill(String),
    /// One content of a file; another content of the same file is somebody else.
    Content(ToolContent),
}

/// One content of a file that defines a tool.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ToolContent {
    pub skill: String,
    pub tool: String,
    /// [`nova_skill::ToolSpec::definition`]
    pub definition: String,
}

#[derive(Debug, PartialEq, Eq, Hash)]
enum Granted {
    Effect(Effect),
    Host(String),
}

impl Grants {
    /// For further calls with this effect.
    pub fn add(&self, to: &Grantee, effect: Effect) {
        self.insert(to, Granted::Effect(effect));
    }

    pub fn covers(&self, grantee: &Grantee, effect: Effect) -> bool {
        self.contains(grantee, Granted::Effect(effect))
    }

    /// For further requests to this host, as [`nova_http::host_of`] names it.
    pub fn add_host(&self, to: &Grantee, host: &str) {
        self.insert(to, Granted::Host(host.to_owned()));
    }

    pub fn covers_host(&self, grantee: &Grantee, host: &str) -> bool {
        self.contains(grantee, Granted::Host(host.to_owned()))
    }

    fn insert(&self, to: &Grantee, what: Granted) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert((to.clone(), what));
    }

    fn contains(&self, to: &Grantee, what: Granted) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(&(to.clone(), what))
    }
}

impl Grantee {
    pub fn of(tool: &ToolEntry) -> Self {
        ToolContent::of(tool).map_or_else(|| Self::Skill(tool.skill.clone()), Self::Content)
    }
}

impl ToolContent {
    /// None for a tool that changes only with the program.
    pub fn of(tool: &ToolEntry) -> Option<Self> {
        let definition = tool.spec().definition.clone()?;
        Some(Self { skill: tool.skill.clone(), tool: tool.id.clone(), definition })
    }
}

/// Writes an "always" down where the rules are kept.
pub trait KeepRule: Send + Sync {
    /// # Errors
    /// When the rule could not be written; the message says why.
    fn allow(&self, wire_name: &str) -> Result<(), String>;
}

/// What the user approved of tools that files define, content by content. It outlives sessions.
pub trait Approved: Send + Sync {
    /// None for a content that was never allowed to run.
    fn covers(&self, content: &ToolContent) -> Option<Approval>;

    /// # Errors
    /// When it could not be kept; the message says why.
    fn keep(&self, content: &ToolContent, approval: Approval) -> Result<(), String>;

    /// Whether every call of it may contact the host, as [`nova_http::host_of`] names it.
    fn covers_host(&self, content: &ToolContent, host: &str) -> bool;

    /// # Errors
    /// When it could not be kept; the message says why.
    fn keep_host(&self, content: &ToolContent, host: &str) -> Result<(), String>;
}

/// How far a content was approved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Approval {
    /// It was allowed to run once; further calls go by rules and effect.
    Seen,
    /// Every call of it. Bound to the content, which no rule in `permissions.yaml` could be.
    Always,
}
