//! Several processes write the same notes of one vault concurrently, and an editor writes in between. No
//! write is lost, and every process gets each change once, with its author.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::{self, BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use super::*;

/// Folder and number for the child; unset in an ordinary run.
const CHILD: &str = "NOVA_VAULT_TEST_WRITER";
const WRITERS: usize = 4;
const ROUNDS: usize = 6;

/// One of the processes. It watches, writes on request, and prints the changes it received.
#[test]
#[ignore = "the other test here starts it as its child"]
fn child() {
    let Ok(job) = std::env::var(CHILD) else {
        return;
    };
    let (writer, dir) = job.split_once(' ').unwrap();
    let ids = AtomicU64::new(0);
    let id = format!("w{writer}n");
    let options = || VaultOptions {
        root: PathBuf::from(dir).join("vault"),
        history: PathBuf::from(dir).join("data/history"),
        forbidden: vec![],
        roots: Vec::new(),
        program: None,
        clock: Arc::new(Timestamp::now),
        zone: jiff::tz::TimeZone::UTC,
        new_id: Arc::new({
            let (id, from) = (id.clone(), ids.fetch_add(1000, Ordering::SeqCst));
            let next = AtomicU64::new(from);
            move || format!("{id}{}", next.fetch_add(1, Ordering::SeqCst))
        }),
        trash: None,
        top_folder: |_| None,
        write_through: false,
        limits: crate::Limits::default(),
    };
    let author = Author { principal: format!("writer {writer}"), skill: None, call: None };
    let watcher = Vault::open(options()).unwrap();
    let mut changes = watcher.changes();
    say("ready");
    wait_for("write");
    let vault = Vault::open(options()).unwrap();
    for round in 0..ROUNDS {
        for note in ["Novas.md", "Shared.md"] {
            write(&vault, &author, |draft| {
                draft.set_properties(&path(note), &[set(&format!("w{writer}"), &format!("v{round}"))])?;
                draft.append(&path(note), &format!("- w{writer} line {round}"), Some("Log"))
            });
        }
        let own = path(&format!("Own/w{writer} {round}.md"));
        write(&vault, &author, |draft| draft.create(&own, format!("w{writer}\n")));
    }
    // The last checks of displaced files are done by then.
    drop(vault);
    say("written");
    wait_for("tell");
    watcher.flush_changes();
    while let Ok(change) = changes.try_recv() {
        let hash = change.hash.map(|hash| hash.to_string());
        say(&format!("told {}", serde_json::json!({"change": change, "hash": hash})));
    }
    say("end");
}

/// Retries until there is no conflict, as a caller would.
fn write(vault: &Vault, author: &Author, plan: impl Fn(&mut Draft) -> Result<(), VaultError>) {
    loop {
        let mut draft = vault.draft();
        plan(&mut draft).unwrap();
        let changes = vault.change_set(ChangeSetKind::Turn, "a turn".to_owned());
        match changes.apply(draft, author) {
            Ok(_) => return changes.close().unwrap(),
            Err(VaultError::Conflict { .. }) => {}
            Err(other) => panic!("{other}"),
        }
    }
}

fn say(line: &str) {
    let mut out = io::stdout();
    writeln!(out, "\n{line}").and_then(|()| out.flush()).unwrap();
}

fn wait_for(wanted: &str) {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    assert_eq!(line.trim(), wanted);
}

struct Nova {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Nova {
    fn start(bed: &Bed, writer: usize) -> Nova {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "tests::processes::child", "--ignored", "--nocapture"])
            .env(CHILD, format!("{writer} {}", bed.dir.path().canonicalize().unwrap().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Nova { child, lines }
    }

    fn send(&mut self, word: &str) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{word}").unwrap();
    }

    /// The lines up to this one.
    fn until(&mut self, wanted: &str) -> Vec<String> {
        let mut lines = Vec::new();
        for line in self.lines.by_ref() {
            let line = line.unwrap();
            if line == wanted {
                return lines;
            }
            lines.push(line);
        }
        panic!("the process ended without printing {wanted}: {lines:#?}");
    }
}

