//! A scripted model on a real loopback server.

use std::collections::{HashMap, VecDeque};
use std::io::Write;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nova_provider::{Provider, ProviderSettings, connect};
use serde_json::{Value, json};
use tokio::sync::watch;

mod answer;
mod check;
mod dialect;
mod gemini;
mod responses;
mod shapes;
mod wire;

pub use answer::{Answer, call, call_text, calls, error, pause, reasoning, text};
pub use check::check_request;

use crate::PATIENCE;
use answer::End;
use dialect::{Dialect, Event};

/// The interval between the parts of a dripping answer.
const DROP: Duration = Duration::from_millis(20);

/// The name of the only model of a [`ModelServer`].
pub const MODEL: &str = "scripted";

/// A server with OpenAI's Chat Completions and Responses, Anthropic's Messages, Gemini's
/// `streamGenerateContent` and Ollama's chat, which gives one scripted [`Answer`] per request, in order.
///
/// Every request is checked ([`check_request`]); an error fails the test at [`ModelServer::finish`], or else
/// when the server is dropped. A request beyond the script is an error too. It also lists its model, as
/// OpenAI and Gemini do (`/v1/models`) and as Ollama does (`/api/tags`).
///
/// It runs on its own threads, so a test needs no runtime.
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<Shared>,
}

type Script = dyn FnMut(&Value) -> Option<Answer> + Send;

struct Shared {
    state: Mutex<State>,
    resumed: Condvar,
    changed: watch::Sender<()>,
}

struct State {
    script: Box<Script>,
    /// Remaining answers, if the script is a list.
    left: Arc<Mutex<VecDeque<Answer>>>,
    requests: Vec<Value>,
    /// The bodies as sent.
    bodies: Vec<Value>,
    /// Of every request, including those that list models.
    authorizations: Vec<Option<String>>,
    faults: Vec<String>,
    /// The name of the only model.
    name: &'static str,
    /// The model's capabilities, in Ollama's format.
    capabilities: Vec<&'static str>,
    /// The context size in tokens, as reported by lists in OpenAI's format.
    context: Option<u64>,
    /// Remote models, as listed by Ollama, with their address.
    passed_on: Vec<(&'static str, &'static str)>,
    calls_made: u64,
    /// The number of pauses reached, and of those that may be passed.
    pauses: u64,
    passes: u64,
    departures: u64,
    closing: bool,
    /// Open connections, to be closed with the server.
    connections: HashMap<u64, TcpStream>,
    connected: u64,
}

impl ModelServer {
    /// Gives these answers to the requests, in order.
    pub fn start(answers: impl IntoIterator<Item = Answer>) -> Self {
        let left = Arc::new(Mutex::new(answers.into_iter().collect::<VecDeque<_>>()));
        let script = left.clone();
        Self::run(Box::new(move |_| script.lock().unwrap_or_else(PoisonError::into_inner).pop_front()), left)
    }

    /// Computes the answer to each request.
    pub fn replying(mut reply: impl FnMut(&Value) -> Answer + Send + 'static) -> Self {
        Self::run(Box::new(move |request| Some(reply(request))), Arc::default())
    }

