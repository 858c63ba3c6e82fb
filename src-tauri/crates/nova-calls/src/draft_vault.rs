use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use nova_registry::Snapshot;
use nova_skill::{
    Note, ObsidianSettings, Problem, PropertyEdit, RecordTypes, ToolError, ToolVault, VaultError, VaultPath,
};
use nova_vault::note::{ContentHash, FrontMatter, folded};
use nova_vault::{
    Attached, BaseAnswer, Draft, Links, MentionAnswer, MentionQuery, Moved, NewNote, Privacy, Query,
    QueryAnswer, QueryRow, RecordsRead, Search, SearchAnswer, TagCount, TagsRead, TaskAnswer, TaskQuery,
    Trash, Vault, View,
};

use crate::Outcome;
use crate::local_only::LocalOnly;
use crate::received::ReceivedNotes;
use crate::seen_notes::{SeenNote, SeenNotes};

/// The vault of one call: reads from disk, writes to a draft.
#[derive(Clone)]
pub(crate) struct DraftVault {
    state: Option<Arc<State>>,
    records: Arc<RecordTypes>,
    skills: Arc<Snapshot>,
    asker: Arc<dyn SeenNotes>,
}

struct State {
    view: View,
    draft: Mutex<Draft>,
    /// The notes of which the call received any content, with their hash.
    seen: Mutex<BTreeMap<VaultPath, ContentHash>>,
    /// The notes that were read or planned individually.
    reached: Mutex<BTreeSet<VaultPath>>,
    received: Mutex<ReceivedNotes>,
    local_only: Mutex<LocalOnly>,
    /// Whether it read a private note or file individually.
    read_private: AtomicBool,
}

impl State {
    fn new(draft: Draft, view: View) -> Self {
        Self {
            view,
            draft: Mutex::new(draft),
            seen: Mutex::default(),
            reached: Mutex::default(),
            received: Mutex::default(),
            local_only: Mutex::default(),
            read_private: AtomicBool::new(false),
        }
    }
}

impl DraftVault {
    pub(crate) fn new(
        vault: Option<&Vault>,
        privacy: Arc<Privacy>,
        records: Arc<RecordTypes>,
        skills: Arc<Snapshot>,
        asker: Arc<dyn SeenNotes>,
    ) -> Self {
        let state = vault.map(|vault| {
            let view = vault.seen_by(privacy);
            Arc::new(State::new(view.draft(), view))
        });
        Self { state, records, skills, asker }
    }

    /// Returns the vault for an inner call: it includes the changes planned here.
    pub(crate) fn fork(&self, records: Arc<RecordTypes>, asker: Arc<dyn SeenNotes>) -> Self {
        let state = self.state.as_ref().map(|state| {
            let draft = state.draft.lock().unwrap_or_else(PoisonError::into_inner).fork();
            Arc::new(State::new(draft, state.view.clone()))
        });
        Self { state, records, skills: self.skills.clone(), asker }
    }

    /// Takes over the changes planned in a fork. Nothing may have been planned here since the fork.
    pub(crate) fn join(&self, fork: Draft) {
        if let Some(state) = &self.state {
            *state.draft.lock().unwrap_or_else(PoisonError::into_inner) = fork.joined();
        }
    }

    /// Records what an inner call read: its result is passed to this one.
    pub(crate) fn record_inner_reads(&self, call: &Outcome) {
        self.saw(call.seen.iter().map(|(path, hash)| (path.clone(), *hash)));
        if call.local_only {
            self.adds_local_only(LocalOnly::reveal);
        }
    }

    /// Whether one of these notes is private.
    pub(crate) async fn any_private(&self, paths: Vec<VaultPath>) -> bool {
        let any = self.with(move |view, _| Ok(paths.iter().any(|path| is_local_only(view, path)))).await;
        any.unwrap_or(true)
    }

    /// Takes the planned writes when the tool has returned. Nothing may be planned afterwards.
    pub(crate) fn take_draft(&self) -> Option<Draft> {
        let state = self.state.as_ref()?;
        let mut draft = state.draft.lock().unwrap_or_else(PoisonError::into_inner);
        let draft = std::mem::replace(&mut *draft, state.view.draft());
        (!draft.is_empty()).then_some(draft)
    }

