//! Reports the progress of a sub-agent to its parent session.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nova_protocol::{Envelope, Event, SourceView};
use nova_registry::harmless_line;
use nova_skill::{Source, WebSource};
use serde_json::Value;

use crate::journal::{EventSink, Journal};

/// The maximum length of the summary of a call, in characters.
const ABOUT: usize = 60;

/// Receives the events of a sub-agent. Forwards its progress to the parent session, and all events of calls
/// that ask the user or change something.
pub(crate) struct Report {
    /// The parent's call.
    call: String,
    parent: Arc<Journal>,
    sink: Arc<dyn EventSink>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    steps: u32,
    limit: u32,
    tokens: u64,
    now: Option<String>,
    pages: Vec<WebSource>,
    unknown: bool,
    /// Start events of calls that were not reported to the parent, by id.
    unreported: HashMap<String, Event>,
    /// Running calls that were reported to the parent.
    reported: BTreeSet<String>,
}

impl Report {
    pub(crate) fn new(call: &str, limit: u32, parent: Arc<Journal>, sink: Arc<dyn EventSink>) -> Self {
        let state = Mutex::new(State { limit, ..State::default() });
        Self { call: call.to_owned(), parent, sink, state }
    }

    /// Its limit of requests.
    pub(crate) fn limit(&self) -> u32 {
        self.lock().limit
    }

    pub(crate) fn allow_more(&self, steps: u32) {
        self.lock().limit += steps;
        self.emit_progress(None, Vec::new());
    }

    pub(crate) fn spent(&self, tokens: u64) {
        self.lock().tokens += tokens;
        self.emit_progress(None, Vec::new());
    }

    /// The pages that its calls read.
    pub(crate) fn pages(&self) -> Vec<Source> {
        self.lock().pages.iter().cloned().map(Source::Web).collect()
    }

    /// Whether a call was stopped that may have had an effect.
    pub(crate) fn is_unknown(&self) -> bool {
        self.lock().unknown
    }

    fn emit_progress(&self, host: Option<Option<String>>, notes: Vec<String>) {
        let event = {
            let state = self.lock();
            Event::SubagentWorked {
                call: self.call.clone(),
                steps: state.steps,
                limit: state.limit,
                tokens: state.tokens,
                now: state.now.clone(),
                host,
                notes,
            }
        };
        self.parent.event(event);
    }

    fn observe(&self, event: &Event) {
        match event {
            Event::StepStarted { host, notes, .. } => {
                {
                    let mut state = self.lock();
                    state.steps += 1;
                    state.now = None;
                }
                self.emit_progress(host.clone(), notes.clone());
            }
            Event::ToolCallStarted { call, tool, args, .. } => {
                {
                    let mut state = self.lock();
                    state.now = Some(about(tool, args));
                    state.unreported.insert(call.clone(), event.clone());
                }
                self.emit_progress(None, Vec::new());
            }
            Event::ToolCallCompleted { call, sources, changes, .. } => {
                {
                    let mut state = self.lock();
                    for page in sources.iter().filter_map(page) {
                        if !state.pages.contains(&page) {
                            state.pages.push(page);
                        }
                    }
                }
                if !changes.is_empty() {
                    self.report_start(call);
                }
                self.lock().unreported.remove(call);
                if self.lock().reported.remove(call) {
                    self.parent.forward(event.clone());
                }
            }
            Event::ApprovalRequested { call, .. } | Event::ElicitationRequested { call, .. } => {
                self.report_start(call);
                self.parent.forward(event.clone());
            }
            Event::ApprovalDecided { call, .. } | Event::ToolCallProgress { call, .. }
                if self.lock().reported.contains(call) =>
            {
                self.parent.forward(event.clone());
            }
            Event::CredentialNeeded { .. } | Event::ConflictFound { .. } => {
                self.parent.forward(event.clone());
            }
            Event::TurnCancelled { unknown } => self.lock().unknown |= !unknown.is_empty(),
            _ => {}
        }
    }

    /// Reports the start of the call to the parent, once.
    fn report_start(&self, call: &str) {
        let begun = {
            let mut state = self.lock();
            let begun = state.unreported.remove(call);
            if begun.is_some() {
                state.reported.insert(call.to_owned());
            }
            begun
        };
        if let Some(begun) = begun {
            // A script's card shows the calls that it makes.
            if let Event::ToolCallStarted { within: Some(outer), .. } = &begun {
                self.report_start(outer);
            }
            self.parent.forward(begun);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventSink for Report {
    fn emit(&self, envelope: Envelope) {
        self.observe(&envelope.event);
        self.sink.emit(envelope);
    }
}

/// "vault.search hosting"
fn about(tool: &str, args: &Value) -> String {
    let text = args.as_object().and_then(|args| args.values().find_map(Value::as_str)).unwrap_or_default();
    let text = harmless_line(text);
    let cut = match text.char_indices().nth(ABOUT) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text,
    };
    format!("{tool} {cut}").trim_end().to_owned()
}

fn page(source: &SourceView) -> Option<WebSource> {
    let SourceView::Web { url, at, title, date } = source else { return None };
    Some(WebSource { title: title.clone(), date: date.clone(), ..WebSource::new(url, at) })
}
