use std::borrow::Cow;
use std::collections::VecDeque;
use std::io;
use std::net::Ipv4Addr;
use std::time::Duration;

use secrecy::SecretString;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};
use url::Url;

use super::{OAuthClient, error_code, failed};
use crate::CredentialError;

const PATH: &str = "/callback";
/// A larger request is not the browser's callback.
const MAX_REQUEST_BYTES: usize = 16 * 1024;
/// Beyond this number, the oldest connection is closed: the browser sends its request at once.
const MAX_CONNECTIONS: usize = 16;
/// The time limit for a connection's request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// The redirect target of the browser: a port on this machine that serves one request.
pub(super) struct Loopback {
    listener: TcpListener,
    port: u16,
    redirect: Url,
}

impl Loopback {
    pub(super) async fn bind() -> Result<Self, CredentialError> {
        Self::bind_to(None).await
    }

    /// Binds the given port, or a free one.
    pub(super) async fn bind_to(port: Option<u16>) -> Result<Self, CredentialError> {
        let bound = async {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or(0))).await?;
            let port = listener.local_addr()?.port();
            let redirect = Url::parse(&format!("http://127.0.0.1:{port}{PATH}")).map_err(io::Error::other)?;
            io::Result::Ok(Self { listener, port, redirect })
        };
        bound.await.map_err(|error| match port {
            Some(port) => failed(format!("the port {port} of this machine is not free ({error})")),
            None => failed(format!("no port of this machine is free ({error})")),
        })
    }

    /// The redirect URL.
    pub(super) fn redirect(&self) -> &Url {
        &self.redirect
    }

    /// Waits for the browser and returns its code. The first request with the right state decides. Others are
    /// ignored: browsers open idle connections and request icons, and other programs may send a state of
    /// their own. The port is closed on return.
    pub(super) async fn code(
        self,
        state: &str,
        server: &OAuthClient,
    ) -> Result<SecretString, CredentialError> {
        let mut asking = JoinSet::new();
        let mut open: VecDeque<AbortHandle> = VecDeque::new();
        loop {
            tokio::select! {
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, _)) => {
                        open.retain(|asked| !asked.is_finished());
                        if open.len() >= MAX_CONNECTIONS && let Some(oldest) = open.pop_front() {
                            oldest.abort();
                        }
                        open.push_back(asking.spawn(read_request(stream, self.port)));
                    }
                    Err(error) => return Err(failed(format!("the local port was closed ({error})"))),
                },
                Some(asked) = asking.join_next() => {
                    let Ok(Some((query, stream))) = asked else { continue };
                    if !has_state(&query, state) {
                        asking.spawn(async move {
                            answer(stream, false).await;
                            None
                        });
                        continue;
                    }
                    drop(self.listener);
                    let code = parse_code(&query, server);
                    answer(stream, code.is_ok()).await;
                    return code;
                }
            }
        }
    }
}

/// The query of a request for the callback path.
async fn read_request(mut stream: TcpStream, port: u16) -> Option<(String, TcpStream)> {
    let head = tokio::time::timeout(REQUEST_TIMEOUT, read_head(&mut stream)).await.ok()??;
    let Some(query) = parse_callback(&head, port) else {
        let _ = stream
            .write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            .await;
        return None;
    };
    Some((query, stream))
}

async fn read_head(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        if head.len() >= MAX_REQUEST_BYTES || stream.read_buf(&mut head).await.ok()? == 0 {
            return None;
        }
    }
    String::from_utf8(head).ok()
}

/// The Host header must name this machine, which rules out DNS rebinding.
fn parse_callback(head: &str, port: u16) -> Option<String> {
    let mut lines = head.split("\r\n");
    let target = lines.next()?.strip_prefix("GET ")?.strip_suffix(" HTTP/1.1")?;
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut hosts = lines.filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("host").then(|| value.trim())
    });
    let is_here = hosts.next() == Some(format!("127.0.0.1:{port}").as_str()) && hosts.next().is_none();
    (path == PATH && is_here).then(|| query.to_owned())
}

/// All values of a parameter.
fn values<'a>(query: &'a str, key: &str) -> Vec<Cow<'a, str>> {
    let pairs = url::form_urlencoded::parse(query.as_bytes());
    pairs.filter(|(found, _)| found == key).map(|(_, value)| value).collect()
}

/// Whether the request has the state of this sign-in.
fn has_state(query: &str, state: &str) -> bool {
    match &values(query, "state")[..] {
        // Comparing hashes takes constant time.
        [got] => blake3::hash(got.as_bytes()) == blake3::hash(state.as_bytes()),
        _ => false,
    }
}

fn parse_code(query: &str, server: &OAuthClient) -> Result<SecretString, CredentialError> {
    if !has_valid_issuer(&values(query, "iss"), server) {
        return Err(failed("the answer names another server as its issuer".to_owned()));
    }
    if let [error] = &values(query, "error")[..] {
        return Err(failed(format!("the server refused ({})", error_code(error))));
    }
    match &values(query, "code")[..] {
        [code] if !code.is_empty() => Ok(code.as_ref().into()),
        _ => Err(failed("the answer has no code".to_owned())),
    }
}

/// Checks the issuer (RFC 9207). If none is configured, an issuer in the response must at least have the
/// origin of the authorisation endpoint.
fn has_valid_issuer(named: &[Cow<str>], server: &OAuthClient) -> bool {
    match (named, &server.issuer) {
        ([], None) => true,
        // The metadata state whether responses contain the issuer.
        ([], Some(_)) => server.found.as_ref().is_some_and(|found| !found.sends_issuer),
        ([named], Some(issuer)) => named == issuer,
        ([named], None) => {
            Url::parse(named).is_ok_and(|named| named.origin() == server.authorize.url().origin())
        }
        _ => false,
    }
}

/// Answers with a page of fixed text, which echoes nothing of the request.
async fn answer(mut stream: TcpStream, worked: bool) {
    let (status, text) = if worked {
        ("200 OK", "Nova has the answer. You can close this page.")
    } else {
        ("400 Bad Request", "The sign-in did not work. Go back to Nova; you can close this page.")
    };
    let page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Nova</title><p>{text}</p></html>\n"
    );
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\
         Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n\
         Content-Security-Policy: default-src 'none'\r\nConnection: close\r\n\r\n{page}",
        page.len()
    );
    let sent = async {
        stream.write_all(answer.as_bytes()).await?;
        stream.shutdown().await
    };
    // The code is valid even if the browser is gone.
    let _ = tokio::time::timeout(REQUEST_TIMEOUT, sent).await;
}
