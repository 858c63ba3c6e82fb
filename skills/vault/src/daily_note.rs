use std::sync::Arc;

use nova_skill::jiff::Zoned;
use nova_skill::jiff::civil::Date;
use nova_skill::{
    DailyNotes, Description, Effect, JsonSchema, NativeTool, Note, NoteScope, Output, TemplateValues,
    ToolContext, ToolError, ToolOutput, VaultError, VaultPath, async_trait, fill_template, schemars,
};
use serde::Deserialize;

use crate::create_note::not_followed;
use crate::notes::{NOTE, create_as_set, is_missing};
use crate::read_note::content;

pub(crate) struct DailyNote;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Opens a daily note."))]
pub(crate) struct Which {
    /// The day, YYYY-MM-DD; default: today.
    #[serde(default)]
    #[schemars(extend("format" = "date"))]
    #[schemars(extend("x-help" = "Today if left empty"))]
    date: Option<String>,
}

#[async_trait]
impl NativeTool for DailyNote {
    type Args = Which;
    const ID: &'static str = "daily_note";
    const EFFECT: Effect = Effect::Write;
    const SCOPE: NoteScope = NoteScope::Anywhere;

    fn description(&self) -> Description {
        Description::purpose(
            "Reads the daily note of a day, by Obsidian's settings. Where there is none, it is created from the user's template.",
        )
        .use_when("the user asks about their daily note or what they noted on a day")
        .not_when("make a note with an agenda or a plan for a day", "vault.create_note")
        .example("What did I write in my daily note yesterday?")
    }

    async fn run(&self, which: Which, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let (note, at, created) = open_daily(ctx.as_ref(), which.date.as_deref()).await?;
        let mut value = content(&note, None)?;
        value["date"] = at.date().to_string().into();
        value["created"] = created.into();
        Ok(Output::new(value).from_notes([note.path]).into())
    }
}

/// The note of a day, default today, created from the user's template if missing. Also returns that day at
/// the current time, and whether the note was created.
pub(crate) async fn open_daily(
    ctx: &dyn ToolContext,
    date: Option<&str>,
) -> Result<(Note, Zoned, bool), ToolError> {
    let at = moment(date, ctx)?;
    let settings = ctx.vault().obsidian().await?;
    let path = settings.daily.path(&at).map_err(not_followed)?;
    if let Some(note) = existing(ctx, &settings.daily, &path, at.date()).await? {
        return Ok((note, at, false));
    }
    let text = match template(ctx, &settings.daily).await? {
        Some(template) => fill_template(
            &template.text,
            &TemplateValues {
                title: path.name(),
                at: &at,
                date_format: &settings.templates.date_format,
                time_format: &settings.templates.time_format,
            },
        ),
        None => String::new(),
    };
    match create_as_set(ctx, path, text).await {
        Ok(path) => Ok((ctx.vault().read(&path).await?, at, true)),
        // It exists in a folder whose case differs from the setting's.
        Err(ToolError::Vault(VaultError::Exists { path })) => Ok((ctx.vault().read(&path).await?, at, false)),
        Err(error) => Err(error),
    }
}

/// The requested day at the current time.
fn moment(date: Option<&str>, ctx: &dyn ToolContext) -> Result<Zoned, ToolError> {
    let now = ctx.clock().now().to_zoned(ctx.clock().zone());
    let Some(date) = date else { return Ok(now) };
    let wrong = || ToolError::InvalidArguments {
        path: "/date".into(),
        rule: format!("\"{date}\" is not a day, such as {}", now.date()),
        allowed: Vec::new(),
    };
    let day: Date = date.trim().parse().map_err(|_| wrong())?;
    now.with().date(day).build().map_err(|_| wrong())
}

/// The note of that day: at the configured path, or below the folder of daily notes if the user moved it.
async fn existing(
    ctx: &dyn ToolContext,
    daily: &DailyNotes,
    path: &VaultPath,
    day: Date,
) -> Result<Option<Note>, ToolError> {
    match ctx.vault().read(path).await {
        Err(error) if is_missing(&error) => {}
        other => return other.map(Some),
    }
    let mut found = match ctx.vault().find(path.name()).await {
        // A hidden note of that name is another note: the configured path was already checked.
        Err(ToolError::Vault(VaultError::Private { .. })) => Vec::new(),
        found => found?,
    };
    found.retain(|path| daily.date(path) == Some(day));
    match found.len() {
        0 => Ok(None),
        1 => ctx.vault().read(&found.remove(0)).await.map(Some),
        _ => Err(ToolError::Ambiguous {
            kind: NOTE.into(),
            name: path.name().into(),
            matches: found.iter().map(ToString::to_string).collect(),
        }),
    }
}

async fn template(ctx: &dyn ToolContext, daily: &DailyNotes) -> Result<Option<Note>, ToolError> {
    let Some(path) = daily.template().map_err(not_followed)? else { return Ok(None) };
    match ctx.vault().read(&path).await {
        Err(error) if is_missing(&error) => {}
        other => return other.map(Some),
    }
    let mut found = ctx.vault().find(path.name()).await?;
    if found.len() == 1 {
        return ctx.vault().read(&found.remove(0)).await.map(Some);
    }
    let missing = VaultError::NotFound { name: path.to_string() };
    Err(ToolError::failed(
        format!("{}: the template of daily notes is not one note. {}.", daily.file, missing.message()),
        "Choose a note of the vault as template for daily notes in Obsidian's settings.",
    ))
}
