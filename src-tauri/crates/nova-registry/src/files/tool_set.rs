//! The tool files of one folder, and the version of each in force. A state machine without I/O: scans, loaded
//! tools and times are passed in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use nova_skill::{Tool, VaultAccess};

use super::read::{FileText, MAX_FILES, ToolSources};
use super::{LastGood, LastGoodTool};
use crate::{LoadedTool, State, ToolFile, ToolFileError, canonical};

/// How long a new content may be broken, or a file missing, before that is reported: editors truncate a file
/// before they fill it, or move it away before they put the new one in place.
pub(super) const GRACE: Duration = Duration::from_millis(150);

pub(super) struct ToolSet {
    folder: PathBuf,
    owner: Owner,
    /// The access to notes that its skill's manifest grants to its files.
    vault: Option<VaultAccess>,
    files: BTreeMap<String, FileState>,
    /// Whether the folder was checked in this run.
    was_scanned: bool,
    /// Number of files beyond the limit.
    left_out: usize,
    /// Pending updates of the persisted versions, by file name; `None` removes one.
    to_keep: BTreeMap<String, Option<LastGoodTool>>,
}

/// The owner of these files; see [`ToolFile::owner`].
pub(super) enum Owner {
    /// Each file is its own owner.
    EachFile,
    Skill(String),
}

struct FileState {
    newest: Content,
    loaded: Loading,
    /// The time from which a problem of the newest content is reported.
    report_from: Instant,
    in_force: Option<Version>,
    /// The scan that added the file, if its first version has been in force since: files added by the same
    /// scan have an equal claim to its name.
    added_in_scan: Option<Instant>,
    /// The version in force in an earlier run. Its name stays reserved for the file.
    held: Option<LastGoodTool>,
}

enum Content {
    Text(Arc<str>),
    Refused(String),
    Gone,
}

/// The line of a file that contains its tool's name as a literal.
fn line_of_name(source: &str, id: &str) -> Option<usize> {
    let names = |line: &str| {
        let quoted = ['\'', '"', '`'].into_iter().any(|quote| line.contains(&format!("{quote}{id}{quote}")));
        quoted && line.contains("name")
    };
    source.lines().position(names).map(|at| at + 1)
}

/// The loading state of the newest content.
enum Loading {
    Unknown,
    /// A tool; in force unless its name belongs to another file.
    Tool(Arc<dyn Tool>),
    Failed(String),
}

#[derive(Clone)]
struct Version {
    tool: Arc<dyn Tool>,
    source: Arc<str>,
}

impl ToolSet {
    pub(super) fn new(folder: PathBuf, owner: Owner) -> Self {
        Self {
            folder,
            owner,
            vault: None,
            files: BTreeMap::new(),
            was_scanned: false,
            left_out: 0,
            to_keep: BTreeMap::new(),
        }
    }

    /// Sets the access granted by the skill's manifest. Files loaded under another access are loaded again.
    pub(super) fn allow(&mut self, vault: Option<VaultAccess>) {
        if self.vault != vault {
            self.vault = vault;
            self.files.clear();
        }
    }

    pub(super) fn vault(&self) -> Option<VaultAccess> {
        self.vault
    }

