use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};

use crate::StartTlsError;
use crate::starttls::PlainLines;

/// Whether a server on this port expects STARTTLS. On any other port the connection is encrypted from its first byte.
pub fn imap_begins_with_starttls(port: u16) -> bool {
    port == 143
}

/// The exchange before such a connection is encrypted (RFC 3501, 6.2.1): greeting, CAPABILITY, STARTTLS. A server
/// that greets with PREAUTH can no longer encrypt, and is refused.
///
/// # Errors
/// If the server does not offer it: the connection must not be used then.
pub async fn imap_start_tls<S: AsyncRead + AsyncWrite + Unpin + ?Sized>(
    stream: &mut S,
) -> Result<(), StartTlsError> {
    let mut lines = PlainLines::new(stream);
    if !begins(&lines.next().await?, &["*", "OK"]) {
        return Err(StartTlsError::Invalid);
    }
    if !command(&mut lines, "CAPABILITY").await? || !command(&mut lines, "STARTTLS").await? {
        return Err(StartTlsError::NotOffered);
    }
    Ok(())
}

/// Whether the server accepts; for CAPABILITY, only with STARTTLS among its capabilities.
async fn command<S: AsyncRead + AsyncWrite + Unpin + ?Sized>(
    lines: &mut PlainLines<'_, S>,
    name: &str,
) -> Result<bool, StartTlsError> {
    lines.stream.write_all(format!("{name} {name}\r\n").as_bytes()).await?;
    lines.stream.flush().await?;
    let mut offers = name == "STARTTLS";
    loop {
        let line = lines.next().await?;
        if begins(&line, &["*", "CAPABILITY"]) {
            offers |= line.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("STARTTLS"));
        } else if begins(&line, &[name]) {
            return Ok(offers && begins(&line, &[name, "OK"]));
        } else if !line.starts_with("* ") {
            return Err(StartTlsError::Invalid);
        }
    }
}

fn begins(line: &str, words: &[&str]) -> bool {
    let mut said = line.split_ascii_whitespace();
    words.iter().all(|word| said.next().is_some_and(|said| said.eq_ignore_ascii_case(word)))
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    /// The result with a server that sends this, what was sent to it, and what was not read.
    async fn with(server: &str) -> (Result<(), String>, String, String) {
        let (mut here, mut there) = tokio::io::duplex(1 << 17);
        there.write_all(server.as_bytes()).await.expect("written");
        there.shutdown().await.expect("closed");
        let result = imap_start_tls(&mut here).await.map_err(|error| error.to_string());
        let mut rest = String::new();
        here.read_to_string(&mut rest).await.expect("read");
        drop(here);
        let mut sent = String::new();
        there.read_to_string(&mut sent).await.expect("read");
        (result, sent, rest)
    }

    #[tokio::test]
    async fn server_is_asked_to_encrypt() {
        let server = "* OK [CAPABILITY IMAP4rev1] hi\r\n* CAPABILITY IMAP4rev1 StartTLS\r\n* OK note\r\n\
            capability OK done\r\nSTARTTLS OK begin\r\nrest";
        let (result, sent, rest) = with(server).await;
        assert_eq!(
            (result, sent.as_str(), rest.as_str()),
            (Ok(()), "CAPABILITY CAPABILITY\r\nSTARTTLS STARTTLS\r\n", "rest")
        );
    }

    #[tokio::test]
    async fn connection_without_encryption_is_an_error() {
        let offer = "* OK hi\r\n* CAPABILITY STARTTLS\r\nCAPABILITY OK\r\n";
        for (server, expected) in [
            ("* OK hi\r\n* CAPABILITY IMAP4rev1 XSTARTTLS\r\nCAPABILITY OK done\r\n", "does not offer"),
            ("* OK [CAPABILITY STARTTLS] hi\r\nCAPABILITY OK done\r\n", "does not offer"),
            ("* OK hi\r\n* CAPABILITY STARTTLS\r\nCAPABILITY BAD\r\n", "does not offer"),
            (&format!("{offer}STARTTLS NO not now\r\n"), "does not offer"),
            ("* PREAUTH signed in\r\n* CAPABILITY STARTTLS\r\nCAPABILITY OK\r\nSTARTTLS OK\r\n", "invalid"),
            ("* BYE\r\n", "invalid"),
            ("220 smtp\r\n", "invalid"),
            ("* OK \u{fffd}\r\nHTTP/1.1 400\r\n", "invalid"),
            (&format!("* OK hi\r\n{}", "* OK x\r\n".repeat(9_000)), "invalid"),
            ("", "end of file"),
        ] {
            let (result, sent, _) = with(server).await;
            assert!(result.is_err_and(|said| said.contains(expected)), "{server:.40}");
            assert!(!sent.contains("LOGIN") && !sent.contains("AUTHENTICATE"), "{sent}");
        }
    }
}
