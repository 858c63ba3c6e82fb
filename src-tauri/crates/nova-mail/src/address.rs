//! Strict parsing of addresses that a person typed: a message goes to exactly these.

use std::str::FromStr;

use crate::{Person, visible_line};

/// The longest address (RFC 5321, 4.5.3.1.3) and the longest name.
const ADDRESS: usize = 254;
const NAME: usize = 200;

/// Why a text is not the address of a recipient.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{text}\" is not an address such as jane@example.org or Jane <jane@example.org>")]
pub struct AddressError {
    /// As given, cut to one visible line.
    pub text: String,
}

impl FromStr for Person {
    type Err = AddressError;

    /// `jane@example.org`, `Jane Doe <jane@example.org>`. Rejects lists, groups, comments and every control
    /// character, so that no address can inject a header.
    fn from_str(text: &str) -> Result<Self, AddressError> {
        let error = || AddressError { text: visible_line(text, 100) };
        let (name, address) = match text.trim().strip_suffix('>').and_then(|open| open.rsplit_once('<')) {
            Some((name, address)) => (name.trim().trim_matches('"').trim(), address),
            None => ("", text.trim()),
        };
        if text.chars().any(char::is_control) || !is_address(address) || name.chars().count() > NAME {
            return Err(error());
        }
        // A name that contains an address was meant as a second recipient, or imitates another one.
        if name.contains(['<', '>', '@']) {
            return Err(error());
        }
        Ok(Self { name: (!name.is_empty()).then(|| name.to_owned()), address: address.to_owned() })
    }
}

pub(crate) fn is_address(text: &str) -> bool {
    let plain = |part: &str| {
        let special = |c: char| c.is_whitespace() || "<>()[]\\,;:@\"".contains(c);
        !part.is_empty() && !part.contains(special) && !part.starts_with('.') && !part.ends_with('.')
    };
    let parts = text.rsplit_once('@');
    text.len() <= ADDRESS
        && parts.is_some_and(|(name, host)| plain(name) && plain(host) && idna::domain_to_ascii(host).is_ok())
        && visible_line(text, ADDRESS) == text
}

/// The address with its domain in ASCII, `jane@xn--mller-kva.example`.
pub(crate) fn ascii_domain(address: &str) -> String {
    let spelled = address.rsplit_once('@').and_then(|(name, host)| {
        let host = idna::domain_to_ascii(host).ok()?;
        Some(format!("{name}@{host}"))
    });
    spelled.unwrap_or_else(|| address.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_addresses_with_and_without_a_name() {
        let person = |text: &str| {
            let person: Person = text.parse().expect("an address");
            (person.name.unwrap_or_default(), person.address)
        };
        assert_eq!(person("jane@example.org"), (String::new(), "jane@example.org".into()));
        assert_eq!(
            person(" \"Doe, Jane\" <jane@example.org> "),
            ("Doe, Jane".into(), "jane@example.org".into())
        );
        assert_eq!(ascii_domain("jane@müller.example"), "jane@xn--mller-kva.example");
    }

    #[test]
    fn rejects_anything_but_one_address() {
        for text in [
            "",
            "jane",
            "jane@",
            "@example.org",
            "jane@example.org, all@example.org",
            "jane@example.org\r\nBcc: all@example.org",
            "Jane\nBcc: all@example.org <jane@example.org>",
            "boss@example.org <x@evil.example>",
            "a <b@example.org> <c@example.org>",
            "Friends: jane@example.org;",
            "jane doe@example.org",
            "jane@exa\u{200b}mple.org",
            "\"jane\"@example.org",
            ".jane@example.org",
        ] {
            assert!(text.parse::<Person>().is_err(), "{text:?}");
        }
    }
}
