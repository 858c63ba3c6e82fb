use std::sync::Arc;
use std::time::Duration;

use nova_http::Names;
use oauth2::http::{Method, Request, header};
use oauth2::{HttpRequest, HttpResponse};
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::Url;

use super::endpoint::is_loopback;
use super::http::{HttpFailure, TokenHttp};
use super::{Endpoint, cannot_sign_in};
use crate::CredentialError;

/// Restricts the addresses that a server's documents may name: public ones, and those of this machine only if
/// the server itself runs on it.
pub(super) struct Reach<'a> {
    pub(super) server: &'a Url,
    pub(super) names: Arc<dyn Names>,
    /// The time limit of a request.
    pub(super) limit: Duration,
}

impl Reach<'_> {
    /// # Errors
    /// If the documents may not lead to this address.
    pub(super) fn endpoint(&self, what: &'static str, text: &str) -> Result<Endpoint, CredentialError> {
        let endpoint = Endpoint::parse(what, text)?;
        if is_loopback(endpoint.url()) && !is_loopback(self.server) {
            return Err(CredentialError::BadEndpoint { what, reason: "it leads to this machine" });
        }
        if nova_http::named_server(endpoint.url()).is_err() {
            return Err(CredentialError::BadEndpoint { what, reason: "it is not a public address" });
        }
        Ok(endpoint)
    }

    /// Fetches a document; `None` if there is none of this form.
    ///
    /// # Errors
    /// If the server does not respond in time.
    pub(super) async fn document<T: DeserializeOwned>(
        &self,
        at: &Endpoint,
    ) -> Result<Option<T>, CredentialError> {
        let request = request(Method::GET, at, Vec::new())?;
        match self.send(at, request).await {
            Ok(answer) if answer.status().as_u16() == 200 => Ok(serde_json::from_slice(answer.body()).ok()),
            // Many servers answer unknown paths with a page of theirs.
            Ok(_) | Err(HttpFailure::Status(_) | HttpFailure::Redirect) => Ok(None),
            Err(failure) => Err(unexpected_answer(at, &failure)),
        }
    }

    /// # Errors
    /// If the server does not respond in time.
    pub(super) async fn post(&self, at: &Endpoint, body: &Value) -> Result<HttpResponse, CredentialError> {
        let request = request(Method::POST, at, body.to_string().into_bytes())?;
        self.send(at, request).await.map_err(|failure| unexpected_answer(at, &failure))
    }

    async fn send(&self, at: &Endpoint, request: HttpRequest) -> Result<HttpResponse, HttpFailure> {
        TokenHttp::filtered(at, self.names.clone())?.send(request, self.limit).await
    }
}

fn request(method: Method, at: &Endpoint, body: Vec<u8>) -> Result<HttpRequest, CredentialError> {
    let request = Request::builder()
        .method(method)
        .uri(at.url().as_str())
        .header(header::ACCEPT, "application/json")
        .header(header::CONTENT_TYPE, "application/json");
    request
        .body(body)
        .map_err(|_| cannot_sign_in(format!("the address of {} cannot be requested", at.host()), ""))
}

fn unexpected_answer(at: &Endpoint, failure: &HttpFailure) -> CredentialError {
    cannot_sign_in(
        format!("{} sent an unexpected answer ({failure})", at.host()),
        "Check the connection, then try again.",
    )
}
