//! Credentials and grants, and the commands for them.

mod askers;
mod known_sign_ins;
pub(crate) mod provider_keys;
mod server_sign_ins;
mod sign_ins;
mod signed_in;
pub(crate) mod store;
mod watch;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use async_trait::async_trait;
use nova_calls::{Approval, Approved as _, Standing, ToolContent, ToolFace};
use nova_credentials::{CredentialError, CredentialName, Grant, Opener, StoreKind};
use nova_protocol::{
    CredentialPlace, CredentialRow, CredentialState, CredentialsView, ErrorCode, GrantRow, SecretText,
    UserError,
};
use nova_registry::{KnownCredentials, Present, ToolLookup, lacking};
use nova_skill::Secret;
use secrecy::ExposeSecret;
use serde_json::Value;
use url::Url;

pub use sign_ins::SignIn;
pub use store::{CredentialsFrom, PassphraseSource, StoreOptions};

pub(crate) use known_sign_ins::of_entries as known_sign_ins;
pub(crate) use sign_ins::read as read_sign_ins;

use self::askers::Asker;
use crate::app::{App, Inner};
use crate::desktop::Desktop;

impl App {
    /// Stored, requested and granted credentials; never a value.
    pub async fn credentials(&self) -> CredentialsView {
        let store = &self.inner.user_credentials;
        let names = store.names().await;
        let grants = store.grants.list();
        let problem = names.as_ref().err().or(grants.as_ref().err()).map(UserError::from);
        let names: BTreeSet<String> = names.iter().flatten().map(ToString::to_string).collect();
        let grants = grants.unwrap_or_default();
        let sign_ins = store.sign_ins();
        let (askers, required) = (self.askers(), self.required());
        let wanted: Vec<(&String, &Vec<String>)> = askers
            .iter()
            .map(|asker| (&asker.consumer.name, &asker.wants))
            .chain(required.iter().map(|(skill, wants)| (skill, wants)))
            .collect();

        let mut all: BTreeSet<String> = names.clone();
        all.extend(sign_ins.keys().map(ToString::to_string));
        all.extend(grants.iter().map(|grant| grant.credential.to_string()));
        for wanted in wanted.iter().flat_map(|(_, wants)| *wants) {
            // A consumer of a whole `service` is listed if it has no key of it yet.
            let of_service = format!("{wanted}/");
            if wanted.contains('/') || !all.iter().any(|name| name.starts_with(&of_service)) {
                all.insert(wanted.clone());
            }
        }
        let row = |name: String| {
            let parsed: Option<CredentialName> = name.parse().ok();
            let configured = parsed.as_ref().and_then(|name| sign_ins.get(name));
            let of_server = self.server_of_sign_in(&name);
            let sign_in = configured.is_some() || of_server.is_some();
            let (server, host) = match of_server {
                Some(known) => known,
                None => (None, configured.and_then(|sign_in| sign_in.host(&store.providers))),
            };
            let signed_out = parsed.as_ref().and_then(|name| store.why_signed_out(name));
            let state = match (names.contains(&name), &signed_out) {
                (_, Some(_)) => CredentialState::NeedsSignIn,
                (true, None) => CredentialState::Kept,
                (false, None) if problem.is_some() => CredentialState::Unknown,
                (false, None) if sign_in => CredentialState::NeedsSignIn,
                (false, None) => CredentialState::Missing,
            };
            let of_it = grants.iter().filter(|grant| grant.credential.as_str() == name);
            let service = parsed.as_ref().map(CredentialName::service);
            let wanted_by: BTreeSet<String> = wanted
                .iter()
                .filter(|(_, wants)| {
                    wants.iter().any(|wanted| *wanted == name || Some(wanted.as_str()) == service)
                })
                .map(|(who, _)| (*who).clone())
                .collect();
            CredentialRow {
                state,
                reason: signed_out,
                sign_in,
                host,
                server,
                wanted_by: wanted_by.into_iter().collect(),
                grants: of_it.map(|grant| grant_row(grant, &askers)).collect(),
                name,
            }
        };
        let credentials = all.into_iter().map(row).collect();
        let kept_in = store.opened().await.map(|store| match store.kind() {
            StoreKind::Keychain => CredentialPlace::Keychain,
            StoreKind::File => CredentialPlace::File,
        });
        CredentialsView { kept_in, problem, credentials }
    }

