use nova_skill::VaultPath;
use serde_json::Value;

use crate::activation::SkillKnowledge;
use crate::message::Notes;

/// The answer of a control tool.
pub(super) struct ControlAnswer {
    pub(super) text: String,
    pub(super) notes: Notes,
    /// The notes it is drawn from; `None` if it may be any.
    pub(super) drawn_from: Option<Vec<VaultPath>>,
    /// It reveals facts hidden from remote models about other notes.
    pub(super) local_only: bool,
    pub(super) knowledge: SkillKnowledge,
}

impl From<(String, SkillKnowledge)> for ControlAnswer {
    fn from((text, knowledge): (String, SkillKnowledge)) -> Self {
        Self { text, notes: Notes::new(), drawn_from: None, local_only: false, knowledge }
    }
}

impl From<Value> for ControlAnswer {
    fn from(value: Value) -> Self {
        (value.to_string(), SkillKnowledge::default()).into()
    }
}
