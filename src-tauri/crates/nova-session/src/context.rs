//! The part of a conversation that is sent, and its size.

use std::borrow::Cow;

use nova_protocol::{ContextParts, ContextView, ImageView};
use nova_provider::{ToolDefinition, image_tokens};

use crate::activation::part;
use crate::message::{Compaction, LogMessage, Replacement};

/// How many bytes of an output remain when it is removed to make room.
const REMAINS: usize = 200;

/// The messages to send, the system prompt first.
pub(crate) fn sent(messages: &[LogMessage]) -> Vec<Cow<'_, LogMessage>> {
    let mut sent: Vec<Cow<'_, LogMessage>> = Vec::with_capacity(messages.len());
    for message in messages {
        match message {
            LogMessage::LateEnd(_) => {}
            LogMessage::Compaction(compaction) => compaction.apply(&mut sent),
            message => sent.push(Cow::Borrowed(message)),
        }
    }
    sent
}

impl Compaction {
    fn apply(&self, sent: &mut Vec<Cow<'_, LogMessage>>) {
        let first = sent.iter().take_while(|message| matches!(***message, LogMessage::System { .. })).count();
        let cut = sent.len().saturating_sub(self.kept).max(first);
        match &self.instead {
            Replacement::Summary(text) => {
                sent.splice(first..cut, [Cow::Owned(LogMessage::notice(text.as_str()))]);
            }
            Replacement::WithoutOutputs => sent[..cut].iter_mut().for_each(shorten),
            Replacement::Beginnings(most) => sent[..cut].iter_mut().for_each(|message| {
                shorten(message);
                begin(message, *most);
            }),
        }
    }
}

/// Removes the output of a tool.
pub(crate) fn shorten(message: &mut Cow<'_, LogMessage>) {
    if !can_be_shortened(message) {
        return;
    }
    if let LogMessage::ToolOutput { content, images, .. } = message.to_mut() {
        images.clear();
        let end = (0..=REMAINS).rev().find(|at| content.is_char_boundary(*at)).unwrap_or_default();
        let rest = content.len() - end;
        // Untrusted text must stay within its markers.
        let mark = content.rsplit('\n').next().filter(|last| last.starts_with("</")).map(str::to_owned);
        content.truncate(end);
        if let Some(mark) = mark {
            content.push('\n');
            content.push_str(&mark);
        }
        content.push_str(&format!(
            "\n[{rest} bytes were taken out to make room. What the call did is done: only a tool that reads may be \
             asked again.]"
        ));
    }
}

/// Truncates the text of a message to this many bytes.
pub(crate) fn begin(message: &mut Cow<'_, LogMessage>, most: usize) {
    if !is_long(message, most) {
        return;
    }
    if let LogMessage::User { text, .. } | LogMessage::Assistant { text, .. } = message.to_mut() {
        *text = part(text, 0, most.max(REMAINS), "They were taken out to make room.");
    }
}

/// Whether truncation to this many bytes is worthwhile.
pub(crate) fn is_long(message: &LogMessage, most: usize) -> bool {
    match message {
        LogMessage::User { text, .. } | LogMessage::Assistant { text, .. } => {
            text.len() > 2 * most.max(REMAINS)
        }
        _ => false,
    }
}

/// Whether its output can be removed.
pub(crate) fn can_be_shortened(message: &LogMessage) -> bool {
    match message {
        // Information about skills stays complete, since it would not be repeated.
        LogMessage::ToolOutput { content, told, images, .. } => {
            (content.len() > 2 * REMAINS || !images.is_empty()) && told.instructions.is_empty()
        }
        _ => false,
    }
}

/// Whether the kept messages may start here: never between calls and their outputs.
pub(crate) fn may_begin(message: &LogMessage) -> bool {
    matches!(message, LogMessage::User { .. } | LogMessage::Assistant { .. })
}

/// Estimated bytes of text per token.
const BYTES_PER_TOKEN: u64 = 4;

/// Sizes of a request's parts, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Sizes {
    system: u64,
    skills: u64,
    history: u64,
    outputs: u64,
}

