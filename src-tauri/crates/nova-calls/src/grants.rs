use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// What the user allowed "for this chat": gone with the session.
#[derive(Debug, Default)]
pub struct Grants(Mutex<HashSet<(String, Option<String>)>>);

impl Grants {
    /// For writes of a skill (no host), or for a skill's calls to one host.
    pub fn add(&self, skill: &str, host: Option<&str>) {
        let mut grants = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        grants.insert((skill.to_owned(), host.map(str::to_owned)));
    }

    pub fn covers(&self, skill: &str, host: Option<&str>) -> bool {
        let grants = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        grants.contains(&(skill.to_owned(), host.map(str::to_owned)))
    }
}

/// Writes an "always" down where the rules are kept.
pub trait KeepRule: Send + Sync {
    /// # Errors
    /// When the rule could not be written; the message says why.
    fn allow(&self, wire_name: &str) -> Result<(), String>;
}
