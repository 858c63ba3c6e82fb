//! Inboxes are watched while their panel is open: it renews a lease, so that a page that is gone leaves no connection.

use std::sync::PoisonError;
use std::time::Duration;

use futures::future::join_all;
use nova_protocol::{ErrorCode, Event, Nothing, UserError, WatchMail};
use nova_skill_mail::setting_up::{StepProblem, WatchedInbox, credential, servers, sign_in, watch};
use serde_json::Value;
use tokio::sync::watch as latest;
use tokio::time::Instant;

use crate::app::App;
use crate::mail_watch::MailWatch;

/// For how long mail is watched after the panel said that it is open. The panel says so every two minutes.
const LEASE: Duration = Duration::from_secs(5 * 60);
/// The most mailboxes that are watched, each over one connection.
const MOST: usize = 10;
/// The shortest time between two events of a mailbox.
const GAP: Duration = Duration::from_secs(2);
/// How long to wait before a mailbox is contacted again; doubled after each failure.
const RETRY: Duration = Duration::from_secs(5);
const LONGEST_RETRY: Duration = Duration::from_secs(5 * 60);

/// Why a mailbox is not watched at the moment.
enum Ended {
    /// Only the user can change that, or another attempt would lock the account.
    ForGood,
    ForNow,
}

impl App {
    pub(crate) async fn watch_mail(&self, asked: WatchMail) -> Result<Nothing, UserError> {
        let entries = if asked.open { self.mailboxes()? } else { Vec::new() };
        let mut watch = self.inner.mail_watch.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.is_empty() {
            *watch = None;
            return Ok(Nothing {});
        }
        let until = Instant::now() + LEASE;
        if let Some(watch) = watch.as_ref().filter(|watch| watch.entries == entries) {
            // A lease that just ended has no receiver.
            if watch.until.send(until).is_ok() {
                return Ok(Nothing {});
            }
        }
        let (sender, lease) = latest::channel(until);
        *watch = Some(MailWatch { entries: entries.clone(), until: sender });
        let app = self.clone();
        tokio::spawn(async move {
            let watching = entries.into_iter().take(MOST).map(|entry| app.watch_mailbox(entry));
            let watching = async {
                join_all(watching).await;
                // A renewed lease starts none of them again.
                std::future::pending::<()>().await;
            };
            tokio::select! {
                () = ended(lease) => {}
                () = watching => {}
            }
        });
        Ok(Nothing {})
    }

    async fn watch_mailbox(&self, entry: Value) {
        let mut retry = RETRY;
        loop {
            let mut inbox = self.watched_inbox(&entry).await;
            let connected = inbox.is_ok().then(Instant::now);
            if connected.is_some() {
                // Nobody reported what happened before: since the list was read, or since a cut.
                self.mail_changed(&entry);
            }
            let ended = loop {
                match inbox {
                    Ok(watched) => {
                        inbox = watched.changed().await.map_err(|_| Ended::ForNow);
                        if inbox.is_ok() {
                            retry = RETRY;
                            self.mail_changed(&entry);
                            tokio::time::sleep(GAP).await;
                        }
                    }
                    Err(ended) => break ended,
                }
            };
            if matches!(ended, Ended::ForGood) {
                return;
            }
            // Some networks cut every quiet connection after a while.
            if connected.is_some_and(|connected| connected.elapsed() > LONGEST_RETRY) {
                retry = RETRY;
            }
            tokio::time::sleep(retry).await;
            retry = (retry * 2).min(LONGEST_RETRY);
        }
    }

    /// A token that its provider ended early is renewed once.
    async fn watched_inbox(&self, entry: &Value) -> Result<WatchedInbox, Ended> {
        let web = self.web_of_settings();
        let (name, servers) = (credential(entry).unwrap_or_default(), servers(entry));
        let secret =
            self.granted_password(&name, &servers, None).await.map_err(|error| unavailable(&error))?;
        let refused = match watch(&web, entry, secret.clone()).await {
            Err(problem) if problem.refused && sign_in(entry).is_some() => secret,
            watched => return watched.map_err(|problem| failed(&problem)),
        };
        let renewed = self.granted_password(&name, &servers, Some(&refused)).await;
        let renewed = renewed.map_err(|error| unavailable(&error))?;
        watch(&web, entry, renewed).await.map_err(|problem| failed(&problem))
    }

    fn mail_changed(&self, entry: &Value) {
        let mailbox = entry["name"].as_str().unwrap_or_default().to_owned();
        self.emit(Event::MailChanged { mailbox });
    }
}

/// Waits for the end of the lease, or for the panel to close.
async fn ended(mut lease: latest::Receiver<Instant>) {
    loop {
        let until = *lease.borrow_and_update();
        tokio::select! {
            () = tokio::time::sleep_until(until) => return,
            renewed = lease.changed() => if renewed.is_err() { return },
        }
    }
}

fn failed(problem: &StepProblem) -> Ended {
    if problem.refused { Ended::ForGood } else { Ended::ForNow }
}

fn unavailable(error: &UserError) -> Ended {
    let waits_for_user = [
        ErrorCode::CredentialNeeded,
        ErrorCode::CredentialNotGranted,
        ErrorCode::NeedsSignIn,
        ErrorCode::PassphraseNeeded,
    ];
    if waits_for_user.contains(&error.code) { Ended::ForGood } else { Ended::ForNow }
}
