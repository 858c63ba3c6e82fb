use std::collections::BTreeMap;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use nova_dav::caldav::{DavError, Request, Response, Transport};
use nova_skill::{HttpRequest, Secret, ToolContext, ToolError};
use secrecy::ExposeSecret;

use super::Account;

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// The way to the server of an account, signed with its credential.
pub(super) struct Signed<'a> {
    ctx: &'a dyn ToolContext,
    account: &'a Account,
    authorization: Option<Secret>,
}

impl<'a> Signed<'a> {
    /// # Errors
    /// When the credential is missing or was not granted.
    pub(super) async fn new(ctx: &'a dyn ToolContext, account: &'a Account) -> Result<Self, ToolError> {
        let authorization = match &account.credential {
            None => None,
            Some(name) if !ctx.credentials().has(name).await => {
                return Err(ToolError::CredentialNeeded { credential: name.clone() });
            }
            Some(name) => {
                let secret = ctx.credentials().get(name).await?;
                Some(Secret::from(match &account.user {
                    Some(user) => {
                        let pair = format!("{user}:{}", secret.expose_secret());
                        format!("Basic {}", STANDARD.encode(pair))
                    }
                    None => format!("Bearer {}", secret.expose_secret()),
                }))
            }
        };
        Ok(Self { ctx, account, authorization })
    }

    /// In words for the user.
    pub(super) fn told(&self, error: DavError<ToolError>) -> ToolError {
        let settings = "Check its address in Settings, Skills, Calendar.";
        let remedy = match &error {
            DavError::Transport(_) => "",
            DavError::SignIn => match &self.account.credential {
                Some(name) => {
                    return ToolError::failed(
                        format!(
                            "The server of {} does not accept the user and the password.",
                            self.account.name
                        ),
                        format!(
                            "Check the user in Settings, Skills, Calendar, and set the password with: nova credential \
                             set {name}. Many servers want a password made for one app."
                        ),
                    );
                }
                None => "Give its user and its password in Settings, Skills, Calendar.",
            },
            DavError::Elsewhere(_) => "Set that address in Settings, Skills, Calendar.",
            DavError::TooMany(_) | DavError::TooLarge(_) => "Choose a calendar with fewer events.",
            DavError::Status(500..) => "Try again later.",
            DavError::Forbidden | DavError::NoCalendar | DavError::Status(_) | DavError::Answer(_) => {
                settings
            }
        };
        match error {
            DavError::Transport(error) => error,
            error => ToolError::failed(format!("The server of {}: {error}.", self.account.name), remedy),
        }
    }
}

impl Transport for Signed<'_> {
    type Error = ToolError;

    async fn send(&self, request: Request) -> Result<Response, ToolError> {
        let mut headers: BTreeMap<String, String> =
            request.headers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        if let Some(authorization) = &self.authorization {
            headers.insert("authorization".into(), authorization.expose_secret().to_owned());
        }
        let request = HttpRequest {
            method: request.method.into(),
            url: request.url,
            headers,
            body: request.body.map(String::into_bytes),
            timeout: Some(PATIENCE),
        };
        // Plain http is for a server of this machine alone.
        let response = match request.url.scheme() {
            "http" => self.ctx.http().send_to_configured(request).await?,
            _ => self.ctx.http().send(request).await?,
        };
        let etag = response.headers.get("etag").cloned();
        Ok(Response { status: response.status, url: response.url, etag, body: response.body })
    }
}
