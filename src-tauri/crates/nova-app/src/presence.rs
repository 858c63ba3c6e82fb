//! Whether the folders of the vault are there: what goes away is reported, and that it is back.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::time::Duration;

use nova_protocol::{ErrorCode, Event, GoneRootView, UserError};
use nova_vault::{By, Vault, VaultChange, VaultError};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::TryRecvError;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::blocking::blocking;

/// Between two looks. No event tells of a renamed folder above the vault's, nor of a disk that is taken away.
const EVERY: Duration = Duration::from_secs(1);

/// What cannot be reached.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Gone {
    pub(crate) vault: Option<UserError>,
    /// By the names of their links.
    pub(crate) roots: BTreeMap<String, GoneRootView>,
}

impl Gone {
    fn look(vault: &Vault) -> Gone {
        if let Err(error) = vault.check_present() {
            return Gone { vault: Some(error.into()), roots: BTreeMap::new() };
        }
        let views = vault.gone_roots().into_iter().map(|root| {
            let (message, hint) = (format!("{}.", root.message()), root.hint());
            (root.link.clone(), GoneRootView { root: root.link, message, hint })
        });
        Gone { vault: None, roots: views.collect() }
    }
}

impl App {
    /// What of the open vault cannot be reached now.
    pub(crate) async fn gone(&self) -> Gone {
        match self.vault() {
            Ok(vault) => blocking(move || Ok(Gone::look(&vault))).await.unwrap_or_default(),
            Err(error) => {
                let problem = Some(error).filter(|error| error.code != ErrorCode::NoVault);
                Gone { vault: problem, roots: BTreeMap::new() }
            }
        }
    }

    /// The extra roots that cannot be reached now.
    pub async fn gone_roots(&self) -> Vec<GoneRootView> {
        self.gone().await.roots.into_values().collect()
    }

    /// The open vault, where its folder can be reached.
    pub(crate) async fn present_vault(&self) -> Result<Vault, UserError> {
        let vault = self.vault()?;
        blocking(move || match vault.check_present() {
            Ok(()) => Ok(vault),
            Err(error) => Err(error.into()),
        })
        .await
    }

    /// Looks after the folders of the open vault until stopped, or for the vault that could not be opened.
    pub(crate) fn watch_presence(&self, stop: CancellationToken) {
        let app = self.clone();
        tokio::spawn(async move {
            let looking = async {
                match app.vault() {
                    Ok(vault) => app.look_after(vault).await,
                    Err(_) => app.wait_for_vault().await,
                }
            };
            tokio::select! {
                () = stop.cancelled() => {}
                () = looking => {}
            }
        });
    }

    async fn look_after(&self, vault: Vault) {
        let mut known = Gone::default();
        let mut changes = None;
        loop {
            let now = self.gone().await;
            if known.vault.is_none() && now.vault.is_some() {
                changes = Some(vault.changes());
            }
            if now.vault.is_some() && self.reopen(&vault).await {
                return;
            }
            if known.vault.is_some() && now.vault.is_none() {
                self.tell_back(&vault, changes.take()).await;
            }
            self.tell_gone(&known, &now);
            known = now;
            tokio::time::sleep(EVERY).await;
        }
    }

    /// Opens the vault again whose notes were put back in another folder, as by a backup or by a disk that was
    /// mounted again.
    async fn reopen(&self, vault: &Vault) -> bool {
        let Some(root) = self.configured_vault() else { return false };
        let old = vault.clone();
        if !blocking(move || Ok(old.is_put_back())).await.unwrap_or_default() {
            return false;
        }
        if let Err(error) = self.open_again(&root).await {
            tracing::warn!("{error}");
            return false;
        }
        self.emit(Event::VaultBack { root: None, message: BACK.to_owned() });
        true
    }

    /// Tries to open the configured vault until that succeeds.
    async fn wait_for_vault(&self) {
        let Some(root) = self.configured_vault() else { return };
        loop {
            tokio::time::sleep(EVERY).await;
            if root.is_dir() && self.open_again(&root).await.is_ok() {
                return;
            }
        }
    }

    async fn tell_back(&self, vault: &Vault, changes: Option<Receiver<VaultChange>>) {
        let vault = vault.clone();
        let flushed = blocking(move || {
            vault.flush_changes();
            Ok(changes.map_or(0, changed_outside))
        });
        let message = match flushed.await.unwrap_or_default() {
            0 => BACK.to_owned(),
            1 => format!("{BACK} 1 note changed meanwhile."),
            many => format!("{BACK} {many} notes changed meanwhile."),
        };
        self.emit(Event::VaultBack { root: None, message });
    }

    fn tell_gone(&self, known: &Gone, now: &Gone) {
        if let (None, Some(error)) = (&known.vault, &now.vault) {
            let (message, hint) = (error.message.clone(), error.hint.clone());
            self.emit(Event::VaultGone { root: None, message, hint });
        }
        if now.vault.is_some() {
            // Its roots are known again when it is back.
            return;
        }
        for GoneRootView { root, message, hint } in now.roots.values().cloned() {
            if !known.roots.contains_key(&root) {
                self.emit(Event::VaultGone { root: Some(root), message, hint });
            }
        }
        for root in known.roots.keys().filter(|root| !now.roots.contains_key(*root)) {
            let message = format!("The folder that \"{root}\" leads to is back.");
            self.emit(Event::VaultBack { root: Some(root.clone()), message });
        }
    }
}

const BACK: &str = "The vault folder is back.";

/// How many notes changed, by whomever but Nova.
fn changed_outside(mut changes: Receiver<VaultChange>) -> usize {
    let mut changed = HashSet::new();
    loop {
        match changes.try_recv() {
            Ok(change) if change.by == By::Outside => {
                changed.insert(change.path);
            }
            Ok(_) | Err(TryRecvError::Lagged(_)) => {}
            Err(TryRecvError::Empty | TryRecvError::Closed) => return changed.len(),
        }
    }
}

/// Why a vault that the configuration names cannot be opened: in the same words when it is missing at the
/// start and when it goes away later.
pub(crate) fn of_configured(root: &Path, error: UserError) -> UserError {
    match root.try_exists() {
        Ok(false) => VaultError::Gone { root: root.to_owned(), reason: None }.into(),
        _ => error,
    }
}
