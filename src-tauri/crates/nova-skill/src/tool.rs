use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    Description, Effect, Preview, RecordRules, RecordTypes, RecordUse, ToolContext, ToolError, ToolOutput,
};

/// A skill compiled into Nova: the files of its folder, and its tools.
pub trait Skill: Send + Sync {
    /// The text of `SKILL.md`.
    fn skill_md(&self) -> &str;
    /// The text of `manifest.yaml`.
    fn manifest(&self) -> &str;
    /// What else lies in the folder, as path and text: `references/`, `assets/`.
    fn resources(&self) -> Vec<(&'static str, &'static str)> {
        Vec::new()
    }
    fn tools(&self) -> Vec<Arc<dyn Tool>>;
    /// What its records keep to besides what the manifest declares of them.
    fn record_rules(&self) -> Option<Arc<dyn RecordRules>> {
        None
    }
}

/// One function the model may call.
#[async_trait]
pub trait Tool: Send + Sync {
    fn spec(&self) -> &ToolSpec;

    /// The hosts that a call contacts, where they depend on its arguments or on the skill's configuration: its card
    /// shows these in place of [`ToolSpec::hosts`], and no "always" is offered for them.
    fn hosts(&self, _args: &Value, _config: &Value) -> Option<Vec<String>> {
        None
    }

    /// Why the tool cannot be called with this configuration, and what to do about it.
    fn unavailable(&self, _config: &Value) -> Option<String> {
        None
    }

    /// The same tool where its parameters differ with these records, to which the user may have added fields.
    fn with_records(&self, _records: &RecordTypes) -> Option<Arc<dyn Tool>> {
        None
    }

    /// The tool as which a call with these arguments is judged and run, where they give it another effect than the
    /// spec says: a change elsewhere by a tool that changes notes. It has the same id and parameters. One with a milder
    /// effect is not used.
    fn for_call(&self, _args: &Value, _config: &Value) -> Option<Arc<dyn Tool>> {
        None
    }

    /// What the user is asked before it runs, where it depends on the call: [`ToolSpec::question`].
    fn question(&self, _args: &Value, _config: &Value) -> Option<String> {
        self.spec().question.clone()
    }

    /// Runs with arguments that fit `spec().parameters`. Only the crate `nova-calls` can call this:
    /// it alone makes a [`CallToken`].
    async fn run(
        &self,
        token: CallToken,
        args: Value,
        ctx: Arc<dyn ToolContext>,
    ) -> Result<ToolOutput, ToolError>;

    /// What the card of a call shows in place of its arguments, for a tool with [`ToolSpec::previews`]. It reads and
    /// changes nothing. Its error ends the call before anybody is asked.
    async fn preview(
        &self,
        _token: CallToken,
        _args: Value,
        _ctx: Arc<dyn ToolContext>,
    ) -> Result<Option<Preview>, ToolError> {
        Ok(None)
    }
}

/// What is known of a tool before it runs.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// `[a-z0-9_]+`, unique in its skill.
    pub id: String,
    pub description: Description,
    /// JSON Schema (2020-12) of the arguments, an object.
    pub parameters: Value,
    pub effect: Effect,
    /// Credentials it asks for: `service`, or `service/key`.
    pub credentials: Vec<String>,
    /// Of those, the keys that its source names, `service/key`: what to set where one is missing.
    pub credential_keys: Vec<String>,
    /// Credentials it can do without: asked for where they are there.
    pub optional_credentials: Vec<String>,
    /// Hosts it says it talks to, `name` or `name:port`. Any other host is asked about.
    pub hosts: Vec<String>,
    /// Hosts that stand in its source and that it does not declare; shown, never granted.
    pub proposed_hosts: Vec<String>,
    /// Hash of the file that defines the tool and of what the file declares, where that file can
    /// change while Nova runs: the first call of each new content is asked about, whatever its effect.
    pub definition: Option<String>,
    /// What a native tool asks the user before it runs, where its effect says too little: "Put this
    /// tool aside for your review?" That of a tool with a `definition` is not shown.
    pub question: Option<String>,
    /// How long a call may take in all, waiting for the user's answers not counted; as long as any
    /// call where it does not say.
    pub time_limit: Option<Duration>,
    /// All it does is to change notes: it runs against a draft of the vault, and is asked about
    /// with the draft's diff. A tool that is not may not change notes.
    pub on_notes: bool,
    /// What a tool that a file defines may do with notes; a native tool declares its effect alone.
    pub vault: Option<VaultAccess>,
    /// Where in the vault a grant lets it write without being asked again.
    pub scope: NoteScope,
    /// It gives tasks to sub-agents, whose calls are judged one by one: it takes as long as they do, and its
    /// turn waits for it.
    pub delegates: bool,
    /// What it returns was written by strangers: the model sees it between marks that the text cannot end.
    pub fenced: bool,
    /// It calls other tools: [`ToolContext::tools`]. What they write is asked about by their rules, not its own.
    pub calls_tools: bool,
    /// It runs commands ([`ToolContext::process`]): it is there only where this system can confine one, and its
    /// card shows what a command may reach.
    pub runs_commands: bool,
    /// It runs commands that the user configured for its skill, with the user's rights
    /// ([`ToolProcess::run_configured`](crate::ToolProcess::run_configured)).
    pub runs_configured: bool,
    /// The user has to switch it on.
    pub off_at_first: bool,
    /// A boolean argument with which a call may run on by itself after its turn, whatever its effect.
    pub background: Option<&'static str>,
    /// Its card shows more than the arguments: [`Tool::preview`].
    pub previews: bool,
}

