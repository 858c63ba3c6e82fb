//! `sign_ins` of `nova.config.json`: credentials obtained by signing in through the browser.

use std::collections::BTreeMap;

use nova_credentials::{
    CredentialError, CredentialName, Destination, Endpoint, GrantConsumer, OAuthClient, Place,
    ProviderServers, Template,
};
use secrecy::SecretString;
use serde_json::{Map, Value};

use super::known_sign_ins::KnownSignIn;

/// How a credential is got by signing in with the browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignIn {
    /// As `sign_ins` describes it.
    Configured(ConfiguredSignIn),
    /// With the user's own client at a provider that Nova knows.
    Known(KnownSignIn),
}

impl SignIn {
    /// The host where one signs in.
    pub(super) fn host(&self, providers: &ProviderServers) -> Option<String> {
        let address = match self {
            Self::Configured(configured) => {
                Endpoint::parse("address to sign in at", &configured.authorize).ok()?
            }
            Self::Known(known) => providers.authorize(known.provider).ok()?,
        };
        address.url().host_str().map(str::to_owned)
    }
}

/// An OAuth client and its server.
#[derive(Clone, PartialEq, Eq)]
pub struct ConfiguredSignIn {
    authorize: String,
    token: String,
    client_id: String,
    /// A reference, never a literal.
    client_secret: Option<Template>,
    /// The server's identifier in its responses.
    issuer: Option<String>,
    scopes: Vec<String>,
    extra: Vec<(String, String)>,
}

impl std::fmt::Debug for ConfiguredSignIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ConfiguredSignIn").field("token", &self.token).finish_non_exhaustive()
    }
}

impl ConfiguredSignIn {
    /// The reference to the client secret.
    pub(super) fn client_secret(&self) -> Option<&Template> {
        self.client_secret.as_ref()
    }

    /// Builds the client with its resolved secret.
    pub(super) fn client(&self, client_secret: Option<SecretString>) -> Result<OAuthClient, CredentialError> {
        Ok(OAuthClient {
            authorize: Endpoint::parse("address to sign in at", &self.authorize)?,
            token: Endpoint::parse("address of the token server", &self.token)?,
            client_id: self.client_id.clone(),
            client_secret,
            issuer: self.issuer.clone(),
            scopes: self.scopes.clone(),
            extra: self.extra.clone(),
            found: None,
        })
    }

    pub(super) fn consumer(&self, name: &CredentialName) -> GrantConsumer {
        GrantConsumer::new(format!("sign_in:{name}"), &["sign_in", &self.token, &self.client_id])
    }

    pub(super) fn destination(&self) -> Result<Destination, CredentialError> {
        Ok(Destination::host(Endpoint::parse("address of the token server", &self.token)?.url()))
    }
}

/// Parses `sign_ins`.
///
/// # Errors
/// The invalid key, and the reason.
pub(crate) fn read(value: Option<&Value>) -> Result<BTreeMap<CredentialName, SignIn>, (String, String)> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(BTreeMap::new()) };
    let wrong = |key: &str, why: &str| (key.to_owned(), why.to_owned());
    let map = value.as_object().ok_or_else(|| wrong("sign_ins", "must be an object"))?;
    let mut sign_ins = BTreeMap::new();
    for (name, entry) in map {
        let key = format!("sign_ins.{name}");
        let parsed = name.parse().map_err(|_| wrong(&key, "is not named as service/key"))?;
        let entry = entry.as_object().ok_or_else(|| wrong(&key, "must be an object"))?;
        sign_ins.insert(parsed, SignIn::Configured(one(&key, entry)?));
    }
    Ok(sign_ins)
}

fn one(key: &str, entry: &Map<String, Value>) -> Result<ConfiguredSignIn, (String, String)> {
    let wrong = |part: &str, why: String| (format!("{key}.{part}"), why);
    let text = |part: &str| match entry.get(part) {
        Some(Value::String(text)) if !text.is_empty() => Ok(text.clone()),
        _ => Err(wrong(part, "must be a string".into())),
    };
    let address = |part: &str| {
        let address = text(part)?;
        Endpoint::parse("address", &address)
            .map(|_| address)
            .map_err(|_| wrong(part, "must be an https address, or an http address of this machine".into()))
    };
    let client_secret = match entry.get("client_secret") {
        None | Some(Value::Null) => None,
        Some(_) => {
            let written = text("client_secret")?;
            let template = Template::parse(Place::ProviderKey, &written)
                .ok()
                .filter(|template| template.references().next().is_some());
            let refused = || wrong("client_secret", "must be ${credentials:service/key}".into());
            Some(template.ok_or_else(refused)?)
        }
    };
    let issuer = match entry.get("issuer") {
        None | Some(Value::Null) => None,
        Some(_) => Some(text("issuer")?),
    };
    let scopes = match entry.get("scopes") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(items)) => items
            .iter()
            .map(|item| item.as_str().map(str::to_owned))
            .collect::<Option<_>>()
            .ok_or_else(|| wrong("scopes", "must be a list of strings".into()))?,
        Some(_) => return Err(wrong("scopes", "must be a list of strings".into())),
    };
    let extra = entry.get("extra").and_then(Value::as_object).into_iter().flatten();
    Ok(ConfiguredSignIn {
        authorize: address("authorize")?,
        token: address("token")?,
        client_id: text("client_id")?,
        client_secret,
        issuer,
        scopes,
        extra: extra.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect(),
    })
}
