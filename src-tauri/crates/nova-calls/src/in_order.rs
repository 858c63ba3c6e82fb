//! Writes that are asked for together: all are shown and asked about at once, and written one after the
//! other, each as if it had been asked for when those before it had ended.

use std::sync::Arc;

use tokio::sync::watch;

/// This many places, first to last.
pub fn places(count: usize) -> Vec<Place> {
    let ended = Arc::new(watch::Sender::new(vec![false; count]));
    (0..count).map(|at| Place { ended: ended.clone(), at, reached: at == 0 }).collect()
}

/// That of one call. It is given up when it is dropped.
#[derive(Debug)]
pub struct Place {
    /// By place: whether its call has ended.
    ended: Arc<watch::Sender<Vec<bool>>>,
    at: usize,
    reached: bool,
}

impl Place {
    pub(crate) fn is_reached(&self) -> bool {
        self.reached
    }

    /// Comes back when all calls before it have ended.
    pub(crate) async fn reach(&mut self) {
        let mut ended = self.ended.subscribe();
        // The sender is in `self`: this ends only by a change.
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
    async fn a_place_is_reached_when_all_before_it_are_given_up_in_whatever_order() {
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
