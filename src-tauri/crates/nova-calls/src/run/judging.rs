//! The facts on which a call is judged, and the effect of a ruling.

use std::sync::PoisonError;

use nova_protocol::{ErrorCode, UserError};
use nova_registry::{CallShape, ReachedNotes, ToolEntry};
use nova_skill::Effect;
use serde_json::Value;

use super::Running;
use super::planning::Plan;
use crate::gate::Gate;
use crate::hosts::ToolHosts;
use crate::trusted::content_of;
use crate::{Approval, Because, Content, Facts, Grantee, Ruling, Standing, ToolContent, ToolFace};

impl Running<'_> {
    fn gate(&self) -> Gate {
        Gate::now(&self.scope.access.rules)
    }

    pub(super) fn judge(&self, tool: &ToolEntry, args: &Value, plan: Option<&Plan>) -> Ruling {
        self.gate().judge(&self.facts(tool, args, plan))
    }

    /// Judges the planned writes, including those of inner calls.
    pub(super) fn judge_plan(&self, tool: &ToolEntry, args: &Value, plan: &Plan) -> Ruling {
        let facts = self.facts(tool, args, Some(plan));
        if plan.inner.is_empty() && !tool.spec().calls_tools {
            return self.gate().judge(&facts);
        }
        // A tool of a file may also write notes itself.
        let own = (!tool.spec().calls_tools).then(|| facts.clone());
        let writes: Vec<Facts> = plan
            .inner
            .iter()
            .map(|write| Facts {
                times: write.times,
                outside_own: write.outside_own,
                ..self.facts(&write.tool, &write.args, Some(plan))
            })
            .chain(own)
            .collect();
        self.gate().judge_together(&facts, &writes, self.asked)
    }

    /// Checks deny rules again before anything happens: a rule may have been written while the question
    /// waited, and the arguments may have been edited.
    pub(super) fn check_not_denied(&self, tool: &ToolEntry, args: &Value) -> Result<(), UserError> {
        match self.gate().denial(&self.facts(tool, args, None)) {
            Some(because) => Err(denied_by_rule(tool, &because)),
            None => Ok(()),
        }
    }

    /// `plan`: the planned writes, if they are known.
    fn facts<'a>(&'a self, tool: &'a ToolEntry, args: &'a Value, plan: Option<&Plan>) -> Facts<'a> {
        let touched = self.scope.touched.lock().unwrap_or_else(PoisonError::into_inner);
        let paths = plan.map(Plan::paths).unwrap_or_default();
        let new = paths.iter().filter(|path| !touched.contains(*path)).count();
        let grantee = Grantee::of(tool);
        let grants = &self.scope.grants;
        let ToolHosts { shown: hosts, vary: hosts_vary, .. } = self.hosts(tool, args);
        let granted = if tool.effect() == Effect::External && !hosts.is_empty() {
            hosts.iter().all(|host| grants.covers_host(&grantee, host))
        } else {
            grants.covers(&grantee, tool.effect())
        };
        let open = plan.into_iter().flat_map(|plan| &plan.open_notes);
        let open_notes = open.filter(|note| !grants.covers_open_note(&grantee, note)).cloned().collect();
        Facts {
            call: CallShape { skill: &tool.skill, tool: &tool.id, effect: tool.effect(), args },
            reached: &self.reached,
            principal: &self.scope.principal,
            by_hand: self.scope.by_hand,
            granted,
            content: self.content(tool),
            notes: touched.len() + new,
            outside_own: plan.is_some_and(|plan| plan.outside_own),
            routine: plan.is_some_and(|plan| plan.routine),
            open_notes,
            tainted: self.tainted,
            times: self.times,
            hosts_vary,
        }
    }

    pub(super) fn content(&self, tool: &ToolEntry) -> Content {
        match ToolContent::of(tool) {
            Some(content) => content_of(&self.scope.access.approved.standing(&content), tool),
            None if tool.by_arguments => Content::ByArguments,
            None => Content::Fixed,
        }
    }

    /// Records the first content of a tool whose source is trusted until the tool changes.
    pub(super) fn note_first_sight(&self, tool: &ToolEntry) {
        let Some(content) = ToolContent::of(tool).filter(|_| tool.spec().definition.is_none()) else {
            return;
        };
        if self.scope.access.approved.standing(&content) == Standing::Unknown
            && let Err(reason) =
                self.scope.access.approved.keep(&content, Approval::Seen, &ToolFace::of(tool))
        {
            tracing::warn!(tool = tool.shown_name(), reason, "cannot record a seen tool");
        }
    }

    /// Whether a rule denies or asks about the call because of these notes, not because of the arguments.
    pub(super) fn notes_matter(&self, tool: &ToolEntry, args: &Value, notes: &ReachedNotes) -> bool {
        self.gate().notes_matter(&Facts { reached: notes, ..self.facts(tool, args, None) })
    }

    /// Whether output drawn from these notes is withheld until the call ends, or for good.
    pub(super) fn withholds(&self, tool: &ToolEntry, args: &Value, notes: &ReachedNotes) -> bool {
        let (gate, known) = (self.gate(), Facts { reached: notes, ..self.facts(tool, args, None) });
        gate.denial(&known).is_some() || !self.asked && gate.notes_matter(&known)
    }

    /// Whether a rule requires asking, given the notes reached.
    pub(super) fn wants_approval(&self, tool: &ToolEntry, args: &Value) -> bool {
        self.gate().wants_approval(&self.facts(tool, args, None)).is_some()
    }

    /// Whether a rule requires approval because of the notes, not because of the arguments.
    pub(super) fn only_notes_want_approval(&self, tool: &ToolEntry, args: &Value) -> bool {
        self.gate().notes_want_approval(&self.facts(tool, args, None))
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
