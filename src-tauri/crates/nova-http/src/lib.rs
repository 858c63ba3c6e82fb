//! How a tool reaches the web: one request at a time, only to public addresses, within limits of
//! size and time, asking a gate for every host it is led to.
//!
//! This crate keeps no cookie, no cache and no credential, and it decides about no host: the gate
//! does.
