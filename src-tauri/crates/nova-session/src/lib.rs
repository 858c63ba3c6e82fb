//! A session and its turn loop: what the model is sent, what it answers, which skills are active,
//! and the log from which all of it is read again.
//!
//! This crate never runs a tool by itself (`nova-calls` does), never writes into the vault, and
//! knows nothing of a window: it emits events and asks through the approver it is given.

mod activation;
mod branches;
mod context;
mod detached;
mod export;
mod images;
mod journal;
mod markdown;
mod message;
mod prompt;
mod search;
mod sequence;
mod session;
mod store;
mod stream;
mod turn;
mod usage;

pub use branches::{After, Branches};
pub use export::{export, marked_private};
pub use images::NamedImage;
pub use markdown::{Block, blocks, html};
pub use search::{Found, Said, TextPart};
pub use session::{Session, UserMessage, WaitingApprovals, has_read_private};
pub use store::{Purged, SessionError, SessionInfo, Store};
pub use turn::{
    EventSink, Ids, ModelPlace, Placed, TurnEnd, TurnScope, not_agreed, provider_error, run_late_turn,
    run_turn,
};
pub use usage::{LastError, SkillUse, ToolUse, UseMeter, Used};
