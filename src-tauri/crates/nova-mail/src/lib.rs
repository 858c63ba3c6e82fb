//! Mailboxes on the wire: folders, lists, searches and single messages of an IMAP server, a message as plain values
//! that a person or a model can read, and messages handed to an SMTP server.
//!
//! This crate never opens a connection (it is handed an encrypted one), keeps nothing on a disk, and knows no model and no
//! vault. Reading changes nothing: folders are opened read-only and no message is marked as read. Only `move_to`, `mark`,
//! `append` and `remove_draft` change a mailbox, and only [`Outbox::deliver`] sends; none of them asks, which is up to the
//! caller. Everything in a message was written by strangers: whoever shows it says so.
//!
//! # Invariants
//!
//! - No message, however malformed, crashes the program or takes unbounded time or memory:
//!   `tests/mailboxes/hostile.rs`.
//! - The text of a message has no control or invisible character, and nothing that its reader could not see:
//!   `tests/mailboxes/hostile.rs`.
//! - The HTML of a message is drawn without anything that runs, loads, leaves its place or hides where a link leads:
//!   `tests/mailboxes/hostile_pages.rs`.
//! - Of a large message only headers, texts and the part that is asked for are fetched: `tests/mailboxes/large.rs`.
//! - Only the receiving server's result for the sender's domain verifies a sender: `tests/mailboxes/trust.rs`.
//! - A server that hangs, closes or lies fails with a typed error: `tests/mailboxes/server.rs`.
//! - A connection that begins in plain text is encrypted before a user is named, or fails:
//!   `tests/mailboxes/starttls.rs`.
//! - An access token is sent once per connection, and a refused one is a typed error: `tests/mailboxes/tokens.rs`.
//! - Listing, previewing and reading leave a mailbox unchanged: `tests/mailboxes/dovecot.rs`.
//! - A list from cached headers equals one without, and fetches only what changed: `tests/mailboxes/caching.rs`.
//! - A watched folder reports a change of another program, and changes nothing itself: `tests/mailboxes/watching.rs`.
//! - A change reaches the messages that it names and no other, and only drafts are deleted: `tests/mailboxes/changing.rs`.
//! - Only encrypted servers are proposed for an address, each by a name of DNS, whatever a file says:
//!   `tests/mailboxes/autoconfig.rs`.
//! - Nothing is sent unless the server accepts all recipients; a missing answer is reported as unknown:
//!   `tests/mailboxes/sending.rs`.

mod address;
mod autoconfig;
mod bounded;
mod compose;
mod error;
mod header_cache;
mod imap;
mod listed;
mod mailbox;
mod message;
mod sign_in;
mod smtp;
mod starttls;

pub use address::AddressError;
pub use autoconfig::{
    AutoconfigError, MailRecords, NoServer, OwnAddress, ProposedServer, ProposedServers, Publisher, XmlError,
    read_autoconfig, read_records,
};
pub use compose::{Attachment, Draft, DraftError, MOST_ATTACHED, MOST_RECIPIENTS};
pub use error::{MailError, SignInFault};
pub use header_cache::HeaderCache;
pub use imap::{Imap, Stream, Watched, imap_begins_with_starttls, imap_start_tls};
pub use listed::{Listed, MessageId};
pub use mailbox::{
    Appended, Changed, Counts, Folder, FoundMessages, Mailbox, Mark, Role, SearchQuery, Wanted,
};
pub use message::{
    Check, Checked, Envelope, FetchedMessage, Finding, HtmlPage, Link, Message, MessageError, Part, PartKind,
    Person, Picture, PictureError, Preview, RemotePicture, SenderCheck, is_program, media_type_of,
    visible_line,
};
pub use sign_in::{Proof, SignIn};
pub use smtp::{Outbox, SendError, Smtp, smtp_begins_with_starttls, smtp_start_tls};
pub use starttls::StartTlsError;
