//! The user's actions while Nova is stopped. Everything they save contains [`SAVED`], which nothing else
//! writes.

use std::collections::BTreeSet;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{Seek, Write};
use std::os::unix::fs::MetadataExt;
use std::process::Child;

use super::child::{Does, NOTE, OTHER_NOVAS, Operation, Ready};
use super::*;

pub(super) const SAVED: &str = "saved by the user";
pub(super) const MADE: &str = "# Made by the user";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Action {
    /// Saves by renaming a new file over the note.
    Save,
    /// The same, at the line that Nova changes.
    SaveSame,
    /// Truncates and writes the note.
    SaveInPlace,
    /// Appends a line through a handle opened before Nova began.
    AppendOpened,
    /// Rewrites the note through such a handle, with the text read then and one line more.
    RewriteOpened,
    /// The same, at the line that Nova changes.
    RewriteOpenedSame,
    /// Creates a note where Nova is about to put one.
    Create,
    RenameNote,
    RenameFolder,
    Delete,
    SaveRenameNote,
    SaveRenameFolder,
    /// A second Nova appends a line to the note.
    Nova,
}

pub(super) const ACTIONS: [(Action, &str); 13] = [
    (Action::Save, "save"),
    (Action::SaveSame, "save-same"),
    (Action::SaveInPlace, "save-in-place"),
    (Action::AppendOpened, "append-opened"),
    (Action::RewriteOpened, "rewrite-opened"),
    (Action::RewriteOpenedSame, "rewrite-opened-same"),
    (Action::Create, "create"),
    (Action::RenameNote, "rename-note"),
    (Action::RenameFolder, "rename-folder"),
    (Action::Delete, "delete"),
    (Action::SaveRenameNote, "save-rename-note"),
    (Action::SaveRenameFolder, "save-rename-folder"),
    (Action::Nova, "nova"),
];

impl Action {
    pub(super) fn name(self) -> &'static str {
        ACTIONS.into_iter().find(|(action, _)| *action == self).unwrap().1
    }

    pub(super) fn named(name: &str) -> Action {
        ACTIONS.into_iter().find(|(_, known)| *known == name).unwrap().0
    }

    /// Whether the action makes sense during this operation.
    pub(super) fn fits(self, operation: &Operation) -> bool {
        match self {
            Action::AppendOpened | Action::RewriteOpened | Action::RewriteOpenedSame => {
                operation.before.is_some()
            }
            Action::Create => operation.fills_a_place(),
            Action::RenameFolder | Action::SaveRenameFolder => {
                operation.after.or(operation.before).is_some_and(|note| note.contains('/'))
            }
            Action::Nova => operation.before == Some(NOTE),
            _ => true,
        }
    }

    /// Whether it saves by renaming a new file over the note.
    pub(super) fn replaces(self) -> bool {
        use Action::{Save, SaveRenameFolder, SaveRenameNote, SaveSame};
        matches!(self, Save | SaveSame | SaveRenameNote | SaveRenameFolder)
    }
}

/// The user, and what they have done.
pub(super) struct User {
    root: PathBuf,
    operation: &'static Operation,
    /// A handle opened before Nova began, and the text read then.
    opened: Option<(File, String)>,
    /// Whether they saved [`SAVED`].
    pub(super) saved: bool,
    /// Whether they deleted the note.
    pub(super) deleted: bool,
    /// Whether they created a note where Nova was about to put one.
    pub(super) made: bool,
    /// Whether the file they wrote into was in the trash already.
    pub(super) wrote_into_trash: bool,
    /// Whether Nova is about to unlink a name, after its last check.
    loses_name: bool,
    /// The old and new path of the note or folder they renamed.
    renamed: Option<(String, String)>,
    /// The notes in which they removed Nova's change.
    pub(super) took_away: BTreeSet<&'static str>,
}

