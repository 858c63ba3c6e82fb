//! One step of a turn: a request and the provider's response.

use std::borrow::Cow;

use nova_protocol::{Event, UserError};
use nova_provider::{ChatRequest, Completed, Message, ProviderError, ToolChoice, ToolDefinition, Usage};
use nova_registry::{Snapshot, ToolLookup};

use super::{Stop, Turn};
use crate::activation::{self, ControlTool};
use crate::context::{Sizes, sent};
use crate::images::{Showing, to_provider};
use crate::message::LogMessage;
use crate::session::State;
use crate::stream::{StreamEnd, show};

impl Turn {
    /// `bound`: the tool that the user selected, which the model must call first.
    pub(super) fn request(&self, snapshot: &Snapshot, bound: Option<&str>) -> ChatRequest {
        let calls_run = !Self::running_here(&self.session).is_empty();
        let state = self.session.lock();
        let mut tools = activation::visible_tools(snapshot, &state.first_tools(), &state.active);
        // Placed last, to preserve as much as possible of the provider's cache.
        let is_cut = state.messages.iter().any(|message| message.cut().is_some());
        tools.extend(ControlTool::about_calls(calls_run, is_cut));
        let bound = bound.and_then(|name| match snapshot.tool(name) {
            ToolLookup::Found { tool, .. } => Some(tool.wire_name.clone()),
            ToolLookup::Unknown { .. } => None,
        });
        let bound = bound.filter(|name| tools.iter().any(|tool| tool.name == *name));
        let deferred = self.deferred(&state, snapshot);
        tools.retain(|tool| !deferred.iter().any(|deferred| deferred.name == tool.name));
        ChatRequest {
            model: self.scope.model.clone(),
            system: state.system().to_owned(),
            tools,
            deferred,
            messages: self.as_sent(&state, &sent(&state.messages)),
            max_output: None,
            tool_choice: bound.map_or(ToolChoice::Auto, ToolChoice::Required),
        }
    }

    /// The tools that the messages make callable, if the provider supports deferred tools. They stay when
    /// their skill is deactivated: a call of one activates it again.
    fn deferred(&self, state: &State, snapshot: &Snapshot) -> Vec<ToolDefinition> {
        if !self.scope.provider.defers_tools(&self.scope.model) {
            return Vec::new();
        }
        let mut deferred = activation::named_tools(snapshot, &state.skill_knowledge().tools);
        let first = state.first_tools();
        deferred.retain(|tool| !first.iter().any(|first| first.name == tool.name));
        // Deferred tools are loaded by notices, not by outputs of calls: outputs must not load any. Logs may
        // still contain such outputs.
        let is_about_calls =
            |tool: &ToolDefinition| ControlTool::named(&tool.name).is_some_and(ControlTool::is_about_calls);
        deferred.retain(|tool| !is_about_calls(tool));
        deferred
    }

