//! Monitors a connection: refreshes lists on change notifications, and stops the server when idle.

use std::sync::Weak;
use std::time::Duration;

use super::Server;
use crate::connection::Connection;

/// Minimum interval between lists, for a server that keeps reporting changes.
const BETWEEN_LISTS: Duration = Duration::from_secs(1);

/// Refreshes tools until the connection ends. Holds only weak references.
pub(super) async fn attend(server: Weak<Server>, connection: Weak<Connection>) {
    let parts =
        connection.upgrade().map(|connection| (connection.closed.clone(), connection.notifications.clone()));
    let Some((closed, notifications)) = parts else { return };
    let strong = || Some((server.upgrade()?, connection.upgrade()?));
    let listing = async {
        loop {
            notifications.tools.notified().await;
            let Some((server, connection)) = strong() else { return };
            server.list_again(&connection).await;
            drop(connection);
            tokio::time::sleep(BETWEEN_LISTS).await;
        }
    };
    let offers = async {
        loop {
            let Some((server, connection)) = strong() else { return };
            server.list_offers(&connection).await;
            drop((server, connection));
            tokio::time::sleep(BETWEEN_LISTS).await;
            notifications.offers.notified().await;
        }
    };
    tokio::select! {
        () = listing => {}
        () = offers => {}
        () = stop_when_idle(server.clone()) => {}
        () = closed.cancelled() => {}
    }
    if let (Some(server), Some(connection)) = (server.upgrade(), connection.upgrade()) {
        server.ended(&connection);
    }
}

/// Closes the connection once it is idle.
async fn stop_when_idle(server: Weak<Server>) {
    loop {
        let Some(strong) = server.upgrade() else { return };
        match strong.take_idle(strong.host.idle) {
            Ok(connection) => {
                strong.host.changed();
                connection.close().await;
                return;
            }
            Err(None) => return,
            Err(Some(until)) => {
                drop(strong);
                tokio::time::sleep_until(until).await;
            }
        }
    }
}
