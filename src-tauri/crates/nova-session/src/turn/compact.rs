//! Compacts the conversation before the model's context is full.

use std::borrow::Cow;

use futures::StreamExt;
use nova_protocol::{CompactedBy, ErrorCode, Event, UserError};
use nova_provider::{ChatEvent, ChatRequest, Message, ProviderError, ToolChoice};
use nova_registry::{Snapshot, fenced_output};

use super::calls::OUTPUT_CAP;
use super::step::cache_order;
use super::{Stop, Turn};
use crate::activation::part;
use crate::context::{Sizes, begin, can_be_shortened, is_long, may_begin, sent, shorten, size};
use crate::detached::open_calls;
use crate::images::named;
use crate::message::{Compaction, LogMessage, Replacement};
use crate::prompt::date_notice;

/// The assumed context size of a model in tokens, if it is unknown.
const ASSUMED: u64 = 128_000;
/// The percentage of the context above which the conversation is compacted.
const FULL: u64 = 80;
/// A lower bound for the bytes per token of all providers.
const BYTES_PER_TOKEN: u64 = 3;
/// Maximum length of a summary, in tokens.
const SUMMARY: u64 = 1_500;
/// Maximum number of notes named.
const NAMED: usize = 100;

const ASK: &str = "This chat grows too long for you. Write down, for yourself and in the language of the chat, what you need \
     to continue without the messages above: what was found and decided, with figures and names of notes exactly as they \
     stand, what was changed, and what is open. The user's own messages are kept, so do not repeat them. Write only this \
     summary.";

impl Turn {
    /// Creates the next request, compacting the conversation if it would be too long.
    ///
    /// # Errors
    /// If it does not fit even after compaction.
    pub(super) async fn request_that_fits(
        &mut self,
        snapshot: &Snapshot,
        bound: Option<&str>,
    ) -> Result<ChatRequest, Stop> {
        let limit = self.limit();
        let mut request = self.request(snapshot, bound);
        if !self.is_full(&request) {
            return Ok(request);
        }
        // If the prompt and tools alone fill the context, compaction is useless.
        let has_room = self.room(&request) > 0;
        if has_room
            && !self.no_summary
            && let Some(kept) = self.worth_a_summary(&request)
        {
            let instead = match self.summary(&request, kept).await? {
                Ok(text) => (Replacement::Summary(text), None),
                Err(why) => {
                    // Retrying at every step would cost a request each time.
                    self.no_summary = true;
                    (Replacement::WithoutOutputs, Some(why))
                }
            };
            request = self.compact(snapshot, bound, kept, instead, &request);
        }
        if has_room && self.is_full(&request) {
            let (kept, helps) = {
                let state = self.session.lock();
                let sent = sent(&state.messages);
                let before = sent.iter().rev().position(|message| may_begin(message));
                let kept = before.map_or(0, |before| before + 1);
                (kept, sent.iter().rev().skip(kept).any(|message| can_be_shortened(message)))
            };
            if helps {
                request = self.compact(snapshot, bound, kept, (Replacement::WithoutOutputs, None), &request);
            }
        }
        if has_room && self.tokens_of(&request) > limit {
            // The messages before this turn's are too long by themselves, for instance due to an oversized
            // message. Only the newest must stay complete.
            if let Some((kept, most)) = self.worth_cutting() {
                let why = Some("earlier messages are too long and are sent in part".to_owned());
                request = self.compact(snapshot, bound, kept, (Replacement::Beginnings(most), why), &request);
            }
        }
        if self.tokens_of(&request) <= limit {
            return Ok(request);
        }
        Err(UserError::new(
            ErrorCode::ContextTooSmall,
            format!(
                "This chat does not fit into the model's context of {limit} tokens, even when shortened."
            ),
            "Edit the message that is too long, start a new chat, or choose a model with a larger context.",
        )
        .into())
    }

    /// Adds a compaction to the log, which keeps everything; earlier messages are sent in another form from
    /// here on.
    fn compact(
        &self,
        snapshot: &Snapshot,
        bound: Option<&str>,
        kept: usize,
        (instead, why): (Replacement, Option<String>),
        before: &ChatRequest,
    ) -> ChatRequest {
        let by = match &instead {
            Replacement::Summary(_) => CompactedBy::Summary,
            Replacement::WithoutOutputs | Replacement::Beginnings(_) => CompactedBy::WithoutOutputs,
        };
        let (count, used) = (before.messages.len().saturating_sub(kept), self.tokens_of(before));
        self.message(LogMessage::Compaction(Box::new(Compaction { kept, instead })));
        // Repeats information from the removed messages that the model needs.
        let today = date_notice(self.scope.access.clock.today());
        if !self.session.lock().is_last_date_notice(&today) {
            self.message(LogMessage::notice(today));
        }
        self.add_skill_notices(snapshot);
        let after = self.request(snapshot, bound);
        self.journal.event(Event::HistoryCompacted {
            by,
            messages: u32::try_from(count).unwrap_or(u32::MAX),
            before: used,
            after: self.tokens_of(&after),
            why,
        });
        after
    }

