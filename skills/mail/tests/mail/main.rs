//! The tools of the skill, against a real mail server.

#![allow(clippy::unwrap_used)]

mod attached_events;
mod changing;
mod reading;
mod saving;
mod sending;
mod sending_once;
mod setting_up;
mod showing;
mod signing_in;

#[test]
fn the_skill_is_as_it_should_be() {
    nova_testkit::assert_sound(nova_skill_mail::skill(), "mail");
}
