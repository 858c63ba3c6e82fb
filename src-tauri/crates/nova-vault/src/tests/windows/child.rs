//! The traced Nova: a child process that performs one operation through the public API.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};

use super::*;
use crate::{ChangeSetState, Scope};

/// Names the folder and the task for the child; absent in an ordinary run.
const CHILD: &str = "NOVA_VAULT_TEST_WINDOW";

/// What a Nova process does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Does {
    Append,
    /// As on a file system that cannot exchange two files.
    AppendWithoutExchange,
    Edit,
    Set,
    Create,
    Delete,
    Attach,
    /// The same, with binary content.
    AttachFile,
    Move,
    UndoEdit,
    UndoDelete,
    UndoMove,
    /// Finishes a [`Does::Move`] that was killed.
    Finish,
    /// The append of the second of two Novas.
    AppendToo,
}

/// An operation, and the note the user acts on meanwhile.
#[derive(Debug)]
pub(super) struct Operation {
    pub(super) name: &'static str,
    pub(super) does: Does,
    /// The path of that note at the beginning.
    pub(super) before: Option<&'static str>,
    /// Its path once the operation is done.
    pub(super) after: Option<&'static str>,
    /// The beginning of the line that Nova changes, or appends after.
    pub(super) line: &'static str,
}

const fn operation(
    name: &'static str,
    does: Does,
    before: Option<&'static str>,
    after: Option<&'static str>,
    line: &'static str,
) -> Operation {
    Operation { name, does, before, after, line }
}

pub(super) const NOTE: &str = "Home/Note.md";
pub(super) const NEW: &str = "Home/New.md";
pub(super) const PLAN: &str = "Home/plan.csv";
/// The name `attach` chooses when the first is taken.
pub(super) const NEXT_PLAN: &str = "Home/plan 1.csv";
pub(super) const MOVED: &str = "Done/Goal.md";
/// Notes that link to [`NOTE`].
pub(super) const LINKING: [&str; 6] = ["A/a.md", "A/B/b.md", "Home/c.md", "d.md", "Logs/e.md", "Logs/f.md"];
/// It shares its folder with another linking note, which Nova writes first.
const ONE_LINKING: &str = LINKING[5];

pub(super) const OPERATIONS: [Operation; 16] = [
    operation("append", Does::Append, Some(NOTE), Some(NOTE), "third"),
    operation("append-without-exchange", Does::AppendWithoutExchange, Some(NOTE), Some(NOTE), "third"),
    operation("edit", Does::Edit, Some(NOTE), Some(NOTE), "second"),
    operation("set", Does::Set, Some(NOTE), Some(NOTE), "stage:"),
    operation("create", Does::Create, None, Some(NEW), "made"),
    operation("attach", Does::Attach, None, Some(PLAN), "made"),
    operation("attach-file", Does::AttachFile, None, Some(PLAN), "made"),
    operation("delete", Does::Delete, Some(NOTE), None, "second"),
    operation("undo-edit", Does::UndoEdit, Some(NOTE), Some(NOTE), "second"),
    operation("undo-delete", Does::UndoDelete, None, Some(NOTE), "second"),
    operation("move", Does::Move, Some(NOTE), Some(MOVED), "second"),
    operation("move-link", Does::Move, Some(ONE_LINKING), Some(ONE_LINKING), "See"),
    operation("undo-move", Does::UndoMove, Some(MOVED), Some(NOTE), "second"),
    operation("undo-move-link", Does::UndoMove, Some(ONE_LINKING), Some(ONE_LINKING), "See"),
    operation("finish", Does::Finish, Some(NOTE), Some(MOVED), "second"),
    operation("finish-link", Does::Finish, Some(ONE_LINKING), Some(ONE_LINKING), "See"),
];

impl Operation {
    pub(super) fn named(name: &str) -> &'static Operation {
        OPERATIONS.iter().find(|operation| operation.name == name).unwrap()
    }

    /// Whether it writes several notes.
    pub(super) fn is_of_many(&self) -> bool {
        matches!(self.does, Does::Move | Does::UndoMove | Does::Finish)
    }

    /// Whether a note is to be where none was.
    pub(super) fn fills_a_place(&self) -> bool {
        self.after.is_some() && self.before != self.after
    }
}

pub(super) const NOTE_TEXT: &str =
    "---\nstage: lead\n---\n# Note\n\nfirst of Note\n\nsecond of Note\n\nthird of Note\n";
const NEW_TEXT: &str = "# New\n\nmade by Nova\n";
const PLAN_TEXT: &str = "made,by Nova\n";
pub(super) const NOVAS_APPEND: &str = "line of Nova";
pub(super) const NOVAS_EDIT: &str = "second by Nova";
pub(super) const OTHER_NOVAS: &str = "line of the other Nova";

/// The line with the link is the same in each, so that a text mistaken for another note's merges cleanly.
pub(super) fn linking_text(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap().trim_end_matches(".md");
    format!("# {name}\n\nfirst of {name}\n\nSee [[Note]].\n\nlast of {name}\n")
}

/// Returns the original notes.
pub(super) fn notes() -> Vec<(&'static str, String)> {
    let linking = LINKING.into_iter().map(|path| (path, linking_text(path)));
    std::iter::once((NOTE, NOTE_TEXT.to_owned())).chain(linking).collect()
}

