//! Rules and approvals in the settings.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use super::ConfigProblemView;

use crate::{Decision, Effect};

/// All saved decisions, and where they are stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PermissionsView {
    /// The file of the rules, for display.
    pub file: String,
    /// Why the rules in force are not those of the file.
    pub problem: Option<ConfigProblemView>,
    /// In the order in which they are asked: deny, ask, allow.
    pub rules: Vec<RuleRow>,
    pub policies: Vec<PolicyRow>,
    /// Approved tools that are not built in.
    pub tools: Vec<ApprovedToolRow>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RuleRow {
    pub answer: RuleAnswer,
    /// As in the file.
    pub pattern: String,
    pub line: u32,
    /// A problem of the rule: it names no existing tool, or cannot be parsed.
    pub note: Option<String>,
}

/// The decision of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum RuleAnswer {
    Deny,
    /// `human_approval` in the file.
    Ask,
    Allow,
}

/// Rules for some principals. Written in the file only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PolicyRow {
    pub name: String,
    /// "relationship unknown"
    pub who: String,
    pub rules: Vec<RuleRow>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ApprovedToolRow {
    /// `skill.tool`
    pub tool: String,
    /// Every call was allowed, not only the first.
    pub always: bool,
    pub state: ApprovedToolState,
    /// Hosts that every call may contact, beside those that it declares.
    pub hosts: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ApprovedToolState {
    /// Unchanged since its approval.
    AsApproved,
    /// It changed, and asks again.
    Changed,
    /// The tool no longer exists.
    Gone,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AddRule {
    pub answer: RuleAnswer,
    pub pattern: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RuleRef {
    pub pattern: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ApprovedToolRef {
    /// `skill.tool`
    pub tool: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ApprovedHostRef {
    /// `skill.tool`
    pub tool: String,
    pub host: String,
}

/// "What would happen if the assistant called this?" Nothing runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TryRule {
    /// `skill.tool` or the wire name.
    pub tool: String,
    pub args: Option<Value>,
    /// `owner`, `delegate`, `known` or `unknown`; default: `owner`.
    pub relationship: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TriedRule {
    /// `skill.tool`
    pub tool: String,
    pub effect: Effect,
    pub verdict: TriedVerdict,
    /// The decisions offered if it asks.
    pub decisions: Vec<Decision>,
    /// The rule that decided; None if none applies.
    pub rule: Option<RuleRow>,
    /// The policy of the rule.
    pub policy: Option<String>,
    /// One sentence: what decided.
    pub reason: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum TriedVerdict {
    Run,
    Ask,
    Deny,
}
