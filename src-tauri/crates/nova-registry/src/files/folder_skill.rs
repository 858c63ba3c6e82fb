//! One folder of `<config>/skills`: `SKILL.md`, perhaps `manifest.yaml`, perhaps `tools/*.ts`.

use std::path::Path;
use std::time::Instant;

use nova_skill::Manifest;

use super::read::{self, Look, Looks};
use super::tool_set::{GRACE, Owner, ToolSet};
use crate::{LoadedSkill, Problem, SkillMd, canonical};

pub(super) struct FolderSkill {
    id: String,
    newest: Option<FolderLook>,
    /// Of the newest look: what is wrong, and from when on that is told.
    problem: Option<(String, Instant)>,
    last_good: Option<(SkillMd, Manifest)>,
    pub(super) tools: ToolSet,
}

/// What the folder held when it was looked at.
#[derive(PartialEq, Eq)]
pub(super) struct FolderLook {
    skill_md: Option<Look>,
    manifest: Option<Look>,
    /// Another way to bring tools, which is not run.
    has_python: bool,
}

/// The folder's own files and its tool files.
pub(super) fn look(folder: &Path) -> (FolderLook, Looks) {
    let own = FolderLook {
        skill_md: read::one(folder, "SKILL.md"),
        manifest: read::one(folder, "manifest.yaml"),
        has_python: folder.join("tools.py").is_file(),
    };
    (own, read::tool_files_below(folder, "tools"))
}

impl FolderSkill {
    pub(super) fn new(root: &Path, id: &str) -> Self {
        Self {
            id: id.to_owned(),
            newest: None,
            problem: None,
            last_good: None,
            tools: ToolSet::new(root.join(id).join("tools"), Owner::Skill(id.to_owned())),
        }
    }

    pub(super) fn observe(&mut self, look: FolderLook, now: Instant, patience: bool) {
        if self.newest.as_ref() == Some(&look) {
            return;
        }
        self.problem = match parse(&look) {
            Ok(good) => {
                self.last_good = Some(good);
                None
            }
            Err(reason) => Some((reason, if patience { now + GRACE } else { now })),
        };
        self.newest = Some(look);
    }

    pub(super) fn next_change(&self, now: Instant) -> Option<Instant> {
        let own = self.problem.as_ref().map(|(_, at)| *at).filter(|at| *at > now);
        own.into_iter().chain(self.tools.next_change(now)).min()
    }

    /// As it is to be shown at that moment: the skill, or why there is none, or nothing yet.
    pub(super) fn loaded(&self, now: Instant) -> Option<Result<LoadedSkill, Problem>> {
        let told = self.problem.as_ref().filter(|(_, at)| *at <= now).map(|(reason, _)| reason.clone());
        let Some((skill_md, manifest)) = self.last_good.clone() else {
            return told.map(|reason| Err(Problem { id: self.id.clone(), reason }));
        };
        let note = told.map(|reason| format!("{reason} The last good version stays in use.")).or_else(|| {
            let has_python = self.newest.as_ref().is_some_and(|look| look.has_python);
            let unlike = canonical(&skill_md.name) != canonical(&self.id);
            if unlike {
                Some(format!(
                    "SKILL.md says name: {}, its folder is {}. Make them alike.",
                    skill_md.name, self.id
                ))
            } else {
                has_python.then(|| "tools.py is not run: rewrite it as tools/*.ts.".to_owned())
            }
        });
        let note = note.or_else(|| self.tools.note());
        let tools = self.tools.tools(now);
        Some(Ok(LoadedSkill { id: self.id.clone(), skill_md, manifest, tools, note }))
    }
}

fn parse(look: &FolderLook) -> Result<(SkillMd, Manifest), String> {
    let skill_md = match &look.skill_md {
        Some(Look::Text(text)) => SkillMd::parse(text).map_err(|error| error.to_string())?,
        Some(Look::Refused(why)) => return Err(format!("SKILL.md: {why}.")),
        None => return Err("The folder has no SKILL.md. Write one, or take the folder away.".into()),
    };
    let manifest = match &look.manifest {
        None => Manifest::default(),
        Some(Look::Text(text)) if text.trim().is_empty() => Manifest::default(),
        Some(Look::Text(text)) => {
            let options = serde_saphyr::options! { strict_booleans: true };
            serde_saphyr::from_str_with_options(text, options)
                .map_err(|error| format!("manifest.yaml: {error}"))?
        }
        Some(Look::Refused(why)) => return Err(format!("manifest.yaml: {why}.")),
    };
    Ok((skill_md, manifest))
}