    /// Converts the messages for this turn's model.
    pub(super) fn as_sent(&self, state: &State, messages: &[Cow<'_, LogMessage>]) -> Vec<Message> {
        let model = self.model_name();
        // The session may have learned it during this turn.
        let takes = self.scope.images != Some(false) && state.model_without_vision.as_ref() != Some(&model);
        let refused = state.refused_images.iter().filter(|(by, _)| *by == model);
        let refused = refused.map(|(_, id)| id.clone()).collect();
        let showing = Showing::of(messages, &state.images, &refused, takes);
        to_provider(messages, &showing, state.notice_mark())
    }

    /// Sends one request to the provider.
    pub(super) async fn step(&mut self, request: &ChatRequest, step: u32) -> Result<Completed, Stop> {
        let parts = cache_order(request);
        let (prefix_kept, sizes, context) = {
            let mut state = self.session.lock();
            let kept = match (&state.last_request, &state.last_tools) {
                (Some(before), _) => parts.starts_with(before),
                // Another Nova process sent the last request: the log has the names of its tools.
                (None, Some(before)) => has_tools_of(request, before),
                (None, None) => true,
            };
            state.last_request = Some(parts);
            let sizes = Sizes::of(&sent(&state.messages), request.all_tools(), state.first_tools().len());
            (kept, sizes, state.measure.view(sizes, self.scope.context))
        };
        self.record_disclosure(request, prefix_kept, Some(context)).await?;
        let id = format!("{}-{step}", self.scope.turn);
        let stream = tokio::select! {
            biased;
            () = self.cancel.cancelled() => return Err(Stop::Cancelled),
            stream = self.scope.provider.stream(request, self.cancel.clone()) => stream,
        };
        let end = match stream {
            Ok(stream) => show(stream, &id, &self.journal, &self.cancel).await,
            Err(error) => StreamEnd::Failed { text: String::new(), error },
        };
        match end {
            StreamEnd::Completed(completed, usage) => {
                self.session.lock().measure.counted(sizes.total(), usage.input, usage.cached);
                self.spend(match usage == Usage::default() {
                    true => self.tokens_of(request),
                    false => usage.input.saturating_sub(usage.cached) + usage.output,
                });
                self.note_usage(usage);
                if !completed.text.is_empty() {
                    self.emit_message_completed(id, completed.text.clone()).await;
                }
                Ok(completed)
            }
            StreamEnd::Cancelled { text } => {
                self.keep_cut_text(id, text).await;
                Err(Stop::Cancelled)
            }
            StreamEnd::Failed { text, error } => {
                let nothing_said = text.is_empty();
                self.keep_cut_text(id, text).await;
                Err(match error {
                    ProviderError::Cancelled => Stop::Cancelled,
                    ProviderError::NoImages { .. } => {
                        self.session.lock().model_without_vision = Some(self.model_name());
                        refused_images(nothing_said, error.into())
                    }
                    // The cause is unknown, but a rejected image would be sent again with every later
                    // message.
                    ProviderError::Failed { status: Some(400 | 413), .. }
                        if request.images().next().is_some() =>
                    {
                        let model = self.model_name();
                        let ids = request.images().map(|image| (model.clone(), image.id.clone()));
                        self.session.lock().refused_images.extend(ids);
                        refused_images(nothing_said, error.into())
                    }
                    ProviderError::TooLong { context, .. } if nothing_said => {
                        Stop::TooLong { context, error: error.into() }
                    }
                    error => Stop::Failed(error.into()),
                })
            }
        }
    }

    pub(super) fn recall_limit(&mut self) {
        let model = self.model_name();
        let state = self.session.lock();
        self.learned = state.learned.as_ref().filter(|(of, _)| *of == model).map(|(_, tokens)| *tokens);
    }

    /// Records that the model's limit is below the size of this request.
    pub(super) fn learn_limit(&mut self, request: &ChatRequest, context: Option<u64>) {
        let most = self.tokens_of(request) * 9 / 10;
        let learned = context.map_or(most, |context| context.min(most)).max(1);
        self.learned = Some(learned);
        self.session.lock().learned = Some((self.model_name(), learned));
    }

    fn note_usage(&self, usage: Usage) {
        if usage != Usage::default() {
            self.journal.event(Event::Usage {
                input: usage.input,
                cached: usage.cached,
                output: usage.output,
            });
        }
    }

    /// Keeps the text of an interrupted answer; its incomplete calls are dropped.
    async fn keep_cut_text(&self, id: String, text: String) {
        if !text.is_empty() {
            self.message(LogMessage::Assistant {
                text: text.clone(),
                calls: Vec::new(),
                provider_data: None,
            });
            self.emit_message_completed(id, text).await;
        }
    }

    async fn emit_message_completed(&self, message: String, text: String) {
        let private = self.has_read_private().await;
        self.journal.event(Event::MessageCompleted { message, text, private });
    }
}

/// A refusal of images: before any output, the request can be retried.
fn refused_images(nothing_said: bool, error: UserError) -> Stop {
    if nothing_said { Stop::Images(error) } else { Stop::Failed(error) }
}

/// Whether an earlier request with these tool names had the same tools, apart from deferred ones.
fn has_tools_of(request: &ChatRequest, before: &[String]) -> bool {
    let mut before = before.iter();
    request.tools.iter().all(|tool| before.next() == Some(&tool.name))
        && before.all(|name| request.deferred.iter().any(|tool| tool.name == *name))
}

/// The content that providers hash, in order: tools, system, messages. Deferred tools belong to the messages
/// that load them.
pub(super) fn cache_order(request: &ChatRequest) -> Vec<u8> {
    let mut parts = format!("{:?}\0{}\0", request.tools, request.system).into_bytes();
    for message in &request.messages {
        parts.extend(message_bytes(message));
    }
    parts
}

fn message_bytes(message: &Message) -> Vec<u8> {
    format!("{message:?}\0").into_bytes()
}
