use std::collections::BTreeMap;

use nova_skill::{Lifetime, Mode};
use serde_json::Value;

/// The user's settings per skill, by id.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings(pub BTreeMap<String, SkillSettings>);

impl Settings {
    /// The settings of a skill; case, `_` and `-` are ignored if there is no exact match.
    pub fn of(&self, id: &str) -> Option<&SkillSettings> {
        let wanted = crate::canonical(id);
        let alike = || self.0.iter().find(|(other, _)| crate::canonical(other) == wanted).map(|(_, own)| own);
        self.0.get(id).or_else(alike)
    }
}

/// `skills.<id>` of `nova.config.json`; unset values come from the manifest.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SkillSettings {
    pub enabled: Option<bool>,
    pub mode: Option<Mode>,
    pub lifetime: Option<Lifetime>,
    pub pinned: bool,
    pub hidden: bool,
    /// Ids of disabled tools.
    pub denied_tools: Vec<String>,
    /// Ids of enabled tools that are disabled by default.
    pub allowed_tools: Vec<String>,
    pub config: Value,
}
