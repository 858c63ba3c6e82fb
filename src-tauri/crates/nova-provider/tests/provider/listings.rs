//! Which models there are; finding servers of this machine.

use nova_provider::{ModelInfo, detect};
use tokio::net::TcpListener;

use crate::support::{Reply, Server, provider};

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
    let server = Server::start([Reply::new("200 OK", "", listing), Reply::new("200 OK", "", bare)]).await;
    let provider = provider(&server);
    assert_eq!(
        provider.models().await.unwrap(),
        [model("b", Some(8192), None), model("a", Some(4096), None)]
    );
    assert_eq!(provider.models().await.unwrap(), [model("c", Some(1), None)]);
    assert!(server.requests()[0].starts_with("GET /v1/models HTTP/1.1\r\n"));
}

#[tokio::test]
async fn a_list_that_is_none_is_an_error() {
    for said in ["", "<html>", "{}", r#"{"data":7}"#] {
        let server = Server::start([Reply::new("200 OK", "", said)]).await;
        assert_eq!(provider(&server).models().await.unwrap_err().code(), "provider_bad_response", "{said}");
    }
}

#[tokio::test]
async fn ollama_is_found_with_its_models_and_what_they_can() {
    let can =
        r#"{"capabilities":["completion","tools","vision"],"model_info":{"qwen3.context_length":40960}}"#;
    let cannot = r#"{"capabilities":["completion"]}"#;
    // Two models are asked about at once, so that both answers are the same here.
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
async fn an_ollama_that_cannot_say_what_its_models_can_is_found_all_the_same() {
    let not_there = Reply::new("404 Not Found", "", "");
    let server = Server::start([Reply::new("200 OK", "", TAGS), not_there.clone(), not_there]).await;
    assert_eq!(detect("ollama", &server.address).await.unwrap(), tags());
}

#[tokio::test]
async fn a_server_that_copies_openai_is_found_and_asked_for_more_where_it_has_an_api_of_its_own() {
    let listing = |owner: &str| {
        Reply::new("200 OK", "", &format!(r#"{{"data":[{{"id":"qwen3","owned_by":"{owner}"}}]}}"#))
    };
    let found = |context, tools, images| [ModelInfo { tools, images, ..model("qwen3", context, None) }];

    let server = Server::start([listing("nobody-knows")]).await;
    let address = format!("{}/v1", server.address);
    assert_eq!(detect("openai", &address).await.unwrap(), found(None, None, None));
    assert_eq!(server.requests().len(), 1);

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
async fn no_server_is_said_soon() {
    for kind in ["ollama", "openai"] {
        let silent = Server::start([Reply::events("").cut(0).held()]).await;
        let error = detect(kind, &silent.address).await.unwrap_err();
        assert_eq!(error.to_string(), "No answer from the model for 1 s");

        let other = Server::start([Reply::new("200 OK", "", r#"{"hello":1}"#)]).await;
        let error = detect(kind, &other.address).await.unwrap_err();
        assert_eq!(error.code(), "provider_bad_response");

        let nobody = {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            format!("http://{}", listener.local_addr().unwrap())
        };
        let error = detect(kind, &nobody).await.unwrap_err();
        assert_eq!(error.code(), "provider_unreachable");
    }
}
