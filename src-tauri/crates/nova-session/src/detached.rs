//! The calls of a session that run on by themselves: a turn that made one has gone on without its end.

use std::collections::HashMap;
use std::sync::{Arc, MutexGuard, PoisonError};

use nova_calls::DetachedCall;
use tokio_util::sync::CancellationToken;

use crate::branches::After;
use crate::error::SessionError;
use crate::journal::Journal;
use crate::message::{LateEnd, LogMessage, RunsOn};
use crate::running::Running;
use crate::session::Session;
use crate::store::{HeldCall, Store};

impl Session {
    /// Takes a call over that the turn continues without. `late` makes of its end what is kept.
    pub(crate) fn take_over(
        self: &Arc<Self>,
        call: DetachedCall,
        journal: Arc<Journal>,
        held: Option<HeldCall>,
        late: impl FnOnce(RunsOn, nova_calls::Outcome) -> LateEnd + Send + 'static,
    ) -> RunsOn {
        let of = {
            let mut running = self.detached.lock();
            let known = self.lock().messages.iter().filter_map(number_of).max();
            let lives = running.iter().map(|running| running.of.number).max();
            let number = known.max(lives).unwrap_or_default() + 1;
            let of = RunsOn { number, call: call.call.clone(), tool: call.tool.shown_name() };
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

    /// Written down before anybody can hear that it has ended.
    async fn note_late_end(&self, end: LateEnd, journal: &Journal) {
        let number = end.of.number;
        let message = LogMessage::LateEnd(Box::new(end));
        journal.message(message.clone());
        if let Err(error) = journal.flush().await {
            tracing::warn!(session = self.id, number, "the end of a call could not be kept: {error}");
        }
        {
            let mut state = self.lock();
            // A turn that began meanwhile has read it from the log.
            if !state.messages.contains(&message) {
                state.messages.push(message);
            }
        }
        self.detached.lock().retain(|running| running.of.number != number);
        self.detached.changed.send_replace(());
    }

    /// Ids of the calls that run on by themselves.
    pub fn running_calls(&self) -> Vec<String> {
        self.detached.running().iter().map(|running| running.of.call.clone()).collect()
    }

    /// Stops a call that runs, in a turn, which continues, or by itself. Whether there was one.
    pub fn stop_call(&self, call: &str) -> bool {
        let in_turn = self.stops().get(call).cloned();
        let by_itself = self.detached.running().into_iter().find(|running| running.of.call == call);
        in_turn.iter().for_each(CancellationToken::cancel);
        by_itself.iter().for_each(|running| running.stop());
        in_turn.is_some() || by_itself.is_some()
    }

    /// What stops the calls of the running turn.
    pub(crate) fn stops(&self) -> MutexGuard<'_, HashMap<String, CancellationToken>> {
        self.stops.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops all of them.
    pub fn stop_calls(&self) {
        self.detached.running().iter().for_each(|running| running.stop());
    }

    /// Comes back when none runs any more and every end is written down.
    pub async fn calls_ended(&self) {
        for running in self.detached.running() {
            self.detached.ended(running.of.number).await;
        }
    }

    /// Whether a call has ended and the model does not know yet.
    pub fn has_news(&self) -> bool {
        !ends_to_tell(&self.lock().messages).is_empty()
    }

    /// As [`Session::has_news`], by the log as it is: another Nova process may have gone on in another branch.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub async fn has_news_in(&self, store: &Store) -> Result<bool, SessionError> {
        self.refresh(store, &After::Last).await?;
        Ok(self.has_news())
    }
}

/// The calls whose end the model was not told, in the order in which they were let go.
pub(crate) fn open_calls(messages: &[LogMessage]) -> Vec<RunsOn> {
    let mut open: Vec<RunsOn> = Vec::new();
    for message in messages {
        match message {
            LogMessage::ToolOutput { runs_on: Some(of), .. } => open.push(of.clone()),
            LogMessage::Notice { ended: Some(ended), .. } => open.retain(|of| of.number != ended.number),
            _ => {}
        }
    }
    open
}

/// The ends of such calls.
pub(crate) fn ends_to_tell(messages: &[LogMessage]) -> Vec<LateEnd> {
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
    use crate::activation::Told;
    use crate::message::{Ended, Notes};

    fn of(number: u32) -> RunsOn {
        RunsOn { number, call: format!("id{number}"), tool: "market.quote".into() }
    }

    fn let_go(number: u32) -> LogMessage {
        LogMessage::ToolOutput {
            call_id: "call_1".into(),
            content: "Running".into(),
            notes: Notes::new(),
            drawn_from: None,
            gone: Vec::new(),
            private: false,
            told: Told::default(),
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
            only_here: false,
            from_outside: true,
        }))
    }

    fn told(number: u32) -> LogMessage {
        let ended = Some(Box::new(Ended::saying_nothing(number)));
        LogMessage::Notice { text: "ended".into(), outdated: Vec::new(), told: Told::default(), ended }
    }

    /// The numbers of the calls whose end was not reported, and of the ends to report.
    fn numbers(messages: &[LogMessage]) -> (Vec<u32>, Vec<u32>) {
        let open = open_calls(messages).iter().map(|of| of.number).collect();
        (open, ends_to_tell(messages).iter().map(|end| end.of.number).collect())
    }

    #[test]
    fn an_end_is_reported_once_and_only_where_its_call_was_made() {
        let mut log = vec![let_go(1), let_go(2)];
        assert_eq!(numbers(&log), (vec![1, 2], vec![]));
        log.push(late_end(2));
        // Written by two Novas, or read again from the log.
        log.push(late_end(2));
        assert_eq!(numbers(&log), (vec![1, 2], vec![2]));
        log.push(told(2));
        assert_eq!(numbers(&log), (vec![1], vec![]));
        // Another branch made it.
        log.push(late_end(3));
        assert_eq!(numbers(&log), (vec![1], vec![]));
    }
}
