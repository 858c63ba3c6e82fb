//! The mailboxes that the user configured.

use nova_mail::MessageId;
use nova_skill::figures::folded;
use nova_skill::{ToolError, Value};

use crate::providers::Provider;

/// IMAP over TLS.
pub(crate) const PORT: u16 = 993;
/// SMTP over TLS.
pub(crate) const SMTP_PORT: u16 = 465;

/// A configured mailbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Account {
    pub(crate) name: String,
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) user: String,
    /// The credential, `mail/KEY`.
    pub(crate) credential: String,
    /// The sign-in provider; `None` if the credential is a password.
    pub(crate) sign_in: Option<Provider>,
    /// The name with which its server signs its checks of senders.
    pub(crate) checked_by: Option<String>,
    /// The SMTP server.
    pub(crate) smtp: Option<(String, u16)>,
    /// The address of the sender.
    pub(crate) address: Option<String>,
    /// The user has enabled sending; each mail still asks for approval.
    pub(crate) sends: bool,
    pub(crate) read_only: bool,
}

/// The mailboxes of the skill's configuration; entries without a server are skipped.
pub(crate) fn configured(config: &Value) -> Vec<Account> {
    config["mailboxes"].as_array().into_iter().flatten().filter_map(account).collect()
}

/// The mailbox of an entry of `mailboxes`.
pub(crate) fn account(entry: &Value) -> Option<Account> {
    let text = |key: &str| entry[key].as_str().map(str::trim).filter(|text| !text.is_empty());
    let (host, port) = server(text("imap")?, PORT)?;
    let user = text("user")?;
    let address = text("address").or(Some(user).filter(|user| user.contains('@')));
    let credential = credential(entry)?;
    let sign_in = match text("sign_in") {
        None => None,
        // The schema rejects other names; their token is not a password.
        Some(name) => Some(Provider::named(name)?),
    };
    let known = host.eq_ignore_ascii_case("imap.gmail.com").then_some("mx.google.com");
    Some(Account {
        name: text("name")?.to_owned(),
        checked_by: text("checked_by").or(known).map(str::to_owned),
        host,
        port,
        user: user.to_owned(),
        credential,
        sign_in,
        smtp: text("smtp").and_then(|smtp| server(smtp, SMTP_PORT)),
        address: address.map(str::to_owned),
        sends: entry["sending"].as_str() == Some("ask"),
        read_only: entry["read_only"].as_bool() == Some(true),
    })
}

/// The credential of an entry, `mail/KEY`.
pub(crate) fn credential(entry: &Value) -> Option<String> {
    let written = entry["password"].as_str()?.trim();
    Some(written.strip_prefix("${credentials:")?.strip_suffix('}')?.to_owned())
}

/// `host` or `host:port`.
pub(crate) fn server(text: &str, usual: u16) -> Option<(String, u16)> {
    let (host, port) = match text.split_once(':') {
        Some((host, port)) => (host, port.parse().ok().filter(|port| *port > 0)?),
        None => (text, usual),
    };
    Some((host.to_owned(), port))
}

/// The servers of all mailboxes, or of the one that the call names, as a card shows them.
pub(crate) fn hosts(config: &Value, args: &Value) -> Vec<String> {
    let accounts = configured(config);
    sorted(selected(&accounts, args).into_iter().map(Account::server))
}

/// The same for a call that sends.
pub(crate) fn sending_hosts(config: &Value, args: &Value) -> Vec<String> {
    let accounts = configured(config);
    let all = selected(&accounts, args);
    sorted(all.into_iter().flat_map(|account| [account.smtp_server(), Some(account.server())]).flatten())
}

fn sorted(hosts: impl Iterator<Item = String>) -> Vec<String> {
    let mut hosts: Vec<String> = hosts.collect();
    hosts.sort();
    hosts.dedup();
    hosts
}

/// The mailboxes that the arguments name; all if they name none.
fn selected<'a>(accounts: &'a [Account], args: &Value) -> Vec<&'a Account> {
    let ids = args["ids"].as_array().into_iter().flatten().chain([&args["id"]]).filter_map(Value::as_str);
    let mut named: Vec<&Account> = ids.filter_map(|id| Some(of_id(accounts, id)?.0)).collect();
    if let Some(name) = args["mailbox"].as_str() {
        named.extend(accounts.iter().filter(|account| folded(&account.name) == folded(name.trim())));
    }
    if named.is_empty() { accounts.iter().collect() } else { named }
}

/// Why the tools are unavailable.
pub(crate) fn unavailable(config: &Value) -> Option<String> {
    let none = configured(config).is_empty();
    none.then(|| "No mailbox is configured. Add one in Settings, Skills, Mail.".into())
}

/// All mailboxes, or the one of that name.
///
/// # Errors
/// `NotFound` for an unknown name.
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

