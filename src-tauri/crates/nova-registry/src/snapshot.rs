use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, RwLock};

use futures::stream::{BoxStream, StreamExt as _, select_all};
use nova_skill::{Recogniser, RecordTypes};

use crate::type_owners::TypeOwners;
use crate::wire::skeletons;
use crate::{
    Present, Router, Settings, SkillEntry, SkillSettings, Source, SourceKind, State, ToolEntry, canonical,
};

/// The current set of skills; replaced as a whole on every change.
pub struct Registry {
    sources: Vec<Box<dyn Source>>,
    current: RwLock<Arc<Snapshot>>,
    reloading: Mutex<()>,
    present: RwLock<Present>,
}

/// Differences between two snapshots: skills by id, their tools as `skill.tool`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    pub added: Vec<String>,
    pub removed: Vec<String>,
    pub changed: Vec<String>,
}

/// All skills at one time. A step of a turn uses one snapshot.
#[derive(Default)]
pub struct Snapshot {
    /// Sorted by source precedence, then id.
    pub(crate) skills: Vec<Arc<SkillEntry>>,
    /// The record types of available skills that are not in it.
    pub(crate) other_records: Vec<Arc<RecordTypes>>,
    pub(crate) router: OnceLock<Router>,
}

/// The result of looking up a tool by name.
pub enum ToolLookup {
    Found {
        skill: Arc<SkillEntry>,
        tool: Arc<ToolEntry>,
    },
    /// The nearest names, `skill.tool`; those of the named skill first.
    Unknown {
        nearest: Vec<String>,
    },
}

impl Router {
    /// Ranks the tools of the available skills.
    pub fn new(snapshot: &Snapshot) -> Self {
        Self::of(snapshot.available().map(|skill| skill.as_ref()))
    }
}

impl Registry {
    /// Scans the sources, in order of precedence.
    pub fn new(sources: Vec<Box<dyn Source>>, settings: &Settings) -> Self {
        let registry = Self {
            sources,
            current: RwLock::default(),
            present: RwLock::default(),
            reloading: Mutex::default(),
        };
        registry.reload(settings);
        registry
    }

    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.current.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    /// Sets the resources that skills may require, from the next [`Registry::reload`] on.
    pub fn provide(&self, present: Present) {
        *self.present.write().unwrap_or_else(std::sync::PoisonError::into_inner) = present;
    }

    /// The resources last provided.
    pub fn present(&self) -> Present {
        self.present.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    /// Changes the resources that skills may require, as [`Registry::provide`] does.
    pub fn change_present(&self, change: impl FnOnce(&mut Present)) {
        change(&mut self.present.write().unwrap_or_else(std::sync::PoisonError::into_inner));
    }

    /// Scans again and swaps the snapshot; returns the differences.
    pub fn reload(&self, settings: &Settings) -> Changes {
        // One at a time, while others read the snapshot.
        let _reloading = self.reloading.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let before = self.snapshot();
        let fresh = Arc::new(Snapshot::scan(&self.sources, settings, &before, &self.present()));
        let changes = Changes::between(&before, &fresh);
        *self.current.write().unwrap_or_else(std::sync::PoisonError::into_inner) = fresh;
        changes
    }

    /// Emits an item whenever [`Registry::reload`] may find a difference.
    pub fn changes(&self) -> BoxStream<'static, ()> {
        select_all(self.sources.iter().map(|source| source.changes())).boxed()
    }
}

impl Changes {
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }

    fn between(before: &Snapshot, after: &Snapshot) -> Self {
        let mut changes = Self::default();
        let skills = |snapshot: &Snapshot| -> BTreeMap<String, Arc<SkillEntry>> {
            snapshot.skills.iter().map(|skill| (skill.id.clone(), skill.clone())).collect()
        };
        changes.add(&skills(before), &skills(after), |old, new| {
            (old.state, &old.reason) == (new.state, &new.reason)
                && old.records == new.records
                && old.config == new.config
                && (&old.description, &old.instructions, &old.manifest)
                    == (&new.description, &new.instructions, &new.manifest)
                && (old.foreign, &old.fingerprint, &old.folder)
                    == (new.foreign, &new.fingerprint, &new.folder)
        });
        let tools = |snapshot: &Snapshot| -> BTreeMap<String, Arc<ToolEntry>> {
            // A callable tool takes precedence over an uncallable one of the same name.
            let ready = snapshot.skills.iter().flat_map(|skill| &skill.tools);
            let not_ready = snapshot.skills.iter().flat_map(|skill| &skill.tools_not_ready);
            not_ready.chain(ready).map(|tool| (tool.shown_name(), tool.clone())).collect()
        };
        changes.add(&tools(before), &tools(after), |old, new| old.is_like(new));
        changes
    }

    fn add<T>(
        &mut self,
        before: &BTreeMap<String, T>,
        after: &BTreeMap<String, T>,
        alike: impl Fn(&T, &T) -> bool,
    ) {
        self.removed.extend(before.keys().filter(|name| !after.contains_key(*name)).cloned());
        for (name, new) in after {
            match before.get(name) {
                None => self.added.push(name.clone()),
                Some(old) if !alike(old, new) => self.changed.push(name.clone()),
                Some(_) => {}
            }
        }
    }
}

