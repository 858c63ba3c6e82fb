//! A session and its turn loop: what the model is sent, what it answers, which skills are active,
//! and the log from which all of it is read again.
//!
//! This crate never runs a tool by itself (`nova-calls` does), never writes into the vault, and
//! knows nothing of a window: it emits events and asks through the approver it is given.

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
mod prompt;
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
pub use search::{Found, Said, TextPart};
pub use session::{Session, UserMessage, WaitingApprovals, has_read_private};
pub use store::{Purged, SessionInfo, Store};
pub use turn::{
    Ids, ModelPlace, Placed, TurnEnd, TurnScope, not_agreed, provider_error, run_late_turn, run_turn,
};
pub use usage::{LastError, SkillUse, ToolUse};
pub use used::{UseMeter, Used};
