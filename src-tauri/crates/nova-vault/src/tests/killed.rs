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

fn one(draft: &mut Draft) -> Result<(), VaultError> {
    draft.set_properties(&path("a.md"), &[set("stage", "won")])
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

/// A note and forty that link to it.
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

/// Changes a note with two names, and one with one.
fn write_through(draft: &mut Draft) -> Result<(), VaultError> {
    draft.replace(&path("a.md"), "\nMet at the fair.", "At the fair.", None)?;
    draft.append(&path("b.md"), "more", None)
}

/// What the process that is killed does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Job {
    /// [`plan`]
    Plan,
    /// [`plan`], with an edit of another program just before the exchange.
    PlanAndEdit,
    /// One property of `a.md`: the intent lasts no earlier than the temporary file.
    One,
    /// [`move_target`]
    Move,
    /// [`many::hundred`]
    Many,
    /// Takes `set0` back.
    Undo,
    /// Finishes the set `child`.
    Finish,
    /// [`write_through`]
    Through,
    /// Changes notes one after the other and says each, until it is killed.
    Endless,
}

const JOBS: [Job; 9] = [
    Job::Plan,
    Job::PlanAndEdit,
    Job::One,
    Job::Move,
    Job::Many,
    Job::Undo,
    Job::Finish,
    Job::Through,
    Job::Endless,
];

