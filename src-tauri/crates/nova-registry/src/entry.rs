use std::sync::Arc;

use jsonschema::Validator;
use nova_skill::{Effect, Lifetime, Manifest, Mode, RecordRules, RecordTypes, Tool, ToolSpec};
use serde_json::Value;

use crate::manifest_file::merged;
use crate::not_ready::NotReady;
use crate::record_tools::{add_own, panel_of, record_tools};
use crate::requirements::{Commands, unmet};
use crate::type_owners::TypeOwners;
use crate::{
    LoadedTool, Present, Review, SkillFolder, SkillSettings, SourceKind, State, canonical, compile_schema,
    shown_name, violations, wire_name,
};

/// One skill with its settings, state and tools.
#[derive(Clone)]
pub struct SkillEntry {
    pub id: String,
    pub name: String,
    pub version: String,
    pub description: String,
    pub instructions: String,
    pub source: SourceKind,
    /// It is a foreign skill: its declarations grant nothing, and its text is untrusted.
    pub foreign: bool,
    /// Fingerprint of all files of a foreign skill, to which the user's agreement is bound.
    pub fingerprint: Option<String>,
    /// Other files in its folder, read on demand.
    pub folder: Option<Arc<SkillFolder>>,
    pub state: State,
    /// The reason for a bad state, and the remedy.
    pub reason: Option<String>,
    pub mode: Mode,
    pub lifetime: Lifetime,
    pub pinned: bool,
    pub hidden: bool,
    pub manifest: Manifest,
    /// Its record types, spelled as in the vault according to the user's configuration.
    pub records: Arc<RecordTypes>,
    /// Rules for its records beyond the declared types.
    pub record_rules: Option<Arc<dyn RecordRules>>,
    pub config: Arc<Value>,
    /// Configuration defaults from its folder, overridden by the user's.
    pub defaults: Value,
    pub config_problem: Option<ConfigProblem>,
    /// Tools that can be called.
    pub tools: Vec<Arc<ToolEntry>>,
    /// Tools that cannot be called, with the state and reason that a call returns.
    pub tools_not_ready: Vec<Arc<ToolEntry>>,
    /// Ids of tools that the user has disabled.
    pub tools_off: Vec<String>,
    /// Ids of tools that are disabled by default.
    pub tools_off_at_first: Vec<String>,
}

/// An error in `skills.<id>.config`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigProblem {
    /// Each key with its error and remedy, and the configuration in force instead.
    pub message: String,
    /// Whether the last good configuration is still in force. Otherwise the skill is unavailable: with wrong
    /// names it would miss the user's records, and write new ones next to them.
    pub last_good: bool,
}

/// One tool of a skill, ready to be called by `nova-calls`.
pub struct ToolEntry {
    pub skill: String,
    pub id: String,
    pub wire_name: String,
    /// Where the tool comes from, which determines whether it changes only with the program.
    pub source: SourceKind,
    /// Fingerprint of name, description, schema and effect, to which saved rules are bound.
    pub fingerprint: String,
    /// `Available`, or why it cannot be called: `Starting`, `Unavailable`, `Broken`.
    pub state: State,
    /// Why it cannot be called; or, for a callable tool, a problem such as a newer version of its file that
    /// cannot be loaded.
    pub reason: Option<String>,
    pub tool: Arc<dyn Tool>,
    /// It was derived from the listed tool by the arguments of a call: [`ToolEntry::for_call`].
    pub by_arguments: bool,
    validator: Validator,
}

