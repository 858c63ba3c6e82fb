//! Functions of the process that JavaScript can call: the prelude's `host`.

use std::{
    cell::RefCell,
    collections::BTreeSet,
    process,
    rc::Rc,
    sync::Arc,
    time::{Duration, Instant},
};

use rquickjs::{Ctx, Exception, Function, Object, Result, function::Opt};

use super::{budget::Budget, link::Link, web};
use crate::protocol::{FromChild, Level, MessageError, Want};

/// Maximum nesting depth of a value: JSON parsers give up at 128.
const MAX_DEPTH: u32 = 100;
/// Minimum interval between progress reports.
const PROGRESS: Duration = Duration::from_millis(50);

/// State of the running call: remaining output, pending requests and timers.
pub(super) struct Host {
    link: Arc<Link>,
    budget: Arc<Budget>,
    state: RefCell<State>,
}

struct State {
    /// False while a file is loaded and between calls.
    calling: bool,
    last_ask: u64,
    last_timer: u64,
    timers: BTreeSet<(Instant, u64)>,
    output: u64,
    partial_left: u64,
    log_left: u64,
    /// The latest unreported progress, and the time of the last report.
    progress: Option<(Option<f64>, Option<String>)>,
    progress_sent: Option<Instant>,
}

impl Host {
    pub(super) fn new(link: Arc<Link>, budget: Arc<Budget>) -> Self {
        let state = State {
            calling: false,
            last_ask: 0,
            last_timer: 0,
            timers: BTreeSet::new(),
            output: 0,
            partial_left: 0,
            log_left: 0,
            progress: None,
            progress_sent: None,
        };
        Self { link, budget, state: RefCell::new(state) }
    }

    /// Enables requests for one call, with this many bytes of output of each kind.
    pub(super) fn begin_call(&self, output: u64) {
        let mut state = self.state.borrow_mut();
        state.calling = true;
        state.output = output;
        state.partial_left = output;
        state.log_left = output;
        state.progress_sent = None;
    }

    pub(super) fn end_call(&self) {
        self.send_progress();
        self.state.borrow_mut().calling = false;
    }

    pub(super) fn stop_timers(&self) {
        self.state.borrow_mut().timers.clear();
    }

    /// Due time of the next timer.
    pub(super) fn next_timer(&self) -> Option<Instant> {
        self.state.borrow().timers.first().map(|(at, _)| *at)
    }

    /// Takes a due timer.
    pub(super) fn due_timer(&self) -> Option<u64> {
        let mut state = self.state.borrow_mut();
        let first = state.timers.first().copied().filter(|(at, _)| *at <= Instant::now())?;
        state.timers.remove(&first);
        Some(first.1)
    }

    pub(super) fn send_progress(&self) {
        let mut state = self.state.borrow_mut();
        if let Some((fraction, message)) = state.progress.take() {
            state.progress_sent = Some(Instant::now());
            drop(state);
            self.send(&FromChild::Progress { fraction, message });
        }
    }

    pub(super) fn log(&self, level: Level, mut message: String) {
        let mut state = self.state.borrow_mut();
        if !state.calling || state.log_left == 0 {
            return;
        }
        let left = usize::try_from(state.log_left).unwrap_or(usize::MAX);
        let cut = message.len() > left;
        if cut {
            message.truncate(message.floor_char_boundary(left));
        }
        state.log_left = if cut { 0 } else { state.log_left - message.len().max(1) as u64 };
        let over = state.log_left == 0;
        drop(state);
        self.send(&FromChild::Log { level, message });
        if over {
            let message = "it logged more than a call may log; the rest is left out".to_owned();
            self.send(&FromChild::Log { level: Level::Warn, message });
        }
    }

    /// Sends a message; ends the process if nobody reads any more.
    fn send(&self, message: &FromChild) {
        if self.link.send(message).is_err() {
            process::exit(1);
        }
    }

    /// Reported to Nova only while a file is loaded, which happens once: the line is then known even if the
    /// process crashes.
    fn at(&self, line: u32) {
        self.budget.at(line);
        if !self.state.borrow().calling {
            self.send(&FromChild::At { line });
        }
    }

    fn ask(&self, ctx: &Ctx<'_>, want: &str) -> Result<f64> {
        let mut state = self.state.borrow_mut();
        if !state.calling {
            let message = "fetch and credentials work while execute runs, not while the file is loaded";
            return Err(Exception::throw_type(ctx, message));
        }
        let want: Want =
            serde_json::from_str(want).map_err(|error| Exception::throw_type(ctx, &error.to_string()))?;
        state.last_ask += 1;
        let ask = state.last_ask;
        drop(state);
        match self.link.send(&FromChild::Ask { ask, want }) {
            Ok(()) => Ok(ask as f64),
            Err(MessageError::TooLong(_)) => {
                Err(Exception::throw_type(ctx, "the request is too long; send less than 20 MB"))
            }
            Err(MessageError::Malformed(_) | MessageError::Gone(_)) => process::exit(1),
        }
    }