impl Snapshot {
    fn scan(sources: &[Box<dyn Source>], settings: &Settings, before: &Self, present: &Present) -> Self {
        let mut skills: Vec<Arc<SkillEntry>> = Vec::new();
        let mut by_look: HashMap<String, Arc<SkillEntry>> = HashMap::new();
        // The skeletons of their ids and names.
        let mut shown: HashSet<String> = HashSet::new();
        let unset = SkillSettings::default();
        let scans: Vec<_> = sources.iter().map(|source| (source, source.scan())).collect();
        let mut owners = TypeOwners::default();
        for loaded in scans.iter().flat_map(|(_, scan)| &scan.skills) {
            if settings.of(&loaded.id).and_then(|own| own.enabled) != Some(false) && loaded.review.is_none() {
                owners.add(&loaded.id, &loaded.manifest.records);
            }
        }
        for (source, scan) in scans {
            for loaded in scan.skills {
                let own_skeletons = skeletons(&loaded.id);
                let entry = if let Some(taken) = own_skeletons.iter().find_map(|look| by_look.get(look)) {
                    let is_same = canonical(&taken.id) == canonical(&loaded.id);
                    let how = if is_same { "id taken by" } else { "Its id looks like that of" };
                    let remedy = match source.kind() {
                        SourceKind::Mcp => "Rename this server in nova.config.json.",
                        _ => "Rename this one's folder.",
                    };
                    let reason = format!("{how} {}. {remedy}", describe(taken));
                    SkillEntry::broken(source.kind(), crate::Problem { id: loaded.id, reason })
                } else if loaded.foreign && !crate::is_skill_name(&loaded.id) {
                    let reason = "The standard does not allow its folder's name. Rename the folder, with lower-case \
                                  letters, digits and single hyphens.";
                    SkillEntry::broken(source.kind(), crate::Problem { id: loaded.id, reason: reason.into() })
                } else {
                    let own = settings.of(&loaded.id).unwrap_or(&unset);
                    let before = before.skills.iter().find(|skill| {
                        skill.id == loaded.id
                            && (skill.source, skill.foreign) == (source.kind(), loaded.foreign)
                    });
                    let mut entry = SkillEntry::new(
                        source.kind(),
                        loaded,
                        own,
                        before.map(Arc::as_ref),
                        &owners,
                        present,
                    );
                    if entry.is_available() {
                        entry.refuse_types_of(skills.iter().map(Arc::as_ref));
                    }
                    let is_built_in = source.kind() == SourceKind::Native;
                    if !is_built_in && skeletons(&entry.name).iter().any(|look| shown.contains(look)) {
                        entry.name.clone_from(&entry.id);
                    }
                    entry
                };
                let entry = Arc::new(entry);
                if entry.state != State::Broken {
                    shown.extend(own_skeletons.iter().cloned().chain(skeletons(&entry.name)));
                    for look in own_skeletons {
                        by_look.entry(look).or_insert_with(|| entry.clone());
                    }
                }
                skills.push(entry);
            }
            let broken = scan.problems.into_iter().map(|problem| {
                let own = settings.of(&problem.id).unwrap_or(&unset);
                SkillEntry::broken(source.kind(), problem).set_by(own)
            });
            skills.extend(broken.map(Arc::new));
        }
        Self { skills, other_records: Vec::new(), router: OnceLock::new() }
    }

    /// The skill that declares each record type, among skills in use.
    pub fn type_owners(&self) -> TypeOwners {
        let mut owners = TypeOwners::default();
        for skill in self.skills.iter().filter(|skill| skill.state != State::Disabled) {
            owners.add(&skill.id, &skill.manifest.records);
        }
        owners
    }

    pub fn skills(&self) -> &[Arc<SkillEntry>] {
        &self.skills
    }

    /// Looks up a skill by id; case, `_` and `-` are ignored.
    pub fn skill(&self, id: &str) -> Option<&Arc<SkillEntry>> {
        let wanted = canonical(id);
        self.skills.iter().find(|skill| skill.state != State::Broken && canonical(&skill.id) == wanted)
    }

    /// As [`Snapshot::skill`], also for broken skills, since listed skills can be configured.
    pub fn listed(&self, id: &str) -> Option<&Arc<SkillEntry>> {
        let wanted = canonical(id);
        self.skill(id).or_else(|| self.skills.iter().find(|skill| canonical(&skill.id) == wanted))
    }

