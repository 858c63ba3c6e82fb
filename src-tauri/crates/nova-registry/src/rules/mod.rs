mod arguments;
mod edit;
mod pattern;
mod wildcard;

use std::sync::{Arc, RwLock};

use nova_skill::{Principal, PrincipalKind, Relationship};
use serde::Deserialize;
use serde_saphyr::Spanned;

pub use self::edit::{RuleEdit, RuleEditError, with_pattern, without_pattern};
pub use self::pattern::{CallShape, Pattern, ReachedNotes};
use crate::canonical;

/// `permissions.yaml`: the calls that the user allows, denies or wants to be asked about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rules {
    /// Rules for all principals.
    pub own: RuleLists,
    /// Additional rules for some principals.
    pub policies: Vec<Policy>,
    /// Why nothing may run: the rules cannot be parsed, and there is no last good version.
    pub closed: Option<String>,
}

/// Three lists, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RuleLists {
    pub deny: Vec<Rule>,
    pub human_approval: Vec<Rule>,
    pub allow: Vec<Rule>,
}

/// One list of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RuleList {
    Deny,
    HumanApproval,
    Allow,
}

/// One pattern of the file.
#[derive(Debug, Clone, Eq)]
pub struct Rule {
    pub text: String,
    /// 1-based; 0 if it is in no file.
    pub line: u32,
    pub pattern: Pattern,
}

/// Rules that only apply to some principals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    pub name: String,
    pub who: Who,
    pub lists: RuleLists,
}

/// The principals of a policy. Empty fields match all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Who {
    pub kinds: Vec<PrincipalKind>,
    pub relationships: Vec<Relationship>,
    /// May contain `*`.
    pub names: Vec<String>,
}

/// The rule that decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found<'a> {
    pub list: RuleList,
    pub rule: &'a Rule,
    /// The policy that contains the rule.
    pub policy: Option<&'a Policy>,
}

