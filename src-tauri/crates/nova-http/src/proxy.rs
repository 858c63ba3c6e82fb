//! The proxy of a sandboxed command that has no other network access: HTTP, and CONNECT for everything else.

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::upgrade::OnUpgrade;
use hyper::{Method, Request, Response, StatusCode, Uri, Version};
use hyper_util::rt::{TokioIo, TokioTimer};
use nova_skill::{CommandProxy, NetworkLog, NetworkRequest};
use tokio::net::TcpStream;
use tokio_util::io::{InspectReader, InspectWriter};
use tokio_util::task::AbortOnDropHandle;
use url::Url;

use crate::connect::{CONNECT, NotDialled, dial};
use crate::host::checked;
use crate::{HostGate, Names, Web};

/// Timeout for the headers of a request.
const HEADERS: Duration = Duration::from_secs(30);
/// Requests logged individually; further ones are only counted.
const LOGGED: usize = 100;

/// Hop-by-hop headers (RFC 9110, 7.6.1), and `Expect`, which the proxy answers itself.
const HOP_BY_HOP: [&str; 10] = [
    "connection",
    "expect",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Serves the connections of one command: each request goes to a host that the gate allows, at an address
/// resolved and filtered for this request, and is logged. The content of a connection is not inspected.
pub struct Proxy {
    names: Arc<dyn Names>,
    allow: fn(IpAddr) -> bool,
    gate: Arc<dyn HostGate>,
    log: Mutex<Log>,
}

#[derive(Default)]
struct Log {
    requests: Vec<Logged>,
    left_out: u64,
}

struct Logged {
    host: String,
    port: u16,
    refused: Option<String>,
    traffic: Arc<Traffic>,
}

/// Bytes transferred over one connection to a host.
#[derive(Default)]
struct Traffic {
    sent: AtomicU64,
    received: AtomicU64,
}

/// The destination of a request.
struct Place {
    url: Url,
    /// The host in the gate's spelling: with the port unless it is 80 or 443.
    named: String,
    port: u16,
}

/// Why a request was refused.
struct Refusal {
    status: StatusCode,
    reason: String,
}

/// State of a connection after CONNECT.
struct Tunnel {
    client: OnUpgrade,
    server: Counted,
}

type Counting = Box<dyn FnMut(&[u8]) + Send>;
type Counted = InspectWriter<InspectReader<TcpStream, Counting>, Counting>;
type Body = UnsyncBoxBody<Bytes, hyper::Error>;

#[async_trait]
impl CommandProxy for Proxy {
    async fn serve(&self, connection: TcpStream) {
        let tunnel = Mutex::new(None);
        let service = hyper::service::service_fn(|request| {
            let tunnel = &tunnel;
            async move { Ok::<_, Infallible>(self.answer(request, tunnel).await) }
        });
        let served = hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEADERS)
            .half_close(true)
            .serve_connection(TokioIo::new(connection), service)
            .with_upgrades();
        if let Err(error) = served.await {
            tracing::debug!(%error, "proxied connection failed");
        }
        let tunnel = tunnel.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(Tunnel { client, mut server }) = tunnel
            && let Ok(client) = client.await
        {
            // An error means that one side closed the connection.
            let _ = tokio::io::copy_bidirectional(&mut TokioIo::new(client), &mut server).await;
        }
    }

    fn log(&self) -> NetworkLog {
        let log = self.lock();
        let requests = log.requests.iter().map(|logged| NetworkRequest {
            host: logged.host.clone(),
            port: logged.port,
            sent: logged.traffic.sent.load(Ordering::Relaxed),
            received: logged.traffic.received.load(Ordering::Relaxed),
            refused: logged.refused.clone(),
        });
        NetworkLog { requests: requests.collect(), left_out: log.left_out }
    }
}

impl Web {
    /// Creates the proxy of one command, with the gate of its call.
    pub fn proxy(&self, gate: Arc<dyn HostGate>) -> Proxy {
        let (names, allow) = (self.options.names.clone(), self.options.allow);
        Proxy { names, allow, gate, log: Mutex::default() }
    }
}

impl Proxy {
    async fn answer(&self, request: Request<Incoming>, tunnel: &Mutex<Option<Tunnel>>) -> Response<Body> {
        let answered = if request.method() == Method::CONNECT {
            self.connected(request, tunnel).await
        } else {
            self.forwarded(request).await
        };
        answered.unwrap_or_else(|refusal| refusal.answer())
    }

    async fn connected(
        &self,
        mut request: Request<Incoming>,
        tunnel: &Mutex<Option<Tunnel>>,
    ) -> Result<Response<Body>, Refusal> {
        let authority = request.uri().authority().filter(|authority| authority.port_u16().is_some());
        let authority = authority.ok_or_else(|| Refusal::bad("CONNECT takes HOST:PORT."))?;
        // The scheme decides which port is omitted.
        let scheme = if authority.port_u16() == Some(80) { "http" } else { "https" };
        let server = self.reached(&format!("{scheme}://{authority}/")).await?.1;
        let client = hyper::upgrade::on(&mut request);
        *tunnel.lock().unwrap_or_else(PoisonError::into_inner) = Some(Tunnel { client, server });
        Ok(Response::new(Full::<Bytes>::default().map_err(|never| match never {}).boxed_unsync()))
    }

