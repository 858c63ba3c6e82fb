//! An MCP client of `nova mcp serve`, over plain lines of JSON.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};

use nova_testkit::PATIENCE;
use serde_json::{Value, json};

use super::nova::Nova;

pub(crate) struct McpClient {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    next: u64,
    /// All messages of the server, in order.
    pub(crate) said: Vec<Value>,
    /// Answers questions to the user; without it they stay open.
    pub(crate) answer: Option<fn(&Value) -> Value>,
}

impl McpClient {
    pub(crate) fn start(nova: &Nova, args: &[&str]) -> Self {
        Self::spawn(nova.command(&[&["mcp", "serve"], args].concat()))
    }

    pub(crate) fn spawn(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines() {
                let Ok(line) = line else { return };
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self { stdin: child.stdin.take(), child, lines, next: 1, said: Vec::new(), answer: None }
    }

    /// Starts the server and initialises protocol 2025-11-25, with elicitation offered.
    pub(crate) fn connected(nova: &Nova, args: &[&str]) -> Self {
        let mut client = Self::start(nova, args);
        client.greet(&json!({ "elicitation": {} }));
        client
    }

    pub(crate) fn greet(&mut self, capabilities: &Value) -> Value {
        let info = json!({ "name": "test-client", "version": "1" });
        let params =
            json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": info });
        let greeted = self.ask("initialize", params);
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        greeted["result"].clone()
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string());
    }

    pub(crate) fn send_line(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line.as_bytes()).and_then(|()| stdin.write_all(b"\n")).unwrap();
        stdin.flush().unwrap();
    }

    /// Sends a request without waiting for its response.
    pub(crate) fn begin(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The whole response to a request.
    #[track_caller]
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.until(|message| message["id"] == id && message["method"].is_null())
    }

    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, args: Value) -> Value {
        self.ask("tools/call", json!({ "name": tool, "arguments": args }))["result"].clone()
    }

    /// Reads until a message matches. A line that is not a message fails the test.
    #[track_caller]
    pub(crate) fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let line = match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => line,
                Err(RecvTimeoutError::Disconnected) => panic!("the server ended: {}", self.errors()),
                Err(RecvTimeoutError::Timeout) => panic!("no message; last: {:?}", self.said.last()),
            };
            let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("not JSON: {line}"));
            assert_eq!(message["jsonrpc"], "2.0", "not a message: {line}");
            self.said.push(message.clone());
            if let (true, Some(answer)) = (message["method"] == "elicitation/create", self.answer) {
                let result = answer(&message["params"]);
                self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }));
            }
            if wanted(&message) {
                return message;
            }
        }
    }

    pub(crate) fn tools(&mut self) -> Vec<Value> {
        self.ask("tools/list", json!({}))["result"]["tools"].as_array().unwrap().clone()
    }

    pub(crate) fn tool_names(&mut self) -> Vec<String> {
        self.tools().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    /// Closes its input and returns the exit code.
    pub(crate) fn end(mut self) -> Option<i32> {
        drop(self.stdin.take());
        self.child.wait().unwrap().code()
    }

    /// Its standard error. Kills it if it still runs.
    fn errors(&mut self) -> String {
        let _ = self.child.kill();
        let mut text = String::new();
        let _ = self.child.stderr.take().unwrap().read_to_string(&mut text);
        text
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
