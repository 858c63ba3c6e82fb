//! Forwards questions to the user through the client.
//!
//! Up to protocol 2025-11-25 the server asks while the call waits (`elicitation/create`). Since 2026-07-28
//! the response to the call is the question, and the client repeats the call with the answer; the server maps
//! a single-use name to the question. A call may ask twice: for its approval, and for what the MCP server
//! behind its tool asks. It is then run again with both answers.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use nova_app::{Answer, ApprovalRequest, Approver, Elicitation, Wanted};
use nova_protocol::{Decision, DetailView, NoteDiffView};
use nova_registry::{harmless, harmless_line};
use rmcp::RoleServer;
use rmcp::model::{
    ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, InputRequest,
    InputRequiredResult, InputResponses, ProtocolVersion,
};
use rmcp::service::{Peer, RequestContext};
use serde_json::json;

use crate::limits;

/// Key of the only question of a call.
const QUESTION: &str = "approval";
/// Unanswered questions retained, over all clients.
const OPEN: usize = 256;

/// Questions handed to clients, by the name that they send back with the answer.
#[derive(Default)]
pub(crate) struct OpenQuestions(Mutex<VecDeque<(String, Open)>>);

struct Open {
    question: blake3::Hash,
    /// Earlier answers to the same call.
    before: Vec<(blake3::Hash, ElicitResult)>,
}

/// Asks questions for one call.
pub(crate) struct Asking {
    way: Way,
    /// The client can open URLs for its user.
    opens_pages: bool,
}

enum Way {
    /// The client does not support elicitation.
    None,
    Elicit(Peer<RoleServer>),
    /// The client repeats the call with the answer.
    CallAgain {
        open: Arc<OpenQuestions>,
        /// Questions the client was given, with their answers.
        answered: Mutex<Vec<(blake3::Hash, ElicitResult)>>,
        /// Those the call has consumed so far.
        used: Mutex<Vec<(blake3::Hash, ElicitResult)>>,
        question: Mutex<Option<InputRequiredResult>>,
        /// An MCP server asks, whose tool may continue without an answer.
        of_server: AtomicBool,
    },
}

impl OpenQuestions {
    /// Stores the question under a new random name.
    fn open(&self, question: blake3::Hash, before: Vec<(blake3::Hash, ElicitResult)>) -> Option<String> {
        let mut name = [0; 16];
        getrandom::fill(&mut name).ok()?;
        let name = blake3::hash(&name).to_hex().to_string();
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() >= OPEN {
            open.pop_front();
        }
        open.push_back((name.clone(), Open { question, before }));
        Some(name)
    }

    /// Removes the question and returns all answers to its call, the new one included.
    fn take(&self, name: &str, answer: ElicitResult) -> Vec<(blake3::Hash, ElicitResult)> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = open.iter().position(|(known, _)| known == name);
        let Some((_, Open { question, mut before })) = at.and_then(|at| open.remove(at)) else {
            return Vec::new();
        };
        before.push((question, answer));
        before
    }
}

