//! The invariants after a case, whatever the user did and wherever Nova was killed.
//!
//! Every line occurs in one note only, so a line identifies the note it belongs to. The line with the link is
//! the exception: it is the same in every note.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::child::{
    Does, LINKING, MOVED, NEW, NEXT_PLAN, NOTE, NOTE_TEXT, NOVAS_APPEND, NOVAS_EDIT, Operation, PLAN,
    linking_text, notes,
};
use super::trace::End;
use super::user::{MADE, OTHERS, SAVED, User};

/// The violations found after a case.
#[derive(Debug, Default)]
pub(super) struct Wrong {
    /// Text the user saved that is in no visible file of the right folder.
    pub(super) lost: Vec<String>,
    /// Text in the wrong note, or in an unexpected file.
    pub(super) misplaced: Vec<String>,
    /// Temporary files of Nova in the vault.
    pub(super) left_over: Vec<String>,
    /// Exit codes that do not match the result.
    pub(super) untrue: Vec<String>,
}

impl Wrong {
    pub(super) fn is_nothing(&self) -> bool {
        self.each().iter().all(|(_, wrong)| wrong.is_empty())
    }

    pub(super) fn each(&self) -> [(&'static str, &[String]); 4] {
        [
            ("lost", &self.lost),
            ("misplaced", &self.misplaced),
            ("left over", &self.left_over),
            ("untrue exit code", &self.untrue),
        ]
    }
}

/// The visible files of a vault, with their texts by path.
#[derive(Debug, Default)]
pub(super) struct Notes(BTreeMap<String, String>);

/// Everything observed in a case.
pub(super) struct Seen {
    pub(super) operation: &'static Operation,
    /// How the traced Nova ended.
    pub(super) end: End,
    /// The notes right after its end.
    pub(super) at_its_end: Notes,
    /// Whether an edit was put outside of the vault (`<data>/conflicts`) by then.
    pub(super) kept_outside: bool,
    /// Whether the next Nova undid the interrupted change set.
    pub(super) is_taken_back: bool,
    /// The exit code of the second Nova.
    pub(super) other: Option<i32>,
    /// The notes after the vault was opened and closed again.
    pub(super) at_last: Notes,
    pub(super) left_over: Vec<String>,
}

impl Notes {
    pub(super) fn read(root: &Path) -> Notes {
        let mut notes = Notes::default();
        notes.add(root, "");
        notes
    }

    fn add(&mut self, folder: &Path, prefix: &str) {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            match (name.starts_with('.'), entry.file_type().unwrap().is_dir()) {
                (true, _) => {}
                (false, true) => self.add(&entry.path(), &format!("{prefix}{name}/")),
                (false, false) => {
                    let text = String::from_utf8_lossy(&fs::read(entry.path()).unwrap()).into_owned();
                    self.0.insert(format!("{prefix}{name}"), text);
                }
            }
        }
    }

    /// Returns the notes that lack the effect of the operation.
    pub(super) fn undone(&self, does: Does, user: &User) -> BTreeSet<&'static str> {
        let all = wanted(does).into_iter();
        all.filter(|wanted| !wanted.holds(self, user)).map(|wanted| wanted.note).collect()
    }

    /// Returns the text at this path, or at the path the user renamed it to.
    fn at(&self, path: &str, user: &User) -> Option<&str> {
        self.0.get(&user.renamed(path)).or_else(|| self.0.get(path)).map(String::as_str)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }
}

/// The intended effect of an operation on one note.
struct Wanted {
    note: &'static str,
    /// The path the effect is visible at.
    at: &'static str,
    /// Text the note must contain there; `None`: no note may be there.
    says: Option<&'static str>,
}

impl Wanted {
    fn holds(&self, notes: &Notes, user: &User) -> bool {
        match self.says {
            Some(says) => {
                let beside = (self.at == PLAN).then_some(NEXT_PLAN);
                let texts = [Some(self.at), beside].into_iter().flatten().filter_map(|at| notes.at(at, user));
                texts.into_iter().any(|text| text.contains(says))
            }
            None => !notes.0.contains_key(self.at),
        }
    }
}