impl User {
    pub(super) fn new(root: PathBuf, operation: &'static Operation) -> User {
        let mut user = User {
            root,
            operation,
            opened: None,
            saved: false,
            deleted: false,
            made: false,
            wrote_into_trash: false,
            loses_name: false,
            renamed: None,
            took_away: BTreeSet::new(),
        };
        user.opened = user.note().map(|note| {
            let note = user.root.join(note);
            let file = OpenOptions::new().read(true).write(true).open(&note).unwrap();
            (file, fs::read_to_string(note).unwrap())
        });
        user
    }

    /// Acts; `false` if the action makes no sense at this moment.
    pub(super) fn act(&mut self, action: Action, next: &Call) -> bool {
        self.loses_name = next.name == "unlinkat";
        let before = Notes::read(&self.root).undone(self.operation.does, self);
        let acted = self.try_act(action).is_some();
        let after = Notes::read(&self.root).undone(self.operation.does, self);
        self.took_away = after.difference(&before).copied().collect();
        acted
    }

    fn try_act(&mut self, action: Action) -> Option<()> {
        match action {
            Action::Save => self.replace(with_new_line),
            Action::SaveSame => self.replace_same(),
            Action::SaveInPlace => {
                let note = self.note()?;
                let text = fs::read_to_string(self.root.join(note)).unwrap();
                fs::write(self.root.join(note), with_new_line(&text)).unwrap();
                self.saved = true;
                Some(())
            }
            Action::AppendOpened => {
                let (mut file, _) = self.opened.take()?;
                file.seek(std::io::SeekFrom::End(0)).unwrap();
                file.write_all(format!("{SAVED}\n").as_bytes()).unwrap();
                self.wrote_through(&file);
                Some(())
            }
            Action::RewriteOpened => self.rewrite(with_new_line),
            Action::RewriteOpenedSame => {
                let line = self.operation.line;
                self.rewrite(|text| with_changed_line(text, line))
            }
            Action::Create => {
                let place = self.root.join(self.operation.after?);
                fs::create_dir_all(place.parent()?).unwrap();
                let mut file = OpenOptions::new().write(true).create_new(true).open(place).ok()?;
                file.write_all(format!("{MADE}\n\n{SAVED}\n").as_bytes()).unwrap();
                (self.saved, self.made) = (true, true);
                Some(())
            }
            Action::RenameNote => {
                let note = self.note()?;
                let (stem, ending) = note.rsplit_once('.').unwrap();
                self.rename(note.to_owned(), format!("{stem} renamed.{ending}"))
            }
            Action::RenameFolder => {
                let note = self.note().or(self.operation.after)?;
                let (folder, _) = note.rsplit_once('/')?;
                self.rename(folder.to_owned(), format!("{folder} renamed"))
            }
            Action::Delete => {
                fs::remove_file(self.root.join(self.note()?)).unwrap();
                self.deleted = true;
                Some(())
            }
            Action::SaveRenameNote => {
                self.replace(with_new_line)?;
                self.try_act(Action::RenameNote)
            }
            Action::SaveRenameFolder => {
                self.replace(with_new_line)?;
                self.try_act(Action::RenameFolder)
            }
            // Done by [`Other`].
            Action::Nova => Some(()),
        }
    }