    fn run(script: Box<Script>, left: Arc<Mutex<VecDeque<Answer>>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free loopback port");
        let address = listener.local_addr().expect("the server's address");
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                script,
                left,
                requests: Vec::new(),
                bodies: Vec::new(),
                authorizations: Vec::new(),
                faults: Vec::new(),
                name: MODEL,
                capabilities: vec!["completion", "tools"],
                context: None,
                passed_on: Vec::new(),
                calls_made: 0,
                pauses: 0,
                passes: 0,
                departures: 0,
                closing: false,
                connections: HashMap::new(),
                connected: 0,
            }),
            resumed: Condvar::new(),
            changed: watch::Sender::new(()),
        });
        let accepting = shared.clone();
        std::thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let shared = accepting.clone();
                let number = {
                    let mut state = shared.lock();
                    if state.closing {
                        return;
                    }
                    state.connected += 1;
                    let number = state.connected;
                    state.connections.extend(connection.try_clone().map(|same| (number, same)));
                    number
                };
                std::thread::spawn(move || {
                    shared.serve(connection);
                    // The socket is closed with its last handle.
                    shared.lock().connections.remove(&number);
                });
            }
        });
        Self { address, shared }
    }

    /// `http://127.0.0.1:port`, the base of Ollama's own paths.
    pub fn address(&self) -> String {
        format!("http://{}", self.address)
    }

    /// `http://127.0.0.1:port/v1`, for the `base_url` of a provider.
    pub fn base_url(&self) -> String {
        format!("{}/v1", self.address())
    }

    /// The real provider for this server, without waits between tries.
    pub fn provider(&self) -> Arc<dyn Provider> {
        let settings = ProviderSettings {
            base_url: Some(self.base_url()),
            backoff: Arc::new(|_, _| Duration::ZERO),
            ..ProviderSettings::new("test")
        };
        connect("openai", settings).expect("valid provider settings")
    }

    /// Gives the model the capability of vision, in Ollama's format.
    pub fn that_sees(self) -> Self {
        self.shared.lock().capabilities.push("vision");
        self
    }

    /// Sets the context size in tokens that lists in OpenAI's format report.
    pub fn that_takes(self, context: u64) -> Self {
        self.shared.lock().context = Some(context);
        self
    }

    /// Renames the model.
    pub fn named(self, name: &'static str) -> Self {
        self.shared.lock().name = name;
        self
    }

    /// Lists a model whose requests Ollama forwards to another machine, `elsewhere.example`.
    pub fn passes_on(&self, model: &'static str) {
        self.passes_on_to(model, "https://elsewhere.example:443");
    }

    /// As [`ModelServer::passes_on`], with the address of that machine. Replaces an earlier entry of the
    /// model.
    pub fn passes_on_to(&self, model: &'static str, address: &'static str) {
        let passed_on = &mut self.shared.lock().passed_on;
        passed_on.retain(|(known, _)| *known != model);
        passed_on.push((model, address));
    }

    /// The bodies of the chat requests so far, converted to chat completions.
    pub fn requests(&self) -> Vec<Value> {
        self.shared.lock().requests.clone()
    }

    /// The bodies in their original dialects.
    pub fn bodies(&self) -> Vec<Value> {
        self.shared.lock().bodies.clone()
    }

    /// The value of the header `authorization`, `x-api-key` or `x-goog-api-key` of each request, including
    /// those that list models.
    pub fn authorizations(&self) -> Vec<Option<String>> {
        self.shared.lock().authorizations.clone()
    }

    /// The messages of the latest request with this role, as text.
    pub fn last_texts(&self, role: &str) -> Vec<String> {
        let requests = self.requests();
        let messages = requests.last().and_then(|request| request["messages"].as_array().cloned());
        let fitting = messages.into_iter().flatten().filter(|message| message["role"] == role);
        fitting.map(|message| message["content"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Lets the next answer that [`pause`]s continue, or the current one.
    pub fn resume(&self) {
        self.shared.lock().passes += 1;
        self.shared.resumed.notify_all();
    }

    /// Waits for the chat request with this number, and returns it.
    ///
    /// # Panics
    /// If it does not arrive.
    pub async fn wait_for_request(&self, number: usize) -> Value {
        self.wait("a request", |state| state.requests.get(number - 1).cloned()).await
    }

    /// Waits until an answer reaches the pause with this number.
    ///
    /// # Panics
    /// If none does.
    pub async fn wait_for_pause(&self, number: u64) {
        self.wait("a pause", |state| (state.pauses >= number).then_some(())).await;
    }

    /// Waits until a client has disconnected before its answer was complete.
    ///
    /// # Panics
    /// If it stays connected.
    pub async fn wait_for_departure(&self) {
        self.wait("a departure", |state| (state.departures > 0).then_some(())).await;
    }

    /// Stops the server.
    ///
    /// # Panics
    /// If a request was invalid, or answers are left.
    pub fn finish(self) {
        let left = self.shared.lock().left.lock().unwrap_or_else(PoisonError::into_inner).len();
        // The drop at the end of this function reports errors, which explain the remaining answers.
        if self.shared.lock().faults.is_empty() {
            assert_eq!(
                left,
                0,
                "the script has answers left: the model was asked {} times",
                self.requests().len()
            );
        }
    }

    async fn wait<T>(&self, what: &str, look: impl Fn(&State) -> Option<T>) -> T {
        let mut changed = self.shared.changed.subscribe();
        let waiting = async {
            loop {
                if let Some(found) = look(&self.shared.lock()) {
                    return found;
                }
                let _ = changed.changed().await;
            }
        };
        match tokio::time::timeout(PATIENCE, waiting).await {
            Ok(found) => found,
            Err(_) => panic!("no {what}; {} requests received", self.requests().len()),
        }
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        let faults = {
            let mut state = self.shared.lock();
            state.closing = true;
            for (_, connection) in state.connections.drain() {
                let _ = connection.shutdown(Shutdown::Both);
            }
            std::mem::take(&mut state.faults)
        };
        self.shared.resumed.notify_all();
        // Wakes the accepting thread.
        let _ = TcpStream::connect(self.address);
        if !std::thread::panicking() {
            assert!(faults.is_empty(), "requests to the model:\n- {}", faults.join("\n- "));
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let changed = change(&mut self.lock());
        self.changed.send_replace(());
        changed
    }

    /// Handles one request per connection: every response has `connection: close`.
    fn serve(&self, mut connection: TcpStream) {
        let Some(request) = wire::read_request(&mut connection) else { return };
        self.change(|state| state.authorizations.push(request.authorization.clone()));
        let path = request.path.split('?').next().unwrap_or_default().trim_end_matches('/');
        let answered = match (request.method.as_str(), path) {
            ("GET", "/v1/models" | "/models") => {
                let models: Vec<_> = {
                    let state = self.lock();
                    let passed_on = state.passed_on.iter().map(|(name, _)| *name);
                    let listed = |id| match state.context {
                        Some(context) => json!({"id": id, "object": "model", "context_length": context}),
                        None => json!({"id": id, "object": "model"}),
                    };
                    passed_on.chain([state.name]).map(listed).collect()
                };
                let named = models.iter().map(|model| {
                    let name = format!("models/{}", model["id"].as_str().unwrap_or_default());
                    json!({"name": name, "inputTokenLimit": model["context_length"]})
                });
                let named: Vec<_> = named.collect();
                let listed = json!({"object": "list", "data": models, "models": named});
                wire::json(&mut connection, 200, &listed)
            }
            ("GET", "/api/tags") => {
                // The latest first, such as a model that was just pulled.
                let (passed_on, name) = {
                    let state = self.lock();
                    (state.passed_on.clone(), state.name)
                };
                let mut models: Vec<_> = passed_on
                    .iter()
                    .map(|(name, host)| json!({"name": name, "model": name, "remote_host": host}))
                    .collect();
                models.push(json!({"name": name, "model": name}));
                wire::json(&mut connection, 200, &json!({"models": models}))
            }
            ("POST", "/api/show") => wire::json(
                &mut connection,
                200,
                &json!({"capabilities": self.lock().capabilities, "model_info": {"s.context_length": 40_960}}),
            ),
            (method, path) => {
                if let ("POST", Some(dialect)) = (method, Dialect::of_path(path)) {
                    return self.note_departure(self.chat(&mut connection, dialect, &request));
                }
                self.change(|state| {
                    state.faults.push(format!("{method} {path} is not something a model serves"))
                });
                wire::json(&mut connection, 404, &json!({"error": {"message": "no such path"}}))
            }
        };
        self.note_departure(answered);
    }

    /// An early disconnect is not an error: cancellation is allowed.
    fn note_departure(&self, answered: std::io::Result<()>) {
        if answered.is_err() {
            self.change(|state| state.departures += 1);
        }
    }

    fn chat(
        &self,
        connection: &mut TcpStream,
        dialect: Dialect,
        asked: &wire::Request,
    ) -> std::io::Result<()> {
        let parsed = serde_json::from_slice::<Value>(&asked.body);
        let (answer, first_call) = self.change(|state| {
            let number = state.requests.len() + 1;
            let request = parsed.unwrap_or_else(|error| {
                state.faults.push(format!("request {number} is not JSON: {error}"));
                Value::Null
            });
            state.bodies.push(request.clone());
            let request = dialect.as_completion(request, &asked.path);
            let faults = check_request(&request);
            state.faults.extend(faults.iter().map(|fault| format!("request {number}: {fault}")));
            let answer = (state.script)(&request);
            state.requests.push(request);
            if answer.is_none() {
                state.faults.push(format!("request {number} is one more than the script has answers for"));
            }
            let first_call = state.calls_made;
            state.calls_made += answer.as_ref().map_or(0, Answer::calls);
            (answer, first_call)
        });
        let Some(answer) = answer else {
            // Not a status that is retried: the error is reported once.
            return wire::json(
                connection,
                400,
                &json!({"error": {"message": "the script has no more answers"}}),
            );
        };
        if let End::Refused { status, body } = &answer.end {
            return wire::json(connection, *status, body);
        }
        let mut out = wire::Chunked::start(connection, answer.chunk_size)?;
        let mut last = String::new();
        for event in answer.events(dialect, first_call, asked.body.len()) {
            match event {
                Event::Bytes(bytes) => {
                    out.event(&bytes)?;
                    last = bytes;
                }
                Event::Pause => {
                    out.flush()?;
                    self.pause();
                }
            }
        }
        match answer.end {
            End::Done => out.finish(),
            End::Cut => out.flush(),
            End::Stall => {
                out.flush()?;
                Err(wire::wait_for_end(connection))
            }
            End::Drip => {
                while !self.waits_for_the_end() {
                    out.event(&last)?;
                    out.flush()?;
                }
                Ok(())
            }
            End::Refused { .. } => Ok(()),
        }?;
        connection.flush()
    }

    /// Waits for the interval of a dripping answer; returns whether the server is stopping.
    fn waits_for_the_end(&self) -> bool {
        let state = self.lock();
        let waited = self.resumed.wait_timeout_while(state, DROP, |state| !state.closing);
        waited.unwrap_or_else(PoisonError::into_inner).0.closing
    }

    fn pause(&self) {
        let number = self.change(|state| {
            state.pauses += 1;
            state.pauses
        });
        let mut state = self.lock();
        while state.passes < number && !state.closing {
            state = self.resumed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
