//! The doubles, tested with their real counterparts.
#![allow(clippy::unwrap_used)]

mod checks;
mod doubles;
mod model;
mod turn;
mod vault;
