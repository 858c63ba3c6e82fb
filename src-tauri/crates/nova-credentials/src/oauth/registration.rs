use secrecy::SecretString;
use serde::Deserialize;
use serde_json::json;
use url::Url;

use super::discovery::Discovery;
use super::reach::Reach;
use super::{Endpoint, cannot_sign_in};
use crate::CredentialError;

const NONE: &str = "none";
const BASIC: &str = "client_secret_basic";
const POST: &str = "client_secret_post";
/// The maximum length of a client id, in characters.
const MAX_ID_LENGTH: usize = 2_000;

/// The user's settings for signing in for a server, all of them optional.
#[derive(Debug, Clone, Default)]
pub struct ClientSettings {
    /// The client id; an https URL is that of a client id metadata document.
    pub id: Option<String>,
    pub secret: Option<SecretString>,
    /// Override the scopes named by the server.
    pub scopes: Vec<String>,
    /// The redirect port, for a server that must know it in advance.
    pub port: Option<u16>,
}

/// Nova's registration at an authorisation server.
pub(super) struct Client {
    pub(super) id: String,
    pub(super) secret: Option<SecretString>,
    /// Whether the secret is sent in the body of requests.
    pub(super) secret_in_body: bool,
}

#[derive(Deserialize)]
struct Registered {
    client_id: String,
    client_secret: Option<String>,
    token_endpoint_auth_method: Option<String>,
}

/// The configured client, or one registered now. Nova publishes no client id metadata document, so a client
/// id is the URL of one only if the user has configured it.
pub(super) async fn obtain_client(
    reach: &Reach<'_>,
    server: &Discovery,
    settings: &ClientSettings,
    redirect: &Url,
    scopes: &[String],
) -> Result<Client, CredentialError> {
    let offers = |method: &str| server.auth_methods.iter().any(|offered| offered == method);
    if let Some(id) = &settings.id {
        let is_document = Url::parse(id).is_ok_and(|id| id.scheme() == "https" && id.path() != "/");
        if server.supports_client_documents || !is_document {
            let secret_in_body = offers(POST) && !offers(BASIC);
            return Ok(Client { id: id.clone(), secret: settings.secret.clone(), secret_in_body });
        }
    }
    let host = server.authorize.host();
    let Some(register) = &server.register else {
        let also = if server.supports_client_documents { " by itself" } else { "" };
        return Err(cannot_sign_in(
            format!("{host} does not let programs register{also}"),
            "Register Nova there by hand and set oauth.client_id in the server's entry.",
        ));
    };
    let method = match () {
        () if server.auth_methods.is_empty() || offers(NONE) => NONE,
        () if offers(BASIC) => BASIC,
        () if offers(POST) => POST,
        () => {
            return Err(cannot_sign_in(
                format!("{host} requires a client authentication method that Nova does not support"),
                "Use a token in the server's headers.",
            ));
        }
    };
    let mut request = json!({
        "client_name": "Nova",
        "application_type": "native",
        "redirect_uris": [redirect],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": method,
    });
    if !scopes.is_empty() {
        request["scope"] = scopes.join(" ").into();
    }
    let answer = reach.post(register, &request).await?;
    let registered: Option<Registered> =
        if answer.status().is_success() { serde_json::from_slice(answer.body()).ok() } else { None };
    let registered = registered.filter(|registered| is_valid_id(&registered.client_id));
    let registered = registered.ok_or_else(|| registration_refused(register, answer.status().as_u16()))?;
    // An empty secret means none.
    let secret = registered.client_secret.filter(|secret| !secret.is_empty());
    let method = registered.token_endpoint_auth_method.as_deref().unwrap_or(method);
    Ok(Client {
        id: registered.client_id,
        secret: secret.filter(|_| method != NONE).map(Into::into),
        secret_in_body: method == POST,
    })
}

fn is_valid_id(id: &str) -> bool {
    (1..=MAX_ID_LENGTH).contains(&id.len()) && id.chars().all(|c| c == ' ' || c.is_ascii_graphic())
}

/// The server's explanation is omitted: it is untrusted text.
fn registration_refused(at: &Endpoint, status: u16) -> CredentialError {
    cannot_sign_in(
        format!("{} did not register Nova (status {status})", at.host()),
        "Register Nova there by hand and set oauth.client_id in the server's entry.",
    )
}