/// The current rules. Each decision reads them again, so that a change takes effect immediately, also for
/// running turns.
#[derive(Debug, Default)]
pub struct RulesInForce {
    own: RwLock<Arc<Rules>>,
    /// The rules whose restrictions apply, and the only allowances.
    limited: Option<(Arc<RulesInForce>, Vec<Rule>)>,
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
    /// If the text is not YAML of the documented format.
    pub fn parse(text: &str) -> Result<Self, RulesError> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let file = read(text)?;
        let policies = file.policies.unwrap_or_default().into_iter();
        Ok(Self {
            own: file.permissions.unwrap_or_default().try_into()?,
            policies: policies.map(Policy::try_from).collect::<Result<_, _>>()?,
            closed: None,
        })
    }

    /// Denies everything until the rules can be parsed.
    pub fn closed(reason: impl Into<String>) -> Self {
        Self { closed: Some(reason.into()), ..Self::default() }
    }

    /// The first rule of the list that matches the call. Restrictions match possible meanings; allowances
    /// only certain ones.
    pub fn find(&self, list: RuleList, call: &CallShape, who: &Principal) -> Option<Found<'_>> {
        self.find_at(list, call, ReachedNotes::NONE, who)
    }

    /// As [`Rules::find`], given the notes that the call reaches.
    pub fn find_at(
        &self,
        list: RuleList,
        call: &CallShape,
        notes: &ReachedNotes,
        who: &Principal,
    ) -> Option<Found<'_>> {
        self.first(list, who, |rule, _| match list {
            RuleList::Deny | RuleList::HumanApproval => rule.pattern.restricts_at(call, notes),
            RuleList::Allow => rule.pattern.allows_at(call, notes),
        })
    }

    /// As [`Rules::find_at`], among rules that name one tool of one skill.
    pub fn find_literal(
        &self,
        list: RuleList,
        call: &CallShape,
        notes: &ReachedNotes,
        who: &Principal,
    ) -> Option<Found<'_>> {
        self.first(list, who, |rule, _| rule.pattern.is_literal() && rule.pattern.allows_at(call, notes))
    }

    /// As [`Rules::find_literal`], among rules that constrain this argument.
    pub fn find_about(
        &self,
        list: RuleList,
        argument: &str,
        call: &CallShape,
        notes: &ReachedNotes,
        who: &Principal,
    ) -> Option<Found<'_>> {
        self.first(list, who, |rule, _| {
            rule.pattern.is_literal()
                && rule.pattern.is_about(argument)
                && rule.pattern.allows_at(call, notes)
        })
    }

    /// As [`Rules::find_at`], among rules that an "always" cannot have added: they name several tools,
    /// constrain arguments, or are part of a policy.
    pub fn find_written(
        &self,
        list: RuleList,
        call: &CallShape,
        notes: &ReachedNotes,
        who: &Principal,
    ) -> Option<Found<'_>> {
        self.first(list, who, |rule, policy| {
            (policy.is_some() || !rule.pattern.is_literal()) && rule.pattern.allows_at(call, notes)
        })
    }

    /// A sub-agent has no more rights than the user it works for: it is subject to the user's restrictions,
    /// and an allowance only counts if the user has one too.
    fn first(
        &self,
        list: RuleList,
        who: &Principal,
        holds: impl Fn(&Rule, Option<&Policy>) -> bool,
    ) -> Option<Found<'_>> {
        let of = |who: &Principal| {
            self.lists_for(who).find_map(|(lists, policy)| {
                let rule = lists.get(list).iter().find(|rule| holds(rule, policy))?;
                Some(Found { list, rule, policy })
            })
        };
        let own = of(who);
        if who.kind != PrincipalKind::Subagent {
            return own;
        }
        let of_user = of(&Principal::owner());
        match list {
            RuleList::Deny | RuleList::HumanApproval => own.or(of_user),
            RuleList::Allow => own.filter(|_| of_user.is_some()),
        }
    }

    fn lists_for(&self, who: &Principal) -> impl Iterator<Item = (&RuleLists, Option<&Policy>)> {
        let policies = self.policies.iter().filter(move |policy| policy.who.is(who));
        std::iter::once((&self.own, None)).chain(policies.map(|policy| (&policy.lists, Some(policy))))
    }

    /// Keeps the restrictions, and replaces all allowances by these.
    fn allowing_only(&self, allow: &[Rule]) -> Self {
        let restricting = |lists: &RuleLists| RuleLists { allow: Vec::new(), ..lists.clone() };
        let policies = self.policies.iter();
        Self {
            own: RuleLists { allow: allow.to_vec(), ..restricting(&self.own) },
            policies: policies
                .map(|policy| Policy { lists: restricting(&policy.lists), ..policy.clone() })
                .collect(),
            closed: self.closed.clone(),
        }
    }

    /// The rules that make these stricter than those before: new restrictions, and removed allowances.
    pub fn stricter_than<'a>(&'a self, before: &'a Self) -> Vec<&'a Rule> {
        fn all(rules: &Rules, list: RuleList) -> Vec<&Rule> {
            let policies = rules.policies.iter().flat_map(move |policy| policy.lists.get(list));
            rules.own.get(list).iter().chain(policies).collect()
        }
        let mut stricter = Vec::new();
        for list in RuleList::ALL {
            let (before, now) = (all(before, list), all(self, list));
            let (fewer, more) = if list == RuleList::Allow { (now, before) } else { (before, now) };
            stricter.extend(more.into_iter().filter(|rule| !fewer.contains(rule)));
        }
        stricter
    }
}

impl RulesInForce {
    pub fn new(rules: Rules) -> Self {
        Self { own: RwLock::new(Arc::new(rules)), limited: None }
    }

    /// The rules of `base` at each time, with its restrictions only; nothing but `allow` allows.
    pub fn allowing_only(base: &Arc<Self>, allow: Vec<Rule>) -> Self {
        Self { limited: Some((base.clone(), allow)), ..Self::default() }
    }

    pub fn now(&self) -> Arc<Rules> {
        match &self.limited {
            Some((base, allow)) => Arc::new(base.now().allowing_only(allow)),
            None => self.own.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone(),
        }
    }

