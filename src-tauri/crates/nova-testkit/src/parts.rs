//! A stand-in for each part of a tool's context except the vault.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use nova_calls::{SubAgentEnd, SubAgentHow, SubAgentTask, SubAgents};
use nova_skill::{
    CommandInput, Consumer, CredentialSource, Credentials, Delegate, Ground, HeldCredential, HttpRequest,
    HttpResponse, ProcessOutput, ProcessRun, ProcessSoFar, Secret, StoreSource, Task, TaskEnd, ToolCache,
    ToolError, ToolHttp, ToolProcess, ToolStore,
};
use serde_json::Value;

/// A scripted web that records requests. Clones share their state.
#[derive(Debug, Clone, Default)]
pub struct RecordingHttp(Arc<Mutex<Web>>);

#[derive(Debug, Default)]
struct Web {
    pages: Vec<(String, u16, String)>,
    requests: Vec<HttpRequest>,
}

impl RecordingHttp {
    /// Sets the response to requests whose URL has this prefix; the longest prefix wins.
    pub fn with(self, url_start: &str, status: u16, body: &str) -> Self {
        lock(&self.0).pages.push((url_start.into(), status, body.into()));
        self
    }

    pub fn requests(&self) -> Vec<HttpRequest> {
        lock(&self.0).requests.clone()
    }
}

#[async_trait]
impl ToolHttp for RecordingHttp {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, ToolError> {
        let mut web = lock(&self.0);
        web.requests.push(request.clone());
        let url = request.url;
        let fitting = web.pages.iter().filter(|(start, _, _)| url.as_str().starts_with(start.as_str()));
        let (_, status, body) = fitting.max_by_key(|(start, _, _)| start.len()).ok_or_else(|| {
            ToolError::failed(format!("The test has no page for {url}."), "Add one with RecordingHttp::with.")
        })?;
        Ok(HttpResponse {
            status: *status,
            headers: BTreeMap::new(),
            body: body.clone().into_bytes(),
            url,
            at: "2026-11-21T09:00:00Z".into(),
        })
    }
}

/// Credentials by name.
#[derive(Default, Clone)]
pub struct FixedCredentials {
    secrets: HashMap<String, String>,
    ungranted: BTreeSet<String>,
    renewed: HashMap<String, String>,
}

impl FixedCredentials {
    /// Adds a credential that is granted to everyone.
    pub fn with(mut self, name: &str, secret: &str) -> Self {
        self.secrets.insert(name.into(), secret.into());
        self
    }

    /// What replaces one of them once a server refused it.
    pub fn renewed_to(mut self, name: &str, secret: &str) -> Self {
        self.renewed.insert(name.into(), secret.into());
        self
    }

    /// Adds a credential without a grant: its first use asks.
    pub fn ungranted(mut self, name: &str, secret: &str) -> Self {
        self.ungranted.insert(name.into());
        self.with(name, secret)
    }
}

#[async_trait]
impl Credentials for FixedCredentials {
    async fn get(&self, name: &str) -> Result<Secret, ToolError> {
        let missing = || ToolError::CredentialNeeded { credential: name.into() };
        self.secrets.get(name).map(|secret| Secret::from(secret.clone())).ok_or_else(missing)
    }

    async fn has(&self, name: &str) -> bool {
        self.secrets.contains_key(name)
    }

    async fn renewed(&self, name: &str, _refused: &Secret) -> Result<Secret, ToolError> {
        match self.renewed.get(name) {
            Some(secret) => Ok(Secret::from(secret.clone())),
            None => self.get(name).await,
        }
    }
}

#[async_trait]
impl CredentialSource for FixedCredentials {
    async fn held(&self, _consumer: &Consumer, declared: &str) -> Result<Vec<HeldCredential>, ToolError> {
        let of_service = format!("{declared}/");
        let names = self.secrets.keys().filter(|known| *known == declared || known.starts_with(&of_service));
        let held =
            |name: &String| HeldCredential { name: name.clone(), granted: !self.ungranted.contains(name) };
        Ok(names.map(held).collect())
    }

    async fn grant(&self, _consumer: &Consumer, _name: &str) -> Result<(), ToolError> {
        Ok(())
    }

    async fn secret(
        &self,
        consumer: &Consumer,
        name: &str,
        ground: Ground,
    ) -> Result<Option<Secret>, ToolError> {
        if ground == Ground::Grant && self.ungranted.contains(name) {
            return Err(ToolError::CredentialNotGranted {
                credential: name.into(),
                consumer: consumer.to_string(),
                destination: consumer.hosts.join(", "),
            });
        }
        Ok(self.secrets.get(name).cloned().map(Secret::from))
    }

    async fn renewed(
        &self,
        consumer: &Consumer,
        name: &str,
        ground: Ground,
        _refused: &Secret,
    ) -> Result<Option<Secret>, ToolError> {
        let kept = self.secret(consumer, name, ground).await?;
        Ok(self.renewed.get(name).cloned().map(Secret::from).or(kept))
    }
}

/// An in-memory store. Clones share their state.
#[derive(Debug, Clone, Default)]
pub struct MemoryStore(Arc<Mutex<BTreeMap<String, Value>>>);

impl MemoryStore {
    pub fn values(&self) -> BTreeMap<String, Value> {
        lock(&self.0).clone()
    }
}

#[async_trait]
impl ToolStore for MemoryStore {
    async fn get(&self, key: &str) -> Result<Option<Value>, ToolError> {
        Ok(lock(&self.0).get(key).cloned())
    }

