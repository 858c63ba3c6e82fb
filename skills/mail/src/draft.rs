use std::sync::Arc;

use nova_mail::{Appended, Role};
use nova_skill::{
    ContentHash, Description, Effect, JsonSchema, NativeTool, Output, Preview, ToolContext, ToolError,
    ToolOutput, Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::accounts::{Account, hosts, message, one, unavailable};
use crate::old_draft::OldDraft;
use crate::opened::{Opened, told};
use crate::outgoing::{Given, Outgoing};

pub(crate) struct MakeDraft;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Puts a mail into the drafts of a mailbox."))]
pub(crate) struct DraftMail {
    /// The mailbox, by its name; needed if several match.
    #[schemars(extend("x-label" = "Mailbox"))]
    mailbox: Option<String>,
    /// Addresses, such as jane@example.org or Jane Doe <jane@example.org>.
    #[schemars(length(max = 1000))]
    #[schemars(extend("x-label" = "To"))]
    to: Option<Vec<String>>,
    /// Recipients of a copy, visible to all.
    #[schemars(length(max = 1000))]
    #[schemars(extend("x-label" = "Cc"))]
    cc: Option<Vec<String>>,
    /// Recipients of a copy, hidden from the others.
    #[schemars(length(max = 1000))]
    #[schemars(extend("x-label" = "Bcc"))]
    bcc: Option<Vec<String>>,
    /// One line.
    #[schemars(length(max = 1000))]
    #[schemars(extend("x-label" = "Subject"))]
    subject: Option<String>,
    /// Plain text.
    #[schemars(length(max = 200_000))]
    #[schemars(extend("x-label" = "Text"))]
    text: Option<String>,
    /// Paths of files in the vault.
    #[schemars(length(max = 20))]
    #[schemars(extend("x-label" = "Attachments"))]
    attachments: Option<Vec<String>>,
    /// The id of a message that this answers: sets the recipient and the subject unless given, and quotes it.
    #[schemars(extend("x-label" = "In reply to"))]
    reply_to: Option<String>,
    /// The answer also goes to its other recipients.
    #[schemars(extend("x-label" = "Reply to all"))]
    all: Option<bool>,
    /// The id of an earlier draft that this one replaces.
    #[schemars(extend("x-label" = "Replaces"))]
    replace: Option<String>,
}

impl DraftMail {
    fn account(&self, ctx: &dyn ToolContext) -> Result<Account, ToolError> {
        let account = match (self.reply_to.as_deref(), self.replace.as_deref()) {
            (Some(id), _) | (None, Some(id)) => message(ctx.config(), id, self.mailbox.as_deref())?.0,
            (None, None) => one(ctx.config(), self.mailbox.as_deref(), |account| !account.read_only)?,
        };
        account.check_writable()?;
        Ok(account)
    }

    async fn outgoing(self, ctx: &dyn ToolContext) -> Result<Outgoing, ToolError> {
        let account = self.account(ctx)?;
        let replaced = OldDraft::find(ctx, &account, "replace", self.replace.as_deref()).await?;
        let copies = self.cc.is_some();
        let given = Given {
            to: self.to.unwrap_or_default(),
            cc: self.cc.unwrap_or_default(),
            bcc: self.bcc.unwrap_or_default(),
            subject: self.subject.unwrap_or_default(),
            text: self.text.unwrap_or_default(),
            attachments: self.attachments.unwrap_or_default(),
        };
        let Some(id) = self.reply_to else {
            let mut outgoing = Outgoing::new(ctx, account, given).await?;
            outgoing.replaced = replaced;
            return Ok(outgoing);
        };
        let files = given.attachments.clone();
        let mut reply = Outgoing::reply(ctx, &id, &given.text, self.all.unwrap_or_default(), files).await?;
        let said = Outgoing::new(ctx, account, Given { attachments: Vec::new(), ..given }).await?.draft;
        if !said.to.is_empty() {
            reply.draft.to = said.to;
        }
        if copies {
            reply.draft.cc = said.cc;
        }
        reply.draft.bcc = said.bcc;
        if !said.subject.is_empty() {
            reply.draft.subject = said.subject;
        }
        reply.replaced = replaced;
        Ok(reply)
    }
}

#[async_trait]
impl NativeTool for MakeDraft {
    type Args = DraftMail;
    const ID: &'static str = "draft";
    const EFFECT: Effect = Effect::External;
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = &["mail"];
    const PREVIEWS: bool = true;

    fn description(&self) -> Description {
        Description::purpose("Puts a mail into the drafts of a mailbox, unsent, or replaces a draft.")
            .use_when("the user wants a mail prepared, to look at it or send it later")
            .not_when("the mail is to be sent now", "mail.send")
            .example("Draft a mail to Fernhill about the invoice")
    }

    fn hosts(&self, args: &Value, config: &Value) -> Option<Vec<String>> {
        // For a reply or a replaced draft, the id determines the mailbox.
        let id = ["reply_to", "replace"].into_iter().find_map(|key| args[key].as_str());
        Some(match id {
            Some(id) => hosts(config, &json!({"id": id})),
            None => hosts(config, args),
        })
    }

    fn unavailable(&self, config: &Value) -> Option<String> {
        unavailable(config)
    }

    fn question(&self, args: &Value, _: &Value) -> Option<String> {
        Some(if args["replace"].is_string() { "Replace 1 draft?" } else { "Save 1 draft?" }.into())
    }

    async fn preview(
        &self,
        mail: DraftMail,
        ctx: Arc<dyn ToolContext>,
    ) -> Result<Option<Preview>, ToolError> {
        mail.outgoing(ctx.as_ref()).await?.preview(ctx.as_ref()).await.map(Some)
    }

    async fn run(&self, mail: DraftMail, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let ctx = ctx.as_ref();
        let outgoing = mail.outgoing(ctx).await?;
        // A rule may let it run without a card.
        if ctx.shown().is_some() {
            outgoing.check_shown(ctx)?;
        }
        let account = &outgoing.account;
        let mut opened = Opened::new(ctx, account.clone()).await?;
        let drafts = opened.with_role(Role::Drafts).await?.ok_or_else(|| {
            ToolError::failed(
                format!("{} has no folder for drafts.", account.name),
                "Create one in a mail program, or offer the draft as text.",
            )
        })?;
        let at = ctx.clock().now();
        let unique = format!("{}\n{}\n{at:?}", ctx.request().session, ctx.request().call);
        let message_id = format!("{}@draft.invalid", &ContentHash::of(unique.as_bytes()).to_string()[..32]);
        let message = outgoing.draft.message(&message_id, at, true);
        let new = opened.mailbox.append(&drafts, &message, Appended::Draft).await;
        let new = new.map_err(|error| told(account, &error));
        let removed = match (&new, &outgoing.replaced) {
            (Ok(_), Some(old)) => opened.mailbox.remove_draft(&old.id).await.err(),
            _ => None,
        };
        opened.close().await;
        let mut answer = json!({"id": new?.map(|id| account.id(&id))});
        if let Some(error) = removed {
            answer["problem"] = format!("The earlier draft is still there: {error}.").into();
        }
        Ok(Output::new(answer).into())
    }
}
