use std::collections::{BTreeMap, VecDeque};

use nova_protocol::{Envelope, ImageView};
use nova_provider::ToolDefinition;
use nova_skill::VaultPath;
use nova_vault::note::ContentHash;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::activation::{NOTICE, SkillKnowledge};

/// Paths of notes with the hash of their content.
pub(crate) type Notes = BTreeMap<VaultPath, ContentHash>;

/// One entry of a session's log.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Entry {
    Event(Envelope),
    Message(LogMessage),
}

/// A message to the model, as stored in the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub(crate) enum LogMessage {
    /// The system prompt, frozen at the session's first request.
    System {
        text: String,
        /// The tools that every request of the session offers, frozen with it.
        #[serde(default)]
        tools: Vec<LogTool>,
        #[serde(default, skip_serializing_if = "SkillKnowledge::is_empty")]
        told: SkillKnowledge,
        /// The marker of this session's notices, which no note can predict; the common one in older sessions.
        #[serde(default = "common_mark")]
        notice_mark: String,
        /// The following task was written by a model that had read private notes.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        private: bool,
    },
    User {
        text: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<ImageView>,
    },
    Assistant {
        text: String,
        calls: Vec<LogCall>,
        provider_data: Option<Value>,
    },
    ToolOutput {
        call_id: String,
        content: String,
        /// The notes it was derived from or wrote, with the hash of their content.
        #[serde(default, skip_serializing_if = "Notes::is_empty")]
        notes: Notes,
        /// Paths that are no longer notes, because the call deleted or moved them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        gone: Vec<VaultPath>,
        /// The notes that the output is drawn from; `None` if the tool did not name them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        drawn_from: Option<Vec<VaultPath>>,
        /// One of the notes was private when it was read: this output must stay on this machine.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        private: bool,
        #[serde(default, skip_serializing_if = "SkillKnowledge::is_empty")]
        told: SkillKnowledge,
        /// Not the call's end: it was detached.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        runs_on: Option<DetachedRef>,
        /// The model was sent only the beginning.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cut: Option<Truncation>,
        /// Sent after the outputs of its step.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<ImageView>,
    },
    Notice {
        text: String,
        /// Notes that the model knows to have changed since it read them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        outdated: Vec<VaultPath>,
        #[serde(default, skip_serializing_if = "SkillKnowledge::is_empty")]
        told: SkillKnowledge,
        /// The call whose end this reports.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ended: Option<Box<Ended>>,
    },
    /// The end of a detached call, which a notice reports to the model.
    LateEnd(Box<LateEnd>),
    /// Earlier messages are sent in another form from here on.
    Compaction(Box<Compaction>),
}

fn common_mark() -> String {
    NOTICE.to_owned()
}

/// A detached call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DetachedRef {
    /// Its number, by which the model refers to it: "call 3".
    pub(crate) number: u32,
    /// Its id in the events.
    pub(crate) call: String,
    /// `skill.tool`
    pub(crate) tool: String,
}

/// The end of a detached call, before it is reported to the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct LateEnd {
    pub(crate) of: DetachedRef,
    /// The text for the model.
    pub(crate) content: String,
    #[serde(default, skip_serializing_if = "Notes::is_empty")]
    pub(crate) notes: Notes,
    /// As in an output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) drawn_from: Option<Vec<VaultPath>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cut: Option<Truncation>,
    /// It reveals facts hidden from remote models about other notes.
    #[serde(rename = "only_here", default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) local_only: bool,
    /// It contains untrusted text.
    pub(crate) from_outside: bool,
}

/// The content of a notice about the end of a detached call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Ended {
    pub(crate) number: u32,
    #[serde(default, skip_serializing_if = "Notes::is_empty")]
    pub(crate) notes: Notes,
    /// As in an output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) drawn_from: Option<Vec<VaultPath>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cut: Option<Truncation>,
    #[serde(rename = "only_here", default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) local_only: bool,
}

/// A truncated output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Truncation {
    /// The id of the call, whose end in the log contains the complete output.
    pub(crate) call: String,
    /// `skill.tool`
    pub(crate) tool: String,
    pub(crate) from_outside: bool,
}

/// A tool as it was offered to the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct LogTool {
    name: String,
    description: String,
    input_schema: Value,
}

impl From<ToolDefinition> for LogTool {
    fn from(tool: ToolDefinition) -> Self {
        let ToolDefinition { name, description, input_schema } = tool;
        Self { name, description, input_schema }
    }
}

