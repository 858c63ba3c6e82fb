use nova_calls::Secrets;
use nova_registry::harmless_line;
use nova_skill::{Output, ToolError};
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::{Value, json};

use crate::definition::cut;
use crate::limits;

/// Misfits of one result that are said.
const MISFITS: usize = 5;

/// What a server answered, as a result of Nova's: what it structured, else its text, else its parts. `promised` is the
/// schema that it gave for what it structures; what does not fit is said. Nobody vouches for it.
pub(crate) fn output(
    server: &str,
    result: CallToolResult,
    promised: Option<&Value>,
    secrets: &Secrets,
) -> Result<Output, ToolError> {
    let CallToolResult { content, structured_content, is_error, .. } = result;
    if is_error == Some(true) {
        let texts: Vec<&str> =
            content.iter().filter_map(|block| block.as_text()).map(|text| text.text.as_str()).collect();
        let mut said = texts.join(" ");
        if said.is_empty() {
            said = structured_content.map_or_else(|| "no reason given".into(), |said| said.to_string());
        }
        secrets.scrub(&mut said);
        return Err(ToolError::failed(
            format!(
                "{server} says: {}.",
                cut(harmless_line(&said).trim_end_matches('.'), limits::DESCRIPTION)
            ),
            "Change the arguments, or try again later.",
        ));
    }
    let misfit = promised.and_then(|schema| misfit(schema, structured_content.as_ref()));
    let mut value = match (structured_content, content.as_slice()) {
        (Some(structured), content) => {
            let others: Vec<Value> =
                content.iter().filter(|block| !repeats(block, &structured)).map(part).collect();
            match others.as_slice() {
                [] => structured,
                _ => json!({ "result": structured, "content": others }),
            }
        }
        (None, [ContentBlock::Text(text)]) => Value::String(text.text.clone()),
        (None, parts) => Value::Array(parts.iter().map(part).collect()),
    };
    if let Some(misfit) = misfit {
        value = json!({ "result": value, "does_not_fit": misfit });
    }
    secrets.scrub_value(&mut value);
    Ok(Output::new(value).untrusted())
}

/// Why a result is not what its server promised.
fn misfit(schema: &Value, structured: Option<&Value>) -> Option<String> {
    let Some(structured) = structured else {
        return Some("the server promised a structured result and gave none".into());
    };
    let options = jsonschema::options().with_draft(jsonschema::Draft::Draft202012);
    let Ok(validator) = options.build(schema) else {
        return Some("the server promised a structure with a schema that is none".into());
    };
    let misfits: Vec<String> = validator
        .iter_errors(structured)
        .take(MISFITS)
        .map(|error| match error.instance_path().to_string() {
            path if path.is_empty() => error.to_string(),
            path => format!("{path}: {error}"),
        })
        .map(|line| cut(&harmless_line(&line), limits::QUOTE))
        .collect();
    (!misfits.is_empty()).then(|| format!("not what the server promised: {}", misfits.join("; ")))
}

/// A server says what it structured once more as a text, for clients that read only texts.
fn repeats(block: &ContentBlock, structured: &Value) -> bool {
    let ContentBlock::Text(text) = block else { return false };
    serde_json::from_str::<Value>(&text.text).is_ok_and(|said| said == *structured)
}

/// A file is named and not given: a model cannot read its letters.
fn part(block: &ContentBlock) -> Value {
    match block {
        ContentBlock::Text(text) => json!({ "text": text.text }),
        ContentBlock::Image(image) => file("image", &image.mime_type, &image.data),
        ContentBlock::Audio(audio) => file("audio", &audio.mime_type, &audio.data),
        ContentBlock::Resource(embedded) => resource(&embedded.resource),
        ContentBlock::ResourceLink(link) => {
            json!({ "resource": link.uri, "name": link.name, "description": link.description })
        }
        _ => unknown(),
    }
}

