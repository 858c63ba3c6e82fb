use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::place::{Place, Places};
use super::process::{Broken, Running};
use super::spawn::Spawn;
use crate::protocol::Limits;

/// The process pool. A process belongs to one owner from its first file to its end.
pub(super) struct Pool {
    spawn: Arc<dyn Spawn>,
    limits: Limits,
    sizes: Sizes,
    state: Mutex<State>,
    places: Arc<Places>,
    /// Cancelled when the host is dropped.
    pub(super) closing: CancellationToken,
    started: AtomicU64,
}

/// Limits on the number and the idle time of processes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    pub(super) of_owner: usize,
    pub(super) in_all: usize,
    pub(super) idle: Duration,
    pub(super) spare: bool,
}

#[derive(Default)]
struct State {
    /// Longest idle first.
    idle: VecDeque<Idle>,
    spare: Option<Spare>,
    /// Permits to run a call, by owner.
    turns: HashMap<String, Arc<Semaphore>>,
    /// Whether a task watches idle processes.
    watched: bool,
}

struct Idle {
    owner: String,
    since: Instant,
    running: Running,
}

/// A process that has not been assigned to an owner.
enum Spare {
    Starting,
    Ready { since: Instant, running: Running },
}

/// A process leased for one load or call. It is ended unless [released](Lease::release).
pub(super) struct Lease {
    pub(super) running: Running,
    /// It was idle before, and may have ended meanwhile.
    pub(super) has_waited: bool,
    owner: String,
    pool: Arc<Pool>,
    _turn: OwnedSemaphorePermit,
}

enum Next {
    Take(Running),
    Start(Place),
    Wait,
}

impl Pool {
    pub(super) fn new(spawn: Arc<dyn Spawn>, limits: Limits, sizes: Sizes) -> Self {
        Self {
            spawn,
            limits,
            sizes,
            state: Mutex::default(),
            places: Arc::default(),
            closing: CancellationToken::new(),
            started: AtomicU64::new(0),
        }
    }

    /// Leases a process for an owner: preferably one that has loaded this content, otherwise another one of
    /// the owner, the spare one, or a new one. Waits while the limit is reached.
    pub(super) async fn lease(
        self: &Arc<Self>,
        owner: &str,
        file: &str,
        hash: blake3::Hash,
        cancel: &CancellationToken,
    ) -> Result<Lease, Broken> {
        tokio::select! {
            biased;
            () = self.closing.cancelled() => Err(Broken::Closing),
            () = cancel.cancelled() => Err(Broken::Cancelled),
            lease = self.lease_unbounded(owner, file, hash) => lease,
        }
    }

    async fn lease_unbounded(
        self: &Arc<Self>,
        owner: &str,
        file: &str,
        hash: blake3::Hash,
    ) -> Result<Lease, Broken> {
        let turn = self.turns(owner).acquire_owned().await.map_err(|_| Broken::Closing)?;
        let (running, has_waited) = loop {
            let changed = self.places.changed.notified();
            let next = self.next(owner, file, hash);
            match next {
                Next::Take(running) => break (running, true),
                Next::Start(place) => break (self.start(place).await?, false),
                Next::Wait => changed.await,
            }
        };
        Ok(Lease { running, has_waited, owner: owner.to_owned(), pool: self.clone(), _turn: turn })
    }

    fn turns(&self, owner: &str) -> Arc<Semaphore> {
        let turns = &mut self.lock().turns;
        turns.retain(|known, turns| known == owner || Arc::strong_count(turns) > 1);
        let new = || Arc::new(Semaphore::new(self.sizes.of_owner));
        turns.entry(owner.to_owned()).or_insert_with(new).clone()
    }

    fn next(self: &Arc<Self>, owner: &str, file: &str, hash: blake3::Hash) -> Next {
        let mut state = self.lock();
        // Processes with an older version of the file are useless.
        let mut at = 0;
        let mut best = None;
        while let Some(idle) = state.idle.get_mut(at) {
            let loaded = if idle.owner == owner { idle.running.loaded(file) } else { None };
            let stale = loaded.is_some_and(|loaded| loaded != hash);
            if idle.owner == owner && (stale || !idle.running.frames.quiet()) {
                self.retire(state.idle.remove(at).map(|idle| idle.running));
                continue;
            }
            if idle.owner == owner && (loaded.is_some() || best.is_none()) {
                best = Some(at);
            }
            at += 1;
        }
        if let Some(idle) = best.and_then(|at| state.idle.remove(at)) {
            return Next::Take(idle.running);
        }
        if let Some(Spare::Ready { .. }) = &state.spare
            && let Some(Spare::Ready { mut running, .. }) = state.spare.take()
        {
            if running.frames.quiet() {
                return Next::Take(running);
            }
            self.retire(Some(running));
        }
        match self.place() {
            Some(place) => Next::Start(place),
            None => {
                // Its permit is released once it has ended.
                self.retire(state.idle.pop_front().map(|idle| idle.running));
                Next::Wait
            }
        }
    }

