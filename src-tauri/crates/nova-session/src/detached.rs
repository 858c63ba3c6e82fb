//! The detached calls of a session, which continue after their turn.

use std::collections::HashMap;
use std::sync::{Arc, MutexGuard, PoisonError};

use nova_calls::DetachedCall;
use tokio_util::sync::CancellationToken;

use crate::branches::After;
use crate::error::SessionError;
use crate::journal::Journal;
use crate::message::{DetachedRef, LateEnd, LogMessage};
use crate::running::Running;
use crate::session::Session;
use crate::store::{HeldCall, Store};

impl Session {
    /// Takes over a call that the turn does not wait for. `late` converts its outcome to a log entry.
    pub(crate) fn take_over(
        self: &Arc<Self>,
        call: DetachedCall,
        journal: Arc<Journal>,
        held: Option<HeldCall>,
        late: impl FnOnce(DetachedRef, nova_calls::Outcome) -> LateEnd + Send + 'static,
    ) -> DetachedRef {
        let of = {
            let mut running = self.detached.lock();
            let known = self.lock().messages.iter().filter_map(number_of).max();
            let lives = running.iter().map(|running| running.of.number).max();
            let number = known.max(lives).unwrap_or_default() + 1;
            let of = DetachedRef { number, call: call.call.clone(), tool: call.tool.shown_name() };
            running.push(Arc::new(Running {
                of: of.clone(),
                watch: call.watch(),
                stop: call.stop(),
                journal: journal.clone(),
                _held: held,
            }));
            of
        };
        let (session, runs_on) = (self.clone(), of.clone());
        tokio::spawn(async move {
            let outcome = call.end().await;
            session.note_late_end(late(runs_on, outcome), &journal).await;
        });
        of
    }

    /// Writes the end of a call to the log before it is announced.
    async fn note_late_end(&self, end: LateEnd, journal: &Journal) {
        let number = end.of.number;
        let message = LogMessage::LateEnd(Box::new(end));
        journal.message(message.clone());
        if let Err(error) = journal.flush().await {
            tracing::warn!(session = self.id, number, %error, "cannot save the end of a call");
        }
        {
            let mut state = self.lock();
            // A turn that began meanwhile has already read it from the log.
            if !state.messages.contains(&message) {
                state.messages.push(message);
            }
        }
        self.detached.lock().retain(|running| running.of.number != number);
        self.detached.changed.send_replace(());
    }

    /// Ids of the detached calls that are running.
    pub fn running_calls(&self) -> Vec<String> {
        self.detached.running().iter().map(|running| running.of.call.clone()).collect()
    }

    /// Stops a call of a turn, which continues, or a detached one. Returns whether there was one.
    pub fn stop_call(&self, call: &str) -> bool {
        let in_turn = self.stops().get(call).cloned();
        let by_itself = self.detached.running().into_iter().find(|running| running.of.call == call);
        in_turn.iter().for_each(CancellationToken::cancel);
        by_itself.iter().for_each(|running| running.stop());
        in_turn.is_some() || by_itself.is_some()
    }

    /// The stop tokens of the running turn's calls.
    pub(crate) fn stops(&self) -> MutexGuard<'_, HashMap<String, CancellationToken>> {
        self.stops.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops all detached calls.
    pub fn stop_calls(&self) {
        self.detached.running().iter().for_each(|running| running.stop());
    }

    /// Waits until no detached call is running and every end is in the log.
    pub async fn calls_ended(&self) {
        for running in self.detached.running() {
            self.detached.ended(running.of.number).await;
        }
    }

    /// Whether a call has ended without the model being told yet.
    pub fn has_news(&self) -> bool {
        !unreported_ends(&self.lock().messages).is_empty()
    }

    /// As [`Session::has_news`], with the current log: another Nova process may have continued another
    /// branch.
    ///
    /// # Errors
    /// If the log cannot be read.
    pub async fn has_news_in(&self, store: &Store) -> Result<bool, SessionError> {
        self.refresh(store, &After::Last).await?;
        Ok(self.has_news())
    }
}

/// Calls whose end the model was not told, in the order in which they were detached.
pub(crate) fn open_calls(messages: &[LogMessage]) -> Vec<DetachedRef> {
    let mut open: Vec<DetachedRef> = Vec::new();
    for message in messages {
        match message {
            LogMessage::ToolOutput { runs_on: Some(of), .. } => open.push(of.clone()),
            LogMessage::Notice { ended: Some(ended), .. } => open.retain(|of| of.number != ended.number),
            _ => {}
        }
    }
    open
}

/// The ends of these calls.
pub(crate) fn unreported_ends(messages: &[LogMessage]) -> Vec<LateEnd> {
    let open = open_calls(messages);
    let mut ends: Vec<LateEnd> = Vec::new();
    for message in messages {
        if let LogMessage::LateEnd(end) = message
            && open.contains(&end.of)
            && !ends.iter().any(|known| known.of == end.of)
        {
            ends.push((**end).clone());
        }
    }
    ends
}

fn number_of(message: &LogMessage) -> Option<u32> {
    match message {
        LogMessage::ToolOutput { runs_on, .. } => runs_on.as_ref().map(|of| of.number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::activation::SkillKnowledge;
    use crate::message::{Ended, Notes};

    fn of(number: u32) -> DetachedRef {
        DetachedRef { number, call: format!("id{number}"), tool: "market.quote".into() }
    }

    fn detach(number: u32) -> LogMessage {
        LogMessage::ToolOutput {
            call_id: "call_1".into(),
            content: "Running".into(),
            notes: Notes::new(),
            drawn_from: None,
            gone: Vec::new(),
            private: false,
            told: SkillKnowledge::default(),
            runs_on: Some(of(number)),
            cut: None,
            images: Vec::new(),
        }
    }

    fn late_end(number: u32) -> LogMessage {
        let (content, notes) = ("91.20".into(), Notes::new());
        LogMessage::LateEnd(Box::new(LateEnd {
            of: of(number),
            content,
            notes,
            drawn_from: None,
            cut: None,
            local_only: false,
            from_outside: true,
        }))
    }

    fn told(number: u32) -> LogMessage {
        let ended = Some(Box::new(Ended::saying_nothing(number)));
        LogMessage::Notice {
            text: "ended".into(),
            outdated: Vec::new(),
            told: SkillKnowledge::default(),
            ended,
        }
    }

    /// The numbers of calls without a reported end, and of the ends to report.
    fn numbers(messages: &[LogMessage]) -> (Vec<u32>, Vec<u32>) {
        let open = open_calls(messages).iter().map(|of| of.number).collect();
        (open, unreported_ends(messages).iter().map(|end| end.of.number).collect())
    }

    #[test]
    fn end_is_reported_once_in_the_branch_of_its_call() {
        let mut log = vec![detach(1), detach(2)];
        assert_eq!(numbers(&log), (vec![1, 2], vec![]));
        log.push(late_end(2));
        // Duplicated by another process, or by reading the log again.
        log.push(late_end(2));
        assert_eq!(numbers(&log), (vec![1, 2], vec![2]));
        log.push(told(2));
        assert_eq!(numbers(&log), (vec![1], vec![]));
        // The call was made in another branch.
        log.push(late_end(3));
        assert_eq!(numbers(&log), (vec![1], vec![]));
    }
}
