//! What a server may use of Nova, however it behaves.

/// Bytes of one message.
pub(crate) const MESSAGE: usize = 8 << 20;
/// Bytes that a server may print between two messages that are none.
pub(crate) const NOISE: usize = 1 << 20;
/// Bytes kept of what it prints on its standard error, the newest.
pub(crate) const STDERR: usize = 64 << 10;
/// Lines of it that are shown.
pub(crate) const STDERR_LINES: usize = 1_000;
/// Tools of one server, after the user's choice.
pub(crate) const TOOLS: usize = 500;
/// Tools and pages of one list, before it.
pub(crate) const LISTED: usize = 10_000;
pub(crate) const PAGES: usize = 100;
/// Bytes of the schemas of one tool, and how deep they nest.
pub(crate) const SCHEMA: usize = 64 << 10;
pub(crate) const DEPTH: usize = 40;
/// Characters of a tool's name, of a description, of a server's instructions.
pub(crate) const NAME: usize = 128;
pub(crate) const DESCRIPTION: usize = 4_000;
pub(crate) const INSTRUCTIONS: usize = 8_000;
/// Questions to the user that wait at once, how often one call may need more to continue, and fields of a form.
pub(crate) const QUESTIONS: usize = 8;
pub(crate) const ROUNDS: usize = 10;
pub(crate) const FIELDS: usize = 40;
/// Resources of one list, and bytes of the text of one that is read.
pub(crate) const RESOURCES: usize = 500;
pub(crate) const RESOURCE: usize = 1 << 20;
/// Resources that were read and of which changes are reported.
pub(crate) const FOLLOWED: usize = 50;
/// Bytes of one image, sound or file of an answer, and of all that are kept for the window.
pub(crate) const MEDIA: usize = 6 << 20;
pub(crate) const ALL_MEDIA: usize = 64 << 20;
/// Prompts of one server, bytes of the text of one, and values suggested for an argument.
pub(crate) const PROMPTS: usize = 200;
pub(crate) const PROMPT: usize = 100_000;
pub(crate) const COMPLETIONS: usize = 20;
/// Bytes of an address that the user is to open.
pub(crate) const URL: usize = 2_048;
/// Characters of what a server says that stand in a message of Nova's.
pub(crate) const QUOTE: usize = 300;
