//! The panels of the built-in skills, over the starter vault: everything that a panel refers to exists in its
//! tools' output.

use std::collections::BTreeSet;
use std::path::Path;

use nova_app::App;
use nova_protocol::{
    CallTool, Commands as _, Nothing, PanelAction, PanelInputKind, PanelPart, PanelTab, PanelView,
};
use nova_testkit::TempVault;
use serde_json::{Map, Value, json};

use super::nova::Nova;

/// A Nova over a copy of the starter vault.
fn on_the_starter_vault() -> Nova {
    let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("vault-template");
    let mut nova = Nova::new("", []);
    nova.vault = TempVault::copy_of(&template);
    nova.settings(&json!({ "vault": nova.vault.root() }));
    nova
}

#[tokio::test(flavor = "multi_thread")]
async fn every_panel_reference_resolves_over_the_starter_vault() {
    let nova = on_the_starter_vault();
    let app = nova.start().await;
    let panels = app.list_panels(Nothing {}).await.unwrap();
    assert!(panels.iter().any(|panel| panel.skill == "budget"), "{panels:?}");
    let last = panels.last().map(|panel| panel.skill.as_str());
    assert_eq!(last, Some("mail"), "a panel that needs setup comes last");
    for panel in &panels {
        assert_eq!(panel.problem, None, "{}", panel.skill);
        let mut looked = Looked { app: &app, panel, missing: Vec::new() };
        for tab in &panel.panel.tabs {
            looked.at_tab(tab).await;
        }
        assert!(looked.missing.is_empty(), "{}: {:#?}", panel.skill, looked.missing);
    }
}

/// The page's form tests read these fixtures, which must match the real tools.
#[test]
fn pages_form_fixtures_match_the_tools_schemas() {
    let (_, tools) = Nova::new("", []).json(&["tool", "list"]);
    let schemas: Vec<Value> = tools
        .as_array()
        .unwrap()
        .iter()
        .filter(|tool| ["budget", "crm", "portfolio"].contains(&tool["skill"].as_str().unwrap()))
        .map(|tool| json!({"name": tool["name"], "input_schema": tool["input_schema"]}))
        .collect();
    assert!(schemas.len() > 30, "{schemas:?}");
    let text = serde_json::to_string_pretty(&schemas).unwrap() + "\n";
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui/src/testing/tools.generated.json");
    if std::env::var_os("NOVA_GENERATE").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(found == text, "ui/src/testing/tools.generated.json is stale: run `make generate` and commit it");
}

#[tokio::test]
async fn month_of_many_entries_is_complete_in_the_panel() {
    let expenses: Vec<String> = (0..250)
        .map(|at| {
            format!("//- Budget/Expenses/2026/{at}.md\n---\ntype: expense\ndate: 2026-11-02\namount: {at}.50\ncurrency: EUR\n---\n")
        })
        .collect();
    let nova = Nova::new(&expenses.concat(), []);
    let app = nova.start().await;
    let panels = app.list_panels(Nothing {}).await.unwrap();
    let panel = panels.iter().find(|panel| panel.skill == "budget").unwrap();
    let tables = panel.panel.tabs.iter().flat_map(|tab| {
        tab.parts.iter().filter_map(move |part| match part {
            PanelPart::Table(part) if part.rows == "/entries" => Some((tab, part)),
            _ => None,
        })
    });
    let mut looked = Looked { app: &app, panel, missing: Vec::new() };
    for (tab, part) in tables {
        let value = looked.ask(tab, &part.tool, &part.args).await;
        let rows = value.pointer(&part.rows).and_then(Value::as_array).map(Vec::len);
        assert_eq!((rows, value.get("not_shown")), (Some(250), None), "{}", part.title);
    }
}

/// One panel, with its unresolved references.
struct Looked<'a> {
    app: &'a App,
    panel: &'a PanelView,
    missing: Vec<String>,
}

