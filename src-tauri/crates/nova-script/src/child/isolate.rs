//! The JavaScript runtime of one file: Nova's globals and zod; loads the file and calls its tool.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    sync::Arc,
    time::Instant,
};

use rquickjs::{
    Context, Ctx, FromJs, Function, Module, Object, Persistent, Promise, Runtime, Value, function::IntoArgs,
    promise::PromiseState,
};

use super::{
    Inbox,
    budget::{Budget, Over},
    compile::{Compiled, Place, Places},
    host::{self, Host},
    link::Link,
    modules::{MODULES, Names},
};
use crate::protocol::{Answer, Definition, Fault, FaultKind, Given, Level, Limits, Request, ToChild};

/// QuickJS's name for the file; [`Isolate::fault`] substitutes the real one.
const MODULE: &str = "tool";
/// JavaScript stack size in bytes.
const MAX_STACK: usize = 1024 * 1024;
/// Maximum size of a definition, in bytes of JSON.
const MAX_DEFINITION: usize = 256 * 1024;

/// Why a load or a call failed.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) fault: Fault,
    /// The process must not be used any more.
    pub(super) fatal: bool,
}

impl Ended {
    pub(super) fn harmless(fault: Fault) -> Self {
        Self { fault, fatal: false }
    }

    pub(super) fn no_memory() -> Self {
        Self { fault: fault(FaultKind::Memory, "it needs more memory than it may use"), fatal: true }
    }
}

/// An unhandled rejected promise, and the reason.
type Rejected = (Persistent<Value<'static>>, Persistent<Value<'static>>);

pub(super) struct Isolate {
    // Declared in drop order.
    prelude: Persistent<Object<'static>>,
    rejected: Rc<RefCell<Vec<Rejected>>>,
    context: Context,
    runtime: Runtime,
    host: Rc<Host>,
    budget: Arc<Budget>,
    limits: Limits,
    file: String,
    source: Option<Source>,
}

/// Metadata of the loaded file.
struct Source {
    places: Places,
    default_export: Place,
    /// The line at which `execute` begins.
    execute: Option<u32>,
}

impl Isolate {
    /// Creates a runtime with Nova's modules, without a file.
    pub(super) fn new(link: Arc<Link>, budget: Arc<Budget>) -> rquickjs::Result<Self> {
        let runtime = Runtime::new()?;
        runtime.set_max_stack_size(MAX_STACK);
        let sealed = Rc::new(Cell::new(false));
        runtime.set_loader(Names { sealed: Rc::clone(&sealed) }, MODULES);
        let watched = Arc::clone(&budget);
        runtime.set_interrupt_handler(Some(Box::new(move || watched.over().is_some())));
        let rejected = Rc::new(RefCell::new(Vec::<Rejected>::new()));
        let tracked = Rc::clone(&rejected);
        runtime.set_host_promise_rejection_tracker(Some(Box::new(move |ctx, promise, reason, handled| {
            let mut tracked = tracked.borrow_mut();
            if handled {
                tracked.retain(|(known, _)| known.clone().restore(&ctx).is_ok_and(|known| known != promise));
            } else if tracked.len() < 100 {
                let (promise, reason) = (Persistent::save(&ctx, promise), Persistent::save(&ctx, reason));
                tracked.push((promise, reason));
            }
        })));

        let context = Context::full(&runtime)?;
        let host = Rc::new(Host::new(link, Arc::clone(&budget)));
        let prelude = context.with(|ctx| -> rquickjs::Result<_> {
            let prelude: Object = Module::import(&ctx, "nova:prelude")?.finish()?;
            Module::import(&ctx, "nova:tools")?.finish::<Value>()?;
            let start: Function = prelude.get("start")?;
            start.call::<_, ()>((host::object(&ctx, &host)?,))?;
            // The C library reads the time zone on first use: now, not while a file runs.
            ctx.eval::<f64, _>("new Date().getTimezoneOffset()")?;
            Ok(Persistent::save(&ctx, prelude))
        })?;
        sealed.set(true);
        let limits = Limits { memory: 0, computing_ms: 0, output: 0 };
        let file = String::new();
        Ok(Self { prelude, rejected, context, runtime, host, budget, limits, file, source: None })
    }

