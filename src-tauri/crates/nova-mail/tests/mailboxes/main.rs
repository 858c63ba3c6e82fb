//! Mailboxes read and changed on a real server and on one that misbehaves, messages sent, and hostile messages.

mod autoconfig;
mod caching;
mod changing;
mod dovecot;
mod hostile;
mod hostile_pages;
mod large;
mod previewing;
mod pymap;
mod reading;
mod records;
mod sending;
mod server;
mod starttls;
mod tokens;
mod torture;
mod trust;
mod watching;
