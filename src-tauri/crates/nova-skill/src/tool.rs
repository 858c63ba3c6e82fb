use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Description, Effect, Preview, RecordRules, RecordTypes, RecordUse, ToolContext, ToolError, ToolFields,
    ToolOutput,
};

/// A skill compiled into Nova: the files of its folder, and its tools.
pub trait Skill: Send + Sync {
    /// The text of `SKILL.md`.
    fn skill_md(&self) -> &str;
    /// The text of `manifest.yaml`.
    fn manifest(&self) -> &str;
    /// Other files of the folder, as path and text: `references/`, `assets/`.
    fn resources(&self) -> Vec<(&'static str, &'static str)> {
        Vec::new()
    }
    fn tools(&self) -> Vec<Arc<dyn Tool>>;
    /// Rules for its records beyond the types that the manifest declares.
    fn record_rules(&self) -> Option<Arc<dyn RecordRules>> {
        None
    }
}

/// A function that the model may call.
#[async_trait]
pub trait Tool: Send + Sync {
    fn spec(&self) -> &ToolSpec;

    /// The hosts that a call contacts, if they depend on its arguments or on the skill's configuration: its
    /// card shows these instead of [`ToolSpec::hosts`], and no "always" is offered. `*.example.org` stands for
    /// every host below `example.org`.
    fn hosts(&self, _args: &Value, _config: &Value) -> Option<Vec<String>> {
        None
    }

    /// Why the tool cannot be called with this configuration, and the remedy.
    fn unavailable(&self, _config: &Value) -> Option<String> {
        None
    }

    /// The same tool with parameters for these records, if they differ: the user may have added fields.
    fn with_records(&self, _records: &RecordTypes) -> Option<Arc<dyn Tool>> {
        None
    }

    /// The tool by which a call with these arguments is judged and run, if they give it another effect than
    /// its spec: for instance an external change by a tool that changes notes. It has the same id and
    /// parameters. A milder effect is ignored.
    fn for_call(&self, _args: &Value, _config: &Value) -> Option<Arc<dyn Tool>> {
        None
    }

    /// The question before it runs, if it depends on the call: [`ToolSpec::question`].
    fn question(&self, _args: &Value, _config: &Value) -> Option<String> {
        self.spec().question.clone()
    }

    /// Runs with arguments that match `spec().parameters`. Only the crate `nova-calls` can call this, since
    /// only it creates a [`CallToken`].
    async fn run(
        &self,
        token: CallToken,
        args: Value,
        ctx: Arc<dyn ToolContext>,
    ) -> Result<ToolOutput, ToolError>;

    /// What the card of a call shows instead of its arguments, for a tool with [`ToolSpec::previews`]. It
    /// must not change anything. An error ends the call before anyone is asked.
    async fn preview(
        &self,
        _token: CallToken,
        _args: Value,
        _ctx: Arc<dyn ToolContext>,
    ) -> Result<Option<Preview>, ToolError> {
        Ok(None)
    }
}

/// The properties of a tool, known before it runs.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// `[a-z0-9_]+`, unique in its skill.
    pub id: String,
    pub description: Description,
    /// JSON Schema (2020-12) of the arguments, an object.
    pub parameters: Value,
    pub effect: Effect,
    /// Credentials that it requires: `service`, or `service/key`.
    pub credentials: Vec<String>,
    /// The keys of those that its source names, `service/key`: the ones to set if one is missing.
    pub credential_keys: Vec<String>,
    /// Credentials that are used if they exist.
    pub optional_credentials: Vec<String>,
    /// Hosts it declares to contact, `name` or `name:port`. Any other host is asked about.
    pub hosts: Vec<String>,
    /// Hosts found in its source that it does not declare; shown, never granted.
    pub proposed_hosts: Vec<String>,
    /// Hash of the file that defines the tool and of its declaration, if the file can change while Nova runs:
    /// the first call of each new content asks, whatever its effect.
    pub definition: Option<String>,
    /// The question of a native tool, if its effect is not specific enough: "Put this tool aside for your
    /// review?" Ignored for tools with a `definition`.
    pub question: Option<String>,
    /// Total time limit of a call, excluding waits for the user's answers; `None` for the default.
    pub time_limit: Option<Duration>,
    /// Its only effect is to change notes: it runs against a draft of the vault, and its card shows the diff.
    /// Other tools may not change notes.
    pub on_notes: bool,
    /// The declared access to notes of a tool defined by a file; a native tool only declares its effect.
    pub vault: Option<VaultAccess>,
    /// Where in the vault a grant lets it write without asking again.
    pub scope: NoteScope,
    /// It delegates tasks to sub-agents, whose calls are judged separately: it takes as long as they do, and
    /// its turn waits for it.
    pub delegates: bool,
    /// Its output was written by strangers: the model sees it between markers that the text cannot close.
    pub fenced: bool,
    /// It calls other tools: [`ToolContext::tools`]. Their writes ask by their own rules.
    pub calls_tools: bool,
    /// It runs commands ([`ToolContext::process`]): it is only available if this system can confine them, and
    /// its card shows what a command may reach.
    pub runs_commands: bool,
    /// It runs commands that the user configured for its skill, with the user's rights
    /// ([`ToolProcess::run_configured`](crate::ToolProcess::run_configured)).
    pub runs_configured: bool,
    /// Disabled until the user enables it.
    pub off_at_first: bool,
    /// A boolean argument that allows a call to continue after its turn, whatever its effect.
    pub background: Option<&'static str>,
    /// Its card shows a preview instead of the arguments: [`Tool::preview`].
    pub previews: bool,
    /// It never blocks its thread, so that its calls need no task of their own.
    pub nonblocking: bool,
}

