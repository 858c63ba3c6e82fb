//! Changes of the vault, attributed to authors by means of the journal.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use tokio::sync::broadcast;

use crate::change::NoteChangeKind;
use crate::core::Core;
use crate::note::{ContentHash, Document, VaultPath, summarize};
use crate::privacy::is_marked_private;
use crate::writing::journal::{Journal, Record, RecordState, SetLog};
use crate::writing::watch::{Kind, Options, RawChange, Watch, WatchState};

/// Maximum number of changes that a receiver may lag behind.
const CAPACITY: usize = 4096;

/// A change of one note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VaultChange {
    /// How it changed.
    pub kind: VaultChangeKind,
    /// The note.
    pub path: VaultPath,
    /// The previous path, if it was renamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<VaultPath>,
    /// The author.
    pub by: By,
    /// The changes, readable: `stage: lead → won`. Empty if the previous text is unknown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub summary: Vec<String>,
    /// The text before or after is marked private or unreadable: the summary and the new name must not
    /// reach a remote model.
    #[serde(skip)]
    pub private: bool,
    /// The note is a sync program's conflicted copy.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub sync_conflict: bool,
    /// The hash of the present bytes; `None` if the note is gone.
    #[serde(skip)]
    pub hash: Option<ContentHash>,
}

/// How a note changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum VaultChangeKind {
    Created,
    Modified,
    Removed,
    Renamed,
}

/// The author of a change. Serialised as `"outside"` or `{change_set, principal, skill}`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum By {
    /// Another program: an editor, a sync client, a script.
    Outside,
    /// Nova, in this or another process, in this change set.
    ChangeSet {
        /// Its id.
        change_set: String,
        /// On whose behalf.
        principal: String,
        /// The skill whose tool did it.
        skill: Option<String>,
    },
}

impl Serialize for By {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            By::Outside => serializer.serialize_str("outside"),
            By::ChangeSet { change_set, principal, skill } => {
                let mut map = serializer.serialize_map(Some(3))?;
                map.serialize_entry("change_set", change_set)?;
                map.serialize_entry("principal", principal)?;
                map.serialize_entry("skill", skill)?;
                map.end()
            }
        }
    }
}

/// A running watcher and its subscribers.
#[derive(Debug)]
pub(crate) struct Feed {
    sender: broadcast::Sender<VaultChange>,
    watch: Result<Watch, String>,
}

impl Feed {
    pub(crate) fn start(core: &Arc<Core>) -> Feed {
        Feed::start_with(core, Options::sharing(Arc::clone(&core.texts)))
    }

    pub(crate) fn start_with(core: &Arc<Core>, options: Options) -> Feed {
        let (sender, _) = broadcast::channel(CAPACITY);
        let mut attribution = Attribution::start(&core.journal);
        let watch = Watch::start_in_batches(
            core.disk.root().to_owned(),
            options.with_roots(core.disk.roots().clone()),
            {
                let sender = sender.clone();
                let core = Arc::clone(core);
                move |changes| {
                    // Once per batch: there may be thousands of changes and sets. A write is in the journal
                    // before it reaches the disk.
                    let sets = core.journal.sets_with_new_records().unwrap_or_default();
                    attribution.learn(&sets);
                    for change in
                        changes.into_iter().filter_map(|raw| attribution.change(&core.journal, &sets, raw))
                    {
                        // Having no receivers is no error.
                        sender.send(change).ok();
                    }
                }
            },
            |state| tracing::debug!(?state, "watch state changed"),
        )
        .map_err(|error| error.to_string());
        if let Err(reason) = &watch {
            tracing::error!(reason, "cannot watch the vault");
        }
        Feed { sender, watch }
    }

    pub(crate) fn subscribe(&self) -> broadcast::Receiver<VaultChange> {
        self.sender.subscribe()
    }

    pub(crate) fn flush(&self) {
        if let Ok(watch) = &self.watch {
            watch.flush();
        }
    }

    pub(crate) fn state(&self) -> WatchState {
        match &self.watch {
            Ok(watch) => watch.state(),
            Err(reason) => WatchState::Failed { reason: reason.to_string() },
        }
    }
}

