use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use nova_registry::ToolEntry;
use nova_skill::{Effect, VaultPath};

use crate::ToolContent;

/// What the user allowed "for this chat"; dropped with the session.
#[derive(Debug, Default)]
pub struct Grants(Mutex<HashSet<(Grantee, Granted)>>);

/// The recipient of a grant.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Grantee {
    /// All tools of a skill that change only with the program.
    Skill(String),
    /// One content of a tool that can change; another content is another grantee.
    Content(ToolContent),
}

#[derive(Debug, PartialEq, Eq, Hash)]
enum Granted {
    Effect(Effect),
    Host(String),
    Credential(String),
    OpenNote(VaultPath),
}

impl Grants {
    /// Allows further calls with this effect.
    pub fn add(&self, to: &Grantee, effect: Effect) {
        self.insert(to, Granted::Effect(effect));
    }

    pub fn covers(&self, grantee: &Grantee, effect: Effect) -> bool {
        self.contains(grantee, Granted::Effect(effect))
    }

    /// Allows further requests to this host, as returned by [`nova_http::host_of`].
    pub fn add_host(&self, to: &Grantee, host: &str) {
        self.insert(to, Granted::Host(host.to_owned()));
    }

    pub fn covers_host(&self, grantee: &Grantee, host: &str) -> bool {
        self.contains(grantee, Granted::Host(host.to_owned()))
    }

    pub fn add_credential(&self, to: &Grantee, name: &str) {
        self.insert(to, Granted::Credential(name.to_owned()));
    }

    pub fn covers_credential(&self, grantee: &Grantee, name: &str) -> bool {
        self.contains(grantee, Granted::Credential(name.to_owned()))
    }

    /// Allows further writes into this note, which remote readers can see, by a chat that has read private
    /// notes.
    pub fn add_open_note(&self, to: &Grantee, note: &VaultPath) {
        self.insert(to, Granted::OpenNote(note.clone()));
    }

    pub fn covers_open_note(&self, grantee: &Grantee, note: &VaultPath) -> bool {
        self.contains(grantee, Granted::OpenNote(note.clone()))
    }

    /// Revokes all grants of the matching grantees.
    pub fn revoke(&self, whom: impl Fn(&Grantee) -> bool) {
        let mut grants = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        grants.retain(|(grantee, _)| !whom(grantee));
    }

    fn insert(&self, to: &Grantee, what: Granted) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert((to.clone(), what));
    }

    fn contains(&self, to: &Grantee, what: Granted) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(&(to.clone(), what))
    }
}

impl Grantee {
    pub fn skill(&self) -> &str {
        match self {
            Self::Skill(skill) => skill,
            Self::Content(content) => &content.skill,
        }
    }

    pub fn of(tool: &ToolEntry) -> Self {
        ToolContent::of(tool).map_or_else(|| Self::Skill(tool.skill.clone()), Self::Content)
    }
}

/// Saves an "always" as a rule.
pub trait SaveRule: Send + Sync {
    /// # Errors
    /// If the rule cannot be written; the message says why.
    fn allow(&self, wire_name: &str) -> Result<(), String>;
}
