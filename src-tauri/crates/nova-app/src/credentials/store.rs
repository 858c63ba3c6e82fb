//! The user's store of credentials, opened on first use.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, Weak};
use std::time::Duration;

use async_trait::async_trait;
use nova_credentials::{
    CredentialError, CredentialName, CredentialStore, Destination, GrantConsumer, Grants, ProviderServers,
};
use nova_protocol::Event;
use nova_registry::{HeldState, KnownCredentials, Registry};
use nova_skill::{Clock, Consumer, CredentialSource, Ground, HeldCredential, Secret, ToolError};
use secrecy::SecretString;

use super::sign_ins::SignIn;

/// Timeout of a keychain request; it may have to ask the user to unlock it.
pub(super) const TIMEOUT: Duration = Duration::from_secs(60);
/// The same for background requests.
const BACKGROUND_TIMEOUT: Duration = Duration::from_secs(15);

/// Why a sign-in is needed at first.
pub(super) const NEVER_SIGNED_IN: &str = "nobody has signed in yet";

/// Returns the passphrase of the encrypted file on first use, or the reason why it cannot.
pub type PassphraseSource = Arc<dyn Fn() -> Result<Option<SecretString>, String> + Send + Sync>;

/// Possible locations of the user's credentials.
#[derive(Clone)]
pub struct StoreOptions {
    /// Whether to use the system's keychain.
    pub keychain: bool,
    pub passphrase: PassphraseSource,
}

/// The source of the user's secrets for tools and providers.
#[derive(Clone)]
pub enum CredentialsFrom {
    /// The user's store.
    Store(StoreOptions),
    /// A replacement of the store for tools.
    StandIn(Arc<dyn CredentialSource>),
}

impl CredentialsFrom {
    pub(crate) fn store_options(&self) -> StoreOptions {
        match self {
            Self::Store(options) => options.clone(),
            Self::StandIn(_) => StoreOptions { keychain: false, passphrase: Arc::new(|| Ok(None)) },
        }
    }
}

/// The store, the grants and the sign-ins of one instance.
pub(crate) struct UserCredentials {
    pub(super) data: PathBuf,
    options: StoreOptions,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) providers: ProviderServers,
    open: tokio::sync::Mutex<Option<CredentialStore>>,
    /// A passphrase entered in the window.
    typed: Mutex<Option<SecretString>>,
    pub(crate) grants: Grants,
    sign_ins: RwLock<BTreeMap<CredentialName, SignIn>>,
    /// Ended sign-ins and the reasons.
    signed_out: Mutex<BTreeMap<CredentialName, String>>,
    /// The names found by the last look.
    seen: Mutex<Option<BTreeSet<CredentialName>>>,
    pub(super) context: OnceLock<Weak<dyn StoreContext>>,
}

/// What the store needs of its `App`.
pub(crate) trait StoreContext: Send + Sync {
    fn emit(&self, event: Event);
    fn registry(&self) -> &Registry;
    /// An environment variable.
    fn variable(&self, name: &str) -> Option<SecretString>;
}

impl UserCredentials {
    pub(crate) fn new(
        data: PathBuf,
        options: StoreOptions,
        clock: Arc<dyn Clock>,
        providers: ProviderServers,
    ) -> Self {
        Self {
            grants: Grants::of(&data),
            data,
            options,
            clock,
            providers,
            open: tokio::sync::Mutex::default(),
            typed: Mutex::default(),
            sign_ins: RwLock::default(),
            signed_out: Mutex::default(),
            seen: Mutex::default(),
            context: OnceLock::new(),
        }
    }

    /// Connects it to its app, which receives events and provides values from elsewhere.
    pub(crate) fn attach(&self, context: Weak<dyn StoreContext>) {
        let _ = self.context.set(context);
    }

