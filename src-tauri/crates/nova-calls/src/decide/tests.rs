//! The decision table, row by row.

use nova_skill::{PrincipalKind, Relationship};
use serde_json::{Value, json};

use super::*;

mod spellings;

const EFFECTS: [Effect; 6] =
    [Effect::Read, Effect::Write, Effect::External, Effect::Destructive, Effect::Send, Effect::Undeclared];

static NO_ARGS: Value = Value::Null;

fn owner() -> &'static Principal {
    static OWNER: std::sync::LazyLock<Principal> = std::sync::LazyLock::new(Principal::owner);
    &OWNER
}

fn call(effect: Effect) -> CallShape<'static> {
    CallShape { skill: "crm", tool: "add_contact", effect, args: &NO_ARGS }
}

/// A model's first call in a turn, of a tool that is part of the program.
fn facts(effect: Effect) -> Facts<'static> {
    Facts {
        call: call(effect),
        reached: ReachedNotes::NONE,
        principal: owner(),
        by_hand: false,
        granted: false,
        content: Content::Fixed,
        notes: 1,
        outside_own: false,
        routine: false,
        open_notes: Vec::new(),
        tainted: false,
        times: 1,
        hosts_vary: false,
    }
}

fn rules(yaml: &str) -> Rules {
    Rules::parse(yaml).expect("valid test rules")
}

/// "run", "deny", or "ask" with the offered decisions: o(nce), s(ession), a(lways), d(eny), e(dit).
fn verdict(yaml: &str, facts: &Facts) -> String {
    shown(decide(&rules(yaml), facts))
}

fn shown(ruling: Ruling) -> String {
    match ruling.verdict {
        Verdict::Run => "run".into(),
        Verdict::Deny => "deny".into(),
        Verdict::Ask { decisions, editable } => {
            let letters = decisions.iter().map(|decision| match decision {
                Decision::Once => 'o',
                Decision::Session => 's',
                Decision::Always => 'a',
                Decision::Deny => 'd',
                Decision::Cancel => 'c',
            });
            letters.chain(editable.then_some('e')).fold("ask ".to_owned(), |mut text, letter| {
                text.push(letter);
                text
            })
        }
    }
}

/// The verdict on a tool that calls others, which have planned these writes.
fn together(yaml: &str, writes: &[Facts], asked: bool) -> String {
    let outer = Facts {
        call: CallShape { skill: "core", tool: "run_code", effect: Effect::Write, args: &NO_ARGS },
        ..facts(Effect::Write)
    };
    shown(decide_together(&rules(yaml), &outer, writes, asked))
}

#[test]
fn script_writes_are_judged_by_the_rules_of_their_tools() {
    let write = facts(Effect::Write);
    let granted = Facts { granted: true, ..write.clone() };
    let outside = Facts { outside_own: true, ..granted.clone() };
    let both = [granted.clone(), write.clone()];
    for (yaml, writes, expected) in [
        ("", &[][..], "run"),
        ("", std::slice::from_ref(&write), "ask osd"),
        ("", std::slice::from_ref(&granted), "run"),
        ("", &both, "ask osd"),
        ("", std::slice::from_ref(&outside), "ask osd"),
        ("permissions:\n  allow: [crm__add_contact]", std::slice::from_ref(&write), "run"),
        ("permissions:\n  allow: [core__run_code]", std::slice::from_ref(&write), "ask osd"),
        ("permissions:\n  deny: [crm__add_contact]", std::slice::from_ref(&granted), "deny"),
        ("permissions:\n  deny: [core__run_code]", &[], "deny"),
        ("permissions:\n  human_approval: [crm__add_contact]", &both, "ask od"),
        ("permissions:\n  human_approval: [core__run_code]", std::slice::from_ref(&granted), "ask od"),
    ] {
        assert_eq!(together(yaml, writes, false), expected, "{yaml} {writes:?}");
    }
}

#[test]
fn allowed_script_asks_again_only_for_its_writes() {
    let rule = "permissions:\n  human_approval: [core__run_code]";
    assert_eq!(together(rule, &[], false), "ask od");
    assert_eq!(together(rule, &[], true), "run");
    assert_eq!(together(rule, &[facts(Effect::Write)], true), "ask od");
}

