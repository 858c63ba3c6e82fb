//! The tools of a server: the user's selection, and why a tool cannot be called.

use std::sync::Arc;

use nova_registry::{LoadedTool, State, harmless_line};
use nova_skill::Effect;
use serde_json::Value;

use super::{Now, Server};
use crate::definition::{Definition, Kind, cut, short};
use crate::known_tools::{ChangedTool, KnownTools};
use crate::limits;
use crate::tool::McpTool;

/// A tool listed by a server, selected or not.
#[derive(Debug, Clone)]
pub struct ListedTool {
    pub name: String,
    pub description: String,
    /// Annotations about its effects.
    pub hints: Option<Value>,
    /// The effect that the user configured.
    pub effect: Option<Effect>,
    /// Size of its description and schema in a model request.
    pub bytes: usize,
    /// Selected by the user.
    pub on: bool,
    /// The change since the user's agreement.
    pub change: Option<ChangedTool>,
    /// Why it cannot be called.
    pub trouble: Option<(State, String)>,
}

impl Server {
    /// `None` if its tools were never listed.
    pub(crate) fn listed(&self) -> Option<Vec<ListedTool>> {
        let now = self.now();
        let mut good: Vec<&Definition> = Vec::new();
        let listed = now.known.listed.as_ref()?.iter().take(limits::TOOLS).map(|definition| {
            let on = self.is_chosen(definition);
            let trouble = on.then(|| self.trouble_of(definition, &good, &now.known)).flatten();
            if on && trouble.is_none() {
                good.push(definition);
            }
            ListedTool {
                name: short(&harmless_line(&definition.name)),
                description: cut(&definition.description, limits::DESCRIPTION),
                hints: definition.hints.clone(),
                effect: self.config.tools.effects.get(&definition.name).copied(),
                bytes: definition.description_for_model(&self.config.name).len()
                    + definition.schema().to_string().len(),
                on,
                change: now.known.change_of(definition),
                trouble,
            }
        });
        Some(listed.collect())
    }

    /// The id of the tool that reads its resources, if selected.
    pub(crate) fn resource_tool(&self) -> Option<String> {
        let now = self.now();
        let own = now.known.listed.iter().flatten().find(|tool| tool.kind == Kind::Resources);
        own.filter(|tool| self.is_chosen(tool)).map(|tool| tool.name.clone())
    }

    /// Builds the selected tools; unchanged ones keep their identity.
    pub(super) fn make_tools(self: &Arc<Self>, now: &mut Now) {
        let listed = now.known.listed.iter().flatten();
        let chosen: Vec<&Definition> = listed.filter(|tool| self.is_chosen(tool)).collect();
        let mut good: Vec<&Definition> = Vec::new();
        let mut tools = Vec::new();
        for definition in chosen.iter().take(limits::TOOLS) {
            match self.trouble_of(definition, &good, &now.known) {
                Some((state, reason)) => {
                    let id = cut(&harmless_line(&definition.name), 40);
                    tools.push(LoadedTool::NotReady { id, state, reason });
                }
                None => {
                    good.push(definition);
                    let before = now.tools.iter().find(|tool| McpTool::is_of(tool, &self.config, definition));
                    let new = || McpTool::loaded(self.clone(), definition);
                    tools.push(before.cloned().unwrap_or_else(new));
                }
            }
        }
        if chosen.len() > limits::TOOLS {
            tracing::warn!(server = %self.config.name, listed = chosen.len(), used = limits::TOOLS, "too many tools");
        }
        now.tools = tools;
    }

    fn is_chosen(&self, tool: &Definition) -> bool {
        let choice = &self.config.tools;
        (choice.allow.is_empty() || choice.allow.contains(&tool.name)) && !choice.deny.contains(&tool.name)
    }

    /// Why a tool cannot be called. `good` are the valid tools before it.
    fn trouble_of(
        &self,
        tool: &Definition,
        good: &[&Definition],
        known: &KnownTools,
    ) -> Option<(State, String)> {
        if let Some(fault) = tool.fault(good) {
            return Some((State::Broken, fault));
        }
        let change = known.change_of(tool)?;
        let review = format!("Review it: nova mcp review {}.", self.config.name);
        let reason = if let Some(why) = &known.lost {
            let why = why.trim_end_matches('.');
            format!("The definitions that you agreed to cannot be read any more: {why}. {review}")
        } else if change.is_new() {
            format!("It is new since you agreed to the server. {review}")
        } else {
            let changes = change.changes.join("; ");
            format!("Its definition changed: {}. {review}", changes.trim_end_matches('.'))
        };
        Some((State::NeedsReview, reason))
    }
}
