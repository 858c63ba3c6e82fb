//! CalDAV (RFC 4791) without I/O: builds requests and interprets responses.
//!
//! [`discover`] finds the calendars of an account, [`sync`] the changes since the last call (RFC 6578), and
//! [`put`] and [`delete`] write one event unless it was changed concurrently. The caller provides a
//! [`Transport`], which authenticates requests and decides which hosts may receive them: no request goes to
//! any other host, whatever a response or a record of DNS refers to.

mod answer;
mod discover;
mod place;
mod site;
mod sync;
mod write;
mod xml;

use std::collections::BTreeMap;
use std::future::Future;

use url::Url;

pub use discover::{Collection, Found, discover};
pub use site::site;
pub use sync::{Changes, Known, Resource, sync};
pub use write::{Condition, Written, delete, get, is_strong, put, resource_url};
pub use xml::XmlError;

/// Sends requests and returns the responses, whatever their status.
pub trait Transport: Sync {
    type Error: Send;

    /// # Errors
    /// When there is no response.
    fn send(&self, request: Request) -> impl Future<Output = Result<Response, Self::Error>> + Send;

    /// Whether requests, and with them the credentials, may go to the host of a URL that the server named.
    fn may_reach(&self, url: &Url) -> bool;

    /// What a domain publishes in DNS at `_caldavs._tcp` (RFC 6764); nothing if it cannot be looked up.
    fn published(&self, domain: &str) -> impl Future<Output = Published> + Send;
}

/// Records of DNS about the CalDAV service of a domain, as they were received.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Published {
    /// Targets of SRV records with their ports, in the order to try them.
    pub servers: Vec<(String, u16)>,
    /// Strings of TXT records.
    pub texts: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub method: &'static str,
    pub url: Url,
    /// Names are in lower case.
    pub headers: BTreeMap<&'static str, String>,
    pub body: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    pub status: u16,
    /// The final URL after redirects.
    pub url: Url,
    /// The header's value, unparsed.
    pub etag: Option<String>,
    pub body: Vec<u8>,
}

/// Why a request failed, phrased as the predicate of a sentence about the server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DavError<E> {
    #[error(transparent)]
    Transport(E),
    #[error("it does not accept the user and the password (status 401)")]
    SignIn,
    #[error("it refuses access (status 403)")]
    Forbidden,
    #[error("it has no calendar at this address")]
    NoCalendar,
    #[error("it answers with status {0}")]
    Status(u16),
    #[error("its answer cannot be read: {0}")]
    Answer(XmlError),
    #[error("its calendars are at {0}, which is not the address that was set")]
    Elsewhere(String),
    #[error("it lists more than {0} events")]
    TooMany(usize),
    #[error("its events have more than {0} bytes")]
    TooLarge(usize),
}

impl<E> DavError<E> {
    fn of_status(status: u16) -> Self {
        match status {
            401 => Self::SignIn,
            403 => Self::Forbidden,
            404 | 410 => Self::NoCalendar,
            status => Self::Status(status),
        }
    }
}

impl Request {
    fn new(method: &'static str, url: Url) -> Self {
        Self { method, url, headers: BTreeMap::new(), body: None }
    }

    fn with(mut self, header: &'static str, value: impl Into<String>) -> Self {
        self.headers.insert(header, value.into());
        self
    }

    /// Builds a `PROPFIND` or `REPORT`.
    fn asking(method: &'static str, url: &Url, depth: &str, body: String) -> Self {
        let request = Self::new(method, url.clone())
            .with("depth", depth)
            .with("content-type", "application/xml; charset=utf-8")
            .with("accept", "application/xml, text/xml");
        Self { body: Some(body), ..request }
    }
}
