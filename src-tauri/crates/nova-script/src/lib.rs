//! Tools written in TypeScript: what a file defines, and running it, in a confined process of its
//! own that can reach nothing but the messages of [`protocol`].
//!
//! This crate never runs a script in Nova's own process, never lets one read a file or open a
//! connection, and decides about no call.

pub mod child;
pub mod host;
pub mod protocol;
