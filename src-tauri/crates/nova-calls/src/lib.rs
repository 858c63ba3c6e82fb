//! The single path by which tools run: find the tool, validate the arguments, check requirements, apply the
//! rules, ask if they require it, run the tool against a draft of the vault, write the draft as part of a
//! change set, and report the outcome.
//!
//! Model turns, forms and `nova tool call` all go through [`run_call`] and differ only in the [`CallScope`]
//! they pass; no other crate can call a tool. Beyond notes, hosts and credentials, a tool reaches only what
//! it declares and the user allows. This crate never talks to a model, never stores a session and never shows
//! anything: it emits events and asks through traits.
//!
//! [`Gate`] is the only place that evaluates rules. Its ruling on a call (run, ask or deny, and why) is a
//! pure function of rules and [`Facts`] (`src/decide.rs`).
//!
//! # Invariants
//!
//! - `Tool::run` requires a `CallToken`, which only this crate creates: `tests/invariants.rs`.
//! - One call emits exactly one `tool_call_started` and one `tool_call_completed`, even if the tool panics.
//! - A denied call does not run, not even to compute its diff; nor does a tool of a file whose content is not
//!   approved: `tests/calls/ruling.rs`, `tests/calls/reviewing.rs`.
//! - The decision table holds row by row, and no spelling of a name or argument evades a deny:
//!   `src/decide/tests.rs`.
//! - Deny rules are checked again after every answer, with the current arguments. Edited arguments, new
//!   rules, taint and repetition are judged before anything runs: `tests/calls/ruling.rs`.
//! - Rules about arguments also judge the notes that a call actually reached (`ReachedNotes`): before its
//!   output or progress is emitted, before anything is written, and again after each answer. Rules about
//!   requests are evaluated for each request.
//! - Unapproved content is shown with its changes, whatever else makes the call ask:
//!   `tests/calls/reviewing.rs`.
//! - Grants to a tool that is not part of Nova are bound to its content (`Grantee`, `Approved`), never to its
//!   name alone.
//! - A tool contacts a host only if its card showed the host and the user allowed it, the session has a grant
//!   for the host, the user allowed it always for this content of the tool's file, or a rule allows the tool
//!   and the tool declares the host. In a turn that has read untrusted text, neither grant nor "always"
//!   counts. Other hosts are asked about during the run, and the wait does not count as the tool's time:
//!   `tests/calls/fetching.rs`.
//! - A tool receives only credentials that it declares and that a grant or an answer allows, and sends them
//!   only to hosts that it declares: `tests/calls/secrets.rs`.
//! - A secret passed to a call is removed from its output, progress, errors, log and sources, and is never
//!   written into a note: `tests/calls/secrets.rs`.
//! - A tool that calls others ([`nova_skill::ToolCalls`]) makes each call through this crate, under the
//!   called tool's own rules (`src/run/inner.rs`). Their writes form one draft, which asks if one of them
//!   would: `src/decide/tests.rs`. A run that is planned again sends nothing twice:
//!   `tests/journeys/running_code.rs`.
//! - A tool defined by a file reaches notes only as the file declares ([`nova_skill::ToolSpec::vault`]), also
//!   through the tools that it calls, and sends nothing once it has received a private note:
//!   `tests/calls/on_vault.rs`, `tests/journeys/writing_a_tool_for_notes.rs`.
//! - Only calls with the effect read or external, or those that the user allowed to run in the background,
//!   outlive their turn ([`run_or_detach`]). Rules, taint, secrets and time limits apply until they end:
//!   `tests/calls/detaching.rs`.

mod answer;
mod arguments;
mod call;
mod connection;
mod context;
mod credentials;
mod decide;
mod delegate;
mod detach;
mod draft_vault;
mod elicitations;
mod figures;
mod files;
mod gate;
mod grants;
mod hosts;
mod in_order;
mod local_only;
mod log;
mod named_hosts;
mod process;
mod questions;
mod reach;
mod received;
mod refused;
mod run;
mod secrets;
mod seen_notes;
mod sub_agents;
pub mod today;
mod trusted;
mod turn_history;
mod view;
mod watch;

pub use answer::{Answer, ApprovalRequest, Approver, NoApprover};
pub use call::{Access, Arguments, Call, CallEvents, CallScope, CalledTool, Outcome};
pub use credentials::{NoCredentials, consumer, consumer_of};
pub use decide::{Because, Content, Facts, Ruling, Verdict};
pub use detach::{DetachedCall, Settled, detachable, run_or_detach};
pub use gate::Gate;
pub use grants::{Grantee, Grants, SaveRule};
pub use in_order::{Place, places};
pub use run::run_call;
pub use secrets::Secrets;
pub use seen_notes::{SeenNote, SeenNotes};
pub use sub_agents::{SubAgentEnd, SubAgentHow, SubAgentTask, SubAgentUser, SubAgents};
pub use trusted::{Approval, Approved, Standing, ToolContent, ToolFace, content_of};
pub use turn_history::{TurnHistory, is_foreign};
pub use view::{
    change_kind_view, diff_view, effect_view, file_change_kind_view, file_content_diff_view, principal_view,
};
pub use watch::{CallWatch, PartialOutput};
