//! The mailboxes of the user, read by tools: lists, searches, single messages and threads.
//!
//! The protocol and the parsing are those of `nova-mail`; this crate chooses mailboxes and folders, signs in with
//! credentials, and says what it found. It changes nothing in a mailbox and sends nothing.
//!
//! # Invariants
//!
//! - Every answer that holds text of a message is untrusted: `tests/mail/reading.rs`.
//! - A mailbox that cannot be read is reported with its reason and hides no other: `tests/mail/reading.rs`.
//! - A server without a certificate that fits is given no password: `tests/mail/reading.rs`.

use std::sync::Arc;

use nova_skill::{Skill, Tool, native};

mod accounts;
mod folders;
mod list;
mod opened;
mod read;
mod row;
mod search;
mod thread;

/// The skill `mail`.
pub fn skill() -> Box<dyn Skill> {
    Box::new(Mail)
}

struct Mail;

impl Skill for Mail {
    fn skill_md(&self) -> &str {
        include_str!("../SKILL.md")
    }

    fn manifest(&self) -> &str {
        include_str!("../manifest.yaml")
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![
            native(list::List),
            native(search::Search),
            native(read::Read),
            native(thread::Thread),
            native(folders::Folders),
        ]
    }
}
