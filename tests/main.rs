//! Nova as a whole, below its window: from a message or command to the note and back. A module of `journeys`
//! is named after what a user does; `invariants` are properties of the whole repository. The window's tests
//! are in `tests/e2e`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod invariants;
mod journeys;
