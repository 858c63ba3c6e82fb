//! The task that keeps tool files loaded: it scans, loads new files and publishes the result.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use futures::future::{BoxFuture, FutureExt as _};
use futures::stream::{FuturesUnordered, StreamExt as _};
use nova_skill::Tool;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::dynamic::{DYNAMIC, dynamic_skill};
use super::folder_skill::{self, FolderScan, FolderSkill};
use super::foreign::{AgreedSkills, ForeignRoot, NoLastGood};
use super::read::{self, ToolSources};
use super::tool_set::{Owner, ToolSet};
use super::watch::Watch;
use super::{LastGood, Published, Request, Shared, ToolFolders};
use crate::{LoadedTool, Problem, Scan, ToolFile, ToolFileError, ToolHost, canonical};

/// Changes within this interval are handled together.
const QUIET: Duration = Duration::from_millis(20);
/// Upper bound of that delay.
const AT_MOST: Duration = Duration::from_millis(60);
/// Maximum number of foreign skills; each scan reads them completely.
const MAX_FOREIGN: usize = 100;
/// Time limit for loading one file.
const LOAD_LIMIT: Duration = Duration::from_secs(60);

pub(super) struct Worker {
    folders: ToolFolders,
    host: Arc<dyn ToolHost>,
    last_good: Arc<dyn LastGood>,
    agreed: Arc<dyn AgreedSkills>,
    /// Folders of foreign skills.
    foreign: Vec<ForeignRoot>,
    shared: Arc<Shared>,
    asked: mpsc::UnboundedReceiver<Request>,
    files: Files,
    loads: FuturesUnordered<BoxFuture<'static, Loaded>>,
    /// Number of files being loaded per skill, by canonical id.
    loading: BTreeMap<String, usize>,
    /// Notified when nothing is loading, or nothing of that skill.
    waiting: Vec<(Option<String>, oneshot::Sender<()>)>,
    watch: Option<Watch>,
    changed: mpsc::UnboundedSender<PathBuf>,
    changes: mpsc::UnboundedReceiver<PathBuf>,
}

/// The state of all files.
struct Files {
    dynamic: ToolSet,
    skills: BTreeMap<Place, FolderSkill>,
    /// Unchecked items in a folder of skills, and whether skills there are foreign.
    not_read: Vec<(Problem, bool)>,
}

/// The location of a folder skill. If two have one id, the first wins.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    /// 0 for the user's own skills; then foreign ones, in the order of their folders.
    rank: usize,
    root: PathBuf,
    /// The name is not in its standard form: sorted after one that is.
    odd: bool,
    id: String,
}

/// The tool set of a file: that of a folder skill, or the dynamic tools.
type Skill = Option<Place>;

struct Loaded {
    skill: Skill,
    file: ToolFile,
    result: Result<Arc<dyn Tool>, ToolFileError>,
}

/// The content of the disk at one time.
struct Scanned {
    dynamic: ToolSources,
    not_read: Vec<(Problem, bool)>,
    skills: BTreeMap<Place, (FolderScan, ToolSources)>,
}

impl Worker {
    pub(super) fn new(
        folders: ToolFolders,
        host: Arc<dyn ToolHost>,
        last_good: Arc<dyn LastGood>,
        agreed: Arc<dyn AgreedSkills>,
        shared: Arc<Shared>,
        asked: mpsc::UnboundedReceiver<Request>,
    ) -> Self {
        let (changed, changes) = mpsc::unbounded_channel();
        let files = Files {
            dynamic: ToolSet::new(folders.dynamic.clone(), Owner::EachFile),
            skills: BTreeMap::new(),
            not_read: Vec::new(),
        };
        Self {
            folders,
            host,
            last_good,
            agreed,
            foreign: Vec::new(),
            shared,
            asked,
            files,
            loads: FuturesUnordered::new(),
            loading: BTreeMap::new(),
            waiting: Vec::new(),
            watch: None,
            changed,
            changes,
        }
    }

