use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use nova_calls::{
    Answer, Approval, ApprovalRequest, Approved, Approver, SaveRule, Standing, ToolContent, ToolFace,
};
use nova_protocol::Decision;
use serde_json::Value;

/// Gives scripted answers in order and records the questions. Clones share their state.
#[derive(Debug, Clone, Default)]
pub struct ScriptedApprover(Arc<Mutex<Script>>);

#[derive(Debug, Default)]
struct Script {
    answers: VecDeque<Answer>,
    /// The answer after the scripted ones.
    then: Option<Answer>,
    asked: Vec<ApprovalRequest>,
    meanwhile: Option<Meanwhile>,
}

/// An action while a question waits.
struct Meanwhile(Box<dyn Fn() + Send>);

impl fmt::Debug for Meanwhile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Meanwhile")
    }
}

impl ScriptedApprover {
    /// Gives these answers in order; further questions stay unanswered.
    pub fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        Self(Arc::new(Mutex::new(Script { answers: answers.into_iter().collect(), ..Script::default() })))
    }

    /// Answers every question in the same way.
    pub fn always(decision: Decision) -> Self {
        Self(Arc::new(Mutex::new(Script { then: Some(decided(decision)), ..Script::default() })))
    }

    /// Runs an action before each answer.
    #[must_use]
    pub fn before_answering(self, meanwhile: impl Fn() + Send + 'static) -> Self {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).meanwhile =
            Some(Meanwhile(Box::new(meanwhile)));
        self
    }

    /// The questions so far, in order.
    pub fn asked(&self) -> Vec<ApprovalRequest> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).asked.clone()
    }
}

#[async_trait]
impl Approver for ScriptedApprover {
    async fn ask(&self, request: &ApprovalRequest) -> Answer {
        let mut script = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        script.asked.push(request.clone());
        if let Some(Meanwhile(meanwhile)) = &script.meanwhile {
            meanwhile();
        }
        let next = script.answers.pop_front().or_else(|| script.then.clone());
        next.unwrap_or(Answer::Unanswered { reason: "the script of the test has no more answers".into() })
    }
}

/// A decision by the user, without edited arguments.
pub fn decided(decision: Decision) -> Answer {
    Answer::Decided { decision, args: None, by: "you".into(), reason: None }
}

/// A denial with the user's reason.
pub fn denied(reason: &str) -> Answer {
    Answer::Decided { decision: Decision::Deny, args: None, by: "you".into(), reason: Some(reason.into()) }
}

/// An approval, once, with edited arguments.
pub fn edited(args: Value) -> Answer {
    Answer::Decided { decision: Decision::Once, args: Some(args), by: "you".into(), reason: None }
}

/// A request for another question with these arguments.
pub fn revised(args: Value) -> Answer {
    Answer::Revised { args }
}

/// Records the rules that an "always" would save. Clones share their state.
#[derive(Debug, Clone, Default)]
pub struct KeptRules(Arc<Mutex<Vec<String>>>);

impl KeptRules {
    /// Wire names, in order.
    pub fn rules(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Approvals of tools that files define. Clones share their state.
#[derive(Debug, Clone, Default)]
pub struct ApprovedContents(Arc<Mutex<Contents>>);

#[derive(Debug, Default)]
struct Contents {
    approved: BTreeMap<String, Kept>,
    hosts: BTreeSet<(ToolContent, String)>,
}

#[derive(Debug, Clone)]
struct Kept {
    definition: String,
    approval: Approval,
    face: ToolFace,
}

impl Approved for ApprovedContents {
    fn standing(&self, content: &ToolContent) -> Standing {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.approved.get(&format!("{}.{}", content.skill, content.tool)) {
            None => Standing::Unknown,
            Some(kept) if kept.definition == content.definition => Standing::This(kept.approval),
            Some(kept) => Standing::Changed(Some(Box::new(kept.face.clone()))),
        }
    }

    fn keep(&self, content: &ToolContent, approval: Approval, face: &ToolFace) -> Result<(), String> {
        let kept = Kept { definition: content.definition.clone(), approval, face: face.clone() };
        let name = format!("{}.{}", content.skill, content.tool);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).approved.insert(name, kept);
        Ok(())
    }

    fn covers_host(&self, content: &ToolContent, host: &str) -> bool {
        let contents = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        contents.hosts.contains(&(content.clone(), host.to_owned()))
    }

    fn keep_host(&self, content: &ToolContent, host: &str) -> Result<(), String> {
        let mut contents = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        contents.hosts.insert((content.clone(), host.to_owned()));
        Ok(())
    }
}

impl SaveRule for KeptRules {
    fn allow(&self, wire_name: &str) -> Result<(), String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(wire_name.to_owned());
        Ok(())
    }
}