fn wanted(does: Does) -> Vec<Wanted> {
    let one = |at, says| vec![Wanted { note: at, at, says }];
    let with_links = |at, link| {
        let linking = LINKING.into_iter().map(|note| Wanted { note, at: note, says: Some(link) });
        std::iter::once(Wanted { note: NOTE, at, says: Some("") }).chain(linking).collect()
    };
    match does {
        Does::Append | Does::AppendWithoutExchange => one(NOTE, Some(NOVAS_APPEND)),
        Does::AppendToo => one(NOTE, Some(OTHERS)),
        Does::Edit => one(NOTE, Some(NOVAS_EDIT)),
        Does::Set => one(NOTE, Some("stage: won")),
        Does::Create => one(NEW, Some("made by Nova")),
        Does::Attach | Does::AttachFile => one(PLAN, Some("made,by Nova")),
        Does::Delete => one(NOTE, None),
        Does::UndoEdit => one(NOTE, Some("second of Note")),
        Does::UndoDelete => one(NOTE, Some("first of Note")),
        Does::Move | Does::Finish => with_links(MOVED, "[[Goal]]"),
        Does::UndoMove => with_links(NOTE, "[[Note]]"),
    }
}

impl Seen {
    pub(super) fn judge(&self, user: &User) -> Wrong {
        Wrong {
            lost: self.lost(user),
            misplaced: self.misplaced(user),
            left_over: self.left_over.clone(),
            untrue: self.untrue(user),
        }
    }

