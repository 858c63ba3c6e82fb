use std::sync::Arc;

use nova_skill::serde_json::Map;
use nova_skill::{
    Change, Description, Effect, JsonSchema, NativeTool, Output, RecordUse, ToolContext, ToolError,
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
    /// The person's whole name.
    #[schemars(extend("x-help" = "First and last name"))]
    name: String,
    /// The company they work for, by name.
    #[schemars(extend("x-help" = "Where they work", "x-values-from" = ["company.name", "contact.company"]))]
    company: Option<String>,
    /// Their e-mail address.
    #[schemars(extend("x-label" = "E-mail"))]
    email: Option<String>,
    /// Their phone number, as the user writes it.
    phone: Option<String>,
    /// The stage they are at, in the user's words; default: "lead".
    #[schemars(extend("x-help" = "Lead if left empty", "x-values-from" = ["contact.stage", "deal.stage"]))]
    stage: Option<String>,
    /// Tags, without "#".
    #[schemars(extend("x-values-from" = ["contact.tags"]))]
    tags: Option<Vec<String>>,
    /// The day to talk to them next, YYYY-MM-DD.
    #[schemars(extend("format" = "date"))]
    #[schemars(extend("x-help" = "When to talk to them next"))]
    next_contact: Option<String>,
    /// Their birthday, YYYY-MM-DD, or --MM-DD where the year is not known.
    #[schemars(extend("x-help" = "Such as 1990-03-14, or --03-14"))]
    birthday: Option<String>,
    /// How often to be in touch with them, such as "2 weeks" or "month".
    #[schemars(extend("x-label" = "Be in touch every", "x-help" = "Such as 2 weeks, or month"))]
    every: Option<String>,
    /// Fields that the user added.
    #[serde(default)]
    #[schemars(skip)]
    own: Map<String, Value>,
}

#[async_trait]
impl NativeTool for AddContact {
    type Args = NewContact;
    const ID: &'static str = "add_contact";
    const EFFECT: Effect = Effect::Write;
    const RECORD: Option<RecordUse<'static>> = Some(RecordUse::Adds(CONTACT));

    fn description(&self) -> Description {
        Description::purpose(
            "Adds a contact as a new note. Give only what is known; a name or e-mail address that is there already is refused.",
        )
        .use_when("the user met somebody new, or names a person to keep")
        .not_when("the person is a contact already", "crm.update_contact")
        .example("I met Sam Ortega of Quillon Labs, sam@quillon.example")
    }

    async fn run(&self, new: NewContact, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let mut details = Details::default();
        details.text("name", Change::Set(new.name))?;
        details.text("company", new.company.into())?;
        details.email(new.email.into())?;
        details.text("phone", new.phone.into())?;
        details.text("stage", new.stage.into())?;
        details.tags(new.tags.filter(|tags| !tags.is_empty()).into())?;
        details.birthday(new.birthday.into())?;
        details.every(new.every.into())?;
        details.text("next_contact", new.next_contact.into())?;
        details.0.extend(new.own);

        let name = details.0["name"].as_str().unwrap_or_default();
        let email = details.0.get("email").and_then(|email| email.as_str());
        Records::read(ctx.as_ref(), CONTACT).await?.refuse_twice(name, email)?;
        details.link_company(ctx.as_ref()).await?;

        let declared = ctx.records().get(CONTACT)?;
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
    /// Makes the company of a contact what leads to its note, where there is one of that very name. Any
    /// other name stays what it is.
    ///
    /// # Errors
    /// `Ambiguous` where several have it.
    pub(crate) async fn link_company(&mut self, ctx: &dyn ToolContext) -> Result<(), ToolError> {
        let Some(Value::String(said)) = self.0.get(COMPANY) else { return Ok(()) };
        let companies = Records::read(ctx, COMPANY).await?;
        if let Some(company) = companies.called(said)? {
            let link = link_text(&company.note().path, ctx.vault()).await?;
            self.0.insert(COMPANY.into(), link.into());
        }
        Ok(())
    }
}

impl Records {
    /// # Errors
    /// `Exists` when another contact has that name or that e-mail address; an error of its own when a
    /// note of that name is there and cannot be read.
    fn refuse_twice(&self, name: &str, email: Option<&str>) -> Result<(), ToolError> {
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
            if contact.is_called(name) {
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