/// The mailbox of that name, or the only matching one.
///
/// # Errors
/// `NotFound` for an unknown name; if several could be meant.
pub(crate) fn one(
    config: &Value,
    name: Option<&str>,
    fits: impl Fn(&Account) -> bool,
) -> Result<Account, ToolError> {
    let mut accounts = chosen(config, name)?;
    if accounts.iter().filter(|account| fits(account)).count() == 1 {
        accounts.retain(fits);
    }
    if accounts.len() > 1 {
        return Err(ToolError::InvalidArguments {
            path: "/mailbox".into(),
            rule: "must name one of several mailboxes".into(),
            allowed: accounts.into_iter().map(|account| account.name).collect(),
        });
    }
    accounts
        .pop()
        .ok_or_else(|| ToolError::failed("No mailbox is configured.", "Add one in Settings, Skills, Mail."))
}

/// The mailbox and the message of an id, `mailbox/folder/numbers`. `mailbox`: the one that the call names besides.
///
/// # Errors
/// When it is no id, or of another mailbox.
pub(crate) fn message(
    config: &Value,
    id: &str,
    mailbox: Option<&str>,
) -> Result<(Account, MessageId), ToolError> {
    let accounts = configured(config);
    let found = of_id(&accounts, id).and_then(|(account, rest)| Some((account.clone(), rest.parse().ok()?)));
    let (account, id) = found.ok_or_else(|| ToolError::InvalidArguments {
        path: "/id".into(),
        rule: "must be an id that mail.list, mail.search or mail.thread returned".into(),
        allowed: Vec::new(),
    })?;
    match mailbox.map(str::trim).filter(|name| !name.is_empty()) {
        Some(name) if folded(name) != folded(&account.name) => Err(ToolError::InvalidArguments {
            path: "/mailbox".into(),
            rule: "must be the mailbox of the message".into(),
            allowed: vec![account.name],
        }),
        _ => Ok((account, id)),
    }
}

/// A name may contain a slash.
fn of_id<'a, 'b>(accounts: &'a [Account], id: &'b str) -> Option<(&'a Account, &'b str)> {
    let rest =
        |account: &'a Account| Some((account, id.trim().strip_prefix(&account.name)?.strip_prefix('/')?));
    accounts.iter().filter_map(rest).max_by_key(|(account, _)| account.name.len())
}

impl Account {
    /// As shown on a card.
    pub(crate) fn server(&self) -> String {
        shown(&self.host, self.port)
    }

    pub(crate) fn smtp_server(&self) -> Option<String> {
        self.smtp.as_ref().map(|(host, port)| shown(host, *port))
    }

    /// Why an access token must not go to the servers of this mailbox, one sentence.
    pub(crate) fn misplaced(&self) -> Option<String> {
        let provider = self.sign_in?;
        let mut hosts = std::iter::once(&self.host).chain(self.smtp.as_ref().map(|(host, _)| host));
        let stranger = hosts.find(|host| !provider.trusts(host))?;
        Some(format!(
            "A sign-in with {} is for {} and {} only, and {stranger} is another server.",
            provider.title(),
            provider.servers()[0],
            provider.servers()[1],
        ))
    }

    /// # Errors
    /// If the mailbox is read-only.
    pub(crate) fn check_writable(&self) -> Result<(), ToolError> {
        if !self.read_only {
            return Ok(());
        }
        Err(ToolError::failed(
            format!("{} is read-only: nothing in it is changed.", self.name),
            "Only the user can change that: Settings, Skills, Mail.",
        ))
    }

    /// # Errors
    /// If sending is off for the mailbox.
    pub(crate) fn check_sending(&self) -> Result<(), ToolError> {
        if self.sends {
            // The copy in Sent would be a change.
            return self.check_writable();
        }
        Err(ToolError::failed(
            format!("Sending is blocked: mailbox sending is disabled for {}. Nothing was sent.", self.name),
            "Only the user can enable it: Settings, Skills, Mail, Sending. Offer a draft instead.",
        ))
    }

    /// Whether its server adds a copy of sent mails to Sent itself.
    pub(crate) fn files_sent_itself(&self) -> bool {
        let hosts = ["gmail.com", "googlemail.com", "office365.com", "outlook.com", "me.com", "icloud.com"];
        let Some((host, _)) = &self.smtp else { return false };
        let host = host.to_lowercase();
        hosts.iter().any(|known| host == *known || host.ends_with(&format!(".{known}")))
    }

    pub(crate) fn id(&self, id: &MessageId) -> String {
        format!("{}/{id}", self.name)
    }
}

fn shown(host: &str, port: u16) -> String {
    // As connections to this machine spell it.
    let host = if host.eq_ignore_ascii_case("localhost") { "127.0.0.1" } else { host };
    format!("{host}:{port}")
}
