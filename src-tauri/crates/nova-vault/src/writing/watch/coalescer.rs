//! Decides from raw file events which paths to check, and when.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indexmap::IndexMap;
use notify::Event;
use notify::event::{AccessKind, AccessMode, CreateKind, EventKind, ModifyKind, RenameMode};

/// Collects events until a save is complete. Has no clock and does not access the disk.
#[derive(Debug)]
pub(super) struct Coalescer {
    root: PathBuf,
    timing: Timing,
    pending: IndexMap<String, Pending>,
    /// Sources of renames whose other half has not arrived yet.
    moved_from: HashMap<usize, String>,
    renames: Vec<(String, String)>,
    lost: Option<Pending>,
}

/// Paths to check now.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Batch {
    /// Paths relative to the root, oldest event first: notes, folders or anything else. The root itself is
    /// the empty string.
    pub(super) paths: Vec<String>,
    /// Pairs (from, to) reported by the system as one rename.
    pub(super) renames: Vec<(String, String)>,
    /// Events were lost: the whole tree must be compared.
    pub(super) lost_events: bool,
}

/// How long to wait for a save to complete.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timing {
    /// A path is checked when it has been quiet for this long …
    pub(super) quiet: Duration,
    /// … or at the latest this long after its first event.
    pub(super) limit: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self { quiet: Duration::from_millis(25), limit: Duration::from_millis(50) }
    }
}

#[derive(Debug, Clone, Copy)]
struct Pending {
    first: Instant,
    last: Instant,
    finished: bool,
}

impl Pending {
    fn due_at(&self, timing: Timing) -> Instant {
        if self.finished { self.first } else { (self.last + timing.quiet).min(self.first + timing.limit) }
    }
}

impl Batch {
    pub(super) fn is_empty(&self) -> bool {
        self.paths.is_empty() && self.renames.is_empty() && !self.lost_events
    }
}

impl Coalescer {
    pub(super) fn new(root: PathBuf, timing: Timing) -> Self {
        Self {
            root,
            timing,
            pending: IndexMap::new(),
            moved_from: HashMap::new(),
            renames: Vec::new(),
            lost: None,
        }
    }

    /// Whether an event can concern a note. Reads also raise events: reacting to them would make each check
    /// cause the next.
    pub(super) fn concerns(event: &Event) -> bool {
        match event.kind {
            EventKind::Access(access) => access == AccessKind::Close(AccessMode::Write),
            _ => true,
        }
    }

    pub(super) fn push(&mut self, event: &Event, now: Instant) {
        if event.need_rescan() {
            self.lose(now);
        }
        if !Self::concerns(event) {
            return;
        }
        let paths: Vec<Option<String>> = event.paths.iter().map(|path| relative(&self.root, path)).collect();
        match event.kind {
            EventKind::Modify(ModifyKind::Name(RenameMode::Both)) => {
                let mut ends = paths.into_iter();
                self.moved(ends.next().flatten(), ends.next().flatten(), now);
            }
            EventKind::Modify(ModifyKind::Name(RenameMode::From)) => {
                if let (Some(cookie), [Some(from)]) = (event.tracker(), paths.as_slice()) {
                    self.moved_from.insert(cookie, from.clone());
                }
                self.touch_all(paths, now, false);
            }
            EventKind::Modify(ModifyKind::Name(RenameMode::To)) => {
                let from = event.tracker().and_then(|cookie| self.moved_from.remove(&cookie));
                self.moved(from, paths.into_iter().next().flatten(), now);
            }
            EventKind::Access(_) | EventKind::Create(CreateKind::Folder) => {
                self.touch_all(paths, now, true);
            }
            _ => self.touch_all(paths, now, false),
        }
    }

    /// Records that events were lost, so that any path may have changed.
    pub(super) fn lose(&mut self, now: Instant) {
        let lost = self.lost.get_or_insert(Pending { first: now, last: now, finished: false });
        lost.last = now;
    }

    /// Paths due at `now`; the rest stays pending.
    pub(super) fn due(&mut self, now: Instant) -> Batch {
        let timing = self.timing;
        if self.lost.is_some_and(|lost| lost.due_at(timing) <= now) {
            return self.take_all();
        }
        let mut paths = Vec::new();
        self.pending.retain(|path, pending| {
            let due = pending.due_at(timing) <= now;
            if due {
                paths.push(path.clone());
            }
            !due
        });
        self.moved_from.retain(|_, from| self.pending.contains_key(from));
        Batch {
            paths,
            // Both ends are due at once.
            renames: std::mem::take(&mut self.renames),
            lost_events: false,
        }
    }

    /// All pending paths, whether due or not.
    pub(super) fn take_all(&mut self) -> Batch {
        self.moved_from.clear();
        Batch {
            paths: self.pending.drain(..).map(|(path, _)| path).collect(),
            renames: std::mem::take(&mut self.renames),
            lost_events: self.lost.take().is_some(),
        }
    }

