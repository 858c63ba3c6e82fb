use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use nova_skill::{Clock, HttpRequest, HttpResponse, ToolError};
use reqwest::header::{self, HeaderMap, HeaderValue};
use reqwest::{Client, Response};
use rustls::pki_types::CertificateDer;
use tokio::time::Instant;

use crate::pace::Pace;
use crate::redirect::Hop;
use crate::resolve::{Filtered, NotPublic};
use crate::{Names, SystemNames, WebError, by_address, is_public, named_server};

/// Redirects followed per request.
const REDIRECTS: usize = 5;

/// HTTP for tools. One instance per process: it rate-limits each host.
pub struct Web {
    pub(crate) options: WebOptions,
    pace: Pace,
    /// For https and for plain http; the latter works on a machine without certificates. Created on first
    /// use, so that startup needs no certificates.
    clients: [OnceLock<Result<Client, String>>; 2],
}

pub struct WebOptions {
    pub names: Arc<dyn Names>,
    /// The name servers that know which services a domain publishes; those of the system if there are none
    /// here.
    pub name_servers: Option<Vec<SocketAddr>>,
    /// Which addresses may be reached: [`is_public`], except in tests with a local server.
    pub allow: fn(IpAddr) -> bool,
    pub limits: Limits,
    /// Root certificates trusted besides those of the system, for connections other than HTTP.
    pub authorities: Vec<CertificateDer<'static>>,
    /// Timestamps responses.
    pub clock: Arc<dyn Clock>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Whole request including redirects, excluding time spent in the gate.
    pub total: Duration,
    /// Longest time without a byte received.
    pub read: Duration,
    /// Request body, in bytes.
    pub request: usize,
    /// Response body, in bytes.
    pub body: usize,
    /// Response headers, in bytes.
    pub headers: usize,
}

/// Decides about each host before it is resolved or contacted.
#[async_trait]
pub trait HostGate: Send + Sync {
    /// `host` is `name`, or `name:port` for a port other than the scheme's default.
    ///
    /// # Errors
    /// Why the host may not be contacted; the request fails with it.
    async fn may_contact(&self, host: &str) -> Result<(), ToolError>;
}

impl Default for Limits {
    fn default() -> Self {
        const MEGABYTE: usize = 1024 * 1024;
        Self {
            total: Duration::from_secs(30),
            read: Duration::from_secs(15),
            request: 10 * MEGABYTE,
            body: 10 * MEGABYTE,
            headers: 64 * 1024,
        }
    }
}

impl WebOptions {
    /// The public internet, resolved by the system.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            names: Arc::new(SystemNames),
            name_servers: None,
            allow: is_public,
            limits: Limits::default(),
            authorities: Vec::new(),
            clock,
        }
    }
}

impl Web {
    pub fn new(options: WebOptions) -> Self {
        Self { options, pace: Pace::default(), clients: Default::default() }
    }

    /// Sends a request and follows its redirects, asking the gate for every host on the way. Dropping the
    /// future cancels the request.
    ///
    /// # Errors
    /// See [`WebError`]. A status such as 404 is an answer, not an error.
    pub async fn send(&self, request: HttpRequest, gate: &dyn HostGate) -> Result<HttpResponse, WebError> {
        let total = request.timeout.unwrap_or(self.options.limits.total).min(self.options.limits.total);
        let mut hop = Hop::first(request, self.options.allow, self.options.limits.request)?;
        let mut left = total;
        let mut asked = BTreeSet::new();
        for _ in 0..=REDIRECTS {
            if asked.insert(hop.host.clone()) {
                gate.may_contact(&hop.host).await.map_err(WebError::NotAllowed)?;
            }
            let begun = Instant::now();
            let too_slow = || WebError::TooSlow { host: hop.host.clone(), after: total };
            let answer = tokio::time::timeout(left, self.make(&hop)).await.map_err(|_| too_slow())??;
            left = left.saturating_sub(begun.elapsed());
            match answer {
                Answer::Whole(response) => return Ok(response),
                Answer::Elsewhere(next) => hop = *next,
            }
        }
        Err(WebError::Redirect { host: hop.host, reason: format!("more than {REDIRECTS} redirects") })
    }

    /// Like [`Web::send`], to a server that the user named: on this machine if its URL says so, otherwise at
    /// a public address by https. Redirects are not followed.
    ///
    /// # Errors
    /// See [`WebError`].
    pub async fn send_to_named(
        &self,
        mut request: HttpRequest,
        gate: &dyn HostGate,
    ) -> Result<HttpResponse, WebError> {
        let total = request.timeout.unwrap_or(self.options.limits.total).min(self.options.limits.total);
        let allow = named_server(&request.url)?;
        request.url = by_address(request.url);
        let hop = Hop::first(request, allow, self.options.limits.request)?;
        gate.may_contact(&hop.host).await.map_err(WebError::NotAllowed)?;
        let too_slow = |_| WebError::TooSlow { host: hop.host.clone(), after: total };
        match tokio::time::timeout(total, self.make(&hop)).await.map_err(too_slow)?? {
            Answer::Whole(response) => Ok(response),
            Answer::Elsewhere(next) => {
                let reason = format!("to {}, which is not the configured address", next.url.path());
                Err(WebError::Redirect { host: hop.host, reason })
            }
        }
    }