/// Tracks which journal records have already been matched to a change. A record explains one change; if the
/// same text appears again later, another program wrote it. Records from before the watch began explain
/// nothing.
struct Attribution {
    /// Records that cannot explain further changes.
    spent: HashSet<RecordId>,
    /// States of a path, final or intermediate, that were attributed to a record and reported.
    reported: HashSet<(RecordId, VaultPath, Option<ContentHash>)>,
    /// Number of known records per set.
    known: HashMap<String, usize>,
    /// Records since the watch began, by path. Indexed because a set may have a hundred thousand, each of
    /// which causes a change.
    by_path: HashMap<VaultPath, Vec<RecordId>>,
}

/// A set's id and a record's number.
type RecordId = (String, u64);

impl Attribution {
    fn start(journal: &Journal) -> Attribution {
        let sets = journal.sets().unwrap_or_default();
        let known = sets.iter().map(|set| (set.id.clone(), set.records.len())).collect();
        Attribution { spent: HashSet::new(), reported: HashSet::new(), known, by_path: HashMap::new() }
    }

    fn learn(&mut self, sets: &[Arc<SetLog>]) {
        for set in sets {
            let known = match self.known.get_mut(&set.id) {
                Some(known) => known,
                None => self.known.entry(set.id.clone()).or_default(),
            };
            for record in set.records.get(*known..).unwrap_or_default() {
                for path in [Some(&record.path), record.from.as_ref()].into_iter().flatten() {
                    self.by_path.entry(path.clone()).or_default().push((set.id.clone(), record.n));
                }
            }
            *known = set.records.len();
        }
    }

    /// `sets` is the state of the journal after the change was detected.
    fn change(&mut self, journal: &Journal, sets: &[Arc<SetLog>], raw: RawChange) -> Option<VaultChange> {
        let path = VaultPath::parse(&raw.path).ok()?;
        let hash = raw.hash.and_then(|bytes| ContentHash::from_hex(&hex(&bytes)));
        let (kind, from) = match raw.kind {
            Kind::Created => (VaultChangeKind::Created, None),
            Kind::Modified => (VaultChangeKind::Modified, None),
            Kind::Removed => (VaultChangeKind::Removed, None),
            Kind::Renamed { from } => (VaultChangeKind::Renamed, VaultPath::parse(&from).ok()),
        };
        let summary = match (&raw.before, &raw.after) {
            (Some(before), Some(after)) => summarize(before, after),
            _ => Vec::new(),
        };
        let texts = [&raw.before, &raw.after].into_iter().flatten();
        let cannot_say = kind != VaultChangeKind::Removed && raw.after.is_none();
        let private = cannot_say || texts.into_iter().any(|text| is_marked_private(&Document::parse(text)));
        Some(VaultChange {
            private,
            by: self.by(journal, sets, &path, hash.as_ref()),
            sync_conflict: path.is_sync_conflict(),
            kind,
            path,
            from,
            summary,
            hash,
        })
    }

    fn by(
        &mut self,
        journal: &Journal,
        sets: &[Arc<SetLog>],
        path: &VaultPath,
        hash: Option<&ContentHash>,
    ) -> By {
        let about: HashSet<&RecordId> = self.by_path.get(path).into_iter().flatten().collect();
        let mut newest_first: Vec<_> = about
            .into_iter()
            .filter_map(|id| {
                let at = sets.iter().position(|set| set.id == id.0)?;
                Some((at, &sets[at], sets[at].record(id.1)?))
            })
            .collect();
        newest_first.sort_by_key(|(at, _, record)| std::cmp::Reverse((*at, record.n)));
        let newest_first: Vec<_> = newest_first
            .into_iter()
            .map(|(_, set, record)| ((set.id.clone(), record.n), set, record))
            .filter(|(id, _, record)| !self.is_spent(id, record, path))
            .collect();
        let hash = hash.copied();
        let explained = newest_first.iter().position(|(id, _, record)| {
            let reported = |hash| self.reported.contains(&(id.clone(), path.clone(), hash));
            // A write is reverted before the journal records that.
            let is_back =
                || reported(end_at(record, path)) && is_reverted(journal, id, record, hash.as_ref());
            !reported(hash) && (explains(record, path, hash.as_ref()) || is_back())
        });
        let Some(explained) = explained else {
            self.overtaken(&newest_first, hash);
            return By::Outside;
        };
        let (id, set, record) = &newest_first[explained];
        self.reported.insert((id.clone(), path.clone(), hash));
        if leaves(record, path, hash.as_ref()) {
            // Older writes of the note were overtaken and are never reported separately.
            self.spent.extend(newest_first[explained + 1..].iter().map(|(id, ..)| id.clone()));
        }
        by(set, record)
    }

