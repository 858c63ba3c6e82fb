//! The vault: opening it and asking it.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;

use crate::change::ChangeSetKind;
use crate::change_set::ChangeSet;
use crate::core::{Clock, Core, NewId, without_links};
use crate::disk::{Disk, GoneRoot, KnownFolders, Refusal, Roots};
use crate::draft::Draft;
use crate::error::VaultError;
use crate::feed::{Feed, VaultChange};
use crate::history::{Diffs, History};
use crate::index::{Head, Index, Listing, Texts, folded, read_note};
use crate::journal::Journal;
use crate::links::Outlines;
use crate::note::{ContentHash, Document, VaultPath, unreadable_matter};
use crate::obsidian::TemplateFolder;
use crate::step::Steps;
#[cfg(test)]
use crate::watch::Options;
use crate::watch::WatchState;
use crate::write::{Displaced, Keeper, sweep};

/// What a vault is opened with. Clock and ids are given, so that nothing here depends on the
/// machine.
pub struct VaultOptions {
    /// The folder with the notes. It may be named through a link.
    pub root: PathBuf,
    /// Where the journal lies: `<data>/history`. Made at the first write, or by
    /// [`Vault::remember_folder`]; readable by the user only.
    pub history: PathBuf,
    /// Folders that may not be the vault nor lie in it: `<config>` and `<data>`. The folder
    /// of the journal is one of them without being named.
    pub forbidden: Vec<PathBuf>,
    /// Folders outside of the vault whose notes belong to it once a symbolic link at its top leads to
    /// one. None of them may hold or lie in the vault, `forbidden` or `program`.
    pub roots: Vec<PathBuf>,
    /// The folder that the program itself lies in.
    pub program: Option<PathBuf>,
    /// Tells the time.
    pub clock: Clock,
    /// Where the user is: what `today` is, and on which day a note was changed.
    pub zone: TimeZone,
    /// Gives ids for change sets, never the same twice.
    pub new_id: NewId,
    /// The system's trash, which takes deleted notes where Obsidian is set to use it: on Linux the
    /// home trash, `$XDG_DATA_HOME/Trash`. Where there is none, as on macOS and Windows, or none on
    /// the vault's file system, they go to the vault's own folder `.trash`.
    pub trash: Option<PathBuf>,
    /// The top folder of the file system that a folder lies on ([`top_folder`](crate::top_folder)),
    /// which may have a trash of its own where the home trash is on another one; `None`: it has not.
    pub top_folder: fn(&Path) -> Option<PathBuf>,
    /// Whether a note whose file has further names (hard links) is written in place, so that all of
    /// them show the new text, and a symbolic link to a note in the vault is read and changed as that
    /// note. Both are refused otherwise.
    pub write_through: bool,
}

/// An opened vault. Clones are the same vault. Reading asks the disk every time; writing goes
/// through a [`Draft`] and a [`ChangeSet`].
#[derive(Clone)]
pub struct Vault {
    inner: Arc<Inner>,
}

struct Inner {
    // In this order: the feed's thread ends before the last displaced files are looked at.
    feed: Mutex<Option<Feed>>,
    keeper: Mutex<Option<Keeper>>,
    index: Index,
    outlines: Outlines,
    diffs: Diffs,
    core: Arc<Core>,
}

/// A note as it was read.
#[derive(Debug, Clone)]
pub struct Note {
    /// Where it lies.
    pub path: VaultPath,
    /// Its whole text.
    pub text: Arc<str>,
    /// What the bytes were.
    pub hash: ContentHash,
    /// The text, parsed.
    pub document: Arc<Document>,
    /// When the file was last modified.
    pub modified: Timestamp,
}

/// The notes of a vault at one moment, in order of their paths. Nothing is copied for it.
#[derive(Clone)]
pub struct Notes {
    listing: Arc<Listing>,
}

/// One line of the list of notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct NoteEntry<'a> {
    /// Where it lies.
    pub path: &'a VaultPath,
    /// Its `type:`.
    pub record_type: Option<&'a str>,
    /// Line and reason, when its front matter cannot be read.
    pub broken: Option<(u32, &'a str)>,
}

