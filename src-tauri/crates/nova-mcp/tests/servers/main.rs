//! Local and remote servers, well-behaved and not.

#![allow(clippy::unwrap_used)]

mod agreeing;
mod asking;
mod at_an_address;
mod authorizing;
mod calling;
mod ending;
mod hostile;
mod hostile_addresses;
mod launching;
mod misbehaving;
mod offers;
mod resources;
mod support;
