//! Resource limits per server.

/// Size of a message, in bytes.
pub(crate) const MESSAGE: usize = 8 << 20;
/// Messages besides responses, per second and at once.
pub(crate) const MESSAGES_PER_SECOND: u32 = 500;
pub(crate) const MESSAGES_AT_ONCE: u32 = 1_000;
/// Bytes on stdout between two messages that are not messages.
pub(crate) const NOISE: usize = 1 << 20;
/// Bytes retained of its stderr.
pub(crate) const STDERR: usize = 64 << 10;
/// Lines of stderr that are shown.
pub(crate) const STDERR_LINES: usize = 1_000;
/// Tools of one server, after the user's selection.
pub(crate) const TOOLS: usize = 500;
/// Tools and pages of one list, before the selection.
pub(crate) const LISTED: usize = 10_000;
pub(crate) const PAGES: usize = 100;
/// Size of all definitions of a list in bytes, before the selection.
pub(crate) const LIST: usize = 4 << 20;
/// Bytes of a description that are stored to compare later ones with it; of more, a hash is stored.
pub(crate) const STORED_DESCRIPTION: usize = 16_000;
/// Size of the schemas of one tool in bytes, and their depth.
pub(crate) const SCHEMA: usize = 64 << 10;
pub(crate) const DEPTH: usize = 40;
/// Characters of a tool's name, a description, a server's instructions.
pub(crate) const NAME: usize = 128;
pub(crate) const DESCRIPTION: usize = 4_000;
pub(crate) const INSTRUCTIONS: usize = 8_000;
/// Pending questions to the user, rounds of input per call, and fields of a form.
pub(crate) const QUESTIONS: usize = 8;
pub(crate) const ROUNDS: usize = 10;
pub(crate) const FIELDS: usize = 40;
/// Resources of one list, and size of the text of one in bytes.
pub(crate) const RESOURCES: usize = 500;
pub(crate) const RESOURCE: usize = 1 << 20;
/// Resources with a subscription.
pub(crate) const FOLLOWED: usize = 50;
/// Size of one image, audio or file in bytes, and of all that are retained for the window.
pub(crate) const MEDIA: usize = 6 << 20;
pub(crate) const ALL_MEDIA: usize = 64 << 20;
/// Prompts of one server, size of the text of one in bytes, and completions of an argument.
pub(crate) const PROMPTS: usize = 200;
pub(crate) const PROMPT: usize = 100_000;
pub(crate) const COMPLETIONS: usize = 20;
/// Length of a URL that the user is asked to open, in bytes.
pub(crate) const URL: usize = 2_048;
/// Characters of server text quoted in a message.
pub(crate) const QUOTE: usize = 300;
