//! Evaluates the rules: for a call, for its output, and for the hosts that it contacts.

use std::sync::Arc;

use nova_registry::{CallShape, ReachedNotes, RuleList, Rules, RulesInForce};
use nova_skill::{Effect, Principal, ToolError};

use crate::decide::{allowed_by_rule, decide, decide_together, denied, wants_approval};
use crate::{Because, Content, Facts, Ruling};

/// A snapshot of the rules.
pub struct Gate {
    rules: Arc<Rules>,
}

impl Gate {
    /// Takes a snapshot of the rules in force; a later one may rule differently.
    pub fn now(rules: &RulesInForce) -> Self {
        Self { rules: rules.now() }
    }

    pub fn judge(&self, facts: &Facts) -> Ruling {
        decide(&self.rules, facts)
    }

    /// Rules on a call that makes others, given their planned writes.
    pub(crate) fn judge_together(&self, outer: &Facts, writes: &[Facts], asked: bool) -> Ruling {
        decide_together(&self.rules, outer, writes, asked)
    }

    /// Returns why no answer could allow the call.
    pub(crate) fn denial(&self, facts: &Facts) -> Option<Because> {
        denied(&self.rules, facts).map(|ruling| ruling.because)
    }

    /// Whether no answer could allow a call, judged by its arguments alone.
    pub fn denies(&self, call: &CallShape, who: &Principal) -> bool {
        self.rules.closed.is_some() || self.rules.find(RuleList::Deny, call, who).is_some()
    }

    /// The rule that requires asking, also about a call that has run already.
    pub(crate) fn wants_approval(&self, facts: &Facts) -> Option<Because> {
        wants_approval(&self.rules, facts)
    }

    /// Whether a rule requires asking because of the notes reached, not because of the arguments.
    pub(crate) fn notes_want_approval(&self, facts: &Facts) -> bool {
        self.wants_approval(facts).is_some() && self.wants_approval(&without_notes(facts)).is_none()
    }

    /// Whether a rule denies or requires asking because of the notes reached, not because of the arguments.
    pub(crate) fn notes_matter(&self, facts: &Facts) -> bool {
        self.denial(facts).is_some() && self.denial(&without_notes(facts)).is_none()
            || self.notes_want_approval(facts)
    }

    /// The first rule about the requests of a call: a denying one, otherwise one that requires asking.
    pub fn on_requests(&self, call: &CallShape, who: &Principal) -> Option<(RuleList, String)> {
        let request = as_request(call);
        [RuleList::Deny, RuleList::HumanApproval].into_iter().find_map(|list| {
            self.rules.find(list, &request, who).map(|found| (list, found.rule.text.clone()))
        })
    }

    /// How far rules and grants allow the call to contact hosts.
    pub(crate) fn covers(
        &self,
        call: &CallShape,
        reached: &ReachedNotes,
        who: &Principal,
        content: Content,
        tainted: bool,
    ) -> Covers {
        if let Some(reason) = &self.rules.closed {
            return Covers::Closed(reason.clone());
        }
        let request = as_request(call);
        for shape in [&request, call] {
            if let Some(found) = self.rules.find_at(RuleList::Deny, shape, reached, who) {
                return Covers::Denied(found.rule.text.clone());
            }
        }
        if self.rules.find_at(RuleList::HumanApproval, &request, reached, who).is_some() {
            return Covers::Nothing;
        }
        match allowed_by_rule(&self.rules, call, reached, who, content) {
            Some(allowed) if !(allowed.always && tainted) => Covers::Declared,
            _ if tainted => Covers::Tainted,
            _ => Covers::Granted,
        }
    }
}

/// Whatever effect a tool declares, a request leaves the machine.
fn as_request<'a>(call: &CallShape<'a>) -> CallShape<'a> {
    CallShape { effect: Effect::External, ..*call }
}

fn without_notes<'a>(facts: &Facts<'a>) -> Facts<'a> {
    Facts { reached: ReachedNotes::NONE, ..facts.clone() }
}

/// What the rules permit the tool to contact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Covers {
    /// This rule denies all requests.
    Denied(String),
    /// The rules cannot be parsed.
    Closed(String),
    /// They allow the hosts that the tool declares.
    Declared,
    /// They require asking each time: no grant counts.
    Nothing,
    /// No hand-written rule allows it, and the model has read untrusted text: neither a grant nor an "always"
    /// counts.
    Tainted,
    /// No rule applies: grants decide.
    Granted,
}

impl Covers {
    pub(crate) fn check(&self, host: &str) -> Result<(), ToolError> {
        let (why, remedy) = match self {
            Self::Denied(rule) => {
                (format!("the rule \"{rule}\" denies it"), "Change the rule in permissions.yaml to allow it.")
            }
            Self::Closed(reason) => (reason.clone(), "Fix permissions.yaml; until then no tool runs."),
            Self::Declared | Self::Nothing | Self::Tainted | Self::Granted => return Ok(()),
        };
        Err(ToolError::NotAllowed {
            what: format!("{host} was not contacted: {why}."),
            remedy: remedy.into(),
            unanswered: false,
        })
    }
}