    /// Updates the files from a scan; returns the files to load. Without `patience`, problems are reported
    /// immediately.
    pub(super) fn observe(
        &mut self,
        sources: ToolSources,
        last_good: &dyn LastGood,
        now: Instant,
        patience: bool,
    ) -> Vec<ToolFile> {
        let ToolSources { files: sources, left_out } = sources;
        self.left_out = left_out;
        let report_from = if patience { now + GRACE } else { now };
        if !std::mem::replace(&mut self.was_scanned, true) {
            // Deleted between runs: it has no claim to a name, and no version to fall back to.
            last_good.remove_others(&folder_key(&self.owner), &|name| sources.contains_key(name));
        }
        for (name, file) in &mut self.files {
            if !sources.contains_key(name) && !matches!(file.newest, Content::Gone) {
                (file.newest, file.loaded, file.report_from) = (Content::Gone, Loading::Unknown, report_from);
            }
        }
        let mut wanted = Vec::new();
        for (name, text) in sources {
            let file = self.files.entry(name.clone()).or_insert_with(|| FileState {
                newest: Content::Gone,
                loaded: Loading::Unknown,
                report_from,
                in_force: None,
                added_in_scan: None,
                held: last_good.get(&key(&self.owner, &name)),
            });
            match text {
                FileText::Text(source) => {
                    if matches!(&file.newest, Content::Text(same) if *same == source) {
                        continue;
                    }
                    file.newest = Content::Text(source.clone());
                    file.loaded = match &file.in_force {
                        Some(version) if version.source == source => Loading::Tool(version.tool.clone()),
                        _ => {
                            wanted.push(tool_file(&self.owner, &self.folder, self.vault, &name, source));
                            Loading::Unknown
                        }
                    };
                }
                FileText::Refused(why) => {
                    if matches!(&file.newest, Content::Refused(same) if *same == why) {
                        continue;
                    }
                    file.loaded = Loading::Failed(format!("{name}: {why}."));
                    file.newest = Content::Refused(why);
                    wanted.extend(file.held_version(&self.owner, &self.folder, self.vault, &name));
                }
            }
            file.report_from = report_from;
        }
        self.admit();
        wanted
    }

    /// Takes the loaded tool of a content; returns the files to load next. Results that are no longer needed
    /// are ignored.
    pub(super) fn loaded(
        &mut self,
        name: &str,
        source: &Arc<str>,
        result: Result<Arc<dyn Tool>, ToolFileError>,
    ) -> Option<ToolFile> {
        let taken = result.as_ref().is_ok_and(|tool| {
            let id = canonical(&tool.spec().id);
            self.file_of(&id).is_some_and(|file| file != name)
        });
        let file = self.files.get_mut(name)?;
        let mut next = None;
        if matches!(&file.newest, Content::Text(newest) if newest == source) {
            match result {
                Ok(tool) => {
                    let (id, added_in_scan) = (tool.spec().id.clone(), file.report_from);
                    file.loaded = Loading::Tool(tool);
                    self.revert(name, &id, added_in_scan);
                }
                Err(error) => {
                    next = file.held_version(&self.owner, &self.folder, self.vault, name);
                    file.loaded = Loading::Failed(error.to_string());
                }
            }
        } else if file.held.as_ref().is_some_and(|held| held.source == *source) {
            match result {
                Ok(tool) if file.in_force.is_none() && !taken => {
                    file.in_force = Some(Version { tool, source: source.clone() });
                }
                _ => file.held = None,
            }
        }
        self.admit();
        if next.is_none()
            && let Some(file) = self.files.get(name)
            && matches!(&file.newest, Content::Text(newest) if newest == source)
            && file.held.as_ref().is_some_and(|held| held.source != *source)
        {
            // Its name belongs to another file, so the version of an earlier run stays in force.
            next = file.held_version(&self.owner, &self.folder, self.vault, name);
        }
        next
    }

    /// Drops files that have been missing for longer than the grace period.
    pub(super) fn settle(&mut self, now: Instant) {
        let gone: Vec<String> = self
            .files
            .iter()
            .filter(|(_, file)| matches!(file.newest, Content::Gone) && file.report_from <= now)
            .map(|(name, _)| name.clone())
            .collect();
        for name in gone {
            self.drop_file(&name);
        }
        self.admit();
    }

    /// The tools to publish at that time, by file name.
    pub(super) fn tools(&self, now: Instant) -> Vec<LoadedTool> {
        let ready: Vec<String> = self.files.values().filter_map(FileState::name).map(canonical).collect();
        let shown = self.files.iter().filter_map(|(name, file)| {
            let problem = if file.report_from <= now { self.problem(name, file) } else { None };
            match (&file.in_force, problem) {
                (Some(version), None) => Some(LoadedTool::Ready {
                    tool: version.tool.clone(),
                    note: name_mismatch_note(name, &version.tool.spec().id),
                }),
                (Some(version), Some((State::Broken, reason))) => Some(LoadedTool::Ready {
                    tool: version.tool.clone(),
                    note: Some(format!("{reason} The last good version stays in use.")),
                }),
                (Some(version), Some(_)) => Some(LoadedTool::from(version.tool.clone())),
                (None, Some((state, reason))) => {
                    let id = stem(name);
                    let id = if ready.contains(&canonical(id)) { name } else { id };
                    Some(LoadedTool::NotReady { id: id.to_owned(), state, reason })
                }
                (None, None) => None,
            }
        });
        shown.collect()
    }

