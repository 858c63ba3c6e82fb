//! Finds tools for a request, and tests the routing examples of skills.

use std::sync::Arc;

use nova_protocol::{ErrorCode, SkillRef, TakenExample, ToolSuggestion, UserError};
use nova_registry::{Confusion, Ranked, Router, SkillEntry, test_routing, would_take};

use crate::app::App;
use crate::blocking::blocking;
use crate::chat::unknown_skill;

impl App {
    /// The best tools for a request, in order. Uses no model.
    ///
    /// # Errors
    /// `bad_request` for an empty request.
    pub async fn route(&self, text: &str, limit: u32) -> Result<Vec<ToolSuggestion>, UserError> {
        self.ranked(text, limit, Router::route).await
    }

    /// The best tools for an example of a skill, with that example excluded.
    ///
    /// # Errors
    /// `bad_request` for an empty request.
    pub async fn route_example(&self, text: &str, limit: u32) -> Result<Vec<ToolSuggestion>, UserError> {
        self.ranked(text, limit, Router::route_example).await
    }

    async fn ranked(
        &self,
        text: &str,
        limit: u32,
        by: fn(&Router, &str, usize) -> Vec<Ranked>,
    ) -> Result<Vec<ToolSuggestion>, UserError> {
        if text.trim().is_empty() {
            return Err(UserError::new(
                ErrorCode::BadRequest,
                "The request is empty.",
                "Describe in a few words what you want to do.",
            ));
        }
        let (snapshot, text) = (self.inner.registry.snapshot(), text.to_owned());
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        blocking(move || {
            let ranked = by(snapshot.router(), &text, limit);
            let suggestion = |found: Ranked| ToolSuggestion {
                tool: found.tool.map(|tool| nova_registry::shown_name(&found.skill, &tool)),
                skill: found.skill,
                score: found.score,
            };
            Ok(ranked.into_iter().map(suggestion).collect())
        })
        .await
    }

    /// Evaluates the routing examples and near misses of all available skills.
    ///
    /// # Errors
    /// Internal errors only.
    pub async fn test_routing(&self) -> Result<Vec<Confusion>, UserError> {
        let snapshot = self.inner.registry.snapshot();
        blocking(move || Ok(test_routing(&snapshot))).await
    }

    /// The skill as it would be after its review: until then its routing hints are not in the snapshot.
    fn as_agreed_to(&self, skill: &Arc<SkillEntry>) -> Arc<SkillEntry> {
        match self.inner.tool_files.to_review(&skill.id) {
            Some(foreign) if skill.foreign && !self.agreed_to(skill) => {
                Arc::new(SkillEntry { manifest: foreign.manifest, ..SkillEntry::clone(skill) })
            }
            _ => skill.clone(),
        }
    }

    /// Examples of other skills that would be misrouted if this skill were enabled.
    pub(crate) async fn taken_by_skill(&self, skill: SkillRef) -> Result<Vec<TakenExample>, UserError> {
        let snapshot = self.inner.registry.snapshot();
        let SkillRef { skill: id } = skill;
        let skill = snapshot.skill(&id).cloned().ok_or_else(|| unknown_skill(&snapshot, &id))?;
        let skill = self.as_agreed_to(&skill);
        blocking(move || {
            let mut taken: Vec<TakenExample> = Vec::new();
            for Confusion { skill, text, missing, .. } in would_take(&snapshot, &skill) {
                // An example of both a skill and its tool is listed once.
                if !taken.iter().any(|known| known.skill == skill && known.text == text) {
                    let missing = missing.iter().map(ToString::to_string).collect();
                    taken.push(TakenExample { skill, text, missing });
                }
            }
            Ok(taken)
        })
        .await
    }
}
