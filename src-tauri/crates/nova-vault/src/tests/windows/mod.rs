//! A search for windows: moments during an operation in which a user's save would be lost.
//!
//! A case is one operation of a real Nova process ([`child`]), one action of a user ([`user`]) and two
//! numbers `i` and `j`. The process is stopped before each system call that concerns files ([`trace`]).
//! Before call `i` the user acts; then the process runs to its end, or is killed before call `j`.
//! Afterwards the vault is opened twice, and in some cases the interrupted change set is finished or
//! undone. Then ([`check`]):
//!
//! - every line the user saved is in the note, or in a visible copy beside it;
//! - no note contains a piece of another one, and every other note is as it was or as intended;
//! - no temporary file of Nova is left in the vault;
//! - the exit code matches the result.
//!
//! `cargo test` runs [`CASES`] cases, spread evenly, and the windows found earlier ([`known`]). Environment:
//!
//! - `NOVA_WINDOWS=10000` runs that many cases; `NOVA_WINDOWS=all` runs every pair (i, j) of the operations on
//!   one note, and [`SAMPLED`] cases of the others. `NOVA_SEED=3` selects different ones.
//! - `NOVA_WINDOW_CASE="edit save 12 30 Undoes"` runs one case and prints its calls; `edit save 12 -` is the
//!   same without a kill. `NOVA_WINDOWS_SHOWN=100` prints that many failed cases.
//! - `NOVA_WINDOWS_DIR=/mnt` puts the vaults there, for example on a file system without exchange. With
//!   `NOVA_WINDOWS_FULL=1` it must be a small file system of its own, which is full from the user's action on
//!   until the process has ended.

mod check;
mod child;
mod known;
mod trace;
mod user;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::AtomicUsize;

use super::*;
use check::{Notes, Seen, Wrong};
use child::{Does, NOTE, OPERATIONS, Operation, Ready};
use trace::{Call, End, Traced};
use user::{ACTIONS, Action, Other, User};

/// The number of cases in an ordinary run.
const CASES: usize = 400;

/// The number of cases of operations on several notes in a run of `NOVA_WINDOWS=all`.
const SAMPLED: usize = 10_000;

/// One case of the matrix.
#[derive(Debug, Clone, Copy)]
struct Case {
    operation: &'static Operation,
    action: Action,
    /// The call before which the user acts: `i`.
    stop: usize,
    /// The call before which the process is killed: `j`.
    kill: Option<usize>,
    next: Next,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Case { operation, action, stop, kill, next } = self;
        write!(f, "{} {} {stop} ", operation.name, action.name())?;
        match kill {
            Some(kill) => write!(f, "{kill} {next:?}"),
            None => write!(f, "-"),
        }
    }
}

/// What the next Nova does with an interrupted change set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Opens,
    Finishes,
    Undoes,
}

const NEXT: [Next; 3] = [Next::Opens, Next::Finishes, Next::Undoes];

/// A case that was run.
#[derive(Debug)]
struct Tried {
    case: Case,
    wrong: Wrong,
    /// Whether the failure is one that cannot be detected on file systems without exchange.
    accepted: bool,
    calls: Vec<Call>,
    files: Vec<(String, String)>,
}

impl Case {
    fn without_kill(operation: &'static Operation, action: Action, stop: usize) -> Case {
        Case { operation, action, stop, kill: None, next: Next::Opens }
    }

    fn killed(self, kill: usize, next: Next) -> Case {
        Case { kill: Some(kill), next, ..self }
    }

