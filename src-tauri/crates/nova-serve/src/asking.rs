//! Passing a question on to the user, through the client.
//!
//! Up to protocol 2025-11-25 the server asks while the call waits (`elicitation/create`). From 2026-07-28 on the
//! call is answered with the question, and the client calls again with the answer; which question an answer is
//! for is kept here, under a name that is used once.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use nova_app::{Answer, ApprovalRequest, Approver};
use nova_protocol::{Decision, NoteDiffView};
use nova_registry::harmless;
use rmcp::RoleServer;
use rmcp::model::{
    ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, InputRequest,
    InputRequiredResult, InputResponses, ProtocolVersion,
};
use rmcp::service::{Peer, RequestContext};
use serde_json::json;

use crate::limits;

/// The name of the one question of a call.
const QUESTION: &str = "approval";
/// Questions whose answers are waited for, of all clients.
const OPEN: usize = 256;

/// Questions that clients were given to ask, by the name that comes back with the answer.
#[derive(Default)]
pub(crate) struct OpenQuestions(Mutex<VecDeque<(String, blake3::Hash)>>);

/// Asks for one call.
pub(crate) struct Asking {
    way: Way,
}

#[expect(clippy::large_enum_variant, reason = "there is one for each call, and none is moved")]
enum Way {
    /// The client cannot ask.
    None,
    Elicit(Peer<RoleServer>),
    /// The client calls again with the answer.
    CallAgain {
        open: Arc<OpenQuestions>,
        /// The question it was given, and what was answered.
        answered: Mutex<Option<(blake3::Hash, ElicitResult)>>,
        question: Mutex<Option<InputRequiredResult>>,
    },
}

impl OpenQuestions {
    /// Keeps the question under a new name.
    fn open(&self, question: blake3::Hash) -> Option<String> {
        let mut name = [0; 16];
        getrandom::fill(&mut name).ok()?;
        let name = blake3::hash(&name).to_hex().to_string();
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() >= OPEN {
            open.pop_front();
        }
        open.push_back((name.clone(), question));
        Some(name)
    }

    fn take(&self, name: &str) -> Option<blake3::Hash> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = open.iter().position(|(known, _)| known == name)?;
        open.remove(at).map(|(_, question)| question)
    }
}

impl Asking {
    /// `answers` and `state` are what came with the call.
    pub(crate) fn new(
        context: &RequestContext<RoleServer>,
        open: &Arc<OpenQuestions>,
        answers: Option<InputResponses>,
        state: Option<&str>,
    ) -> Self {
        let elicitation = context.client_capabilities().and_then(|can| can.elicitation);
        let can_ask = elicitation.is_some_and(|how| how.form.is_some() || how.url.is_none());
        let version = context.protocol_version();
        let way = if !can_ask {
            Way::None
        } else if version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28) {
            let answer = answers.and_then(|mut answers| answers.remove(QUESTION));
            let answer = answer.and_then(|answer| serde_json::from_value(answer).ok());
            let answered = state.and_then(|state| open.take(state)).zip(answer);
            Way::CallAgain { open: open.clone(), answered: Mutex::new(answered), question: Mutex::default() }
        } else {
            Way::Elicit(context.peer.clone())
        };
        Self { way }
    }

    /// The question that the client is to ask before it calls again.
    pub(crate) fn question(&self) -> Option<InputRequiredResult> {
        match &self.way {
            Way::CallAgain { question, .. } => question.lock().unwrap_or_else(PoisonError::into_inner).take(),
            Way::None | Way::Elicit(_) => None,
        }
    }
}

#[async_trait]
impl Approver for Asking {
    async fn ask(&self, request: &ApprovalRequest) -> Answer {
        if !request.credentials.is_empty() {
            return unanswered("a credential is granted in Nova, not through an MCP client");
        }
        if request.elicitation.is_some() {
            return unanswered("what a server asks is answered in Nova, not through an MCP client");
        }
        let Some(asked) = elicitation(request) else {
            return unanswered("it is too long to be shown through an MCP client");
        };
        match &self.way {
            Way::None => unanswered("the MCP client cannot ask you"),
            Way::Elicit(peer) => {
                match peer.create_elicitation_with_timeout(asked, Some(limits::ANSWERED_WITHIN)).await {
                    Ok(answer) => decided(&answer),
                    Err(error) => {
                        tracing::debug!("a question was not answered: {error}");
                        unanswered("the MCP client returned no answer")
                    }
                }
            }
            Way::CallAgain { open, answered, question } => {
                let digest = digest(request);
                let answered = answered.lock().unwrap_or_else(PoisonError::into_inner).take();
                if let Some((asked, answer)) = answered
                    && asked == digest
                {
                    return decided(&answer);
                }
                let Some(name) = open.open(digest) else {
                    return unanswered("the question could not be built");
                };
                let request = InputRequest::Elicitation(ElicitRequest::new(asked));
                let requests = BTreeMap::from([(QUESTION.to_owned(), request)]);
                *question.lock().unwrap_or_else(PoisonError::into_inner) =
                    Some(InputRequiredResult::new(Some(requests), Some(name)));
                unanswered("it was asked")
            }
        }
    }
}