#[test]
fn neither_rule_nor_grant_covers_writing_a_routine() {
    let routine = Facts { routine: true, granted: true, content: Content::Always, ..facts(Effect::Write) };
    assert_eq!(verdict("", &routine), "ask ode");
    assert_eq!(verdict("permissions: {allow: ['*', crm__add_contact]}", &routine), "ask ode");
    assert_eq!(verdict("permissions: {deny: [crm__add_contact]}", &routine), "deny");
    assert_eq!(verdict("", &Facts { by_hand: true, ..routine }), "run");
    assert_eq!(
        together("permissions: {allow: ['*']}", &[Facts { routine: true, ..facts(Effect::Write) }], false),
        "ask od"
    );
}

#[test]
fn always_is_not_offered_if_hosts_vary() {
    let external = Facts { hosts_vary: true, ..facts(Effect::External) };
    assert_eq!(verdict("", &external), "ask osd");
    assert_eq!(verdict("", &Facts { granted: true, tainted: true, ..external.clone() }), "ask osd");
    assert_eq!(verdict("", &Facts { granted: true, ..external }), "run");
}

#[test]
fn effect_decides_without_rules_and_grants() {
    for (effect, model, by_hand, granted) in [
        (Effect::Read, "run", "run", "run"),
        (Effect::Write, "ask osade", "run", "run"),
        (Effect::External, "ask osad", "ask osad", "run"),
        (Effect::Destructive, "ask ode", "ask ode", "ask ode"),
        (Effect::Send, "ask ode", "ask ode", "ask ode"),
        (Effect::Undeclared, "ask osde", "ask osde", "run"),
    ] {
        assert_eq!(verdict("", &facts(effect)), model, "{effect:?}");
        assert_eq!(verdict("", &Facts { by_hand: true, ..facts(effect) }), by_hand, "{effect:?} by hand");
        assert_eq!(verdict("", &Facts { granted: true, ..facts(effect) }), granted, "{effect:?} granted");
    }
}

#[test]
fn grant_covers_small_writes_in_own_folders() {
    let granted = Facts { granted: true, ..facts(Effect::Write) };
    assert_eq!(verdict("", &Facts { notes: 20, ..granted.clone() }), "run");
    assert_eq!(verdict("", &Facts { notes: 21, ..granted.clone() }), "ask osade");
    assert_eq!(verdict("", &Facts { outside_own: true, ..granted.clone() }), "ask osade");
    assert_eq!(verdict("", &Facts { by_hand: true, notes: 21, ..facts(Effect::Write) }), "run");
}

/// An "always" only stores the tool's name, or is stored with the content of its file.
#[test]
fn always_asks_whenever_a_chat_grant_does() {
    let literal = "permissions: {allow: [crm__add_contact]}";
    for (effect, beyond, asked) in [
        (Effect::Write, Facts { notes: 21, ..facts(Effect::Write) }, "ask osade"),
        (Effect::Write, Facts { outside_own: true, ..facts(Effect::Write) }, "ask osade"),
        (Effect::External, Facts { tainted: true, ..facts(Effect::External) }, "ask osad"),
        (Effect::Undeclared, Facts { tainted: true, ..facts(Effect::Undeclared) }, "ask osde"),
    ] {
        for granted in [false, true] {
            let beyond = Facts { granted, ..beyond.clone() };
            assert_eq!(verdict(literal, &beyond), asked, "{effect:?} by a rule");
            let of_file = Facts { content: Content::Always, ..beyond };
            assert_eq!(verdict("", &of_file), asked, "{effect:?} of a file");
        }
        assert_eq!(verdict(literal, &facts(effect)), "run", "{effect:?}");
        // A hand-written rule for several tools, or for arguments, applies as written.
        for written in ["crm__*", "'*'"] {
            let wider = format!("permissions: {{allow: [crm__add_contact, {written}]}}");
            assert_eq!(verdict(&wider, &beyond), "run", "{effect:?}: {written}");
        }
    }
    let by_hand = Facts { by_hand: true, notes: 21, outside_own: true, ..facts(Effect::Write) };
    assert_eq!(verdict(literal, &by_hand), "run");
}

