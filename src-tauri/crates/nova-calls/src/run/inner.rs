//! Calls that a running tool makes: each under its own rules, with their writes in the tool's draft.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use async_trait::async_trait;
use nova_protocol::{ErrorCode, SourceView, UserError};
use nova_registry::{SkillEntry, SourceKind, ToolEntry, ToolLookup};
use nova_skill::{CallError, Date, Effect, PrincipalKind, ToolCalls, ToolContext, VaultAccess, VaultPath};
use nova_vault::Draft;
use nova_workspace::FileDraft;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::run_inner;
use crate::draft_vault::DraftVault;
use crate::files::CallFiles;
use crate::seen_notes::{SeenNote, SeenNotes};
use crate::today;
use crate::watch::CallWatch;
use crate::{Call, CallScope, Outcome};

/// Maximum number of calls per run of a tool.
const MOST: usize = 200;

/// The calls of one run of a tool. Clones share their state.
#[derive(Clone)]
pub(crate) struct InnerCalls(Arc<Inner>, CallableSkills);

/// The skills whose tools the running tool may call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CallableSkills {
    /// The callable skills of its scope.
    Active,
    /// Every available one: the skill itself declares the calls, and they only read.
    Available,
}

struct Inner {
    /// The outer call's scope, except that the tool's own reads count as seen.
    scope: CallScope,
    seen: Arc<SeenByTool>,
    /// The tool that makes these calls.
    caller: Arc<ToolEntry>,
    /// The context of its run.
    context: OnceLock<Weak<dyn ToolContext>>,
    /// Whether the outer call is itself an inner call, which makes no further calls, to prevent recursion.
    is_inner: bool,
    /// The outer call.
    call: String,
    watch: Arc<CallWatch>,
    /// Cancelled when the run ends.
    cancel: CancellationToken,
    vault: DraftVault,
    files: CallFiles,
    /// Held by a call that writes: each sees the changes planned by those before it.
    writing: tokio::sync::Mutex<()>,
    /// Held by a call that may ask, if the approver handles one question at a time.
    asking: tokio::sync::Mutex<()>,
    made: AtomicUsize,
    running: TaskTracker,
    before: Arc<MadeBefore>,
    found: Mutex<Found>,
}

/// The combined results of a run's calls.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) writes: Vec<InnerWrite>,
    pub(crate) sources: Vec<SourceView>,
    pub(crate) from_outside: bool,
    /// One was stopped when it may already have had an effect outside of the vault.
    pub(crate) unknown: bool,
    /// A rule denied changes that were already in the draft: none of the draft is written.
    pub(crate) denied: Option<UserError>,
}

/// An inner call whose changes are in the draft of the outer call.
pub(crate) struct InnerWrite {
    pub(crate) tool: Arc<ToolEntry>,
    pub(crate) args: Value,
    pub(crate) times: usize,
    pub(crate) outside_own: bool,
}

/// External calls made by earlier runs of the tool. When the tool is planned again it gets the same results,
/// so nothing is sent twice.
#[derive(Default)]
pub(crate) struct MadeBefore(Mutex<HashMap<(String, String), Vec<Made>>>);

struct Made {
    result: InnerResult,
    /// Whether the result was returned to a call of this run.
    given: bool,
}

type InnerResult = Result<Value, CallError>;

impl InnerCalls {
    #[expect(clippy::too_many_arguments, reason = "the call, and what it shares with those that it makes")]
    pub(crate) fn new(
        scope: &CallScope,
        caller: &Arc<ToolEntry>,
        is_inner: bool,
        call: &str,
        watch: Arc<CallWatch>,
        cancel: CancellationToken,
        vault: DraftVault,
        files: CallFiles,
        before: Arc<MadeBefore>,
    ) -> Self {
        let seen = Arc::new(SeenByTool { asker: scope.asker.clone(), read: Mutex::default() });
        let scope = CallScope { asker: seen.clone(), given: Arc::new(()), ..scope.clone() };
        let inner = Inner {
            scope,
            seen,
            caller: caller.clone(),
            is_inner,
            context: OnceLock::new(),
            call: call.to_owned(),
            watch,
            cancel,
            vault,
            files,
            writing: tokio::sync::Mutex::default(),
            asking: tokio::sync::Mutex::default(),
            made: AtomicUsize::new(0),
            running: TaskTracker::new(),
            before,
            found: Mutex::default(),
        };
        Self(Arc::new(inner), CallableSkills::Active)
    }

    /// Sets the context of the tool that makes these calls.
    pub(crate) fn run_with(&self, context: &Arc<dyn ToolContext>) {
        // Each run has its own calls.
        let _ = self.0.context.set(Arc::downgrade(context));
    }

    pub(super) fn context(&self) -> Option<&Weak<dyn ToolContext>> {
        self.0.context.get()
    }

