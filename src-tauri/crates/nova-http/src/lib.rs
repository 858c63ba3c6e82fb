//! How a tool reaches the web: one request at a time, only to public addresses, within limits of
//! size and time, asking a gate for every host it is led to.
//!
//! This crate never keeps a cookie, a cache or a credential, reads no environment, and decides about
//! no host: the gate does.
//!
//! # Invariants
//!
//! - The connection itself resolves the name and uses only addresses that pass the filter, so a second lookup
//!   cannot answer differently: `tests/web/hostile.rs`.
//! - A request reaches public addresses only, and no host that nobody allowed, redirects included:
//!   `tests/web/hostile.rs`.
//! - A server that the user named is reached at public addresses or on this machine, as its address says, and its
//!   redirects lead nowhere else: `tests/web/named_server.rs`.
//! - A tool reaches a server of this machine only as one that the user named, and follows no redirect of it:
//!   `tests/web/named_server.rs`.
//! - A command reaches, through the proxy that is its only way out, no host that its gate refuses and no address that
//!   is not public; it is the address of a request that counts, not its `Host`: `tests/web/proxy.rs`.
//! - A connection for another protocol is encrypted, to a server that the user named, and its certificate fits:
//!   `tests/web/named_server.rs`.
//! - It uses no proxy itself, requests no compressed answer and unpacks none: `tests/web/limits.rs`.

mod address;
mod connect;
mod error;
mod host;
mod host_pattern;
mod named_server;
mod pace;
mod proxy;
mod redirect;
mod resolve;
mod web;

pub use address::is_public;
pub use error::WebError;
pub use host::{declared_host, host_of};
pub use host_pattern::HostPattern;
pub use named_server::{by_address, client_for, named_server};
pub use proxy::Proxy;
pub use resolve::{Names, SystemNames};
pub use rustls::pki_types::CertificateDer;
pub use web::{HostGate, Limits, Web, WebOptions};
