//! Lists models, and detects local servers.

use nova_provider::{ModelInfo, ModelLookup, connect, detect, is_same_model};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::support::{Reply, Server, provider, settings};

fn model(id: &str, context: Option<u64>, runs_at: Option<&str>) -> ModelInfo {
    ModelInfo { id: id.into(), context, tools: None, images: None, runs_at: runs_at.map(str::to_owned) }
}

const TAGS: &str = r#"{"models":[{"name":"qwen3:8b","model":"qwen3:8b","size":1},
    {"name":"gpt-oss:120b-cloud","remote_model":"gpt-oss:120b","remote_host":"https://ollama.com:443"}]}"#;

fn tags() -> Vec<ModelInfo> {
    vec![model("qwen3:8b", None, None), model("gpt-oss:120b-cloud", None, Some("https://ollama.com:443"))]
}

#[tokio::test]
async fn models_are_listed() {
    let listing = r#"{"object":"list","data":[{"id":"b","context_length":8192},{"id":"a","max_model_len":4096},{"object":"model"}]}"#;
    let bare = r#"[{"id":"c","context_window":1}]"#;
    let no_ollama = Reply::new("404 Not Found", "", "");
    let lists =
        [Reply::new("200 OK", "", listing), no_ollama.clone(), Reply::new("200 OK", "", bare), no_ollama];
    let server = Server::start(lists).await;
    let provider = provider(&server);
    assert_eq!(
        provider.models().await.unwrap(),
        [model("b", Some(8192), None), model("a", Some(4096), None)]
    );
    assert_eq!(provider.models().await.unwrap(), [model("c", Some(1), None)]);
    assert!(server.requests()[0].starts_with("GET /v1/models HTTP/1.1\r\n"));
}

#[tokio::test]
async fn invalid_list_is_an_error() {
    for said in ["", "<html>", "{}", r#"{"data":7}"#] {
        let server = Server::start([Reply::new("200 OK", "", said)]).await;
        assert_eq!(
            provider(&server).models().await.unwrap_err().code().as_str(),
            "provider_bad_response",
            "{said}"
        );
    }
}

#[tokio::test]
async fn ollama_is_detected_with_models_and_capabilities() {
    let can =
        r#"{"capabilities":["completion","tools","vision"],"model_info":{"qwen3.context_length":40960}}"#;
    let cannot = r#"{"capabilities":["completion"]}"#;
    // Two models are queried concurrently, so both get the same response here.
    for (said, context, tools) in [(can, Some(40_960), Some(true)), (cannot, None, Some(false))] {
        let said = Reply::new("200 OK", "", said);
        let server = Server::start([Reply::new("200 OK", "", TAGS), said.clone(), said]).await;
        let mut expected = tags();
        expected.iter_mut().for_each(|model| {
            (model.context, model.tools, model.images) = (context, tools, tools);
        });
        assert_eq!(detect("ollama", &server.address).await.unwrap(), expected);
        assert!(server.requests()[0].starts_with("GET /api/tags HTTP/1.1\r\n"));
    }
}

#[tokio::test]
async fn ollama_without_capabilities_is_detected() {
    let not_there = Reply::new("404 Not Found", "", "");
    let server = Server::start([Reply::new("200 OK", "", TAGS), not_there.clone(), not_there]).await;
    assert_eq!(detect("ollama", &server.address).await.unwrap(), tags());
}

