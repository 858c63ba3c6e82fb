//! Functions for the settings, to add and test a mailbox, and for the panel, to notice changes. No tool calls them:
//! the user does, by a button or an open panel.

mod check;
mod find;
mod watch;

pub use check::{CheckedMailbox, CheckedStep, Step, StepProblem, check};
pub use find::{FoundServers, Proposal, find_servers};
pub use nova_mail::{
    OwnAddress, ProposedServer, ProposedServers, Publisher, imap_begins_with_starttls,
    smtp_begins_with_starttls,
};
pub use watch::{WatchedInbox, watch};

pub use crate::providers::Provider;

use nova_skill::Value;

use crate::accounts::{self, PORT, SMTP_PORT, account, server};
use crate::headers;

/// The servers of an entry of `mailboxes`, as [`nova_skill::ToolHttp`] and the grants of credentials name them: IMAP,
/// then SMTP if there is one. Empty for an entry without servers.
pub fn servers(entry: &Value) -> Vec<String> {
    let Some(account) = account(entry) else { return Vec::new() };
    [Some(account.server()), account.smtp_server()].into_iter().flatten().collect()
}

/// The keys in [`nova_skill::ToolCache`] of everything cached of an entry's mailbox.
pub fn cached(entry: &Value) -> Vec<String> {
    account(entry).map(|account| headers::keys(&account)).unwrap_or_default()
}

/// The credential of an entry of `mailboxes`, `mail/KEY`.
pub fn credential(entry: &Value) -> Option<String> {
    accounts::credential(entry)
}

/// The provider where the user of an entry of `mailboxes` signs in.
pub fn sign_in(entry: &Value) -> Option<Provider> {
    Provider::named(entry["sign_in"].as_str()?.trim())
}

/// What is wrong with an entry of `mailboxes`, in one sentence for its user.
pub fn fault(entry: &Value) -> Option<String> {
    let text = |key: &str| entry[key].as_str().unwrap_or_default().trim();
    if !(1..=60).contains(&text("name").chars().count()) {
        return Some("The name of the mailbox must have 1 to 60 characters.".into());
    }
    for (key, what, example) in [("imap", "IMAP", "imap.example.org"), ("smtp", "SMTP", "smtp.example.org")] {
        let given = text(key);
        let is_left_out = key == "smtp" && given.is_empty();
        if !is_server(given) && !is_left_out {
            return Some(format!(
                "\"{given}\" is not a valid {what} server: write its name, such as {example}, with its port if that is \
                 not the default."
            ));
        }
    }
    if text("user").is_empty() {
        return Some("The user is missing: the name with which you sign in, often the address.".into());
    }
    let address = text("address");
    let plain =
        |part: &str| !part.is_empty() && !part.contains(|c: char| c.is_whitespace() || "<>,;@".contains(c));
    if !address.is_empty() && !address.split_once('@').is_some_and(|(name, host)| plain(name) && plain(host))
    {
        return Some(format!("\"{address}\" is not an address such as jane@example.org."));
    }
    account(entry).and_then(|account| account.misplaced())
}

fn is_server(text: &str) -> bool {
    let host = text.split_once(':').map_or(text, |(host, _)| host);
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-';
    !host.is_empty() && host.chars().all(fits) && server(text, PORT).is_some()
}

/// `host`, or `host:port` if the port is not the default, as an entry has it.
pub fn written(server: &ProposedServer, kind: Kind) -> String {
    let usual = match kind {
        Kind::Imap => PORT,
        Kind::Smtp => SMTP_PORT,
    };
    if server.port == usual { server.host.clone() } else { format!("{}:{}", server.host, server.port) }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Imap,
    Smtp,
}