    async fn forwarded(&self, request: Request<Incoming>) -> Result<Response<Body>, Refusal> {
        if request.uri().scheme_str() != Some("http") {
            return Err(Refusal::bad("This is a proxy for http:// addresses; for others, use CONNECT."));
        }
        let (place, server) = self.reached(&request.uri().to_string()).await?;
        let broke = |error: hyper::Error| Refusal {
            status: StatusCode::BAD_GATEWAY,
            reason: format!("{} broke off: {error}.", place.named),
        };
        let request =
            for_server(request, &place.url).ok_or_else(|| Refusal::bad("This address is not valid."))?;
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(server)).await.map_err(broke)?;
        let driving = AbortOnDropHandle::new(tokio::spawn(connection));
        let mut response = sender.send_request(request).await.map_err(broke)?;
        without_hop_headers(response.headers_mut());
        // The connection must be polled while its body is read.
        Ok(response.map(move |body| {
            body.map_frame(move |frame| {
                let _driving = &driving;
                frame
            })
            .boxed_unsync()
        }))
    }

    /// Asks the gate, connects, and logs the outcome.
    async fn reached(&self, address: &str) -> Result<(Place, Counted), Refusal> {
        let place = Url::parse(address).ok().and_then(|url| {
            let port = url.port_or_known_default()?;
            Some((url.host_str()?.to_owned(), port, checked(url, self.allow)))
        });
        let (host, port, checked) = place.ok_or_else(|| Refusal::bad("This address is not valid."))?;
        let found = match checked {
            Ok((url, named)) => self.connection(Place { url, named, port }).await,
            Err(error) => Err(Refusal::forbidden(error.to_string())),
        };
        let traffic = Arc::new(Traffic::default());
        let mut log = self.lock();
        if log.requests.len() < LOGGED {
            let refused = found.as_ref().err().map(|refusal| refusal.reason.clone());
            log.requests.push(Logged { host, port, refused, traffic: traffic.clone() });
        } else {
            log.left_out += 1;
        }
        drop(log);
        found.map(|(place, connection)| (place, counted(connection, &traffic)))
    }

    async fn connection(&self, place: Place) -> Result<(Place, TcpStream), Refusal> {
        let asked = self.gate.may_contact(&place.named).await;
        asked.map_err(|error| Refusal::forbidden(format!("{error} {}", error.hint())))?;
        let unreachable = |why: String| Refusal {
            status: StatusCode::BAD_GATEWAY,
            reason: format!("{} cannot be reached: {why}.", place.named),
        };
        let connecting = async {
            dial(self.names.as_ref(), self.allow, place.url.host(), place.port).await.map_err(|why| match why
            {
                NotDialled::NotPublic => {
                    Refusal::forbidden(format!("{} resolves to an address that is not public.", place.named))
                }
                NotDialled::Unreachable(why) => unreachable(why),
            })
        };
        let connected = tokio::time::timeout(CONNECT, connecting).await;
        let connection = connected.unwrap_or_else(|_| {
            Err(Refusal {
                status: StatusCode::GATEWAY_TIMEOUT,
                reason: format!("{} did not answer in {} s.", place.named, CONNECT.as_secs()),
            })
        })?;
        Ok((place, connection))
    }

    fn lock(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Refusal {
    fn bad(reason: &str) -> Self {
        Self { status: StatusCode::BAD_REQUEST, reason: reason.into() }
    }

    fn forbidden(reason: String) -> Self {
        Self { status: StatusCode::FORBIDDEN, reason }
    }

    fn answer(self) -> Response<Body> {
        let text = Full::<Bytes>::from(format!("{}\n", self.reason)).map_err(|never| match never {});
        let mut response = Response::new(text.boxed_unsync());
        *response.status_mut() = self.status;
        let plain = HeaderValue::from_static("text/plain; charset=utf-8");
        response.headers_mut().insert(header::CONTENT_TYPE, plain);
        response
    }
}

/// Rewrites the request for the server: the target decides the `Host`, not the client's header.
fn for_server(mut request: Request<Incoming>, url: &Url) -> Option<Request<Incoming>> {
    let host = match (url.host_str()?, url.port()) {
        (host, Some(port)) => format!("{host}:{port}"),
        (host, None) => host.to_owned(),
    };
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    *request.uri_mut() = path.parse::<Uri>().ok()?;
    *request.version_mut() = Version::HTTP_11;
    // With both lengths present, the server must not trust the wrong one (RFC 9112, 6.3).
    if request.headers().contains_key(header::TRANSFER_ENCODING) {
        request.headers_mut().remove(header::CONTENT_LENGTH);
    }
    without_hop_headers(request.headers_mut());
    request.headers_mut().insert(header::HOST, HeaderValue::from_str(&host).ok()?);
    Some(request)
}

fn without_hop_headers(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in named {
        headers.remove(name);
    }
    for name in HOP_BY_HOP {
        headers.remove(name);
    }
}

fn counted(connection: TcpStream, traffic: &Arc<Traffic>) -> Counted {
    let (sent, received) = (traffic.clone(), traffic.clone());
    let add = |count: &AtomicU64, bytes: &[u8]| {
        count.fetch_add(bytes.len() as u64, Ordering::Relaxed);
    };
    let reading: Counting = Box::new(move |bytes| add(&received.received, bytes));
    let writing: Counting = Box::new(move |bytes| add(&sent.sent, bytes));
    InspectWriter::new(InspectReader::new(connection, reading), writing)
}
