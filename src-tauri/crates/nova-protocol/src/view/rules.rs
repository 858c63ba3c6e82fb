//! Rules and approvals in the settings.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use super::ConfigProblemView;

use crate::{Decision, Effect};

/// Everything that was decided for good, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PermissionsView {
    /// Where the rules are written, to be read by a person.
    pub file: String,
    /// Why the rules in force are not those of the file.
    pub problem: Option<ConfigProblemView>,
    /// In the order in which they are asked: deny, ask, allow.
    pub rules: Vec<RuleRow>,
    pub policies: Vec<PolicyRow>,
    /// Tools that did not come with Nova and were allowed to run.
    pub tools: Vec<ApprovedToolRow>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RuleRow {
    pub answer: RuleAnswer,
    /// As it stands in the file.
    pub pattern: String,
    pub line: u32,
    /// What is not as its author may have meant it: it names no tool there is, or is not understood.
    pub note: Option<String>,
}

/// What a rule says to a call.
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
    /// It is as it was approved.
    AsApproved,
    /// It changed, and asks again.
    Changed,
    /// There is no such tool now.
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
    /// `owner`, `delegate`, `known` or `unknown`; `owner` where it is not said.
    pub relationship: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TriedRule {
    /// `skill.tool`
    pub tool: String,
    pub effect: Effect,
    pub verdict: TriedVerdict,
    /// What would be offered, where it asks.
    pub decisions: Vec<Decision>,
    /// The rule that decided; None where none speaks for or against the call.
    pub rule: Option<RuleRow>,
    /// The policy that the rule stands in.
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
