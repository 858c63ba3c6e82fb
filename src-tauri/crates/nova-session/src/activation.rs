use nova_protocol::ActivatedBy;
use nova_provider::ToolDefinition;
use nova_registry::{SkillEntry, Snapshot, ToolEntry};
use nova_skill::{Lifetime, Mode};
use serde_json::{Value, json};
use std::sync::Arc;

/// The skills that are active in a session, in the order of their activation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Active(Vec<String>);

impl Active {
    pub(crate) fn contains(&self, skill: &str) -> bool {
        self.0.iter().any(|id| id == skill)
    }

    /// Whether it was not active before.
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
}

/// Tools that belong to the session itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ControlTool {
    ListSkills,
    LoadSkill,
    UnloadSkill,
}

impl ControlTool {
    /// By the names of today and by those that older instructions use.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "list_skills" => Some(Self::ListSkills),
            "load_skill" | "enable_skill" => Some(Self::LoadSkill),
            "unload_skill" | "disable_skill" => Some(Self::UnloadSkill),
            _ => None,
        }
    }

    /// The skill that the call names.
    pub(crate) fn skill_of(arguments: &str) -> Option<String> {
        let args: Value = serde_json::from_str(arguments).ok()?;
        let name = args.get("skill").or_else(|| args.get("skill_name"))?;
        name.as_str().map(str::to_owned)
    }
}

/// The tools of a request, as the model sees them: control, always, then by activation.
pub(crate) fn visible_tools(snapshot: &Snapshot, active: &Active) -> Vec<ToolDefinition> {
    let mut tools = Vec::new();
    if snapshot.available().any(|skill| skill.mode == Mode::OnDemand) {
        tools.extend(control_tools());
    }
    for skill in snapshot.available() {
        let kept = skill
            .tools
            .iter()
            .filter(|tool| skill.mode == Mode::Always || skill.manifest.loading.always.contains(&tool.id));
        tools.extend(kept.map(definition));
    }
    for id in active.iter() {
        let Some(skill) = snapshot.skill(id).filter(|skill| skill.is_available()) else { continue };
        for tool in &skill.tools {
            if !tools.iter().any(|seen| seen.name == tool.wire_name) {
                tools.push(definition(tool));
            }
        }
    }
    tools
}

fn definition(tool: &Arc<ToolEntry>) -> ToolDefinition {
    let spec = tool.spec();
    ToolDefinition {
        name: tool.wire_name.clone(),
        description: spec.description.to_string(),
        input_schema: spec.parameters.clone(),
    }
}

fn control_tools() -> [ToolDefinition; 3] {
    let one_skill = json!({
        "type": "object",
        "properties": {"skill": {"type": "string", "description": "Id from the list of skills."}},
        "required": ["skill"],
        "additionalProperties": false,
    });
    let define = |name: &str, description: &str, input_schema: Value| ToolDefinition {
        name: name.into(),
        description: description.into(),
        input_schema,
    };
    [
        define(
            "list_skills",
            "Lists the skills with their state.",
            json!({"type": "object", "properties": {}}),
        ),
        define(
            "load_skill",
            "Loads a skill: returns its instructions and makes its tools callable from your next step on.",
            one_skill.clone(),
        ),
        define(
            "unload_skill",
            "Unloads a skill that is not needed any more; its tools disappear.",
            one_skill,
        ),
    ]
}

/// What `load_skill` answers.
pub(crate) fn instructions(skill: &SkillEntry) -> String {
    let tools: Vec<&str> = skill.tools.iter().map(|tool| tool.wire_name.as_str()).collect();
    format!(
        "## Skill activated: {}\n\n{}\n\n**Tools:** {}",
        skill.name,
        skill.instructions,
        if tools.is_empty() { "none".to_owned() } else { tools.join(", ") }
    )
}

/// What `list_skills` answers.
pub(crate) fn listing(snapshot: &Snapshot, active: &Active) -> Value {
    let rows: Vec<Value> = snapshot
        .available()
        .map(|skill| {
            let state = if active.contains(&skill.id) { "active" } else { "available" };
            json!({"skill": skill.id, "state": state, "description": skill.description})
        })
        .collect();
    Value::Array(rows)
}

/// An answer to a name that is no available skill.
pub(crate) fn unknown_skill(snapshot: &Snapshot, name: &str) -> Value {
    let known: Vec<&str> = snapshot.available().map(|skill| skill.id.as_str()).collect();
    json!({"error": {
        "code": "unknown_skill",
        "message": format!("There is no available skill \"{name}\"."),
        "hint": format!("Available: {}.", known.join(", ")),
    }})
}

pub(crate) fn lifetime_name(lifetime: Lifetime) -> &'static str {
    match lifetime {
        Lifetime::Session => "session",
        Lifetime::Turn => "turn",
    }
}

/// Folds what the log says about activations.
pub(crate) fn replay(active: &mut Active, event: &nova_protocol::Event) {
    match event {
        nova_protocol::Event::SkillActivated { skill, .. } => {
            active.add(skill);
        }
        nova_protocol::Event::SkillDeactivated { skill, .. } => {
            active.remove(skill);
        }
        _ => {}
    }
}

/// One activation, as the badge says it.
pub(crate) fn activated(skill: &SkillEntry, by: ActivatedBy) -> nova_protocol::Event {
    nova_protocol::Event::SkillActivated {
        skill: skill.id.clone(),
        by,
        lifetime: lifetime_name(skill.lifetime).into(),
    }
}
