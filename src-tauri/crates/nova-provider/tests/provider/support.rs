//! The server, and a provider that uses it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use nova_provider::{
    ChatEvent, ChatRequest, ChatStream, Completed, Message, Provider, ProviderError, ProviderSettings,
    ToolCall, ToolChoice, connect,
};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Only reached if a test hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The server's response to a request: bytes, after which it closes the connection, or waits for the client.
#[derive(Clone)]
pub(crate) struct Reply {
    pub(crate) bytes: Vec<u8>,
    pub(crate) hold: bool,
}

impl Reply {
    /// Any status and headers (each line terminated), and a body that ends with the connection.
    pub(crate) fn new(status: &str, headers: &str, body: &str) -> Self {
        let text = format!("HTTP/1.1 {status}\r\nconnection: close\r\n{headers}\r\n{body}");
        Self { bytes: text.into_bytes(), hold: false }
    }

    /// A stream of events.
    pub(crate) fn events(body: &str) -> Self {
        Self::new("200 OK", "content-type: text/event-stream\r\n", body)
    }

    /// A stream of events in HTTP chunks of this many bytes, which the client receives exactly so.
    pub(crate) fn chunked(body: &str, size: usize) -> Self {
        let mut reply = Self::new("200 OK", "transfer-encoding: chunked\r\n", "");
        for chunk in body.as_bytes().chunks(size) {
            reply.bytes.extend(format!("{:x}\r\n", chunk.len()).bytes());
            reply.bytes.extend(chunk);
            reply.bytes.extend(b"\r\n");
        }
        reply.bytes.extend(b"0\r\n\r\n");
        reply
    }

    /// Keeps the connection open after the bytes.
    pub(crate) fn held(mut self) -> Self {
        self.hold = true;
        self
    }

    pub(crate) fn cut(mut self, at: usize) -> Self {
        self.bytes.truncate(at);
        self
    }
}

/// Answers each request with the next reply; without one it closes the connection.
pub(crate) struct Server {
    pub(crate) address: String,
    requests: Arc<Mutex<Vec<String>>>,
    left: mpsc::UnboundedReceiver<()>,
    task: tokio::task::JoinHandle<()>,
}

impl Server {
    pub(crate) async fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let replies = Arc::new(Mutex::new(replies.into_iter().collect::<VecDeque<_>>()));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (leaving, left) = mpsc::unbounded_channel();
        let log = Arc::clone(&requests);
        let task = tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                tokio::spawn(serve(connection, Arc::clone(&replies), Arc::clone(&log), leaving.clone()));
            }
        });
        Self { address, requests, left, task }
    }

    /// The requests so far, head and body.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    /// Waits until a held connection has been closed by the client.
    pub(crate) async fn client_left(&mut self) {
        tokio::time::timeout(PATIENCE, self.left.recv())
            .await
            .expect("the client never closed the connection");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(
    mut connection: TcpStream,
    replies: Arc<Mutex<VecDeque<Reply>>>,
    log: Arc<Mutex<Vec<String>>>,
    leaving: mpsc::UnboundedSender<()>,
) {
    let Some(request) = read_request(&mut connection).await else {
        return;
    };
    log.lock().unwrap().push(request);
    let Some(reply) = replies.lock().unwrap().pop_front() else {
        return;
    };
    let _ = connection.write_all(&reply.bytes).await;
    if !reply.hold {
        let _ = connection.shutdown().await;
    }
    let mut rest = Vec::new();
    let _ = connection.read_to_end(&mut rest).await;
    if reply.hold {
        let _ = leaving.send(());
    }
}

async fn read_request(connection: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .to_lowercase()
                .lines()
                .find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                return Some(text);
            }
        }
        let mut buffer = [0; 4096];
        match connection.read(&mut buffer).await {
            Ok(0) | Err(_) => return None,
            Ok(count) => bytes.extend(&buffer[..count]),
        }
    }
}

/// Settings for a server's `/v1`, with no wait between tries.
pub(crate) fn settings(server: &Server) -> ProviderSettings {
    ProviderSettings {
        base_url: Some(format!("{}/v1", server.address)),
        backoff: Arc::new(|_, _| Duration::ZERO),
        ..ProviderSettings::new("test")
    }
}

pub(crate) fn provider(server: &Server) -> Arc<dyn Provider> {
    connect("openai", settings(server)).unwrap()
}

/// A request with one message.
pub(crate) fn request() -> ChatRequest {
    ChatRequest {
        model: "m".into(),
        system: String::new(),
        tools: Vec::new(),
        deferred: Vec::new(),
        messages: vec![Message::User { content: "hello".into(), images: Vec::new() }],
        max_output: None,
        tool_choice: ToolChoice::Auto,
    }
}

/// Collects a stream; fails if it continues after its end, or ends without one.
pub(crate) async fn read_all(mut stream: ChatStream) -> (Vec<ChatEvent>, Result<Completed, ProviderError>) {
    let mut events = Vec::new();
    let reading = async {
        loop {
            match stream.next().await.expect("the stream ended without End and without an error") {
                Ok(ChatEvent::End(completed)) => break Ok(completed),
                Ok(event) => events.push(event),
                Err(error) => break Err(error),
            }
        }
    };
    let outcome = tokio::time::timeout(PATIENCE, reading).await.expect("the stream never ended");
    assert_eq!(stream.next().await, None, "something followed the end");
    (events, outcome)
}

/// Sends the usual request and reads the answer.
pub(crate) async fn ask(provider: &dyn Provider) -> Result<Completed, ProviderError> {
    ask_with(provider, &request()).await
}

pub(crate) async fn ask_with(
    provider: &dyn Provider,
    request: &ChatRequest,
) -> Result<Completed, ProviderError> {
    let stream = provider.stream(request, CancellationToken::new()).await?;
    read_all(stream).await.1
}

/// The outcome of one reply.
pub(crate) async fn answer_to(reply: Reply) -> Result<Completed, ProviderError> {
    ask(&*provider(&Server::start([reply]).await)).await
}

/// A body of events, one per JSON text, terminated by `[DONE]`.
pub(crate) fn body(chunks: &[&str]) -> String {
    let chunks = chunks.iter().copied().chain(["[DONE]"]);
    chunks.map(|chunk| format!("data: {chunk}\n\n")).collect()
}

/// A body of events from deltas, with a finish reason.
pub(crate) fn deltas(deltas: &[&str], finish: &str) -> String {
    let chunks: Vec<String> = deltas
        .iter()
        .map(|delta| format!(r#"{{"choices":[{{"index":0,"delta":{delta},"finish_reason":null}}]}}"#))
        .chain([format!(r#"{{"choices":[{{"index":0,"delta":{{}},"finish_reason":"{finish}"}}]}}"#)])
        .collect();
    body(&chunks.iter().map(String::as_str).collect::<Vec<_>>())
}

pub(crate) fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.into(), name: name.into(), arguments: arguments.into() }
}

pub(crate) fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}
