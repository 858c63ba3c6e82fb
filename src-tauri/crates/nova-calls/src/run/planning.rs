//! Runs a tool against a draft of the vault, without writing anything.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use nova_protocol::{DetailView, ErrorCode, NoteDiffView, UserError};
use nova_registry::{ReachedNotes, SkillEntry, SourceKind, ToolEntry};
use nova_skill::{
    CallToken, CommandProxy, Effect, NoteScope, Output, OutputPart, RequestInfo, Tool, ToolContext,
    ToolError, ToolOutput, VaultAccess, VaultPath,
};
use nova_vault::note::PropertyEdit;
use nova_vault::{Draft, Privacy, Recogniser};
use nova_workspace::FileDraft;
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;

use super::body::{Body, crashed};
use super::inner::{Found, InnerCalls, InnerWrite};
use super::{Reach, Running};
use crate::context::CallContext;
use crate::delegate::CallDelegate;
use crate::draft_vault::DraftVault;
use crate::elicitations::CallUser;
use crate::figures::notes_named;
use crate::files::CallFiles;
use crate::hosts::CommandHosts;
use crate::is_foreign;
use crate::process::{CallProcess, Configured};
use crate::reach::CallHttp;
use crate::received;
use crate::secrets::Secrets;
use crate::seen_notes::SeenNotes;
use crate::view::{detail_view, diff_view, file_diff_view};

/// The folder of a chat, writable for its tools once they were allowed.
const SCRATCH: &str = "scratch";
/// The record type of routines, which Nova runs unattended.
const ROUTINE: &str = "routine";
/// How long cancelled sub-agents may take to end.
const SUB_AGENTS_END: Duration = Duration::from_secs(5);

/// The result of a tool's run: its output and its planned writes.
pub(super) struct Plan {
    pub(super) output: Output,
    pub(super) draft: Option<Draft>,
    /// Planned writes outside of the vault.
    pub(super) files: Option<FileDraft>,
    /// It touches a note outside of the skill's own folders and records, or moves a note.
    pub(super) outside_own: bool,
    /// It touches a routine, or creates one.
    pub(super) routine: bool,
    /// Notes to be written that remote readers can see, if the chat or this call has read private notes.
    pub(super) open_notes: Vec<VaultPath>,
    /// The inner calls that planned it.
    pub(super) inner: Vec<InnerWrite>,
}

impl Plan {
    /// Whether it changes anything.
    pub(super) fn writes(&self) -> bool {
        self.files.is_some() || self.draft.as_ref().is_some_and(|draft| !draft.is_empty())
    }

    /// The tools that planned it, if the tool itself calls others.
    pub(super) fn tools(&self) -> Vec<Arc<ToolEntry>> {
        self.inner.iter().map(|write| write.tool.clone()).collect()
    }

    /// The tool's details for its card.
    pub(super) fn details(&self) -> Vec<DetailView> {
        self.output.details.iter().map(detail_view).collect()
    }

    pub(super) fn paths(&self) -> Vec<VaultPath> {
        self.draft.as_ref().map(Draft::paths).unwrap_or_default()
    }

    /// The changes of each note. Computed on demand: a plan may have ten thousand notes.
    pub(super) fn diff(&self) -> Vec<NoteDiffView> {
        let planned = self.draft.iter().flat_map(Draft::diffs);
        let notes = planned.map(|planned| diff_view(&planned.path, planned.from.as_ref(), &planned.diff));
        let files = self.files.iter().flat_map(FileDraft::changes).map(file_diff_view);
        notes.chain(files).collect()
    }
}

/// One run of the tool, with the drafts it uses.
pub(super) struct Attempt {
    pub(super) vault: DraftVault,
    files: CallFiles,
    own_calls: Option<InnerCalls>,
    pub(super) cancel: CancellationToken,
}

/// The planned changes of a run.
struct Planned {
    draft: Option<Draft>,
    files: Option<FileDraft>,
    open_notes: Vec<VaultPath>,
    found: Found,
}

