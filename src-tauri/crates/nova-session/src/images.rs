//! Selects the images of messages and outputs that a request carries; the others are only named.

use std::borrow::Cow;
use std::collections::HashSet;

use nova_protocol::ImageView;
use nova_provider::{Image, Loads, Message, ToolCall};

use crate::context::sent;
use crate::error::SessionError;
use crate::message::LogMessage;
use crate::named_image::Images;
use crate::session::Session;
use crate::store::Store;

/// Maximum size of a request's images, in bytes of base64. Providers refuse requests of 32 MB; images of the
/// newest message are always sent.
const MOST_SENT: usize = 24 * 1024 * 1024;
/// Maximum number of images per request: Anthropic accepts images of more than 2,000 pixels only up to this
/// number.
const MOST_AT_ONCE: usize = 20;
/// Introduces images of outputs, which are sent in a user message.
const OF_OUTPUTS: &str = "Nova shows what the calls above read. No word in it is the user's.";

/// The images that a request shows.
pub(crate) struct Showing<'a> {
    images: &'a Images,
    /// The model accepts images.
    takes: bool,
    /// Ids of the images that fit.
    sent: HashSet<&'a str>,
}

/// The space taken by images so far; the newest message is served first.
#[derive(Default)]
struct Room {
    bytes: usize,
    count: usize,
}

impl Room {
    /// Adds an image of this many bytes; returns whether it fits.
    fn takes(&mut self, bytes: usize, is_newest: bool) -> bool {
        self.bytes += bytes;
        self.count += 1;
        is_newest || (self.bytes <= MOST_SENT && self.count <= MOST_AT_ONCE)
    }
}

impl<'a> Showing<'a> {
    /// `refused`: images that the provider rejected.
    pub(crate) fn of(
        messages: &'a [Cow<'_, LogMessage>],
        images: &'a Images,
        refused: &HashSet<String>,
        takes: bool,
    ) -> Self {
        let mut sent = HashSet::new();
        let mut room = Room::default();
        let of_messages = messages.iter().rev().map(shown_by).filter(|of| !of.is_empty());
        for (newer, of_message) in of_messages.enumerate() {
            for image in of_message.iter().filter(|image| !refused.contains(&image.id)) {
                let bytes = images.get(&image.id).map_or(0, |image| image.data.len());
                if room.takes(bytes, newer == 0) {
                    sent.insert(image.id.as_str());
                }
            }
        }
        Self { images, takes, sent }
    }

    /// Returns the images sent with a message, and its text with a remark about its images.
    pub(crate) fn of_message(&self, text: &str, shown: &[ImageView]) -> (String, Vec<Image>) {
        if shown.is_empty() {
            return (text.to_owned(), Vec::new());
        }
        let is_sent = |image: &&ImageView| {
            self.takes && self.sent.contains(image.id.as_str()) && self.images.contains_key(&image.id)
        };
        let (sent, left): (Vec<&ImageView>, Vec<&ImageView>) = shown.iter().partition(is_sent);
        let mut parts = vec![text.trim_end().to_owned()];
        if !sent.is_empty() {
            parts.push(format!("(With {}.)", named(&sent)));
        }
        if !left.is_empty() {
            let why = if self.takes { "no longer sent" } else { "not sent: this model cannot read images" };
            parts.push(format!("(With {}, {why}.)", named(&left)));
        }
        parts.retain(|part| !part.is_empty());
        let images = sent.iter().filter_map(|image| self.images.get(&image.id).cloned()).collect();
        (parts.join("\n\n"), images)
    }

    fn of_outputs(&self, shown: Vec<ImageView>) -> Option<Message> {
        let (content, images) = self.of_message(OF_OUTPUTS, &shown);
        (!shown.is_empty()).then_some(Message::User { content, images })
    }
}

/// Converts the messages of a request. Images of outputs are in a separate message after all outputs of a
/// step: not every provider accepts them within an output, and nothing may be between a call and its output.
pub(crate) fn to_provider(
    messages: &[Cow<'_, LogMessage>],
    showing: &Showing<'_>,
    mark: &str,
) -> Vec<Message> {
    let mut request = Vec::with_capacity(messages.len());
    let mut of_outputs: Vec<ImageView> = Vec::new();
    for message in messages {
        if !matches!(**message, LogMessage::ToolOutput { .. }) {
            request.extend(showing.of_outputs(std::mem::take(&mut of_outputs)));
        }
        request.extend(message.to_provider(showing, mark));
        if let LogMessage::ToolOutput { images, .. } = &**message {
            of_outputs.extend(images.iter().cloned());
        }
    }
    request.extend(showing.of_outputs(of_outputs));
    request
}

impl LogMessage {
    /// Returns `None` for the system prompt, which has a separate place in a request, and for entries that
    /// another message reports. `mark` is the session's notice marker.
    fn to_provider(&self, showing: &Showing<'_>, mark: &str) -> Option<Message> {
        Some(match self.clone() {
            Self::System { .. } | Self::LateEnd(_) | Self::Compaction(_) => return None,
            Self::User { text, images } => {
                let (content, images) = showing.of_message(&text, &images);
                Message::User { content, images }
            }
            Self::Assistant { text, calls, provider_data } => Message::Assistant {
                text,
                calls: calls
                    .into_iter()
                    .map(|call| ToolCall { id: call.id, name: call.name, arguments: call.arguments })
                    .collect(),
                provider_data,
            },
            Self::ToolOutput { call_id, content, told, .. } => {
                Message::ToolOutput { call_id, content, loads: told.tools }
            }
            Self::Notice { text, told, .. } => {
                let skill = told.instructions.into_keys().next();
                let loads = skill.map(|skill| Loads { skill, tools: told.tools });
                let loads = loads.filter(|loads| !loads.tools.is_empty());
                Message::Notice { text, mark: mark.to_owned(), loads }
            }
        })
    }
}

impl Session {
    /// Loads the images that the next requests may show.
    pub(crate) async fn load_images(&self, store: &Store) -> Result<(), SessionError> {
        let wanted: Vec<Vec<String>> = {
            let state = self.lock();
            let sent = sent(&state.messages);
            // The user's latest message may not be in the log yet.
            let newest_first = state.unsent_message.iter().chain(sent.iter().rev().map(AsRef::as_ref));
            let shown = newest_first.map(shown_by).filter(|shown| !shown.is_empty());
            shown.map(|shown| shown.iter().map(|image| image.id.clone()).collect()).collect()
        };
        let (mut loaded, mut room) = (Images::new(), Room::default());
        'all: for (newer, of_message) in wanted.into_iter().enumerate() {
            for id in of_message {
                if !loaded.contains_key(&id)
                    && let Some(image) = store.image(&self.id, &id).await?
                {
                    loaded.insert(id.clone(), image);
                }
                let bytes = loaded.get(&id).map_or(0, |image| image.data.len());
                if !room.takes(bytes, newer == 0) {
                    break 'all;
                }
            }
        }
        self.lock().images = loaded;
        Ok(())
    }
}

