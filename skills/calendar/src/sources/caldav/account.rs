use nova_dav::caldav::site;
use nova_skill::{ContentHash, ToolError, Value};
use url::Url;

use crate::sources::host::host;

/// An account on a calendar server, or one calendar of it, as configured.
pub(crate) struct Account {
    pub(crate) name: String,
    pub(crate) url: Url,
    /// `None`: the credential is a token, such as that of a sign-in.
    pub(crate) user: Option<String>,
    /// The credential, `calendar/KEY`.
    pub(crate) credential: Option<String>,
    /// The user signs in with Google: the credential is an access token.
    pub(crate) signs_in: bool,
    pub(crate) read_only: bool,
    /// The user's address in invitations.
    pub(crate) email: Option<String>,
}

/// The accounts of the skill's configuration; those with an invalid address are skipped.
pub(crate) fn configured(config: &Value) -> impl Iterator<Item = Account> {
    config["calendars"].as_array().into_iter().flatten().filter_map(|entry| {
        let text = |key: &str| entry[key].as_str().map(str::trim).filter(|text| !text.is_empty());
        let mut url =
            Url::parse(text("caldav")?).ok().filter(|url| matches!(url.scheme(), "https" | "http"))?;
        // A name or password in the URL is not used.
        url.set_username("").and_then(|()| url.set_password(None)).ok()?;
        let signs_in = match text("sign_in") {
            None => false,
            Some("google") => true,
            // The schema rejects it; its token is not a password.
            Some(_) => return None,
        };
        let reference = text("password").and_then(|text| text.strip_prefix("${credentials:"));
        Some(Account {
            name: text("name")?.to_owned(),
            url,
            user: text("user").map(str::to_owned),
            credential: reference.and_then(|name| name.strip_suffix('}')).map(str::to_owned),
            signs_in,
            read_only: entry["read_only"].as_bool().unwrap_or_default(),
            email: text("email").or(text("user").filter(|user| user.contains('@'))).map(str::to_owned),
        })
    })
}

/// The host of Google's calendars (developers.google.com/calendar/caldav/v2/guide).
const GOOGLE: &str = "apidata.googleusercontent.com";

impl Account {
    /// The hosts that a card shows and to which the credential may go: that of its address, and those of the same
    /// site, as iCloud spreads its accounts over `p12-caldav.icloud.com` and others.
    pub(crate) fn hosts(&self) -> Vec<String> {
        let below = self.site().map(|site| format!("*.{site}"));
        host(&self.url).into_iter().chain(below).collect()
    }

    /// Whether a request to the URL goes to one of its hosts.
    pub(super) fn reaches(&self, url: &Url) -> bool {
        let is_below = |site: String| {
            let host = url.domain().unwrap_or_default();
            host.strip_suffix(&site).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
        };
        url.origin() == self.url.origin()
            || url.scheme() == "https" && url.port().is_none() && self.site().is_some_and(is_below)
    }

    /// An access token goes only to its own host.
    fn site(&self) -> Option<String> {
        if self.signs_in { None } else { site(&self.url) }
    }

    /// # Errors
    /// If an access token would go to another server. A local server may forward to the provider's.
    pub(super) fn check_place(&self) -> Result<(), ToolError> {
        let host = self.url.host_str().unwrap_or_default();
        let is_own =
            (host == GOOGLE && self.url.scheme() == "https") || matches!(host, "127.0.0.1" | "localhost");
        if !self.signs_in || is_own {
            return Ok(());
        }
        Err(ToolError::failed(
            format!("A sign-in with Google is for {GOOGLE} only, and the server of {} is {host}.", self.name),
            "Correct its address in Settings, Skills, Calendar.",
        ))
    }

    /// # Errors
    /// If it is unknown.
    pub(crate) fn own_address(&self) -> Result<&str, ToolError> {
        self.email.as_deref().ok_or_else(|| {
            ToolError::failed(
                format!("Nothing was changed: Nova does not know your e-mail address in {}.", self.name),
                "Set it as the email of this calendar in Settings, Skills, Calendar.",
            )
        })
    }

    /// The key of its stored data. Another user of the same server has other calendars.
    pub(super) fn key(&self) -> String {
        let who = format!("{}\n{}", self.url, self.user.as_deref().unwrap_or_default());
        format!("account-{}", ContentHash::of(who.as_bytes()))
    }
}
