//! The window's commands by topic; each is the method of [`App`] with its name.

mod permissions;
mod providers;
mod server_offers;
mod servers;
mod sessions;
mod skills;
mod tools;
mod vault;
mod window;

use crate::app::App;

nova_protocol::answered_by!(App);
