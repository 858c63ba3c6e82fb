mod answers;
mod form;

use std::io::IsTerminal as _;
use std::sync::Arc;

use nova_app::{Answer, ApprovalRequest, Approver, NoApprover};
use nova_protocol::{Decision, Effect, NoteDiffView};
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines, Stdin};
use tokio::sync::Mutex;

pub(crate) use self::answers::on_stdin;
use crate::args::ApproveHow;
use crate::print;

/// The approver selected by the options: by default the user at a terminal, otherwise none.
pub(crate) fn approver(how: Option<ApproveHow>) -> Arc<dyn Approver> {
    let at_terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    match how.unwrap_or(if at_terminal { ApproveHow::Ask } else { ApproveHow::None }) {
        ApproveHow::Ask => Arc::new(AtTerminal(Input::new())),
        ApproveHow::None => Arc::new(NoApprover),
        ApproveHow::All => Arc::new(AllButSending),
        ApproveHow::Stdio => on_stdin(),
    }
}

struct AllButSending;

#[async_trait::async_trait]
impl Approver for AllButSending {
    async fn ask(&self, request: &ApprovalRequest) -> Answer {
        if request.elicitation.is_some() {
            return Answer::Unanswered { reason: "--approve all answers no question of a server".into() };
        }
        if request.effect == Effect::Send {
            return Answer::Unanswered { reason: "--approve all never sends to a person".into() };
        }
        if !request.credentials.is_empty() {
            return Answer::Unanswered { reason: "--approve all never grants a credential".into() };
        }
        Answer::Decided { decision: Decision::Once, args: None, by: "--approve all".into(), reason: None }
    }
}

/// Lines of stdin, shared by concurrent questions.
struct Input(Mutex<Lines<BufReader<Stdin>>>);

impl Input {
    fn new() -> Self {
        Self(Mutex::new(BufReader::new(tokio::io::stdin()).lines()))
    }
}

/// Asks the user at the terminal.
struct AtTerminal(Input);

#[async_trait::async_trait]
impl Approver for AtTerminal {
    async fn ask(&self, request: &ApprovalRequest) -> Answer {
        let mut lines = self.0.0.lock().await;
        if let Some(elicitation) = &request.elicitation {
            return form::ask(&mut lines, request, elicitation).await;
        }
        show(request);
        let offered: Vec<(&str, Decision)> = request
            .decisions
            .iter()
            .map(|decision| {
                let key = match decision {
                    Decision::Once => "o",
                    Decision::Session => "s",
                    Decision::Always => "a",
                    Decision::Deny => "d",
                    Decision::Cancel => "c",
                };
                (key, *decision)
            })
            .collect();
        loop {
            print::note(&format!(
                "  {}?",
                offered.iter().map(|(key, decision)| name(key, *decision)).collect::<Vec<_>>().join(", ")
            ));
            let Ok(Some(line)) = lines.next_line().await else {
                return Answer::Unanswered { reason: "the input ended".into() };
            };
            let typed = line.trim().to_lowercase();
            if let Some((_, decision)) = offered.iter().find(|(key, _)| *key == typed) {
                return Answer::Decided { decision: *decision, args: None, by: "you".into(), reason: None };
            }
        }
    }
}

fn name(key: &str, decision: Decision) -> String {
    let words = match decision {
        Decision::Once => "allow once",
        Decision::Session => "for this chat",
        Decision::Always => "always",
        Decision::Deny => "deny",
        Decision::Cancel => "close",
    };
    format!("[{key}] {words}")
}

fn show(request: &ApprovalRequest) {
    print::note("");
    print::note(&format!("{} ({:?})", request.question, request.effect));
    print::note(&format!("  {} {}", request.tool, request.args));
    if let Some(host) = &request.host {
        print::note(&format!("  to {host}"));
    }
    for line in request.details.iter().flat_map(|detail| lines_of(&detail.line())) {
        print::note(&format!("  {line}"));
    }
    for note in request.diff.iter().flatten() {
        for line in diff_lines(note) {
            print::note(&format!("  {line}"));
        }
    }
}

/// Splits an untrusted text into sanitised lines.
fn lines_of(text: &str) -> Vec<String> {
    text.lines().map(print::one_line).collect()
}

/// A diff as sanitised lines.
pub(crate) fn diff_lines(note: &NoteDiffView) -> Vec<String> {
    note.lines().iter().map(|line| print::one_line(line)).collect()
}