    /// Runs a file and returns its definition.
    pub(super) fn load(
        &mut self,
        file: &str,
        compiled: Compiled,
        limits: Limits,
    ) -> Result<Definition, Ended> {
        self.limits = limits;
        self.file = file.to_owned();
        self.runtime.set_memory_limit(usize::try_from(limits.memory).unwrap_or(usize::MAX));
        let Compiled { javascript, hosts, keys, default_export, execute, places } = compiled;
        self.source = Some(Source { places, default_export, execute });

        let (module, evaluated) = self.enter(|ctx| {
            let (module, promise) = Module::declare(ctx.clone(), MODULE, javascript)?.eval()?;
            let namespace = module.namespace()?;
            Ok((Persistent::save(ctx, namespace), Persistent::save(ctx, promise)))
        })?;
        self.settle(&evaluated, None)?;
        self.enter(|ctx| evaluated.restore(ctx)?.result::<Value>().transpose().map(drop))?;
        let json: String = self.enter(|ctx| {
            let tool: Value = module.restore(ctx)?.get("default")?;
            self.prelude(ctx, "define", (tool,))
        })?;
        if json.len() > MAX_DEFINITION {
            return Err(self.wrong(&format!(
                "the definition has {} bytes as JSON; it may have {MAX_DEFINITION}",
                json.len()
            )));
        }
        let mut definition: Definition = serde_json::from_str(&json)
            .map_err(|error| self.wrong(&format!("the definition cannot be sent: {error}")))?;
        self.drain_jobs()?;
        definition.proposed_hosts =
            hosts.into_iter().filter(|host| !definition.hosts.contains(host)).collect();
        definition.keys = keys;
        Ok(definition)
    }

    /// Calls the tool and returns its result.
    pub(super) fn call(
        &mut self,
        args: &serde_json::Value,
        about: (&Request, &Given),
        inbox: &mut Inbox,
    ) -> Result<serde_json::Value, Ended> {
        self.host.begin_call(self.limits.output);
        self.budget.at(self.source.as_ref().and_then(|source| source.execute).unwrap_or(0));
        let ended = self.called(args, about, inbox);
        let fatal = matches!(&ended, Err(Ended { fatal: true, .. }));
        if !fatal {
            self.report_rejected();
        }
        self.host.end_call();
        let ended = if fatal { ended } else { self.drain_jobs().and(ended) };
        match ended {
            // A cancelled call reports the cancellation, whatever it threw.
            Err(Ended { fatal, .. }) if self.budget.is_cancelled() => {
                Err(Ended { fault: self.budget.fault(Over::Stopped), fatal })
            }
            ended => ended,
        }
    }

    /// Drains the job queue after a load or a call, within its time and with requests disabled, so that
    /// nothing of it runs during the next call.
    fn drain_jobs(&self) -> Result<(), Ended> {
        self.run_jobs()?;
        self.rejected.take();
        self.enter(|ctx| self.prelude::<()>(ctx, "end", ()))?;
        self.host.stop_timers();
        Ok(())
    }

    fn called(
        &self,
        args: &serde_json::Value,
        (request, given): (&Request, &Given),
        inbox: &mut Inbox,
    ) -> Result<serde_json::Value, Ended> {
        let wrong = |error| self.wrong(&format!("the request cannot be passed on: {error}"));
        let request = serde_json::to_string(request).map_err(wrong)?;
        let given = serde_json::to_string(given).map_err(wrong)?;
        let running = self.enter(|ctx| {
            let promise: Promise = self.prelude(ctx, "call", (args.to_string(), request, given))?;
            Ok(Persistent::save(ctx, promise))
        })?;
        self.settle(&running, Some(inbox))?;
        let json = self
            .enter(|ctx| running.restore(ctx)?.result::<String>().unwrap_or(Err(rquickjs::Error::Unknown)))?;
        if json.len() as u64 > self.limits.output {
            let (length, most) = (json.len(), self.limits.output);
            let message = format!("the result has {length} bytes as JSON; it may have {most}");
            return Err(Ended::harmless(fault(FaultKind::Result, &message)));
        }
        host::value(&json).map_err(|message| Ended::harmless(fault(FaultKind::Result, &message)))
    }