#[test]
fn several_processes_and_an_editor_lose_nothing() {
    let _alone = one_at_a_time();
    let text = "---\ntype: log\n---\n# Text\n\n## Log\n- begin\n\n## Editor\n- begin\n";
    let bed = Bed::new(&[("Novas.md", text), ("Shared.md", text), ("Editors.md", text)]);
    let mut novas: Vec<_> = (0..WRITERS).map(|writer| Nova::start(&bed, writer)).collect();
    novas.iter_mut().for_each(|nova| drop(nova.until("ready")));
    novas.iter_mut().for_each(|nova| nova.send("write"));
    // An editor that appends whole lines through handles that it opened earlier: whatever happens
    // concurrently, each line goes into the file that was the note.
    let mut words = 0;
    for note in ["Shared.md", "Editors.md"].repeat(20) {
        let mut file = OpenOptions::new().append(true).open(bed.root().join(note)).unwrap();
        std::thread::yield_now();
        file.write_all(format!("- editor {words}\n").as_bytes()).unwrap();
        words += 1;
    }
    novas.iter_mut().for_each(|nova| drop(nova.until("written")));

    // Nothing is lost or duplicated.
    for (note, by_editor) in [("Novas.md", false), ("Shared.md", true), ("Editors.md", true)] {
        let now = bed.text(note);
        let is_there = |line: &str| now.lines().filter(|other| *other == line).count();
        for writer in (0..WRITERS).filter(|_| note != "Editors.md") {
            assert_eq!(is_there(&format!("w{writer}: v{}", ROUNDS - 1)), 1, "{now}");
            for round in 0..ROUNDS {
                assert_eq!(is_there(&format!("- w{writer} line {round}")), 1, "{writer} {round}: {now}");
            }
        }
        for word in (0..words).filter(|word| by_editor && (word % 2 == 0) == (note == "Shared.md")) {
            assert_eq!(is_there(&format!("- editor {word}")), 1, "{word}: {now}");
        }
    }
    let vault = bed.vault();
    assert_eq!(bed.leftovers(), Vec::<String>::new());
    assert_eq!(vault.problems().unwrap(), []);

    // Every process received the same changes, with the same authors.
    novas.iter_mut().for_each(|nova| nova.send("tell"));
    for mut nova in novas {
        let reported: Vec<serde_json::Value> = nova
            .until("end")
            .iter()
            .filter_map(|line| serde_json::from_str(line.strip_prefix("told ")?).ok())
            .collect();
        assert!(nova.child.wait().unwrap().success());
        check_reported(&bed, &vault, &reported);
    }
}

fn check_reported(bed: &Bed, vault: &Vault, reported: &[serde_json::Value]) {
    let mut seen = BTreeSet::new();
    let mut last = BTreeMap::new();
    for one in reported {
        let (change, note) = (&one["change"], one["change"]["path"].as_str().unwrap());
        let by = &change["by"];
        last.insert(note, one["hash"].as_str().unwrap());
        match by["change_set"].as_str() {
            Some(id) => {
                assert_ne!(note, "Editors.md", "{change}");
                assert!(seen.insert((note, id)), "reported twice: {change}");
                let writer = id.split_once('n').unwrap().0.strip_prefix('w').unwrap();
                assert_eq!(by["principal"], format!("writer {writer}"), "{change}");
                if let Some(own) = note.strip_prefix("Own/w") {
                    assert!(own.starts_with(writer), "{change}");
                }
            }
            None => {
                assert_eq!(by, "outside", "{change}");
                // A write by Nova is never an outside edit.
                assert!(matches!(note, "Shared.md" | "Editors.md"), "{change}");
            }
        }
    }
    for writer in 0..WRITERS {
        for round in 0..ROUNDS {
            let own = format!("Own/w{writer} {round}.md");
            assert_eq!(
                reported.iter().filter(|one| one["change"]["path"] == own.as_str()).count(),
                1,
                "{own}"
            );
        }
    }
    // The changes add up to the final texts.
    for note in ["Novas.md", "Shared.md", "Editors.md"] {
        let now = vault.read(&path(note)).unwrap();
        assert_eq!(
            last[note],
            now.hash.to_string(),
            "{note}: {}",
            fs::read_to_string(bed.root().join(note)).unwrap()
        );
    }
}
