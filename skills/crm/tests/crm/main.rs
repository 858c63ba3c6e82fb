//! Runs the tools of the skill on small vaults, through the same path as the app.
#![allow(clippy::unwrap_used)]

mod adding;
mod birthdays;
mod companies;
mod deals;
mod files;
mod finding;
mod following_up;
mod getting;
mod listing;
mod logging;
mod pipeline;
mod records;
mod saving;
mod stages;
mod updating;

use nova_testkit::SkillInVault;

fn crm(vault: &str) -> SkillInVault {
    SkillInVault::new(nova_skill_crm::skill(), vault)
}

/// A vault with a few contacts and a company.
const PEOPLE: &str = r#"
//- CRM/People/Jane Doe.md
---
type: contact
name: Jane Doe
company: "[[Quillon Labs]]"
email: Jane.Doe@quillon.example
phone: "+44 20 7946 0018"
stage: lead
tags:
  - saas
  - food/dairy
birthday: 1990-02-03
last_contact: 2026-11-12
next_contact: 2026-11-24
---

Signs for tools. [[Theo Marsh]] introduced us.

## Log

- 2026-11-12 Call: two years.
//- Friends/Theo.md
---
type: contact
name: Theo Marsh
aliases: [Teddy, "The Marsh"]
company: Quillon Labs
stage: customer # since June
---
Met in Lisbon.
//- CRM/People/Jane Roe.md
---
type: contact
company: "[[Fernhill Dairy|Fernhill]]"
tags: dairy
stage: Lead
---
//- CRM/Companies/Quillon Labs.md
---
type: company
name: Quillon Labs
---
//- Templates/Contact.md
---
type: contact
name: "{{title}}"
stage: lead
---
"#;
