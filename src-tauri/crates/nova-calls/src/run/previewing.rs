//! Previews: what a call would do, described by its tool and shown on its card.

use std::sync::Arc;

use nova_protocol::{Decision, ErrorCode, UserError};
use nova_registry::{SkillEntry, ToolEntry};
use nova_skill::{CallToken, Preview, ToolError};
use serde_json::Value;
use tokio::sync::mpsc::unbounded_channel;

use super::asking::Question;
use super::body::{Body, crashed};
use super::{Reach, Running};
use crate::questions::Allowed;
use crate::view::{detail_view, principal_view};
use crate::{Answer, arguments};

impl Running<'_> {
    /// Asks before a call whose tool previews it: the card shows the preview in place of the arguments, also
    /// after an edit. Ungranted credentials, `fresh`, are asked for first if the tool needs one for the
    /// preview.
    pub(super) async fn ask_with_preview(
        &mut self,
        skill: &Arc<SkillEntry>,
        tool: &Arc<ToolEntry>,
        reach: &Reach,
        args: &mut Value,
        asked: Question,
        fresh: &mut Vec<String>,
    ) -> Result<Allowed, UserError> {
        let Question { decisions, editable, because } = asked;
        let mut preview = match self.preview(skill, tool, reach, args).await {
            Err(error) if error.code == ErrorCode::CredentialNotGranted && !fresh.is_empty() => {
                let names = std::mem::take(fresh);
                let principal = principal_view(&self.scope.principal);
                reach.credentials.ask(&names, &self.questions, &self.id, tool, args, &principal).await?;
                self.preview(skill, tool, reach, args).await?
            }
            previewed => previewed?,
        };
        let mut request = self.request(tool, args.clone(), decisions, editable, None);
        loop {
            request.question = self.question(tool, args, None, &because);
            request.details = preview.iter().flat_map(|preview| &preview.details).map(detail_view).collect();
            let answer = self.questions.ask(&mut request).await?;
            let revised = match &answer {
                Answer::Revised { args: revised } => revised.clone(),
                // There is no preview of the edited arguments yet.
                Answer::Decided { decision: Decision::Once, args: Some(edited), .. }
                    if editable && *edited != request.args =>
                {
                    edited.clone()
                }
                _ => {
                    self.shown = preview.map(|preview| preview.digest);
                    return self.decided(tool, &request, answer);
                }
            };
            match self.preview_revised(skill, tool, reach, revised).await {
                Ok((fitting, new)) => {
                    (*args, preview) = (fitting, new);
                    request.args = args.clone();
                    request.host = self.host_line(tool, args);
                }
                // Invalid edits do not end the call: the question stands as it was.
                Err(error) => self.report_rejection(&error),
            }
        }
    }

    async fn preview_revised(
        &mut self,
        skill: &Arc<SkillEntry>,
        tool: &Arc<ToolEntry>,
        reach: &Reach,
        revised: Value,
    ) -> Result<(Value, Option<Preview>), UserError> {
        let args = arguments::fit(tool, revised)?;
        self.check_not_denied(tool, &args)?;
        let preview = self.preview(skill, tool, reach, &args).await?;
        Ok((args, preview))
    }

    /// Returns what the card of the call shows besides its arguments. The servers that the tool names may be
    /// contacted for it, since it only reads.
    ///
    /// # Errors
    /// The tool's objections to the call, cancellation, and timeouts.
    pub(super) async fn preview(
        &mut self,
        skill: &Arc<SkillEntry>,
        tool: &Arc<ToolEntry>,
        reach: &Reach,
        args: &Value,
    ) -> Result<Option<Preview>, UserError> {
        let attempt = self.attempt(skill, tool);
        let hosts = self.call_hosts(tool, args);
        hosts.shown_and_allowed();
        hosts.runs_with(args, attempt.vault.clone());
        let reach = Reach { hosts, credentials: reach.credentials.clone() };
        let (says, _said) = unbounded_channel();
        let context = self.context(skill, tool, &reach, &attempt, args, &says);
        let (body, given) = (tool.tool.clone(), args.clone());
        let mut running = Body::start(tool.spec().nonblocking, async move {
            body.preview(CallToken::mint_for_nova_calls(), given, context).await
        });
        let (stopped, limit) = (self.cancel.clone(), self.scope.access.time_limit);
        let previewed = tokio::select! {
            previewed = running.end() => previewed.map_err(|_crashed| crashed(tool))?,
            () = stopped.cancelled() => Err(ToolError::Cancelled),
            () = tokio::time::sleep(limit) => Err(ToolError::failed(
                format!("{} could not be prepared in {} s.", tool.shown_name(), limit.as_secs()),
                "Try again later.",
            )),
        };
        drop(running);
        attempt.cancel.cancel();
        self.outcome.seen.append(&mut attempt.vault.take_seen());
        // Notes read for the preview are only shown to the user, on the card; an error goes to the model.
        if previewed.is_err() {
            self.outcome.from_outside =
                self.scope.history.record_output(tool, false) || self.outcome.from_outside;
        }
        Ok(previewed?)
    }
}
