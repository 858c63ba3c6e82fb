//! A folder skill: `SKILL.md`, optionally `manifest.yaml`, `config.yaml`, `tools/*.ts` and other files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use nova_skill::{Manifest, Tool, Value};

use super::foreign::{ForeignFile, ForeignSkill, ForeignTool};
use super::listing::{self, Listing};
use super::read::{self, FileText, ToolSources};
use super::sealed::{self, Sealed};
use super::tool_set::{GRACE, Owner, ToolSet};
use crate::manifest_file::{self, CONFIG, MANIFEST};
use crate::{Finding, LoadedSkill, Problem, Review, SkillFolder, SkillMd, ToolFile};

/// Maximum number of problems reported at once per skill.
const MAX_REPORTED: usize = 3;

pub(super) struct FolderSkill {
    id: String,
    root: PathBuf,
    foreign: bool,
    newest: Option<FolderScan>,
    /// The problem of the latest scan, and the time from which it is reported.
    problem: Option<(String, Instant)>,
    last_good: Option<Parsed>,
    /// For a foreign skill: the fingerprint that the user had agreed to at the latest check.
    agreed: Option<String>,
    /// Its tool files as sealed.
    sealed_tools: Vec<ToolFile>,
    pub(super) tools: ToolSet,
}

/// The content of the folder at one scan.
#[derive(Default, PartialEq, Eq)]
pub(super) struct FolderScan {
    pub(super) skill_md: Option<FileText>,
    pub(super) manifest: Option<FileText>,
    pub(super) config: Option<FileText>,
    /// Replaces `SKILL.md` in an older layout.
    pub(super) instructions: Option<FileText>,
    /// It contains tools in Python, which are not run.
    pub(super) has_python: bool,
    pub(super) listing: Listing,
    /// For a foreign skill: its seal, or why it could not be sealed.
    pub(super) sealed: Option<Result<Sealed, String>>,
}

/// The parsed content of its files.
#[derive(Clone)]
pub(super) struct Parsed {
    pub(super) skill_md: SkillMd,
    pub(super) manifest: Manifest,
    pub(super) defaults: Value,
    pub(super) findings: Vec<Finding>,
}

/// Scans the folder's own files and its tool files.
pub(super) fn scan(root: &Path, id: &str, foreign: bool) -> (FolderScan, ToolSources) {
    if foreign {
        return scan_sealed(root, id);
    }
    let folder = &root.join(id);
    let listing = listing::list(root, id, false);
    let own = FolderScan {
        skill_md: read::one(folder, "SKILL.md").or_else(|| read::one(folder, "skill.md")),
        manifest: read::one(folder, MANIFEST),
        config: read::one(folder, CONFIG),
        instructions: read::one(folder, "instructions.md"),
        has_python: listing.has("tools.py"),
        listing,
        sealed: None,
    };
    (own, read::tool_files_below(root, &format!("{id}/tools")))
}

fn scan_sealed(root: &Path, id: &str) -> (FolderScan, ToolSources) {
    match sealed::seal(root, id) {
        Ok((sealed, mut contents, listing)) => {
            let tools = ToolSources { files: contents.take_tools(), left_out: 0 };
            let own = FolderScan {
                skill_md: contents.take("SKILL.md").or_else(|| contents.take("skill.md")),
                manifest: contents.take(MANIFEST),
                config: contents.take(CONFIG),
                instructions: contents.take("instructions.md"),
                has_python: listing.has("tools.py"),
                listing,
                sealed: Some(Ok(sealed)),
            };
            (own, tools)
        }
        Err(why) => (FolderScan { sealed: Some(Err(why)), ..FolderScan::default() }, ToolSources::default()),
    }
}

impl FolderSkill {
    pub(super) fn new(root: &Path, id: &str, foreign: bool) -> Self {
        Self {
            id: id.to_owned(),
            root: root.to_owned(),
            foreign,
            newest: None,
            problem: None,
            last_good: None,
            agreed: None,
            sealed_tools: Vec::new(),
            tools: tool_set(root, id, id.to_owned()),
        }
    }