    /// Returns the current path of the note.
    fn note(&self) -> Option<&'static str> {
        let places = [self.operation.before, self.operation.after].into_iter().flatten();
        places.into_iter().find(|place| self.root.join(place).exists())
    }

    fn replace(&mut self, edit: impl FnOnce(&str) -> String) -> Option<()> {
        let note = self.root.join(self.note()?);
        let text = fs::read_to_string(&note).unwrap();
        let new = note.with_file_name(".editor.swp");
        fs::write(&new, edit(&text)).unwrap();
        fs::rename(new, note).unwrap();
        self.saved = true;
        Some(())
    }

    fn replace_same(&mut self) -> Option<()> {
        let line = self.operation.line;
        self.replace(|text| with_changed_line(text, line))
    }

    fn rewrite(&mut self, edit: impl FnOnce(&str) -> String) -> Option<()> {
        let (mut file, text) = self.opened.take()?;
        file.set_len(0).unwrap();
        file.rewind().unwrap();
        file.write_all(edit(&text).as_bytes()).unwrap();
        self.wrote_through(&file);
        Some(())
    }

    fn wrote_through(&mut self, file: &File) {
        self.saved = true;
        let metadata = file.metadata().unwrap();
        let trash = fs::read_dir(self.root.join(".trash"));
        let is_in = |entry: fs::DirEntry| entry.metadata().is_ok_and(|other| is_one_file(&other, &metadata));
        // A file that still has its other name is checked again before it loses it.
        let is_gone = metadata.nlink() == 1 || self.loses_name;
        self.wrote_into_trash = is_gone && trash.is_ok_and(|entries| entries.flatten().any(is_in));
    }

    fn rename(&mut self, from: String, to: String) -> Option<()> {
        fs::rename(self.root.join(&from), self.root.join(&to)).ok()?;
        self.renamed = Some((from, to));
        Some(())
    }

    /// Returns the path after the user's renaming.
    pub(super) fn renamed(&self, path: &str) -> String {
        match &self.renamed {
            Some((from, to)) if path == from => to.clone(),
            Some((from, to)) => {
                match path.strip_prefix(from.as_str()).and_then(|rest| rest.strip_prefix('/')) {
                    Some(rest) => format!("{to}/{rest}"),
                    None => path.to_owned(),
                }
            }
            None => path.to_owned(),
        }
    }
}

/// Adds a line of the user below the heading.
fn with_new_line(text: &str) -> String {
    match text.split_once("\n\n") {
        Some((head, rest)) => format!("{head}\n\n{SAVED}\n\n{rest}"),
        None => format!("{text}{SAVED}\n"),
    }
}

/// Changes the line with this beginning.
fn with_changed_line(text: &str, beginning: &str) -> String {
    let change = |line: &str| match line.starts_with(beginning) {
        true => format!("{line} {SAVED}\n"),
        false => format!("{line}\n"),
    };
    text.lines().map(change).collect()
}

/// A second Nova, which is not traced. It waits for the lock by which writers take turns.
pub(super) struct Other {
    ready: Option<Ready>,
    child: Option<Child>,
}

impl Other {
    pub(super) fn start(dir: &Path) -> Other {
        Other { ready: Some(Ready::start(Does::AppendToo, dir)), child: None }
    }

    /// Starts its operation, and returns once it has ended or waits for the lock.
    pub(super) fn go(&mut self) {
        let Some(ready) = self.ready.take() else { return };
        let mut child = ready.go();
        while child.try_wait().unwrap().is_none() && !sleeps(&child) {
            std::thread::yield_now();
        }
        self.child = Some(child);
    }

    /// Waits for its exit code; `None` if its operation was never started.
    pub(super) fn end(mut self) -> Option<i32> {
        if let Some(ready) = self.ready.take() {
            ready.kill();
        }
        self.child.map(|mut child| child.wait().unwrap().code().unwrap_or(-1))
    }
}

/// Whether a thread of it sleeps between two attempts to take a lock.
fn sleeps(child: &Child) -> bool {
    let tasks = fs::read_dir(format!("/proc/{}/task", child.id())).into_iter().flatten().flatten();
    let pauses = [nix::libc::SYS_nanosleep, nix::libc::SYS_clock_nanosleep].map(|call| call.to_string());
    tasks.into_iter().any(|task| {
        let call = fs::read_to_string(task.path().join("syscall")).unwrap_or_default();
        call.split(' ').next().is_some_and(|number| pauses.iter().any(|pause| pause == number))
    })
}

/// The line the second Nova appends.
pub(super) const OTHERS: &str = OTHER_NOVAS;

fn is_one_file(one: &Metadata, other: &Metadata) -> bool {
    one.dev() == other.dev() && one.ino() == other.ino()
}