impl Asking {
    /// `answers` and `state` are taken from the request.
    pub(crate) fn new(
        context: &RequestContext<RoleServer>,
        open: &Arc<OpenQuestions>,
        answers: Option<InputResponses>,
        state: Option<&str>,
    ) -> Self {
        let elicitation = context.client_capabilities().and_then(|can| can.elicitation);
        let opens_pages = elicitation.as_ref().is_some_and(|how| how.url.is_some());
        let can_ask = elicitation.is_some_and(|how| how.form.is_some() || how.url.is_none());
        let version = context.protocol_version();
        let way = if !can_ask {
            Way::None
        } else if version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28) {
            let answer = answers.and_then(|mut answers| answers.remove(QUESTION));
            let answer = answer.and_then(|answer| serde_json::from_value(answer).ok());
            let answered = state.zip(answer).map(|(state, answer)| open.take(state, answer));
            Way::CallAgain {
                open: open.clone(),
                answered: Mutex::new(answered.unwrap_or_default()),
                used: Mutex::default(),
                question: Mutex::default(),
                of_server: AtomicBool::new(false),
            }
        } else {
            Way::Elicit(context.peer.clone())
        };
        Self { way, opens_pages }
    }

    /// The question to return in place of the result. `ok`: the call succeeded regardless.
    pub(crate) fn question(&self, ok: bool) -> Option<InputRequiredResult> {
        match &self.way {
            Way::CallAgain { of_server, .. } if ok && !of_server.load(Ordering::SeqCst) => None,
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
        let is_page = |asked: &Elicitation| matches!(asked.wanted, Wanted::Visit(_));
        if request.elicitation.as_ref().is_some_and(is_page) && !self.opens_pages {
            return unanswered("the MCP client opens no pages");
        }
        let asked = match &request.elicitation {
            Some(wanted) => passed_on(request, wanted),
            None => elicitation(request),
        };
        let Some(asked) = asked else {
            return unanswered("it is too long to be shown through an MCP client");
        };
        match &self.way {
            Way::None => unanswered("the MCP client cannot ask you"),
            Way::Elicit(peer) => {
                match peer.create_elicitation_with_timeout(asked, Some(limits::ANSWERED_WITHIN)).await {
                    Ok(answer) => decided(request, &answer),
                    Err(error) => {
                        tracing::debug!(%error, "elicitation failed");
                        unanswered("the MCP client returned no answer")
                    }
                }
            }
            Way::CallAgain { open, answered, used, question, of_server } => {
                let digest = digest(request);
                let mut used = used.lock().unwrap_or_else(PoisonError::into_inner);
                let mut answered = answered.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(at) = answered.iter().position(|(asked, _)| *asked == digest) {
                    used.push(answered.remove(at));
                    return used
                        .last()
                        .map_or_else(|| unanswered("it was asked"), |(_, answer)| decided(request, answer));
                }
                let Some(name) = open.open(digest, used.clone()) else {
                    return unanswered("the question could not be built");
                };
                let asked = InputRequest::Elicitation(ElicitRequest::new(asked));
                let requests = BTreeMap::from([(QUESTION.to_owned(), asked)]);
                *question.lock().unwrap_or_else(PoisonError::into_inner) =
                    Some(InputRequiredResult::new(Some(requests), Some(name)));
                match request.elicitation {
                    None => unanswered("it was asked"),
                    Some(_) => {
                        of_server.store(true, Ordering::SeqCst);
                        let by = "the MCP client, which asks first".into();
                        Answer::Decided { decision: Decision::Cancel, args: None, by, reason: None }
                    }
                }
            }
        }
    }
}

fn unanswered(reason: &str) -> Answer {
    Answer::Unanswered { reason: reason.to_owned() }
}

/// For questions of an MCP server: `Once` with the values.
fn decided(request: &ApprovalRequest, answer: &ElicitResult) -> Answer {
    let args = request.elicitation.as_ref().and(answer.content.clone());
    let decision = match answer.action {
        ElicitationAction::Accept => Decision::Once,
        ElicitationAction::Decline => Decision::Deny,
        _ if request.elicitation.is_some() => Decision::Cancel,
        _ => return unanswered("the question was closed"),
    };
    Answer::Decided { decision, args, by: "the MCP client".into(), reason: None }
}

/// Identifies a question: an answer holds only for the same call, effect and diff.
fn digest(request: &ApprovalRequest) -> blake3::Hash {
    let asked = request.elicitation.as_ref().map(|asked| match &asked.wanted {
        Wanted::Values(schema) => json!([asked.message, schema]),
        Wanted::Visit(page) => json!([asked.message, page.as_str()]),
    });
    let what = json!([
        request.tool,
        request.args,
        request.effect,
        request.diff,
        request.host,
        asked,
        request.details
    ]);
    blake3::hash(what.to_string().as_bytes())
}

/// `None` if the question is too long: a truncated question must not be approved.
fn elicitation(request: &ApprovalRequest) -> Option<ElicitRequestParams> {
    let mut lines = vec![request.question.clone(), format!("{} {}", request.tool, request.args)];
    lines.extend(request.host.as_ref().map(|host| format!("to {host}")));
    lines.extend(request.details.iter().map(DetailView::line));
    lines.extend(request.diff.iter().flatten().flat_map(NoteDiffView::lines));
    // Untrusted text must not be able to fake a line of Nova's.
    let lines = lines.iter().map(|line| harmless(line).replace('\n', "\\n"));
    let accept = "Accept to allow this one call, decline to refuse it.".to_owned();
    let message = lines.chain([accept]).collect::<Vec<_>>().join("\n");
    (message.len() <= limits::QUESTION).then(|| ElicitRequestParams::FormElicitationParams {
        meta: None,
        message,
        requested_schema: ElicitationSchema::new(BTreeMap::new()),
    })
}