    pub(super) fn caller(&self) -> &ToolEntry {
        &self.0.caller
    }

    pub(super) fn scope(&self) -> &CallScope {
        &self.0.scope
    }

    /// Discards everything that the tool planned, even if the tool handles the error.
    pub(super) fn deny(&self, denied: UserError) {
        self.found().denied.get_or_insert(denied);
    }

    /// The call that makes these.
    pub(crate) fn outer(&self) -> &str {
        &self.0.call
    }

    pub(crate) fn vault(&self) -> &DraftVault {
        &self.0.vault
    }

    pub(crate) fn files(&self) -> &CallFiles {
        &self.0.files
    }

    /// Waits for earlier writing calls and blocks later ones.
    pub(crate) async fn writes(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.0.writing.lock().await
    }

    /// Checks whether the running tool may call this one.
    ///
    /// # Errors
    /// If it may not; the hint tells the model what to do instead.
    pub(crate) fn check(&self, skill: &SkillEntry, tool: &ToolEntry) -> Result<(), UserError> {
        let name = tool.shown_name();
        let refused = |message: String, hint: &str| Err(UserError::new(ErrorCode::BadRequest, message, hint));
        // It would make calls of its own, recursively.
        if tool.spec().calls_tools || tool.spec().delegates {
            return refused(format!("{name} cannot be called from a script."), "Call it by itself.");
        }
        self.check_declared(tool)?;
        let callable = self.0.scope.callable.as_ref();
        // The author of a file knows what it calls; a client calls what is offered to it.
        let by_file = self.0.caller.spec().definition.is_some()
            && self.0.scope.principal.kind != PrincipalKind::McpClient;
        let anywhere = by_file || self.1 == CallableSkills::Available;
        if !anywhere && callable.is_some_and(|skills| !skills.contains(&skill.id)) {
            return refused(
                format!("The skill {} is not active in this chat.", skill.id),
                "Call load_skill for it, then run the script again.",
            );
        }
        // Its card would show the note, but only its writes are asked about.
        if tool.spec().on_notes && tool.effect() != Effect::Write {
            return refused(
                format!("{name} cannot be called from a script: it deletes."),
                "Call it by itself.",
            );
        }
        Ok(())
    }

    /// Prevents a file from reaching undeclared notes through the tools that it calls. Tools of servers, and
    /// of files without declared access, see no notes; all others do.
    fn check_declared(&self, tool: &ToolEntry) -> Result<(), UserError> {
        let caller = self.0.caller.spec();
        if caller.calls_tools {
            return Ok(());
        }
        let sees_none = tool.source == SourceKind::Mcp || tool.spec().definition.is_some();
        let needed = match tool.spec().vault {
            _ if tool.spec().on_notes => Some(VaultAccess::Write),
            None if !sees_none => Some(VaultAccess::Read),
            declared => declared,
        };
        if needed <= caller.vault {
            return Ok(());
        }
        let word = if needed == Some(VaultAccess::Write) { "write" } else { "read" };
        Err(UserError::new(
            ErrorCode::BadRequest,
            format!(
                "{} may not call {}, which reaches notes.",
                self.0.caller.shown_name(),
                tool.shown_name()
            ),
            format!("Add vault: '{word}' to its file."),
        ))
    }

    /// Adds the planned changes of a call.
    pub(crate) fn join(&self, draft: Option<Draft>, files: Option<FileDraft>, write: InnerWrite) {
        if let Some(draft) = draft {
            self.0.vault.join(draft);
        }
        if let Some(files) = files {
            self.0.files.join(files);
        }
        self.found().writes.push(write);
    }

