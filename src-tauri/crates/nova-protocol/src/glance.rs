//! What a skill says without being asked, as data: `glance:` of its `manifest.yaml`. It stands beside the
//! skill's name in the list of the window, among what a new chat can begin with, and on the page of the day. It is
//! shown to the user alone; a model receives the day where it asks for it.
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

/// One entry of `glance:`: a tool of the skill that only reads, and what of its answer is said where.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Glance {
    /// Its id.
    pub tool: String,
    /// A text `{date}` stands for the day that is asked about, `{date+13}` for one some days later.
    #[serde(default)]
    pub args: Map<String, Value>,
    /// What a new chat can begin with, as the user would say it. It is not made of notes: it becomes the
    /// message.
    #[serde(default)]
    pub ask: Option<String>,
    /// Beside that.
    #[serde(default)]
    pub says: Vec<GlanceWords>,
    /// Beside the skill's name.
    #[serde(default)]
    pub badge: Vec<GlanceWords>,
    /// Its section of the page of a day.
    #[serde(default)]
    pub today: Option<TodaySection>,
}

impl Glance {
    /// Reads `glance:`, a list.
    ///
    /// # Errors
    /// What is not understood, in one sentence.
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

/// A value of the answer, and the words behind it: "2 overdue".
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GlanceWords {
    /// Pointer to the value; `*` in it stands for each entry of a list. What is nothing, such as 0 or an
    /// empty text, is not said.
    pub at: String,
    #[serde(default)]
    pub format: PanelFormat,
    /// Pointer to the currency of an amount; its `*` is the entry that `at` means.
    #[serde(default)]
    pub unit: Option<String>,
    /// Behind an amount below zero, which then stands without its sign.
    #[serde(default)]
    pub below: Option<String>,
    /// After 1; default: `many`.
    #[serde(default)]
    pub one: Option<String>,
    #[serde(default)]
    pub many: String,
}

/// What one entry says now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct GlanceView {
    pub skill: String,
    pub name: String,
    pub icon: Option<String>,
    /// The tool took too long this time: what the entry said last stands.
    pub late: bool,
    pub ask: Option<String>,
    /// Empty where there is nothing to say.
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
    /// The words behind it, for this value.
    pub words: String,
}
