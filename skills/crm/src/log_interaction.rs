use std::sync::Arc;

use nova_skill::{
    Change, Date, Description, Effect, JsonSchema, NativeTool, Output, ToolContext, ToolError, ToolOutput,
    async_trait, date_argument, json, schemars, serde_json::Map, summarize,
};
use serde::Deserialize;

use crate::log;
use crate::records::{CONTACT, Records};

pub(crate) struct LogInteraction;

// Explicit fields: `text` is a log line, not a field of the record, and an absent `next_contact` has a
// meaning of its own here.
#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Records what you talked about."))]
pub(crate) struct Interaction {
    /// Name, alias or e-mail, or the note's path.
    #[schemars(extend("x-label" = "Contact", "x-help" = "Name or e-mail address", "x-record" = "contact"))]
    name: String,
    /// What happened, in one sentence or a few; no date in front.
    #[schemars(extend("x-label" = "What was said", "x-help" = "One or two sentences"))]
    text: String,
    /// The day it happened, YYYY-MM-DD; default: today.
    #[schemars(extend("format" = "date", "x-starts" = "today"))]
    #[schemars(extend("x-help" = "The day you talked"))]
    date: Option<String>,
    /// The day to talk to them next, YYYY-MM-DD; null removes it. Without it, a past date is removed and an
    /// upcoming one stays.
    #[serde(default)]
    #[schemars(extend("format" = "date"))]
    #[schemars(extend("x-help" = "When to talk to them next"))]
    next_contact: Change<String>,
}

#[async_trait]
impl NativeTool for LogInteraction {
    type Args = Interaction;
    const ID: &'static str = "log_interaction";
    const EFFECT: Effect = Effect::Write;

    fn description(&self) -> Description {
        Description::purpose(
            "Logs a call, a mail or a meeting that took place: a dated line under \"## Log\" of the contact, and the date \
             of the last contact.",
        )
        .use_when("the user just called, wrote to or spoke with somebody, and says what he or she wants, such as other terms")
        .not_when("somebody is a customer now, or is to be called on a day to come", "crm.update_contact")
        .not_when("what was talked about is asked for", "crm.get_contact")
        .not_when("somebody new was met", "crm.add_contact")
        .example("I just called Jane: she wants the terms for two years")
    }

    async fn run(
        &self,
        interaction: Interaction,
        ctx: Arc<dyn ToolContext>,
    ) -> Result<ToolOutput, ToolError> {
        let today = ctx.clock().today();
        let date = match &interaction.date {
            Some(day) => date_argument("date", day)?,
            None => today,
        };
        if date > today {
            return Err(invalid_argument(
                "date",
                format!(
                    "{date} is after today, {today}, and cannot have happened; a future day belongs in next_contact"
                ),
            ));
        }
        let line = log::line(date, &interaction.text)
            .ok_or_else(|| invalid_argument("text", "must not be empty; say what happened".into()))?;

        let contacts = Records::read(ctx.as_ref(), CONTACT).await?;
        let contact = contacts.find(&interaction.name)?;
        let before = contact.note();
        let mut values = Map::new();
        if contact.record.date("last_contact")?.is_none_or(|last| last < date) {
            values.insert("last_contact".into(), date.to_string().into());
        }
        match interaction.next_contact {
            Change::Set(day) => {
                let next = date_argument("next_contact", &day)?;
                values.insert("next_contact".into(), next.to_string().into());
            }
            Change::Remove => {
                values.insert("next_contact".into(), nova_skill::Value::Null);
            }
            Change::Keep => {
                if is_due(contact.record.date("next_contact")?, date) {
                    values.insert("next_contact".into(), nova_skill::Value::Null);
                }
            }
        }

        let edits = contacts.declared.edits(before, &values)?;
        if !edits.is_empty() {
            ctx.vault().set_properties(&before.path, &edits).await?;
        }
        match log::before_later(before, date) {
            Some((old, at)) => {
                let new = format!("{}{line}\n{}", &old[..at], &old[at..]);
                ctx.vault().replace(&before.path, &old, &new, None).await?;
            }
            None => ctx.vault().append(&before.path, &line, Some(log::HEADING)).await?,
        }

        let after = ctx.vault().read(&before.path).await?;
        let record = contacts.declared.read(&after);
        let mut out = json!({
            "name": contact.name,
            "logged": line,
            "changed": summarize(&before.text, &after.text),
            "path": before.path,
        });
        for field in ["last_contact", "next_contact"] {
            if let Some(day) = record.date(field)? {
                out[field] = day.to_string().into();
            }
        }
        Ok(Output::new(out).from_notes([before.path.clone()]).into())
    }
}

/// Whether the planned contact is due by `date`, so that this interaction fulfils it.
fn is_due(next: Option<Date>, date: Date) -> bool {
    next.is_some_and(|next| next <= date)
}

fn invalid_argument(argument: &str, rule: String) -> ToolError {
    ToolError::InvalidArguments { path: format!("/{argument}"), rule, allowed: Vec::new() }
}