    /// Runs the case; `None` if the action makes no sense at that moment.
    fn run(&self) -> Option<Tried> {
        let bed = bed();
        let dir = bed.dir.path().canonicalize().unwrap();
        if self.operation.does == Does::Finish {
            interrupt(&dir);
        }
        let mut other = (self.action == Action::Nova).then(|| Other::start(&dir));
        let ready = Ready::start(self.operation.does, &dir);
        let mut user = User::new(bed.root(), self.operation);
        let mut disk = FullDisk::new();
        let mut traced = ready.go_traced(&dir);
        let mut calls: Vec<Call> = Vec::new();
        let mut acted = false;
        let end = loop {
            let Some(call) = traced.next_call() else { break traced.go_on() };
            let at = calls.len();
            calls.push(call);
            if at == self.stop {
                acted = self.makes_sense(&calls) && user.act(self.action, &calls[at]);
                if let Some(other) = &mut other {
                    other.go();
                }
                disk.fill();
            }
            if self.kill == Some(at) || at == self.stop && !acted {
                break traced.kill();
            }
        };
        let other = other.and_then(Other::end);
        if !acted || self.is_replaced_as_asked(&calls) {
            return None;
        }
        let at_its_end = Notes::read(&bed.root());
        let kept_outside = !files_below(&dir.join("data/conflicts")).is_empty();
        disk.free();
        open_again(&dir, self.next);
        let at_last = Notes::read(&bed.root());
        let files = at_last.iter().map(|(path, text)| (path.to_owned(), text.to_owned())).collect();
        let operation = self.operation;
        let seen = Seen {
            operation,
            end,
            at_its_end,
            kept_outside,
            is_taken_back: self.next == Next::Undoes,
            other,
            at_last,
            left_over: bed.leftovers(),
        };
        let mut wrong = seen.judge(&user);
        let accepted = !(wrong.lost.is_empty() && wrong.untrue.is_empty()) && self.is_known_window(&calls);
        if accepted {
            wrong.lost.clear();
            wrong.untrue.clear();
        }
        Some(Tried { case: *self, wrong, accepted, calls, files })
    }

    /// Whether the user replaced the note between the last comparison and the rename over it, which cannot be
    /// detected without exchange.
    fn is_known_window(&self, calls: &[Call]) -> bool {
        let later = &calls[self.stop..];
        // Not counting the exchange that is refused first.
        let next = later.iter().position(|call| call.changes_vault() && !call.exchanges()).unwrap_or(0);
        let mut notes = [self.operation.before, self.operation.after].into_iter().flatten();
        self.action.replaces()
            && !(can_exchange() && self.operation.does != Does::AppendWithoutExchange)
            && notes
                .any(|note| later[next].replaces(note) && !later[..next].iter().any(|call| call.reads(note)))
    }

    /// Whether the user saved before Nova read the note to replace just that: the property that it sets, or
    /// the whole note that it deletes. What is read with the lock held is only compared.
    fn is_replaced_as_asked(&self, calls: &[Call]) -> bool {
        use Action::{RewriteOpenedSame, SaveSame};
        let replaces = match self.operation.does {
            Does::Set => matches!(self.action, SaveSame | RewriteOpenedSame),
            does => does == Does::Delete,
        };
        let mut plans = calls[self.stop..].iter().take_while(|call| call.name != "flock");
        replaces && plans.any(|call| call.reads(NOTE))
    }

    /// A save before Nova first reads a note it deletes is rightly deleted with the note.
    fn makes_sense(&self, calls: &[Call]) -> bool {
        let has_read = |note| calls.iter().rev().skip(1).any(|call| call.reads(note));
        self.operation.after.is_some() || self.operation.before.is_none_or(has_read)
    }
}

impl Drop for FullDisk {
    fn drop(&mut self) {
        self.free();
    }
}

/// Fills the file system of the vaults, with `NOVA_WINDOWS_FULL`.
struct FullDisk(Option<fs::File>);

impl FullDisk {
    fn is_wanted() -> bool {
        std::env::var_os("NOVA_WINDOWS_FULL").is_some()
    }

    fn new() -> FullDisk {
        let file = || {
            let folder = std::env::var_os("NOVA_WINDOWS_DIR").unwrap();
            fs::File::create(Path::new(&folder).join("filler")).unwrap()
        };
        FullDisk(FullDisk::is_wanted().then(file))
    }

    fn fill(&mut self) {
        use std::io::Write;
        if let Some(file) = &mut self.0 {
            while file.write_all(&[0; 4096]).is_ok() {}
        }
    }

