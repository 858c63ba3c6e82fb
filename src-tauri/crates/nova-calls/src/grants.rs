use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use nova_registry::ToolEntry;
use nova_skill::{Effect, VaultPath};

use crate::ToolContent;

/// What the user allowed "for this chat": gone with the session.
#[derive(Debug, Default)]
pub struct Grants(Mutex<HashSet<(Grantee, Granted)>>);

/// Whom a grant is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Grantee {
    /// All tools of a skill that change only with the program.
    Skill(String),
    /// One content of a tool that can change; another content counts as another tool.
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

    pub fn add_credential(&self, to: &Grantee, name: &str) {
        self.insert(to, Granted::Credential(name.to_owned()));
    }

    pub fn covers_credential(&self, grantee: &Grantee, name: &str) -> bool {
        self.contains(grantee, Granted::Credential(name.to_owned()))
    }

    /// For further writes into this note, which a reader elsewhere may see, by a chat that was given private
    /// notes.
    pub fn add_open_note(&self, to: &Grantee, note: &VaultPath) {
        self.insert(to, Granted::OpenNote(note.clone()));
    }

    pub fn covers_open_note(&self, grantee: &Grantee, note: &VaultPath) -> bool {
        self.contains(grantee, Granted::OpenNote(note.clone()))
    }

    /// Takes back all that was given to these.
    pub fn forget(&self, whom: impl Fn(&Grantee) -> bool) {
        let mut given = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        given.retain(|(grantee, _)| !whom(grantee));
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

/// Writes an "always" down where the rules are kept.
pub trait KeepRule: Send + Sync {
    /// # Errors
    /// When the rule could not be written; the message says why.
    fn allow(&self, wire_name: &str) -> Result<(), String>;
}
