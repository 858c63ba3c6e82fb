//! A real process is killed (SIGKILL) at every step of its writes. The next one finds whole notes and no
//! leftovers, and the change set can be finished or undone.

mod files;
mod power;
mod undoing;
mod writing;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;

use super::*;
use crate::step::Step;
use crate::{ChangeSetState, Scope};

/// Folder, step and note for the child; unset in an ordinary run.
const CHILD: &str = "NOVA_VAULT_TEST_CHILD";

fn bed() -> Bed {
    Bed::new(&[("a.md", JANE), ("b.md", "b\n"), ("c.md", "c\n"), ("d.md", "d\n")])
}

/// One of each kind: modified, created in a new folder, deleted, moved and modified.
fn plan(draft: &mut Draft) -> Result<(), VaultError> {
    draft.set_properties(&path("a.md"), &[set("stage", "won")])?;
    draft.create(&path("New/e.md"), "e\n".to_owned())?;
    draft.delete(&path("b.md"))?;
    draft.rename(&path("c.md"), &path("New/c.md"))?;
    draft.replace(&path("New/c.md"), "c", "changed", None)?;
    draft.append(&path("d.md"), "more", None)
}

fn one(draft: &mut Draft) -> Result<(), VaultError> {
    draft.set_properties(&path("a.md"), &[set("stage", "won")])
}

fn notes(root: &Path) -> BTreeMap<String, String> {
    files_below(root)
        .into_iter()
        // Deleted notes stay in the trash, even when the deletion is undone.
        .filter(|file| !file.starts_with(root.join(".trash")))
        .map(|file| {
            let name = file.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            (name, fs::read_to_string(&file).unwrap())
        })
        .collect()
}

/// A note with forty linking notes.
fn linked() -> Bed {
    let bed = Bed::new(&[("Target.md", "# Target\n")]);
    for n in 1..=40 {
        bed.put(&linking(n), &format!("See [[Target]].\n\nnote {n}\n"));
    }
    bed
}

fn linking(n: usize) -> String {
    format!("Notes/n{n:02}.md")
}

/// Moves the note and rewrites the forty links.
fn move_target(draft: &mut Draft) -> Result<(), VaultError> {
    draft.rename(&path("Target.md"), &path("Done/Goal.md"))?;
    (1..=40).try_for_each(|n| draft.replace(&path(&linking(n)), "[[Target]]", "[[Goal]]", None))
}

/// Changes a note with two hard links and one with a single name.
fn write_through(draft: &mut Draft) -> Result<(), VaultError> {
    draft.replace(&path("a.md"), "\nMet at the fair.", "At the fair.", None)?;
    draft.append(&path("b.md"), "more", None)
}

/// The operation of the killed process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Job {
    /// [`plan`]
    Plan,
    /// [`plan`], with another program's edit just before the exchange.
    PlanAndEdit,
    /// One property of `a.md`: intent and temporary file are synced together.
    One,
    /// [`move_target`]
    Move,
    /// [`many::hundred`]
    Many,
    /// Undoes `set0`.
    Undo,
    /// Finishes the set `child`.
    Finish,
    /// [`files::attach`]
    File,
    /// [`write_through`]
    Through,
    /// Changes notes one after another, and reports each, until it is killed.
    Endless,
}

const JOBS: [Job; 10] = [
    Job::Plan,
    Job::PlanAndEdit,
    Job::One,
    Job::Move,
    Job::Many,
    Job::Undo,
    Job::Finish,
    Job::File,
    Job::Through,
    Job::Endless,
];