    fn free(&mut self) {
        use std::io::Seek;
        if let Some(file) = &mut self.0 {
            file.set_len(0).and_then(|()| file.rewind()).unwrap();
        }
    }
}

fn bed() -> Bed {
    let notes = child::notes();
    let notes: Vec<(&str, &str)> = notes.iter().map(|(path, text)| (*path, text.as_str())).collect();
    match std::env::var("NOVA_WINDOWS_DIR") {
        Ok(folder) => Bed::in_folder(Path::new(&folder), &notes),
        Err(_) => Bed::in_memory(&notes),
    }
}

/// Whether the file system of the vaults can exchange two files.
fn can_exchange() -> bool {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    static CAN: OnceLock<bool> = OnceLock::new();
    *CAN.get_or_init(|| {
        let bed = bed();
        let file = |note: &str| bed.root().join(note);
        renameat_with(CWD, file("d.md"), CWD, file("A/a.md"), RenameFlags::EXCHANGE).is_ok()
    })
}

/// Opens the vault twice, as the next Novas do.
fn open_again(dir: &Path, next: Next) {
    let _alone = one_at_a_time();
    let ids = Arc::new(AtomicU64::new(0));
    for round in 0..2 {
        let vault = Vault::open(child::options(dir, "next", &ids)).unwrap();
        if round == 1 || next == Next::Opens {
            continue;
        }
        let (history, user) = (vault.history(), Author::new("user"));
        for set in child::interrupted(&vault) {
            // It may rightly end in a conflict.
            match next {
                Next::Finishes => drop(history.finish(&set, &user)),
                _ => drop(history.undo(&set, crate::Scope::All, &user)),
            }
        }
    }
}

/// Kills a move halfway, so that it can be finished.
fn interrupt(dir: &Path) {
    static MIDDLE: OnceLock<usize> = OnceLock::new();
    let middle = *MIDDLE.get_or_init(|| {
        let calls = calls_of(Does::Move);
        let renames: Vec<usize> = (0..calls.len()).filter(|at| calls[*at].renames_to().is_some()).collect();
        renames[renames.len() / 2]
    });
    let mut traced = Ready::start(Does::Move, dir).go_traced(dir);
    for _ in 0..=middle {
        traced.next_call().unwrap();
    }
    assert_eq!(traced.kill(), End::Killed);
}

/// Returns the calls of an operation while nobody acts, and checks that it succeeds.
fn calls_of(does: Does) -> Vec<Call> {
    let bed = bed();
    let dir = bed.dir.path().canonicalize().unwrap();
    if does == Does::Finish {
        interrupt(&dir);
    }
    let ready = Ready::start(does, &dir);
    let user = User::new(bed.root(), OPERATIONS.iter().find(|operation| operation.does == does).unwrap());
    let mut traced = ready.go_traced(&dir);
    let calls: Vec<Call> = std::iter::from_fn(|| traced.next_call()).collect();
    assert_eq!(traced.go_on(), End::Exited(0), "{does:?}");
    assert!(Notes::read(&bed.root()).undone(does, &user).is_empty(), "{does:?}");
    calls
}

/// The meaningful pairs of operation and action, and the calls of each operation while nobody acts.
struct Matrix {
    pairs: Vec<(&'static Operation, Action)>,
    calls: BTreeMap<&'static str, Vec<Call>>,
}

impl Matrix {
    fn new() -> Matrix {
        // An earlier run may have been killed while the disk was full.
        FullDisk::new().free();
        let actions = || ACTIONS.into_iter().map(|(action, _)| action);
        let all = OPERATIONS.iter().flat_map(|operation| actions().map(move |action| (operation, action)));
        Matrix {
            pairs: all.filter(|(operation, action)| action.fits(operation)).collect(),
            calls: OPERATIONS.iter().map(|operation| (operation.name, calls_of(operation.does))).collect(),
        }
    }