    /// Removes paths with a pending event, and paths below them: they are checked when due.
    pub(super) fn exclude_pending<T>(&self, paths: &mut IndexMap<String, T>) {
        if self.pending.is_empty() {
            return;
        }
        let parents = |path: &str| {
            std::iter::successors(Some(path.to_owned()), |path| Some(path.rsplit_once('/')?.0.to_owned()))
        };
        paths.retain(|path, _| !parents(path).any(|path| self.pending.contains_key(&path)));
    }

    /// When the next path will be due, without further events.
    pub(super) fn wake_at(&self) -> Option<Instant> {
        self.pending.values().chain(&self.lost).map(|pending| pending.due_at(self.timing)).min()
    }

    fn touch_all(&mut self, paths: Vec<Option<String>>, now: Instant, finished: bool) {
        for path in paths.into_iter().flatten() {
            self.touch(path, now, finished);
        }
    }

    /// Records an event for a path; `finished` means that there is nothing to wait for.
    pub(super) fn touch(&mut self, path: String, now: Instant, finished: bool) {
        let pending = self.pending.entry(path).or_insert(Pending { first: now, last: now, finished });
        pending.last = now;
        pending.finished |= finished;
    }

    /// One end is `None` if it is hidden or outside.
    fn moved(&mut self, from: Option<String>, to: Option<String>, now: Instant) {
        if let (Some(from), Some(to)) = (&from, &to)
            && is_note(from) == is_note(to)
        {
            // Checked separately, they would be reported as a creation and a removal.
            self.touch(from.clone(), now, true);
            let pair = (from.clone(), to.clone());
            if !self.renames.contains(&pair) {
                self.renames.push(pair);
            }
        } else if let Some(from) = from {
            // A note moved aside is the first half of a save: vim renames `a.md` to `a.md~` and then writes
            // a new `a.md`.
            self.touch(from, now, false);
        }
        if let Some(to) = to {
            self.touch(to, now, true);
        }
    }
}

/// The path below `root`, `/` separated; `None` for paths that are never checked: dot-files and dot-folders
/// (`.obsidian`, `.trash`, `.git`, `.nova-*.tmp`), non-Unicode names, and anything outside.
fn relative(root: &Path, path: &Path) -> Option<String> {
    let mut relative = String::new();
    for component in path.strip_prefix(root).ok()?.components() {
        let name = component.as_os_str().to_str()?;
        if is_hidden(name) {
            return None;
        }
        if !relative.is_empty() {
            relative.push('/');
        }
        relative.push_str(name);
    }
    Some(relative)
}

/// Whether a file or folder of this name is ignored.
pub(super) fn is_hidden(name: &str) -> bool {
    name.starts_with('.')
}

/// Whether a path has a note's extension.
pub(super) fn is_note(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
}

#[cfg(test)]
mod tests {
    use notify::event::{DataChange, Flag, MetadataKind, RemoveKind};

    use super::*;

    /// Replays events (`milliseconds event path…`) and compares what became due, and when, with `expected`.
    /// Events are in the order in which notify sends them on Linux.
    fn check(events: &str, expected: &str) {
        let start = Instant::now();
        let mut coalescer = Coalescer::new(PathBuf::from("/vault"), Timing::default());
        let mut due = Vec::new();
        let mut lines = events.trim().lines().map(str::trim).peekable();
        while let Some(line) = lines.next() {
            let (at, event) = line.split_once(' ').expect("time and event");
            let now = start + Duration::from_millis(at.parse().expect("a time"));
            wake(&mut coalescer, start, Some(now), &mut due);
            coalescer.push(&raw_event(event), now);
            // Simultaneous events are processed together.
            if lines.peek().is_none_or(|next| !next.starts_with(&format!("{at} "))) {
                let batch = coalescer.due(now);
                report(&batch, start, now, &mut due);
            }
        }
        wake(&mut coalescer, start, None, &mut due);
        let expected: Vec<&str> = expected.trim().lines().map(str::trim).collect();
        assert_eq!(due, expected, "for the events\n{events}");
    }

    /// Advances the clock to `end`, or until nothing is pending.
    fn wake(coalescer: &mut Coalescer, start: Instant, end: Option<Instant>, due: &mut Vec<String>) {
        while let Some(at) = coalescer.wake_at()
            && end.is_none_or(|end| at < end)
        {
            let batch = coalescer.due(at);
            assert!(!batch.is_empty(), "spurious wake-up");
            report(&batch, start, at, due);
        }
    }

    fn report(batch: &Batch, start: Instant, now: Instant, due: &mut Vec<String>) {
        if batch.is_empty() {
            return;
        }
        let mut words = batch.paths.clone();
        words.extend(batch.renames.iter().map(|(from, to)| format!("{from}→{to}")));
        if batch.lost_events {
            words.push("everything".to_owned());
        }
        due.push(format!("{}: {}", (now - start).as_millis(), words.join(" ")));
    }