    /// Updates the state from a scan; `agreed` is the agreed fingerprint of a foreign skill. Returns whether
    /// its tools may be loaded.
    pub(super) fn observe(
        &mut self,
        scan: FolderScan,
        tools: &BTreeMap<String, FileText>,
        agreed: Option<String>,
        now: Instant,
        patience: bool,
    ) -> bool {
        let same = self.newest.as_ref() == Some(&scan);
        if !same {
            self.problem = match parse(&scan, &self.id) {
                Ok(good) => {
                    self.last_good = Some(good);
                    None
                }
                Err(reason) => {
                    if self.foreign {
                        // A foreign skill never falls back to an earlier version.
                        self.last_good = None;
                    }
                    Some((reason, if patience { now + GRACE } else { now }))
                }
            };
            self.newest = Some(scan);
        }
        if let Some((_, from)) = self.problem.as_mut().filter(|_| !patience) {
            *from = now.min(*from);
        }
        let vault = self.last_good.as_ref().and_then(|good| good.manifest.vault);
        if !self.foreign {
            self.tools.allow(vault);
            return true;
        }
        let is_other = !same || self.agreed != agreed;
        self.agreed = agreed;
        if is_other {
            // Each content is a separate owner: it shares no process with earlier contents.
            let owner = format!("foreign/{}/{}", self.id, self.fingerprint().unwrap_or_default());
            let folder = self.root.join(&self.id).join("tools");
            self.sealed_tools = tools
                .iter()
                .filter_map(|(name, scan)| match scan {
                    FileText::Text(source) => Some(ToolFile {
                        owner: owner.clone(),
                        path: folder.join(name),
                        source: source.clone(),
                        vault,
                    }),
                    FileText::Refused(_) => None,
                })
                .collect();
            self.tools = tool_set(&self.root, &self.id, owner);
        }
        self.tools.allow(vault);
        self.review().is_none()
    }

    /// Wraps a loaded tool with the restrictions of its skill.
    pub(super) fn tool(&self, tool: Arc<dyn Tool>) -> Arc<dyn Tool> {
        match self.fingerprint() {
            Some(fingerprint) => Arc::new(ForeignTool::new(tool, fingerprint)),
            None => tool,
        }
    }

    pub(super) fn next_change(&self, now: Instant) -> Option<Instant> {
        let own = self.problem.as_ref().map(|(_, at)| *at).filter(|at| *at > now);
        own.into_iter().chain(self.tools.next_change(now)).min()
    }

    /// Its subfolders, for watching.
    pub(super) fn folders(&self) -> impl Iterator<Item = PathBuf> {
        let folder = self.root.join(&self.id);
        let below = self.newest.iter().flat_map(|scan| scan.listing.folders.iter().take(50));
        let below: Vec<PathBuf> = below.map(|path| folder.join(path)).collect();
        [folder.join("tools"), folder].into_iter().chain(below)
    }

    /// The skill at that time, a problem, or nothing yet.
    pub(super) fn loaded(&self, now: Instant) -> Option<Result<LoadedSkill, Problem>> {
        let reason = self.problem.as_ref().filter(|(_, at)| *at <= now).map(|(reason, _)| reason.clone());
        let Some(Parsed { skill_md, manifest, defaults, findings }) = self.last_good.clone() else {
            return reason.map(|reason| Err(Problem { id: self.id.clone(), reason }));
        };
        let newest = self.newest.as_ref();
        let note =
            reason.map(|reason| format!("{reason} The last good version stays in use.")).or_else(|| {
                let python = newest.is_some_and(|scan| scan.has_python);
                let mut said: Vec<String> = findings.iter().map(ToString::to_string).collect();
                if python {
                    said.push("tools.py is not run: rewrite it as tools/*.ts.".to_owned());
                }
                if said.len() > MAX_REPORTED {
                    let more = said.len() - MAX_REPORTED;
                    said.truncate(MAX_REPORTED);
                    said.push(format!("{more} more: see nova skill check."));
                }
                (!said.is_empty()).then(|| said.join(" "))
            });
        let folder = newest.map(|scan| {
            let listing = &scan.listing;
            let files = match &scan.sealed {
                Some(Ok(sealed)) => listing::resources(&sealed.files),
                _ => listing::resources(&listing.files),
            };
            Arc::new(SkillFolder::on_disk(&self.root, &self.id, files, listing.incomplete, self.foreign))
        });
        let note = note.or_else(|| self.tools.note());
        let review = if self.foreign { self.review() } else { None };
        let tools = if review.is_some() { Vec::new() } else { self.tools.tools(now) };
        let skill = LoadedSkill::new(self.id.clone(), skill_md, manifest, tools);
        let fingerprint = self.fingerprint().map(str::to_owned);
        Some(Ok(LoadedSkill { note, folder, defaults, review, fingerprint, foreign: self.foreign, ..skill }))
    }

