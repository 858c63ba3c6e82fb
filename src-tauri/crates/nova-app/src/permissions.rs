//! Viewing and editing the rules, and their effect on a call.

use std::sync::Arc;

use nova_calls::{
    Because, Facts, Gate, Grantee, Ruling, SaveRule, Standing, ToolContent, Verdict, content_of,
};
use nova_protocol::{
    AddRule, ApprovedHostRef, ApprovedToolRef, ApprovedToolRow, ApprovedToolState, ErrorCode,
    PermissionsView, PolicyRow, RuleAnswer, RuleRef, RuleRow, TriedRule, TriedVerdict, TryRule, UserError,
};
use nova_registry::{
    CallShape, Pattern, ReachedNotes, Rule, RuleEditError, RuleList, RuleLists, Rules, ToolEntry, ToolLookup,
    Who, canonical, shown_name,
};
use nova_skill::{Effect, Principal, PrincipalKind, Relationship};
use serde_json::{Value, json};

use crate::app::App;
use crate::rule_file::RuleFileError;

impl App {
    pub(crate) fn permissions(&self) -> PermissionsView {
        let rules = self.inner.rules.now();
        let file = self.places().rules_file().display().to_string();
        PermissionsView {
            problem: self.settings_problem().filter(|problem| problem.file == file),
            rules: self.rule_rows(&rules.own),
            policies: rules
                .policies
                .iter()
                .map(|policy| PolicyRow {
                    name: policy.name.clone(),
                    who: who_in_words(&policy.who),
                    rules: self.rule_rows(&policy.lists),
                })
                .collect(),
            tools: self.approved_tool_rows(),
            file: self.places().shown(&self.places().rules_file()),
        }
    }

    pub(crate) async fn add_rule(&self, rule: AddRule) -> Result<PermissionsView, UserError> {
        let text = rule.pattern.trim();
        let pattern = Pattern::parse(text);
        if let Some(misfit) = pattern.misfit() {
            return Err(UserError::new(
                ErrorCode::BadRequest,
                format!("\"{text}\" is not a valid pattern: {misfit}."),
                "Write skill__tool, where * matches anything, or skill__tool(argument=value).",
            ));
        }
        if rule.answer == RuleAnswer::Allow && pattern.is_literal() && self.sends(&pattern) {
            return Err(UserError::new(
                ErrorCode::BadRequest,
                format!("{text} sends to a person, so every call asks and no rule can allow it."),
                "Deny it, or keep answering each call.",
            ));
        }
        self.inner.rule_file.put(list_of(rule.answer), text).map_err(|error| self.not_written(&error))?;
        self.reload_settings();
        Ok(self.permissions())
    }

    /// Removes a rule, or, if none has this pattern, the approvals of the tool with this name.
    pub(crate) async fn remove_rule(&self, rule: RuleRef) -> Result<PermissionsView, UserError> {
        let pattern = rule.pattern.trim();
        let gone = self.inner.rule_file.remove(pattern).map_err(|error| self.not_written(&error))?;
        let of_host = pattern.split_once('@');
        if let (true, Some((tool, host))) = (gone.is_empty(), of_host) {
            return self.revoke_host(ApprovedHostRef { tool: tool.to_owned(), host: host.to_owned() }).await;
        }
        if gone.is_empty() && !self.forget_tool(pattern)? {
            let rules = self.inner.rules.now();
            let known: Vec<&str> = RuleList::ALL
                .into_iter()
                .flat_map(|list| rules.own.get(list))
                .map(|rule| rule.text.as_str())
                .collect();
            return Err(UserError::new(
                ErrorCode::BadRequest,
                format!("There is no rule \"{}\" to remove.", pattern),
                match known.is_empty() {
                    true => "There are no rules.".to_owned(),
                    false => format!("Existing rules: {}. Edit policies in the file.", known.join(", ")),
                },
            ));
        }
        self.reload_settings();
        Ok(self.permissions())
    }

    pub(crate) async fn revoke_tool(&self, approved: ApprovedToolRef) -> Result<PermissionsView, UserError> {
        let tool = &approved.tool;
        if self.forget_tool(tool)? {
            return Ok(self.permissions());
        }
        Err(UserError::new(
            ErrorCode::UnknownTool,
            format!("There are no approvals of \"{tool}\"."),
            "List rules and approvals with: nova permission list.",
        ))
    }

