//! Hands a message to a mail server by SMTP (RFC 5321).

mod starttls;

use std::error::Error as _;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Mutex;
use std::task::{Context, Poll};
use std::time::Duration;

use async_trait::async_trait;
use lettre::Address;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, AsyncTokioStream};
use lettre::transport::smtp::commands::{Auth, Data, Mail, Rcpt};
use lettre::transport::smtp::extension::{ClientId, Extension, MailParameter};
use lettre::transport::smtp::{Error, response::Response};
use secrecy::{ExposeSecret as _, SecretString};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::bounded::Bounded;
use crate::sign_in::can_be_said;
use crate::{Draft, Proof, SignIn, Stream, visible_line};

pub use starttls::{smtp_begins_with_starttls, smtp_start_tls};

/// The time limit of one command.
const PATIENCE: Duration = Duration::from_secs(60);
/// The time limit of the answer to a whole message (RFC 5321, 4.5.3.2.6).
const PATIENCE_FOR_MESSAGE: Duration = Duration::from_secs(600);
/// How many bytes a server may send in one connection.
const MOST_BYTES: u64 = 1 << 20;
/// The longest text of a server that is shown.
const LINE: usize = 200;
/// How many refused recipients are named.
const NAMED: usize = 10;

/// A way to send. SMTP is one.
///
/// A message is sent in two steps, so that the caller can record it in between: until [`Outbox::deliver`] begins,
/// nothing was sent.
#[async_trait]
pub trait Outbox: Send {
    /// Sends the envelope. If any recipient is refused, nothing will be sent.
    ///
    /// # Errors
    /// `Recipients`, and as [`SendError`] lists.
    async fn offer(&mut self, draft: &Draft) -> Result<(), SendError>;

    /// Hands over the message, once.
    ///
    /// # Errors
    /// `Unknown` if it may have been sent; after any other error it was not.
    async fn deliver(&mut self, message: &[u8]) -> Result<(), SendError>;

    /// Quits and closes the connection.
    async fn close(&mut self);
}

/// Why a message was not sent, or may not have been. A server's text is cut to one visible line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    #[error("the server does not accept the user and the password: {said}")]
    SignIn { said: String },
    #[error("the server does not offer signing in with a password")]
    NoPassword,
    /// The server does not accept the access token.
    #[error("the server does not accept the sign-in: {said}")]
    Token { said: String },
    #[error("the server does not offer signing in with Google, Microsoft or another provider (OAuth)")]
    NoToken,
    /// Each with the server's reason. Nothing was sent to the others either.
    #[error("the server refuses {}", named(.refused, *.more))]
    Recipients { refused: Vec<(String, String)>, more: usize },
    /// A non-ASCII address; the server lacks the extension for it.
    #[error("the server cannot send to {address}")]
    NotAscii { address: String },
    #[error("the server refused: {said}")]
    Refused { said: String },
    #[error("the server did not answer in {} s", after.as_secs())]
    TooSlow { after: Duration },
    #[error("the server closed the connection")]
    Closed,
    /// The answer is not valid SMTP.
    #[error("the server sent an invalid answer")]
    Invalid,
    /// The message was handed over, and the connection ended before an answer.
    #[error("the connection ended before the server answered: it may have been sent")]
    Unknown,
}

impl SendError {
    /// What to do about it, one sentence.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::SignIn { .. } => "Check the user and the password; many servers want an app password.",
            Self::NoPassword => "Use a server that takes a password.",
            Self::Token { .. } => "Nothing was sent. Sign in again with the account of this mailbox.",
            Self::NoToken => "Nothing was sent. Use the servers of the provider, or a password.",
            Self::Recipients { .. } => "Nothing was sent. Correct or leave out these recipients.",
            Self::NotAscii { .. } => "Nothing was sent. Use an address of plain letters.",
            Self::Refused { .. } => "Nothing was sent. Change what the server names, or try again later.",
            Self::TooSlow { .. } | Self::Closed => "Nothing was sent. Try again later.",
            Self::Invalid => "Nothing was sent. Check the address of the server.",
            Self::Unknown => "Look in Sent before you send it again.",
        }
    }
}