impl From<LogTool> for ToolDefinition {
    fn from(tool: LogTool) -> Self {
        let LogTool { name, description, input_schema } = tool;
        Self { name, description, input_schema }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct LogCall {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: String,
    /// It changes nothing, even if interrupted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) reads: bool,
}

impl Ended {
    /// Reports only that the call ended, without its result.
    pub(crate) fn saying_nothing(number: u32) -> Self {
        Self { number, notes: Notes::new(), drawn_from: None, cut: None, local_only: false }
    }
}

impl LogMessage {
    pub(crate) fn notice(text: impl Into<String>) -> Self {
        Self::skill_notice(text, SkillKnowledge::default())
    }

    /// A notice about skills.
    pub(crate) fn skill_notice(text: impl Into<String>, told: SkillKnowledge) -> Self {
        Self::Notice { text: text.into(), outdated: Vec::new(), told, ended: None }
    }

    /// The complete output of a call.
    pub(crate) fn output(call_id: impl Into<String>, content: impl Into<String>, notes: Notes) -> Self {
        Self::ToolOutput {
            call_id: call_id.into(),
            content: content.into(),
            notes,
            gone: Vec::new(),
            drawn_from: None,
            private: false,
            told: SkillKnowledge::default(),
            runs_on: None,
            cut: None,
            images: Vec::new(),
        }
    }

    /// Whether it is known to contain content that must stay on this machine.
    pub(crate) fn is_private(&self) -> bool {
        match self {
            Self::System { private, .. } | Self::ToolOutput { private, .. } => *private,
            Self::Notice { ended: Some(ended), .. } => ended.local_only,
            _ => false,
        }
    }

    /// The notes that the model has seen through it.
    pub(crate) fn notes(&self) -> Option<&Notes> {
        match self {
            Self::ToolOutput { notes, .. } => Some(notes),
            Self::Notice { ended: Some(ended), .. } => Some(&ended.notes),
            _ => None,
        }
    }

    /// Notes about which the model's knowledge is outdated from here on, because it was told or changed them
    /// itself.
    pub(crate) fn outdated_notes(&self) -> &[VaultPath] {
        match self {
            Self::ToolOutput { gone, .. } => gone,
            Self::Notice { outdated, .. } => outdated,
            _ => &[],
        }
    }

    /// The notes it is drawn from: of many scanned ones, those that the tool reported.
    pub(crate) fn source_notes(&self) -> Vec<&VaultPath> {
        match self.drawn_from() {
            Some(drawn_from) => drawn_from.iter().collect(),
            None => self.notes().into_iter().flat_map(Notes::keys).collect(),
        }
    }

    /// The notes it is drawn from, whether or not they were read for it; `None` if it may be any that was
    /// read.
    pub(crate) fn drawn_from(&self) -> Option<&Vec<VaultPath>> {
        match self {
            Self::ToolOutput { drawn_from, .. } => drawn_from.as_ref(),
            Self::Notice { ended: Some(ended), .. } => ended.drawn_from.as_ref(),
            _ => None,
        }
    }

    /// The complete output, if this is its beginning.
    pub(crate) fn cut(&self) -> Option<&Truncation> {
        match self {
            Self::ToolOutput { cut, .. } => cut.as_ref(),
            Self::Notice { ended: Some(ended), .. } => ended.cut.as_ref(),
            _ => None,
        }
    }

    /// What it tells about skills.
    pub(crate) fn skill_knowledge(&self) -> Option<&SkillKnowledge> {
        match self {
            Self::System { told, .. } | Self::ToolOutput { told, .. } | Self::Notice { told, .. } => {
                Some(told)
            }
            Self::User { .. } | Self::Assistant { .. } | Self::LateEnd(_) | Self::Compaction(_) => None,
        }
    }
}

/// From this log entry on, earlier messages are sent in another form. The log keeps them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Compaction {
    /// How many of the messages sent before stay unchanged.
    pub(crate) kept: usize,
    pub(crate) instead: Replacement,
}

/// What replaces earlier messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Replacement {
    /// This notice.
    Summary(String),
    /// The same messages without the outputs of tools.
    WithoutOutputs,
    /// The messages, each truncated to this many bytes.
    Beginnings(usize),
}

