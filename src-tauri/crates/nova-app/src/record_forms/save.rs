//! The tool call that saves a record form.

use std::sync::{Arc, Mutex, PoisonError};

use nova_protocol::{SameRecord, UserError};
use nova_registry::SkillEntry;
use nova_skill::{
    Description, Effect, FieldFault, JsonSchema, NativeTool, Note, Output, PropertyEdit, RecordDraft,
    RecordRules, RecordType, ToolContext, ToolError, ToolOutput, VaultPath, async_trait, json, schemars,
};
use nova_vault::View;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::same;

/// Saves a record form. It is in no list of tools; rules refer to it as `<skill>.save_record`.
pub(super) struct SaveRecordTool {
    rules: Option<Arc<dyn RecordRules>>,
    refused: Refused,
}

/// The field for which the skill's rules refused the record, if any.
#[derive(Clone, Default)]
pub(super) struct Refused(Arc<Mutex<Option<FieldFault>>>);

/// What a form holds.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
pub(super) struct FilledForm {
    /// Name of the record type.
    pub(super) record_type: String,
    /// The note; a new one without.
    pub(super) path: Option<String>,
    /// What the form has shown, by field.
    pub(super) before: Map<String, Value>,
    /// What it holds, by field; what is absent is empty.
    pub(super) values: Map<String, Value>,
    /// A new one is added although there is one like it.
    #[serde(default)]
    pub(super) another: bool,
}

#[async_trait]
impl NativeTool for SaveRecordTool {
    type Args = FilledForm;
    const ID: &'static str = "save_record";
    const EFFECT: Effect = Effect::Write;

    fn description(&self) -> Description {
        Description::purpose("Saves what the user has entered in the form of a record.")
    }

    async fn run(&self, mut filled: FilledForm, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let declared = ctx.records().get(&filled.record_type)?;
        // Values unchanged from the note must not be converted to links.
        let (same, entered): (Map<_, _>, Map<_, _>) =
            filled.values.into_iter().partition(|(key, value)| filled.before.get(key) == Some(value));
        filled.values = declared.with_links(&entered, ctx.vault()).await?;
        filled.values.extend(same);
        let path = match &filled.path {
            None => {
                declared.new_note_of_form(&filled.values).map_err(first)?;
                let mut draft = RecordDraft::new(declared, &filled.values);
                self.complete(&mut draft, declared, ctx.as_ref()).await?;
                if filled.requires_unique() {
                    // Based on what was entered, like the earlier check of the form.
                    let (folder, name) = declared.place(&filled.values);
                    let free = ctx.vault().free_path(&folder, &name).await?;
                    let notes = ctx.vault().read_records(&[&filled.record_type]).await?.notes;
                    if let Some(same) = same::same(declared, &notes, &filled.values, &name, &free) {
                        return Err(ToolError::failed(same.message, "Open it, or save the form again."));
                    }
                }
                let values = declared.with_links(draft.values(), ctx.vault()).await?;
                let text = declared.new_note_of_form(&values).map_err(first)?;
                let (folder, name) = declared.place(draft.values());
                let path = ctx.vault().free_path(&folder, &name).await?;
                let text = declared.on_template(text, path.name(), ctx.as_ref()).await?;
                ctx.vault().create(&path, text).await?;
                path
            }
            Some(name) => {
                let path = match VaultPath::parse(name).ok().filter(VaultPath::is_note) {
                    Some(path) => path,
                    None => one_note(ctx.as_ref(), name).await?,
                };
                let note = ctx.vault().read(&path).await?;
                let edits = declared.edits_of_form(&note, &filled.before, &filled.values).map_err(first)?;
                // Unchanged values are not validated again.
                if !edits.is_empty() {
                    let mut draft = RecordDraft::edited(declared, note.clone(), &edits);
                    self.complete(&mut draft, declared, ctx.as_ref()).await?;
                    let filled_in = declared.with_links(&draft.filled_in(), ctx.vault()).await?;
                    let filled_in = declared.edits(&note, &filled_in)?;
                    let own =
                        edits.into_iter().filter(|own| filled_in.iter().all(|one| one.key() != own.key()));
                    let edits: Vec<PropertyEdit> = own.chain(filled_in.iter().cloned()).collect();
                    ctx.vault().set_properties(&path, &edits).await?;
                }
                path
            }
        };
        let note = ctx.vault().read(&path).await?;
        let mut out = declared.form_values(&note);
        out.insert("path".into(), json!(path));
        Ok(Output::new(out.into()).from_notes([path]).into())
    }
}

