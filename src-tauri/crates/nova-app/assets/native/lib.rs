//! What the skill is for, in a sentence.
//!
//! It reads and writes notes through the vault it is given; it never opens a file, a connection or a process
//! itself, and keeps no state between calls.

use std::sync::Arc;

use nova_skill::{Skill, Tool, native};

mod echo;

/// The skill `NAME`.
pub fn skill() -> Box<dyn Skill> {
    Box::new(Own)
}

struct Own;

impl Skill for Own {
    fn skill_md(&self) -> &str {
        include_str!("../SKILL.md")
    }

    fn manifest(&self) -> &str {
        include_str!("../manifest.yaml")
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![native(echo::Echo)]
    }
}
