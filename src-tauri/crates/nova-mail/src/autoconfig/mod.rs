//! The servers of a mailbox as published by its domain or Thunderbird's database of providers: Autoconfig 1.1
//! (<https://wiki.mozilla.org/Thunderbird:Autoconfiguration:ConfigFileFormat>), and DNS records (RFC 6186).
//!
//! The input is untrusted: a server is proposed only by host name, and only if its connection is encrypted.

mod records;
mod xml;

use std::str::FromStr;

use crate::address::is_address;
use crate::imap::imap_begins_with_starttls;
use crate::smtp::smtp_begins_with_starttls;
use crate::{AddressError, visible_line};
use xml::Element;

pub use records::{MailRecords, NoServer, read_records};
pub use xml::XmlError;

/// The longest text of a file that is shown, such as the name of a provider.
const LINE: usize = 100;
/// How many servers of a file are considered.
const SERVERS: usize = 20;

const PLACEHOLDERS: [&str; 3] = ["%EMAILADDRESS%", "%EMAILLOCALPART%", "%EMAILDOMAIN%"];
/// Version 1.0's names for password authentication, plain and encrypted.
const OLD_WAYS: [&str; 2] = ["plain", "secure"];

/// The address of a mailbox; its domain is queried for servers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnAddress {
    text: String,
    /// In the ASCII form of DNS, lower case.
    domain: String,
}

/// The source of a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Publisher {
    /// The domain of the address.
    Domain,
    /// Thunderbird's database of providers.
    Thunderbird,
}

/// Servers proposed for an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposedServers {
    /// The provider's name from the file; DNS records have none.
    pub provider: Option<String>,
    /// The user name at both servers.
    pub user: String,
    /// Both are encrypted from the first byte, or by STARTTLS on its usual ports.
    pub imap: ProposedServer,
    pub smtp: Option<ProposedServer>,
    /// Rejected servers, each with its reason.
    pub left_out: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposedServer {
    pub host: String,
    pub port: u16,
}

/// Why a file yields no proposal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AutoconfigError {
    #[error(transparent)]
    Xml(#[from] XmlError),
    #[error("it names no mail provider")]
    NoProvider,
    #[error("it names no IMAP server that can be used{}", reasons(.0))]
    NoServer(Vec<String>),
}

fn reasons(reasons: &[String]) -> String {
    if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join("; ")) }
}

impl FromStr for OwnAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let text = text.trim();
        let error = || AddressError { text: visible_line(text, LINE) };
        let domain = text.rsplit_once('@').filter(|_| is_address(text)).map(|(_, domain)| domain);
        let domain = idna::domain_to_ascii(domain.ok_or_else(error)?).map_err(|_| error())?;
        if is_name(&domain) { Ok(Self { text: text.to_owned(), domain }) } else { Err(error()) }
    }
}

impl OwnAddress {
    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub fn domain(&self) -> &str {
        &self.domain
    }

    /// URLs of the files that may name its servers, most authoritative first. None of them contains the part before
    /// the `@`: the placeholders of a file are filled in here.
    pub fn autoconfig_files(&self) -> [(Publisher, String); 3] {
        let domain = &self.domain;
        [
            (Publisher::Domain, format!("https://autoconfig.{domain}/mail/config-v1.1.xml")),
            (Publisher::Domain, format!("https://{domain}/.well-known/autoconfig/mail/config-v1.1.xml")),
            (Publisher::Thunderbird, format!("https://autoconfig.thunderbird.net/v1.1/{domain}")),
        ]
    }

