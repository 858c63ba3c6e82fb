//! Tools written in TypeScript: evaluating what a file defines, and running it, in a confined process
//! of its own that can reach nothing except the messages of [`protocol`].
//!
//! This crate never runs a script in Nova's own process, never lets one read a file or open a
//! connection, and decides about no call.
//!
//! `host` starts, feeds and ends the processes, and answers what a script asks for through the context of its call.
//! `child` is such a process: oxc strips the types, QuickJS runs the rest with zod and a few globals.
//! Definitions are cached by content in the folder *scripts* of the data folder, so a start with unchanged tools
//! runs no JavaScript.
//!
//! # Invariants
//!
//! - One process serves one skill or one dynamic file and no other. It ends after 60 s without work, and is killed
//!   after a time-out or a protocol violation: `tests/host/pooling.rs`, `tests/host/misbehaving.rs`.
//! - A script reaches no file, connection or process: its engine has no such functions, and the guard removes the
//!   rights. Where the system can remove none, the user has agreed: `tests/host/confined.rs`, under the real guard.
//! - A file that changed, or whose declaration or rights changed, needs approval again: `src/host/definition.rs`.
//! - A script reaches notes, other tools and its store by messages that the context of its call answers: what it
//!   declares is checked there, not in its process: `tests/journeys/writing_a_tool_for_notes.rs`.
//! - A snippet (`run_snippet`) runs once in a process of its own, reaches tools and nothing else, and has its faults
//!   in places of its own text: `tests/child/snippets.rs`, `tests/journeys/running_code.rs`.
//! - A file has a runtime of its own. A process of a folder skill prepares at most one more runtime while idle.

pub mod child;
pub mod host;
pub mod protocol;