/// A chat that has read private notes writes into a note that remote readers can see.
#[test]
fn writing_private_knowledge_into_open_notes_asks_despite_grants() {
    let open = || vec![VaultPath::parse("Open.md").expect("a valid test path")];
    for (effect, asked) in [
        (Effect::Write, "ask osde"),
        (Effect::External, "ask osd"),
        (Effect::Destructive, "ask ode"),
        (Effect::Send, "ask ode"),
        (Effect::Undeclared, "ask osde"),
    ] {
        for granted in [false, true] {
            let facts = Facts { open_notes: open(), granted, ..facts(effect) };
            assert_eq!(verdict("", &facts), asked, "{effect:?}");
            let always = Facts { content: Content::Always, ..facts.clone() };
            assert_eq!(verdict("", &always), asked, "{effect:?} of a file");
            if !matches!(effect, Effect::Destructive | Effect::Send) {
                let literal = "permissions: {allow: [crm__add_contact]}";
                assert_eq!(verdict(literal, &facts), asked, "{effect:?} by \"always\"");
                assert_eq!(verdict("permissions: {allow: ['crm__*']}", &facts), "run", "the written rule");
            }
            assert_eq!(decide(&rules(""), &facts).because, Because::OpenNotes(open()), "{effect:?}");
        }
    }
}

#[test]
fn earlier_rule_lists_take_precedence() {
    let deny = "permissions: {deny: ['crm__*'], human_approval: ['*'], allow: ['*']}";
    let ask = "permissions: {human_approval: ['crm__*'], allow: ['*']}";
    let allow = "permissions: {allow: ['crm__add_*']}";
    for (effect, asked, allowed) in [
        (Effect::Read, "ask ode", "run"),
        (Effect::Write, "ask ode", "run"),
        (Effect::External, "ask od", "run"),
        (Effect::Destructive, "ask ode", "ask ode"),
        (Effect::Send, "ask ode", "ask ode"),
        (Effect::Undeclared, "ask ode", "run"),
    ] {
        for facts in [facts(effect), Facts { by_hand: true, granted: true, ..facts(effect) }] {
            assert_eq!(verdict(deny, &facts), "deny", "{effect:?}");
            assert_eq!(verdict(ask, &facts), asked, "{effect:?}: no approval covers the next call");
            assert_eq!(verdict(allow, &facts), allowed, "{effect:?}");
        }
    }
}

#[test]
fn unreadable_rules_deny_everything() {
    for effect in EFFECTS {
        let facts = Facts { by_hand: true, granted: true, content: Content::Always, ..facts(effect) };
        let ruling = decide(&Rules::closed("line 2"), &facts);
        let because = Because::Closed("line 2".into());
        assert_eq!(ruling, Ruling { verdict: Verdict::Deny, because });
    }
}

#[test]
fn rule_covers_a_commands_hosts_only_if_it_names_each() {
    let (one, two) =
        (json!({"hosts": ["a.example.org"]}), json!({"hosts": ["a.example.org", "b.example.org"]}));
    let none = json!({"hosts": []});
    for (rule, args, expected) in [
        ("crm__add_contact", &none, "run"),
        ("crm__add_contact", &one, "ask ode"),
        ("crm__add_contact(hosts=a.example.org)", &one, "run"),
        ("crm__add_contact(hosts=a.example.org)", &two, "ask ode"),
        ("crm__add_contact(name=a.example.org)", &one, "ask ode"),
        ("crm__*(hosts=a.example.org)", &one, "ask ode"),
    ] {
        let call = CallShape { args, ..call(Effect::Destructive) };
        let facts = Facts { call, ..facts(Effect::Destructive) };
        assert_eq!(
            verdict(&format!("permissions: {{allow: ['{rule}']}}"), &facts),
            expected,
            "{rule} {args}"
        );
    }
}

