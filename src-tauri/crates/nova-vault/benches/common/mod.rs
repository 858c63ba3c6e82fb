//! Shared by the benchmarks: a generated vault, a bare walk as the baseline, medians, a table of results.
#![allow(dead_code, reason = "each benchmark uses a part")]

use std::ffi::CStr;
use std::fs;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use nova_vault::{Vault, VaultOptions};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, StatxFlags, fstat, openat, statx};

/// Measurement noise: a ratio misses its goal only when it exceeds the goal by this factor.
const NOISE: f64 = 1.15;

pub(crate) const ROUNDS: usize = 15;

/// The sizes to measure: `NOVA_BENCH_NOTES=1000,10000`, by default all three.
pub(crate) fn sizes() -> Vec<usize> {
    let given = std::env::var("NOVA_BENCH_NOTES").unwrap_or_else(|_| "1000,10000,100000".to_owned());
    given
        .split(',')
        .map(|size| size.trim().parse().expect("NOVA_BENCH_NOTES: numbers, with commas"))
        .collect()
}

/// A generated vault and facts about it; deleted on drop.
pub(crate) struct MadeUp {
    dir: tempfile::TempDir,
    pub(crate) notes: usize,
    pub(crate) contacts: usize,
    pub(crate) bytes: usize,
    /// A note that may be edited.
    pub(crate) one: String,
}

impl MadeUp {
    pub(crate) fn root(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("vault")
    }

    pub(crate) fn open(&self) -> Vault {
        open(&self.root())
    }
}

pub(crate) fn open(root: &Path) -> Vault {
    let id = Arc::new(AtomicU64::new(0));
    let data = root.parent().unwrap().join("data");
    Vault::open(VaultOptions {
        root: root.to_owned(),
        history: data.join("history"),
        forbidden: vec![data],
        roots: Vec::new(),
        program: None,
        clock: Arc::new(Timestamp::now),
        zone: jiff::tz::TimeZone::UTC,
        new_id: Arc::new(move || format!("{}-{}", std::process::id(), id.fetch_add(1, Ordering::Relaxed))),
        trash: None,
        top_folder: |_| None,
        write_through: false,
        limits: nova_vault::Limits::default(),
    })
    .unwrap()
}

/// Generates the same vault for the same number every time: records of all kinds, journals and plain notes,
/// some with CRLF, a BOM, Unicode names or broken front matter.
pub(crate) fn make_up(notes: usize) -> MadeUp {
    let dir = tempfile::Builder::new().prefix("nova-bench-").tempdir().unwrap();
    let root = dir.path().join("vault");
    let mut random = Random(42);
    let mut made = MadeUp { dir, notes, contacts: 0, bytes: 0, one: String::new() };
    let mut made_folders = std::collections::HashSet::new();
    for n in 0..notes {
        let year = 2000 + n % 25;
        let month = 1 + n / 25 % 12;
        let broken = n % 500 == 99;
        let (folder, name, front) = match n % 20 {
            0 | 1 => {
                made.contacts += usize::from(!broken);
                let letter = char::from(b'A' + (n / 20 % 26) as u8);
                let front = format!(
                    "type: contact\nname: Jané Doe {n}\ncompany: \"[[Company {}]]\"\nemail: jane{n}@example.org\nphone: +49 30 {n}\nstage: lead\ntags: [friend, berlin]\nlast_contact: {year}-{month:02}-11",
                    n % 97
                );
                (format!("CRM/People/{letter}{}", n / 8000), format!("Jané Doe {n}"), front)
            }
            2 => {
                let front = format!(
                    "type: company\nname: Company {n}\ndomain: c{n}.example.org\ntags:\n  - customer\n  - \"{month}\""
                );
                ("CRM/Companies".to_owned() + &(n / 4000).to_string(), format!("Company {n}"), front)
            }
            3 => {
                let front = format!(
                    "type: deal\ntitle: Deal {n}\ncontact: \"[[Jané Doe {n}]]\"\nstage: won\nvalue: {n}.50\ncurrency: EUR\nclose_date: {year}-{month:02}-01"
                );
                ("CRM/Deals".to_owned() + &(n / 4000).to_string(), format!("Deal {n}"), front)
            }
            4..10 => {
                let front = format!(
                    "type: expense\ndate: {year}-{month:02}-17\namount: 12.{:02}\ncurrency: EUR\ncategory: groceries\npayee: Corner Market",
                    n % 100
                );
                (format!("Budget/Expenses/{year}"), format!("{year}-{month:02}-17 Corner Market {n}"), front)
            }
            10..13 => {
                (format!("Journal/{year}/{month:02}"), format!("day {n}"), "tags: [journal]".to_owned())
            }
            13 => (
                format!("研究/深い/{year}"),
                format!("天気 {n}"),
                format!("title: 天気 {n}\naliases: [Wetter {n}]"),
            ),
            _ => (format!("Projects/P{}/{month:02}", n / 300), format!("note {n}"), String::new()),
        };
        let mut text = String::new();
        if n % 200 == 7 {
            text.push('\u{feff}');
        }
        if broken {
            text.push_str("---\nkey: one: two: three\n---\n");
        } else if !front.is_empty() {
            text.push_str(&format!("---\n{front}\n---\n"));
        }
        text.push_str(&format!("# Note {n}\n\n"));
        // Half of the notes are short; the others vary up to long.
        let words = if n % 2 == 0 { 40 } else { 60 + random.below(480) };
        for at in 0..words {
            text.push_str(WORDS[random.below(WORDS.len())]);
            text.push(if at % 14 == 13 { '\n' } else { ' ' });
        }
        if n % 1000 == 500 {
            text.push_str("\nHere is the Needle in the haystack.\n");
        }
        if n % 50 == 3 {
            text = text.replace('\n', "\r\n");
        }
        made.bytes += text.len();
        let path = format!("{folder}/{name}.md");
        if made_folders.insert(folder.clone()) {
            fs::create_dir_all(root.join(&folder)).unwrap();
        }
        fs::write(root.join(&path), text).unwrap();
        if n % 20 == 0 {
            fs::write(root.join(&folder).join(format!("image {n}.png")), "").unwrap();
            made.one = path;
        }
    }
    fs::create_dir_all(root.join(".obsidian")).unwrap();
    fs::write(root.join(".obsidian/app.json"), "{}").unwrap();
    // Freshly written notes are re-read on every query, until they are two seconds old.
    std::thread::sleep(Duration::from_millis(2100));
    made
}

