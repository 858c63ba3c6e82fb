use serde::Deserialize;

use crate::canonical;

/// `permissions.yaml`: what the user allows, denies and wants to be asked about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rules {
    pub deny: PatternList,
    pub human_approval: PatternList,
    pub allow: PatternList,
    /// Why nothing may run: the rules cannot be read and none were good before.
    pub closed: Option<String>,
    /// The file has `policies:`, which this version does not apply.
    pub has_policies: bool,
}

/// Patterns in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PatternList(Vec<Rule>);

/// One pattern: `skill__tool` or `skill.tool` with `*`; without a separator, that tool of any skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// As it stands in the file.
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("permissions.yaml cannot be read: {message}")]
pub struct RulesError {
    pub message: String,
    /// 1-based.
    pub line: Option<u32>,
}

impl Rules {
    /// # Errors
    /// When the text is not YAML of the documented shape.
    pub fn parse(text: &str) -> Result<Self, RulesError> {
        // A misspelt key is an error: a restriction that is not understood must not lapse.
        #[derive(Deserialize, Default)]
        #[serde(default, deny_unknown_fields)]
        struct File {
            permissions: Lists,
            policies: Vec<serde_json::Value>,
        }
        #[derive(Deserialize, Default)]
        #[serde(default, deny_unknown_fields)]
        struct Lists {
            allow: Vec<String>,
            deny: Vec<String>,
            human_approval: Vec<String>,
        }
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let options = serde_saphyr::options! { strict_booleans: true };
        let file: File = serde_saphyr::from_str_with_options(text, options).map_err(|error| RulesError {
            line: error.location().map(|at| at.line() as u32),
            message: error.to_string(),
        })?;
        let list = |texts: Vec<String>| PatternList(texts.into_iter().map(|text| Rule { text }).collect());
        Ok(Self {
            deny: list(file.permissions.deny),
            human_approval: list(file.permissions.human_approval),
            allow: list(file.permissions.allow),
            closed: None,
            has_policies: !file.policies.is_empty(),
        })
    }
}

impl Rules {
    /// Nothing may run until the rules can be read.
    pub fn closed(reason: impl Into<String>) -> Self {
        Self { closed: Some(reason.into()), ..Self::default() }
    }

    /// These rules with one more pattern that allows, before the others.
    pub fn with_allowed(&self, pattern: &str) -> Self {
        let mut rules = self.clone();
        rules.allow.0.insert(0, Rule { text: pattern.to_owned() });
        rules
    }
}

impl PatternList {
    /// The first pattern that covers every call of the tool: what allows.
    pub fn covering(&self, skill: &str, tool: &str) -> Option<&Rule> {
        self.0.iter().find(|rule| !rule.names_arguments() && rule.covers(skill, tool))
    }

    /// The first pattern that covers some call of the tool: what denies or asks. A pattern that
    /// names arguments counts whatever they are, so that a restriction never lapses.
    pub fn restricting(&self, skill: &str, tool: &str) -> Option<&Rule> {
        self.0.iter().find(|rule| rule.covers(skill, tool))
    }
}

impl Rule {
    /// `tool(...)` with anything but `*` in the brackets.
    fn names_arguments(&self) -> bool {
        self.text.split_once('(').is_some_and(|(_, arguments)| arguments != "*)")
    }

    fn covers(&self, skill: &str, tool: &str) -> bool {
        let pattern = self.text.split_once('(').map_or(self.text.as_str(), |(name, _)| name);
        let (for_skill, for_tool) =
            pattern.split_once("__").or_else(|| pattern.split_once('.')).unwrap_or(("*", pattern));
        matches(&canonical(for_skill), &canonical(skill)) && matches(&canonical(for_tool), &canonical(tool))
    }
}

/// Whether the text fits a pattern in which `*` stands for any characters.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.len() >= last.len() && rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, tool: (&str, &str), covered: bool) {
        let rule = Rule { text: pattern.into() };
        assert_eq!(rule.covers(tool.0, tool.1), covered, "{pattern} over {tool:?}");
    }

    #[test]
    fn patterns_cover_tools() {
        check("crm__list_*", ("crm", "list_contacts"), true);
        check("crm__list_*", ("crm", "add_contact"), false);
        check("*__delete_*", ("vault", "delete_note"), true);
        check("release-management__deploy_*", ("release_management", "deploy_app"), true);
        check("crm.add_contact", ("crm", "add_contact"), true);
        check("mail__send(*)", ("mail", "send"), true);
        check("delete_note", ("anything", "delete_note"), true);
        check("*", ("any", "thing"), true);
        check("*__*a*b", ("x", "aab"), true);
        check("*__*ab*b", ("x", "ab"), false);
    }

    #[test]
    fn a_pattern_with_arguments_restricts_every_call_and_allows_none() {
        let rules =
            Rules::parse("permissions: {deny: ['mail__send(x)'], allow: ['crm__add(x)', 'crm__list(*)']}")
                .expect("rules of the test");
        assert!(rules.deny.restricting("mail", "send").is_some());
        assert!(rules.allow.covering("crm", "add").is_none());
        assert!(rules.allow.covering("crm", "list").is_some());
    }

    #[test]
    fn a_misspelt_key_is_an_error() {
        assert!(Rules::parse("permissions: {denny: [x]}").is_err());
        assert!(Rules::parse("permission: {deny: [x]}").is_err());
    }

    #[test]
    fn policies_are_named_as_not_in_force() {
        assert!(Rules::parse("policies: [{name: x}]").expect("readable").has_policies);
        assert!(!Rules::parse("permissions: {deny: [x]}").expect("readable").has_policies);
    }

    #[test]
    fn a_broken_file_names_its_line() {
        let error = Rules::parse("permissions:\n  allow: [\n").expect_err("not YAML");
        assert!(error.line.is_some(), "{error}");
    }

    #[test]
    fn reads_the_documented_file() {
        let rules = Rules::parse(
            "permissions:\n  allow: [ \"crm__list_*\" ]\n  deny: [ \"*__delete_*\" ]\n  human_approval: [ \"mail__send(*)\" ]\n",
        )
        .expect("the documented shape");
        assert!(rules.deny.restricting("vault", "delete_note").is_some());
        assert!(rules.allow.covering("crm", "list_contacts").is_some());
        assert!(rules.human_approval.restricting("mail", "send").is_some());
        assert!(rules.deny.restricting("crm", "list_contacts").is_none());
    }
}
