use nova_skill::VaultPath;
use serde_json::Value;

use crate::activation::SkillKnowledge;
use crate::message::Notes;

/// The answer of a control tool.
pub(super) struct Said {
    pub(super) text: String,
    pub(super) notes: Notes,
    /// The notes it is drawn from; `None` if it may be any.
    pub(super) drawn_from: Option<Vec<VaultPath>>,
    /// It reveals facts hidden from remote models about other notes.
    pub(super) local_only: bool,
    pub(super) told: SkillKnowledge,
}

impl From<(String, SkillKnowledge)> for Said {
    fn from((text, told): (String, SkillKnowledge)) -> Self {
        Self { text, notes: Notes::new(), drawn_from: None, local_only: false, told }
    }
}

impl From<Value> for Said {
    fn from(value: Value) -> Self {
        (value.to_string(), SkillKnowledge::default()).into()
    }
}
