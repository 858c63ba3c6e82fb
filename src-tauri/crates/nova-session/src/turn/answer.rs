//! The model's answers: storing them, and judging the last one.

use nova_protocol::{ErrorCode, UserError};
use nova_provider::{Completed, FinishReason};
use nova_registry::Snapshot;

use super::{Stop, Turn, calls};
use crate::message::{LogCall, LogMessage};

const REPHRASE: &str = "Rephrase the message, or choose another model.";
const AGAIN: &str = "Try again, ask it to continue, or choose another model.";

impl Turn {
    /// Returns the text that ends the turn. A truncated or empty answer is an error.
    pub(super) fn last_answer(&self, completed: Completed) -> Result<String, Stop> {
        let (code, message, hint) = match completed.finish {
            FinishReason::Length => (
                ErrorCode::ProviderTruncated,
                "The model reached its limit before the answer was complete.".to_owned(),
                "Ask it to continue, or choose a model with a larger limit.",
            ),
            FinishReason::ContentFilter(None) => (
                ErrorCode::ProviderFiltered,
                "The provider's filter stopped the answer.".to_owned(),
                REPHRASE,
            ),
            FinishReason::ContentFilter(Some(reason)) => (
                ErrorCode::ProviderFiltered,
                format!("The provider's filter stopped the answer: {reason}."),
                REPHRASE,
            ),
            FinishReason::Blocked(reason) => (
                ErrorCode::ProviderFiltered,
                format!("The provider's filter refused the request: {reason}."),
                REPHRASE,
            ),
            FinishReason::Refusal => {
                (ErrorCode::ProviderFiltered, "The model declined to answer.".to_owned(), REPHRASE)
            }
            FinishReason::Incomplete(reason) => (
                ErrorCode::ProviderTruncated,
                format!("The provider ended the answer early: {reason}."),
                AGAIN,
            ),
            // After a notice about an ended call, an empty answer is valid.
            _ if completed.text.trim().is_empty() && !self.by_nova => {
                (ErrorCode::ProviderEmpty, "The model ended without an answer.".to_owned(), AGAIN)
            }
            FinishReason::Stop | FinishReason::ToolCalls | FinishReason::Other(_) => {
                return Ok(completed.text);
            }
        };
        Err(UserError::new(code, message, hint).into())
    }

    /// Writes the answer to the log before any of its calls runs.
    pub(super) async fn note_answer(
        &mut self,
        snapshot: &Snapshot,
        completed: &Completed,
    ) -> Result<Vec<LogCall>, Stop> {
        let calls: Vec<LogCall> = completed
            .calls
            .iter()
            .map(|call| LogCall {
                id: call.id.clone(),
                name: call.name.clone(),
                arguments: call.arguments.clone(),
                reads: calls::only_reads(snapshot, &call.name),
            })
            .collect();
        // Providers refuse conversations with empty answers.
        if !calls.is_empty() || !completed.text.trim().is_empty() {
            self.message(LogMessage::Assistant {
                text: completed.text.clone(),
                calls: calls.clone(),
                provider_data: completed.provider_data.clone(),
            });
        }
        self.journal.flush().await?;
        Ok(calls)
    }
}
