//! The parent's side: starts script processes, assigns each to one owner, sends them loads and calls, and
//! serves their requests.

mod asks;
mod cache;
mod call;
mod callee;
mod definition;
mod dry;
mod failing;
mod frames;
mod hand_over;
mod place;
mod pool;
mod process;
mod records;
mod snippet;
mod spawn;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::stream;
use nova_registry::{DryRun, ToolFile, ToolFileError, ToolHost};
use nova_skill::{
    CallToken, Output, OutputPart, PrincipalKind, Relationship, RequestInfo, Tool, ToolContext, ToolError,
    ToolOutput, ToolSpec, Value, VaultAccess,
};
use tokio_util::sync::CancellationToken;

pub use spawn::{MayRunUnconfined, Process, Spawn, Spawned, UnderGuard};

use crate::protocol::{Definition, Given, Limits, Moment, Principal, Request};
use asks::InCall;
use cache::{Cache, Known};
use call::{CallUpdate, Conversation};
use callee::{Bounds, Callee};
use definition::{fault_error, file_error, file_name};
use dry::{DryRunEnvironment, Recorded};
use pool::{Pool, Sizes};
use process::LoadError;

/// Loads files that define tools and runs those tools, in processes that it manages.
///
/// A process serves one owner for its whole life, runs one load or call at a time, and ends after an idle
/// timeout, after a fatal fault, and with the host.
pub struct ScriptHost {
    pool: Arc<Pool>,
    cache: Arc<Cache>,
    options: HostOptions,
}

/// Options of a [`ScriptHost`]. Only `scripts` has no default.
#[derive(Debug, Clone)]
pub struct HostOptions {
    /// The folder of the definition cache: `<data>/scripts`.
    pub scripts: PathBuf,
    /// Limits of a process for one load or call.
    pub limits: Limits,
    /// Timeout of one load or call, excluding the time Nova spends on the tool's requests.
    pub time: Duration,
    /// Grace period of a cancelled call before its process is killed.
    pub grace: Duration,
    /// Idle timeout of a process.
    pub idle: Duration,
    /// Maximum concurrent calls per owner; further ones wait.
    pub processes_of_owner: usize,
    pub processes: usize,
    /// Maximum number of requests per call.
    pub asks: usize,
    /// Keep a spare process for the next file, while files are being edited.
    pub spare: bool,
}

impl HostOptions {
    pub fn new(scripts: PathBuf) -> Self {
        Self {
            scripts,
            limits: Limits { memory: 64 << 20, computing_ms: 5_000, output: 1 << 20 },
            time: Duration::from_secs(30),
            grace: Duration::from_millis(500),
            idle: Duration::from_secs(60),
            processes_of_owner: 4,
            processes: 64,
            asks: 1_000,
            spare: true,
        }
    }
}

/// Maximum size of a source, in bytes.
const MAX_SOURCE: usize = 1 << 20;

impl ScriptHost {
    /// Starts no process.
    pub fn new(spawn: Arc<dyn Spawn>, options: HostOptions) -> Self {
        let sizes = Sizes {
            of_owner: options.processes_of_owner,
            in_all: options.processes,
            idle: options.idle,
            spare: options.spare,
        };
        let pool = Arc::new(Pool::new(spawn, options.limits, sizes));
        Self { pool, cache: Arc::new(Cache::open(options.scripts.clone())), options }
    }

    /// Number of processes started so far.
    pub fn started(&self) -> u64 {
        self.pool.started()
    }

    /// Number of current processes: working, idle and spare.
    pub fn alive(&self) -> usize {
        self.pool.alive()
    }

    /// Prepares a spare process for the next unknown file. For programs that watch files for changes.
    pub fn warm(&self) {
        self.pool.warm();
    }

    fn tool(&self, file: &ToolFile, definition: &Definition) -> Arc<dyn Tool> {
        Arc::new(ScriptTool {
            spec: definition::spec(definition, file, self.options.time),
            callee: callee(file),
            pool: self.pool.clone(),
            bounds: self.bounds(),
        })
    }

