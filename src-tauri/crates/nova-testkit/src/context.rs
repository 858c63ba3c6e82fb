use std::path::Path;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use nova_skill::{
    Clock, Credentials, Delegate, LogLevel, Note, ObsidianSettings, Principal, Problem, Progress,
    PropertyEdit, RecordTypes, RequestInfo, Skill, Tool, ToolCache, ToolContext, ToolError, ToolHttp,
    ToolProcess, ToolStore, ToolUser, ToolVault, VaultError, VaultPath,
};
use nova_vault::{
    Attached, BaseAnswer, Draft, Links, MentionAnswer, MentionQuery, Moved, NewNote, PlannedDiff, Query,
    QueryAnswer, RecordsRead, Search, SearchAnswer, TagCount, TaskAnswer, TaskQuery, Trash, Vault,
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::parts::{
    FixedCredentials, MemoryCache, MemoryStore, RecordingHttp, ScriptedDelegate, ScriptedProcess, lock,
};
use crate::{FixedClock, snapshot_of};

/// A tool's context that consists of doubles, for tests of a tool's own function: its requests and its stored
/// data. Writes stay planned, see [`PlannedVault::diffs`].
///
/// Tests of changes to notes use [`crate::SkillInVault`] instead, whose calls run as in the program.
pub struct TestContext {
    vault: PlannedVault,
    http: Arc<dyn ToolHttp>,
    credentials: Arc<dyn Credentials>,
    clock: FixedClock,
    store: Arc<dyn ToolStore>,
    cache: MemoryCache,
    process: Arc<dyn ToolProcess>,
    delegate: Arc<dyn Delegate>,
    user: Arc<dyn ToolUser>,
    request: RequestInfo,
    records: RecordTypes,
    config: Value,
    cancel: CancellationToken,
    said: Arc<Mutex<Said>>,
}

#[derive(Default)]
struct Said {
    progress: Vec<Progress>,
    log: Vec<(LogLevel, String)>,
}

/// A skill without tools and records.
struct Empty;

impl Skill for Empty {
    fn skill_md(&self) -> &str {
        "---\nname: empty\ndescription: Nothing.\n---\n"
    }

    fn manifest(&self) -> &str {
        ""
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        Vec::new()
    }
}

impl TestContext {
    /// For tools that belong to no native skill.
    pub fn without_skill() -> Self {
        Self::of(Box::new(Empty))
    }

    /// For a skill, with its record types, without a vault, and with a web that has no pages.
    pub fn of(skill: Box<dyn Skill>) -> Self {
        let snapshot = snapshot_of(vec![skill]);
        let entry = snapshot.skills().first().expect("the one skill of the context");
        let records = RecordTypes::clone(&entry.records);
        Self {
            vault: PlannedVault { draft: None, records: records.clone() },
            http: Arc::new(RecordingHttp::default()),
            credentials: Arc::new(FixedCredentials::default()),
            clock: FixedClock::default(),
            store: Arc::new(MemoryStore::default()),
            cache: MemoryCache::default(),
            process: Arc::new(ScriptedProcess::default()),
            delegate: Arc::new(ScriptedDelegate::default()),
            user: Arc::new(()),
            request: RequestInfo {
                call: "call1".into(),
                session: "session1".into(),
                turn: Some("turn1".into()),
                principal: Principal::owner(),
            },
            records,
            config: Value::Null,
            cancel: CancellationToken::new(),
            said: Arc::default(),
        }
    }

    pub fn with_vault(mut self, vault: &Vault) -> Self {
        self.vault.draft = Some((vault.clone(), Mutex::new(vault.draft())));
        self
    }

    pub fn with_http(mut self, http: RecordingHttp) -> Self {
        self.http = Arc::new(http);
        self
    }

    pub fn with_credentials(mut self, credentials: FixedCredentials) -> Self {
        self.credentials = Arc::new(credentials);
        self
    }

    pub fn with_clock(mut self, clock: FixedClock) -> Self {
        self.clock = clock;
        self
    }

    pub fn with_cache(mut self, cache: MemoryCache) -> Self {
        self.cache = cache;
        self
    }

    pub fn with_store(mut self, store: MemoryStore) -> Self {
        self.store = Arc::new(store);
        self
    }

    pub fn with_process(mut self, process: ScriptedProcess) -> Self {
        self.process = Arc::new(process);
        self
    }

    pub fn with_delegate(mut self, delegate: ScriptedDelegate) -> Self {
        self.delegate = Arc::new(delegate);
        self
    }

    pub fn with_user(mut self, user: Arc<dyn ToolUser>) -> Self {
        self.user = user;
        self
    }

    pub fn with_principal(mut self, principal: Principal) -> Self {
        self.request.principal = principal;
        self
    }

    /// Sets `skills.<id>.config`.
    ///
    /// # Panics
    /// If it maps names that the skill does not have.
    pub fn with_config(mut self, config: Value) -> Self {
        self.records = self.records.with_config(&config).expect("a valid configuration");
        self.vault.records = self.records.clone();
        self.config = config;
        self
    }

    pub fn with_cancel(mut self, cancel: CancellationToken) -> Self {
        self.cancel = cancel;
        self
    }

    /// The writes planned by the tool.
    pub fn planned(&self) -> &PlannedVault {
        &self.vault
    }

    pub fn progress_so_far(&self) -> Vec<Progress> {
        lock(&self.said).progress.clone()
    }

    pub fn log_so_far(&self) -> Vec<(LogLevel, String)> {
        lock(&self.said).log.clone()
    }
}

impl Drop for TestContext {
    fn drop(&mut self) {
        crate::skill::assert_declared(&self.records);
    }
}

impl ToolContext for TestContext {
    fn vault(&self) -> &dyn ToolVault {
        &self.vault
    }

    fn http(&self) -> &dyn ToolHttp {
        self.http.as_ref()
    }

    fn credentials(&self) -> &dyn Credentials {
        self.credentials.as_ref()
    }

    fn clock(&self) -> &dyn Clock {
        &self.clock
    }

    fn store(&self) -> &dyn ToolStore {
        self.store.as_ref()
    }

    fn cache(&self) -> &dyn ToolCache {
        &self.cache
    }

    fn process(&self) -> &dyn ToolProcess {
        self.process.as_ref()
    }

    fn delegate(&self) -> &dyn Delegate {
        self.delegate.as_ref()
    }

    fn user(&self) -> &dyn ToolUser {
        self.user.as_ref()
    }

    fn request(&self) -> &RequestInfo {
        &self.request
    }

    fn records(&self) -> &RecordTypes {
        &self.records
    }

    fn config(&self) -> &Value {
        &self.config
    }

    fn cancel(&self) -> &CancellationToken {
        &self.cancel
    }

    fn progress(&self, progress: Progress) {
        lock(&self.said).progress.push(progress);
    }

    fn log(&self, level: LogLevel, message: &str) {
        lock(&self.said).log.push((level, message.to_owned()));
    }
}

/// A vault whose writes stay planned. Nothing in it is private.
pub struct PlannedVault {
    draft: Option<(Vault, Mutex<Draft>)>,
    records: RecordTypes,
}

impl PlannedVault {
    /// The planned changes of each note.
    pub fn diffs(&self) -> Vec<PlannedDiff> {
        self.draft.as_ref().map_or_else(Vec::new, |(_, draft)| lock(draft).diffs())
    }

    fn with<R>(
        &self,
        work: impl FnOnce(&Vault, &mut Draft) -> Result<R, VaultError>,
    ) -> Result<R, ToolError> {
        let (vault, draft) = self.draft.as_ref().ok_or(ToolError::NoVault)?;
        Ok(work(vault, &mut lock(draft))?)
    }
}

#[async_trait]
impl ToolVault for PlannedVault {
    async fn read(&self, path: &VaultPath) -> Result<Note, ToolError> {
        self.with(|_, draft| draft.read(path))
    }

    async fn find(&self, name: &str) -> Result<Vec<VaultPath>, ToolError> {
        self.with(|vault, _| vault.find(name))
    }

    async fn paths(&self) -> Result<Vec<VaultPath>, ToolError> {
        self.with(|vault, _| Ok(vault.notes()?.iter().map(|note| note.path.clone()).collect()))
    }

    async fn records(&self, record_type: &str) -> Result<Vec<Note>, ToolError> {
        let recogniser = self.records.get(record_type)?.recogniser();
        self.with(|vault, _| vault.recognised(recogniser))
    }

    async fn unreadable(&self, record_type: &str) -> Result<Vec<Problem>, ToolError> {
        Ok(self.read_records(&[record_type]).await?.unreadable)
    }

    async fn read_records(&self, record_types: &[&str]) -> Result<RecordsRead, ToolError> {
        let recogniser = self.records.recogniser_of(record_types)?;
        let folder = |name: &&str| Ok(self.records.get(name)?.folder.as_str());
        let folders = record_types.iter().map(folder).collect::<Result<Vec<_>, ToolError>>()?;
        self.with(|vault, _| vault.seen_by_owner().read_records(&folders, &recogniser))
    }

    async fn name_of(&self, place: &str) -> Result<Option<String>, ToolError> {
        self.with(|vault, _| Ok(vault.seen_by_owner().name_of(Path::new(place))))
    }

    async fn has_folder(&self, folder: &str) -> Result<bool, ToolError> {
        self.with(|vault, _| vault.seen_by_owner().has_folder(folder))
    }

    async fn read_file(&self, path: &VaultPath) -> Result<Vec<u8>, ToolError> {
        self.with(|vault, _| vault.seen_by_owner().read_file(path))
    }

    async fn free_path(&self, folder: &str, display_name: &str) -> Result<VaultPath, ToolError> {
        self.with(|_, draft| draft.free_path(folder, display_name))
    }

    async fn create(&self, path: &VaultPath, text: String) -> Result<(), ToolError> {
        self.with(|_, draft| draft.create(path, text))
    }

    async fn attach(
        &self,
        folder: &str,
        name: &str,
        text: String,
        note: Option<&VaultPath>,
    ) -> Result<Attached, ToolError> {
        self.with(|_, draft| draft.attach(folder, name, text, note))
    }

    async fn attach_file(&self, folder: &str, name: &str, bytes: Vec<u8>) -> Result<Attached, ToolError> {
        self.with(|_, draft| draft.attach_file(folder, name, bytes))
    }

    async fn create_all(&self, notes: Vec<NewNote>) -> Result<Vec<VaultPath>, ToolError> {
        self.with(|_, draft| draft.create_all(notes))
    }

    async fn set_properties(&self, path: &VaultPath, edits: &[PropertyEdit]) -> Result<(), ToolError> {
        self.with(|_, draft| draft.set_properties(path, edits))
    }

    async fn replace(
        &self,
        path: &VaultPath,
        old: &str,
        new: &str,
        count: Option<usize>,
    ) -> Result<(), ToolError> {
        self.with(|_, draft| draft.replace(path, old, new, count))
    }

    async fn replace_line(
        &self,
        path: &VaultPath,
        line: u32,
        old: &str,
        new: &[String],
    ) -> Result<(), ToolError> {
        self.with(|_, draft| draft.replace_line(path, line, old, new))
    }

    async fn append(&self, path: &VaultPath, text: &str, heading: Option<&str>) -> Result<(), ToolError> {
        self.with(|_, draft| draft.append(path, text, heading))
    }

    async fn delete(&self, path: &VaultPath) -> Result<Trash, ToolError> {
        self.with(|vault, draft| draft.delete(path).map(|()| vault.seen_by_owner().trash(path)))
    }

    async fn move_note(&self, from: &VaultPath, to: &VaultPath) -> Result<Moved, ToolError> {
        self.with(|_, draft| draft.move_note(from, to))
    }

    async fn search(&self, search: &Search) -> Result<SearchAnswer, ToolError> {
        self.with(|vault, _| vault.seen_by_owner().search(search))
    }

    async fn query(&self, query: &Query) -> Result<QueryAnswer, ToolError> {
        self.with(|vault, _| vault.seen_by_owner().query(query))
    }

    async fn tasks(&self, query: &TaskQuery) -> Result<TaskAnswer, ToolError> {
        self.with(|vault, _| vault.seen_by_owner().tasks(query))
    }

    async fn query_base(&self, path: &VaultPath, view: Option<&str>) -> Result<BaseAnswer, ToolError> {
        self.with(|vault, _| vault.seen_by_owner().query_base(path, view))
    }

    async fn resolve(&self, link: &str) -> Result<Option<VaultPath>, ToolError> {
        self.with(|vault, _| vault.seen_by_owner().resolve(link, None))
    }

    async fn links(&self, path: &VaultPath) -> Result<Links, ToolError> {
        self.with(|vault, _| vault.seen_by_owner().links(path))
    }

    async fn mentions(&self, query: &MentionQuery) -> Result<MentionAnswer, ToolError> {
        self.with(|vault, _| vault.seen_by_owner().mentions(query))
    }

    async fn tags(&self) -> Result<Vec<TagCount>, ToolError> {
        self.with(|vault, _| Ok(vault.seen_by_owner().tags()?.tags))
    }

    async fn obsidian(&self) -> Result<ObsidianSettings, ToolError> {
        self.with(|vault, _| Ok(vault.obsidian()))
    }
}
