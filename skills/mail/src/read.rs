use std::sync::Arc;

use nova_mail::{Check, Envelope, Finding, Link, Message, Part, PartKind, SenderCheck, visible_line};
use nova_skill::serde_json::Map;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, ToolContext, ToolError, ToolOutput, Value,
    async_trait, json, schemars,
};
use serde::Deserialize;

use crate::accounts::{hosts, message, unavailable};
use crate::attached_event::attached_event;
use crate::bodies;
use crate::opened::{Opened, told};
use crate::row::{people, time};

pub(crate) struct Read;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Shows one message."))]
pub(crate) struct Which {
    /// The id of the message, as mail.list or mail.search returns it.
    id: String,
    /// Also the addresses of its links.
    links: Option<bool>,
    /// Its mailbox, by name.
    mailbox: Option<String>,
}

/// The longest text or address of a link; an address is no longer than this.
const LINK: usize = 2_000;

/// The most characters of a text with those of the messages forwarded in it.
const TEXT: usize = 40_000;

#[async_trait]
impl NativeTool for Read {
    type Args = Which;
    const ID: &'static str = "read";
    const EFFECT: Effect = Effect::Read;
    const FENCED: bool = true;
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = &["mail"];

    fn description(&self) -> Description {
        Description::purpose(
            "Reads one mail: its text, its attachments by name, and what is known of its sender.",
        )
        .use_when("the user asks what a mail says")
        .not_when("the mails before and after it are asked for", "mail.thread")
        .example("What does the mail from Noor say?")
    }

    fn hosts(&self, args: &Value, config: &Value) -> Option<Vec<String>> {
        Some(hosts(config, args))
    }

    fn unavailable(&self, config: &Value) -> Option<String> {
        unavailable(config)
    }

    async fn run(&self, which: Which, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let (account, id) = message(ctx.config(), &which.id, which.mailbox.as_deref())?;
        let mut opened = Opened::new(ctx.as_ref(), account.clone()).await?;
        let fetched = bodies::fetch(&mut opened, &id).await.map_err(|error| told(&account, &error));
        opened.close().await;
        let receiver: Vec<&str> = account.checked_by.as_deref().into_iter().collect();
        let message = fetched?.read(&receiver).map_err(|error| told(&account, &error.into()))?;
        let mut answer = answer(ctx.as_ref(), which.id, &message);
        if which.links.unwrap_or_default() {
            add_links(&mut answer, &message);
        }
        Ok(Output::new(answer.into()).untrusted().into())
    }
}

pub(crate) fn answer(ctx: &dyn ToolContext, id: String, message: &Message) -> Map<String, Value> {
    let envelope = &message.envelope;
    let mut answer = Map::new();
    answer.insert("id".into(), id.into());
    let all = [
        ("from", &envelope.from),
        ("reply_to", &envelope.reply_to),
        ("to", &envelope.to),
        ("cc", &envelope.cc),
        ("bcc", &envelope.bcc),
    ];
    for (key, list) in all.into_iter().filter(|(_, list)| !list.is_empty()) {
        answer.insert(key.into(), people(list).into());
    }
    if envelope.more_people > 0 {
        answer.insert("more_recipients".into(), envelope.more_people.into());
    }
    answer.insert("subject".into(), envelope.subject.clone().into());
    if let Some(date) = envelope.date {
        answer.insert("date".into(), time(ctx, date).into());
    }
    let domain = envelope.from.first().and_then(|person| person.address.rsplit_once('@'));
    let domain = domain.map_or("an unknown domain", |(_, domain)| domain);
    answer.insert("sender".into(), sender(&message.sender, domain).into());
    if let Some(verified) = message.sender.verified() {
        answer.insert("verified".into(), verified.into());
    }
    if !message.findings.is_empty() {
        answer.insert("warnings".into(), message.findings.iter().map(warning).collect::<Value>());
    }
    if !message.parts.is_empty() {
        answer.insert("attachments".into(), attachments(ctx, &message.parts));
    }
    if message.more_parts > 0 {
        answer.insert("more_attachments".into(), message.more_parts.into());
    }
    if message.folded > 0 {
        answer.insert("earlier_lines_left_out".into(), message.folded.into());
    }
    if message.remote_images > 0 {
        answer.insert("remote_images_not_loaded".into(), message.remote_images.into());
    }
    let (text, is_cut) = text(ctx, message);
    if is_cut {
        answer.insert("cut".into(), "The text goes on; its end is left out.".into());
    }
    answer.insert("text".into(), text.into());
    answer
}

