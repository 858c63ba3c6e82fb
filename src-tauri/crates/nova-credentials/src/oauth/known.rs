//! The endpoints, scopes and client credentials of providers at which a user's own client signs in.
//!
//! Sources: Google, *OAuth 2.0 for iOS & Desktop Apps*
//! (developers.google.com/identity/protocols/oauth2/native-app), *XOAUTH2*
//! (developers.google.com/gmail/imap/xoauth2-protocol) and *CalDAV API*
//! (developers.google.com/calendar/caldav/v2/guide). Microsoft, *Authenticate an IMAP, POP or SMTP connection
//! using OAuth* (learn.microsoft.com/exchange/client-developer/legacy-protocols) and *OAuth 2.0 authorization
//! code flow* (learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow).

use secrecy::{ExposeSecret as _, SecretString};

use super::{Endpoint, OAuthClient};
use crate::{CredentialError, CredentialName};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    Google,
    Microsoft,
}

/// The kind of data that a sign-in gives access to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Mailboxes over IMAP and SMTP.
    Mail,
    /// Calendars over CalDAV.
    Calendar,
}

/// The service of the credentials that hold the user's clients; no tool can be granted one.
const SERVICE: &str = "sign-in";

struct Known {
    name: &'static str,
    title: &'static str,
    authorize: &'static str,
    token: &'static str,
    /// Whether it issues secrets to desktop clients and requires them.
    secret: bool,
    /// The revocation endpoint (RFC 7009), if the provider has one.
    revoke: Option<&'static str>,
    mail: Option<&'static [&'static str]>,
    calendar: Option<&'static [&'static str]>,
    /// Additional parameters of the authorisation URL: without them, Google returns a refresh token at the
    /// first sign-in only.
    extra: &'static [(&'static str, &'static str)],
}

const GOOGLE: Known = Known {
    name: "google",
    title: "Google",
    authorize: "https://accounts.google.com/o/oauth2/v2/auth",
    token: "https://oauth2.googleapis.com/token",
    secret: true,
    revoke: Some("https://oauth2.googleapis.com/revoke"),
    mail: Some(&["https://mail.google.com/"]),
    calendar: Some(&["https://www.googleapis.com/auth/calendar"]),
    extra: &[("access_type", "offline"), ("prompt", "consent")],
};

/// `common` covers work, school and personal accounts.
const MICROSOFT: Known = Known {
    name: "microsoft",
    title: "Microsoft",
    authorize: "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
    token: "https://login.microsoftonline.com/common/oauth2/v2.0/token",
    secret: false,
    revoke: None,
    mail: Some(&[
        "https://outlook.office.com/IMAP.AccessAsUser.All",
        "https://outlook.office.com/SMTP.Send",
        "offline_access",
    ]),
    // Outlook does not support CalDAV.
    calendar: None,
    extra: &[],
};

impl Provider {
    pub const ALL: [Self; 2] = [Self::Google, Self::Microsoft];

    /// The provider called `google` or `microsoft` in a configuration.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.name() == name)
    }

    pub fn name(self) -> &'static str {
        self.known().name
    }

    /// The display name.
    pub fn title(self) -> &'static str {
        self.known().title
    }

    pub fn offers(self, access: Access) -> bool {
        self.scopes(access).is_some()
    }

    /// Whether the user's client has a secret.
    pub fn has_client_secret(self) -> bool {
        self.known().secret
    }

    /// The credential of the client id, such as `sign-in/GOOGLE_CALENDAR_CLIENT_ID`.
    ///
    /// # Errors
    /// Never: the name is valid.
    pub fn client_id(self, access: Access) -> Result<CredentialName, CredentialError> {
        self.credential(access, "ID")
    }

    /// The credential of the client secret, such as `sign-in/GOOGLE_CALENDAR_CLIENT_SECRET`.
    ///
    /// # Errors
    /// Never: the name is valid.
    pub fn client_secret(self, access: Access) -> Result<CredentialName, CredentialError> {
        self.credential(access, "SECRET")
    }

    fn credential(self, access: Access, part: &str) -> Result<CredentialName, CredentialError> {
        let access = match access {
            Access::Mail => "MAIL",
            Access::Calendar => "CALENDAR",
        };
        format!("{SERVICE}/{}_{access}_CLIENT_{part}", self.name().to_ascii_uppercase()).parse()
    }

    fn scopes(self, access: Access) -> Option<&'static [&'static str]> {
        match access {
            Access::Mail => self.known().mail,
            Access::Calendar => self.known().calendar,
        }
    }

    fn known(self) -> &'static Known {
        match self {
            Self::Google => &GOOGLE,
            Self::Microsoft => &MICROSOFT,
        }
    }
}