    pub(crate) async fn revoke_host(&self, approved: ApprovedHostRef) -> Result<PermissionsView, UserError> {
        let (tool, host) = (approved.tool.trim(), approved.host.trim());
        let wanted = nova_http::declared_host(host).unwrap_or_else(|| host.to_owned());
        if self.inner.trust.forget_host(tool, &wanted)? {
            self.revoke_grants_of(|grantee| is_content_of(grantee, tool));
            self.emit(nova_protocol::Event::RulesChanged {});
            return Ok(self.permissions());
        }
        Err(UserError::new(
            ErrorCode::BadRequest,
            format!("\"{tool}\" was not always allowed to contact \"{host}\"."),
            "List rules and approvals with: nova permission list.",
        ))
    }

    /// Also removes its grants in open chats.
    fn forget_tool(&self, tool: &str) -> Result<bool, UserError> {
        let found = self.inner.trust.forget_tool(tool)?;
        if found {
            self.revoke_grants_of(|grantee| is_content_of(grantee, tool));
            self.emit(nova_protocol::Event::RulesChanged {});
        }
        Ok(found)
    }

    /// Revokes grants of chats that the stricter rules no longer allow.
    pub(crate) fn revoke_lost_grants(&self, before: &Rules) {
        let now = self.inner.rules.now();
        let stricter = now.stricter_than(before);
        if !stricter.is_empty() {
            self.revoke_grants_of(|grantee| {
                stricter.iter().any(|rule| rule.pattern.concerns(grantee.skill()))
            });
        }
    }

    fn revoke_grants_of(&self, whom: impl Fn(&Grantee) -> bool) {
        for chat in self.chats().values() {
            chat.session.grants.revoke(&whom);
        }
    }

    pub(crate) async fn try_rule(&self, wanted: TryRule) -> Result<TriedRule, UserError> {
        let snapshot = self.inner.registry.snapshot();
        let tool = match snapshot.tool(&wanted.tool) {
            ToolLookup::Found { tool, .. } => tool,
            ToolLookup::Unknown { nearest } => {
                return Err(UserError::new(
                    ErrorCode::UnknownTool,
                    format!("There is no tool \"{}\".", wanted.tool),
                    format!("Nearest: {}.", nearest.join(", ")),
                ));
            }
        };
        let args = wanted.args.clone().unwrap_or_else(|| json!({}));
        let config = snapshot.skill(&tool.skill).map(|skill| skill.config.clone());
        let by_arguments = config.and_then(|config| tool.for_call(&args, &config));
        let tool = by_arguments.map_or(tool, Arc::new);
        let principal = principal(wanted.relationship.as_deref())?;
        let content = match ToolContent::of(&tool) {
            Some(content) => {
                let standing = nova_calls::Approved::standing(self.inner.trust.as_ref(), &content);
                content_of(&standing, &tool)
            }
            None if tool.by_arguments => nova_calls::Content::ByArguments,
            None => nova_calls::Content::Fixed,
        };
        let call = CallShape { skill: &tool.skill, tool: &tool.id, effect: tool.effect(), args: &args };
        let Ruling { verdict, because } = Gate::now(&self.inner.rules).judge(&Facts {
            call,
            reached: ReachedNotes::NONE,
            principal: &principal,
            by_hand: false,
            granted: false,
            content,
            notes: 1,
            outside_own: false,
            routine: false,
            open_notes: Vec::new(),
            tainted: false,
            times: 1,
            hosts_vary: self.hosts_vary(&tool, &args),
        });
        let mut reason = in_words(&because, &verdict);
        if verdict != Verdict::Deny
            && let Some(more) = self.on_requests(&tool, &args, &principal)
        {
            reason = format!("{reason} {more}");
        }
        let (rule, policy) = match because {
            Because::Rule { list, text, line, policy } => {
                let rule = Rule::new(text, line);
                (Some(RuleRow { note: self.note_on(list, &rule), ..row(list, &rule) }), policy)
            }
            _ => (None, None),
        };
        let (verdict, decisions) = match verdict {
            Verdict::Run => (TriedVerdict::Run, Vec::new()),
            Verdict::Ask { decisions, .. } => (TriedVerdict::Ask, decisions),
            Verdict::Deny => (TriedVerdict::Deny, Vec::new()),
        };
        let effect = nova_calls::effect_view(tool.effect());
        Ok(TriedRule { tool: tool.shown_name(), effect, verdict, decisions, rule, policy, reason })
    }

    /// Whether another call of the tool may contact other hosts.
    fn hosts_vary(&self, tool: &ToolEntry, args: &Value) -> bool {
        let snapshot = self.inner.registry.snapshot();
        let skill = snapshot.skill(&tool.skill);
        tool.tool.hosts(args, skill.map_or(&Value::Null, |skill| skill.config.as_ref())).is_some()
    }