impl Looked<'_> {
    async fn at_tab(&mut self, tab: &PanelTab) {
        self.actions(&tab.actions).await;
        if let Some(count) = &tab.count {
            let value = self.ask(tab, &count.tool, &count.args).await;
            let found = value.pointer(&count.at);
            self.expect(
                found.is_some_and(|found| found.is_array() || found.is_number()),
                &count.at,
                &count.tool,
            );
        }
        for part in &tab.parts {
            self.at_part(tab, part).await;
        }
    }

    async fn at_part(&mut self, tab: &PanelTab, part: &PanelPart) {
        match part {
            PanelPart::Summary(part) => {
                let value = self.ask(tab, &part.tool, &part.args).await;
                // Optional fields exist once every input has a value.
                let whole = self.ask_with(tab, &part.tool, &part.args, "EUR").await;
                for item in &part.items {
                    let value = if item.optional { &whole } else { &value };
                    for at in [Some(&item.at), item.unit.as_ref(), item.detail.as_ref()].into_iter().flatten()
                    {
                        self.expect(value.pointer(at).is_some(), at, &part.tool);
                    }
                }
            }
            PanelPart::Table(part) => {
                let value = self.ask(tab, &part.tool, &part.args).await;
                let columns = part.columns.iter();
                let fields = columns
                    .flat_map(|column| [Some(&column.field), column.unit.as_ref(), column.detail.as_ref()])
                    .flatten();
                self.rows(&value, &part.tool, &part.rows, fields);
                if let Some(more) = &part.more {
                    let list = more.split("/*").next().unwrap_or_default();
                    self.expect(value.pointer(list).is_some_and(Value::is_array), list, &part.tool);
                }
                if let Some(sort) = part.sort.as_deref().map(|sort| sort.trim_start_matches('-')) {
                    self.expect(part.columns.iter().any(|column| column.field == sort), sort, "its columns");
                }
                if let Some(total) = &part.total {
                    self.expect(value.pointer(total).is_some(), total, &part.tool);
                }
                self.actions(&part.actions).await;
            }
            PanelPart::Board(part) => {
                let value = self.ask(tab, &part.tool, &part.args).await;
                self.rows(&value, &part.tool, &part.columns, [&part.column]);
                let fields = [Some(&part.title), Some(&part.column), part.value.as_ref(), part.unit.as_ref()];
                let fields = fields.into_iter().chain([part.date.as_ref()]).flatten().chain(&part.detail);
                self.rows(&value, &part.tool, &part.rows, fields);
                self.actions(part.drop.as_slice()).await;
                self.actions(&part.actions).await;
            }
            PanelPart::List(part) => {
                let value = self.ask(tab, &part.tool, &part.args).await;
                let fields = [Some(&part.title), part.date.as_ref(), part.group.as_ref()];
                let fields = fields.into_iter().flatten().chain(&part.detail);
                let sorts: Vec<String> =
                    part.sorts.iter().map(|sort| sort.by.trim_start_matches('-').to_owned()).collect();
                self.rows(&value, &part.tool, &part.rows, fields.chain(&sorts));
                if let Some(rest) = &part.rest {
                    self.expect(value.pointer(&rest.at).is_some_and(Value::is_number), &rest.at, &part.tool);
                    let tab = rest.tab.as_deref().unwrap_or_default();
                    let is_there = self.panel.panel.tabs.iter().any(|other| other.title == tab);
                    self.expect(is_there, tab, "its tabs");
                }
                self.actions(&part.actions).await;
            }
            PanelPart::Chart(part) => {
                let value = self.ask(tab, &part.tool, &part.args).await;
                let fields = [Some(&part.x), part.dashed.as_ref(), part.mark.as_ref()];
                let fields =
                    fields.into_iter().flatten().chain(part.series.iter().map(|series| &series.field));
                self.rows(&value, &part.tool, &part.rows, fields);
                if let Some(input) = &part.choose {
                    self.expect(tab.inputs.iter().any(|own| own.name == *input), input, "its inputs");
                }
                for at in [&part.unit, &part.note, &part.detail].into_iter().flatten() {
                    self.expect(value.pointer(at).is_some(), at, &part.tool);
                }
            }
            PanelPart::Form(part) => self.tool(&part.tool).await,
            // The starter vault has no events; the tool works nevertheless.
            PanelPart::Calendar(part) => {
                let value = self.ask(tab, &part.tool, &part.args).await;
                self.expect(value["events"].is_array(), "/events", &part.tool);
            }
            // No mailbox is configured: the panel explains how to add one and calls nothing.
            PanelPart::Screener(part) => {
                let value = self.ask(tab, &part.tool, &part.args).await;
                self.expect(value.get("screens").is_some_and(Value::is_array), "/screens", &part.tool);
            }
            PanelPart::Mail(_) | PanelPart::Symbol(_) => {}
        }
    }

    /// The rows exist, and each field is in at least one of them: notes may omit fields.
    fn rows<'f>(
        &mut self,
        value: &Value,
        tool: &str,
        at: &str,
        fields: impl IntoIterator<Item = &'f String>,
    ) {
        let rows = value.pointer(at).and_then(Value::as_array).cloned().unwrap_or_default();
        self.expect(!rows.is_empty(), at, tool);
        for field in fields {
            let has = |row: &Value| {
                let found = if field.starts_with('/') { row.pointer(field) } else { row.get(field) };
                found.is_some_and(|found| !found.is_null())
            };
            self.expect(rows.iter().any(has), &format!("{field} of {at}"), tool);
        }
    }

    /// The tool's output, with the initial inputs of the tab.
    async fn ask(&mut self, tab: &PanelTab, tool: &str, args: &Map<String, Value>) -> Value {
        self.ask_with(tab, tool, args, "").await
    }

    /// Like [`Self::ask`], with this currency if the tab has a currency input.
    async fn ask_with(
        &mut self,
        tab: &PanelTab,
        tool: &str,
        args: &Map<String, Value>,
        currency: &str,
    ) -> Value {
        let inputs: Map<String, Value> = tab
            .inputs
            .iter()
            .filter(|input| {
                !input.default.is_empty() || (input.kind == PanelInputKind::Currency && !currency.is_empty())
            })
            .map(|input| {
                let value = match (input.default.as_str(), input.kind) {
                    ("", PanelInputKind::Currency) => currency,
                    ("today", PanelInputKind::Month) => "2026-11",
                    ("today", PanelInputKind::Year) => "2026",
                    ("today", _) => "2026-11-21",
                    (value, _) => value,
                };
                (input.name.clone(), value.into())
            })
            .collect();
        let mut given = Map::new();
        for (name, value) in args {
            let of_input = value.as_str().and_then(|text| text.strip_prefix('{')?.strip_suffix('}'));
            match of_input {
                Some(input) => given.extend(inputs.get(input).map(|value| (name.clone(), value.clone()))),
                None => drop(given.insert(name.clone(), filled(value, &inputs))),
            }
        }
        let tool = format!("{}.{tool}", self.panel.skill);
        let call = CallTool { tool: tool.clone(), args: given.into(), run: format!("panel {tool}") };
        let result = self.app.call_tool(call).await.unwrap();
        assert!(result.ok, "{tool}: {:?}", result.error);
        let value = result.value.unwrap_or_default();
        for figure in &result.figures {
            assert_eq!(value.pointer(&figure.at), Some(&json!(figure.value)), "{tool}: {figure:?}");
        }
        value
    }

    async fn actions(&mut self, actions: &[PanelAction]) {
        for action in actions {
            if let Some(tool) = &action.tool {
                self.tool(tool).await;
            }
        }
    }

    async fn tool(&mut self, tool: &str) {
        // As the page reads it: a tool of another skill is named with its skill.
        let name = if tool.contains('.') { tool.to_owned() } else { format!("{}.{tool}", self.panel.skill) };
        let tools = self.app.list_tools(Nothing {}).await.unwrap();
        let known: BTreeSet<&str> = tools.iter().map(|row| row.name.as_str()).collect();
        self.expect(known.contains(name.as_str()), "an action", tool);
    }

    fn expect(&mut self, there: bool, what: &str, tool: &str) {
        if !there {
            self.missing.push(format!("{what} in {tool}"));
        }
    }
}

/// Substitutes inputs such as `{year}` in a text, as in `{year}-12`.
fn filled(value: &Value, inputs: &Map<String, Value>) -> Value {
    let Some(text) = value.as_str() else { return value.clone() };
    let fill = |text: String, (name, value): (&String, &Value)| {
        text.replace(&format!("{{{name}}}"), value.as_str().unwrap_or_default())
    };
    json!(inputs.iter().fold(text.to_owned(), fill))
}
