use secrecy::SecretString;
use serde::Deserialize;
use serde_json::json;
use url::Url;

use super::discovery::Discovered;
use super::reach::Reach;
use super::{Endpoint, cannot};
use crate::CredentialError;

const NONE: &str = "none";
const BASIC: &str = "client_secret_basic";
const POST: &str = "client_secret_post";
/// Characters of a client id.
const LONGEST: usize = 2_000;

/// What the user says of signing in for a server. All of it may be missing.
#[derive(Debug, Clone, Default)]
pub struct GivenClient {
    /// As the server knows Nova; an https address is that of a client id metadata document.
    pub id: Option<String>,
    pub secret: Option<SecretString>,
    /// Instead of those that the server names.
    pub scopes: Vec<String>,
    /// The port to come back to, for a server that wants to know it in advance.
    pub port: Option<u16>,
}

/// Nova as an authorisation server knows it.
pub(super) struct Client {
    pub(super) id: String,
    pub(super) secret: Option<SecretString>,
    /// Where its secret goes to.
    pub(super) secret_in_body: bool,
}

#[derive(Deserialize)]
struct Registered {
    client_id: String,
    client_secret: Option<String>,
    token_endpoint_auth_method: Option<String>,
}

/// The client that the configuration names, else one that is registered now. Nova publishes no document of
/// itself, so a client id is the address of one only where the user has put it there.
pub(super) async fn client_at(
    reach: &Reach<'_>,
    server: &Discovered,
    given: &GivenClient,
    redirect: &Url,
    scopes: &[String],
) -> Result<Client, CredentialError> {
    let offers = |method: &str| server.auth_methods.iter().any(|offered| offered == method);
    if let Some(id) = &given.id {
        let is_document = Url::parse(id).is_ok_and(|id| id.scheme() == "https" && id.path() != "/");
        if server.reads_client_documents || !is_document {
            let secret_in_body = offers(POST) && !offers(BASIC);
            return Ok(Client { id: id.clone(), secret: given.secret.clone(), secret_in_body });
        }
    }
    let host = server.authorize.host();
    let Some(register) = &server.register else {
        let also = if server.reads_client_documents { " by itself" } else { "" };
        return Err(cannot(
            format!("{host} does not let programs register{also}"),
            "Register Nova there by hand and set oauth.client_id in the server's entry.",
        ));
    };
    let method = match () {
        () if server.auth_methods.is_empty() || offers(NONE) => NONE,
        () if offers(BASIC) => BASIC,
        () if offers(POST) => POST,
        () => {
            return Err(cannot(
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
    let registered = registered.filter(|registered| is_id(&registered.client_id));
    let registered = registered.ok_or_else(|| refused(register, answer.status().as_u16()))?;
    // An empty secret is none.
    let secret = registered.client_secret.filter(|secret| !secret.is_empty());
    let method = registered.token_endpoint_auth_method.as_deref().unwrap_or(method);
    Ok(Client {
        id: registered.client_id,
        secret: secret.filter(|_| method != NONE).map(Into::into),
        secret_in_body: method == POST,
    })
}

fn is_id(id: &str) -> bool {
    (1..=LONGEST).contains(&id.len()) && id.chars().all(|c| c == ' ' || c.is_ascii_graphic())
}

/// What the server says about it stays out: it is foreign text.
fn refused(at: &Endpoint, status: u16) -> CredentialError {
    cannot(
        format!("{} did not register Nova (status {status})", at.host()),
        "Register Nova there by hand and set oauth.client_id in the server's entry.",
    )
}