impl Running<'_> {
    /// Runs the tool; its writes stay in the draft.
    pub(super) async fn plan(
        &mut self,
        skill: &Arc<SkillEntry>,
        tool: &Arc<ToolEntry>,
        reach: &Reach,
        args: Value,
    ) -> Result<Plan, UserError> {
        let shown = args.clone();
        let attempt = self.attempt(skill, tool);
        let finished = self.run_tool(skill, tool, reach, &attempt, args).await?;
        let planned = self.note_reads(tool, attempt, &finished, &shown).await;
        self.checked(skill, tool, planned, finished, &shown)
    }

    /// Creates the drafts that the tool uses, and the calls that it may make.
    pub(super) fn attempt(&self, skill: &Arc<SkillEntry>, tool: &Arc<ToolEntry>) -> Attempt {
        // The model does not know yet what earlier calls will write. The tool is planned again after them.
        let asker: Arc<dyn SeenNotes> = match &self.place {
            Some(place) if !place.is_reached() => Arc::new(()),
            _ => self.scope.asker.clone(),
        };
        let cancel = self.cancel.child_token();
        let (vault, files) = match &self.inner {
            Some(inner) if tool.spec().on_notes => {
                (inner.vault().fork(skill.records.clone(), asker), inner.files().fork(cancel.clone()))
            }
            // Planned file changes are visible only to the calls that make them.
            Some(inner) => {
                (inner.vault().fork(skill.records.clone(), asker), CallFiles::new(self.scope, cancel.clone()))
            }
            None => {
                let vault = DraftVault::new(
                    self.scope.access.vault.as_ref(),
                    self.scope.privacy.clone(),
                    skill.records.clone(),
                    self.scope.snapshot.clone(),
                    asker,
                );
                (vault, CallFiles::new(self.scope, cancel.clone()))
            }
        };
        let own_calls = tool.spec().may_call().then(|| {
            self.made_before.begin_again();
            InnerCalls::new(
                self.scope,
                tool,
                self.inner.is_some(),
                &self.id,
                self.questions.watch.clone(),
                cancel.clone(),
                vault.clone(),
                files.clone(),
                self.made_before.clone(),
            )
        });
        Attempt { vault, files, own_calls, cancel }
    }

    pub(super) fn context(
        &self,
        skill: &Arc<SkillEntry>,
        tool: &Arc<ToolEntry>,
        reach: &Reach,
        Attempt { vault, files, own_calls, cancel }: &Attempt,
        args: &Value,
        says: &UnboundedSender<OutputPart>,
    ) -> Arc<dyn ToolContext> {
        Arc::new(CallContext {
            vault: vault.clone(),
            files: files.clone(),
            http: CallHttp {
                web: self.scope.access.web.clone(),
                hosts: reach.hosts.clone(),
                web_sources: self.web_sources.clone(),
                side_effects: self.side_effects.clone(),
                ended: cancel.clone(),
                secrets: self.secrets.clone(),
                config: skill.config.clone(),
            },
            process: CallProcess {
                sandbox: self.sandbox.clone(),
                proxy: CommandHosts::of(&reach.hosts).map(|gate| {
                    let proxy: Arc<dyn CommandProxy> = Arc::new(self.scope.access.web.proxy(Arc::new(gate)));
                    proxy
                }),
                configured: tool.spec().runs_configured.then(|| Configured {
                    source: self.scope.access.sandboxes.clone(),
                    chat: self.scope.turn.is_some().then(|| self.scope.session.clone()),
                    config: skill.config.clone(),
                    secrets: self.secrets.clone(),
                }),
                vault: vault.clone(),
                call: self.id.clone(),
                cancel: cancel.clone(),
            },
            credentials: reach.credentials.clone(),
            clock: self.scope.access.clock.clone(),
            given: self.scope.given.clone(),
            store: self.scope.access.stores.of(&skill.id),
            cache: self.scope.access.stores.cache(),
            delegate: self.delegate(tool, args, cancel),
            user: CallUser::new(self.questions.clone(), &self.id, tool, &self.scope.principal),
            tools: own_calls.clone(),
            request: RequestInfo {
                call: self.id.clone(),
                session: self.scope.session.clone(),
                turn: self.scope.turn.clone(),
                principal: self.scope.principal.clone(),
            },
            records: skill.records.clone(),
            config: skill.config.clone(),
            shown: self.shown.clone(),
            cancel: cancel.clone(),
            says: says.clone(),
            secrets: self.secrets.clone(),
            log: self.log.clone(),
        })
    }

    /// Runs the tool until it ends, is cancelled, or reaches its time limit.
    async fn run_tool(
        &mut self,
        skill: &Arc<SkillEntry>,
        tool: &Arc<ToolEntry>,
        reach: &Reach,
        attempt: &Attempt,
        args: Value,
    ) -> Result<Result<Output, ToolError>, UserError> {
        let Attempt { vault, own_calls, cancel, .. } = attempt;
        // Discards the log of an earlier plan.
        self.log.take();
        reach.hosts.runs_with(&args, vault.clone());
        let shown = args.clone();
        let (says, mut said) = unbounded_channel();
        let context = self.context(skill, tool, reach, attempt, &args, &says);
        if let Some(calls) = own_calls {
            calls.run_with(&context);
        }
        let body = tool.tool.clone();
        // The end of the last sender would wake this task, and with it another thread: `says` outlives the body.
        let of_body = says.clone();
        let mut running = Body::start(tool.spec().nonblocking, async move {
            run_body(body.as_ref(), args, context, &of_body).await
        });
        let limit = match tool.spec().delegates {
            // Each sub-agent has its own time limit.
            true => Duration::MAX,
            false => tool.spec().time_limit.unwrap_or(self.scope.access.time_limit),
        };
        let (stopped, questions) = (self.cancel.clone(), self.questions.clone());
        let passed = questions.watch.stopwatch.passed(limit);
        tokio::pin!(passed);
        let finished = loop {
            tokio::select! {
                finished = running.end() => break finished.map_err(|_crashed| crashed(tool))?,
                Some(part) = said.recv() => self.emit_part(tool, &shown, vault, part),
                () = stopped.cancelled() => {
                    // Sub-agents report their end before the call ends.
                    let ended = tool.spec().delegates
                        && tokio::time::timeout(SUB_AGENTS_END, running.end()).await.is_ok();
                    if !ended {
                        running.stop(cancel).await;
                    }
                    self.outcome.unknown = self.may_have_acted(tool);
                    break Err(ToolError::Cancelled);
                }
                () = &mut passed => {
                    running.stop(cancel).await;
                    self.outcome.unknown = self.may_have_acted(tool);
                    if let Some(calls) = own_calls {
                        self.outcome.unknown |= calls.ended().await.unknown;
                    }
                    return Err(UserError::new(
                        ErrorCode::ToolTimedOut,
                        format!("{} did not finish in {} s and was stopped.", tool.shown_name(), limit.as_secs()),
                        "Try again with less work.",
                    ));
                }
            }
        };
        while let Ok(part) = said.try_recv() {
            self.emit_part(tool, &shown, vault, part);
        }
        cancel.cancel();
        Ok(finished)
    }

    /// Moves what the tool read, said and planned into the outcome of the call.
    async fn note_reads(
        &mut self,
        tool: &Arc<ToolEntry>,
        attempt: Attempt,
        finished: &Result<Output, ToolError>,
        shown: &Value,
    ) -> Planned {
        let Attempt { vault, files, own_calls, .. } = attempt;
        let mut found = match &own_calls {
            Some(calls) => calls.ended().await,
            None => Found::default(),
        };
        self.outcome.unknown |= found.unknown;
        self.inner_sources = std::mem::take(&mut found.sources);
        self.outcome.seen.append(&mut vault.take_seen());
        let mut delegated = self.delegated.take();
        self.outcome.seen.append(&mut delegated.seen);
        self.outcome.local_only |= delegated.local_only;
        self.outcome.unknown |= delegated.unknown;
        let named = finished.as_ref().map(notes_named).unwrap_or_default();
        self.outcome.drawn_from = self.drawn_from(&vault, finished, &named, shown);
        // Errors are also text written by the tool.
        let says_so = finished.as_ref().is_ok_and(|output| output.untrusted)
            || delegated.untrusted
            || found.from_outside
            || self.web_sources.any();
        self.outcome.from_outside = self.scope.history.record_output(tool, says_so);
        let mut draft = vault.take_draft();
        let files = files.take_draft();
        let mut open_notes = Vec::new();
        let mut knows_private = self.scope.asker.makes_private() || vault.has_read_private();
        if let (false, Some(_), Some(_)) = (knows_private, &draft, &own_calls) {
            knows_private = vault.any_private(self.outcome.seen.keys().cloned().collect()).await;
        }
        if let Some(draft) = draft.as_mut().filter(|_| knows_private) {
            keep_new_notes_private(draft, &self.scope.privacy.elsewhere());
            open_notes.extend(draft.open_notes().cloned());
        }
        self.reached = reached(&vault, named, draft.as_ref());
        let texts = || match finished {
            Ok(output) => received::texts(&output.value),
            Err(error) => vec![UserError::from(error).message],
        };
        self.outcome.local_only |= vault.local_only().is_revealed_in(|| match finished {
            Ok(output) => received::texts(&output.value),
            Err(error) => {
                let error = UserError::from(error);
                vec![error.message, error.hint]
            }
        });
        // The notes were private when they were read, even if the draft makes them public before the output
        // is judged.
        let seen = |path: &VaultPath| self.outcome.seen.contains_key(path);
        self.outcome.local_only |= draft.as_ref().is_some_and(|draft| draft.makes_public().any(seen));
        let sources = self.protected_sources(tool, shown, &vault, &self.reached, texts);
        self.reached.read.extend(sources);
        Planned { draft, files, open_notes, found }
    }

    /// Returns the plan, unless the call may not reveal or write it.
    fn checked(
        &self,
        skill: &Arc<SkillEntry>,
        tool: &Arc<ToolEntry>,
        planned: Planned,
        finished: Result<Output, ToolError>,
        shown: &Value,
    ) -> Result<Plan, UserError> {
        let Planned { mut draft, files, open_notes, found } = planned;
        // Arguments can name a note in several ways, so the rules also judge the notes actually reached,
        // before any output is emitted.
        self.check_not_denied(tool, shown)?;
        if finished.is_err() && !self.asked && self.only_notes_want_approval(tool, shown) {
            return Err(UserError::new(
                ErrorCode::ApprovalUnanswered,
                format!("{} failed on a note that requires the user's approval.", tool.shown_name()),
                "Its message is withheld. Use the note's path.",
            ));
        }
        if let Some(denied) = found.denied {
            return Err(denied);
        }
        let output = finished?;
        if let (Some(_), Some(draft)) = (tool.spec().vault, &draft) {
            check_count(tool, draft.paths().len())?;
        }
        let texts_of_files = files
            .iter()
            .flat_map(FileDraft::changes)
            .filter(|file| !file.is_attached())
            .filter_map(|file| str::from_utf8(file.after()?).ok());
        if draft.as_ref().is_some_and(|draft| reveals_secret(draft, &self.secrets))
            || texts_of_files.into_iter().any(|text| self.secrets.are_in(text))
        {
            return Err(UserError::new(
                ErrorCode::ToolFailed,
                format!(
                    "{} would have written a credential into a note. Nothing was written.",
                    tool.shown_name()
                ),
                "Report it to the tool's author.",
            ));
        }
        // A file of a skill without records has no notes of its own.
        let of_any_note =
            tool.spec().vault == Some(VaultAccess::Write) && skill.records.iter().next().is_none();
        let anywhere = of_any_note || tool.spec().scope == NoteScope::Anywhere;
        let outside_own = draft.as_mut().is_some_and(|draft| draft.moves() || !(anywhere || within_own(skill, draft)))
                // Files opened by the user are theirs; the scratch folder belongs to the chat.
                || files.iter().flat_map(FileDraft::changes).any(|file| file.path().folder().name() != SCRATCH);
        let routine = draft.as_mut().is_some_and(|draft| self.touches_routine(draft));
        Ok(Plan { output, draft, files, outside_own, routine, open_notes, inner: found.writes })
    }

    /// Whether a note of the draft is a routine, before or after the changes.
    fn touches_routine(&self, draft: &mut Draft) -> bool {
        let declared = self.scope.snapshot.recogniser_named(&[ROUTINE.to_owned()]);
        // Also while the skill that declares them is disabled.
        let routines = Recogniser::any_of([&declared, &Recogniser::of_types(&[ROUTINE])]);
        let is_routine = |note: nova_skill::Note| routines.recognises(&note);
        let on_disk = |path| self.scope.access.vault.as_ref().and_then(|vault| vault.read(path).ok());
        draft
            .paths()
            .iter()
            .any(|path| on_disk(path).is_some_and(is_routine) || draft.read(path).is_ok_and(is_routine))
    }

    /// The delegate of a tool that declares it.
    fn delegate(&self, tool: &ToolEntry, args: &Value, cancel: &CancellationToken) -> Option<CallDelegate> {
        let native = tool.spec().delegates && !is_foreign(tool);
        native.then(|| {
            CallDelegate::new(
                self.scope.sub_agents.clone(),
                &self.scope.access.approver,
                &self.questions,
                (&self.id, tool, args, &self.scope.principal),
                (self.tainted || self.scope.history.is_tainted(), cancel.clone()),
                self.delegated.clone(),
            )
        })
    }

    /// Returns the notes that the output is drawn from: those it names, and those read individually. `None`
    /// if the output may be drawn from any note read. An error is attributed to the notes it names.
    fn drawn_from(
        &self,
        vault: &DraftVault,
        finished: &Result<Output, ToolError>,
        named: &[&VaultPath],
        args: &Value,
    ) -> Option<BTreeSet<VaultPath>> {
        let mut notes = vault.reached();
        notes.retain(|path| self.outcome.seen.contains_key(path));
        match finished {
            Ok(output) => {
                if !output.names_notes && named.is_empty() && !received::is_empty_value(&output.value) {
                    return None;
                }
                let mut named = named.iter().map(|path| (*path).clone()).collect();
                notes.append(&mut named);
            }
            Err(error) => {
                let error = UserError::from(error);
                let texts = [error.message, error.hint];
                notes.extend(
                    vault.with_received(|received| {
                        received.mentioned_in(&texts, self.outcome.seen.keys(), args)
                    }),
                );
            }
        }
        Some(notes)
    }

    /// Whether the tool may have had an effect outside of the vault by now. A tool that queries other systems
    /// only reaches the web, through its call; the effects of a server are unknown.
    fn may_have_acted(&self, tool: &ToolEntry) -> bool {
        match tool.effect() {
            Effect::Read => false,
            Effect::External if tool.source != SourceKind::Mcp => self.side_effects.any(),
            _ => !tool.spec().on_notes,
        }
    }
}