    /// The notes and files of which the call received any content, with their hash; not those that were only
    /// scanned.
    pub(crate) fn seen(&self) -> BTreeMap<VaultPath, ContentHash> {
        self.state.as_ref().map_or_else(BTreeMap::new, |state| {
            state.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
        })
    }

    /// As [`DraftVault::seen`], without a copy, when the tool has returned.
    pub(crate) fn take_seen(&self) -> BTreeMap<VaultPath, ContentHash> {
        self.state.as_ref().map_or_else(BTreeMap::new, |state| {
            std::mem::take(&mut *state.seen.lock().unwrap_or_else(PoisonError::into_inner))
        })
    }

    /// The notes that were read or planned individually. Results of searches and lists are in
    /// [`DraftVault::with_received`]: most of them are only scanned.
    pub(crate) fn reached(&self) -> BTreeSet<VaultPath> {
        self.state.as_ref().map_or_else(BTreeSet::new, |state| {
            state.reached.lock().unwrap_or_else(PoisonError::into_inner).clone()
        })
    }

    /// Takes the notes reached since the last call of this function.
    pub(crate) fn take_reached(&self) -> BTreeSet<VaultPath> {
        self.state.as_ref().map_or_else(BTreeSet::new, |state| {
            std::mem::take(&mut *state.reached.lock().unwrap_or_else(PoisonError::into_inner))
        })
    }

    pub(crate) fn reaches_all(&self, paths: impl IntoIterator<Item = VaultPath>) {
        if let Some(state) = &self.state {
            state.reached.lock().unwrap_or_else(PoisonError::into_inner).extend(paths);
        }
    }

    /// Whether the call read a private note or file, whose content it may copy into its writes.
    pub(crate) fn has_read_private(&self) -> bool {
        self.state.as_ref().is_some_and(|state| state.read_private.load(Ordering::SeqCst))
    }

    /// Whether the call received anything that is hidden from remote readers.
    pub(crate) async fn knows_private(&self) -> bool {
        self.state.is_some()
            && (self.has_read_private()
                || !self.local_only().is_empty()
                || self.any_private(self.seen().into_keys().collect()).await)
    }

    /// Inspects everything the call has received of notes so far, without a copy.
    pub(crate) fn with_received<T>(&self, look: impl FnOnce(&ReceivedNotes) -> T) -> T {
        match &self.state {
            Some(state) => look(&state.received.lock().unwrap_or_else(PoisonError::into_inner)),
            None => look(&ReceivedNotes::default()),
        }
    }

    /// What the call received that is hidden from remote readers, in addition to the notes it has seen.
    pub(crate) fn local_only(&self) -> LocalOnly {
        self.state.as_ref().map_or_else(LocalOnly::default, |state| {
            state.local_only.lock().unwrap_or_else(PoisonError::into_inner).clone()
        })
    }

