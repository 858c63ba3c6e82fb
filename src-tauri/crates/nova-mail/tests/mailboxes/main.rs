//! Mailboxes read from a real server and from one that misbehaves, and messages as strangers make them.

mod dovecot;
mod hostile;
mod pymap;
mod reading;
mod server;
mod torture;
mod trust;
