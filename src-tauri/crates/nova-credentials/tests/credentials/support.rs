use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use nova_credentials::{CredentialName, CredentialStore};
use nova_skill::Clock;
use secrecy::{ExposeSecret, SecretString};
use tempfile::TempDir;

pub(crate) const PASSPHRASE: &str = "correct horse battery staple";
/// 2026-01-01T00:00:00Z
pub(crate) const START: i64 = 1_767_225_600;

pub(crate) fn name(text: &str) -> CredentialName {
    text.parse().unwrap()
}

pub(crate) async fn store_in(data: &TempDir) -> CredentialStore {
    CredentialStore::open_file(data.path(), PASSPHRASE.into()).await.unwrap()
}

pub(crate) fn shown(secret: &SecretString) -> &str {
    secret.expose_secret()
}

/// A clock that only advances when told.
#[derive(Clone)]
pub(crate) struct TestClock(Arc<AtomicI64>);

impl TestClock {
    pub(crate) fn new() -> Self {
        Self(Arc::new(AtomicI64::new(START)))
    }

    pub(crate) fn advance(&self, seconds: i64) {
        self.0.fetch_add(seconds, Ordering::SeqCst);
    }
}

impl Clock for TestClock {
    fn now(&self) -> jiff::Timestamp {
        jiff::Timestamp::from_second(self.0.load(Ordering::SeqCst)).unwrap()
    }

    fn zone(&self) -> jiff::tz::TimeZone {
        jiff::tz::TimeZone::UTC
    }
}