/// The process to be killed: announces the step, and waits there.
#[test]
#[ignore = "the other tests here start it as their child"]
fn child() {
    let Ok(text) = std::env::var(CHILD) else {
        return;
    };
    let mut lines = text.lines();
    let (dir, at, note, job, system) = (
        PathBuf::from(lines.next().unwrap()),
        lines.next().unwrap().to_owned(),
        lines.next().unwrap().to_owned(),
        lines.next().unwrap().to_owned(),
        lines.next().unwrap().to_owned(),
    );
    let system = System::EACH.into_iter().find(|known| format!("{known:?}") == system).unwrap();
    let job = JOBS.into_iter().find(|known| format!("{known:?}") == job).unwrap();
    let root = dir.join("vault");
    let file = root.join("a.md");
    let (edit, ids) = (AtomicBool::new(job == Job::PlanAndEdit), AtomicU64::new(0));
    let options = VaultOptions {
        root,
        history: dir.join("data/history"),
        forbidden: vec![],
        roots: Vec::new(),
        program: None,
        clock: Arc::new({
            let seconds = AtomicI64::new(1_795_000_000);
            move || Timestamp::from_second(seconds.fetch_add(1, Ordering::SeqCst)).unwrap()
        }),
        zone: TimeZone::UTC,
        new_id: Arc::new(move || match (job, ids.fetch_add(1, Ordering::SeqCst)) {
            (
                Job::Plan | Job::PlanAndEdit | Job::One | Job::Move | Job::Many | Job::File | Job::Through,
                0,
            ) => "child".to_owned(),
            (_, n) => format!("{job:?}{n}").to_lowercase(),
        }),
        trash: Some(dir.join("Trash")),
        top_folder: |_| None,
        write_through: true,
        limits: crate::Limits::default(),
    };
    let steps = Steps::hooked(move |step, what| {
        if step == Step::Exchange && what == "a.md" && edit.swap(false, Ordering::SeqCst) {
            let text = fs::read_to_string(&file)?;
            fs::write(&file, text.replace("at the fair", "outside"))?;
        }
        if format!("{step:?}") == at && what == note {
            say("at the step");
            // Until it is killed.
            io::stdin().read_to_end(&mut Vec::new())?;
        }
        Ok(())
    });
    let vault = system.under(Vault::open_with(options, steps).unwrap());
    let user = Author::new("user");
    match job {
        Job::Plan | Job::PlanAndEdit => drop(change(&vault, plan).unwrap()),
        Job::One => drop(change(&vault, one).unwrap()),
        Job::Move => drop(change(&vault, move_target).unwrap()),
        Job::Many => drop(change(&vault, many::hundred).unwrap()),
        Job::File => drop(change(&vault, files::attach).unwrap()),
        Job::Through => drop(change(&vault, write_through).unwrap()),
        Job::Undo => drop(vault.history().undo("set0", Scope::All, &user).unwrap()),
        Job::Finish => drop(vault.history().finish("child", &user).unwrap()),
        Job::Endless => {
            for n in 1.. {
                change(&vault, |draft| count_on(draft, n)).unwrap();
                say(&format!("wrote {n}"));
            }
        }
    }
}

fn say(line: &str) {
    let mut out = io::stdout();
    writeln!(out, "{line}").and_then(|()| out.flush()).unwrap();
}

/// Starts the child and waits until it is at the step; `None` if it never gets there.
fn start(bed: &Bed, step: Step, note: &str, job: Job) -> Option<Child> {
    start_under(System::All, bed, step, note, job)
}

/// As [`start`], on a file system with limited abilities.
fn start_under(system: System, bed: &Bed, step: Step, note: &str, job: Job) -> Option<Child> {
    let mut child = spawn_under(system, bed, &format!("{step:?}\n{note}"), job);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    if lines.any(|line| line.unwrap().ends_with("at the step")) {
        return Some(child);
    }
    assert!(child.wait().unwrap().success());
    None
}

fn spawn(bed: &Bed, at: &str, job: Job) -> Child {
    spawn_under(System::All, bed, at, job)
}

fn spawn_under(system: System, bed: &Bed, at: &str, job: Job) -> Child {
    let dir = bed.dir.path().canonicalize().unwrap();
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "tests::killed::child", "--ignored", "--nocapture"])
        .env(CHILD, format!("{}\n{at}\n{job:?}\n{system:?}", dir.display()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// The state of a set, `None` if it does not exist.
fn state(vault: &Vault, id: &str) -> Option<ChangeSetState> {
    let sets = vault.history().list().unwrap();
    sets.into_iter().find(|set| set.id == id).map(|set| set.state)
}

/// The `n`th change of [`Job::Endless`]: a property and a line in one of three notes.
fn count_on(draft: &mut Draft, n: u64) -> Result<(), VaultError> {
    let note = path(&format!("count{}.md", n % 3));
    draft.set_properties(&note, &[set("count", &format!("n{n}"))])?;
    draft.append(&note, &format!("- line {n}"), None)
}
