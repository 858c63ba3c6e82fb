//! A skill's section of the page of a day: `today:` of an entry of `glance:`, and the data made from it.
//!
//! ```yaml
//! glance:
//!   - tool: follow_ups
//!     today:
//!       title: Follow-ups
//!       side: right
//!       rows: /follow_ups
//!       text: name
//!       detail: [company, deal]
//!       path: path
//!       at: [next_contact]
//!       within: 6
//!       late: true
//! ```

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use crate::PanelFormat;

/// How to build the rows of a section from the answer of the entry's tool. Fields are those of a row.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TodaySection {
    pub title: String,
    /// Default: the skill's icon.
    #[serde(default)]
    pub icon: Option<String>,
    #[serde(default)]
    pub side: TodaySide,
    /// The sort key among the sections of its side, ascending.
    #[serde(default)]
    pub order: u32,
    /// JSON pointer to the list.
    pub rows: String,
    /// A row is shown only if one of these fields is not empty; without fields, every row is shown.
    #[serde(default)]
    pub keep: Vec<String>,
    pub text: String,
    /// Fields with details, in order.
    #[serde(default)]
    pub detail: Vec<String>,
    /// The field with the path of the row's note.
    #[serde(default)]
    pub path: Option<String>,
    /// The fields with the date, or date and time, by which rows are sorted; the first non-empty one counts.
    #[serde(default)]
    pub at: Vec<String>,
    /// The field with the end.
    #[serde(default)]
    pub until: Option<String>,
    /// The maximum number of days between the day and a row; unlimited if absent.
    #[serde(default)]
    pub within: Option<u32>,
    /// Whether a row before the day is overdue.
    #[serde(default)]
    pub late: bool,
    /// The field with a figure.
    #[serde(default)]
    pub value: Option<String>,
    #[serde(default)]
    pub format: PanelFormat,
    /// The field with the figure's currency.
    #[serde(default)]
    pub unit: Option<String>,
    /// Adds the figures up, by currency.
    #[serde(default)]
    pub total: bool,
    /// The field with the row's group, such as a calendar; shown as its first letter.
    #[serde(default)]
    pub mark: Option<String>,
    /// Whether the user may be reminded before the row begins.
    #[serde(default)]
    pub remind: bool,
    /// The tool that ticks a row off.
    #[serde(default)]
    pub tick: Option<TodayTick>,
    /// Whether the heading links to the skill's panel.
    #[serde(default)]
    pub panel: bool,
    /// JSON pointer to the fetch times of external sources: an object of times by name.
    #[serde(default)]
    pub fetched: Option<String>,
}

/// The column of a section, if there is room for two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum TodaySide {
    #[default]
    Left,
    Right,
}

/// A tool of the skill, and its arguments for a row: `"{path}"` is the row's field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct TodayTick {
    /// Its id in a manifest, `skill.tool` in a row.
    pub tool: String,
    #[ts(type = "Record<string, unknown>")]
    pub args: Map<String, Value>,
}

/// The sections of all skills for a day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DayView {
    /// `2026-11-23`
    pub date: String,
    pub sections: Vec<TodayView>,
}

/// A skill's section for a day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TodayView {
    pub title: String,
    /// The skill's id.
    pub skill: String,
    pub icon: Option<String>,
    pub side: TodaySide,
    pub order: u32,
    pub rows: Vec<TodayRow>,
    pub overdue: u32,
    /// The sums of the rows' figures by currency, if they are added up.
    pub total: Vec<TodayTotal>,
    /// When external sources were fetched, RFC 3339.
    pub fetched: Vec<TodayFetched>,
    pub panel: bool,
    /// The problem and the remedy, in one line.
    pub problem: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TodayRow {
    pub text: String,
    /// May be empty.
    pub detail: String,
    /// Of its note.
    pub path: Option<String>,
    /// `2026-11-23`, or `2026-11-23T15:30` in the user's zone; empty if it has none.
    pub at: String,
    pub until: String,
    pub overdue: bool,
    /// A decimal; empty if it has none.
    pub value: String,
    pub format: PanelFormat,
    pub unit: String,
    pub mark: String,
    pub tick: Option<TodayTick>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TodayTotal {
    pub value: String,
    pub unit: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TodayFetched {
    pub name: String,
    pub at: String,
}