    /// Returns cases spread evenly over pairs, stops and kills, deterministic for a seed.
    fn spread(&self, pairs: &[(&'static Operation, Action)], cases: usize, seed: usize) -> Vec<Case> {
        let case = |n: usize| {
            let (operation, action) = pairs[n % pairs.len()];
            let calls = &self.calls[operation.name];
            // The cases of each pair are spread evenly by themselves, each pair from another start.
            let n = n / pairs.len() + 7 * (n % pairs.len()) + 1009 * seed;
            // Half of the stops are just before a change in the vault.
            let stops = if n.is_multiple_of(2) {
                which(calls, Call::is_a_moment)
            } else {
                which(calls, Call::changes_vault)
            };
            let stop = stops[part_of(stops.len(), n, 0.618_034)];
            let mut kills = which(calls, |call| call.changes);
            kills.retain(|kill| *kill > stop);
            // A third of the cases has no kill.
            let case = Case::without_kill(operation, action, stop);
            match kills.len() {
                0 => case,
                _ if n.is_multiple_of(3) => case,
                all => case.killed(kills[part_of(all, n, 0.754_878)], NEXT[n % 7 % 3]),
            }
        };
        (0..cases).map(case).collect()
    }

    /// Returns every stop of the operations on one note, without a kill.
    fn every_stop(&self) -> Vec<Case> {
        let pairs = self.pairs.iter().filter(|(operation, _)| !operation.is_of_many());
        pairs
            .flat_map(|(operation, action)| {
                let stops = which(&self.calls[operation.name], Call::is_a_moment).into_iter();
                stops.map(|stop| Case::without_kill(operation, *action, stop))
            })
            .collect()
    }
}

/// Returns the indices of the calls for which `these` holds.
fn which(calls: &[Call], these: impl Fn(&Call) -> bool) -> Vec<usize> {
    (0..calls.len()).filter(|at| these(&calls[*at])).collect()
}

/// Returns the `n`th of a sequence that covers `0..all` evenly.
fn part_of(all: usize, n: usize, step: f64) -> usize {
    ((n as f64 * step).fract() * all as f64) as usize
}

/// Runs the cases, and each again with kills. `kills` selects from the calls after the user's action the ones
/// to kill before; finishing, undoing and neither alternate.
fn run_all(cases: &[Case], kills: impl Fn(&[Call]) -> Vec<usize> + Sync) -> Vec<Tried> {
    let (next, tried) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::SeqCst)) {
            let Some(first) = case.run() else { continue };
            let later = case.stop + 1;
            let kills = kills(&first.calls[later.min(first.calls.len())..]).into_iter().map(|at| later + at);
            let killed = kills.zip(NEXT.into_iter().cycle()).map(|(at, next)| case.killed(at, next));
            let mut these: Vec<Tried> = killed.filter_map(|case| case.run()).collect();
            these.push(first);
            these.iter_mut().for_each(|tried| tried.calls = Vec::new());
            let mut tried = tried.lock().unwrap();
            let before: usize = tried.len() / 1000;
            tried.append(&mut these);
            if tried.len() / 1000 > before {
                eprintln!("{} cases, {} of {} stops", tried.len(), next.load(Ordering::SeqCst), cases.len());
            }
        }
    };
    let threads = match FullDisk::is_wanted() {
        true => 1,
        false => std::thread::available_parallelism().map_or(1, usize::from),
    };
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    tried.into_inner().unwrap()
}

/// Adds no kills.
fn no_kills(_: &[Call]) -> Vec<usize> {
    Vec::new()
}

/// The counts of one line of the table.
#[derive(Debug, Default)]
struct Sum {
    cases: usize,
    wrong: [usize; 4],
    accepted: usize,
}

