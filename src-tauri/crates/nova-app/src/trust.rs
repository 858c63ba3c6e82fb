use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use nova_calls::{Approval, Approved, ToolContent};
use nova_registry::{AgreedSkills, canonical};
use serde::{Deserialize, Serialize};

/// What the user agreed to, in `<data>/trust.json`.
pub(crate) struct Trust {
    file: PathBuf,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Record {
    /// Provider id → the host that was agreed to. Another host is not agreed to.
    providers: BTreeMap<String, String>,
    /// `skill.tool` → the content of its file that was approved last. No other is.
    tools: BTreeMap<String, ApprovedTool>,
    /// Canonical id of a skill from elsewhere → what the user agreed to. Nothing else of it is used.
    skills: BTreeMap<String, AgreedSkill>,
}

/// A skill from elsewhere as it was when the user agreed to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AgreedSkill {
    /// Of all its files.
    pub(crate) fingerprint: String,
    /// Path → hash, to say later what changed.
    #[serde(default)]
    pub(crate) files: BTreeMap<String, String>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct ApprovedTool {
    definition: String,
    /// Every call, not only the first.
    #[serde(default)]
    always: bool,
    /// Hosts that every call may contact, beside those it declares.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    hosts: BTreeSet<String>,
}

impl Trust {
    pub(crate) fn new(data: &Path) -> Self {
        Self { file: data.join("trust.json") }
    }

    pub(crate) fn agrees(&self, provider: &str, host: &str) -> bool {
        self.read().providers.get(provider).is_some_and(|agreed| agreed == host)
    }

    pub(crate) fn agree(&self, provider: &str, host: &str) -> std::io::Result<()> {
        self.change(|record| {
            record.providers.insert(provider.to_owned(), host.to_owned());
        })
    }

    pub(crate) fn revoke(&self, provider: &str) -> std::io::Result<()> {
        self.change(|record| {
            record.providers.remove(provider);
        })
    }

    pub(crate) fn agreed_skill(&self, skill: &str) -> Option<AgreedSkill> {
        self.read().skills.remove(&canonical(skill))
    }

    /// What was approved of its tools before is forgotten: it was for other files.
    pub(crate) fn agree_to_skill(&self, skill: &str, agreed: &AgreedSkill) -> std::io::Result<()> {
        let id = canonical(skill);
        self.change(|record| {
            let is_other = record.skills.insert(id.clone(), agreed.clone()).as_ref() != Some(agreed);
            let of_skill = |tool: &str| tool.split_once('.').is_some_and(|(skill, _)| canonical(skill) == id);
            record.tools.retain(|tool, _| !(is_other && of_skill(tool)));
        })
    }

    /// An unreadable file agrees to nothing.
    fn read(&self) -> Record {
        std::fs::read(&self.file)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default()
    }

    fn change(&self, edit: impl FnOnce(&mut Record)) -> std::io::Result<()> {
        crate::own_files::change(&self.file, std::convert::identity, || {
            let mut record = self.read();
            edit(&mut record);
            let mut bytes = serde_json::to_vec_pretty(&record)?;
            bytes.push(b'\n');
            Ok((bytes, ()))
        })
    }
}

impl AgreedSkills for Trust {
    fn fingerprint(&self, skill: &str) -> Option<String> {
        self.agreed_skill(skill).map(|agreed| agreed.fingerprint)
    }
}

impl Approved for Trust {
    fn covers(&self, content: &ToolContent) -> Option<Approval> {
        let record = self.read();
        let approved = record.tools.get(&name_of(content))?;
        (approved.definition == content.definition).then_some(if approved.always {
            Approval::Always
        } else {
            Approval::Seen
        })
    }

    fn keep(&self, content: &ToolContent, approval: Approval) -> Result<(), String> {
        let always = approval == Approval::Always;
        self.change(|record| {
            let approved = record.tools.entry(name_of(content)).or_default();
            // What another content was allowed is gone with it.
            let hosts = match approved.definition == content.definition {
                true => std::mem::take(&mut approved.hosts),
                false => BTreeSet::new(),
            };
            *approved = ApprovedTool { definition: content.definition.clone(), always, hosts };
        })
        .map_err(|error| error.to_string())
    }

    fn covers_host(&self, content: &ToolContent, host: &str) -> bool {
        let record = self.read();
        let approved = record.tools.get(&name_of(content));
        approved.is_some_and(|known| known.definition == content.definition && known.hosts.contains(host))
    }

    fn keep_host(&self, content: &ToolContent, host: &str) -> Result<(), String> {
        let mut kept = false;
        self.change(|record| {
            if let Some(approved) = record.tools.get_mut(&name_of(content))
                && approved.definition == content.definition
            {
                approved.hosts.insert(host.to_owned());
                kept = true;
            }
        })
        .map_err(|error| error.to_string())?;
        kept.then_some(()).ok_or_else(|| "its file has changed meanwhile".to_owned())
    }
}

fn name_of(content: &ToolContent) -> String {
    format!("{}.{}", content.skill, content.tool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_content_of_a_file_is_not_approved_and_takes_the_place_of_the_old() {
        let folder = tempfile::tempdir().expect("a folder");
        let content = |definition: &str| ToolContent {
            skill: "dynamic".into(),
            tool: "weather".into(),
            definition: definition.into(),
        };
        let trust = Trust::new(folder.path());
        assert_eq!(trust.covers(&content("one")), None);
        trust.keep(&content("one"), Approval::Always).expect("kept");
        assert_eq!(Trust::new(folder.path()).covers(&content("one")), Some(Approval::Always));
        assert_eq!(trust.covers(&content("two")), None);
        trust.keep(&content("two"), Approval::Seen).expect("kept");
        assert_eq!(trust.covers(&content("two")), Some(Approval::Seen));
        assert_eq!(trust.covers(&content("one")), None, "it was replaced, and asks again");
    }

    #[test]
    fn a_host_is_kept_for_one_content_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let content = |definition: &str| ToolContent {
            skill: "dynamic".into(),
            tool: "weather".into(),
            definition: definition.into(),
        };
        let trust = Trust::new(folder.path());
        assert!(trust.keep_host(&content("one"), "a.example").is_err(), "it was never allowed to run");
        trust.keep(&content("one"), Approval::Seen).expect("kept");
        trust.keep_host(&content("one"), "a.example").expect("kept");
        trust.keep(&content("one"), Approval::Always).expect("kept");
        let read_again = Trust::new(folder.path());
        assert!(read_again.covers_host(&content("one"), "a.example"));
        assert!(!read_again.covers_host(&content("one"), "b.example"));
        assert!(!read_again.covers_host(&content("two"), "a.example"));
        trust.keep(&content("two"), Approval::Seen).expect("kept");
        assert!(trust.keep_host(&content("one"), "b.example").is_err(), "another content is in force");
        assert!(!trust.covers_host(&content("two"), "a.example"));
        assert_eq!(trust.covers(&content("two")), Some(Approval::Seen));
    }
}
