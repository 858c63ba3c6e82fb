//! Servers as processes and at addresses, well behaved and not.

#![allow(clippy::unwrap_used)]

mod agreeing;
mod at_an_address;
mod authorizing;
mod calling;
mod ending;
mod misbehaving;
mod support;