impl Sizes {
    /// The sizes of a request with these messages; the first `frozen` of its tools are in every request.
    pub(crate) fn of<'a>(
        messages: &[Cow<'_, LogMessage>],
        tools: impl IntoIterator<Item = &'a ToolDefinition>,
        frozen: usize,
    ) -> Self {
        let mut sizes = Self::default();
        for (at, tool) in tools.into_iter().enumerate() {
            let bytes = tool.name.len() + tool.description.len() + tool.input_schema.to_string().len();
            *if at < frozen { &mut sizes.system } else { &mut sizes.skills } += bytes as u64;
        }
        for message in messages {
            let bytes = size(message);
            let tells = message.skill_knowledge().is_some_and(|told| !told.instructions.is_empty());
            *match message.as_ref() {
                LogMessage::System { .. } => &mut sizes.system,
                _ if tells => &mut sizes.skills,
                LogMessage::ToolOutput { .. } => &mut sizes.outputs,
                _ => &mut sizes.history,
            } += bytes;
        }
        sizes
    }

    /// The size that compaction cannot reduce.
    pub(crate) fn fixed(self) -> u64 {
        self.system + self.skills
    }

    pub(crate) fn total(self) -> u64 {
        self.system + self.skills + self.history + self.outputs
    }
}

/// The estimated size of an image, in bytes of text.
fn weight(image: &ImageView) -> u64 {
    image_tokens(image.width, image.height) * BYTES_PER_TOKEN
}

/// The size of a message in a request, in bytes.
pub(crate) fn size(message: &LogMessage) -> u64 {
    let bytes = match message {
        LogMessage::System { text, .. } | LogMessage::Notice { text, .. } => text.len(),
        LogMessage::User { text, images } | LogMessage::ToolOutput { content: text, images, .. } => {
            let images: u64 = images.iter().map(weight).sum();
            text.len() + usize::try_from(images).unwrap_or(usize::MAX)
        }
        LogMessage::Assistant { text, calls, provider_data } => {
            let calls: usize = calls.iter().map(|call| call.name.len() + call.arguments.len()).sum();
            text.len() + calls + provider_data.as_ref().map_or(0, |data| data.to_string().len())
        }
        LogMessage::LateEnd(_) | LogMessage::Compaction(_) => return 0,
    };
    // The role, an id and delimiters.
    bytes as u64 + 24
}

/// Converts bytes to tokens: a fourth, until a provider has reported a count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Measure {
    tokens: u64,
    bytes: u64,
    /// Tokens of the last request that the provider had cached.
    pub(crate) cached: u64,
}

impl Default for Measure {
    fn default() -> Self {
        Self { tokens: 1, bytes: 4, cached: 0 }
    }
}

impl Measure {
    /// Applies the provider's count for this many bytes, if it is plausible.
    pub(crate) fn counted(&mut self, bytes: u64, tokens: u64, cached: u64) {
        self.cached = cached;
        if tokens > 0 && bytes > 0 && (bytes / 16..=bytes).contains(&tokens) {
            (self.tokens, self.bytes) = (tokens, bytes);
        }
    }

    pub(crate) fn tokens(self, bytes: u64) -> u64 {
        let tokens = u128::from(bytes) * u128::from(self.tokens) / u128::from(self.bytes.max(1));
        u64::try_from(tokens).unwrap_or(u64::MAX)
    }

    pub(crate) fn bytes(self, tokens: u64) -> u64 {
        let bytes = u128::from(tokens) * u128::from(self.bytes) / u128::from(self.tokens.max(1));
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }

