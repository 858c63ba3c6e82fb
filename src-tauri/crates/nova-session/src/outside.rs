//! Attachments of a message from MCP servers, as text.

use nova_protocol::AttachedFile;
use nova_registry::{fenced_output, harmless_line};

/// The user's message if its turn ended before the attachments were read.
pub(crate) fn with_unread(mut text: String, outside: &[AttachedFile]) -> String {
    for file in outside {
        let content = if file.uri.is_some() { "(It was not read.)" } else { &file.text };
        append(&mut text, &fenced_attachment(file, content));
    }
    text
}

pub(crate) fn append(text: &mut String, part: &str) {
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(part);
}

/// The attachment as text for the model, fenced so that it is not mistaken for the user's words.
pub(crate) fn fenced_attachment(file: &AttachedFile, content: &str) -> String {
    format!("The user attached {}:\n\n{}", harmless_line(&file.name), fenced_output(file.from(), content))
}