/// Something in the vault that a person should put right.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Problem {
    /// The file, relative to the vault.
    pub path: String,
    /// The line in the file, 1-based; 1 where the whole file is meant.
    pub line: u32,
    /// What is wrong.
    pub problem: String,
    /// What to do about it.
    pub remedy: String,
}

impl Vault {
    /// Opens the folder. Changes nothing in it but to end what an earlier Nova was killed in the
    /// middle of: temporary files go, and edits in them go to where they belong.
    pub fn open(options: VaultOptions) -> Result<Vault, VaultError> {
        Vault::open_with(options, Steps::default())
    }

    /// As [`Vault::open`] for a folder that the user has just chosen: an empty one too, where another folder
    /// held the notes before.
    pub fn open_chosen(options: VaultOptions) -> Result<Vault, VaultError> {
        KnownFolders::beside(&options.history).forget(&usable_root(&options)?);
        Vault::open(options)
    }

    pub(crate) fn open_with(options: VaultOptions, steps: Steps) -> Result<Vault, VaultError> {
        let root = usable_root(&options)?;
        let unreadable = |error: std::io::Error| VaultError::Unusable {
            root: root.clone(),
            reason: error.to_string(),
            remedy: "Give your user the right to read the folder.".to_owned(),
        };
        let named = std::path::absolute(&options.root).map_err(unreadable)?;
        let known = KnownFolders::beside(&options.history);
        let disk = Disk::open(root.clone(), roots(&root, &options, known.clone())).map_err(unreadable)?;
        let disk = disk.named(named);
        if disk.is_empty() && known.is_another(&root) {
            let reason = Some("the folder there is empty; its disk may not be mounted".to_owned());
            return Err(VaultError::Gone { root: disk.given().to_owned(), reason });
        }
        let journal = Journal::new(without_links(&options.history), &root);
        let core = Arc::new(Core::new(disk, journal, steps, options));
        sweep(&core);
        let vault = Vault {
            inner: Arc::new(Inner {
                feed: Mutex::new(None),
                keeper: Mutex::new(None),
                index: Index::new(Arc::clone(&core.texts)),
                outlines: Outlines::default(),
                diffs: Diffs::default(),
                core,
            }),
        };
        vault.forget_old_changes(None);
        Ok(vault)
    }

    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.inner.core
    }

    pub(crate) fn index(&self) -> &Index {
        &self.inner.index
    }

    pub(crate) fn outlines(&self) -> &Outlines {
        &self.inner.outlines
    }

    pub(crate) fn diffs(&self) -> &Diffs {
        &self.inner.diffs
    }

    /// The vault's folder, without links.
    pub fn root(&self) -> &Path {
        self.core().disk.root()
    }

    /// Whether it was opened with these [`VaultOptions::roots`].
    pub fn has_roots(&self, roots: &[PathBuf]) -> bool {
        self.core().disk.roots().are(roots)
    }

    /// Whether it was opened with [`VaultOptions::write_through`].
    pub fn writes_through(&self) -> bool {
        self.core().write_through
    }

    /// The folder's name.
    pub fn name(&self) -> String {
        match self.root().file_name() {
            Some(name) => name.to_string_lossy().into_owned(),
            None => self.root().to_string_lossy().into_owned(),
        }
    }

    /// Reads a note from the disk. Dot-folders are refused, and links but those to extra roots; so is
    /// what is not UTF-8 or larger than [`crate::MAX_NOTE_BYTES`]. With [`VaultOptions::write_through`]
    /// a link is the note in the vault that it leads to: it has that note's path.
    pub fn read(&self, path: &VaultPath) -> Result<Note, VaultError> {
        refuse_hidden(path)?;
        read_note(&self.core().disk, &self.real(path))
    }

    /// The path of the note that is read and changed under this one.
    pub(crate) fn real<'a>(&self, path: &'a VaultPath) -> Cow<'a, VaultPath> {
        if self.writes_through() { Cow::Owned(self.core().disk.led_to(path)) } else { Cow::Borrowed(path) }
    }

    /// All notes outside dot-folders, in order of their paths, as they are on the disk now.
    pub fn notes(&self) -> Result<Notes, VaultError> {
        Ok(Notes { listing: self.inner.index.listing(&self.core().disk, Texts::Nobodys)? })
    }

    /// The notes whose `type:` is one of these, whatever its case, in order of their paths. Those in
    /// the [`TemplateFolder`] are forms for notes to come and do not count; nor does a copy that a
    /// sync program made of a note ([`VaultPath::is_sync_conflict`]): it would be the record a second
    /// time.
    pub fn records(&self, types: &[&str]) -> Result<Vec<Note>, VaultError> {
        let listing = self.inner.index.listing(&self.core().disk, Texts::OfTypes(types))?;
        Ok(self.records_in(&listing, types))
    }

    /// As [`Vault::records`], with the problems of notes of any type, from the same look at the disk.
    pub(crate) fn records_and_problems(
        &self,
        types: &[&str],
    ) -> Result<(Vec<Note>, Vec<Problem>), VaultError> {
        let listing = self.inner.index.listing(&self.core().disk, Texts::OfTypes(types))?;
        let mut problems = self.problems_of(&listing);
        problems.extend(listing.copies().filter_map(|path| sync_conflict(&listing, path)));
        Ok((self.records_in(&listing, types), problems))
    }

    fn records_in(&self, listing: &Listing, types: &[&str]) -> Vec<Note> {
        let templates = self.template_folder();
        let heads = listing.of_types(types).into_iter();
        heads
            .filter(|head| is_record_place(listing, &templates, &head.path))
            .filter_map(|head| self.inner.index.note(&self.core().disk, head))
            .collect()
    }

    /// The bytes of a file that need not be a note.
    pub(crate) fn bytes(&self, path: &VaultPath) -> Result<Vec<u8>, VaultError> {
        refuse_hidden(path)?;
        self.check_present()?;
        self.core().disk.bytes(path)
    }

    /// The notes that go by `name`: its path with or without `.md`, else the end of a path,
    /// else a note's name, else an alias. Case and Unicode composition do not matter. The best
    /// kind of match counts; several notes mean that the name is not unique.
    pub fn find(&self, name: &str) -> Result<Vec<VaultPath>, VaultError> {
        let wanted = folded(name.trim());
        let wanted = wanted.strip_suffix(".md").unwrap_or(&wanted);
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let exact = |head: &Head| {
            let path = head.path.as_str();
            path == name || path.strip_suffix(".md") == Some(name)
        };
        let path = |head: &Head| without_extension(&folded(head.path.as_str())) == wanted;
        let path_end = |head: &Head| {
            let path = folded(head.path.as_str());
            wanted.contains('/')
                && without_extension(&path).strip_suffix(wanted).is_some_and(|rest| rest.ends_with('/'))
        };
        let note_name = |head: &Head| folded(head.path.name()) == wanted;
        let alias = |head: &Head| head.aliases().iter().any(|alias| folded(alias) == wanted);
        let first = |listing: &Listing, kinds: &[&dyn Fn(&Head) -> bool]| {
            let heads_of = |matches: &&dyn Fn(&Head) -> bool| {
                let found = listing.heads.iter().filter(|head| matches(head));
                found.map(|head| head.path.clone()).collect::<Vec<_>>()
            };
            kinds.iter().map(heads_of).find(|found| !found.is_empty()).unwrap_or_default()
        };
        let listing = |texts| self.inner.index.listing(&self.core().disk, texts);
        let found = first(&*listing(Texts::Nobodys)?, &[&exact, &path, &path_end, &note_name]);
        if !found.is_empty() {
            return Ok(found);
        }
        Ok(first(&*listing(Texts::All)?, &[&exact, &path, &path_end, &note_name, &alias]))
    }

    /// Everything in the vault that cannot be read as it should, in order of path and line.
    pub fn problems(&self) -> Result<Vec<Problem>, VaultError> {
        let listing = self.inner.index.listing(&self.core().disk, Texts::Nobodys)?;
        let mut problems = self.problems_of(&listing);
        problems.extend(listing.copies().filter_map(|path| sync_conflict(&listing, path)));
        problems.extend(self.history().kept_texts()?);
        problems.extend(self.core().not_kept.problems());
        problems.extend(self.obsidian().problems);
        problems.extend(self.seen_by_owner().base_problems(&listing));
        problems.sort();
        Ok(problems)
    }

    pub(crate) fn problems_of(&self, listing: &Listing) -> Vec<Problem> {
        let templates = self.template_folder();
        let mut problems = listing.problems();
        problems
            .retain(|problem| !self.is_followed(&problem.path) && !self.is_form(&templates, &problem.path));
        problems
    }

    /// Whether it is a template whose properties are only readable once it is filled in: `{{date}}` is a
    /// mapping for YAML.
    fn is_form(&self, templates: &TemplateFolder, path: &str) -> bool {
        let Ok(path) = VaultPath::parse(path) else { return false };
        let note = || self.read(&path).ok();
        templates.holds(&path)
            && note().is_some_and(|note| {
                unreadable_matter(&note.text).is_some_and(|matter| {
                    ["{{", "<%"].iter().any(|mark| note.text[matter.clone()].contains(mark))
                })
            })
    }

    /// Whether a link lies there that is the note it leads to, and no problem.
    pub(crate) fn is_followed(&self, path: &str) -> bool {
        let Ok(path) = VaultPath::parse(path) else { return false };
        let real = self.real(&path);
        *real != path && self.core().disk.place(&real).is_ok_and(|place| !place.is_free(&real))
    }

    /// An empty plan of writes.
    pub fn draft(&self) -> Draft {
        self.seen_by_owner().draft()
    }

    /// A change set, of which nothing is on the disk until its first write.
    pub fn change_set(&self, kind: ChangeSetKind, label: String) -> ChangeSet {
        ChangeSet::new(self.clone(), kind, label)
    }

    /// The change sets of this vault.
    pub fn history(&self) -> History {
        History::new(self.clone())
    }

    /// What changes in the vault from now on, by whomever. Watching starts with the first call;
    /// a receiver that falls more than 4,096 changes behind is told that it missed some.
    pub fn changes(&self) -> tokio::sync::broadcast::Receiver<VaultChange> {
        let mut feed = self.inner.feed.lock().unwrap_or_else(PoisonError::into_inner);
        feed.get_or_insert_with(|| Feed::start(self.core())).subscribe()
    }

    /// Waits until every change made before this call was sent to the receivers of
    /// [`Vault::changes`]. Does nothing when nobody watches.
    pub fn flush_changes(&self) {
        if let Some(feed) = &*self.inner.feed.lock().unwrap_or_else(PoisonError::into_inner) {
            feed.flush();
        }
    }

    /// How the vault is watched; `None` while nobody asked for changes.
    pub fn watching(&self) -> Option<WatchState> {
        self.inner.feed.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(Feed::state)
    }

    /// Watches with other limits than usual.
    #[cfg(test)]
    pub(crate) fn watch_with(&self, options: Options) {
        let feed = Feed::start_with(self.core(), options);
        *self.inner.feed.lock().unwrap_or_else(PoisonError::into_inner) = Some(feed);
    }

    /// Looks a last time at the files that writes displaced, and waits for that, as dropping the vault does:
    /// for a program whose end drops nothing. Gives the files with edits of other programs that could not
    /// be merged, since the vault was opened or this was called: copies beside their notes, files under
    /// `<data>/conflicts` where no copy could be made, and notes that were edited while they were deleted.
    pub fn finish_writing(&self) -> Vec<PathBuf> {
        drop(self.inner.keeper.lock().unwrap_or_else(PoisonError::into_inner).take());
        self.core().unmerged.take()
    }

    pub(crate) fn hold(&self, displaced: Vec<Displaced>) {
        if displaced.is_empty() {
            return;
        }
        self.inner
            .keeper
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert_with(|| Keeper::start(Arc::clone(self.core())))
            .hold(displaced);
    }
}

