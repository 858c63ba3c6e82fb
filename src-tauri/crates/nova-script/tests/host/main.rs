//! The parent's side of TypeScript tools, with a fake process that misbehaves on request and with the real
//! one.
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
