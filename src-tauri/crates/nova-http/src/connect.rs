//! TLS connections for protocols other than HTTP, to a server that the user named.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use nova_skill::BeforeTls;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, crypto};
use rustls_platform_verifier::Verifier;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use url::{Host, Url};

use crate::{HostGate, Names, Web, WebError, by_address, host_of, named_server};

/// Connect timeout.
pub(crate) const CONNECT: Duration = Duration::from_secs(15);

impl Web {
    /// Opens a TLS connection to a server that the user named, on this machine or at a public address. Its
    /// certificate is verified for `host` against the system's trust store.
    ///
    /// # Errors
    /// `NotAllowed` by the gate; `Certificate` if verification fails; otherwise see [`WebError`].
    pub async fn connect_to_named(
        &self,
        host: &str,
        port: u16,
        gate: &dyn HostGate,
    ) -> Result<TlsStream<TcpStream>, WebError> {
        self.connect_to_named_after(host, port, gate, &()).await
    }

    /// Like [`Web::connect_to_named`] for protocols with STARTTLS: `before` performs the plain-text exchange.
    ///
    /// # Errors
    /// As for [`Web::connect_to_named`]; `BadAnswer` if the server does not agree to encrypt.
    pub async fn connect_to_named_after(
        &self,
        host: &str,
        port: u16,
        gate: &dyn HostGate,
        before: &dyn BeforeTls,
    ) -> Result<TlsStream<TcpStream>, WebError> {
        let invalid = || WebError::Request { reason: format!("{host} is not a server name") };
        let url = Url::parse(&format!("https://{host}:{port}/")).map_err(|_| invalid())?;
        let allow = named_server(&url)?;
        let name = url.host_str().ok_or_else(invalid)?.trim_matches(['[', ']']).to_owned();
        let name = ServerName::try_from(name).map_err(|_| invalid())?;
        let url = by_address(url);
        let named = host_of(&url).ok_or_else(invalid)?;
        gate.may_contact(&named).await.map_err(WebError::NotAllowed)?;
        let connecting = async {
            let mut stream = dial(self.options.names.as_ref(), allow, url.host(), port).await.map_err(
                |why| match why {
                    NotDialled::NotPublic => WebError::Internal { host: named.clone() },
                    NotDialled::Unreachable(reason) => WebError::Unreachable { host: named.clone(), reason },
                },
            )?;
            before
                .agree(&mut stream)
                .await
                .map_err(|error| WebError::BadAnswer { host: named.clone(), reason: error.to_string() })?;
            let config = self.tls()?;
            TlsConnector::from(config)
                .connect(name, stream)
                .await
                .map_err(|error| not_encrypted(&named, &error))
        };
        let connected = tokio::time::timeout(CONNECT, connecting).await;
        connected.unwrap_or_else(|_| Err(WebError::TooSlow { host: named.clone(), after: CONNECT }))
    }

    fn tls(&self) -> Result<Arc<ClientConfig>, WebError> {
        let setup = |error: rustls::Error| WebError::Setup { reason: error.to_string() };
        let provider = Arc::new(crypto::aws_lc_rs::default_provider());
        let authorities = self.options.authorities.iter().cloned();
        let verifier = Verifier::new_with_extra_roots(authorities, provider.clone()).map_err(setup)?;
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(setup)?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_no_client_auth();
        Ok(Arc::new(config))
    }
}

fn not_encrypted(host: &str, error: &io::Error) -> WebError {
    let host = host.to_owned();
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match inner {
        Some(rustls::Error::InvalidCertificate(reason)) => {
            WebError::Certificate { host, reason: reason.to_string() }
        }
        Some(error) => WebError::BadAnswer { host, reason: error.to_string() },
        None => WebError::Unreachable { host, reason: error.to_string() },
    }
}

/// Why connecting failed.
pub(crate) enum NotDialled {
    /// The name resolves only to addresses that are not allowed.
    NotPublic,
    Unreachable(String),
}

/// Connects to one of the addresses that passed the filter, so that a second lookup cannot answer
/// differently.
pub(crate) async fn dial(
    names: &dyn Names,
    allow: fn(IpAddr) -> bool,
    host: Option<Host<&str>>,
    port: u16,
) -> Result<TcpStream, NotDialled> {
    let found = match host {
        Some(Host::Ipv4(address)) => vec![SocketAddr::new(address.into(), 0)],
        Some(Host::Ipv6(address)) => vec![SocketAddr::new(address.into(), 0)],
        Some(Host::Domain(name)) => {
            names.lookup(name).await.map_err(|error| NotDialled::Unreachable(error.to_string()))?
        }
        None => Vec::new(),
    };
    let any = !found.is_empty();
    let mut last = "the name does not resolve".to_owned();
    let mut passed = found.into_iter().filter(|address| allow(address.ip())).peekable();
    if any && passed.peek().is_none() {
        return Err(NotDialled::NotPublic);
    }
    for mut address in passed {
        if address.port() == 0 {
            address.set_port(port);
        }
        match TcpStream::connect(address).await {
            Ok(connection) => return Ok(connection),
            Err(error) => last = error.to_string(),
        }
    }
    Err(NotDialled::Unreachable(last))
}
