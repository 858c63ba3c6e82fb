//! Forwards questions to the user through the client: up to protocol 2025-11-25 while the call waits
//! (`elicitation/create`), since 2026-07-28 as the response to the call, which is parked.

use std::collections::BTreeMap;

use async_trait::async_trait;
use nova_app::{Answer, ApprovalRequest, Approver, Elicitation, Wanted};
use nova_protocol::{Decision, DetailView, NoteDiffView};
use nova_registry::{harmless, harmless_line};
use rmcp::RoleServer;
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, ProtocolVersion};
use rmcp::service::{Peer, RequestContext};
use serde_json::json;
use tokio::sync::{mpsc, oneshot};

use crate::limits::{self, Place};
use crate::parked::Question;

/// Asks questions for one call.
pub(crate) struct Asking {
    way: Way,
    /// The client can open URLs for its user.
    opens_pages: bool,
    /// Of the call.
    place: Place,
}

enum Way {
    /// The client cannot be asked.
    None,
    Elicit(Peer<RoleServer>),
    /// The client repeats the call with the answer.
    CallAgain(mpsc::Sender<Question>),
}

impl Asking {
    /// `questions` receives those of a call that can be repeated.
    pub(crate) fn new(
        context: &RequestContext<RoleServer>,
        questions: Option<mpsc::Sender<Question>>,
        place: Place,
    ) -> Self {
        let elicitation = context.client_capabilities().and_then(|can| can.elicitation);
        let opens_pages = elicitation.as_ref().is_some_and(|how| how.url.is_some());
        let can_ask = elicitation.is_some_and(|how| how.form.is_some() || how.url.is_none());
        let repeats =
            context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        let way = match questions {
            _ if !can_ask => Way::None,
            Some(questions) if repeats => Way::CallAgain(questions),
            None if repeats => Way::None,
            _ => Way::Elicit(context.peer.clone()),
        };
        Self { way, opens_pages, place }
    }

    async fn answer_to(&self, params: ElicitRequestParams) -> Result<ElicitResult, &'static str> {
        match &self.way {
            Way::None => Err("the MCP client cannot ask you"),
            Way::Elicit(peer) => {
                let asked = peer.create_elicitation_with_timeout(params, Some(limits::ANSWERED_WITHIN)).await;
                asked.map_err(|error| {
                    tracing::debug!(%error, "elicitation failed");
                    "the MCP client returned no answer"
                })
            }
            Way::CallAgain(questions) => {
                let (answer, answered) = oneshot::channel();
                let question = Question { params, answer };
                let asked = async {
                    questions.send(question).await.ok()?;
                    answered.await.ok()
                };
                let answer = tokio::time::timeout(limits::ANSWERED_WITHIN, asked).await.ok().flatten();
                answer.ok_or("the MCP client returned no answer")
            }
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
        match self.place.released_during(self.answer_to(asked)).await {
            Some(Ok(answer)) => decided(request, &answer),
            Some(Err(reason)) => unanswered(reason),
            None => unanswered("too many questions wait for an answer"),
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
            elicitation_id: {
                let asked = json!([request.call, request.revision, page.as_str()]).to_string();
                blake3::hash(asked.as_bytes()).to_hex().to_string()
            },
        },
    };
    let length = serde_json::to_string(&params).ok()?.len();
    (length <= limits::QUESTION).then_some(params)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use nova_protocol::{Effect, PrincipalKind, PrincipalView};
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::limits::Calls;

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

    /// Asks through a client that answers each question; returns the answer and the questions.
    async fn asked(
        request: &ApprovalRequest,
        opens_pages: bool,
        action: ElicitationAction,
    ) -> (Answer, Vec<ElicitRequestParams>) {
        let (questions, mut received) = mpsc::channel(1);
        let place = Calls::default().place(&CancellationToken::new()).await.unwrap();
        let asking = Asking { way: Way::CallAgain(questions), opens_pages, place };
        let client = async {
            let mut seen = Vec::new();
            while let Some(Question { params, answer }) = received.recv().await {
                seen.push(params);
                let _ = answer.send(ElicitResult::new(action.clone()));
            }
            seen
        };
        let call = async {
            let answer = asking.ask(request).await;
            drop(asking);
            answer
        };
        tokio::join!(call, client)
    }

    #[tokio::test]
    async fn answer_decides_the_call() {
        for (action, decision) in
            [(ElicitationAction::Accept, Decision::Once), (ElicitationAction::Decline, Decision::Deny)]
        {
            let (answer, questions) = asked(&request(json!({"text": "a"})), false, action).await;
            assert!(
                matches!(answer, Answer::Decided { decision: made, .. } if made == decision),
                "{answer:?}"
            );
            assert_eq!(questions.len(), 1);
        }
        let (answer, _) = asked(&request(json!({})), false, ElicitationAction::Cancel).await;
        assert!(matches!(answer, Answer::Unanswered { .. }), "{answer:?}");
    }

    #[tokio::test]
    async fn closed_question_of_a_server_is_cancelled() {
        let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
        let asks =
            Elicitation { from: "shop".into(), message: "Who?".into(), wanted: Wanted::Values(schema) };
        let question = ApprovalRequest { elicitation: Some(asks), ..request(json!({})) };
        let (answer, _) = asked(&question, false, ElicitationAction::Cancel).await;
        assert!(matches!(answer, Answer::Decided { decision: Decision::Cancel, .. }), "{answer:?}");
    }

    #[tokio::test]
    async fn url_is_not_forwarded_to_a_client_that_cannot_open_it() {
        let page = Wanted::Visit("https://shop.example/pay".parse().unwrap());
        let asks = Elicitation { from: "shop".into(), message: "Pay.".into(), wanted: page };
        let question = ApprovalRequest { elicitation: Some(asks), ..request(json!({})) };
        let (answer, questions) = asked(&question, false, ElicitationAction::Accept).await;
        assert!(matches!(answer, Answer::Unanswered { .. }) && questions.is_empty());
        let (_, questions) = asked(&question, true, ElicitationAction::Accept).await;
        assert!(serde_json::to_string(&questions).unwrap().contains("https://shop.example/pay"));
    }

    #[tokio::test]
    async fn credential_is_not_granted_through_a_client() {
        let wanted = ApprovalRequest { credentials: vec!["a/b".into()], ..request(json!({})) };
        let (answer, questions) = asked(&wanted, true, ElicitationAction::Accept).await;
        assert!(matches!(answer, Answer::Unanswered { .. }) && questions.is_empty());
    }

    #[tokio::test]
    async fn question_is_shown_in_full_or_not_asked() {
        let long = request(json!({"text": "x".repeat(limits::QUESTION)}));
        let (answer, questions) = asked(&long, false, ElicitationAction::Accept).await;
        assert!(matches!(answer, Answer::Unanswered { .. }) && questions.is_empty());

        let hidden = request(json!({"text": "a\u{202e}b"}));
        let Some(ElicitRequestParams::FormElicitationParams { message, .. }) = elicitation(&hidden) else {
            panic!("no question");
        };
        assert!(message.contains("[U+202E]"), "{message}");
    }
}