impl SaveRecordTool {
    pub(super) fn of(skill: &SkillEntry) -> Self {
        Self { rules: skill.record_rules.clone(), refused: Refused::default() }
    }

    pub(super) fn refused(&self) -> Refused {
        self.refused.clone()
    }

    /// Applies the skill's rules.
    async fn complete(
        &self,
        draft: &mut RecordDraft,
        declared: &RecordType,
        ctx: &dyn ToolContext,
    ) -> Result<(), ToolError> {
        let Some(rules) = &self.rules else { return Ok(()) };
        self.refused.set(None);
        let applied = rules.apply(draft, ctx).await;
        if let Err(ToolError::InvalidArguments { path, rule, allowed }) = &applied
            && let Some(field) = path.strip_prefix('/').filter(|field| declared.fields.contains_key(*field))
        {
            self.refused.set(Some(FieldFault {
                field: field.to_owned(),
                message: sentence(rule, allowed),
                theirs: None,
            }));
        }
        applied
    }
}

impl Refused {
    pub(super) fn take(&self) -> Option<FieldFault> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn set(&self, fault: Option<FieldFault>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = fault;
    }
}

/// The violated rule as a sentence to be shown at the field.
fn sentence(rule: &str, allowed: &[String]) -> String {
    let mut chars = rule.chars();
    let about_it = ["is ", "has ", "must ", "cannot "].iter().any(|begin| rule.starts_with(begin));
    let said = if about_it {
        format!("It {rule}.")
    } else {
        let first = chars.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
        format!("{first}{}.", chars.as_str())
    };
    match allowed {
        [] => said,
        allowed => format!("{said} Allowed: {}.", allowed.join(", ")),
    }
}

async fn one_note(ctx: &dyn ToolContext, name: &str) -> Result<VaultPath, ToolError> {
    let mut found = ctx.vault().find(name).await?;
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(ToolError::NotFound { kind: "note".into(), name: name.to_owned(), nearest: Vec::new() }),
        _ => Err(ToolError::Ambiguous {
            kind: "note".into(),
            name: name.to_owned(),
            matches: found.iter().map(ToString::to_string).collect(),
        }),
    }
}

impl FilledForm {
    /// Whether it is new, and the user has not confirmed a duplicate.
    pub(super) fn requires_unique(&self) -> bool {
        self.path.is_none() && !self.another
    }

    pub(super) fn same(&self, declared: &RecordType, view: &View) -> Result<Option<SameRecord>, UserError> {
        let notes = view.read_records(&[&declared.folder], declared.recogniser())?.notes;
        let (folder, name) = declared.place(&self.values);
        let free = view.draft().free_path(&folder, &name)?;
        Ok(same::same(declared, &notes, &self.values, &name, &free))
    }

    pub(super) fn faults(&self, declared: &RecordType, note: Option<&Note>) -> Vec<FieldFault> {
        let planned = match note {
            None => declared.new_note_of_form(&self.values).map(|_| ()),
            Some(note) => declared.edits_of_form(note, &self.before, &self.values).map(|_| ()),
        };
        planned.err().unwrap_or_default()
    }
}

/// The first of several faults, for an error that can only carry one.
fn first(faults: Vec<FieldFault>) -> ToolError {
    let fault = faults.into_iter().next();
    let (path, rule) = fault.map_or_else(Default::default, |fault| {
        (format!("/values/{}", fault.field), fault.message.trim_end_matches('.').to_owned())
    });
    ToolError::InvalidArguments { path, rule, allowed: Vec::new() }
}