impl SkillEntry {
    /// `before` is the entry of the same skill that was in force until now.
    pub(crate) fn new(
        source: SourceKind,
        loaded: crate::LoadedSkill,
        settings: &SkillSettings,
        before: Option<&Self>,
        owners: &TypeOwners,
        present: &Present,
    ) -> Self {
        let crate::LoadedSkill {
            id,
            mut skill_md,
            mut manifest,
            tools,
            record_rules,
            note,
            mut folder,
            foreign,
            review,
            kept_from_use,
            fingerprint,
            defaults,
        } = loaded;
        if foreign {
            // Declarations of a foreign skill grant nothing.
            manifest.loading.always.clear();
            manifest.loading.mode = Mode::OnDemand;
        }
        if review.is_some() {
            // These describe the skill in lists; no other field of an unreviewed manifest is used.
            let Manifest { display_name, version, author, tags, icon, .. } = manifest;
            manifest = Manifest { display_name, version, author, tags, icon, ..Manifest::default() };
            skill_md.instructions.clear();
            folder = None;
        }
        let mut of_records = Vec::new();
        if source == SourceKind::Folder && tools.is_empty() {
            let types = || manifest.records.iter();
            of_records = record_tools(types());
            manifest.panel = manifest.panel.clone().or_else(|| panel_of(types()));
        }
        let configured = Configured::new(&id, &manifest, merged(&defaults, &settings.config), before, owners);
        of_records.extend(record_tools(configured.records.iter().filter(|declared| declared.is_own())));
        // Tools of Nova itself, whoever declares the records.
        let of_records = of_records.into_iter().map(|tool| (SourceKind::Native, LoadedTool::from(tool)));
        let tools: Vec<_> = tools.into_iter().map(|tool| (source, tool)).chain(of_records).collect();
        let (mut state, mut reason) = match &configured.unavailable {
            Some(why) => (State::Unavailable, Some(why.clone())),
            None => unmet(&id, &manifest.requires, &configured.config, present)
                .map_or((State::Available, note), |(unmet, why)| (unmet, Some(why))),
        };
        let tools = Tools::new(&id, tools, settings, &configured, &present.commands, before);
        if let Some(problem) = &tools.broken {
            (state, reason) = (State::Broken, Some(problem.clone()));
        }
        let mut reason = reason.or_else(|| tools.trouble());
        if let Some(review) = review {
            (state, reason) = (State::NeedsReview, Some(review_reason(review, source, &id)));
        }
        if let Some((not_good, why)) = kept_from_use {
            (state, reason) = (not_good, Some(why));
        }
        if !settings.enabled.unwrap_or(true) {
            state = State::Disabled;
        }
        Self {
            name: manifest.display_name.clone().unwrap_or_else(|| id.clone()),
            version: manifest.version.clone().unwrap_or_default(),
            description: skill_md.description,
            instructions: with_settings(
                skill_md.instructions,
                source,
                manifest.config.as_ref(),
                &configured.config,
            ),
            source,
            foreign,
            fingerprint,
            folder,
            state,
            reason,
            mode: settings.mode.unwrap_or(manifest.loading.mode),
            lifetime: settings.lifetime.unwrap_or(manifest.loading.lifetime),
            pinned: settings.pinned,
            hidden: settings.hidden,
            records: configured.records,
            record_rules,
            config: configured.config,
            config_problem: configured.problem,
            tools: tools.ready,
            tools_not_ready: tools.not_ready,
            tools_off: tools.off,
            tools_off_at_first: tools.off_at_first,
            defaults,
            manifest,
            id,
        }
    }

    /// The earlier entry of this very tool.
    fn entry_of(&self, tool: &LoadedTool) -> Option<Arc<ToolEntry>> {
        let mut entries = self.tools.iter().chain(&self.tools_not_ready);
        let found = match tool {
            LoadedTool::Ready { tool, note } => {
                entries.find(|entry| Arc::ptr_eq(&entry.tool, tool) && entry.reason == *note)
            }
            LoadedTool::NotReady { id, state, reason } => entries.find(|entry| {
                entry.id == *id && entry.state == *state && entry.reason.as_ref() == Some(reason)
            }),
        };
        found.cloned()
    }

    pub(crate) fn broken(source: SourceKind, problem: crate::Problem) -> Self {
        Self {
            name: problem.id.clone(),
            id: problem.id,
            version: String::new(),
            description: String::new(),
            instructions: String::new(),
            source,
            foreign: false,
            fingerprint: None,
            folder: None,
            state: State::Broken,
            reason: Some(problem.reason),
            mode: Mode::default(),
            lifetime: Lifetime::default(),
            pinned: false,
            hidden: false,
            manifest: Manifest::default(),
            records: Arc::default(),
            record_rules: None,
            config: Arc::default(),
            config_problem: None,
            tools: Vec::new(),
            tools_not_ready: Vec::new(),
            tools_off: Vec::new(),
            tools_off_at_first: Vec::new(),
            defaults: Value::Null,
        }
    }

