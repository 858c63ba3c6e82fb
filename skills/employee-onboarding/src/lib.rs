//! The first weeks of a colleague: instructions, and a tool that sends an email by a command of the user's.
//!
//! It never sends by itself: what runs is what the configuration says, each call asks and shows the command, and
//! without a command the tool is unavailable.
//!
//! # Invariants
//!
//! - A call runs the configured command and no other, after the user was asked: `tests/journeys/deploying_a_release.rs`.

use std::sync::Arc;

use nova_skill::{Skill, Tool, native};

mod send_email;

/// The skill `employee-onboarding`.
pub fn skill() -> Box<dyn Skill> {
    Box::new(EmployeeOnboarding)
}

struct EmployeeOnboarding;

impl Skill for EmployeeOnboarding {
    fn skill_md(&self) -> &str {
        include_str!("../SKILL.md")
    }

    fn manifest(&self) -> &str {
        include_str!("../manifest.yaml")
    }

    fn resources(&self) -> Vec<(&'static str, &'static str)> {
        vec![
            ("assets/plan.md", include_str!("../assets/plan.md")),
            ("references/check-ins.md", include_str!("../references/check-ins.md")),
            ("references/checklist.md", include_str!("../references/checklist.md")),
            ("references/roles.md", include_str!("../references/roles.md")),
        ]
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![native(send_email::SendEmail)]
    }
}
