//! A skill's panel as data: `panel:` of its `manifest.yaml`. A single renderer in the window draws it from
//! the answers of the skill's own tools, so text skills and MCP servers have panels as well.
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
//! Terms and rules:
//! - A *pointer* is a JSON Pointer into a tool's answer (`/deals`); a *field* is a key of a row, or a pointer
//!   into it if it begins with `/`.
//! - In `args`, `{name}` stands for a field of the row, an input of the tab, `{column}` on a board,
//!   `{today}`, or `{currency}` for the most frequent one in the skill's records. A text that consists of one
//!   such name keeps the field's type.
//! - Amounts are decimals as text. If an answer holds several currencies, an amount is a list of
//!   `{amount, currency}`; they are never added up.
//! - A row with `path` is that note; the lists `unreadable` and `problems` of an answer, of
//!   `{path?, line?, problem, remedy?}`, are shown below the part.
//! - Parts with the same tool and arguments share one answer.

mod parts;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

pub use parts::*;

/// A skill's panel in the window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PanelView {
    pub skill: String,
    pub name: String,
    pub icon: Option<String>,
    /// Without tabs if there is a problem.
    pub panel: Panel,
    /// The problem of the declaration.
    pub problem: Option<String>,
}

/// What a skill's panel shows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct Panel {
    pub tabs: Vec<PanelTab>,
}

impl Panel {
    /// Parses `panel:`, either `{tabs: […]}` or a single part.
    ///
    /// # Errors
    /// The invalid part, in one sentence.
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

    /// The tools that it calls when it is shown.
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
    /// Empty if there is only one.
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
    /// Its name in `args`.
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
    /// On a row: offered only if each of these fields has the value, or one of the list's.
    pub when: Map<String, Value>,
    /// On a row of a table: the letter, or `Del`, that does it while the row has the focus.
    pub key: Option<String>,
    /// In the panel's head: the menu of the arrow beside its button.
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
    /// Whether it can only be the whole panel.
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
            // Called only once the user names a symbol, because it uses the network.
            Self::Form(_) | Self::Symbol(_) => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn single_part_is_a_panel_of_one_tab() {
        let panel = Panel::read(&json!({
            "kind": "table", "tool": "list", "rows": "/rows",
            "columns": [{ "field": "name", "label": "Name" }],
        }))
        .expect("a panel");
        assert_eq!(panel.tabs.len(), 1);
        assert_eq!(panel.reads().collect::<Vec<_>>(), ["list"]);
    }

    #[test]
    fn symbol_panel_calls_no_tool_when_shown() {
        let panel = Panel::read(&json!({ "kind": "symbol", "tool": "pull_up_symbol" })).expect("a panel");
        assert_eq!(panel.reads().count(), 0);
    }

    #[test]
    fn invalid_part_is_named() {
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