    /// Runs JavaScript until a promise is settled. While a file is loaded (no inbox), nothing can be awaited.
    fn settle(
        &self,
        promise: &Persistent<Promise<'static>>,
        mut inbox: Option<&mut Inbox>,
    ) -> Result<(), Ended> {
        let mut told = false;
        loop {
            self.run_jobs()?;
            let settled = self.enter(|ctx| {
                let promise = promise.clone().restore(ctx)?;
                Ok(promise.state() != PromiseState::Pending)
            })?;
            if settled {
                return self.enter(|ctx| {
                    let promise = promise.clone().restore(ctx)?.into_value();
                    let mut rejected = self.rejected.borrow_mut();
                    rejected
                        .retain(|(known, _)| known.clone().restore(ctx).is_ok_and(|known| known != promise));
                    Ok(())
                });
            }
            let Some(inbox) = inbox.as_deref_mut() else {
                let message = "the file awaits something that never ends";
                return Err(Ended::harmless(fault(FaultKind::Time, message)));
            };
            if self.budget.is_cancelled() && !told {
                told = true;
                self.enter(|ctx| self.prelude::<()>(ctx, "cancel", ()))?;
                continue;
            }
            let stop = self.budget.stop_in();
            if stop.is_some_and(|left| left.is_zero()) {
                return Err(Ended::harmless(self.budget.fault(Over::Stopped)));
            }
            if let Some(timer) = self.host.due_timer() {
                self.enter(|ctx| self.prelude::<()>(ctx, "fire", (timer as f64,)))?;
                continue;
            }
            self.host.send_progress();
            let stop = stop.map(|left| Instant::now() + left);
            let until = self.host.next_timer().into_iter().chain(stop).min();
            if let Some(ToChild::Answer { ask, answer }) = inbox.next_within_job(until) {
                let (ok, text, code) = match answer {
                    Ok(answer) => (true, fields(answer), None),
                    Err(refusal) => (false, refusal.message, refusal.code),
                };
                self.enter(|ctx| self.prelude::<()>(ctx, "answer", (ask as f64, ok, text, code)))?;
            }
        }
    }

    fn run_jobs(&self) -> Result<(), Ended> {
        loop {
            let ran = self.runtime.execute_pending_job();
            if matches!(ran, Ok(false)) {
                return Ok(());
            }
            if let Some(over) = self.budget.over() {
                let stack = ran.err().and_then(|job| job.0.with(|ctx| raw_stack(&ctx.catch())));
                return Err(self.over(over, stack.as_deref()));
            }
            if let Err(job) = ran {
                // The promise carries the exception.
                job.0.with(|ctx| drop(ctx.catch()));
            }
        }
    }

    /// Logs promises that were rejected during a call and never awaited.
    fn report_rejected(&self) {
        for (_, reason) in self.rejected.take() {
            let shown = self.enter(|ctx| self.fault(ctx, reason.restore(ctx)?));
            if let Ok(Fault { message, line, .. }) = shown {
                let at = line.map(|line| format!(" at {}:{line}", self.file)).unwrap_or_default();
                let message = format!("a promise was rejected and not handled{at}: {message}");
                self.host.log(Level::Warn, message);
            }
        }
    }

    /// Runs `work` in the runtime; converts an exception to a fault.
    fn enter<T>(&self, work: impl FnOnce(&Ctx<'_>) -> rquickjs::Result<T>) -> Result<T, Ended> {
        let mut empty = false;
        let ended = self.context.with(|ctx| {
            let thrown = match work(&ctx) {
                Ok(value) => return Ok(value),
                Err(rquickjs::Error::Exception) => ctx.catch(),
                Err(rquickjs::Error::Allocation) => return Err(Ended::no_memory()),
                Err(error) => {
                    let message = error.to_string();
                    return Err(Ended::harmless(fault(FaultKind::Thrown, &message)));
                }
            };
            if let Some(over) = self.budget.over() {
                return Err(self.over(over, raw_stack(&thrown).as_deref()));
            }
            empty = thrown.is_null();
            match self.fault(&ctx, thrown) {
                Ok(fault) if fault.message.contains("InternalError: out of memory") => {
                    Err(Ended { fault: Fault { kind: FaultKind::Memory, ..fault }, fatal: true })
                }
                Ok(fault) => Err(Ended::harmless(fault)),
                Err(_) => {
                    ctx.catch();
                    Err(match self.budget.over() {
                        Some(over) => self.over(over, None),
                        None => Ended::no_memory(),
                    })
                }
            }
        });
        match ended {
            // QuickJS throws null if it has no memory for an error.
            Err(_) if empty && self.is_full() => Err(Ended::no_memory()),
            ended => ended,
        }
    }

    fn prelude<'js, T: FromJs<'js>>(
        &self,
        ctx: &Ctx<'js>,
        name: &str,
        args: impl IntoArgs<'js>,
    ) -> rquickjs::Result<T> {
        self.prelude.clone().restore(ctx)?.get::<_, Function>(name)?.call(args)
    }

    fn is_full(&self) -> bool {
        let used = u64::try_from(self.runtime.memory_usage().malloc_size).unwrap_or(0);
        used >= self.limits.memory / 2
    }

    fn fault<'js>(&self, ctx: &Ctx<'js>, thrown: Value<'js>) -> rquickjs::Result<Fault> {
        let (kind, message, stack): (String, String, String) = {
            let told: Vec<String> = self.prelude(ctx, "describe", (thrown,))?;
            let mut told = told.into_iter();
            let mut next = || told.next().unwrap_or_default();
            (next(), next(), next())
        };
        let kind = match kind.as_str() {
            "definition" => FaultKind::Definition,
            "arguments" => FaultKind::Arguments,
            "result" => FaultKind::Result,
            _ if message.starts_with("TypeError: cannot import '") => FaultKind::Import,
            _ => FaultKind::Thrown,
        };
        let message = match absent(&message) {
            Some(hint) => format!("{message}: {hint}"),
            None => message,
        };
        let (place, stack) = self.stack(&stack);
        let place = place.or_else(|| {
            let source = self.source.as_ref().filter(|_| kind == FaultKind::Definition)?;
            Some(source.default_export)
        });
        Ok(Fault {
            kind,
            message,
            line: place.map(|place| place.line),
            column: place.map(|place| place.column),
            stack,
        })
    }

