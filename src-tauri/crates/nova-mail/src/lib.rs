//! Mailboxes on the wire: folders, lists, searches and single messages of an IMAP server, and a message as plain
//! values that a person or a model can read.
//!
//! This crate never opens a connection (it is handed an encrypted one), never changes a mailbox (every folder is opened
//! read-only and no message is marked as read), never sends, keeps nothing on a disk, and knows no model and no vault.
//! Everything in a message was written by strangers: whoever shows it says so.
//!
//! # Invariants
//!
//! - No message, however it is made, ends the program or takes more than bounded time and memory:
//!   `tests/mailboxes/hostile.rs`.
//! - The text of a message has no control or invisible character, and nothing that its reader could not see:
//!   `tests/mailboxes/hostile.rs`.
//! - Only the receiving server's result counts as the result of a sender check: `tests/mailboxes/trust.rs`.
//! - A server that hangs, closes or lies fails with a typed error: `tests/mailboxes/server.rs`.
//! - Listing, previewing and reading leave a mailbox as it was: `tests/mailboxes/dovecot.rs`.

mod error;
mod imap;
mod mailbox;
mod message;

pub use error::MailError;
pub use imap::{Imap, SignIn, Stream};
pub use mailbox::{Counts, Folder, FoundMessages, Listed, Mailbox, MessageId, Role, SearchQuery, Wanted};
pub use message::{
    Check, Envelope, Finding, Link, Message, MessageError, Part, PartKind, Person, Preview, SenderCheck,
    visible_line,
};