    pub(super) async fn run(mut self, end: CancellationToken) {
        loop {
            let loading = &self.loading;
            let is_loaded = |skill: &Option<String>| {
                skill.as_ref().map_or(loading.is_empty(), |skill| !loading.contains_key(skill))
            };
            for (_, done) in self.waiting.extract_if(.., |(skill, _)| is_loaded(skill)) {
                let _ = done.send(());
            }
            let next_change = self.files.next_change(Instant::now());
            let at = tokio::time::Instant::from_std(next_change.unwrap_or_else(Instant::now));
            tokio::select! {
                () = end.cancelled() => return,
                Some(loaded) = self.loads.next() => self.take(loaded).await,
                Some(path) = self.changes.recv() => {
                    if !self.matters(&path) {
                        continue;
                    }
                    self.coalesce(path).await;
                    self.scan(true).await;
                }
                Some(request) = self.asked.recv() => match request {
                    Request::Refresh(skill, done) => {
                        self.waiting.push((skill, done));
                        self.scan(false).await;
                    }
                    Request::Foreign(roots) => {
                        self.foreign = roots;
                        self.scan(true).await;
                    }
                    Request::Watch => {
                        self.start_watching();
                        self.scan(true).await;
                    }
                },
                () = tokio::time::sleep_until(at), if next_change.is_some() => self.publish().await,
            }
        }
    }

    /// Reads the folders and processes their contents. Without patience, problems are reported immediately.
    pub(super) async fn scan(&mut self, patience: bool) {
        loop {
            let (folders, host) = (self.folders.clone(), self.host.clone());
            let (last_good, mut files) =
                (self.last_good.clone(), std::mem::replace(&mut self.files, Files::none()));
            let (agreed, foreign) = (self.agreed.clone(), self.foreign.clone());
            let looked = tokio::task::spawn_blocking(move || {
                let seen = Scanned::scan(&folders, &foreign);
                let wanted = files.observe(seen, last_good.as_ref(), agreed.as_ref(), patience);
                let wanted = files.take_known(wanted, host.as_ref());
                (files, wanted)
            });
            let (files, wanted) = match looked.await {
                Ok(looked) => looked,
                // The program is exiting.
                Err(error) if error.is_cancelled() => return,
                Err(_) => {
                    tracing::error!("scanning the tool folders panicked; their tools are dropped");
                    self.files.dynamic = ToolSet::new(self.folders.dynamic.clone(), Owner::EachFile);
                    return;
                }
            };
            self.files = files;
            for (skill, file) in wanted {
                self.load(skill, file);
            }
            self.publish().await;
            let folders = self.files.folders(&self.folders, &self.foreign);
            // Changes before a folder was watched are found by another scan.
            if !self.watch.as_mut().is_some_and(|watch| watch.follow(&folders)) {
                return;
            }
        }
    }

    fn start_watching(&mut self) {
        match Watch::new(self.changed.clone()) {
            Ok(watch) => self.watch = Some(watch),
            Err(error) => tracing::warn!(%error, "cannot watch the tool folders"),
        }
    }

    /// Whether a change matters: in a folder that is only watched for the creation of another one, nothing
    /// else does.
    fn matters(&self, path: &Path) -> bool {
        let fixed =
            [&self.folders.config, &self.folders.dynamic, &self.folders.pending, &self.folders.skills];
        let mut awaited = self.foreign.iter().filter_map(ForeignRoot::awaited);
        fixed.contains(&&path.to_owned())
            || !awaited.any(|(above, missing)| path.parent() == Some(above) && path != missing)
    }

