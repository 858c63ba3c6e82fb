//! Foreign skills, whose declarations grant nothing.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use nova_skill::{CallToken, Effect, Manifest, Tool, ToolContext, ToolError, ToolOutput, ToolSpec, Value};

use super::{LastGood, LastGoodTool};
use crate::{SkillMd, ToolFile};

/// The user's agreements to foreign skills. Blocking.
pub trait AgreedSkills: Send + Sync {
    /// The fingerprint of all files of the skill that the user last agreed to.
    fn fingerprint(&self, skill: &str) -> Option<String>;
}

/// A folder of foreign skills, which may not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignRoot {
    pub folder: PathBuf,
    /// Whether the path may contain links; if not, the folder is only read if its path is canonical.
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

    /// While the folder's parent does not exist: the folder to watch for its creation, and the parent.
    pub(super) fn awaited(&self) -> Option<(&Path, &Path)> {
        let holds = self.folder.parent()?;
        let is_there = holds.is_dir() && self.is_in_place(holds);
        if is_there { None } else { Some((holds.parent()?, holds)) }
    }

    /// The paths to watch for it.
    pub(super) fn watched(&self) -> Vec<&Path> {
        match (self.awaited(), self.folder.parent()) {
            (Some((above, _)), _) => vec![above],
            (None, Some(holds)) if self.may_be_read() => vec![holds, &self.folder],
            (None, holds) => holds.into_iter().collect(),
        }
    }
}

/// A foreign skill for the user to review.
#[derive(Debug, Clone, PartialEq)]
pub struct ForeignSkill {
    pub id: String,
    pub folder: PathBuf,
    /// Fingerprint of the names and contents of all its files.
    pub fingerprint: String,
    /// Sorted by path.
    pub files: Vec<ForeignFile>,
    /// Its tool files, to be loaded by the host. None of them has run.
    pub tools: Vec<ToolFile>,
    pub skill_md: SkillMd,
    pub manifest: Manifest,
}

/// One file of a foreign skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignFile {
    pub path: String,
    pub bytes: u64,
    pub hash: String,
}

/// A tool of a foreign skill. It asks whatever it declares: its effect counts as undeclared unless the
/// declared effect is stricter, and approvals are bound to all files of the skill.
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

/// Retains no versions: a foreign skill never falls back to an earlier one.
pub(super) struct NoLastGood;

impl LastGood for NoLastGood {
    fn get(&self, _: &str) -> Option<LastGoodTool> {
        None
    }

    fn keep(&self, _: &str, _: &LastGoodTool) {}

    fn forget(&self, _: &str) {}

    fn remove_others(&self, _: &str, _: &dyn Fn(&str) -> bool) {}
}
