use std::sync::Arc;
use std::time::Duration;

use nova_http::Names;
use oauth2::{HttpRequest, HttpResponse};
use reqwest::redirect::Policy;

use super::Endpoint;
use crate::CredentialError;

/// The maximum size of a token server's response, in bytes.
const MAX_RESPONSE_BYTES: usize = 256 * 1024;

/// Requests to token servers. Redirects to other servers are not followed: the content is meant for this one.
#[derive(Clone)]
pub(super) struct TokenHttp(reqwest::Client);

/// Contains neither the URL nor the body: both can contain secrets.
#[derive(Debug, thiserror::Error)]
pub(super) enum HttpFailure {
    #[error("it redirected")]
    Redirect,
    #[error("status {0}")]
    Status(u16),
    #[error("{0}")]
    Other(String),
}

impl TokenHttp {
    pub(super) fn new() -> Result<Self, CredentialError> {
        let client = reqwest::Client::builder().redirect(Policy::none()).referer(false).build();
        client.map(Self).map_err(|error| CredentialError::SignIn { reason: describe(error) })
    }

    /// For a server named by another one: connects only to the addresses allowed for such a server.
    pub(super) fn filtered(server: &Endpoint, names: Arc<dyn Names>) -> Result<Self, HttpFailure> {
        let client = nova_http::client_for(server.url(), names);
        client
            .map(Self)
            .map_err(|error| HttpFailure::Other(error.to_string().trim_end_matches('.').to_owned()))
    }

    pub(super) fn send(
        &self,
        request: HttpRequest,
        limit: Duration,
    ) -> impl Future<Output = Result<HttpResponse, HttpFailure>> + use<> {
        let client = self.0.clone();
        async move {
            let answer = async {
                let (mut parts, body) = request.into_parts();
                // Marks the headers as sensitive, so that logs omit them.
                parts.headers.values_mut().for_each(|value| value.set_sensitive(true));
                let request =
                    client.request(parts.method, parts.uri.to_string()).headers(parts.headers).body(body);
                read(request.send().await.map_err(failure)?).await
            };
            match tokio::time::timeout(limit, answer).await {
                Ok(answer) => answer,
                Err(_) => Err(HttpFailure::Other(format!("no answer in {} s", limit.as_secs_f32()))),
            }
        }
    }
}

async fn read(mut response: reqwest::Response) -> Result<HttpResponse, HttpFailure> {
    let status = response.status();
    if status.is_redirection() {
        return Err(HttpFailure::Redirect);
    }
    if status.is_server_error() {
        return Err(HttpFailure::Status(status.as_u16()));
    }
    let content_type = response.headers().get(reqwest::header::CONTENT_TYPE).cloned();
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(failure)? {
        if body.len() + piece.len() > MAX_RESPONSE_BYTES {
            return Err(HttpFailure::Other(format!("more than {MAX_RESPONSE_BYTES} bytes")));
        }
        body.extend_from_slice(&piece);
    }
    let mut answer = HttpResponse::new(body);
    *answer.status_mut() = status;
    if let Some(content_type) = content_type {
        answer.headers_mut().insert(reqwest::header::CONTENT_TYPE, content_type);
    }
    Ok(answer)
}

fn failure(error: reqwest::Error) -> HttpFailure {
    HttpFailure::Other(describe(error))
}

fn describe(error: reqwest::Error) -> String {
    if error.is_connect() { "it cannot be reached".to_owned() } else { error.without_url().to_string() }
}
