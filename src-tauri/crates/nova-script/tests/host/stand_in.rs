//! A fake script process: speaks the protocol, and misbehaves on request. A source is JSON, see `Source`; the
//! argument `do` selects what a call does.
//!
//! With `guard` as its first argument it acts as the real guard, in the same way as Nova.
#![allow(clippy::unwrap_used)]

use std::io::{self, Write};
use std::process::{self, ExitCode};

use nova_script::protocol::{
    Answer, Definition, Fault, FaultKind, Fragments, FromChild, Level, ToChild, Want, encode, read, write,
};
use nova_skill::VaultAccess;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(default)]
struct Source {
    name: String,
    effect: Option<String>,
    credentials: Vec<String>,
    hosts: Vec<String>,
    proposed_hosts: Vec<String>,
    vault: Option<VaultAccess>,
    parameters: Value,
    /// What loading does: `ok`, `fault`, or a value of a call's `do`.
    load: String,
}

impl Default for Source {
    fn default() -> Self {
        Self {
            name: "stand_in".into(),
            effect: None,
            credentials: Vec::new(),
            hosts: Vec::new(),
            proposed_hosts: Vec::new(),
            vault: None,
            parameters: json!({ "type": "object" }),
            load: "ok".into(),
        }
    }
}

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    if args.next().is_some_and(|first| first == "guard") {
        return nova_guard::main(args);
    }
    serve();
    ExitCode::SUCCESS
}

fn serve() {
    let Some(ToChild::Start { .. }) = next() else { return };
    while let Some(message) = next() {
        match message {
            ToChild::Load { source, .. } => load(serde_json::from_str(&source).unwrap()),
            ToChild::Call { args, request, .. } if args["do"] == "request" => {
                done(serde_json::to_value(request).unwrap());
            }
            ToChild::Call { args, .. } => {
                act(args["do"].as_str().unwrap_or("echo").to_owned().as_str(), args)
            }
            ToChild::Start { .. } | ToChild::Answer { .. } | ToChild::Cancel => {}
        }
    }
}

fn load(source: Source) {
    match source.load.as_str() {
        "ok" => say(&FromChild::Loaded {
            definition: Box::new(Definition {
                name: source.name,
                description: "Stands in.".into(),
                parameters: source.parameters,
                effect: source.effect,
                credentials: source.credentials,
                hosts: source.hosts,
                proposed_hosts: source.proposed_hosts,
                fragments: Fragments::default(),
                keys: Vec::new(),
                vault: source.vault,
            }),
        }),
        "fault" => fail(FaultKind::Syntax, "Expected `}`.", false),
        "exit_at" => {
            at(2);
            at(4);
            process::exit(3);
        }
        "crash_at" => {
            at(4);
            process::abort();
        }
        "hang_at" => {
            at(4);
            loop {
                std::thread::park();
            }
        }
        what => act(what, json!({})),
    }
}