/// Adds an output for every call without one, which was running when Nova exited: the log is append-only, so
/// the output is inserted when it is read.
pub(crate) fn with_all_outputs(messages: Vec<LogMessage>) -> Vec<LogMessage> {
    let mut whole = Vec::with_capacity(messages.len());
    let mut open: VecDeque<LogCall> = VecDeque::new();
    for message in messages {
        match &message {
            LogMessage::ToolOutput { call_id, .. } => {
                let Some(at) = open.iter().position(|call| call.id == *call_id) else {
                    // Its call was unreadable; providers refuse an output without a call.
                    continue;
                };
                open.remove(at);
            }
            // It may be anywhere in the log, and is not sent.
            LogMessage::LateEnd(_) => {}
            _ => whole.extend(open.drain(..).map(cut_off)),
        }
        if let LogMessage::Assistant { calls, .. } = &message {
            open.extend(calls.iter().cloned());
        }
        whole.push(message);
    }
    whole.extend(open.into_iter().map(cut_off));
    whole
}

/// The output of a call that was running when Nova exited.
fn cut_off(call: LogCall) -> LogMessage {
    let (message, hint) = match call.reads {
        true => (
            "Nova ended while this call ran. It only reads, so nothing was changed.",
            "Call it again if you still need it.",
        ),
        false => {
            ("Nova ended while this call ran. Its outcome is unknown.", "Check its effect before you retry.")
        }
    };
    let content = json!({"error": {"code": "cancelled", "message": message, "hint": hint}});
    LogMessage::output(call.id, content.to_string(), Notes::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(text: &str) -> LogMessage {
        LogMessage::User { text: text.into(), images: Vec::new() }
    }

    fn assistant(calls: &[&str]) -> LogMessage {
        let call = |id: &&str| LogCall {
            id: (*id).into(),
            name: "crm__x".into(),
            arguments: "{}".into(),
            reads: id.starts_with('r'),
        };
        LogMessage::Assistant {
            text: String::new(),
            calls: calls.iter().map(call).collect(),
            provider_data: None,
        }
    }

    fn output(id: &str) -> LogMessage {
        LogMessage::output(id, "1", Notes::new())
    }

    /// Each message as a letter, outputs with their call.
    fn outline(messages: &[LogMessage]) -> String {
        let words = messages.iter().map(|message| match message {
            LogMessage::System { .. } => "s".to_owned(),
            LogMessage::User { .. } => "u".to_owned(),
            LogMessage::Assistant { .. } => "a".to_owned(),
            LogMessage::Notice { .. } => "n".to_owned(),
            LogMessage::LateEnd(_) => "l".to_owned(),
            LogMessage::Compaction(_) => "c".to_owned(),
            LogMessage::ToolOutput { call_id, content, .. } if content == "1" => call_id.clone(),
            LogMessage::ToolOutput { call_id, content, .. } if content.contains("nothing was changed") => {
                format!("{call_id}-")
            }
            LogMessage::ToolOutput { call_id, .. } => format!("{call_id}?"),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn missing_outputs_are_inserted_after_their_calls() {
        let log = vec![
            user("1"),
            assistant(&["a", "b"]),
            output("a"),
            LogMessage::notice("Nova ended"),
            user("2"),
            // Providers number calls from the start in each answer.
            assistant(&["a"]),
            output("a"),
            assistant(&["c"]),
        ];
        assert_eq!(outline(&with_all_outputs(log)), "u a a b? n u a a a c?");
        assert_eq!(outline(&with_all_outputs(vec![user("1"), assistant(&[])])), "u a");
    }

    #[test]
    fn interrupted_read_has_no_unknown_outcome() {
        let log = vec![assistant(&["r1", "w", "r2"]), output("w"), user("2")];
        assert_eq!(outline(&with_all_outputs(log)), "a w r1- r2- u");
    }

    #[test]
    fn output_without_its_call_is_dropped() {
        let log = vec![user("1"), output("a"), assistant(&["b"]), output("b"), output("b"), user("2")];
        assert_eq!(outline(&with_all_outputs(log)), "u a b u");
    }

    #[test]
    fn late_end_may_be_anywhere() {
        let late = LogMessage::LateEnd(Box::new(LateEnd {
            of: DetachedRef { number: 1, call: "c".into(), tool: "x.y".into() },
            content: String::new(),
            notes: Notes::new(),
            drawn_from: None,
            cut: None,
            local_only: false,
            from_outside: false,
        }));
        let log =
            vec![assistant(&["a", "b"]), output("a"), late.clone(), output("b"), assistant(&["c"]), late];
        assert_eq!(outline(&with_all_outputs(log)), "a a l b a l c?");
    }
}