/// The servers of the providers. They are not configurable.
#[derive(Debug, Clone, Default)]
pub struct ProviderServers {
    test_server: Option<String>,
}

impl ProviderServers {
    /// Replaces all providers by one server, for tests: `/authorize`, `/token` and `/revoke` below `address`.
    pub fn at(address: &str) -> Self {
        Self { test_server: Some(address.to_owned()) }
    }

    /// The user's client at a provider. `user` is suggested as the account to sign in with.
    ///
    /// # Errors
    /// [`CredentialError::CannotSignIn`] if the provider does not offer that access.
    pub fn client(
        &self,
        provider: Provider,
        access: Access,
        id: &SecretString,
        secret: Option<SecretString>,
        user: Option<&str>,
    ) -> Result<OAuthClient, CredentialError> {
        let known = provider.known();
        let scopes = provider.scopes(access).ok_or_else(|| CredentialError::CannotSignIn {
            reason: format!("{} has no calendars by CalDAV", known.title),
            remedy: "Subscribe to its published calendar (ICS) instead.".into(),
        })?;
        let pair = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        let mut extra: Vec<_> = known.extra.iter().map(pair).collect();
        extra.extend(user.map(|user| ("login_hint".to_owned(), user.to_owned())));
        Ok(OAuthClient {
            authorize: self.authorize(provider)?,
            token: self.token(provider)?,
            client_id: id.expose_secret().to_owned(),
            client_secret: secret,
            // A response's issuer must match the origin of `authorize`; Microsoft's responses contain none.
            issuer: None,
            scopes: scopes.iter().map(|scope| (*scope).to_owned()).collect(),
            extra,
            found: None,
        })
    }

    /// The authorisation endpoint.
    ///
    /// # Errors
    /// Never for the real providers.
    pub fn authorize(&self, provider: Provider) -> Result<Endpoint, CredentialError> {
        self.endpoint("address to sign in at", "authorize", provider.known().authorize)
    }

    /// The token endpoint.
    ///
    /// # Errors
    /// Never for the real providers.
    pub fn token(&self, provider: Provider) -> Result<Endpoint, CredentialError> {
        self.endpoint("address of the token server", "token", provider.known().token)
    }

    /// The revocation endpoint, if the provider has one.
    ///
    /// # Errors
    /// Never for the real providers.
    pub fn revoke(&self, provider: Provider) -> Result<Option<Endpoint>, CredentialError> {
        let revoke = provider.known().revoke;
        revoke.map(|own| self.endpoint("address to revoke tokens at", "revoke", own)).transpose()
    }

    fn endpoint(&self, what: &'static str, path: &str, own: &str) -> Result<Endpoint, CredentialError> {
        match &self.test_server {
            None => Endpoint::parse(what, own),
            Some(address) => Endpoint::parse(what, &format!("{address}/{path}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_provider_uses_https() {
        let (servers, id) = (ProviderServers::default(), "id".into());
        for provider in Provider::ALL {
            assert_eq!(Provider::named(provider.name()), Some(provider));
            let client = servers.client(provider, Access::Mail, &id, None, Some("jane@x.example"));
            let client = client.expect("mail is offered");
            let revoke = servers.revoke(provider).expect("an address");
            for endpoint in [&client.authorize, &client.token].into_iter().chain(&revoke) {
                assert_eq!(endpoint.url().scheme(), "https", "{endpoint:?}");
            }
            assert!(client.extra.contains(&("login_hint".into(), "jane@x.example".into())));
        }
        assert_eq!(Provider::named("Google "), None);
    }

    #[test]
    fn client_credentials_are_named_like_environment_variables() {
        let id = Provider::Google.client_id(Access::Calendar).expect("a name");
        assert_eq!(id.as_str(), "sign-in/GOOGLE_CALENDAR_CLIENT_ID");
        let secret = Provider::Microsoft.client_secret(Access::Mail).expect("a name");
        assert_eq!(secret.as_str(), "sign-in/MICROSOFT_MAIL_CLIENT_SECRET");
    }

    #[test]
    fn outlook_has_no_calendar_to_sign_in_for() {
        assert!(!Provider::Microsoft.offers(Access::Calendar));
        let error = ProviderServers::default()
            .client(Provider::Microsoft, Access::Calendar, &"id".into(), None, None)
            .expect_err("it is not offered");
        assert!(matches!(error, CredentialError::CannotSignIn { .. }), "{error}");
    }
}
