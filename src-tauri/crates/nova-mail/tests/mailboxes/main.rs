//! Mailboxes read from a real server and from one that misbehaves, and messages as strangers make them.

mod dovecot;
mod hostile;
mod previewing;
mod reading;
mod server;
mod trust;