    /// The rules' effect on requests of the tool at run time, whatever effect it declares.
    fn on_requests(&self, tool: &ToolEntry, args: &Value, who: &Principal) -> Option<String> {
        let spec = tool.spec();
        if spec.hosts.is_empty() && spec.proposed_hosts.is_empty() {
            return None;
        }
        let call = CallShape { skill: &tool.skill, tool: &tool.id, effect: tool.effect(), args };
        Some(match Gate::now(&self.inner.rules).on_requests(&call, who)? {
            (RuleList::Deny, rule) => format!("It can contact no host: the rule \"{rule}\" denies it."),
            (_, rule) => format!("It asks before contacting each host, because of the rule \"{rule}\"."),
        })
    }

    fn rule_rows(&self, lists: &RuleLists) -> Vec<RuleRow> {
        let all =
            RuleList::ALL.into_iter().flat_map(|list| lists.get(list).iter().map(move |rule| (list, rule)));
        all.map(|(list, rule)| RuleRow { note: self.note_on(list, rule), ..row(list, rule) }).collect()
    }

    fn note_on(&self, list: RuleList, rule: &Rule) -> Option<String> {
        if let Some(misfit) = rule.pattern.misfit() {
            let until = match list {
                RuleList::Allow => "It allows nothing",
                RuleList::Deny | RuleList::HumanApproval => "It applies to all arguments",
            };
            return Some(format!("Invalid: {misfit}. {until}."));
        }
        if !rule.pattern.is_of_requests() && !self.names_a_tool(&rule.pattern) {
            return Some("No current tool has this name.".into());
        }
        (list == RuleList::Allow && rule.pattern.is_literal() && self.sends(&rule.pattern))
            .then(|| "It sends to a person, so each call asks anyway.".into())
    }

    fn names_a_tool(&self, pattern: &Pattern) -> bool {
        let snapshot = self.inner.registry.snapshot();
        // Without arguments, a restriction applies to any arguments.
        let covered = |skill: &str, tool: &str, effect| {
            pattern.restricts(&CallShape { skill, tool, effect, args: &Value::Null })
        };
        let mut tools =
            snapshot.skills().iter().flat_map(|skill| skill.tools.iter().chain(&skill.tools_not_ready));
        tools.any(|tool| covered(&tool.skill, &tool.id, tool.effect()))
    }

    fn sends(&self, pattern: &Pattern) -> bool {
        let snapshot = self.inner.registry.snapshot();
        let mut tools = snapshot.skills().iter().flat_map(|skill| &skill.tools);
        tools.any(|tool| {
            let (skill, tool_id) = (tool.skill.as_str(), tool.id.as_str());
            let call = CallShape { skill, tool: tool_id, effect: tool.effect(), args: &Value::Null };
            tool.effect() == Effect::Send && pattern.restricts(&call)
        })
    }

    fn approved_tool_rows(&self) -> Vec<ApprovedToolRow> {
        let snapshot = self.inner.registry.snapshot();
        let rows = self.inner.trust.approved_tools().into_iter().map(|(name, approved)| {
            let state = match snapshot.tool(&name) {
                ToolLookup::Unknown { .. } => ApprovedToolState::Gone,
                ToolLookup::Found { tool, .. } => {
                    let standing = ToolContent::of(&tool)
                        .map(|content| nova_calls::Approved::standing(self.inner.trust.as_ref(), &content));
                    match standing {
                        Some(Standing::This(_)) => ApprovedToolState::AsApproved,
                        _ => ApprovedToolState::Changed,
                    }
                }
            };
            let hosts = approved.hosts.iter().cloned().collect();
            ApprovedToolRow { tool: name, always: approved.always, state, hosts }
        });
        rows.collect()
    }

    fn not_written(&self, error: &RuleFileError) -> UserError {
        let file = self.places().rules_file();
        match error {
            RuleFileError::Io(error) => UserError::new(
                ErrorCode::Io,
                format!("{} cannot be written: {error}.", file.display()),
                "Make it readable and writable, then try again.",
            ),
            RuleFileError::Edit(RuleEditError::Unreadable(error)) => UserError::new(
                ErrorCode::ConfigBroken,
                match error.line {
                    Some(line) => format!("permissions.yaml cannot be read, line {line}: {}.", error.message),
                    None => format!("{error}."),
                },
                "Fix the file first; nothing was changed.",
            ),
            RuleFileError::Edit(RuleEditError::NotEditable) => UserError::new(
                ErrorCode::EditRefused,
                "permissions.yaml has a layout that Nova does not edit.".to_owned(),
                format!("Change {} by hand; nothing was changed.", file.display()),
            ),
        }
    }
}

impl SaveRule for App {
    /// In force when this returns.
    fn allow(&self, wire_name: &str) -> Result<(), String> {
        self.inner.rule_file.allow(wire_name).map_err(|error| error.to_string())?;
        self.reload_settings();
        Ok(())
    }
}

