//! How messages and people appear in answers.

use nova_mail::{Envelope, Listed, Person, Preview};
use nova_skill::jiff::Timestamp;
use nova_skill::serde_json::Map;
use nova_skill::{ToolContext, Value};

use crate::accounts::Account;

/// A message in a list.
pub(crate) fn row(
    ctx: &dyn ToolContext,
    account: &Account,
    message: &Listed,
    preview: Option<&Preview>,
) -> Value {
    let mut row = Map::new();
    row.insert("id".into(), account.id(&message.id).into());
    row.insert("from".into(), people(&message.envelope.from).into());
    row.insert("subject".into(), message.envelope.subject.clone().into());
    if let Some(at) = message.received.or(message.envelope.date) {
        row.insert("received".into(), time(ctx, at).into());
    }
    for (key, holds) in
        [("unread", message.unread), ("flagged", message.flagged), ("answered", message.answered)]
    {
        if holds {
            row.insert(key.into(), true.into());
        }
    }
    if let Some(preview) = preview {
        row.insert("text".into(), preview.text.clone().into());
        let Envelope { references, message_id, .. } = &message.envelope;
        if let Some(first) = references.first().or(message_id.as_ref()) {
            row.insert("conversation".into(), first.clone().into());
        }
        for (key, holds) in [("attachments", preview.attached), ("not_verified", preview.not_verified)] {
            if holds {
                row.insert(key.into(), true.into());
            }
        }
    }
    row.into()
}

/// In the user's zone.
pub(crate) fn time(ctx: &dyn ToolContext, at: Timestamp) -> String {
    at.to_zoned(ctx.clock().zone()).strftime("%Y-%m-%d %H:%M %:z").to_string()
}

/// The same to the minute, without the zone: `2026-11-23 14:35`.
pub(crate) fn minute(ctx: &dyn ToolContext, at: Timestamp) -> String {
    at.to_zoned(ctx.clock().zone()).strftime("%Y-%m-%d %H:%M").to_string()
}

pub(crate) fn people(people: &[Person]) -> String {
    let one = |person: &Person| match &person.name {
        Some(name) => format!("{name} <{}>", person.address),
        None => person.address.clone(),
    };
    people.iter().map(one).collect::<Vec<_>>().join(", ")
}
