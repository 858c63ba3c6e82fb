//! Checks a skill folder against the standard and Nova's manifest format.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nova_skill::Manifest;
use serde_json::Value;

use super::folder_skill::{self, FolderScan};
use super::listing::{self, Listing};
use super::read::FileText;
use crate::finding::line_of_key;
use crate::manifest_file::{self, CONFIG, MANIFEST};
use crate::{Finding, SkillMd, ToolFile};

/// The result of checking a skill folder, without running any of its files.
#[derive(Debug)]
pub struct CheckedSkill {
    /// The folder's name.
    pub id: String,
    /// In file order.
    pub findings: Vec<Finding>,
    /// To be loaded by the host, which reports what they define.
    pub tools: Vec<ToolFile>,
    /// Tools that the manifest includes in every request.
    pub always: Vec<String>,
    /// The record types of the manifest, with the line of `records`.
    pub records: Vec<(String, Option<u32>)>,
    /// Declared UI as raw values: `panel` or `glance`, its line, the value.
    pub shown: Vec<(&'static str, Option<u32>, Value)>,
}

/// Scans the folder of a skill, given by its path or that of its SKILL.md. Blocking.
///
/// # Errors
/// If there is no such folder: the problem, then the remedy.
pub fn check_skill(path: &Path) -> Result<CheckedSkill, [String; 2]> {
    let nothing = |path: &Path, why: String| {
        [format!("{} {why}.", path.display()), "Name a skill's folder, which holds its SKILL.md.".to_owned()]
    };
    let whole = path.canonicalize().map_err(|error| nothing(path, format!("cannot be read: {error}")))?;
    let is_skill_md =
        whole.is_file() && whole.file_name().is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"));
    let folder: PathBuf = if is_skill_md { whole.parent().unwrap_or(&whole).to_owned() } else { whole };
    if !folder.is_dir() {
        return Err(nothing(path, "is not a folder".into()));
    }
    let (Some(root), Some(id)) = (folder.parent(), folder.file_name().and_then(|name| name.to_str())) else {
        return Err(nothing(path, "is not a skill folder".into()));
    };
    Ok(check(root, id))
}

fn check(root: &Path, id: &str) -> CheckedSkill {
    let (scan, sources) = folder_skill::scan(root, id, false);
    let mut findings = Vec::new();
    let skill_md = text_of("SKILL.md", &scan.skill_md, &mut findings);
    let instructions = read_skill_md(&scan, skill_md.as_deref(), id, &mut findings);
    let manifest_text = text_of(MANIFEST, &scan.manifest, &mut findings).unwrap_or_default();
    let manifest = match manifest_file::manifest(&manifest_text) {
        Ok((manifest, found)) => {
            findings.extend(found);
            manifest
        }
        Err(finding) => {
            findings.push(finding);
            Manifest::default()
        }
    };
    if let Some(text) = text_of(CONFIG, &scan.config, &mut findings)
        && let Err(finding) = manifest_file::defaults(&text, manifest.config.as_ref())
    {
        findings.push(finding);
    }
    check_files(&scan, &mut findings);
    check_links(&scan.listing, &instructions, skill_md.as_deref().unwrap_or_default(), &mut findings);
    let folder = root.join(id).join("tools");
    let mut tools = Vec::new();
    for (name, scan) in sources.files {
        match scan {
            FileText::Text(source) => tools.push(ToolFile {
                owner: format!("check/{id}"),
                path: folder.join(name),
                source,
                vault: manifest.vault,
            }),
            FileText::Refused(why) => {
                findings.push(Finding::error(&format!("tools/{name}"), None, format!("{why}.")))
            }
        }
    }
    let line = line_of_key(&manifest_text, "records", 0);
    let records = manifest.records.iter().map(|declared| (declared.name().to_owned(), line)).collect();
    let mut shown = Vec::new();
    for (key, value) in [("panel", manifest.panel), ("glance", manifest.glance)] {
        let line = line_of_key(&manifest_text, key, 0);
        shown.extend(value.map(|value| (key, line, value)));
    }
    CheckedSkill { id: id.to_owned(), findings, tools, always: manifest.loading.always, records, shown }
}

fn text_of(file: &'static str, scan: &Option<FileText>, findings: &mut Vec<Finding>) -> Option<Arc<str>> {
    match scan {
        Some(FileText::Text(text)) => Some(text.clone()),
        Some(FileText::Refused(why)) => {
            findings.push(Finding::error(file, None, format!("{why}.")));
            None
        }
        None => None,
    }
}

/// Returns the instructions of a readable SKILL.md, otherwise an empty string.
fn read_skill_md(scan: &FolderScan, text: Option<&str>, id: &str, findings: &mut Vec<Finding>) -> String {
    match text {
        Some(text) => match SkillMd::read(text, Some(id)) {
            Ok((skill, found)) => {
                findings.extend(found);
                return skill.instructions;
            }
            Err(error) => findings.push(Finding::error("SKILL.md", error.line(), error.to_string())),
        },
        None if scan.skill_md.is_some() => {}
        None if scan.instructions.is_some() && scan.manifest.is_some() => {
            findings.push(Finding::warning(
                "SKILL.md",
                None,
                "There is none. Nova reads manifest.yaml and instructions.md in its place; other programs do not. Write \
                 one.",
            ));
            let instructions = text_of("instructions.md", &scan.instructions, findings).unwrap_or_default();
            let manifest = text_of(MANIFEST, &scan.manifest, &mut Vec::new()).unwrap_or_default();
            if let Err(finding) = manifest_file::without_skill_md(&manifest, &instructions, id) {
                findings.push(finding);
            }
        }
        None => findings.push(Finding::error(
            "SKILL.md",
            None,
            "There is none. Write one with name and description in its front matter.",
        )),
    }
    String::new()
}

/// Reports files in the folder that are not read.
fn check_files(scan: &FolderScan, findings: &mut Vec<Finding>) {
    let listing = &scan.listing;
    if scan.has_python {
        findings.push(Finding::warning("tools.py", None, "It is not run: rewrite it as tools/*.ts."));
    }
    for (path, target) in &listing.links {
        if !listing.has(path) {
            let message = format!("It is a link to {target}, which is not read. Put the file itself there.");
            findings.push(Finding::error(path, None, message));
        }
    }
    for path in &listing.others {
        findings.push(Finding::warning(path, None, "It is not a regular file, and is not read. Remove it."));
    }
    if listing.incomplete {
        let message = format!(
            "There are more than {} files, or folders too deep. Not all are listed.",
            listing::MAX_SKILL_FILES
        );
        findings.push(Finding::warning(".", None, message));
    }
}

/// Reports links in the instructions to missing files. `whole` is the text of SKILL.md.
fn check_links(listing: &Listing, instructions: &str, whole: &str, findings: &mut Vec<Finding>) {
    for (target, line) in links(instructions, whole) {
        if !listing.has(&target) && !listing.folders.contains(&target) && !listing.incomplete {
            let message =
                format!("It names {target}, and there is no such file. Write it, or correct the path.");
            findings.push(Finding::warning("SKILL.md", Some(line), message));
        }
    }
}

/// The targets of Markdown links in the instructions, with their line in the whole file.
fn links(instructions: &str, whole: &str) -> Vec<(String, u32)> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    let first = whole.find(instructions.lines().next().unwrap_or_default()).unwrap_or_default();
    let before = whole.get(..first).unwrap_or_default().lines().count();
    let mut code = false;
    for (at, line) in instructions.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            code = !code;
        }
        if code {
            continue;
        }
        for rest in line.split("](").skip(1) {
            let target = rest.split([')', ' ', '#']).next().unwrap_or_default();
            let target = target.strip_prefix("./").unwrap_or(target);
            let is_path = !target.is_empty()
                && !target.contains(':')
                && !target.starts_with(['/', '#', '<'])
                && !target.contains("..");
            if is_path && seen.insert(target.to_owned()) {
                let line = u32::try_from(before + at + 1).unwrap_or(u32::MAX);
                found.push((target.trim_end_matches('/').to_owned(), line));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests;
