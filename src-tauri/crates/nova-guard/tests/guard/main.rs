//! Commands under a guard, with real processes.
#![cfg(target_os = "linux")]

mod confined;
mod ends;
mod starts;
mod support;