    /// A note for the skill if its folder has more files than are read.
    pub(super) fn note(&self) -> Option<String> {
        (self.left_out > 0).then(|| {
            let all = MAX_FILES + self.left_out;
            format!(
                "Of the {all} files in its folder only the first {MAX_FILES} are read. Move some elsewhere."
            )
        })
    }

    /// The file whose version in force has that tool id.
    pub(super) fn file_of(&self, id: &str) -> Option<&str> {
        let wanted = canonical(id);
        let named = |file: &FileState| {
            file.in_force.as_ref().is_some_and(|version| canonical(&version.tool.spec().id) == wanted)
        };
        self.files.iter().find(|(_, file)| named(file)).map(|(name, _)| name.as_str())
    }

    /// The next time at which a deferred problem must be reported.
    pub(super) fn next_change(&self, now: Instant) -> Option<Instant> {
        self.files.values().map(|file| file.report_from).filter(|at| *at > now).min()
    }

    /// Takes the pending updates of the persisted versions, by key.
    pub(super) fn take_changed(&mut self) -> Vec<(String, Option<LastGoodTool>)> {
        let taken = std::mem::take(&mut self.to_keep);
        taken.into_iter().map(|(name, kept)| (key(&self.owner, &name), kept)).collect()
    }

    /// Drops all files, as if their folder was deleted.
    pub(super) fn clear(&mut self) {
        let names: Vec<String> = self.files.keys().cloned().collect();
        for name in names {
            self.drop_file(&name);
        }
    }

    /// Puts every newest content in force whose name is free or belongs to its file. A name claimed by two
    /// new files at once is given to neither.
    fn admit(&mut self) {
        loop {
            let admitted = self.files.iter().find_map(|(name, file)| {
                let new = file.candidate()?;
                match self.rival(name, &new.tool.spec().id) {
                    None | Some(Rival::Gone(_)) => Some((name.clone(), new)),
                    Some(Rival::Has(_) | Rival::Wants(_)) => None,
                }
            });
            let Some((name, version)) = admitted else { return };
            if let Some(Rival::Gone(gone)) = self.rival(&name, &version.tool.spec().id) {
                self.drop_file(&gone);
            }
            let good = LastGoodTool { name: version.tool.spec().id.clone(), source: version.source.clone() };
            if let Some(file) = self.files.get_mut(&name) {
                let is_first = file.in_force.is_none() && file.held.is_none();
                file.added_in_scan = is_first.then_some(file.report_from);
                if file.held.as_ref() != Some(&good) {
                    self.to_keep.insert(name, Some(good.clone()));
                }
                file.held = Some(good);
                file.in_force = Some(version);
            }
        }
    }

    /// Undoes the admission of a file that was only loaded first among those added by the same scan with the
    /// same tool.
    fn revert(&mut self, name: &str, id: &str, added_in_scan: Instant) {
        let wanted = canonical(id);
        for (other, file) in &mut self.files {
            let has_it = file.name().map(canonical).as_ref() == Some(&wanted);
            if other != name && has_it && file.added_in_scan == Some(added_in_scan) {
                (file.in_force, file.held, file.added_in_scan) = (None, None, None);
                self.to_keep.insert(other.clone(), None);
            }
        }
    }

    /// The other file that prevents this one from having that tool id.
    fn rival(&self, name: &str, id: &str) -> Option<Rival> {
        let id = canonical(id);
        if self.files.get(name).and_then(FileState::name).map(canonical).as_ref() == Some(&id) {
            return None;
        }
        let others = || self.files.iter().filter(|(other, _)| *other != name);
        if let Some((other, file)) =
            others().find(|(_, file)| file.name().map(canonical).as_ref() == Some(&id))
        {
            return Some(match file.newest {
                Content::Gone => Rival::Gone(other.clone()),
                _ => Rival::Has(other.clone()),
            });
        }
        let wants = |other: &str, file: &FileState| match (&file.loaded, file.name()) {
            (Loading::Tool(tool), _) => canonical(&tool.spec().id) == id,
            // The tool of a file that never loaded is unknown, so its own name stays reserved.
            (Loading::Failed(_), None) => canonical(stem(other)) == id,
            _ => false,
        };
        others().find(|(other, file)| wants(other, file)).map(|(other, _)| Rival::Wants(other.clone()))
    }