    /// Waits for further changes.
    async fn coalesce(&mut self, first: PathBuf) {
        let mut pending = first.starts_with(&self.folders.pending);
        let until = tokio::time::Instant::now() + AT_MOST;
        let quiet = || until.min(tokio::time::Instant::now() + QUIET);
        while let Ok(Some(path)) = tokio::time::timeout_at(quiet(), self.changes.recv()).await {
            pending |= path.starts_with(&self.folders.pending);
        }
        if pending {
            self.shared.pending.send_modify(|count| *count += 1);
        }
    }

    fn load(&mut self, skill: Skill, file: ToolFile) {
        *self.loading.entry(skill_id(&skill)).or_default() += 1;
        let host = self.host.clone();
        self.loads.push(Box::pin(async move {
            // In a separate task: a host that panics fails only one file.
            let asked = file.clone();
            let loading = tokio::spawn(async move { host.load(asked).await });
            let late = || format!("it did not load within {} s", LOAD_LIMIT.as_secs());
            let result = match tokio::time::timeout(LOAD_LIMIT, loading).await {
                Ok(Ok(result)) => result,
                Ok(Err(_)) => Err(failed(&file, "Nova crashed while reading it".into())),
                Err(_) => Err(failed(&file, late())),
            };
            Loaded { skill, file, result }
        }));
    }

    /// Handles a loaded file together with others that are ready, and publishes once.
    async fn take(&mut self, loaded: Loaded) {
        self.take_one(loaded);
        while let Some(Some(more)) = self.loads.next().now_or_never() {
            self.take_one(more);
        }
        self.publish().await;
    }

    fn take_one(&mut self, loaded: Loaded) {
        let id = skill_id(&loaded.skill);
        if let Some((skill, file)) = self.files.loaded(loaded) {
            self.load(skill, file);
        }
        if let Some(count) = self.loading.get_mut(&id) {
            *count -= 1;
            if *count == 0 {
                self.loading.remove(&id);
            }
        }
    }

    async fn publish(&mut self) {
        let now = Instant::now();
        self.files.settle(now);
        let published = self.files.published(now);
        *self.shared.published.write().unwrap_or_else(PoisonError::into_inner) = published;
        self.shared.version.send_modify(|version| *version += 1);
        let to_keep = self.files.take_changed();
        if !to_keep.is_empty() {
            let last_good = self.last_good.clone();
            let kept = tokio::task::spawn_blocking(move || {
                for (file, good) in to_keep {
                    match good {
                        Some(good) => last_good.keep(&file, &good),
                        None => last_good.forget(&file),
                    }
                }
            });
            let _ = kept.await;
        }
    }
}

impl Files {
    /// A placeholder while a blocking thread owns the files.
    fn none() -> Self {
        Self {
            dynamic: ToolSet::new(PathBuf::new(), Owner::EachFile),
            skills: BTreeMap::new(),
            not_read: Vec::new(),
        }
    }

    fn observe(
        &mut self,
        seen: Scanned,
        last_good: &dyn LastGood,
        agreed: &dyn AgreedSkills,
        patience: bool,
    ) -> Vec<(Skill, ToolFile)> {
        let now = Instant::now();
        self.not_read = seen.not_read;
        let wanted = self.dynamic.observe(seen.dynamic, last_good, now, patience);
        let mut wanted: Vec<(Skill, ToolFile)> = wanted.into_iter().map(|file| (None, file)).collect();
        for (place, skill) in &mut self.skills {
            if !seen.skills.contains_key(place) {
                skill.tools.clear();
            }
        }
        // Dropped first, so that persisted versions of a removed folder are deleted.
        self.skills.retain(|place, skill| {
            let stays = seen.skills.contains_key(place);
            if !stays && !place.is_foreign() {
                for (file, _) in skill.tools.take_changed() {
                    last_good.forget(&file);
                }
            }
            stays
        });
        for (place, (scan, tools)) in seen.skills {
            let foreign = place.is_foreign();
            let skill = self
                .skills
                .entry(place.clone())
                .or_insert_with(|| FolderSkill::new(&place.root, &place.id, foreign));
            let agreed = if foreign { agreed.fingerprint(&place.id) } else { None };
            if !skill.observe(scan, &tools.files, agreed, now, patience) {
                continue;
            }
            let new = match foreign {
                true => skill.tools.observe(tools, &NoLastGood, now, patience),
                false => skill.tools.observe(tools, last_good, now, patience),
            };
            wanted.extend(new.into_iter().map(|file| (Some(place.clone()), file)));
        }
        wanted
    }