    /// The store, opened on first use. A failure is not cached: a keychain may be unlocked later.
    pub(crate) async fn store(&self) -> Result<CredentialStore, CredentialError> {
        let mut open = self.open.lock().await;
        if let Some(store) = &*open {
            return Ok(store.clone());
        }
        let typed = self.typed().clone();
        let passphrase = match typed {
            Some(typed) => Some(typed),
            None => self.passphrase().await?,
        };
        let opened = match (self.options.keychain, passphrase) {
            (true, passphrase) => within(TIMEOUT, CredentialStore::open(&self.data, passphrase)).await,
            (false, Some(passphrase)) => CredentialStore::open_file(&self.data, passphrase).await,
            (false, None) if self.data.join("credentials.age").exists() => {
                Err(CredentialError::PassphraseNeeded)
            }
            (false, None) => Err(CredentialError::NoStore { reason: "it is not used here".into() }),
        };
        let store = opened?;
        *open = Some(store.clone());
        Ok(store)
    }

    /// Reading it may block, if it comes from a descriptor.
    async fn passphrase(&self) -> Result<Option<SecretString>, CredentialError> {
        let source = self.options.passphrase.clone();
        let unread = |reason: String| CredentialError::UnreadablePassphrase { reason };
        match tokio::time::timeout(BACKGROUND_TIMEOUT, tokio::task::spawn_blocking(move || source())).await {
            Ok(Ok(read)) => read.map_err(unread),
            Ok(Err(_)) => Err(unread("internal failure".into())),
            Err(_) => Err(unread(format!("no response in {} s", BACKGROUND_TIMEOUT.as_secs()))),
        }
    }

    /// The store, if already open.
    pub(crate) async fn opened(&self) -> Option<CredentialStore> {
        self.open.lock().await.clone()
    }

    /// Unlocks the encrypted file with a passphrase, or creates one if there is no store at all.
    pub(crate) async fn unlock(&self, passphrase: SecretString) -> Result<(), CredentialError> {
        *self.typed() = Some(passphrase);
        let opened = self.store().await;
        if opened.is_err() {
            *self.typed() = None;
        }
        opened.map(|_| ())
    }