/// Formats names: `the images "a.png", "b.png"`.
pub(crate) fn named(images: &[&ImageView]) -> String {
    let names: Vec<String> = images.iter().map(|image| format!("\"{}\"", image.name)).collect();
    let word = if names.len() == 1 { "image" } else { "images" };
    format!("the {word} {}", names.join(", "))
}

fn shown_by(message: &(impl std::borrow::Borrow<LogMessage> + ?Sized)) -> &[ImageView] {
    match message.borrow() {
        LogMessage::User { images, .. } | LogMessage::ToolOutput { images, .. } => images,
        _ => &[],
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::named_image::NamedImage;

    /// An image of this many bytes.
    fn image(name: &str, bytes: usize) -> NamedImage {
        let mut data = b"GIF89a\x02\0\x01\0".to_vec();
        data.extend(name.bytes());
        data.resize(bytes, 0);
        NamedImage { name: name.into(), image: Image::read(&data).unwrap() }
    }

    fn said(text: &str, images: &[&NamedImage]) -> LogMessage {
        LogMessage::User { text: text.into(), images: images.iter().map(|image| image.view()).collect() }
    }

    /// The text of each message, and the sizes of its images.
    fn sent(messages: &[LogMessage], known: &[&NamedImage], takes: bool) -> Vec<(String, usize)> {
        let known: Images = known.iter().map(|image| (image.image.id.clone(), image.image.clone())).collect();
        let messages: Vec<_> = messages.iter().map(Cow::Borrowed).collect();
        let showing = Showing::of(&messages, &known, &HashSet::new(), takes);
        let of_message = |message: &Cow<'_, LogMessage>| match message.as_ref() {
            LogMessage::User { text, images } => {
                let (text, images) = showing.of_message(text, images);
                (text, images.len())
            }
            other => panic!("{other:?}"),
        };
        messages.iter().map(of_message).collect()
    }

    #[test]
    fn images_are_named_and_shown_to_capable_models() {
        let (a, b) = (image("a.gif", 100), image("b.gif", 100));
        let messages = [said("These?", &[&a, &b]), said("Well?", &[]), said("", &[&a])];
        let with = |text: &str, count| (text.to_owned(), count);
        assert_eq!(
            sent(&messages, &[&a, &b], true),
            [
                with("These?\n\n(With the images \"a.gif\", \"b.gif\".)", 2),
                with("Well?", 0),
                with("(With the image \"a.gif\".)", 1)
            ]
        );
        let blind = sent(&messages, &[&a, &b], false);
        assert_eq!(blind[0].1 + blind[2].1, 0);
        assert!(blind[0].0.contains("not sent: this model cannot read images"), "{}", blind[0].0);
        // An image that is missing in the database is only named.
        let lost = sent(&messages, &[&a], true);
        assert_eq!((lost[0].1, lost[2].1), (1, 1));
        assert!(lost[0].0.ends_with("(With the image \"b.gif\", no longer sent.)"), "{}", lost[0].0);
    }

    #[test]
    fn old_images_are_dropped_before_those_of_the_newest_message() {
        let large: Vec<NamedImage> =
            ["a", "b", "c", "d", "e", "f"].map(|name| image(name, Image::MOST_BYTES)).into();
        let all: Vec<&NamedImage> = large.iter().collect();
        let one_by_one: Vec<LogMessage> = all.iter().map(|image| said("", &[*image])).collect();
        let counts: Vec<usize> = sent(&one_by_one, &all, true).iter().map(|(_, count)| *count).collect();
        assert_eq!(counts, [0, 0, 1, 1, 1, 1]);
        assert_eq!(sent(&[said("", &all)], &all, true)[0].1, 6);
    }

    #[test]
    fn request_shows_at_most_twenty_images() {
        let small: Vec<NamedImage> = (0..25).map(|at| image(&at.to_string(), 100)).collect();
        let all: Vec<&NamedImage> = small.iter().collect();
        let one_by_one: Vec<LogMessage> = all.iter().map(|image| said("", &[*image])).collect();
        let counts: Vec<usize> = sent(&one_by_one, &all, true).iter().map(|(_, count)| *count).collect();
        assert_eq!(counts[..5], [0; 5]);
        assert_eq!(counts[5..], [1; 20]);
    }
}
