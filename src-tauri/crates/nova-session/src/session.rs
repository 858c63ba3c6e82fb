use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use async_trait::async_trait;
use nova_calls::{Answer, ApprovalRequest, Approver, Grants, SeenNote, SeenNotes};
use nova_protocol::{
    AttachedFile, ContextView, DeactivatedBy, Decision, Envelope, ErrorCode, Event, UserError,
};
use nova_provider::ToolDefinition;
use nova_registry::Snapshot;
use nova_skill::{Clock, VaultPath};
use nova_vault::note::{ContentHash, Document};
use nova_vault::{Privacy, Vault};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::activation::{Active, NOTICE, SkillKnowledge, visible_tools};
use crate::branches::{After, of_branch};
use crate::context::{Measure, Sizes, sent};
use crate::error::SessionError;
use crate::journal::{EventSink, Journal};
use crate::message::{Entry, LogMessage, LogTool, with_all_outputs};
use crate::named_image::{Images, NamedImage};
use crate::outside::with_unread;
use crate::prompt::is_date_notice;
use crate::running::DetachedCalls;
use crate::sequence::Sequence;
use crate::store::Store;
use crate::turn::seen::NotesRead;

/// An open session: the state restored from its log, ready for the next turn.
pub struct Session {
    pub id: String,
    /// What the user allowed "for this chat".
    pub grants: Arc<Grants>,
    pub(crate) next_seq: Arc<Sequence>,
    pub(crate) state: Mutex<State>,
    /// The journal of the running turn.
    pub(crate) journal: Mutex<Weak<Journal>>,
    pub(crate) detached: DetachedCalls,
    /// Stops single calls of the running turn, by their ids in events.
    pub(crate) stops: Mutex<HashMap<String, CancellationToken>>,
}

/// A message of the user.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UserMessage {
    pub text: String,
    /// Skills to activate with it.
    pub skills: Vec<String>,
    /// The tool that the user selected, `skill.tool`.
    pub tool: Option<String>,
    /// Its predecessor.
    pub after: After,
    /// Attached images.
    pub images: Vec<NamedImage>,
    /// Attachments from MCP servers.
    pub outside: Vec<AttachedFile>,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) messages: Vec<LogMessage>,
    pub(crate) active: Active,
    /// Notes that the model has seen, with the hash of their content then.
    pub(crate) seen: BTreeMap<VaultPath, ContentHash>,
    /// The content of those notes, if it was read in this process.
    pub(crate) held: HashMap<VaultPath, (ContentHash, Arc<Document>)>,
    /// Notes changed outside since the model saw them, to be reported before its next step.
    pub(crate) outdated: BTreeMap<VaultPath, Option<String>>,
    /// The parts of the last request in the order in which providers hash them, to determine what was cached.
    pub(crate) last_request: Option<Vec<u8>>,
    /// Names of the tools of the last request in the log.
    pub(crate) last_tools: Option<Vec<String>>,
    /// The notes named by requests, by destination host.
    pub(crate) named: BTreeMap<Option<String>, BTreeSet<VaultPath>>,
    /// The provider's token counts of the last request.
    pub(crate) measure: Measure,
    pub(crate) turns: u32,
    /// The model has seen content that is hidden from remote models: notes that it creates are private too.
    pub(crate) has_read_private: bool,
    /// The turns of its branch, oldest first; a new one follows the last.
    pub(crate) branch: Vec<String>,
    /// The user's message of the last turn, if that ended before the model received it.
    pub(crate) unsent_message: Option<LogMessage>,
    /// The log ended during the last turn.
    pub(crate) unfinished: bool,
    /// The images of its messages, during a turn.
    pub(crate) images: Images,
    /// A model, as `provider/model`, and its context limit in tokens, learned from a refusal.
    pub(crate) learned: Option<(String, u64)>,
    /// The model, as `provider/model`, that refused images.
    pub(crate) model_without_vision: Option<String>,
    /// Images in requests that a model refused: by `provider/model` and id.
    pub(crate) refused_images: HashSet<(String, String)>,
}