const WORDS: [&str; 32] = [
    "the",
    "and",
    "with",
    "after",
    "report",
    "meeting",
    "quarter",
    "plan",
    "Zürich",
    "invoice",
    "call",
    "draft",
    "[[Jané Doe 20]]",
    "review",
    "#todo",
    "open",
    "question",
    "answer",
    "weather",
    "train",
    "ticket",
    "budget",
    "note",
    "idea",
    "garden",
    "window",
    "river",
    "market",
    "signal",
    "paper",
    "table",
    "light",
];

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

pub(crate) fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(8)
}

/// Opens every folder and stats every entry once; with `read`, also reads every note. The minimum that any
/// program must do to detect changes. Returns entries and bytes.
pub(crate) fn bare_walk(root: &Path, threads: usize, read: bool) -> (usize, usize) {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = Arc::new(openat(rustix::fs::CWD, root, flags, Mode::empty()).unwrap());
    let open = Mutex::new(vec![opened]);
    let (left, entries, bytes) = (AtomicUsize::new(1), AtomicUsize::new(0), AtomicUsize::new(0));
    let run = || {
        let mut buffer = Vec::with_capacity(32 * 1024);
        let (mut met, mut taken, mut text) = (0, 0, Vec::new());
        while left.load(Ordering::Acquire) > 0 {
            let next = open.lock().unwrap().pop();
            let Some(folder) = next else {
                std::thread::yield_now();
                continue;
            };
            let mut list = RawDir::new(&*folder, buffer.spare_capacity_mut());
            while let Some(entry) = list.next() {
                let entry = entry.unwrap();
                let name = entry.file_name();
                if name.to_bytes().starts_with(b".") {
                    continue;
                }
                met += 1;
                let kind = entry.file_type();
                if read && kind == FileType::RegularFile && name.to_bytes().ends_with(b".md") {
                    taken += bare_read(&folder, name, &mut text);
                    continue;
                }
                statx(&*folder, name, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::BASIC_STATS).unwrap();
                if kind == FileType::Directory {
                    left.fetch_add(1, Ordering::AcqRel);
                    open.lock()
                        .unwrap()
                        .push(Arc::new(openat(&*folder, name, flags, Mode::empty()).unwrap()));
                }
            }
            left.fetch_sub(1, Ordering::AcqRel);
        }
        entries.fetch_add(met, Ordering::Relaxed);
        bytes.fetch_add(taken, Ordering::Relaxed);
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(run);
        }
        run();
    });
    (entries.into_inner(), bytes.into_inner())
}

