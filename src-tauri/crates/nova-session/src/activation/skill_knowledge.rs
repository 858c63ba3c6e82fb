use std::collections::BTreeMap;

use nova_registry::{Catalog, SkillEntry, Snapshot, short_hash};
use serde::{Deserialize, Serialize};

use super::{ControlTool, has_resources};

/// What a message tells the model about skills. The model's knowledge is the union over all messages that are
/// still sent: a message that is removed takes its part with it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SkillKnowledge {
    /// Hash of the description by skill; `None` for a removed skill.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) skills: BTreeMap<String, Option<String>>,
    /// Hash of the instructions by skill.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) instructions: BTreeMap<String, String>,
    /// Names of tools that it makes callable.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tools: Vec<String>,
}

impl SkillKnowledge {
    pub(crate) fn is_empty(&self) -> bool {
        self.skills.is_empty() && self.instructions.is_empty() && self.tools.is_empty()
    }

    /// The catalog of a system prompt.
    pub(crate) fn catalog(snapshot: &Snapshot) -> Self {
        let skills = Catalog::entry_hashes(snapshot).into_iter().map(|(id, hash)| (id, Some(hash))).collect();
        Self { skills, ..Self::default() }
    }

    pub(crate) fn instructions_of(skill: &SkillEntry) -> Self {
        let mut told = Self::default();
        told.add_instructions(skill);
        told
    }

    pub(crate) fn add_instructions(&mut self, skill: &SkillEntry) {
        self.instructions.insert(skill.id.clone(), short_hash(&skill.instructions));
    }

    /// Adds the tools of the skill.
    pub(crate) fn with_tools_of(mut self, skill: &SkillEntry) -> Self {
        self.tools.extend(skill.tools.iter().map(|tool| tool.wire_name.clone()));
        self.tools.extend(has_resources(skill).then(|| ControlTool::ReadSkillFile.definition().name));
        self
    }

    /// Whether the model has the current instructions.
    pub(crate) fn knows_instructions(&self, skill: &SkillEntry) -> bool {
        self.instructions.get(&skill.id).is_some_and(|hash| *hash == short_hash(&skill.instructions))
    }

    /// The catalog entries that the model does not know yet, as hashes; `None` for a removed skill.
    pub(crate) fn catalog_changes(&self, snapshot: &Snapshot) -> BTreeMap<String, Option<String>> {
        let now = Catalog::entry_hashes(snapshot);
        let gone = self.skills.iter().filter(|(id, told)| told.is_some() && !now.contains_key(*id));
        let gone = gone.map(|(id, _)| (id.clone(), None)).collect::<Vec<_>>();
        let new = now.into_iter().filter(|(id, hash)| self.skills.get(id) != Some(&Some(hash.clone())));
        new.map(|(id, hash)| (id, Some(hash))).chain(gone).collect()
    }

    /// Adds what a later message tells.
    pub(crate) fn extend(&mut self, later: &Self) {
        self.skills.extend(later.skills.clone());
        self.instructions.extend(later.instructions.clone());
        let new: Vec<String> =
            later.tools.iter().filter(|name| !self.tools.contains(name)).cloned().collect();
        self.tools.extend(new);
    }
}
