//! Which models there are; finding Ollama.

use nova_provider::{ModelInfo, ollama};
use tokio::net::TcpListener;
use url::Url;

use crate::support::{Reply, Server, provider};

fn model(id: &str, context: Option<u64>, runs_at: Option<&str>) -> ModelInfo {
    ModelInfo { id: id.into(), context, tools: None, runs_at: runs_at.map(str::to_owned) }
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
async fn ollama_is_found_with_its_models() {
    let server = Server::start([Reply::new("200 OK", "", TAGS)]).await;
    let base = Url::parse(&server.address).unwrap();
    assert_eq!(ollama::detect(&base).await.unwrap(), tags());
    assert!(server.requests()[0].starts_with("GET /api/tags HTTP/1.1\r\n"));
}

#[tokio::test]
async fn no_ollama_is_said_soon() {
    let silent = Server::start([Reply::events("").cut(0).held()]).await;
    let error = ollama::detect(&Url::parse(&silent.address).unwrap()).await.unwrap_err();
    assert_eq!(error.to_string(), "No answer from the model for 1 s");

    let other = Server::start([Reply::new("200 OK", "", r#"{"hello":1}"#)]).await;
    let error = ollama::detect(&Url::parse(&other.address).unwrap()).await.unwrap_err();
    assert_eq!(error.code(), "provider_bad_response");

    let nobody = {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        format!("http://{}", listener.local_addr().unwrap())
    };
    let error = ollama::detect(&Url::parse(&nobody).unwrap()).await.unwrap_err();
    assert_eq!(error.code(), "provider_unreachable");
}