    /// The names of the stored credentials; empty without a store.
    pub(crate) async fn names(&self) -> Result<Vec<CredentialName>, CredentialError> {
        if !self.has_store() && !self.options.keychain {
            return Ok(Vec::new());
        }
        match self.store().await {
            Ok(store) => within(TIMEOUT, store.list()).await,
            Err(_) if !self.has_store() => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// False if nothing can be stored yet, so that no store has to be unlocked to find out.
    pub(crate) fn may_have_stored(&self) -> bool {
        self.has_store()
    }

    /// Whether the data folder refers to a store.
    fn has_store(&self) -> bool {
        ["credentials.json", "credentials.age"].iter().any(|file| self.data.join(file).exists())
    }

    pub(crate) async fn set(
        &self,
        name: &CredentialName,
        value: SecretString,
    ) -> Result<(), CredentialError> {
        let set = within(TIMEOUT, self.store().await?.set(name, value.clone())).await;
        let set = match set {
            // Another Nova process has created the store elsewhere meanwhile.
            Err(CredentialError::StoreChanged { .. }) => {
                *self.open.lock().await = None;
                within(TIMEOUT, self.store().await?.set(name, value)).await
            }
            set => set,
        };
        set?;
        self.signed_out().remove(name);
        self.changed(name, "kept");
        Ok(())
    }

    /// Removes it with its grants: a secret stored under this name later is a different one.
    pub(crate) async fn remove(&self, name: &CredentialName) -> Result<bool, CredentialError> {
        self.grants.revoke(name, None)?;
        let sign_ins = self.sign_ins();
        self.revoke_tokens(name, sign_ins.get(name)).await;
        let removed = within(TIMEOUT, self.store().await?.remove(name)).await?;
        self.signed_out().remove(name);
        self.changed(name, "missing");
        Ok(removed)
    }

    /// The secret for a consumer with a grant; an expiring token is refreshed first.
    pub(crate) async fn granted(
        &self,
        consumer: &GrantConsumer,
        destination: &Destination,
        name: &CredentialName,
    ) -> Result<SecretString, CredentialError> {
        match self.sign_ins().get(name) {
            Some(sign_in) => {
                self.check_grant(consumer, destination, name)?;
                self.token(name, sign_in, None).await
            }
            None => self.granted_secret(consumer, destination, name).await,
        }
    }

    /// Like `granted`, without signing in: the secret of one sign-in must not start another.
    pub(super) async fn granted_secret(
        &self,
        consumer: &GrantConsumer,
        destination: &Destination,
        name: &CredentialName,
    ) -> Result<SecretString, CredentialError> {
        self.check_grant(consumer, destination, name)?;
        let secret = within(TIMEOUT, self.store().await?.get(name)).await?;
        secret.ok_or_else(|| CredentialError::Missing { name: name.clone() })
    }

    fn check_grant(
        &self,
        consumer: &GrantConsumer,
        destination: &Destination,
        name: &CredentialName,
    ) -> Result<(), CredentialError> {
        if self.grants.allow(name, consumer, destination)? {
            return Ok(());
        }
        Err(CredentialError::NotGranted {
            name: name.clone(),
            consumer: consumer.name.clone(),
            destination: destination.to_string(),
        })
    }

    /// The available credentials for the registry. Has a short timeout.
    pub(crate) async fn probe(&self) -> KnownCredentials {
        let names = match tokio::time::timeout(BACKGROUND_TIMEOUT, self.names()).await {
            Ok(Ok(names)) => names,
            Ok(Err(error)) => return KnownCredentials::Unreachable(format!("{error} {}", error.hint())),
            Err(_) => {
                return KnownCredentials::Unreachable(
                    "The keychain does not answer. Unlock it, then refresh Settings, Credentials.".into(),
                );
            }
        };
        let mut known: BTreeMap<_, _> =
            names.iter().map(|name| (name.to_string(), HeldState::Kept)).collect();
        let signed_out = self.signed_out().clone();
        for name in self.sign_ins().keys() {
            if !names.contains(name) || signed_out.contains_key(name) {
                known.insert(name.to_string(), HeldState::NeedsSignIn);
            }
        }
        self.emit_changes(&names);
        KnownCredentials::Known(known)
    }

    /// Emits credentials that were added or removed, possibly by another Nova process.
    fn emit_changes(&self, names: &[CredentialName]) {
        let now: BTreeSet<CredentialName> = names.iter().cloned().collect();
        let before = self.seen.lock().unwrap_or_else(PoisonError::into_inner).replace(now.clone());
        let Some(before) = before else { return };
        now.difference(&before).for_each(|name| self.changed(name, "kept"));
        before.difference(&now).for_each(|name| self.changed(name, "missing"));
    }

    pub(crate) fn sign_ins(&self) -> BTreeMap<CredentialName, SignIn> {
        self.sign_ins.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Applies the configured sign-ins. A sign-in at another server is a different one.
    pub(crate) fn set_sign_ins(&self, sign_ins: BTreeMap<CredentialName, SignIn>) {
        *self.sign_ins.write().unwrap_or_else(PoisonError::into_inner) = sign_ins;
    }

    /// Why the user must sign in again; `None` if that is not known to be necessary.
    pub(crate) fn why_signed_out(&self, name: &CredentialName) -> Option<String> {
        self.signed_out().get(name).cloned()
    }

    pub(super) fn changed(&self, name: &CredentialName, state: &str) {
        if let Some(context) = self.context.get().and_then(Weak::upgrade) {
            context.emit(Event::CredentialState { credential: name.to_string(), state: state.into() });
        }
    }

    /// The value of a variable required by the consumer's skill, from its configuration or the environment.
    fn configured_value(&self, consumer: &Consumer, name: &CredentialName) -> Option<SecretString> {
        let context = self.context.get()?.upgrade()?;
        let (skill, variable) = name.as_str().split_once('/')?;
        if consumer.skill != skill {
            return None;
        }
        let snapshot = context.registry().snapshot();
        let entry = snapshot.skill(skill).filter(|entry| entry.id == skill)?;
        if !entry.manifest.requires.env.contains_key(variable) {
            return None;
        }
        match entry.config.get(variable) {
            Some(serde_json::Value::String(text)) => Some(text.as_str().into()),
            Some(value) if !value.is_null() => Some(value.to_string().into()),
            _ => context.variable(variable),
        }
    }

    fn typed(&self) -> MutexGuard<'_, Option<SecretString>> {
        self.typed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn signed_out(&self) -> MutexGuard<'_, BTreeMap<CredentialName, String>> {
        self.signed_out.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl CredentialSource for UserCredentials {
    async fn held(&self, consumer: &Consumer, declared: &str) -> Result<Vec<HeldCredential>, ToolError> {
        let stored = self.names().await;
        let sign_ins = self.sign_ins();
        let is_meant = |name: &CredentialName| name.as_str() == declared || name.service() == declared;
        let mut names: Vec<CredentialName> =
            stored.iter().flatten().filter(|name| is_meant(name)).cloned().collect();
        let mut needed = None;
        for (name, sign_in) in sign_ins.iter().filter(|(name, _)| is_meant(name)) {
            let reason = match self.why_signed_out(name) {
                // Another Nova process may have signed in meanwhile.
                Some(_) if self.token(name, sign_in, None).await.is_ok() => continue,
                Some(reason) => reason,
                None if names.contains(name) => continue,
                None if stored.is_err() => continue,
                None => NEVER_SIGNED_IN.into(),
            };
            names.retain(|held| held != name);
            needed.get_or_insert(CredentialError::NeedsSignIn { name: name.clone(), reason });
        }
        // One of several that a service has leaves the others alone.
        if let (Some(needed), true) = (needed, names.is_empty()) {
            return Err(needed.into());
        }
        if names.is_empty()
            && let Ok(name) = declared.parse()
            && self.configured_value(consumer, &name).is_some()
        {
            names.push(name);
        }
        if names.is_empty() {
            stored?;
        }
        let (who, to) = (GrantConsumer::from(consumer), destination(consumer));
        names
            .into_iter()
            .map(|name| {
                let granted = self.grants.allow(&name, &who, &to)?;
                Ok(HeldCredential { name: name.into(), granted })
            })
            .collect()
    }

    async fn grant(&self, consumer: &Consumer, name: &str) -> Result<(), ToolError> {
        let credential = name.parse().map_err(ToolError::from)?;
        let grant = nova_credentials::Grant {
            credential,
            consumer: consumer.into(),
            destination: destination(consumer),
        };
        Ok(self.grants.grant(grant)?)
    }

    async fn secret(
        &self,
        consumer: &Consumer,
        name: &str,
        ground: Ground,
    ) -> Result<Option<Secret>, ToolError> {
        self.secret_for(consumer, name, ground, None).await
    }

    async fn renewed(
        &self,
        consumer: &Consumer,
        name: &str,
        ground: Ground,
        refused: &Secret,
    ) -> Result<Option<Secret>, ToolError> {
        self.secret_for(consumer, name, ground, Some(refused)).await
    }
}

impl UserCredentials {
    async fn secret_for(
        &self,
        consumer: &Consumer,
        name: &str,
        ground: Ground,
        refused: Option<&Secret>,
    ) -> Result<Option<Secret>, ToolError> {
        let name: CredentialName = name.parse().map_err(ToolError::from)?;
        let (who, to) = (GrantConsumer::from(consumer), destination(consumer));
        let sign_ins = self.sign_ins();
        let sign_in = sign_ins.get(&name);
        if ground == Ground::Grant && !self.grants.allow(&name, &who, &to)? {
            // Nobody is asked about a token that does not exist yet.
            if let Some(sign_in) = sign_in {
                self.check_signed_in(&name, sign_in).await?;
            }
            return Err(CredentialError::NotGranted {
                name,
                consumer: who.name,
                destination: to.to_string(),
            }
            .into());
        }
        if let Some(sign_in) = sign_in {
            return Ok(Some(self.token(&name, sign_in, refused).await?));
        }
        let stored = match self.store().await {
            Ok(store) => within(TIMEOUT, store.get(&name)).await?,
            Err(error) => {
                return match self.configured_value(consumer, &name) {
                    Some(secret) => Ok(Some(secret)),
                    None if !self.has_store() => Ok(None),
                    None => Err(error.into()),
                };
            }
        };
        Ok(stored.or_else(|| self.configured_value(consumer, &name)))
    }
}

/// The hosts declared by a tool.
pub(super) fn destination(consumer: &Consumer) -> Destination {
    Destination::hosts(consumer.hosts.iter().map(String::as_str))
}

pub(super) async fn within<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, CredentialError>>,
) -> Result<T, CredentialError> {
    match tokio::time::timeout(limit, work).await {
        Ok(result) => result,
        Err(_) => {
            let reason =
                format!("no answer in {} s; it may be waiting for you to unlock it", limit.as_secs());
            Err(CredentialError::Keychain { reason })
        }
    }
}