    /// # Errors
    /// When the grants cannot be read; no grant is in force then.
    pub fn check_grants(&self) -> Result<(), UserError> {
        self.inner.user_credentials.grants.list()?;
        Ok(())
    }

    /// Stores a value, and grants it to `grant_to`.
    ///
    /// # Errors
    /// When the name or the value is invalid, and when the store fails.
    pub async fn set_credential_value(
        &self,
        name: &str,
        value: SecretText,
        grant_to: Option<&str>,
    ) -> Result<(), UserError> {
        let name = parse(name)?;
        let value = value.take();
        self.check_value(&name, &value)?;
        // Checked before anything is written: the consumer must exist.
        let to = match grant_to {
            Some(to) => Some((to.to_owned(), self.find_askers(&name, to)?)),
            None => None,
        };
        self.inner.user_credentials.set(&name, Secret::from(value)).await?;
        if let Some((to, askers)) = to {
            self.record_tool_version(&to)?;
            self.grant_all(&name, askers)?;
            if let Some(provider) = to.strip_prefix("provider:") {
                self.refer_to_key(provider, &name)?;
            }
        }
        self.refresh_credentials().await;
        Ok(())
    }

    /// # Errors
    /// When there is none of that name, and when the store fails.
    pub async fn remove_credential_named(&self, name: &str) -> Result<(), UserError> {
        let name = parse(name)?;
        if !self.inner.user_credentials.remove(&name).await? {
            return Err(CredentialError::Missing { name }.into());
        }
        self.inner.mcp.sign_ins_changed();
        self.refresh_credentials().await;
        Ok(())
    }

    /// Grants the credential to a provider, skill or tool in its current version, for its current
    /// destinations.
    ///
    /// # Errors
    /// When there is no such consumer, or it does not request the credential.
    pub fn grant_credential_to(&self, name: &str, to: &str) -> Result<(), UserError> {
        let name = parse(name)?;
        let askers = self.find_askers(&name, to)?;
        self.record_tool_version(to)?;
        self.grant_all(&name, askers)
    }

    /// # Errors
    /// When there is no such grant.
    pub fn revoke_credential_from(&self, name: &str, from: &str) -> Result<(), UserError> {
        let name = parse(name)?;
        let tools = from.strip_prefix("skill:").map(|skill| format!("tool:{skill}."));
        let grants = self.inner.user_credentials.grants.list()?;
        let names: BTreeSet<String> = grants
            .into_iter()
            .filter(|grant| grant.credential == name)
            .map(|grant| grant.consumer.name)
            .filter(|consumer| {
                consumer == from || tools.as_ref().is_some_and(|start| consumer.starts_with(start))
            })
            .collect();
        if names.is_empty() {
            return Err(UserError::new(
                ErrorCode::CredentialInvalid,
                format!("There is no grant of {name} to {from}."),
                "List grants with: nova credential grants.",
            ));
        }
        for consumer in names {
            self.inner.user_credentials.grants.revoke(&name, Some(&consumer))?;
        }
        self.emit(nova_protocol::Event::CredentialState {
            credential: name.to_string(),
            state: "revoked".into(),
        });
        Ok(())
    }

    /// Unlocks the encrypted file, or creates one if there is neither a keychain nor a file.
    ///
    /// # Errors
    /// When the passphrase is wrong.
    pub async fn unlock(&self, passphrase: SecretText) -> Result<(), UserError> {
        let opened = self.inner.user_credentials.unlock(Secret::from(passphrase.take())).await;
        opened?;
        self.refresh_credentials().await;
        Ok(())
    }

    /// Signs in through the browser, and waits for completion.
    ///
    /// # Errors
    /// When the sign-in is not configured, or is not completed.
    pub async fn sign_in_with(&self, name: &str, opener: &dyn Opener) -> Result<(), UserError> {
        let name = parse(name)?;
        if let Some(signed_in) = self.sign_in_named(&name, opener).await {
            signed_in?;
            self.refresh_credentials().await;
            return Ok(());
        }
        let Some(sign_in) = self.inner.user_credentials.sign_ins().get(&name).cloned() else {
            return Err(UserError::new(
                ErrorCode::CredentialInvalid,
                format!("No sign-in is configured for {name}."),
                format!(
                    "Describe its server in nova.config.json as sign_ins.{name}, or run `nova credential set {name}`."
                ),
            ));
        };
        self.inner.user_credentials.sign_in(&name, &sign_in, opener).await?;
        self.refresh_credentials().await;
        Ok(())
    }

