//! Subscriptions to resources that were read, until the connection ends.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::{
    ClientRequest, Request, SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::{Peer, PeerRequestOptions, RoleClient, ServiceError};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{Connection, Notifications};
use crate::limits;

/// The most recently read URIs; dropping a guard cancels its subscription.
#[derive(Clone, Default)]
pub(super) struct Followed(Arc<Mutex<VecDeque<(String, DropGuard)>>>);

impl Followed {
    /// Returns a token that is cancelled on unsubscription; `None` if the resource is already followed.
    fn add(&self, uri: &str) -> Option<CancellationToken> {
        let mut followed = self.now();
        if followed.iter().any(|(other, _)| other == uri) {
            return None;
        }
        let given_up = CancellationToken::new();
        followed.push_back((uri.to_owned(), given_up.clone().drop_guard()));
        if followed.len() > limits::FOLLOWED {
            followed.pop_front();
        }
        Some(given_up)
    }

    fn remove(&self, uri: &str) {
        self.now().retain(|(other, _)| other != uri);
    }

    /// Handles a change notification; ignores resources that are not followed.
    pub(super) fn resource_updated(&self, uri: &str, notifications: &Notifications) {
        if self.now().iter().any(|(other, _)| other == uri) {
            notifications.resource_changed();
        }
    }

    fn now(&self) -> MutexGuard<'_, VecDeque<(String, DropGuard)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connection {
    /// Subscribes to a resource that was read, if the server supports it. Beyond the limit, the oldest
    /// subscription is cancelled.
    pub(crate) fn follow(&self, uri: &str, limit: Duration) {
        let Some(info) = self.info() else { return };
        let resources = info.capabilities.resources.as_ref();
        if resources.is_none_or(|resources| resources.subscribe != Some(true)) {
            return;
        }
        let Some(given_up) = self.followed.add(uri) else { return };
        let (peer, notifications, followed) =
            (self.peer.clone(), self.notifications.clone(), self.followed.clone());
        let (is_old, closed) = (info.protocol_version.has_initialize(), self.closed.clone());
        let uri = uri.to_owned();
        tokio::spawn(async move {
            let following = async {
                if is_old {
                    subscribed(&peer, &uri, limit, &given_up).await
                } else {
                    listening(&peer, &uri, &notifications, &given_up).await
                }
            };
            tokio::select! {
                ended = following => {
                    if let Err(error) = ended {
                        tracing::debug!(%error, "cannot subscribe to a resource");
                    }
                }
                () = closed.cancelled() => {}
            }
            // If it was cancelled, the resource may have been subscribed again meanwhile.
            if !given_up.is_cancelled() {
                followed.remove(&uri);
            }
        });
    }
}

/// Up to protocol 2025-11-25, changes arrive as notifications on the connection.
async fn subscribed(
    peer: &Peer<RoleClient>,
    uri: &str,
    limit: Duration,
    given_up: &CancellationToken,
) -> Result<(), ServiceError> {
    let ask = async |request| {
        let sent = peer.send_request_with_option(request, PeerRequestOptions::with_timeout(limit)).await?;
        sent.await_response().await
    };
    ask(ClientRequest::SubscribeRequest(Request::new(SubscribeRequestParams::new(uri)))).await?;
    given_up.cancelled().await;
    let params = UnsubscribeRequestParams::new(uri);
    ask(ClientRequest::UnsubscribeRequest(Request::new(params))).await.map(drop)
}

/// Since 2026-07-28, changes arrive on a separate stream.
async fn listening(
    peer: &Peer<RoleClient>,
    uri: &str,
    notifications: &Notifications,
    given_up: &CancellationToken,
) -> Result<(), ServiceError> {
    let mut reports = peer.listen(SubscriptionFilter::builder().resource_subscription(uri).build()).await?;
    loop {
        tokio::select! {
            told = reports.next() => match told? {
                Some(_) => notifications.resource_changed(),
                None => return Ok(()),
            },
            () = given_up.cancelled() => return Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notifications_of_other_resources_are_ignored() {
        let (followed, notifications) = (Followed::default(), Notifications::default());
        followed.resource_updated("a:b", &notifications);
        assert!(!notifications.take_changed());
        assert!(followed.add("a:b").is_some());
        followed.resource_updated("a:b", &notifications);
        assert!(notifications.take_changed() && !notifications.take_changed(), "once");
        followed.remove("a:b");
        followed.resource_updated("a:b", &notifications);
        assert!(!notifications.take_changed());
    }

    #[test]
    fn resource_is_followed_once_and_the_oldest_is_dropped() {
        let followed = Followed::default();
        let first = followed.add("0").expect("a new subscription");
        assert!(followed.add("0").is_none());
        let later: Vec<_> = (1..=limits::FOLLOWED).filter_map(|at| followed.add(&at.to_string())).collect();
        assert_eq!(later.len(), limits::FOLLOWED);
        assert!(first.is_cancelled() && later.iter().all(|one| !one.is_cancelled()));
    }
}
