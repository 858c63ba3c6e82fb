//! The parts of a tab.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use super::{PanelAction, PanelPlace};

/// Figures in a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct SummaryPart {
    pub tool: String,
    #[serde(default)]
    pub args: Map<String, Value>,
    pub items: Vec<SummaryItem>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct SummaryItem {
    pub label: String,
    /// Pointer to the amount.
    pub at: String,
    #[serde(default)]
    pub format: PanelFormat,
    /// Pointer to the currency where the amount is one text.
    #[serde(default)]
    pub unit: Option<String>,
    /// Pointer to a few words behind it, such as "2 overdue".
    #[serde(default)]
    pub detail: Option<String>,
    /// Omitted instead of "unknown" if there is no value.
    #[serde(default)]
    pub optional: bool,
    /// On a line of its own below the others, small.
    #[serde(default)]
    pub line: bool,
    /// On such a line: stands in place of the label, which is still read out.
    #[serde(default)]
    pub icon: Option<String>,
}

/// How a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum PanelFormat {
    #[default]
    Text,
    Number,
    /// With its currency.
    Money,
    Percent,
    /// Money with its sign; green above zero, red below.
    Gain,
    /// Money with its sign and no colour: money in and out. Without a sign in a row whose `kind` is
    /// `transfer`.
    Signed,
    /// Percent with its sign; green above zero, red below.
    Change,
    /// "Tue 24 Nov"
    Date,
    /// How old a date or time is, amber or red as `stale` of the row says.
    Age,
    /// A link to a note by its name.
    Note,
    Tags,
    /// A bar, of 100.
    Bar,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct TablePart {
    pub tool: String,
    #[serde(default)]
    pub args: Map<String, Value>,
    #[serde(default)]
    pub place: PanelPlace,
    #[serde(default)]
    pub title: String,
    /// Pointer to the list of rows.
    pub rows: String,
    /// Pointer to further lists of rows; a step that is a star stands for each entry on the way.
    #[serde(default)]
    pub more: Option<String>,
    pub columns: Vec<PanelColumn>,
    /// The field of the column it is sorted by until the user chooses another, `-` before it for the
    /// largest first; default: as the rows come.
    #[serde(default)]
    pub sort: Option<String>,
    /// Pointer to one more row, below the others.
    #[serde(default)]
    pub total: Option<String>,
    /// Field that is true where a row is grey because it is not due yet.
    #[serde(default)]
    pub quiet: Option<String>,
    /// The record types of its rows, where no action names it: fields that the user added to them get columns.
    #[serde(default, skip_serializing)]
    #[ts(skip)]
    pub records: Vec<String>,
    /// What can be done with a row.
    #[serde(default)]
    pub actions: Vec<PanelAction>,
    #[serde(default)]
    pub empty: Option<PanelEmpty>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct PanelColumn {
    pub field: String,
    pub label: String,
    #[serde(default)]
    pub format: PanelFormat,
    /// Field of the currency.
    #[serde(default)]
    pub unit: Option<String>,
    /// Field of a few grey words behind the value.
    #[serde(default)]
    pub detail: Option<String>,
    /// Omitted if the window is narrow or the panel is beside the chat.
    #[serde(default)]
    pub roomy: bool,
}

/// Shown if there are no rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct PanelEmpty {
    pub text: String,
    #[serde(default)]
    pub action: Option<PanelAction>,
}

/// Cards in columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct BoardPart {
    pub tool: String,
    #[serde(default)]
    pub args: Map<String, Value>,
    #[serde(default)]
    pub place: PanelPlace,
    /// Pointer to the columns in their order: objects with the field `column`, `count`, and the amount
    /// `total`.
    pub columns: String,
    /// Pointer to the cards.
    pub rows: String,
    /// The field, of columns and cards, that says which column.
    pub column: String,
    /// The words for one card and for several; default: "card" and "cards".
    #[serde(default)]
    pub one: Option<String>,
    #[serde(default)]
    pub many: Option<String>,
    /// Columns that are folded until they are reached.
    #[serde(default)]
    pub folded: Vec<String>,
    pub title: String,
    /// Fields under the title, those with a value.
    #[serde(default)]
    pub detail: Vec<String>,
    #[serde(default)]
    pub value: Option<String>,
    /// Field of the value's currency.
    #[serde(default)]
    pub unit: Option<String>,
    #[serde(default)]
    pub date: Option<String>,
    /// What dropping a card calls; `{column}` is where it was dropped.
    #[serde(default)]
    pub drop: Option<PanelAction>,
    #[serde(default)]
    pub actions: Vec<PanelAction>,
    #[serde(default)]
    pub empty: Option<PanelEmpty>,
}