impl ToolSpec {
    /// A compiled tool that changes no note, contacts no host and needs no credential. Other properties are
    /// set afterwards.
    pub fn new(id: impl Into<String>, description: Description, parameters: Value, effect: Effect) -> Self {
        Self {
            id: id.into(),
            description,
            parameters,
            effect,
            credentials: Vec::new(),
            credential_keys: Vec::new(),
            optional_credentials: Vec::new(),
            hosts: Vec::new(),
            proposed_hosts: Vec::new(),
            definition: None,
            question: None,
            time_limit: None,
            on_notes: false,
            vault: None,
            scope: NoteScope::OwnRecords,
            delegates: false,
            fenced: false,
            calls_tools: false,
            runs_commands: false,
            runs_configured: false,
            off_at_first: false,
            background: None,
            previews: false,
            nonblocking: false,
        }
    }
}

impl ToolSpec {
    /// The credential to set if a declared one is missing: including the key that its source names, if only
    /// the service is declared and there is such a key.
    pub fn key_of<'a>(&'a self, declared: &'a str) -> &'a str {
        let of_service = |key: &&String| key.split_once('/').is_some_and(|(service, _)| service == declared);
        self.credential_keys.iter().find(of_service).map_or(declared, String::as_str)
    }

    /// Whether it may call other tools ([`ToolContext::tools`]): if it declares that, or is defined by a
    /// file.
    pub fn may_call(&self) -> bool {
        self.calls_tools || self.definition.is_some()
    }
}

/// The access of a tool defined by a file to the notes of the vault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VaultAccess {
    Read,
    /// Includes reading.
    Write,
}

impl VaultAccess {
    /// As text: "read", or "read and write".
    pub fn words(access: Option<Self>) -> &'static str {
        match access {
            None => "none",
            Some(Self::Read) => "read",
            Some(Self::Write) => "read and write",
        }
    }
}

/// The notes a tool is expected to change. Moving a note always asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NoteScope {
    /// Notes in the folders of the skill's records, and records of its types anywhere.
    #[default]
    OwnRecords,
    /// Any note: the whole vault belongs to the skill.
    Anywhere,
}

/// Proof that a call went through `nova-calls`: validated, allowed, with its change set.
#[derive(Debug)]
pub struct CallToken(());

impl CallToken {
    /// For the crate `nova-calls` only. A test of the workspace fails if any other source file names this
    /// function: Rust has no friend crates, and a feature would be available to all.
    #[doc(hidden)]
    pub fn mint_for_nova_calls() -> Self {
        Self(())
    }
}

/// A tool written in Rust, its parameters derived from a type.
#[async_trait]
pub trait NativeTool: Send + Sync + 'static {
    type Args: DeserializeOwned + JsonSchema + Send;

    const ID: &'static str;
    const EFFECT: Effect;
    /// See [`ToolSpec::on_notes`]: true for `write` tools; `destructive` ones may set it.
    const ON_NOTES: bool = matches!(Self::EFFECT, Effect::Write);
    const SCOPE: NoteScope = NoteScope::OwnRecords;
    /// The record type that it adds, changes or lists. Its fields become parameters as they are declared: those of
    /// [`NativeTool::FIELDS`], and those that the user added. They reach `Args` as a flattened object that is left out
    /// of its schema.
    const RECORD: Option<RecordUse<'static>> = None;
    /// Which of the record's fields are parameters.
    const FIELDS: ToolFields<'static> = ToolFields::Only(&[]);
    /// See [`ToolSpec::calls_tools`].
    const CALLS_TOOLS: bool = false;
    /// See [`ToolSpec::hosts`].
    const HOSTS: &'static [&'static str] = &[];
    /// See [`ToolSpec::optional_credentials`].
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = &[];
    /// See [`ToolSpec::question`].
    const QUESTION: Option<&'static str> = None;
    /// See [`ToolSpec::fenced`].
    const FENCED: bool = false;
    /// See [`ToolSpec::delegates`].
    const DELEGATES: bool = false;
    /// See [`ToolSpec::time_limit`].
    const TIME_LIMIT: Option<Duration> = None;
    /// See [`ToolSpec::runs_commands`].
    const RUNS_COMMANDS: bool = false;
    /// See [`ToolSpec::runs_configured`].
    const RUNS_CONFIGURED: bool = false;
    /// See [`ToolSpec::off_at_first`].
    const OFF_AT_FIRST: bool = false;
    /// See [`ToolSpec::background`].
    const BACKGROUND: Option<&'static str> = None;
    /// See [`ToolSpec::previews`].
    const PREVIEWS: bool = false;

    fn description(&self) -> Description;

    /// See [`Tool::hosts`].
    fn hosts(&self, _args: &Value, _config: &Value) -> Option<Vec<String>> {
        None
    }

    /// See [`Tool::unavailable`].
    fn unavailable(&self, _config: &Value) -> Option<String> {
        None
    }

    /// See [`Tool::for_call`].
    fn for_call(&self, _args: &Value, _config: &Value) -> Option<Arc<dyn Tool>> {
        None
    }

    /// See [`Tool::question`].
    fn question(&self, _args: &Value, _config: &Value) -> Option<String> {
        Self::QUESTION.map(Into::into)
    }

    /// What the tool says of its parameters besides, once they are all there: those of [`NativeTool::RECORD`], too.
    fn refine_parameters(&self, _parameters: &mut Value) {}

    async fn run(&self, args: Self::Args, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError>;

    /// See [`Tool::preview`].
    async fn preview(
        &self,
        _args: Self::Args,
        _ctx: Arc<dyn ToolContext>,
    ) -> Result<Option<Preview>, ToolError> {
        Ok(None)
    }
}

