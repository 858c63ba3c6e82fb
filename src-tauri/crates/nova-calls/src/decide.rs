use nova_protocol::Decision;
use nova_registry::{CallShape, Found, ReachedNotes, RuleList, Rules};
use nova_skill::{Effect, Principal, VaultPath};

use crate::named_hosts::{HOSTS, named_hosts};

/// Above this number of notes in one turn, a granted write asks again.
const MANY_NOTES: usize = 20;

/// Identical calls ask from this repetition on.
pub(crate) const OFTEN: usize = 3;

/// All inputs of the decision.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts<'a> {
    pub call: CallShape<'a>,
    /// The notes it reaches; empty before it has run against a draft.
    pub reached: &'a ReachedNotes,
    pub principal: &'a Principal,
    /// Started by the user directly: a form, a click, a command at a terminal.
    pub by_hand: bool,
    /// The session has a grant for this skill (writes), or for all hosts that the tool declares (external).
    pub granted: bool,
    pub content: Content,
    /// The number of notes that the turn has touched, including this call's.
    pub notes: usize,
    /// The call writes outside the skill's own folders and records, or moves notes.
    pub outside_own: bool,
    /// The call writes a routine, which later runs unattended with the permissions that it declares.
    pub routine: bool,
    /// The notes to be written that remote readers can see, if the call or its chat has read private notes.
    pub open_notes: Vec<VaultPath>,
    /// The model has read untrusted text in this turn.
    pub tainted: bool,
    /// How often this identical call was made in the turn, including this time.
    pub times: usize,
    /// The hosts that the tool contacts depend on its arguments: an "always" would cover every host.
    pub hosts_vary: bool,
}

/// What the user knows about the code that would run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// It is part of the program and changes only with it.
    Fixed,
    /// As `Fixed`, but the arguments give the call a worse effect than the tool declares: no "always" and no
    /// grant was given with that in mind.
    ByArguments,
    /// A file defines the tool, and no content of it was ever allowed to run.
    New,
    /// Another content of the tool was allowed to run before, but not this one.
    Changed,
    /// This content was allowed to run before.
    Seen,
    /// Every call of this content is allowed.
    Always,
}

/// Whether a call may run, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruling {
    pub verdict: Verdict,
    pub because: Because,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Run,
    /// Ask, offering these decisions in this order; `editable`: arguments may be changed.
    Ask {
        decisions: Vec<Decision>,
        editable: bool,
    },
    Deny,
}

/// The reason of a ruling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Because {
    /// The rules cannot be parsed, and there is no earlier valid version.
    Closed(String),
    Rule {
        list: RuleList,
        text: String,
        line: u32,
        /// The policy that contains the rule.
        policy: Option<String>,
    },
    Repeated(usize),
    /// It writes a routine, whose owner must review each change.
    Routine,
    NewContent,
    ChangedContent,
    /// Every call of this content was allowed.
    AlwaysApproved,
    ByHand,
    Granted,
    /// There is a grant or an "always", but the turn is tainted.
    Tainted,
    /// There is a grant or an "always", but for fewer notes per turn.
    ManyNotes(usize),
    /// There is a grant or an "always", but only for the skill's own notes.
    OutsideOwn,
    /// The chat or this call has read private notes, and it writes these, which remote readers can see.
    OpenNotes(Vec<VaultPath>),
    /// No rule and no grant applies: the effect decides.
    Effect(Effect),
}

impl Because {
    /// Whether the next call asks again, whatever the answer.
    pub(crate) fn is_each_time(&self) -> bool {
        matches!(self, Self::Repeated(_) | Self::Routine | Self::Rule { list: RuleList::HumanApproval, .. })
    }
}

/// Decides whether a call may run: first the program's own prohibitions, then deny, human approval and allow
/// rules, then the effect.
pub(crate) fn decide(rules: &Rules, facts: &Facts) -> Ruling {
    let effect = facts.call.effect;
    if let Some(denied) = denied(rules, facts) {
        return denied;
    }
    // No rule and no grant was written with this content in mind, and its declared effect is unverified: its
    // first call asks for every principal, and shows the content.
    let unseen = match facts.content {
        Content::New => Some(Because::NewContent),
        Content::Changed => Some(Because::ChangedContent),
        Content::Fixed | Content::ByArguments | Content::Seen | Content::Always => None,
    };
    match (each_time(rules, facts), unseen) {
        (Some(because), None) | (Some(_), Some(because)) => return ask_each_time(effect, because),
        (None, Some(because)) => return ask(facts, because),
        (None, None) => {}
    }
    let beyond = beyond_grant(facts);
    let granted = facts.granted && facts.content != Content::ByArguments;
    match allowed_by_rule(rules, &facts.call, facts.reached, facts.principal, facts.content) {
        Some(Allowed { because, always }) if !always || beyond.is_none() => run(because),
        allowed => match (effect, beyond) {
            (Effect::Read, _) => run(Because::Effect(effect)),
            (Effect::Write, _) if facts.by_hand => run(Because::ByHand),
            (_, Some(beyond @ Because::OpenNotes(_))) => ask(facts, beyond),
            (_, Some(beyond)) if granted || allowed.is_some() => ask(facts, beyond),
            (Effect::Write | Effect::External | Effect::Undeclared, None) if granted => run(Because::Granted),
            _ => ask(facts, Because::Effect(effect)),
        },
    }
}

