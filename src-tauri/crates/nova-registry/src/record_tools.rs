//! Tools generated from the declaration of a record type, for skills without tools of their own: `list_`,
//! `get_`, `add_`, `update_` and `summarize_` with the type's name.

use std::sync::Arc;

use nova_skill::{
    CallToken, Description, Effect, FieldKind, RecordType, RecordTypes, RecordUse, Tool, ToolContext,
    ToolError, ToolOutput, ToolSpec, Value, async_trait, json,
};

mod panel;
mod run;
mod summary;

pub(crate) use panel::{add_own, panel_of};

/// One tool of one record type.
struct RecordTool {
    declared: RecordType,
    does: Does,
    spec: ToolSpec,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    List,
    Get,
    Add,
    Update,
    Summarize,
}

/// The tools of these types. If two types generate the same tool name, the first wins.
pub(crate) fn record_tools<'a>(types: impl Iterator<Item = &'a RecordType>) -> Vec<Arc<dyn Tool>> {
    let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
    for declared in types {
        for does in [Does::List, Does::Get, Does::Add, Does::Update, Does::Summarize] {
            let tool = RecordTool::new(declared.clone(), does);
            if tools.iter().all(|other| other.spec().id != tool.spec.id) {
                tools.push(Arc::new(tool));
            }
        }
    }
    tools
}

/// The id of the tool that lists records of the type.
fn list_id(declared: &RecordType) -> String {
    Does::List.id(declared.name())
}

/// The argument that selects a record, and the field of a row that contains its name.
fn name_of(declared: &RecordType) -> &str {
    declared.title.as_deref().unwrap_or("note")
}

impl Does {
    fn id(self, record_type: &str) -> String {
        let verb = match self {
            Self::List => "list",
            Self::Get => "get",
            Self::Add => "add",
            Self::Update => "update",
            Self::Summarize => "summarize",
        };
        let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
        format!("{verb}_{}", record_type.chars().map(plain).collect::<String>())
    }

    fn description(self, declared: &RecordType) -> Description {
        let name = declared.name();
        let one = with_article(name);
        let several = several(name);
        match self {
            Self::List => Description::purpose(format!(
                "Lists the user's {several}, all of them or those that fit every filter, and how many they are."
            ))
            .use_when(format!("the user asks for several {several}")),
            Self::Get => Description::purpose(format!("Gives everything the note of {one} says."))
                .use_when(format!("the user asks about one {name}")),
            Self::Add => {
                Description::purpose(format!("Adds {one} as a new note. Give only what is known."))
                    .use_when(format!("the user names {one} to keep"))
            }
            Self::Update => Description::purpose(format!(
                "Changes the given properties of {one} and nothing else in its note."
            ))
            .use_when(format!("something about {one} changed")),
            Self::Summarize => Description::purpose(format!(
                "Counts the user's {several}, or gives the sum and the average of a number, in all or for each value of a \
                 field. Amounts of two currencies are never added."
            ))
            .use_when(format!("the user asks how many or how much over their {several}")),
        }
    }

    fn parameters(self, declared: &RecordType) -> Value {
        let which = json!({
            "type": "string",
            "description": format!("Which {}: what it is called, or the path of its note.", declared.name()),
        });
        let name = name_of(declared);
        match self {
            Self::List => {
                let mut properties = filters(declared);
                properties.insert(
                    "query".into(),
                    json!({
                        "type": "string", "description": "Only those whose note has all of these words.",
                    }),
                );
                let keys = declared.fields.keys().flat_map(|key| [key.clone(), format!("-{key}")]);
                properties.insert(
                    "sort".into(),
                    json!({
                        "type": "string", "enum": keys.collect::<Vec<_>>(),
                        "description": "The field to sort by; \"-\" for the largest or latest first.",
                    }),
                );
                properties.insert("limit".into(), json!({
                    "type": "integer", "minimum": 1, "description": "At most so many; the count is of all.",
                }));
                json!({"type": "object", "properties": properties, "additionalProperties": false})
            }
            Self::Get => json!({
                "type": "object", "properties": {name: which}, "required": [name],
                "additionalProperties": false,
            }),
            Self::Add => declared.parameters(false),
            Self::Update => {
                let mut schema = declared.parameters(true);
                if declared.title.is_none() {
                    schema["properties"][name] = which;
                    schema["required"] = json!([name]);
                }
                schema
            }
            Self::Summarize => summary::parameters(declared),
        }
    }
}

/// A filter for each field, except for names that are reserved.
fn filters(declared: &RecordType) -> nova_skill::serde_json::Map<String, Value> {
    const TAKEN: [&str; 5] = ["query", "sort", "limit", "of", "by"];
    let lists = RecordUse::Lists(declared.name());
    let own = declared.fields.keys().filter(|key| !TAKEN.contains(&key.as_str()));
    own.filter_map(|key| Some((key.clone(), lists.parameter(declared, key).ok()?))).collect()
}

impl RecordTool {
    fn new(declared: RecordType, does: Does) -> Self {
        let effect = match does {
            Does::Add | Does::Update => Effect::Write,
            Does::List | Does::Get | Does::Summarize => Effect::Read,
        };
        let id = does.id(declared.name());
        let spec = ToolSpec::new(id, does.description(&declared), does.parameters(&declared), effect);
        let spec = ToolSpec { on_notes: effect == Effect::Write, ..spec };
        Self { declared, does, spec }
    }
}

#[async_trait]
impl Tool for RecordTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn with_records(&self, records: &RecordTypes) -> Option<Arc<dyn Tool>> {
        let declared = records.iter().find(|declared| declared.name() == self.declared.name())?;
        (*declared != self.declared).then(|| {
            let tool: Arc<dyn Tool> = Arc::new(Self::new(declared.clone(), self.does));
            tool
        })
    }

    async fn run(
        &self,
        _token: CallToken,
        args: Value,
        ctx: Arc<dyn ToolContext>,
    ) -> Result<ToolOutput, ToolError> {
        let Value::Object(args) = args else {
            return Err(ToolError::InvalidArguments {
                path: String::new(),
                rule: "must be an object".into(),
                allowed: Vec::new(),
            });
        };
        let declared = ctx.records().get(self.declared.name())?.clone();
        let ctx = ctx.as_ref();
        let output = match self.does {
            Does::List => run::list(&declared, args, ctx).await?,
            Does::Get => run::get(&declared, &args, ctx).await?,
            Does::Add => run::add(&declared, &args, ctx).await?,
            Does::Update => run::update(&declared, args, ctx).await?,
            Does::Summarize => summary::summarize(&declared, args, ctx).await?,
        };
        Ok(output.into())
    }
}

fn with_article(name: &str) -> String {
    let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {name}")
}

/// The plural for use in a sentence: "books", "entries".
fn several(name: &str) -> String {
    match name.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if name.ends_with('s') => name.to_owned(),
        _ => format!("{name}s"),
    }
}

/// Whether the values of the field are numbers.
fn is_number(kind: FieldKind) -> bool {
    matches!(kind, FieldKind::Decimal | FieldKind::Integer)
}
