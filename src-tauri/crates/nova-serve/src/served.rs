//! Selects the tools and skills that a client sees.

use std::sync::Arc;

use nova_app::{App, Relationship, is_foreign};
use nova_protocol::{ErrorCode, UserError};
use nova_registry::{Present, SkillEntry, Snapshot, ToolEntry, ToolLookup, canonical, lacking};
use nova_skill::Effect;
use rmcp::model::{
    Prompt, PromptArgument, Skill, SkillFrontmatter, SkillResource, SkillResources, Tool, ToolAnnotations,
};
use serde_json::Value;

use crate::{form, resource};

/// What the user serves, and to which client.
#[derive(Debug, Clone)]
pub struct Served {
    /// Skill ids.
    pub skills: Vec<String>,
    pub effects: Vec<Effect>,
    /// The client's relationship to the user, for policies.
    pub relationship: Relationship,
    /// The client and its model run on this machine, so private notes are served, too.
    pub local: bool,
}

/// A served tool.
#[derive(Clone)]
pub(crate) struct ServedTool {
    /// `skill.tool`
    pub(crate) name: String,
    /// Third-party, so its output is fenced.
    pub(crate) is_foreign: bool,
}

impl Served {
    /// Skills served by default, read-only.
    pub const SKILLS: [&str; 4] = ["vault", "crm", "portfolio", "budget"];

    /// # Errors
    /// When a skill does not exist in any state.
    pub fn check(&self, app: &App) -> Result<(), UserError> {
        let snapshot = app.registry().snapshot();
        match self.skills.iter().find(|skill| snapshot.listed(skill).is_none()) {
            None => Ok(()),
            Some(unknown) => Err(UserError::new(
                ErrorCode::UnknownSkill,
                format!("There is no skill \"{unknown}\"."),
                "List skills with: nova skill list --all.",
            )),
        }
    }

    fn serves(&self, skill: &SkillEntry) -> bool {
        let id = canonical(&skill.id);
        skill.is_available() && self.skills.iter().any(|served| canonical(served) == id)
    }

    /// Tools that call other tools are excluded: they could call tools that are not served.
    fn serves_tool(&self, tool: &ToolEntry) -> bool {
        self.effects.contains(&tool.effect()) && !tool.spec().calls_tools
    }

    fn skills<'a>(&'a self, snapshot: &'a Snapshot) -> impl Iterator<Item = &'a Arc<SkillEntry>> {
        snapshot.skills().iter().filter(|skill| self.serves(skill))
    }

    pub(crate) fn has_notes(&self, app: &App) -> bool {
        self.find_tool(app, "vault.read_note").is_ok()
    }

    pub(crate) fn tools(&self, app: &App) -> Vec<Tool> {
        let (snapshot, present) = (app.registry().snapshot(), app.registry().present());
        let tools = self.skills(&snapshot).flat_map(|skill| &skill.tools);
        tools.filter(|tool| self.serves_tool(tool)).map(|tool| described(tool, &present)).collect()
    }

    /// # Errors
    /// Why this client has no tool of that name.
    pub(crate) fn find_tool(&self, app: &App, name: &str) -> Result<ServedTool, String> {
        match app.registry().snapshot().tool(name) {
            ToolLookup::Found { skill, tool } if self.serves(&skill) => {
                if self.serves_tool(&tool) {
                    return Ok(ServedTool { name: tool.shown_name(), is_foreign: is_foreign(&tool) });
                }
                Err(match word(tool.effect()).filter(|_| !tool.spec().calls_tools) {
                    Some(effect) => format!(
                        "{name} is not served: its effect is {effect}. Start nova mcp serve with --allow {effect}."
                    ),
                    None => format!("{name} is not served to MCP clients."),
                })
            }
            ToolLookup::Found { .. } | ToolLookup::Unknown { .. } => {
                Err(format!("There is no tool \"{name}\". List them with tools/list."))
            }
        }
    }

    /// Skills with instructions, as prompts. Third-party skills are excluded: a prompt speaks in the user's
    /// name.
    pub(crate) fn prompts(&self, app: &App) -> Vec<Prompt> {
        let snapshot = app.registry().snapshot();
        let skills = self.skills(&snapshot).filter(|skill| is_prompt(skill));
        let prompts = skills.map(|skill| {
            let request = PromptArgument::new("request").with_description("What to do with the skill.");
            let arguments = vec![request.with_required(false)];
            Prompt::new(skill.id.clone(), Some(skill.description.clone()), Some(arguments))
                .with_title(skill.name.clone())
        });
        prompts.collect()
    }

    /// Description and instructions of a skill that is a prompt.
    pub(crate) fn prompt(&self, app: &App, name: &str) -> Option<(String, String)> {
        let snapshot = app.registry().snapshot();
        let mut skills = self.skills(&snapshot).filter(|skill| is_prompt(skill));
        let skill = skills.find(|skill| skill.id == name)?;
        Some((skill.description.clone(), skill.instructions.clone()))
    }

    /// The same skills as resources (SEP-2640), each with its text.
    pub(crate) fn skill_files(&self, app: &App) -> Vec<(Skill, String)> {
        let snapshot = app.registry().snapshot();
        let skills = self.skills(&snapshot).filter(|skill| is_prompt(skill));
        let files = skills.map(|skill| {
            let uri = format!("{}{}/SKILL.md", resource::SKILLS, skill.id);
            let description = Value::from(skill.description.clone());
            let text = format!(
                "---\nname: {}\ndescription: {description}\n---\n\n{}\n",
                skill.id,
                skill.instructions.trim()
            );
            let files = SkillResources::Files(vec![SkillResource::from_bytes(uri.clone(), text.as_bytes())]);
            let front_matter = SkillFrontmatter::new(skill.id.clone(), skill.description.clone());
            (Skill::new(uri, front_matter, files), text)
        });
        // An id that is invalid in the extension must not hide the other skills.
        files.filter(|(skill, _)| skill.validate().is_ok()).collect()
    }
}

fn is_prompt(skill: &SkillEntry) -> bool {
    !skill.foreign && !skill.instructions.trim().is_empty()
}

/// The value of `--allow` for an effect; effects without one cannot be served.
fn word(effect: Effect) -> Option<&'static str> {
    match effect {
        Effect::Read => Some("read"),
        Effect::Write => Some("write"),
        Effect::External => Some("external"),
        Effect::Destructive => Some("destructive"),
        Effect::Send | Effect::Undeclared => None,
    }
}

/// MCP has no availability flag, so a missing credential is mentioned in the description.
fn described(tool: &ToolEntry, present: &Present) -> Tool {
    let spec = tool.spec();
    let unfit = lacking(spec, present).map(|(_, remedy)| format!(" Not available now. {remedy}"));
    let description = format!("{}{}", spec.description, unfit.unwrap_or_default());
    let effect = tool.effect();
    let hints = ToolAnnotations::with_title(tool.shown_name())
        .read_only(effect == Effect::Read)
        .destructive(effect == Effect::Destructive)
        .open_world(effect == Effect::External);
    let schema = match &spec.parameters {
        Value::Object(schema) => schema.clone(),
        _ => serde_json::Map::new(),
    };
    Tool::new(tool.wire_name.clone(), description, schema)
        .with_annotations(hints)
        .with_raw_output_schema(form::schema())
}