#[tokio::test]
async fn detects_openai_compatible_servers_and_their_own_apis() {
    let listing = |owner: &str| {
        Reply::new("200 OK", "", &format!(r#"{{"data":[{{"id":"qwen3","owned_by":"{owner}"}}]}}"#))
    };
    let found = |context, tools, images| [ModelInfo { tools, images, ..model("qwen3", context, None) }];

    // An unidentified server could be an Ollama, so it is queried once.
    let no_ollama = Reply::new("404 Not Found", "", "");
    let server = Server::start([listing("nobody-knows"), no_ollama]).await;
    let address = format!("{}/v1", server.address);
    assert_eq!(detect("openai", &address).await.unwrap(), found(None, None, None));
    assert_eq!(server.requests().len(), 2);

    let more = r#"{"data":[{"id":"qwen3","type":"llm","max_context_length":32768}]}"#;
    let server = Server::start([listing("organization_owner"), Reply::new("200 OK", "", more)]).await;
    let address = format!("{}/v1", server.address);
    assert_eq!(detect("openai", &address).await.unwrap(), found(Some(32_768), None, Some(false)));
    assert!(server.requests()[1].starts_with("GET /api/v0/models HTTP/1.1\r\n"), "{:?}", server.requests());

    let more =
        r#"{"default_generation_settings":{"n_ctx":8192},"chat_template_caps":{"supports_tools":false}}"#;
    let server = Server::start([listing("llamacpp"), Reply::new("200 OK", "", more)]).await;
    let address = format!("{}/v1", server.address);
    assert_eq!(detect("openai", &address).await.unwrap(), found(Some(8_192), Some(false), None));
    assert!(server.requests()[1].starts_with("GET /props HTTP/1.1\r\n"), "{:?}", server.requests());
}

#[tokio::test]
async fn missing_server_is_reported_quickly() {
    for kind in ["ollama", "openai"] {
        let silent = Server::start([Reply::events("").cut(0).held()]).await;
        let error = detect(kind, &silent.address).await.unwrap_err();
        assert_eq!(error.to_string(), "No answer from the model for 1 s");

        let other = Server::start([Reply::new("200 OK", "", r#"{"hello":1}"#)]).await;
        let error = detect(kind, &other.address).await.unwrap_err();
        assert_eq!(error.code().as_str(), "provider_bad_response");

        let nobody = {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            format!("http://{}", listener.local_addr().unwrap())
        };
        let error = detect(kind, &nobody).await.unwrap_err();
        assert_eq!(error.code().as_str(), "provider_unreachable");
    }
}

#[tokio::test]
async fn ollama_reports_remote_models_in_every_dialect() {
    let listing = r#"{"data":[{"id":"qwen3:8b","owned_by":"library"},{"id":"gpt-oss:120b-cloud","owned_by":"library"}],
        "models":[{"name":"models/qwen3:8b"},{"name":"models/gpt-oss:120b-cloud"}]}"#;
    for (kind, address) in [
        ("openai", "/v1"),
        ("openai", ""),
        ("openai", "/some/proxy/v1"),
        ("openai_responses", "/v1"),
        ("anthropic", "/v1"),
        ("gemini", "/v1beta"),
    ] {
        let lists = [Reply::new("200 OK", "", listing), Reply::new("200 OK", "", TAGS)];
        let server = Server::start(lists).await;
        let found = detect(kind, &format!("{}{address}", server.address)).await.unwrap();
        assert_eq!(found, tags(), "{kind} {address}");
        assert!(server.requests()[1].starts_with("GET /api/tags HTTP/1.1\r\n"), "{:?}", server.requests());
    }
}

/// Where the model runs according to a server with these replies, addressed in OpenAI's dialect; `None` if it
/// does not have the model.
async fn place(replies: &[Reply], model: &str) -> Option<Option<String>> {
    let server = Server::start(replies.to_vec()).await;
    match provider(&server).model(model, &CancellationToken::new()).await.unwrap() {
        ModelLookup::Found(found) => Some(found.runs_at),
        ModelLookup::Missing => None,
        ModelLookup::NotForwarding => panic!("an Ollama server"),
    }
}

#[tokio::test]
async fn location_is_found_by_every_name_of_a_model() {
    let ok = |body: &str| Reply::new("200 OK", "", body);
    let elsewhere = Some(Some("https://ollama.com:443".to_owned()));
    for name in ["gpt-oss:120b-cloud", "GPT-OSS:120b-Cloud"] {
        assert_eq!(place(&[ok(TAGS)], name).await, elsewhere.clone(), "{name}");
    }
    assert_eq!(place(&[ok(TAGS)], "qwen3:8b").await, Some(None));
    // A longer name that is not in its list.
    let shown = ok(r#"{"remote_host":"https://ollama.com:443"}"#);
    assert_eq!(place(&[ok(TAGS), shown], "library/big").await, None);
    assert_eq!(place(&[ok(TAGS), ok("{}")], "library/qwen3:8b").await, Some(None));
    // An unlisted model of its cloud, and a missing model.
    assert_eq!(place(&[ok(TAGS), ok("{}")], "glm-5:cloud").await, None);
    let unknown = Reply::new("404 Not Found", "", r#"{"error":"model 'x' not found"}"#);
    assert_eq!(place(&[ok(TAGS), unknown], "x").await, None);
}

#[tokio::test]
async fn other_servers_are_local_and_silent_ones_untrusted() {
    let says = async |reply: Reply| {
        let server = Server::start([reply]).await;
        let quick = nova_provider::ProviderSettings {
            limits: nova_provider::Limits { tries: 1, ..Default::default() },
            ..settings(&server)
        };
        connect("openai", quick).unwrap().model("qwen3", &CancellationToken::new()).await
    };
    let error = r#"{"error":"Unexpected endpoint or method. (GET /api/tags)"}"#;
    for (status, body) in
        [("200 OK", error), ("404 Not Found", ""), ("501 Not Implemented", ""), ("401 Unauthorized", "")]
    {
        assert_eq!(says(Reply::new(status, "", body)).await, Ok(ModelLookup::NotForwarding), "{status}");
    }
    for status in ["500 Internal Server Error", "503 Service Unavailable"] {
        let said = says(Reply::new(status, "", "")).await;
        assert!(said.is_err(), "{status}: an Ollama that cannot read its list");
    }
}

#[test]
fn model_names_ignore_case_and_latest_tag() {
    for (one, other, same) in [
        ("gpt-oss:120b-cloud", "GPT-OSS:120b-cloud", true),
        ("qwen3", "Qwen3:latest", true),
        ("qwen3:8b", "qwen3", false),
        ("größe", "größe:LATEST", true),
        ("a", "b", false),
    ] {
        assert_eq!(is_same_model(one, other), same, "{one} {other}");
    }
}
