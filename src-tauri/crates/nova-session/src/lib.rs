//! A session and its turn loop: the requests to the model and its answers, the active skills, and the log
//! from which all of this is restored.
//!
//! This crate never runs a tool itself (`nova-calls` does), never writes into the vault, and knows nothing of
//! a window: it emits events and asks through the approver it is given.
//!
//! [`run_turn`] takes the user's message and emits exactly one of `turn_completed`, `turn_cancelled` and
//! `turn_failed`. ARCHITECTURE.md follows one turn step by step.
//!
//! # Invariants of the log
//!
//! - The log is append-only, and everything about a session is restored from it: messages, active skills,
//!   whether the last turn was interrupted. Messages for the model and events for the window are two kinds of
//!   entries in it.
//! - A database of every earlier version opens without loss: `src/store/tests.rs`.
//! - The log is one sequence. A turn names its predecessor; two turns with one predecessor are branches.
//!   Requests, active skills and seen notes are derived from the turns of one branch: `src/branches.rs`,
//!   `tests/journeys/branching_a_chat.rs`.
//! - Every tool call in a history has an output, even after Stop or a crash: `with_all_outputs` in
//!   `src/message.rs`, `tests/journeys/stopping.rs`.
//! - A compaction is an entry of the log and removes nothing from it. Instructions in a message that is no
//!   longer sent are sent again: `tests/journeys/long_chats.rs`.
//! - A broken log entry or an oversized message does not block its chat: `tests/journeys/long_chats.rs`,
//!   `src/session/tests.rs`.
//! - Events of a session are emitted in the order of their numbers: `src/sequence.rs`.
//! - One turn runs at a time per session, among all Nova processes. The lease is a file lock, so the system
//!   releases it however the process ends: `tests/journeys/stopping.rs`.
//! - A sub-agent's session belongs to its parent's and goes to the trash with it. Its turn ends before its
//!   parent's does, writes into its parent's change set, and shares its grants:
//!   `tests/journeys/giving_tasks.rs`.
//!
//! # Invariants of what leaves the machine
//!
//! - Nothing is sent before its destination is known and agreed to. A local server that may forward to a
//!   remote model is queried in every turn, after `turn_started`, so that the turn can be stopped while the
//!   server does not respond. If no model is set, Nova looks for one on this machine only, before the turn
//!   begins, and Stop cancels that: `tests/journeys/choosing_a_provider.rs`.
//! - The log names the host and the notes of a request, summaries included, before the request is made. A
//!   note is named by the first request that discloses it to a host, and by each turn that reads it; later
//!   turns count it.
//! - A note counts as seen when an output contains something of it: its text, a line, a value. Scanning alone
//!   does not count. For a private note, its name, a tag or a parse error is enough to keep the chat on this
//!   machine: `tests/journeys/keeping_private.rs`.
//! - A note that a call moved or deleted no longer counts as seen under its old path.
//! - Everything that leaves a chat that received private notes is private: its export, and each note that a
//!   call creates, have `nova: private`. A call that only changes a note asks first if a remote model may
//!   read that note: `tests/journeys/exporting_a_chat.rs`, `tests/journeys/writing_after_private_reads.rs`.
//! - A search covers what the user and Nova wrote. A trigger of the database fills the index, whichever
//!   process writes the log; answers that may quote a private note are excluded:
//!   `tests/journeys/finding_a_chat.rs`.
//!
//! # Invariants of what the model reads
//!
//! - `output_of` in `src/turn/calls.rs` creates every output of a tool. It breaks up Nova's own markers and
//!   names invisible characters; the window receives the output unchanged:
//!   `tests/journeys/posing_as_nova.rs`.
//! - Notices are enclosed in markers with a random part, stored with the session's system prompt, so no note
//!   can imitate one. Sessions created before these markers use a common marker: `src/activation/fence.rs`.
//! - A tool's output is only sent as the output of its call, even if tools are sent in a message:
//!   `tests/journeys/detached_calls.rs`.
//! - The end of a detached call is reported once, by a notice in the next request, whichever process sends
//!   it. It is never a second output and starts no turn: `tests/journeys/detached_calls.rs`.
//! - Outside edits of notes that the model has seen are reported before its next step:
//!   `tests/journeys/editing_outside.rs`.
//! - Markdown is rendered without scripts and remote content, in time linear in its size, on blocking
//!   threads: `src/markdown.rs`, `src/markdown/bounds.rs`.

mod activation;
mod branches;
mod context;
mod detached;
mod error;
mod export;
mod images;
mod journal;
mod markdown;
mod message;
mod named_image;
mod outside;
mod prompt;
mod report;
mod running;
mod search;
mod search_text;
mod sequence;
mod session;
mod store;
mod stream;
mod turn;
mod usage;
mod used;

pub use branches::{After, Branches};
pub use error::SessionError;
pub use export::{export, marked_private};
pub use journal::EventSink;
pub use markdown::{Block, blocks, html};
pub use named_image::NamedImage;
pub use search::{Found, MessageHit, TextPart};
pub use session::{Session, UserMessage, WaitingApprovals, has_read_private};
pub use store::{Purged, SessionInfo, Store};
pub use turn::{
    Ids, ModelPlace, Placed, SubSession, SubSessions, TurnEnd, TurnScope, not_agreed, run_late_turn, run_turn,
};
pub use usage::{LastError, SkillUse, ToolUse};
pub use used::{UseMeter, Used};
