use std::sync::Arc;

use nova_skill::figures::folded;
use nova_skill::serde_json::Map;
use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, NewNote, Output, RecordUse, ToolContext, ToolError,
    ToolOutput, Value, async_trait, json, schemars,
};
use serde::Deserialize;

use crate::notes::{SCREEN, ScreenText, screens};
use crate::screen_args::MissingWord;

pub(crate) struct SaveScreen;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Saves a screen."))]
pub(crate) struct NewScreen {
    /// What it is called; a screen of that name is changed.
    name: String,
    /// Conditions that all must hold, such as "price_to_earnings < 18".
    #[schemars(length(min = 1, max = 50))]
    #[schemars(extend("x-help" = "Such as price_to_earnings < 18"))]
    conditions: Vec<String>,
    /// The list of symbols that it scans.
    #[schemars(extend("x-help" = "A list, watchlist, positions or filers"))]
    universe: Option<String>,
    /// What to do with a share that lacks a figure; default: leave_out.
    missing: Option<MissingWord>,
    /// What hits are ranked by, such as "low price_to_earnings 50 %".
    #[schemars(extend("x-help" = "Such as low price_to_earnings 50 %"))]
    score: Option<Vec<String>>,
    /// Fields that the user added.
    #[serde(flatten)]
    #[schemars(skip)]
    own: Map<String, Value>,
}

#[async_trait]
impl NativeTool for SaveScreen {
    type Args = NewScreen;
    const ID: &'static str = "save_screen";
    const EFFECT: Effect = Effect::Write;
    const RECORD: Option<RecordUse<'static>> = Some(RecordUse::Changes(SCREEN));

    fn description(&self) -> Description {
        Description::purpose("Saves conditions as a screen in the vault, or changes the screen of that name.")
            .use_when("the user wants to save or keep conditions as a screen")
            .example("Save these conditions as Mid-cap value")
    }

    async fn run(&self, new: NewScreen, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let name = new.name.trim();
        if name.is_empty() || name.chars().count() > 80 || name.chars().any(char::is_control) {
            return Err(ToolError::InvalidArguments {
                path: "/name".into(),
                rule: "must be a short name".into(),
                allowed: Vec::new(),
            });
        }
        // A screen that cannot be parsed is not saved.
        let text = ScreenText {
            conditions: new.conditions.clone(),
            score: new.score.clone().unwrap_or_default(),
            ..ScreenText::default()
        };
        text.parse()?;
        let declared = ctx.records().get(SCREEN)?;
        let mut values = declared.with_links(&new.own, ctx.vault()).await?;
        values.insert("conditions".into(), json!(new.conditions));
        let mut set = |field: &str, value: Option<Value>| {
            if let Some(value) = value {
                values.insert(field.to_owned(), value);
            }
        };
        set("universe", new.universe.map(Value::from));
        set(
            "missing",
            new.missing.map(|word| json!(if word == MissingWord::Keep { "keep" } else { "leave_out" })),
        );
        set("score", new.score.map(|score| json!(score)));
        let (known, _) = screens(ctx.as_ref()).await?;
        let path = match known.iter().find(|screen| folded(&screen.name) == folded(name)) {
            Some(screen) => {
                let note = ctx.vault().read(&screen.path).await?;
                ctx.vault().set_properties(&screen.path, &declared.edits(&note, &values)?).await?;
                screen.path.clone()
            }
            None => {
                values.retain(|_, value| !value.is_null());
                let text = declared.new_note(&values)?;
                let text = declared.on_template(text, name, ctx.as_ref()).await?;
                let note = NewNote { folder: declared.folder.clone(), name: name.to_owned(), text };
                ctx.vault().create_all(vec![note]).await?.remove(0)
            }
        };
        Ok(Output::new(json!({"path": path})).from_notes([path]).into())
    }
}