impl State {
    /// The system prompt; empty before the session's first request.
    pub(crate) fn system(&self) -> &str {
        self.frozen().map_or("", |(text, ..)| text)
    }

    /// The marker around the session's notices.
    pub(crate) fn notice_mark(&self) -> &str {
        let mark = self.messages.iter().find_map(|message| match message {
            LogMessage::System { notice_mark, .. } => Some(notice_mark.as_str()),
            _ => None,
        });
        mark.unwrap_or(NOTICE)
    }

    /// Whether the last date notice sent is this one.
    pub(crate) fn is_last_date_notice(&self, date: &str) -> bool {
        sent(&self.messages)
            .iter()
            .rev()
            .find_map(|message| match message.as_ref() {
                LogMessage::Notice { text, .. } if is_date_notice(text) => Some(text == date),
                _ => None,
            })
            .unwrap_or_default()
    }

    /// The tools that every request offers.
    pub(crate) fn first_tools(&self) -> Vec<ToolDefinition> {
        let tools = self.frozen().map(|(_, tools, _)| tools.iter().cloned().map(Into::into).collect());
        tools.unwrap_or_default()
    }

    /// Whether the skill's instructions are in the system prompt.
    pub(crate) fn is_always(&self, skill: &str) -> bool {
        self.frozen().is_some_and(|(.., told)| told.instructions.contains_key(skill))
    }

    fn frozen(&self) -> Option<(&str, &[LogTool], &SkillKnowledge)> {
        self.messages.iter().find_map(|message| match message {
            LogMessage::System { text, tools, told, .. } => Some((text.as_str(), tools.as_slice(), told)),
            _ => None,
        })
    }

    /// What the model knows about skills.
    pub(crate) fn skill_knowledge(&self) -> SkillKnowledge {
        let mut told = SkillKnowledge::default();
        sent(&self.messages)
            .iter()
            .filter_map(|message| message.skill_knowledge())
            .for_each(|later| told.extend(later));
        told
    }
}

impl Session {
    /// Restores a session from its log.
    ///
    /// # Errors
    /// If it does not exist or its log cannot be read.
    pub async fn load(store: &Store, id: &str) -> Result<Self, SessionError> {
        store.info(id).await?;
        let (state, next) = read_state(store, id, &After::Last).await?;
        Ok(Self {
            id: id.to_owned(),
            grants: Arc::default(),
            next_seq: Arc::new(Sequence::starting_at(next)),
            state: Mutex::new(state),
            journal: Mutex::default(),
            detached: DetachedCalls::default(),
            stops: Mutex::default(),
        })
    }

    /// Reads the log again, up to the predecessor of a new turn: another Nova process may have continued the
    /// session, or the user may have gone back to an earlier message.
    pub(crate) async fn refresh(&self, store: &Store, after: &After) -> Result<(), SessionError> {
        store.info(&self.id).await?;
        let (fresh, next) = read_state(store, &self.id, after).await?;
        self.next_seq.skip_to(next);
        let mut state = self.lock();
        let last_request = state.last_request.take().filter(|_| fresh.branch == state.branch);
        let images = std::mem::take(&mut state.images);
        let (learned, model_without_vision) = (state.learned.take(), state.model_without_vision.take());
        let refused_images = std::mem::take(&mut state.refused_images);
        let mut outdated = std::mem::take(&mut state.outdated);
        outdated.retain(|path, _| fresh.seen.contains_key(path));
        let mut held = std::mem::take(&mut state.held);
        held.retain(|path, _| fresh.seen.contains_key(path));
        // Token counts depend on the model, not on the log.
        let measure = state.measure;
        *state = State {
            last_request,
            outdated,
            held,
            measure,
            images,
            learned,
            model_without_vision,
            refused_images,
            ..fresh
        };
        Ok(())
    }

