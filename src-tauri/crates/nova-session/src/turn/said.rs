use nova_skill::VaultPath;
use serde_json::Value;

use crate::activation::Told;
use crate::message::Notes;

/// What a control tool answers.
pub(super) struct Said {
    pub(super) text: String,
    pub(super) notes: Notes,
    /// Those of them that it says something of; None where that may be any.
    pub(super) drawn_from: Option<Vec<VaultPath>>,
    /// It tells of notes of which no model elsewhere may hear, beside those.
    pub(super) only_here: bool,
    pub(super) told: Told,
}

impl From<(String, Told)> for Said {
    fn from((text, told): (String, Told)) -> Self {
        Self { text, notes: Notes::new(), drawn_from: None, only_here: false, told }
    }
}

impl From<Value> for Said {
    fn from(value: Value) -> Self {
        (value.to_string(), Told::default()).into()
    }
}