#[test]
fn destructive_needs_a_literal_rule_and_send_always_asks() {
    for (rule, destroys) in [
        ("crm__add_contact", "run"),
        ("crm.add_contact", "run"),
        ("crm__add_contact(name=Jane)", "ask ode"),
        ("crm__add_*", "ask ode"),
        ("crm__add_contact(*)", "ask ode"),
        ("add_contact", "ask ode"),
        ("*", "ask ode"),
    ] {
        let yaml = format!("permissions: {{allow: ['{rule}']}}");
        assert_eq!(verdict(&yaml, &facts(Effect::Destructive)), destroys, "{rule}");
        assert_eq!(verdict(&yaml, &facts(Effect::Send)), "ask ode", "{rule}");
    }
    // A wildcard listed first does not hide the literal rule behind it.
    let both = "permissions: {allow: ['*', crm__add_contact]}";
    assert_eq!(verdict(both, &facts(Effect::Destructive)), "run");
}

#[test]
fn unseen_content_asks_despite_rules_and_grants() {
    for effect in EFFECTS {
        for content in [Content::New, Content::Changed] {
            for by_hand in [false, true] {
                for yaml in ["", "permissions: {allow: [crm__add_contact]}", "permissions: {allow: ['*']}"] {
                    let facts = Facts { content, by_hand, granted: true, notes: 0, ..facts(effect) };
                    let said = verdict(yaml, &facts);
                    assert!(said.starts_with("ask"), "{effect:?} {content:?} {by_hand} {yaml}: {said}");
                }
            }
            let unseen = Facts { content, ..facts(effect) };
            assert_eq!(verdict("permissions: {deny: [add_contact]}", &unseen), "deny", "{effect:?}");
        }
    }
}

/// A grant or an "always" for changes of notes does not cover external changes.
#[test]
fn effect_by_arguments_asks_each_time() {
    let literal = "permissions: {allow: [crm__add_contact]}";
    for (effect, asks) in
        [(Effect::External, "ask od"), (Effect::Destructive, "ask ode"), (Effect::Send, "ask ode")]
    {
        let by_arguments = Facts { content: Content::ByArguments, granted: true, ..facts(effect) };
        for yaml in ["", literal] {
            assert_eq!(verdict(yaml, &by_arguments), asks, "{effect:?} {yaml}");
            let tainted = Facts { tainted: true, ..by_arguments.clone() };
            assert_eq!(verdict(yaml, &tainted), asks, "{effect:?} {yaml}");
        }
        assert_eq!(verdict("permissions: {deny: [add_contact]}", &by_arguments), "deny");
    }
    let by_arguments = Facts { content: Content::ByArguments, ..facts(Effect::External) };
    assert_eq!(verdict("permissions: {allow: ['crm__add_*']}", &by_arguments), "run");
}

#[test]
fn seen_content_is_decided_by_effect() {
    for (effect, seen, always) in [
        (Effect::Read, "run", "run"),
        (Effect::Write, "ask osade", "run"),
        (Effect::External, "ask osad", "run"),
        (Effect::Destructive, "ask ode", "ask ode"),
        (Effect::Send, "ask ode", "ask ode"),
        (Effect::Undeclared, "ask osde", "run"),
    ] {
        let of = |content| Facts { content, ..facts(effect) };
        assert_eq!(verdict("", &of(Content::Seen)), seen, "{effect:?}");
        assert_eq!(verdict("", &of(Content::Always)), always, "{effect:?}");
        let asks = verdict("permissions: {human_approval: ['*']}", &of(Content::Always));
        assert!(asks.starts_with("ask"), "{effect:?}");
    }
}

#[test]
fn grants_for_external_effects_lapse_in_tainted_turns() {
    for (effect, granted, by_rule) in [
        (Effect::Read, "run", "run"),
        (Effect::Write, "run", "run"),
        (Effect::External, "ask osad", "run"),
        (Effect::Destructive, "ask ode", "run"),
        (Effect::Send, "ask ode", "ask ode"),
        (Effect::Undeclared, "ask osde", "run"),
    ] {
        let tainted = Facts { granted: true, tainted: true, ..facts(effect) };
        assert_eq!(verdict("", &tainted), granted, "{effect:?}");
        let allow = "permissions: {allow: [crm__add_contact, 'crm__*']}";
        assert_eq!(verdict(allow, &tainted), by_rule, "{effect:?}: a written rule holds");
    }
}