    /// Applies the user's settings to a broken skill: if it is disabled, there is nothing to fix.
    pub(crate) fn set_by(mut self, own: &SkillSettings) -> Self {
        self.mode = own.mode.unwrap_or(self.mode);
        self.lifetime = own.lifetime.unwrap_or(self.lifetime);
        (self.pinned, self.hidden) = (own.pinned, own.hidden);
        if own.enabled == Some(false) {
            self.state = State::Disabled;
        }
        self
    }

    /// Marks the skill as broken if an available one has a record type of the same name.
    pub(crate) fn refuse_types_of<'a>(&mut self, others: impl Iterator<Item = &'a Self>) {
        let mut others = others.filter(|other| other.is_available());
        let shared = others.find_map(|other| {
            let mut names = self.records.iter().map(nova_skill::RecordType::name);
            names.find(|name| other.records.recogniser_named(name).is_some()).map(|name| (name, &other.id))
        });
        if let Some((name, owner)) = shared {
            self.reason = Some(format!(
                "The skill {owner} has a record type named {name} already. Disable one of the two, or rename this one in \
                 the manifest."
            ));
            self.state = State::Broken;
        }
    }

    /// Validates a user's configuration of the skill; returns each key with its error as a sentence.
    pub fn faults_of_config(&self, own: &Value, owners: &TypeOwners) -> Vec<String> {
        let faults = owners.fitting(&self.id, &self.manifest, &merged(&self.defaults, own));
        let faults = faults.err().unwrap_or_default();
        faults.iter().map(|fault| fault.trim_start_matches(['.', ':', ' ']).to_owned()).collect()
    }

    /// Returns its record types under this user configuration.
    ///
    /// # Errors
    /// All errors of the configuration.
    pub fn records_with(&self, own: &Value) -> Result<RecordTypes, Vec<nova_skill::ConfigFault>> {
        self.manifest.records.with_config(&merged(&self.defaults, own))
    }

    /// The panel it declares, extended by the fields and record types that the user added.
    pub fn panel(&self) -> Option<Value> {
        add_own(self.manifest.panel.as_ref(), &self.records)
    }

    /// Whether it is enabled and can run.
    pub fn is_available(&self) -> bool {
        self.state == State::Available
    }

    /// Its catalog entry, without hints.
    pub fn catalog_line(&self) -> String {
        format!("- {}: {}", self.id, self.description)
    }
}

/// Why a foreign skill is not used before the user has reviewed it.
fn review_reason(review: Review, source: SourceKind, id: &str) -> String {
    let why = match (review, source) {
        (Review::New, SourceKind::Mcp) => "Not started: you have not agreed to it.",
        (Review::New, _) => "It came from elsewhere.",
        (Review::Changed, _) => "It changed since you accepted it.",
    };
    let command = if source == SourceKind::Mcp { "mcp" } else { "skill" };
    format!("{why} Review it: nova {command} review {id}.")
}

/// Appends a folder skill's settings to its instructions, since nothing else tells them to the model. A
/// compiled skill does this itself.
fn with_settings(instructions: String, source: SourceKind, schema: Option<&Value>, config: &Value) -> String {
    let Some(declared) = schema.and_then(|schema| schema["properties"].as_object()) else {
        return instructions;
    };
    let has_to_know = |key: &str, value: &Value| {
        let declared = declared.get(key).is_some_and(|property| property["writeOnly"] != Value::Bool(true));
        declared && !value.is_null()
    };
    let settings = config.as_object().into_iter().flatten().filter(|(key, value)| has_to_know(key, value));
    let lines: Vec<String> = settings
        .map(|(key, value)| match value {
            Value::String(text) => {
                format!("- {key}: {}", text.split_whitespace().collect::<Vec<_>>().join(" "))
            }
            value => format!("- {key}: {value}"),
        })
        .collect();
    if source == SourceKind::Native || instructions.is_empty() || lines.is_empty() {
        return instructions;
    }
    format!("{instructions}\n\n## Settings\n\n{}", lines.join("\n"))
}

/// The configuration of a skill in force.
struct Configured {
    records: Arc<RecordTypes>,
    config: Arc<Value>,
    problem: Option<ConfigProblem>,
    /// Why the skill cannot be used: there is no last good configuration.
    unavailable: Option<String>,
}