fn is_content_of(grantee: &Grantee, tool: &str) -> bool {
    match grantee {
        Grantee::Content(content) => canonical(&shown_name(&content.skill, &content.tool)) == canonical(tool),
        Grantee::Skill(_) => false,
    }
}

fn row(list: RuleList, rule: &Rule) -> RuleRow {
    let answer = match list {
        RuleList::Deny => RuleAnswer::Deny,
        RuleList::HumanApproval => RuleAnswer::Ask,
        RuleList::Allow => RuleAnswer::Allow,
    };
    RuleRow { answer, pattern: rule.text.clone(), line: rule.line, note: None }
}

fn list_of(answer: RuleAnswer) -> RuleList {
    match answer {
        RuleAnswer::Deny => RuleList::Deny,
        RuleAnswer::Ask => RuleList::HumanApproval,
        RuleAnswer::Allow => RuleList::Allow,
    }
}

fn principal(relationship: Option<&str>) -> Result<Principal, UserError> {
    let relationship = match relationship {
        None | Some("owner") => return Ok(Principal::owner()),
        Some("mcp_client") => {
            return Ok(Principal {
                kind: PrincipalKind::McpClient,
                name: String::new(),
                relationship: Relationship::Unknown,
            });
        }
        Some("delegate") => Relationship::Delegate,
        Some("known") => Relationship::Known,
        Some("unknown") => Relationship::Unknown,
        Some(other) => {
            return Err(UserError::new(
                ErrorCode::BadRequest,
                format!("\"{other}\" is not a relationship."),
                "Use owner, delegate, known, unknown or mcp_client.",
            ));
        }
    };
    Ok(Principal { relationship, ..Principal::owner() })
}

fn who_in_words(who: &Who) -> String {
    let kinds = who.kinds.iter().map(|kind| match kind {
        PrincipalKind::User => "user",
        PrincipalKind::Subagent => "sub-agent",
        PrincipalKind::McpClient => "MCP client",
    });
    let relationships = who.relationships.iter().map(|relationship| match relationship {
        Relationship::Owner => "owner",
        Relationship::Delegate => "delegate",
        Relationship::Known => "known",
        Relationship::Unknown => "unknown",
    });
    let names = who.names.iter().map(String::as_str);
    let part = |what: &str, all: Vec<&str>| (!all.is_empty()).then(|| format!("{what} {}", all.join(" or ")));
    let parts: Vec<String> = [
        part("kind", kinds.collect()),
        part("relationship", relationships.collect()),
        part("name", names.collect()),
    ]
    .into_iter()
    .flatten()
    .collect();
    if parts.is_empty() { "everybody".into() } else { parts.join(", ") }
}

/// A sentence about what decided.
fn in_words(because: &Because, verdict: &Verdict) -> String {
    match because {
        Because::Closed(reason) => format!("No tool runs: {reason}."),
        Because::Rule { list, text, line, policy } => {
            let of = policy.as_ref().map(|name| format!(" of the policy \"{name}\"")).unwrap_or_default();
            format!("Decided by the rule {text} in {}{of}, line {line} of permissions.yaml.", list.key())
        }
        Because::Repeated(times) => format!("The same call was made {times} times in this turn."),
        Because::Routine => "It changes a routine, which runs later by itself.".into(),
        Because::NewContent => "Its file has never been approved, so the first call asks.".into(),
        Because::ChangedContent => "It changed since it was approved, so the next call asks.".into(),
        Because::AlwaysApproved => "Its current content is always allowed.".into(),
        Because::ByHand => "No rule applies, and you start it yourself.".into(),
        Because::Granted => "It was allowed for the chat.".into(),
        Because::Tainted => "The assistant has read untrusted text in this turn.".into(),
        Because::ManyNotes(notes) => format!("It would change {notes} notes in one turn."),
        Because::OpenNotes(_) => {
            "The chat was given private notes, and a remote model may read what it writes.".into()
        }
        Because::OutsideOwn => "It goes beyond its skill's own notes.".into(),
        Because::Effect(effect) => {
            let what = match effect {
                Effect::Read => "a tool that only reads",
                Effect::Write => "a tool that changes notes",
                Effect::External => "a tool that leaves this machine",
                Effect::Destructive => "a tool whose effect cannot be undone",
                Effect::Send => "a tool that sends to a person",
                Effect::Undeclared => "a tool that does not declare its effect",
            };
            let does = if *verdict == Verdict::Run { "runs" } else { "asks" };
            format!("No rule applies: {what} {does}.")
        }
    }
}