    fn raw_event(text: &str) -> Event {
        let mut words = text.split(' ');
        let name = words.next().expect("an event");
        let kind = match name {
            "create" => EventKind::Create(CreateKind::File),
            "mkdir" => EventKind::Create(CreateKind::Folder),
            "data" => EventKind::Modify(ModifyKind::Data(DataChange::Any)),
            "metadata" => EventKind::Modify(ModifyKind::Metadata(MetadataKind::Any)),
            "open" => EventKind::Access(AccessKind::Open(AccessMode::Any)),
            "close-read" => EventKind::Access(AccessKind::Close(AccessMode::Read)),
            "close-write" => EventKind::Access(AccessKind::Close(AccessMode::Write)),
            "from" => EventKind::Modify(ModifyKind::Name(RenameMode::From)),
            "to" => EventKind::Modify(ModifyKind::Name(RenameMode::To)),
            "both" => EventKind::Modify(ModifyKind::Name(RenameMode::Both)),
            "remove" => EventKind::Remove(RemoveKind::File),
            "rescan" => return Event::new(EventKind::Other).set_flag(Flag::Rescan),
            other => panic!("unknown event: {other}"),
        };
        words.fold(Event::new(kind), |event, word| match word.strip_prefix('#') {
            Some(cookie) => event.set_tracker(cookie.parse().expect("a cookie")),
            None => event.add_path(Path::new("/vault").join(word)),
        })
    }

    #[test]
    fn finished_save_is_due_at_once() {
        check(
            "0 open a.md
             0 data a.md
             3 close-write a.md",
            "3: a.md",
        );
    }

    #[test]
    fn unfinished_save_waits_for_quiet() {
        check("0 create a.md", "25: a.md");
        check("10 remove a.md", "35: a.md");
        check("0 metadata a.md\n20 metadata a.md", "45: a.md");
    }

    #[test]
    fn unfinished_save_is_due_at_the_limit() {
        check(
            "0 data a.md
             20 data a.md
             40 data a.md
             60 data a.md",
            "50: a.md
             85: a.md",
        );
    }

    #[test]
    fn each_path_has_its_own_delay() {
        check(
            "0 data a.md
             10 data b.md
             12 close-write c.md",
            "12: c.md
             25: a.md
             35: b.md",
        );
    }

    #[test]
    fn reads_are_ignored() {
        check("0 open a.md\n1 close-read a.md\n2 open a.md", "");
    }

    #[test]
    fn note_replaced_by_a_rename_is_due_once() {
        check(
            "0 create .a.md.tmp
             0 close-write .a.md.tmp
             1 from .a.md.tmp #7
             1 to a.md #7
             1 both .a.md.tmp a.md #7",
            "1: a.md",
        );
        // A temporary file's name need not begin with a dot.
        check(
            "0 create a.md~123
             0 close-write a.md~123
             1 from a.md~123 #7
             1 to a.md #7
             1 both a.md~123 a.md #7",
            "0: a.md~123
             1: a.md
             26: a.md~123",
        );
    }

    #[test]
    fn note_saved_by_vim_is_due_once() {
        check(
            "0 from a.md #9
             0 to a.md~ #9
             0 both a.md a.md~ #9
             2 create a.md
             3 data a.md
             4 close-write a.md
             5 remove a.md~",
            "0: a.md~
             4: a.md
             30: a.md~",
        );
    }

    #[test]
    fn both_ends_of_a_rename_are_due_together() {
        check(
            "0 from a.md #1
             1 to b.md #1",
            "1: a.md b.md a.md→b.md",
        );
        check("0 both a.md b.md #1", "0: a.md b.md a.md→b.md");
        check("0 both Old New #1", "0: Old New Old→New");
    }

    #[test]
    fn one_end_of_a_rename_is_due_by_itself() {
        check("0 from a.md #1", "25: a.md");
        check("0 to a.md #1", "0: a.md");
        check("0 from a.md #1\n1 to b.md #2", "1: b.md\n25: a.md");
        check("0 both a.md .trash/a.md #1", "25: a.md");
        check("0 both .trash/a.md a.md #1", "0: a.md");
    }

    #[test]
    fn new_folder_is_due_at_once() {
        check("0 mkdir New", "0: New");
    }

    #[test]
    fn dot_folders_and_temporary_files_are_ignored() {
        check(
            "0 close-write .obsidian/workspace.json
             1 close-write .git/index
             2 close-write Notes/.trash/a.md
             3 close-write Notes/.nova-17.tmp
             4 close-write ../outside.md",
            "",
        );
    }

    #[test]
    fn lost_events_make_everything_due_once() {
        check(
            "0 data a.md
             10 rescan
             20 rescan",
            "25: a.md
             45: everything",
        );
        check("0 rescan\n20 data a.md", "25: a.md everything");
    }

    #[test]
    fn notes_are_recognised_by_their_extension() {
        assert!(is_note("a.md") && is_note("Folder/A.MD") && is_note("a.b.md"));
        assert!(!is_note("a.md~") && !is_note("amd") && !is_note("a.png") && !is_note("a.md/b"));
    }
}
