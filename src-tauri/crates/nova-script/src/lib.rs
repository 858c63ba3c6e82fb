//! Tools written in TypeScript: loads the definition in a file and runs its tool, in a confined process whose
//! only connection is the messages of [`protocol`].
//!
//! This crate never runs a script in Nova's own process, never lets one read a file or open a connection, and
//! makes no policy decisions.
//!
//! `host` manages the processes and serves a script's requests through the context of its call. `child` is
//! such a process: oxc strips the types, QuickJS runs the result with zod and a few globals. Definitions are
//! cached by content in the folder *scripts* of the data folder, so that a start with unchanged tools runs no
//! JavaScript.
//!
//! # Invariants
//!
//! - A process serves a single skill or dynamic file. It ends after 60 s of idle time, and is killed after a
//!   timeout or a protocol violation: `tests/host/pooling.rs`, `tests/host/misbehaving.rs`.
//! - A script reaches no file, connection or process: its engine has no such functions, and the guard drops
//!   the permissions. If the system can enforce nothing, the user has agreed: `tests/host/confined.rs`, under
//!   the real guard.
//! - A file whose source, definition or access changed needs approval again: `src/host/definition.rs`.
//! - A script reaches notes, other tools and its store through messages answered by the context of its call:
//!   its declarations are enforced there, not in its process: `tests/journeys/writing_a_tool_for_notes.rs`.
//! - A snippet (`run_snippet`) runs once in a fresh process, reaches tools and nothing else, and its faults
//!   have positions in its own text: `tests/child/snippets.rs`, `tests/journeys/running_code.rs`.
//! - Each file has its own runtime. The process of a folder skill prepares at most one more runtime while
//!   idle.

pub mod child;
pub mod host;
pub mod protocol;