impl Configured {
    /// Returns `wanted` if it is valid for the manifest and the other skills, otherwise the last good one of
    /// the same manifest.
    fn new(
        id: &str,
        manifest: &Manifest,
        wanted: Value,
        before: Option<&SkillEntry>,
        owners: &TypeOwners,
    ) -> Self {
        let faults = match owners.fitting(id, manifest, &wanted) {
            Ok(records) => {
                let (records, config) = (Arc::new(records), Arc::new(wanted));
                return Self { records, config, problem: None, unavailable: None };
            }
            Err(faults) => faults,
        };
        let faults: Vec<_> = faults.iter().map(|fault| format!("skills.{id}.config{fault}")).collect();
        let faults = faults.join(" ");
        let problem =
            |then: String, last_good| Some(ConfigProblem { message: format!("{faults} {then}"), last_good });
        let good = before.filter(|before| {
            before.manifest == *manifest
                && before.config_problem.as_ref().is_none_or(|problem| problem.last_good)
        });
        match good {
            Some(good) => Self {
                records: good.records.clone(),
                config: good.config.clone(),
                problem: problem(format!("The last good configuration of {id} stays in use."), true),
                unavailable: None,
            },
            None => Self {
                records: Arc::default(),
                config: Arc::default(),
                problem: problem(format!("Until it is corrected, {id} is not available."), false),
                unavailable: Some(format!("{faults} Correct it in nova.config.json.")),
            },
        }
    }
}

/// The tools of a skill, grouped by whether they can be called.
#[derive(Default)]
struct Tools {
    ready: Vec<Arc<ToolEntry>>,
    not_ready: Vec<Arc<ToolEntry>>,
    /// Ids of tools that the user has disabled.
    off: Vec<String>,
    /// Ids of tools that are disabled by default.
    off_at_first: Vec<String>,
    /// Why a native skill cannot be used at all.
    broken: Option<String>,
}

impl Tools {
    fn new(
        skill: &str,
        loaded: Vec<(SourceKind, LoadedTool)>,
        settings: &SkillSettings,
        configured: &Configured,
        commands: &Commands,
        before: Option<&SkillEntry>,
    ) -> Self {
        let mut tools = Self::default();
        for (source, tool) in loaded {
            let named = |list: &[String]| list.iter().any(|other| canonical(other) == canonical(tool.id()));
            if tool.is_off_at_first() {
                tools.off_at_first.push(tool.id().to_owned());
            }
            if named(&settings.denied_tools) || tool.is_off_at_first() && !named(&settings.allowed_tools) {
                tools.off.push(tool.id().to_owned());
                continue;
            }
            let tool = tool.by(configured).where_commands_are(commands);
            // Entries are reused: compiling a schema costs more than everything else.
            let entry = match before.and_then(|before| before.entry_of(&tool)) {
                Some(entry) => Ok(entry),
                None => Self::entry(source, skill, tool).map(Arc::new),
            };
            match entry {
                Ok(entry) if entry.state == State::Available => tools.ready.push(entry),
                Ok(entry) => tools.not_ready.push(entry),
                Err(problem) => tools.broken = Some(problem),
            }
        }
        tools
    }

    /// A broken file does not break its skill, but a broken native tool does, since both are compiled
    /// together.
    fn entry(source: SourceKind, skill: &str, tool: LoadedTool) -> Result<ToolEntry, String> {
        let id = tool.id().to_owned();
        ToolEntry::new(source, skill, tool).or_else(|reason| match source {
            SourceKind::Native => Err(reason),
            _ => ToolEntry::new(source, skill, LoadedTool::NotReady { id, state: State::Broken, reason }),
        })
    }

    /// The problem of the first tool that has one.
    fn trouble(&self) -> Option<String> {
        let good = [State::Starting, State::Unavailable];
        let mut troubled =
            self.ready.iter().chain(&self.not_ready).filter(|tool| !good.contains(&tool.state));
        troubled.find_map(|tool| tool.reason.clone())
    }
}

impl LoadedTool {
    fn is_off_at_first(&self) -> bool {
        matches!(self, Self::Ready { tool, .. } if tool.spec().off_at_first)
    }

