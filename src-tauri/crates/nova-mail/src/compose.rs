//! Composes messages to be sent.

use jiff::Timestamp;
use mail_builder::MessageBuilder;
use mail_builder::headers::address::Address;
use mail_builder::headers::date::Date;
use mail_builder::headers::message_id::MessageId;

use crate::address::ascii_domain;
use crate::message::PEOPLE;
use crate::{Envelope, Message, Person};

/// The most bytes of all attachments together.
pub const MOST_ATTACHED: usize = 18 << 20;
/// The most recipients.
pub const MOST_RECIPIENTS: usize = 100;
/// The longest subject, in characters.
const SUBJECT: usize = 300;
/// How many earlier messages a reply references.
const REFERENCES: usize = 20;

/// A message before it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    pub from: Person,
    pub to: Vec<Person>,
    pub cc: Vec<Person>,
    pub bcc: Vec<Person>,
    pub subject: String,
    /// Plain text.
    pub text: String,
    pub attachments: Vec<Attachment>,
    /// The Message-IDs of the messages that it answers, oldest first; the last is the direct parent.
    pub references: Vec<String>,
}

#[derive(Clone, PartialEq, Eq)]
pub struct Attachment {
    /// Without a folder.
    pub name: String,
    /// `application/pdf`
    pub media_type: String,
    pub bytes: Vec<u8>,
}

impl std::fmt::Debug for Attachment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({} bytes)", self.name, self.bytes.len())
    }
}

/// Why a message cannot be sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DraftError {
    #[error("it has no recipient")]
    NoRecipient,
    #[error("it has {count} recipients, more than the {MOST_RECIPIENTS} of one message")]
    TooManyRecipients { count: usize },
    #[error("its subject is not one line of at most {SUBJECT} characters")]
    Subject,
    #[error("its attachments have {bytes} bytes, more than the {MOST_ATTACHED} of one message")]
    TooLarge { bytes: usize },
    #[error("the name of an attachment is not one line")]
    AttachmentName,
}

impl Draft {
    /// Checks that the message can be sent. Addresses are validated when they are parsed.
    ///
    /// # Errors
    /// The first violation.
    pub fn check(&self) -> Result<(), DraftError> {
        let count = self.recipients().count();
        if count == 0 {
            return Err(DraftError::NoRecipient);
        }
        if count > MOST_RECIPIENTS {
            return Err(DraftError::TooManyRecipients { count });
        }
        self.check_parts()
    }

    /// The same for a message saved as a draft, which needs no recipient yet.
    ///
    /// # Errors
    /// As [`Draft::check`].
    pub fn check_parts(&self) -> Result<(), DraftError> {
        if self.subject.chars().any(char::is_control) || self.subject.chars().count() > SUBJECT {
            return Err(DraftError::Subject);
        }
        let bytes = self.attachments.iter().map(|attachment| attachment.bytes.len()).sum();
        if bytes > MOST_ATTACHED {
            return Err(DraftError::TooLarge { bytes });
        }
        let bad = |attachment: &Attachment| {
            attachment.name.is_empty() || attachment.name.chars().any(char::is_control)
        };
        if self.attachments.iter().any(bad) {
            return Err(DraftError::AttachmentName);
        }
        Ok(())
    }

    /// To, Cc and Bcc.
    pub fn recipients(&self) -> impl Iterator<Item = &Person> {
        self.to.iter().chain(&self.cc).chain(&self.bcc)
    }

    /// The message, ASCII unless an address is not. `bcc`: whether it has the Bcc header, as the sender's own copy
    /// does.
    pub fn message(&self, message_id: &str, at: Timestamp, bcc: bool) -> Vec<u8> {
        let mut message = MessageBuilder::new()
            .from(address(&self.from))
            .subject(self.subject.as_str())
            .date(Date::new(at.as_second()))
            .message_id(message_id.to_owned());
        let all = [("To", &self.to), ("Cc", &self.cc), ("Bcc", &self.bcc)];
        for (name, people) in all.into_iter().filter(|(name, people)| {
            let shown = bcc || *name != "Bcc";
            shown && !people.is_empty()
        }) {
            message = message.header(name, Address::new_list(people.iter().map(address).collect()));
        }
        if self.to.is_empty() && self.cc.is_empty() && !bcc {
            // Some servers refuse a message without recipients.
            message = message.header("To", Address::new_group(Some("undisclosed-recipients"), Vec::new()));
        }
        if let Some(answered) = self.references.last() {
            message = message
                .in_reply_to(answered.clone())
                .references(MessageId::new_list(self.references.iter().cloned()));
        }
        // Every kind of line break becomes CRLF.
        let text = self.text.replace("\r\n", "\n").replace('\r', "\n").replace('\n', "\r\n");
        message = message.text_body(text);
        for attachment in &self.attachments {
            let kind = attachment.media_type.clone();
            message = message.attachment(kind, attachment.name.clone(), attachment.bytes.clone());
        }
        let mut bytes = Vec::new();
        message.serialize(&mut bytes);
        bytes
    }

