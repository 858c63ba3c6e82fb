use std::net::IpAddr;

use nova_skill::HttpRequest;
use reqwest::Method;
use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};
use url::Url;

use crate::WebError;
use crate::host::checked;

/// Headers set by the HTTP client; a tool's values for them are dropped.
const OURS: [&str; 13] = [
    "accept-encoding",
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Headers that do not identify the client: the only ones sent to another host.
const HARMLESS: [HeaderName; 4] =
    [header::ACCEPT, header::ACCEPT_LANGUAGE, header::CONTENT_TYPE, header::USER_AGENT];

/// One request of a redirect chain.
#[derive(Debug, Clone)]
pub(crate) struct Hop {
    pub(crate) method: Method,
    pub(crate) url: Url,
    /// In the spelling of grants.
    pub(crate) host: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Vec<u8>>,
}

impl Hop {
    /// # Errors
    /// When a tool may not make the request.
    pub(crate) fn first(
        request: HttpRequest,
        allow: fn(IpAddr) -> bool,
        most: usize,
    ) -> Result<Self, WebError> {
        let refused = |reason: String| WebError::Request { reason };
        let method = Method::from_bytes(request.method.to_uppercase().as_bytes())
            .ok()
            .filter(|method| !matches!(method.as_str(), "CONNECT" | "TRACE" | "TRACK"))
            .ok_or_else(|| refused(format!("{:?} is not a method that can be used", request.method)))?;
        let (url, host) = checked(request.url, allow)?;
        let mut headers = HeaderMap::new();
        for (name, value) in &request.headers {
            let (Ok(name), Ok(mut value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) else {
                return Err(refused(format!("the header {name:?} has characters that cannot be sent")));
            };
            if !OURS.contains(&name.as_str()) {
                value.set_sensitive(true);
                headers.append(name, value);
            }
        }
        let body = request.body.filter(|body| !body.is_empty());
        if body.as_ref().is_some_and(|body| body.len() > most) {
            return Err(refused(format!("its body has more than {most} bytes")));
        }
        if body.is_some() && matches!(method, Method::GET | Method::HEAD) {
            return Err(refused(format!("{method} has no body")));
        }
        Ok(Self { method, url, host, headers, body })
    }

    /// The request that a redirect leads to; `None` if the status is not a redirect.
    ///
    /// # Errors
    /// When the redirect must not be followed.
    pub(crate) fn redirected(
        &self,
        status: u16,
        location: &str,
        allow: fn(IpAddr) -> bool,
    ) -> Result<Option<Self>, WebError> {
        if !matches!(status, 301 | 302 | 303 | 307 | 308) {
            return Ok(None);
        }
        let refused = |reason: String| WebError::Redirect { host: self.host.clone(), reason };
        let url = self.url.join(location).map_err(|_| refused("to an invalid address".into()))?;
        let (url, host) = checked(url, allow).map_err(|error| match error {
            WebError::Scheme { scheme } => refused(format!("to an address that starts with {scheme}:")),
            error => refused(format!("{}", error).trim_end_matches('.').to_owned()),
        })?;
        if self.url.scheme() == "https" && url.scheme() == "http" {
            return Err(refused(format!("from https to plain http at {host}")));
        }
        let elsewhere = host != self.host;
        let mut next = Self { url, host, ..self.clone() };
        let get = match status {
            303 => next.method != Method::HEAD,
            301 | 302 => next.method == Method::POST,
            _ => false,
        };
        if get {
            next.method = Method::GET;
            next.body = None;
            for name in [
                header::CONTENT_TYPE,
                header::CONTENT_ENCODING,
                header::CONTENT_LANGUAGE,
                header::CONTENT_LOCATION,
            ] {
                next.headers.remove(name);
            }
        }
        if elsewhere && next.body.is_some() {
            // The body may be a secret meant for this host only.
            return Err(refused(format!("it redirects the same body to {}", next.host)));
        }
        if elsewhere || self.url.scheme() != next.url.scheme() {
            let harmless = HARMLESS.into_iter();
            next.headers = harmless
                .filter_map(|name| next.headers.get(&name).cloned().map(|value| (name, value)))
                .collect();
        }
        Ok(Some(next))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::is_public;

    fn hop(method: &str, url: &str, body: Option<&str>) -> Hop {
        let request = HttpRequest {
            method: method.into(),
            url: url.parse().expect("an address"),
            headers: BTreeMap::from([
                ("Authorization".into(), "Bearer canary".into()),
                ("Cookie".into(), "a=canary".into()),
                ("X-Api-Key".into(), "canary".into()),
                ("Accept".into(), "text/plain".into()),
                ("Host".into(), "evil.example".into()),
                ("Content-Type".into(), "text/plain".into()),
            ]),
            body: body.map(Into::into),
            timeout: None,
        };
        Hop::first(request, is_public, 100).expect("a request")
    }

    fn next(from: &Hop, status: u16, location: &str) -> Hop {
        from.redirected(status, location, is_public).expect("followed").expect("a redirect")
    }

    fn names(hop: &Hop) -> Vec<&str> {
        let mut names: Vec<_> = hop.headers.keys().map(HeaderName::as_str).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn headers_with_secrets_are_not_sent_to_another_host() {
        let from = hop("GET", "https://a.example.com/", None);
        let all = ["accept", "authorization", "content-type", "cookie", "x-api-key"];
        assert_eq!(names(&next(&from, 302, "/other")), all);
        assert_eq!(names(&next(&from, 302, "https://b.example.com/")), ["accept", "content-type"]);
        assert_eq!(names(&next(&from, 302, "//a.example.com:8443/")), ["accept", "content-type"]);
        let back = next(&next(&from, 302, "https://b.example.com/"), 302, "https://a.example.com/");
        assert_eq!(names(&back), ["accept", "content-type"], "dropped headers are not restored");
        let plain = hop("GET", "http://a.example.com/", None);
        assert_eq!(names(&next(&plain, 302, "https://a.example.com/")), ["accept", "content-type"]);
    }

    #[test]
    fn methods_and_bodies_change_as_in_browsers() {
        for (method, status, expected, body) in [
            ("POST", 301, "GET", None),
            ("POST", 302, "GET", None),
            ("POST", 303, "GET", None),
            ("PUT", 303, "GET", None),
            ("PUT", 302, "PUT", Some("x")),
            ("POST", 307, "POST", Some("x")),
            ("DELETE", 308, "DELETE", Some("x")),
        ] {
            let next = next(&hop(method, "https://a.example.com/", Some("x")), status, "/b");
            let found = (next.method.as_str(), next.body.as_deref());
            assert_eq!(found, (expected, body.map(str::as_bytes)), "{method} {status}");
        }
        assert_eq!(next(&hop("HEAD", "https://a.example.com/", None), 303, "/b").method, "HEAD");
    }

    #[test]
    fn unsafe_redirects_are_refused() {
        let from = hop("POST", "https://a.example.com/", Some("secret"));
        for (status, location) in [
            (302, "http://a.example.com/"),
            (302, "http://127.0.0.1/"),
            (302, "//localhost/"),
            (302, "https://[::ffff:10.0.0.1]/"),
            (302, "https://user:word@b.example.com/"),
            (302, "file:///etc/passwd"),
            (302, "https://"),
            (307, "https://b.example.com/"),
        ] {
            assert!(from.redirected(status, location, is_public).is_err(), "{status} {location}");
        }
    }

    #[test]
    fn status_without_redirect_is_an_answer() {
        for status in [200, 204, 300, 304, 305, 404] {
            let from = hop("GET", "https://a.example.com/", None);
            assert!(from.redirected(status, "https://b.example.com/", is_public).expect("fine").is_none());
        }
    }

    #[test]
    fn invalid_requests_are_refused_with_the_reason() {
        let request = |method: &str, header: (&str, &str), body: usize| HttpRequest {
            method: method.into(),
            url: "https://a.example.com/".parse().expect("an address"),
            headers: BTreeMap::from([(header.0.to_owned(), header.1.to_owned())]),
            body: Some(vec![b'x'; body]),
            timeout: None,
        };
        for (request, why) in [
            (request("CONNECT", ("a", "b"), 0), "CONNECT"),
            (request("G T", ("a", "b"), 0), "method"),
            (request("GET", ("a", "b\r\nc: d"), 0), "header"),
            (request("GET", ("a b", "c"), 0), "header"),
            (request("POST", ("a", "b"), 101), "100 bytes"),
            (request("GET", ("a", "b"), 1), "no body"),
        ] {
            let error = Hop::first(request, is_public, 100).expect_err("refused").to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
