use std::collections::{BTreeMap, HashMap};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use nova_http::{Names, Web, WebOptions, is_public};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::FixedClock;
use crate::parts::lock;

/// A real local HTTP server with scripted responses, valid or not. It is stopped on drop.
pub struct WebServer {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<WebRequest>>>,
    accepting: tokio::task::JoinHandle<()>,
}

/// A received request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebRequest {
    pub method: String,
    /// Including the query.
    pub path: String,
    /// By lower-case name.
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

/// The bytes of a response, including the status line.
#[derive(Debug, Clone)]
pub enum Reply {
    /// Sends these, then closes the connection.
    Bytes(Vec<u8>),
    /// Sends the first, then repeats the second until the client disconnects.
    Endless(Vec<u8>, Vec<u8>),
    /// Sends the first, then single bytes at this interval.
    Drip(Vec<u8>, Duration),
    /// Sends these, then nothing more.
    Stall(Vec<u8>),
}

impl WebServer {
    /// Starts a server at 127.0.0.1.
    ///
    /// # Panics
    /// If the address cannot be bound.
    pub async fn start(answer: impl Fn(&WebRequest) -> Reply + Send + Sync + 'static) -> Self {
        Self::start_at("127.0.0.1", answer).await
    }

    /// Starts a server at another local address.
    ///
    /// # Panics
    /// As [`WebServer::start`].
    pub async fn start_at(
        address: &str,
        answer: impl Fn(&WebRequest) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind((address, 0)).await.expect("a local port");
        let address = listener.local_addr().expect("its address");
        let requests: Arc<Mutex<Vec<WebRequest>>> = Arc::default();
        let (seen, answer) = (requests.clone(), Arc::new(answer));
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (seen, answer) = (seen.clone(), answer.clone());
                tokio::spawn(async move {
                    // The client may disconnect at any time.
                    let _ = serve(stream, &seen, answer.as_ref()).await;
                });
            }
        });
        Self { address, requests, accepting }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// In order of arrival.
    pub fn requests(&self) -> Vec<WebRequest> {
        lock(&self.requests).clone()
    }
}

impl Drop for WebServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Reply {
    /// A text page.
    pub fn text(body: &str) -> Self {
        Self::with(200, &[("content-type", "text/plain")], body)
    }

    /// A redirect.
    pub fn to(status: u16, location: &str) -> Self {
        Self::with(status, &[("location", location)], "")
    }

    pub fn with(status: u16, headers: &[(&str, &str)], body: &str) -> Self {
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let length = body.len();
        let head =
            format!("HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n");
        Self::Bytes(format!("{head}{body}").into_bytes())
    }
}

/// A web in which these names resolve to these local servers, and no other name resolves. No domain publishes
/// services in DNS.
pub fn web_of(names: &[(&str, &WebServer)]) -> Web {
    web_where(names, |options| options.allow = |_| true)
}

/// As [`web_of`], with these changes. 127.0.0.1, the servers' address, counts as public; every other address
/// is classified as usual.
pub fn web_with(names: &[(&str, &WebServer)], change: impl FnOnce(&mut WebOptions)) -> Web {
    web_where(names, |options| {
        options.allow = |address| address == Ipv4Addr::LOCALHOST || is_public(address);
        change(options);
    })
}

fn web_where(names: &[(&str, &WebServer)], change: impl FnOnce(&mut WebOptions)) -> Web {
    struct Known(HashMap<String, SocketAddr>);
    #[async_trait]
    impl Names for Known {
        async fn lookup(&self, host: &str) -> std::io::Result<Vec<SocketAddr>> {
            let unknown = || std::io::Error::other("the test has no such name");
            self.0.get(host).map(|address| vec![*address]).ok_or_else(unknown)
        }
    }
    let known = names.iter().map(|(name, server)| ((*name).to_owned(), server.address())).collect();
    let mut options = WebOptions::new(Arc::new(FixedClock::default()));
    options.names = Arc::new(Known(known));
    options.name_servers = Some(Vec::new());
    change(&mut options);
    Web::new(options)
}

async fn serve(
    mut stream: TcpStream,
    seen: &Mutex<Vec<WebRequest>>,
    answer: &(dyn Fn(&WebRequest) -> Reply + Send + Sync),
) -> std::io::Result<()> {
    let Some(request) = read(&mut stream).await? else { return Ok(()) };
    lock(seen).push(request.clone());
    match answer(&request) {
        Reply::Bytes(bytes) => stream.write_all(&bytes).await?,
        Reply::Endless(head, again) => {
            stream.write_all(&head).await?;
            loop {
                stream.write_all(&again).await?;
            }
        }
        Reply::Drip(head, every) => {
            stream.write_all(&head).await?;
            loop {
                tokio::time::sleep(every).await;
                stream.write_all(b".").await?;
            }
        }
        Reply::Stall(bytes) => {
            stream.write_all(&bytes).await?;
            stream.read_u8().await?;
        }
    }
    stream.shutdown().await
}

async fn read(stream: &mut TcpStream) -> std::io::Result<Option<WebRequest>> {
    let mut bytes = Vec::new();
    let head = loop {
        if stream.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
    };
    let text = String::from_utf8_lossy(&bytes[..head]).into_owned();
    let mut body = bytes.split_off(head + 4);
    let mut lines = text.split("\r\n");
    let mut first = lines.next().unwrap_or_default().split(' ').map(str::to_owned);
    let (method, path) = (first.next().unwrap_or_default(), first.next().unwrap_or_default());
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    while body.len() < length {
        if stream.read_buf(&mut body).await? == 0 {
            break;
        }
    }
    Ok(Some(WebRequest { method, path, headers, body }))
}
