use nova_provider::ToolDefinition;
use nova_registry::{Present, Ranked, SkillEntry, Snapshot, State, harmless_line, lacking};
use nova_skill::Mode;
use serde_json::{Value, json};

use super::fence::{fenced_skill, part};
use super::{Active, has_resources};

/// Tools of the session itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ControlTool {
    ListSkills,
    LoadSkill,
    UnloadSkill,
    SearchTools,
    ReadSkillFile,
    CheckCall,
    WaitCall,
    CancelCall,
    ReadOutput,
}

/// Maximum number of tools returned by a search.
const FOUND: usize = 8;
/// Maximum number of skills named in an answer; the rest are counted.
const NAMED: usize = 60;
/// Maximum length of a description in an answer, in characters.
const DESCRIPTION: usize = 160;
/// Maximum size of a list of all skills, in bytes, and the overhead of a row without its description.
const LISTING: usize = 24 * 1024;
const ROW: usize = 96;

impl ControlTool {
    /// Finds a tool by its current name, or by one that older instructions use.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "list_skills" => Some(Self::ListSkills),
            "load_skill" | "enable_skill" => Some(Self::LoadSkill),
            "unload_skill" | "disable_skill" => Some(Self::UnloadSkill),
            "search_tools" => Some(Self::SearchTools),
            "read_skill_file" => Some(Self::ReadSkillFile),
            "check_call" => Some(Self::CheckCall),
            "wait_call" => Some(Self::WaitCall),
            "cancel_call" => Some(Self::CancelCall),
            "read_output" => Some(Self::ReadOutput),
            _ => None,
        }
    }

    /// The tools that are currently useful.
    pub(crate) fn offered(snapshot: &Snapshot) -> Vec<ToolDefinition> {
        let mut offered = Vec::new();
        let mut to_load = snapshot.available().filter(|skill| skill.mode == Mode::OnDemand).peekable();
        if to_load.peek().is_some() {
            offered.extend([Self::ListSkills, Self::LoadSkill, Self::UnloadSkill]);
            if to_load.any(|skill| !skill.tools.is_empty()) {
                offered.push(Self::SearchTools);
            }
        }
        if snapshot.available().any(|skill| has_resources(skill)) {
            offered.push(Self::ReadSkillFile);
        }
        offered.into_iter().map(Self::definition).collect()
    }

    /// Whether it concerns detached calls or outputs instead of skills.
    pub(crate) fn is_about_calls(self) -> bool {
        matches!(self, Self::CheckCall | Self::WaitCall | Self::CancelCall | Self::ReadOutput)
    }

    /// The tools about calls: if one is detached, or if an output was truncated.
    pub(crate) fn about_calls(running: bool, cut: bool) -> impl Iterator<Item = ToolDefinition> {
        let running = running.then_some([Self::CheckCall, Self::WaitCall, Self::CancelCall]);
        running.into_iter().flatten().chain(cut.then_some(Self::ReadOutput)).map(Self::definition)
    }

    pub(crate) fn definition(self) -> ToolDefinition {
        let number = || ("call", json!({"type": "integer", "description": "Its number."}));
        let text = |description: &str| json!({"type": "string", "description": description});
        let skill = || ("skill", text("Its id."));
        let (name, description, parameters) = match self {
            Self::ListSkills => ("list_skills", "Lists the skills with their state.", vec![]),
            Self::LoadSkill => (
                "load_skill",
                "Loads a skill: returns its instructions and makes its tools callable from your next step on.",
                vec![skill()],
            ),
            Self::UnloadSkill => (
                "unload_skill",
                "Unloads a skill that is no longer needed; its tools disappear.",
                vec![skill()],
            ),
            Self::SearchTools => (
                "search_tools",
                "Finds tools of all skills by what they do, also of skills that are not loaded.",
                vec![("query", text("What is to be done, in a few words."))],
            ),
            Self::ReadSkillFile => (
                "read_skill_file",
                "Reads a file that a loaded skill's instructions name.",
                vec![
                    skill(),
                    ("path", text("Its place in the skill's folder.")),
                    ("offset", json!({"type": "integer", "description": "Where to continue, in bytes."})),
                ],
            ),
            Self::CheckCall => ("check_call", "Reports the progress of a running call.", vec![number()]),
            Self::WaitCall => (
                "wait_call",
                "Waits for the end of a running call, when you cannot continue without it.",
                vec![number(), ("seconds", json!({"type": "integer", "description": "At most; else 30."}))],
            ),
            Self::CancelCall => ("cancel_call", "Stops a running call.", vec![number()]),
            Self::ReadOutput => (
                "read_output",
                "Reads on in the output of a call that was cut.",
                vec![
                    ("call", text("Its id, as the output names it.")),
                    ("offset", json!({"type": "integer", "description": "Where to continue, in bytes."})),
                ],
            ),
        };
        let optional = ["offset", "seconds"];
        let required: Vec<&str> =
            parameters.iter().map(|(name, _)| *name).filter(|name| !optional.contains(name)).collect();
        let mut input_schema = json!({"type": "object", "properties": {}});
        for (name, schema) in &parameters {
            input_schema["properties"][*name] = schema.clone();
        }
        if !required.is_empty() {
            input_schema["required"] = json!(required);
            input_schema["additionalProperties"] = json!(false);
        }
        ToolDefinition { name: name.into(), description: description.into(), input_schema }
    }

    /// The offset at which to continue reading.
    pub(crate) fn offset(arguments: &str) -> usize {
        usize::try_from(Self::number(arguments, "offset").unwrap_or_default()).unwrap_or(usize::MAX)
    }

    /// A numeric argument of the call, which may be written as text.
    pub(crate) fn number(arguments: &str, name: &str) -> Option<u64> {
        let args: Value = serde_json::from_str(arguments).unwrap_or_default();
        let value = args.get(name)?;
        value.as_u64().or_else(|| value.as_str()?.trim().trim_start_matches("call ").parse().ok())
    }

    /// An argument of the call; empty if it is missing. Older instructions use `skill_name`.
    pub(crate) fn argument(arguments: &str, name: &str) -> String {
        let args: Value = serde_json::from_str(arguments).unwrap_or_default();
        let old = if name == "skill" { args.get("skill_name") } else { None };
        let value = args.get(name).or(old).and_then(Value::as_str);
        value.unwrap_or_default().trim().to_owned()
    }
}

