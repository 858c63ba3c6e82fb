use std::sync::Arc;

use nova_skill::serde_json::Map;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, ToolContext, ToolError, ToolOutput, Value,
    async_trait, schemars,
};
use serde::Deserialize;

use crate::records::{CONTACT, Entry, Records};

pub(crate) struct GetContact;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Shows one contact."))]
pub(crate) struct Whom {
    /// Name, alias or e-mail, or the note's path.
    #[schemars(extend("x-label" = "Contact", "x-help" = "Name or e-mail address", "x-record" = "contact"))]
    name: String,
}

#[async_trait]
impl NativeTool for GetContact {
    type Args = Whom;
    const ID: &'static str = "get_contact";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose("Reads one contact: all properties, and the note's text with the log.")
            .use_when("the user asks about one person")
            .not_when("several people are asked for", "crm.list_contacts")
            .example("What did I last talk about with Jane?")
    }

    async fn run(&self, whom: Whom, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let contacts = Records::read(ctx.as_ref(), CONTACT).await?;
        let contact = contacts.find(&whom.name)?;
        let path = contact.note().path.clone();
        Ok(Output::new(whole(&contact)).from_notes([path]).into())
    }
}

/// The whole note. The user's own properties are nested, so that they cannot shadow declared fields.
fn whole(contact: &Entry) -> Value {
    let note = contact.note();
    let mut out = Map::new();
    out.insert("name".into(), contact.name.clone().into());
    let declared = contact.record.to_json();
    let other = contact.record.other_properties();
    let other: Map<_, _> = other.map(|(key, value)| (key.to_owned(), value.to_json())).collect();
    out.extend(declared.into_iter().filter(|(_, value)| !value.is_null()));
    if !other.is_empty() {
        out.insert("other_properties".into(), Value::Object(other));
    }
    let body = note.text.get(note.document.body_start()..).unwrap_or_default();
    out.insert("text".into(), body.trim().into());
    out.insert("path".into(), contact.path().into());
    Value::Object(out)
}
