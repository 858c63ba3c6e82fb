//! The watch's thread: receives events, checks paths, reports changes.

use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use notify::Event;

use super::coalescer::{Batch, Coalescer, Timing};
use super::folders::{Folders, Found, RemoteKind, Rewatch};
use super::tree::{Candidates, Reread, Tree};
use super::{RawChange, TEXT_BUDGET, WatchState};
use crate::disk::{Disk, Folder, Roots};
use crate::shared_texts::SharedTexts;

/// Messages received before the next check, so that a burst of writes to one note costs a single check, and
/// an endless burst cannot delay changes.
const MAX_MESSAGES_AT_ONCE: usize = 4096;

/// Changes passed to the sink at once; each may hold two texts.
const MAX_CHANGES_AT_ONCE: usize = 256;

/// Maximum share of one processor for polling: 1 in this many.
const POLL_SHARE: u32 = 20;

/// Maximum share of the time for comparing a remote folder: 1 in this many. Most of it is spent waiting for
/// the network, and such changes raise no events.
const REMOTE_SHARE: u32 = 4;

#[derive(Debug)]
pub(super) enum Message {
    Event(notify::Result<Event>),
    Flush(Sender<()>),
    Stop,
}

/// Options: overridden by tests, shared texts, extra roots.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    pub(super) timing: Timing,
    /// Interval between comparisons of the whole folder if events are incomplete.
    pub(super) poll_every: Duration,
    pub(super) folder_limit: usize,
    /// Recognises folders that change remotely without events.
    pub(super) remote: RemoteKind,
    /// The device number of a folder, if the system reports it.
    pub(super) device: fn(&Folder) -> Option<u64>,
    pub(super) text_budget: usize,
    /// The vault's extra roots.
    pub(super) roots: Roots,
    /// Where cached texts are shared.
    pub(super) texts: Arc<SharedTexts>,
}

impl Options {
    /// Default options, sharing the cached texts.
    pub(crate) fn sharing(texts: Arc<SharedTexts>) -> Self {
        Self { texts, ..Self::default() }
    }

    pub(crate) fn with_roots(self, roots: Roots) -> Self {
        Self { roots, ..self }
    }
}

#[cfg(test)]
impl Options {
    /// Limits the number of watched folders; without watches the folder is polled at this interval.
    pub(crate) fn limited(folder_limit: usize, poll_every: Duration) -> Self {
        Self { folder_limit, poll_every, ..Self::default() }
    }

    /// Simulates a vault on NFS.
    pub(crate) fn on_network(poll_every: Duration) -> Self {
        Self { remote: |_| Some("NFS"), poll_every, ..Self::default() }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            timing: Timing::default(),
            poll_every: Duration::from_secs(2),
            folder_limit: usize::MAX,
            remote: Folder::remote_kind,
            device: Folder::device,
            text_budget: TEXT_BUDGET,
            roots: Roots::default(),
            texts: Arc::default(),
        }
    }
}

/// Receives changes that were found together; never empty.
pub(super) type Sink = Box<dyn FnMut(Vec<RawChange>) + Send>;
pub(super) type OnState = Box<dyn FnMut(WatchState) + Send>;

pub(super) struct Run {
    root: PathBuf,
    options: Options,
    inbox: Receiver<Message>,
    own_inbox: Sender<Message>,
    coalescer: Coalescer,
    folders: Folders,
    tree: Tree,
    sink: Sink,
    on_state: OnState,
    state: Arc<Mutex<WatchState>>,
    poll_at: Option<Instant>,
    /// Why events are incomplete, for the lifetime of the watch.
    remote: Option<String>,
    /// The device of the notes at the last comparison.
    device: Option<u64>,
}

/// How far a comparison goes beyond its batch's paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    Batch,
    Everything(Rewatch),
}

impl Run {
    /// Watches and reads `root`; later changes will be reported.
    pub(super) fn new(
        root: PathBuf,
        options: Options,
        (own_inbox, inbox): (Sender<Message>, Receiver<Message>),
        sink: Sink,
        on_state: OnState,
    ) -> Self {
        let mut run = Self {
            inbox,
            own_inbox,
            coalescer: Coalescer::new(root.clone(), options.timing),
            folders: Folders::new(root.clone(), options.folder_limit, options.remote),
            tree: Tree::new(options.text_budget, Arc::clone(&options.texts)),
            options,
            sink: Box::new(|_| {}),
            on_state: Box::new(|_| {}),
            state: Arc::new(Mutex::new(WatchState::Watching { folders: 0 })),
            poll_at: None,
            remote: None,
            device: None,
            root,
        };
        run.begin();
        run.sink = sink;
        run.on_state = on_state;
        run
    }

