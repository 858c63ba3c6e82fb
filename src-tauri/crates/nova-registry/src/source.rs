use std::sync::Arc;

use futures::stream::{BoxStream, StreamExt as _, empty};
use nova_skill::{Manifest, RecordRules, Skill, Tool, Value};

use crate::{SkillFolder, SkillMd, State};

/// Somewhere that skills come from. A source reads, connects and loads on its own time and keeps
/// the result; it says when that changed.
pub trait Source: Send + Sync {
    fn kind(&self) -> SourceKind;
    /// Everything that is known now, without waiting for anything; what cannot be loaded is a
    /// problem beside the rest.
    fn scan(&self) -> Scan;
    /// An item whenever `scan` may answer otherwise. What is written into the program never changes.
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

/// A skill as its source delivers it, before settings and states.
#[derive(Clone)]
pub struct LoadedSkill {
    pub id: String,
    pub skill_md: SkillMd,
    pub manifest: Manifest,
    pub tools: Vec<LoadedTool>,
    /// What its records keep to besides what the manifest declares of them.
    pub record_rules: Option<Arc<dyn RecordRules>>,
    /// What is not as it should be although the skill works.
    pub note: Option<String>,
    /// The folder it came in, where there is something to read.
    pub folder: Option<Arc<SkillFolder>>,
    /// It came from elsewhere: what it says about itself grants nothing, and its text is not trusted.
    pub foreign: bool,
    /// Why the user has to look at it before anything of it may be used.
    pub review: Option<Review>,
    /// What keeps it from being used, where its source knows: a state and its reason.
    pub kept_from_use: Option<(State, String)>,
    /// Of all its files, where what the user agrees to is bound to them.
    pub fingerprint: Option<String>,
    /// What its `config.yaml` says; the user's own values come before these.
    pub defaults: Value,
}

/// Why a skill from elsewhere needs a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Review {
    New,
    /// It is not what the user agreed to.
    Changed,
}

impl LoadedSkill {
    /// A skill of which nothing else is known.
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

/// A tool as its source delivers it.
#[derive(Clone)]
pub enum LoadedTool {
    Ready {
        tool: Arc<dyn Tool>,
        /// What is not as it should be although the tool works.
        note: Option<String>,
    },
    /// Listed with its reason; nothing can be called.
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
    /// What is wrong and what to do.
    pub reason: String,
}

/// The skills compiled into this program: read once, as they never change.
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

/// Else the id, where it could be read, and the reason.
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