    /// Returns the combined results after the run has ended and its token is cancelled; waits for calls that
    /// were not awaited.
    pub(crate) async fn ended(&self) -> Found {
        self.0.running.close();
        self.0.running.wait().await;
        std::mem::take(&mut *self.found())
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.0.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn run(self, number: usize, tool: String, args: Value) -> InnerResult {
        let acts = match self.0.scope.snapshot.tool(&tool) {
            ToolLookup::Found { tool, .. } => tool.effect() != Effect::Read && !tool.spec().on_notes,
            ToolLookup::Unknown { .. } => false,
        };
        // A file that has received a private note sends nothing, neither itself nor by another tool.
        if acts && self.0.caller.spec().vault.is_some() && self.0.vault.knows_private().await {
            return Err(CallError {
                code: ErrorCode::BadRequest.as_str().into(),
                message: format!(
                    "{tool} was not called: {} was given a private note.",
                    self.0.caller.shown_name()
                ),
                hint: "Call it first, or leave private notes out.".into(),
            });
        }
        let key = (tool.clone(), args.to_string());
        if acts && let Some(known) = self.0.before.next(&key) {
            return known;
        }
        let one_by_one = acts && !self.0.scope.access.approver.at_once();
        let _turn = if one_by_one { Some(self.0.asking.lock().await) } else { None };
        // When the run is planned again, the call has the same id and replaces the earlier one.
        let call = Call::with_value(format!("{}.{number}", self.0.call), tool, args);
        let watch = Arc::new(CallWatch::within(self.0.watch.clone()));
        let outcome = run_inner(&self.0.scope, call, self.0.cancel.child_token(), &watch, &self).await;
        self.note(&outcome);
        let result = outcome.result.map_err(call_error);
        if acts {
            self.0.before.keep(key, result.clone());
        }
        result
    }

    /// Attributes what an inner call read to the outer call.
    fn note(&self, outcome: &Outcome) {
        self.0.seen.read.lock().unwrap_or_else(PoisonError::into_inner).extend(outcome.seen.keys().cloned());
        self.0.vault.record_inner_reads(outcome);
        let mut found = self.found();
        found.from_outside |= outcome.from_outside;
        found.unknown |= outcome.unknown;
        for source in &outcome.sources {
            if !found.sources.contains(source) {
                found.sources.push(source.clone());
            }
        }
    }
}

#[async_trait]
impl ToolCalls for InnerCalls {
    async fn call(&self, tool: &str, args: Value) -> InnerResult {
        if self.0.is_inner {
            return Err(CallError {
                code: ErrorCode::BadRequest.as_str().into(),
                message: format!(
                    "{} was called by a tool and may not call {tool}.",
                    self.0.caller.shown_name()
                ),
                hint: "Call it by itself.".into(),
            });
        }
        let number = self.0.made.fetch_add(1, Ordering::SeqCst) + 1;
        if number > MOST {
            return Err(CallError {
                code: ErrorCode::BadRequest.as_str().into(),
                message: format!("One run may make at most {MOST} tool calls."),
                hint: "Ask for more with one call, such as a list or a query.".into(),
            });
        }
        // In a separate task, so that its end is reported even if the tool is stopped meanwhile.
        let running = self.0.running.spawn(self.clone().run(number, tool.to_owned(), args));
        running.await.unwrap_or_else(|_| {
            Err(CallError {
                code: ErrorCode::Internal.as_str().into(),
                message: format!("The call of {tool} crashed."),
                hint: "Try again.".into(),
            })
        })
    }

    async fn today(&self, day: Date) -> Result<Vec<Value>, CallError> {
        let calls = Self(self.0.clone(), CallableSkills::Available);
        let asks = today::asks(&self.0.scope.snapshot, day);
        let mut asked = Vec::new();
        for ask in &asks {
            asked.push(calls.call(&ask.tool, ask.args.clone()));
        }
        let answers = futures::future::join_all(asked).await;
        let answered = asks.iter().zip(&answers).map(|(ask, answer)| {
            let answer = answer.as_ref().map_err(|error| today::problem(&error.message, &error.hint));
            (ask, answer)
        });
        Ok(today::sections(answered, day).iter().map(today::for_model).collect())
    }

    async fn vault(&self, tool: &str, args: Value) -> InnerResult {
        self.run_on_vault(tool, args).await.map_err(call_error)
    }
}

fn call_error(error: UserError) -> CallError {
    CallError { code: error.code.as_str().to_owned(), message: error.message, hint: error.hint }
}

impl MadeBefore {
    /// Starts the next run, which gets the results of the earlier one.
    pub(crate) fn begin_again(&self) {
        // Each result is returned once per call, in the order in which the calls ended.
        self.lock()
            .values_mut()
            .for_each(|results| results.iter_mut().for_each(|result| result.given = false));
    }

    fn next(&self, key: &(String, String)) -> Option<InnerResult> {
        let mut made = self.lock();
        let result = made.get_mut(key)?.iter_mut().find(|result| !result.given)?;
        result.given = true;
        Some(result.result.clone())
    }

    fn keep(&self, key: (String, String), result: InnerResult) {
        self.lock().entry(key).or_default().push(Made { result, given: true });
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(String, String), Vec<Made>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The notes seen by the outer call's asker, except those that the tool has read since.
struct SeenByTool {
    asker: Arc<dyn SeenNotes>,
    read: Mutex<BTreeSet<VaultPath>>,
}

impl SeenNotes for SeenByTool {
    fn seen(&self, path: &VaultPath) -> Option<SeenNote> {
        // A note that the tool has just read cannot be stale.
        let has_read = self.read.lock().unwrap_or_else(PoisonError::into_inner).contains(path);
        if has_read { None } else { self.asker.seen(path) }
    }

    fn makes_private(&self) -> bool {
        self.asker.makes_private()
    }
}
