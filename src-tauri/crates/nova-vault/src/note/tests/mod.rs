//! The module's behaviour as examples; expected texts are written out by hand.
#![allow(clippy::unwrap_used)]

mod body;
mod diff;
mod edits;
mod generate;
mod merge;
mod outline;
mod paths;
mod random_edits;
mod random_merges;
mod reading;
mod simple;
