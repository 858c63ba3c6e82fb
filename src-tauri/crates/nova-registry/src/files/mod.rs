//! Skills and tools in the user's files: read, loaded through a [`ToolHost`], and reloaded when they change.
//! A broken file leaves its last good version in force.

mod check;
mod dynamic;
mod folder_skill;
mod foreign;
mod listing;
mod read;
mod sealed;
mod tool_set;
mod watch;
mod worker;

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use futures::stream::{BoxStream, StreamExt as _, unfold};
use tokio::sync::{mpsc, oneshot, watch as signal};
use tokio_util::sync::{CancellationToken, DropGuard};

pub use self::check::{CheckedSkill, check_skill};
pub use self::foreign::{AgreedSkills, ForeignFile, ForeignRoot, ForeignSkill};
pub(crate) use self::read::open;
pub use self::read::{MAX_TOOL_FILE, tool_sources};
use self::worker::Worker;
use crate::{Scan, Source, SourceKind, ToolHost, canonical};

/// Keeps tool files loaded until it is dropped.
pub struct ToolFiles {
    shared: Arc<Shared>,
    requests: mpsc::UnboundedSender<Request>,
    _ends_the_work: DropGuard,
}

/// The folders to scan. None of them needs to exist.
#[derive(Debug, Clone)]
pub struct ToolFolders {
    /// The parent of the others; watched to detect that they are created or replaced.
    pub config: PathBuf,
    /// Each `*.ts` is a tool of the skill `dynamic`.
    pub dynamic: PathBuf,
    /// Tools waiting for approval; only watched.
    pub pending: PathBuf,
    /// Each folder is a skill.
    pub skills: PathBuf,
}

/// Persists the last good version of each file across runs. Blocking.
pub trait LastGood: Send + Sync {
    fn get(&self, file: &str) -> Option<LastGoodTool>;
    fn keep(&self, file: &str, good: &LastGoodTool);
    fn forget(&self, file: &str);
    /// Removes entries of a folder, `dynamic` or `skills/<id>`, whose files no longer exist.
    fn remove_others(&self, folder: &str, there: &dyn Fn(&str) -> bool);
}

/// A version of a file that was in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastGoodTool {
    /// The id of the tool it defines, which stays reserved for the file.
    pub name: String,
    pub source: Arc<str>,
}

struct Shared {
    published: RwLock<Published>,
    /// Incremented on each publication.
    version: signal::Sender<u64>,
    /// Incremented when pending files change.
    pending: signal::Sender<u64>,
}

#[derive(Default)]
struct Published {
    dynamic: Scan,
    folders: Scan,
    foreign: Scan,
    to_review: Vec<ForeignSkill>,
    /// Canonical tool id and file name of the callable dynamic tools.
    dynamic_files: Vec<(String, String)>,
}

enum Request {
    /// Scan again, report problems immediately, and reply when everything is loaded, or all files of the
    /// skill with that canonical id.
    Refresh(Option<String>, oneshot::Sender<()>),
    /// Scan these folders for foreign skills, replacing the earlier list.
    Foreign(Vec<ForeignRoot>),
    Watch,
}

impl ToolFiles {
    /// Scans the folders. Files that the host already knows are loaded on return; the others follow.
    pub async fn start(
        folders: ToolFolders,
        host: Arc<dyn ToolHost>,
        last_good: Arc<dyn LastGood>,
        agreed: Arc<dyn AgreedSkills>,
    ) -> Self {
        let shared = Arc::new(Shared {
            published: RwLock::default(),
            version: signal::Sender::new(0),
            pending: signal::Sender::new(0),
        });
        let (requests, asked) = mpsc::unbounded_channel();
        let end = CancellationToken::new();
        let mut worker = Worker::new(folders, host, last_good, agreed, shared.clone(), asked);
        worker.scan(false).await;
        tokio::spawn(worker.run(end.clone()));
        Self { shared, requests, _ends_the_work: end.drop_guard() }
    }

    /// Scans again and waits until everything has loaded or failed.
    pub async fn refresh(&self) {
        self.rescan(None).await;
    }

    /// Scans again and waits for the files of one skill; the others follow.
    pub async fn refresh_skill(&self, id: &str) {
        self.rescan(Some(canonical(id))).await;
    }

    async fn rescan(&self, skill: Option<String>) {
        let (done, when_done) = oneshot::channel();
        if self.requests.send(Request::Refresh(skill, done)).is_ok() {
            let _ = when_done.await;
        }
    }

    /// Scans these folders for foreign skills, in this order, replacing the earlier list.
    pub fn scan_foreign(&self, roots: Vec<ForeignRoot>) {
        let _ = self.requests.send(Request::Foreign(roots));
    }

    /// The current content of a foreign skill, for review.
    pub fn to_review(&self, id: &str) -> Option<ForeignSkill> {
        let wanted = canonical(id);
        let published = self.shared.published.read().unwrap_or_else(PoisonError::into_inner);
        published.to_review.iter().find(|skill| canonical(&skill.id) == wanted).cloned()
    }

    /// Starts watching for changes.
    pub fn watch(&self) {
        let _ = self.requests.send(Request::Watch);
    }

    /// The file of the dynamic tool with that id.
    pub fn dynamic_file_of(&self, id: &str) -> Option<String> {
        let wanted = canonical(id);
        let published = self.shared.published.read().unwrap_or_else(PoisonError::into_inner);
        published.dynamic_files.iter().find(|(id, _)| *id == wanted).map(|(_, file)| file.clone())
    }

    /// Emits an item whenever a pending file may have changed.
    pub fn pending_changes(&self) -> BoxStream<'static, ()> {
        ticks(&self.shared.pending)
    }

    /// The sources for [`crate::Registry::new`]: the user's folder skills, foreign skills, then dynamic
    /// tools.
    pub fn sources(self: &Arc<Self>) -> [Box<dyn Source>; 3] {
        [Which::Folders, Which::Foreign, Which::Dynamic]
            .map(|which| Box::new(FileSource { which, files: self.clone() }) as Box<dyn Source>)
    }
}

#[derive(Clone, Copy)]
enum Which {
    Folders,
    Foreign,
    Dynamic,
}

struct FileSource {
    which: Which,
    files: Arc<ToolFiles>,
}

impl Source for FileSource {
    fn kind(&self) -> SourceKind {
        match self.which {
            Which::Folders | Which::Foreign => SourceKind::Folder,
            Which::Dynamic => SourceKind::Dynamic,
        }
    }

    fn scan(&self) -> Scan {
        let published = self.files.shared.published.read().unwrap_or_else(PoisonError::into_inner);
        match self.which {
            Which::Folders => published.folders.clone(),
            Which::Foreign => published.foreign.clone(),
            Which::Dynamic => published.dynamic.clone(),
        }
    }

    fn changes(&self) -> BoxStream<'static, ()> {
        ticks(&self.files.shared.version)
    }
}

/// Emits an item per change of the counter; concurrent changes are coalesced. Ends when the counter is
/// dropped.
fn ticks(counter: &signal::Sender<u64>) -> BoxStream<'static, ()> {
    unfold(counter.subscribe(), async |mut counter| {
        counter.changed().await.ok()?;
        Some(((), counter))
    })
    .boxed()
}
