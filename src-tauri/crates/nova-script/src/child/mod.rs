//! The script process: one thread reads Nova's messages, one runs JavaScript, one is the watchdog.
//!
//! It needs no files, connections or right to start processes, and is meant to run without them. It ends when
//! stdin ends. Local times use the zone in `TZ`, and UTC if it is unset and the system's zone file cannot be
//! read.
//!
//! Each file has its own runtime, so files cannot observe each other.

mod budget;
mod compile;
mod host;
mod isolate;
mod link;
mod marks;
mod modules;
mod snippet;
mod web;

use std::{
    collections::{HashMap, VecDeque},
    process::{self, ExitCode},
    sync::{
        Arc,
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread,
    time::{Duration, Instant},
};

use budget::Budget;
use compile::Compiled;
use isolate::{Ended, Isolate};
use link::{Job, Link};

use crate::protocol::{self, Fault, FaultKind, FromChild, Limits, ToChild};

/// Stack size of the JavaScript thread, on which the TypeScript parser recurses as well.
const STACK: usize = 32 * 1024 * 1024;

/// Idle time before the process prepares a runtime for another file, so that a call right after its load is
/// not delayed.
const PAUSE: Duration = Duration::from_millis(10);

/// Runs until stdin ends. The exit code is a failure if a job had to be ended, or the input was malformed.
pub fn main() -> ExitCode {
    let link = Arc::new(Link::new());
    let budget = Arc::new(Budget::new());
    let (send, messages) = mpsc::channel();
    let threads = [
        thread::Builder::new().spawn({
            let budget = Arc::clone(&budget);
            move || listen(&send, &budget)
        }),
        thread::Builder::new().spawn({
            let (budget, link) = (Arc::clone(&budget), Arc::clone(&link));
            move || budget::watch(budget, link)
        }),
    ];
    let worker = thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || Worker { link, budget, inbox: Inbox { messages, later: VecDeque::new() } }.run());
    match (worker.map(thread::JoinHandle::join), threads.iter().all(Result::is_ok)) {
        (Ok(Ok(code)), true) => code,
        _ => ExitCode::FAILURE,
    }
}

/// Reads Nova's messages, so that answers and cancellations arrive while JavaScript runs.
fn listen(send: &Sender<(ToChild, Job)>, budget: &Budget) {
    let mut stdin = std::io::stdin().lock();
    let mut job = 0;
    loop {
        match protocol::read(&mut stdin) {
            Ok(Some(message)) => {
                match message {
                    ToChild::Load { .. } | ToChild::Call { .. } => job += 1,
                    ToChild::Cancel => budget.cancel(job),
                    ToChild::Start { .. } | ToChild::Answer { .. } => {}
                }
                if send.send((message, job)).is_err() {
                    return;
                }
            }
            Ok(None) => process::exit(0),
            Err(error) => {
                eprintln!("nova-script: {error}");
                process::exit(2);
            }
        }
    }
}

struct Worker {
    link: Arc<Link>,
    budget: Arc<Budget>,
    inbox: Inbox,
}

impl Worker {
    fn run(mut self) -> ExitCode {
        // In advance, so that the first file finds a runtime with zod.
        let mut warm = self.isolate();
        let mut limits = None;
        let mut loaded = HashMap::new();
        // Whether to prepare a runtime for another file; at most one.
        let mut more = false;
        loop {
            let next = if more && warm.is_none() { self.inbox.next_soon() } else { self.inbox.next() };
            let (message, job) = match next {
                Ok(next) => next,
                Err(RecvTimeoutError::Timeout) => {
                    warm = self.isolate();
                    more = warm.is_some();
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => return ExitCode::SUCCESS,
            };
            let ended = match (message, limits) {
                (ToChild::Start { limits: given }, _) => {
                    self.budget.allow(given.computing_ms);
                    limits = Some(given);
                    continue;
                }
                (ToChild::Answer { .. } | ToChild::Cancel, _) => continue,
                (_, None) => {
                    eprintln!("nova-script: the first message is not `start`");
                    return ExitCode::from(2);
                }
                (ToChild::Load { file, source, more: others, snippet }, Some(limits)) => {
                    more = others;
                    self.begin(job);
                    loaded.remove(&file);
                    let isolate = warm.take().or_else(|| self.isolate());
                    let compile = if snippet { compile::compile_snippet } else { compile::compile };
                    compile(&source)
                        .map_err(Ended::harmless)
                        .and_then(|compiled| Self::load(isolate, file, compiled, limits, &mut loaded))
                }
                (ToChild::Call { file, args, request, given }, Some(_)) => {
                    self.begin(job);
                    match loaded.get_mut(&file) {
                        Some(isolate) => isolate.call(&args, (&request, &given), &mut self.inbox),
                        None => Err(Ended::harmless(Fault {
                            kind: FaultKind::Definition,
                            message: format!("{file} is not loaded"),
                            line: None,
                            column: None,
                            stack: Vec::new(),
                        })),
                    }
                    .map(|value| FromChild::Done { value })
                }
            };
            let (answer, fatal) = match ended {
                Ok(answer) => (answer, false),
                Err(Ended { mut fault, fatal }) => {
                    self.budget.locate(&mut fault);
                    (FromChild::Failed { fault, fatal }, fatal)
                }
            };
            match self.link.finish(job, &answer) {
                Ok(true) if !fatal => self.budget.end(),
                // The watchdog was faster and is about to end the process.
                Ok(false) => loop {
                    thread::park();
                },
                Ok(true) | Err(_) => process::exit(1),
            }
        }
    }

    fn begin(&self, job: Job) {
        self.link.open(job);
        self.budget.begin(job);
    }

    fn load(
        isolate: Option<Isolate>,
        file: String,
        compiled: Compiled,
        limits: Limits,
        loaded: &mut HashMap<String, Isolate>,
    ) -> Result<FromChild, Ended> {
        let mut isolate = isolate.ok_or_else(Ended::no_memory)?;
        let definition = isolate.load(&file, compiled, limits)?;
        loaded.insert(file, isolate);
        Ok(FromChild::Loaded { definition: Box::new(definition) })
    }

    fn isolate(&self) -> Option<Isolate> {
        Isolate::new(Arc::clone(&self.link), Arc::clone(&self.budget)).ok()
    }
}

/// Nova's messages in order.
struct Inbox {
    messages: Receiver<(ToChild, Job)>,
    /// Messages received while a job waited for an answer, which are not answers.
    later: VecDeque<(ToChild, Job)>,
}

impl Inbox {
    /// The next message; an error at the end of the input.
    fn next(&mut self) -> Result<(ToChild, Job), RecvTimeoutError> {
        let late = self.later.pop_front();
        late.map_or_else(|| self.messages.recv().map_err(|_| RecvTimeoutError::Disconnected), Ok)
    }

    /// Like `next`, with a short timeout.
    fn next_soon(&mut self) -> Result<(ToChild, Job), RecvTimeoutError> {
        self.later.pop_front().map_or_else(|| self.messages.recv_timeout(PAUSE), Ok)
    }

    /// The next message for the running job, with a deadline.
    fn next_within_job(&mut self, until: Option<Instant>) -> Option<ToChild> {
        loop {
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            let (message, job) = match self.messages.recv_timeout(left.unwrap_or(Duration::MAX)) {
                Ok(received) => received,
                Err(RecvTimeoutError::Timeout) => return None,
                Err(RecvTimeoutError::Disconnected) => process::exit(0),
            };
            match message {
                ToChild::Answer { .. } | ToChild::Cancel => return Some(message),
                other => self.later.push_back((other, job)),
            }
        }
    }
}
