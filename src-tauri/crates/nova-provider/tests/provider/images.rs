//! Images in a message.

use nova_provider::{ChatRequest, Image, Message, ProviderSettings, connect};
use serde_json::{Value, json};

use crate::support::{Reply, Server, ask_with, request, settings};

/// A complete GIF of one pixel.
const GIF: &[u8] =
    b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x01D\0;";
/// The same in base64, as sent in every dialect.
const BASE64: &str = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

fn shows(content: &str) -> ChatRequest {
    let images = vec![Image::read(GIF).unwrap()];
    ChatRequest { messages: vec![Message::User { content: content.into(), images }], ..request() }
}

fn encoded(kind: &str, request: &ChatRequest) -> String {
    String::from_utf8(connect(kind, ProviderSettings::new("test")).unwrap().encode(request)).unwrap()
}

fn request_of(kind: &str, content: &str) -> Value {
    serde_json::from_str(&encoded(kind, &shows(content))).unwrap()
}

fn messages(kind: &str, content: &str) -> Value {
    request_of(kind, content)["messages"].clone()
}

#[test]
fn each_dialect_encodes_images() {
    let address = format!("data:image/gif;base64,{BASE64}");
    let image = json!({"type": "image_url", "image_url": {"url": address}});
    let text = json!({"type": "text", "text": "What is this?"});
    assert_eq!(messages("openai", "What is this?"), json!([{"role": "user", "content": [text, image]}]));
    assert_eq!(messages("openai", ""), json!([{"role": "user", "content": [image]}]));

    let source = json!({"type": "base64", "media_type": "image/gif", "data": BASE64});
    let image = json!({"type": "image", "source": source});
    assert_eq!(messages("anthropic", "What is this?"), json!([{"role": "user", "content": [image, text]}]));
    assert_eq!(messages("anthropic", " "), json!([{"role": "user", "content": [image]}]));

    let image = json!({"type": "input_image", "detail": "auto", "image_url": address});
    let text = json!({"type": "input_text", "text": "What is this?"});
    let input = |content| request_of("openai_responses", content)["input"][0]["content"].clone();
    assert_eq!(input("What is this?"), json!([text, image]));
    assert_eq!(input(""), json!([image]));

    let image = json!({"inlineData": {"mimeType": "image/gif", "data": BASE64}});
    let parts = |content| request_of("gemini", content)["contents"][0]["parts"].clone();
    assert_eq!(parts("What is this?"), json!([image, {"text": "What is this?"}]));
    assert_eq!(parts(" "), json!([image]));

    let sent = json!([{"role": "user", "content": "What is this?", "images": [BASE64]}]);
    assert_eq!(messages("ollama", "What is this?"), sent);
}

#[test]
fn longer_conversation_with_images_starts_with_the_shorter() {
    for (kind, after) in [
        ("openai", "]}"),
        ("openai_responses", "]}"),
        ("anthropic", "],\"max_tokens\""),
        ("gemini", "]}"),
        ("ollama", "],\"truncate\""),
    ] {
        let shorter = shows("What is this?");
        let mut longer = shorter.clone();
        longer.messages.extend(shows("And this?").messages);
        let shorter = encoded(kind, &shorter);
        let prefix = shorter.rsplit_once(after).unwrap().0;
        assert!(encoded(kind, &longer).starts_with(prefix), "{kind}");
    }
}

#[test]
fn large_image_does_not_enlarge_ollamas_context() {
    let mut large = GIF.to_vec();
    large.resize(Image::MOST_BYTES, 0);
    let images = vec![Image::read(&large).unwrap()];
    let request = ChatRequest { messages: vec![Message::User { content: "x".into(), images }], ..request() };
    let body: Value = serde_json::from_str(&encoded("ollama", &request)).unwrap();
    assert_eq!(body["options"]["num_ctx"], 16_384);
}

#[tokio::test]
async fn refusal_of_images_is_recognised() {
    for (kind, status, said) in [
        ("openai", "404 Not Found", r#"{"error":{"message":"No endpoints found that support image input"}}"#),
        (
            "openai",
            "400 Bad",
            r#"{"error":{"message":"m is not a multimodal model","type":"BadRequestError"}}"#,
        ),
        (
            "openai",
            "500 No",
            r#"{"error":{"message":"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"}}"#,
        ),
        ("openai", "422 No", r#"{"detail":"messages[0]: unknown variant `image_url`, expected `text`"}"#),
        (
            "anthropic",
            "400 Bad",
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"This model does not support images."}}"#,
        ),
        (
            "openai_responses",
            "400 Bad",
            r#"{"error":{"message":"Image inputs are not supported by this model.","type":"invalid_request_error"}}"#,
        ),
        (
            "gemini",
            "400 Bad",
            r#"{"error":{"code":400,"message":"Image input modality is not enabled for models/m","status":"INVALID_ARGUMENT"}}"#,
        ),
    ] {
        let server = Server::start(vec![Reply::new(status, "", said); 3]).await;
        let provider = connect(kind, settings(&server)).unwrap();
        let error = ask_with(&*provider, &shows("What is this?")).await.unwrap_err();
        assert_eq!(error.code().as_str(), "model_without_images", "{said}");
        assert_eq!(error.to_string(), "`m` of test cannot read images");
        // Any other refusal is reported as the server words it.
        let error = ask_with(&*provider, &request()).await.unwrap_err();
        assert_ne!(error.code().as_str(), "model_without_images", "{said}");
    }
}

#[tokio::test]
async fn too_large_images_are_not_too_many_tokens() {
    let too_large = r#"{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}"#;
    let too_long = r#"{"error":{"message":"This model's maximum context length is 8192 tokens."}}"#;
    for (kind, said, code) in [
        ("openai", "", "provider_failed"),
        ("anthropic", too_large, "provider_failed"),
        ("openai", too_long, "context_too_small"),
    ] {
        let server = Server::start(vec![Reply::new("413 Large", "", said); 3]).await;
        let provider = connect(kind, settings(&server)).unwrap();
        let error = ask_with(&*provider, &shows("What is this?")).await.unwrap_err();
        assert_eq!(error.code().as_str(), code, "{said}");
        // Without images, the bytes are those of the text.
        let error = ask_with(&*provider, &request()).await.unwrap_err();
        assert_eq!(error.code().as_str(), "context_too_small", "{said}");
    }
}

#[tokio::test]
async fn ollama_model_without_vision_gets_no_image() {
    let shown = Reply::new("200 OK", "", r#"{"capabilities":["completion","tools"]}"#);
    let server = Server::start([shown]).await;
    let provider =
        connect("ollama", ProviderSettings { base_url: Some(server.address.clone()), ..settings(&server) });
    let error = ask_with(&*provider.unwrap(), &shows("What is this?")).await.unwrap_err();
    assert_eq!(error.code().as_str(), "model_without_images");
    assert_eq!(server.requests().len(), 1, "only its capabilities were requested");
}
