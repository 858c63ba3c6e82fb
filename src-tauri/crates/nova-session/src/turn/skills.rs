//! Activation and deactivation of skills during a session.

use std::sync::Arc;

use nova_calls::Gate;
use nova_protocol::{ActivatedBy, DeactivatedBy, Event};
use nova_registry::{CallShape, Catalog, SkillEntry, Snapshot, ToolLookup, harmless};
use nova_skill::Lifetime;

use super::Turn;
use crate::activation::{self, ControlTool, SkillKnowledge};
use crate::message::{LogCall, LogMessage};
use crate::session::UserMessage;

/// Maximum number of tools that a search considers.
const SEARCHED: usize = 16;

impl Turn {
    /// Deactivates skills that were active for one turn, and activates those that the user or the request
    /// requires. A skill that is in both groups stays active.
    pub(super) async fn begin_skills(&self, snapshot: &Arc<Snapshot>, message: &UserMessage) {
        let mut wanted: Vec<(Arc<SkillEntry>, ActivatedBy)> = Vec::new();
        let is_new = self.session.lock().turns == 0;
        if is_new {
            let pinned = snapshot.available().filter(|skill| skill.pinned);
            wanted.extend(pinned.map(|skill| (skill.clone(), ActivatedBy::Pin)));
        }
        // A sub-agent has few steps for exploration, so all its skills are active from the start.
        let given = self.sub_agent.iter().flat_map(|agent| agent.skills());
        let given = given.filter_map(|id| snapshot.skill(id).cloned());
        wanted.extend(given.map(|skill| (skill, ActivatedBy::Model)));
        let chosen = message.skills.iter().filter_map(|id| snapshot.skill(id).cloned());
        wanted.extend(chosen.map(|skill| (skill, ActivatedBy::User)));
        if let Some(ToolLookup::Found { skill, .. }) = message.tool.as_deref().map(|name| snapshot.tool(name))
        {
            wanted.push((skill, ActivatedBy::User));
        }
        if self.scope.router && message.skills.is_empty() && message.tool.is_none() {
            let routed = self.routed(snapshot, &message.text).await;
            wanted.extend(routed.map(|skill| (skill, ActivatedBy::Router)));
        }
        for id in self.session.active_skills() {
            // A pinned skill is intended for every turn.
            let for_a_turn =
                snapshot.skill(&id).is_some_and(|skill| skill.lifetime == Lifetime::Turn && !skill.pinned);
            if for_a_turn && !wanted.iter().any(|(skill, _)| skill.id == id) {
                self.deactivate(&id, DeactivatedBy::Turn);
            }
        }
        for (skill, by) in wanted {
            self.activate(&skill, by);
        }
    }

    /// The skill that the request clearly concerns, if any.
    async fn routed(&self, snapshot: &Arc<Snapshot>, text: &str) -> Option<Arc<SkillEntry>> {
        let (all, text) = (snapshot.clone(), text.to_owned());
        let skill = tokio::task::spawn_blocking(move || all.router().confident(&text).map(str::to_owned));
        let skill = snapshot.skill(&skill.await.ok()??)?;
        // A foreign skill cannot activate itself.
        (!skill.hidden && !skill.foreign).then(|| skill.clone())
    }

    /// Adds notices about skills for the next request: added and removed ones, and the instructions of active
    /// ones.
    pub(super) fn add_skill_notices(&self, snapshot: &Snapshot) {
        for id in self.session.active_skills() {
            let gone = match snapshot.skill(&id) {
                Some(skill) if skill.is_available() => continue,
                Some(skill) => skill.reason.clone().unwrap_or_else(|| "It was switched off".into()),
                None => "It was removed".into(),
            };
            self.deactivate(&id, DeactivatedBy::Unavailable);
            let text = format!(
                "The skill {id} is no longer available, and neither are its tools. {}.",
                harmless(gone.trim_end_matches('.'))
            );
            let told = SkillKnowledge { skills: [(id, None)].into(), ..SkillKnowledge::default() };
            self.message(LogMessage::skill_notice(text, told));
        }
        let told = self.session.lock().skill_knowledge();
        self.report_catalog_changes(snapshot, &told);
        for id in self.session.active_skills() {
            let Some(skill) = snapshot.skill(&id) else { continue };
            if !told.knows_instructions(skill) {
                self.taint_if_foreign(skill);
                let mut text = activation::instructions(skill);
                if told.instructions.contains_key(&skill.id) {
                    text = format!("The instructions of {} changed. They are now:\n\n{text}", skill.id);
                }
                let told = SkillKnowledge::instructions_of(skill).with_tools_of(skill);
                self.message(LogMessage::skill_notice(text, told));
            }
        }
    }

