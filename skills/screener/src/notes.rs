//! Screens and strategies in the vault.

use nova_market::expression::{Expression, ExpressionError, Wanted};
use nova_market::screen::{Missing, ScorePart, Screen};
use nova_skill::figures::folded;
use nova_skill::{Note, NotePath, Problem, Record, ToolContext, ToolError};

use crate::check_conditions::character;

pub(crate) const SCREEN: &str = "screen";
pub(crate) const STRATEGY: &str = "strategy";
pub(crate) const UNIVERSE: &str = "universe";

/// A screen of the vault.
#[derive(Debug, Clone)]
pub(crate) struct ScreenNote {
    pub(crate) name: String,
    pub(crate) path: NotePath,
    pub(crate) universe: Option<String>,
    pub(crate) text: ScreenText,
    pub(crate) problems: Vec<String>,
}

/// The fields of a screen, unparsed.
#[derive(Debug, Clone, Default)]
pub(crate) struct ScreenText {
    pub(crate) conditions: Vec<String>,
    pub(crate) score: Vec<String>,
    pub(crate) missing: Missing,
}

/// All screens of the vault by path, and problems of those that cannot be read.
pub(crate) async fn screens(ctx: &dyn ToolContext) -> Result<(Vec<ScreenNote>, Vec<Problem>), ToolError> {
    let read = ctx.vault().read_records(&[SCREEN]).await?;
    let declared = ctx.records().get(SCREEN)?;
    let screens = read.notes.iter().map(|note| screen(note, &declared.read(note)));
    Ok((screens.collect(), read.unreadable))
}

fn screen(note: &Note, record: &Record<'_>) -> ScreenNote {
    let mut problems = Vec::new();
    let mut list = |field: &str| {
        record.list(field).unwrap_or_else(|error| {
            problems.push(error.to_string());
            Vec::new()
        })
    };
    let (conditions, score) = (list("conditions"), list("score"));
    let missing = match record.choice("missing") {
        Ok(Some("keep")) => Missing::Keep,
        Ok(_) => Missing::LeaveOut,
        Err(error) => {
            problems.push(error.to_string());
            Missing::LeaveOut
        }
    };
    if let Err(error) = record.text("universe") {
        problems.push(error.to_string());
    }
    ScreenNote {
        name: note.path.name().to_owned(),
        path: note.path.clone(),
        universe: text(record, "universe"),
        text: ScreenText { conditions, score, missing },
        problems,
    }
}

/// A text field of a note, without link brackets.
pub(crate) fn text(record: &Record<'_>, field: &str) -> Option<String> {
    let said = record.text(field).ok().flatten()?;
    Some(link_name(&said)).filter(|said| !said.is_empty())
}

/// "[[Lists/S&P 500|the list]]" as "S&P 500".
pub(crate) fn link_name(said: &str) -> String {
    let said = said.trim();
    let Some(inside) = said.strip_prefix("[[").and_then(|said| said.split("]]").next()) else {
        return said.to_owned();
    };
    let target = inside.split(['|', '#']).next().unwrap_or(inside);
    target.rsplit('/').next().unwrap_or(target).trim().trim_end_matches(".md").to_owned()
}

impl ScreenNote {
    /// # Errors
    /// If a field of the note cannot be read.
    pub(crate) fn usable(&self) -> Result<&Self, ToolError> {
        match self.problems.first() {
            None => Ok(self),
            Some(problem) => {
                Err(ToolError::failed(format!("{} cannot be used: {problem}", self.path), "Repair the note."))
            }
        }
    }
}

impl ScreenText {
    /// # Errors
    /// With the line of the first condition that cannot be parsed.
    pub(crate) fn parse(&self) -> Result<Screen, ToolError> {
        Ok(Screen {
            conditions: conditions("conditions", &self.conditions)?,
            score: each("score", &self.score, ScorePart::parse)?,
            missing: self.missing,
        })
    }
}

/// # Errors
/// Like [`ScreenText::parse`].
pub(crate) fn conditions(of: &str, lines: &[String]) -> Result<Vec<Expression>, ToolError> {
    each(of, lines, |line| Expression::parse(line, Wanted::Condition))
}

fn each<T>(
    of: &str,
    lines: &[String],
    parse: impl Fn(&str) -> Result<T, ExpressionError>,
) -> Result<Vec<T>, ToolError> {
    let lines = lines.iter().enumerate();
    lines.map(|(place, line)| parse(line).map_err(|error| unreadable(of, place, line, &error))).collect()
}

fn unreadable(of: &str, place: usize, line: &str, error: &ExpressionError) -> ToolError {
    let at = character(line, error);
    ToolError::failed(
        format!("Line {} of {of}, `{line}`, character {at}: {}", place + 1, error.message),
        if error.hint.is_empty() { "Change that line.".to_owned() } else { error.hint.clone() },
    )
}

/// The item with that name.
///
/// # Errors
/// If there is none, or several.
pub(crate) fn named<'a, T>(
    kind: &str,
    said: &str,
    all: &'a [T],
    name: impl Fn(&T) -> &str,
) -> Result<&'a T, ToolError> {
    let wanted = folded(&link_name(said));
    let found: Vec<&T> = all.iter().filter(|one| folded(name(one)) == wanted).collect();
    match found.as_slice() {
        [one] => Ok(one),
        [] => {
            let names: Vec<&str> = all.iter().map(&name).collect();
            let hint = match names.as_slice() {
                [] => format!("There is no {kind} in the vault yet."),
                names => format!("There are: {}.", names.join(", ")),
            };
            Err(ToolError::failed(format!("There is no {kind} \"{said}\"."), hint))
        }
        several => Err(ToolError::Ambiguous {
            kind: kind.to_owned(),
            name: said.to_owned(),
            matches: several.iter().map(|one| name(one).to_owned()).collect(),
        }),
    }
}
