use std::sync::Arc;

use futures::stream::{BoxStream, StreamExt as _, empty};
use nova_skill::{Manifest, RecordRules, Skill, Tool, Value};

use crate::{SkillFolder, SkillMd, State};

/// A source of skills. It reads, connects and loads asynchronously, caches the result and announces changes.
pub trait Source: Send + Sync {
    fn kind(&self) -> SourceKind;
    /// Returns everything currently known, without blocking; skills that cannot be loaded are problems next
    /// to the rest.
    fn scan(&self) -> Scan;
    /// Emits an item whenever `scan` may return another result. Compiled skills never change.
    fn changes(&self) -> BoxStream<'static, ()> {
        empty().boxed()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SourceKind {
    Native,
    Folder,
    Dynamic,
    Mcp,
}

impl SourceKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Folder => "folder",
            Self::Dynamic => "dynamic",
            Self::Mcp => "mcp",
        }
    }
}

#[derive(Clone, Default)]
pub struct Scan {
    pub skills: Vec<LoadedSkill>,
    pub problems: Vec<Problem>,
}

/// A skill as delivered by its source, before settings and states are applied.
#[derive(Clone)]
pub struct LoadedSkill {
    pub id: String,
    pub skill_md: SkillMd,
    pub manifest: Manifest,
    pub tools: Vec<LoadedTool>,
    /// Rules for its records beyond the types that the manifest declares.
    pub record_rules: Option<Arc<dyn RecordRules>>,
    /// A problem that does not prevent its use.
    pub note: Option<String>,
    /// Its folder, if that contains further files.
    pub folder: Option<Arc<SkillFolder>>,
    /// It is a foreign skill: its declarations grant nothing, and its text is untrusted.
    pub foreign: bool,
    /// Why the user must review it before any of it is used.
    pub review: Option<Review>,
    /// A state and its reason, if the source knows why it cannot be used.
    pub kept_from_use: Option<(State, String)>,
    /// Fingerprint of all its files, if the user's agreement is bound to it.
    pub fingerprint: Option<String>,
    /// The content of its `config.yaml`, overridden by the user's values.
    pub defaults: Value,
}

/// Why a foreign skill needs a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Review {
    New,
    /// It differs from what the user agreed to.
    Changed,
}

impl LoadedSkill {
    /// Creates a skill with default values for everything else.
    pub fn new(id: String, skill_md: SkillMd, manifest: Manifest, tools: Vec<LoadedTool>) -> Self {
        Self {
            id,
            skill_md,
            manifest,
            tools,
            record_rules: None,
            note: None,
            folder: None,
            foreign: false,
            review: None,
            kept_from_use: None,
            fingerprint: None,
            defaults: Value::Null,
        }
    }
}

/// A tool as delivered by its source.
#[derive(Clone)]
pub enum LoadedTool {
    Ready {
        tool: Arc<dyn Tool>,
        /// A problem that does not prevent its use.
        note: Option<String>,
    },
    /// Listed with its reason; cannot be called.
    NotReady { id: String, state: State, reason: String },
}

impl From<Arc<dyn Tool>> for LoadedTool {
    fn from(tool: Arc<dyn Tool>) -> Self {
        Self::Ready { tool, note: None }
    }
}

/// A skill that could not be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub id: String,
    /// The problem and the remedy.
    pub reason: String,
}

/// The skills compiled into this program, which never change: read once.
pub struct NativeSkills(Scan);

impl NativeSkills {
    pub fn new(skills: Vec<Box<dyn Skill>>) -> Self {
        let mut scan = Scan::default();
        for (at, skill) in skills.iter().enumerate() {
            match load(skill.as_ref()) {
                Ok(loaded) => scan.skills.push(loaded),
                Err((id, reason)) => {
                    let id = id.unwrap_or_else(|| format!("native-{at}"));
                    scan.problems.push(Problem { id, reason });
                }
            }
        }
        Self(scan)
    }
}

impl Source for NativeSkills {
    fn kind(&self) -> SourceKind {
        SourceKind::Native
    }

    fn scan(&self) -> Scan {
        self.0.clone()
    }
}

/// # Errors
/// The id, if it could be read, and the reason.
fn load(skill: &dyn Skill) -> Result<LoadedSkill, (Option<String>, String)> {
    let skill_md = SkillMd::parse(skill.skill_md()).map_err(|error| (None, error.to_string()))?;
    let id = skill_md.name.clone();
    let options = serde_saphyr::options! { strict_booleans: true };
    let manifest = serde_saphyr::from_str_with_options(skill.manifest(), options)
        .map_err(|error| (Some(id.clone()), format!("manifest.yaml: {error}")))?;
    let tools = skill.tools().into_iter().map(LoadedTool::from).collect();
    let folder = SkillFolder::embedded(skill.resources()).map(Arc::new);
    let record_rules = skill.record_rules();
    Ok(LoadedSkill { folder, record_rules, ..LoadedSkill::new(id, skill_md, manifest, tools) })
}
