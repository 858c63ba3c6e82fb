use std::collections::HashMap;
use std::sync::Arc;

use futures::future::join_all;
use nova_mail::{FoundMessages, MessageId, Preview, Role, Wanted};
use nova_skill::serde_json::Map;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, ToolContext, ToolError, ToolOutput, Value,
    async_trait, json, schemars,
};
use serde::Deserialize;

use crate::accounts::{Account, chosen, hosts, unavailable};
use crate::headers;
use crate::opened::{Opened, open, some, told};
use crate::row::row;

pub(crate) struct List;

/// How many messages are listed by default, and at most.
const USUAL: usize = 20;
const MOST: usize = 100;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Lists the newest messages."))]
pub(crate) struct Which {
    /// The name of one mailbox; default: all.
    mailbox: Option<String>,
    /// A folder by name or role: inbox, sent, drafts, archive, junk, trash, all; default: inbox.
    folder: Option<String>,
    /// Only unread messages.
    unread: Option<bool>,
    /// How many messages, at most 100; default: 20.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<usize>,
    /// Also how each text begins, whether files are attached, and whether its sender could not be verified.
    preview: Option<bool>,
}

#[async_trait]
impl NativeTool for List {
    type Args = Which;
    const ID: &'static str = "list";
    const EFFECT: Effect = Effect::Read;
    const FENCED: bool = true;
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = &["mail"];

    fn description(&self) -> Description {
        Description::purpose("Lists the newest mail of a folder, newest first.")
            .use_when("the user asks what mail came, or what is unread")
            .not_when("a certain mail is looked for", "mail.search")
            .example("Is there any new mail?")
    }

    fn hosts(&self, args: &Value, config: &Value) -> Option<Vec<String>> {
        Some(hosts(config, args))
    }

    fn unavailable(&self, config: &Value) -> Option<String> {
        unavailable(config)
    }

    async fn run(&self, which: Which, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let accounts = chosen(ctx.config(), which.mailbox.as_deref())?;
        let limit = which.limit.unwrap_or(USUAL).min(MOST);
        let wanted = Wanted { unread: which.unread.unwrap_or_default(), search: None, limit };
        let preview = which.preview.unwrap_or_default();
        newest(ctx.as_ref(), accounts, which.folder.as_deref(), &wanted, preview).await
    }
}

/// The newest matching messages of all these mailboxes together.
///
/// # Errors
/// If no mailbox has the folder, or several have one of that name; if none can be read.
pub(crate) async fn newest(
    ctx: &dyn ToolContext,
    accounts: Vec<Account>,
    folder: Option<&str>,
    wanted: &Wanted,
    preview: bool,
) -> Result<ToolOutput, ToolError> {
    let (opened, mut problems) = open(ctx, accounts).await?;
    let placed = placed(opened, folder, &mut problems).await?;
    let listing = placed.into_iter().map(|(mut opened, folder)| async move {
        let found = headers::list(ctx, &mut opened, &folder, wanted).await;
        let found = found.map_err(|error| told(&opened.account, &error));
        let account = opened.account.clone();
        let previews = match &found {
            Ok(found) if preview => opened.previews(&found.messages).await,
            _ => HashMap::new(),
        };
        opened.close().await;
        (account.name.clone(), found.map(|found| Found { account, found, previews }))
    });
    let (found, also) = some(join_all(listing).await)?;
    problems.extend(also);
    Ok(answer(ctx, found, wanted.limit, problems))
}

/// Each mailbox with its folder; mailboxes without it are left out.
async fn placed(
    opened: Vec<Opened>,
    folder: Option<&str>,
    problems: &mut Vec<Value>,
) -> Result<Vec<(Opened, String)>, ToolError> {
    let looking = opened.into_iter().map(|mut opened| async move {
        let found = opened.folder(folder).await;
        (opened.account.name.clone(), found.map(|found| (opened, found)))
    });
    let (found, also) = some(join_all(looking).await)?;
    problems.extend(also);
    let mut placed: Vec<(Opened, String)> =
        found.into_iter().filter_map(|(opened, folder)| Some((opened, folder?))).collect();
    let said = folder.unwrap_or_default().trim();
    if placed.is_empty() {
        return Err(ToolError::failed(
            format!("There is no folder \"{said}\"."),
            "Call mail.folders for the names of the folders.",
        ));
    }
    // A role means the folder in each mailbox, a name the folder of one.
    if placed.len() > 1 && !said.is_empty() && Role::named(said).is_none() {
        let names: Vec<&str> = placed.iter().map(|(opened, _)| opened.account.name.as_str()).collect();
        let several = format!("Several mailboxes have a folder \"{said}\": {}.", names.join(", "));
        for (opened, _) in placed.drain(..) {
            opened.close().await;
        }
        return Err(ToolError::failed(several, "Call again with mailbox, one of these."));
    }
    Ok(placed)
}

/// The result of one mailbox.
struct Found {
    account: Account,
    found: FoundMessages,
    previews: HashMap<MessageId, Preview>,
}

fn answer(ctx: &dyn ToolContext, found: Vec<Found>, limit: usize, problems: Vec<Value>) -> ToolOutput {
    let total: usize = found.iter().map(|one| one.found.total).sum();
    let mut all: Vec<_> =
        found.iter().flat_map(|one| one.found.messages.iter().map(move |message| (one, message))).collect();
    all.sort_by_key(|(_, message)| std::cmp::Reverse(message.received.or(message.envelope.date)));
    all.truncate(limit);
    let messages: Value = all
        .into_iter()
        .map(|(one, message)| row(ctx, &one.account, message, one.previews.get(&message.id)))
        .collect();
    let mut answer = Map::new();
    answer.insert("total".into(), total.into());
    answer.insert("messages".into(), messages);
    if !problems.is_empty() {
        answer.insert("problems".into(), json!(problems));
    }
    Output::new(answer.into()).untrusted().into()
}
