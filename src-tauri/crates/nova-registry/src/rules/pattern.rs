use nova_skill::{Effect, VaultPath};
use serde_json::Value;

use super::arguments::Constraint;
use super::wildcard::matches;
use crate::{canonical, wire_name};

/// The calls that a rule covers: `skill__tool` or `skill.tool` with `*`; without a separator, that tool of
/// any skill; followed by constraints on its arguments in parentheses. `docs/permissions.md` has the grammar.
///
/// Uncertain matches count for restrictions and not for allowances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    tools: Tools,
    arguments: Arguments,
    literal: bool,
}

/// A call as seen by patterns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CallShape<'a> {
    pub skill: &'a str,
    pub tool: &'a str,
    pub effect: Effect,
    pub args: &'a Value,
}

/// The notes that a call actually reaches, by their real paths: its arguments may name them in several ways.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReachedNotes {
    pub read: Vec<VaultPath>,
    /// The notes it plans to write, including both ends of a move.
    pub written: Vec<VaultPath>,
}

impl ReachedNotes {
    /// Before the tool has run.
    pub const NONE: &'static Self = &Self { read: Vec::new(), written: Vec::new() };
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Tools {
    /// The name and each way to split it into skill and tool, in canonical spelling.
    Named { whole: String, parted: Vec<(String, String)> },
    /// All calls that leave the machine.
    External,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Arguments {
    Any,
    These(Vec<Constraint>),
    NotUnderstood,
}

impl Pattern {
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        let (name, arguments) = match text.find(['(', '（']) {
            None => (text, Arguments::Any),
            Some(at) => (text[..at].trim_end(), arguments(&text[at..])),
        };
        let whole = canonical(name);
        let parted = parted(&whole);
        let literal = !text.contains('*') && parted.len() == 1 && parted[0].0 != "*";
        let tools = match whole.as_str() {
            "internet-access" => Tools::External,
            "spawn-subagent" => Tools::Named { whole, parted: vec![("core".into(), "task".into())] },
            _ => Tools::Named { whole, parted },
        };
        Self { tools, arguments, literal }
    }

    /// Whether a rule that denies or asks matches the call.
    pub fn restricts(&self, call: &CallShape) -> bool {
        self.restricts_at(call, ReachedNotes::NONE)
    }

    /// As [`Pattern::restricts`], given the notes that the call reaches: each constrained argument may also
    /// have named one of them.
    pub(super) fn restricts_at(&self, call: &CallShape, notes: &ReachedNotes) -> bool {
        let named = match &self.tools {
            Tools::External => matches!(call.effect, Effect::External | Effect::Send | Effect::Undeclared),
            Tools::Named { whole, parted } => {
                // A tool's name may contain the separator.
                parted.iter().any(|(skill, tool)| covers(skill, tool, call))
                    || covers("*", whole, call)
                    || is_wire_name(whole, call)
            }
        };
        named
            && match &self.arguments {
                Arguments::Any | Arguments::NotUnderstood => true,
                Arguments::These(all) => all.iter().all(|constraint| {
                    let could_match_note = |note: &VaultPath| constraint.could_match_note(note.as_str());
                    constraint.could_match_args(call.args)
                        || notes.read.iter().any(could_match_note)
                        || notes.written.iter().any(could_match_note)
                }),
            }
    }

    /// Whether it is `internet_access`, which covers requests and names no tool.
    pub fn is_of_requests(&self) -> bool {
        matches!(self.tools, Tools::External)
    }

    /// Whether a rule that allows matches the call.
    pub fn allows(&self, call: &CallShape) -> bool {
        self.allows_at(call, ReachedNotes::NONE)
    }

    /// As [`Pattern::allows`], given the notes that the call would write: a rule about arguments must match
    /// each of them.
    pub(super) fn allows_at(&self, call: &CallShape, notes: &ReachedNotes) -> bool {
        let named = match &self.tools {
            Tools::External => call.effect == Effect::External,
            Tools::Named { whole, parted } => match parted.as_slice() {
                [(skill, tool)] => covers(skill, tool, call),
                // The name can be split in two ways: only the unambiguous wire name counts.
                _ => is_wire_name(whole, call),
            },
        };
        named
            && match &self.arguments {
                Arguments::Any => true,
                Arguments::These(all) => {
                    let means = |note: &VaultPath| {
                        let means = |constraint: &Constraint| {
                            !constraint.means_anything() && constraint.certainly_matches_note(note.as_str())
                        };
                        all.iter().any(means)
                    };
                    all.iter().all(|constraint| constraint.certainly_matches_args(call.args))
                        && (all.iter().all(Constraint::means_anything) || notes.written.iter().all(means))
                }
                Arguments::NotUnderstood => false,
            }
    }

    /// Whether two patterns are equal: `crm.add_contact` is `CRM__Add-Contact`.
    pub fn means(&self, other: &Self) -> bool {
        let tools = match (&self.tools, &other.tools) {
            (Tools::Named { parted, .. }, Tools::Named { parted: others, .. }) => parted == others,
            (tools, others) => tools == others,
        };
        let understood = self.arguments != Arguments::NotUnderstood;
        tools && understood && self.arguments == other.arguments
    }

    /// Whether it names exactly one tool of one skill, without wildcards.
    pub fn is_literal(&self) -> bool {
        self.literal
    }

    /// Whether it constrains the argument.
    pub(super) fn is_about(&self, argument: &str) -> bool {
        matches!(&self.arguments, Arguments::These(all) if all.iter().any(|constraint| constraint.is_about(argument)))
    }

    /// Whether it could match a tool of the skill.
    pub fn concerns(&self, skill: &str) -> bool {
        match &self.tools {
            Tools::External => true,
            Tools::Named { whole, parted } => {
                let skill = canonical(skill);
                parted.iter().any(|(wanted, _)| matches(wanted, &skill)) || whole.starts_with(&skill)
            }
        }
    }

    /// How it deviates from the grammar.
    pub fn misfit(&self) -> Option<&'static str> {
        match (&self.tools, &self.arguments) {
            (Tools::Named { whole, .. }, _) if whole.is_empty() => Some("it names no tool"),
            (Tools::Named { whole, .. }, _)
                if !whole.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '.' | '*')) =>
            {
                Some("a tool's name has letters, digits, _, - and . only")
            }
            (_, Arguments::NotUnderstood) => {
                Some("the brackets must hold name=value pairs, separated by commas, or *")
            }
            _ => None,
        }
    }
}

