//! How a tool reaches the web: one request at a time, only to public addresses, within limits of
//! size and time, asking a gate for every host it is led to.
//!
//! This crate never keeps a cookie, a cache or a credential, reads no environment, and decides about
//! no host: the gate does.

mod address;
mod error;
mod host;
mod pace;
mod redirect;
mod resolve;
mod web;

pub use address::is_public;
pub use error::WebError;
pub use host::{declared_host, host_of};
pub use resolve::{Names, SystemNames};
pub use web::{HostGate, Limits, Web, WebOptions};
