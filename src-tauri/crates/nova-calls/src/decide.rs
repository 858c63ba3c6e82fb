use nova_protocol::Decision;
use nova_registry::Rules;
use nova_skill::Effect;

/// Above this many notes in one turn a granted write asks again.
const MANY_NOTES: usize = 20;

/// Everything the decision depends on.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts<'a> {
    pub skill: &'a str,
    pub tool: &'a str,
    pub effect: Effect,
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
}

/// What the user knows of what would run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// It came with the program and changes only with it.
    Fixed,
    /// A file defines it, and this content was never allowed to run.
    New,
    /// This content was allowed to run before.
    Seen,
    /// Every call of this content is allowed.
    Always,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Run,
    /// Ask, offering these decisions in this order; `editable` tells whether arguments may change.
    Ask {
        decisions: Vec<Decision>,
        editable: bool,
    },
    /// The pattern that denies it.
    Deny {
        rule: String,
    },
}

/// Whether a call may run: deny, then human approval, then allow, then by effect.
pub fn decide(rules: &Rules, facts: &Facts) -> Verdict {
    if let Some(reason) = &rules.closed {
        return Verdict::Deny { rule: reason.clone() };
    }
    if let Some(rule) = rules.deny.restricting(facts.skill, facts.tool) {
        return Verdict::Deny { rule: rule.text.clone() };
    }
    if rules.human_approval.restricting(facts.skill, facts.tool).is_some() {
        // The user wants to be asked each time: no answer covers the next call.
        return Verdict::Ask {
            decisions: vec![Decision::Once, Decision::Deny],
            editable: facts.effect != Effect::External,
        };
    }
    // No rule and no grant was written in view of this content, and no effect it declares is known
    // to be true: the first call of it asks, whoever starts it.
    if facts.content == Content::New {
        return ask(facts.effect);
    }
    if allowed_by_rule(rules, facts) {
        return Verdict::Run;
    }
    let runs = match facts.effect {
        Effect::Read => true,
        Effect::Write if facts.by_hand => true,
        Effect::Write => facts.granted && facts.notes <= MANY_NOTES && !facts.outside_own,
        Effect::External => facts.granted,
        Effect::Destructive | Effect::Send => false,
        Effect::Undeclared => facts.granted,
    };
    if runs { Verdict::Run } else { ask(facts.effect) }
}

/// Whether a rule, or an "always" for this content, allows the tool.
pub(crate) fn allowed_by_rule(rules: &Rules, facts: &Facts) -> bool {
    let rule = rules.allow.covering(facts.skill, facts.tool);
    let always = facts.content == Content::Always;
    match facts.effect {
        // A wildcard never covers a call that reaches a person; destruction wants a literal rule.
        Effect::Send => false,
        Effect::Destructive => rule.is_some_and(|rule| !rule.text.contains('*')),
        Effect::Read | Effect::Write | Effect::External | Effect::Undeclared => rule.is_some() || always,
    }
}

