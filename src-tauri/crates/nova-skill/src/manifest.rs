use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;

use crate::{RecordTypes, VaultAccess};

/// `manifest.yaml`: properties that the Agent Skills standard does not cover. Unknown keys are ignored.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct Manifest {
    pub display_name: Option<String>,
    /// The purpose of the skill in a few words, for the user; the description is for the model.
    pub summary: Option<String>,
    pub version: Option<String>,
    pub author: Option<String>,
    pub tags: Vec<String>,
    pub icon: Option<String>,
    pub loading: Loading,
    pub requires: Requires,
    pub hints: Hints,
    pub routing: Routing,
    /// Record types by their `type:` value. Only here, an unknown or contradictory key is an error, since
    /// notes are written accordingly.
    pub records: RecordTypes,
    /// Access to notes of the files in `tools/` that do not declare their own.
    pub vault: Option<VaultAccess>,
    pub panel: Option<Value>,
    /// Information that the skill shows unprompted, such as how much is overdue.
    pub glance: Option<Value>,
    /// JSON Schema of the skill's configuration.
    pub config: Option<Value>,
}

impl Manifest {
    /// All top-level keys.
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
    /// Ids of tools included in every request.
    pub always: Vec<String>,
    pub lifetime: Lifetime,
}

/// When a skill's instructions and tools are added to the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    #[default]
    // The name in the first specification of Nova's skills.
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

/// Requirements for the skill to be available.
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

/// A phrase that resembles this skill's but belongs to another.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct NotWhen {
    pub phrase: String,
    /// The skill or `skill.tool` that it belongs to; empty if it belongs to none.
    #[serde(default)]
    pub instead: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct Routing {
    pub examples: Vec<String>,
    pub near_misses: Vec<String>,
}
