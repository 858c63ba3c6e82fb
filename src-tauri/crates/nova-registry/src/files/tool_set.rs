//! The tool files of one folder, and which version of each is in force. Plain state: it is told what
//! was seen and what was loaded, and when; it reads and runs nothing itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use nova_skill::{Tool, VaultAccess};

use super::read::{FileText, MAX_FILES, ToolSources};
use super::{LastGood, LastGoodTool};
use crate::{LoadedTool, State, ToolFile, ToolFileError, canonical};

/// How long a new content may look wrong, or a file be missing, before that is reported: editors empty a
/// file before they fill it, and move it away before they put the new one there.
pub(super) const GRACE: Duration = Duration::from_millis(150);

pub(super) struct ToolSet {
    folder: PathBuf,
    owner: Owner,
    /// What its skill's manifest lets its files do with notes.
    vault: Option<VaultAccess>,
    files: BTreeMap<String, FileState>,
    /// Whether the folder was checked in this run.
    looked: bool,
    /// How many files of the folder are not among `files`, being too many.
    left_out: usize,
    /// What is to be remembered beyond this run, by file name; None forgets.
    to_keep: BTreeMap<String, Option<LastGoodTool>>,
}

/// Whose files these are; see [`ToolFile::owner`].
pub(super) enum Owner {
    /// Each file is its own.
    EachFile,
    Skill(String),
}

struct FileState {
    newest: Content,
    loaded: Loading,
    /// From when on it is reported that the newest content is not in force, and why.
    told_from: Instant,
    in_force: Option<Version>,
    /// The look that brought the file, where its first version is in force since then: who came
    /// with it has as good a claim to its name.
    came_with: Option<Instant>,
    /// What was in force in an earlier run. Its name stays the file's.
    held: Option<LastGoodTool>,
}

enum Content {
    Text(Arc<str>),
    Refused(String),
    Gone,
}

/// The line on which a file names its tool, where that is the text of the name.
fn line_of_name(source: &str, id: &str) -> Option<usize> {
    let names = |line: &str| {
        let quoted = ['\'', '"', '`'].into_iter().any(|quote| line.contains(&format!("{quote}{id}{quote}")));
        quoted && line.contains("name")
    };
    source.lines().position(names).map(|at| at + 1)
}