/// The notes that were read individually or that the output names, and those to be written, including both
/// ends of a move.
pub(super) fn reached(vault: &DraftVault, named: Vec<&VaultPath>, draft: Option<&Draft>) -> ReachedNotes {
    let by_themselves = vault.reached();
    let mut read = named;
    if !by_themselves.is_empty() {
        read.extend(&by_themselves);
        read.sort();
        read.dedup();
    }
    let written: BTreeSet<&VaultPath> = draft.into_iter().flat_map(Draft::places).collect();
    ReachedNotes {
        read: read.into_iter().cloned().collect(),
        written: written.into_iter().cloned().collect(),
    }
}

/// Marks the notes created by the draft as private: their content may be copied from a private one.
fn keep_new_notes_private(draft: &mut Draft, elsewhere: &Privacy) {
    for path in draft.paths() {
        let Ok(note) = draft.read(&path) else { continue };
        if path.is_note() && draft.on_disk(&note).is_none() && !elsewhere.hides(&path, &note.document) {
            let mark = PropertyEdit::Set {
                key: "nova".into(),
                value: nova_vault::note::Value::Text("private".into()),
            };
            // This only fails for unreadable front matter, which hides the note anyway.
            let _ = draft.set_properties(&path, &[mark]);
        }
    }
}