    /// Like [`Self::sign_in_with`], using the window's desktop.
    ///
    /// # Errors
    /// See [`Self::sign_in_with`].
    pub(crate) async fn sign_in(&self, sign_in: nova_protocol::SignIn) -> Result<CredentialsView, UserError> {
        let desktop = AtDesktop { desktop: self.inner.options.desktop.clone(), host: sign_in.host };
        self.sign_in_with(&sign_in.name, &desktop).await?;
        Ok(self.credentials().await)
    }

    /// Reads which credentials exist, and updates which skills have what they require.
    pub async fn refresh_credentials(&self) {
        self.inner.refresh_credentials().await;
    }

    /// Waits for the first look at the credentials, if a skill requires any. A keychain that does not answer
    /// times out.
    pub async fn credentials_ready(&self) {
        if self.inner.credentials_refresh_started.load(Ordering::SeqCst) {
            // The sender is in `self`, so the channel cannot close.
            let _ = self.inner.credentials_known.subscribe().wait_for(|known| *known).await;
        }
    }

    /// # Errors
    /// When it is not `service/key`.
    pub fn check_credential_name(&self, name: &str) -> Result<(), UserError> {
        parse(name).map(|_| ())
    }

    /// `to` names a tool: granting it a credential approves the current version of its file.
    fn record_tool_version(&self, to: &str) -> Result<(), UserError> {
        let Some(name) = to.strip_prefix("tool:") else { return Ok(()) };
        let ToolLookup::Found { tool, .. } = self.inner.registry.snapshot().tool(name) else { return Ok(()) };
        let Some(content) = ToolContent::of(&tool) else { return Ok(()) };
        if matches!(self.inner.trust.standing(&content), Standing::This(_)) {
            return Ok(());
        }
        self.inner.trust.keep(&content, Approval::Seen, &ToolFace::of(&tool)).map_err(|reason| {
            UserError::new(
                ErrorCode::Io,
                format!("The approval could not be saved: {reason}."),
                "Check the data folder and the disk, then try again.",
            )
        })
    }

    fn grant_all(&self, name: &CredentialName, askers: Vec<Asker>) -> Result<(), UserError> {
        for Asker { consumer, destination, .. } in askers {
            let grant = Grant { credential: name.clone(), consumer, destination };
            self.inner.user_credentials.grants.grant(grant)?;
        }
        self.emit(nova_protocol::Event::CredentialState {
            credential: name.to_string(),
            state: "granted".into(),
        });
        Ok(())
    }

    /// A skill may restrict the values of a credential that it requires.
    fn check_value(&self, name: &CredentialName, value: &str) -> Result<(), UserError> {
        let Some((skill, variable)) = name.as_str().split_once('/') else { return Ok(()) };
        let snapshot = self.inner.registry.snapshot();
        let Some(skill) = snapshot.skill(skill).filter(|entry| entry.id == skill) else { return Ok(()) };
        nova_registry::fits(&skill.manifest.requires, variable, value).map_err(|rule| {
            UserError::new(
                ErrorCode::CredentialInvalid,
                format!("The value does not match the schema of {} for {variable}: {rule}.", skill.id),
                "Copy the value again, without spaces around it.",
            )
        })
    }

    /// Makes a provider use the key that was just set.
    fn refer_to_key(&self, provider: &str, name: &CredentialName) -> Result<(), UserError> {
        if self.configured_provider(provider)?.api_key.is_some() {
            return Ok(());
        }
        self.change_config(|config| {
            let providers = config.get_mut("providers").and_then(Value::as_array_mut);
            for entry in providers.into_iter().flatten() {
                if entry["id"] == provider
                    && let Some(entry) = entry.as_object_mut()
                {
                    entry.insert("api_key".into(), format!("${{credentials:{name}}}").into());
                }
            }
        })
    }

    fn configured_provider(&self, id: &str) -> Result<crate::config::ProviderConfig, UserError> {
        let providers = self.config().providers;
        providers.iter().find(|provider| provider.id == id).cloned().ok_or_else(|| {
            let names: Vec<&str> = providers.iter().map(|provider| provider.id.as_str()).collect();
            UserError::new(
                ErrorCode::UnknownModel,
                format!("There is no provider \"{id}\" in nova.config.json."),
                if names.is_empty() {
                    "Add it there first.".into()
                } else {
                    format!("Providers: {}.", names.join(", "))
                },
            )
        })
    }
}

