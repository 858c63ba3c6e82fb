//! Contacts, companies and deals, kept as notes with `type: contact`, `company` and `deal`.
//!
//! The skill accesses only the vault it is given: it makes no network requests, caches no records, never adds
//! amounts of different currencies and never guesses missing values.
//!
//! # Invariants
//!
//! - Changing the currency of a deal in its form changes no figure of another note: `tests/crm/saving.rs`.

use std::sync::Arc;

use nova_skill::{RecordRules, Skill, Tool, native};

mod add_contact;
mod add_deal;
mod birthdays;
mod dates;
mod deals;
mod details;
mod find;
mod follow_ups;
mod get_contact;
mod list_companies;
mod list_contacts;
mod list_deals;
mod log;
mod log_interaction;
mod money;
mod move_deal;
mod pipeline;
mod records;
mod saving;
mod stages;
mod update_contact;
mod update_deal;

/// The skill `crm`.
pub fn skill() -> Box<dyn Skill> {
    Box::new(Crm)
}

struct Crm;

impl Skill for Crm {
    fn skill_md(&self) -> &str {
        include_str!("../SKILL.md")
    }

    fn manifest(&self) -> &str {
        include_str!("../manifest.yaml")
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![
            native(list_contacts::ListContacts),
            native(get_contact::GetContact),
            native(add_contact::AddContact),
            native(update_contact::UpdateContact),
            native(log_interaction::LogInteraction),
            native(list_deals::ListDeals),
            native(add_deal::AddDeal),
            native(move_deal::MoveDeal),
            native(update_deal::UpdateDeal),
            native(pipeline::Pipeline),
            native(follow_ups::FollowUps),
            native(list_companies::ListCompanies),
            native(birthdays::Birthdays),
        ]
    }

    fn record_rules(&self) -> Option<Arc<dyn RecordRules>> {
        Some(Arc::new(saving::Rules))
    }
}
