//! What of a conversation is sent, and how large it is.

use std::borrow::Cow;

use nova_protocol::{ContextParts, ContextView, ImageView};
use nova_provider::{ToolDefinition, image_tokens};

use crate::activation::part;
use crate::message::{Compaction, Instead, LogMessage};

/// An output that is taken out to make room keeps this many bytes of its beginning.
const REMAINS: usize = 200;

/// The messages that are sent, the system prompt first.
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
            Instead::Summary(text) => {
                sent.splice(first..cut, [Cow::Owned(LogMessage::notice(text.as_str()))]);
            }
            Instead::WithoutOutputs => sent[..cut].iter_mut().for_each(shorten),
            Instead::Beginnings(most) => sent[..cut].iter_mut().for_each(|message| {
                shorten(message);
                begin(message, *most);
            }),
        }
    }
}

/// Takes out what a tool answered.
pub(crate) fn shorten(message: &mut Cow<'_, LogMessage>) {
    if !can_be_shortened(message) {
        return;
    }
    if let LogMessage::ToolOutput { content, images, .. } = message.to_mut() {
        images.clear();
        let end = (0..=REMAINS).rev().find(|at| content.is_char_boundary(*at)).unwrap_or_default();
        let rest = content.len() - end;
        // What others wrote stays between its marks.
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

/// Keeps this many bytes of the beginning of what was said.
pub(crate) fn begin(message: &mut Cow<'_, LogMessage>, most: usize) {
    if !is_long(message, most) {
        return;
    }
    if let LogMessage::User { text, .. } | LogMessage::Assistant { text, .. } = message.to_mut() {
        *text = part(text, 0, most.max(REMAINS), "They were taken out to make room.");
    }
}

/// Whether this many bytes of its beginning are much less than all of it.
pub(crate) fn is_long(message: &LogMessage, most: usize) -> bool {
    match message {
        LogMessage::User { text, .. } | LogMessage::Assistant { text, .. } => {
            text.len() > 2 * most.max(REMAINS)
        }
        _ => false,
    }
}

/// Whether something can be taken out of it.
pub(crate) fn can_be_shortened(message: &LogMessage) -> bool {
    match message {
        // What a skill tells stays whole: nobody would tell it again.
        LogMessage::ToolOutput { content, told, images, .. } => {
            (content.len() > 2 * REMAINS || !images.is_empty()) && told.instructions.is_empty()
        }
        _ => false,
    }
}

/// Where the messages that stay may begin: never between calls and their outputs.
pub(crate) fn may_begin(message: &LogMessage) -> bool {
    matches!(message, LogMessage::User { .. } | LogMessage::Assistant { .. })
}

/// A token of text is about as many bytes.
const BYTES_PER_TOKEN: u64 = 4;

/// Bytes by what they are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Sizes {
    system: u64,
    skills: u64,
    history: u64,
    outputs: u64,
}

impl Sizes {
    /// Of a request with these messages; the first `frozen` of its tools are in every request.
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
            let tells = message.told().is_some_and(|told| !told.instructions.is_empty());
            *match message.as_ref() {
                LogMessage::System { .. } => &mut sizes.system,
                _ if tells => &mut sizes.skills,
                LogMessage::ToolOutput { .. } => &mut sizes.outputs,
                _ => &mut sizes.history,
            } += bytes;
        }
        sizes
    }

    /// What no compaction can take out.
    pub(crate) fn fixed(self) -> u64 {
        self.system + self.skills
    }

    pub(crate) fn total(self) -> u64 {
        self.system + self.skills + self.history + self.outputs
    }
}

/// About how many bytes of text an image stands for.
fn weight(image: &ImageView) -> u64 {
    image_tokens(image.width, image.height) * BYTES_PER_TOKEN
}

/// What one message brings into a request, in bytes.
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
    // A role, an id, marks.
    bytes as u64 + 24
}