impl Inner {
    /// Runs [`App::refresh_credentials`] in the background if a skill requires a credential and it has not
    /// been run yet. Otherwise the store is not touched.
    pub(crate) fn refresh_credentials_if_needed(self: &Arc<Self>) {
        let snapshot = self.registry.snapshot();
        let requires = snapshot.skills().iter().any(|skill| {
            !skill.manifest.requires.env.is_empty()
                || !skill.manifest.requires.credentials.is_empty()
                || skill.tools.iter().any(|tool| !tool.spec().credentials.is_empty())
        });
        if requires && !self.credentials_refresh_started.swap(true, Ordering::SeqCst) {
            let inner = self.clone();
            tokio::spawn(async move { inner.refresh_credentials().await });
        }
    }

    /// Announces tools that now have what they lacked, or the reverse.
    fn emit_availability_changes(&self, before: &Present) {
        let (snapshot, now) = (self.registry.snapshot(), self.registry.present());
        let tools = snapshot.skills().iter().flat_map(|skill| &skill.tools);
        let changed: Vec<String> = tools
            .filter(|tool| lacking(tool.spec(), before) != lacking(tool.spec(), &now))
            .map(|tool| tool.shown_name())
            .collect();
        if !changed.is_empty() {
            self.events.emit(nova_protocol::Event::RegistryChanged {
                added: Vec::new(),
                removed: Vec::new(),
                changed,
            });
        }
    }

    pub(crate) async fn refresh_credentials(self: &Arc<Self>) {
        self.credentials_refresh_started.store(true, Ordering::SeqCst);
        let known = self.user_credentials.probe().await;
        let before = self.registry.present();
        self.registry.provide(self.present(known));
        self.reload_registry();
        self.emit_availability_changes(&before);
        self.credentials_known.send_replace(true);
    }

    /// Which requirements of skills are present.
    pub(crate) fn present(&self, credentials: KnownCredentials) -> Present {
        let secret = self.options.secret.clone();
        Present {
            credentials,
            variable: Arc::new(move |name| secret(name).map(|value| value.expose_secret().to_owned())),
            commands: self.sandboxes.commands(),
        }
    }
}

fn grant_row(grant: &Grant, askers: &[Asker]) -> GrantRow {
    let in_force =
        askers.iter().any(|asker| asker.consumer == grant.consumer && asker.destination == grant.destination);
    GrantRow {
        consumer: grant.consumer.name.clone(),
        destination: grant.destination.to_string().trim_start_matches("hosts ").to_owned(),
        in_force: in_force || grant.consumer.name.starts_with("sign_in:"),
    }
}

/// The reasons why sign-ins have ended, by credential.
pub(crate) fn signed_out_reason(inner: &Inner, declared: &[String]) -> Option<String> {
    let sign_ins: BTreeMap<_, _> = inner.user_credentials.sign_ins();
    let meant = |name: &&CredentialName| {
        declared.iter().any(|wanted| wanted == name.as_str() || wanted == name.service())
    };
    sign_ins.keys().filter(meant).find_map(|name| {
        let reason = inner.user_credentials.why_signed_out(name)?;
        Some(format!("{name} needs a new sign-in: {reason}. Sign in at Settings, Credentials."))
    })
}

fn parse(name: &str) -> Result<CredentialName, UserError> {
    Ok(name.parse::<CredentialName>()?)
}

/// Opens the URL of a sign-in: https, or http on this machine.
struct AtDesktop {
    desktop: Arc<dyn Desktop>,
    /// The host shown to the user, if any; no other one is opened.
    host: Option<String>,
}

#[async_trait]
impl Opener for AtDesktop {
    async fn open(&self, address: &Url) -> Result<(), String> {
        nova_credentials::Endpoint::parse("address to sign in at", address.as_str())
            .map_err(|error| error.to_string())?;
        let host = address.host_str().unwrap_or_default();
        if self.host.as_deref().is_some_and(|told| told != host) {
            return Err(format!("the sign-in now leads to another host: {host}"));
        }
        self.desktop.open_url(address.as_str())
    }
}
