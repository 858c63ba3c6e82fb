//! What a call is, what it runs in, and what became of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use nova_http::Web;
use nova_protocol::{Event, FigureView, LogLine, NoteChangeView, SourceView, UserError};
use nova_registry::{RulesInForce, SkillEntry, Snapshot, ToolEntry};
use nova_skill::{
    Clock, CredentialSource, FolderSource, GivenFiles, OutputImage, Principal, SandboxSource, StoreSource,
    VaultPath,
};
use nova_vault::note::ContentHash;
use nova_vault::{ChangeSet, Privacy, Vault};
use serde_json::Value;

use crate::seen_notes::SeenNotes;
use crate::{Approved, Approver, Grants, KeepRule, Place, SubAgents, TurnSoFar};

/// What the calls of one turn, form or command share.
#[derive(Clone)]
pub struct CallScope {
    pub access: Access,
    pub snapshot: Arc<Snapshot>,
    /// The skills whose tools a tool may call; every available one where none are listed.
    pub callable: Option<Arc<BTreeSet<String>>>,
    pub grants: Arc<Grants>,
    /// What the user chose or dropped; `()` for a model's calls.
    pub given: Arc<dyn GivenFiles>,
    pub events: Arc<dyn CallEvents>,
    /// All writes of the scope; nothing on disk until the first.
    pub change_set: Option<Arc<ChangeSet>>,
    /// The notes these writes have touched.
    pub touched: Arc<Mutex<BTreeSet<VaultPath>>>,
    /// What has happened in the turn.
    pub so_far: Arc<TurnSoFar>,
    pub privacy: Arc<Privacy>,
    /// What the model knows of the notes that it writes; `()` for the user.
    pub asker: Arc<dyn SeenNotes>,
    /// Runs the tasks that its calls delegate; `()` refuses them.
    pub sub_agents: Arc<dyn SubAgents>,
    /// The session, or the form run.
    pub session: String,
    pub turn: Option<String>,
    pub principal: Principal,
    /// Who the change set's author is: "model", "user".
    pub author: String,
    /// Started by the user's own hand.
    pub by_hand: bool,
}

/// What a call can reach, and who allows it: the same for all calls of a turn.
#[derive(Clone)]
pub struct Access {
    pub vault: Option<Vault>,
    pub web: Arc<Web>,
    pub credentials: Arc<dyn CredentialSource>,
    pub stores: Arc<dyn StoreSource>,
    /// The folders outside of the vault.
    pub folders: Arc<dyn FolderSource>,
    /// Where commands run.
    pub sandboxes: Arc<dyn SandboxSource>,
    pub clock: Arc<dyn Clock>,
    pub rules: Arc<RulesInForce>,
    /// What the user approved of tools that did not come with the program.
    pub approved: Arc<dyn Approved>,
    pub approver: Arc<dyn Approver>,
    pub keep_rule: Arc<dyn KeepRule>,
    /// How long a tool may run, waiting for an answer not counted.
    pub time_limit: Duration,
}

/// Receives what happens during a call.
pub trait CallEvents: Send + Sync {
    fn emit(&self, event: Event);
}

/// One call as it was asked for.
pub struct Call {
    pub id: String,
    pub tool: CalledTool,
    pub args: Arguments,
    /// Its place among writes that are asked for together.
    pub place: Option<Place>,
}

/// What is called.
pub enum CalledTool {
    /// By its wire name or `skill.tool`.
    Named(String),
    /// A tool that no list has and no model can name, on behalf of a skill: the form of a record.
    /// Rules apply to it as to any tool of the skill.
    OfForm { skill: Arc<SkillEntry>, tool: Arc<ToolEntry> },
}

impl CalledTool {
    /// As it was named, or `skill.tool`.
    pub fn name(&self) -> String {
        match self {
            Self::Named(name) => name.clone(),
            Self::OfForm { tool, .. } => tool.shown_name(),
        }
    }
}

impl<T: Into<String>> From<T> for CalledTool {
    fn from(name: T) -> Self {
        Self::Named(name.into())
    }
}

pub enum Arguments {
    /// As a model writes them: the text of a JSON object.
    Text(String),
    Value(Value),
}

impl Call {
    pub fn from_model(id: String, tool: String, args: String) -> Self {
        Self { id, tool: tool.into(), args: Arguments::Text(args), place: None }
    }

    pub fn with_value(id: String, tool: impl Into<CalledTool>, args: Value) -> Self {
        Self { id, tool: tool.into(), args: Arguments::Value(args), place: None }
    }
}

/// What became of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    pub call: String,
    pub result: Result<Value, UserError>,
    pub sources: Vec<SourceView>,
    /// The numbers of the value that a person would quote.
    pub figures: Vec<FigureView>,
    /// For a model that can look at them.
    pub images: Vec<OutputImage>,
    pub changes: Vec<NoteChangeView>,
    pub change_set: Option<String>,
    /// What came from outside while the call wrote.
    pub merged: Vec<String>,
    /// Notes that were read, with what they held.
    pub seen: BTreeMap<VaultPath, ContentHash>,
    /// The notes that it says something of; None where that may be any that were read.
    pub drawn_from: Option<BTreeSet<VaultPath>>,
    /// It tells of notes of which no reader elsewhere may hear, beside those that were read: a name, a
    /// tag, why one cannot be read.
    pub only_here: bool,
    /// It holds text that nobody vouches for.
    pub from_outside: bool,
    /// It was stopped while it may already have had an effect outside of the vault.
    pub unknown: bool,
    /// What it had found when it was stopped, as far as it may be shown.
    pub so_far: Option<Value>,
    /// What the tool logged, as far as it is kept.
    pub log: Vec<LogLine>,
    pub ms: u64,
}

impl Outcome {
    /// Of a call that has found nothing yet and has not ended.
    pub(crate) fn of_call(id: String) -> Self {
        Self {
            call: id,
            result: Ok(Value::Null),
            sources: Vec::new(),
            figures: Vec::new(),
            images: Vec::new(),
            changes: Vec::new(),
            change_set: None,
            merged: Vec::new(),
            seen: BTreeMap::new(),
            drawn_from: Some(BTreeSet::new()),
            only_here: false,
            from_outside: false,
            unknown: false,
            so_far: None,
            log: Vec::new(),
            ms: 0,
        }
    }

    /// The value, or the error as an object.
    pub fn output(&self) -> Value {
        match &self.result {
            Ok(value) => value.clone(),
            Err(error) => serde_json::to_value(error).unwrap_or_default(),
        }
    }
}
