//! Streamable HTTP on a loopback port.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, HeaderMap, WWW_AUTHENTICATE};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use nova_app::App;
use nova_protocol::{ErrorCode, UserError};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use secrecy::{ExposeSecret as _, SecretString};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::limits;
use crate::served::Served;
use crate::server::{Server, Shared};
use crate::sessions::Sessions;

const PATH: &str = "/mcp";
const FULL: &str = "Too many clients at once. Close one, or try again in a moment.";

/// The bearer token that clients must send: `Authorization: Bearer TOKEN`.
pub struct Token(SecretString);

#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    #[error("the token has fewer than {} characters", Token::SHORTEST)]
    Short,
    #[error("the token has a character that a header cannot have")]
    Character,
}

/// A listening port; [`Listening::run`] serves it.
pub struct Listening {
    listener: TcpListener,
    address: SocketAddr,
    token: Token,
    shared: Arc<Shared>,
}

type Answer = Response<BoxBody<Bytes, Infallible>>;
type Service = StreamableHttpService<Server, LocalSessionManager>;

impl Token {
    pub const SHORTEST: usize = 16;

    /// # Errors
    /// When the token is too weak, or is not a valid header value.
    pub fn new(token: SecretString) -> Result<Self, TokenError> {
        let text = token.expose_secret();
        if text.len() < Self::SHORTEST {
            return Err(TokenError::Short);
        }
        if !text.chars().all(|c| c.is_ascii_graphic()) {
            return Err(TokenError::Character);
        }
        Ok(Self(token))
    }

    /// Generates a token, and returns its text to be shown once.
    ///
    /// # Errors
    /// When the system's random number generator fails.
    pub fn random() -> Result<(Self, String), UserError> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| {
            UserError::new(ErrorCode::Internal, format!("No token can be made: {error}."), "Try again.")
        })?;
        let text = blake3::hash(&bytes).to_hex().to_string();
        Ok((Self(text.clone().into()), text))
    }

    /// Compares in constant time.
    fn is_in(&self, headers: &HeaderMap) -> bool {
        let sent = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let sent = sent.and_then(|value| value.split_once(' '));
        let sent = sent.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        sent.is_some_and(|(_, sent)| {
            blake3::hash(sent.trim().as_bytes()) == blake3::hash(self.0.expose_secret().as_bytes())
        })
    }
}

/// Listens on the loopback interface; port 0 chooses a free one.
///
/// # Errors
/// When a skill is unknown, or the port is taken.
pub async fn listen(
    app: &App,
    served: Served,
    port: u16,
    token: Token,
    stop: CancellationToken,
) -> Result<Listening, UserError> {
    served.check(app)?;
    let opened = async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let address = listener.local_addr()?;
        Ok::<_, std::io::Error>((listener, address))
    };
    let (listener, address) = opened.await.map_err(|error| {
        UserError::new(
            ErrorCode::Io,
            format!("Port {port} of 127.0.0.1 cannot be opened: {error}."),
            "Choose another port, or 0 for any.",
        )
    })?;
    Ok(Listening { listener, address, token, shared: Shared::new(app.clone(), served, stop) })
}

impl Listening {
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Serves clients until the future is dropped or the server is stopped.
    pub async fn run(self) {
        let Self { listener, address, token, shared } = self;
        let sessions = Arc::<Sessions>::default();
        let service = Arc::new(service(&shared, &sessions, address.port()));
        let token = Arc::new(token);
        let connections = Arc::new(Semaphore::new(limits::CONNECTIONS));
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = shared.stop.cancelled() => break,
            };
            let stream = match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    // Out of file descriptors: wait until a connection closes.
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(limits::BEFORE_ACCEPTING_AGAIN).await;
                    continue;
                }
            };
            // Above the limit, connections are closed at once.
            let Ok(place) = connections.clone().try_acquire_owned() else { continue };
            let (service, sessions) = (service.clone(), sessions.clone());
            let (token, stop) = (token.clone(), shared.stop.clone());
            tokio::spawn(async move {
                let _place = place;
                tokio::select! {
                    () = answer_all(stream, &service, &sessions, &token) => {}
                    () = stop.cancelled() => {}
                }
            });
        }
        shared.calls.ended().await;
    }
}

fn service(shared: &Arc<Shared>, sessions: &Arc<Sessions>, port: u16) -> Service {
    let own = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(own.clone())
        .with_allowed_origins(own.map(|host| format!("http://{host}")))
        .enforce_origin_validation()
        .with_max_request_body_bytes(limits::MESSAGE)
        .with_cancellation_token(shared.stop.clone());
    let (shared, places) = (shared.clone(), sessions.clone());
    let server = move || {
        let place = places.place().ok_or_else(|| std::io::Error::other(FULL))?;
        Ok(Server::new(shared.clone(), Some(place)))
    };
    StreamableHttpService::new(server, sessions.manager.clone(), config)
}

async fn answer_all(stream: TcpStream, service: &Service, sessions: &Sessions, token: &Token) {
    let mut connection = hyper::server::conn::http1::Builder::new();
    connection.timer(TokioTimer::new()).header_read_timeout(limits::HEAD_WITHIN);
    let answer = service_fn(async |request: Request<Incoming>| {
        Ok::<_, Infallible>(if request.uri().path() != PATH {
            refusal(StatusCode::NOT_FOUND, "")
        } else if token.is_in(request.headers()) {
            if !sessions.admit(request.headers()).await {
                return Ok(refusal(StatusCode::SERVICE_UNAVAILABLE, FULL));
            }
            let answer = service.handle(request).await;
            sessions.answered(answer.headers()).await;
            answer
        } else {
            let mut refused = refusal(StatusCode::UNAUTHORIZED, "");
            refused.headers_mut().insert(WWW_AUTHENTICATE, hyper::header::HeaderValue::from_static("Bearer"));
            refused
        })
    });
    if let Err(error) = connection.serve_connection(TokioIo::new(stream), answer).await {
        tracing::debug!(%error, "connection failed");
    }
}

fn refusal(status: StatusCode, why: &'static str) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from_static(why.as_bytes())).boxed());
    *answer.status_mut() = status;
    answer
}
