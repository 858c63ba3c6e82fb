//! Parameters and results of the commands for mailboxes. Passwords are only sent to the backend.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::SecretText;

/// The mailboxes of the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MailboxesView {
    pub mailboxes: Vec<MailboxRow>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MailboxRow {
    pub mailbox: MailboxEntry,
    /// `mail/KEY`, where its password is.
    pub credential: String,
    pub password: MailboxPassword,
    /// Why it is unknown whether there is a password, or why a sign-in is needed.
    pub reason: Option<String>,
    /// The host at which the user signs in, where that takes the place of a password.
    pub sign_in_host: Option<String>,
    /// `host:port` of IMAP, then of SMTP if any: the destinations of the password.
    pub servers: Vec<String>,
    /// The newest test of these servers with this user.
    pub tested: Option<MailboxTest>,
}

/// A mailbox in `nova.config.json`, without its credential.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MailboxEntry {
    pub name: String,
    /// `host`, or `host:port`.
    pub imap: String,
    /// The same; empty if no mail is sent.
    pub smtp: String,
    pub user: String,
    /// Where the user signs in; null if there is a password.
    #[serde(default)]
    pub sign_in: Option<MailProvider>,
    /// Of the sender; empty if it is the user.
    pub address: String,
    /// The first word of the server's `Authentication-Results`; empty if unknown.
    pub checked_by: String,
    /// Each mail asks before it is sent; otherwise none is sent.
    pub sending: bool,
    pub read_only: bool,
}

/// A provider at which the user signs in with the browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum MailProvider {
    Google,
    Microsoft,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum MailboxPassword {
    Kept,
    Missing,
    /// The user has to sign in, with `sign_in` of the credential.
    NeedsSignIn,
    /// It is stored but not granted for these servers yet.
    NotGranted,
    /// The credentials cannot be reached.
    Unknown,
}

/// The test results of a mailbox's servers, step by step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MailboxTest {
    /// RFC 3339.
    pub at: String,
    /// Up to the first of IMAP and the first of SMTP that failed. SMTP is left out after a refused sign-in.
    pub steps: Vec<MailboxStep>,
    /// Messages of the inbox; none if it could not be read.
    pub unread: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MailboxStep {
    pub step: MailboxStepKind,
    /// `host:port`
    pub server: String,
    pub problem: Option<MailboxProblem>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum MailboxStepKind {
    Connect,
    SignIn,
    Folders,
    ConnectToSend,
    SignInToSend,
}

/// Why a step failed, in the server's words if any.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MailboxProblem {
    pub message: String,
    pub hint: String,
    /// The server rejects the user and the password, or the sign-in.
    pub refused: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MailAddress {
    pub address: String,
}

/// The servers of an address, as its domain or a database of providers names them. Nothing is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FoundMailServers {
    pub address: String,
    pub domain: String,
    pub found: Option<ProposedMailServers>,
    /// Sources asked before that named no usable server.
    pub without: Vec<AskedHost>,
}

/// Proposed servers, for review by the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ProposedMailServers {
    /// The provider's own name.
    pub provider: Option<String>,
    /// Their source: a host, or the DNS of the domain.
    pub from: String,
    /// It is Thunderbird's database of providers, and not the domain of the address.
    pub from_database: bool,
    /// As an entry has it.
    pub imap: String,
    /// The connection to the IMAP server becomes encrypted by STARTTLS, not from its first byte.
    pub imap_starttls: bool,
    /// The same; empty if none is usable.
    pub smtp: String,
    /// The same of the SMTP server.
    pub smtp_starttls: bool,
    pub user: String,
    /// The provider of these servers, if it uses a browser sign-in.
    pub sign_in: Option<MailProvider>,
    /// Hosts outside the domain of the address.
    pub elsewhere: Vec<String>,
    /// Servers that were named and are not proposed, each with the reason.
    pub left_out: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AskedHost {
    pub host: String,
    pub reason: String,
}

/// A new mailbox, or a changed one.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, TS)]
pub struct SaveMailbox {
    /// The name of the one that is changed.
    #[serde(default)]
    #[ts(optional)]
    pub before: Option<String>,
    pub mailbox: MailboxEntry,
    /// Needed for a new one, and where servers or user change, unless the user signs in with the browser.
    #[serde(default)]
    #[ts(optional)]
    pub password: Option<SecretText>,
    /// Stores it without a test.
    pub untested: bool,
}

/// Whether a mailbox was stored; false if its test failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SavedMailbox {
    pub saved: bool,
    /// None if nothing was tested.
    pub test: Option<MailboxTest>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize, TS)]
pub struct SetMailbox {
    pub name: String,
    #[serde(default)]
    #[ts(optional)]
    pub sending: Option<bool>,
    #[serde(default)]
    #[ts(optional)]
    pub read_only: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize, TS)]
pub struct TestMailbox {
    pub name: String,
    /// Lets the skill have the password for the servers of the mailbox, as the user was just shown them.
    pub grant: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize, TS)]
pub struct RemoveMailbox {
    pub name: String,
    /// Removes its password too, unless another mailbox uses it.
    pub password: bool,
}

/// Whether the panel of the mailboxes is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct WatchMail {
    pub open: bool,
}
