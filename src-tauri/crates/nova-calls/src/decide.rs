use nova_protocol::Decision;
use nova_registry::{CallShape, Found, ReachedNotes, RuleList, Rules};
use nova_skill::{Effect, Principal, VaultPath};

use crate::named_hosts::{HOSTS, named_hosts};

/// Above this many notes in one turn a granted write asks again.
const MANY_NOTES: usize = 20;

/// The same call asks from this time on.
pub(crate) const OFTEN: usize = 3;

/// Everything the decision depends on.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts<'a> {
    pub call: CallShape<'a>,
    /// The notes that it was found to reach; none before it has run against a draft.
    pub reached: &'a ReachedNotes,
    pub principal: &'a Principal,
    /// Started by the user's own hand: a form, a click, a command at a terminal.
    pub by_hand: bool,
    /// The session has a grant for this skill (writes) or for all hosts that the tool declares
    /// (external).
    pub granted: bool,
    pub content: Content,
    /// Notes the turn has touched, with this call's.
    pub notes: usize,
    /// The call writes outside the skill's own folders and records, or moves notes.
    pub outside_own: bool,
    /// The call writes a routine: what it says runs later, with the rights that it names.
    pub routine: bool,
    /// What the call writes that a reader elsewhere may see, where it or its chat read private notes.
    pub open_notes: Vec<VaultPath>,
    /// The model has read in this turn what strangers can write.
    pub tainted: bool,
    /// How often this very call was made in the turn, this time included.
    pub times: usize,
    /// Which hosts the tool contacts depends on its arguments: an "always" would be for every host.
    pub hosts_vary: bool,
}

/// What the user knows of what would run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// It came with the program and changes only with it.
    Fixed,
    /// The same, and the arguments give the call a worse effect than the tool is listed with: no "always" and no grant
    /// was given in view of it.
    ByArguments,
    /// A file defines it, and no content of that tool was ever allowed to run.
    New,
    /// Another content of the tool was allowed to run before, not this one.
    Changed,
    /// This content was allowed to run before.
    Seen,
    /// Every call of this content is allowed.
    Always,
}

/// Whether a call may run, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruling {
    pub verdict: Verdict,
    pub because: Because,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Run,
    /// Ask, offering these decisions in this order; `editable` tells whether arguments may change.
    Ask {
        decisions: Vec<Decision>,
        editable: bool,
    },
    Deny,
}

/// What decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Because {
    /// The rules cannot be read, and none were good before.
    Closed(String),
    Rule {
        list: RuleList,
        text: String,
        line: u32,
        /// The policy that it stands in.
        policy: Option<String>,
    },
    Repeated(usize),
    /// It writes a routine, whose owner has to see each change.
    Routine,
    NewContent,
    ChangedContent,
    /// Every call of this content was allowed.
    AlwaysApproved,
    ByHand,
    Granted,
    /// There is a grant or an "always", which does not count in this turn.
    Tainted,
    /// There is a grant or an "always", for fewer notes in a turn.
    ManyNotes(usize),
    /// There is a grant or an "always", for the skill's own notes.
    OutsideOwn,
    /// The chat, or this call, read private notes, and a reader elsewhere may see these, which it writes.
    OpenNotes(Vec<VaultPath>),
    /// Nothing speaks for or against it.
    Effect(Effect),
}

impl Because {
    /// No answer covers the next call.
    pub(crate) fn is_each_time(&self) -> bool {
        matches!(self, Self::Repeated(_) | Self::Routine | Self::Rule { list: RuleList::HumanApproval, .. })
    }
}

/// Whether a call may run: what the program itself forbids, then deny, then human approval, then
/// allow, then by effect.
pub(crate) fn decide(rules: &Rules, facts: &Facts) -> Ruling {
    let effect = facts.call.effect;
    if let Some(denied) = denied(rules, facts) {
        return denied;
    }
    // No rule and no grant was written in view of this content, and no effect it declares is known
    // to be true: its first call asks for every principal, and shows the content.
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

/// Whether a tool that calls others may write what they planned: it asks at most once, where one of them would by
/// its own rules. `asked`: the user has looked at the call and allowed it already, without what it writes.
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
                // A rule would be about one of the tools, and the question is about all of them.
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

/// Why what was allowed for the chat, or always, does not cover the call.
fn beyond_grant(facts: &Facts) -> Option<Because> {
    match facts.call.effect {
        _ if !facts.open_notes.is_empty() => Some(Because::OpenNotes(facts.open_notes.clone())),
        Effect::Write if facts.notes > MANY_NOTES => Some(Because::ManyNotes(facts.notes)),
        Effect::Write if facts.outside_own => Some(Because::OutsideOwn),
        Effect::External | Effect::Undeclared if facts.tainted => Some(Because::Tainted),
        _ => None,
    }
}

/// What no answer can change: the rules cannot be read, or one denies the call.
pub(crate) fn denied(rules: &Rules, facts: &Facts) -> Option<Ruling> {
    let because = match &rules.closed {
        Some(reason) => Because::Closed(reason.clone()),
        None => rules.find_at(RuleList::Deny, &facts.call, facts.reached, facts.principal)?.into(),
    };
    Some(Ruling { verdict: Verdict::Deny, because })
}

/// Why no answer covers the next call.
fn each_time(rules: &Rules, facts: &Facts) -> Option<Because> {
    if facts.times >= OFTEN {
        // A model that goes round in circles: whatever was allowed was not meant for this.
        return Some(Because::Repeated(facts.times));
    }
    if facts.routine && !facts.by_hand {
        return Some(Because::Routine);
    }
    // The user wants to be asked each time.
    wants_approval(rules, facts)
}

/// The rule that wants the user to be asked.
pub(crate) fn wants_approval(rules: &Rules, facts: &Facts) -> Option<Because> {
    rules.find_at(RuleList::HumanApproval, &facts.call, facts.reached, facts.principal).map(Because::from)
}

/// What allows a tool without a question.
pub(crate) struct Allowed {
    because: Because,
    /// It is what an "always" on a card leaves behind, which covers no more than a grant for the chat does.
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
        // It may be what an "always" on a card of notes left behind.
        Content::ByArguments => None,
        _ => rules.find_literal(RuleList::Allow, call, reached, who).map(Because::from),
    };
    match call.effect {
        // Each message to a person is looked at.
        Effect::Send => None,
        // Destruction wants a rule written for this one tool, and what leaves the machine by it one about its hosts.
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
        // What a chat knows is gone with it, so "always" would mean something else.
        (Effect::Undeclared, _) | (_, Because::OpenNotes(_)) => vec![Once, Session, Deny],
        _ if facts.hosts_vary => vec![Once, Session, Deny],
        (Effect::Read | Effect::Write | Effect::External, _) => vec![Once, Session, Always, Deny],
    };
    Ruling { verdict: Verdict::Ask { decisions, editable: effect != Effect::External }, because }
}

#[cfg(test)]
mod tests;
