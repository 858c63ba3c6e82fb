//! The glances of a skill as data: `glance:` of its `manifest.yaml`. They appear next to the skill's name in
//! the sidebar, among the suggestions of a new chat, and on the page of the day. They are shown only to the
//! user; a model receives the day if it asks for it.
//!
//! ```yaml
//! glance:
//!   - tool: follow_ups
//!     ask: Follow-ups due this week
//!     says: [{ at: /overdue, many: overdue }, { at: /this_week, many: due this week }]
//!     badge: [{ at: /overdue, many: overdue }]
//! ```

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use crate::{PanelFormat, TodaySection, TodayView};

/// An entry of `glance:`: a read-only tool of the skill, and where parts of its answer appear.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Glance {
    /// The tool's id.
    pub tool: String,
    /// In a text, `{date}` stands for the requested day, `{date+13}` for a day 13 days later.
    #[serde(default)]
    pub args: Map<String, Value>,
    /// A suggestion for a new chat, in the user's words. It contains nothing from notes, as it becomes the
    /// message.
    #[serde(default)]
    pub ask: Option<String>,
    /// Shown next to the suggestion.
    #[serde(default)]
    pub says: Vec<GlanceWords>,
    /// Shown next to the skill's name.
    #[serde(default)]
    pub badge: Vec<GlanceWords>,
    /// The section on the page of a day.
    #[serde(default)]
    pub today: Option<TodaySection>,
}

impl Glance {
    /// Parses the list `glance:`.
    ///
    /// # Errors
    /// The invalid part, in one sentence.
    pub fn read(declared: &Value) -> Result<Vec<Self>, String> {
        let read: Vec<Self> = serde_json::from_value(declared.clone()).map_err(|error| error.to_string())?;
        match read.iter().find(|one| one.ask.is_none() && one.badge.is_empty() && one.today.is_none()) {
            Some(idle) => {
                Err(format!("the entry of `{}` has neither `ask` nor `badge` nor `today`", idle.tool))
            }
            None => Ok(read),
        }
    }
}

/// A value of the answer, followed by words: "2 overdue".
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GlanceWords {
    /// JSON pointer to the value; `*` stands for each entry of a list. Empty values, such as 0 or an empty
    /// text, are not shown.
    pub at: String,
    #[serde(default)]
    pub format: PanelFormat,
    /// JSON pointer to the currency of an amount; its `*` is the entry matched by `at`.
    #[serde(default)]
    pub unit: Option<String>,
    /// The words after a negative amount, which is then shown without its sign.
    #[serde(default)]
    pub below: Option<String>,
    /// The words after 1; default: `many`.
    #[serde(default)]
    pub one: Option<String>,
    #[serde(default)]
    pub many: String,
}

/// The current text of one entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct GlanceView {
    pub skill: String,
    pub name: String,
    pub icon: Option<String>,
    /// The tool took too long: the entry keeps its last text.
    pub late: bool,
    pub ask: Option<String>,
    /// May be empty.
    pub says: Vec<GlanceValue>,
    pub badge: Vec<GlanceValue>,
    pub today: Option<TodayView>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct GlanceValue {
    pub value: Value,
    pub format: PanelFormat,
    /// Currency of a bare amount, else empty.
    pub unit: String,
    /// The words after it, for this value.
    pub words: String,
}
