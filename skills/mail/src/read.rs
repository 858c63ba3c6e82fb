use std::sync::Arc;

use nova_mail::{Check, Finding, Link, Message, Part, PartKind, SenderCheck, visible_line};
use nova_skill::serde_json::Map;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, ToolContext, ToolError, ToolOutput, Value,
    async_trait, json, schemars,
};
use serde::Deserialize;

use crate::accounts::{hosts, message, unavailable};
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
}

/// The longest text or address of a link; an address is no longer than this.
const LINK: usize = 2_000;

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
        let (account, id) = message(ctx.config(), &which.id)?;
        let mut opened = Opened::new(ctx.as_ref(), account.clone()).await?;
        let fetched = opened.mailbox.fetch(&id).await.map_err(|error| told(&account, &error));
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
        answer.insert("attachments".into(), attachments(&message.parts));
    }
    if message.more_parts > 0 {
        answer.insert("more_attachments".into(), message.more_parts.into());
    }
    if message.folded > 0 {
        answer.insert("earlier_lines_left_out".into(), message.folded.into());
    }
    if message.cut {
        answer.insert("cut".into(), "The text goes on; its end is left out.".into());
    }
    if message.remote_images > 0 {
        answer.insert("remote_images_not_loaded".into(), message.remote_images.into());
    }
    answer.insert("text".into(), message.text.clone().into());
    answer
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

/// The receiving server's result, in one sentence.
fn sender(check: &SenderCheck, domain: &str) -> String {
    if !check.checked {
        return "Not checked: your server gives no result.".into();
    }
    let all = [("SPF", check.spf), ("DKIM", check.dkim), ("DMARC", check.dmarc)];
    let with = |wanted: Check| {
        let names = all.iter().filter(|(_, said)| *said == Some(wanted)).map(|(name, _)| *name);
        names.collect::<Vec<_>>().join(" and ")
    };
    match (with(Check::Passed).as_str(), with(Check::Failed).as_str()) {
        ("", "") => format!("Not verified: there is no result for {domain}."),
        ("", failed) => format!("Not verified: {failed} failed for {domain}."),
        (passed, "") => format!("Sent by {domain}, {passed} passed."),
        (passed, failed) => format!("{passed} passed and {failed} failed for {domain}."),
    }
}

fn warning(finding: &Finding) -> String {
    match finding {
        Finding::NotVerified { domain } => format!("Your server could not verify that {domain} sent it."),
        Finding::ReplyElsewhere { from, reply_to } => {
            format!("A reply would go to {reply_to}, not to {from}.")
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

/// The most calendar entries whose text is given.
const ENTRIES: usize = 2;

fn attachments(parts: &[Part]) -> Value {
    let mut entries = 0;
    let rows = parts.iter().map(|one| {
        let mut row = part(one);
        if let Some(entry) = one.entry.as_ref().filter(|_| entries < ENTRIES) {
            row["entry"] = entry.clone().into();
            entries += 1;
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
