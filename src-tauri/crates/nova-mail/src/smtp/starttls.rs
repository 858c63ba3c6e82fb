use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};

use crate::StartTlsError;
use crate::starttls::PlainLines;

/// Whether a server on this port expects STARTTLS: submission (RFC 6409), its usual second port, and SMTP itself. On any
/// other port the connection is encrypted from its first byte.
pub fn smtp_begins_with_starttls(port: u16) -> bool {
    matches!(port, 587 | 2525 | 25)
}

/// The exchange before such a connection is encrypted (RFC 3207): greeting, EHLO, STARTTLS.
///
/// # Errors
/// If the server does not offer it: the connection must not be used then.
pub async fn smtp_start_tls<S: AsyncRead + AsyncWrite + Unpin + ?Sized>(
    stream: &mut S,
) -> Result<(), StartTlsError> {
    let mut lines = PlainLines::new(stream);
    if answer(&mut lines).await?.0 != "220" {
        return Err(StartTlsError::Invalid);
    }
    lines.stream.write_all(b"EHLO [127.0.0.1]\r\n").await?;
    lines.stream.flush().await?;
    let (code, said) = answer(&mut lines).await?;
    let offers = |line: &String| line.trim().eq_ignore_ascii_case("STARTTLS");
    if code != "250" || !said.iter().any(offers) {
        return Err(StartTlsError::NotOffered);
    }
    lines.stream.write_all(b"STARTTLS\r\n").await?;
    lines.stream.flush().await?;
    match answer(&mut lines).await?.0.as_str() {
        "220" => Ok(()),
        _ => Err(StartTlsError::NotOffered),
    }
}

/// The code of an answer and the texts of its lines.
async fn answer<S: AsyncRead + Unpin + ?Sized>(
    from: &mut PlainLines<'_, S>,
) -> Result<(String, Vec<String>), StartTlsError> {
    let mut lines = Vec::new();
    loop {
        let line = from.next().await?;
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
    use tokio::io::AsyncReadExt as _;

    use super::*;

    /// The result with a server that sends this, and what was sent to it.
    async fn exchange(server: &str) -> (Result<(), String>, String) {
        let (mut here, mut there) = tokio::io::duplex(1 << 16);
        there.write_all(server.as_bytes()).await.expect("written");
        there.shutdown().await.expect("closed");
        let result = smtp_start_tls(&mut here).await.map_err(|error| error.to_string());
        drop(here);
        let mut sent = String::new();
        there.read_to_string(&mut sent).await.expect("read");
        (result, sent)
    }

    #[tokio::test]
    async fn the_server_is_asked_to_encrypt() {
        let (result, sent) = exchange("220 hi\r\n250-mx\r\n250-SIZE 1\r\n250 STARTTLS\r\n220 go\r\n").await;
        assert_eq!((result, sent.as_str()), (Ok(()), "EHLO [127.0.0.1]\r\nSTARTTLS\r\n"));
    }

    #[tokio::test]
    async fn missing_offer_is_an_error() {
        for server in [
            "220 hi\r\n250-mx\r\n250 AUTH PLAIN\r\n",
            "220 hi\r\n250-mx\r\n250 XSTARTTLS\r\n",
            "220 hi\r\n250-mx\r\n250 STARTTLS\r\n454 no\r\n",
        ] {
            let (result, _) = exchange(server).await;
            assert_eq!(result, Err("the server does not offer encryption (STARTTLS)".to_owned()), "{server}");
        }
        for server in ["", "hello", "554 no\r\n", "220 \u{fffd}", &"220-x\r\n".repeat(9_000)] {
            assert!(exchange(server).await.0.is_err(), "{server:.20}");
        }
    }
}