    /// Handles files that the host already knows; returns those that must be run.
    fn take_known(&mut self, wanted: Vec<(Skill, ToolFile)>, host: &dyn ToolHost) -> Vec<(Skill, ToolFile)> {
        let mut unknown = Vec::new();
        let mut wanted = std::collections::VecDeque::from(wanted);
        while let Some((skill, file)) = wanted.pop_front() {
            match host.known(&file) {
                Some(result) => wanted.extend(self.loaded(Loaded { skill, file, result })),
                None => unknown.push((skill, file)),
            }
        }
        unknown
    }

    fn loaded(&mut self, loaded: Loaded) -> Option<(Skill, ToolFile)> {
        let Loaded { skill, file, result } = loaded;
        let name = file.path.file_name()?.to_str()?;
        let next = match &skill {
            None => self.dynamic.loaded(name, &file.source, result),
            Some(place) => {
                let skill = self.skills.get_mut(place)?;
                if file.vault != skill.tools.vault() {
                    // The manifest has changed meanwhile, and the file is being loaded again.
                    return None;
                }
                let result = result.map(|tool| skill.tool(tool));
                skill.tools.loaded(name, &file.source, result)
            }
        };
        next.map(|next| (skill, next))
    }

    fn settle(&mut self, now: Instant) {
        self.sets().for_each(|tools| tools.settle(now));
    }

    fn take_changed(&mut self) -> Vec<(String, Option<super::LastGoodTool>)> {
        let mut to_keep = self.dynamic.take_changed();
        for (place, skill) in &mut self.skills {
            let of_skill = skill.tools.take_changed();
            if !place.is_foreign() {
                to_keep.extend(of_skill);
            }
        }
        to_keep
    }

    fn sets(&mut self) -> impl Iterator<Item = &mut ToolSet> {
        std::iter::once(&mut self.dynamic).chain(self.skills.values_mut().map(|skill| &mut skill.tools))
    }

    fn next_change(&self, now: Instant) -> Option<Instant> {
        let skills = self.skills.values().filter_map(|skill| skill.next_change(now));
        skills.chain(self.dynamic.next_change(now)).min()
    }

    fn published(&self, now: Instant) -> Published {
        let tools = self.dynamic.tools(now);
        let dynamic_files = tools
            .iter()
            .filter_map(|tool| match tool {
                LoadedTool::Ready { tool, .. } => {
                    let id = &tool.spec().id;
                    Some((canonical(id), self.dynamic.file_of(id)?.to_owned()))
                }
                LoadedTool::NotReady { .. } => None,
            })
            .collect();
        let mut dynamic = Scan::default();
        if !tools.is_empty() {
            dynamic.skills.push(dynamic_skill(tools, self.dynamic.note()));
        }
        let (mut folders, mut foreign) = (Scan::default(), Scan::default());
        for (place, skill) in &self.skills {
            let scan = if place.is_foreign() { &mut foreign } else { &mut folders };
            match skill.loaded(now) {
                Some(Ok(skill)) if canonical(&skill.id) == DYNAMIC => scan.problems.push(Problem {
                    id: skill.id,
                    reason: "The id dynamic belongs to the single tools. Rename the folder.".into(),
                }),
                Some(Ok(skill)) => scan.skills.push(skill),
                Some(Err(problem)) => scan.problems.push(problem),
                None => {}
            }
        }
        for (problem, is_foreign) in &self.not_read {
            let scan = if *is_foreign { &mut foreign } else { &mut folders };
            scan.problems.push(problem.clone());
        }
        let to_review = self.skills.values().filter_map(FolderSkill::to_review).collect();
        Published { dynamic, folders, foreign, to_review, dynamic_files }
    }