impl ToolSpec {
    /// A tool that changes no note, reaches no host, needs no credential and is compiled in: what
    /// differs is set afterwards.
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
        }
    }
}

impl ToolSpec {
    /// The credential to set where one that it declares is missing: with the key that its source names, where it
    /// declares the service alone and the source names one.
    pub fn key_of<'a>(&'a self, declared: &'a str) -> &'a str {
        let of_service = |key: &&String| key.split_once('/').is_some_and(|(service, _)| service == declared);
        self.credential_keys.iter().find(of_service).map_or(declared, String::as_str)
    }

    /// Whether it may call other tools ([`ToolContext::tools`]): one that declares it, and one that a file defines.
    pub fn may_call(&self) -> bool {
        self.calls_tools || self.definition.is_some()
    }
}

/// What a tool that a file defines may do with the notes of the vault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VaultAccess {
    Read,
    /// Reads too.
    Write,
}

impl VaultAccess {
    /// As a person reads it: "read", or "read and write".
    pub fn words(access: Option<Self>) -> &'static str {
        match access {
            None => "none",
            Some(Self::Read) => "read",
            Some(Self::Write) => "read and write",
        }
    }
}

/// The notes a tool is expected to touch. Moving a note is asked about in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NoteScope {
    /// Notes in the folders of the skill's records, or records of its types wherever they lie.
    #[default]
    OwnRecords,
    /// Any note: the whole vault is the skill's own.
    Anywhere,
}

/// Proof that a call went through `nova-calls`: validated, allowed, with its change set.
#[derive(Debug)]
pub struct CallToken(());

impl CallToken {
    /// For the crate `nova-calls` alone. A test of the workspace fails when any other source file
    /// names this function: Rust has no friend crates, and a feature would be open to all.
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
    /// All it does is to change notes, as a `write` tool does; a `destructive` one may.
    const ON_NOTES: bool = matches!(Self::EFFECT, Effect::Write);
    const SCOPE: NoteScope = NoteScope::OwnRecords;
    /// The record type that it adds, changes or lists. Fields that the user added to it become parameters; their
    /// values reach `Args` as its field `own`, an object left out of its schema.
    const RECORD: Option<RecordUse<'static>> = None;
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

    /// Values of the schema that are only known at run time, such as configured stages.
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

/// Makes a [`Tool`] of a native one.
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
    tool.refine_parameters(&mut parameters);
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
    Arc::new(Native { spec, tool: Arc::new(tool), own: Vec::new() })
}

struct Native<T> {
    spec: ToolSpec,
    tool: Arc<T>,
    /// Parameters that are the user's own fields.
    own: Vec<String>,
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
        let own = T::RECORD?.own_parameters(records, &self.spec.parameters);
        if own.is_empty() {
            return None;
        }
        let mut spec = self.spec.clone();
        let names = own.keys().cloned().collect();
        if let Some(properties) = spec.parameters["properties"].as_object_mut() {
            properties.extend(own);
        }
        Some(Arc::new(Self { spec, tool: Arc::clone(&self.tool), own: names }))
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
    fn typed(&self, mut args: Value) -> Result<T::Args, ToolError> {
        if let Some(given) = args.as_object_mut().filter(|_| !self.own.is_empty()) {
            let own =
                self.own.iter().filter_map(|name| given.remove(name).map(|value| (name.clone(), value)));
            let own: Map<String, Value> = own.collect();
            given.insert("own".into(), Value::Object(own));
        }
        serde_json::from_value(args).map_err(|error| ToolError::InvalidArguments {
            path: String::new(),
            rule: error.to_string(),
            allowed: Vec::new(),
        })
    }
}
