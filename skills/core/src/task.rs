use std::sync::Arc;
use std::time::Duration;

use nova_skill::{
    Description, Effect, JsonSchema, NativeTool, Output, Source, Task, TaskEnd, TaskLimits, ToolContext,
    ToolError, ToolOutput, Value, async_trait, json, schemars,
};
use serde::Deserialize;

/// Default limits of a sub-agent.
const STEPS: u64 = 20;
const TOKENS: u64 = 60_000;
const MINUTES: u64 = 10;
const PER_TURN: u64 = 8;
/// Without a name, this many words of the task are its name.
const WORDS: usize = 4;
/// Maximum length of a task, in bytes.
const LONGEST: usize = 32 * 1024;

pub(crate) struct GiveTask;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Gives a task to a sub-agent. Only the assistant of a chat can start one."))]
pub(crate) struct NewTask {
    /// The task, with all it needs to know: it sees nothing of this chat. Say what to answer.
    #[schemars(extend("x-label" = "Task", "x-lines" = 4))]
    prompt: String,
    /// The skills it may use, such as `vault`, or single tools, such as `core.grep`. Without it, the skills that are active here.
    #[serde(default)]
    #[schemars(extend("x-label" = "May use"))]
    skills: Option<Vec<String>>,
    /// Its name for the user, in one or two words.
    #[serde(default)]
    #[schemars(extend("x-label" = "Name"))]
    name: Option<String>,
}

#[async_trait]
impl NativeTool for GiveTask {
    type Args = NewTask;
    const ID: &'static str = "task";
    const EFFECT: Effect = Effect::Read;
    const DELEGATES: bool = true;

    fn description(&self) -> Description {
        Description::purpose(
            "Gives work to a sub-agent, which does it on its own and answers with text and sources. Several calls in one \
             answer run at the same time.",
        )
        .use_when("a part of the work reads a lot of which little matters here, or parts do not need each other")
        .example("Let two sub-agents compare the offers")
    }

    async fn run(&self, given: NewTask, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let prompt = given.prompt.trim();
        if prompt.is_empty() {
            return Err(invalid("/prompt", "the task is empty"));
        }
        if prompt.len() > LONGEST {
            return Err(invalid(
                "/prompt",
                "the task is longer than 32 KiB; name the notes and files to read instead",
            ));
        }
        if given.skills.as_ref().is_some_and(Vec::is_empty) {
            return Err(invalid("/skills", "a sub-agent without any skill can do nothing"));
        }
        let name = given.name.filter(|name| !name.trim().is_empty()).unwrap_or_else(|| first_words(prompt));
        let limits = limits(ctx.config());
        let task = Task { name: name.clone(), prompt: prompt.to_owned(), skills: given.skills, limits };
        let TaskEnd { text, unfinished, sources, untrusted } = ctx.delegate().run(task).await?;
        let named: Vec<String> = sources.iter().map(shown).collect();
        let mut value = json!({ "sub_agent": name, "text": text, "sources": named });
        if let Some(unfinished) = unfinished {
            value["unfinished"] = json!(unfinished);
        }
        Ok(Output { value, sources, names_notes: true, untrusted, ..Output::default() }.into())
    }
}

/// Limits from `task` in the skill's configuration.
fn limits(config: &Value) -> TaskLimits {
    let set = |key: &str, usual: u64| config["task"][key].as_u64().unwrap_or(usual);
    TaskLimits {
        steps: u32::try_from(set("steps", STEPS)).unwrap_or(u32::MAX),
        tokens: set("tokens", TOKENS),
        time: Duration::from_secs(60 * set("minutes", MINUTES)),
        per_turn: usize::try_from(set("per_turn", PER_TURN)).unwrap_or(usize::MAX),
    }
}

fn first_words(prompt: &str) -> String {
    let words: Vec<&str> = prompt.split_whitespace().take(WORDS).collect();
    words.join(" ").trim_end_matches(|c: char| c.is_ascii_punctuation()).to_owned()
}

fn shown(source: &Source) -> String {
    match source {
        Source::Note(path) => path.to_string(),
        Source::Web(page) => page.url.clone(),
    }
}

fn invalid(path: &str, rule: &str) -> ToolError {
    ToolError::InvalidArguments { path: path.into(), rule: rule.into(), allowed: Vec::new() }
}
