//! The skill over small vaults, its tools called as the program calls them.
#![allow(clippy::unwrap_used)]

mod caldav;
mod changing;
mod exported;
mod fetching;
mod instances;
mod inviting;
mod listing;
mod planning;
mod radicale;
mod recurring;
mod signing_in;
mod writing;
mod xandikos;

use nova_testkit::SkillInVault;

/// It is 21 November 2026, nine in the morning, in the tests' zone.
fn calendar(vault: &str) -> SkillInVault {
    SkillInVault::new(nova_skill_calendar::skill(), vault)
}