fn ask(effect: Effect) -> Verdict {
    use Decision::{Always, Deny, Once, Session};
    let decisions = match effect {
        Effect::Read | Effect::Write | Effect::External => vec![Once, Session, Always, Deny],
        Effect::Undeclared => vec![Once, Session, Deny],
        Effect::Destructive | Effect::Send => vec![Once, Deny],
    };
    Verdict::Ask { decisions, editable: effect != Effect::External }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(effect: Effect) -> Facts<'static> {
        Facts {
            skill: "crm",
            tool: "add_contact",
            effect,
            by_hand: false,
            granted: false,
            content: Content::Fixed,
            notes: 1,
            outside_own: false,
        }
    }

    fn rules(yaml: &str) -> Rules {
        Rules::parse(yaml).expect("rules of the test")
    }

    fn verdict(yaml: &str, facts: &Facts) -> &'static str {
        match decide(&rules(yaml), facts) {
            Verdict::Run => "run",
            Verdict::Ask { .. } => "ask",
            Verdict::Deny { .. } => "deny",
        }
    }

    #[test]
    fn by_effect_where_no_rule_speaks() {
        let expected = [
            (Effect::Read, "run"),
            (Effect::Write, "ask"),
            (Effect::External, "ask"),
            (Effect::Destructive, "ask"),
            (Effect::Send, "ask"),
            (Effect::Undeclared, "ask"),
        ];
        for (effect, expected) in expected {
            assert_eq!(verdict("", &facts(effect)), expected, "{effect:?}");
        }
    }

    #[test]
    fn what_the_user_starts_by_hand_reads_and_writes_but_still_asks_for_the_rest() {
        let expected = [
            (Effect::Read, "run"),
            (Effect::Write, "run"),
            (Effect::External, "ask"),
            (Effect::Destructive, "ask"),
            (Effect::Send, "ask"),
        ];
        for (effect, expected) in expected {
            let facts = Facts { by_hand: true, ..facts(effect) };
            assert_eq!(verdict("", &facts), expected, "{effect:?}");
        }
        let facts = Facts { by_hand: true, ..facts(Effect::Write) };
        assert_eq!(verdict("permissions: {deny: [crm__add_contact]}", &facts), "deny");
    }

    #[test]
    fn a_session_grant_covers_writes_of_ordinary_size_in_the_own_folders() {
        let granted = Facts { granted: true, ..facts(Effect::Write) };
        assert_eq!(verdict("", &granted), "run");
        assert_eq!(verdict("", &Facts { notes: 20, ..granted.clone() }), "run");
        assert_eq!(verdict("", &Facts { notes: 21, ..granted.clone() }), "ask");
        assert_eq!(verdict("", &Facts { outside_own: true, ..granted.clone() }), "ask");
        assert_eq!(verdict("", &Facts { granted: true, ..facts(Effect::Send) }), "ask");
        assert_eq!(verdict("", &Facts { granted: true, ..facts(Effect::Destructive) }), "ask");
    }

    #[test]
    fn deny_goes_before_asking_and_asking_before_allowing() {
        let all = "permissions: {deny: ['crm__*'], human_approval: ['*'], allow: ['*']}";
        let ask = "permissions: {human_approval: ['crm__*'], allow: ['*']}";
        let allow = "permissions: {allow: ['crm__add_*']}";
        assert_eq!(verdict(all, &facts(Effect::Read)), "deny");
        assert_eq!(verdict(ask, &facts(Effect::Read)), "ask");
        assert_eq!(verdict(allow, &facts(Effect::Write)), "run");
    }

    #[test]
    fn rules_that_cannot_be_read_deny_everything() {
        let closed = Rules::closed("line 2");
        for effect in [Effect::Read, Effect::Write, Effect::Send] {
            let facts = Facts { by_hand: true, granted: true, ..facts(effect) };
            assert_eq!(decide(&closed, &facts), Verdict::Deny { rule: "line 2".into() });
        }
    }

    #[test]
    fn a_rule_that_asks_is_never_answered_for_good() {
        let granted = Facts { granted: true, ..facts(Effect::Read) };
        let Verdict::Ask { decisions, .. } =
            decide(&rules("permissions: {human_approval: ['crm__*']}"), &granted)
        else {
            panic!("it asks");
        };
        assert_eq!(decisions, [Decision::Once, Decision::Deny]);
    }

    #[test]
    fn no_rule_sends_and_no_wildcard_destroys() {
        assert_eq!(verdict("permissions: {allow: [crm__add_contact]}", &facts(Effect::Send)), "ask");
        assert_eq!(verdict("permissions: {allow: ['*']}", &facts(Effect::Destructive)), "ask");
        assert_eq!(verdict("permissions: {allow: [crm__add_contact]}", &facts(Effect::Destructive)), "run");
    }

    #[test]
    fn the_first_call_of_a_content_asks_whatever_speaks_for_it() {
        let effects = [
            Effect::Read,
            Effect::Write,
            Effect::External,
            Effect::Destructive,
            Effect::Send,
            Effect::Undeclared,
        ];
        for effect in effects {
            for by_hand in [false, true] {
                for yaml in ["", "permissions: {allow: [crm__add_contact]}", "permissions: {allow: ['*']}"] {
                    let facts =
                        Facts { content: Content::New, by_hand, granted: true, notes: 0, ..facts(effect) };
                    assert_eq!(verdict(yaml, &facts), "ask", "{effect:?} {by_hand} {yaml}");
                }
            }
            let new = Facts { content: Content::New, ..facts(effect) };
            assert_eq!(verdict("permissions: {deny: [add_contact]}", &new), "deny", "{effect:?}");
        }
    }

    #[test]
    fn a_content_that_was_seen_goes_by_its_effect() {
        for (effect, seen, always) in [
            (Effect::Read, "run", "run"),
            (Effect::Write, "ask", "run"),
            (Effect::External, "ask", "run"),
            (Effect::Destructive, "ask", "ask"),
            (Effect::Send, "ask", "ask"),
        ] {
            let of = |content| Facts { content, ..facts(effect) };
            assert_eq!(verdict("", &of(Content::Seen)), seen, "{effect:?}");
            assert_eq!(verdict("", &of(Content::Always)), always, "{effect:?}");
            assert_eq!(
                verdict("permissions: {human_approval: ['*']}", &of(Content::Always)),
                "ask",
                "{effect:?}"
            );
        }
    }

    #[test]
    fn always_is_never_offered_for_what_cannot_be_taken_back() {
        for effect in [Effect::Destructive, Effect::Send] {
            let Verdict::Ask { decisions, .. } = decide(&Rules::default(), &facts(effect)) else {
                panic!("{effect:?} asks");
            };
            assert_eq!(decisions, [Decision::Once, Decision::Deny]);
        }
    }
}