    /// Sends a partial result; returns the reason if it cannot.
    fn partial(&self, json: &str) -> Option<String> {
        let mut state = self.state.borrow_mut();
        let Some(left) = state.partial_left.checked_sub(json.len() as u64) else {
            let most = state.output;
            return Some(format!("the partial results have more than {most} bytes; yield less"));
        };
        state.partial_left = left;
        drop(state);
        match value(json) {
            Ok(value) => {
                self.send_progress();
                self.send(&FromChild::Partial { value });
                None
            }
            Err(why) => Some(why),
        }
    }

    fn progress(&self, fraction: Option<f64>, message: Option<String>) {
        let mut state = self.state.borrow_mut();
        if !state.calling {
            return;
        }
        let message = message.map(|mut message| {
            message.truncate(message.floor_char_boundary(1024));
            message
        });
        state.progress = Some((fraction, message));
        let told = state.progress_sent;
        drop(state);
        if told.is_none_or(|told| told.elapsed() >= PROGRESS) {
            self.send_progress();
        }
    }

    fn timer(&self, ctx: &Ctx<'_>, id: Option<u64>, ms: f64) -> Result<f64> {
        let mut state = self.state.borrow_mut();
        if state.timers.len() >= 10_000 {
            return Err(Exception::throw_range(ctx, "more than 10,000 timers run at once"));
        }
        let id = id.unwrap_or_else(|| {
            state.last_timer += 1;
            state.last_timer
        });
        // NaN becomes 0; at most 25 days, so that the instant does not overflow.
        let wait = Duration::from_millis(ms.clamp(0.0, f64::from(i32::MAX)) as u64);
        state.timers.insert((Instant::now() + wait, id));
        Ok(id as f64)
    }

    fn stop_timer(&self, id: f64) {
        self.state.borrow_mut().timers.retain(|(_, running)| *running as f64 != id);
    }
}

/// The object passed to the prelude.
pub(super) fn object<'js>(ctx: &Ctx<'js>, host: &Rc<Host>) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    let set = |name: &str, function: Result<Function<'js>>| object.set(name, function?);

    let h = Rc::clone(host);
    let ask = move |ctx: Ctx<'js>, want: String| h.ask(&ctx, &want);
    set("ask", Function::new(ctx.clone(), ask))?;
    let h = Rc::clone(host);
    let log = move |level: String, message: String| {
        let level = match level.as_str() {
            "debug" => Level::Debug,
            "info" => Level::Info,
            "warn" => Level::Warn,
            _ => Level::Error,
        };
        h.log(level, message);
    };
    set("log", Function::new(ctx.clone(), log))?;
    let h = Rc::clone(host);
    let progress = move |fraction: Option<f64>, message: Option<String>| h.progress(fraction, message);
    set("progress", Function::new(ctx.clone(), progress))?;
    let h = Rc::clone(host);
    let partial = move |json: String| h.partial(&json);
    set("partial", Function::new(ctx.clone(), partial))?;
    let h = Rc::clone(host);
    let start = move |ctx: Ctx<'js>, ms: f64| h.timer(&ctx, None, ms);
    set("startTimer", Function::new(ctx.clone(), start))?;
    let h = Rc::clone(host);
    let restart = move |ctx: Ctx<'js>, id: f64, ms: f64| h.timer(&ctx, Some(id as u64), ms);
    set("restartTimer", Function::new(ctx.clone(), restart))?;
    let h = Rc::clone(host);
    let stop = move |id: Opt<f64>| h.stop_timer(id.0.unwrap_or(-1.0));
    set("stopTimer", Function::new(ctx.clone(), stop))?;
    let h = Rc::clone(host);
    set("at", Function::new(ctx.clone(), move |line: u32| h.at(line)))?;
    web::install(ctx, &object)?;
    Ok(object)
}

/// Parses JSON from JavaScript; the error is the reason why it cannot be sent.
pub(super) fn value(json: &str) -> std::result::Result<serde_json::Value, String> {
    if depth(json) > MAX_DEPTH {
        return Err(format!("the result nests deeper than {MAX_DEPTH} levels"));
    }
    serde_json::from_str(json).map_err(|error| format!("the result cannot be sent: {error}"))
}

fn depth(json: &str) -> u32 {
    let (mut depth, mut deepest, mut in_text, mut escaped) = (0_u32, 0, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_text,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}
