//! What speaks for or against the sender of a message. None of it is proof, and a missing result means nothing.

use mail_parser::Message;
use unicode_security::MixedScript;

use super::{Envelope, Part, PartKind, Person, visible_line};

/// The most domains and names that a finding shows.
const LINE: usize = 120;

/// What the server that received the message found about its sender (RFC 8601).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SenderCheck {
    /// Whether that server reported any result.
    pub checked: bool,
    pub spf: Option<Checked>,
    pub dkim: Option<Checked>,
    pub dmarc: Option<Checked>,
}

/// A result, and for which domain it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    pub result: Check,
    /// Of the envelope's sender (SPF), of the signature (DKIM) or of `From` (DMARC); `None` if the server does not report it.
    pub domain: Option<String>,
    /// Whether that is the domain of the one sender in `From`, by relaxed alignment (RFC 7489, 3.1). Anybody passes SPF and
    /// DKIM for a domain of their own.
    pub aligned: bool,
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
    /// An answer goes to another address of the sender's domain.
    ReplyToOther { from: String, reply_to: String },
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
    pub(super) fn of(message: &Message<'_>, envelope: &Envelope, receiver: &[&str]) -> Self {
        let mut check = Self::default();
        // The receiving server adds its own above those that came with the message.
        let own = message.headers_raw().find(|(name, text)| {
            name.trim().eq_ignore_ascii_case("authentication-results") && is_of(text, receiver)
        });
        let Some((_, text)) = own else { return check };
        check.checked = true;
        // Of several senders, none is the one that was checked.
        let from = match envelope.from.as_slice() {
            [one] => domain_of(&one.address),
            _ => "",
        };
        for words in plain(text).split(';').skip(1).map(words) {
            let Some((method, said)) = words.first().and_then(|word| word.split_once('=')) else { continue };
            let result = match said.to_ascii_lowercase().as_str() {
                "pass" => Check::Passed,
                "fail" | "softfail" | "policy" | "hardfail" => Check::Failed,
                _ => Check::Unknown,
            };
            let domain = |property: &str| {
                let named = words.iter().skip(1).filter_map(|word| word.split_once('='));
                let mut named = named.filter(|(name, _)| name.eq_ignore_ascii_case(property));
                named.next().and_then(|(_, value)| domain_in(value))
            };
            let method = method.split('/').next().unwrap_or_default().to_ascii_lowercase();
            let (of, domain) = match method.as_str() {
                "spf" => (&mut check.spf, domain("smtp.mailfrom")),
                // Some name only the user of the signature, who is of its domain or below it (RFC 6376, 3.5).
                "dkim" => (&mut check.dkim, domain("header.d").or_else(|| domain("header.i"))),
                "dmarc" => (&mut check.dmarc, domain("header.from").or_else(|| domain_in(from))),
                _ => continue,
            };
            let aligned = domain.as_deref().is_some_and(|domain| is_aligned(domain, from));
            let new = Checked { result, domain, aligned };
            if of.as_ref().is_none_or(|old| new.weight() > old.weight()) {
                *of = Some(new);
            }
        }
        check
    }

    /// Whether the sender is verified; `None` without a result.
    pub fn verified(&self) -> Option<bool> {
        if self.has_failed() {
            return Some(false);
        }
        [&self.spf, &self.dkim, &self.dmarc]
            .into_iter()
            .flatten()
            .any(Checked::speaks_for_sender)
            .then_some(true)
    }

    fn has_failed(&self) -> bool {
        let others = || [&self.spf, &self.dkim].into_iter().flatten();
        match &self.dmarc {
            Some(dmarc) if dmarc.speaks_for_sender() => false,
            Some(dmarc) if dmarc.result == Check::Failed => true,
            _ => {
                others().any(|check| check.result == Check::Failed)
                    && !others().any(Checked::speaks_for_sender)
            }
        }
    }
}

impl Checked {
    pub fn speaks_for_sender(&self) -> bool {
        self.result == Check::Passed && self.aligned
    }