    pub(super) fn shared_state(&self) -> Arc<Mutex<WatchState>> {
        Arc::clone(&self.state)
    }

    /// Runs until stopped.
    pub(super) fn run(mut self) {
        let state = self.state();
        (self.on_state)(state);
        loop {
            let mut next = match self.wait() {
                Ok(message) => message,
                Err(Stopped) => return,
            };
            let mut flushes = Vec::new();
            let mut taken = 0;
            while let Some(message) = next {
                match message {
                    Message::Event(Ok(event)) => self.coalescer.push(&event, Instant::now()),
                    Message::Event(Err(error)) => self.note_lost(&error),
                    Message::Flush(reply) => flushes.push(reply),
                    Message::Stop => return,
                }
                taken += 1;
                next = if taken < MAX_MESSAGES_AT_ONCE { self.inbox.try_recv().ok() } else { None };
            }
            self.work(!flushes.is_empty());
            for reply in flushes {
                // An error means that the caller stopped waiting.
                let _ = reply.send(());
            }
        }
    }

    /// The next message, or `None` when a check is due.
    fn wait(&self) -> Result<Option<Message>, Stopped> {
        let wake_at = self.coalescer.wake_at().into_iter().chain(self.poll_at).min();
        match wake_at {
            None => self.inbox.recv().map(Some).map_err(|_| Stopped),
            Some(at) => {
                let left = at.saturating_duration_since(Instant::now());
                match self.inbox.recv_timeout(left) {
                    Ok(message) => Ok(Some(message)),
                    Err(RecvTimeoutError::Timeout) => Ok(None),
                    Err(RecvTimeoutError::Disconnected) => Err(Stopped),
                }
            }
        }
    }

    fn work(&mut self, flush: bool) {
        let now = Instant::now();
        let poll = self.poll_at.is_some_and(|at| at <= now);
        // A poll ignores an incomplete save, which would be reported in two halves.
        let batch = if flush { self.coalescer.take_all() } else { self.coalescer.due(now) };
        if matches!(self.state(), WatchState::Failed { .. }) {
            if flush || poll {
                self.begin();
            }
            return;
        }
        let scope = if batch.lost_events {
            Scope::Everything(Rewatch::All)
        } else if flush || poll {
            Scope::Everything(Rewatch::New)
        } else if batch.is_empty() {
            return;
        } else {
            Scope::Batch
        };
        // A flush must not defer anything.
        let quiet = if flush { Duration::ZERO } else { self.options.timing.quiet };
        let heard = matches!(self.state(), WatchState::Watching { .. });
        self.scan(&batch, scope, quiet);
        let state = self.state();
        if heard && matches!(state, WatchState::Both { .. }) {
            (self.on_state)(state);
        }
    }

    /// Renews all watches and compares the whole folder.
    fn begin(&mut self) {
        if self.open_root().is_none() {
            return;
        }
        let inbox = self.own_inbox.clone();
        let listening = self.folders.listen(move |event| {
            // Discard events of reads, which would fill the queue.
            if event.as_ref().map_or(true, Coalescer::concerns) {
                // An error means that the watch is being dropped.
                let _ = inbox.send(Message::Event(event));
            }
        });
        let before = self.state();
        match listening {
            Ok(()) => {
                self.poll_at = None;
                self.remote = None;
                self.set_state(WatchState::Watching { folders: 0 });
            }
            Err(reason) => self.poll(reason),
        }
        self.scan(&Batch::default(), Scope::Everything(Rewatch::All), Duration::ZERO);
        let after = self.state();
        if matches!(after, WatchState::Watching { .. } | WatchState::Both { .. }) && after != before {
            (self.on_state)(after);
        }
    }