    /// A reply to a message: to its Reply-To, else its From; `all` adds its other recipients, each once and without
    /// the sender's own addresses. The text comes above the quoted original.
    ///
    /// # Errors
    /// `TooManyRecipients` if the original names more people than its envelope lists: some would be left out.
    pub fn reply(
        from: Person,
        original: &Message,
        text: &str,
        all: bool,
        own: &[&str],
    ) -> Result<Self, DraftError> {
        let Envelope { from: author, reply_to, to, cc, subject, message_id, references, more_people, .. } =
            &original.envelope;
        let is_own = |person: &Person| own.iter().any(|own| own.eq_ignore_ascii_case(&person.address));
        let mut seen: Vec<String> = Vec::new();
        let mut once = |people: &mut dyn Iterator<Item = &Person>| -> Vec<Person> {
            let new = people.filter(|person| {
                let address = person.address.to_lowercase();
                let is_new = !seen.contains(&address);
                seen.push(address);
                is_new
            });
            new.cloned().collect()
        };
        let mut answered: Vec<&Person> = if reply_to.is_empty() { author } else { reply_to }.iter().collect();
        // A reply to one's own message goes to its recipients.
        let answers_own = !answered.is_empty() && answered.iter().all(|person| is_own(person));
        if answers_own {
            answered = to.iter().filter(|person| !is_own(person)).collect();
        }
        // A header that is not full was read to its end.
        let is_cut = |people: &[Person]| *more_people > 0 && people.len() >= PEOPLE;
        if [author, reply_to].into_iter().any(|list| is_cut(list))
            || ((all || answers_own) && (is_cut(to) || is_cut(cc)))
        {
            return Err(DraftError::TooManyRecipients { count: to.len() + cc.len() + more_people });
        }
        let to_people = once(&mut answered.into_iter());
        let cc_people = match all {
            true => once(&mut to.iter().chain(cc).filter(|person| !is_own(person))),
            false => Vec::new(),
        };
        let mut references: Vec<String> = references.iter().chain(message_id).cloned().collect();
        if references.len() > REFERENCES {
            references.drain(1..=references.len() - REFERENCES);
        }
        Ok(Self {
            from,
            to: to_people,
            cc: cc_people,
            bcc: Vec::new(),
            subject: reply_subject(subject),
            text: format!("{}\n\n{}", text.trim_end(), quoted(original)),
            attachments: Vec::new(),
            references,
        })
    }

    /// The SMTP envelope: the sender's address, and each recipient's once.
    pub(crate) fn envelope(&self) -> (String, Vec<String>) {
        let mut recipients: Vec<String> = Vec::new();
        for person in self.recipients() {
            let address = ascii_domain(&person.address);
            if !recipients.iter().any(|known| known.eq_ignore_ascii_case(&address)) {
                recipients.push(address);
            }
        }
        (ascii_domain(&self.from.address), recipients)
    }
}

fn address(person: &Person) -> Address<'static> {
    Address::new_address(person.name.clone(), ascii_domain(&person.address))
}

/// `Re:` once, however many prefixes the original has, in English or German.
fn reply_subject(subject: &str) -> String {
    let mut rest = subject.trim();
    while let Some(cut) = ["re:", "aw:"].iter().find_map(|prefix| {
        let head = rest.get(..prefix.len())?;
        head.eq_ignore_ascii_case(prefix).then(|| rest[prefix.len()..].trim_start())
    }) {
        rest = cut;
    }
    let subject: String = format!("Re: {rest}").trim_end().chars().take(SUBJECT).collect();
    subject
}