fn plan(does: Does, draft: &mut Draft) -> Result<(), VaultError> {
    match does {
        Does::Append | Does::AppendWithoutExchange => draft.append(&path(NOTE), NOVAS_APPEND, None),
        Does::AppendToo => draft.append(&path(NOTE), OTHER_NOVAS, None),
        Does::Edit | Does::UndoEdit => draft.replace(&path(NOTE), "second of Note", NOVAS_EDIT, None),
        Does::Set => draft.set_properties(&path(NOTE), &[set("stage", "won")]),
        Does::Create => draft.create(&path(NEW), NEW_TEXT.to_owned()),
        Does::Attach => draft.attach("Home", "plan.csv", PLAN_TEXT.to_owned(), None).map(|_| ()),
        Does::AttachFile => draft.attach_file("Home", "plan.csv", PLAN_TEXT.into()).map(|_| ()),
        Does::Delete | Does::UndoDelete => draft.delete(&path(NOTE)),
        Does::Move | Does::UndoMove | Does::Finish => draft.move_note(&path(NOTE), &path(MOVED)).map(|_| ()),
    }
}

/// The child: prints `ready`, waits for a line, then performs the operation. Exits with 0 if the operation
/// succeeded, with 1 if it failed or left conflicts.
#[test]
#[ignore = "the other tests here start it as their child"]
fn child() {
    let Ok(task) = std::env::var(CHILD) else {
        return;
    };
    let (does, dir) = task.split_once(' ').unwrap();
    let does = EVERYTHING.into_iter().find(|known| format!("{known:?}") == does).unwrap();
    std::process::exit(if perform(does, Path::new(dir)) { 0 } else { 1 });
}

const EVERYTHING: [Does; 14] = [
    Does::Append,
    Does::AppendWithoutExchange,
    Does::Edit,
    Does::Set,
    Does::Create,
    Does::Delete,
    Does::Attach,
    Does::AttachFile,
    Does::Move,
    Does::UndoEdit,
    Does::UndoDelete,
    Does::UndoMove,
    Does::Finish,
    Does::AppendToo,
];

fn perform(does: Does, dir: &Path) -> bool {
    let ids = Arc::new(AtomicU64::new(0));
    let open = || Vault::open(options(dir, &format!("{does:?}").to_lowercase(), &ids)).unwrap();
    let undoes = matches!(does, Does::UndoEdit | Does::UndoDelete | Does::UndoMove);
    let undone = undoes.then(|| change(&open(), |draft| plan(does, draft)).unwrap().0);
    let vault = open();
    if does == Does::AppendWithoutExchange {
        vault.core().disk.refuse_exchange();
    }
    let interrupted = (does == Does::Finish).then(|| interrupted(&vault).remove(0));
    wait_for_go();
    let user = Author::new("user");
    let result = match (undone, interrupted) {
        (Some(set), _) => vault
            .history()
            .undo(&set, Scope::All, &user)
            .map(|outcome| outcome.conflicts.is_empty() && outcome.unreadable.is_empty()),
        (_, Some(set)) => vault.history().finish(&set, &user).map(|_| true),
        _ => change(&vault, |draft| plan(does, draft)).map(|_| true),
    };
    if let Err(error) = &result {
        eprintln!("{error}");
    }
    let nothing_left = close(vault);
    result.is_ok_and(|whole| whole) && nothing_left
}

/// Closes the vault, which runs the last check of displaced files. `false` if an edit could not be merged.
fn close(vault: Vault) -> bool {
    let unmerged = vault.finish_writing();
    drop(vault);
    unmerged.is_empty()
}

/// Returns the interrupted change sets, except those that merge an edit of the user: undoing one of those
/// means discarding that edit.
pub(super) fn interrupted(vault: &Vault) -> Vec<String> {
    let sets = vault.history().list().unwrap().into_iter();
    let is_of_nova =
        |author: &Option<Author>| author.as_ref().is_some_and(|author| author.principal != "outside");
    sets.filter(|set| set.state == ChangeSetState::Interrupted && is_of_nova(&set.author))
        .map(|set| set.id)
        .collect()
}

/// Options of a process whose change set ids begin with `id`.
pub(super) fn options(dir: &Path, id: &str, ids: &Arc<AtomicU64>) -> VaultOptions {
    let (id, ids, seconds) = (id.to_owned(), Arc::clone(ids), AtomicI64::new(1_795_219_200));
    VaultOptions {
        root: dir.join("vault"),
        history: dir.join("data/history"),
        forbidden: vec![dir.join("data")],
        roots: Vec::new(),
        program: None,
        clock: Arc::new(move || Timestamp::from_second(seconds.fetch_add(1, Ordering::SeqCst)).unwrap()),
        zone: TimeZone::UTC,
        new_id: Arc::new(move || format!("{id}{}", ids.fetch_add(1, Ordering::SeqCst))),
        trash: None,
        top_folder: |_| None,
        write_through: false,
        limits: crate::Limits::default(),
    }
}

fn wait_for_go() {
    let mut out = std::io::stdout();
    writeln!(out, "ready").and_then(|()| out.flush()).unwrap();
    std::io::stdin().read_line(&mut String::new()).unwrap();
}

/// A child that has printed `ready`.
pub(super) struct Ready {
    child: Child,
    stdin: ChildStdin,
}

impl Ready {
    pub(super) fn start(does: Does, dir: &Path) -> Ready {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "tests::windows::child::child", "--ignored", "--nocapture"])
            .env(CHILD, format!("{does:?} {}", dir.display()))
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        if !is_alone() {
            command.stderr(Stdio::null());
        }
        let spawned = {
            let _alone = one_at_a_time();
            command.spawn()
        };
        let mut child = spawned.unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().ends_with("ready")), "{does:?} could not begin");
        Ready { stdin: child.stdin.take().unwrap(), child }
    }

    /// Starts the operation, traced.
    pub(super) fn go_traced(mut self, bed: &Path) -> Traced {
        let traced = Traced::attach(self.child, bed);
        writeln!(self.stdin, "go").unwrap();
        traced
    }

    pub(super) fn go(mut self) -> Child {
        writeln!(self.stdin, "go").unwrap();
        self.child
    }

    pub(super) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}
