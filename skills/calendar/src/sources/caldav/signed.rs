use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use nova_dav::caldav::{DavError, Published, Request, Response, Transport};
use nova_skill::{HttpRequest, HttpResponse, Secret, SrvName, SrvRecords, ToolContext, ToolError};
use secrecy::ExposeSecret;
use url::Url;

use super::Account;

/// The time limit of one response.
const PATIENCE: Duration = Duration::from_secs(30);

/// Requests to an account's server, with its credential.
pub(super) struct Signed<'a> {
    ctx: &'a dyn ToolContext,
    account: &'a Account,
    authorization: Option<Authorization>,
}

/// The authorization of a request.
enum Authorization {
    Basic(Secret),
    /// Renewed once, when the server refuses it.
    Bearer {
        token: Mutex<Secret>,
        renewed: AtomicBool,
    },
}

impl<'a> Signed<'a> {
    /// # Errors
    /// If the credential is missing or was not granted.
    pub(super) async fn new(ctx: &'a dyn ToolContext, account: &'a Account) -> Result<Self, ToolError> {
        account.check_place()?;
        let authorization = match &account.credential {
            None => None,
            // A sign-in itself reports what is missing.
            Some(name) if !account.signs_in && !ctx.credentials().has(name).await => {
                return Err(ToolError::CredentialNeeded { credential: name.clone() });
            }
            Some(name) => {
                let secret = ctx.credentials().get(name).await?;
                Some(match &account.user {
                    Some(user) if !account.signs_in => {
                        let pair = format!("{user}:{}", secret.expose_secret());
                        Authorization::Basic(format!("Basic {}", STANDARD.encode(pair)).into())
                    }
                    _ => Authorization::Bearer { token: Mutex::new(secret), renewed: AtomicBool::new(false) },
                })
            }
        };
        Ok(Self { ctx, account, authorization })
    }

    /// As an error for the user.
    pub(super) fn told(&self, error: DavError<ToolError>) -> ToolError {
        let settings = "Check its address in Settings, Skills, Calendar.";
        let remedy = match &error {
            DavError::Transport(_) => "",
            DavError::SignIn => match &self.account.credential {
                Some(name) if self.account.signs_in => {
                    return ToolError::NeedsSignIn {
                        credential: name.clone(),
                        reason: format!("the server of {} does not accept it", self.account.name),
                    };
                }
                Some(name) => {
                    return ToolError::SignInRefused {
                        account: self.account.name.clone(),
                        said: String::new(),
                        remedy: format!(
                            "Check the user in Settings, Skills, Calendar, and set the password with: nova credential \
                             set {name}. Many servers want an app password."
                        ),
                    };
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

impl Signed<'_> {
    fn header(&self) -> Option<Secret> {
        match self.authorization.as_ref()? {
            Authorization::Basic(header) => Some(header.clone()),
            Authorization::Bearer { token, .. } => {
                Some(format!("Bearer {}", locked(token).expose_secret()).into())
            }
        }
    }

    /// Renews the refused token; returns whether there is another one.
    async fn renew(&self) -> Result<bool, ToolError> {
        let (Some(Authorization::Bearer { token, renewed }), Some(name)) =
            (&self.authorization, &self.account.credential)
        else {
            return Ok(false);
        };
        if renewed.swap(true, Ordering::Relaxed) {
            return Ok(false);
        }
        let refused = locked(token).clone();
        let another = self.ctx.credentials().renewed(name, &refused).await?;
        let is_another = another.expose_secret() != refused.expose_secret();
        *locked(token) = another;
        Ok(is_another)
    }

    async fn send_once(&self, request: HttpRequest) -> Result<HttpResponse, ToolError> {
        // Plain http is only for a server on this machine.
        match request.url.scheme() {
            "http" => self.ctx.http().send_to_configured(request).await,
            _ => self.ctx.http().send(request).await,
        }
    }
}

fn locked(token: &Mutex<Secret>) -> MutexGuard<'_, Secret> {
    token.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Transport for Signed<'_> {
    type Error = ToolError;

    fn may_reach(&self, url: &Url) -> bool {
        self.account.reaches(url)
    }

    async fn published(&self, domain: &str) -> Published {
        match self.ctx.http().srv_records(SrvName::Caldavs, domain).await {
            Ok(SrvRecords { servers, texts }) => Published { servers, texts },
            // The address was queried before and reports what is wrong.
            Err(_) => Published::default(),
        }
    }

    async fn send(&self, request: Request) -> Result<Response, ToolError> {
        let headers: BTreeMap<String, String> =
            request.headers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let body = request.body.map(String::into_bytes);
        let signed = || {
            let authorization = self.header().map(|header| header.expose_secret().to_owned());
            let authorization = authorization.map(|header| ("authorization".to_owned(), header));
            HttpRequest {
                method: request.method.into(),
                url: request.url.clone(),
                headers: headers.clone().into_iter().chain(authorization).collect(),
                body: body.clone(),
                timeout: Some(PATIENCE),
            }
        };
        let mut response = self.send_once(signed()).await?;
        if response.status == 401 && self.renew().await? {
            response = self.send_once(signed()).await?;
        }
        let etag = response.headers.get("etag").cloned();
        Ok(Response { status: response.status, url: response.url, etag, body: response.body })
    }
}