    /// Skills that are enabled and can run.
    pub fn available(&self) -> impl Iterator<Item = &Arc<SkillEntry>> {
        self.skills.iter().filter(|skill| skill.is_available())
    }

    /// Recognises records of the types with these names, in all available skills, including those excluded
    /// from the snapshot.
    pub fn recogniser_named(&self, names: &[String]) -> Recogniser {
        let own = self.available().map(|skill| &skill.records);
        let all: Vec<_> = own.chain(&self.other_records).collect();
        let of_name =
            |name: &String| all.iter().filter_map(|types| types.recogniser_named(name)).collect::<Vec<_>>();
        Recogniser::any_of(names.iter().flat_map(of_name))
    }

    /// Ids of available skills similar to the name, nearest first.
    pub fn nearest_skills(&self, name: &str) -> Vec<&str> {
        let wanted = canonical(name);
        let near = |id: &str| {
            let id = canonical(id);
            let apart = distance(&wanted, &id);
            (apart * 2 <= wanted.chars().count().max(2) || (wanted.len() > 2 && id.contains(&wanted)))
                .then_some(apart)
        };
        let mut found: Vec<_> =
            self.available().filter_map(|skill| Some((near(&skill.id)?, skill.id.as_str()))).collect();
        found.sort_unstable();
        found.into_iter().take(3).map(|(_, id)| id).collect()
    }

    /// Looks up a tool by wire name (`crm__add_contact`) or shown name (`crm.add_contact`), in any skill.
    pub fn tool(&self, name: &str) -> ToolLookup {
        let ready = self.skills.iter().flat_map(|skill| skill.tools.iter().map(move |tool| (skill, tool)));
        let not_ready =
            self.skills.iter().flat_map(|skill| skill.tools_not_ready.iter().map(move |tool| (skill, tool)));
        for (skill, tool) in ready.chain(not_ready) {
            if tool.wire_name == name || tool.shown_name() == name {
                return ToolLookup::Found { skill: skill.clone(), tool: tool.clone() };
            }
        }
        ToolLookup::Unknown { nearest: self.nearest_tools(name) }
    }

    fn nearest_tools(&self, name: &str) -> Vec<String> {
        let wanted = canonical(name);
        let skill = name.split_once('.').or_else(|| name.split_once("__")).map(|(skill, _)| canonical(skill));
        let mut by_distance: Vec<_> = self
            .available()
            .flat_map(|skill| &skill.tools)
            .map(|tool| {
                let shown = tool.shown_name();
                let whole = distance(&wanted, &canonical(&shown));
                let is_other = skill.as_deref() != Some(&canonical(&tool.skill));
                (is_other, whole.min(distance(&wanted, &canonical(&tool.id))), shown)
            })
            .collect();
        by_distance.sort();
        by_distance.into_iter().take(5).map(|(_, _, name)| name).collect()
    }

    /// Ranks the tools of the available skills. Built on first use, which takes half a second of CPU time for
    /// a thousand tools: call it where blocking the thread is acceptable.
    pub fn router(&self) -> &Router {
        self.router.get_or_init(|| Router::new(self))
    }

    /// The error in the configuration of a skill.
    pub fn config_problem(&self) -> Option<&str> {
        let mut problems = self.skills.iter().filter_map(|skill| skill.config_problem.as_ref());
        problems.next().map(|problem| problem.message.as_str())
    }
}

/// Describes the owner of an id.
fn describe(skill: &SkillEntry) -> String {
    match (skill.source, skill.foreign) {
        (SourceKind::Native, _) => format!("the built-in skill {}", skill.id),
        (SourceKind::Folder, false) => format!("your skill {}", skill.id),
        (SourceKind::Folder, true) => format!("the skill {} from elsewhere", skill.id),
        (SourceKind::Dynamic, _) => "your single tools".into(),
        (SourceKind::Mcp, _) => format!("the server {}", skill.id),
    }
}

/// The edit distance in characters, including transpositions of neighbours (Damerau-Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before = vec![0; b.len() + 1];
    let mut above = before.clone();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        std::mem::swap(&mut before, &mut above);
        std::mem::swap(&mut above, &mut row);
        row[0] = i;
        for j in 1..=b.len() {
            let replaced = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn transposition_counts_as_one_edit() {
        for (a, b, apart) in [
            ("", "", 0),
            ("", "crm", 3),
            ("crm", "", 3),
            ("crm", "crm", 0),
            ("cmr", "crm", 1),
            ("crn", "crm", 1),
            ("cm", "crm", 1),
            ("ab", "ba", 1),
            ("ca", "abc", 3),
            ("vualt", "vault", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!((distance(a, b), distance(b, a)), (apart, apart), "{a} {b}");
        }
    }
}
