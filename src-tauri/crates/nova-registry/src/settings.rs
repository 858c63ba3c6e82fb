use std::collections::BTreeMap;

use nova_skill::{Lifetime, Mode};
use serde_json::Value;

/// What the user has set per skill, by id.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings(pub BTreeMap<String, SkillSettings>);

impl Settings {
    /// Of a skill; case, `_` and `-` do not matter where nothing is written exactly so.
    pub fn of(&self, id: &str) -> Option<&SkillSettings> {
        let wanted = crate::canonical(id);
        let alike = || self.0.iter().find(|(other, _)| crate::canonical(other) == wanted).map(|(_, own)| own);
        self.0.get(id).or_else(alike)
    }
}

/// `skills.<id>` of `nova.config.json`; what is not set follows the manifest.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SkillSettings {
    pub enabled: Option<bool>,
    pub mode: Option<Mode>,
    pub lifetime: Option<Lifetime>,
    pub pinned: bool,
    pub hidden: bool,
    /// Tool ids that are switched off.
    pub denied_tools: Vec<String>,
    /// Tool ids that are switched on, where a tool is off at first.
    pub allowed_tools: Vec<String>,
    pub config: Value,
}