/// Converts a native tool to a [`Tool`].
pub fn native<T: NativeTool>(tool: T) -> Arc<dyn Tool> {
    let mut parameters = schemars::generate::SchemaSettings::draft2020_12()
        .with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
        })
        .into_generator()
        .into_root_schema_for::<T::Args>()
        .to_value();
    if let Some(object) = parameters.as_object_mut() {
        object.remove("title");
        object.insert("additionalProperties".into(), Value::Bool(false));
    }
    if T::RECORD.is_none() {
        tool.refine_parameters(&mut parameters);
    }
    let spec = ToolSpec {
        hosts: T::HOSTS.iter().copied().map(Into::into).collect(),
        optional_credentials: T::OPTIONAL_CREDENTIALS.iter().copied().map(Into::into).collect(),
        question: T::QUESTION.map(Into::into),
        on_notes: T::ON_NOTES,
        scope: T::SCOPE,
        delegates: T::DELEGATES,
        fenced: T::FENCED,
        calls_tools: T::CALLS_TOOLS,
        time_limit: T::TIME_LIMIT,
        runs_commands: T::RUNS_COMMANDS,
        runs_configured: T::RUNS_CONFIGURED,
        off_at_first: T::OFF_AT_FIRST,
        background: T::BACKGROUND,
        previews: T::PREVIEWS,
        ..ToolSpec::new(T::ID, tool.description(), parameters, T::EFFECT)
    };
    Arc::new(Native { spec, tool: Arc::new(tool) })
}

struct Native<T> {
    spec: ToolSpec,
    tool: Arc<T>,
}

#[async_trait]
impl<T: NativeTool> Tool for Native<T> {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hosts(&self, args: &Value, config: &Value) -> Option<Vec<String>> {
        self.tool.hosts(args, config)
    }

    fn unavailable(&self, config: &Value) -> Option<String> {
        self.tool.unavailable(config)
    }

    fn with_records(&self, records: &RecordTypes) -> Option<Arc<dyn Tool>> {
        let mut spec = self.spec.clone();
        // What is not declared is noted, and found by a test of the skill.
        T::RECORD?.add_to(&mut spec.parameters, T::FIELDS, records).ok()?;
        self.tool.refine_parameters(&mut spec.parameters);
        Some(Arc::new(Self { spec, tool: Arc::clone(&self.tool) }))
    }

    fn for_call(&self, args: &Value, config: &Value) -> Option<Arc<dyn Tool>> {
        self.tool.for_call(args, config)
    }

    fn question(&self, args: &Value, config: &Value) -> Option<String> {
        self.tool.question(args, config)
    }

    async fn run(
        &self,
        _token: CallToken,
        args: Value,
        ctx: Arc<dyn ToolContext>,
    ) -> Result<ToolOutput, ToolError> {
        self.tool.run(self.typed(args)?, ctx).await
    }

    async fn preview(
        &self,
        _token: CallToken,
        args: Value,
        ctx: Arc<dyn ToolContext>,
    ) -> Result<Option<Preview>, ToolError> {
        self.tool.preview(self.typed(args)?, ctx).await
    }
}

impl<T: NativeTool> Native<T> {
    fn typed(&self, args: Value) -> Result<T::Args, ToolError> {
        serde_json::from_value(args).map_err(|error| ToolError::InvalidArguments {
            path: String::new(),
            rule: error.to_string(),
            allowed: Vec::new(),
        })
    }
}
