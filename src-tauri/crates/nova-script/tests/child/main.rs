//! The process that runs scripts, as Nova talks to it.
#![allow(clippy::unwrap_used)]

mod calls;
mod definitions;
mod globals;
mod harm;
mod process;
mod snippets;
