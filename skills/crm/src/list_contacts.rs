use std::sync::Arc;

use nova_skill::figures::{folded, similarity};
use nova_skill::serde_json::Map;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, RecordUse, ToolContext, ToolError, ToolFields,
    ToolOutput, Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::find::MAX_NEAREST;
use crate::records::{CONTACT, Entry, Records};
use crate::stages::Stages;

/// The columns of the list, in order; `get_contact` returns the rest.
const ROW_FIELDS: [&str; 5] = ["company", "stage", "email", "tags", "next_contact"];

pub(crate) struct ListContacts;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Lists your contacts."))]
pub(crate) struct Filters {
    /// Only contacts with this tag, or one below it ("food" finds "food/dairy").
    #[schemars(extend("x-help" = "Also finds tags below it", "x-values-from" = ["contact.tags"]))]
    #[schemars(extend("x-values" = "part"))]
    tag: Option<String>,
    /// Only contacts whose note has all of these words, in any property or in its text.
    #[schemars(extend("x-label" = "Search", "x-help" = "Words in the note"))]
    query: Option<String>,
    #[serde(flatten)]
    #[schemars(skip)]
    fields: Map<String, Value>,
}

#[async_trait]
impl NativeTool for ListContacts {
    type Args = Filters;
    const ID: &'static str = "list_contacts";
    const EFFECT: Effect = Effect::Read;
    const RECORD: Option<RecordUse<'static>> = Some(RecordUse::Lists(CONTACT));
    const FIELDS: ToolFields<'static> = ToolFields::Only(&["stage", "company"]);

    fn description(&self) -> Description {
        Description::purpose(
            "Lists contacts by name, all of them or those that fit every filter, and how many they are. \"unreadable\" has \
             the notes that cannot be read.",
        )
        .use_when("the user asks for several people, or who fits a description: which leads or customers, list everybody with a tag, at a company")
        .not_when("the question is about one person", "crm.get_contact")
        .example("Which leads do I have at Fernhill Dairy?")
    }

    fn refine_parameters(&self, parameters: &mut Value) {
        // Stages match as a whole, unlike the other filters.
        let stage = &mut parameters["properties"]["stage"];
        stage["description"] = json!("Only contacts at this stage, such as \"lead\".");
        stage["x-help"] = json!("Only contacts at this stage");
        stage["x-values"] = json!("only");
    }

    async fn run(&self, mut filters: Filters, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let contacts = Records::read(ctx.as_ref(), CONTACT).await?;
        let stage = filters.fields.shift_remove("stage");
        let stage = stage.as_ref().and_then(Value::as_str).map(folded).filter(|stage| !stage.is_empty());
        if let Some(stage) = &stage {
            check_stage(stage, &contacts, &Stages::of(ctx.as_ref())?)?;
        }
        let by_fields = contacts.declared.filters(&filters.fields)?;
        let mut fitting = Vec::new();
        for contact in contacts.iter() {
            if filters.fit(&contact, stage.as_deref())? && by_fields.fit(&contact.record) {
                fitting.push(contact);
            }
        }
        fitting.sort_by_cached_key(|contact| (folded(&contact.name), contact.path().to_owned()));
        let rows: Vec<Value> = fitting.iter().map(row).collect();
        let mut out = json!({"contacts": rows, "count": fitting.len()});
        let unreadable = contacts.unreadable_rows();
        if !unreadable.is_empty() {
            out["unreadable"] = unreadable.into();
        }
        let sources = fitting.iter().map(|contact| contact.note().path.clone());
        Ok(Output::new(out).from_notes(sources).into())
    }
}

impl Filters {
    fn fit(&self, contact: &Entry, stage: Option<&str>) -> Result<bool, ToolError> {
        let record = &contact.record;
        if let Some(stage) = stage
            && record.text("stage")?.is_none_or(|own| folded(&own) != stage)
        {
            return Ok(false);
        }
        if let Some(tag) = folded_filter(&self.tag) {
            let tag = tag.trim_start_matches('#');
            let fits = |own: &String| {
                let own = folded(own.trim_start_matches('#'));
                own == tag || own.strip_prefix(tag).is_some_and(|rest| rest.starts_with('/'))
            };
            if !record.list("tags")?.iter().any(fits) {
                return Ok(false);
            }
        }
        let Some(query) = folded_filter(&self.query) else { return Ok(true) };
        // The text does not contain the note's name.
        let all = folded(&format!("{} {}", contact.name, contact.note().text));
        Ok(query.split(' ').all(|word| all.contains(word)))
    }
}

/// An unknown stage is an error: an empty list would hide a typing error.
fn check_stage(stage: &str, contacts: &Records, declared: &Stages) -> Result<(), ToolError> {
    let wanted = folded(stage);
    if wanted.is_empty() || declared.position(stage).is_some() {
        return Ok(());
    }
    let mut known: Vec<String> = declared.iter().map(|stage| stage.name.clone()).collect();
    for contact in contacts.iter() {
        if let Some(own) = contact.record.text("stage")? {
            if folded(&own) == wanted {
                return Ok(());
            }
            known.push(own);
        }
    }
    known.sort_by_cached_key(|name| folded(name));
    known.dedup_by_key(|name| folded(name));
    known.sort_by_cached_key(|name| std::cmp::Reverse(similarity(name, stage)));
    known.truncate(MAX_NEAREST);
    Err(ToolError::NotFound { kind: "stage".into(), name: stage.trim().into(), nearest: known })
}

/// The filter, folded for comparison; `None` if it is empty.
fn folded_filter(filter: &Option<String>) -> Option<String> {
    filter.as_deref().map(folded).filter(|text| !text.is_empty())
}

/// The row of a contact.
fn row(contact: &Entry) -> Value {
    let properties = contact.record.to_json();
    let mut row = Map::new();
    row.insert("name".into(), contact.name.clone().into());
    for field in ROW_FIELDS {
        let has_value = |value: &&Value| !value.is_null() && *value != "" && *value != &json!([]);
        if let Some(value) = properties.get(field).filter(has_value) {
            row.insert(field.into(), value.clone());
        }
    }
    row.extend(contact.record.own_fields());
    row.insert("path".into(), contact.path().into());
    Value::Object(row)
}
