//! The skill over small vaults; tools are called like the program calls them.
#![allow(clippy::unwrap_used)]

mod approving;
mod attaching;
mod creating;
mod daily;
mod deleting;
mod editing;
mod files;
mod finding;
mod moving;
mod naming;
mod privacy;
mod reading;
mod refusing;
mod ruling;
mod suggesting;
mod tasks;

use nova_testkit::SkillInVault;

fn vault(notes: &str) -> SkillInVault {
    SkillInVault::new(nova_skill_vault::skill(), notes)
}

/// A typical vault.
const NOTES: &str = r#"
//- Trips/Lisbon.md
---
type: trip
status: planned # since May
start: 2026-12-03
budget: 1200
tags:
  - travel
  - work
aliases: [The offsite]
---
# Lisbon

- [ ] Book the train
- [ ] Ask [[Jane Doe]]

## Log

- 2026-11-12 Dates fixed.

## Packing

Shoes.
//- People/Jane Doe.md
---
type: contact
---
Lives in Porto.
//- Trips/Plan.md
A plan for trips.
//- Work/Plan.md
A plan for work.
//- Work/Café.md
Coffee.
"#;

const LISBON: &str = "Trips/Lisbon.md";
