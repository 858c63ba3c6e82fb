//! A skill's panel as data: `panel:` of its `manifest.yaml`. One renderer of the window draws it from
//! what the skill's own tools answer, so a skill of text and an MCP server have panels too.
//!
//! ```yaml
//! panel:
//!   tabs:
//!     - title: Pipeline
//!       parts:
//!         - { kind: summary, tool: pipeline, items: [{ label: Open, at: /open, format: money }] }
//!         - kind: board
//!           tool: pipeline
//!           rows: /deals
//! ```
//!
//! Words of the declaration:
//! - A *pointer* is a JSON Pointer into a tool's answer (`/deals`); a *field* is a key of a row, or a
//!   pointer into it where it begins with `/`.
//! - In `args`, `{name}` stands for a field of the row, an input of the tab, `{column}` on a board,
//!   `{today}`, or `{currency}` for the one that most of the skill's records have. A text that is nothing but one such name keeps the field's type.
//! - Amounts are decimal texts. Where one answer holds several currencies, an amount is a list of
//!   `{amount, currency}`; they are never added up.
//! - A row with `path` is that note; `unreadable` and `problems` of an answer, lists of
//!   `{path?, line?, problem, remedy?}`, are shown under the part.
//! - Parts with the same tool and arguments show one and the same answer.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

/// A skill's panel in the window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PanelView {
    pub skill: String,
    pub name: String,
    pub icon: Option<String>,
    /// Without tabs where there is a problem.
    pub panel: Panel,
    /// What is wrong with the declaration.
    pub problem: Option<String>,
}

/// What a skill's panel shows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct Panel {
    pub tabs: Vec<PanelTab>,
}

impl Panel {
    /// Reads `panel:`: `{tabs: […]}`, or one part alone.
    ///
    /// # Errors
    /// What is not understood, in one sentence.
    pub fn read(declared: &Value) -> Result<Self, String> {
        let panel = match declared.get("kind") {
            None => serde_json::from_value(declared.clone()).map_err(|error| error.to_string())?,
            Some(_) => {
                let part: PanelPart =
                    serde_json::from_value(declared.clone()).map_err(|error| error.to_string())?;
                Self { tabs: vec![PanelTab { parts: vec![part], ..PanelTab::default() }] }
            }
        };
        if panel.tabs.iter().any(|tab| tab.parts.is_empty()) || panel.tabs.is_empty() {
            return Err("a panel has tabs, and each tab has parts".into());
        }
        let parts = || panel.tabs.iter().flat_map(|tab| &tab.parts);
        if parts().any(PanelPart::is_whole) && parts().count() > 1 {
            return Err(
                "a calendar, a mailbox, a symbol or a screener is the whole panel: leave the other parts out"
                    .into(),
            );
        }
        Ok(panel)
    }