/// Maximum number of notes that one call of a file's tool may change.
pub(super) const MOST_NOTES: usize = 500;

fn check_count(tool: &ToolEntry, notes: usize) -> Result<(), UserError> {
    if notes <= MOST_NOTES {
        return Ok(());
    }
    Err(UserError::new(
        ErrorCode::ToolFailed,
        format!(
            "{} planned changes to {notes} notes; one call may change {MOST_NOTES}. Nothing was written.",
            tool.shown_name()
        ),
        "Change fewer notes in each call.",
    ))
}

/// Whether a note would contain a credential of the call, in its text or its name.
fn reveals_secret(draft: &Draft, secrets: &Secrets) -> bool {
    draft
        .texts()
        .any(|(path, text)| secrets.are_in(path.as_str()) || text.is_some_and(|text| secrets.are_in(text)))
}

/// Runs a tool in a context; partial output is sent to `says`.
pub(super) async fn run_body(
    tool: &dyn Tool,
    args: Value,
    context: Arc<dyn ToolContext>,
    says: &UnboundedSender<OutputPart>,
) -> Result<Output, ToolError> {
    drain(tool.run(CallToken::mint_for_nova_calls(), args, context).await?, says).await
}

/// Returns the end of an output; parts before it are sent to `says`.
async fn drain(output: ToolOutput, says: &UnboundedSender<OutputPart>) -> Result<Output, ToolError> {
    let mut stream = match output {
        ToolOutput::Value(output) => return Ok(output),
        ToolOutput::Stream(stream) => stream,
    };
    while let Some(part) = stream.next().await {
        match part {
            OutputPart::End(result) => return result,
            part => {
                let _ = says.send(part);
            }
        }
    }
    Err(ToolError::failed("The tool ended without a result.", "Try again."))
}

/// Whether every note is in the folders of the skill's records, or is a record of one of its types.
fn within_own(skill: &SkillEntry, draft: &mut Draft) -> bool {
    draft.paths().iter().all(|path| {
        let in_folder = skill.records.iter().any(|record| {
            let folder = record.folder.trim_matches('/');
            path.as_str().strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
        });
        let is_record = |note: nova_skill::Note| skill.records.of_note(&note).is_some();
        in_folder || draft.read(path).is_ok_and(is_record)
    })
}