#[test]
fn third_identical_call_asks() {
    let allow = "permissions: {allow: [crm__add_contact]}";
    for effect in EFFECTS {
        let asks = if effect == Effect::External { "ask od" } else { "ask ode" };
        for times in [3, 4, 1000] {
            let facts = Facts { times, granted: true, content: Content::Always, ..facts(effect) };
            assert_eq!(verdict(allow, &facts), asks, "{effect:?}, {times} times");
            assert_eq!(verdict("permissions: {deny: ['*']}", &facts), "deny");
        }
        assert_eq!(
            decide(&rules(allow), &Facts { times: 2, ..facts(effect) }),
            decide(&rules(allow), &facts(effect))
        );
    }
}

#[test]
fn policy_applies_only_to_its_principals() {
    let yaml = "permissions: {allow: ['other__*']}
policies:
  - name: strangers
    match: {principal: {relationship: unknown}}
    permissions: {tools: {deny: [add_contact]}}
  - name: helpers
    match: {principal: {kind: subagent}}
    permissions: {tools: {allow: ['crm__*'], human_approval: [other__thing]}}
";
    let stranger = Principal { relationship: Relationship::Unknown, ..Principal::owner() };
    let helper = Principal { kind: PrincipalKind::Subagent, ..Principal::owner() };
    let both = Principal { relationship: Relationship::Unknown, ..helper.clone() };
    // An approval is requested for a sub-agent too, whatever its policy allows.
    for (who, said) in [(owner(), "ask osade"), (&stranger, "deny"), (&helper, "ask osade"), (&both, "deny")]
    {
        assert_eq!(verdict(yaml, &Facts { principal: who, ..facts(Effect::Write) }), said, "{who:?}");
    }
    let other = CallShape { skill: "other", tool: "thing", ..call(Effect::Write) };
    assert_eq!(verdict(yaml, &Facts { call: other, ..facts(Effect::Write) }), "run");
    let asked = Facts { call: other, principal: &helper, ..facts(Effect::Write) };
    assert_eq!(verdict(yaml, &asked), "ask ode", "an asking policy overrides a general rule");
}

#[test]
fn policy_for_mcp_clients_applies_only_to_them() {
    use Effect::{Destructive, External, Read, Send, Undeclared, Write};
    let client = Principal {
        kind: PrincipalKind::McpClient,
        name: "Editor".into(),
        relationship: Relationship::Unknown,
    };
    // What a client may do without a policy, and with the effect in each list of one.
    for (effect, nothing, allow, human_approval) in [
        (Read, "run", "run", "ask ode"),
        (Write, "ask osade", "run", "ask ode"),
        (External, "ask osad", "run", "ask od"),
        (Destructive, "ask ode", "run", "ask ode"),
        (Send, "ask ode", "ask ode", "ask ode"),
        (Undeclared, "ask osde", "run", "ask ode"),
    ] {
        for (list, said) in [("allow", allow), ("human_approval", human_approval), ("deny", "deny")] {
            let yaml = format!(
                "policies: [{{name: clients, match: {{principal: {{kind: mcp_client}}}}, \
                 permissions: {{tools: {{{list}: [crm__add_contact]}}}}}}]"
            );
            let owners = verdict("", &facts(effect));
            assert_eq!(verdict(&yaml, &facts(effect)), owners, "{effect:?}, {list}: the owner");
            let facts = Facts { principal: &client, ..facts(effect) };
            assert_eq!(verdict("", &facts), nothing, "{effect:?}");
            assert_eq!(verdict(&yaml, &facts), said, "{effect:?}, {list}");
        }
    }
}

#[test]
fn ruling_reports_its_reason() {
    let args = json!({"to": "x@evil.example"});
    let send = CallShape { skill: "mail", tool: "send", effect: Effect::Send, args: &args };
    let yaml = "permissions:\n  deny:\n    - 'mail__send(to=*@evil.example)'\n";
    assert_eq!(
        decide(&rules(yaml), &Facts { call: send, ..facts(Effect::Send) }).because,
        Because::Rule {
            list: RuleList::Deny,
            text: "mail__send(to=*@evil.example)".into(),
            line: 3,
            policy: None
        }
    );
    let other = json!({"to": "jane@acme.com"});
    let send = CallShape { args: &other, ..send };
    assert_eq!(
        decide(&rules(yaml), &Facts { call: send, ..facts(Effect::Send) }).because,
        Because::Effect(Effect::Send)
    );
}