    fn over(&self, over: Over, stack: Option<&str>) -> Ended {
        let (place, stack) = self.stack(stack.unwrap_or_default());
        let (line, column) = (place.map(|place| place.line), place.map(|place| place.column));
        Ended { fault: Fault { line, column, stack, ..self.budget.fault(over) }, fatal: true }
    }

    /// A fault in the definition of the file's tool.
    fn wrong(&self, message: &str) -> Ended {
        let place = self.source.as_ref().map(|source| source.default_export);
        Ended::harmless(Fault {
            line: place.map(|place| place.line),
            column: place.map(|place| place.column),
            ..fault(FaultKind::Definition, message)
        })
    }

    /// The stack frames in the file itself, mapped to its TypeScript, and the innermost position.
    fn stack(&self, stack: &str) -> (Option<Place>, Vec<String>) {
        let Some(source) = &self.source else {
            return (None, Vec::new());
        };
        let frames = stack.lines().filter_map(|line| {
            // `at name (tool:3:7)` or `at tool:3:7`
            let (name, place) = match line.trim().strip_prefix("at ")?.rsplit_once(" (") {
                Some((name, place)) => (name, place.strip_suffix(')')?),
                None => ("<file>", line.trim().strip_prefix("at ")?),
            };
            let (line, column) = place.strip_prefix(MODULE)?.strip_prefix(':')?.split_once(':')?;
            let place = source.places.find(line.parse().ok()?, column.parse().ok()?)?;
            Some((name, place))
        });
        let mut innermost = None;
        let told = frames.map(|(name, place)| {
            innermost.get_or_insert(place);
            format!("{name} ({}:{}:{})", self.file, place.line, place.column)
        });
        let told = told.collect();
        (innermost, told)
    }
}

impl Drop for Isolate {
    fn drop(&mut self) {
        // Also referenced by the runtime's tracker; must be dropped before the runtime.
        self.rejected.borrow_mut().clear();
    }
}

/// The stack of an error, if reading it runs no JavaScript.
fn raw_stack(thrown: &Value<'_>) -> Option<String> {
    thrown.as_exception()?.stack()
}

/// Serialises an answer.
fn fields(answer: Answer) -> String {
    serde_json::to_string(&answer).unwrap_or_default()
}

/// Explains a global that exists in other environments but not here.
fn absent(message: &str) -> Option<&'static str> {
    let name = message.strip_prefix("ReferenceError: ")?.strip_suffix(" is not defined")?;
    match name.trim_matches('\'') {
        "process" | "Deno" | "Bun" | "__dirname" | "__filename" => {
            Some("a tool has no environment; take settings as parameters, secrets by ctx.credentials")
        }
        "require" | "module" | "exports" => Some("write `import`; there are 'zod' and '@nova/tools'"),
        "defineTool" => Some("write `import { defineTool } from '@nova/tools'`"),
        "z" => Some("write `import { z } from 'zod'`"),
        "Buffer" => Some("use Uint8Array with TextEncoder, TextDecoder, toBase64 and fromBase64"),
        "eval" => Some("a tool cannot turn text into code"),
        "window" | "document" | "localStorage" => Some("a tool has no page"),
        "XMLHttpRequest" | "WebSocket" => Some("use fetch"),
        "FormData" | "Blob" | "ReadableStream" => Some("a body is a string, URLSearchParams or bytes"),
        _ => None,
    }
}

fn fault(kind: FaultKind, message: &str) -> Fault {
    Fault { kind, message: message.to_owned(), line: None, column: None, stack: Vec::new() }
}
