//! Whether the user has written to a recipient before, according to Sent.

use std::collections::BTreeMap;

use nova_mail::{Envelope, Person, Role, SearchQuery, Wanted};
use nova_skill::{ToolContext, ToolError};

use crate::accounts::Account;
use crate::headers;
use crate::opened::{Opened, told};

/// How many recipients are looked up, and how many mails to each are counted.
const LOOKED_FOR: usize = 20;
const COUNTED: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Known {
    /// "14 mails since March 2024"
    Since(String),
    Never,
}

/// By address in lower case; omits recipients beyond the first 20, and all if the mailbox has no Sent.
///
/// # Errors
/// If the mailbox cannot be read.
pub(crate) async fn known(
    ctx: &dyn ToolContext,
    account: &Account,
    recipients: impl Iterator<Item = &Person>,
) -> Result<BTreeMap<String, Known>, ToolError> {
    let addresses: Vec<String> = recipients.map(|person| person.address.to_lowercase()).collect();
    let mut opened = Opened::new(ctx, account.clone()).await?;
    let found = look(ctx, &mut opened, addresses).await;
    opened.close().await;
    found
}

async fn look(
    ctx: &dyn ToolContext,
    opened: &mut Opened,
    addresses: Vec<String>,
) -> Result<BTreeMap<String, Known>, ToolError> {
    let mut known = BTreeMap::new();
    let Some(sent) = opened.with_role(Role::Sent).await? else { return Ok(known) };
    for address in addresses.into_iter().take(LOOKED_FOR) {
        let search = SearchQuery { recipient: Some(address.clone()), ..SearchQuery::default() };
        let wanted = Wanted { search: Some(search), limit: COUNTED, ..Wanted::default() };
        let found = headers::list(ctx, opened, &sent, &wanted).await;
        let found = found.map_err(|error| told(&opened.account, &error))?;
        // The server matches substrings: jo@x is in mary.jo@x.
        let mut days = found.messages.iter().filter_map(|message| {
            let Envelope { to, cc, bcc, .. } = &message.envelope;
            let is_to = to.iter().chain(cc).chain(bcc).any(|person| person.address.to_lowercase() == address);
            is_to.then_some(message.received.or(message.envelope.date))
        });
        let first = days.by_ref().collect::<Vec<_>>();
        let more = if found.total > found.messages.len() { "+" } else { "" };
        let said = match (first.len(), first.iter().flatten().min()) {
            (0, _) => Known::Never,
            (count, oldest) => {
                let mails = if count == 1 { "mail" } else { "mails" };
                let since =
                    oldest.map(|at| at.to_zoned(ctx.clock().zone()).strftime(" since %B %Y").to_string());
                Known::Since(format!("{count}{more} {mails}{}", since.unwrap_or_default()))
            }
        };
        known.insert(address, said);
    }
    Ok(known)
}
