use std::sync::Arc;

use nova_skill::serde_json::Map;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, RecordUse, ToolContext, ToolError, ToolFields,
    ToolOutput, Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::deals::Deals;
use crate::details::Details;
use crate::find::{Target, link_text};
use crate::records::{COMPANY, CONTACT, DEAL, Records};

pub(crate) struct AddDeal;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Adds a deal to the pipeline."))]
pub(crate) struct NewDeal {
    #[serde(flatten)]
    #[schemars(skip)]
    fields: Map<String, Value>,
}

#[async_trait]
impl NativeTool for AddDeal {
    type Args = NewDeal;
    const ID: &'static str = "add_deal";
    const EFFECT: Effect = Effect::Write;
    const RECORD: Option<RecordUse<'static>> = Some(RecordUse::Adds(DEAL));
    const FIELDS: ToolFields<'static> = ToolFields::AllBut(&[]);

    fn description(&self) -> Description {
        Description::purpose(
            "Adds a deal as a new note. Give only what is known; a title that is there already is refused.",
        )
        .use_when("there is a new deal, a new offer or opportunity with somebody, worth keeping")
        .not_when("the deal is there already", "crm.update_deal")
        .example("New deal with Jane: licence renewal, 18,500 euros, closes at the end of the year")
    }

    async fn run(&self, new: NewDeal, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let deals = Deals::read(ctx.as_ref()).await?;
        let mut details = Details::of(&deals.records.declared, &new.fields)?;
        if let Some(Value::String(stage)) = details.0.get("stage") {
            let stage = deals.stages.named(stage)?.name.clone();
            details.0.insert("stage".into(), stage.into());
        }
        if details.0.contains_key("value") && !details.0.contains_key("currency") {
            details.0.insert("currency".into(), deals.default_currency()?.into());
        }
        deals.check_other_currencies(None, details.0.get("currency").and_then(Value::as_str))?;

        let title = details.0["title"].as_str().unwrap_or_default().to_owned();
        deals.records.check_duplicate_title(
            &title,
            "Use crm.update_deal or crm.move_deal to change it; another deal needs a title that tells them apart.",
        )?;
        let unknown = details.link(ctx.as_ref()).await?;

        let declared = &deals.records.declared;
        let text = declared.new_note(&declared.with_links(&details.0, ctx.vault()).await?)?;
        let path = ctx.vault().free_path(&declared.folder, &title).await?;
        let text = declared.on_template(text, path.name(), ctx.as_ref()).await?;
        ctx.vault().create(&path, text).await?;
        let note = ctx.vault().read(&path).await?;
        let record = declared.read(&note);
        let mut out = Value::Object(record.to_json());
        // Answers carry amounts as text.
        for field in ["value", "probability"] {
            if let Some(amount) = record.decimal(field)? {
                out[field] = amount.to_string().into();
            }
        }
        out["path"] = json!(path);
        if !unknown.is_empty() {
            out["problems"] = unknown.into();
        }
        Ok(Output::new(out).from_notes([path]).into())
    }
}

impl Details {
    /// Replaces the contact and the company of a deal by links to their notes. Returns a problem for each
    /// that has no note yet: the link stays unresolved until the note is created.
    ///
    /// # Errors
    /// `Ambiguous` if a name matches several records.
    pub(crate) async fn link(&mut self, ctx: &dyn ToolContext) -> Result<Vec<Value>, ToolError> {
        let mut unknown = Vec::new();
        for kind in [CONTACT, COMPANY] {
            let Some(Value::String(name)) = self.0.get(kind) else { continue };
            let target = match Records::read(ctx, kind).await?.link_to(name)? {
                Target::Record(note) => link_text(&note, ctx.vault()).await?,
                Target::New { name, nearest } => {
                    let remedy = match (nearest.as_slice(), kind) {
                        ([], CONTACT) => "Add them with crm.add_contact.".to_owned(),
                        ([], _) => format!("Add a note with `type: {kind}`."),
                        (near, _) => format!("Add it, or name one there is; nearest: {}.", near.join(", ")),
                    };
                    let problem = format!("There is no {kind} \"{name}\" yet; the deal links to that name");
                    unknown.push(json!({"problem": problem, "remedy": remedy}));
                    name
                }
            };
            self.0.insert(kind.into(), target.into());
        }
        Ok(unknown)
    }
}

impl Records {
    /// # Errors
    /// `Exists` if a deal has that name; another error if the note of that name cannot be read.
    pub(crate) fn check_duplicate_title(&self, name: &str, remedy: &str) -> Result<(), ToolError> {
        if let Some(error) = self.unreadable_as(name) {
            return Err(error);
        }
        match self.iter().find(|entry| entry.has_name(name)) {
            None => Ok(()),
            Some(entry) => Err(ToolError::Exists {
                kind: self.kind().into(),
                path: entry.path().into(),
                name: entry.name.into_owned(),
                remedy: remedy.into(),
            }),
        }
    }
}
