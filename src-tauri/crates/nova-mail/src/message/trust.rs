//! What speaks for or against the sender of a message. None of it is proof, and a missing result means nothing.

use mail_parser::Message;
use unicode_security::MixedScript;

use super::{Envelope, Part, PartKind, visible_line};

/// The most domains and names that a finding shows.
const LINE: usize = 120;

/// What the server that received the message found about its sender (RFC 8601).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SenderCheck {
    /// Whether that server reported any result.
    pub checked: bool,
    pub spf: Option<Check>,
    pub dkim: Option<Check>,
    pub dmarc: Option<Check>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    Passed,
    Failed,
    /// Not signed, not published, or not decided.
    Unknown,
}

/// Something to know before trusting a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// The receiving server found that the sender is not who it claims to be.
    NotVerified { domain: String },
    /// A reply would go to another domain.
    ReplyElsewhere { from: String, reply_to: String },
    /// The sender's name contains an address that is not its own.
    NameIsAddress { name: String, address: String },
    /// The domain mixes alphabets, so that it may look like another one. `ascii`: its form in DNS.
    LookAlike { domain: String, ascii: String },
    /// There are several senders.
    SeveralSenders { count: usize },
    /// There is no sender.
    NoSender,
    /// A part hides its content.
    Hidden { part: String },
    /// A part runs when it is opened, or its name has a misleading extension.
    Runs { part: String },
}

impl SenderCheck {
    pub(super) fn of(message: &Message<'_>, receiver: &[&str]) -> Self {
        let mut check = Self::default();
        // The receiving server adds its own above those that came with the message.
        let own = message.headers_raw().find(|(name, text)| {
            name.trim().eq_ignore_ascii_case("authentication-results") && is_of(text, receiver)
        });
        let Some((_, text)) = own else { return check };
        check.checked = true;
        for result in without_comments(text).split(';').skip(1) {
            let Some((method, said)) = result.trim().split_once('=') else { continue };
            let said = said.split_whitespace().next().unwrap_or_default();
            let said = match said.to_ascii_lowercase().as_str() {
                "pass" => Check::Passed,
                "fail" | "softfail" | "policy" | "hardfail" => Check::Failed,
                _ => Check::Unknown,
            };
            let method = method.trim().split('/').next().unwrap_or_default().trim().to_ascii_lowercase();
            match method.as_str() {
                "spf" => check.spf = Some(said),
                "dmarc" => check.dmarc = Some(said),
                // One valid signature is enough.
                "dkim" if check.dkim != Some(Check::Passed) => check.dkim = Some(said),
                _ => {}
            }
        }
        check
    }

    /// Whether the sender is who it claims to be; `None` without evidence.
    pub fn verified(&self) -> Option<bool> {
        if self.has_failed() {
            return Some(false);
        }
        (self.dmarc == Some(Check::Passed) || self.has_passed()).then_some(true)
    }

    fn has_failed(&self) -> bool {
        match self.dmarc {
            Some(Check::Passed) => false,
            Some(Check::Failed) => true,
            _ => [self.spf, self.dkim].contains(&Some(Check::Failed)) && !self.has_passed(),
        }
    }

    fn has_passed(&self) -> bool {
        [self.spf, self.dkim].contains(&Some(Check::Passed))
    }
}

/// Whether one of these hosts signed the results.
fn is_of(text: &str, receiver: &[&str]) -> bool {
    let text = without_comments(text);
    let id = text.split(';').next().and_then(|first| first.split_whitespace().next()).unwrap_or_default();
    receiver.iter().any(|host| host.eq_ignore_ascii_case(id))
}

/// Comments may contain semicolons and anything else.
fn without_comments(text: &str) -> String {
    let mut depth = 0_usize;
    let mut clean = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(c) = letters.next() {
        match c {
            '\\' => {
                letters.next();
            }
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            c if depth == 0 => clean.push(if c.is_control() { ' ' } else { c }),
            _ => {}
        }
    }
    clean
}

impl Finding {
    pub(super) fn all(envelope: &Envelope, sender: &SenderCheck, parts: &[Part]) -> Vec<Self> {
        let mut found = Vec::new();
        match envelope.from.as_slice() {
            [] => found.push(Self::NoSender),
            [_] => {}
            many => found.push(Self::SeveralSenders { count: many.len() }),
        }
        if let Some(from) = envelope.from.first() {
            let domain = domain_of(&from.address);
            if sender.has_failed() {
                found.push(Self::NotVerified { domain: domain.to_owned() });
            }
            let elsewhere =
                envelope.reply_to.iter().find(|person| !is_same(domain_of(&person.address), domain));
            if let Some(person) = elsewhere {
                let (from, reply_to) = (from.address.clone(), person.address.clone());
                found.push(Self::ReplyElsewhere { from, reply_to });
            }
            if let Some(name) = &from.name
                && name.contains('@')
                && !name.to_lowercase().contains(&from.address.to_lowercase())
            {
                found.push(Self::NameIsAddress { name: name.clone(), address: from.address.clone() });
            }
        }
        let people = envelope.from.iter().chain(&envelope.reply_to);
        for domain in people.map(|person| domain_of(&person.address)) {
            let (domain, errors) = idna::domain_to_unicode(domain);
            let label_mixes = |label: &str| !label.is_single_script();
            if errors.is_err() || domain.split('.').any(label_mixes) || imitates_ascii(&domain) {
                let ascii = idna::domain_to_ascii(&domain).unwrap_or_default();
                let finding = Self::LookAlike { domain: visible_line(&domain, LINE), ascii };
                if !found.contains(&finding) {
                    found.push(finding);
                }
            }
        }
        for part in parts {
            if part.kind == PartKind::Tnef {
                found.push(Self::Hidden { part: part.name.clone() });
            } else if runs(&part.name) {
                found.push(Self::Runs { part: part.name.clone() });
            }
        }
        found
    }
}

fn domain_of(address: &str) -> &str {
    address.rsplit_once('@').map_or("", |(_, domain)| domain).trim_end_matches('.')
}

/// A subdomain counts as its domain.
fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.to_lowercase(), other.to_lowercase());
    let is_below = |sub: &str, domain: &str| {
        sub.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    !one.is_empty() && !other.is_empty() && (is_below(&one, &other) || is_below(&other, &one))
}

/// A label in one other alphabet whose every letter looks like an ASCII one, as Cyrillic "раураӏ".
fn imitates_ascii(domain: &str) -> bool {
    domain.split('.').filter(|label| !label.is_ascii()).any(|label| {
        let look: String = unicode_security::skeleton(label).collect();
        look.is_ascii()
    })
}

/// File names that a double click executes.
fn runs(name: &str) -> bool {
    let Some((_, ending)) = name.trim_end_matches(['.', ' ']).rsplit_once('.') else { return false };
    [
        "exe",
        "com",
        "scr",
        "pif",
        "bat",
        "cmd",
        "ps1",
        "vbs",
        "vbe",
        "js",
        "jse",
        "wsf",
        "wsh",
        "hta",
        "msi",
        "msc",
        "lnk",
        "jar",
        "cpl",
        "reg",
        "iso",
        "img",
        "vhd",
        "app",
        "command",
        "desktop",
        "sh",
        "xll",
        "chm",
        "application",
    ]
    .iter()
    .any(|known| ending.eq_ignore_ascii_case(known))
}
