//! The people the user knows, as notes with `type: contact`.
//!
//! It reads and writes contacts through the vault it is given and nothing else: it never leaves
//! the machine, never keeps a copy of a contact, and never guesses what a note does not say.

use std::sync::Arc;

use nova_skill::{Skill, Tool, native};

mod add_contact;
mod contacts;
mod details;
mod find;
mod get_contact;
mod list_contacts;
mod update_contact;

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
        ]
    }
}
