use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// Concurrent requests per host, …
const AT_ONCE: usize = 8;
/// … and requests started per second.
const PER_SECOND: usize = 20;
/// Hosts tracked; idle ones beyond that are evicted.
const HOSTS: usize = 200;

/// Rate limit per host, shared by all tools.
#[derive(Default)]
pub(crate) struct Pace(Mutex<HashMap<String, Arc<HostPace>>>);

struct HostPace {
    free: Arc<Semaphore>,
    /// Start times of the last requests, oldest first.
    begun: tokio::sync::Mutex<VecDeque<Instant>>,
}

/// Held while the request runs.
pub(crate) struct Turn {
    _permit: Option<OwnedSemaphorePermit>,
    /// Prevents eviction of the host.
    _host: Arc<HostPace>,
}

impl Pace {
    pub(crate) async fn turn(&self, host: &str) -> Turn {
        let host = self.of(host);
        // The semaphore is never closed.
        let permit = host.free.clone().acquire_owned().await.ok();
        let mut begun = host.begun.lock().await;
        if begun.len() >= PER_SECOND {
            // Removed only after the wait: a cancelled waiter must not free a slot.
            if let Some(oldest) = begun.front() {
                tokio::time::sleep_until(*oldest + Duration::from_secs(1)).await;
            }
            begun.pop_front();
        }
        begun.push_back(Instant::now());
        drop(begun);
        Turn { _permit: permit, _host: host }
    }

    fn of(&self, host: &str) -> Arc<HostPace> {
        let mut hosts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() >= HOSTS && !hosts.contains_key(host) {
            hosts.retain(|_, pace| Arc::strong_count(pace) > 1);
        }
        let new =
            || Arc::new(HostPace { free: Arc::new(Semaphore::new(AT_ONCE)), begun: Default::default() });
        hosts.entry(host.to_owned()).or_insert_with(new).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn request_beyond_twenty_a_second_waits() {
        let pace = Pace::default();
        let start = Instant::now();
        for _ in 0..20 {
            drop(pace.turn("a.example.com").await);
        }
        assert_eq!(start.elapsed(), Duration::ZERO);
        drop(pace.turn("a.example.com").await);
        assert!(start.elapsed() >= Duration::from_secs(1), "{:?}", start.elapsed());
        drop(pace.turn("b.example.com").await);
        assert!(start.elapsed() < Duration::from_millis(1100), "another host does not wait");
    }

    #[tokio::test(start_paused = true)]
    async fn ninth_concurrent_request_waits_until_one_ends() {
        let pace = Pace::default();
        let mut turns = Vec::new();
        for _ in 0..8 {
            turns.push(pace.turn("a.example.com").await);
        }
        let ninth = tokio::time::timeout(Duration::from_secs(60), pace.turn("a.example.com")).await;
        assert!(ninth.is_err(), "eight are running");
        turns.pop();
        pace.turn("a.example.com").await;
    }

    #[tokio::test(start_paused = true)]
    async fn cancelled_waiter_neither_frees_nor_takes_a_slot() {
        let pace = Pace::default();
        for _ in 0..20 {
            drop(pace.turn("a.example.com").await);
        }
        let start = Instant::now();
        for _ in 0..50 {
            let _ = tokio::time::timeout(Duration::from_millis(1), pace.turn("a.example.com")).await;
        }
        drop(pace.turn("a.example.com").await);
        let waited = start.elapsed();
        assert!(waited >= Duration::from_secs(1) && waited < Duration::from_millis(1100), "{waited:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn idle_hosts_are_evicted() {
        let pace = Pace::default();
        let busy = pace.turn("busy.example.com").await;
        for number in 0..1000 {
            drop(pace.turn(&format!("{number}.example.com")).await);
        }
        let hosts = pace.0.lock().expect("not poisoned");
        assert!(hosts.len() <= HOSTS && hosts.contains_key("busy.example.com"));
        drop(busy);
    }
}
