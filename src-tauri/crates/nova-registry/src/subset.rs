use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::{SkillEntry, Snapshot, ToolEntry, canonical};

/// A subset of the skills: whole skills, and single tools of others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Subset(BTreeMap<String, Part>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Whole,
    /// Ids of its tools.
    Tools(BTreeSet<String>),
}

/// A name that cannot be resolved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SubsetError {
    #[error("There is no skill or tool \"{name}\".")]
    Unknown { name: String, nearest: Vec<String> },
    #[error("The skill {skill} is not available.")]
    Unavailable { skill: String, reason: String },
}

impl Subset {
    /// Resolves names: each is a skill, or a tool by its wire name or as `skill.tool`. A named skill is
    /// included completely, even if one of its tools is named too.
    ///
    /// # Errors
    /// If a name is unknown, or its skill is not available.
    pub fn named(names: &[String], of: &Snapshot) -> Result<Self, SubsetError> {
        let mut subset = Self::default();
        for name in names.iter().map(|name| name.trim()) {
            if let Some(skill) = of.skill(name) {
                is_available(skill)?;
                subset.0.insert(skill.id.clone(), Part::Whole);
                continue;
            }
            let tools =
                of.skills().iter().flat_map(|skill| skill.tools.iter().map(move |tool| (skill, tool)));
            let wanted = canonical(name);
            let named = |tool: &ToolEntry| [canonical(&tool.wire_name), canonical(&tool.shown_name())];
            let found = tools.into_iter().find(|(_, tool)| named(tool).contains(&wanted));
            let Some((skill, tool)) = found else {
                let nearest = of.nearest_skills(name).into_iter().map(str::to_owned).collect();
                return Err(SubsetError::Unknown { name: name.to_owned(), nearest });
            };
            is_available(skill)?;
            match subset.0.entry(skill.id.clone()).or_insert_with(|| Part::Tools(BTreeSet::new())) {
                Part::Whole => {}
                Part::Tools(tools) => {
                    tools.insert(tool.id.clone());
                }
            }
        }
        Ok(subset)
    }

    /// Ids of the skills that are included at least in part.
    pub fn skills(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

fn is_available(skill: &SkillEntry) -> Result<(), SubsetError> {
    if skill.is_available() {
        return Ok(());
    }
    Err(SubsetError::Unavailable {
        skill: skill.id.clone(),
        reason: skill.reason.clone().unwrap_or_default(),
    })
}

impl Snapshot {
    /// Restricts the snapshot to this subset; `may` filters single tools. Skills that are no longer available
    /// are omitted.
    pub fn only(&self, subset: &Subset, may: impl Fn(&ToolEntry) -> bool) -> Self {
        let kept = self.available().filter_map(|skill| {
            let part = subset.0.get(&skill.id)?;
            let is_in = |tool: &&Arc<ToolEntry>| match part {
                Part::Whole => may(tool),
                Part::Tools(tools) => tools.contains(&tool.id) && may(tool),
            };
            let tools = skill.tools.iter().filter(is_in).cloned().collect();
            Some(Arc::new(SkillEntry { tools, tools_not_ready: Vec::new(), ..skill.as_ref().clone() }))
        });
        // Record types are recognised independently of the subset.
        let left_out = self.available().filter(|skill| !subset.0.contains_key(&skill.id));
        let other_records = left_out.map(|skill| skill.records.clone()).collect();
        Self { skills: kept.collect(), other_records, router: Default::default() }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::{NativeSkills, Registry, Settings};
    use nova_skill::{Description, Effect, NativeTool, Skill, Tool, ToolContext, ToolError, ToolOutput};

    struct Two(&'static str);

    impl Skill for Two {
        fn skill_md(&self) -> &str {
            self.0
        }

        fn manifest(&self) -> &str {
            "display_name: Two\nsummary: Has two tools.\nversion: 0.1.0\n"
        }

        fn tools(&self) -> Vec<Arc<dyn Tool>> {
            vec![nova_skill::native(Look), nova_skill::native(Change)]
        }
    }

    struct Look;
    struct Change;

    #[derive(serde::Deserialize, nova_skill::JsonSchema)]
    #[schemars(crate = "nova_skill::schemars")]
    struct Nothing {}

    macro_rules! tool {
        ($tool:ident, $id:literal, $effect:ident) => {
            #[nova_skill::async_trait]
            impl NativeTool for $tool {
                type Args = Nothing;
                const ID: &'static str = $id;
                const EFFECT: Effect = Effect::$effect;

                fn description(&self) -> Description {
                    Description::purpose("Does it.")
                }

                async fn run(&self, _: Nothing, _: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
                    Err(ToolError::Cancelled)
                }
            }
        };
    }
    tool!(Look, "look", Read);
    tool!(Change, "change", Write);

    fn all() -> Arc<Snapshot> {
        let skills: Vec<Box<dyn Skill>> = vec![
            Box::new(Two("---\nname: here\ndescription: Is here.\n---\n\nLook.\n")),
            Box::new(Two("---\nname: there\ndescription: Is there.\n---\n\nLook.\n")),
        ];
        Registry::new(vec![Box::new(NativeSkills::new(skills))], &Settings::default()).snapshot()
    }

    /// Checks the remaining tools for these names, without the tools `not`.
    fn check(names: &[&str], not: &str, remain: &[&str]) {
        let all = all();
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let subset = Subset::named(&names, &all).unwrap();
        let only = all.only(&subset, |tool| tool.id != not);
        let tools: Vec<String> =
            only.available().flat_map(|skill| &skill.tools).map(|tool| tool.shown_name()).collect();
        assert_eq!(tools, remain, "{names:?}");
    }

    #[test]
    fn keeps_whole_skills_and_single_tools() {
        check(&[], "", &[]);
        check(&["here"], "", &["here.look", "here.change"]);
        check(&["HERE", "there.look"], "", &["here.look", "here.change", "there.look"]);
        check(&["there__change"], "", &["there.change"]);
        check(&["there__change", "there", "there.look"], "", &["there.look", "there.change"]);
        check(&["here", "there"], "change", &["here.look", "there.look"]);
    }

    #[test]
    fn unknown_names_are_refused_with_suggestions() {
        let unknown = Subset::named(&["hare".into()], &all()).unwrap_err();
        let nearest = vec!["here".into(), "there".into()];
        assert_eq!(unknown, SubsetError::Unknown { name: "hare".into(), nearest });
        assert!(Subset::named(&["here.write".into()], &all()).is_err());
    }
}
