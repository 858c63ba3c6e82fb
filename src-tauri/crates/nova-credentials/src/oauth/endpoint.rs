use url::{Host, Url};

use crate::CredentialError;

/// A URL to which Nova sends a user or a token: https, or http on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint(Url);

impl Endpoint {
    /// `what` names the URL in errors.
    ///
    /// # Errors
    /// For another scheme, http to another machine, a user name or a fragment.
    pub fn parse(what: &'static str, text: &str) -> Result<Self, CredentialError> {
        let bad = |reason| Err(CredentialError::BadEndpoint { what, reason });
        let Ok(url) = Url::parse(text) else { return bad("it is not an address") };
        match url.scheme() {
            "https" => {}
            "http" if is_loopback(&url) => {}
            "http" => return bad("http is not encrypted"),
            _ => return bad("it is neither https nor http"),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return bad("it contains a user name or a password");
        }
        if url.fragment().is_some() {
            return bad("it has a fragment");
        }
        Ok(Self(url))
    }

    pub fn url(&self) -> &Url {
        &self.0
    }

    pub(crate) fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }
}

pub(super) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_https_and_loopback_http() {
        for address in [
            "https://login.example.com/authorize?tenant=a",
            "http://127.0.0.1:8080/token",
            "http://[::1]:8080/token",
            "http://localhost/token",
        ] {
            assert!(Endpoint::parse("address", address).is_ok(), "{address}");
        }
    }

    #[test]
    fn rejects_other_addresses() {
        for address in [
            "",
            "login.example.com/authorize",
            "http://login.example.com/authorize",
            "http://127.0.0.1.evil.example/token",
            "http://localhost.evil.example/token",
            "http://169.254.169.254/latest/meta-data",
            "http://10.0.0.1/token",
            "http://0.0.0.0/token",
            "https://login.example.com@evil.example/",
            "https://user:password@login.example.com/",
            "https://login.example.com/#fragment",
            "javascript:alert(1)",
            "file:///etc/passwd",
            "data:text/html,x",
            "ms-settings:",
            "--help",
        ] {
            assert!(Endpoint::parse("address", address).is_err(), "{address}");
        }
    }
}
