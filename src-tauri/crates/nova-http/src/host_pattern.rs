use std::fmt;

use url::{Host, Url};

use crate::host::{checked, declared_host};
use crate::is_public;

/// Hosts that a command may contact, as given in its call: one host, or `*.` for every subdomain. Ports other
/// than 80 and 443 are named.
///
/// ```
/// use nova_http::HostPattern;
/// let below = HostPattern::parse("*.Example.org").unwrap();
/// assert!(below.covers("a.b.example.org") && !below.covers("example.org"));
/// assert_eq!(below.to_string(), "*.example.org");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct HostPattern {
    below: bool,
    host: String,
}

impl HostPattern {
    /// `None` unless it names public hosts: an address with a path, this machine, `*` alone and `*.org` do
    /// not.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (below, text) = match text.strip_prefix("*.") {
            Some(text) => (true, text),
            None => (false, text),
        };
        let host = declared_host(text)?;
        let (url, host) = checked(Url::parse(&format!("https://{host}/")).ok()?, is_public).ok()?;
        let is_name = matches!(url.host(), Some(Host::Domain(_)));
        (is_name || !below).then_some(Self { below, host })
    }

    /// `host` in the spelling of [`host_of`](crate::host_of).
    pub fn covers(&self, host: &str) -> bool {
        match self.below {
            true => host.strip_suffix(&self.host).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.')),
            false => host == self.host,
        }
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let below = if self.below { "*." } else { "" };
        write!(f, "{below}{}", self.host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, expected: Option<&str>) {
        let parsed = HostPattern::parse(pattern).map(|pattern| pattern.to_string());
        assert_eq!(parsed.as_deref(), expected, "{pattern:?}");
    }

    #[test]
    fn hosts_are_spelled_as_in_requests() {
        check(" API.Example.org. ", Some("api.example.org"));
        check("example.org:443", Some("example.org"));
        check("example.org:80", Some("example.org"));
        check("example.org:8443", Some("example.org:8443"));
        check("*.example.org:8443", Some("*.example.org:8443"));
        check("93.184.215.14", Some("93.184.215.14"));
        check("bücher.example", Some("xn--bcher-kva.example"));
    }

    #[test]
    fn pattern_without_a_public_host_is_none() {
        for text in [
            "",
            "*",
            "*.org",
            "*.*.example.org",
            "a*.example.org",
            "*example.org",
            "*.1.2.3.4",
            "localhost",
            "*.localhost",
            "printer.local",
            "127.0.0.1",
            "10.0.0.1",
            "169.254.169.254",
            "[::1]",
            "router",
            "https://example.org",
            "example.org/path",
            "good.example@evil.example",
            "exa mple.org",
        ] {
            check(text, None);
        }
    }

    #[test]
    fn wildcard_covers_subdomains_only() {
        let below = HostPattern::parse("*.example.org").expect("a pattern");
        for (host, covered) in [
            ("a.example.org", true),
            ("a.b.example.org", true),
            ("example.org", false),
            (".example.org", false),
            ("evilexample.org", false),
            ("example.org.evil.example", false),
            ("a.example.org:8443", false),
        ] {
            assert_eq!(below.covers(host), covered, "{host}");
        }
    }
}
