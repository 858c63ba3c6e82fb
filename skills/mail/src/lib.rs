//! The user's mailboxes: lists, searches, single messages and threads, changes of messages, drafts, and mail sent.
//!
//! Protocol and parsing are in `nova-mail`; this crate chooses mailboxes and folders, signs in with credentials, and
//! reports what it found or did. It permanently deletes only drafts that were sent or replaced, and sends nothing
//! that its card did not show.
//!
//! # Invariants
//!
//! - Every answer that contains text of a message is untrusted: `tests/mail/reading.rs`.
//! - A mailbox that cannot be read is reported with its reason and hides no other: `tests/mail/reading.rs`.
//! - A server without a valid certificate receives no password: `tests/mail/reading.rs`.
//! - An access token goes only to its provider's servers; a refused one is renewed once: `tests/mail/signing_in.rs`.
//! - A read-only mailbox is never changed, and one with sending off sends nothing: `tests/mail/changing.rs`,
//!   `tests/mail/sending.rs`.
//! - HTML goes only to the window, and its pictures are loaded only from hosts that a card showed:
//!   `tests/mail/showing.rs`.
//! - A file of a mail becomes a file of the vault or an open folder only under a safe name, and a program never does:
//!   `tests/mail/saving.rs`.
//! - What is sent is what was shown, and only a draft that the card names is deleted: `tests/mail/sending.rs`.
//! - A refused password is not tried again until it changes or the user tests it: `tests/mail/reading.rs`.
//! - A test of a mailbox sends no mail, and no server that was found for an address is used before the user says so:
//!   `tests/mail/setting_up.rs`.
//! - No mail is sent twice or lost, whenever a connection or Nova ends: `tests/mail/sending_once.rs`.

use std::sync::Arc;

use nova_skill::{Skill, Tool, native};

mod accounts;
mod archive;
mod attached_event;
mod bodies;
mod changing;
mod connection;
mod delete;
mod draft;
mod folders;
mod headers;
mod known;
mod list;
mod mark;
mod move_messages;
mod noted;
mod old_draft;
mod opened;
mod outgoing;
mod proof;
mod providers;
mod read;
mod reply;
mod row;
mod save_attachment;
mod search;
mod send;
mod sent_once;
pub mod setting_up;
mod show;
mod show_attachment;
mod thread;

/// The skill `mail`.
pub fn skill() -> Box<dyn Skill> {
    Box::new(Mail)
}

/// Tools for the window only: their results are drawn for the user, and they are never offered to a model. They obey
/// the same rules as the skill's own.
pub fn for_window() -> Vec<Arc<dyn Tool>> {
    vec![native(show::Show), native(show_attachment::ShowAttachment)]
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
            native(move_messages::Move),
            native(mark::MarkAs),
            native(archive::Archive),
            native(delete::Delete),
            native(draft::MakeDraft),
            native(reply::Reply),
            native(send::Send),
            native(save_attachment::SaveAttachment),
        ]
    }
}
