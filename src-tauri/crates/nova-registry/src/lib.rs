//! Which skills exist, which are enabled and available, what the model is told of them, and which
//! rules the user has written.
//!
//! This crate never runs a tool and never decides about a call: it hands out immutable
//! [`Snapshot`]s to look things up in, and [`Rules`] as data.

mod catalog;
mod entry;
mod host;
mod rules;
mod settings;
mod skill_md;
mod snapshot;
mod source;
mod wire;

pub use catalog::catalog_section;
pub use entry::{ConfigProblem, SkillEntry, State, ToolEntry};
pub use host::{ToolFile, ToolFileError, ToolHost};
pub use rules::{PatternList, Rule, Rules, RulesError};
pub use settings::{Settings, SkillSettings};
pub use skill_md::{SkillMd, SkillMdError};
pub use snapshot::{Registry, Snapshot, ToolLookup};
pub use source::{LoadedSkill, NativeSkills, Problem, Scan, Source, SourceKind};
pub use wire::{canonical, shown_name, wire_name};