fn act(what: &str, args: Value) {
    match what {
        "echo" => done(args),
        "pid" => done(json!(process::id())),
        "exit" => process::exit(3),
        "exit_after_progress" => {
            told("exiting");
            process::exit(3);
        }
        // Stops reading, so it ignores Cancel.
        "hang" => {
            told(&process::id().to_string());
            loop {
                std::thread::park();
            }
        }
        // Ends when cancelled.
        "wait" => {
            told(&process::id().to_string());
            while let Some(message) = next() {
                if message == ToChild::Cancel {
                    return fail(FaultKind::Thrown, "stopped", false);
                }
            }
        }
        "log_flood" => loop {
            say(&FromChild::Log { level: Level::Info, message: "x".repeat(1000) });
        },
        "partial_flood" => loop {
            say(&FromChild::Partial { value: json!("x".repeat(1000)) });
        },
        "ask_flood" => {
            for ask in 0.. {
                say(&FromChild::Ask { ask, want: Want::HasCredential { service: "service".into() } });
            }
        }
        "huge" => raw(&(1u32 << 30).to_le_bytes()),
        "truncate" => {
            raw(&100u32.to_le_bytes());
            raw(b"{\"type\":");
            process::exit(0);
        }
        "garbage" => raw(b"\x04\0\0\0what"),
        "unknown" => raw(b"\x0f\0\0\0{\"type\":\"what\"}"),
        "definition" => load(Source::default()),
        "twice" => {
            let done = encode(&FromChild::Done { value: json!(process::id()) }).unwrap();
            raw(&[done.clone(), done].concat());
        }
        "ask_twice" => {
            let want = Want::Fetch {
                method: "GET".into(),
                url: "https://api.example/".into(),
                headers: Vec::new(),
                body: None,
            };
            let ask = encode(&FromChild::Ask { ask: 1, want }).unwrap();
            raw(&[ask.clone(), ask].concat());
        }
        "deep" => {
            let value = format!("{}{}", "[".repeat(500), "]".repeat(500));
            let json = format!("{{\"type\":\"done\",\"value\":{value}}}");
            raw(&u32::try_from(json.len()).unwrap().to_le_bytes());
            raw(json.as_bytes());
        }
        "long" => done(json!("x".repeat(args["bytes"].as_u64().unwrap() as usize))),
        "errors" => {
            for _ in 0..200 {
                io::stderr().write_all(&[b'e'; 50_000]).unwrap();
            }
            done(json!("said"));
        }
        "partials" => {
            for step in 0..args["steps"].as_u64().unwrap() {
                told("stepping");
                say(&FromChild::Partial { value: json!(step) });
            }
            match args["end"].as_str() {
                Some("exit") => process::exit(3),
                Some("fail") => fail(FaultKind::Thrown, "in the middle", false),
                _ => done(json!("end")),
            }
        }
        "fail" => {
            let kind = serde_json::from_value(args["kind"].clone()).unwrap();
            fail(kind, args["message"].as_str().unwrap(), args["fatal"] == true);
        }
        "log" => {
            for (level, message) in
                [(Level::Debug, "d"), (Level::Info, "i"), (Level::Warn, "w"), (Level::Error, "e")]
            {
                say(&FromChild::Log { level, message: message.into() });
            }
            say(&FromChild::Progress { fraction: Some(0.5), message: Some("half".into()) });
            say(&FromChild::Progress { fraction: Some(7.0), message: None });
            done(json!(null));
        }
        "ask" => {
            let want: Want = serde_json::from_value(args["want"].clone()).unwrap();
            say(&FromChild::Ask { ask: 7, want });
            answer();
        }
        // Ends the call before it has its answer.
        "ask_and_go" => {
            let want: Want = serde_json::from_value(args["want"].clone()).unwrap();
            say(&FromChild::Ask { ask: 7, want });
            done(json!(process::id()));
        }
        what => panic!("what is {what}?"),
    }
}

fn answer() {
    loop {
        match next() {
            Some(ToChild::Answer { ask: 7, answer: Ok(answer) }) => {
                return done(match answer {
                    Answer::Fetched { .. } | Answer::HasCredential { .. } | Answer::Called { .. } => {
                        serde_json::to_value(answer).unwrap()
                    }
                    // Uses the secret without revealing it.
                    Answer::Credential { value } => json!({ "length": value.len() }),
                });
            }
            Some(ToChild::Answer { answer: Err(refusal), .. }) => {
                return fail(FaultKind::Thrown, &refusal.message, false);
            }
            Some(_) => {}
            None => process::exit(0),
        }
    }
}

fn next() -> Option<ToChild> {
    read(&mut io::stdin().lock()).unwrap()
}

fn say(message: &FromChild) {
    write(&mut io::stdout().lock(), message).unwrap();
}

fn raw(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    out.write_all(bytes).unwrap();
    out.flush().unwrap();
}

fn at(line: u32) {
    say(&FromChild::At { line });
}

fn told(message: &str) {
    say(&FromChild::Progress { fraction: None, message: Some(message.into()) });
}

fn done(value: Value) {
    say(&FromChild::Done { value });
}

fn fail(kind: FaultKind, message: &str, fatal: bool) {
    let fault = Fault {
        kind,
        message: message.into(),
        line: Some(12),
        column: Some(8),
        stack: vec!["execute".into()],
    };
    say(&FromChild::Failed { fault, fatal });
}