/// How many tokens bytes are: a fourth, until a provider has counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Measure {
    tokens: u64,
    bytes: u64,
    /// Of the last request, what the provider had kept.
    pub(crate) cached: u64,
}

impl Default for Measure {
    fn default() -> Self {
        Self { tokens: 1, bytes: 4, cached: 0 }
    }
}

impl Measure {
    /// What the provider counted for this many bytes, where that can be true.
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
    use crate::activation::Told;
    use crate::message::Notes;

    fn user(text: &str) -> LogMessage {
        LogMessage::User { text: text.into(), images: Vec::new() }
    }

    fn assistant(text: &str) -> LogMessage {
        LogMessage::Assistant { text: text.into(), calls: Vec::new(), provider_data: None }
    }

    fn compaction(kept: usize, instead: Instead) -> LogMessage {
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
    fn a_summary_stands_for_what_came_before_what_is_kept() {
        let summary = |text: &str| Instead::Summary(text.into());
        let mut log = vec![system(), user("a"), assistant("b"), user("c"), assistant("d")];
        log.push(compaction(2, summary("ab")));
        log.extend([user("e"), assistant("f")]);
        assert_eq!(texts(&log), ["S", "ab", "c", "d", "e", "f"]);
        // The next one stands for the first as well.
        log.push(compaction(1, summary("abcde")));
        log.push(user("g"));
        assert_eq!(texts(&log), ["S", "abcde", "f", "g"]);
    }

    #[test]
    fn outputs_that_are_taken_out_leave_their_beginning() {
        let long = "x".repeat(1_000);
        let output = |id: &str| LogMessage::output(id, long.clone(), Notes::new());
        let log = vec![
            system(),
            user("a"),
            output("1"),
            user("b"),
            output("2"),
            compaction(2, Instead::WithoutOutputs),
        ];
        let texts = texts(&log);
        assert!(texts[2].starts_with("xxx") && texts[2].len() < 400, "{}", texts[2]);
        assert!(texts[2].contains("[800 bytes were taken out"), "{}", texts[2]);
        assert_eq!((texts[1].as_str(), texts[3].as_str(), texts[4].len()), ("a", "b", 1_000));
    }

    #[test]
    fn what_a_skill_tells_is_not_taken_out() {
        let mut told = Told::default();
        told.instructions.insert("crm".into(), "a hash".into());
        let mut loaded = LogMessage::output("1", "x".repeat(1_000), Notes::new());
        if let LogMessage::ToolOutput { told: of, .. } = &mut loaded {
            *of = told;
        }
        let log = vec![system(), user("a"), loaded, user("b"), compaction(1, Instead::WithoutOutputs)];
        assert_eq!(texts(&log)[2], "x".repeat(1_000));
    }

    #[test]
    fn what_was_too_long_is_sent_in_part() {
        let log = vec![
            system(),
            user(&"u".repeat(10_000)),
            assistant(&"a".repeat(10_000)),
            user("short"),
            compaction(1, Instead::Beginnings(1_000)),
            assistant(&"l".repeat(10_000)),
        ];
        let texts = texts(&log);
        let of = |length: usize, text: &str| (length..length + 100).contains(&text.len());
        assert!(of(1_000, &texts[1]) && of(1_000, &texts[2]), "{texts:?}");
        assert!(texts[1].ends_with("[9000 more bytes. They were taken out to make room.]"), "{}", texts[1]);
        assert_eq!((texts[3].as_str(), texts[4].len()), ("short", 10_000));
    }

    #[test]
    fn tokens_are_a_fourth_of_the_bytes_until_a_provider_has_counted() {
        let mut measure = Measure::default();
        assert_eq!((measure.tokens(4_000), measure.bytes(100)), (1_000, 400));
        measure.counted(3_000, 1_000, 10);
        assert_eq!((measure.tokens(6_000), measure.bytes(100)), (2_000, 300));
        // A provider that counts something else is not believed.
        measure.counted(3_000, 3, 0);
        assert_eq!(measure.tokens(6_000), 2_000);
    }
}
