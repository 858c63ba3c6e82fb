//! Approvals as JSON lines on stdin, mixed with other messages.

use std::collections::HashMap;
use std::io::BufRead;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use nova_app::{Answer, ApprovalRequest, Approver};
use nova_protocol::Decision;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use crate::print;

/// Starts to read stdin. Each line is assigned to a question when it arrives, not when the question waits for
/// it.
pub(crate) fn on_stdin() -> Arc<Answers> {
    static READ: OnceLock<Arc<Answers>> = OnceLock::new();
    let start = || {
        let answers = Arc::new(Answers::default());
        let reading = answers.clone();
        // A plain thread, so that program exit does not wait for it.
        std::thread::spawn(move || {
            for line in std::io::stdin().lock().split(b'\n') {
                let Ok(line) = line else { break };
                let Ok(line) = String::from_utf8(line) else {
                    print::note("nova: a line that is not UTF-8 was dropped; send it again as UTF-8");
                    continue;
                };
                let line = line.strip_suffix('\r').unwrap_or(&line);
                if let Some(note) = reading.accept_line(line) {
                    print::note(&note);
                }
            }
            reading.end();
        });
        answers
    };
    READ.get_or_init(start).clone()
}

/// Open questions and received answers.
#[derive(Default)]
pub(crate) struct Answers(Mutex<State>);

/// Call id and revision of a question.
type Question = (String, u32);

struct State {
    open: HashMap<Question, oneshot::Sender<Answer>>,
    /// Questions that were emitted, but that no caller waits for yet.
    expected: HashMap<Question, oneshot::Receiver<Answer>>,
    /// Answers to questions that have not been asked yet.
    early: HashMap<Question, Answer>,
    /// Receives lines that are not answers.
    others: Option<mpsc::UnboundedSender<String>>,
    read_others: Arc<tokio::sync::Mutex<mpsc::UnboundedReceiver<String>>>,
    ended: bool,
}

#[async_trait::async_trait]
impl Approver for Answers {
    fn expect(&self, request: &ApprovalRequest) {
        let mut state = self.state();
        if !state.ended {
            let question = (request.call.clone(), request.revision);
            let (sender, answer) = oneshot::channel();
            state.open.insert(question.clone(), sender);
            state.expected.insert(question, answer);
        }
    }

    async fn ask(&self, request: &ApprovalRequest) -> Answer {
        let question = (request.call.clone(), request.revision);
        let answer = {
            let mut state = self.state();
            if let Some(answer) = state.early.remove(&question) {
                state.open.remove(&question);
                state.expected.remove(&question);
                return answer;
            }
            match state.expected.remove(&question) {
                Some(answer) => answer,
                None if state.ended => return ended(),
                None => {
                    let (sender, answer) = oneshot::channel();
                    state.open.insert(question.clone(), sender);
                    answer
                }
            }
        };
        let _withdrawn_at_the_end = Open { answers: self, question };
        answer.await.unwrap_or_else(|_| ended())
    }
}

impl Answers {
    /// The next line that is not an answer; `None` at the end of the input.
    pub(crate) async fn next_message(&self) -> Option<String> {
        let others = self.state().read_others.clone();
        others.lock().await.recv().await
    }

    /// Handles a line; returns an error message if it is invalid.
    fn accept_line(&self, line: &str) -> Option<String> {
        let mut state = self.state();
        let (call, revision, answer) = match read_decision(line) {
            Ok(read) => read,
            Err(reason) => {
                let is_message = !line.trim_start().starts_with('{');
                return match &state.others {
                    Some(others) if is_message => others.send(line.to_owned()).err().map(|_| reason),
                    _ => Some(format!("nova: invalid answer: {reason}")),
                };
            }
        };
        let open = state.open.keys().filter(|(asked, _)| *asked == call).map(|(_, number)| *number).max();
        match (revision, open) {
            // Without a revision, it answers the current question.
            (None, Some(revision)) => state.answer((call, revision), answer),
            (None, None) => {
                return Some(format!(
                    "nova: {call} has no open question, so this answer was dropped; include its revision"
                ));
            }
            (Some(revision), Some(open)) if revision < open => {
                return Some("nova: this answer is for an older revision; answer the new one".into());
            }
            (Some(revision), _) => state.answer((call, revision), answer),
        }
        None
    }

    fn end(&self) {
        let mut state = self.state();
        state.ended = true;
        state.open.clear();
        state.others = None;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn answer(&mut self, question: Question, answer: Answer) {
        match self.open.remove(&question) {
            // An error means that the caller no longer waits.
            Some(waiting) => drop(waiting.send(answer)),
            None => drop(self.early.insert(question, answer)),
        }
    }
}

impl Default for State {
    fn default() -> Self {
        let (others, read_others) = mpsc::unbounded_channel();
        Self {
            open: HashMap::new(),
            expected: HashMap::new(),
            early: HashMap::new(),
            others: Some(others),
            read_others: Arc::new(tokio::sync::Mutex::new(read_others)),
            ended: false,
        }
    }
}

/// Registers a question while a caller waits for its answer.
struct Open<'a> {
    answers: &'a Answers,
    question: Question,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.answers.state().open.remove(&self.question);
    }
}