    /// The catalog is frozen; changes are appended to the conversation.
    fn report_catalog_changes(&self, snapshot: &Snapshot, told: &SkillKnowledge) {
        let news = told.catalog_changes(snapshot);
        if news.is_empty() {
            return;
        }
        let new = news.iter().filter(|(_, hash)| hash.is_some());
        let new = new.filter_map(|(id, _)| snapshot.skill(id).map(AsRef::as_ref));
        let new = Catalog::of(snapshot, new, self.scope.catalog);
        let gone: Vec<&str> =
            news.iter().filter(|(_, hash)| hash.is_none()).map(|(id, _)| id.as_str()).collect();
        let mut lines = Vec::new();
        if !new.is_empty() {
            lines.push(format!("Skills that are new or have changed since this chat began:\n{}", new.list()));
        }
        if !gone.is_empty() {
            lines.push(format!("Skills that are no longer available: {}.", gone.join(", ")));
        }
        let told = SkillKnowledge { skills: news, ..SkillKnowledge::default() };
        self.message(LogMessage::skill_notice(lines.join("\n\n"), told));
    }

    /// A call of an inactive skill's tool activates the skill, unless a rule denies the call.
    pub(super) fn activate_for(&self, snapshot: &Snapshot, call: &LogCall) {
        let ToolLookup::Found { skill, tool } = snapshot.tool(&call.name) else { return };
        let args = serde_json::from_str(&call.arguments).unwrap_or_default();
        let shape = CallShape { skill: &tool.skill, tool: &tool.id, effect: tool.effect(), args: &args };
        let denied = Gate::now(&self.scope.access.rules).denies(&shape, &self.principal());
        let offered = self.session.lock().first_tools().iter().any(|first| first.name == tool.wire_name);
        if skill.is_available() && !denied && !offered {
            self.activate(&skill, ActivatedBy::Model);
        }
    }

    /// Runs a control tool; returns its answer and what it tells about skills.
    pub(super) async fn run_control(
        &self,
        snapshot: &Arc<Snapshot>,
        control: ControlTool,
        call: &LogCall,
    ) -> (String, SkillKnowledge) {
        let nothing = SkillKnowledge::default();
        match control {
            ControlTool::ListSkills => {
                return (activation::listing(snapshot, &self.session.lock().active).to_string(), nothing);
            }
            ControlTool::SearchTools => {
                let (all, query) = (snapshot.clone(), ControlTool::argument(&call.arguments, "query"));
                let ranked = tokio::task::spawn_blocking(move || all.router().route(&query, SEARCHED));
                let ranked = ranked.await.unwrap_or_default();
                let (present, session) = (self.scope.registry.present(), self.session.lock());
                return (
                    activation::search(snapshot, &present, &session.active, &ranked).to_string(),
                    nothing,
                );
            }
            _ => {}
        }
        let name = ControlTool::argument(&call.arguments, "skill");
        if control == ControlTool::UnloadSkill {
            // Includes skills that are no longer available.
            let id = snapshot.skill(&name).map_or(name.clone(), |skill| skill.id.clone());
            if self.deactivate(&id, DeactivatedBy::Model) {
                return (format!("{id} is no longer active."), nothing);
            }
        }
        let Some(skill) = snapshot.skill(&name).filter(|skill| skill.is_available()) else {
            return (activation::unknown_skill(snapshot, &name).to_string(), nothing);
        };
        match control {
            ControlTool::LoadSkill => {
                self.taint_if_foreign(skill);
                let known = self.session.lock().skill_knowledge().knows_instructions(skill);
                let new = self.activate(skill, ActivatedBy::Model);
                let told = SkillKnowledge::instructions_of(skill).with_tools_of(skill);
                (activation::activation_answer(skill, !new, known), told)
            }
            ControlTool::ReadSkillFile => {
                self.taint_if_foreign(skill);
                let (skill, path) = (skill.clone(), ControlTool::argument(&call.arguments, "path"));
                let offset = ControlTool::offset(&call.arguments);
                let read = tokio::task::spawn_blocking(move || activation::resource(&skill, &path, offset));
                (read.await.unwrap_or_else(|error| format!("It could not be read: {error}.")), nothing)
            }
            _ => (format!("{} was not active.", skill.id), nothing),
        }
    }

    /// Taints the turn: the text of a foreign skill is untrusted, like the output of a tool.
    fn taint_if_foreign(&self, skill: &SkillEntry) {
        if skill.foreign {
            self.history.taint(&skill.id);
        }
    }

    /// Returns whether the skill was inactive before. A skill whose instructions and tools are in every
    /// request of the session needs no activation.
    fn activate(&self, skill: &SkillEntry, by: ActivatedBy) -> bool {
        {
            let mut state = self.session.lock();
            if !skill.is_available() || state.is_always(&skill.id) || !state.active.add(&skill.id) {
                return false;
            }
        }
        tracing::info!(session = self.session.id, skill = skill.id, ?by, "skill activated");
        self.journal.event(activation::activated(skill, by));
        true
    }

    fn deactivate(&self, skill: &str, by: DeactivatedBy) -> bool {
        let was = self.session.lock().active.remove(skill);
        if was {
            tracing::info!(session = self.session.id, skill, ?by, "skill deactivated");
            self.journal.event(Event::SkillDeactivated { skill: skill.to_owned(), by });
        }
        was
    }
}
