//! Orders writes that are requested together: all are shown and approved at once, but written one after
//! another, each as if requested after the previous one ended.

use std::sync::Arc;

use tokio::sync::watch;

/// Creates `count` places, first to last.
pub fn places(count: usize) -> Vec<Place> {
    let ended = Arc::new(watch::Sender::new(vec![false; count]));
    (0..count).map(|at| Place { ended: ended.clone(), at, reached: at == 0 }).collect()
}

/// The place of one call, released on drop.
#[derive(Debug)]
pub struct Place {
    /// Whether the call at each place has ended.
    ended: Arc<watch::Sender<Vec<bool>>>,
    at: usize,
    reached: bool,
}

impl Place {
    pub(crate) fn is_reached(&self) -> bool {
        self.reached
    }

    /// Waits until all calls before it have ended.
    pub(crate) async fn reach(&mut self) {
        let mut ended = self.ended.subscribe();
        // The sender is in `self`, so the wait cannot fail.
        let _ = ended.wait_for(|ended| ended[..self.at].iter().all(|ended| *ended)).await;
        self.reached = true;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.ended.send_modify(|ended| ended[self.at] = true);
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[tokio::test]
    async fn place_is_reached_when_all_earlier_ones_are_dropped() {
        let mut places = places(3);
        let (mut third, second, first) = (places.remove(2), places.remove(1), places.remove(0));
        assert!(first.is_reached() && !second.is_reached());
        drop(second);
        assert!(third.reach().now_or_never().is_none());
        drop(first);
        third.reach().await;
        assert!(third.is_reached());
    }
}