    async fn make(&self, hop: &Hop) -> Result<Answer, WebError> {
        let client = self.client(hop.url.scheme() == "https")?;
        let _turn = self.pace.turn(&hop.host).await;
        let mut request = client
            .request(hop.method.clone(), hop.url.clone())
            .header(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"))
            .headers(hop.headers.clone());
        if let Some(body) = &hop.body {
            request = request.body(body.clone());
        }
        let sent = self.within(hop, request.send()).await?;
        let response = sent.map_err(|error| failed(hop, error))?;
        let status = response.status().as_u16();
        let headers = self.headers(hop, response.headers())?;
        if let Some(location) = headers.get("location")
            && let Some(next) = hop.redirected(status, location, self.options.allow)?
        {
            return Ok(Answer::Elsewhere(Box::new(next)));
        }
        let encoding = headers.get("content-encoding").filter(|encoding| *encoding != "identity");
        if let Some(encoding) = encoding {
            return Err(WebError::BadAnswer {
                host: hop.host.clone(),
                reason: format!("it is compressed ({encoding}), which was not requested"),
            });
        }
        let body = self.body(hop, response).await?;
        let at = self.options.clock.now().to_string();
        Ok(Answer::Whole(HttpResponse { status, headers, body, url: hop.url.clone(), at }))
    }

    async fn body(&self, hop: &Hop, mut response: Response) -> Result<Vec<u8>, WebError> {
        let most = self.options.limits.body;
        let too_large = || WebError::TooLarge { host: hop.host.clone(), what: "content", most };
        let announced = response.content_length().unwrap_or(0);
        if hop.method != reqwest::Method::HEAD && announced > most as u64 {
            return Err(too_large());
        }
        let mut body = Vec::new();
        while let Some(chunk) =
            self.within(hop, response.chunk()).await?.map_err(|error| failed(hop, error))?
        {
            if body.len() + chunk.len() > most {
                return Err(too_large());
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    fn headers(&self, hop: &Hop, headers: &HeaderMap) -> Result<BTreeMap<String, String>, WebError> {
        let most = self.options.limits.headers;
        let size: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
        if size > most {
            return Err(WebError::TooLarge { host: hop.host.clone(), what: "headers", most });
        }
        let mut read: BTreeMap<String, String> = BTreeMap::new();
        for (name, value) in headers {
            let text = match std::str::from_utf8(value.as_bytes()) {
                Ok(text) => text.to_owned(),
                // Latin-1, as in browsers.
                Err(_) => value.as_bytes().iter().map(|byte| char::from(*byte)).collect(),
            };
            read.entry(name.as_str().to_owned())
                .and_modify(|all| {
                    all.push_str(", ");
                    all.push_str(&text);
                })
                .or_insert(text);
        }
        Ok(read)
    }

    async fn within<T>(&self, hop: &Hop, step: impl Future<Output = T>) -> Result<T, WebError> {
        let after = self.options.limits.read;
        tokio::time::timeout(after, step)
            .await
            .map_err(|_| WebError::TooSlow { host: hop.host.clone(), after })
    }

    fn client(&self, secure: bool) -> Result<&Client, WebError> {
        let client = self.clients[usize::from(secure)].get_or_init(|| {
            let resolver = Filtered { names: self.options.names.clone(), allow: self.options.allow };
            let mut client = resolver
                .client()
                .http2_max_header_list_size(u32::try_from(self.options.limits.headers).unwrap_or(u32::MAX))
                .pool_idle_timeout(Duration::from_secs(30));
            if !secure {
                client = client.tls_certs_only([]);
            }
            client.build().map_err(|error| innermost(&error))
        });
        client.as_ref().map_err(|reason| WebError::Setup { reason: reason.clone() })
    }
}

enum Answer {
    Whole(HttpResponse),
    Elsewhere(Box<Hop>),
}

/// Converts an error without the URL, which may contain keys.
fn failed(hop: &Hop, error: reqwest::Error) -> WebError {
    let host = hop.host.clone();
    let mut causes = std::iter::successors(error.source(), |cause| (*cause).source());
    if causes.any(|cause| cause.is::<NotPublic>()) {
        return WebError::Internal { host };
    }
    let reason = innermost(&error);
    if error.is_connect() {
        WebError::Unreachable { host, reason }
    } else {
        WebError::BadAnswer { host, reason }
    }
}

/// The root cause, usually the most specific message.
fn innermost(error: &reqwest::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| (*cause).source());
    causes.last().map_or_else(|| "unknown reason".to_owned(), ToString::to_string)
}
