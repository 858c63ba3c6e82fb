//! With the real script process under the real guard: tests that it works without any file, connection or
//! process.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use nova_guard::{Confinement, Enforced, Guard};
use nova_registry::ToolHost;
use nova_script::host::{MayRunUnconfined, Spawn, Spawned, UnderGuard};
use nova_skill::{ToolOutput, Value};
use nova_testkit::{FixedCredentials, RecordingHttp};
use serde_json::json;

use crate::real::{WEATHER, tool};
use crate::support::{Context, Host, STAND_IN, failure, file, host_by, run, value};

const SCRIPT: &str = env!("CARGO_BIN_EXE_nova-script");

/// The fake process also acts as the guard.
fn under_guard() -> UnderGuard {
    UnderGuard {
        guard: Guard::new(STAND_IN, ["guard".into()]),
        program: SCRIPT.into(),
        args: Vec::new(),
        memory: 512 << 20,
        require: true,
        unconfined: Arc::new(Never),
    }
}

/// Unconfined runs are never allowed.
struct Never;

#[async_trait::async_trait]
impl MayRunUnconfined for Never {
    async fn may_run_unconfined(&self) -> bool {
        false
    }
}

fn host() -> Host {
    host_by(under_guard(), |options| options.limits.computing_ms = 2_000)
}

#[tokio::test]
async fn all_features_of_tools_work_confined() {
    let host = host();
    let body = "execute: async (_args, ctx) => {
      const bytes = crypto.getRandomValues(new Uint8Array(16))
      await new Promise(done => setTimeout(done, 5))
      ctx.log.info('at', new Date().getFullYear())
      return {
        id: crypto.randomUUID().length,
        random: bytes.some(byte => byte > 0),
        local: new Date(2026, 6, 1, 12).toISOString().length,
        spelled: new Date(0).toLocaleString().length > 0,
        offset: new Date(2026, 0, 1).getTimezoneOffset(),
        now: Date.now() > 1.7e12 && performance.now() > 0,
        chance: Math.random() < 1,
        url: new URL('../b?c=ü', 'https://h.example/a/').href,
        text: new TextDecoder('latin1').decode(new TextEncoder().encode('é')),
        sorted: ['b', 'ä', 'a'].sort((a, b) => a.localeCompare(b)).join(''),
        clone: structuredClone(new Map([[1, 2]])).get(1),
        pattern: /\\p{Lu}/u.test('É'),
        garbage: Array.from({ length: 2e5 }, (_, n) => ({ n })).length,
      }
    }";
    let answer = value(&host.tool(&tool(body)).await, json!({})).await.unwrap();
    let expected = json!({
        "id": 36, "random": true, "local": 24, "spelled": true, "offset": 0, "now": true, "chance": true,
        "url": "https://h.example/b?c=%C3%BC", "text": "Ã©", "sorted": "abä", "clone": 2, "pattern": true,
        "garbage": 200_000,
    });
    assert_eq!(answer, expected);
}

#[tokio::test]
async fn weather_example_works_confined() {
    let host = host();
    let weather = host.tool(WEATHER).await;
    let web = RecordingHttp::default().with("https://api.weather.com/", 200, r#"{"current":{"temp":21}}"#);
    let (ctx, _hears) = Context::with(|context| {
        let credentials = FixedCredentials::default().with("weather-api/api_key", "k3y");
        context.with_http(web).with_credentials(credentials)
    });
    let Ok(ToolOutput::Value(output)) = run(&weather, json!({ "location": "Bern" }), ctx).await else {
        panic!("a value")
    };
    assert_eq!(output.value, json!({ "temperature": 21 }));
}

#[tokio::test]
async fn faults_are_reported_confined() {
    let host = host();
    for (source, told) in [
        (tool("execute: async () => { throw new Error('no') }"), "stand_in.ts:3:125: no"),
        (
            tool("execute: async () => { for (;;) {} }"),
            "it used more than 2000 ms of computing time and was stopped",
        ),
        (tool("execute: async () => new Array(2 ** 32 - 1).indexOf(0)"), "it used more than 2000 ms"),
        (tool("execute: async () => { const all = []; for (;;) all.push({}) }"), "memory"),
    ] {
        let (message, _) = failure(&host.tool(&source).await, json!({})).await;
        assert!(message.contains(told), "{message}");
    }
    let source = tool("execute: async () => 5") + &"!".repeat(900_000) + "1";
    let loaded = host.host.load(file("a", "a.ts", &source)).await;
    let message = loaded.err().unwrap().to_string();
    assert!(message.contains("nests too deeply"), "{message}");
    assert_eq!(value(&host.tool(&tool("execute: async () => 5")).await, json!({})).await.unwrap(), json!(5));
}

/// Records which guards it started.
struct Watched(Arc<Mutex<Vec<u32>>>);

#[async_trait]
impl Spawn for Watched {
    async fn spawn(&self) -> io::Result<Spawned> {
        let confinement = Confinement::nothing();
        let started = under_guard().guard.command(&confinement, SCRIPT).start().await;
        let mut guarded = started.map_err(io::Error::other)?;
        assert_eq!((guarded.files(), guarded.calls()), (Enforced::Fully, Enforced::Fully));
        self.0.lock().unwrap().extend(guarded.guard_id());
        Ok(Spawned {
            stdin: guarded.stdin.take().unwrap(),
            stdout: guarded.stdout.take().unwrap(),
            stderr: guarded.stderr.take().unwrap(),
            process: Box::new(guarded),
        })
    }
}

#[tokio::test]
async fn process_has_only_its_three_pipes_open() {
    let guards = Arc::new(Mutex::new(Vec::new()));
    let host = host_by(Watched(guards.clone()), |_| {});
    let body = "execute: async () => { await new Promise(r => setTimeout(r, 1)); return crypto.randomUUID().length }";
    assert_eq!(value(&host.tool(&tool(body)).await, json!({})).await.unwrap(), json!(36));
    let [guard] = guards.lock().unwrap()[..] else { panic!("one guard") };
    let children = fs::read_to_string(format!("/proc/{guard}/task/{guard}/children")).unwrap();
    let process: u32 = children.trim().parse().expect("one process");
    let program = fs::read_link(format!("/proc/{process}/exe")).unwrap();
    assert_eq!(program, PathBuf::from(SCRIPT).canonicalize().unwrap());
    let mut open: Vec<(Value, bool)> = fs::read_dir(format!("/proc/{process}/fd"))
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let to = fs::read_link(entry.path()).unwrap();
            (entry.file_name().to_str().unwrap().into(), to.to_str().unwrap().starts_with("pipe:["))
        })
        .collect();
    open.sort_by_key(|(number, _)| number.to_string());
    assert_eq!(open, [("0".into(), true), ("1".into(), true), ("2".into(), true)]);
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    assert!(status.contains("\nSeccomp:\t2\n"), "its calls are filtered: {status}");
}
