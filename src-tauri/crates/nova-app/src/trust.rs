use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use nova_calls::{Approval, Approved, Standing, ToolContent, ToolFace};
use nova_registry::{AgreedSkills, canonical, shown_name};
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
    /// `skill.tool` → the content that was approved last. No other is.
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

/// A tool that did not come with the program, as the user approved it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ApprovedTool {
    definition: String,
    /// Every call, not only the first.
    #[serde(default)]
    pub(crate) always: bool,
    /// Nobody was asked: it is what the tool was when it was first seen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    unasked: bool,
    /// What it said of itself then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    face: Option<ToolFace>,
    /// Hosts that every call may contact, beside those it declares.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) hosts: BTreeSet<String>,
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

    /// By the name they were approved under, `skill.tool`: those that somebody was asked about.
    pub(crate) fn approved_tools(&self) -> Vec<(String, ApprovedTool)> {
        let tools = self.read().tools.into_iter().filter(|(_, tool)| !tool.unasked);
        tools.map(|(name, tool)| (tool.face.as_ref().map_or(name, |face| face.name.clone()), tool)).collect()
    }

    /// Remembers what tools are that their source vouches for until they change. Of those that are
    /// known, nothing is changed.
    pub(crate) fn first_sights(&self, seen: &[(ToolContent, ToolFace)]) -> std::io::Result<()> {
        let known = self.read().tools;
        let is_new = |content: &ToolContent| {
            !known.contains_key(&canonical_name(content))
                && !known.contains_key(&shown_name(&content.skill, &content.tool))
        };
        let new: Vec<_> = seen.iter().filter(|(content, _)| is_new(content)).collect();
        if new.is_empty() {
            return Ok(());
        }
        self.change(|record| {
            for (content, face) in new {
                record.tools.entry(canonical_name(content)).or_insert_with(|| ApprovedTool {
                    definition: content.definition.clone(),
                    always: false,
                    unasked: true,
                    face: Some(face.clone()),
                    hosts: BTreeSet::new(),
                });
            }
        })
    }

    /// The next call of the tool asks as the first did. Answers whether anything was approved.
    pub(crate) fn forget_tool(&self, name: &str) -> std::io::Result<bool> {
        let wanted = canonical(name);
        let mut found = false;
        self.change(|record| {
            record.tools.retain(|name, _| {
                canonical(name) != wanted || {
                    found = true;
                    false
                }
            });
        })?;
        Ok(found)
    }

    /// The next request of the tool to the host asks. Answers whether every one was allowed.
    pub(crate) fn forget_host(&self, name: &str, host: &str) -> std::io::Result<bool> {
        let wanted = canonical(name);
        let mut found = false;
        self.change(|record| {
            for (name, tool) in &mut record.tools {
                found |= canonical(name) == wanted && tool.hosts.remove(host);
            }
        })?;
        Ok(found)
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

impl Record {
    /// What is kept of the tool, taken out. Files of before have the name as it is spelled.
    fn take(&mut self, content: &ToolContent) -> Option<ApprovedTool> {
        let canonical = self.tools.remove(&canonical_name(content));
        let spelled = self.tools.remove(&shown_name(&content.skill, &content.tool));
        canonical.or(spelled)
    }
}

impl AgreedSkills for Trust {
    fn fingerprint(&self, skill: &str) -> Option<String> {
        self.agreed_skill(skill).map(|agreed| agreed.fingerprint)
    }
}

impl Approved for Trust {
    fn standing(&self, content: &ToolContent) -> Standing {
        match self.read().take(content) {
            None => Standing::Unknown,
            Some(approved) if approved.definition != content.definition => {
                Standing::Changed(approved.face.map(Box::new))
            }
            Some(ApprovedTool { always: true, .. }) => Standing::This(Approval::Always),
            Some(_) => Standing::This(Approval::Seen),
        }
    }

    fn keep(&self, content: &ToolContent, approval: Approval, face: &ToolFace) -> Result<(), String> {
        self.change(|record| {
            let before = record.take(content).filter(|before| before.definition == content.definition);
            let approved = ApprovedTool {
                definition: content.definition.clone(),
                always: approval == Approval::Always,
                unasked: false,
                face: Some(face.clone()),
                // What another content was allowed is gone with it.
                hosts: before.map(|before| before.hosts).unwrap_or_default(),
            };
            record.tools.insert(canonical_name(content), approved);
        })
        .map_err(|error| error.to_string())
    }

    fn covers_host(&self, content: &ToolContent, host: &str) -> bool {
        let approved = self.read().take(content);
        approved.is_some_and(|known| known.definition == content.definition && known.hosts.contains(host))
    }

    fn keep_host(&self, content: &ToolContent, host: &str) -> Result<(), String> {
        let mut kept = false;
        self.change(|record| {
            if let Some(mut approved) = record.take(content) {
                if approved.definition == content.definition {
                    approved.hosts.insert(host.to_owned());
                    kept = true;
                }
                record.tools.insert(canonical_name(content), approved);
            }
        })
        .map_err(|error| error.to_string())?;
        kept.then_some(()).ok_or_else(|| "its file has changed meanwhile".to_owned())
    }
}

/// Two spellings of one name are one tool.
fn canonical_name(content: &ToolContent) -> String {
    shown_name(&canonical(&content.skill), &canonical(&content.tool))
}

#[cfg(test)]
mod tests {
    use nova_skill::Effect;
    use serde_json::json;

    use super::*;

    fn content(definition: &str) -> ToolContent {
        ToolContent { skill: "dynamic".into(), tool: "weather_now".into(), definition: definition.into() }
    }

    fn face(description: &str) -> ToolFace {
        ToolFace {
            name: "dynamic.weather_now".into(),
            description: description.into(),
            parameters: json!({}),
            effect: Effect::Read,
            hosts: Vec::new(),
            credentials: Vec::new(),
        }
    }

    #[test]
    fn another_content_of_a_file_is_not_approved_and_takes_the_place_of_the_old() {
        let folder = tempfile::tempdir().expect("a folder");
        let trust = Trust::new(folder.path());
        assert_eq!(trust.standing(&content("one")), Standing::Unknown);
        trust.keep(&content("one"), Approval::Always, &face("first")).expect("kept");
        let again = Trust::new(folder.path());
        assert_eq!(again.standing(&content("one")), Standing::This(Approval::Always));
        assert_eq!(again.standing(&content("two")), Standing::Changed(Some(Box::new(face("first")))));
        trust.keep(&content("two"), Approval::Seen, &face("second")).expect("kept");
        assert_eq!(trust.standing(&content("two")), Standing::This(Approval::Seen));
        let replaced = Standing::Changed(Some(Box::new(face("second"))));
        assert_eq!(trust.standing(&content("one")), replaced, "it was replaced, and asks again");
    }

    #[test]
    fn another_spelling_of_a_name_is_the_same_tool() {
        let folder = tempfile::tempdir().expect("a folder");
        let trust = Trust::new(folder.path());
        trust.keep(&content("one"), Approval::Always, &face("first")).expect("kept");
        let respelled = ToolContent { tool: "Weather-Now".into(), ..content("two") };
        assert!(matches!(trust.standing(&respelled), Standing::Changed(Some(_))));
    }

    #[test]
    fn what_an_older_nova_kept_still_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = json!({"tools": {"dynamic.weather_now": {"definition": "one", "always": true}}});
        std::fs::write(folder.path().join("trust.json"), kept.to_string()).expect("written");
        let trust = Trust::new(folder.path());
        assert_eq!(trust.standing(&content("one")), Standing::This(Approval::Always));
        assert_eq!(trust.standing(&content("two")), Standing::Changed(None));
    }

    #[test]
    fn the_first_sight_counts_and_a_later_one_changes_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let trust = Trust::new(folder.path());
        trust.first_sights(&[(content("one"), face("first"))]).expect("kept");
        assert_eq!(trust.standing(&content("one")), Standing::This(Approval::Seen));
        trust.first_sights(&[(content("two"), face("second"))]).expect("nothing to keep");
        assert_eq!(trust.standing(&content("two")), Standing::Changed(Some(Box::new(face("first")))));
        assert!(trust.approved_tools().is_empty(), "nobody was asked");
        let before = std::fs::read(folder.path().join("trust.json")).expect("there");
        trust.first_sights(&[]).expect("nothing to keep");
        assert_eq!(std::fs::read(folder.path().join("trust.json")).expect("there"), before);
    }

    #[test]
    fn what_is_forgotten_asks_as_the_first_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let trust = Trust::new(folder.path());
        trust.keep(&content("one"), Approval::Always, &face("first")).expect("kept");
        assert_eq!(trust.approved_tools()[0].0, "dynamic.weather_now");
        assert!(trust.forget_tool("Dynamic.weather-now").expect("written"));
        assert_eq!(trust.standing(&content("one")), Standing::Unknown);
        assert!(!trust.forget_tool("dynamic.weather_now").expect("written"));
    }

    #[test]
    fn a_host_is_taken_back_by_itself() {
        let folder = tempfile::tempdir().expect("a folder");
        let trust = Trust::new(folder.path());
        trust.keep(&content("one"), Approval::Always, &face("one")).expect("kept");
        trust.keep_host(&content("one"), "a.example").expect("kept");
        trust.keep_host(&content("one"), "b.example").expect("kept");
        assert!(trust.forget_host("Dynamic.weather-now", "a.example").expect("written"));
        assert!(!trust.forget_host("dynamic.weather_now", "a.example").expect("written"), "it is gone");
        assert!(!trust.forget_host("dynamic.other", "b.example").expect("written"), "another tool");
        assert!(!trust.covers_host(&content("one"), "a.example"));
        assert!(trust.covers_host(&content("one"), "b.example"));
        assert_eq!(trust.standing(&content("one")), Standing::This(Approval::Always));
    }

    #[test]
    fn a_host_is_kept_for_one_content_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let trust = Trust::new(folder.path());
        assert!(trust.keep_host(&content("one"), "a.example").is_err(), "it was never allowed to run");
        trust.keep(&content("one"), Approval::Seen, &face("one")).expect("kept");
        trust.keep_host(&content("one"), "a.example").expect("kept");
        trust.keep(&content("one"), Approval::Always, &face("one")).expect("kept");
        let read_again = Trust::new(folder.path());
        assert!(read_again.covers_host(&content("one"), "a.example"));
        assert!(!read_again.covers_host(&content("one"), "b.example"));
        assert!(!read_again.covers_host(&content("two"), "a.example"));
        trust.keep(&content("two"), Approval::Seen, &face("two")).expect("kept");
        assert!(trust.keep_host(&content("one"), "b.example").is_err(), "another content is in force");
        assert!(!trust.covers_host(&content("two"), "a.example"));
        assert_eq!(trust.standing(&content("two")), Standing::This(Approval::Seen));
    }
}