    /// Which of several results of a method counts. One good signature of the sender is enough.
    fn weight(&self) -> u8 {
        match self.result {
            Check::Passed if self.aligned => 3,
            Check::Failed => 2,
            Check::Passed => 1,
            Check::Unknown => 0,
        }
    }
}

/// Whether one of these hosts signed the results.
fn is_of(text: &str, receiver: &[&str]) -> bool {
    let text = plain(text);
    let id = text.split(';').next().and_then(|first| first.split_whitespace().next()).unwrap_or_default();
    receiver.iter().any(|host| host.eq_ignore_ascii_case(id))
}

/// Without comments, and without what would separate results within quotes: a sender chooses the part before the `@`.
fn plain(text: &str) -> String {
    let (mut depth, mut quoted) = (0_usize, false);
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(c) = letters.next() {
        match c {
            '\\' => {
                letters.next();
            }
            '"' if depth == 0 => {
                quoted = !quoted;
                plain.push(c);
            }
            c if quoted => plain.push(if c.is_whitespace() || ";=".contains(c) { '_' } else { c }),
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            c if depth == 0 => plain.push(if c.is_control() { ' ' } else { c }),
            _ => {}
        }
    }
    plain
}

/// `spf=pass`, `smtp.mailfrom=ann@shop.example`: space may surround the first sign of each.
fn words(result: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in result.split_whitespace() {
        match words.last_mut() {
            Some(last)
                if (word.starts_with('=') && !last.contains('='))
                    || last.find('=') == Some(last.len() - 1) =>
            {
                last.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
}

/// The domain of `ann@shop.example`, `@shop.example` or `shop.example`.
fn domain_in(value: &str) -> Option<String> {
    let value = value.trim_matches(['"', '<', '>']);
    let domain = value.rsplit('@').next()?.trim_end_matches('.').to_lowercase();
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
    (!domain.is_empty() && domain.chars().all(is_plain)).then_some(domain)
}

/// Relaxed alignment (RFC 7489, 3.1): both have the same registrable domain by the Public Suffix List.
fn is_aligned(one: &str, other: &str) -> bool {
    let (Ok(one), Ok(other)) = (idna::domain_to_ascii(one), idna::domain_to_ascii(other)) else {
        return false;
    };
    match (psl::domain_str(&one), psl::domain_str(&other)) {
        (Some(one), Some(other)) => one == other,
        // A name of one label, or a public suffix itself.
        _ => !one.is_empty() && one == other,
    }
}

impl Finding {
    /// `LookAlike` if the domain of this address may be mistaken for another one.
    pub fn look_alike(address: &str) -> Option<Self> {
        let (domain, errors) = idna::domain_to_unicode(domain_of(address));
        let label_mixes = |label: &str| !label.is_single_script();
        (errors.is_err() || domain.split('.').any(label_mixes) || imitates_ascii(&domain)).then(|| {
            let ascii = idna::domain_to_ascii(&domain).unwrap_or_default();
            Self::LookAlike { domain: visible_line(&domain, LINE), ascii }
        })
    }

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
            let other = |person: &&Person| !person.address.eq_ignore_ascii_case(&from.address);
            let is_elsewhere = |person: &&Person| !is_aligned(domain_of(&person.address), domain);
            let mut others = envelope.reply_to.iter().filter(other);
            if let Some(person) = others.clone().find(is_elsewhere) {
                let (from, reply_to) = (from.address.clone(), person.address.clone());
                found.push(Self::ReplyElsewhere { from, reply_to });
            } else if let Some(person) = others.next() {
                let (from, reply_to) = (from.address.clone(), person.address.clone());
                found.push(Self::ReplyToOther { from, reply_to });
            }
            if let Some(name) = &from.name
                && name.contains('@')
                && !name.to_lowercase().contains(&from.address.to_lowercase())
            {
                found.push(Self::NameIsAddress { name: name.clone(), address: from.address.clone() });
            }
        }
        let people = envelope.from.iter().chain(&envelope.reply_to);
        for finding in people.filter_map(|person| Self::look_alike(&person.address)) {
            if !found.contains(&finding) {
                found.push(finding);
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
