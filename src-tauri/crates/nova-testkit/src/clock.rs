use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::{Span, Timestamp, tz::TimeZone};
use nova_session::Ids;
use nova_skill::Clock;

/// A clock that only moves when told. Clones are the same clock.
///
/// ```
/// use nova_skill::Clock;
/// let clock = nova_testkit::FixedClock::at("2026-11-20T23:30:00Z").in_zone("Europe/Berlin");
/// assert_eq!(clock.today().to_string(), "2026-11-21");
/// ```
#[derive(Debug, Clone)]
pub struct FixedClock {
    now: Arc<Mutex<Timestamp>>,
    zone: TimeZone,
}

impl Default for FixedClock {
    /// 2026-11-21, 09:00 UTC.
    fn default() -> Self {
        Self::at("2026-11-21T09:00:00Z")
    }
}

impl FixedClock {
    /// Set to an RFC 3339 time, in UTC.
    #[track_caller]
    pub fn at(time: &str) -> Self {
        let now = time.parse().unwrap_or_else(|error| panic!("{time}: {error}"));
        Self { now: Arc::new(Mutex::new(now)), zone: TimeZone::UTC }
    }

    /// Sets the user's time zone.
    #[track_caller]
    pub fn in_zone(mut self, name: &str) -> Self {
        self.zone = TimeZone::get(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        self
    }

    /// Advances it by this many seconds.
    pub fn advance(&self, seconds: i64) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        *now = now.checked_add(Span::new().seconds(seconds)).expect("a time in range");
    }

    /// For `nova_vault::VaultOptions`.
    pub fn for_vault(&self) -> nova_vault::Clock {
        let clock = self.clone();
        Arc::new(move || clock.now())
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn zone(&self) -> TimeZone {
        self.zone.clone()
    }
}

/// Generates `call1`, `call2`, … Clones share the counter.
#[derive(Debug, Clone)]
pub struct CountingIds {
    prefix: String,
    given: Arc<AtomicU64>,
}

impl CountingIds {
    pub fn new(prefix: &str) -> Self {
        Self { prefix: prefix.into(), given: Arc::default() }
    }

    /// For `nova_vault::VaultOptions`.
    pub fn for_vault(&self) -> nova_vault::NewId {
        let ids = self.clone();
        Arc::new(move || ids.next())
    }
}

impl Ids for CountingIds {
    fn next(&self) -> String {
        format!("{}{}", self.prefix, self.given.fetch_add(1, Ordering::SeqCst) + 1)
    }
}
