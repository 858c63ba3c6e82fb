//! Questions to the user from the program behind a running call.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use nova_protocol::{Decision, Effect, PrincipalView};
use nova_registry::ToolEntry;
use nova_skill::{Elicitation, Elicited, Principal, ToolError, ToolUser, Wanted};
use serde_json::Value;

use crate::questions::{NotAllowed, Questions};
use crate::view::principal_view;
use crate::{Answer, ApprovalRequest};

/// Maximum number of questions per call; a program that asks more is stopped.
const QUESTIONS: usize = 8;
/// Maximum number of attempts to enter valid values.
const TRIES: usize = 5;

/// The user, as reached by one call: through the approver that its approval also uses.
pub(crate) struct CallUser {
    questions: Arc<Questions>,
    call: String,
    tool: String,
    principal: PrincipalView,
    asked: AtomicUsize,
    /// Serialises concurrent questions.
    asking: tokio::sync::Mutex<()>,
}

impl CallUser {
    pub(crate) fn new(
        questions: Arc<Questions>,
        call: &str,
        tool: &ToolEntry,
        principal: &Principal,
    ) -> Self {
        Self {
            questions,
            call: call.to_owned(),
            tool: tool.shown_name(),
            principal: principal_view(principal),
            asked: AtomicUsize::new(0),
            asking: tokio::sync::Mutex::default(),
        }
    }

    fn request(&self, elicitation: &Elicitation) -> ApprovalRequest {
        let host = match &elicitation.wanted {
            Wanted::Values(_) => None,
            Wanted::Visit(url) => url.host_str().map(str::to_owned),
        };
        ApprovalRequest {
            call: self.call.clone(),
            tool: self.tool.clone(),
            args: Value::Null,
            effect: Effect::External,
            principal: self.principal.clone(),
            question: format!("{} asks you.", elicitation.from),
            decisions: vec![Decision::Once, Decision::Deny, Decision::Cancel],
            editable: true,
            diff: None,
            details: Vec::new(),
            host,
            credentials: Vec::new(),
            elicitation: Some(elicitation.clone()),
            revision: 0,
        }
    }
}

#[async_trait]
impl ToolUser for CallUser {
    async fn ask(&self, elicitation: &Elicitation) -> Result<Elicited, ToolError> {
        if self.asked.fetch_add(1, Ordering::SeqCst) >= QUESTIONS {
            return Err(ToolError::failed(
                format!(
                    "{} asked more than {QUESTIONS} times in one call and was stopped.",
                    elicitation.from
                ),
                "Report it to the server's author.",
            ));
        }
        let _asking = self.asking.lock().await;
        let mut request = self.request(elicitation);
        let mut open = Open { user: self, from: &elicitation.from, is_answered: false };
        let mut tries = 0;
        loop {
            let answer = self.questions.ask_mid_run(&mut request).await?;
            tries += 1;
            let values = match &answer {
                Answer::Decided { decision: Decision::Once, args, .. } => args.clone().unwrap_or_default(),
                Answer::Revised { .. } if tries < TRIES => continue,
                _ => Value::Null,
            };
            if let (Answer::Decided { decision: Decision::Once, .. }, Wanted::Values(schema)) =
                (&answer, &elicitation.wanted)
                && let Err(misfit) = fits(schema, &values)
            {
                if tries >= TRIES {
                    return Ok(Elicited::Cancelled);
                }
                self.questions.report_rejection(&self.call, misfit);
                continue;
            }
            let closed = matches!(answer, Answer::Decided { decision: Decision::Cancel, .. });
            let settled = self.questions.settle(&request, answer);
            open.is_answered =
                !matches!(settled, Err(NotAllowed::NotOffered | NotAllowed::Unanswered { .. })) || closed;
            return Ok(match settled {
                Ok(_) if matches!(elicitation.wanted, Wanted::Visit(_)) => Elicited::Accepted(Value::Null),
                Ok(_) => Elicited::Accepted(values),
                Err(_) if closed => Elicited::Cancelled,
                Err(_) => Elicited::Declined,
            });
        }
    }
}

/// An open question, withdrawn on drop unless it was answered: the program no longer waits.
struct Open<'a> {
    user: &'a CallUser,
    from: &'a str,
    is_answered: bool,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        if !self.is_answered {
            self.user.questions.withdrawn(&self.user.call, self.from);
        }
    }
}

/// # Errors
/// Validation errors, worded for the person who filled in the form.
fn fits(schema: &Value, values: &Value) -> Result<(), String> {
    if !values.is_object() {
        return Err("The form was sent without its values.".into());
    }
    let validator = jsonschema::options().should_validate_formats(true).build(schema).map_err(|_| {
        "The form cannot be checked: its schema is not a valid JSON Schema. Decline it.".to_owned()
    })?;
    let misfits: Vec<String> = validator
        .iter_errors(values)
        .take(5)
        .map(|error| match error.instance_path().to_string() {
            path if path.is_empty() => error.to_string(),
            path => format!("{path}: {error}"),
        })
        .collect();
    if misfits.is_empty() { Ok(()) } else { Err(format!("Not sent: {}.", misfits.join("; "))) }
}
