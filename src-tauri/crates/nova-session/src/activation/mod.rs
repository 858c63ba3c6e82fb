//! The active skills of a session, and what the model knows about them.

mod control;
mod fence;
mod skill_knowledge;

use std::sync::Arc;

use nova_protocol::{ActivatedBy, Event};
use nova_provider::{ToolDefinition, normalise_schema};
use nova_registry::{Catalog, SkillEntry, Snapshot, ToolEntry, ToolLookup};
use nova_skill::{Fragment, Lifetime, Mode};

pub(crate) use control::{
    ControlTool, activation_answer, instructions, listing, resource, search, unknown_skill,
};
pub(crate) use fence::{NOTICE, neutral, new_notice_mark, part};
pub(crate) use skill_knowledge::SkillKnowledge;

/// The active skills of a session, in order of activation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Active(Vec<String>);

impl Active {
    pub(crate) fn contains(&self, skill: &str) -> bool {
        self.0.iter().any(|id| id == skill)
    }

    /// Returns whether it was inactive before.
    pub(crate) fn add(&mut self, skill: &str) -> bool {
        let new = !self.contains(skill);
        if new {
            self.0.push(skill.to_owned());
        }
        new
    }

    pub(crate) fn remove(&mut self, skill: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|id| id != skill);
        self.0.len() < before
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Applies an activation event of the log.
    pub(crate) fn replay(&mut self, event: &Event) {
        match event {
            Event::SkillActivated { skill, .. } => {
                self.add(skill);
            }
            Event::SkillDeactivated { skill, .. } => {
                self.remove(skill);
            }
            _ => {}
        }
    }
}

/// The tools that a session offers in every request: its own, and those that skills keep in every request.
/// Frozen, so that added or removed skills do not invalidate the provider's cache.
pub(crate) fn first_tools(snapshot: &Snapshot) -> Vec<ToolDefinition> {
    let mut tools = ControlTool::offered(snapshot);
    for skill in snapshot.available() {
        let kept = skill.tools.iter().filter(|tool| is_always(skill, tool));
        tools.extend(kept.map(|tool| definition(snapshot, skill, tool)));
    }
    tools
}

/// The tools of a request, as the model sees them: `first`, then in order of activation.
///
/// A tool of `first` whose definition has changed is sent in its current form: calls with an outdated schema
/// would fail.
pub(crate) fn visible_tools(
    snapshot: &Snapshot,
    first: &[ToolDefinition],
    active: &Active,
) -> Vec<ToolDefinition> {
    let now = |frozen: &ToolDefinition| defined(snapshot, &frozen.name).unwrap_or_else(|| frozen.clone());
    let mut tools: Vec<ToolDefinition> = first.iter().map(now).collect();
    // The chat was created when no skill could be loaded.
    if !first.iter().any(|tool| ControlTool::named(&tool.name) == Some(ControlTool::LoadSkill)) {
        let control = ControlTool::offered(snapshot).into_iter();
        tools.extend(control.filter(|tool| !first.iter().any(|seen| seen.name == tool.name)));
    }
    for id in active.iter() {
        let Some(skill) = snapshot.skill(id).filter(|skill| skill.is_available()) else { continue };
        for tool in tools_of(snapshot, skill) {
            if !tools.iter().any(|seen| seen.name == tool.name) {
                tools.push(tool);
            }
        }
    }
    tools
}

/// The tools of a skill.
fn tools_of(snapshot: &Snapshot, skill: &SkillEntry) -> Vec<ToolDefinition> {
    let mut own: Vec<ToolDefinition> =
        skill.tools.iter().map(|tool| definition(snapshot, skill, tool)).collect();
    if has_resources(skill) {
        own.push(ControlTool::ReadSkillFile.definition());
    }
    own
}

/// The current definitions of tools with these names; missing ones are omitted.
pub(crate) fn named_tools(snapshot: &Snapshot, names: &[String]) -> Vec<ToolDefinition> {
    names.iter().filter_map(|name| defined(snapshot, name)).collect()
}

/// The current definition of a tool; `None` if it does not exist.
fn defined(snapshot: &Snapshot, name: &str) -> Option<ToolDefinition> {
    if let Some(control) = ControlTool::named(name) {
        return Some(control.definition());
    }
    match snapshot.tool(name) {
        ToolLookup::Found { skill, tool } if snapshot_has(snapshot, &tool) => {
            Some(definition(snapshot, &skill, &tool))
        }
        _ => None,
    }
}

/// Skills whose instructions are in the system prompt.
pub(crate) fn always(snapshot: &Snapshot) -> impl Iterator<Item = &Arc<SkillEntry>> {
    snapshot.available().filter(|skill| skill.mode == Mode::Always)
}

fn is_always(skill: &SkillEntry, tool: &ToolEntry) -> bool {
    skill.mode == Mode::Always || skill.manifest.loading.always.contains(&tool.id)
}

/// Whether it can be called: a lookup also finds tools that cannot.
fn snapshot_has(snapshot: &Snapshot, tool: &Arc<ToolEntry>) -> bool {
    snapshot.available().any(|skill| skill.tools.iter().any(|own| Arc::ptr_eq(own, tool)))
}

fn has_resources(skill: &SkillEntry) -> bool {
    skill.folder.as_ref().is_some_and(|folder| !folder.resources().is_empty())
}

fn definition(snapshot: &Snapshot, skill: &SkillEntry, tool: &ToolEntry) -> ToolDefinition {
    let spec = tool.spec();
    let mut description = spec.description.to_string();
    // A tool without its own conditions of use inherits those of its skill.
    let says_when = |fragment: &Fragment| matches!(fragment, Fragment::UseWhen(_) | Fragment::NotWhen { .. });
    if !spec.description.fragments().iter().any(says_when) {
        let (use_when, not_when) = Catalog::hints(snapshot, skill);
        description.push_str(&use_when);
        description.push_str(&not_when);
    }
    ToolDefinition {
        name: tool.wire_name.clone(),
        description,
        // Labels for forms are omitted, since a model pays for each token.
        input_schema: normalise_schema(&spec.parameters),
    }
}

/// The event of an activation, for the badge.
pub(crate) fn activated(skill: &SkillEntry, by: ActivatedBy) -> Event {
    let lifetime = match skill.lifetime {
        Lifetime::Session => "session",
        Lifetime::Turn => "turn",
    };
    Event::SkillActivated { skill: skill.id.clone(), by, lifetime: lifetime.into() }
}
