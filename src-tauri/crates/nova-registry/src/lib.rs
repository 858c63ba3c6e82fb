//! Which skills exist, which are enabled and available, what the model is told of them, and which
//! rules the user has written.
//!
//! Tools and skills that are files are read here and read again when they change; what a file
//! defines is found out by a [`ToolHost`]. This crate never runs a tool, never writes a file and
//! never decides about a call: it hands out immutable [`Snapshot`]s to look things up in, and
//! [`Rules`] as data.

mod catalog;
mod entry;
mod files;
mod finding;
mod host;
mod manifest_file;
mod not_ready;
mod outside_text;
mod requirements;
mod route;
mod rules;
mod settings;
mod skill_folder;
mod skill_md;
mod snapshot;
mod source;
mod state;
mod wire;

pub use catalog::{Catalog, CatalogBudget, short_hash};
pub use entry::{ConfigProblem, SkillEntry, ToolEntry};
pub use files::{
    AgreedSkills, CheckedSkill, ForeignFile, ForeignRoot, ForeignSkill, LastGood, LastGoodTool,
    MAX_TOOL_FILE, ToolFiles, ToolFolders, check_skill, tool_sources,
};
pub use finding::{Finding, Severity};
pub use host::{DryRequest, DryRun, NoToolHost, ToolFile, ToolFileError, ToolHost};
pub use outside_text::{harmless, harmless_line};
pub use requirements::{HeldState, KnownCredentials, Present, Variable, fits, unmet};
pub use route::{Confusion, ConfusionKind, MissingHint, Ranked, Router, test_routing, would_take};
pub use rules::{
    CallShape, Found, Pattern, Policy, ReachedNotes, Rule, RuleEdit, RuleEditError, RuleList, RuleLists,
    Rules, RulesError, RulesInForce, Who, with_pattern, without_pattern,
};
pub use settings::{Settings, SkillSettings};
pub use skill_folder::{MAX_SKILL_FILE, SkillFile, SkillFileError, SkillFolder};
pub use skill_md::{SkillMd, SkillMdError, is_skill_name};
pub use snapshot::{Changes, Registry, Snapshot, ToolLookup};
pub use source::{LoadedSkill, LoadedTool, NativeSkills, Problem, Review, Scan, Source, SourceKind};
pub use state::State;
pub use wire::{canonical, is_invisible, shown_name, wire_name};
