//! Creates records from a note of the user's, configured as `records.<type>.template`.

use std::sync::Arc;

use jiff::Zoned;
use nova_vault::note::{Document, FrontMatter, PropertyEdit, Value as PropertyValue, edit_properties};
use nova_vault::{Note, TemplateValues, Templates, VaultError, VaultPath, fill_template};
use serde_json::Value;

use super::fault::is_empty;
use super::mapping::Faults;
use super::{RecordType, with_article};
use crate::figures::folded;
use crate::{ToolContext, ToolError};

/// The template note, as it was when it was read.
#[derive(Debug)]
pub struct Template {
    path: String,
    text: Arc<str>,
    set: Templates,
    at: Zoned,
    remedy: String,
}

impl Template {
    /// As [`RecordType::on_template`].
    ///
    /// # Errors
    /// If the template cannot be used.
    pub fn under(&self, text: &str, title: &str) -> Result<String, ToolError> {
        let Templates { date_format, time_format, .. } = &self.set;
        let values = TemplateValues { title, at: &self.at, date_format, time_format };
        put_on(text, &fill_template(&self.text, &values)).map_err(|reason| {
            ToolError::failed(format!("The template {} {reason}.", self.path), self.remedy.clone())
        })
    }
}

impl RecordType {
    /// The path of the template note.
    pub fn template_note(&self) -> Option<&str> {
        self.template_note.as_deref()
    }

    /// Applies the user's template to the text of a new record: the result has the record's properties, the
    /// template's other properties, and the template's body. Lists are merged. Without a template the text is
    /// unchanged. `title` is the name of the new note.
    ///
    /// # Errors
    /// If the template is missing or cannot be read.
    /// When the template is not found or cannot be read.
    pub async fn on_template(
        &self,
        text: String,
        title: &str,
        ctx: &dyn ToolContext,
    ) -> Result<String, ToolError> {
        match self.user_template(ctx).await? {
            Some(template) => template.under(&text, title),
            None => Ok(text),
        }
    }

    /// Reads the user's template, for many new records.
    ///
    /// # Errors
    /// If it is missing or cannot be read.
    pub async fn user_template(&self, ctx: &dyn ToolContext) -> Result<Option<Template>, ToolError> {
        let Some(path) = self.template_note() else { return Ok(None) };
        Ok(Some(Template {
            path: path.to_owned(),
            text: self.read_template(path, ctx).await?.text,
            set: ctx.vault().obsidian().await?.templates,
            at: ctx.clock().now().to_zoned(ctx.clock().zone()),
            remedy: self.remedy(),
        }))
    }

    async fn read_template(&self, path: &str, ctx: &dyn ToolContext) -> Result<Note, ToolError> {
        let missing =
            || ToolError::failed(format!("The template {path} is not in the vault."), self.remedy());
        let found = VaultPath::parse(path).map_err(|_| missing())?;
        ctx.vault().read(&found).await.map_err(|error| match error {
            ToolError::Vault(VaultError::NotFound { .. }) => missing(),
            other => other,
        })
    }

    fn remedy(&self) -> String {
        format!("Correct `template` of {} in the settings of its skill.", self.name)
    }

    pub(super) fn take_template(&mut self, key: &str, template: &Value, faults: &mut Faults) {
        let said = template.as_str().map(str::trim).unwrap_or_default();
        let path = if said.ends_with(".md") { said.to_owned() } else { format!("{said}.md") };
        let is_note = !said.is_empty() && VaultPath::parse(&path).is_ok_and(|path| path.is_note());
        if is_note {
            self.template_note = Some(path);
        } else {
            let like = format!("Templates/{}.md", self.label());
            faults.add(
                key,
                format!(
                    "must be a note of the vault, such as {like}, that {} begins with",
                    with_article(&self.name)
                ),
            );
        }
    }
}

/// An error follows the template's name in a sentence.
fn put_on(text: &str, template: &str) -> Result<String, String> {
    let (new, base) = (Document::parse(text), Document::parse(template));
    if let FrontMatter::Broken { line, reason } = base.front_matter() {
        return Err(format!("has properties that cannot be read (line {line}: {reason})"));
    }
    let mut edits = Vec::new();
    for (key, property) in base.properties() {
        let own = new.property(key).filter(|own| !is_empty(own));
        match (own, &property.value) {
            // A note may be of several types.
            (Some(own), PropertyValue::List(items))
                if matches!(own, PropertyValue::List(_)) || folded(key) == "type" =>
            {
                edits.extend(
                    items.iter().map(|item| PropertyEdit::AddItem { key: key.clone(), item: item.clone() }),
                );
            }
            (Some(_), _) => {}
            (None, value) => edits.push(PropertyEdit::Set { key: key.clone(), value: value.clone() }),
        }
    }
    // Properties that the record also has keep its spelling.
    for edit in &mut edits {
        let (PropertyEdit::Set { key, .. } | PropertyEdit::AddItem { key, .. }) = edit else { continue };
        if let Some(spelled) = new.spelled(key) {
            *key = spelled.to_owned();
        }
    }
    let mut out = edit_properties(text, &edits).map_err(|error| format!("cannot be used: {error}"))?;
    let body = template.get(base.body_start()..).unwrap_or_default();
    // If the template has no body, the type's own is used.
    if !body.trim().is_empty() {
        out.truncate(Document::parse(&out).body_start());
        out.push_str(body);
    }
    Ok(out)
}
