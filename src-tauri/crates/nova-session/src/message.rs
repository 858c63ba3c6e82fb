use std::collections::{BTreeMap, VecDeque};

use nova_protocol::{Envelope, ImageView};
use nova_provider::ToolDefinition;
use nova_skill::VaultPath;
use nova_vault::note::ContentHash;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::activation::{NOTICE, Told};

/// Paths of notes with the hash of their bytes.
pub(crate) type Notes = BTreeMap<VaultPath, ContentHash>;

/// One entry of a session's log.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Entry {
    Event(Envelope),
    Message(LogMessage),
}

/// What the model is sent, as the log keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub(crate) enum LogMessage {
    /// The system prompt, frozen at the session's first request.
    System {
        text: String,
        /// The tools that every request of the session offers, frozen with it.
        #[serde(default)]
        tools: Vec<LogTool>,
        #[serde(default, skip_serializing_if = "Told::is_empty")]
        told: Told,
        /// The mark of this session's notices, which no note can know; of an older session the common one.
        #[serde(default = "common_mark")]
        notice_mark: String,
        /// The task that follows was written by a model that had read private notes.
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
        /// The notes it was made from or wrote, with what they held.
        #[serde(default, skip_serializing_if = "Notes::is_empty")]
        notes: Notes,
        /// Names under which there is no longer a note, because the call deleted or moved it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        gone: Vec<VaultPath>,
        /// Those of them that it says something of; None where the tool did not tell which.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        drawn_from: Option<Vec<VaultPath>>,
        /// One of them was private when it was read, whatever becomes of it: this output stays here.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        private: bool,
        #[serde(default, skip_serializing_if = "Told::is_empty")]
        told: Told,
        /// This is not the call's end: it runs on by itself.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        runs_on: Option<RunsOn>,
        /// There is more of it than the model was sent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cut: Option<Cut>,
        /// Sent behind the outputs of its step.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<ImageView>,
    },
    Notice {
        text: String,
        /// Notes that the model knows to have changed since it read them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        outdated: Vec<VaultPath>,
        #[serde(default, skip_serializing_if = "Told::is_empty")]
        told: Told,
        /// The call whose end this tells.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ended: Option<Box<Ended>>,
    },
    /// A call that ran on by itself has ended. The model hears of it by a notice.
    LateEnd(Box<LateEnd>),
    /// What came before is sent in another form from here on.
    Compaction(Box<Compaction>),
}

fn common_mark() -> String {
    NOTICE.to_owned()
}

/// A call that continues without the turn that made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunsOn {
    /// What the model calls it: "call 3".
    pub(crate) number: u32,
    /// Its id in the events.
    pub(crate) call: String,
    /// `skill.tool`
    pub(crate) tool: String,
}

/// How such a call ended, before the model knows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct LateEnd {
    pub(crate) of: RunsOn,
    /// The text for the model.
    pub(crate) content: String,
    #[serde(default, skip_serializing_if = "Notes::is_empty")]
    pub(crate) notes: Notes,
    /// As of an output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) drawn_from: Option<Vec<VaultPath>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cut: Option<Cut>,
    /// It tells of notes of which no model elsewhere may hear, beside those.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) only_here: bool,
    /// It holds text that nobody vouches for.
    pub(crate) from_outside: bool,
}

/// What a notice tells of the end of such a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Ended {
    pub(crate) number: u32,
    #[serde(default, skip_serializing_if = "Notes::is_empty")]
    pub(crate) notes: Notes,
    /// As of an output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) drawn_from: Option<Vec<VaultPath>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cut: Option<Cut>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) only_here: bool,
}

/// An output of which the model was sent the beginning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cut {
    /// The id of the call, whose end in the log has all of it.
    pub(crate) call: String,
    /// `skill.tool`
    pub(crate) tool: String,
    pub(crate) from_outside: bool,
}

/// A tool as the model was offered it.
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
    /// It changes nothing, also where it was cut off.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) reads: bool,
}

impl Ended {
    /// It tells that the call ended and nothing of what it found.
    pub(crate) fn saying_nothing(number: u32) -> Self {
        Self { number, notes: Notes::new(), drawn_from: None, cut: None, only_here: false }
    }
}

impl LogMessage {
    pub(crate) fn notice(text: impl Into<String>) -> Self {
        Self::telling(text, Told::default())
    }

    /// A notice that tells the model of skills.
    pub(crate) fn telling(text: impl Into<String>, told: Told) -> Self {
        Self::Notice { text: text.into(), outdated: Vec::new(), told, ended: None }
    }

    /// The whole output of a call.
    pub(crate) fn output(call_id: impl Into<String>, content: impl Into<String>, notes: Notes) -> Self {
        Self::ToolOutput {
            call_id: call_id.into(),
            content: content.into(),
            notes,
            gone: Vec::new(),
            drawn_from: None,
            private: false,
            told: Told::default(),
            runs_on: None,
            cut: None,
            images: Vec::new(),
        }
    }

