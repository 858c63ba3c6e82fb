use std::sync::Arc;

use futures::future::join_all;
use nova_mail::{Counts, Folder, MailError};
use nova_skill::serde_json::Map;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, ToolContext, ToolError, ToolOutput, Value,
    async_trait, json, schemars,
};
use serde::Deserialize;

use crate::accounts::{Account, chosen, hosts, unavailable};
use crate::opened::{Opened, open, some, told};

pub(crate) struct Folders;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Lists the folders of your mailboxes."))]
pub(crate) struct Which {
    /// The name of one mailbox; default: all.
    mailbox: Option<String>,
    /// Also how many messages and unread messages each folder has.
    counts: Option<bool>,
}

/// How many folders are counted: each needs a request.
const COUNTED: usize = 40;

#[async_trait]
impl NativeTool for Folders {
    type Args = Which;
    const ID: &'static str = "folders";
    const EFFECT: Effect = Effect::Read;
    const FENCED: bool = true;
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = &["mail"];

    fn description(&self) -> Description {
        Description::purpose("Lists the mailboxes with their mail folders and what each folder is for.")
            .use_when("the user asks which mailboxes or mail folders there are")
            .not_when("the user asks for mail", "mail.list")
            .example("Which folders does my mailbox have?")
    }

    fn hosts(&self, args: &Value, config: &Value) -> Option<Vec<String>> {
        Some(hosts(config, args))
    }

    fn unavailable(&self, config: &Value) -> Option<String> {
        unavailable(config)
    }

    async fn run(&self, which: Which, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let accounts = chosen(ctx.config(), which.mailbox.as_deref())?;
        let (opened, mut problems) = open(ctx.as_ref(), accounts).await?;
        let counts = which.counts.unwrap_or_default();
        let listing = opened.into_iter().map(|mut opened| async move {
            let found = listed(&mut opened, counts).await.map_err(|error| told(&opened.account, &error));
            let account = opened.account.clone();
            opened.close().await;
            (account.name.clone(), found.map(|folders| (account, folders)))
        });
        let (found, also) = some(join_all(listing).await)?;
        problems.extend(also);
        let mailboxes = found.into_iter().map(|(account, folders)| {
            let folders: Vec<Value> = folders.iter().map(|(folder, counts)| shown(folder, *counts)).collect();
            let mut mailbox = own(&account);
            mailbox.insert("folders".into(), folders.into());
            Value::from(mailbox)
        });
        let mut answer = json!({"mailboxes": mailboxes.collect::<Vec<_>>()});
        if !problems.is_empty() {
            answer["problems"] = problems.into();
        }
        Ok(Output::new(answer).untrusted().into())
    }
}

/// All folders; those with a role are counted first.
async fn listed(opened: &mut Opened, counts: bool) -> Result<Vec<(Folder, Option<Counts>)>, MailError> {
    let folders = opened.mailbox.folders().await?;
    let mut counted: Vec<(Folder, Option<Counts>)> =
        folders.into_iter().map(|folder| (folder, None)).collect();
    if counts {
        let mut order: Vec<usize> = (0..counted.len()).collect();
        order.sort_by_key(|at| counted[*at].0.role.is_none());
        for at in order.into_iter().take(COUNTED) {
            match opened.mailbox.counts(&counted[at].0.name).await {
                Ok(counts) => counted[at].1 = Some(counts),
                Err(MailError::NoFolder { .. }) => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(counted)
}

fn shown(folder: &Folder, counts: Option<Counts>) -> Value {
    let mut shown = Map::new();
    shown.insert("folder".into(), folder.name.clone().into());
    if let Some(role) = folder.role {
        shown.insert("for".into(), role.name().into());
    }
    if let Some(counts) = counts {
        shown.insert("messages".into(), counts.total.into());
        shown.insert("unread".into(), counts.unread.into());
    }
    shown.into()
}

/// A mailbox with its name, its own address and its permissions.
fn own(account: &Account) -> Map<String, Value> {
    let mut own = Map::new();
    own.insert("mailbox".into(), account.name.clone().into());
    if let Some(address) = &account.address {
        own.insert("address".into(), address.clone().into());
    }
    own.insert("sending".into(), if account.sends { "ask" } else { "off" }.into());
    if account.read_only {
        own.insert("read_only".into(), true.into());
    }
    own
}
