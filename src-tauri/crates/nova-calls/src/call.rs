//! A call, its scope and its outcome.

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
use crate::{Approved, Approver, Grants, Place, SaveRule, SubAgents, TurnHistory};

/// State shared by the calls of one turn, form or command.
#[derive(Clone)]
pub struct CallScope {
    pub access: Access,
    pub snapshot: Arc<Snapshot>,
    /// The skills whose tools a tool may call; `None` allows every available one.
    pub callable: Option<Arc<BTreeSet<String>>>,
    pub grants: Arc<Grants>,
    /// The files that the user chose or dropped; `()` for a model's calls.
    pub given: Arc<dyn GivenFiles>,
    pub events: Arc<dyn CallEvents>,
    /// Collects all writes of the scope; created on disk by the first one.
    pub change_set: Option<Arc<ChangeSet>>,
    /// The notes touched by these writes.
    pub touched: Arc<Mutex<BTreeSet<VaultPath>>>,
    /// What has happened in the turn.
    pub history: Arc<TurnHistory>,
    pub privacy: Arc<Privacy>,
    /// The notes that the model has seen, to detect stale writes; `()` for the user.
    pub asker: Arc<dyn SeenNotes>,
    /// Runs the tasks that its calls delegate; `()` refuses them.
    pub sub_agents: Arc<dyn SubAgents>,
    /// The id of the session or of the form run.
    pub session: String,
    pub turn: Option<String>,
    pub principal: Principal,
    /// The author of the change set: "model", "user".
    pub author: String,
    /// Started by the user directly.
    pub by_hand: bool,
}

/// What calls can reach, and who approves it: the same for all calls of a turn.
#[derive(Clone)]
pub struct Access {
    pub vault: Option<Vault>,
    pub web: Arc<Web>,
    pub credentials: Arc<dyn CredentialSource>,
    pub stores: Arc<dyn StoreSource>,
    /// Folders outside of the vault.
    pub folders: Arc<dyn FolderSource>,
    /// Where commands run.
    pub sandboxes: Arc<dyn SandboxSource>,
    pub clock: Arc<dyn Clock>,
    pub rules: Arc<RulesInForce>,
    /// The user's approvals of tools that are not part of the program.
    pub approved: Arc<dyn Approved>,
    pub approver: Arc<dyn Approver>,
    pub save_rule: Arc<dyn SaveRule>,
    /// Time limit of a tool; waits for answers do not count.
    pub time_limit: Duration,
}

/// Receives the events of a call.
pub trait CallEvents: Send + Sync {
    fn emit(&self, event: Event);
}

/// A requested call.
pub struct Call {
    pub id: String,
    pub tool: CalledTool,
    pub args: Arguments,
    /// Its position among writes requested together.
    pub place: Option<Place>,
}

/// The called tool.
pub enum CalledTool {
    /// By its wire name or `skill.tool`.
    Named(String),
    /// A tool that is in no list and that no model can name, on behalf of a skill: the form of a record.
    /// Rules apply to it as to any tool of the skill.
    OfForm { skill: Arc<SkillEntry>, tool: Arc<ToolEntry> },
}

impl CalledTool {
    /// The requested name, or `skill.tool`.
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
    /// The text of a JSON object, as written by a model.
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

/// The outcome of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    pub call: String,
    pub result: Result<Value, UserError>,
    pub sources: Vec<SourceView>,
    /// The numbers in the value that a person would quote.
    pub figures: Vec<FigureView>,
    /// For models that accept images.
    pub images: Vec<OutputImage>,
    pub changes: Vec<NoteChangeView>,
    pub change_set: Option<String>,
    /// Outside edits that were merged into the call's writes.
    pub merged: Vec<String>,
    /// The notes that were read, with the hash of their content.
    pub seen: BTreeMap<VaultPath, ContentHash>,
    /// The notes that the output is drawn from; `None` if it may be any note that was read.
    pub drawn_from: Option<BTreeSet<VaultPath>>,
    /// It reveals facts about notes that are hidden from remote readers, in addition to the notes read: a
    /// name, a tag, a parse error.
    pub local_only: bool,
    /// It contains untrusted text.
    pub from_outside: bool,
    /// It was stopped when it may already have had an effect outside of the vault.
    pub unknown: bool,
    /// Its partial result when it was stopped, as far as it may be shown.
    pub so_far: Option<Value>,
    /// What the tool logged, as far as it is retained.
    pub log: Vec<LogLine>,
    pub ms: u64,
}

impl Outcome {
    /// The outcome of a call that has no result yet.
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
            local_only: false,
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
