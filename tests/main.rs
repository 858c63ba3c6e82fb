//! Nova as a whole, below its window: what a person does, from the message or the command to the
//! note and back. A module of `journeys` is named after what a person does; `invariants` holds what
//! must stay true of the whole repository. The window's own tests are in `tests/e2e`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod invariants;
mod journeys;