/// The question of the MCP server behind a tool, attributed to that server.
fn passed_on(request: &ApprovalRequest, asked: &Elicitation) -> Option<ElicitRequestParams> {
    let said = harmless(&asked.message);
    let message = format!("{} asks, in a call of {}: {said}", harmless_line(&asked.from), request.tool);
    let params = match &asked.wanted {
        Wanted::Values(schema) => ElicitRequestParams::FormElicitationParams {
            meta: None,
            message,
            requested_schema: serde_json::from_value(schema.clone()).ok()?,
        },
        Wanted::Visit(page) => ElicitRequestParams::UrlElicitationParams {
            meta: None,
            message,
            url: page.to_string(),
            elicitation_id: digest(request).to_hex().to_string(),
        },
    };
    let length = serde_json::to_string(&params).ok()?.len();
    (length <= limits::QUESTION).then_some(params)
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
            details: Vec::new(),
            host: None,
            credentials: Vec::new(),
            elicitation: None,
            revision: 0,
        }
    }

    fn call_again(open: &Arc<OpenQuestions>, state: Option<&str>) -> Asking {
        let answer = ElicitResult::new(ElicitationAction::Accept);
        let answered = state.map(|state| open.take(state, answer)).unwrap_or_default();
        let way = Way::CallAgain {
            open: open.clone(),
            answered: Mutex::new(answered),
            used: Mutex::default(),
            question: Mutex::default(),
            of_server: AtomicBool::new(false),
        };
        Asking { way, opens_pages: false }
    }

    #[tokio::test]
    async fn answer_holds_for_one_call_with_the_same_content() {
        let open = Arc::new(OpenQuestions::default());
        let (asked, other) = (request(json!({"text": "a"})), request(json!({"text": "b"})));
        let first = call_again(&open, None);
        assert!(matches!(first.ask(&asked).await, Answer::Unanswered { .. }));
        let state = first.question(false).unwrap().request_state.unwrap();

        let changed = call_again(&open, Some(&state));
        assert!(matches!(changed.ask(&other).await, Answer::Unanswered { .. }), "other arguments");
        let state = changed.question(false).unwrap().request_state.unwrap();
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
    async fn question_of_a_server_does_not_repeat_the_approval() {
        let open = Arc::new(OpenQuestions::default());
        let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
        let asked =
            Elicitation { from: "shop".into(), message: "Who?".into(), wanted: Wanted::Values(schema) };
        let (call, question) =
            (request(json!({})), ApprovalRequest { elicitation: Some(asked), ..request(json!({})) });
        let first = call_again(&open, None);
        first.ask(&call).await;
        let state = first.question(false).unwrap().request_state.unwrap();

        let second = call_again(&open, Some(&state));
        assert!(matches!(second.ask(&call).await, Answer::Decided { decision: Decision::Once, .. }));
        let unasked = second.ask(&question).await;
        assert!(matches!(unasked, Answer::Decided { decision: Decision::Cancel, .. }), "{unasked:?}");
        let state = second.question(true).expect("also after the call resumed").request_state.unwrap();

        let third = call_again(&open, Some(&state));
        assert!(matches!(third.ask(&call).await, Answer::Decided { decision: Decision::Once, .. }));
        assert!(matches!(third.ask(&question).await, Answer::Decided { decision: Decision::Once, .. }));
        assert!(third.question(true).is_none());
    }

    #[tokio::test]
    async fn url_is_not_forwarded_to_a_client_that_cannot_open_it() {
        let page = Wanted::Visit("https://shop.example/pay".parse().unwrap());
        let asked = Elicitation { from: "shop".into(), message: "Pay.".into(), wanted: page };
        let question = ApprovalRequest { elicitation: Some(asked), ..request(json!({})) };
        let asking = call_again(&Arc::default(), None);
        assert!(matches!(asking.ask(&question).await, Answer::Unanswered { .. }));
        let opens = Asking { opens_pages: true, ..call_again(&Arc::default(), None) };
        opens.ask(&question).await;
        let requests = opens.question(true).unwrap().input_requests.unwrap();
        assert!(serde_json::to_string(&requests).unwrap().contains("https://shop.example/pay"));
    }

    #[tokio::test]
    async fn credential_is_not_granted_through_a_client() {
        let asking = call_again(&Arc::default(), None);
        let wanted = ApprovalRequest { credentials: vec!["a/b".into()], ..request(json!({})) };
        assert!(matches!(asking.ask(&wanted).await, Answer::Unanswered { .. }));
        assert!(asking.question(false).is_none());
    }

    #[tokio::test]
    async fn question_is_shown_in_full_or_not_asked() {
        let asking = call_again(&Arc::default(), None);
        let long = request(json!({"text": "x".repeat(limits::QUESTION)}));
        assert!(matches!(asking.ask(&long).await, Answer::Unanswered { .. }));
        assert!(asking.question(false).is_none(), "a question that cannot be shown");

        let hidden = request(json!({"text": "a\u{202e}b"}));
        let Some(ElicitRequestParams::FormElicitationParams { message, .. }) = elicitation(&hidden) else {
            panic!("no question");
        };
        assert!(message.contains("[U+202E]"), "{message}");
    }
}