    /// Whether it is known to hold what stays on this machine.
    pub(crate) fn is_private(&self) -> bool {
        match self {
            Self::System { private, .. } | Self::ToolOutput { private, .. } => *private,
            Self::Notice { ended: Some(ended), .. } => ended.only_here,
            _ => false,
        }
    }

    /// The notes that the model has seen by it.
    pub(crate) fn notes(&self) -> Option<&Notes> {
        match self {
            Self::ToolOutput { notes, .. } => Some(notes),
            Self::Notice { ended: Some(ended), .. } => Some(&ended.notes),
            _ => None,
        }
    }

    /// The notes that are not what the model knows of them from here on, and that it knows about: it
    /// was told, or did it.
    pub(crate) fn no_more(&self) -> &[VaultPath] {
        match self {
            Self::ToolOutput { gone, .. } => gone,
            Self::Notice { outdated, .. } => outdated,
            _ => &[],
        }
    }

    /// The notes that it says something of: where a tool scanned many and told of some, those.
    pub(crate) fn told_notes(&self) -> Vec<&VaultPath> {
        match self.drawn_from() {
            Some(drawn_from) => drawn_from.iter().collect(),
            None => self.notes().into_iter().flat_map(Notes::keys).collect(),
        }
    }

    /// The notes that it says something of, whether or not they were read for it; None where that may be any
    /// that was.
    pub(crate) fn drawn_from(&self) -> Option<&Vec<VaultPath>> {
        match self {
            Self::ToolOutput { drawn_from, .. } => drawn_from.as_ref(),
            Self::Notice { ended: Some(ended), .. } => ended.drawn_from.as_ref(),
            _ => None,
        }
    }

    /// The output of which this is the beginning.
    pub(crate) fn cut(&self) -> Option<&Cut> {
        match self {
            Self::ToolOutput { cut, .. } => cut.as_ref(),
            Self::Notice { ended: Some(ended), .. } => ended.cut.as_ref(),
            _ => None,
        }
    }

    /// What it tells of skills.
    pub(crate) fn told(&self) -> Option<&Told> {
        match self {
            Self::System { told, .. } | Self::ToolOutput { told, .. } | Self::Notice { told, .. } => {
                Some(told)
            }
            Self::User { .. } | Self::Assistant { .. } | Self::LateEnd(_) | Self::Compaction(_) => None,
        }
    }
}

/// From here on in the log, what came before is sent in another form. The log keeps all of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Compaction {
    /// How many of the messages that were sent before stay as they are.
    pub(crate) kept: usize,
    pub(crate) instead: Instead,
}

/// What is sent in the place of earlier messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Instead {
    /// This notice.
    Summary(String),
    /// The same without what tools answered.
    WithoutOutputs,
    /// Of each, this many bytes of its beginning.
    Beginnings(usize),
}

/// The messages with an output for every call. A call without one ran when Nova ended: the log
/// cannot be added to in the middle, so it is read with what is missing in its place.
pub(crate) fn with_all_outputs(messages: Vec<LogMessage>) -> Vec<LogMessage> {
    let mut whole = Vec::with_capacity(messages.len());
    let mut open: VecDeque<LogCall> = VecDeque::new();
    for message in messages {
        match &message {
            LogMessage::ToolOutput { call_id, .. } => {
                let Some(at) = open.iter().position(|call| call.id == *call_id) else {
                    // Its call could not be read; a provider refuses an output without one.
                    continue;
                };
                open.remove(at);
            }
            // It comes when it comes, and is not sent.
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

/// The output of a call that ran when Nova ended.
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
    fn every_call_of_every_answer_has_its_output_in_its_place() {
        let log = vec![
            user("1"),
            assistant(&["a", "b"]),
            output("a"),
            LogMessage::notice("Nova ended"),
            user("2"),
            // Providers count their calls from the start in each answer.
            assistant(&["a"]),
            output("a"),
            assistant(&["c"]),
        ];
        assert_eq!(outline(&with_all_outputs(log)), "u a a b? n u a a a c?");
        assert_eq!(outline(&with_all_outputs(vec![user("1"), assistant(&[])])), "u a");
    }

    #[test]
    fn a_read_that_was_cut_off_has_no_unknown_outcome() {
        let log = vec![assistant(&["r1", "w", "r2"]), output("w"), user("2")];
        assert_eq!(outline(&with_all_outputs(log)), "a w r1- r2- u");
    }

    #[test]
    fn an_output_without_its_call_is_left_out() {
        let log = vec![user("1"), output("a"), assistant(&["b"]), output("b"), output("b"), user("2")];
        assert_eq!(outline(&with_all_outputs(log)), "u a b u");
    }

    #[test]
    fn an_end_that_comes_late_may_stand_anywhere() {
        let late = LogMessage::LateEnd(Box::new(LateEnd {
            of: RunsOn { number: 1, call: "c".into(), tool: "x.y".into() },
            content: String::new(),
            notes: Notes::new(),
            drawn_from: None,
            cut: None,
            only_here: false,
            from_outside: false,
        }));
        let log =
            vec![assistant(&["a", "b"]), output("a"), late.clone(), output("b"), assistant(&["c"]), late];
        assert_eq!(outline(&with_all_outputs(log)), "a a l b a l c?");
    }
}