    /// The content for the user to review.
    pub(super) fn to_review(&self) -> Option<ForeignSkill> {
        let scan = self.newest.as_ref()?;
        let Some(Ok(sealed)) = &scan.sealed else { return None };
        let parsed = self.last_good.as_ref()?;
        let file = |file: &crate::SkillFile| ForeignFile {
            path: file.path.clone(),
            bytes: file.bytes,
            hash: file.agreed.map(|hash| hash.to_hex().to_string()).unwrap_or_default(),
        };
        let links = scan.listing.links.iter().map(|(path, target)| ForeignFile {
            path: format!("{path} -> {target}"),
            bytes: 0,
            hash: blake3::hash(target.as_bytes()).to_hex().to_string(),
        });
        Some(ForeignSkill {
            id: self.id.clone(),
            folder: self.root.join(&self.id),
            fingerprint: sealed.fingerprint.clone(),
            files: sealed.files.iter().map(file).chain(links).collect(),
            tools: self.sealed_tools.clone(),
            skill_md: parsed.skill_md.clone(),
            manifest: parsed.manifest.clone(),
        })
    }

    fn fingerprint(&self) -> Option<&str> {
        match self.newest.as_ref()?.sealed.as_ref()? {
            Ok(sealed) => Some(&sealed.fingerprint),
            Err(_) => None,
        }
    }

    /// Why it may not be used before the user has reviewed it.
    fn review(&self) -> Option<Review> {
        match (&self.agreed, self.fingerprint()) {
            (Some(agreed), Some(now)) if agreed == now => None,
            (Some(_), _) => Some(Review::Changed),
            (None, _) => Some(Review::New),
        }
    }
}

fn tool_set(root: &Path, id: &str, owner: String) -> ToolSet {
    ToolSet::new(root.join(id).join("tools"), Owner::Skill(owner))
}

fn parse(scan: &FolderScan, id: &str) -> Result<Parsed, String> {
    if let Some(Err(why)) = &scan.sealed {
        return Err(why.clone());
    }
    read_files([&scan.skill_md, &scan.manifest, &scan.config, &scan.instructions].map(Option::as_ref), id)
        .map_err(|finding| match &*finding.file {
            // Findings of SKILL.md name their file themselves.
            "SKILL.md" => finding.message,
            _ => finding.to_string(),
        })
}

/// Parses `SKILL.md`, `manifest.yaml`, `config.yaml` and `instructions.md` of a folder of that name.
pub(super) fn read_files(files: [Option<&FileText>; 4], id: &str) -> Result<Parsed, Finding> {
    let [skill_md, manifest, config, instructions] = files;
    let text = |file: &str, scan: Option<&FileText>| match scan {
        None => Ok(None),
        Some(FileText::Text(text)) => Ok(Some(text.clone())),
        Some(FileText::Refused(why)) => Err(Finding::error(file, None, format!("{why}."))),
    };
    let manifest_text = text(MANIFEST, manifest)?.unwrap_or_default();
    let (skill_md, mut findings) = match (text("SKILL.md", skill_md)?, text("instructions.md", instructions)?)
    {
        (Some(text), _) => SkillMd::read(&text, Some(id))
            .map_err(|error| Finding::error("SKILL.md", error.line(), error.to_string()))?,
        (None, Some(instructions)) if !manifest_text.is_empty() => {
            let skill_md = manifest_file::without_skill_md(&manifest_text, &instructions, id)?;
            (skill_md, Vec::new())
        }
        (None, _) => {
            let message = "The folder has no SKILL.md. Write one, or remove the folder.";
            return Err(Finding::error("SKILL.md", None, message));
        }
    };
    let (manifest, more) = manifest_file::manifest(&manifest_text)?;
    findings.extend(more);
    let defaults = text(CONFIG, config)?.unwrap_or_default();
    let defaults = manifest_file::defaults(&defaults, manifest.config.as_ref())?;
    Ok(Parsed { skill_md, manifest, defaults, findings })
}
