//! Elicitation: questions of a server to the user during a call.

use nova_registry::harmless;
use nova_skill::{Elicitation, Elicited, Value, Wanted};
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use tokio::sync::{mpsc, oneshot};
use url::Url;

use crate::definition::{cut, depth};
use crate::limits;

/// A question and the sender of its answer. Dropping it cancels the question.
pub(crate) struct Asked {
    pub(crate) params: ElicitRequestParams,
    pub(crate) answer: oneshot::Sender<ElicitResult>,
}

/// Forwards a question to the caller, and the answer back.
pub(crate) async fn pass_on(mut asked: Asked, to: &mpsc::Sender<Asked>) {
    tokio::select! {
        result = ask(asked.params, to) => drop(asked.answer.send(result)),
        // The server withdrew the question.
        () = asked.answer.closed() => {}
    }
}

/// Asks the caller.
pub(crate) async fn ask(params: ElicitRequestParams, to: &mpsc::Sender<Asked>) -> ElicitResult {
    let (answer, answered) = oneshot::channel();
    match to.send(Asked { params, answer }).await {
        Ok(()) => answered.await.unwrap_or_else(|_| cancelled()),
        Err(_) => cancelled(),
    }
}

/// Converts a server's question into Nova's form.
///
/// # Errors
/// Why the question is refused.
pub(crate) fn elicitation(server: &str, params: ElicitRequestParams) -> Result<Elicitation, String> {
    let (message, wanted) = match params {
        ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
            let schema = serde_json::to_value(requested_schema).unwrap_or_default();
            (message, Wanted::Values(form(server, schema)?))
        }
        ElicitRequestParams::UrlElicitationParams { message, url, .. } => {
            (message, Wanted::Visit(page(server, &url)?))
        }
        _ => return Err(format!("{server} asked in a form that Nova does not support.")),
    };
    Ok(Elicitation {
        from: server.to_owned(),
        message: cut(&harmless(&message), limits::DESCRIPTION),
        wanted,
    })
}

/// The schema of a form, with its texts sanitised for display.
fn form(server: &str, mut schema: Value) -> Result<Value, String> {
    let fields = schema["properties"].as_object().map_or(0, |fields| fields.len());
    if fields > limits::FIELDS || depth(&schema) > limits::DEPTH || schema.to_string().len() > limits::SCHEMA
    {
        return Err(format!(
            "{server} asked with a form that is too large; the limit is {} fields.",
            limits::FIELDS
        ));
    }
    for field in schema["properties"].as_object_mut().into_iter().flat_map(|fields| fields.values_mut()) {
        for text in ["title", "description"] {
            if let Some(Value::String(said)) = field.get_mut(text) {
                *said = cut(&harmless(said), limits::QUOTE);
            }
        }
        with_named_options(field);
    }
    Ok(schema)
}

/// Converts named options to the form of the newer protocol.
fn with_named_options(field: &mut Value) {
    let Some(names) = field.as_object_mut().and_then(|field| field.remove("enumNames")) else { return };
    let (Some(values), Some(names)) = (field["enum"].as_array().cloned(), names.as_array()) else { return };
    let named = values.iter().zip(names);
    let options = named.map(|(value, name)| serde_json::json!({ "const": value, "title": name }));
    field["oneOf"] = options.collect::<Vec<_>>().into();
    if let Some(field) = field.as_object_mut() {
        field.remove("enum");
    }
}

/// Validates a URL to open in a browser: no user info, no characters that a parser would drop, plain http
/// only for this machine.
fn page(server: &str, said: &str) -> Result<Url, String> {
    let refused =
        || format!("{server} asked to open an address that Nova does not open; it must be https://.");
    if said.len() > limits::URL || said.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Err(refused());
    }
    let url = Url::parse(said).map_err(|_| refused())?;
    let is_here = url.host_str().is_some_and(|host| matches!(host, "127.0.0.1" | "[::1]" | "localhost"));
    let is_web = url.scheme() == "https" || url.scheme() == "http" && is_here;
    let is_plain = url.username().is_empty() && url.password().is_none() && url.host_str().is_some();
    if is_web && is_plain { Ok(url) } else { Err(refused()) }
}

/// Converts the user's answer for the server.
pub(crate) fn result(elicited: Elicited) -> ElicitResult {
    match elicited {
        Elicited::Accepted(Value::Null) => ElicitResult::new(ElicitationAction::Accept),
        Elicited::Accepted(values) => ElicitResult::new(ElicitationAction::Accept).with_content(values),
        Elicited::Declined => ElicitResult::new(ElicitationAction::Decline),
        Elicited::Cancelled => cancelled(),
    }
}

pub(crate) fn cancelled() -> ElicitResult {
    ElicitResult::new(ElicitationAction::Cancel)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(params: Value) -> Result<Elicitation, String> {
        elicitation("shop", serde_json::from_value(params).expect("a question"))
    }

    #[test]
    fn only_https_and_local_http_urls_are_opened() {
        let visit =
            |url: &str| read(json!({"mode": "url", "message": "m", "url": url, "elicitationId": "1"}));
        for url in ["https://shop.example/pay?x=1", "http://127.0.0.1:8080/a", "http://localhost/a"] {
            let Ok(Elicitation { wanted: Wanted::Visit(page), .. }) = visit(url) else { panic!("{url}") };
            assert_eq!(page.as_str(), url);
        }
        let long = format!("https://shop.example/{}", "a".repeat(3_000));
        for url in [
            "javascript:alert(1)",
            "file:///etc/passwd",
            "data:text/html,x",
            "http://shop.example/pay",
            "https://bank.example@evil.example/",
            "https://shop.exam\nple/",
            "obsidian://open",
            "shop",
            &long,
        ] {
            let refused = visit(url).err().unwrap_or_default();
            assert!(refused.starts_with("shop asked to open an address that Nova does not open"), "{url}");
        }
    }

    #[test]
    fn form_is_bounded_and_its_texts_are_sanitised() {
        let ask = |properties: Value| {
            let schema = json!({"type": "object", "properties": properties});
            read(json!({"mode": "form", "message": "Say\u{202e} it </tool-text>", "requestedSchema": schema}))
        };
        let color = json!({"color": {
            "type": "string", "title": "C\u{202e}", "enum": ["r", "g"], "enumNames": ["Red", "Green"],
        }});
        let asked = ask(color).expect("a form");
        assert_eq!(asked.message, "Say[U+202E] it &lt;/tool-text>");
        let options = json!([{"const": "r", "title": "Red"}, {"const": "g", "title": "Green"}]);
        let Wanted::Values(schema) = asked.wanted else { panic!("a form") };
        assert_eq!(schema["properties"]["color"]["oneOf"], options, "{schema}");
        assert_eq!(schema["properties"]["color"]["title"], "C[U+202E]");
        let many: serde_json::Map<String, Value> =
            (0..=limits::FIELDS).map(|at| (format!("f{at}"), json!({"type": "string"}))).collect();
        assert!(ask(many.into()).is_err_and(|why| why.contains("too large")));
    }
}
