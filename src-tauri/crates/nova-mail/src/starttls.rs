//! The exchange before a connection is encrypted, in plain text that anyone on the path may read and change.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// Why a connection was not encrypted. Neither user nor password was sent.
#[derive(Debug, thiserror::Error)]
pub enum StartTlsError {
    #[error("the server does not offer encryption (STARTTLS)")]
    NotOffered,
    #[error("the server sent an invalid answer")]
    Invalid,
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Reads lines one byte at a time: any byte beyond the last line belongs to the encrypted connection, where injected
/// text fails the handshake.
pub(crate) struct PlainLines<'a, S: ?Sized> {
    pub(crate) stream: &'a mut S,
    /// How many more bytes a server may send before it encrypts.
    left: usize,
}

impl<'a, S: AsyncRead + Unpin + ?Sized> PlainLines<'a, S> {
    pub(crate) fn new(stream: &'a mut S) -> Self {
        Self { stream, left: 16 << 10 }
    }

    /// The next line, with its line break.
    pub(crate) async fn next(&mut self) -> Result<String, StartTlsError> {
        let mut line = Vec::new();
        while line.last() != Some(&b'\n') {
            self.left = self.left.checked_sub(1).ok_or(StartTlsError::Invalid)?;
            line.push(self.stream.read_u8().await?);
        }
        String::from_utf8(line).map_err(|_| StartTlsError::Invalid)
    }
}
