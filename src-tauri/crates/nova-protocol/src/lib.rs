//! The plain data that crosses Nova's boundaries: commands (window to backend), events (backend to window,
//! and `--json` on the command line), ids and error codes.
//!
//! Error codes come from `nova-error`, which the failing crates depend on.
//!
//! This crate never performs I/O or reads a clock, and knows nothing of Tauri, the vault's format or a
//! provider's API. The window's TypeScript types are generated from it.
//!
//! The macro `commands!` declares a command once: as a method of the trait [`Commands`], as a case of
//! [`dispatch`], and as a line of the generated TypeScript.
//!
//! # Invariants
//!
//! - The generated TypeScript and the list of error codes match this crate: `tests/generated.rs`.
//! - It is a public interface for the window, `--json` and readers of a session's log: readers ignore unknown
//!   events and fields, so adding is safe and renaming is not.

pub mod command;
mod credentials;
mod event;
mod glance;
mod inexact;
mod mailboxes;
mod panel;
mod parts;
mod provider_kind;
mod routines;
mod server_offers;
mod servers;
mod shared_text;
mod today;
mod typescript;
mod view;

pub use command::{Commands, dispatch};
pub use credentials::*;
pub use event::{Envelope, Event, LogLevel, LogLine, RequestedPage};
pub use glance::*;
pub use inexact::inexact_number;
pub use mailboxes::*;
pub use panel::*;
pub use parts::{
    ActivatedBy, AttachedFile, CompactedBy, DeactivatedBy, Decision, DetailView, Effect, FigurePartView,
    FigureView, NoteChangeKind, NoteChangeView, PrincipalKind, PrincipalView, SandboxView, SourceView,
    VaultChangeAuthor, VaultChangeKind,
};
pub use provider_kind::ProviderKind;
pub use routines::*;
pub use server_offers::*;
pub use servers::*;
pub use shared_text::SharedText;
pub use today::*;
pub use typescript::typescript;
pub use view::*;

pub use nova_error::{ErrorCode, UserError};

/// The version of the event envelope.
pub const PROTOCOL_VERSION: u32 = 1;

/// Deserialises a field that may be absent, null or set, and distinguishes the three.
fn present<'de, T: serde::Deserialize<'de>, D: serde::Deserializer<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}