    fn adds_local_only(&self, note: impl FnOnce(&mut LocalOnly)) {
        if let Some(state) = &self.state {
            note(&mut state.local_only.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    fn receives(&self, note: impl FnOnce(&mut ReceivedNotes)) {
        if let Some(state) = &self.state {
            note(&mut state.received.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    fn reads_private(&self, is_private: bool) {
        if let Some(state) = self.state.as_ref().filter(|_| is_private) {
            state.read_private.store(true, Ordering::SeqCst);
        }
    }

    fn reaches(&self, path: &VaultPath) {
        if let Some(state) = &self.state {
            state.reached.lock().unwrap_or_else(PoisonError::into_inner).insert(path.clone());
        }
    }

    async fn with<R: Send + 'static>(
        &self,
        work: impl FnOnce(&View, &mut Draft) -> Result<R, VaultError> + Send + 'static,
    ) -> Result<R, ToolError> {
        let state = self.state.clone().ok_or(ToolError::NoVault)?;
        let done = tokio::task::spawn_blocking(move || {
            let mut draft = state.draft.lock().unwrap_or_else(PoisonError::into_inner);
            work(&state.view, &mut draft)
        });
        match done.await {
            Ok(result) => Ok(result?),
            Err(error) => Err(ToolError::failed(format!("Reading the vault failed: {error}."), "Try again.")),
        }
    }

    fn record_seen_notes(&self, notes: &[Note]) {
        self.saw(notes.iter().map(|note| (note.path.clone(), note.hash)));
    }

    fn saw(&self, files: impl IntoIterator<Item = (VaultPath, ContentHash)>) {
        if let Some(state) = &self.state {
            let new: BTreeMap<_, _> = files.into_iter().collect();
            let mut seen = state.seen.lock().unwrap_or_else(PoisonError::into_inner);
            if seen.is_empty() {
                *seen = new;
            } else {
                seen.extend(new);
            }
        }
    }
}

#[async_trait]
impl ToolVault for DraftVault {
    async fn read(&self, path: &VaultPath) -> Result<Note, ToolError> {
        let asked = path.clone();
        let read = move |view: &View, draft: &mut Draft| {
            let note = draft.read(&asked)?;
            let on_disk = draft.on_disk(&note);
            let is_private = on_disk.as_ref().is_some_and(|(path, _)| is_local_only(view, path))
                && !is_hidden_as_unreadable(&note, &view.privacy().elsewhere());
            Ok((note, on_disk, is_private))
        };
        let (note, on_disk, is_private) = self.with(read).await?;
        self.reads_private(is_private);
        self.reaches(path);
        self.reaches(&note.path);
        self.saw(on_disk);
        self.receives(|received| received.whole(&note));
        Ok(note)
    }

    async fn find(&self, name: &str) -> Result<Vec<VaultPath>, ToolError> {
        let name = name.to_owned();
        let (found, hidden) = self
            .with(move |view, _| {
                let found = view.find(&name)?;
                let hidden = found.iter().any(|path| is_local_only(view, path));
                Ok((found, hidden))
            })
            .await?;
        if hidden {
            self.adds_local_only(LocalOnly::reveal);
        }
        Ok(found)
    }

    async fn paths(&self) -> Result<Vec<VaultPath>, ToolError> {
        let (paths, hidden) = self.with(|view, _| paths(view)).await?;
        self.adds_local_only(|local_only| local_only.add_names(hidden));
        Ok(paths)
    }

    async fn records(&self, record_type: &str) -> Result<Vec<Note>, ToolError> {
        let recogniser = self.records.get(record_type)?.recogniser().clone();
        let notes = self.with(move |view, _| view.records(&recogniser)).await?;
        self.record_seen_notes(&notes);
        self.receives(|received| notes.iter().for_each(|note| received.whole(note)));
        Ok(notes)
    }

    async fn unreadable(&self, record_type: &str) -> Result<Vec<Problem>, ToolError> {
        let declared = self.records.get(record_type)?;
        let (folder, recogniser) = (declared.folder.clone(), declared.recogniser().clone());
        let (problems, hidden) = self
            .with(move |view, _| {
                let problems = view.unreadable(&folder, &recogniser)?;
                let hidden = local_only_problems(view, &problems);
                Ok((problems, hidden))
            })
            .await?;
        self.adds_local_only(|local_only| local_only.add_names(hidden));
        Ok(problems)
    }

    async fn read_records(&self, record_types: &[&str]) -> Result<RecordsRead, ToolError> {
        let recogniser = self.records.recogniser_of(record_types)?;
        let folder = |name: &&str| Ok(self.records.get(name)?.folder.clone());
        let folders = record_types.iter().map(folder).collect::<Result<Vec<_>, ToolError>>()?;
        let (read, hidden) = self
            .with(move |view, _| {
                let read = view.read_records(&borrowed(&folders), &recogniser)?;
                let hidden = local_only_problems(view, &read.unreadable);
                Ok((read, hidden))
            })
            .await?;
        self.adds_local_only(|local_only| local_only.add_names(hidden));
        self.record_seen_notes(&read.notes);
        self.receives(|received| read.notes.iter().for_each(|note| received.whole(note)));
        Ok(read)
    }

    async fn name_of(&self, place: &str) -> Result<Option<String>, ToolError> {
        let place = PathBuf::from(place);
        self.with(move |view, _| Ok(view.name_of(&place))).await
    }

    async fn has_folder(&self, folder: &str) -> Result<bool, ToolError> {
        let folder = folder.to_owned();
        self.with(move |view, _| view.has_folder(&folder)).await
    }

    async fn read_file(&self, path: &VaultPath) -> Result<Vec<u8>, ToolError> {
        self.reaches(path);
        let asked = path.clone();
        let read =
            move |view: &View, _: &mut Draft| Ok((view.read_file(&asked)?, is_local_only(view, &asked)));
        let (bytes, is_private) = self.with(read).await?;
        self.reads_private(is_private);
        self.saw([(path.clone(), ContentHash::of(&bytes))]);
        Ok(bytes)
    }

    async fn free_path(&self, folder: &str, display_name: &str) -> Result<VaultPath, ToolError> {
        let (folder, name) = (folder.to_owned(), display_name.to_owned());
        self.with(move |_, draft| draft.free_path(&folder, &name)).await
    }

    async fn create(&self, path: &VaultPath, text: String) -> Result<(), ToolError> {
        self.reaches(path);
        let path = path.clone();
        self.with(move |_, draft| draft.create(&path, text)).await
    }

    async fn attach(
        &self,
        folder: &str,
        name: &str,
        text: String,
        note: Option<&VaultPath>,
    ) -> Result<Attached, ToolError> {
        let (folder, name, note) = (folder.to_owned(), name.to_owned(), note.cloned());
        let attached = self.with(move |_, draft| draft.attach(&folder, &name, text, note.as_ref())).await?;
        self.reaches(&attached.path);
        Ok(attached)
    }

    async fn attach_file(&self, folder: &str, name: &str, bytes: Vec<u8>) -> Result<Attached, ToolError> {
        let (folder, name) = (folder.to_owned(), name.to_owned());
        let attached = self.with(move |_, draft| draft.attach_file(&folder, &name, bytes)).await?;
        self.reaches(&attached.path);
        Ok(attached)
    }

    async fn create_all(&self, notes: Vec<NewNote>) -> Result<Vec<VaultPath>, ToolError> {
        let paths = self.with(move |_, draft| draft.create_all(notes)).await?;
        paths.iter().for_each(|path| self.reaches(path));
        Ok(paths)
    }

    async fn set_properties(&self, path: &VaultPath, edits: &[PropertyEdit]) -> Result<(), ToolError> {
        self.reaches(path);
        let (path, edits) = (path.clone(), edits.to_vec());
        let asker = self.asker.clone();
        self.with(move |_, draft| {
            let path = draft.read(&path)?.path;
            if let Some(SeenNote { hash, document }) = asker.seen(&path) {
                draft.check_seen(&path, (hash, document.as_deref()), &edits)?;
            }
            draft.set_properties(&path, &edits)
        })
        .await
    }

    async fn replace(
        &self,
        path: &VaultPath,
        old: &str,
        new: &str,
        count: Option<usize>,
    ) -> Result<(), ToolError> {
        self.reaches(path);
        let (path, old, new) = (path.clone(), old.to_owned(), new.to_owned());
        self.with(move |_, draft| draft.replace(&path, &old, &new, count)).await
    }

    async fn replace_line(
        &self,
        path: &VaultPath,
        line: u32,
        old: &str,
        new: &[String],
    ) -> Result<(), ToolError> {
        self.reaches(path);
        let (path, old, new) = (path.clone(), old.to_owned(), new.to_vec());
        self.with(move |_, draft| draft.replace_line(&path, line, &old, &new)).await
    }

    async fn append(&self, path: &VaultPath, text: &str, heading: Option<&str>) -> Result<(), ToolError> {
        self.reaches(path);
        let (path, text, heading) = (path.clone(), text.to_owned(), heading.map(str::to_owned));
        self.with(move |_, draft| draft.append(&path, &text, heading.as_deref())).await
    }

    async fn delete(&self, path: &VaultPath) -> Result<Trash, ToolError> {
        self.reaches(path);
        let path = path.clone();
        let (trash, hidden) = self
            .with(move |view, draft| {
                let hidden = is_local_only(view, &path);
                draft.delete(&path)?;
                Ok((view.trash(&path), hidden))
            })
            .await?;
        // When the call is judged, the note no longer exists, so its privacy cannot be checked then.
        if hidden {
            self.adds_local_only(LocalOnly::reveal);
        }
        Ok(trash)
    }

    async fn move_note(&self, from: &VaultPath, to: &VaultPath) -> Result<Moved, ToolError> {
        self.reaches(from);
        self.reaches(to);
        let (from, to) = (from.clone(), to.clone());
        let (moved, hidden) = self
            .with(move |view, draft| {
                let moved = draft.move_note(&from, &to);
                // Unchanged links are reported with their lines, and an error of a move names the file that
                // caused it.
                let revealed: BTreeSet<&VaultPath> = match &moved {
                    Ok(moved) => moved.left.iter().map(|link| &link.path).collect(),
                    Err(error) => error.path().into_iter().collect(),
                };
                let said = |path: &VaultPath| *path == from || *path == to;
                let hidden = revealed.into_iter().any(|path| !said(path) && is_local_only(view, path));
                Ok((moved, hidden))
            })
            .await?;
        if hidden {
            self.adds_local_only(LocalOnly::reveal);
        }
        Ok(moved?)
    }

    async fn search(&self, search: &Search) -> Result<SearchAnswer, ToolError> {
        let search = search.clone();
        let (answer, hidden) = self
            .with(move |view, _| {
                let answer = view.search(&search)?;
                let hidden = local_only_problems(view, &answer.skipped);
                Ok((answer, hidden))
            })
            .await?;
        self.adds_local_only(|local_only| local_only.add_names(hidden));
        self.saw(answer.read.clone());
        self.receives(|received| answer.hits.iter().for_each(|hit| received.text(&hit.path, &hit.text)));
        Ok(answer)
    }

    async fn query(&self, query: &Query) -> Result<QueryAnswer, ToolError> {
        let mut query = query.clone();
        query.records = self.skills.recogniser_named(&query.record_types);
        let answer = self.with(move |view, _| view.query(&query)).await?;
        self.saw(answer.rows.iter().filter_map(|row| Some((row.path.clone(), row.hash?))));
        self.receives(|received| answer.rows.iter().for_each(|row| received.row(row)));
        let unread = answer.rows.iter().filter(|row| row.hash.is_none()).map(|row| row.path.to_string());
        self.adds_local_only(|local_only| local_only.add_names(unread));
        Ok(answer)
    }

    async fn tasks(&self, query: &TaskQuery) -> Result<TaskAnswer, ToolError> {
        let query = query.clone();
        let answer = self.with(move |view, _| view.tasks(&query)).await?;
        self.saw(answer.rows.iter().filter_map(|row| Some((row.path.clone(), row.hash?))));
        self.receives(|received| answer.rows.iter().for_each(|row| received.text(&row.path, &row.task.text)));
        Ok(answer)
    }

    async fn query_base(&self, path: &VaultPath, view: Option<&str>) -> Result<BaseAnswer, ToolError> {
        self.reaches(path);
        let (path, name) = (path.clone(), view.map(str::to_owned));
        let answer = self.with(move |view, _| view.query_base(&path, name.as_deref())).await?;
        self.saw(answer.read.clone());
        let rows = answer.groups.iter().flat_map(|group| &group.rows);
        self.receives(|received| rows.for_each(|row| received.values(&row.path, &row.cells)));
        Ok(answer)
    }

    async fn resolve(&self, link: &str) -> Result<Option<VaultPath>, ToolError> {
        let link = link.to_owned();
        let (path, hidden) = self
            .with(move |view, _| {
                let path = view.resolve(&link, None)?;
                let hidden = path.as_ref().is_some_and(|path| is_local_only(view, path));
                Ok((path, hidden))
            })
            .await?;
        if hidden {
            self.adds_local_only(LocalOnly::reveal);
        }
        Ok(path)
    }

    async fn links(&self, path: &VaultPath) -> Result<Links, ToolError> {
        self.reaches(path);
        let path = path.clone();
        let (links, hidden) = self
            .with(move |view, _| {
                let links = view.links(&path)?;
                let led_to: BTreeSet<&VaultPath> = links.out.iter().map(|link| &link.path).collect();
                let hidden = led_to.into_iter().any(|path| is_local_only(view, path));
                Ok((links, hidden))
            })
            .await?;
        if hidden {
            self.adds_local_only(LocalOnly::reveal);
        }
        self.saw(links.read.clone());
        self.receives(|received| links.back.iter().for_each(|link| received.text(&link.path, &link.text)));
        Ok(links)
    }

    async fn mentions(&self, query: &MentionQuery) -> Result<MentionAnswer, ToolError> {
        let query = query.clone();
        let (answer, hidden) = self
            .with(move |view, _| {
                let answer = view.mentions(&query)?;
                let linked = answer.lines.iter().flat_map(|line| &line.links).map(|link| &link.to);
                let named: BTreeSet<&VaultPath> =
                    linked.chain(answer.ambiguous.iter().flat_map(|name| &name.notes)).collect();
                let hidden = named.into_iter().any(|path| is_local_only(view, path));
                Ok((answer, hidden))
            })
            .await?;
        if hidden {
            self.adds_local_only(LocalOnly::reveal);
        }
        self.saw(answer.read.clone());
        self.receives(|received| answer.lines.iter().for_each(|line| received.text(&line.path, &line.text)));
        Ok(answer)
    }

    async fn tags(&self) -> Result<Vec<TagCount>, ToolError> {
        let TagsRead { tags, stay_here: hidden } = self.with(|view, _| view.tags()).await?;
        if hidden {
            self.adds_local_only(LocalOnly::reveal);
        }
        Ok(tags)
    }

    async fn obsidian(&self) -> Result<ObsidianSettings, ToolError> {
        self.with(|view, _| Ok(view.obsidian())).await
    }
}

/// All notes, and those hidden from remote readers.
fn paths(view: &View) -> Result<(Vec<VaultPath>, Vec<String>), VaultError> {
    let rows = view.query(&Query::default())?.rows;
    let mut hidden = Vec::new();
    if !view.privacy().remote {
        let elsewhere = view.privacy().elsewhere();
        let stays = |row: &&QueryRow| row.hash.is_none() || elsewhere.hides(&row.path, &row.document);
        hidden.extend(rows.iter().filter(stays).map(|row| row.path.to_string()));
    }
    Ok((rows.into_iter().map(|row| row.path).collect(), hidden))
}

/// Whether this local reader received content that is hidden from remote readers.
fn is_local_only(view: &View, path: &VaultPath) -> bool {
    !view.privacy().remote && view.is_local_only(path)
}

/// Whether the note is hidden only because its properties cannot be parsed, as in a template. A copy has the
/// same properties, or they are filled in and then state whether the copy is private.
fn is_hidden_as_unreadable(note: &Note, elsewhere: &Privacy) -> bool {
    matches!(note.document.front_matter(), FrontMatter::Broken { .. })
        && !elsewhere.lists(&note.path)
        && !folded(&note.text[..note.document.body_start()]).contains("nova")
}

/// The files of problems that are hidden from remote readers.
fn local_only_problems(view: &View, problems: &[Problem]) -> Vec<String> {
    let stays =
        |problem: &&Problem| VaultPath::parse(&problem.path).map_or(true, |path| is_local_only(view, &path));
    problems.iter().filter(stays).map(|problem| problem.path.clone()).collect()
}

fn borrowed(types: &[String]) -> Vec<&str> {
    types.iter().map(String::as_str).collect()
}
