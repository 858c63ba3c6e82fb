use nova_skill::Fragment;

use crate::{SkillEntry, ToolEntry};

/// Maximum number of phrases per skill, and per tool.
const MAX_PHRASES: usize = 64;

/// The router's view of a skill.
#[derive(Clone, Default)]
pub(super) struct Profile {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) description: String,
    pub(super) tags: String,
    pub(super) use_when: Vec<String>,
    pub(super) not_when: Vec<(String, String)>,
    pub(super) examples: Vec<Example>,
    pub(super) near_misses: Vec<String>,
    pub(super) tools: Vec<ToolProfile>,
}

#[derive(Clone, Default)]
pub(super) struct ToolProfile {
    pub(super) id: String,
    pub(super) purpose: String,
    pub(super) use_when: Vec<String>,
    pub(super) not_when: Vec<(String, String)>,
    pub(super) parameters: Vec<String>,
    pub(super) examples: Vec<String>,
}

/// An example request of a skill, and the tool that it names.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Example {
    pub(super) text: String,
    pub(super) tool: Option<String>,
}

impl Profile {
    pub(super) fn of(skill: &SkillEntry) -> Self {
        let tools: Vec<ToolProfile> = skill.tools.iter().map(|tool| ToolProfile::of(tool)).collect();
        let read = |text: &String| match text.rsplit_once(" -> ") {
            Some((text, tool)) if tools.iter().any(|known| known.id == tool.trim()) => {
                Example { text: text.trim().to_owned(), tool: Some(tool.trim().to_owned()) }
            }
            _ => Example { text: text.clone(), tool: None },
        };
        let manifest = &skill.manifest;
        let mut examples: Vec<Example> =
            manifest.routing.examples.iter().take(MAX_PHRASES).map(read).collect();
        for tool in &tools {
            let own = tool.examples.iter();
            examples.extend(own.map(|text| Example { text: text.clone(), tool: Some(tool.id.clone()) }));
        }
        let not_when = manifest.hints.not_when.iter().take(MAX_PHRASES);
        Self {
            id: skill.id.clone(),
            name: skill.name.clone(),
            description: skill.description.clone(),
            tags: manifest.tags.iter().take(MAX_PHRASES).cloned().collect::<Vec<_>>().join(" "),
            use_when: manifest.hints.use_when.iter().take(MAX_PHRASES).cloned().collect(),
            not_when: not_when.map(|hint| (hint.phrase.clone(), hint.instead.clone())).collect(),
            examples,
            near_misses: manifest.routing.near_misses.iter().take(MAX_PHRASES).cloned().collect(),
            tools,
        }
    }
}

impl ToolProfile {
    fn of(tool: &ToolEntry) -> Self {
        let spec = tool.spec();
        let mut profile = Self { id: spec.id.clone(), ..Self::default() };
        for fragment in spec.description.fragments().iter().take(MAX_PHRASES) {
            match fragment {
                Fragment::Purpose(text) => profile.purpose.push_str(text),
                Fragment::UseWhen(text) => profile.use_when.push(text.clone()),
                Fragment::NotWhen { clause, instead } => {
                    profile.not_when.push((clause.clone(), instead.clone()));
                }
                Fragment::Example(text) => profile.examples.push(text.clone()),
                Fragment::Cite(_) => {}
            }
        }
        if let Some(properties) = spec.parameters.get("properties").and_then(|value| value.as_object()) {
            profile.parameters = properties.keys().take(MAX_PHRASES).cloned().collect();
        }
        profile
    }
}
