use std::time::Duration;

use nova_mail::{MailError, Mailbox as _, Outbox as _, SendError, SignIn, Smtp};
use nova_skill::{Secret, ToolError, ToolHttp, Value};

use crate::accounts::{Account, account};
use crate::connection::{to_imap, to_smtp};
use crate::proof::said;

/// The time limit of one step: the user is waiting.
const PATIENCE: Duration = Duration::from_secs(20);

/// The steps of a test, up to the first of IMAP and the first of SMTP that failed.
#[derive(Debug, Default)]
pub struct CheckedMailbox {
    pub steps: Vec<CheckedStep>,
    /// Messages of the inbox.
    pub unread: Option<u32>,
}

#[derive(Debug)]
pub struct CheckedStep {
    pub step: Step,
    /// `host:port`
    pub server: String,
    pub problem: Option<StepProblem>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// An encrypted connection to the IMAP server, with a valid certificate.
    Connect,
    SignIn,
    /// Its folders, and the number of unread messages in the inbox.
    Folders,
    /// The same as `Connect` with the SMTP server.
    ConnectToSend,
    /// Its greeting and the sign-in; nothing is sent.
    SignInToSend,
}

/// Why a step failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepProblem {
    pub message: String,
    pub hint: String,
    /// The server does not accept the user and the password, or the access token.
    pub refused: bool,
}

/// Signs in to the servers of an entry of `mailboxes` with the password or the access token, lists its folders, and
/// sends nothing. `None` for an entry without a server, or whose token would go to another server. If IMAP refuses
/// it, SMTP is not tried: servers lock accounts.
pub async fn check(http: &dyn ToolHttp, entry: &Value, secret: Secret) -> Option<CheckedMailbox> {
    let account = account(entry).filter(|account| account.misplaced().is_none())?;
    let who = said(&account, secret);
    let mut checked = CheckedMailbox::default();
    read(http, &account, &who, &mut checked).await;
    let refused = checked.steps.iter().any(|step| step.problem.as_ref().is_some_and(|why| why.refused));
    if let (Some(server), false) = (account.smtp_server(), refused) {
        sign_in_to_send(http, &account, &who, server, &mut checked).await;
    }
    Some(checked)
}

async fn read(http: &dyn ToolHttp, account: &Account, who: &SignIn, checked: &mut CheckedMailbox) {
    let server = account.server();
    let Some(stream) = checked.add(Step::Connect, &server, in_time(to_imap(http, account)).await) else {
        return;
    };
    let Some(mut imap) = checked.add(Step::SignIn, &server, in_time(stream.sign_in(who)).await) else {
        return;
    };
    let folders = in_time(async {
        imap.folders().await?;
        imap.counts("INBOX").await
    });
    let folders = folders.await;
    checked.unread = checked.add(Step::Folders, &server, folders).map(|inbox| inbox.unread);
    // Whether the server confirms it does not matter.
    let _ = tokio::time::timeout(PATIENCE, imap.close()).await;
}

async fn sign_in_to_send(
    http: &dyn ToolHttp,
    account: &Account,
    who: &SignIn,
    server: String,
    checked: &mut CheckedMailbox,
) {
    let connected = in_time(to_smtp(http, account)).await;
    let Some((stream, greeted)) = checked.add(Step::ConnectToSend, &server, connected) else { return };
    let signed_in = in_time(Smtp::sign_in(stream, greeted, who)).await;
    if let Some(mut smtp) = checked.add(Step::SignInToSend, &server, signed_in) {
        smtp.close().await;
    }
}

impl CheckedMailbox {
    fn add<T>(&mut self, step: Step, server: &str, result: Result<T, StepProblem>) -> Option<T> {
        let (done, problem) = match result {
            Ok(done) => (Some(done), None),
            Err(problem) => (None, Some(problem)),
        };
        self.steps.push(CheckedStep { step, server: server.to_owned(), problem });
        done
    }
}

async fn in_time<T, E: Into<StepProblem>>(
    step: impl Future<Output = Result<T, E>>,
) -> Result<T, StepProblem> {
    match tokio::time::timeout(PATIENCE, step).await {
        Ok(done) => done.map_err(Into::into),
        Err(_) => Err(MailError::TooSlow { after: PATIENCE }.into()),
    }
}

impl From<ToolError> for StepProblem {
    fn from(error: ToolError) -> Self {
        Self { message: error.to_string(), hint: error.hint(), refused: false }
    }
}

impl From<MailError> for StepProblem {
    fn from(error: MailError) -> Self {
        let refused = matches!(error, MailError::SignIn { .. } | MailError::Token { .. });
        Self { message: sentence(&error), hint: error.hint().to_owned(), refused }
    }
}

impl From<SendError> for StepProblem {
    fn from(error: SendError) -> Self {
        let hint = match &error {
            SendError::SignIn { .. } | SendError::NoPassword => error.hint(),
            SendError::Token { .. } => "Sign in again with the account of this mailbox.",
            SendError::NoToken => "Use the servers of the provider, or a password.",
            SendError::TooSlow { .. } | SendError::Closed => "Try again later.",
            _ => "Check the SMTP server and its port.",
        };
        let refused = matches!(error, SendError::SignIn { .. } | SendError::Token { .. });
        Self { message: sentence(&error), hint: hint.to_owned(), refused }
    }
}

/// "the server refused: no" → "The server refused: no."
fn sentence(error: &dyn std::error::Error) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase).into_iter().flatten();
    let sentence: String = first.chain(letters).collect();
    if sentence.ends_with(['.', '!', '?']) { sentence } else { format!("{sentence}.") }
}
