//! The address of a provider, its access, and its time limits.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use secrecy::SecretString;
use url::{Host, Url};

/// Returns the provider's key when a request is made, if there is one.
pub type SecretSource = Arc<dyn Fn() -> Option<SecretString> + Send + Sync>;

/// Returns the wait before the next try, given the number of tries so far (from 1) and the wait that the
/// provider asked for.
pub type Backoff = Arc<dyn Fn(u32, Option<Duration>) -> Duration + Send + Sync>;

/// One provider of the configuration, with everything it needs from outside.
#[derive(Clone)]
pub struct ProviderSettings {
    /// The user's name for it; also determines the variable of its key.
    pub id: String,
    /// The address before `/chat/completions`; each kind has a default.
    pub base_url: Option<String>,
    /// Sent with every request. Values may be secrets: none is ever printed.
    pub headers: Vec<(String, String)>,
    /// The key. Sent only to `base_url`.
    pub key: SecretSource,
    /// The context size of a model in tokens, if its dialect leaves that to the request.
    pub context: Option<u64>,
    /// Whether the model thinks before it answers, if its dialect leaves that to the request.
    pub thinking: Option<Thinking>,
    /// Whether tools may be deferred, if the dialect supports that but its server does not say so.
    pub deferred_tools: Option<bool>,
    /// An HTTP proxy for remote addresses; never used for this machine.
    pub proxy: Option<Url>,
    /// Time and size limits.
    pub limits: Limits,
    /// The wait between tries.
    pub backoff: Backoff,
}

impl ProviderSettings {
    /// Settings with the defaults and no key.
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            base_url: None,
            headers: Vec::new(),
            key: Arc::new(|| None),
            context: None,
            thinking: None,
            deferred_tools: None,
            proxy: None,
            limits: Limits::default(),
            backoff: Arc::new(default_backoff),
        }
    }
}

impl fmt::Debug for ProviderSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("ProviderSettings")
            .field("id", &self.id)
            .field("headers", &names)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// How a model thinks before it answers, if its dialect leaves that to the request. OpenAI's Responses have
/// no budget: with either, they return a summary of the reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thinking {
    /// As long as the model chooses; models of 2026 and later.
    Adaptive,
    /// At most this many tokens, 1,024 or more.
    Budget(u32),
}

/// Time and size limits of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Until the connection is established.
    pub connect: Duration,
    /// Maximum time without a byte, before or during the answer.
    pub read: Duration,
    /// From the first byte of an answer to its end.
    pub answer: Duration,
    /// Bytes of one answer on the wire.
    pub answer_bytes: usize,
    /// Maximum number of requests for one answer while the provider is busy (429, 5xx).
    pub tries: u32,
    /// Maximum wait between two tries; if the provider asks for more, the request fails immediately.
    pub longest_wait: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            read: Duration::from_secs(40),
            answer: Duration::from_mins(30),
            answer_bytes: 64 * 1024 * 1024,
            tries: 3,
            longest_wait: Duration::from_secs(30),
        }
    }
}

/// The wait that the provider asked for, or half a second, doubled with each try.
pub fn default_backoff(tries_made: u32, asked: Option<Duration>) -> Duration {
    asked.unwrap_or_else(|| Duration::from_millis(250) * 2u32.saturating_pow(tries_made.min(8)))
}

/// Whether requests to a provider stay on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Locality {
    /// A loopback address.
    Local,
    /// Any other address, including the local network.
    Remote {
        /// Its host, with the port if specified.
        host: String,
    },
}

/// The locality of an address. `localhost` counts as loopback because requests to it are sent to a loopback
/// address, regardless of the system's resolver.
pub fn locality_of(address: &Url) -> Locality {
    let local = match address.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.to_canonical().is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    };
    if local {
        return Locality::Local;
    }
    let host = address.host_str().unwrap_or_default();
    Locality::Remote {
        host: match address.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        },
    }
}
