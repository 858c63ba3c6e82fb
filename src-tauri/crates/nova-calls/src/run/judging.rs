//! What is known of a call when it is decided, and what a ruling means for it.

use std::sync::PoisonError;

use nova_protocol::{ErrorCode, UserError};
use nova_registry::{CallShape, ReachedNotes, ToolEntry};
use nova_skill::{Effect, VaultPath};
use serde_json::Value;

use super::Running;
use crate::decide::{denied, wants_approval};
use crate::hosts::shown_hosts;
use crate::{Approval, Because, Content, Facts, Grantee, Ruling, Standing, ToolContent, ToolFace, decide};

impl Running<'_> {
    /// By the rules of this moment.
    pub(super) fn judge(
        &self,
        tool: &ToolEntry,
        args: &Value,
        paths: &[VaultPath],
        outside_own: bool,
    ) -> Ruling {
        decide(&self.scope.rules.now(), &self.facts(tool, args, paths, outside_own))
    }

    /// Once more before anything happens: a rule may have been written while the question waited, and
    /// the arguments may have been edited.
    pub(super) fn check_not_denied(&self, tool: &ToolEntry, args: &Value) -> Result<(), UserError> {
        match denied(&self.scope.rules.now(), &self.facts(tool, args, &[], false)) {
            Some(ruling) => Err(denied_by_rule(tool, &ruling.because)),
            None => Ok(()),
        }
    }

    fn facts<'a>(
        &'a self,
        tool: &'a ToolEntry,
        args: &'a Value,
        paths: &[VaultPath],
        outside_own: bool,
    ) -> Facts<'a> {
        let touched = self.scope.touched.lock().unwrap_or_else(PoisonError::into_inner);
        let new = paths.iter().filter(|path| !touched.contains(*path)).count();
        let grantee = Grantee::of(tool);
        let grants = &self.scope.grants;
        let hosts = shown_hosts(tool);
        let granted = if tool.effect() == Effect::External && !hosts.is_empty() {
            hosts.iter().all(|host| grants.covers_host(&grantee, host))
        } else {
            grants.covers(&grantee, tool.effect())
        };
        Facts {
            call: CallShape { skill: &tool.skill, tool: &tool.id, effect: tool.effect(), args },
            reached: &self.reached,
            principal: &self.scope.principal,
            by_hand: self.scope.by_hand,
            granted,
            content: self.content(tool),
            notes: touched.len() + new,
            outside_own,
            tainted: self.tainted,
            times: self.times,
        }
    }

    pub(super) fn content(&self, tool: &ToolEntry) -> Content {
        let Some(content) = ToolContent::of(tool) else { return Content::Fixed };
        content_of(&self.scope.approved.standing(&content), tool)
    }

    /// Of a tool that its source vouches for until it changes, what it is when it is first met.
    pub(super) fn note_first_sight(&self, tool: &ToolEntry) {
        let Some(content) = ToolContent::of(tool).filter(|_| tool.spec().definition.is_none()) else {
            return;
        };
        if self.scope.approved.standing(&content) == Standing::Unknown
            && let Err(reason) = self.scope.approved.keep(&content, Approval::Seen, &ToolFace::of(tool))
        {
            tracing::warn!(tool = tool.shown_name(), reason, "what a tool is could not be kept");
        }
    }

    /// Whether a rule denies or asks about the call because of these notes, not of what the arguments say.
    pub(super) fn notes_matter(&self, tool: &ToolEntry, args: &Value, notes: &ReachedNotes) -> bool {
        let rules = self.scope.rules.now();
        let unknown = Facts { reached: ReachedNotes::NONE, ..self.facts(tool, args, &[], false) };
        let known = Facts { reached: notes, ..unknown.clone() };
        denied(&rules, &known).is_some() && denied(&rules, &unknown).is_none()
            || wants_approval(&rules, &known).is_some() && wants_approval(&rules, &unknown).is_none()
    }

    /// Whether what a tool says while it runs, drawn from these notes, waits for its end or for good.
    pub(super) fn withholds(&self, tool: &ToolEntry, args: &Value, notes: &ReachedNotes) -> bool {
        let known = Facts { reached: notes, ..self.facts(tool, args, &[], false) };
        let rules = self.scope.rules.now();
        denied(&rules, &known).is_some() || !self.asked && self.notes_matter(tool, args, notes)
    }

    /// The rule that wants the user to be asked, by the rules of this moment and the notes reached.
    pub(super) fn wants_approval(&self, tool: &ToolEntry, args: &Value) -> Option<Because> {
        wants_approval(&self.scope.rules.now(), &self.facts(tool, args, &[], false))
    }

    /// Whether it is the notes that make a rule want approval, not what the arguments say.
    pub(super) fn only_notes_want_approval(&self, tool: &ToolEntry, args: &Value) -> bool {
        let facts = self.facts(tool, args, &[], false);
        let rules = self.scope.rules.now();
        let unknown = Facts { reached: ReachedNotes::NONE, ..facts.clone() };
        wants_approval(&rules, &facts).is_some() && wants_approval(&rules, &unknown).is_none()
    }
}

/// How a tool stands to what was approved of it.
pub fn content_of(standing: &Standing, tool: &ToolEntry) -> Content {
    match standing {
        // A server answers for what it offers from the start; of a file, the first call asks.
        Standing::Unknown if tool.spec().definition.is_none() => Content::Seen,
        Standing::Unknown => Content::New,
        Standing::Changed(_) => Content::Changed,
        Standing::This(Approval::Seen) => Content::Seen,
        Standing::This(Approval::Always) => Content::Always,
    }
}

pub(super) fn denied_by_rule(tool: &ToolEntry, because: &Because) -> UserError {
    let name = tool.shown_name();
    match because {
        Because::Rule { text, policy, .. } => {
            let of = policy.as_ref().map(|policy| format!(" of the policy \"{policy}\"")).unwrap_or_default();
            UserError::new(
                ErrorCode::DeniedByRule,
                format!("{name} is denied by the rule \"{text}\"{of}."),
                "Change the rule in permissions.yaml to allow it.",
            )
        }
        Because::Closed(reason) => UserError::new(
            ErrorCode::DeniedByRule,
            format!("{name} did not run: {reason}."),
            "Fix permissions.yaml; until then no tool runs.",
        ),
        _ => UserError::new(ErrorCode::DeniedByRule, format!("{name} is denied."), ""),
    }
}
