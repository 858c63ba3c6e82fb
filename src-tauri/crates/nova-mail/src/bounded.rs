//! A connection that fails when its server sends too much, whatever length it announces, nests lists too deeply, or
//! closes.

mod nesting;

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use nesting::Nesting;
pub(crate) use nesting::TooDeep;

#[derive(Debug)]
pub(crate) struct Bounded<S> {
    stream: S,
    left: u64,
    /// `None` for a protocol without lists.
    nesting: Option<Nesting>,
}

/// The server sent more than the limit.
#[derive(Debug, thiserror::Error)]
#[error("the server sent too much")]
pub(crate) struct TooMuch;

impl<S> Bounded<S> {
    pub(crate) fn new(stream: S, most: u64) -> Self {
        Self { stream, left: most, nesting: None }
    }

    /// For IMAP, whose nested lists are parsed recursively.
    pub(crate) fn of_imap(stream: S, most: u64) -> Self {
        Self { stream, left: most, nesting: Some(Nesting::default()) }
    }

    /// Raises what is left to this many bytes, if it is less.
    pub(crate) fn allow(&mut self, bytes: u64) {
        self.left = self.left.max(bytes);
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Bounded<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        if let Poll::Ready(Ok(())) = &read {
            let count = (buf.filled().len() - before) as u64;
            // The client would take the end of the stream for the end of a response.
            if count == 0 && buf.remaining() > 0 {
                return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()));
            }
            match self.left.checked_sub(count) {
                Some(left) => self.left = left,
                None => return Poll::Ready(Err(io::Error::other(TooMuch))),
            }
            if let Some(nesting) = &mut self.nesting
                && let Err(error) = nesting.read(&buf.filled()[before..])
            {
                return Poll::Ready(Err(io::Error::other(error)));
            }
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Bounded<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    /// Reads 100 bytes and the end of the connection with this limit.
    async fn read(most: u64) -> io::Result<usize> {
        let bytes: &[u8] = &[b'*'; 100];
        let mut bounded = Bounded::new(bytes, most);
        let mut buffer = [0; 30];
        let mut all = 0;
        while all < 100 {
            all += bounded.read(&mut buffer).await?;
        }
        Ok(all)
    }

    #[tokio::test]
    async fn reads_up_to_the_limit_and_fails_beyond() {
        assert_eq!(read(100).await.expect("all of it"), 100);
        let error = read(99).await.expect_err("too much");
        assert!(error.get_ref().is_some_and(|inner| inner.is::<TooMuch>()), "{error}");
    }

    #[tokio::test]
    async fn the_end_of_a_connection_is_an_error() {
        let nothing: &[u8] = &[];
        let ended = Bounded::new(nothing, 10).read(&mut [0; 4]).await;
        assert_eq!(ended.map_err(|error| error.kind()), Err(io::ErrorKind::UnexpectedEof));
    }
}
