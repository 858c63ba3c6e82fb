use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

/// The most bytes that a server may say before it encrypts, and in one line.
const MOST_BYTES: usize = 16 << 10;

/// Why a connection is not encrypted. Neither user nor password was sent.
#[derive(Debug, thiserror::Error)]
pub enum StartTlsError {
    #[error("the server does not offer encryption (STARTTLS)")]
    NotOffered,
    #[error("the server sent an invalid answer")]
    Invalid,
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Whether a server on this port expects STARTTLS: submission (RFC 6409), its usual second port, and SMTP itself. On any
/// other port the connection is encrypted from its first byte.
pub fn begins_with_starttls(port: u16) -> bool {
    matches!(port, 587 | 2525 | 25)
}

/// What precedes the encryption of such a connection (RFC 3207): greeting, EHLO, STARTTLS. Nothing is read beyond
/// the line after which the server expects the encrypted connection, so that no text from before can pose as its answer.
///
/// # Errors
/// When the server does not offer it: the connection must not be used then.
pub async fn start_tls<S: AsyncRead + AsyncWrite + Unpin + ?Sized>(
    stream: &mut S,
) -> Result<(), StartTlsError> {
    let mut left = MOST_BYTES;
    if answer(stream, &mut left).await?.0 != "220" {
        return Err(StartTlsError::Invalid);
    }
    stream.write_all(b"EHLO [127.0.0.1]\r\n").await?;
    stream.flush().await?;
    let (code, lines) = answer(stream, &mut left).await?;
    let offers = |line: &String| line.trim().eq_ignore_ascii_case("STARTTLS");
    if code != "250" || !lines.iter().any(offers) {
        return Err(StartTlsError::NotOffered);
    }
    stream.write_all(b"STARTTLS\r\n").await?;
    stream.flush().await?;
    match answer(stream, &mut left).await?.0.as_str() {
        "220" => Ok(()),
        _ => Err(StartTlsError::NotOffered),
    }
}

/// The code of an answer and the texts of its lines.
async fn answer<S: AsyncRead + Unpin + ?Sized>(
    stream: &mut S,
    left: &mut usize,
) -> Result<(String, Vec<String>), StartTlsError> {
    let mut lines = Vec::new();
    loop {
        let mut line = Vec::new();
        while line.last() != Some(&b'\n') {
            *left = left.checked_sub(1).ok_or(StartTlsError::Invalid)?;
            line.push(stream.read_u8().await?);
        }
        let line = String::from_utf8(line).map_err(|_| StartTlsError::Invalid)?;
        let (code, rest) = line.split_at_checked(3).ok_or(StartTlsError::Invalid)?;
        if !code.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(StartTlsError::Invalid);
        }
        let goes_on = rest.starts_with('-');
        lines.push(rest.get(1..).unwrap_or_default().to_owned());
        if !goes_on {
            return Ok((code.to_owned(), lines));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a server that says this makes of it, and what it was told.
    async fn said(server: &str) -> (Result<(), String>, String) {
        let (mut here, mut there) = tokio::io::duplex(1 << 16);
        there.write_all(server.as_bytes()).await.expect("written");
        there.shutdown().await.expect("closed");
        let result = start_tls(&mut here).await.map_err(|error| error.to_string());
        drop(here);
        let mut told = String::new();
        there.read_to_string(&mut told).await.expect("read");
        (result, told)
    }

    #[tokio::test]
    async fn the_server_is_asked_to_encrypt() {
        let (result, told) = said("220 hi\r\n250-mx\r\n250-SIZE 1\r\n250 STARTTLS\r\n220 go\r\n").await;
        assert_eq!((result, told.as_str()), (Ok(()), "EHLO [127.0.0.1]\r\nSTARTTLS\r\n"));
    }

    #[tokio::test]
    async fn without_an_offer_there_is_no_encryption() {
        for server in [
            "220 hi\r\n250-mx\r\n250 AUTH PLAIN\r\n",
            "220 hi\r\n250-mx\r\n250 XSTARTTLS\r\n",
            "220 hi\r\n250-mx\r\n250 STARTTLS\r\n454 no\r\n",
        ] {
            let (result, _) = said(server).await;
            assert_eq!(result, Err("the server does not offer encryption (STARTTLS)".to_owned()), "{server}");
        }
        for server in ["", "hello", "554 no\r\n", "220 \u{fffd}", &"220-x\r\n".repeat(9_000)] {
            assert!(said(server).await.0.is_err(), "{server:.20}");
        }
    }
}
