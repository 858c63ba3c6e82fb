use std::io;

use futures::FutureExt;
use serde::Serialize;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::task::JoinHandle;

use crate::protocol::{self, FromChild, MessageError};

/// Messages above this size are parsed and serialised on a blocking thread, in bytes.
const LONG: usize = 256 * 1024;
/// Buffer capacity retained between messages, in bytes.
const ROOM: usize = 64 * 1024;

/// The messages of a child in order.
pub(super) struct Frames<R> {
    from: R,
    buffer: Vec<u8>,
    decoding: Option<JoinHandle<Result<(FromChild, usize), FrameError>>>,
}

/// Why there is no next message.
#[derive(Debug, thiserror::Error)]
pub(super) enum FrameError {
    /// End of file: between two messages, or within one.
    #[error("its output ended{}", if *.within { " in the middle of a message" } else { "" })]
    Ended { within: bool },
    #[error("it announced a message that is too long")]
    TooLong,
    #[error("its result is nested too deeply")]
    TooDeep,
    #[error("it sent an invalid message")]
    Malformed,
    #[error("its output could not be read: {0}")]
    Io(#[from] io::Error),
}

impl<R: AsyncRead + Unpin> Frames<R> {
    pub(super) fn new(from: R) -> Self {
        Self { from, buffer: Vec::new(), decoding: None }
    }

    /// The next message and its length in bytes. Cancel safe.
    pub(super) async fn next(&mut self) -> Result<(FromChild, usize), FrameError> {
        loop {
            if let Some(decoding) = &mut self.decoding {
                let decoded = decoding.await;
                self.decoding = None;
                return decoded.unwrap_or(Err(FrameError::Malformed));
            }
            match self.take()? {
                Some(json) if json.len() > LONG => {
                    self.decoding = Some(tokio::task::spawn_blocking(move || decode(&json)));
                    continue;
                }
                Some(json) => return decode(&json),
                None => {}
            }
            if self.from.read_buf(&mut self.buffer).await? == 0 {
                return Err(FrameError::Ended { within: !self.buffer.is_empty() });
            }
        }
    }

    /// Whether no unsolicited output of the child is pending, as far as known.
    pub(super) fn quiet(&mut self) -> bool {
        self.next().now_or_never().is_none() && self.buffer.is_empty() && self.decoding.is_none()
    }

    /// The JSON of the next message, if complete.
    fn take(&mut self) -> Result<Option<Vec<u8>>, FrameError> {
        let Some(head) = self.buffer.first_chunk::<4>() else {
            self.buffer.reserve(4096);
            return Ok(None);
        };
        let end = 4 + protocol::length(*head).map_err(|_| FrameError::TooLong)?;
        if self.buffer.len() < end {
            // Grows with the data received, not with the announced length.
            self.buffer.reserve(end.saturating_sub(self.buffer.len()).min(ROOM));
            return Ok(None);
        }
        let rest = self.buffer.split_off(end);
        let mut json = std::mem::replace(&mut self.buffer, rest);
        json.drain(..4);
        Ok(Some(json))
    }
}

fn decode(json: &[u8]) -> Result<(FromChild, usize), FrameError> {
    match serde_json::from_slice(json) {
        Ok(message) => Ok((message, json.len())),
        Err(error) if error.to_string().starts_with("recursion limit") => Err(FrameError::TooDeep),
        Err(_) => Err(FrameError::Malformed),
    }
}

/// Serialises a message with about this many bytes of content.
pub(super) async fn encode(
    message: impl Serialize + Send + 'static,
    about: usize,
) -> Result<Vec<u8>, MessageError> {
    if about <= LONG {
        return protocol::encode(&message);
    }
    let encoding = tokio::task::spawn_blocking(move || protocol::encode(&message));
    encoding.await.map_err(|error| MessageError::Gone(io::Error::other(error)))?
}
