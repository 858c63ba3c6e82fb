//! The connection to a provider: its address, its key, the limits, and retries before the first byte.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::ProviderError;
use crate::server_message::{Scrub, ServerMessage};
use crate::settings::{Backoff, Limits, Locality, ProviderSettings, SecretSource, locality_of};

/// Maximum size of error bodies and listings that is read.
const ERROR_BYTES: usize = 64 * 1024;
const LISTING_BYTES: usize = 8 * 1024 * 1024;

/// A provider's address, ready for requests.
pub(crate) struct Endpoint {
    id: String,
    base: Url,
    client: Client,
    headers: HeaderMap,
    key: SecretSource,
    key_header: KeyHeader,
    limits: Limits,
    backoff: Backoff,
}

/// The header for the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyHeader {
    /// `Authorization: Bearer …`
    Bearer,
    /// `x-api-key: …`
    ApiKey,
    /// `x-goog-api-key: …`
    GoogApiKey,
}

impl KeyHeader {
    const ALL: [Self; 3] = [Self::Bearer, Self::ApiKey, Self::GoogApiKey];

    fn name(self) -> HeaderName {
        match self {
            Self::Bearer => header::AUTHORIZATION,
            Self::ApiKey => HeaderName::from_static("x-api-key"),
            Self::GoogApiKey => HeaderName::from_static("x-goog-api-key"),
        }
    }

    fn value(self, key: &str) -> Result<HeaderValue, header::InvalidHeaderValue> {
        match self {
            Self::Bearer => HeaderValue::try_from(format!("Bearer {key}")),
            Self::ApiKey | Self::GoogApiKey => HeaderValue::try_from(key),
        }
    }
}

/// A request.
pub(crate) struct Ask<'a> {
    /// Relative to the base address; with a leading `/`, to the root of the server.
    pub(crate) path: &'a str,
    /// Replaces the query of the base address.
    pub(crate) query: Option<&'a str>,
    /// A JSON body to post; `None` for a GET request.
    pub(crate) body: Option<Vec<u8>>,
    /// The requested model, for error messages.
    pub(crate) model: Option<&'a str>,
    /// The request contains images.
    pub(crate) images: bool,
}