    async fn set(&self, key: &str, value: Value) -> Result<(), ToolError> {
        lock(&self.0).insert(key.into(), value);
        Ok(())
    }

    async fn replace(&self, key: &str, before: Option<&Value>, value: Value) -> Result<bool, ToolError> {
        let mut values = lock(&self.0);
        let is_same = values.get(key) == before;
        if is_same {
            values.insert(key.into(), value);
        }
        Ok(is_same)
    }

    async fn remove(&self, key: &str) -> Result<(), ToolError> {
        lock(&self.0).remove(key);
        Ok(())
    }
}

/// The in-memory stores of all skills. Clones share their state.
#[derive(Debug, Clone, Default)]
pub struct MemoryStores(Arc<Mutex<BTreeMap<String, MemoryStore>>>, MemoryCache);

impl MemoryStores {
    pub fn store(&self, skill: &str) -> MemoryStore {
        lock(&self.0).entry(skill.into()).or_default().clone()
    }
}

impl StoreSource for MemoryStores {
    fn of(&self, skill: &str) -> Box<dyn ToolStore> {
        Box::new(self.store(skill))
    }

    fn cache(&self) -> Box<dyn ToolCache> {
        Box::new(self.1.clone())
    }
}

/// An in-memory cache. Clones share their state.
#[derive(Debug, Clone, Default)]
pub struct MemoryCache(Arc<Mutex<BTreeMap<String, Vec<u8>>>>);

#[async_trait]
impl ToolCache for MemoryCache {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, ToolError> {
        Ok(lock(&self.0).get(key).cloned())
    }

    async fn set(&self, key: &str, bytes: Vec<u8>) -> Result<(), ToolError> {
        lock(&self.0).insert(key.into(), bytes);
        Ok(())
    }

    async fn remove(&self, key: &str) -> Result<(), ToolError> {
        lock(&self.0).remove(key);
        Ok(())
    }
}

/// Processes that start nothing: scripted outputs in order, recorded commands. Clones share their state.
#[derive(Debug, Clone, Default)]
pub struct ScriptedProcess(Arc<Mutex<Commands>>);

#[derive(Debug, Default)]
struct Commands {
    outputs: VecDeque<ProcessOutput>,
    run: Vec<ProcessRun>,
}

impl ScriptedProcess {
    pub fn then(self, status: i32, text: &str) -> Self {
        let lines = text.lines().count() as u64;
        let output = ProcessOutput { status, text: text.into(), lines, ..ProcessOutput::default() };
        lock(&self.0).outputs.push_back(output);
        self
    }

    pub fn run_so_far(&self) -> Vec<ProcessRun> {
        lock(&self.0).run.clone()
    }
}

impl ScriptedProcess {
    fn next(&self, run: ProcessRun) -> Result<ProcessOutput, ToolError> {
        let mut commands = lock(&self.0);
        commands.run.push(run.clone());
        commands.outputs.pop_front().ok_or_else(|| {
            ToolError::failed(
                format!("The test has no output for {:?}.", run.command),
                "Add one with ScriptedProcess::then.",
            )
        })
    }
}

#[async_trait]
impl ToolProcess for ScriptedProcess {
    async fn run(&self, run: ProcessRun, _: ProcessSoFar) -> Result<ProcessOutput, ToolError> {
        self.next(run)
    }

    /// Recorded as a run of the command's name, with its input.
    async fn run_configured(
        &self,
        name: &str,
        input: CommandInput,
        _: ProcessSoFar,
    ) -> Result<ProcessOutput, ToolError> {
        self.next(ProcessRun { input: input.stdin, ..ProcessRun::new([name]) })
    }
}

/// A scripted sub-agent: answers in order, recorded tasks. Clones share their state.
#[derive(Debug, Clone, Default)]
pub struct ScriptedDelegate(Arc<Mutex<Tasks>>);

#[derive(Debug, Default)]
struct Tasks {
    answers: VecDeque<TaskEnd>,
    given: Vec<Task>,
}

impl ScriptedDelegate {
    /// Answers the next task with a text without sources.
    pub fn then(self, answer: &str) -> Self {
        let text = answer.into();
        self.then_end(TaskEnd { text, unfinished: None, sources: Vec::new(), untrusted: false })
    }

    pub fn then_end(self, end: TaskEnd) -> Self {
        lock(&self.0).answers.push_back(end);
        self
    }

    pub fn given(&self) -> Vec<Task> {
        lock(&self.0).given.clone()
    }
}

#[async_trait]
impl Delegate for ScriptedDelegate {
    async fn run(&self, task: Task) -> Result<TaskEnd, ToolError> {
        let mut tasks = lock(&self.0);
        tasks.given.push(task);
        tasks.answers.pop_front().ok_or_else(|| {
            ToolError::failed("The test has no answer for this task.", "Add one with ScriptedDelegate::then.")
        })
    }
}

#[async_trait]
impl SubAgents for ScriptedDelegate {
    async fn run(&self, given: SubAgentTask) -> Result<SubAgentEnd, ToolError> {
        let TaskEnd { text, unfinished, sources, untrusted } = Delegate::run(self, given.task).await?;
        let how = unfinished.map_or(SubAgentHow::Answered, |what| {
            SubAgentHow::UsedUp(what.trim_end_matches(" used up").to_owned())
        });
        let (seen, local_only, unknown) = (BTreeMap::new(), false, false);
        Ok(SubAgentEnd { how, text, sources, seen, local_only, untrusted, unknown })
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
