//! The script process, seen through its protocol.
#![allow(clippy::unwrap_used)]

mod calls;
mod definitions;
mod globals;
mod harm;
mod process;
mod snippets;
