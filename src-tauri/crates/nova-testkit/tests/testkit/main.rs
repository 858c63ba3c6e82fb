//! The doubles, held against the real things that use them.
#![allow(clippy::unwrap_used)]

mod checks;
mod doubles;
mod model;
mod turn;
mod vault;
