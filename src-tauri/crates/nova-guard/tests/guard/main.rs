//! Commands under a guard, with real processes.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

mod confined;
mod ends;
mod proxy;
mod starts;
mod support;
mod view;
