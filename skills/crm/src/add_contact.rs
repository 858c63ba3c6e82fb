use std::sync::Arc;

use nova_skill::serde_json::Map;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, RecordUse, ToolContext, ToolError, ToolFields,
    ToolOutput, Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::details::Details;
use crate::find::link_text;
use crate::records::{COMPANY, CONTACT, Entry, Records};

pub(crate) struct AddContact;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Adds a person to your contacts."))]
pub(crate) struct NewContact {
    #[serde(flatten)]
    #[schemars(skip)]
    fields: Map<String, Value>,
}

#[async_trait]
impl NativeTool for AddContact {
    type Args = NewContact;
    const ID: &'static str = "add_contact";
    const EFFECT: Effect = Effect::Write;
    const RECORD: Option<RecordUse<'static>> = Some(RecordUse::Adds(CONTACT));
    const FIELDS: ToolFields<'static> = ToolFields::AllBut(&["last_contact"]);

    fn description(&self) -> Description {
        Description::purpose(
            "Adds a contact as a new note. Give only what is known; a name or e-mail address that is there already is refused.",
        )
        .use_when("the user met somebody new, or names a person to keep")
        .not_when("the person is a contact already", "crm.update_contact")
        .example("I met Sam Ortega of Quillon Labs, sam@quillon.example")
    }

    async fn run(&self, new: NewContact, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let declared = ctx.records().get(CONTACT)?;
        let mut details = Details::of(declared, &new.fields)?;
        details.0.retain(|_, value| !value.as_array().is_some_and(Vec::is_empty));

        let name = details.0["name"].as_str().unwrap_or_default();
        let email = details.0.get("email").and_then(|email| email.as_str());
        Records::read(ctx.as_ref(), CONTACT).await?.check_duplicate(name, email)?;
        details.link_company(ctx.as_ref()).await?;

        let name = details.0["name"].as_str().unwrap_or_default();
        let text = declared.new_note(&declared.with_links(&details.0, ctx.vault()).await?)?;
        let path = ctx.vault().free_path(&declared.folder, name).await?;
        let text = declared.on_template(text, path.name(), ctx.as_ref()).await?;
        ctx.vault().create(&path, text).await?;
        let note = ctx.vault().read(&path).await?;
        let mut out = declared.read(&note).to_json();
        out.insert("path".into(), json!(path));
        Ok(Output::new(out.into()).from_notes([path]).into())
    }
}

impl Details {
    /// Replaces the company by a link to its note, if a company has exactly this name. Any other name is
    /// left as it is.
    ///
    /// # Errors
    /// `Ambiguous` if several companies have the name.
    pub(crate) async fn link_company(&mut self, ctx: &dyn ToolContext) -> Result<(), ToolError> {
        let Some(Value::String(name)) = self.0.get(COMPANY) else { return Ok(()) };
        let companies = Records::read(ctx, COMPANY).await?;
        if let Some(company) = companies.by_name(name)? {
            let link = link_text(&company.note().path, ctx.vault()).await?;
            self.0.insert(COMPANY.into(), link.into());
        }
        Ok(())
    }
}

impl Records {
    /// # Errors
    /// `Exists` if another contact has the name or the e-mail address; another error if the note of that name
    /// cannot be read.
    fn check_duplicate(&self, name: &str, email: Option<&str>) -> Result<(), ToolError> {
        if let Some(error) = self.unreadable_as(name) {
            return Err(error);
        }
        let exists = |kind: &str, contact: &Entry, remedy: String| ToolError::Exists {
            kind: kind.into(),
            name: contact.name.clone().into_owned(),
            path: contact.path().into(),
            remedy,
        };
        for contact in self.iter() {
            if contact.has_name(name) {
                let remedy = "Use crm.update_contact to change it; another person of the same name needs a name that \
                              tells them apart.";
                return Err(exists(CONTACT, &contact, remedy.into()));
            }
        }
        for contact in self.iter() {
            if let Some(email) = email
                && contact.has_email(email)?
            {
                let remedy =
                    format!("Use crm.update_contact with the name \"{}\" to change it.", contact.name);
                return Err(exists("contact with this e-mail address,", &contact, remedy));
            }
        }
        Ok(())
    }
}