fn arguments(bracketed: &str) -> Arguments {
    let Some(inner) = bracketed.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return Arguments::NotUnderstood;
    };
    if inner.trim() == "*" {
        return Arguments::Any;
    }
    Constraint::parse_all(inner).map_or(Arguments::NotUnderstood, Arguments::These)
}

/// Every way to split a canonical name into skill and tool; without a separator, any skill.
fn parted(name: &str) -> Vec<(String, String)> {
    let mut parted: Vec<(String, String)> = name
        .char_indices()
        .filter_map(|(at, _)| {
            let rest = &name[at..];
            let length = if rest.starts_with("--") {
                2
            } else if rest.starts_with('.') {
                1
            } else {
                return None;
            };
            Some((name[..at].to_owned(), rest[length..].to_owned()))
        })
        .collect();
    if parted.is_empty() {
        parted.push(("*".into(), name.to_owned()));
    }
    parted
}

fn covers(skill: &str, tool: &str, call: &CallShape) -> bool {
    matches(skill, &canonical(call.skill)) && matches(tool, &canonical(call.tool))
}

fn is_wire_name(name: &str, call: &CallShape) -> bool {
    name == canonical(&wire_name(call.skill, call.tool))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shape<'a>(tool: (&'a str, &'a str), args: &'a Value) -> CallShape<'a> {
        CallShape { skill: tool.0, tool: tool.1, effect: Effect::Write, args }
    }

    #[track_caller]
    fn check(pattern: &str, tool: (&str, &str), covered: bool) {
        let (pattern, args) = (Pattern::parse(pattern), json!({}));
        assert_eq!(pattern.restricts(&shape(tool, &args)), covered, "{pattern:?} denies {tool:?}");
        assert_eq!(pattern.allows(&shape(tool, &args)), covered, "{pattern:?} allows {tool:?}");
    }

    #[test]
    fn patterns_cover_tools() {
        check("crm__list_*", ("crm", "list_contacts"), true);
        check("crm__list_*", ("crm", "add_contact"), false);
        check("*__delete_*", ("vault", "delete_note"), true);
        check("release-management__deploy_*", ("release_management", "deploy_app"), true);
        check("employee_onboarding__send_email(*)", ("employee-onboarding", "send_email"), true);
        check("crm.add_contact", ("crm", "add_contact"), true);
        check("CRM--Add-Contact", ("crm", "add_contact"), true);
        check("mail__send(*)", ("mail", "send"), true);
        check("delete_note", ("anything", "delete_note"), true);
        check("*", ("any", "thing"), true);
        check("*__*a*b", ("x", "aab"), true);
        check("*__*ab*b", ("x", "ab"), false);
        check("spawn_subagent", ("core", "task"), true);
    }

    #[test]
    fn internet_access_covers_calls_that_leave_the_machine() {
        let (pattern, args) = (Pattern::parse("internet_access"), json!({}));
        for (effect, restricts, allows) in [
            (Effect::Read, false, false),
            (Effect::Write, false, false),
            (Effect::External, true, true),
            (Effect::Destructive, false, false),
            (Effect::Send, true, false),
            (Effect::Undeclared, true, false),
        ] {
            let call = CallShape { skill: "core", tool: "web_fetch", effect, args: &args };
            assert_eq!(pattern.restricts(&call), restricts, "{effect:?}");
            assert_eq!(pattern.allows(&call), allows, "{effect:?}");
        }
    }

    #[test]
    fn ambiguous_name_denies_both_and_allows_none() {
        let (pattern, args) = (Pattern::parse("a__b__c"), json!({}));
        for tool in [("a", "b__c"), ("a__b", "c")] {
            assert!(pattern.restricts(&shape(tool, &args)), "{tool:?}");
            assert!(!pattern.allows(&shape(tool, &args)), "{tool:?}");
            let wire = Pattern::parse(&wire_name(tool.0, tool.1));
            assert!(wire.allows(&shape(tool, &args)), "its wire name is unique");
        }
        let wire = Pattern::parse(&wire_name("a", "b__c"));
        assert!(!wire.allows(&shape(("a__b", "c"), &args)));
    }

    #[test]
    fn literal_is_one_tool_of_one_skill() {
        for (text, literal) in [
            ("vault__delete_note", true),
            ("vault.delete_note", true),
            ("vault__delete_note(path=Old.md)", true),
            ("delete_note", false),
            ("vault__delete_*", false),
            ("vault__delete_note(*)", false),
            ("a__b__c", false),
        ] {
            assert_eq!(Pattern::parse(text).is_literal(), literal, "{text}");
        }
    }

    #[test]
    fn unparsable_arguments_restrict_and_allow_nothing() {
        let args = json!({"to": "jane@quillon.example"});
        for text in [
            "mail__send(x)",
            "mail__send()",
            "mail__send(to=*",
            "mail__send(to>3)",
            "mail__send(to=)",
            "mail__send(to=a(b))",
            "mail__send（to=x）",
            "mail__send(to=x) and more",
        ] {
            let pattern = Pattern::parse(text);
            assert!(pattern.restricts(&shape(("mail", "send"), &args)), "{text}");
            assert!(!pattern.allows(&shape(("mail", "send"), &args)), "{text}");
            assert!(pattern.misfit().is_some(), "{text}");
        }
    }
}