    /// Returns the note the user acts on, by its original path.
    fn note(&self) -> &'static str {
        let Operation { before, after, .. } = self.operation;
        let note = before.or(*after).unwrap();
        if note == MOVED { NOTE } else { note }
    }

    /// Returns the paths a note may have, given its original one.
    fn places<'a>(&self, note: &'a str, user: &User) -> Vec<String> {
        let moved = (note == NOTE && self.operation.is_of_many()).then_some(MOVED);
        let beside = (note == PLAN).then_some(NEXT_PLAN);
        let all = std::iter::once(note).chain(moved).chain(beside);
        all.flat_map(|place: &'a str| [user.renamed(place), place.to_owned()]).collect()
    }

    /// Returns the folders in which the user's text belongs. The old name of a renamed folder is not one.
    fn folders(&self, user: &User) -> BTreeSet<String> {
        let Operation { before, after, .. } = self.operation;
        let mut folders: BTreeSet<String> = [before, after]
            .into_iter()
            .flatten()
            .map(|note| folder(&user.renamed(note)).to_owned())
            .collect();
        // An undo restores a note at its original path, even if the folder was renamed since.
        let back = if self.is_taken_back { *before } else { None };
        let filled = if self.operation.fills_a_place() { *after } else { None };
        folders.extend([back, filled].into_iter().flatten().map(|note| folder(note).to_owned()));
        folders
    }

    fn lost(&self, user: &User) -> Vec<String> {
        let folders = self.folders(user);
        let all = self.at_last.iter();
        let there: Vec<&str> =
            all.filter(|(path, _)| folders.contains(folder(path))).map(|(_, text)| text).collect();
        let mut wanted: Vec<String> = Vec::new();
        if user.saved && !user.wrote_into_trash {
            wanted.push(SAVED.to_owned());
        }
        if self.other == Some(0) && !matches!(self.operation.does, Does::Delete) {
            wanted.push(OTHERS.to_owned());
        }
        wanted.retain(|line| !there.iter().any(|text| text.contains(line)));
        let comes_or_goes = matches!(
            self.operation.does,
            Does::Create | Does::Attach | Does::AttachFile | Does::Delete | Does::UndoDelete
        );
        if !user.deleted && !comes_or_goes {
            let text = text_of(self.note());
            let lines =
                text.lines().filter(|line| line.starts_with("first of") || line.starts_with("last of"));
            let is_gone = |line: &&str| self.at_last.iter().all(|(_, text)| !text.contains(*line));
            wanted.extend(lines.filter(is_gone).map(str::to_owned));
        }
        let others = notes().into_iter().filter(|(note, _)| *note != self.note());
        for (note, _) in others {
            if self.places(note, user).iter().all(|place| !self.at_last.0.contains_key(place)) {
                wanted.push(note.to_owned());
            }
        }
        wanted
    }

    fn misplaced(&self, user: &User) -> Vec<String> {
        let mut wrong = Vec::new();
        for (path, text) in self.at_last.iter() {
            let owners: BTreeSet<&str> = text
                .lines()
                .filter(|line| !matches!(*line, "" | "---" | "See [[Note]]." | "See [[Goal]]."))
                .map(|line| self.owner(line, user))
                .collect();
            let known = notes().into_iter().map(|(note, _)| note).chain([NEW, PLAN]);
            let here =
                known.into_iter().find(|note| self.places(note, user).iter().any(|place| place == path));
            let is_whole =
                |note| text == text_of(note) || text == text_of(note).replace("[[Note]]", "[[Goal]]");
            match here {
                Some(note) if note != self.note() => {
                    if !is_whole(note) {
                        wrong.push(format!("{path} is another note's business: {text:?}"));
                    }
                }
                Some(_) if !self.folders(user).contains(folder(path)) => {
                    wrong.push(format!("{path} is in a folder that has another name now"));
                }
                Some(note) => {
                    let made = user.made && owners == BTreeSet::from([MADE]);
                    if !made && owners.iter().any(|owner| *owner != note) {
                        wrong.push(format!("{path} has lines of {owners:?}: {text:?}"));
                    }
                }
                // A copy beside the note.
                None => {
                    let of_note = owners == BTreeSet::from([self.note()]) || owners == BTreeSet::from([MADE]);
                    if !of_note || !self.folders(user).contains(folder(path)) {
                        wrong.push(format!("{path} has lines of {owners:?}: {text:?}"));
                    }
                }
            }
        }
        wrong
    }

    /// Returns the note a line belongs to.
    fn owner(&self, line: &str, user: &User) -> &'static str {
        if line == MADE || user.made && line == SAVED {
            return MADE;
        }
        if line.contains(SAVED) {
            return self.note();
        }
        if [NOVAS_APPEND, NOVAS_EDIT, OTHERS, "stage: won"].contains(&line) {
            return NOTE;
        }
        let line = line.replace("[[Goal]]", "[[Note]]");
        let known = notes().into_iter().find(|(_, text)| text.lines().any(|known| known == line));
        match line.as_str() {
            "# New" | "made by Nova" => NEW,
            "made,by Nova" => PLAN,
            _ => known.map_or("nobody", |(note, _)| note),
        }
    }

    fn untrue(&self, user: &User) -> Vec<String> {
        let mut untrue = Vec::new();
        match self.end {
            End::Killed | End::Exited(1) => {}
            End::Exited(0) => {
                let mut undone = self.at_last.undone(self.operation.does, user);
                undone.retain(|note| !user.took_away.contains(note));
                if user.deleted && LINKING.contains(&self.note()) {
                    // Without the note there is no link to rewrite.
                    undone.remove(self.note());
                }
                if !undone.is_empty() {
                    untrue.push(format!("0, but this was not done: {undone:?}"));
                }
                if self.kept_outside {
                    untrue.push("0, but an edit was put outside of the vault".to_owned());
                }
                let copies: Vec<_> = self
                    .at_its_end
                    .iter()
                    .map(|(path, _)| path)
                    .filter(|path| self.is_copy(path, user))
                    .collect();
                if !copies.is_empty() {
                    untrue.push(format!("0, but there are copies: {copies:?}"));
                }
            }
            End::Exited(code) => untrue.push(format!("{code}")),
        }
        if let Some(code) = self.other.filter(|code| !matches!(code, 0 | 1)) {
            untrue.push(format!("{code} of the other Nova"));
        }
        untrue
    }

    fn is_copy(&self, path: &str, user: &User) -> bool {
        let mut known = notes().into_iter().map(|(note, _)| note).chain([NEW, PLAN]);
        !known.any(|note| self.places(note, user).iter().any(|place| place == path))
    }
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns the original text of a note.
fn text_of(note: &str) -> String {
    if note == NOTE { NOTE_TEXT.to_owned() } else { linking_text(note) }
}