    /// The folders to watch, including parents, where the replacement of a folder is detected.
    fn folders(&self, folders: &ToolFolders, foreign: &[ForeignRoot]) -> BTreeSet<PathBuf> {
        let parents = [&folders.dynamic, &folders.pending, &folders.skills].map(|folder| folder.parent());
        let fixed = [&folders.config, &folders.dynamic, &folders.pending, &folders.skills];
        let skills = self.skills.values().flat_map(FolderSkill::folders);
        // Folders above that of foreign skills contain many unrelated files.
        let foreign = foreign.iter().flat_map(ForeignRoot::watched);
        parents
            .into_iter()
            .flatten()
            .map(ToOwned::to_owned)
            .chain(fixed.into_iter().cloned())
            .chain(skills)
            .chain(foreign.map(Path::to_owned))
            .collect()
    }
}

fn skill_id(skill: &Skill) -> String {
    skill.as_ref().map_or_else(|| DYNAMIC.to_owned(), |place| canonical(&place.id))
}

impl Scanned {
    fn scan(folders: &ToolFolders, foreign: &[ForeignRoot]) -> Self {
        let foreign = foreign.iter().zip(1..).filter(|(root, _)| root.may_be_read());
        let foreign = foreign.map(|(root, rank)| (rank, &root.folder));
        let roots: Vec<(usize, &PathBuf)> = std::iter::once((0, &folders.skills)).chain(foreign).collect();
        let places = roots.iter().flat_map(|&(rank, root)| {
            let place =
                move |id: String| Place { rank, root: root.clone(), odd: !crate::is_skill_name(&id), id };
            let most = if rank > 0 { MAX_FOREIGN } else { usize::MAX };
            read::folders(root)
                .0
                .into_iter()
                .map(place)
                .enumerate()
                .map(move |(at, place)| (place, at < most))
        });
        let skills = places.map(|(place, is_read)| {
            let scan = if is_read {
                folder_skill::scan(&place.root, &place.id, place.is_foreign())
            } else {
                let folder = place.root.display();
                let why = format!("Only the first {MAX_FOREIGN} skills of {folder} are read. Remove some.");
                (FolderScan { sealed: Some(Err(why)), ..FolderScan::default() }, Default::default())
            };
            (place, scan)
        });
        let not_read = roots.iter().flat_map(|&(rank, root)| {
            let problems = links_out(root).chain(left_out(root)).collect::<Vec<_>>();
            problems.into_iter().map(move |problem| (problem, rank > 0))
        });
        Self {
            not_read: not_read.collect(),
            skills: skills.collect(),
            dynamic: read::tool_files(&folders.dynamic),
        }
    }
}

fn links_out(root: &Path) -> impl Iterator<Item = Problem> {
    let reason =
        "It is a link out of the folder of skills, and is not followed. Put the folder itself there.";
    read::links_out(root).into_iter().map(|id| Problem { id, reason: reason.into() })
}

/// A single problem for all of them, since there may be many.
fn left_out(root: &Path) -> Option<Problem> {
    let left_out = read::folders(root).1;
    let id = left_out.first()?.clone();
    let others = match left_out.len() - 1 {
        0 => "It is".to_owned(),
        more => format!("It and {more} more are"),
    };
    let (most, folder) = (read::MAX_FILES, root.display());
    let reason = format!("{others} not read: only the first {most} folders of {folder} are. Remove some.");
    Some(Problem { id, reason })
}

impl Place {
    fn is_foreign(&self) -> bool {
        self.rank > 0
    }
}

fn failed(file: &ToolFile, message: String) -> ToolFileError {
    let name = file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    ToolFileError { file: name, line: None, column: None, message }
}

#[cfg(test)]
mod tests;
