use nova_registry::{compile_schema, harmless_line, violations};
use nova_skill::{Output, ToolError};
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::{Value, json};

use crate::definition::cut;
use crate::limits;
use crate::media::{self, Media};

/// Images of one result that are shown to a model.
const IMAGES: usize = 4;
/// Schema violations of one result that are reported.
const MISFITS: usize = 5;

/// Converts a server's result: its structured content, otherwise its text, otherwise its parts. Violations of
/// the tool's output schema `promised` are reported in it. The output is untrusted.
pub(crate) fn output(
    server: &str,
    result: CallToolResult,
    promised: Option<&Value>,
    media: &Media,
) -> Result<Output, ToolError> {
    let CallToolResult { content, structured_content, is_error, .. } = result;
    if is_error == Some(true) {
        let texts: Vec<&str> =
            content.iter().filter_map(|block| block.as_text()).map(|text| text.text.as_str()).collect();
        let mut said = texts.join(" ");
        if said.is_empty() {
            said = structured_content.map_or_else(|| "no reason given".into(), |said| said.to_string());
        }
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
            let others: Vec<Value> = content
                .iter()
                .filter(|block| !repeats(block, &structured))
                .map(|block| part(block, media))
                .collect();
            match others.as_slice() {
                [] => structured,
                _ => json!({ "result": structured, "content": others }),
            }
        }
        (None, [ContentBlock::Text(text)]) => Value::String(text.text.clone()),
        (None, parts) => Value::Array(parts.iter().map(|block| part(block, media)).collect()),
    };
    if let Some(misfit) = misfit {
        value = json!({ "result": value, "does_not_fit": misfit });
    }
    let images = content.iter().filter_map(|block| match block {
        ContentBlock::Image(image) => media::decode(&image.data),
        _ => None,
    });
    let output = Output::new(value).untrusted();
    Ok((1..)
        .zip(images.take(IMAGES))
        .fold(output, |output, (at, bytes)| output.image(format!("image {at}"), bytes)))
}

/// Why a result does not match the tool's output schema.
fn misfit(schema: &Value, structured: Option<&Value>) -> Option<String> {
    let Some(structured) = structured else {
        return Some("the server promised a structured result and gave none".into());
    };
    let Ok(validator) = compile_schema(schema) else {
        return Some("the server promised a structure with an invalid schema".into());
    };
    let misfits: Vec<String> = violations(&validator, schema, structured, MISFITS)
        .into_iter()
        .map(|(path, rule)| if path.is_empty() { rule } else { format!("{path}: {rule}") })
        .map(|line| cut(&harmless_line(&line), limits::QUOTE))
        .collect();
    (!misfits.is_empty()).then(|| format!("not what the server promised: {}", misfits.join("; ")))
}

/// Servers repeat structured content as text for clients without support for it.
fn repeats(block: &ContentBlock, structured: &Value) -> bool {
    let ContentBlock::Text(text) = block else { return false };
    serde_json::from_str::<Value>(&text.text).is_ok_and(|said| said == *structured)
}

/// A binary part is only named, as a model cannot use its data. `media` retains it for the window.
fn part(block: &ContentBlock, media: &Media) -> Value {
    match block {
        ContentBlock::Text(text) => json!({ "text": text.text }),
        ContentBlock::Image(image) => file("image", &image.mime_type, &image.data, media),
        ContentBlock::Audio(audio) => file("audio", &audio.mime_type, &audio.data, media),
        ContentBlock::Resource(embedded) => resource(&embedded.resource, media),
        ContentBlock::ResourceLink(link) => {
            json!({ "resource": link.uri, "name": link.name, "description": link.description })
        }
        _ => unknown(),
    }
}