    /// Writes buffered entries of a running turn, so that readers of the log see them.
    ///
    /// # Errors
    /// If the log cannot be written.
    pub async fn flush(&self) -> Result<(), SessionError> {
        let journal = self.journal.lock().unwrap_or_else(PoisonError::into_inner).upgrade();
        for journal in journal.into_iter().chain(self.detached.journals()) {
            journal.flush().await?;
        }
        Ok(())
    }

    /// The blocks of the message that a running turn is writing, which is not in the log yet.
    pub fn unfinished(&self) -> Vec<Envelope> {
        let journal = self.journal.lock().unwrap_or_else(PoisonError::into_inner).upgrade();
        journal.map(|journal| journal.unfinished()).unwrap_or_default()
    }

    /// Takes the number of the session's next event.
    pub fn take_seq(&self) -> i64 {
        self.next_seq.take()
    }

    /// How much of a model's context the next request would use, given the skills of the snapshot.
    pub fn context(&self, snapshot: &Snapshot, limit: Option<u64>) -> ContextView {
        let state = self.lock();
        let first = state.first_tools();
        let tools = visible_tools(snapshot, &first, &state.active);
        state.measure.view(Sizes::of(&sent(&state.messages), &tools, first.len()), limit)
    }

    /// Whether the model, as `provider/model`, refused images in this session.
    pub fn refused_images(&self, model: &str) -> bool {
        self.lock().model_without_vision.as_deref() == Some(model)
    }

    /// Ids of the active skills, in order of activation.
    pub fn active_skills(&self) -> Vec<String> {
        self.lock().active.iter().map(str::to_owned).collect()
    }

    /// Deactivates a skill for the user, from the next step on. Returns whether it was active.
    ///
    /// # Errors
    /// [`SessionError::Busy`] while another Nova process runs a turn in the session, or if the log cannot be
    /// read or written.
    pub async fn drop_skill(
        &self,
        skill: &str,
        store: &Store,
        clock: Arc<dyn Clock>,
        sink: Arc<dyn EventSink>,
    ) -> Result<bool, SessionError> {
        loop {
            // At the end of a turn, this event comes after it and is not part of it.
            self.next_seq.end_emitted().await;
            let running = self.journal.lock().unwrap_or_else(PoisonError::into_inner).upgrade();
            let (journal, _lease) = match running {
                Some(journal) => (journal, None),
                None => {
                    let lease = store.lease(&self.id)?;
                    self.refresh(store, &After::Last).await?;
                    let (clock, sink, next) = (clock.clone(), sink.clone(), self.next_seq.clone());
                    (Arc::new(Journal::new(&self.id, None, store.clone(), clock, sink, next)), Some(lease))
                }
            };
            let was = journal.event_unless_ending(|| {
                let was = self.lock().active.remove(skill);
                was.then(|| Event::SkillDeactivated { skill: skill.to_owned(), by: DeactivatedBy::User })
            });
            if let Some(was) = was {
                journal.flush().await?;
                return Ok(was);
            }
        }
    }

    /// Switches to the branch of this turn and its successors.
    ///
    /// # Errors
    /// [`SessionError::Busy`] while a turn runs, [`SessionError::UnknownTurn`], or if the log cannot be read
    /// or written.
    pub async fn choose_branch(
        &self,
        turn: &str,
        store: &Store,
        clock: Arc<dyn Clock>,
        sink: Arc<dyn EventSink>,
    ) -> Result<(), SessionError> {
        let _lease = store.lease(&self.id)?;
        // The turn that has just released the lease.
        self.next_seq.end_emitted().await;
        self.refresh(store, &After::Last).await?;
        if self.lock().branch.iter().any(|one| one == turn) {
            return Ok(());
        }
        if !store.has_turn(&self.id, turn).await? {
            return Err(SessionError::UnknownTurn(turn.to_owned()));
        }
        let journal = Journal::new(&self.id, None, store.clone(), clock, sink, self.next_seq.clone());
        // Emitted only after it is written, and before later events.
        let being_written = self.next_seq.begin_end();
        let chosen = journal.record_end(Event::BranchChosen { chosen: turn.to_owned() });
        journal.flush().await?;
        self.refresh(store, &After::Last).await?;
        being_written.commit(|| journal.emit_recorded(chosen));
        Ok(())
    }