pub(crate) fn resource(contents: &ResourceContents) -> Value {
    match contents {
        ResourceContents::TextResourceContents { uri, mime_type, text, .. } => {
            json!({ "resource": uri, "type": mime_type, "text": text })
        }
        ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
            json!({ "resource": uri, "type": mime_type, "bytes": decoded(blob) })
        }
        _ => unknown(),
    }
}

fn unknown() -> Value {
    json!({ "left_out": "a kind of content that Nova does not know" })
}

fn file(what: &str, kind: &str, data: &str) -> Value {
    json!({ "left_out": what, "type": kind, "bytes": decoded(data) })
}

/// How many bytes a base64 text stands for.
fn decoded(base64: &str) -> usize {
    base64.trim_end_matches('=').len() * 3 / 4
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(result: Value) -> Result<Value, String> {
        let result = serde_json::from_value(result).expect("a result");
        let secrets = Secrets::default();
        secrets.add(&"hunter22".into());
        output("fetch", result, None, &secrets).map(|output| output.value).map_err(|error| error.to_string())
    }

    #[test]
    fn each_kind_of_content_has_a_form() {
        for (result, expected) in [
            (json!({"content": [{"type": "text", "text": "a"}]}), json!("a")),
            (json!({"content": []}), json!([])),
            (
                json!({"content": [{"type": "text", "text": "{\"a\": 1}"}], "structuredContent": {"a": 1}}),
                json!({"a": 1}),
            ),
            (
                json!({"content": [{"type": "text", "text": "more"}], "structuredContent": [1]}),
                json!({"result": [1], "content": [{"text": "more"}]}),
            ),
            (
                json!({"content": [
                    {"type": "image", "mimeType": "image/png", "data": "AAAA"},
                    {"type": "audio", "mimeType": "audio/wav", "data": "AA=="},
                    {"type": "resource", "resource": {"uri": "a:b", "mimeType": "text/plain", "text": "c"}},
                    {"type": "resource_link", "uri": "d:e", "name": "f"},
                ]}),
                json!([
                    {"left_out": "image", "type": "image/png", "bytes": 3},
                    {"left_out": "audio", "type": "audio/wav", "bytes": 1},
                    {"resource": "a:b", "type": "text/plain", "text": "c"},
                    {"resource": "d:e", "name": "f", "description": null},
                ]),
            ),
        ] {
            assert_eq!(read(result), Ok(expected));
        }
    }

    #[test]
    fn a_result_that_is_not_what_the_server_promised_says_so() {
        let schema =
            json!({"type": "object", "properties": {"degrees": {"type": "number"}}, "required": ["degrees"]});
        let read = |result: Value| {
            let result = serde_json::from_value(result).expect("a result");
            output("fetch", result, Some(&schema), &Secrets::default()).expect("an output").value
        };
        assert_eq!(read(json!({"structuredContent": {"degrees": 3}})), json!({"degrees": 3}));
        let wrong = read(json!({"structuredContent": {"degrees": "warm"}}));
        let said = r#"not what the server promised: /degrees: "warm" is not of type "number""#;
        assert_eq!(wrong, json!({"result": {"degrees": "warm"}, "does_not_fit": said}));
        let none = read(json!({"content": [{"type": "text", "text": "warm"}]}));
        assert_eq!(none["result"], "warm");
        assert_eq!(none["does_not_fit"], "the server promised a structured result and gave none");
    }

    #[test]
    fn what_is_marked_as_an_error_is_one() {
        let said =
            read(json!({"isError": true, "content": [{"type": "text", "text": "no\nsuch hunter22."}]}));
        assert_eq!(said, Err("fetch says: no such [REDACTED].".into()));
        assert_eq!(read(json!({"isError": true, "content": []})), Err("fetch says: no reason given.".into()));
    }

    #[test]
    fn a_secret_that_a_server_was_given_does_not_come_back() {
        let said = read(json!({"structuredContent": {"env": ["A=hunter22"], "hunter22": 1}}));
        assert_eq!(said, Ok(json!({"env": ["A=[REDACTED]"], "[REDACTED]": 1})));
    }
}
