use std::collections::HashSet;

use serde_json::Value;

/// Returns the errors of a chat request's body by the rules of providers; empty if it is valid.
///
/// Checks for a model and at least one message; a single system message, which must be first; known roles;
/// text where required; valid and unique tool names; for every call of an assistant exactly one output
/// directly after it, and no output without a call; arguments that are the text of a JSON object; and
/// streaming.
pub fn check_request(body: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    if body["model"].as_str().is_none_or(str::is_empty) {
        faults.push("no model is named".to_owned());
    }
    if body["stream"] != true {
        faults.push("no stream is asked for".to_owned());
    }
    check_tools(body, &mut faults);
    match body["messages"].as_array() {
        Some(messages) if !messages.is_empty() => {
            check_messages(messages, &mut faults);
            check_loads(body, messages, &mut faults);
        }
        _ => faults.push("there are no messages".to_owned()),
    }
    faults
}

fn check_tools(body: &Value, faults: &mut Vec<String>) {
    let mut names = HashSet::new();
    match &body["tools"] {
        Value::Null => {}
        Value::Array(tools) if !tools.is_empty() => {
            for tool in tools {
                let name = tool["function"]["name"].as_str().unwrap_or_default();
                if tool["type"] != "function" {
                    faults.push(format!("the tool {name:?} is not of the type function"));
                }
                if !is_legal_name(name) {
                    faults.push(format!("{name:?} is not a legal tool name"));
                }
                if !names.insert(name) {
                    faults.push(format!("the tool {name} is there twice"));
                }
                if tool["function"]["parameters"]["type"] != "object" {
                    faults.push(format!("the parameters of {name} are not an object"));
                }
            }
        }
        _ => faults.push("tools is not a list with tools in it".to_owned()),
    }
}

/// Checks that outputs load only deferred tools.
fn check_loads(body: &Value, messages: &[Value], faults: &mut Vec<String>) {
    let tools = body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    let deferred = |name: &Value| {
        tools.iter().any(|tool| tool["defer_loading"] == true && tool["function"]["name"] == *name)
    };
    if !tools.is_empty() && tools.iter().all(|tool| tool["defer_loading"] == true) {
        faults.push("every tool is deferred".to_owned());
    }
    for message in messages {
        for name in message["loads"].as_array().into_iter().flatten().filter(|name| !deferred(name)) {
            faults.push(format!("an output loads {name}, which is no deferred tool"));
        }
    }
}

fn check_messages(messages: &[Value], faults: &mut Vec<String>) {
    // Calls of the last assistant message without an output so far.
    let mut open: Vec<&str> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        if role != "tool" && !open.is_empty() {
            faults.push(format!("message {at} ({role}) comes before the output of {}", open.join(", ")));
            open.clear();
        }
        let has_text = message["content"].is_string();
        let says_something = has_text || has_parts(&message["content"]);
        match role {
            "system" if at > 0 => faults.push(format!("message {at} is a system message after the first")),
            "system" if has_text => {}
            "user" if says_something => {}
            "tool" => {
                let id = message["tool_call_id"].as_str().unwrap_or_default();
                match open.iter().position(|call| *call == id) {
                    Some(found) => {
                        open.remove(found);
                    }
                    None => faults
                        .push(format!("message {at} is an output for {id:?}, which is not an open call")),
                }
                if !has_text {
                    faults.push(format!("message {at} is an output without text"));
                }
            }
            "assistant" => {
                let calls = message["tool_calls"].as_array();
                if calls.is_some_and(Vec::is_empty) {
                    faults.push(format!("message {at} has an empty list of calls"));
                }
                if calls.is_none() && !has_text {
                    faults.push(format!("message {at} has neither text nor calls"));
                }
                for call in calls.into_iter().flatten() {
                    check_call(at, call, &mut open, faults);
                }
            }
            "system" | "user" => faults.push(format!("message {at} ({role}) has no text")),
            other => faults.push(format!("message {at} has the unknown role {other:?}")),
        }
    }
    if !open.is_empty() {
        faults.push(format!("the history ends without the output of {}", open.join(", ")));
    }
}

/// Whether it consists of texts and images, as in a user's message.
fn has_parts(content: &Value) -> bool {
    let is_part = |part: &Value| match part["type"].as_str() {
        Some("text") => part["text"].is_string(),
        Some("image_url") => {
            let address = part["image_url"]["url"].as_str().unwrap_or_default();
            address.starts_with("data:image/") && address.contains(";base64,")
        }
        _ => false,
    };
    content.as_array().is_some_and(|parts| !parts.is_empty() && parts.iter().all(is_part))
}

fn check_call<'a>(at: usize, call: &'a Value, open: &mut Vec<&'a str>, faults: &mut Vec<String>) {
    let id = call["id"].as_str().unwrap_or_default();
    let name = call["function"]["name"].as_str().unwrap_or_default();
    if id.is_empty() || open.contains(&id) {
        faults.push(format!("message {at}: a call has the id {id:?}, empty or used before"));
    }
    if call["type"] != "function" {
        faults.push(format!("message {at}: the call {id} is not of the type function"));
    }
    if !is_legal_name(name) {
        faults.push(format!("message {at}: {name:?} is not a legal tool name"));
    }
    let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
    if !matches!(serde_json::from_str(arguments), Ok(Value::Object(_))) {
        faults.push(format!("message {at}: the arguments of {id} are not a JSON object: {arguments}"));
    }
    open.push(id);
}

/// `^[A-Za-z0-9_-]{1,64}$`
fn is_legal_name(name: &str) -> bool {
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=64).contains(&name.len()) && name.bytes().all(legal)
}
