//! Transport to a remote server: Streamable HTTP.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use nova_http::Names;
use reqwest::Client;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use crate::authorized::{Authorized, Gate};
use crate::limits;
use crate::paced::Pace;
use crate::trouble::Trouble;

/// Timeout of the check for the older transport.
const LOOK: Duration = Duration::from_secs(5);

/// A remote server, before the connection is made.
pub(crate) struct Address {
    client: Client,
    url: Url,
    headers: HashMap<HeaderName, HeaderValue>,
    gate: Arc<Gate>,
}

impl Address {
    /// # Errors
    /// When the URL is not allowed, or a header cannot be sent.
    pub(crate) fn new(
        url: &Url,
        headers: &[(String, SecretString)],
        names: Arc<dyn Names>,
        gate: Arc<Gate>,
    ) -> Result<Self, Trouble> {
        let client = nova_http::client_for(url, names)
            .map_err(|error| Trouble::failed(error.to_string(), error.hint()))?;
        let mut sent = HashMap::new();
        for (name, value) in headers {
            let header = HeaderName::try_from(name.as_str()).ok();
            let value = HeaderValue::try_from(value.expose_secret()).ok();
            let (Some(header), Some(mut value)) = (header, value) else {
                return Err(Trouble::failed(
                    format!("The header {name:?} has characters that cannot be sent."),
                    "Correct it in nova.config.json.",
                ));
            };
            value.set_sensitive(true);
            sent.insert(header, value);
        }
        Ok(Self { client, url: url.clone(), headers: sent, gate })
    }

    pub(crate) fn transport(&self) -> StreamableHttpClientTransport<Authorized> {
        let config = StreamableHttpClientTransportConfig::with_uri(self.url.as_str())
            .custom_headers(self.headers.clone())
            .max_sse_event_size(limits::MESSAGE)
            .max_json_response_size(limits::MESSAGE)
            .max_error_response_size(limits::QUOTE * 4);
        let pace = Pace::default();
        let client = Authorized { client: self.client.clone(), gate: self.gate.clone(), pace };
        StreamableHttpClientTransport::with_client(client, config)
    }

    /// Whether the server uses the HTTP+SSE transport of 2024.
    pub(crate) async fn is_legacy(&self) -> bool {
        let headers: HeaderMap = self.headers.clone().into_iter().collect();
        let asked = async {
            let request = self.client.get(self.url.clone()).headers(headers);
            let mut answer = request.header(ACCEPT, "text/event-stream").send().await.ok()?;
            let kind = answer.headers().get(CONTENT_TYPE)?.to_str().ok()?;
            if !answer.status().is_success() || !kind.starts_with("text/event-stream") {
                return None;
            }
            let mut begun = Vec::new();
            while begun.len() < 4 << 10 {
                begun.extend_from_slice(&answer.chunk().await.ok()??);
                let text = String::from_utf8_lossy(&begun);
                // Its first event names the endpoint for messages.
                if text.lines().any(|line| line.trim_end() == "event: endpoint") {
                    return Some(());
                }
            }
            None
        };
        tokio::time::timeout(LOOK, asked).await.ok().flatten().is_some()
    }
}