/// Entries in groups.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ListPart {
    pub tool: String,
    #[serde(default)]
    pub args: Map<String, Value>,
    #[serde(default)]
    pub place: PanelPlace,
    pub heading: String,
    pub rows: String,
    pub title: String,
    #[serde(default)]
    pub detail: Vec<String>,
    #[serde(default)]
    pub date: Option<String>,
    /// The field that says which group, and the groups in their order.
    #[serde(default)]
    pub group: Option<String>,
    #[serde(default)]
    pub groups: Vec<PanelGroup>,
    /// Orders to choose from, the first until then; default: as the rows come.
    #[serde(default)]
    pub sorts: Vec<PanelSort>,
    /// A last line about what is not in the list.
    #[serde(default)]
    pub rest: Option<PanelRest>,
    #[serde(default)]
    pub actions: Vec<PanelAction>,
    #[serde(default)]
    pub empty: Option<PanelEmpty>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct PanelGroup {
    pub value: String,
    pub label: String,
    /// Its heading and dates are red.
    #[serde(default)]
    pub late: bool,
}

/// An order of entries. By the date the groups stay; in any other order there are none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct PanelSort {
    /// "Due first"
    pub label: String,
    /// A field, `-` before it for the largest first.
    pub by: String,
}

/// "31 people without a date": how many more there are, and the tab that has them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct PanelRest {
    /// Pointer to the number; no line if it is 0.
    pub at: String,
    /// The words for one and for several.
    pub one: String,
    pub many: String,
    /// Title of the tab that a click opens.
    #[serde(default)]
    pub tab: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ChartPart {
    pub tool: String,
    #[serde(default)]
    pub args: Map<String, Value>,
    #[serde(default)]
    pub place: PanelPlace,
    pub title: String,
    /// Pointer to a few words beside the title.
    #[serde(default)]
    pub detail: Option<String>,
    pub shape: ChartShape,
    /// Pointer to the points, in their order.
    pub rows: String,
    /// Field of the date or label.
    pub x: String,
    pub series: Vec<ChartSeries>,
    /// Draws only the rows in which each of these fields has the value, or one of the list's; null means
    /// a missing field.
    #[serde(default)]
    pub when: Map<String, Value>,
    /// The tab that it becomes if the window is narrow; default: its title; charts with the
    /// same word share one, and a chart named after a declared tab is left to it.
    #[serde(default)]
    pub narrow: Option<String>,
    /// An input of the tab: a click on a point sets it to the point's `x`.
    #[serde(default)]
    pub choose: Option<String>,
    /// Pointer to the currency.
    #[serde(default)]
    pub unit: Option<String>,
    /// Field that is true where a value is carried forward or old: drawn dashed.
    #[serde(default)]
    pub dashed: Option<String>,
    /// Field of the mark on a bar, such as a limit.
    #[serde(default)]
    pub mark: Option<String>,
    /// Pointer to a sentence about missing data, if any.
    #[serde(default)]
    pub note: Option<String>,
    #[serde(default)]
    pub empty: Option<PanelEmpty>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ChartShape {
    /// Over time.
    Line,
    /// Sideways, one for each row, with its value beside it.
    Bars,
    /// Upright, one group for each row.
    Columns,
    /// Sideways, each row against its own `mark`, the fullest first; rows without a mark are left out.
    Progress,
    /// Small groups side by side at the panel's foot: the last series in words, the others as bars.
    Strip,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ChartSeries {
    pub field: String,
    pub label: String,
    #[serde(default)]
    pub format: PanelFormat,
}

/// The form of a tool, in place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct FormPart {
    pub tool: String,
    #[serde(default)]
    pub args: Map<String, Value>,
    #[serde(default)]
    pub place: PanelPlace,
    #[serde(default)]
    pub title: String,
}

/// Days, weeks and months of events, the whole panel alone. What the user does in it calls the skill's other
/// tools by the names that they have in the skill `calendar`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct CalendarPart {
    /// Lists the events of some days, as `calendar.list_events` does.
    pub tool: String,
    #[serde(default)]
    pub args: Map<String, Value>,
}

/// Mailboxes with their messages, the whole panel alone. What the user does in it calls the skill's other tools by the
/// names that they have in the skill `mail`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct MailPart {
    /// Lists the newest messages of a folder, as `mail.list` does.
    pub tool: String,
    #[serde(default)]
    pub args: Map<String, Value>,
}

/// A symbol with its chart, figures, filings and news, the whole panel alone. It asks nothing before the user names a
/// symbol; then it calls the skill's other tools by the names that they have in the skill `lookup`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct SymbolPart {
    /// Gives price and closes of a symbol, as `lookup.pull_up_symbol` does.
    pub tool: String,
    #[serde(default)]
    pub args: Map<String, Value>,
}

/// Screens with their conditions, hits and back-tests, the whole panel alone. What the user does in it calls the skill's
/// other tools by the names that they have in the skill `screener`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ScreenerPart {
    /// Lists the screens, as `screener.list_screens` does.
    pub tool: String,
    #[serde(default)]
    pub args: Map<String, Value>,
}