    pub fn replace(&self, rules: Rules) {
        *self.own.write().unwrap_or_else(std::sync::PoisonError::into_inner) = Arc::new(rules);
    }
}

impl RuleLists {
    pub fn get(&self, list: RuleList) -> &[Rule] {
        match list {
            RuleList::Deny => &self.deny,
            RuleList::HumanApproval => &self.human_approval,
            RuleList::Allow => &self.allow,
        }
    }

    fn get_mut(&mut self, list: RuleList) -> &mut Vec<Rule> {
        match list {
            RuleList::Deny => &mut self.deny,
            RuleList::HumanApproval => &mut self.human_approval,
            RuleList::Allow => &mut self.allow,
        }
    }
}

impl RuleList {
    pub const ALL: [Self; 3] = [Self::Deny, Self::HumanApproval, Self::Allow];

    /// Its key in the file.
    pub fn key(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::HumanApproval => "human_approval",
            Self::Allow => "allow",
        }
    }
}

impl Rule {
    pub fn new(text: impl Into<String>, line: u32) -> Self {
        let text = text.into();
        Self { pattern: Pattern::parse(&text), text, line }
    }
}

impl PartialEq for Rule {
    /// The line is ignored.
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Who {
    fn is(&self, who: &Principal) -> bool {
        let named = |pattern: &String| wildcard::matches(&canonical(pattern), &canonical(&who.name));
        (self.kinds.is_empty() || self.kinds.contains(&who.kind))
            && (self.relationships.is_empty() || self.relationships.contains(&who.relationship))
            && (self.names.is_empty() || self.names.iter().any(named))
    }
}

// A misspelled key is an error: a restriction must not lapse because of it.
#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct File {
    permissions: Option<Lists>,
    policies: Option<Vec<PolicyInFile>>,
}