/// Maximum part of a skill's instructions or file returned at once, in bytes.
const PART: usize = 40 * 1024;

/// The answer of `load_skill`: the instructions, unless the model has them already.
pub(crate) fn activation_answer(skill: &SkillEntry, was_active: bool, knows_instructions: bool) -> String {
    match (was_active, knows_instructions) {
        (true, true) => format!("{} is active already; its instructions are above.", skill.id),
        (false, true) => {
            format!("{} is active again; its instructions are above.\n\n{}", skill.id, tools_of(skill))
        }
        (_, false) => instructions(skill),
    }
}

/// The instructions of a skill, with the names of its tools and other files.
pub(crate) fn instructions(skill: &SkillEntry) -> String {
    let how = "They are too long. The author should move a part into files.";
    let own = part(&skill.instructions, 0, PART, how);
    if skill.foreign {
        // Its display name and file names are also its own, untrusted text.
        let own = fenced_skill(&skill.id, &format!("{own}{}", files_of(skill)));
        return format!(
            "## Skill activated: {}\n\n{own}\n\n{}{}",
            skill.id,
            tools_of(skill),
            scripts_of(skill)
        );
    }
    let version = match skill.version.as_str() {
        "" => String::new(),
        version => format!(" v{version}"),
    };
    format!(
        "## Skill activated: {}{version}\n\n{own}\n\n{}{}{}",
        skill.name,
        tools_of(skill),
        files_of(skill),
        scripts_of(skill)
    )
}

/// The folder of a skill with scripts, as seen by commands.
fn scripts_of(skill: &SkillEntry) -> String {
    let mut files = skill.folder.iter().flat_map(|folder| folder.resources());
    match files.any(|file| file.path.starts_with("scripts/")) {
        true => {
            format!("\n\n**Scripts** run with core__bash where it is on; the folder is /skills/{}.", skill.id)
        }
        false => String::new(),
    }
}

fn files_of(skill: &SkillEntry) -> String {
    let Some(folder) = skill.folder.as_ref().filter(|_| has_resources(skill)) else { return String::new() };
    let listed: Vec<String> =
        folder.resources().iter().take(NAMED).map(|file| harmless_line(&file.path)).collect();
    let more = match folder.resources().len() - listed.len() {
        0 if !folder.is_incomplete() => "",
        _ => " and more",
    };
    format!("\n\n**Files** for read_skill_file: {}{more}", listed.join(", "))
}

fn tools_of(skill: &SkillEntry) -> String {
    let tools: Vec<&str> = skill.tools.iter().map(|tool| tool.wire_name.as_str()).collect();
    format!("**Tools:** {}", if tools.is_empty() { "none".to_owned() } else { tools.join(", ") })
}