    /// Whether a host belongs to the domain of the address.
    pub fn owns(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        host.strip_suffix(&self.domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    }

    /// Fills in the placeholders of a text.
    fn filled(&self, text: &str) -> String {
        let (local, domain) = self.text.rsplit_once('@').unwrap_or((&self.text, &self.domain));
        let values = [self.text.as_str(), local, domain];
        // In one pass, as an address may itself contain a placeholder.
        let mut filled = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('%') {
            filled.push_str(&rest[..at]);
            rest = &rest[at..];
            let known = PLACEHOLDERS.iter().position(|placeholder| rest.starts_with(placeholder));
            let (value, length) = known.map_or(("%", 1), |known| (values[known], PLACEHOLDERS[known].len()));
            filled.push_str(value);
            rest = &rest[length..];
        }
        filled + rest
    }
}

/// Parses the servers for an address from a file.
///
/// # Errors
/// If it is not such a file, or names no IMAP server that can be used.
pub fn read_autoconfig(bytes: &[u8], address: &OwnAddress) -> Result<ProposedServers, AutoconfigError> {
    let root = xml::parse(bytes)?;
    let provider = root.child("emailProvider").ok_or(AutoconfigError::NoProvider)?;
    let mut left_out = Vec::new();
    let mut usable = |element: &str, kind: &str, fits: fn(&str, u16) -> Result<(), &'static str>| {
        let servers = provider.all(element).filter(|server| server.kind.as_deref() == Some(kind));
        let read = servers.take(SERVERS).filter_map(|server| match usable_server(server, address, fits) {
            Ok(usable) => Some(usable),
            Err(reason) => {
                left_out.push(reason);
                None
            }
        });
        read.collect::<Vec<_>>()
    };
    let imap = usable("incomingServer", "imap", imap_fits).into_iter().next();
    let outgoing = usable("outgoingServer", "smtp", smtp_fits);
    let Some((imap, user)) = imap else { return Err(AutoconfigError::NoServer(left_out)) };
    // Both servers must have the same user name.
    let smtp = outgoing.iter().find(|(_, of_smtp)| *of_smtp == user).map(|(server, _)| server.clone());
    if smtp.is_none() {
        let other = |(server, _): &(ProposedServer, String)| {
            format!("{}:{} has another user name than the IMAP server", server.host, server.port)
        };
        left_out.extend(outgoing.iter().map(other));
    }
    let name = provider.child("displayName").or_else(|| provider.child("displayShortName"));
    let name = name.map(|name| visible_line(&name.text, LINE)).filter(|name| !name.is_empty());
    Ok(ProposedServers { provider: name, user, imap, smtp, left_out })
}

/// The server and its user name, or why it is rejected.
fn usable_server(
    server: &Element,
    address: &OwnAddress,
    fits: fn(&str, u16) -> Result<(), &'static str>,
) -> Result<(ProposedServer, String), String> {
    let said = |name: &str| server.child(name).map(|child| child.text.trim()).unwrap_or_default();
    let host = address.filled(said("hostname")).trim_end_matches('.').to_ascii_lowercase();
    if !is_name(&host) {
        return Err(format!("\"{}\" is not a server name", visible_line(&host, LINE)));
    }
    let port: u16 = said("port")
        .parse()
        .ok()
        .filter(|port| *port > 0)
        .ok_or_else(|| format!("{host} has the invalid port \"{}\"", visible_line(said("port"), LINE)))?;
    fits(said("socketType"), port).map_err(|reason| format!("{host}:{port} {reason}"))?;
    let mut ways = server.all("authentication").map(|way| way.text.trim()).peekable();
    let takes_password =
        ways.peek().is_none() || ways.any(|way| way.starts_with("password-") || OLD_WAYS.contains(&way));
    if !takes_password {
        return Err(format!("{host}:{port} takes no password, only a sign-in on a web page"));
    }
    let written = said("username");
    let user = if written.is_empty() { address.text.clone() } else { address.filled(written) };
    let unknown = PLACEHOLDERS.iter().fold(written.to_owned(), |rest, known| rest.replace(known, ""));
    if visible_line(&user, 2 * LINE) != user || unknown.contains('%') {
        return Err(format!("{host}:{port} has the user name \"{}\"", visible_line(&user, LINE)));
    }
    Ok((ProposedServer { host, port }, user))
}

fn imap_fits(encryption: &str, port: u16) -> Result<(), &'static str> {
    fits(encryption, imap_begins_with_starttls(port))
}

fn smtp_fits(encryption: &str, port: u16) -> Result<(), &'static str> {
    fits(encryption, smtp_begins_with_starttls(port))
}

/// Nova's configuration has only the port, so the encryption must follow from it.
fn fits(encryption: &str, starttls_by_port: bool) -> Result<(), &'static str> {
    match (encryption, starttls_by_port) {
        ("SSL", false) | ("STARTTLS", true) => Ok(()),
        ("SSL" | "STARTTLS", _) => Err("does not use the encryption of its port"),
        _ => Err("is not encrypted"),
    }
}

/// A DNS name with at least two labels, neither local nor an IP address.
fn is_name(host: &str) -> bool {
    let labels: Vec<&str> = host.split('.').collect();
    let label = |label: &&str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let top = labels.last().copied().unwrap_or_default();
    let local = ["local", "localhost", "localdomain", "internal", "lan"];
    labels.len() > 1
        && host.len() <= 253
        && labels.iter().all(label)
        && !top.bytes().all(|byte| byte.is_ascii_digit())
        && !local.contains(&top.to_ascii_lowercase().as_str())
}
