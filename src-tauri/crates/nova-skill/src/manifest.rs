use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;

use crate::{RecordTypes, VaultAccess};

/// `manifest.yaml`: what the Agent Skills standard has no place for. Unknown keys are ignored.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct Manifest {
    pub display_name: Option<String>,
    /// What the skill is for, in a few words to a person; the description is for the model.
    pub summary: Option<String>,
    pub version: Option<String>,
    pub author: Option<String>,
    pub tags: Vec<String>,
    pub icon: Option<String>,
    pub loading: Loading,
    pub requires: Requires,
    pub hints: Hints,
    pub routing: Routing,
    /// Record types by their `type:` value. Here, and only here, an unknown or contradictory key is
    /// an error: notes are written by it.
    pub records: RecordTypes,
    /// What the files in `tools/` may do with notes, where they do not say themselves.
    pub vault: Option<VaultAccess>,
    pub panel: Option<Value>,
    /// What it says without being asked, such as how much is overdue.
    pub glance: Option<Value>,
    /// JSON Schema of the skill's configuration.
    pub config: Option<Value>,
}

impl Manifest {
    /// Every key that it may have at its top.
    pub const KEYS: [&str; 15] = [
        "display_name",
        "summary",
        "version",
        "author",
        "tags",
        "icon",
        "loading",
        "requires",
        "hints",
        "routing",
        "records",
        "vault",
        "panel",
        "glance",
        "config",
    ];
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct Loading {
    pub mode: Mode,
    /// Tools kept in every request, by id.
    pub always: Vec<String>,
    pub lifetime: Lifetime,
}

/// When a skill's instructions and tools enter the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    #[default]
    // As the first description of Nova's skills called it.
    #[serde(alias = "skill")]
    OnDemand,
    Always,
}

/// How long an activation lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lifetime {
    #[default]
    Session,
    Turn,
}

/// What must be there for the skill to be available.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct Requires {
    pub env: IndexMap<String, Value>,
    pub credentials: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct Hints {
    pub use_when: Vec<String>,
    pub not_when: Vec<NotWhen>,
}

/// A phrase that looks like this skill's but belongs to another.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct NotWhen {
    pub phrase: String,
    /// The skill or `skill.tool` that it belongs to; empty where it belongs to none.
    #[serde(default)]
    pub instead: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct Routing {
    pub examples: Vec<String>,
    pub near_misses: Vec<String>,
}