impl Problem {
    /// Something that cannot be a note or a folder of notes.
    pub(crate) fn of_unusable(path: String, reason: &str, remedy: &str) -> Problem {
        Problem { path, line: 1, problem: format!("{reason}; it is not read"), remedy: remedy.to_owned() }
    }

    /// A folder that cannot be listed. `prefix` is its path with a `/` at its end.
    pub(crate) fn of_refused(prefix: &str, error: &std::io::Error, gone: Option<GoneRoot>) -> Problem {
        let path = prefix.trim_end_matches('/').to_owned();
        if let Some(root) = gone {
            return Problem::of_unusable(path, &root.message(), root.remedy());
        }
        let refusal = error.get_ref().and_then(|cause| cause.downcast_ref::<Refusal>());
        let remedy = refusal.map_or("Give your user the right to read the folder.", Refusal::remedy);
        Problem::of_unusable(path, &error.to_string(), remedy)
    }

    /// A note that cannot be read.
    pub(crate) fn of_unreadable(path: &VaultPath, error: &VaultError) -> Problem {
        Problem { path: path.as_str().to_owned(), line: 1, problem: error.message(), remedy: error.hint() }
    }
}

impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vault").field("root", &self.root()).finish_non_exhaustive()
    }
}

fn usable_root(options: &VaultOptions) -> Result<PathBuf, VaultError> {
    let unusable = |reason: String, remedy: &str| VaultError::Unusable {
        root: options.root.clone(),
        reason,
        remedy: remedy.to_owned(),
    };
    let metadata = std::fs::metadata(&options.root).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => unusable(
            "it does not exist".to_owned(),
            "Choose the folder that holds your notes, or create it first.",
        ),
        _ => unusable(error.to_string(), "Give your user the right to read the folder."),
    })?;
    if !metadata.is_dir() {
        return Err(unusable(
            "it is a file, not a folder".to_owned(),
            "Choose the folder that holds your notes.",
        ));
    }
    let root = options
        .root
        .canonicalize()
        .map_err(|error| unusable(error.to_string(), "Give your user the right to read the folder."))?;
    for forbidden in options.forbidden.iter().chain([&options.history]) {
        let forbidden = without_links(forbidden);
        if forbidden.starts_with(&root) {
            return Err(unusable(
                format!("Nova keeps its own files in {}, which would lie in the vault", forbidden.display()),
                "Choose another folder, one that holds only notes.",
            ));
        }
    }
    Ok(root)
}