    fn scan(&mut self, batch: &Batch, scope: Scope, quiet: Duration) {
        let started = Instant::now();
        let Some(disk) = self.open_root() else { return };
        for path in &batch.paths {
            if !disk.is_folder(path) {
                self.folders.unwatch(path);
            }
        }
        let mut candidates = Candidates::new();
        for path in &batch.paths {
            let walked = disk.is_folder(path);
            if walked {
                let found = self.folders.walk(&disk, path, Rewatch::All);
                self.add(found, &mut candidates);
            }
            let reread = if walked { Reread::IfTouched } else { Reread::Always };
            add(&mut candidates, path.clone(), reread);
            for note in self.tree.under(path) {
                add(&mut candidates, note, reread);
            }
        }
        if let Scope::Everything(rewatch) = scope {
            self.folders.unwatch_missing(&disk);
            let found = self.folders.walk(&disk, "", rewatch);
            self.add(found, &mut candidates);
            for note in self.tree.under("") {
                add(&mut candidates, note, Reread::IfTouched);
            }
            self.coalescer.exclude_pending(&mut candidates);
        }
        // Check again: if the folder was unmounted meanwhile, every note would seem to be removed.
        if self.open_root().is_none() {
            return;
        }
        let mut changes = Vec::new();
        let sink = &mut self.sink;
        let unfinished = self.tree.update(&disk, &candidates, &batch.renames, quiet, &mut |change| {
            changes.push(change);
            if changes.len() == MAX_CHANGES_AT_ONCE {
                sink(std::mem::take(&mut changes));
            }
        });
        if !changes.is_empty() {
            sink(changes);
        }
        for path in unfinished {
            self.coalescer.touch(path, Instant::now(), false);
        }
        self.count_folders();
        let share = match self.state() {
            WatchState::Polling { .. } => POLL_SHARE,
            WatchState::Both { .. } => REMOTE_SHARE,
            WatchState::Watching { .. } | WatchState::Failed { .. } => return,
        };
        if self.poll_at.is_none() || scope != Scope::Batch {
            let pause = self.options.poll_every.max(started.elapsed() * share);
            self.poll_at = Some(Instant::now() + pause);
        }
    }

    fn add(&mut self, found: Found, candidates: &mut Candidates) {
        for note in found.notes {
            add(candidates, note, Reread::IfTouched);
        }
        if let Some(reason) = found.refused {
            self.poll(reason);
        }
        self.remote = self.remote.take().or(found.remote);
    }

    fn note_lost(&mut self, error: &notify::Error) {
        tracing::debug!(%error, "file events were lost");
        self.coalescer.lose(Instant::now());
    }

    /// Reporting all changes late is better than watching only some folders.
    fn poll(&mut self, reason: String) {
        tracing::warn!(reason, "polling the vault instead of watching it");
        self.folders.unwatch_all();
        self.poll_at = Some(Instant::now() + self.options.poll_every);
        self.change_state(WatchState::Polling { reason });
    }

    /// Opens the folder at the root's path, which may be a new one. `None`, and the state *failed*, if
    /// there is none, it is a link, or it is an unmounted mount point.
    fn open_root(&mut self) -> Option<Disk> {
        let opened = Disk::open(self.root.clone(), self.options.roots.clone()).and_then(|disk| {
            let folder = disk.open_root()?;
            let device = (self.options.device)(&folder);
            if self.device.is_some_and(|before| Some(before) != device) && folder.is_empty()? {
                return Err(io::Error::other("it is empty and on another disk than before"));
            }
            self.device = device;
            Ok(disk)
        });
        let error = match opened {
            Ok(disk) => return Some(disk),
            Err(error) => error,
        };
        self.folders.unwatch_all();
        self.poll_at = Some(Instant::now() + self.options.poll_every);
        self.change_state(WatchState::Failed {
            reason: format!(
                "cannot read the folder {} ({error}); put it back, or choose another folder",
                self.root.display()
            ),
        });
        None
    }

    fn state(&self) -> WatchState {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set_state(&self, new: WatchState) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = new;
    }

    fn change_state(&mut self, new: WatchState) {
        if self.state() != new {
            self.set_state(new.clone());
            (self.on_state)(new);
        }
    }

    fn count_folders(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*state, WatchState::Watching { .. } | WatchState::Both { .. }) {
            *state = WatchState::by_events(self.folders.count(), self.remote.clone());
        }
    }
}

/// The sender of messages was dropped.
struct Stopped;

fn add(candidates: &mut Candidates, path: String, reread: Reread) {
    let entry = candidates.entry(path).or_insert(reread);
    *entry = reread.max(*entry);
}
