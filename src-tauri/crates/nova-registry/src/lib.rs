//! Skills: which exist, are enabled and available; the catalog that the model sees; and the user's rules.
//!
//! Tools and skills that are files are loaded here and reloaded when they change; a [`ToolHost`] evaluates
//! them. This crate never runs a tool, never writes a file and never decides about a call: it provides
//! immutable [`Snapshot`]s for lookup, and [`Rules`] as data.
//!
//! [`Registry`] scans its [`Source`]s into [`Snapshot`]s; a step of a turn uses one snapshot throughout.
//! [`Router`] ranks tools for a request. `ToolFiles` reads the folders of tool files, folder skills and
//! foreign skills: a worker scans, loads new files through a [`ToolHost`], and publishes.
//!
//! # Invariants
//!
//! - A source never blocks `scan`; it works asynchronously and announces updates through `changes`.
//! - A skill that cannot be loaded is an entry with the state *broken* and a reason; it never hides the
//!   others: `tests/journeys/folder_skills.rs`, `src/files/listing/tests.rs`.
//! - A broken tool file leaves its last good version in force and keeps its tool's name while the file
//!   exists; it never makes its skill or another file unusable: `src/files/tool_set/tests.rs`,
//!   `tests/journeys/writing_a_tool.rs`.
//! - No path, link or pipe in a skill's folder makes Nova read a file outside it, block, or read without
//!   bounds:
//!   `src/skill_folder/tests.rs`.
//! - Nothing of a foreign skill runs, reaches a model or stays in a request unless the user agreed to the
//!   exact content of all its files. Its own declarations never suppress a question:
//!   `src/files/sealed/tests.rs`, `tests/journeys/third_party_skills.rs`.
//! - Text of a foreign skill or tool cannot close Nova's own markers: `src/outside_text.rs`.
//! - `SKILL.md` is parsed with `gray_matter` over Nova's own YAML engine, which has a budget; hostile front
//!   matter is an error: `src/skill_md/tests.rs`. Vault notes never pass through it.
//! - Nova calls a skill valid if the standard's own validator does, except for limits of the validator's YAML
//!   parser: `tests/verdicts.rs`, which runs the validator if `.ci/setup` could fetch it.
//! - A schema from outside is checked in bounded time, or refused: `src/schema.rs`.
//! - A rule that cannot be interpreted restricts and never allows: `src/rules/pattern.rs`,
//!   `src/rules/arguments.rs`.
//! - Editing a rule changes no other byte: `src/rules/edit.rs`.
//! - A skill is available if its requirements are met: `src/requirements.rs`. A skill whose id looks like
//!   another's is not available: `tests/skills.rs`.
//! - Wire names are legal, and different tools have different names: `src/wire.rs`.
//! - [`Router::confident`] names a skill only if two independent signs indicate it, and built-in skills do
//!   not attract each other's requests: `tests/journeys/routing_requests.rs`.

mod catalog;
mod entry;
mod files;
mod finding;
mod host;
mod manifest_file;
mod not_ready;
mod outside_text;
mod record_tools;
mod requirements;
mod route;
mod rules;
mod schema;
mod settings;
mod skill_folder;
mod skill_md;
mod snapshot;
mod source;
mod state;
mod subset;
mod type_owners;
mod wire;

pub use catalog::{Catalog, CatalogBudget, short_hash};
pub use entry::{ConfigProblem, SkillEntry, ToolEntry};
pub use files::{
    AgreedSkills, CheckedSkill, ForeignFile, ForeignRoot, ForeignSkill, LastGood, LastGoodTool,
    MAX_TOOL_FILE, ToolFiles, ToolFolders, check_skill, tool_sources,
};
pub use finding::{Finding, Severity};
pub use host::{DryRequest, DryRun, NoToolHost, ToolFile, ToolFileError, ToolHost};
pub use manifest_file::records_in;
pub use outside_text::{fenced_output, harmless, harmless_line};
pub use requirements::{Commands, HeldState, KnownCredentials, Present, Variable, fits, lacking, unmet};
pub use route::{Confusion, ConfusionKind, MissingHint, Ranked, Router, test_routing, would_take};
pub use rules::{
    CallShape, Found, Pattern, Policy, ReachedNotes, Rule, RuleEdit, RuleEditError, RuleList, RuleLists,
    Rules, RulesError, RulesInForce, Who, with_pattern, without_pattern,
};
pub use schema::{compile_schema, schema_fault, violations};
pub use settings::{Settings, SkillSettings};
pub use skill_folder::{MAX_SKILL_FILE, SkillFile, SkillFileError, SkillFolder};
pub use skill_md::{SkillMd, SkillMdError, is_skill_name};
pub use snapshot::{Changes, Registry, Snapshot, ToolLookup};
pub use source::{LoadedSkill, LoadedTool, NativeSkills, Problem, Review, Scan, Source, SourceKind};
pub use state::State;
pub use subset::{Subset, SubsetError};
pub use type_owners::TypeOwners;
pub use wire::{canonical, is_invisible, shown_name, skeletons, wire_name};