    fn answer(&self, file: &ToolFile, known: &Known) -> Result<Arc<dyn Tool>, ToolFileError> {
        match known {
            Known::Defines(definition) => Ok(self.tool(file, definition)),
            Known::Faulty(fault) => Err(fault_error(file, fault)),
        }
    }

    /// Calls the file's tool in a dry run.
    async fn dry_call(
        &self,
        file: &ToolFile,
        args: Value,
        outside: Arc<DryRunEnvironment>,
    ) -> Result<Value, ToolFileError> {
        let request = Request {
            request_id: "dry-run".into(),
            turn_id: None,
            session_id: "dry-run".into(),
            principal: Principal { kind: "user".into(), name: "you".into(), relationship: "owner".into() },
        };
        let describe = |error: ToolError| file_error(file, format!("{error} {}", error.hint()).trim_end());
        let mut conversation = Conversation::begin(
            &self.pool,
            callee(file),
            args,
            (request, Given::default()),
            outside,
            self.bounds(),
        )
        .await
        .map_err(describe)?;
        loop {
            if let CallUpdate::End(ended) = conversation.next().await {
                return ended.map_err(describe);
            }
        }
    }

    fn bounds(&self) -> Bounds {
        Bounds {
            time: self.options.time,
            grace: self.options.grace,
            asks: self.options.asks,
            output: self.options.limits.output,
        }
    }

    /// Loads the file in a process.
    async fn find_out(&self, file: &ToolFile) -> Result<Known, ToolFileError> {
        let what = callee(file);
        let never = CancellationToken::new();
        let broken = |broken: process::Broken| file_error(file, format!("{broken} {}", broken.remedy()));
        let mut lease = self.pool.lease(&what.owner, &what.file, what.hash, &never).await.map_err(broken)?;
        let stop = [&self.pool.closing, &never];
        match lease.running.load(&what, self.options.time, stop).await {
            Ok(definition) => {
                lease.release();
                Ok(Known::Defines(Box::new(definition::tidy(definition))))
            }
            Err(LoadError::Fault { fault, fatal }) => {
                if fatal {
                    lease.end()
                } else {
                    lease.release()
                }
                Ok(Known::Faulty(fault))
            }
            Err(LoadError::Broken(why, line)) => {
                lease.end();
                let known =
                    if line.is_some() { "It was in or after this line." } else { "The line is unknown." };
                let message = format!("{why} {known} {}", why.remedy());
                Err(ToolFileError { line, ..file_error(file, message) })
            }
        }
    }
}

#[async_trait]
impl ToolHost for ScriptHost {
    async fn load(&self, file: ToolFile) -> Result<Arc<dyn Tool>, ToolFileError> {
        if file.source.len() > MAX_SOURCE {
            let message = format!("it has more than {} MB. Make it shorter.", MAX_SOURCE >> 20);
            let allowed = file.source.as_bytes().iter().take(MAX_SOURCE);
            let line = u32::try_from(1 + allowed.filter(|byte| **byte == b'\n').count()).ok();
            return Err(ToolFileError { line, ..file_error(&file, message) });
        }
        let (cache, source) = (self.cache.clone(), file.source.clone());
        if let Some(known) = blocking(&file, move || cache.get(&source)).await? {
            return self.answer(&file, &known);
        }
        let found = self.find_out(&file).await?;
        self.pool.warm();
        let (cache, source) = (self.cache.clone(), file.source.clone());
        let known = blocking(&file, move || {
            let known = match &found {
                Known::Defines(definition) => match definition::check(definition) {
                    Ok(()) => found,
                    Err(message) => Known::Faulty(definition::fault(message)),
                },
                Known::Faulty(_) => found,
            };
            if known.lasts() {
                cache.put(&source, known.clone());
            }
            known
        })
        .await?;
        self.answer(&file, &known)
    }

    fn known(&self, file: &ToolFile) -> Option<Result<Arc<dyn Tool>, ToolFileError>> {
        let known = self.cache.get(&file.source)?;
        Some(self.answer(file, &known))
    }

    async fn dry_run(&self, file: ToolFile, args: Value) -> DryRun {
        let environment = Arc::new(DryRunEnvironment::default());
        let result = self.dry_call(&file, args, environment.clone()).await;
        let Recorded { requests, credentials, logs } = environment.take();
        DryRun { requests, credentials, logs, result }
    }