fn named(refused: &[(String, String)], more: usize) -> String {
    let one = |(address, said): &(String, String)| format!("{address} ({said})");
    let mut named = refused.iter().map(one).collect::<Vec<_>>().join(", ");
    if more > 0 {
        named.push_str(&format!(" and {more} more"));
    }
    named
}

/// A signed-in connection.
pub struct Smtp {
    connection: AsyncSmtpConnection,
}

impl Smtp {
    /// Reads the greeting and signs in, over an encrypted connection. After STARTTLS (`greeted`) the server does not
    /// greet again.
    ///
    /// # Errors
    /// `SignIn`, `NoPassword`, `Token`, `NoToken`, and as [`SendError`] lists.
    pub async fn sign_in<S: Stream + 'static>(
        stream: S,
        greeted: bool,
        who: &SignIn,
    ) -> Result<Self, SendError> {
        let greeting: &[u8] = if greeted { b"220 ready\r\n" } else { b"" };
        let stream = Greeted { greeting, stream: Bounded::new(stream, MOST_BYTES) };
        let stream: Box<dyn AsyncTokioStream> = Box::new(Shared(Mutex::new(stream)));
        // Discloses neither the name nor the address of this machine.
        let name = ClientId::Ipv4(Ipv4Addr::LOCALHOST);
        let mut connection =
            in_time(PATIENCE, AsyncSmtpConnection::connect_with_transport(stream, &name)).await?;
        match &who.proof {
            Proof::Password(password) => by_password(&mut connection, &who.user, password).await?,
            Proof::Token(token) => by_token(&mut connection, &who.user, token).await?,
        }
        Ok(Self { connection })
    }

    async fn command(&mut self, command: impl std::fmt::Display) -> Result<Response, SendError> {
        in_time(PATIENCE, self.connection.command(command)).await
    }
}

async fn by_password(
    connection: &mut AsyncSmtpConnection,
    user: &str,
    password: &SecretString,
) -> Result<(), SendError> {
    let ways = [Mechanism::Plain, Mechanism::Login];
    if connection.server_info().get_auth_mechanism(&ways).is_none() {
        return Err(SendError::NoPassword);
    }
    let password = Credentials::new(user.to_owned(), password.expose_secret().to_owned());
    match in_time(PATIENCE, connection.auth(&ways, &password)).await {
        Err(SendError::Refused { said }) if !is_temporary(&said) => Err(SendError::SignIn { said }),
        signed_in => signed_in.map(drop),
    }
}

/// By XOAUTH2, which the servers of all providers offer. The library closes the connection when a server first
/// explains its refusal; here the refusal itself is read.
async fn by_token(
    connection: &mut AsyncSmtpConnection,
    user: &str,
    token: &SecretString,
) -> Result<(), SendError> {
    let way = Mechanism::Xoauth2;
    if connection.server_info().get_auth_mechanism(&[way]).is_none() {
        return Err(SendError::NoToken);
    }
    if !can_be_said(user, token) {
        return Err(SendError::Token { said: "the user or the token has control characters".into() });
    }
    let proof = Credentials::new(user.to_owned(), token.expose_secret().to_owned());
    let auth = Auth::new(way, proof, None).map_err(|error| failed(&error))?;
    let signing_in = async {
        let answer = in_time(PATIENCE, connection.command(auth)).await?;
        // Once the token is sent, a challenge can only precede a refusal.
        match answer.has_code(334) {
            true => in_time(PATIENCE, connection.command("\r\n")).await,
            false => Ok(answer),
        }
    };
    match signing_in.await {
        Err(SendError::Refused { said }) if !is_temporary(&said) => Err(SendError::Token { said }),
        Ok(answer) if !answer.has_code(235) => Err(SendError::Invalid),
        signed_in => signed_in.map(drop),
    }
}