/// What is known of the newest content.
enum Loading {
    Unknown,
    /// A tool; in force unless its name is another file's.
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
            looked: false,
            left_out: 0,
            to_keep: BTreeMap::new(),
        }
    }

    /// What its skill's manifest says now. What was loaded by another word is loaded anew.
    pub(super) fn allow(&mut self, vault: Option<VaultAccess>) {
        if self.vault != vault {
            self.vault = vault;
            self.files.clear();
        }
    }

    pub(super) fn vault(&self) -> Option<VaultAccess> {
        self.vault
    }

    /// Takes in what the folder holds now; answers with what has to be loaded for it. Without
    /// `patience` faults are reported at once.
    pub(super) fn observe(
        &mut self,
        sources: ToolSources,
        last_good: &dyn LastGood,
        now: Instant,
        patience: bool,
    ) -> Vec<ToolFile> {
        let ToolSources { files: sources, left_out } = sources;
        self.left_out = left_out;
        let told_from = if patience { now + GRACE } else { now };
        if !std::mem::replace(&mut self.looked, true) {
            // Deleted while nobody looked: it has no claim to a name, nor a version to come back to.
            last_good.forget_others(&folder_key(&self.owner), &|name| sources.contains_key(name));
        }
        for (name, file) in &mut self.files {
            if !sources.contains_key(name) && !matches!(file.newest, Content::Gone) {
                (file.newest, file.loaded, file.told_from) = (Content::Gone, Loading::Unknown, told_from);
            }
        }
        let mut wanted = Vec::new();
        for (name, text) in sources {
            let file = self.files.entry(name.clone()).or_insert_with(|| FileState {
                newest: Content::Gone,
                loaded: Loading::Unknown,
                told_from,
                in_force: None,
                came_with: None,
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
            file.told_from = told_from;
        }
        self.admit();
        wanted
    }

    /// Takes in what a content defines; answers with what has to be loaded next. What is not asked
    /// for any more is passed over.
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
                    let (id, came_with) = (tool.spec().id.clone(), file.told_from);
                    file.loaded = Loading::Tool(tool);
                    self.revert(name, &id, came_with);
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
            // Its name is another file's: what it was before an earlier run stays in force.
            next = file.held_version(&self.owner, &self.folder, self.vault, name);
        }
        next
    }

    /// Lets go of files that have been missing long enough.
    pub(super) fn settle(&mut self, now: Instant) {
        let gone: Vec<String> = self
            .files
            .iter()
            .filter(|(_, file)| matches!(file.newest, Content::Gone) && file.told_from <= now)
            .map(|(name, _)| name.clone())
            .collect();
        for name in gone {
            self.drop_file(&name);
        }
        self.admit();
    }

    /// The tools as they are to be shown at that moment, by file name.
    pub(super) fn tools(&self, now: Instant) -> Vec<LoadedTool> {
        let ready: Vec<String> = self.files.values().filter_map(FileState::name).map(canonical).collect();
        let shown = self.files.iter().filter_map(|(name, file)| {
            let problem = if file.told_from <= now { self.problem(name, file) } else { None };
            match (&file.in_force, problem) {
                (Some(version), None) => Some(LoadedTool::Ready {
                    tool: version.tool.clone(),
                    note: unlike(name, &version.tool.spec().id),
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

    /// What to say of the skill where its folder has more files than are read.
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

    /// When something that is not told yet may have to be.
    pub(super) fn next_change(&self, now: Instant) -> Option<Instant> {
        self.files.values().map(|file| file.told_from).filter(|at| *at > now).min()
    }

    /// What is to be written down of the last good versions, by key.
    pub(super) fn take_changed(&mut self) -> Vec<(String, Option<LastGoodTool>)> {
        let taken = std::mem::take(&mut self.to_keep);
        taken.into_iter().map(|(name, kept)| (key(&self.owner, &name), kept)).collect()
    }

    /// Forgets all files, as after their folder has gone.
    pub(super) fn clear(&mut self) {
        let names: Vec<String> = self.files.keys().cloned().collect();
        for name in names {
            self.drop_file(&name);
        }
    }

    /// Puts every newest content in force whose name is free or its file's own. A name that two
    /// files want at once is given to neither.
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
                file.came_with = is_first.then_some(file.told_from);
                if file.held.as_ref() != Some(&good) {
                    self.to_keep.insert(name, Some(good.clone()));
                }
                file.held = Some(good);
                file.in_force = Some(version);
            }
        }
    }

    /// Of two new files that came together and define one tool, the one that was loaded first is
    /// not in force by that luck.
    fn revert(&mut self, name: &str, id: &str, came_with: Instant) {
        let wanted = canonical(id);
        for (other, file) in &mut self.files {
            let has_it = file.name().map(canonical).as_ref() == Some(&wanted);
            if other != name && has_it && file.came_with == Some(came_with) {
                (file.in_force, file.held, file.came_with) = (None, None, None);
                self.to_keep.insert(other.clone(), None);
            }
        }
    }

    /// The other file that stands against this one having that tool id.
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
            // What a file that never worked defines is unknown; its own name is not given away.
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

/// Who stands against a file having a name.
enum Rival {
    Has(String),
    Wants(String),
    /// It has the name and is no more there: perhaps this file is that one, renamed.
    Gone(String),
}

impl FileState {
    /// The tool id that is this file's as long as it is there.
    fn name(&self) -> Option<&str> {
        let in_force = self.in_force.as_ref().map(|version| version.tool.spec().id.as_str());
        in_force.or_else(|| self.held.as_ref().map(|held| held.name.as_str()))
    }

    /// The newest content, where it is a tool and not in force yet.
    fn candidate(&self) -> Option<Version> {
        let (Content::Text(source), Loading::Tool(tool)) = (&self.newest, &self.loaded) else { return None };
        let in_force = self.in_force.as_ref().is_some_and(|version| version.source == *source);
        (!in_force).then(|| Version { tool: tool.clone(), source: source.clone() })
    }

    /// What was in force in an earlier run and has to be loaded to be so again.
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

/// By what a file is known beyond this run.
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

/// What to say of a tool that is not called as its file.
fn unlike(file: &str, id: &str) -> Option<String> {
    (canonical(stem(file)) != canonical(id))
        .then(|| format!("{file} defines the tool {id}. Name the file {id}.ts, so that it is found."))
}

fn sentence(text: &str) -> String {
    if text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}

#[cfg(test)]
mod tests;