#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct Lists {
    allow: Option<Vec<Spanned<String>>>,
    deny: Option<Vec<Spanned<String>>>,
    human_approval: Option<Vec<Spanned<String>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyInFile {
    #[serde(default)]
    name: String,
    #[serde(default, rename = "match")]
    matching: MatchInFile,
    permissions: ToolsInFile,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct MatchInFile {
    #[serde(default)]
    principal: PrincipalInFile,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolsInFile {
    tools: Lists,
}

#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct PrincipalInFile {
    kind: OneOrMore<KindInFile>,
    relationship: OneOrMore<RelationshipInFile>,
    name: OneOrMore<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMore<T> {
    One(T),
    More(Vec<T>),
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum KindInFile {
    User,
    Subagent,
    McpClient,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum RelationshipInFile {
    Owner,
    Delegate,
    Known,
    Unknown,
}

fn read(text: &str) -> Result<File, RulesError> {
    let options = serde_saphyr::options! { strict_booleans: true, with_snippet: false };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| RulesError {
        line: error.location().and_then(|at| u32::try_from(at.line()).ok()),
        message: error.to_string(),
    })
}

impl<T> Default for OneOrMore<T> {
    fn default() -> Self {
        Self::More(Vec::new())
    }
}

impl<T> OneOrMore<T> {
    fn into_vec(self) -> Vec<T> {
        match self {
            Self::One(one) => vec![one],
            Self::More(all) => all,
        }
    }
}

impl TryFrom<Lists> for RuleLists {
    type Error = RulesError;

    fn try_from(lists: Lists) -> Result<Self, RulesError> {
        let rules = |texts: Option<Vec<Spanned<String>>>| -> Result<Vec<Rule>, RulesError> {
            let rules = texts.unwrap_or_default().into_iter().map(|text| {
                let line = u32::try_from(text.referenced.line()).unwrap_or_default();
                if text.value.trim().is_empty() {
                    return Err(RulesError { message: "a pattern is empty".into(), line: Some(line) });
                }
                Ok(Rule::new(text.value, line))
            });
            rules.collect()
        };
        Ok(Self {
            deny: rules(lists.deny)?,
            human_approval: rules(lists.human_approval)?,
            allow: rules(lists.allow)?,
        })
    }
}

impl TryFrom<PolicyInFile> for Policy {
    type Error = RulesError;

    fn try_from(policy: PolicyInFile) -> Result<Self, RulesError> {
        let PrincipalInFile { kind, relationship, name } = policy.matching.principal;
        let kinds = kind.into_vec().into_iter().map(|kind| match kind {
            KindInFile::User => PrincipalKind::User,
            KindInFile::Subagent => PrincipalKind::Subagent,
            KindInFile::McpClient => PrincipalKind::McpClient,
        });
        let relationships = relationship.into_vec().into_iter().map(|relationship| match relationship {
            RelationshipInFile::Owner => Relationship::Owner,
            RelationshipInFile::Delegate => Relationship::Delegate,
            RelationshipInFile::Known => Relationship::Known,
            RelationshipInFile::Unknown => Relationship::Unknown,
        });
        Ok(Self {
            name: policy.name,
            who: Who {
                kinds: kinds.collect(),
                relationships: relationships.collect(),
                names: name.into_vec(),
            },
            lists: policy.permissions.tools.try_into()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use nova_skill::Effect;
    use serde_json::json;

    use super::*;

    fn found(rules: &Rules, list: RuleList, tool: (&str, &str), who: &Principal) -> Option<String> {
        let args = json!({});
        let call = CallShape { skill: tool.0, tool: tool.1, effect: Effect::External, args: &args };
        rules.find(list, &call, who).map(|found| match found.policy {
            Some(policy) => format!("{} in {}", found.rule.text, policy.name),
            None => found.rule.text.clone(),
        })
    }

    #[test]
    fn misspelled_key_is_an_error() {
        for yaml in [
            "permissions: {denny: [x]}",
            "permission: {deny: [x]}",
            "policies: [{match: {principal: {relation: unknown}}, permissions: {tools: {deny: [x]}}}]",
            "policies: [{match: {principal: {relationship: stranger}}, permissions: {tools: {deny: [x]}}}]",
            "policies: [{permissions: {deny: [x]}}]",
            "permissions: {deny: ['']}",
        ] {
            assert!(Rules::parse(yaml).is_err(), "{yaml}");
        }
    }

    #[test]
    fn list_with_only_comments_is_empty() {
        let rules = Rules::parse("permissions:\n  deny:\n  # - x\n  allow: [y]\n").expect("readable");
        assert_eq!((rules.own.deny.len(), rules.own.allow.len()), (0, 1));
    }

    #[test]
    fn error_in_the_file_has_a_line() {
        let error = Rules::parse("permissions:\n  allow: [\n").expect_err("not YAML");
        assert!(error.line.is_some(), "{error}");
        let error = Rules::parse("permissions:\n  deny:\n    - x\n    - ''\n").expect_err("empty");
        assert_eq!(error.line, Some(4), "{error}");
    }

    const DOCUMENTED: &str = r#"
permissions:
  allow: [ "crm__list_*", "workflow__*" ]
  deny: [ "*__delete_*" ]
  human_approval: [ "release-management__deploy_*", "mail__send(*)" ]
policies:
  - name: limit external tools for unknown senders
    match: { principal: { relationship: unknown } }
    permissions: { tools: { deny: [core__web_search, core__web_fetch, core__task] } }
"#;

    #[test]
    fn reads_the_documented_file() {
        use RuleList::{Allow, Deny, HumanApproval};
        let rules = Rules::parse(DOCUMENTED).expect("the documented shape");
        let me = Principal::owner();
        let of = |list, tool| found(&rules, list, tool, &me);
        assert_eq!(of(Deny, ("vault", "delete_note")).as_deref(), Some("*__delete_*"));
        assert_eq!(of(Allow, ("crm", "list_contacts")).as_deref(), Some("crm__list_*"));
        assert_eq!(of(HumanApproval, ("mail", "send")).as_deref(), Some("mail__send(*)"));
        assert_eq!(of(Deny, ("crm", "list_contacts")), None);
        assert_eq!(rules.own.deny[0].line, 4);
    }

    #[test]
    fn policy_applies_only_to_its_principals() {
        let rules = Rules::parse(DOCUMENTED).expect("the documented shape");
        let fetch = ("core", "web_fetch");
        let stranger = Principal { relationship: Relationship::Unknown, ..Principal::owner() };
        assert_eq!(found(&rules, RuleList::Deny, fetch, &Principal::owner()), None);
        assert_eq!(
            found(&rules, RuleList::Deny, fetch, &stranger).as_deref(),
            Some("core__web_fetch in limit external tools for unknown senders")
        );
    }

    #[test]
    fn policy_matches_kind_relationship_and_name_together() {
        let rules = Rules::parse(
            "policies:\n  - name: p\n    match: {principal: {kind: mcp_client, relationship: [known, unknown], name: 'ed*'}}\n    permissions: {tools: {allow: [read]}}\n",
        )
        .expect("readable");
        let client = Principal {
            kind: PrincipalKind::McpClient,
            name: "Editor".into(),
            relationship: Relationship::Known,
        };
        let allowed = |who: &Principal| found(&rules, RuleList::Allow, ("core", "read"), who).is_some();
        assert!(allowed(&client));
        assert!(!allowed(&Principal { kind: PrincipalKind::Subagent, ..client.clone() }));
        assert!(!allowed(&Principal { relationship: Relationship::Owner, ..client.clone() }));
        assert!(!allowed(&Principal { name: "other".into(), ..client }));
    }

    #[test]
    fn sub_agent_has_no_more_rights_than_the_user() {
        let policy = |kind: &str, lists: &str| {
            let text = format!(
                "policies: [{{match: {{principal: {{kind: {kind}}}}}, permissions: {{tools: {lists}}}}}]"
            );
            Rules::parse(&text).expect("readable")
        };
        let agent = Principal { kind: PrincipalKind::Subagent, name: "helper".into(), ..Principal::owner() };
        let of = |rules: &Rules, list| found(rules, list, ("core", "read"), &agent).is_some();
        assert!(of(&policy("user", "{deny: [read]}"), RuleList::Deny));
        assert!(of(&policy("user", "{human_approval: [read]}"), RuleList::HumanApproval));
        assert!(of(&policy("subagent", "{deny: [read]}"), RuleList::Deny));
        assert!(!of(&policy("subagent", "{allow: [read]}"), RuleList::Allow));
        assert!(!of(&policy("user", "{allow: [read]}"), RuleList::Allow));
        assert!(of(&policy("[user, subagent]", "{allow: [read]}"), RuleList::Allow));
        assert!(!of(&policy("mcp_client", "{deny: [read]}"), RuleList::Deny));
    }

    #[test]
    fn limited_rules_keep_every_restriction() {
        let yaml = "permissions: {allow: [crm__a], deny: [crm__d], human_approval: [crm__h]}\n\
                    policies: [{permissions: {tools: {allow: [crm__p], deny: [crm__q]}}}]";
        let base = Arc::new(RulesInForce::new(Rules::parse(yaml).expect("readable")));
        let limited = RulesInForce::allowing_only(&base, vec![Rule::new("crm__own", 0)]);
        let found = |tool| {
            RuleList::ALL.into_iter().find_map(|list| {
                found(&limited.now(), list, ("crm", tool), &Principal::owner()).map(|_| list)
            })
        };
        let of = ["a", "p", "own", "d", "q", "h"].map(found);
        let (allow, deny) = (Some(RuleList::Allow), Some(RuleList::Deny));
        assert_eq!(of, [None, None, allow, deny, deny, Some(RuleList::HumanApproval)]);
        base.replace(Rules::closed("broken"));
        assert!(limited.now().closed.is_some(), "a change of the base applies at once");
    }

    #[test]
    fn stricter_rules_are_reported() {
        let before = Rules::parse("permissions: {allow: [a, b], deny: [c]}").expect("readable");
        let after =
            Rules::parse("permissions: {allow: [b, d], deny: [e], human_approval: [f]}").expect("readable");
        let texts: Vec<_> = after.stricter_than(&before).into_iter().map(|rule| &rule.text).collect();
        assert_eq!(texts, ["e", "f", "a"]);
    }
}