/// Decides whether a tool that calls others may write what they planned: it asks at most once, if one of them
/// would by its own rules. `asked`: the user has already allowed the call itself, without its writes.
pub(crate) fn decide_together(rules: &Rules, outer: &Facts, writes: &[Facts], asked: bool) -> Ruling {
    if let Some(denied) = denied(rules, outer) {
        return denied;
    }
    let once = || vec![Decision::Once, Decision::Deny];
    let mut asks = None;
    if let Some(because) = each_time(rules, outer)
        && !(asked && writes.is_empty())
    {
        asks = Some((once(), because));
    }
    for Ruling { verdict, because } in writes.iter().map(|write| decide(rules, write)) {
        match verdict {
            Verdict::Deny => return Ruling { verdict, because },
            Verdict::Run => {}
            Verdict::Ask { mut decisions, .. } => {
                // A rule would cover one of the tools, but the question is about all of them.
                decisions.retain(|decision| *decision != Decision::Always);
                let is_stricter = |(known, _): &(Vec<Decision>, Because)| decisions.len() < known.len();
                if asks.as_ref().is_none_or(is_stricter) {
                    asks = Some((decisions, because));
                }
            }
        }
    }
    match asks {
        Some((decisions, because)) => {
            Ruling { verdict: Verdict::Ask { decisions, editable: false }, because }
        }
        None => run(Because::Granted),
    }
}

/// Returns why a grant for the chat, or an "always", does not cover the call.
fn beyond_grant(facts: &Facts) -> Option<Because> {
    match facts.call.effect {
        _ if !facts.open_notes.is_empty() => Some(Because::OpenNotes(facts.open_notes.clone())),
        Effect::Write if facts.notes > MANY_NOTES => Some(Because::ManyNotes(facts.notes)),
        Effect::Write if facts.outside_own => Some(Because::OutsideOwn),
        Effect::External | Effect::Undeclared if facts.tainted => Some(Because::Tainted),
        _ => None,
    }
}

/// Returns a denial that no answer can change: the rules cannot be parsed, or one denies the call.
pub(crate) fn denied(rules: &Rules, facts: &Facts) -> Option<Ruling> {
    let because = match &rules.closed {
        Some(reason) => Because::Closed(reason.clone()),
        None => rules.find_at(RuleList::Deny, &facts.call, facts.reached, facts.principal)?.into(),
    };
    Some(Ruling { verdict: Verdict::Deny, because })
}

/// Returns why the next call asks again, whatever the answer.
fn each_time(rules: &Rules, facts: &Facts) -> Option<Because> {
    if facts.times >= OFTEN {
        // The model is in a loop: nothing that was allowed was meant for this.
        return Some(Because::Repeated(facts.times));
    }
    if facts.routine && !facts.by_hand {
        return Some(Because::Routine);
    }
    // The user wants to be asked each time.
    wants_approval(rules, facts)
}

/// The rule that requires asking the user.
pub(crate) fn wants_approval(rules: &Rules, facts: &Facts) -> Option<Because> {
    rules.find_at(RuleList::HumanApproval, &facts.call, facts.reached, facts.principal).map(Because::from)
}

/// A permission that allows a tool without a question.
pub(crate) struct Allowed {
    because: Because,
    /// It results from an "always" on a card, which covers no more than a grant for the chat.
    pub(crate) always: bool,
}

/// The rule, or the "always" for this content, that allows the tool.
pub(crate) fn allowed_by_rule(
    rules: &Rules,
    call: &CallShape,
    reached: &ReachedNotes,
    who: &Principal,
    content: Content,
) -> Option<Allowed> {
    let literal = || match content {
        // It may result from an "always" on a card of note changes.
        Content::ByArguments => None,
        _ => rules.find_literal(RuleList::Allow, call, reached, who).map(Because::from),
    };
    match call.effect {
        // Each message to a person is reviewed.
        Effect::Send => None,
        // A destructive tool needs a rule for this one tool; a command that contacts hosts needs a rule about
        // them.
        Effect::Destructive => {
            let found = match named_hosts(call.args).next() {
                None => literal(),
                Some(_) => rules.find_about(RuleList::Allow, HOSTS, call, reached, who).map(Because::from),
            };
            found.map(|because| Allowed { because, always: false })
        }
        Effect::Read | Effect::Write | Effect::External | Effect::Undeclared => {
            if let Some(written) = rules.find_written(RuleList::Allow, call, reached, who) {
                return Some(Allowed { because: written.into(), always: false });
            }
            let of_content = || (content == Content::Always).then_some(Because::AlwaysApproved);
            literal().or_else(of_content).map(|because| Allowed { because, always: true })
        }
    }
}

impl From<Found<'_>> for Because {
    fn from(found: Found<'_>) -> Self {
        Self::Rule {
            list: found.list,
            text: found.rule.text.clone(),
            line: found.rule.line,
            policy: found.policy.map(|policy| policy.name.clone()),
        }
    }
}

fn run(because: Because) -> Ruling {
    Ruling { verdict: Verdict::Run, because }
}

fn ask_each_time(effect: Effect, because: Because) -> Ruling {
    let decisions = vec![Decision::Once, Decision::Deny];
    Ruling { verdict: Verdict::Ask { decisions, editable: effect != Effect::External }, because }
}

fn ask(facts: &Facts, because: Because) -> Ruling {
    use Decision::{Always, Deny, Once, Session};
    let effect = facts.call.effect;
    let decisions = match (effect, &because) {
        (Effect::Destructive | Effect::Send, _) => vec![Once, Deny],
        _ if facts.content == Content::ByArguments => vec![Once, Deny],
        // Private knowledge ends with the chat, so "always" would mean something else.
        (Effect::Undeclared, _) | (_, Because::OpenNotes(_)) => vec![Once, Session, Deny],
        _ if facts.hosts_vary => vec![Once, Session, Deny],
        (Effect::Read | Effect::Write | Effect::External, _) => vec![Once, Session, Always, Deny],
    };
    Ruling { verdict: Verdict::Ask { decisions, editable: effect != Effect::External }, because }
}

#[cfg(test)]
mod tests;