    async fn run_snippet(
        &self,
        source: Arc<str>,
        context: Arc<dyn ToolContext>,
    ) -> Result<ToolOutput, ToolError> {
        snippet::run(&self.pool, source, context, self.bounds()).await
    }
}

impl Drop for ScriptHost {
    fn drop(&mut self) {
        self.pool.close();
    }
}

/// A tool defined by a file.
struct ScriptTool {
    spec: ToolSpec,
    callee: Callee,
    pool: Arc<Pool>,
    bounds: Bounds,
}

#[async_trait]
impl Tool for ScriptTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(
        &self,
        _token: CallToken,
        args: Value,
        ctx: Arc<dyn ToolContext>,
    ) -> Result<ToolOutput, ToolError> {
        let about = (request(ctx.request()), given(ctx.as_ref(), self.spec.vault));
        let outside = Arc::new(InCall {
            context: ctx,
            credentials: self.spec.credentials.clone(),
            vault: self.spec.vault,
            store_prefix: store_prefix(&self.callee.owner),
            file: self.callee.file.clone(),
        });
        let begun =
            Conversation::begin(&self.pool, self.callee.clone(), args, about, outside, self.bounds).await;
        let mut conversation = begun?;
        match conversation.next().await {
            CallUpdate::End(ended) => ended.map(ToolOutput::from),
            CallUpdate::Partial(first) => Ok(ToolOutput::Stream(Box::pin(stream::unfold(
                (Some(conversation), Some(first)),
                |(conversation, partial)| async move {
                    let mut conversation = conversation?;
                    let update = match partial {
                        Some(partial) => CallUpdate::Partial(partial),
                        None => conversation.next().await,
                    };
                    Some(match update {
                        CallUpdate::Partial(value) => {
                            (OutputPart::Partial(value), (Some(conversation), None))
                        }
                        CallUpdate::End(ended) => (OutputPart::End(ended.map(Output::new)), (None, None)),
                    })
                },
            )))),
        }
    }
}

fn callee(file: &ToolFile) -> Callee {
    Callee {
        owner: file.owner.clone(),
        file: file_name(file),
        source: file.source.clone(),
        hash: blake3::hash(file.source.as_bytes()),
        more: file.may_have_siblings(),
        snippet: false,
    }
}

/// Single files share one store, with a separate key prefix for each.
fn store_prefix(owner: &str) -> String {
    match owner.strip_prefix("dynamic/") {
        Some(file) => format!("{}-", &blake3::hash(file.as_bytes()).to_hex()[..16]),
        None => String::new(),
    }
}

/// The parts of `ctx` that need no request.
fn given(ctx: &dyn ToolContext, vault: Option<VaultAccess>) -> Given {
    let (now, zone) = (ctx.clock().now(), ctx.clock().zone());
    let name = zone.iana_name().map_or_else(|| zone.to_offset(now).to_string(), str::to_owned);
    let clock = Moment { now: now.to_string(), today: ctx.clock().today().to_string(), zone: name };
    Given { config: ctx.config().clone(), clock, vault }
}

/// The value of `ctx.request`.
fn request(info: &RequestInfo) -> Request {
    let RequestInfo { call, session, turn, principal } = info;
    let kind = match principal.kind {
        PrincipalKind::User => "user",
        PrincipalKind::Subagent => "subagent",
        PrincipalKind::McpClient => "mcp_client",
    };
    let relationship = match principal.relationship {
        Relationship::Owner => "owner",
        Relationship::Delegate => "delegate",
        Relationship::Known => "known",
        Relationship::Unknown => "unknown",
    };
    Request {
        request_id: call.clone(),
        turn_id: turn.clone(),
        session_id: session.clone(),
        principal: Principal {
            kind: kind.into(),
            name: principal.name.clone(),
            relationship: relationship.into(),
        },
    }
}

async fn blocking<T: Send + 'static>(
    file: &ToolFile,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ToolFileError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| file_error(file, "Nova is shutting down its tools. Start it again."))
}