    pub(crate) fn view(self, sizes: Sizes, limit: Option<u64>) -> ContextView {
        let parts = ContextParts {
            system: self.tokens(sizes.system),
            skills: self.tokens(sizes.skills),
            history: self.tokens(sizes.history),
            outputs: self.tokens(sizes.outputs),
        };
        let used = parts.system + parts.skills + parts.history + parts.outputs;
        ContextView { used, limit, cached: self.cached, parts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::activation::SkillKnowledge;
    use crate::message::Notes;

    fn user(text: &str) -> LogMessage {
        LogMessage::User { text: text.into(), images: Vec::new() }
    }

    fn assistant(text: &str) -> LogMessage {
        LogMessage::Assistant { text: text.into(), calls: Vec::new(), provider_data: None }
    }

    fn compaction(kept: usize, instead: Replacement) -> LogMessage {
        LogMessage::Compaction(Box::new(Compaction { kept, instead }))
    }

    fn system() -> LogMessage {
        LogMessage::System {
            text: "S".into(),
            tools: Vec::new(),
            told: Default::default(),
            notice_mark: "nova-notice-1".into(),
            private: false,
        }
    }

    fn texts(messages: &[LogMessage]) -> Vec<String> {
        let text = |message: Cow<'_, LogMessage>| match message.into_owned() {
            LogMessage::System { text, .. }
            | LogMessage::User { text, .. }
            | LogMessage::Notice { text, .. }
            | LogMessage::Assistant { text, .. } => text,
            LogMessage::ToolOutput { content, .. } => content,
            other => panic!("{other:?} is not sent"),
        };
        sent(messages).into_iter().map(text).collect()
    }

    #[test]
    fn summary_replaces_messages_before_the_kept_ones() {
        let summary = |text: &str| Replacement::Summary(text.into());
        let mut log = vec![system(), user("a"), assistant("b"), user("c"), assistant("d")];
        log.push(compaction(2, summary("ab")));
        log.extend([user("e"), assistant("f")]);
        assert_eq!(texts(&log), ["S", "ab", "c", "d", "e", "f"]);
        // The next summary also replaces the first.
        log.push(compaction(1, summary("abcde")));
        log.push(user("g"));
        assert_eq!(texts(&log), ["S", "abcde", "f", "g"]);
    }

    #[test]
    fn removed_outputs_keep_their_beginning() {
        let long = "x".repeat(1_000);
        let output = |id: &str| LogMessage::output(id, long.clone(), Notes::new());
        let log = vec![
            system(),
            user("a"),
            output("1"),
            user("b"),
            output("2"),
            compaction(2, Replacement::WithoutOutputs),
        ];
        let texts = texts(&log);
        assert!(texts[2].starts_with("xxx") && texts[2].len() < 400, "{}", texts[2]);
        assert!(texts[2].contains("[800 bytes were taken out"), "{}", texts[2]);
        assert_eq!((texts[1].as_str(), texts[3].as_str(), texts[4].len()), ("a", "b", 1_000));
    }

    #[test]
    fn skill_instructions_are_not_removed() {
        let mut told = SkillKnowledge::default();
        told.instructions.insert("crm".into(), "a hash".into());
        let mut loaded = LogMessage::output("1", "x".repeat(1_000), Notes::new());
        if let LogMessage::ToolOutput { told: of, .. } = &mut loaded {
            *of = told;
        }
        let log = vec![system(), user("a"), loaded, user("b"), compaction(1, Replacement::WithoutOutputs)];
        assert_eq!(texts(&log)[2], "x".repeat(1_000));
    }

    #[test]
    fn too_long_messages_are_sent_truncated() {
        let log = vec![
            system(),
            user(&"u".repeat(10_000)),
            assistant(&"a".repeat(10_000)),
            user("short"),
            compaction(1, Replacement::Beginnings(1_000)),
            assistant(&"l".repeat(10_000)),
        ];
        let texts = texts(&log);
        let of = |length: usize, text: &str| (length..length + 100).contains(&text.len());
        assert!(of(1_000, &texts[1]) && of(1_000, &texts[2]), "{texts:?}");
        assert!(texts[1].ends_with("[9000 more bytes. They were taken out to make room.]"), "{}", texts[1]);
        assert_eq!((texts[3].as_str(), texts[4].len()), ("short", 10_000));
    }

    #[test]
    fn tokens_are_a_fourth_of_bytes_until_counted() {
        let mut measure = Measure::default();
        assert_eq!((measure.tokens(4_000), measure.bytes(100)), (1_000, 400));
        measure.counted(3_000, 1_000, 10);
        assert_eq!((measure.tokens(6_000), measure.bytes(100)), (2_000, 300));
        // An implausible count is ignored.
        measure.counted(3_000, 3, 0);
        assert_eq!(measure.tokens(6_000), 2_000);
    }
}