    /// The tools it asks by itself when it is shown.
    pub fn reads(&self) -> impl Iterator<Item = &str> {
        self.tabs.iter().flat_map(|tab| {
            tab.count
                .iter()
                .map(|count| count.tool.as_str())
                .chain(tab.parts.iter().filter_map(PanelPart::reads))
        })
    }
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct PanelTab {
    /// Empty where there is only one.
    pub title: String,
    /// The number beside the title.
    pub count: Option<PanelCount>,
    /// What the user may choose for the whole tab, such as a month.
    pub inputs: Vec<PanelInput>,
    /// Buttons in the panel's head.
    pub actions: Vec<PanelAction>,
    pub parts: Vec<PanelPart>,
}

/// A whole number, or the length of a list, at a pointer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct PanelCount {
    pub tool: String,
    #[serde(default)]
    pub args: Map<String, Value>,
    pub at: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct PanelInput {
    /// What `args` call it.
    pub name: String,
    pub label: String,
    pub kind: PanelInputKind,
    /// The values of a choice.
    #[serde(default)]
    pub choices: Vec<PanelChoice>,
    /// `today` for this day, month or year; else the value. Empty: not given to the tool.
    #[serde(default)]
    pub default: String,
    /// Of a currency: pointers into the answers of the tab to those to choose from; a step that is a star
    /// stands for each entry on the way.
    #[serde(default)]
    pub among: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum PanelInputKind {
    /// `YYYY-MM`, with arrows to the months beside it.
    Month,
    /// `YYYY`, with arrows to the years beside it.
    Year,
    /// `YYYY-MM-DD`
    Date,
    Choice,
    Text,
    /// The code of a currency, such as `EUR`.
    Currency,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct PanelChoice {
    pub value: String,
    pub label: String,
}

/// Something the user does by a click: their own call of a tool, or the form of a record.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct PanelAction {
    pub label: String,
    pub icon: Option<String>,
    /// The tool it calls.
    pub tool: Option<String>,
    pub args: Map<String, Value>,
    /// Opens the tool's form with `args` filled in, instead of calling at once.
    pub ask: bool,
    /// Opens the import of a file: `tool` is asked to review the file and then to import it, and files that are
    /// dropped on the panel go to it.
    pub import: bool,
    /// Opens the form of a record of this type; on a row, of the row's record, and where the row has none, of
    /// a new one that begins with `args`.
    pub record: Option<String>,
    /// On a row: opens the form of its note, whatever record that is.
    pub edit: bool,
    /// With `edit`: the field of the form that has the focus.
    pub field: Option<String>,
    /// On a row: deletes its note, once the user has allowed it.
    pub delete: bool,
    /// On a row: offered only where each of these fields has the value, or one of the list's.
    pub when: Map<String, Value>,
    /// On a row of a table: the letter, or `Del`, that does it while the row has the focus.
    pub key: Option<String>,
    /// In the panel's head: what the arrow beside its button offers.
    pub more: Vec<PanelAction>,
}

/// Where a part stands: below the parts before it, to the right of the one before it, or in the column
/// beside all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum PanelPlace {
    #[default]
    Below,
    Beside,
    Side,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum PanelPart {
    Summary(SummaryPart),
    Table(TablePart),
    Board(Box<BoardPart>),
    List(ListPart),
    Chart(ChartPart),
    Form(FormPart),
    Calendar(CalendarPart),
    Mail(MailPart),
    Symbol(SymbolPart),
    Screener(ScreenerPart),
}

impl PanelPart {
    /// Whether it is a panel alone.
    fn is_whole(&self) -> bool {
        matches!(self, Self::Calendar(_) | Self::Mail(_) | Self::Symbol(_) | Self::Screener(_))
    }

    fn reads(&self) -> Option<&str> {
        Some(match self {
            Self::Summary(part) => &part.tool,
            Self::Table(part) => &part.tool,
            Self::Board(part) => &part.tool,
            Self::List(part) => &part.tool,
            Self::Chart(part) => &part.tool,
            Self::Calendar(part) => &part.tool,
            Self::Mail(part) => &part.tool,
            Self::Screener(part) => &part.tool,
            // Asked once the user names a symbol: it leaves the machine.
            Self::Form(_) | Self::Symbol(_) => return None,
        })
    }
}

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
    /// Left out where there is no such value, instead of "unknown".
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
    /// Money with its sign and no colour: what came in and went out. Without a sign in a row whose `kind` is
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
    /// largest first; as the rows come where nothing is said.
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
    /// Left out where the window is narrow, or the panel stands beside the chat.
    #[serde(default)]
    pub roomy: bool,
}

/// What stands where there are no rows.
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
    /// What one card is called, and several; "card" and "cards" where nothing is said.
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
    /// Orders to choose from, the first until then; as the rows come where there are none.
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
    /// Pointer to the number; the line does not exist where it is 0.
    pub at: String,
    /// What one is called, and several.
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
    /// Draws only the rows in which each of these fields has the value, or one of the list's; null stands for
    /// a field that is missing.
    #[serde(default)]
    pub when: Map<String, Value>,
    /// The tab that it becomes where the window is narrow, its title where nothing is said; charts with the
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
    /// Pointer to a sentence about what the chart lacks; nothing stands there where there is none.
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn one_part_alone_is_a_panel_of_one_tab() {
        let panel = Panel::read(&json!({
            "kind": "table", "tool": "list", "rows": "/rows",
            "columns": [{ "field": "name", "label": "Name" }],
        }))
        .expect("a panel");
        assert_eq!(panel.tabs.len(), 1);
        assert_eq!(panel.reads().collect::<Vec<_>>(), ["list"]);
    }

    #[test]
    fn symbol_panel_asks_nothing_by_itself() {
        let panel = Panel::read(&json!({ "kind": "symbol", "tool": "pull_up_symbol" })).expect("a panel");
        assert_eq!(panel.reads().count(), 0);
    }

    #[test]
    fn what_is_not_understood_is_named() {
        let read = |panel: Value| Panel::read(&panel).expect_err("not a panel");
        let unknown =
            json!({ "kind": "table", "tool": "list", "rows": "/rows", "columns": [], "colour": "red" });
        assert!(read(unknown).contains("colour"));
        assert!(read(json!({ "kind": "pie", "tool": "list" })).contains("pie"));
        assert!(read(json!({ "tabs": [] })).contains("tabs"));
        for kind in ["calendar", "mail", "symbol", "screener"] {
            let whole = json!({ "kind": kind, "tool": "list" });
            let beside = json!({ "tabs": [{ "parts": [whole.clone(), { "kind": "form", "tool": "add" }] }] });
            assert!(read(beside).contains("whole panel"));
            assert_eq!(Panel::read(&whole).map(|panel| panel.tabs.len()), Ok(1));
        }
    }
}
