//! The items of an answer.

use serde_json::Value;

/// One item of the answer.
pub(super) struct Item {
    /// Its number on the wire, which may differ from its position and be shared by others.
    pub(super) index: Option<u64>,
    pub(super) id: String,
    pub(super) part: Part,
    /// The complete item as sent by the server.
    pub(super) whole: Option<Value>,
}

pub(super) enum Part {
    Message {
        text: String,
        is_refusal: bool,
    },
    Reasoning,
    /// `place` counts calls only.
    Call {
        id: String,
        name: String,
        arguments: String,
        place: usize,
    },
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Message,
    Reasoning,
    Call,
    Other,
}

impl Item {
    pub(super) fn kind(&self) -> Kind {
        kind_of(&self.part)
    }
}

pub(super) fn kind_of(part: &Part) -> Kind {
    match part {
        Part::Message { .. } => Kind::Message,
        Part::Reasoning => Kind::Reasoning,
        Part::Call { .. } => Kind::Call,
        Part::Other => Kind::Other,
    }
}