impl Endpoint {
    pub(crate) fn new(settings: ProviderSettings, default_base: &str) -> Result<Self, ProviderError> {
        let refuse = |reason: String| ProviderError::Settings { provider: settings.id.clone(), reason };
        let base = settings.base_url.as_deref().unwrap_or(default_base);
        let base = Url::parse(base).map_err(|e| refuse(format!("base_url is not an address ({e})")))?;
        if !matches!(base.scheme(), "http" | "https") || !base.has_host() {
            return Err(refuse("base_url must start with http:// or https://".into()));
        }
        if !base.username().is_empty() || base.password().is_some() {
            return Err(refuse(
                "base_url must not contain a user name or password; use api_key or \
                               headers"
                    .into(),
            ));
        }
        let mut headers = HeaderMap::new();
        for (name, value) in &settings.headers {
            let (Ok(name), Ok(mut value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) else {
                return Err(refuse(format!("the header `{name}` has characters that cannot be sent")));
            };
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        let client = client(&base, &settings).map_err(|e| refuse(reason(&e)))?;
        Ok(Self {
            id: settings.id,
            base,
            client,
            headers,
            key: settings.key,
            key_header: KeyHeader::Bearer,
            limits: settings.limits,
            backoff: settings.backoff,
        })
    }

    /// Sends the key in another header than `Authorization`.
    pub(crate) fn with_key_in(mut self, header: KeyHeader) -> Self {
        self.key_header = header;
        self
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn base(&self) -> &Url {
        &self.base
    }

    pub(crate) fn locality(&self) -> Locality {
        locality_of(&self.base)
    }

    /// Sends the request, with retries while the provider is busy, and returns the answer before its first
    /// byte.
    pub(crate) async fn open(
        &self,
        ask: Ask<'_>,
        cancel: &CancellationToken,
    ) -> Result<Answer, ProviderError> {
        let key = (self.key)();
        self.refuse_plain(key.is_some())?;
        let scrub = Scrub::new(key.as_ref(), &self.headers);
        let mut tries_made = 0;
        loop {
            tries_made += 1;
            let ends_by = Instant::now() + self.limits.answer;
            let sending = tokio::time::timeout(self.limits.read, self.request(&ask, key.as_ref()).send());
            let response = tokio::select! {
                biased;
                () = cancel.cancelled() => return Err(ProviderError::Cancelled),
                sent = sending => sent
                    .map_err(|_| ProviderError::Timeout { after: self.limits.read })?
                    .map_err(|e| self.unreachable(&e))?,
            };
            let answer = Answer {
                provider: self.id.clone(),
                model: ask.model.unwrap_or_default().to_owned(),
                read: self.limits.read,
                whole: self.limits.answer,
                ends_by,
                left: self.limits.answer_bytes,
                cancel: cancel.clone(),
                scrub: scrub.clone(),
                response,
            };
            let status = answer.response.status();
            if status.is_success() {
                return answer.checked();
            }
            let asked = asked_wait(answer.response.headers());
            let (error, final_refusal) = self.refusal(answer, &ask, key.is_some(), asked).await;
            let asked = match &error {
                ProviderError::RateLimited { wait, .. } => *wait,
                _ => asked,
            };
            let busy = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
            if !busy || final_refusal || tries_made >= self.limits.tries {
                return Err(error);
            }
            let wait = (self.backoff)(tries_made, asked);
            if wait > self.limits.longest_wait {
                return Err(error);
            }
            tracing::debug!(provider = %self.id, %status, ?wait, "busy, retrying");
            tokio::select! {
                biased;
                () = cancel.cancelled() => return Err(ProviderError::Cancelled),
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    /// A key is sent over http only to this machine.
    fn refuse_plain(&self, has_key: bool) -> Result<(), ProviderError> {
        let is_plain = self.base.scheme() == "http" && self.locality() != Locality::Local;
        let in_header = KeyHeader::ALL.map(KeyHeader::name);
        let has_key = has_key || in_header.iter().any(|name| self.headers.contains_key(name));
        if !(is_plain && has_key) {
            return Ok(());
        }
        let reason = "over http everybody on the way could read its key; base_url must start with https://, \
             or lead through a tunnel at http://localhost (ssh -L)";
        Err(ProviderError::Settings { provider: self.id.clone(), reason: reason.into() })
    }

    /// Gets a small JSON document.
    pub(crate) async fn listing(&self, path: &str, query: Option<&str>) -> Result<Value, ProviderError> {
        let ask = Ask { path, query, body: None, model: None, images: false };
        self.document(ask, &CancellationToken::new()).await
    }

    /// Requests a small JSON document.
    pub(crate) async fn document(
        &self,
        ask: Ask<'_>,
        cancel: &CancellationToken,
    ) -> Result<Value, ProviderError> {
        let mut answer = self.open(ask, cancel).await?;
        answer.left = answer.left.min(LISTING_BYTES);
        let mut body = Vec::new();
        while let Some(chunk) = answer.chunk().await? {
            body.extend_from_slice(&chunk);
        }
        serde_json::from_slice(&body).map_err(|_| answer.bad("its list of models is not JSON"))
    }

    fn request(&self, ask: &Ask<'_>, key: Option<&SecretString>) -> RequestBuilder {
        let mut url = self.base.clone();
        if ask.path.starts_with('/') {
            url.set_path(ask.path);
        } else {
            url.set_path(&format!("{}/{}", self.base.path().trim_end_matches('/'), ask.path));
        }
        if ask.query.is_some() {
            url.set_query(ask.query);
        }
        let method = if ask.body.is_some() { Method::POST } else { Method::GET };
        let mut headers = self.headers.clone();
        headers.entry(header::ACCEPT_ENCODING).or_insert(HeaderValue::from_static("identity"));
        if let Some(key) = key
            && !headers.contains_key(header::AUTHORIZATION)
            && !headers.contains_key(self.key_header.name())
            && let Ok(mut value) = self.key_header.value(key.expose_secret().trim())
        {
            value.set_sensitive(true);
            headers.insert(self.key_header.name(), value);
        }
        let request = self.client.request(method, url);
        match &ask.body {
            Some(body) => {
                headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
                request.headers(headers).body(body.clone())
            }
            None => request.headers(headers),
        }
    }

    /// The address for messages, without the query, which may contain a key.
    fn address(&self) -> String {
        let mut shown = self.base.clone();
        shown.set_query(None);
        shown.set_fragment(None);
        shown.as_str().trim_end_matches('/').to_owned()
    }

    fn unreachable(&self, error: &reqwest::Error) -> ProviderError {
        let reason = if error.is_timeout() {
            "no connection in time".to_owned()
        } else if error.is_connect() {
            reason(error)
        } else {
            format!("the connection closed without an answer ({})", reason(error))
        };
        ProviderError::Unreachable {
            provider: self.id.clone(),
            address: self.address(),
            local: self.locality() == Locality::Local,
            reason,
        }
    }

    /// The error for a status, and whether retrying is pointless.
    async fn refusal(
        &self,
        mut answer: Answer,
        ask: &Ask<'_>,
        had_key: bool,
        wait: Option<Duration>,
    ) -> (ProviderError, bool) {
        let provider = self.id.clone();
        let status = answer.response.status();
        let location = answer.response.headers().get(header::LOCATION).cloned();
        let mut body = Vec::new();
        while body.len() < ERROR_BYTES
            && let Ok(Some(chunk)) = answer.chunk().await
        {
            body.extend_from_slice(&chunk);
        }
        if answer.cancel.is_cancelled() {
            return (ProviderError::Cancelled, true);
        }
        let said = ServerMessage::of_body(&body, &answer.scrub);
        let error = match status.as_u16() {
            300..=399 => {
                let to = location.as_ref().and_then(|to| to.to_str().ok());
                let to = to.and_then(|to| self.base.join(to).ok());
                let host = to.as_ref().and_then(Url::host_str).unwrap_or("another address");
                answer.bad(&format!("it redirects to {host}, and a key must not follow"))
            }
            400..=500 if ask.images && said.no_images() => {
                ProviderError::NoImages { provider, model: ask.model.unwrap_or_default().to_owned() }
            }
            // With images, the request has too many bytes, which is unrelated to its tokens.
            413 if ask.images && !said.too_many_tokens() => {
                ProviderError::Failed { provider, status: Some(413), detail: said.text }
            }
            code @ (400 | 413 | 422 | 500) if ask.model.is_some() && (code == 413 || said.too_long()) => {
                answer.too_long(&said)
            }
            400 if said.bad_key() => ProviderError::RefusedKey { provider, had_key, detail: said.text },
            401 | 403 => ProviderError::RefusedKey { provider, had_key, detail: said.text },
            429 => ProviderError::RateLimited { provider, wait: wait.or(said.wait), detail: said.text },
            404 | 400 if said.no_model(status.as_u16()) && ask.model.is_some() => {
                ProviderError::ModelNotFound { provider, model: ask.model.unwrap_or_default().to_owned() }
            }
            404 => answer.bad(&format!("there is nothing at {}/{} (404)", self.address(), ask.path)),
            code => ProviderError::Failed { provider, status: Some(code), detail: said.text },
        };
        let is_final = matches!(error, ProviderError::TooLong { .. } | ProviderError::NoImages { .. });
        (error, is_final || said.word == "insufficient_quota")
    }
}

/// A response that has started. Dropping it closes the connection.
pub(crate) struct Answer {
    provider: String,
    /// The requested model, if any.
    model: String,
    response: Response,
    read: Duration,
    whole: Duration,
    ends_by: Instant,
    left: usize,
    cancel: CancellationToken,
    scrub: Scrub,
}

impl Answer {
    /// The next bytes; `None` at a proper end.
    pub(crate) async fn chunk(
        &mut self,
    ) -> Result<Option<impl std::ops::Deref<Target = [u8]> + use<>>, ProviderError> {
        let chunk = tokio::select! {
            biased;
            () = self.cancel.cancelled() => return Err(ProviderError::Cancelled),
            // Also if more bytes are always available.
            () = tokio::time::sleep_until(self.ends_by) => {
                return Err(ProviderError::AnswerTimeout { provider: self.provider.clone(), after: self.whole });
            }
            read = tokio::time::timeout(self.read, self.response.chunk()) => read
                .map_err(|_| ProviderError::Timeout { after: self.read })?
                .map_err(|_| ProviderError::Truncated)?,
        };
        if let Some(chunk) = &chunk {
            self.left = self
                .left
                .checked_sub(chunk.len())
                .ok_or_else(|| self.bad("it exceeds the size limit of an answer"))?;
        }
        Ok(chunk)
    }

    pub(crate) fn bad(&self, reason: &str) -> ProviderError {
        ProviderError::BadResponse { provider: self.provider.clone(), reason: reason.to_owned() }
    }

    pub(crate) fn too_much(&self, reason: &'static str) -> ProviderError {
        ProviderError::TooMuch { provider: self.provider.clone(), reason }
    }

    /// The error that the provider reports within its answer.
    pub(crate) fn failed(&self, error: &Value) -> ProviderError {
        let said = ServerMessage::of_error(error, &self.scrub);
        let provider = self.provider.clone();
        let code = error.get("code").or_else(|| error.get("status")).and_then(Value::as_u64);
        match (code, said.word.as_str()) {
            (Some(429), _) | (_, "rate_limit_exceeded" | "rate_limit_error" | "insufficient_quota") => {
                ProviderError::RateLimited { provider, wait: None, detail: said.text }
            }
            _ if said.too_long() => self.too_long(&said),
            _ => ProviderError::Failed { provider, status: None, detail: said.text },
        }
    }

    fn too_long(&self, said: &ServerMessage) -> ProviderError {
        ProviderError::TooLong {
            provider: self.provider.clone(),
            model: self.model.clone(),
            context: said.context(),
            detail: said.text.clone(),
        }
    }

    /// Refuses a compressed body, which was not requested.
    fn checked(self) -> Result<Self, ProviderError> {
        match self.response.headers().get(header::CONTENT_ENCODING) {
            Some(encoding) if encoding != "identity" => Err(self.bad("it is compressed")),
            _ => Ok(self),
        }
    }
}

fn client(base: &Url, settings: &ProviderSettings) -> Result<Client, reqwest::Error> {
    let mut client = Client::builder()
        .user_agent(concat!("nova/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .no_proxy()
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate()
        .tcp_nodelay(true)
        .connect_timeout(settings.limits.connect);
    if locality_of(base) == Locality::Local {
        // The port is part of the URL; 0 means that it is unspecified here.
        let loopback =
            [SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), SocketAddr::from((Ipv6Addr::LOCALHOST, 0))];
        client = client.resolve_to_addrs("localhost", &loopback);
    } else if let Some(proxy) = &settings.proxy {
        client = client.proxy(reqwest::Proxy::all(proxy.clone())?);
    }
    if base.scheme() == "http" {
        // http needs no certificates: a machine that has none can still reach its own server.
        client = client.tls_certs_only([]);
    }
    client.build()
}

/// The innermost cause, which is the most readable one.
fn reason(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    // The outermost error prints the URL with its query; inner ones do not.
    match cause.downcast_ref::<reqwest::Error>() {
        Some(_) => "the request could not be made".to_owned(),
        None => in_words(&cause.to_string()).to_owned(),
    }
}

/// The system's message without its error number: "Connection refused (os error 111)".
fn in_words(said: &str) -> &str {
    match said.rfind(" (os error ") {
        Some(end) if end > 0 && said.ends_with(')') => &said[..end],
        _ => said,
    }
}

/// The wait that the provider asks for: (OpenAI) milliseconds, seconds, or a date, relative to the date of
/// the response.
fn asked_wait(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let number = |name: &str| text(name)?.parse::<f64>().ok();
    let date = |name: &str| jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text(name)?).ok();
    match number("retry-after-ms").map(|ms| ms / 1000.0).or_else(|| number("retry-after")) {
        Some(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        None => {
            let wait = date("retry-after")?.duration_since(date("date")?);
            Some(Duration::try_from(wait).unwrap_or_default())
        }
    }
}
