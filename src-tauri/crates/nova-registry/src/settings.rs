use std::collections::BTreeMap;

use nova_skill::{Lifetime, Mode};
use serde_json::Value;

/// What the user has set per skill, by id.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings(pub BTreeMap<String, SkillSettings>);

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
    pub config: Value,
}
