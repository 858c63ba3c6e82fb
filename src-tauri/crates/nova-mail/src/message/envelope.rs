use std::panic::{AssertUnwindSafe, catch_unwind};

use jiff::Timestamp;
use mail_parser::{Address, HeaderValue, Message};

use super::{parse, visible_line};

/// How many people of one header are listed.
pub(crate) const PEOPLE: usize = 100;
/// How many ids of earlier messages are used.
const REFERENCES: usize = 50;
/// How long a line of a header may be.
const LINE: usize = 300;
/// The longest Message-ID that is used.
const ID: usize = 250;

/// The headers of a message, each one visible line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Envelope {
    pub from: Vec<Person>,
    pub reply_to: Vec<Person>,
    pub to: Vec<Person>,
    pub cc: Vec<Person>,
    /// Of drafts, and of copies that their sender keeps.
    pub bcc: Vec<Person>,
    /// How many more recipients there are.
    pub more_people: usize,
    pub subject: String,
    /// As the sender claims.
    pub date: Option<Timestamp>,
    /// Without angle brackets.
    pub message_id: Option<String>,
    /// The messages that it answers, oldest first.
    pub references: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// What the sender wrote as the name.
    pub name: Option<String>,
    pub address: String,
}

impl Envelope {
    /// Parses the bytes of a message's headers; empty if they cannot be parsed.
    pub fn of_headers(raw: &[u8]) -> Self {
        let read = catch_unwind(AssertUnwindSafe(|| parse::headers(raw).map(|headers| Self::of(&headers))));
        read.ok().flatten().unwrap_or_default()
    }

    pub(super) fn of(message: &Message<'_>) -> Self {
        let (from, more_from) = people(message.from());
        let (reply_to, more_reply) = people(message.reply_to());
        let (to, more_to) = people(message.to());
        let (cc, more_cc) = people(message.cc());
        let (bcc, more_bcc) = people(message.bcc());
        let mut references = ids(message.references());
        for id in ids(message.in_reply_to()) {
            if !references.contains(&id) {
                references.push(id);
            }
        }
        // The first identifies the whole conversation.
        if references.len() > REFERENCES {
            references.drain(1..=references.len() - REFERENCES);
        }
        let date = message.date().and_then(|date| Timestamp::from_second(date.to_timestamp()).ok());
        Self {
            from,
            reply_to,
            to,
            cc,
            bcc,
            more_people: more_from + more_reply + more_to + more_cc + more_bcc,
            subject: visible_line(message.subject().unwrap_or_default(), LINE),
            date,
            message_id: message.message_id().and_then(id),
            references,
        }
    }
}

fn people(address: Option<&Address<'_>>) -> (Vec<Person>, usize) {
    let mut all = address.into_iter().flat_map(Address::iter).filter_map(|person| {
        let address = visible_line(person.address()?, LINE);
        let name = person.name().map(|name| visible_line(name, LINE)).filter(|name| !name.is_empty());
        (!address.is_empty()).then_some(Person { name, address })
    });
    let listed = all.by_ref().take(PEOPLE).collect();
    (listed, all.count())
}

fn ids(value: &HeaderValue<'_>) -> Vec<String> {
    match value {
        HeaderValue::Text(text) => id(text).into_iter().collect(),
        HeaderValue::TextList(all) => all.iter().filter_map(|text| id(text)).collect(),
        _ => Vec::new(),
    }
}

/// An id that can be searched for.
fn id(text: &str) -> Option<String> {
    let text = text.trim().trim_start_matches('<').trim_end_matches('>');
    let is_plain = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '<' | '>');
    (!text.is_empty() && text.len() <= ID && text.chars().all(is_plain)).then(|| text.to_owned())
}