fn ended() -> Answer {
    Answer::Unanswered { reason: "the input ended".into() }
}

/// Parses call id, optional revision, and answer.
fn read_decision(line: &str) -> Result<(String, Option<u32>, Answer), String> {
    let value: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let call = value["call"].as_str().ok_or("call is missing")?.to_owned();
    let decision: Decision = serde_json::from_value(value["decision"].clone())
        .map_err(|_| "decision must be once, session, always, deny or cancel".to_owned())?;
    let args = value.get("args").filter(|args| !args.is_null()).cloned();
    let reason = value["reason"].as_str().map(str::to_owned);
    let revision = match value.get("revision").filter(|revision| !revision.is_null()) {
        None => None,
        Some(number) => {
            let number = number.as_u64().and_then(|number| u32::try_from(number).ok());
            Some(number.ok_or("revision must be the number that the question has")?)
        }
    };
    Ok((call, revision, Answer::Decided { decision, args, by: "you".into(), reason }))
}

#[cfg(test)]
mod tests {
    use nova_protocol::{Effect, PrincipalKind, PrincipalView};

    use super::*;

    const ONCE: &str = r#"{"call":"c1","decision":"once"}"#;

    fn question(revision: u32) -> ApprovalRequest {
        ApprovalRequest {
            call: "c1".into(),
            tool: "net.fetch".into(),
            args: Value::Null,
            effect: Effect::External,
            principal: PrincipalView { kind: PrincipalKind::User, name: "you".into() },
            question: "Send this?".into(),
            decisions: vec![Decision::Once, Decision::Deny],
            editable: false,
            diff: None,
            details: Vec::new(),
            host: None,
            credentials: Vec::new(),
            elicitation: None,
            revision,
        }
    }

    fn once() -> Answer {
        Answer::Decided { decision: Decision::Once, args: None, by: "you".into(), reason: None }
    }

    #[tokio::test]
    async fn duplicate_answer_answers_one_question() {
        let answers = Answers::default();
        let (first, second) = (question(1), question(2));
        let asked = answers.ask(&first);
        tokio::pin!(asked);
        assert!(futures_pending(&mut asked), "the question is open");
        assert_eq!(answers.accept_line(ONCE), None);
        assert!(answers.accept_line(ONCE).is_some_and(|note| note.contains("dropped")));
        assert_eq!(asked.await, once());
        let next = answers.ask(&second);
        tokio::pin!(next);
        assert!(futures_pending(&mut next), "the next question is still open");
        answers.end();
        assert_eq!(next.await, ended());
    }

    #[tokio::test]
    async fn answer_may_arrive_as_soon_as_the_question_is_emitted() {
        let answers = Answers::default();
        answers.expect(&question(1));
        assert_eq!(answers.accept_line(ONCE), None);
        assert!(answers.accept_line(ONCE).is_some_and(|note| note.contains("dropped")));
        assert_eq!(answers.ask(&question(1)).await, once());
    }

    #[tokio::test]
    async fn answer_applies_to_the_question_it_names() {
        let answers = Answers::default();
        assert_eq!(answers.accept_line(r#"{"call":"c1","revision":2,"decision":"once"}"#), None);
        let (first, second) = (question(1), question(2));
        let asked = answers.ask(&first);
        tokio::pin!(asked);
        assert!(futures_pending(&mut asked), "the answer is for the second question");
        assert_eq!(answers.ask(&second).await, once());
        for (line, why) in [
            (r#"{"call":"c1","revision":0,"decision":"once"}"#, "older"),
            (r#"{"call":"c1","revision":"1","decision":"once"}"#, "revision must be"),
            (r#"{"call":"c2","decision":"once"}"#, "dropped"),
            (r#"{"call":"c1"}"#, "decision must be"),
        ] {
            assert!(answers.accept_line(line).is_some_and(|note| note.contains(why)), "{line}");
        }
        assert!(futures_pending(&mut asked), "no answer was for this question");
    }

    #[tokio::test]
    async fn other_lines_are_messages() {
        let answers = Answers::default();
        assert_eq!(answers.accept_line("Jane is won"), None);
        assert_eq!(answers.next_message().await.as_deref(), Some("Jane is won"));
        answers.end();
        assert_eq!(answers.next_message().await, None);
        assert_eq!(answers.ask(&question(1)).await, ended());
    }

    fn futures_pending<T>(future: &mut std::pin::Pin<&mut impl Future<Output = T>>) -> bool {
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        future.as_mut().poll(&mut context).is_pending()
    }
}
