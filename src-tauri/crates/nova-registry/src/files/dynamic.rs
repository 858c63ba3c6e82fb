//! The skill `dynamic`, whose tools are single files.

use nova_skill::Manifest;

use crate::{LoadedSkill, LoadedTool, SkillMd};

pub(super) const DYNAMIC: &str = "dynamic";

/// Creates the skill that contains the dynamic tools.
pub(super) fn dynamic_skill(tools: Vec<LoadedTool>, note: Option<String>) -> LoadedSkill {
    let lines: Vec<String> = tools
        .iter()
        .filter_map(|tool| match tool {
            LoadedTool::Ready { tool, .. } => {
                let spec = tool.spec();
                Some(format!("- `{}`: {}", spec.id, spec.description))
            }
            LoadedTool::NotReady { .. } => None,
        })
        .collect();
    let names: Vec<&str> = lines.iter().filter_map(|line| line.split('`').nth(1)).take(20).collect();
    let names = if names.is_empty() { "none works at present".to_owned() } else { names.join(", ") };
    let skill_md = SkillMd {
        name: DYNAMIC.into(),
        description: format!("Single tools that the user keeps as files: {names}."),
        instructions: format!("# The user's own tools\n\n{}", lines.join("\n")),
        ..SkillMd::default()
    };
    let manifest = Manifest { display_name: Some("Your tools".into()), ..Manifest::default() };
    LoadedSkill { note, ..LoadedSkill::new(DYNAMIC.into(), skill_md, manifest, tools) }
}