fn unanswered(reason: &str) -> Answer {
    Answer::Unanswered { reason: reason.to_owned() }
}

fn decided(answer: &ElicitResult) -> Answer {
    let decision = match answer.action {
        ElicitationAction::Accept => Decision::Once,
        ElicitationAction::Decline => Decision::Deny,
        _ => return unanswered("the question was closed"),
    };
    Answer::Decided { decision, args: None, by: "the MCP client".into(), reason: None }
}

/// What an answer is for: this call with this effect on these notes.
fn digest(request: &ApprovalRequest) -> blake3::Hash {
    let what = json!([request.tool, request.args, request.effect, request.diff, request.host]);
    blake3::hash(what.to_string().as_bytes())
}

/// `None` where the question is too long: what cannot be shown whole is not asked.
fn elicitation(request: &ApprovalRequest) -> Option<ElicitRequestParams> {
    let mut lines = vec![request.question.clone(), format!("{} {}", request.tool, request.args)];
    lines.extend(request.host.as_ref().map(|host| format!("to {host}")));
    lines.extend(request.diff.iter().flatten().flat_map(NoteDiffView::lines));
    // A text of others must not begin a line of Nova's.
    let lines = lines.iter().map(|line| harmless(line).replace('\n', "\\n"));
    let accept = "Accept to allow this one call, decline to refuse it.".to_owned();
    let message = lines.chain([accept]).collect::<Vec<_>>().join("\n");
    (message.len() <= limits::QUESTION).then(|| ElicitRequestParams::FormElicitationParams {
        meta: None,
        message,
        requested_schema: ElicitationSchema::new(BTreeMap::new()),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use nova_protocol::{Effect, PrincipalKind, PrincipalView};

    use super::*;

    fn request(args: serde_json::Value) -> ApprovalRequest {
        ApprovalRequest {
            call: "c".into(),
            tool: "vault.append_to_note".into(),
            args,
            effect: Effect::Write,
            principal: PrincipalView { kind: PrincipalKind::McpClient, name: "test".into() },
            question: "Change 1 note?".into(),
            decisions: vec![Decision::Once, Decision::Deny],
            editable: false,
            diff: None,
            host: None,
            credentials: Vec::new(),
            elicitation: None,
            revision: 0,
        }
    }

    fn call_again(open: &Arc<OpenQuestions>, state: Option<&str>) -> Asking {
        let answer = ElicitResult::new(ElicitationAction::Accept);
        let answered = state.and_then(|state| open.take(state)).map(|question| (question, answer));
        let way =
            Way::CallAgain { open: open.clone(), answered: Mutex::new(answered), question: Mutex::default() };
        Asking { way }
    }

    #[tokio::test]
    async fn an_answer_holds_for_one_call_with_the_same_content() {
        let open = Arc::new(OpenQuestions::default());
        let (asked, other) = (request(json!({"text": "a"})), request(json!({"text": "b"})));
        let first = call_again(&open, None);
        assert!(matches!(first.ask(&asked).await, Answer::Unanswered { .. }));
        let state = first.question().unwrap().request_state.unwrap();

        let changed = call_again(&open, Some(&state));
        assert!(matches!(changed.ask(&other).await, Answer::Unanswered { .. }), "other arguments");
        let state = changed.question().unwrap().request_state.unwrap();
        let second = call_again(&open, Some(&state));
        let answer = second.ask(&other).await;
        assert!(matches!(answer, Answer::Decided { decision: Decision::Once, .. }), "{answer:?}");
        assert!(matches!(second.ask(&other).await, Answer::Unanswered { .. }), "asked twice in a call");
        let replayed = call_again(&open, Some(&state));
        assert!(matches!(replayed.ask(&other).await, Answer::Unanswered { .. }), "a name used twice");
        let invented = call_again(&open, Some("0123"));
        assert!(matches!(invented.ask(&other).await, Answer::Unanswered { .. }), "an invented name");
    }

    #[tokio::test]
    async fn a_credential_is_not_granted_through_a_client() {
        let asking = call_again(&Arc::default(), None);
        let wanted = ApprovalRequest { credentials: vec!["a/b".into()], ..request(json!({})) };
        assert!(matches!(asking.ask(&wanted).await, Answer::Unanswered { .. }));
        assert!(asking.question().is_none());
    }

    #[tokio::test]
    async fn a_question_is_shown_whole_and_visible_or_not_asked() {
        let asking = call_again(&Arc::default(), None);
        let long = request(json!({"text": "x".repeat(limits::QUESTION)}));
        assert!(matches!(asking.ask(&long).await, Answer::Unanswered { .. }));
        assert!(asking.question().is_none(), "a question that cannot be shown");

        let hidden = request(json!({"text": "a\u{202e}b"}));
        let Some(ElicitRequestParams::FormElicitationParams { message, .. }) = elicitation(&hidden) else {
            panic!("no question");
        };
        assert!(message.contains("[U+202E]"), "{message}");
    }
}
