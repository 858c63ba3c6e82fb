//! HTTP for tools: one request at a time, to public addresses only, limited in size and time, with a gate
//! that decides about every host on the way.
//!
//! It never stores cookies, caches or credentials, reads no environment variables, and makes no decision
//! about hosts: the gate does.
//!
//! # Invariants
//!
//! - The connection resolves the name itself and uses only addresses that pass the filter, so that DNS
//!   rebinding has no effect: `tests/web/hostile.rs`.
//! - A request reaches only public addresses and allowed hosts, redirects included: `tests/web/hostile.rs`.
//! - A server that the user named is reached at a public address or on this machine, whichever its URL says,
//!   and its redirects are not followed to other hosts: `tests/web/named_server.rs`.
//! - A tool reaches a server on this machine only if the user named it, and follows none of its redirects:
//!   `tests/web/named_server.rs`.
//! - A sandboxed command, whose only way out is the proxy, reaches no host that its gate refuses and no
//!   address that is not public; the request target counts, not the `Host` header: `tests/web/proxy.rs`.
//! - Connections for other protocols use TLS with a verified certificate and go to a server that the user
//!   named: `tests/web/named_server.rs`.
//! - What a domain publishes in DNS is looked up within limits of time and size, and contacts nothing:
//!   `tests/web/srv.rs`.
//! - It uses no proxy itself, requests no compressed responses and decompresses none: `tests/web/limits.rs`.

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
mod srv;
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