    /// Handles an outside edit of a note. If the model has seen the note, the edit is reported to the window
    /// immediately, and to the model before its next step.
    pub fn note_changed(
        &self,
        path: &VaultPath,
        summary: Option<String>,
        store: &Store,
        clock: Arc<dyn Clock>,
        sink: Arc<dyn EventSink>,
    ) {
        {
            let mut state = self.lock();
            if !state.seen.contains_key(path) {
                return;
            }
            state.outdated.insert(path.clone(), summary.clone());
        }
        let event = Event::NotesChangedOutside {
            paths: vec![path.to_string()],
            summaries: summary.into_iter().map(|summary| (path.to_string(), summary)).collect(),
        };
        self.emit_outside_turn(event, store, clock, sink);
    }

    /// Emits an event of this session outside of a turn; waits for the end of a turn that is being written.
    pub fn emit_outside_turn(
        &self,
        event: Event,
        store: &Store,
        clock: Arc<dyn Clock>,
        sink: Arc<dyn EventSink>,
    ) {
        Journal::new(&self.id, None, store.clone(), clock, sink, self.next_seq.clone()).event(event);
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The notes that the model of this chat has seen, except those reported as outdated.
impl SeenNotes for Session {
    fn seen(&self, path: &VaultPath) -> Option<SeenNote> {
        let state = self.lock();
        let hash = *state.seen.get(path)?;
        let held = state.held.get(path).filter(|(held, _)| *held == hash);
        Some(SeenNote { hash, document: held.map(|(_, document)| document.clone()) })
    }

    fn makes_private(&self) -> bool {
        self.lock().has_read_private
    }
}

/// Whether the current branch of a session, or any of its turns if `all` is set, received content hidden from
/// remote models.
///
/// # Errors
/// If its log cannot be read.
pub async fn has_read_private(
    store: &Store,
    id: &str,
    all: bool,
    vault: Option<Vault>,
    private: Vec<String>,
) -> Result<bool, SessionError> {
    let mut entries = store.entries(id).await?;
    if !all {
        (entries, _) = of_branch(entries, &After::Last)?;
    }
    let messages = entries.into_iter().filter_map(|(_, entry)| match entry {
        Entry::Message(message) => Some(message),
        Entry::Event(_) => None,
    });
    let messages: Vec<LogMessage> = messages.collect();
    let mut read = NotesRead::by(&messages);
    for message in &messages {
        if let LogMessage::LateEnd(end) = message {
            read.add_unreported(end);
        }
    }
    Ok(read.are_private(vault, &Privacy { remote: true, private }).await)
}

/// The user's message, as the model receives it.
pub(crate) fn said(text: &str, tool: Option<&str>) -> String {
    match tool {
        Some(tool) => format!("{text}\n\n(The user points at the tool {tool}.)"),
        None => text.to_owned(),
    }
}

async fn read_state(store: &Store, id: &str, after: &After) -> Result<(State, i64), SessionError> {
    let entries = store.entries(id).await?;
    let next = store.next_seq(id).await?;
    let (entries, branch) = of_branch(entries, after)?;
    let mut state = State { branch, ..State::default() };
    for (_, entry) in entries {
        match entry {
            Entry::Message(message) => {
                if matches!(message, LogMessage::User { .. }) {
                    state.unsent_message = None;
                }
                for path in message.outdated_notes() {
                    state.seen.remove(path);
                }
                state.seen.extend(message.notes().cloned().unwrap_or_default());
                state.messages.push(message);
            }
            Entry::Event(envelope) => {
                state.active.replay(&envelope.event);
                match envelope.event {
                    Event::TurnStarted { text, tool, by_nova, images, outside, .. } => {
                        state.turns += 1;
                        state.unfinished = true;
                        let text = with_unread(said(&text, tool.as_deref()), &outside);
                        state.unsent_message = (!by_nova).then_some(LogMessage::User { text, images });
                    }
                    Event::StepStarted { tools, host, notes, .. } => {
                        state.last_tools = Some(tools);
                        if let Some(host) = host {
                            let notes = notes.iter().filter_map(|path| VaultPath::parse(path).ok());
                            state.named.entry(host).or_default().extend(notes);
                        }
                    }
                    Event::TurnCompleted { .. } | Event::TurnCancelled { .. } | Event::TurnFailed { .. } => {
                        state.unfinished = false;
                        state.unsent_message = None;
                    }
                    _ => {}
                }
            }
        }
    }
    state.messages = with_all_outputs(state.messages);
    Ok((state, next))
}

/// Approvals that wait for an answer from a window or the terminal.
#[derive(Default)]
pub struct WaitingApprovals(Mutex<HashMap<String, Waiting>>);

struct Waiting {
    revision: u32,
    decisions: Vec<Decision>,
    answer: oneshot::Sender<Answer>,
}

impl WaitingApprovals {
    /// Answers the approval of a call.
    ///
    /// # Errors
    /// `unknown_approval` if none is waiting (it was answered, or its turn ended), if the question changed
    /// since `revision`, or if the decision was not offered.
    pub fn decide(
        &self,
        call: &str,
        revision: Option<u32>,
        decision: Decision,
        args: Option<Value>,
        reason: Option<String>,
        by: &str,
    ) -> Result<(), UserError> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = waiting.get(call).ok_or_else(|| not_waiting(call))?;
        if revision.is_some_and(|seen| seen != found.revision) {
            return Err(UserError::new(
                ErrorCode::UnknownApproval,
                "The note changed meanwhile, and the diff was updated.",
                "Review it again, then answer.",
            ));
        }
        if !found.decisions.contains(&decision) {
            return Err(UserError::new(
                ErrorCode::UnknownApproval,
                "This answer is not available for this call.",
                "Choose one of the buttons.",
            ));
        }
        if let Some(found) = waiting.remove(call) {
            let _ = found.answer.send(Answer::Decided { decision, args, by: by.to_owned(), reason });
        }
        Ok(())
    }

    /// Requests a new question with other arguments.
    ///
    /// # Errors
    /// `unknown_approval` if none is waiting.
    pub fn revise(&self, call: &str, args: Value) -> Result<(), UserError> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = waiting.remove(call).ok_or_else(|| not_waiting(call))?;
        let _ = found.answer.send(Answer::Revised { args });
        Ok(())
    }

    fn forget(&self, call: &str, revision: u32) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.get(call).is_some_and(|found| found.revision == revision) {
            waiting.remove(call);
        }
    }
}

#[async_trait]
impl Approver for WaitingApprovals {
    async fn ask(&self, request: &ApprovalRequest) -> Answer {
        struct Withdraw<'a>(&'a WaitingApprovals, &'a str, u32);
        impl Drop for Withdraw<'_> {
            fn drop(&mut self) {
                self.0.forget(self.1, self.2);
            }
        }
        let (answer, answered) = oneshot::channel();
        {
            let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.insert(
                request.call.clone(),
                Waiting { revision: request.revision, decisions: request.decisions.clone(), answer },
            );
        }
        let _withdraw = Withdraw(self, &request.call, request.revision);
        answered.await.unwrap_or(Answer::Unanswered { reason: "the question was withdrawn".into() })
    }

    fn at_once(&self) -> bool {
        true
    }
}

fn not_waiting(call: &str) -> UserError {
    UserError::new(
        ErrorCode::UnknownApproval,
        format!("No approval is pending for the call {call}."),
        "It was already answered, or its turn has ended.",
    )
}

#[cfg(test)]
mod tests;