/// The answer of `list_skills`, which includes skills that cannot be loaded, with the reason.
pub(crate) fn listing(snapshot: &Snapshot, active: &Active) -> Value {
    // Excludes foreign skills that the user has not agreed to, and problems that cannot be fixed here.
    let rows = snapshot.skills().iter().filter(|skill| {
        !skill.hidden
            && !matches!(skill.state, State::Disabled | State::Broken | State::NeedsReview)
            && (skill.is_available() || !skill.foreign)
    });
    let rows: Vec<_> = rows.collect();
    let most = (LISTING / rows.len().max(1)).saturating_sub(ROW).min(DESCRIPTION);
    let rows = rows.into_iter().map(|skill| {
        let state = match skill.is_available() {
            true if active.contains(&skill.id) => json!("active"),
            true => json!("available"),
            false => return json!({"skill": skill.id, "state": "unavailable", "reason": skill.reason}),
        };
        match most {
            0 => json!({"skill": skill.id, "state": state}),
            most => json!({"skill": skill.id, "state": state, "description": cut(&description(skill), most)}),
        }
    });
    Value::Array(rows.collect())
}

fn description(skill: &SkillEntry) -> String {
    if skill.foreign { harmless_line(&skill.description) } else { skill.description.clone() }
}

/// The answer for a name that is not an available skill: the reason, or the nearest names and all others.
pub(crate) fn unknown_skill(snapshot: &Snapshot, name: &str) -> Value {
    let known = |skill: &&std::sync::Arc<SkillEntry>| skill.is_available() || !skill.foreign;
    if let Some(skill) = snapshot.skill(name).filter(known) {
        let reason = match skill.state {
            State::Disabled => "The user has switched it off".to_owned(),
            _ => skill.reason.clone().unwrap_or_else(|| "It cannot run now".to_owned()),
        };
        return json!({"error": {
            "code": "skill_unavailable",
            "message": format!("The skill {} is not available. {}.", skill.id, reason.trim_end_matches('.')),
            "hint": "Tell the user what is missing, or continue without it.",
        }});
    }
    let visible = snapshot.available().filter(|skill| !skill.hidden);
    let known: Vec<&str> = visible.map(|skill| skill.id.as_str()).collect();
    let mut all = known.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    if known.len() > NAMED {
        all.push_str(&format!(" and {} more, see list_skills", known.len() - NAMED));
    }
    let nearest = snapshot.nearest_skills(name);
    let nearest = match nearest.as_slice() {
        [] => String::new(),
        near => format!("Nearest: {}. ", near.join(", ")),
    };
    json!({"error": {
        "code": "unknown_skill",
        "message": format!("There is no available skill \"{name}\"."),
        "hint": format!("{nearest}Available: {all}."),
    }})
}

/// The answer of `search_tools`. A tool with a missing credential is returned with the remedy.
pub(crate) fn search(snapshot: &Snapshot, present: &Present, active: &Active, ranked: &[Ranked]) -> Value {
    let mut rows: Vec<Value> = Vec::new();
    for found in ranked {
        let skill = snapshot.skill(&found.skill).filter(|skill| skill.is_available() && !skill.hidden);
        let Some(skill) = skill else { continue };
        let state = if active.contains(&skill.id) { "active" } else { "available" };
        let tool = found.tool.as_ref().and_then(|id| skill.tools.iter().find(|tool| tool.id == *id));
        rows.push(match tool {
            Some(tool) => {
                let mut row = json!({
                    "tool": tool.wire_name,
                    "skill": skill.id,
                    "state": state,
                    "description": cut(&harmless_line(&tool.spec().description.to_string()), DESCRIPTION),
                });
                if let Some((lacking, remedy)) = lacking(tool.spec(), present) {
                    let state = if lacking == State::NeedsSignIn { "needs_sign_in" } else { "unavailable" };
                    (row["state"], row["reason"]) = (json!(state), json!(remedy));
                }
                row
            }
            None => json!({
                "skill": skill.id,
                "state": state,
                "description": cut(&description(skill), DESCRIPTION),
            }),
        });
        if rows.len() == FOUND {
            break;
        }
    }
    if rows.is_empty() {
        return json!({"tools": [], "hint": "Nothing fits. See list_skills, or use other words."});
    }
    json!({"tools": rows, "hint": "Load the skill of the one you need with load_skill."})
}

/// The answer of `read_skill_file`. Blocking.
pub(crate) fn resource(skill: &SkillEntry, path: &str, offset: usize) -> String {
    let read = match &skill.folder {
        Some(folder) => folder.read(path).map_err(|error| error.to_string()),
        None => Err(format!("The skill {} has no files.", skill.id)),
    };
    match read {
        Ok(text) => {
            let text = part(&text, offset, PART, "Continue with offset {end}.");
            if skill.foreign { fenced_skill(&skill.id, &text) } else { text }
        }
        Err(why) => json!({"error": {"code": "bad_request", "message": harmless_line(&why)}}).to_string(),
    }
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}