    /// Why the newest content of a file is not in force.
    fn problem(&self, name: &str, file: &FileState) -> Option<(State, String)> {
        match (&file.newest, &file.loaded) {
            (Content::Gone, _) => None,
            (_, Loading::Unknown) => Some((State::Starting, format!("{name} is being read."))),
            (_, Loading::Failed(why)) => Some((State::Broken, sentence(why))),
            (_, Loading::Tool(tool)) => {
                file.candidate()?;
                let id = &tool.spec().id;
                let why = match self.rival(name, id)? {
                    Rival::Has(other) | Rival::Gone(other) => {
                        format!("the tool {id} is defined in {other} already. Give this one another name.")
                    }
                    Rival::Wants(other) => format!(
                        "the tool {id} is defined in {other} too, so neither is used. Rename or delete one."
                    ),
                };
                let place = match &file.newest {
                    Content::Text(source) => line_of_name(source, id).map(|line| format!(":{line}")),
                    Content::Refused(_) | Content::Gone => None,
                };
                Some((State::Broken, format!("{name}{}: {why}", place.unwrap_or_default())))
            }
        }
    }

    fn drop_file(&mut self, name: &str) {
        if self.files.remove(name).is_some_and(|file| file.held.is_some()) {
            self.to_keep.insert(name.to_owned(), None);
        }
    }
}

/// The file that prevents another from having a name.
enum Rival {
    Has(String),
    Wants(String),
    /// It has the name but was deleted: the other file may be the same one, renamed.
    Gone(String),
}

impl FileState {
    /// The tool id that is reserved for this file while it exists.
    fn name(&self) -> Option<&str> {
        let in_force = self.in_force.as_ref().map(|version| version.tool.spec().id.as_str());
        in_force.or_else(|| self.held.as_ref().map(|held| held.name.as_str()))
    }

    /// The newest content, if it is a tool that is not in force yet.
    fn candidate(&self) -> Option<Version> {
        let (Content::Text(source), Loading::Tool(tool)) = (&self.newest, &self.loaded) else { return None };
        let in_force = self.in_force.as_ref().is_some_and(|version| version.source == *source);
        (!in_force).then(|| Version { tool: tool.clone(), source: source.clone() })
    }

    /// The version of an earlier run, if it must be loaded to be in force again.
    fn held_version(
        &self,
        owner: &Owner,
        folder: &Path,
        vault: Option<VaultAccess>,
        name: &str,
    ) -> Option<ToolFile> {
        let held = self.held.as_ref().filter(|_| self.in_force.is_none())?;
        Some(tool_file(owner, folder, vault, name, held.source.clone()))
    }
}

fn tool_file(
    owner: &Owner,
    folder: &Path,
    vault: Option<VaultAccess>,
    name: &str,
    source: Arc<str>,
) -> ToolFile {
    let owner = match owner {
        Owner::EachFile => format!("dynamic/{name}"),
        Owner::Skill(id) => id.clone(),
    };
    ToolFile { owner, path: folder.join(name), source, vault }
}

/// The key of a file in the persisted versions.
fn key(owner: &Owner, name: &str) -> String {
    format!("{}/{name}", folder_key(owner))
}

fn folder_key(owner: &Owner) -> String {
    match owner {
        Owner::EachFile => "dynamic".into(),
        Owner::Skill(id) => format!("skills/{id}"),
    }
}

fn stem(name: &str) -> &str {
    name.strip_suffix(".ts").unwrap_or(name)
}

/// A note for a tool whose name differs from its file's.
fn name_mismatch_note(file: &str, id: &str) -> Option<String> {
    (canonical(stem(file)) != canonical(id))
        .then(|| format!("{file} defines the tool {id}. Name the file {id}.ts, so that it is found."))
}

fn sentence(text: &str) -> String {
    if text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}

#[cfg(test)]
mod tests;