    /// The number of messages to keep, if a summary of the others makes room.
    fn worth_a_summary(&self, request: &ChatRequest) -> Option<usize> {
        let room = self.room(request);
        let state = self.session.lock();
        let sent = sent(&state.messages);
        let (tail, worth) = (state.measure.bytes(room / 4), state.measure.bytes(room / 10));
        let mut bytes = 0;
        let mut kept = 0;
        for (at, message) in sent.iter().rev().enumerate() {
            bytes += size(message);
            if bytes > tail && kept > 0 {
                break;
            }
            if may_begin(message) {
                kept = at + 1;
            }
        }
        let gone = &sent[..sent.len() - kept];
        let gone: u64 = gone
            .iter()
            .filter(|message| !matches!(***message, LogMessage::System { .. }))
            .map(|message| size(message))
            .sum();
        (kept > 0 && gone > worth).then_some(kept)
    }

    /// Returns the summary that replaces all but the last messages, or why there is none.
    async fn summary(&mut self, request: &ChatRequest, kept: usize) -> Result<Result<String, String>, Stop> {
        let asked = self.summary_request(request, kept);
        let prefix_kept = self.keeps_prefix_of(&asked);
        self.record_disclosure(&asked, prefix_kept, None).await?;
        let end = tokio::select! {
            biased;
            () = self.cancel.cancelled() => return Err(Stop::Cancelled),
            end = self.answer(&asked) => end,
        };
        Ok(match end {
            Ok(text) if text.trim().is_empty() => Err("the model wrote no summary".into()),
            Ok(text) => Ok(self.stands_for(text.trim(), kept, self.room(request))),
            Err(ProviderError::Cancelled) => return Err(Stop::Cancelled),
            Err(error) => Err(UserError::from(error).message),
        })
    }

    /// The previous request up to the part to be summarised, which reuses the provider's cache.
    fn summary_request(&self, request: &ChatRequest, kept: usize) -> ChatRequest {
        let most = SUMMARY.min(self.room(request) / 6).max(100);
        let state = self.session.lock();
        let mut gone = sent(&state.messages);
        gone.truncate(gone.len() - kept);
        let room = state.measure.bytes(self.limit().saturating_sub(SUMMARY) * 9 / 10);
        if Sizes::of(&gone, request.all_tools(), request.tools.len()).total() > room {
            gone.iter_mut().for_each(shorten);
        }
        if Sizes::of(&gone, request.all_tools(), request.tools.len()).total() > room {
            let most = usize::try_from(room).unwrap_or(usize::MAX) / gone.len().max(1) / 2;
            gone.iter_mut().for_each(|message| begin(message, most));
        }
        let mut messages = self.as_sent(&state, &gone);
        messages.push(Message::Notice {
            text: ASK.into(),
            mark: state.notice_mark().to_owned(),
            loads: None,
        });
        ChatRequest {
            messages,
            max_output: u32::try_from(most).ok(),
            tool_choice: ToolChoice::None,
            ..request.clone()
        }
    }

    /// Whether the summary request has the previous request as its prefix, up to its end.
    fn keeps_prefix_of(&self, asked: &ChatRequest) -> bool {
        let mut asked = asked.clone();
        // The last message asks for the summary.
        asked.messages.pop();
        let parts = cache_order(&asked);
        let state = self.session.lock();
        state
            .last_request
            .as_ref()
            .is_none_or(|before| before.starts_with(&parts) || parts.starts_with(before))
    }

    async fn answer(&self, request: &ChatRequest) -> Result<String, ProviderError> {
        let mut stream = self.scope.provider.stream(request, self.cancel.clone()).await?;
        while let Some(event) = stream.next().await {
            match event? {
                ChatEvent::Usage(used) => self.journal.event(Event::Usage {
                    input: used.input,
                    cached: used.cached,
                    output: used.output,
                }),
                ChatEvent::End(completed) => return Ok(completed.text),
                _ => {}
            }
        }
        Err(ProviderError::Truncated)
    }

