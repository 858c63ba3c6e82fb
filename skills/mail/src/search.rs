use std::sync::Arc;

use nova_mail::{SearchQuery, Wanted};
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, ToolContext, ToolError, ToolOutput, Value, async_trait,
    date_argument, schemars,
};
use serde::Deserialize;

use crate::accounts::{chosen, hosts, unavailable};
use crate::list::newest;

pub(crate) struct Search;

/// How many messages are listed by default, and at most.
const USUAL: usize = 20;
const MOST: usize = 100;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Searches mail on its server."))]
pub(crate) struct Conditions {
    /// A part of the text or of the headers.
    query: Option<String>,
    /// A part of the sender's name or address.
    from: Option<String>,
    /// A part of a recipient's name or address.
    to: Option<String>,
    /// A part of the subject.
    subject: Option<String>,
    /// Received on this day or later, YYYY-MM-DD.
    #[schemars(extend("format" = "date"))]
    since: Option<String>,
    /// Received before this day, YYYY-MM-DD.
    #[schemars(extend("format" = "date"))]
    before: Option<String>,
    /// Only unread messages.
    unread: Option<bool>,
    /// The name of one mailbox; default: all.
    mailbox: Option<String>,
    /// A folder by name or role: inbox, sent, drafts, archive, junk, trash, all; default: inbox.
    folder: Option<String>,
    /// How many messages, at most 100; default: 20.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<usize>,
    /// Also how each text begins, whether files are attached, and whether its sender could not be verified.
    preview: Option<bool>,
}

#[async_trait]
impl NativeTool for Search {
    type Args = Conditions;
    const ID: &'static str = "search";
    const EFFECT: Effect = Effect::Read;
    const FENCED: bool = true;
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = &["mail"];

    fn description(&self) -> Description {
        Description::purpose("Finds mail by sender, recipient, subject, day or words; the server searches.")
            .use_when("the user looks for a mail, or asks who wrote about something")
            .not_when("the newest mail is asked for", "mail.list")
            .example("Find the mail with the invoice from Fernhill")
    }

    fn hosts(&self, args: &Value, config: &Value) -> Option<Vec<String>> {
        Some(hosts(config, args))
    }

    fn unavailable(&self, config: &Value) -> Option<String> {
        unavailable(config)
    }

    async fn run(&self, said: Conditions, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let day = |name: &str, text: Option<&str>| text.map(|text| date_argument(name, text)).transpose();
        let search = SearchQuery {
            since: day("since", said.since.as_deref())?,
            before: day("before", said.before.as_deref())?,
            text: said.query,
            from: said.from,
            to: said.to,
            recipient: None,
            subject: said.subject,
        };
        if search == SearchQuery::default() {
            return Err(ToolError::InvalidArguments {
                path: String::new(),
                rule: "give at least one condition".into(),
                allowed: ["query", "from", "to", "subject", "since", "before"].map(str::to_owned).into(),
            });
        }
        let accounts = chosen(ctx.config(), said.mailbox.as_deref())?;
        let limit = said.limit.unwrap_or(USUAL).min(MOST);
        let wanted = Wanted { unread: said.unread.unwrap_or_default(), search: Some(search), limit };
        let preview = said.preview.unwrap_or_default();
        newest(ctx.as_ref(), accounts, said.folder.as_deref(), &wanted, preview).await
    }
}