    /// Whether a record is used up: the final state of its write was reported.
    fn is_spent(&self, id: &RecordId, record: &Record, path: &VaultPath) -> bool {
        let end = |hash| self.reported.contains(&(id.clone(), path.clone(), hash));
        self.spent.contains(id) || record.state == RecordState::Done && end(end_at(record, path))
    }

    /// Another program wrote these bytes: if an earlier state by Nova reappears, that is not Nova's doing.
    /// A write that displaced these very bytes came later and stays.
    fn overtaken(&mut self, newest_first: &[(RecordId, &Arc<SetLog>, &Record)], hash: Option<ContentHash>) {
        let displaced = |record: &Record| record.before.as_ref().map(|image| image.hash) == hash;
        let until_now =
            newest_first.iter().rposition(|(.., record)| displaced(record)).map_or(0, |at| at + 1);
        let ended = newest_first[until_now..].iter().filter(|(.., r)| r.state != RecordState::Intended);
        self.spent.extend(ended.map(|(id, ..)| id.clone()));
    }
}

fn by(set: &SetLog, record: &Record) -> By {
    if record.author.principal == "outside" {
        return By::Outside;
    }
    By::ChangeSet {
        change_set: set.id.clone(),
        principal: record.author.principal.clone(),
        skill: record.author.skill.clone(),
    }
}

/// Whether the write leaves the path with these bytes, finally or temporarily.
fn explains(record: &Record, path: &VaultPath, hash: Option<&ContentHash>) -> bool {
    leaves(record, path, hash) || passing(record, path, hash)
}

fn leaves(record: &Record, path: &VaultPath, hash: Option<&ContentHash>) -> bool {
    end_at(record, path).as_ref() == hash
}

/// The hash after the write; `None` if the path is vacated.
fn end_at(record: &Record, path: &VaultPath) -> Option<ContentHash> {
    let gone = record.kind == NoteChangeKind::Deleted || record.from.as_ref() == Some(path);
    record.after.as_ref().filter(|_| !gone).map(|image| image.hash)
}

/// Whether it is an intermediate state: a moved note before its text changes, a text that displaced an edit
/// and was then amended, or a write that was reverted.
fn passing(record: &Record, path: &VaultPath, hash: Option<&ContentHash>) -> bool {
    let before = record.before.as_ref().map(|image| &image.hash);
    let after = record.after.as_ref().map(|image| &image.hash);
    let moved = record.kind == NoteChangeKind::Renamed && record.path == *path;
    let passed = record.path == *path && hash.is_some_and(|hash| record.passed.contains(hash));
    passed
        || (moved && hash.is_some() && before == hash && before != after)
        || (record.state == RecordState::Nothing && before == hash)
}

/// Whether an announced write was abandoned or is being reverted.
fn is_reverted(journal: &Journal, (set, n): &RecordId, record: &Record, hash: Option<&ContentHash>) -> bool {
    if record.state != RecordState::Intended || record.before.as_ref().map(|image| &image.hash) != hash {
        return false;
    }
    let is_nothing = |sets: Vec<Arc<SetLog>>| {
        let set = sets.into_iter().find(|known| known.id == *set);
        set.and_then(|set| set.record(*n).map(|record| record.state == RecordState::Nothing)).unwrap_or(false)
    };
    // The order matters: a set records how its writes ended before it ends.
    journal.is_live(set) || journal.sets().is_ok_and(is_nothing)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