fn quoted(original: &Message) -> String {
    let envelope = &original.envelope;
    let who = envelope.from.first().map_or_else(
        || "Somebody".to_owned(),
        |person| match &person.name {
            Some(name) => format!("{name} <{}>", person.address),
            None => person.address.clone(),
        },
    );
    let day = envelope.date.map(|date| format!("On {}, ", date.strftime("%Y-%m-%d %H:%M UTC")));
    let mut quoted = format!("{}{who} wrote:\n", day.unwrap_or_default());
    for line in original.text.lines() {
        quoted.push_str(if line.starts_with('>') { ">" } else { "> " });
        quoted.push_str(line);
        quoted.push('\n');
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(text: &str) -> Person {
        text.parse().expect("an address")
    }

    fn draft() -> Draft {
        Draft {
            from: person("Jane <jane@home.example>"),
            to: vec![person("Noor <noor@müller.example>")],
            cc: Vec::new(),
            bcc: vec![person("boss@home.example")],
            subject: "Grüße".into(),
            text: ".\nAt noon?\n".into(),
            attachments: Vec::new(),
            references: Vec::new(),
        }
    }

    fn text(draft: &Draft, bcc: bool) -> String {
        let at = Timestamp::from_second(1_795_860_000).expect("a time");
        String::from_utf8(draft.message("1@home.example", at, bcc)).expect("text")
    }

    #[test]
    fn only_the_senders_copy_has_bcc() {
        assert!(!text(&draft(), false).contains("boss"));
        assert!(text(&draft(), true).contains("Bcc: <boss@home.example>"), "{}", text(&draft(), true));
        assert!(text(&draft(), false).contains("xn--mller-kva.example"));
        assert_eq!(draft().envelope().1, ["noor@xn--mller-kva.example", "boss@home.example"]);
    }

    #[test]
    fn values_cannot_inject_headers() {
        for subject in ["Hi\r\nBcc: all@example.org", "Hi\nX: y", "Hi\rX: y", "a\0b"] {
            let draft = Draft { subject: subject.into(), ..draft() };
            assert_eq!(draft.check(), Err(DraftError::Subject), "{subject:?}");
        }
        let name = "a.txt\r\nX: y".to_owned();
        let attachment = Attachment { name, media_type: "text/plain".into(), bytes: vec![1] };
        let draft = Draft { attachments: vec![attachment], ..draft() };
        assert_eq!(draft.check(), Err(DraftError::AttachmentName));
    }

    #[test]
    fn limits_are_checked_before_anything_is_sent() {
        let to: Vec<Person> = (0..500).map(|n| person(&format!("p{n}@example.org"))).collect();
        let many = Draft { to, ..draft() };
        assert_eq!(many.check(), Err(DraftError::TooManyRecipients { count: 501 }));
        let bytes = vec![0; MOST_ATTACHED + 1];
        let large = Attachment { name: "a".into(), media_type: "text/plain".into(), bytes };
        let large = Draft { attachments: vec![large], ..draft() };
        assert_eq!(large.check(), Err(DraftError::TooLarge { bytes: MOST_ATTACHED + 1 }));
        let nobody = Draft { to: Vec::new(), bcc: Vec::new(), ..draft() };
        assert_eq!(nobody.check(), Err(DraftError::NoRecipient));
    }

    fn original(headers: &str) -> Message {
        let raw = format!(
            "{headers}Subject: AW: re: Lunch\r\nMessage-ID: <2@x>\r\nReferences: <1@x>\r\n\
             Date: Fri, 27 Nov 2026 10:00:00 +0100\r\n\r\nAt noon?\r\n> Where?\r\n"
        );
        Message::read(raw.as_bytes(), &[]).expect("a message")
    }

    /// A reply of jane@home.example.
    fn reply(original: &Message, text: &str, all: bool) -> Result<Draft, DraftError> {
        Draft::reply(person("jane@home.example"), original, text, all, &["jane@home.example"])
    }

    #[test]
    fn reply_goes_to_the_author_and_references_the_original() {
        let original =
            original("From: Noor <noor@x>\r\nTo: jane@home.example, Ali <ali@x>\r\nCc: noor@x\r\n");
        let one = reply(&original, "Yes.\n", false).expect("a reply");
        assert_eq!((one.subject.as_str(), one.to.as_slice()), ("Re: Lunch", &[person("Noor <noor@x>")][..]));
        assert_eq!((one.references.len(), one.cc.len()), (2, 0));
        assert!(one.text.starts_with("Yes.\n\nOn 2026-11-27 09:00 UTC, Noor <noor@x> wrote:\n> At noon?\n"));
        let all = reply(&original, "Yes.", true).expect("a reply");
        assert_eq!(all.cc, [person("Ali <ali@x>")], "neither oneself nor anybody twice");
    }

    #[test]
    fn reply_uses_reply_to_or_the_recipients_of_ones_own_message() {
        let listed = original("From: noor@x\r\nReply-To: list@x\r\nTo: list@x\r\n");
        let all = reply(&listed, "Yes.", true).expect("a reply");
        assert_eq!((all.to, all.cc), (vec![person("list@x")], Vec::new()));
        let mine = original("From: jane@home.example\r\nTo: noor@x\r\n");
        assert_eq!(reply(&mine, "Well?", false).expect("a reply").to, [person("noor@x")]);
    }

    #[test]
    fn reply_that_would_leave_people_out_is_refused() {
        let many: Vec<String> = (0..500).map(|n| format!("p{n}@x")).collect();
        let many = many.join(",\r\n ");
        for (headers, all) in [
            (format!("From: noor@x\r\nTo: {many}\r\n"), true),
            (format!("From: noor@x\r\nTo: jane@home.example\r\nCc: {many}\r\n"), true),
            (format!("From: jane@home.example\r\nTo: {many}\r\n"), false),
        ] {
            let refused = reply(&original(&headers), "Yes.", all);
            assert!(
                matches!(refused, Err(DraftError::TooManyRecipients { count: 500 | 501 })),
                "{refused:?}"
            );
        }
        let to_author = reply(&original(&format!("From: noor@x\r\nTo: {many}\r\n")), "Yes.", false);
        assert_eq!(to_author.expect("a reply").to, [person("noor@x")]);
    }
}
