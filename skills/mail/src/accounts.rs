//! The mailboxes that the user configured.

use nova_mail::MessageId;
use nova_skill::figures::folded;
use nova_skill::{ToolError, Value};

/// IMAP over TLS.
pub(crate) const PORT: u16 = 993;

/// A mailbox as the user set it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Account {
    pub(crate) name: String,
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) user: String,
    /// The credential, `mail/KEY`.
    pub(crate) credential: String,
    /// The name under which its server signs its checks of senders.
    pub(crate) checked_by: Option<String>,
}

/// Those of the skill's configuration; one without a server is left out.
pub(crate) fn configured(config: &Value) -> Vec<Account> {
    let entries = config["mailboxes"].as_array().into_iter().flatten();
    let accounts = entries.filter_map(|entry| {
        let text = |key: &str| entry[key].as_str().map(str::trim).filter(|text| !text.is_empty());
        let server = text("imap")?;
        let (host, port) = match server.split_once(':') {
            Some((host, port)) => (host, port.parse().ok().filter(|port| *port > 0)?),
            None => (server, PORT),
        };
        let credential = text("password")?.strip_prefix("${credentials:")?.strip_suffix('}')?;
        let known = host.eq_ignore_ascii_case("imap.gmail.com").then_some("mx.google.com");
        Some(Account {
            name: text("name")?.to_owned(),
            host: host.to_owned(),
            port,
            user: text("user")?.to_owned(),
            credential: credential.to_owned(),
            checked_by: text("checked_by").or(known).map(str::to_owned),
        })
    });
    accounts.collect()
}

/// The servers of all mailboxes, or of the one that the call names, as a card shows them.
pub(crate) fn hosts(config: &Value, args: &Value) -> Vec<String> {
    let accounts = configured(config);
    let named = match (args["mailbox"].as_str(), args["id"].as_str()) {
        (_, Some(id)) => of_id(&accounts, id).map(|(account, _)| account),
        (Some(name), None) => accounts.iter().find(|account| folded(&account.name) == folded(name.trim())),
        (None, None) => None,
    };
    let meant = named.map_or_else(|| accounts.clone(), |account| vec![account.clone()]);
    let mut hosts: Vec<String> = meant.iter().map(Account::server).collect();
    hosts.sort();
    hosts.dedup();
    hosts
}

/// Why no tool can be called.
pub(crate) fn unavailable(config: &Value) -> Option<String> {
    let none = configured(config).is_empty();
    none.then(|| "No mailbox is configured. Add one in Settings, Skills, Mail.".into())
}

/// All mailboxes, or the one of that name.
///
/// # Errors
/// `NotFound` for a name that no mailbox has.
pub(crate) fn chosen(config: &Value, name: Option<&str>) -> Result<Vec<Account>, ToolError> {
    let mut accounts = configured(config);
    if let Some(name) = name.map(str::trim).filter(|name| !name.is_empty()) {
        let names = accounts.iter().map(|account| account.name.clone()).collect();
        accounts.retain(|account| folded(&account.name) == folded(name));
        if accounts.is_empty() {
            return Err(ToolError::NotFound { kind: "mailbox".into(), name: name.into(), nearest: names });
        }
    }
    Ok(accounts)
}

/// The mailbox and the message of an id, `mailbox/folder/numbers`.
///
/// # Errors
/// When it is no id.
pub(crate) fn message(config: &Value, id: &str) -> Result<(Account, MessageId), ToolError> {
    let accounts = configured(config);
    let found = of_id(&accounts, id).and_then(|(account, rest)| Some((account.clone(), rest.parse().ok()?)));
    found.ok_or_else(|| ToolError::InvalidArguments {
        path: "/id".into(),
        rule: "must be an id that mail.list, mail.search or mail.thread returned".into(),
        allowed: Vec::new(),
    })
}

/// A name may contain a slash.
fn of_id<'a, 'b>(accounts: &'a [Account], id: &'b str) -> Option<(&'a Account, &'b str)> {
    let rest =
        |account: &'a Account| Some((account, id.trim().strip_prefix(&account.name)?.strip_prefix('/')?));
    accounts.iter().filter_map(rest).max_by_key(|(account, _)| account.name.len())
}

impl Account {
    /// As a card names it.
    pub(crate) fn server(&self) -> String {
        // As connections to this machine name it.
        let host = if self.host.eq_ignore_ascii_case("localhost") { "127.0.0.1" } else { &self.host };
        format!("{host}:{}", self.port)
    }

    pub(crate) fn id(&self, id: &MessageId) -> String {
        format!("{}/{id}", self.name)
    }
}
