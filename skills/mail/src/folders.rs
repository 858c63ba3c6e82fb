use std::sync::Arc;

use futures::future::join_all;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, ToolContext, ToolError, ToolOutput, Value,
    async_trait, json, schemars,
};
use serde::Deserialize;

use crate::accounts::{chosen, hosts, unavailable};
use crate::opened::{open, some, told};

pub(crate) struct Folders;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Lists the folders of your mailboxes."))]
pub(crate) struct Which {
    /// The name of one mailbox; all of them where nothing is given.
    mailbox: Option<String>,
}

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
        let listing = opened.into_iter().map(|mut opened| async move {
            let found = opened.mailbox.folders().await.map_err(|error| told(&opened.account, &error));
            let name = opened.account.name.clone();
            opened.close().await;
            (name.clone(), found.map(|folders| (name, folders)))
        });
        let (found, also) = some(join_all(listing).await)?;
        problems.extend(also);
        let mailboxes = found.into_iter().map(|(name, folders)| {
            let folders: Vec<Value> = folders
                .into_iter()
                .map(|folder| match folder.role {
                    Some(role) => json!({"folder": folder.name, "for": role.name()}),
                    None => json!({"folder": folder.name}),
                })
                .collect();
            json!({"mailbox": name, "folders": folders})
        });
        let mut answer = json!({"mailboxes": mailboxes.collect::<Vec<_>>()});
        if !problems.is_empty() {
            answer["problems"] = problems.into();
        }
        Ok(Output::new(answer).untrusted().into())
    }
}
