//! Bounds how fast the messages of a server are processed: one that sends without end is blocked on its pipe or
//! socket, instead of taking the runtime's time from everything else. Responses cost nothing.

use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::Transport;
use tokio::time::{Instant, sleep_until};

use crate::limits::{MESSAGES_AT_ONCE, MESSAGES_PER_SECOND};

const EACH: Duration = Duration::from_micros(1_000_000 / MESSAGES_PER_SECOND as u64);
const AT_ONCE: Duration = Duration::from_secs(MESSAGES_AT_ONCE as u64 / MESSAGES_PER_SECOND as u64);

/// The generic cell rate algorithm (ITU-T I.371).
pub(crate) struct Throttled<T> {
    transport: T,
    /// When all messages so far would have arrived at the allowed rate.
    expected: Instant,
}

impl<T> Throttled<T> {
    pub(crate) fn from(transport: T) -> Self {
        Self { transport, expected: Instant::now() }
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Throttled<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        // Its response is paid for in advance.
        if let (JsonRpcMessage::Request(_), Some(earlier)) = (&message, self.expected.checked_sub(EACH)) {
            self.expected = earlier;
        }
        self.transport.send(message)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        match self.expected.checked_sub(AT_ONCE) {
            Some(due) if due > Instant::now() => sleep_until(due).await,
            _ => {}
        }
        let message = self.transport.receive().await?;
        self.expected = self.expected.max(Instant::now()) + EACH;
        Some(message)
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.transport.close().await
    }
}

#[cfg(test)]
mod tests {
    use std::future::ready;

    use serde_json::json;

    use super::*;

    /// Always has a message.
    struct Storm;

    impl Transport<RoleClient> for Storm {
        type Error = std::io::Error;

        fn send(
            &mut self,
            _: TxJsonRpcMessage<RoleClient>,
        ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
            ready(Ok(()))
        }

        async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
            serde_json::from_value(json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}))
                .ok()
        }

        async fn close(&mut self) -> Result<(), Self::Error> {
            Ok(())
        }
    }

    #[tokio::test(start_paused = true)]
    async fn messages_beyond_the_burst_arrive_at_the_rate() {
        let mut transport = Throttled::from(Storm);
        let began = Instant::now();
        for _ in 0..MESSAGES_AT_ONCE {
            transport.receive().await.expect("a message");
        }
        assert_eq!(began.elapsed(), Duration::ZERO);
        for _ in 0..10 * MESSAGES_PER_SECOND {
            transport.receive().await.expect("a message");
        }
        let took = began.elapsed().as_secs();
        assert!((9..=10).contains(&took), "{took} s");
    }

    #[tokio::test(start_paused = true)]
    async fn responses_arrive_without_delay() {
        let mut transport = Throttled::from(Storm);
        let began = Instant::now();
        for id in 0..5 * MESSAGES_AT_ONCE {
            let request = serde_json::from_value(json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
            transport.send(request.expect("a request")).await.expect("sent");
            transport.receive().await.expect("its response");
        }
        assert_eq!(began.elapsed(), Duration::ZERO);
    }
}
