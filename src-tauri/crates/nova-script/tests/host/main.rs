//! The parent's side of TypeScript tools: with a stand-in that misbehaves as asked, and with the
//! real process.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

mod asking;
mod calling;
mod confined;
mod keeping;
mod misbehaving;
mod pooling;
mod real;
mod support;