fn roots(vault: &Path, options: &VaultOptions, known: KnownFolders) -> Roots {
    let forbidden = options.forbidden.iter().chain([&options.history]).chain(&options.program);
    Roots::new(vault, options.roots.clone(), forbidden.cloned().collect(), known)
}

pub(crate) fn refuse_hidden(path: &VaultPath) -> Result<(), VaultError> {
    if path.is_hidden() {
        return Err(VaultError::Hidden { path: path.clone() });
    }
    Ok(())
}

impl Notes {
    /// How many.
    pub fn len(&self) -> usize {
        self.listing.heads.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.listing.heads.is_empty()
    }

    /// One after the other.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = NoteEntry<'_>> {
        self.listing.heads.iter().map(|head| NoteEntry {
            path: &head.path,
            record_type: head.record_type(),
            broken: head.broken(),
        })
    }
}

impl PartialEq for Notes {
    fn eq(&self, other: &Notes) -> bool {
        self.iter().eq(other.iter())
    }
}

impl fmt::Debug for Notes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

fn without_extension(path: &str) -> &str {
    path.strip_suffix(".md").unwrap_or(path)
}

/// Whether a note at this path can be a record: neither a form for notes to come nor a copy that a
/// sync program made of a note that is there.
pub(crate) fn is_record_place(listing: &Listing, templates: &TemplateFolder, path: &VaultPath) -> bool {
    let is_copy = listing.is_copy(path) && original_of(listing, path).is_some();
    !templates.holds(path) && !is_copy
}

/// The note beside which a sync program put this copy, while it is there.
fn original_of(listing: &Listing, path: &VaultPath) -> Option<VaultPath> {
    let original = VaultPath::in_folder(path.folder(), &format!("{}.md", path.sync_conflict_of()?)).ok()?;
    listing.heads.binary_search_by(|head| head.path.cmp(&original)).ok().map(|_| original)
}

fn sync_conflict(listing: &Listing, path: &VaultPath) -> Option<Problem> {
    let original = path.sync_conflict_of()?;
    let remedy = match original_of(listing, path) {
        Some(_) => format!("Compare it with \"{original}.md\", keep one of the two, and delete the other."),
        None => format!("\"{original}.md\" no longer exists: rename this file to that name, or delete it."),
    };
    Some(Problem {
        path: path.as_str().to_owned(),
        line: 1,
        problem: match path.is_unmerged_edit() {
            true => {
                format!("it holds an edit made during a write of \"{original}.md\" that could not be merged")
            }
            false => {
                format!(
                    "a sync program made this copy, because \"{original}.md\" was changed in two places at once"
                )
            }
        },
        remedy,
    })
}