    fn stands_for(&self, summary: &str, kept: usize, room: u64) -> String {
        let state = self.session.lock();
        let mut text = format!(
            "The earlier messages of this chat were taken out to make room. This stands for them.\n\nYour summary:\n{}",
            fenced_output("nova.summary", summary)
        );
        let stay = sent(&state.messages);
        let stay = stay[stay.len() - kept..].iter().filter(|message| is_user(message.as_ref())).count();
        let said: Vec<Cow<'_, str>> = state
            .messages
            .iter()
            .filter_map(|message| match message {
                LogMessage::User { text, images } if images.is_empty() => Some(Cow::Borrowed(text.as_str())),
                LogMessage::User { text, images } => {
                    let images: Vec<_> = images.iter().collect();
                    Some(Cow::Owned(format!("{text} (With {}.)", named(&images)).trim_start().to_owned()))
                }
                _ => None,
            })
            .collect();
        let most =
            usize::try_from(state.measure.bytes((self.limit() / 3).min(room / 2))).unwrap_or(usize::MAX);
        let said = own_words(&said[..said.len() - stay.min(said.len())], most);
        if !said.is_empty() {
            text.push_str(&format!("\n\nThe user's own messages, word for word:\n{said}"));
        }
        let running: Vec<String> = open_calls(&state.messages)
            .iter()
            .map(|of| format!("call {} ({})", of.number, of.tool))
            .collect();
        if !running.is_empty() {
            text.push_str(&format!("\n\nStill running: {}.", running.join(", ")));
        }
        if !state.seen.is_empty() {
            let notes: Vec<String> = state.seen.keys().take(NAMED).map(ToString::to_string).collect();
            let more = if state.seen.len() > NAMED { " and more" } else { "" };
            text.push_str(&format!(
                "\n\nNotes you have read: {}{more}. Nova tells you when one changes; read one again before you quote it.",
                notes.join(", ")
            ));
        }
        text
    }

    /// Returns how many messages stay unchanged (the user's last one and its successors), and the size limit
    /// in bytes for each earlier one, if truncation makes room.
    fn worth_cutting(&self) -> Option<(usize, usize)> {
        let state = self.session.lock();
        let sent = sent(&state.messages);
        let kept = sent.iter().rev().position(|message| is_user(message))? + 1;
        let bytes = usize::try_from(state.measure.bytes(self.limit() / 4)).unwrap_or(usize::MAX);
        let most = bytes / sent.len().saturating_sub(kept).max(1);
        sent.iter().rev().skip(kept).any(|message| is_long(message, most)).then_some((kept, most))
    }

    /// The tokens available for the conversation.
    fn room(&self, request: &ChatRequest) -> u64 {
        let state = self.session.lock();
        let sizes = Sizes::of(&sent(&state.messages), request.all_tools(), state.first_tools().len());
        (self.limit() * FULL / 100).saturating_sub(state.measure.tokens(sizes.fixed()))
    }

    fn is_full(&self, request: &ChatRequest) -> bool {
        let limit = self.limit();
        // Some providers refuse by bytes, without counting tokens.
        let images: usize = request.images().map(|image| image.data.len()).sum();
        let bytes = self.scope.provider.encode(request).len().saturating_sub(images) as u64;
        self.tokens_of(request) > limit * FULL / 100 || bytes / BYTES_PER_TOKEN > limit
    }

    /// The model's context size in tokens.
    fn limit(&self) -> u64 {
        let said = self.scope.context.unwrap_or(ASSUMED).max(1);
        self.learned.map_or(said, |learned| said.min(learned))
    }

    pub(super) fn tokens_of(&self, request: &ChatRequest) -> u64 {
        let state = self.session.lock();
        let frozen = state.first_tools().len();
        state.measure.tokens(Sizes::of(&sent(&state.messages), request.all_tools(), frozen).total())
    }

    /// The size limit of one output in bytes, if there are this many in a step: a share of the context.
    pub(super) fn output_cap(&self, together: usize) -> usize {
        let bytes = self.session.lock().measure.bytes(self.limit() / 4) as usize;
        (bytes / together.max(2)).clamp(1_024, OUTPUT_CAP)
    }
}

fn is_user(message: &LogMessage) -> bool {
    matches!(message, LogMessage::User { .. })
}

/// All user messages, oldest first; beyond `most` bytes the oldest are truncated.
fn own_words(said: &[Cow<'_, str>], most: usize) -> String {
    let total: usize = said.iter().map(|text| text.len() + 3).sum();
    let mut over = total.saturating_sub(most);
    let lines: Vec<String> = said
        .iter()
        .map(|text| {
            let keep = text.len().saturating_sub(over).max(80.min(text.len()));
            over = over.saturating_sub(text.len() - keep);
            format!("- {}", part(text, 0, keep, "They were cut to make room."))
        })
        .collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oldest_user_messages_are_truncated_first() {
        let own_words = |said: &[&str], most| {
            super::own_words(&said.iter().map(|text| Cow::Borrowed(*text)).collect::<Vec<_>>(), most)
        };
        assert_eq!(own_words(&["One", "Two"], 100), "- One\n- Two");
        let (old, new) = ("o".repeat(1_000), "n".repeat(1_000));
        let words = own_words(&[&old, &new], 1_206);
        assert!(words.contains(&new), "the newer output is kept whole");
        assert!(
            words.starts_with("- ooo") && words.contains("[800 more bytes. They were cut to make room.]"),
            "{words}"
        );
    }
}
