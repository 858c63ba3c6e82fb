//! Releases from plan to review: instructions, and two tools that run a command of the user's, one that deploys and
//! one that sends.
//!
//! It never deploys or sends by itself: what runs is what the configuration says, each call asks and shows the
//! command, and without a command the tool is unavailable.
//!
//! # Invariants
//!
//! - A call runs the configured command and no other, after the user was asked: `tests/journeys/deploying_a_release.rs`.

use std::sync::Arc;

use nova_skill::{Skill, Tool, native};

mod deploy_release;
mod send_release_notes;

/// The skill `release-management`.
pub fn skill() -> Box<dyn Skill> {
    Box::new(ReleaseManagement)
}

struct ReleaseManagement;

impl Skill for ReleaseManagement {
    fn skill_md(&self) -> &str {
        include_str!("../SKILL.md")
    }

    fn manifest(&self) -> &str {
        include_str!("../manifest.yaml")
    }

    fn resources(&self) -> Vec<(&'static str, &'static str)> {
        vec![
            ("assets/announcement.md", include_str!("../assets/announcement.md")),
            ("assets/release.md", include_str!("../assets/release.md")),
            ("references/checklist.md", include_str!("../references/checklist.md")),
            ("references/release-notes.md", include_str!("../references/release-notes.md")),
        ]
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![native(deploy_release::DeployRelease), native(send_release_notes::SendReleaseNotes)]
    }
}
