//! A real Nova process is killed (SIGKILL) at every step of its writes. What the next one finds
//! is whole, nothing is left behind, and the change set can be finished or undone.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;

use super::*;
use crate::step::Step;
use crate::{ChangeSetState, Scope};

/// Names the folder, the step and the note for the child; absent in an ordinary run.
const CHILD: &str = "NOVA_VAULT_TEST_CHILD";

fn bed() -> Bed {
    Bed::new(&[("a.md", JANE), ("b.md", "b\n"), ("c.md", "c\n"), ("d.md", "d\n")])
}

/// One of everything: changed, created in a new folder, deleted, moved and changed.
fn plan(draft: &mut Draft) -> Result<(), VaultError> {
    draft.set_properties(&path("a.md"), &[set("stage", "won")])?;
    draft.create(&path("New/e.md"), "e\n".to_owned())?;
    draft.delete(&path("b.md"))?;
    draft.rename(&path("c.md"), &path("New/c.md"))?;
    draft.replace(&path("New/c.md"), "c", "changed", None)?;
    draft.append(&path("d.md"), "more", None)
}

fn notes(root: &Path) -> BTreeMap<String, String> {
    files_below(root)
        .into_iter()
        .map(|file| {
            let name = file.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            (name, fs::read_to_string(&file).unwrap())
        })
        .collect()
}

/// The process that is killed: does [`plan`], says when it is at the step, and waits there.
#[test]
#[ignore = "the other tests here start it as their child"]
fn child() {
    let Ok(job) = std::env::var(CHILD) else {
        return;
    };
    let mut job = job.lines();
    let (dir, at, note, edit) = (
        PathBuf::from(job.next().unwrap()),
        job.next().unwrap().to_owned(),
        job.next().unwrap().to_owned(),
        AtomicBool::new(job.next() == Some("edit")),
    );
    let root = dir.join("vault");
    let file = root.join("a.md");
    let options = VaultOptions {
        root,
        history: dir.join("data/history"),
        forbidden: vec![],
        clock: Arc::new(|| Timestamp::from_second(1_795_000_000).unwrap()),
        zone: TimeZone::UTC,
        new_id: Arc::new(|| "child".to_owned()),
    };
    let steps = Steps::hooked(move |step, what| {
        if step == Step::Exchange && what == "a.md" && edit.swap(false, Ordering::SeqCst) {
            let text = fs::read_to_string(&file)?;
            fs::write(&file, text.replace("at the fair", "outside"))?;
        }
        if format!("{step:?}") == at && what == note {
            let mut out = io::stdout();
            writeln!(out, "at the step")?;
            out.flush()?;
            // Until the kill.
            io::stdin().read_to_end(&mut Vec::new())?;
        }
        Ok(())
    });
    let vault = Vault::open_with(options, steps).unwrap();
    change(&vault, plan).unwrap();
}

/// Starts the child and waits until it is at the step; `None` when it never comes there.
fn start(bed: &Bed, step: Step, note: &str, edit: bool) -> Option<Child> {
    let dir = bed.dir.path().canonicalize().unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "tests::killed::child", "--ignored", "--nocapture"])
        .env(CHILD, format!("{}\n{step:?}\n{note}\n{}", dir.display(), if edit { "edit" } else { "" }))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    if lines.any(|line| line.unwrap().ends_with("at the step")) {
        return Some(child);
    }
    assert!(child.wait().unwrap().success());
    None
}

fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn at_every_step_the_next_start_finds_whole_notes() {
    let reference = bed();
    let before = notes(&reference.root());
    change(&reference.vault(), plan).unwrap();
    let after = notes(&reference.root());

    let mut reached = Vec::new();
    for step in [
        Step::Journal,
        Step::CreateTemp,
        Step::WriteTemp,
        Step::SyncTemp,
        Step::Recheck,
        Step::Exchange,
        Step::HashDisplaced,
        Step::SyncFolder,
        Step::JournalDone,
        Step::JournalCommit,
        Step::LastLook,
    ] {
        for note in ["a.md", "New/e.md", "b.md", "New/c.md", "d.md", "child"] {
            let bed = bed();
            let name = format!("{step:?} {note}");
            let Some(child) = start(&bed, step, note, false) else {
                continue;
            };
            kill(child);
            reached.push(step);

            // Each note is there in one of its two states, and in no third.
            for (file, text) in notes(&bed.root()) {
                if !file.contains(".nova-") {
                    let states = [before.get(&file), after.get(&file), before.get("c.md")];
                    assert!(states.contains(&Some(&text)), "{name}: {file}: {text}");
                }
            }
            let vault = bed.vault();
            assert_eq!(bed.leftovers(), Vec::<String>::new(), "{name}");
            assert_eq!(vault.problems().unwrap(), [], "{name}");
            assert!(bed.exists("c.md") != bed.exists("New/c.md"), "{name}");

            let sets = vault.history().list().unwrap();
            if step == Step::Journal {
                assert_eq!(sets, [], "{name}");
                assert_eq!(notes(&bed.root()), before, "{name}");
                continue;
            }
            let expected = match step {
                Step::LastLook => ChangeSetState::Committed,
                _ => ChangeSetState::Interrupted,
            };
            assert_eq!(sets.len(), 1, "{name}");
            assert_eq!(sets[0].state, expected, "{name}");
            let user = Author::new("user");
            if expected == ChangeSetState::Interrupted && reached.len() % 2 == 0 {
                vault.history().finish("child", &user).unwrap();
                drop(vault);
                assert_eq!(notes(&bed.root()), after, "{name}: finished");
                let states = bed.vault().history().list().unwrap();
                assert!(states.iter().all(|s| s.state == ChangeSetState::Committed), "{name}");
            } else {
                let outcome = vault.history().undo("child", Scope::All, &user).unwrap();
                assert_eq!(outcome.conflicts, [], "{name}");
                drop(vault);
                assert_eq!(notes(&bed.root()), before, "{name}: undone");
                let states = bed.vault().history().list().unwrap();
                let undone = states.iter().find(|s| s.id == "child").unwrap();
                assert_eq!(undone.state, ChangeSetState::Undone, "{name}");
            }
        }
    }
    reached.dedup();
    assert_eq!(reached.len(), 11, "{reached:?}");
}

#[test]
fn an_edit_in_the_moment_of_the_kill_is_kept() {
    for step in [
        Step::HashDisplaced,
        Step::CreateTemp,
        Step::Recheck,
        Step::SyncFolder,
        Step::JournalDone,
        Step::LastLook,
    ] {
        let bed = bed();
        let child = start(&bed, step, "a.md", true).unwrap();
        kill(child);
        let vault = bed.vault();
        // `CreateTemp` and `Recheck` come before the edit the first time they are reached.
        let edited = !matches!(step, Step::CreateTemp | Step::Recheck);
        let text = bed.text("a.md");
        assert_eq!(text.contains("Met outside."), edited, "{step:?}\n{text}");
        assert_eq!(bed.leftovers(), Vec::<String>::new(), "{step:?}");
        assert_eq!(vault.problems().unwrap(), [], "{step:?}");
        vault.history().undo("child", Scope::All, &Author::new("user")).unwrap();
        let expected = if edited { JANE.replace("at the fair", "outside") } else { JANE.to_owned() };
        assert_eq!(bed.text("a.md"), expected, "{step:?}");
    }
}

#[test]
fn a_running_nova_is_left_alone() {
    let bed = bed();
    let child = start(&bed, Step::Recheck, "a.md", false).unwrap();
    let vault = bed.vault();
    assert_eq!(bed.leftovers().len(), 1);
    let sets = vault.history().list().unwrap();
    assert_eq!(sets[0].state, ChangeSetState::Open);
    let error = vault.history().finish("child", &Author::new("user")).unwrap_err();
    assert_eq!(error.code(), "change_set_state");
    let all = crate::Limits { days: 0, bytes: 0, at_least: 0 };
    assert_eq!(vault.history().prune(all).unwrap(), Vec::<String>::new());
    kill(child);
    let sets = vault.history().list().unwrap();
    assert_eq!(sets[0].state, ChangeSetState::Interrupted);
    // What waits for a decision is not pruned either.
    assert_eq!(vault.history().prune(all).unwrap(), Vec::<String>::new());
}

#[test]
fn a_journal_cut_anywhere_is_still_read() {
    let bed = bed();
    change(&bed.vault(), plan).unwrap();
    let lines = bed.history().join("set0.jsonl");
    let whole = fs::read(&lines).unwrap();
    let mut notes = 0;
    for cut in 0..whole.len() {
        fs::write(&lines, &whole[..cut]).unwrap();
        let sets = bed.vault().history().list().unwrap();
        let now = sets.first().map_or(0, |set| set.notes.len());
        assert!(now >= notes, "{cut}");
        notes = now;
    }
    assert_eq!(notes, 5);
}

#[test]
fn a_damaged_image_is_said_and_harms_nothing() {
    let bed = bed();
    let (id, _) = change(&bed.vault(), plan).unwrap();
    let images = bed.history().join(format!("{id}.images"));
    let mut bytes = fs::read(&images).unwrap();
    bytes[10] ^= 1;
    fs::write(&images, bytes).unwrap();
    let before = notes(&bed.root());
    let error = bed.vault().history().undo(&id, Scope::All, &Author::new("user")).unwrap_err();
    assert!(error.to_string().contains("damaged"), "{error}");
    assert_eq!(notes(&bed.root()), before);
}
