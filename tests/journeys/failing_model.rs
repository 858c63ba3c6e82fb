//! `nova chat -p` against a third-party model server with injected failures: aimock, a development dependency
//! of the page. Every run ends, and only a complete answer counts as one.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::nova::{Nova, PEOPLE};

const ANSWER: &str = "Jane Doe is a lead at Quillon Labs, and this sentence ends with the word lighthouse.";

/// The server, in its own process.
struct AiMock {
    process: Child,
    address: String,
    _fixtures: tempfile::TempDir,
}

impl AiMock {
    fn start(chaos: &[&str]) -> Self {
        let script =
            PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("ui/node_modules/@copilotkit/aimock/dist/cli.js");
        assert!(script.is_file(), "{} is not there: run `make setup`", script.display());
        let fixtures = tempfile::tempdir().unwrap();
        let file = fixtures.path().join("jane.json");
        // Chooses the answer by the number of assistant messages.
        let told = json!({ "fixtures": [
            {
                "match": { "turnIndex": 0 },
                "response": { "toolCalls": [{ "name": "vault__read_note", "arguments": { "path": "CRM/People/Jane Doe.md" } }] },
            },
            { "match": { "turnIndex": 1 }, "response": { "content": ANSWER } },
        ]});
        std::fs::write(&file, told.to_string()).unwrap();
        let mut process = Command::new("node")
            .arg(script)
            .args(["--port", "0", "--chunk-size", "3", "--fixtures"])
            .arg(&file)
            .args(chaos)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("node runs");
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let address = lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| line.split_once("listening on ").map(|(_, address)| address.trim().to_owned()))
            .expect("aimock prints its address");
        // Drain its log, or it blocks on a full pipe.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        Self { process, address, _fixtures: fixtures }
    }

    /// Sends one message in a new session.
    fn ask(&self, kind: &str) -> Ended {
        let nova = Nova::new(PEOPLE, []);
        let version = if kind == "gemini" { "v1beta" } else { "v1" };
        nova.settings(&json!({
            "vault": nova.vault.root(),
            "providers": [{
                "id": "mock",
                "kind": kind,
                "base_url": format!("{}/{version}", self.address),
                "api_key": "none",
            }],
            // A model that it lists by itself, as Ollama is asked for its models.
            "model": "mock/gpt-4o",
        }));
        let output = nova.run(&["chat", "-p", "Who is Jane Doe?", "--json"]);
        let events = String::from_utf8(output.stdout).unwrap();
        Ended {
            exit: output.status.code(),
            events: events.lines().map(|line| serde_json::from_str(line).unwrap()).collect(),
        }
    }
}

impl Drop for AiMock {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Events and exit status of a run.
#[derive(Debug)]
struct Ended {
    exit: Option<i32>,
    events: Vec<Value>,
}

impl Ended {
    fn of_type<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Value> {
        self.events.iter().filter(move |event| event["type"] == kind)
    }

    /// The single event with which the turn ended.
    fn end(&self) -> &Value {
        let ends = ["turn_completed", "turn_failed", "turn_cancelled"];
        let mut found = self.events.iter().filter(|event| ends.iter().any(|end| event["type"] == *end));
        let end = found.next().unwrap_or(&Value::Null);
        assert!(found.next().is_none(), "ended twice: {self:?}");
        end
    }

    fn is_whole(&self) -> bool {
        self.exit == Some(0) && self.end()["type"] == "turn_completed" && self.end()["text"] == ANSWER
    }

    fn failed_with(&self, codes: &[&str]) -> bool {
        let code = self.end()["code"].as_str();
        self.exit != Some(0)
            && self.end()["type"] == "turn_failed"
            && code.is_some_and(|code| codes.contains(&code))
    }
}

const KINDS: [&str; 5] = ["openai", "openai_responses", "anthropic", "gemini", "ollama"];

#[test]
fn tool_is_called_and_whole_answer_is_reported() {
    let mock = AiMock::start(&[]);
    for kind in KINDS {
        let ended = mock.ask(kind);
        assert!(ended.is_whole(), "{kind}: {ended:?}");
        let called: Vec<_> = ended.of_type("tool_call_completed").collect();
        assert!(called.len() == 1 && called[0].to_string().contains("Quillon Labs"), "{kind}: {called:?}");
    }
}

#[test]
fn each_failure_has_its_error_code() {
    for (chaos, codes) in [
        ("--chaos-drop", &["provider_failed"][..]),
        ("--chaos-malformed", &["provider_bad_response", "provider_truncated"]),
        ("--chaos-disconnect", &["provider_unreachable", "provider_truncated"]),
        ("--chaos-ratelimit", &["provider_rate_limited"]),
    ] {
        let mock = AiMock::start(&[chaos, "1"]);
        for kind in KINDS {
            let ended = mock.ask(kind);
            assert!(ended.failed_with(codes), "{chaos}, {kind}: {ended:?}");
        }
    }
}

#[test]
fn every_run_ends_complete_or_with_a_reason() {
    let rates = [
        "--chaos-drop",
        "0.2",
        "--chaos-malformed",
        "0.15",
        "--chaos-disconnect",
        "0.2",
        "--chaos-ratelimit",
        "0.15",
        "--latency",
        "1",
    ];
    let mock = AiMock::start(&rates);
    for round in 0..8 {
        for kind in KINDS {
            let ended = mock.ask(kind);
            let named = [
                "provider_failed",
                "provider_bad_response",
                "provider_truncated",
                "provider_unreachable",
                "provider_rate_limited",
                "provider_timeout",
            ];
            assert!(ended.is_whole() || ended.failed_with(&named), "round {round}, {kind}: {ended:?}");
        }
    }
}
