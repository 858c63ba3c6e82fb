//! Resolves the screen that a call means: a saved one, or conditions given in the call.

use nova_market::screen::{Missing, Screen};
use nova_skill::{JsonSchema, NotePath, ToolContext, ToolError, schemars};
use serde::Deserialize;

use crate::notes::{self, ScreenText, named};

/// A screen by its name, or written out; what is written out overrides the note.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub(crate) struct ScreenArgs {
    /// The name of a saved screen.
    #[schemars(extend("x-help" = "A saved screen", "x-label" = "Screen"))]
    pub(crate) screen: Option<String>,
    /// Conditions that all must hold, such as "price_to_earnings < 18"; in place of those of the screen.
    #[schemars(extend("x-help" = "Such as price_to_earnings < 18"))]
    pub(crate) conditions: Option<Vec<String>>,
    /// What hits are ranked by, such as "low price_to_earnings 50 %".
    #[schemars(extend("x-help" = "Such as low price_to_earnings 50 %"))]
    pub(crate) score: Option<Vec<String>>,
    /// What to do with a share that lacks a figure; default: leave_out.
    #[schemars(extend("x-help" = "Left out if empty"))]
    pub(crate) missing: Option<MissingWord>,
    /// The list of symbols: its name, or watchlist, positions, filers; default: that of the screen.
    #[schemars(extend("x-help" = "A list, watchlist, positions or filers"))]
    pub(crate) universe: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MissingWord {
    LeaveOut,
    Keep,
}

impl From<MissingWord> for Missing {
    fn from(word: MissingWord) -> Self {
        match word {
            MissingWord::LeaveOut => Self::LeaveOut,
            MissingWord::Keep => Self::Keep,
        }
    }
}

/// The screen to evaluate.
#[derive(Debug, Clone)]
pub(crate) struct ResolvedScreen {
    /// The name of the saved screen.
    pub(crate) name: Option<String>,
    pub(crate) path: Option<NotePath>,
    pub(crate) screen: Screen,
    pub(crate) universe: Option<String>,
}

impl ScreenArgs {
    /// # Errors
    /// If no screen has that name, neither a screen nor conditions are given, or a line cannot be parsed.
    pub(crate) async fn read(&self, ctx: &dyn ToolContext) -> Result<ResolvedScreen, ToolError> {
        let note = match &self.screen {
            None => None,
            Some(said) => {
                let (screens, _) = notes::screens(ctx).await?;
                let note = named("screen", said, &screens, |screen| &screen.name)?.usable()?.clone();
                Some(note)
            }
        };
        let of_note = note.as_ref().map(|note| note.text.clone()).unwrap_or_default();
        let text = ScreenText {
            conditions: self.conditions.clone().unwrap_or(of_note.conditions),
            score: self.score.clone().unwrap_or(of_note.score),
            missing: self.missing.map_or(of_note.missing, Missing::from),
        };
        if text.conditions.is_empty() {
            return Err(ToolError::failed(
                "There is no condition to look for.",
                "Name a saved screen, or conditions such as: price_to_earnings < 18",
            ));
        }
        let universe = self.universe.clone().or_else(|| note.as_ref()?.universe.clone());
        let (name, path) = note.map(|note| (note.name, note.path)).unzip();
        Ok(ResolvedScreen { name, path, screen: text.parse()?, universe })
    }
}
