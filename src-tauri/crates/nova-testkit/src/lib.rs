//! Test doubles: a vault from one string, a fixed clock, sequential ids, recorded events, a scripted
//! approver, a scripted model server, a stand-in for every part of a tool's context, and a host of tool
//! files.
//!
//! The doubles are thin. A [`TempVault`] is a real folder with the real vault over it, a [`ModelServer`] is a
//! real server that the real provider talks to, and [`SkillInVault`] runs a tool as the program does, through
//! `nova_calls::run_call`. Nothing here sleeps or depends on the speed of the machine: tests wait for events,
//! and [`PATIENCE`] only ends a hang. No program depends on this crate: it is only a dev-dependency.
//!
//! # Invariants
//!
//! - Every request that a [`ModelServer`] receives is checked: each tool call has exactly one output directly
//!   after it (`src/model/check.rs`).
//! - `assert_sound` checks a skill against agentskills.io and its own manifest; a test of each skill calls it
//!   (`src/skill.rs`).

mod approver;
mod clock;
mod context;
mod dovecot;
mod events;
mod form;
mod hostile;
mod medians;
mod model;
mod names;
mod parts;
mod radicale;
mod skill;
mod smtp;
mod starter;
mod tool_host;
mod vault;
mod web;

pub use approver::{ApprovedContents, KeptRules, ScriptedApprover, decided, denied, edited, revised};
pub use clock::{CountingIds, FixedClock};
pub use context::{PlannedVault, TestContext};
pub use dovecot::{Dovecot, web_trusting};
pub use events::RecordedEvents;
pub use form::{FormSaved, save_form};
pub use hostile::hostile_texts;
pub use medians::medians_by_turns;
pub use model::{
    Answer, MODEL, ModelServer, call, call_text, calls, check_request, error, pause, reasoning, text,
};
pub use names::NameServer;
pub use parts::{
    FixedCredentials, MemoryCache, MemoryStore, MemoryStores, RecordingHttp, ScriptedDelegate,
    ScriptedProcess,
};
pub use radicale::Radicale;
pub use skill::{SkillInVault, assert_sound, run_tool, snapshot_of};
pub use smtp::{SmtpServer, TakenMail};
pub use starter::{assert_base, assert_template};
pub use tool_host::LineToolHost;
pub use vault::TempVault;
pub use web::{Reply, WebRequest, WebServer, web_of, web_with};

// The reader's privacy, as set by tests.
pub use nova_vault::Privacy;
pub use tokio_util::sync::CancellationToken;

/// Only reached if a test hangs.
pub const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);