/// Content as text for the user; other content is named.
pub(crate) fn said(block: &ContentBlock) -> String {
    let left_out = |what: &str, kind: &str, data: &str| {
        format!("[{what} left out: {}, {} bytes]", cut(&harmless_line(kind), limits::NAME), decoded(data))
    };
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => left_out("image", &image.mime_type, &image.data),
        ContentBlock::Audio(audio) => left_out("audio", &audio.mime_type, &audio.data),
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => format!("{uri}:\n{text}"),
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                format!("{uri}: {}", left_out("file", mime_type.as_deref().unwrap_or("unknown"), blob))
            }
            _ => "[left out: an unknown kind of content]".into(),
        },
        ContentBlock::ResourceLink(link) => format!("{}: {}", link.name, link.uri),
        _ => "[left out: an unknown kind of content]".into(),
    }
}

pub(crate) fn resource(contents: &ResourceContents, media: &Media) -> Value {
    match contents {
        ResourceContents::TextResourceContents { uri, mime_type, text, .. } => {
            json!({ "resource": uri, "type": mime_type, "text": text })
        }
        ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
            let kind = mime_type.as_deref().unwrap_or("application/octet-stream");
            with_media(
                json!({ "resource": uri, "type": mime_type, "bytes": decoded(blob) }),
                kind,
                blob,
                media,
            )
        }
        _ => unknown(),
    }
}

fn unknown() -> Value {
    json!({ "left_out": "an unknown kind of content" })
}

fn file(what: &str, kind: &str, data: &str, media: &Media) -> Value {
    with_media(json!({ "left_out": what, "type": kind, "bytes": decoded(data) }), kind, data, media)
}

/// Adds the id by which the window finds it.
fn with_media(mut part: Value, kind: &str, data: &str, media: &Media) -> Value {
    if let Some(id) = media.keep(kind, data) {
        part["media"] = id.into();
    }
    part
}

/// Decoded size of a base64 text, in bytes.
fn decoded(base64: &str) -> usize {
    base64.trim_end_matches('=').len() * 3 / 4
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(result: Value) -> Result<Value, String> {
        let result = serde_json::from_value(result).expect("a result");
        output("fetch", result, None, &Media::default())
            .map(|output| output.value)
            .map_err(|error| error.to_string())
    }

    fn id(bytes: &[u8]) -> String {
        blake3::hash(bytes).to_hex()[..32].to_owned()
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
                    {"left_out": "image", "type": "image/png", "bytes": 3, "media": id(&[0, 0, 0])},
                    {"left_out": "audio", "type": "audio/wav", "bytes": 1, "media": id(&[0])},
                    {"resource": "a:b", "type": "text/plain", "text": "c"},
                    {"resource": "d:e", "name": "f", "description": null},
                ]),
            ),
        ] {
            assert_eq!(read(result), Ok(expected));
        }
    }

    #[test]
    fn images_of_a_result_are_shown_to_the_model() {
        let image = json!({"type": "image", "mimeType": "image/png", "data": "AAAA"});
        let odd = json!({"type": "image", "mimeType": "image/png", "data": "no base64!"});
        let result = json!({"content": [odd, image, image, image, image, image]});
        let result = serde_json::from_value(result).expect("a result");
        let output = output("fetch", result, None, &Media::default()).expect("an output");
        let shown: Vec<_> =
            output.images.iter().map(|image| (image.name.as_str(), image.bytes.len())).collect();
        assert_eq!(shown, [("image 1", 3), ("image 2", 3), ("image 3", 3), ("image 4", 3)]);
    }

    #[test]
    fn violation_of_the_output_schema_is_reported() {
        let schema =
            json!({"type": "object", "properties": {"degrees": {"type": "number"}}, "required": ["degrees"]});
        let read = |result: Value| {
            let result = serde_json::from_value(result).expect("a result");
            output("fetch", result, Some(&schema), &Media::default()).expect("an output").value
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
    fn result_marked_as_an_error_is_an_error() {
        let said = read(json!({"isError": true, "content": [{"type": "text", "text": "no\nsuch page."}]}));
        assert_eq!(said, Err("fetch says: no such page.".into()));
        assert_eq!(read(json!({"isError": true, "content": []})), Err("fetch says: no reason given.".into()));
    }
}