/// RFC 4954: failures that are not the fault of the user or the password.
fn is_temporary(said: &str) -> bool {
    said.starts_with("454") || said.starts_with("421")
}

#[async_trait]
impl Outbox for Smtp {
    async fn offer(&mut self, draft: &Draft) -> Result<(), SendError> {
        let (from, to) = draft.envelope();
        let is_ascii = to.iter().chain([&from]).all(|address| address.is_ascii());
        let mut options = Vec::new();
        if !is_ascii {
            if !self.connection.server_info().supports_feature(Extension::SmtpUtfEight) {
                let address = to.into_iter().chain([from]).find(|address| !address.is_ascii());
                return Err(SendError::NotAscii { address: address.unwrap_or_default() });
            }
            options.push(MailParameter::SmtpUtfEight);
        }
        let spelled = |address: &str| {
            address.parse::<Address>().map_err(|_| SendError::NotAscii { address: address.to_owned() })
        };
        let recipients = to.iter().map(|address| spelled(address)).collect::<Result<Vec<_>, _>>()?;
        self.command(Mail::new(Some(spelled(&from)?), options)).await?;
        let mut refused = Vec::new();
        for address in recipients {
            match self.command(Rcpt::new(address.clone(), Vec::new())).await {
                Ok(_) => {}
                Err(SendError::Refused { said }) => refused.push((address.to_string(), said)),
                Err(error) => return Err(error),
            }
        }
        if refused.is_empty() {
            return Ok(());
        }
        let more = refused.len().saturating_sub(NAMED);
        refused.truncate(NAMED);
        Err(SendError::Recipients { refused, more })
    }

    async fn deliver(&mut self, message: &[u8]) -> Result<(), SendError> {
        self.command(Data).await?;
        match in_time(PATIENCE_FOR_MESSAGE, self.connection.message(message)).await {
            Ok(_) => Ok(()),
            Err(SendError::Refused { said }) => Err(SendError::Refused { said }),
            // Whatever happened, the server may have accepted it.
            Err(_) => Err(SendError::Unknown),
        }
    }

    async fn close(&mut self) {
        let _ = tokio::time::timeout(Duration::from_secs(2), self.connection.quit()).await;
    }
}

async fn in_time<T>(after: Duration, step: impl Future<Output = Result<T, Error>>) -> Result<T, SendError> {
    match tokio::time::timeout(after, step).await {
        Ok(done) => done.map_err(|error| failed(&error)),
        Err(_) => Err(SendError::TooSlow { after }),
    }
}

fn failed(error: &Error) -> SendError {
    if let Some(code) = error.status() {
        let said = error.source().map(ToString::to_string).unwrap_or_default();
        return SendError::Refused { said: visible_line(&format!("{code} {said}"), LINE) };
    }
    let cause = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    match cause {
        Some(cause) if cause.kind() != io::ErrorKind::Other => SendError::Closed,
        _ => SendError::Invalid,
    }
}

/// A connection that replays the greeting received before encryption.
#[derive(Debug)]
struct Greeted<S> {
    greeting: &'static [u8],
    stream: S,
}

impl<S: AsyncRead + Unpin> AsyncRead for Greeted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.greeting.is_empty() {
            return Pin::new(&mut self.stream).poll_read(cx, buf);
        }
        let (now, later) = self.greeting.split_at(self.greeting.len().min(buf.remaining()));
        buf.put_slice(now);
        self.greeting = later;
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Greeted<S> {
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

/// Makes the stream of one task `Sync`, as the client requires.
#[derive(Debug)]
struct Shared<S>(Mutex<S>);

impl<S: Unpin> Shared<S> {
    fn stream(self: Pin<&mut Self>) -> Pin<&mut S> {
        Pin::new(self.get_mut().0.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Shared<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.stream().poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Shared<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.stream().poll_write(cx, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream().poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream().poll_shutdown(cx)
    }
}

impl<S: Stream> AsyncTokioStream for Shared<S> {
    fn peer_addr(&self) -> io::Result<SocketAddr> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
