use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder};

/// Resolves names to addresses.
#[async_trait]
pub trait Names: Send + Sync {
    /// Resolves a host. Port 0 stands for the port of the request.
    ///
    /// # Errors
    /// When the name has no address, or resolving fails.
    async fn lookup(&self, host: &str) -> std::io::Result<Vec<SocketAddr>>;
}

/// The system's resolver.
pub struct SystemNames;

#[async_trait]
impl Names for SystemNames {
    async fn lookup(&self, host: &str) -> std::io::Result<Vec<SocketAddr>> {
        Ok(tokio::net::lookup_host((host, 0)).await?.collect())
    }
}

/// A name resolved only to addresses that tools may not reach.
#[derive(Debug, thiserror::Error)]
#[error("the name resolves to an address that is not public")]
pub(crate) struct NotPublic;

/// Gives the connection exactly the addresses that passed the filter: without a second lookup there is no
/// race between check and use.
pub(crate) struct Filtered {
    pub(crate) names: Arc<dyn Names>,
    pub(crate) allow: fn(IpAddr) -> bool,
}

impl Filtered {
    /// A client that connects only to these addresses, follows no redirects and sends minimal headers.
    pub(crate) fn client(self) -> ClientBuilder {
        Client::builder()
            .user_agent(concat!("nova/", env!("CARGO_PKG_VERSION")))
            .dns_resolver(self)
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .no_proxy()
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate()
            .http1_max_headers(100)
    }
}

impl Resolve for Filtered {
    fn resolve(&self, name: Name) -> Resolving {
        let (names, allow) = (self.names.clone(), self.allow);
        Box::pin(async move {
            let found = names.lookup(name.as_str()).await?;
            let any = !found.is_empty();
            let passed: Vec<SocketAddr> = found.into_iter().filter(|address| allow(address.ip())).collect();
            if passed.is_empty() && any {
                return Err(NotPublic.into());
            }
            Ok(Box::new(passed.into_iter()) as Addrs)
        })
    }
}