/// Its text and those of the messages forwarded in it, each below its headers; and whether its end is left out.
fn text(ctx: &dyn ToolContext, message: &Message) -> (String, bool) {
    let mut text = message.text.clone();
    let mut is_cut = message.cut;
    let mut waiting: Vec<&Message> = message.forwarded.iter().rev().collect();
    while let Some(forwarded) = waiting.pop() {
        let Envelope { from, to, cc, subject, date, .. } = &forwarded.envelope;
        text.push_str("\n\n---------- Forwarded message ----------\n");
        for (name, list) in [("From", from), ("To", to), ("Cc", cc)] {
            if !list.is_empty() {
                text.push_str(&format!("{name}: {}\n", people(list)));
            }
        }
        if let Some(date) = date {
            text.push_str(&format!("Date: {}\n", time(ctx, *date)));
        }
        text.push_str(&format!("Subject: {subject}\n\n{}", forwarded.text));
        is_cut |= forwarded.cut;
        if let Some((end, _)) = text.char_indices().nth(TEXT) {
            text.truncate(end);
            return (text, true);
        }
        waiting.extend(forwarded.forwarded.iter().rev());
    }
    (text.trim_start().to_owned(), is_cut)
}

/// The addresses of the links in its text.
pub(crate) fn add_links(answer: &mut Map<String, Value>, message: &Message) {
    if !message.links.is_empty() {
        answer.insert("links".into(), message.links.iter().map(link).collect::<Value>());
    }
}

fn link(link: &Link) -> Value {
    json!({"text": visible_line(&link.text, LINK), "url": visible_line(&link.url, LINK)})
}

/// What the receiving server found, and for which domain.
fn sender(check: &SenderCheck, from: &str) -> String {
    if !check.checked {
        return "Not checked: your server gives no result.".into();
    }
    let all = [("SPF", &check.spf), ("DKIM", &check.dkim), ("DMARC", &check.dmarc)];
    let all = || all.iter().filter_map(|(name, said)| Some((*name, said.as_ref()?)));
    let passed: Vec<&str> =
        all().filter(|(_, said)| said.speaks_for_sender()).map(|(name, _)| name).collect();
    let others = all().filter_map(|(name, said)| {
        let domain = said.domain.as_deref().map(|domain| visible_line(domain, LINK));
        match (said.result, domain) {
            (Check::Failed, domain) => {
                Some(format!("{name} failed for {}", domain.as_deref().unwrap_or(from)))
            }
            (Check::Passed, _) if said.aligned => None,
            (Check::Passed, Some(domain)) => {
                Some(format!("{name} passed for {domain}, which is another domain"))
            }
            (Check::Passed, None) => {
                Some(format!("{name} passed, and your server does not say for which domain"))
            }
            (Check::Unknown, _) => None,
        }
    });
    let others = others.collect::<Vec<_>>().join("; ");
    match (check.verified() == Some(true), others.as_str()) {
        (true, "") => format!("Sent by {from}, {} passed.", passed.join(" and ")),
        (true, others) => format!("Sent by {from}, {} passed. {others}.", passed.join(" and ")),
        (false, "") => format!("Not verified: there is no result for {from}."),
        (false, others) => format!("Not verified: {others}."),
    }
}

pub(crate) fn warning(finding: &Finding) -> String {
    match finding {
        Finding::NotVerified { domain } => format!("Your server could not verify that {domain} sent it."),
        Finding::ReplyElsewhere { from, reply_to } => {
            format!("A reply would go to {reply_to}, not to {from}.")
        }
        Finding::ReplyToOther { from, reply_to } => {
            format!("An answer goes to {reply_to}; the mail is from {from}.")
        }
        Finding::NameIsAddress { name, address } => {
            format!("The sender is called \"{name}\", and the address is {address}.")
        }
        Finding::LookAlike { domain, ascii } => {
            format!("The domain {domain} ({ascii}) has letters that look like those of another one.")
        }
        Finding::SeveralSenders { count } => format!("It names {count} senders."),
        Finding::NoSender => "It names no sender.".into(),
        Finding::Hidden { part } => format!("{part} is an Outlook container; its content is not shown."),
        Finding::Runs { part } => format!("{part} is a program: it runs when it is opened."),
    }
}

/// The most calendar files that are read.
const ENTRIES: usize = 2;
/// The most characters of one whose event cannot be read.
const ENTRY: usize = 4_000;

fn attachments(ctx: &dyn ToolContext, parts: &[Part]) -> Value {
    let mut entries = 0;
    let rows = parts.iter().map(|one| {
        let mut row = part(one);
        if let Some(entry) = one.entry.as_ref().filter(|text| entries < ENTRIES && !text.is_empty()) {
            entries += 1;
            match attached_event(ctx, entry) {
                Some(event) => row["event"] = event,
                None => row["entry"] = entry.chars().take(ENTRY).collect::<String>().into(),
            }
        }
        row
    });
    rows.collect()
}

fn part(part: &Part) -> Value {
    let kind = match part.kind {
        PartKind::Attachment => "attachment",
        PartKind::Inline => "inline image",
        PartKind::Calendar => "calendar",
        PartKind::Message => "message",
        PartKind::Tnef => "winmail",
    };
    json!({"name": part.name, "type": part.media_type, "bytes": part.size, "kind": kind})
}