/// Opens a note, stats it, and reads it whole into a reused buffer.
fn bare_read(folder: &OwnedFd, name: &CStr, text: &mut Vec<u8>) -> usize {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = openat(folder, name, flags, Mode::empty()).unwrap();
    let size = fstat(&file).unwrap().st_size as usize;
    if text.len() < size {
        text.resize(size, 0);
    }
    let mut filled = 0;
    while filled < size {
        match rustix::io::read(&file, &mut text[filled..size]).unwrap() {
            0 => break,
            read => filled += read,
        }
    }
    filled
}

pub(crate) type Contender<'a> = &'a mut dyn FnMut();

/// Runs the contenders in turn, for this many rounds, and returns the sorted times of each.
pub(crate) fn measure(rounds: usize, contenders: &mut [Contender<'_>]) -> Vec<Vec<Duration>> {
    let mut times = vec![Vec::with_capacity(rounds); contenders.len()];
    for round in 0..=rounds {
        for (contender, times) in contenders.iter_mut().zip(&mut times) {
            let begin = Instant::now();
            contender();
            // The first round is warm-up.
            if round > 0 {
                times.push(begin.elapsed());
            }
        }
    }
    times.iter_mut().for_each(|times| times.sort());
    times
}

pub(crate) fn median(times: &[Duration]) -> Duration {
    times[times.len() / 2]
}

/// Measurements with their goals.
#[derive(Default)]
pub(crate) struct Table {
    missed: usize,
}

impl Table {
    /// The ratio of two times must not exceed `goal`.
    pub(crate) fn at_most(&mut self, what: &str, ours: Duration, theirs: Duration, goal: f64) {
        let (ours, theirs) = (ours.as_secs_f64(), theirs.as_secs_f64());
        let ratio = ours / theirs;
        let verdict = self.judge(ratio, goal, NOISE);
        println!(
            "{what:<64} {:>9.2} ms {:>9.2} ms {ratio:>6.2} goal ≤ {goal:.2} {verdict}",
            ours * 1e3,
            theirs * 1e3
        );
    }

    /// The number of bytes must not exceed `goal`; bytes have no noise.
    pub(crate) fn bytes_at_most(&mut self, what: &str, bytes: f64, goal: f64) {
        let verdict = self.judge(bytes, goal, 1.0);
        println!("{what:<64} {:>9.2} MB goal ≤ {:.0} MB {verdict}", bytes * 1e-6, goal * 1e-6);
    }

    /// The wall time must not exceed `goal`.
    pub(crate) fn time_at_most(&mut self, what: &str, time: Duration, goal: Duration) {
        let verdict = self.judge(time.as_secs_f64(), goal.as_secs_f64(), 1.0);
        println!(
            "{what:<64} {:>9.2} ms goal ≤ {:.0} ms {verdict}",
            time.as_secs_f64() * 1e3,
            goal.as_secs_f64() * 1e3
        );
    }

    fn judge(&mut self, measured: f64, goal: f64, noise: f64) -> &'static str {
        if measured <= goal {
            "met"
        } else if measured <= goal * noise {
            "met but for noise"
        } else {
            self.missed += 1;
            "MISSED"
        }
    }

    pub(crate) fn end(self) -> ExitCode {
        println!(
            "{} goals missed (by more than {:.0} %, which counts as noise)",
            self.missed,
            (NOISE - 1.0) * 100.0
        );
        if self.missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// Hashes the contents and times of all files and folders, to compare before and after.
pub(crate) fn fingerprint(root: &Path) -> blake3::Hash {
    use std::os::unix::fs::MetadataExt;
    let mut hasher = blake3::Hasher::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        for path in entries {
            let metadata = path.symlink_metadata().unwrap();
            let times = [
                metadata.ino() as i64,
                metadata.mtime(),
                metadata.mtime_nsec(),
                metadata.ctime(),
                metadata.ctime_nsec(),
            ];
            hasher.update(path.as_os_str().as_encoded_bytes());
            for time in times {
                hasher.update(&time.to_le_bytes());
            }
            if metadata.is_dir() {
                open.push(path);
            } else {
                hasher.update(&fs::read(path).unwrap());
            }
        }
    }
    hasher.finalize()
}