fn table(tried: &[Tried]) -> String {
    let mut sums: BTreeMap<(&str, &str), Sum> = BTreeMap::new();
    for one in tried {
        for action in [one.case.action.name(), "~ all"] {
            let sum = sums.entry((one.case.operation.name, action)).or_default();
            sum.cases += 1;
            sum.accepted += usize::from(one.accepted);
            for (count, (_, wrong)) in sum.wrong.iter_mut().zip(one.wrong.each()) {
                *count += usize::from(!wrong.is_empty());
            }
        }
    }
    let mut table = format!(
        "{:<15} {:<20} {:>7} {:>7} {:>9} {:>9} {:>16} {:>8}\n",
        "operation", "user", "cases", "lost", "misplaced", "left over", "untrue exit code", "accepted"
    );
    for ((operation, action), sum) in sums {
        let [lost, misplaced, left_over, untrue] = sum.wrong;
        table.push_str(&format!(
            "{operation:<15} {action:<20} {:>7} {lost:>7} {misplaced:>9} {left_over:>9} {untrue:>16} {:>8}\n",
            sum.cases, sum.accepted
        ));
    }
    table
}

/// Prints the table, and fails if any case violates an invariant.
#[track_caller]
fn assert_nothing_wrong(mut tried: Vec<Tried>) {
    tried.sort_by_key(|one| one.case.to_string());
    let wrong: Vec<&Tried> = tried.iter().filter(|one| !one.wrong.is_nothing()).collect();
    eprintln!("{}", table(&tried));
    for one in
        wrong.iter().take(std::env::var("NOVA_WINDOWS_SHOWN").map_or(10, |shown| shown.parse().unwrap()))
    {
        eprintln!("NOVA_WINDOW_CASE=\"{}\"", one.case);
        for (kind, wrong) in one.wrong.each() {
            wrong.iter().for_each(|wrong| eprintln!("    {kind}: {wrong}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases went wrong", wrong.len(), tried.len());
}

/// Whether a single case is reproduced.
fn is_alone() -> bool {
    std::env::var_os("NOVA_WINDOW_CASE").is_some()
}

fn report(case: &str) {
    let words: Vec<&str> = case.split(' ').collect();
    let mut case =
        Case::without_kill(Operation::named(words[0]), Action::named(words[1]), words[2].parse().unwrap());
    if let Some(kill) = words.get(3).filter(|kill| **kill != "-") {
        let next = NEXT.into_iter().find(|next| words.get(4) == Some(&format!("{next:?}").as_str()));
        case = case.killed(kill.parse().unwrap(), next.unwrap_or(Next::Opens));
    }
    let Some(tried) = case.run() else { panic!("the action is impossible at this point") };
    for (at, call) in tried.calls.iter().enumerate() {
        if at == case.stop {
            eprintln!("   --- the user acts: {}", case.action.name());
        }
        eprintln!("{at:>4} {call}");
    }
    if case.kill.is_some_and(|kill| kill < tried.calls.len()) {
        eprintln!("   --- killed before it");
    }
    eprintln!("the next Nova: {:?}", case.next);
    for (path, text) in &tried.files {
        eprintln!("{path}: {text:?}");
    }
    assert_nothing_wrong(vec![tried]);
}

#[test]
fn no_window_loses_what_a_user_saves() {
    if let Ok(case) = std::env::var("NOVA_WINDOW_CASE") {
        return report(&case);
    }
    let matrix = Matrix::new();
    let seed = std::env::var("NOVA_SEED").map_or(0, |seed| seed.parse().unwrap());
    let tried = match std::env::var("NOVA_WINDOWS").as_deref() {
        Ok("all") => {
            let many = matrix.pairs.iter().copied().filter(|(operation, _)| operation.is_of_many());
            let mut tried = run_all(&matrix.every_stop(), |calls| which(calls, |call| call.changes));
            tried.extend(run_all(&matrix.spread(&many.collect::<Vec<_>>(), SAMPLED, seed), no_kills));
            tried
        }
        Ok(cases) => run_all(&matrix.spread(&matrix.pairs, cases.parse().unwrap(), seed), no_kills),
        Err(_) => run_all(&matrix.spread(&matrix.pairs, CASES, seed), no_kills),
    };
    assert_nothing_wrong(tried);
}