    /// Marks tools that run commands as unavailable if commands cannot be confined.
    fn where_commands_are(self, commands: &Commands) -> Self {
        let (state, reason) = match (&self, commands) {
            (Self::Ready { tool, .. }, Commands::NotYet) if tool.spec().runs_commands => {
                (State::Starting, "Nova is checking whether this system can confine a command.".to_owned())
            }
            (Self::Ready { tool, .. }, Commands::Unconfined(why)) if tool.spec().runs_commands => {
                (State::Unavailable, format!("This system cannot confine a command: {why}."))
            }
            _ => return self,
        };
        Self::NotReady { id: self.id().to_owned(), state, reason }
    }

    fn id(&self) -> &str {
        match self {
            Self::Ready { tool, .. } => &tool.spec().id,
            Self::NotReady { id, .. } => id,
        }
    }

    /// Returns the tool, or marks it as unavailable with this configuration.
    fn by(self, Configured { config, records, .. }: &Configured) -> Self {
        match self {
            Self::Ready { tool, note } => match tool.unavailable(config) {
                Some(reason) => {
                    Self::NotReady { id: tool.spec().id.clone(), state: State::Unavailable, reason }
                }
                None => Self::Ready { tool: tool.with_records(records).unwrap_or(tool), note },
            },
            not_ready => not_ready,
        }
    }
}

impl ToolEntry {
    fn new(source: SourceKind, skill: &str, tool: LoadedTool) -> Result<Self, String> {
        let (tool, state, reason) = match tool {
            LoadedTool::Ready { tool, note } => (tool, State::Available, note),
            LoadedTool::NotReady { id, state, reason } => {
                let tool: Arc<dyn Tool> = Arc::new(NotReady::new(&id, state, &reason));
                (tool, state, Some(reason))
            }
        };
        let spec = tool.spec();
        let validator = compile_schema(&spec.parameters).map_err(|error| {
            let shown = shown_name(skill, &spec.id);
            format!("The parameters of {shown} are not a JSON Schema that Nova can check: {error}.")
        })?;
        let fingerprint = blake3::hash(
            serde_json::json!([skill, spec.id, spec.description.to_string(), spec.parameters, spec.effect])
                .to_string()
                .as_bytes(),
        )
        .to_hex()
        .to_string();
        Ok(Self {
            skill: skill.to_owned(),
            id: spec.id.clone(),
            wire_name: wire_name(skill, &spec.id),
            source,
            fingerprint,
            state,
            reason,
            validator,
            tool,
            by_arguments: false,
        })
    }

    /// The tool by which a call with these arguments is judged and run: [`Tool::for_call`].
    pub fn for_call(&self, args: &Value, config: &Value) -> Option<Self> {
        let tool = self.tool.for_call(args, config)?;
        let other = Self::new(self.source, &self.skill, LoadedTool::Ready { tool, note: None }).ok()?;
        (other.id == self.id && other.effect() >= self.effect())
            .then_some(Self { by_arguments: true, ..other })
    }

    /// Creates the entry of an internal tool that works for a skill and is in no list.
    ///
    /// # Errors
    /// If its parameters are not a JSON Schema.
    pub fn of_form(skill: &str, tool: Arc<dyn Tool>) -> Result<Self, String> {
        Self::new(SourceKind::Native, skill, LoadedTool::Ready { tool, note: None })
    }

    pub fn spec(&self) -> &ToolSpec {
        self.tool.spec()
    }

    /// Whether the two look the same to the user.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.fingerprint == other.fingerprint
            && self.spec().definition == other.spec().definition
            && (self.state, &self.reason) == (other.state, &other.reason)
    }

    pub fn effect(&self) -> Effect {
        self.spec().effect
    }

    /// `skill.tool`
    pub fn shown_name(&self) -> String {
        shown_name(&self.skill, &self.id)
    }

    /// Validates arguments against the schema.
    ///
    /// # Errors
    /// The violations as `(JSON pointer, rule)`, at most ten.
    pub fn validate(&self, args: &Value) -> Result<(), Vec<(String, String)>> {
        let misfits = violations(&self.validator, &self.spec().parameters, args, 10);
        if misfits.is_empty() { Ok(()) } else { Err(misfits) }
    }
}
