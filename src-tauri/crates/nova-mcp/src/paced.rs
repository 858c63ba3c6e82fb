//! Bounds how often a stream of events is reopened. rmcp waits as long as the server says, which may be not at
//! all, and reopens a stream that breaks at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures::stream::{BoxStream, StreamExt as _};
use sse_stream::{Error as SseError, Sse};

/// The shortest interval, and the longest that Nova chooses itself.
const SHORTEST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(30);
/// The longest interval that a server may choose.
const LONGEST_OF_SERVER: Duration = Duration::from_secs(3_600);

/// The streams of one connection.
#[derive(Clone, Default)]
pub(crate) struct Pace {
    /// Reopened in a row without a message.
    idle: Arc<AtomicU32>,
}

impl Pace {
    /// Replaces intervals that are too short by ones that double while no message arrives, and delays the error
    /// of a stream that breaks.
    pub(crate) fn keep(
        &self,
        stream: BoxStream<'static, Result<Sse, SseError>>,
    ) -> BoxStream<'static, Result<Sse, SseError>> {
        let pace = self.clone();
        let paced = stream.then(move |event| {
            let pace = pace.clone();
            async move {
                match event {
                    Ok(event) => Ok(pace.of_event(event)),
                    Err(error) => {
                        tokio::time::sleep(pace.next()).await;
                        Err(error)
                    }
                }
            }
        });
        paced.boxed()
    }

    fn of_event(&self, mut event: Sse) -> Sse {
        if event.data.as_ref().is_some_and(|data| !data.is_empty()) {
            self.idle.store(0, Ordering::Relaxed);
        }
        event.retry = event.retry.map(|milliseconds| {
            let wanted = Duration::from_millis(milliseconds).min(LONGEST_OF_SERVER);
            let wanted = if wanted < SHORTEST { self.next() } else { wanted };
            u64::try_from(wanted.as_millis()).unwrap_or(u64::MAX)
        });
        event
    }

    fn next(&self) -> Duration {
        let before = self.idle.fetch_add(1, Ordering::Relaxed);
        SHORTEST.saturating_mul(2_u32.saturating_pow(before)).min(LONGEST)
    }
}

#[cfg(test)]
mod tests {
    use futures::stream;
    use tokio::time::Instant;

    use super::*;

    fn event(retry: Option<u64>, data: Option<&str>) -> Sse {
        Sse { event: None, data: data.map(str::to_owned), id: None, retry }
    }

    async fn retries(pace: &Pace, events: Vec<Sse>) -> Vec<Option<u64>> {
        let stream = stream::iter(events.into_iter().map(Ok)).boxed();
        pace.keep(stream).map(|event| event.expect("an event").retry).collect().await
    }

    #[tokio::test]
    async fn interval_has_a_floor_and_doubles_while_no_message_arrives() {
        let pace = Pace::default();
        for expected in [500, 1_000, 2_000, 4_000] {
            assert_eq!(retries(&pace, vec![event(Some(0), None)]).await, [Some(expected)]);
        }
        for _ in 0..40 {
            retries(&pace, vec![event(Some(0), None)]).await;
        }
        assert_eq!(retries(&pace, vec![event(Some(0), None)]).await, [Some(30_000)]);
        let after_message = retries(&pace, vec![event(None, Some("{}")), event(Some(0), None)]).await;
        assert_eq!(after_message, [None, Some(500)]);
    }

    #[tokio::test]
    async fn interval_of_the_server_is_kept_within_bounds() {
        let asked = vec![event(Some(500), None), event(Some(9_000), None), event(Some(u64::MAX), None)];
        assert_eq!(retries(&Pace::default(), asked).await, [Some(500), Some(9_000), Some(3_600_000)]);
    }

    #[tokio::test(start_paused = true)]
    async fn stream_that_breaks_is_reported_later_each_time() {
        let pace = Pace::default();
        for expected in [500, 1_000, 2_000] {
            let began = Instant::now();
            let broken = stream::iter([Err(SseError::Body(Box::new(std::io::Error::other("cut"))))]).boxed();
            assert!(pace.keep(broken).next().await.is_some_and(|event| event.is_err()));
            assert_eq!(began.elapsed(), Duration::from_millis(expected));
        }
    }
}
