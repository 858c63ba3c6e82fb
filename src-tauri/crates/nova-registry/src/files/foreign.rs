//! Skills that came from elsewhere: what they say about themselves grants nothing.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use nova_skill::{CallToken, Effect, Manifest, Tool, ToolContext, ToolError, ToolOutput, ToolSpec, Value};

use super::{LastGood, LastGoodTool};
use crate::{SkillMd, ToolFile};

/// What the user agreed to of skills that come from elsewhere. Blocking.
pub trait AgreedSkills: Send + Sync {
    /// The fingerprint that the user agreed to last, of all files of that skill.
    fn fingerprint(&self, skill: &str) -> Option<String>;
}

/// A folder of skills from elsewhere, which may be made later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignRoot {
    pub folder: PathBuf,
    /// Whether it may lie behind a link. Where not, the path has no links above the folder that holds
    /// the folder itself.
    pub behind_links: bool,
}

impl ForeignRoot {
    /// Whether its files may be read.
    pub(super) fn may_be_read(&self) -> bool {
        self.is_in_place(&self.folder)
    }

    fn is_in_place(&self, folder: &Path) -> bool {
        self.behind_links || folder.canonicalize().is_ok_and(|real| real == folder)
    }

    /// The folder in which the one that holds it will be made, and that one, while it does not exist.
    pub(super) fn awaited(&self) -> Option<(&Path, &Path)> {
        let holds = self.folder.parent()?;
        let is_there = holds.is_dir() && self.is_in_place(holds);
        if is_there { None } else { Some((holds.parent()?, holds)) }
    }

    /// What to watch for it.
    pub(super) fn watched(&self) -> Vec<&Path> {
        match (self.awaited(), self.folder.parent()) {
            (Some((above, _)), _) => vec![above],
            (None, Some(holds)) if self.may_be_read() => vec![holds, &self.folder],
            (None, holds) => holds.into_iter().collect(),
        }
    }
}

/// A skill from elsewhere, for the user to review.
#[derive(Debug, Clone, PartialEq)]
pub struct ForeignSkill {
    pub id: String,
    pub folder: PathBuf,
    /// Of the names and contents of all its files.
    pub fingerprint: String,
    /// By path.
    pub files: Vec<ForeignFile>,
    /// Its tool files, to be asked what they define. Nothing of them has run.
    pub tools: Vec<ToolFile>,
    pub skill_md: SkillMd,
    pub manifest: Manifest,
}

/// One file of a skill from elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignFile {
    pub path: String,
    pub bytes: u64,
    pub hash: String,
}

/// A tool of such a skill. It declares what it likes, and is asked about anyway: its effect
/// counts as undeclared unless what it declares is stricter, and what was agreed to is bound to all
/// files of the skill.
pub(super) struct ForeignTool {
    spec: ToolSpec,
    tool: Arc<dyn Tool>,
}

impl ForeignTool {
    pub(super) fn new(tool: Arc<dyn Tool>, fingerprint: &str) -> Self {
        let mut spec = tool.spec().clone();
        spec.effect = match spec.effect {
            strict @ (Effect::Send | Effect::Destructive) => strict,
            _ => Effect::Undeclared,
        };
        let own = spec.definition.unwrap_or_default();
        spec.definition = Some(blake3::hash(format!("{fingerprint}\0{own}").as_bytes()).to_hex().to_string());
        spec.question = None;
        Self { spec, tool }
    }
}

#[async_trait]
impl Tool for ForeignTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(
        &self,
        token: CallToken,
        args: Value,
        ctx: Arc<dyn ToolContext>,
    ) -> Result<ToolOutput, ToolError> {
        self.tool.run(token, args, ctx).await
    }
}

/// Of a skill from elsewhere no earlier version comes back.
pub(super) struct NoLastGood;

impl LastGood for NoLastGood {
    fn get(&self, _: &str) -> Option<LastGoodTool> {
        None
    }

    fn keep(&self, _: &str, _: &LastGoodTool) {}

    fn forget(&self, _: &str) {}

    fn forget_others(&self, _: &str, _: &dyn Fn(&str) -> bool) {}
}