    async fn start(&self, place: Place) -> Result<Running, Broken> {
        self.started.fetch_add(1, Ordering::Relaxed);
        Running::start(self.spawn.as_ref(), self.limits, place).await
    }

    /// Starts a spare process, so that the next new file need not wait.
    pub(super) fn warm(self: &Arc<Self>) {
        let place = {
            let mut state = self.lock();
            if !self.sizes.spare || state.spare.is_some() || self.closing.is_cancelled() {
                return;
            }
            let Some(place) = self.place() else { return };
            state.spare = Some(Spare::Starting);
            place
        };
        let pool = self.clone();
        tokio::spawn(async move {
            let started = pool.start(place).await;
            let mut state = pool.lock();
            state.spare = match started {
                Ok(running) if !pool.closing.is_cancelled() => {
                    Some(Spare::Ready { since: Instant::now(), running })
                }
                Ok(_) => None,
                Err(error) => {
                    tracing::warn!(%error, "cannot start a spare process");
                    None
                }
            };
            pool.watch(&mut state);
            pool.places.changed.notify_waiters();
        });
    }

    /// Number of processes started so far.
    pub(super) fn started(&self) -> u64 {
        self.started.load(Ordering::Relaxed)
    }

    pub(super) fn alive(&self) -> usize {
        self.places.taken.load(Ordering::Relaxed)
    }

    fn place(&self) -> Option<Place> {
        let more = |taken| (taken < self.sizes.in_all).then_some(taken + 1);
        let taken = self.places.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        taken.is_ok().then(|| Place(self.places.clone()))
    }

    /// Ends all processes, including working ones, and prevents further starts.
    pub(super) fn close(&self) {
        self.closing.cancel();
        let mut state = self.lock();
        let idle = std::mem::take(&mut state.idle);
        let spare = state.spare.take();
        drop(state);
        drop((idle, spare));
    }

    fn keep(self: &Arc<Self>, owner: String, running: Running) {
        let mut state = self.lock();
        if self.closing.is_cancelled() {
            return;
        }
        state.idle.push_back(Idle { owner, since: Instant::now(), running });
        self.watch(&mut state);
        self.places.changed.notify_waiters();
    }

    fn retire(&self, running: Option<Running>) {
        if let Some(running) = running {
            tokio::spawn(running.end());
        }
    }

    /// Starts the task that ends idle processes, unless it is running.
    fn watch(self: &Arc<Self>, state: &mut State) {
        if state.watched || state.oldest().is_none() {
            return;
        }
        state.watched = true;
        let pool = Arc::downgrade(self);
        let closing = self.closing.clone();
        let limit = self.sizes.idle;
        tokio::spawn(async move {
            while let Some(since) = pool.upgrade().and_then(|pool| pool.end_idle()) {
                tokio::select! {
                    () = tokio::time::sleep_until(since + limit) => {}
                    () = closing.cancelled() => return,
                }
            }
        });
    }

    /// Ends processes past the idle timeout; returns when the longest idle one left became idle.
    fn end_idle(&self) -> Option<Instant> {
        let mut state = self.lock();
        let now = Instant::now();
        let long = |since: &Instant| now.duration_since(*since) >= self.sizes.idle;
        while state.idle.front().is_some_and(|idle| long(&idle.since)) {
            self.retire(state.idle.pop_front().map(|idle| idle.running));
        }
        if matches!(&state.spare, Some(Spare::Ready { since, .. }) if long(since))
            && let Some(Spare::Ready { running, .. }) = state.spare.take()
        {
            self.retire(Some(running));
        }
        let oldest = state.oldest();
        state.watched = oldest.is_some();
        oldest
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn oldest(&self) -> Option<Instant> {
        let spare = match &self.spare {
            Some(Spare::Ready { since, .. }) => Some(*since),
            _ => None,
        };
        self.idle.front().map(|idle| idle.since).into_iter().chain(spare).min()
    }
}

impl Lease {
    /// Returns the process to the pool for the same owner.
    pub(super) fn release(self) {
        let Self { running, owner, pool, _turn, has_waited: _ } = self;
        pool.keep(owner, running);
    }

    /// Ends the process in the background.
    pub(super) fn end(self) {
        self.pool.retire(Some(self.running));
    }
}
