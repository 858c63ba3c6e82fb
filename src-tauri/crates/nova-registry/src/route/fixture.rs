//! Builds skills from a few lines of YAML, and requests from lines of text.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use indexmap::IndexMap;
use nova_skill::{
    CallToken, Description, Effect, Hints, Manifest, NotWhen, Routing, Tool, ToolContext, ToolError,
    ToolOutput, ToolSpec, Value, async_trait, json,
};
use serde::Deserialize;

use crate::{LoadedSkill, Registry, Scan, Settings, SkillMd, Snapshot, Source, SourceKind};

#[derive(Clone, Deserialize)]
struct SkillLines {
    id: String,
    #[serde(default)]
    display_name: Option<String>,
    description: String,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    use_when: Vec<String>,
    #[serde(default)]
    not_when: Vec<NotWhen>,
    #[serde(default)]
    examples: Vec<String>,
    #[serde(default)]
    near_misses: Vec<String>,
    #[serde(default)]
    tools: IndexMap<String, ToolLines>,
}

#[derive(Clone, Deserialize)]
struct ToolLines {
    description: String,
    #[serde(default)]
    parameters: Vec<String>,
    #[serde(default)]
    use_when: Vec<String>,
    #[serde(default)]
    not_when: Vec<NotWhen>,
    #[serde(default)]
    examples: Vec<String>,
}

struct Given(Scan);

impl Source for Given {
    fn kind(&self) -> SourceKind {
        SourceKind::Mcp
    }

    fn scan(&self) -> Scan {
        self.0.clone()
    }
}

struct Idle(ToolSpec);

#[async_trait]
impl Tool for Idle {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn run(&self, _: CallToken, _: Value, _: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        Err(ToolError::failed("It is only looked at.", "Look at it."))
    }
}

pub(crate) fn snapshot(yaml: &str) -> Arc<Snapshot> {
    snapshot_with(yaml, &Settings::default())
}

pub(crate) fn snapshot_with(yaml: &str, settings: &Settings) -> Arc<Snapshot> {
    let skills: Vec<SkillLines> = serde_saphyr::from_str(yaml).unwrap();
    let skills = skills.into_iter().map(SkillLines::loaded).collect();
    Registry::new(vec![Box::new(Given(Scan { skills, problems: Vec::new() }))], settings).snapshot()
}

/// Parses lines `request = skill.tool`, `request = skill` or `request = -`.
pub(crate) fn requests(text: &str) -> Vec<(String, Option<(String, String)>)> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let (request, answer) = line.rsplit_once(" = ").unwrap();
            let (skill, tool) = answer.split_once('.').unwrap_or((answer, ""));
            (request.to_owned(), (answer != "-").then(|| (skill.to_owned(), tool.to_owned())))
        })
        .collect()
}

impl SkillLines {
    fn loaded(self) -> LoadedSkill {
        let tools = self.tools.into_iter().map(|(id, tool)| {
            let mut description = Description::purpose(tool.description);
            for clause in tool.use_when {
                description = description.use_when(clause);
            }
            for hint in tool.not_when {
                description = description.not_when(hint.phrase, hint.instead);
            }
            for example in tool.examples {
                description = description.example(example);
            }
            let properties: serde_json::Map<String, Value> =
                tool.parameters.into_iter().map(|name| (name, json!({}))).collect();
            let parameters = json!({"type": "object", "properties": properties});
            let spec = ToolSpec::new(id, description, parameters, Effect::Read);
            (Arc::new(Idle(spec)) as Arc<dyn Tool>).into()
        });
        let skill_md = SkillMd { name: self.id.clone(), description: self.description, ..SkillMd::default() };
        let manifest = Manifest {
            display_name: self.display_name,
            tags: self.tags,
            hints: Hints { use_when: self.use_when, not_when: self.not_when },
            routing: Routing { examples: self.examples, near_misses: self.near_misses },
            ..Manifest::default()
        };
        LoadedSkill::new(self.id, skill_md, manifest, tools.collect())
    }
}
