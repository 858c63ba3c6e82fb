use std::collections::HashMap;
use std::time::Duration;

use jiff::Timestamp;
use nova_protocol::{Envelope, Event, RequestedPage};
use tokio::sync::broadcast::error::RecvError;

use crate::App;

/// After a shorter turn, the user is assumed to be still watching.
const LONG: Duration = Duration::from_secs(15);

impl App {
    /// Notifies the user about chats while the window is not in front: a long turn has ended, or one waits
    /// for an answer.
    pub(crate) fn notify_absent_user(&self) {
        let (app, mut events) = (self.clone(), self.events());
        tokio::spawn(async move {
            let mut turns = Turns::default();
            loop {
                let envelope = match events.recv().await {
                    Ok(envelope) => envelope,
                    Err(RecvError::Lagged(_)) => continue,
                    Err(RecvError::Closed) => return,
                };
                let Some(text) = turns.notification_text(&envelope) else { continue };
                let Some(session) = envelope.session else { continue };
                let desktop = &app.inner.options.desktop;
                if desktop.in_front() {
                    continue;
                }
                let title = app.title_of(&session).await;
                desktop.notify(title.as_deref().unwrap_or("Nova"), &text, RequestedPage::Chat { session });
            }
        });
    }

    async fn title_of(&self, session: &str) -> Option<String> {
        let sessions = self.inner.store.list().await.ok()?;
        sessions.into_iter().find(|info| info.id == session).map(|info| info.title)
    }
}

/// Start times of the running turns.
#[derive(Default)]
struct Turns(HashMap<String, Timestamp>);

impl Turns {
    /// The notification for an event, without any content of the conversation.
    fn notification_text(&mut self, envelope: &Envelope) -> Option<String> {
        let at: Timestamp = envelope.at.parse().ok()?;
        let turn = envelope.turn.clone()?;
        match &envelope.event {
            Event::TurnStarted { .. } => {
                self.0.insert(turn, at);
                None
            }
            Event::ApprovalRequested { question, revision, .. } => {
                (*revision <= 1).then(|| format!("Waits for your answer: {question}"))
            }
            Event::ElicitationRequested { from, .. } => {
                Some(format!("Waits for your answer: {from} asks you."))
            }
            Event::TurnCompleted { .. } => self.ended(&turn, at).then(|| "Nova has answered.".to_owned()),
            Event::TurnFailed { message, .. } => {
                self.ended(&turn, at).then(|| format!("The turn failed: {message}"))
            }
            // Stopped by the user, who knows.
            Event::TurnCancelled { .. } => {
                self.0.remove(&turn);
                None
            }
            _ => None,
        }
    }

    /// Removes the turn; returns whether it was long.
    fn ended(&mut self, turn: &str, at: Timestamp) -> bool {
        self.0.remove(turn).is_some_and(|began| at.duration_since(began).unsigned_abs() >= LONG)
    }
}

#[cfg(test)]
mod tests {
    use nova_protocol::{ErrorCode, PROTOCOL_VERSION};

    use super::*;

    fn at(second: u32, event: Event) -> Envelope {
        Envelope {
            v: PROTOCOL_VERSION,
            seq: 1,
            at: format!("2026-11-20T14:{:02}:{:02}Z", second / 60, second % 60),
            session: Some("s".into()),
            turn: Some("t".into()),
            event,
        }
    }

    fn notifications(events: impl IntoIterator<Item = (u32, Event)>) -> Vec<String> {
        let mut turns = Turns::default();
        events.into_iter().filter_map(|(second, event)| turns.notification_text(&at(second, event))).collect()
    }

    fn started() -> Event {
        Event::TurnStarted {
            text: "Where?".into(),
            model: "m".into(),
            skills: vec![],
            tool: None,
            after: None,
            by_nova: false,
            images: vec![],
            outside: vec![],
        }
    }

    #[test]
    fn end_of_a_long_turn_is_notified_and_of_a_short_one_is_not() {
        let done = || Event::TurnCompleted { text: "Secret words.".into() };
        assert_eq!(notifications([(0, started()), (14, done())]), Vec::<String>::new());
        assert_eq!(notifications([(0, started()), (15, done())]), ["Nova has answered."]);
    }

    #[test]
    fn failure_is_notified_and_a_stop_is_not() {
        let failed = Event::TurnFailed {
            code: ErrorCode::ProviderTimeout,
            message: "No answer.".into(),
            hint: String::new(),
            host: None,
        };
        assert_eq!(notifications([(0, started()), (60, failed)]), ["The turn failed: No answer."]);
        assert_eq!(
            notifications([(0, started()), (60, Event::TurnCancelled { unknown: vec![] })]),
            Vec::<String>::new()
        );
    }

    #[test]
    fn question_is_notified_immediately_and_once() {
        let asked = |revision| Event::ApprovalRequested {
            call: "c".into(),
            args: serde_json::json!({}),
            decisions: vec![],
            question: "Change 1 note?".into(),
            editable: true,
            diff: None,
            details: Vec::new(),
            host: None,
            credentials: vec![],
            revision,
            mid_run: false,
        };
        assert_eq!(
            notifications([(0, started()), (1, asked(1)), (2, asked(2))]),
            ["Waits for your answer: Change 1 note?"]
        );
    }
}
