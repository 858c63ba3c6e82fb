use std::cmp::Reverse;
use std::sync::Arc;

use nova_skill::figures::similarity;
use nova_skill::serde_json::Map;
use nova_skill::{
    Clock, Description, Effect, FrontMatter, JsonSchema, NativeTool, Note, NoteScope, Output, SettingError,
    TemplateFolder, TemplateValues, Templates, ToolContext, ToolError, ToolOutput, Value, VaultPath,
    async_trait, fill_template, json, schemars,
};
use serde::Deserialize;

use crate::notes::{NEAREST, create_as_set, named, new_path, without_brackets, without_private};
use crate::set_properties::edits;

pub(crate) struct CreateNote;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Creates a note."))]
pub(crate) struct NewNote {
    /// Where the note goes: "Folder/Name.md". Without a folder it goes where the user's new notes go.
    #[schemars(extend("x-label" = "Name", "x-help" = "With its folder, such as Work/Plan"))]
    path: String,
    /// The note's text in Markdown. It may begin with properties of its own.
    #[serde(default)]
    content: Option<String>,
    /// One of the user's templates to begin with, by its name: its dates and title are filled in, and `content` goes below it.
    #[serde(default)]
    #[schemars(extend("x-note" = true))]
    template: Option<String>,
    /// Properties, in this order. Dates as YYYY-MM-DD, links as "[[Name]]".
    #[serde(default)]
    properties: Option<Map<String, Value>>,
}

#[async_trait]
impl NativeTool for CreateNote {
    type Args = NewNote;
    const ID: &'static str = "create_note";
    const EFFECT: Effect = Effect::Write;
    const SCOPE: NoteScope = NoteScope::Anywhere;

    fn description(&self) -> Description {
        Description::purpose(
            "Creates a note, with the folders it needs. Where a note is already, nothing is written.",
        )
        .use_when("the user wants a new note: make, write, start a note about something")
        .not_when("the note is there already", "vault.append_to_note")
        .example("Make a note with the agenda for Monday")
    }

    async fn run(&self, new: NewNote, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let settings = ctx.vault().obsidian().await?;
        let folder = settings.new_notes.folder().map_err(not_followed)?;
        let path = new_path(ctx.as_ref(), &new.path, folder).await?;
        let said = new.template.as_deref().map(str::trim).filter(|said| !said.is_empty());
        let template = match said {
            Some(said) => Some(template(ctx.as_ref(), &settings.templates, said).await?),
            None => None,
        };
        let content = new.content.unwrap_or_default();
        let (text, below) = match &template {
            Some(template) => (filled(template, &path, &settings.templates, ctx.clock()), content),
            None => (content, String::new()),
        };
        let path = match without_brackets(&new.path).contains('/') {
            true => match ctx.vault().create(&path, text).await {
                Ok(()) => path,
                Err(error) => return Err(without_private(ctx.as_ref(), &path, error).await),
            },
            false => create_as_set(ctx.as_ref(), path, text).await?,
        };
        let note = ctx.vault().read(&path).await?;
        if let FrontMatter::Broken { line, reason } = note.document.front_matter() {
            return Err(ToolError::InvalidArguments {
                path: if template.is_some() { "/template" } else { "/content" }.into(),
                rule: format!("begins with properties that cannot be read (line {line}: {reason})"),
                allowed: Vec::new(),
            });
        }
        if let Some(properties) = new.properties {
            ctx.vault().set_properties(&path, &edits(&note, &properties)).await?;
        }
        if !below.trim().is_empty() {
            ctx.vault().append(&path, &below, None).await?;
        }
        let read = template.map(|template| template.path);
        let mut value = json!({"path": path});
        // From now on, a link with only the name is ambiguous.
        let mut namesakes = ctx.vault().find(path.name()).await.unwrap_or_default();
        namesakes.retain(|other| *other != path && other.name().to_lowercase() == path.name().to_lowercase());
        if !namesakes.is_empty() {
            value["same_name"] = json!(namesakes);
        }
        Ok(Output::new(value).from_notes(std::iter::once(path).chain(read)).into())
    }
}

/// The template of that name in the user's template folder, else the note of that name.
async fn template(ctx: &dyn ToolContext, set: &Templates, said: &str) -> Result<Note, ToolError> {
    let folder = TemplateFolder::new(set.folder.as_deref());
    let name = without_brackets(said).to_lowercase();
    let name = name.strip_suffix(".md").unwrap_or(&name);
    let mut templates = ctx.vault().paths().await?;
    templates.retain(|path| folder.holds(path));
    let mut found = templates.clone();
    found.retain(|path| path.name().to_lowercase() == name);
    match found.len() {
        0 => named(ctx, said).await.map_err(|error| match error {
            ToolError::NotFound { name, .. } => {
                templates.sort_by_key(|path| Reverse(similarity(path.name(), &name)));
                let nearest = templates.iter().take(NEAREST).map(ToString::to_string).collect();
                ToolError::NotFound { kind: "template".into(), name, nearest }
            }
            error => error,
        }),
        1 => ctx.vault().read(&found.remove(0)).await,
        _ => Err(ToolError::Ambiguous {
            kind: "template".into(),
            name: said.into(),
            matches: found.iter().map(ToString::to_string).collect(),
        }),
    }
}

/// The template with its placeholders filled in for a note created at `path` now.
fn filled(template: &Note, path: &VaultPath, set: &Templates, clock: &dyn Clock) -> String {
    let values = TemplateValues {
        title: path.name(),
        at: &clock.now().to_zoned(clock.zone()),
        date_format: &set.date_format,
        time_format: &set.time_format,
    };
    fill_template(&template.text, &values)
}

/// The error of an Obsidian setting that cannot be followed.
pub(crate) fn not_followed(error: SettingError) -> ToolError {
    ToolError::failed(format!("{}: {}.", error.file, error.problem), error.remedy)
}
