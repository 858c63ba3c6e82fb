use std::collections::HashSet;

use nova_skill::Effect;
use std::sync::{Mutex, PoisonError};

/// What the user allowed "for this chat": gone with the session.
#[derive(Debug, Default)]
pub struct Grants(Mutex<HashSet<(String, Effect)>>);

impl Grants {
    /// For further calls of this skill with this effect.
    pub fn add(&self, skill: &str, effect: Effect) {
        let mut grants = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        grants.insert((skill.to_owned(), effect));
    }

    pub fn covers(&self, skill: &str, effect: Effect) -> bool {
        let grants = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        grants.contains(&(skill.to_owned(), effect))
    }
}

/// Writes an "always" down where the rules are kept.
pub trait KeepRule: Send + Sync {
    /// # Errors
    /// When the rule could not be written; the message says why.
    fn allow(&self, wire_name: &str) -> Result<(), String>;
}
