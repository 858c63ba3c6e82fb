//! Skill folders and their parts of a request. The folders and the watcher are real; a line-based host reads
//! the tool files.

use std::fs;

use nova_app::App;
use nova_protocol::Event;
use nova_testkit::{Answer, PATIENCE};
use serde_json::{Value, json};

use super::nova::{Nova, PEOPLE};

/// Writes a skill folder with tools that return a fixed text.
pub(crate) fn skill(nova: &Nova, id: &str, tools: &[&str]) {
    let folder = nova.config().join("skills").join(id);
    fs::create_dir_all(folder.join("tools")).unwrap();
    let body = format!("---\nname: {id}\ndescription: Does {id} things.\n---\n\nThe instructions of {id}.\n");
    fs::write(folder.join("SKILL.md"), body).unwrap();
    for tool in tools {
        let lines =
            format!("name: {tool}\ndescription: The {tool} of {id}.\neffect: read\ngives: {id} did it\n");
        fs::write(folder.join("tools").join(format!("{tool}.ts")), lines).unwrap();
    }
}

/// Adds a key to the standard settings.
pub(crate) fn setting(nova: &Nova, key: &str, value: Value) {
    let file = nova.config().join("nova.config.json");
    let mut settings: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    settings[key] = value;
    fs::write(file, settings.to_string()).unwrap();
}

pub(crate) async fn started(nova: &Nova) -> App {
    let app = nova.start().await;
    app.watch();
    app.tools_loaded(PATIENCE).await;
    app
}

/// The names of the tools in a request.
pub(crate) fn offered(request: &Value) -> Vec<String> {
    let name = |tool: &Value| tool["function"]["name"].as_str().unwrap().to_owned();
    request["tools"].as_array().unwrap().iter().map(name).collect()
}

/// The parts of a request in the order of the providers' prefix caches.
pub(crate) fn parts(request: &Value) -> Vec<String> {
    let tools = request["tools"].as_array().into_iter().flatten();
    // A deferred tool counts where a message loads it.
    let tools = tools.filter(|tool| tool["defer_loading"] != true).map(Value::to_string);
    tools.chain(request["messages"].as_array().unwrap().iter().map(Value::to_string)).collect()
}

pub(crate) fn all_text(request: &Value) -> String {
    request["messages"].to_string()
}

pub(crate) fn activations(events: &[Event]) -> Vec<String> {
    let told = events.iter().filter_map(|event| match event {
        Event::SkillActivated { skill, by, .. } => Some(format!("+{skill} {by:?}")),
        Event::SkillDeactivated { skill, by } => Some(format!("-{skill} {by:?}")),
        _ => None,
    });
    told.collect()
}

/// A mail skill that is active for one turn, and a model that loads it.
pub(crate) fn post(answers: impl IntoIterator<Item = Answer>) -> Nova {
    let nova = Nova::new(PEOPLE, answers);
    skill(&nova, "post", &["list", "read", "send"]);
    setting(&nova, "skills", json!({"post": {"lifetime": "turn"}}));
    setting(&nova, "router", json!(false));
    nova
}