/// The process that is killed: says when it is at the step, and waits there.
#[test]
#[ignore = "the other tests here start it as their child"]
fn child() {
    let Ok(text) = std::env::var(CHILD) else {
        return;
    };
    let mut lines = text.lines();
    let (dir, at, note, job) = (
        PathBuf::from(lines.next().unwrap()),
        lines.next().unwrap().to_owned(),
        lines.next().unwrap().to_owned(),
        lines.next().unwrap().to_owned(),
    );
    let job = JOBS.into_iter().find(|known| format!("{known:?}") == job).unwrap();
    let root = dir.join("vault");
    let file = root.join("a.md");
    let (edit, ids) = (AtomicBool::new(job == Job::PlanAndEdit), AtomicU64::new(0));
    let options = VaultOptions {
        root,
        history: dir.join("data/history"),
        forbidden: vec![],
        clock: Arc::new({
            let seconds = AtomicI64::new(1_795_000_000);
            move || Timestamp::from_second(seconds.fetch_add(1, Ordering::SeqCst)).unwrap()
        }),
        zone: TimeZone::UTC,
        new_id: Arc::new(move || match (job, ids.fetch_add(1, Ordering::SeqCst)) {
            (Job::Plan | Job::PlanAndEdit | Job::One | Job::Move | Job::Many | Job::Through, 0) => {
                "child".to_owned()
            }
            (_, n) => format!("{job:?}{n}").to_lowercase(),
        }),
        trash: Some(dir.join("Trash")),
        write_through: true,
    };
    let steps = Steps::hooked(move |step, what| {
        if step == Step::Exchange && what == "a.md" && edit.swap(false, Ordering::SeqCst) {
            let text = fs::read_to_string(&file)?;
            fs::write(&file, text.replace("at the fair", "outside"))?;
        }
        if format!("{step:?}") == at && what == note {
            say("at the step");
            // Until the kill.
            io::stdin().read_to_end(&mut Vec::new())?;
        }
        Ok(())
    });
    let vault = Vault::open_with(options, steps).unwrap();
    let user = Author::new("user");
    match job {
        Job::Plan | Job::PlanAndEdit => drop(change(&vault, plan).unwrap()),
        Job::One => drop(change(&vault, one).unwrap()),
        Job::Move => drop(change(&vault, move_target).unwrap()),
        Job::Many => drop(change(&vault, many::hundred).unwrap()),
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

/// Starts the child and waits until it is at the step; `None` when it never comes there.
fn start(bed: &Bed, step: Step, note: &str, job: Job) -> Option<Child> {
    let mut child = spawn(bed, &format!("{step:?}\n{note}"), job);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    if lines.any(|line| line.unwrap().ends_with("at the step")) {
        return Some(child);
    }
    assert!(child.wait().unwrap().success());
    None
}

fn spawn(bed: &Bed, at: &str, job: Job) -> Child {
    let dir = bed.dir.path().canonicalize().unwrap();
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "tests::killed::child", "--ignored", "--nocapture"])
        .env(CHILD, format!("{}\n{at}\n{job:?}", dir.display()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn at_every_step_the_next_start_finds_whole_notes() {
    let _alone = one_at_a_time();
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
            let Some(child) = start(&bed, step, note, Job::Plan) else {
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
fn a_single_change_is_whole_too_at_every_step() {
    let _alone = one_at_a_time();
    let reference = bed();
    let before = notes(&reference.root());
    change(&reference.vault(), one).unwrap();
    let after = notes(&reference.root());
    for (step, changed) in [
        (Step::CreateTemp, false),
        (Step::WriteTemp, false),
        (Step::SyncTemp, false),
        (Step::Recheck, false),
        (Step::Exchange, false),
        (Step::HashDisplaced, true),
        (Step::SyncFolder, true),
        (Step::JournalDone, true),
    ] {
        let bed = bed();
        kill(start(&bed, step, "a.md", Job::One).unwrap());
        let vault = bed.vault();
        assert_eq!(bed.leftovers(), Vec::<String>::new(), "{step:?}");
        assert_eq!(notes(&bed.root()), *if changed { &after } else { &before }, "{step:?}");
        assert_eq!(state(&vault, "child"), Some(ChangeSetState::Interrupted), "{step:?}");
        vault.history().finish("child", &Author::new("user")).unwrap();
        drop(vault);
        assert_eq!(notes(&bed.root()), after, "{step:?}: finished");
    }
}

#[test]
fn what_a_power_cut_kept_from_the_journal_was_never_begun() {
    let _alone = one_at_a_time();
    for lost in [0, 10] {
        let bed = bed();
        let before = notes(&bed.root());
        kill(start(&bed, Step::SyncTemp, "a.md", Job::One).unwrap());
        // The lines reached the disk, the texts that they name did not as a whole.
        let images = fs::OpenOptions::new().write(true).open(bed.history().join("child.images")).unwrap();
        images.set_len(lost).unwrap();
        let vault = bed.vault();
        assert_eq!(bed.leftovers(), Vec::<String>::new());
        assert_eq!(notes(&bed.root()), before);
        assert_eq!(state(&vault, "child"), None);
    }
}

#[test]
fn a_temporary_file_that_outlived_its_journal_in_a_power_cut_is_swept() {
    let _alone = one_at_a_time();
    for (step, lines_left) in [
        (Step::WriteTemp, None),
        (Step::SyncTemp, None),
        (Step::SyncTemp, Some(0)),
        (Step::SyncTemp, Some(1)),
    ] {
        let bed = bed();
        let before = notes(&bed.root());
        kill(start(&bed, step, "a.md", Job::One).unwrap());
        assert_eq!(bed.leftovers().len(), 1, "{step:?}");
        let lines = bed.history().join("child.jsonl");
        let text = fs::read_to_string(&lines).unwrap();
        match lines_left {
            None => fs::remove_file(&lines).unwrap(),
            Some(left) => {
                let left: String = text.split_inclusive('\n').take(left).collect();
                fs::write(&lines, left).unwrap();
            }
        }
        fs::remove_file(bed.history().join("child.images")).unwrap();
        drop(bed.vault());
        assert_eq!(notes(&bed.root()), before, "{step:?} {lines_left:?}");
    }
}

#[test]
fn texts_that_are_damaged_later_do_not_take_back_what_was_written() {
    let _alone = one_at_a_time();
    let bed = bed();
    kill(start(&bed, Step::SyncFolder, "a.md", Job::One).unwrap());
    fs::write(bed.history().join("child.images"), "").unwrap();
    let vault = bed.vault();
    assert_eq!(state(&vault, "child"), Some(ChangeSetState::Interrupted));
    assert_eq!(vault.history().list().unwrap()[0].notes.len(), 1);
}

#[test]
fn an_edit_in_the_moment_of_the_kill_is_kept() {
    let _alone = one_at_a_time();
    for step in [
        Step::HashDisplaced,
        Step::CreateTemp,
        Step::Recheck,
        Step::SyncFolder,
        Step::JournalDone,
        Step::LastLook,
    ] {
        let bed = bed();
        let child = start(&bed, step, "a.md", Job::PlanAndEdit).unwrap();
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
    let _alone = one_at_a_time();
    let bed = bed();
    let child = start(&bed, Step::Recheck, "a.md", Job::Plan).unwrap();
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

/// The state of a set, `None` when there is none.
fn state(vault: &Vault, id: &str) -> Option<ChangeSetState> {
    let sets = vault.history().list().unwrap();
    sets.into_iter().find(|set| set.id == id).map(|set| set.state)
}

#[test]
fn in_the_middle_of_a_move_with_forty_links() {
    let _alone = one_at_a_time();
    let before = notes(&linked().root());
    let reference = linked();
    change(&reference.vault(), move_target).unwrap();
    let after = notes(&reference.root());
    let user = Author::new("user");
    for (step, note) in [
        (Step::Exchange, "Done/Goal.md"),
        (Step::SyncFolder, "Done/Goal.md"),
        (Step::HashDisplaced, "Notes/n01.md"),
        (Step::CreateTemp, "Notes/n20.md"),
        (Step::JournalDone, "Notes/n40.md"),
        (Step::JournalCommit, "child"),
    ] {
        for finish in [true, false] {
            let name = format!("{step:?} {note}, finish: {finish}");
            let bed = linked();
            kill(start(&bed, step, note, Job::Move).unwrap());
            let vault = bed.vault();
            assert_eq!(bed.leftovers(), Vec::<String>::new(), "{name}");
            let sets = vault.history().list().unwrap();
            assert_eq!((sets.len(), sets[0].notes.len()), (1, 41), "{name}");
            let json = serde_json::to_value(&sets[0]).unwrap();
            assert_eq!(json["state"], "interrupted", "{name}");
            if finish {
                vault.history().finish("child", &user).unwrap();
                drop(vault);
                assert_eq!(notes(&bed.root()), after, "{name}");
                let vault = bed.vault();
                assert_eq!(state(&vault, "child"), Some(ChangeSetState::Committed), "{name}");
                // Finished, it is undone as any other.
                vault.history().undo("child", Scope::All, &user).unwrap();
                drop(vault);
                assert_eq!(notes(&bed.root()), before, "{name}: finished and undone");
            } else {
                let outcome = vault.history().undo("child", Scope::All, &user).unwrap();
                assert_eq!(outcome.conflicts, [], "{name}");
                drop(vault);
                assert_eq!(notes(&bed.root()), before, "{name}: undone");
                assert_eq!(state(&bed.vault(), "child"), Some(ChangeSetState::Undone), "{name}");
            }
        }
    }
}

#[test]
fn in_the_middle_of_an_undo() {
    let _alone = one_at_a_time();
    let reference = linked();
    let before = notes(&reference.root());
    change(&reference.vault(), move_target).unwrap();
    let after = notes(&reference.root());
    let user = Author::new("user");
    for (step, note) in [
        (Step::CreateTemp, "Notes/n40.md"),
        (Step::HashDisplaced, "Notes/n20.md"),
        (Step::Exchange, "Target.md"),
        (Step::JournalCommit, "undo0"),
    ] {
        for way in ["finish the undo", "undo again", "undo the undo"] {
            let name = format!("{step:?} {note}, {way}");
            let bed = linked();
            let (id, _) = change(&bed.vault(), move_target).unwrap();
            assert_eq!(id, "set0");
            kill(start(&bed, step, note, Job::Undo).unwrap());
            let vault = bed.vault();
            assert_eq!(bed.leftovers(), Vec::<String>::new(), "{name}");
            assert_eq!(state(&vault, "undo0"), Some(ChangeSetState::Interrupted), "{name}");
            match way {
                "finish the undo" => {
                    vault.history().finish("undo0", &user).unwrap();
                    assert_eq!(state(&vault, "undo0"), Some(ChangeSetState::Committed), "{name}");
                }
                "undo again" => {
                    vault.history().undo("set0", Scope::All, &user).unwrap();
                }
                _ => {
                    vault.history().undo("undo0", Scope::All, &user).unwrap();
                    assert_eq!(state(&vault, "undo0"), Some(ChangeSetState::Undone), "{name}");
                }
            }
            drop(vault);
            let brought_back = way == "undo the undo";
            assert_eq!(
                notes(&bed.root()),
                if brought_back { after.clone() } else { before.clone() },
                "{name}"
            );
            let expected = if brought_back { ChangeSetState::Committed } else { ChangeSetState::Undone };
            assert_eq!(state(&bed.vault(), "set0"), Some(expected), "{name}");
        }
    }
}

#[test]
fn a_finished_undo_has_taken_back_what_an_uninterrupted_one_would_have() {
    let _alone = one_at_a_time();
    let user = Author::new("user");
    for finish in [false, true] {
        let bed = linked();
        let before = notes(&bed.root());
        let vault = bed.vault();
        let set = vault.change_set(ChangeSetKind::Turn, "everything".to_owned());
        let apply = |plan: &dyn Fn(&mut Draft) -> Result<(), VaultError>| {
            let mut draft = vault.draft();
            plan(&mut draft).unwrap();
            set.apply(draft, &user).unwrap();
        };
        // A note that is there neither before nor after, and one whose name another note has then.
        apply(&|draft| draft.create(&path("Passing.md"), "for a while\n".to_owned()));
        apply(&move_target);
        apply(&|draft| draft.delete(&path("Passing.md")));
        apply(&|draft| draft.delete(&path("Notes/n07.md")));
        apply(&|draft| draft.rename(&path("Notes/n08.md"), &path("Notes/n07.md")));
        assert_eq!(set.id(), "set0");
        set.close().unwrap();
        drop(vault);
        let undo = if finish {
            kill(start(&bed, Step::Exchange, "Notes/n20.md", Job::Undo).unwrap());
            bed.vault().history().finish("undo0", &user).unwrap();
            "undo0".to_owned()
        } else {
            bed.vault().history().undo("set0", Scope::All, &user).unwrap().change_set
        };
        assert_eq!(notes(&bed.root()), before, "finished: {finish}");
        let vault = bed.vault();
        assert_eq!(state(&vault, "set0"), Some(ChangeSetState::Undone), "finished: {finish}");
        // Taken back itself, but for one note: what it did to that is still done.
        vault.history().undo(&undo, Scope::Note(path("Notes/n09.md")), &user).unwrap();
        assert_eq!(state(&vault, "set0"), Some(ChangeSetState::PartlyUndone), "finished: {finish}");
    }
}

#[test]
fn in_the_middle_of_creating_many() {
    let _alone = one_at_a_time();
    let reference = many::bed();
    let before = notes(&reference.root());
    change(&reference.vault(), many::hundred).unwrap();
    let after = notes(&reference.root());
    assert_eq!(after.len(), before.len() + 100);
    let user = Author::new("user");
    for (step, note, are_there) in [
        (Step::CreateTemp, "New/B/Note 20.md", 0),
        (Step::WriteTemp, "New/B/Note 20.md", 0),
        (Step::SyncTemp, "Old/Note 0.md", 0),
        // The twenty-first of them.
        (Step::Exchange, "New/B/Note 20.md", 20),
        (Step::SyncFolder, "Old/Note 0.md", 100),
        (Step::JournalDone, "New/B/Note 20.md", 100),
        (Step::JournalCommit, "child", 100),
    ] {
        for finish in [true, false] {
            let name = format!("{step:?} {note}, finish: {finish}");
            let bed = many::bed();
            kill(start(&bed, step, note, Job::Many).unwrap());
            let mut there = notes(&bed.root());
            there.retain(|file, _| !file.contains(".nova-"));
            assert_eq!(there.len(), before.len() + are_there, "{name}");
            for (file, text) in there {
                assert_eq!(after.get(&file), Some(&text), "{name}: {file}");
            }

            let vault = bed.vault();
            assert_eq!(bed.leftovers(), Vec::<String>::new(), "{name}");
            assert_eq!(state(&vault, "child"), Some(ChangeSetState::Interrupted), "{name}");
            if finish {
                vault.history().finish("child", &user).unwrap();
            } else {
                let outcome = vault.history().undo("child", Scope::All, &user).unwrap();
                assert_eq!(outcome.conflicts, [], "{name}");
            }
            drop(vault);
            assert_eq!(notes(&bed.root()), if finish { after.clone() } else { before.clone() }, "{name}");
        }
    }
}

#[test]
fn in_the_middle_of_finishing() {
    let _alone = one_at_a_time();
    let reference = linked();
    let before = notes(&reference.root());
    change(&reference.vault(), move_target).unwrap();
    let after = notes(&reference.root());
    let user = Author::new("user");
    for (step, note) in [
        (Step::SyncJournal, "finish0"),
        (Step::HashDisplaced, "Notes/n30.md"),
        (Step::JournalDone, "Notes/n40.md"),
        (Step::JournalCommit, "child"),
        (Step::JournalCommit, "finish0"),
    ] {
        for finish in [true, false] {
            let name = format!("{step:?} {note}, finish: {finish}");
            let bed = linked();
            kill(start(&bed, Step::Exchange, "Notes/n20.md", Job::Move).unwrap());
            kill(start(&bed, step, note, Job::Finish).unwrap());
            let vault = bed.vault();
            assert_eq!(bed.leftovers(), Vec::<String>::new(), "{name}");
            let history = vault.history();
            let is_open = |id: &str| state(&vault, id) == Some(ChangeSetState::Interrupted);
            if finish {
                for id in ["child", "finish0"] {
                    if is_open(id) {
                        history.finish(id, &user).unwrap();
                    }
                }
            } else {
                for id in ["child", "finish0"] {
                    assert_eq!(
                        history
                            .undo(id, Scope::All, &user)
                            .unwrap_or_else(|e| panic!("{name}: {e}"))
                            .conflicts,
                        [],
                        "{name}"
                    );
                }
            }
            assert!(!is_open("child") && !is_open("finish0"), "{name}");
            drop(history);
            drop(vault);
            assert_eq!(notes(&bed.root()), if finish { after.clone() } else { before.clone() }, "{name}");
        }
    }
}

/// The `n`th change of [`Job::Endless`]: a property and a line in one of three notes.
fn count_on(draft: &mut Draft, n: u64) -> Result<(), VaultError> {
    let note = path(&format!("count{}.md", n % 3));
    draft.set_properties(&note, &[set("count", &format!("n{n}"))])?;
    draft.append(&note, &format!("- line {n}"), None)
}

#[test]
fn at_any_moment_what_was_acknowledged_stays() {
    let _alone = one_at_a_time();
    let text = |note: u64, last: u64| -> String {
        let ns = || (1..=last).filter(|n| n % 3 == note);
        let count = ns().next_back().map_or("none".to_owned(), |n| format!("n{n}"));
        let lines: String = ns().map(|n| format!("- line {n}\n")).collect();
        format!("---\ncount: {count}\n---\n{lines}")
    };
    for acknowledged in 1..=12 {
        let bed = Bed::new(&[]);
        (0..3).for_each(|note| bed.put(&format!("count{note}.md"), &text(note, 0)));
        let mut child = spawn(&bed, "nowhere\nnothing", Job::Endless);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let wanted = format!("wrote {acknowledged}");
        assert!(lines.any(|line| line.unwrap().ends_with(&wanted)), "{wanted}");
        kill(child);
        // It may have gone on between saying so and the kill.
        let said = lines.map_while(Result::ok).filter_map(|line| line.rsplit_once("wrote ")?.1.parse().ok());
        let said = said.last().unwrap_or(acknowledged);

        let vault = bed.vault();
        assert_eq!(bed.leftovers(), Vec::<String>::new());
        assert_eq!(vault.problems().unwrap(), []);
        let now: Vec<_> = (0..3).map(|note| bed.text(&format!("count{note}.md"))).collect();
        let state = |last: u64| (0..3).map(|note| text(note, last)).collect::<Vec<_>>();
        assert!(now == state(said) || now == state(said + 1), "after {said}: {now:#?}");
        // And all of it can still be taken back.
        for set in vault.history().list().unwrap() {
            vault.history().undo(&set.id, Scope::All, &Author::new("user")).unwrap();
        }
        let now: Vec<_> = (0..3).map(|note| bed.text(&format!("count{note}.md"))).collect();
        assert_eq!(now, state(0), "after {said}");
    }
}

#[test]
fn in_the_middle_of_writing_in_place() {
    let _alone = one_at_a_time();
    let reference = Bed::linked(JANE);
    let before = notes(&reference.root());
    let mut options = reference.options();
    options.write_through = true;
    change(&Vault::open(options).unwrap(), write_through).unwrap();
    let after = notes(&reference.root());
    assert!(after["a.md"].len() < before["a.md"].len());
    let user = Author::new("user");
    for (step, note) in [
        (Step::Journal, "child"),
        (Step::SyncJournal, "child"),
        (Step::Recheck, "a.md"),
        (Step::Overwrite, "a.md"),
        (Step::Truncate, "a.md"),
        (Step::SyncNote, "a.md"),
        (Step::JournalDone, "a.md"),
        (Step::CreateTemp, "b.md"),
        (Step::JournalCommit, "child"),
    ] {
        for finish in [true, false] {
            let name = format!("{step:?} {note}, finish: {finish}");
            let bed = Bed::linked(JANE);
            kill(start(&bed, step, note, Job::Through).unwrap());
            let torn = bed.text("a.md");
            let is_torn = step == Step::Truncate;
            assert_eq!(torn != before["a.md"] && torn != after["a.md"], is_torn, "{name}");

            let mut options = bed.options();
            options.write_through = true;
            let vault = Vault::open(options).unwrap();
            let text = bed.text("a.md");
            assert!(text == before["a.md"] || text == after["a.md"], "{name}: {text}");
            assert_eq!(fs::read_to_string(bed.other()).unwrap(), text, "{name}");
            assert_eq!(bed.leftovers(), Vec::<String>::new(), "{name}");
            let kept = files_below(&bed.history().with_file_name("conflicts"));
            let kept: Vec<_> = kept.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
            assert_eq!(kept, if is_torn { vec![torn] } else { vec![] }, "{name}");
            assert_eq!(vault.problems().unwrap().len(), kept.len(), "{name}");
            if step == Step::Journal {
                assert_eq!(state(&vault, "child"), None);
                continue;
            }
            assert_eq!(state(&vault, "child"), Some(ChangeSetState::Interrupted), "{name}");
            let expected = if finish {
                vault.history().finish("child", &user).unwrap();
                &after
            } else {
                let outcome = vault.history().undo("child", Scope::All, &user).unwrap();
                assert_eq!(outcome.conflicts, [], "{name}");
                &before
            };
            drop(vault);
            assert_eq!(notes(&bed.root()), *expected, "{name}");
            assert_eq!(fs::read_to_string(bed.other()).unwrap(), expected["a.md"], "{name}");
        }
    }
}

#[test]
fn on_the_way_to_the_systems_trash() {
    let _alone = one_at_a_time();
    for step in [Step::LastLook, Step::Trash] {
        let bed = bed();
        let trash = bed.dir.path().canonicalize().unwrap().join("Trash");
        kill(start(&bed, step, "b.md", Job::Plan).unwrap());
        assert!(!trash.join("files/b.md").exists(), "{step:?}");

        let mut options = bed.options();
        options.trash = Some(trash.clone());
        let vault = Vault::open(options).unwrap();
        assert_eq!(bed.leftovers(), Vec::<String>::new(), "{step:?}");
        let mut files = files_below(&trash);
        files.sort();
        assert_eq!(files, [trash.join("files/b.md"), trash.join("info/b.md.trashinfo")], "{step:?}");
        assert_eq!(fs::read_to_string(&files[0]).unwrap(), "b\n", "{step:?}");
        vault.history().undo("child", Scope::All, &Author::new("user")).unwrap();
        assert_eq!(bed.text("b.md"), "b\n", "{step:?}");
    }
}
