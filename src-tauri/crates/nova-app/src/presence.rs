//! Monitors whether the folders of the vault exist, and reports when they disappear and return.

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

/// Polling interval. There are no events for a renamed parent folder or a removed disk.
const EVERY: Duration = Duration::from_secs(1);

/// Unavailable folders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Gone {
    pub(crate) vault: Option<UserError>,
    /// By link name.
    pub(crate) roots: BTreeMap<String, GoneRootView>,
}

impl Gone {
    fn read(vault: &Vault) -> Gone {
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
    /// The currently unavailable folders of the open vault.
    pub(crate) async fn gone(&self) -> Gone {
        match self.vault() {
            Ok(vault) => blocking(move || Ok(Gone::read(&vault))).await.unwrap_or_default(),
            Err(error) => {
                let problem = Some(error).filter(|error| error.code != ErrorCode::NoVault);
                Gone { vault: problem, roots: BTreeMap::new() }
            }
        }
    }

    /// The extra roots that are currently unavailable.
    pub async fn gone_roots(&self) -> Vec<GoneRootView> {
        self.gone().await.roots.into_values().collect()
    }

    /// The open vault, if its folder is available.
    pub(crate) async fn present_vault(&self) -> Result<Vault, UserError> {
        let vault = self.vault()?;
        blocking(move || match vault.check_present() {
            Ok(()) => Ok(vault),
            Err(error) => Err(error.into()),
        })
        .await
    }

    /// Monitors the folders of the open vault until stopped, or waits for a vault that could not be opened.
    pub(crate) fn watch_presence(&self, stop: CancellationToken) {
        let app = self.clone();
        tokio::spawn(async move {
            let looking = async {
                match app.vault() {
                    Ok(vault) => app.watch_vault(vault).await,
                    Err(_) => app.wait_for_vault().await,
                }
            };
            tokio::select! {
                () = stop.cancelled() => {}
                () = looking => {}
            }
        });
    }

    async fn watch_vault(&self, vault: Vault) {
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
                self.emit_vault_back(&vault, changes.take()).await;
            }
            self.emit_vault_gone(&known, &now);
            known = now;
            tokio::time::sleep(EVERY).await;
        }
    }

    /// Reopens the vault after its notes were put back in another folder, as by a backup or a remounted disk.
    async fn reopen(&self, vault: &Vault) -> bool {
        let Some(root) = self.configured_vault() else { return false };
        let old = vault.clone();
        if !blocking(move || Ok(old.is_put_back())).await.unwrap_or_default() {
            return false;
        }
        if let Err(error) = self.open_again(&root).await {
            tracing::warn!(%error, "cannot reopen the vault");
            return false;
        }
        self.emit(Event::VaultBack { root: None, message: BACK.to_owned() });
        true
    }

    /// Retries opening the configured vault until it succeeds.
    async fn wait_for_vault(&self) {
        let Some(root) = self.configured_vault() else { return };
        loop {
            tokio::time::sleep(EVERY).await;
            if root.is_dir() && self.open_again(&root).await.is_ok() {
                return;
            }
        }
    }

    async fn emit_vault_back(&self, vault: &Vault, changes: Option<Receiver<VaultChange>>) {
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

    fn emit_vault_gone(&self, known: &Gone, now: &Gone) {
        if let (None, Some(error)) = (&known.vault, &now.vault) {
            let (message, hint) = (error.message.clone(), error.hint.clone());
            self.emit(Event::VaultGone { root: None, message, hint });
        }
        if now.vault.is_some() {
            // Its roots are determined again when it is back.
            return;
        }
        for GoneRootView { root, message, hint } in now.roots.values().cloned() {
            if !known.roots.contains_key(&root) {
                self.emit(Event::VaultGone { root: Some(root), message, hint });
            }
        }
        for root in known.roots.keys().filter(|root| !now.roots.contains_key(*root)) {
            let message = format!("The folder that \"{root}\" links to is back.");
            self.emit(Event::VaultBack { root: Some(root.clone()), message });
        }
    }
}

const BACK: &str = "The vault folder is back.";

/// Number of notes changed by others than Nova.
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

/// Why a configured vault cannot be opened: the same message whether it is missing at the start or disappears
/// later.
pub(crate) fn of_configured(root: &Path, error: UserError) -> UserError {
    match root.try_exists() {
        Ok(false) => VaultError::Gone { root: root.to_owned(), reason: None }.into(),
        _ => error,
    }
}
