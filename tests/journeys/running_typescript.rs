//! TypeScript tools in the real program: the real engine in a process under the real guard, and a real server
//! behind `fetch`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;

use nova_app::{App, CancellationToken, ChangeSetKind, ToolRun};
use nova_guard::Guard;
use nova_protocol::{
    Commands as _, Decision, DryRunTool, ErrorCode, Event, LogLevel, Nothing, PendingToolRef, SkillState,
    ToolResult, ToolRow, TriedVerdict, TryRule,
};
use nova_script::host::{HostOptions, MayRunUnconfined, ScriptHost, UnderGuard};
use nova_testkit::{PATIENCE, Reply, ScriptedApprover, WebServer, call as tool_call, decided, text, web_of};
use serde_json::{Value, json};

use super::keeping_credentials::{PASSPHRASE, run_with_stdin, succeeds};
use super::nova::{Nova, turn, wait_for};
use super::reading_the_manual::{blocks, name};
use super::using_credentials::store;

/// The example of the tool manual, but over http: the server here has no certificate.
fn weather() -> String {
    include_str!("../../src-tauri/crates/nova-script/tests/child/tools/weather.ts")
        .replace("https://api.weather.com", "http://api.weather.com")
}

const ANSWER: &str =
    r#"{"location": {"name": "Oslo"}, "current": {"temp": -3, "condition": {"text": "snow"}}}"#;

/// Appears nowhere but in the request.
const CANARY: &str = "canary-4711-key";

pub(crate) fn script_host(nova: &Nova) -> Arc<ScriptHost> {
    host_with(HostOptions::new(nova.data().join("scripts")))
}

fn host_with(options: HostOptions) -> Arc<ScriptHost> {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_nova"));
    let spawn = UnderGuard {
        guard: Guard::new(&program, ["guard".into()]),
        program,
        args: vec!["script".into()],
        memory: 512 << 20,
        require: false,
        unconfined: Arc::new(Always),
    };
    Arc::new(ScriptHost::new(Arc::new(spawn), options))
}

/// Agrees to run tools on a kernel that confines nothing.
struct Always;

#[async_trait::async_trait]
impl MayRunUnconfined for Always {
    async fn may_run_unconfined(&self) -> bool {
        true
    }
}

/// A Nova with TypeScript tools, and the server behind `api.weather.com`.
async fn world(
    answers: impl IntoIterator<Item = nova_testkit::Answer>,
) -> (Nova, Arc<ScriptHost>, WebServer) {
    let server =
        WebServer::start(|_| Reply::with(200, &[("content-type", "application/json")], ANSWER)).await;
    let mut nova = Nova::new("", answers);
    let host = script_host(&nova);
    nova.tool_host = Some(host.clone());
    nova.web = Arc::new(web_of(&[("api.weather.com", &server)]));
    nova.store = Some(store(Some(PASSPHRASE)));
    succeeds(&run_with_stdin(&nova, &["credential", "set", "weather-api/api_key"], CANARY));
    (nova, host, server)
}

pub(crate) fn save(nova: &Nova, file: &str, source: &str) -> PathBuf {
    let folder = nova.config().join("tools").join("dynamic");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(file), source).unwrap();
    folder.join(file)
}

async fn loaded(nova: &Nova) -> App {
    let app = nova.start().await;
    app.tools_loaded(PATIENCE).await;
    app
}

async fn call(app: &App, tool: &str, args: Value, approver: ScriptedApprover) -> ToolResult {
    app.run_tool(ToolRun {
        run: "test".into(),
        tool: tool.into(),
        args,
        kind: ChangeSetKind::Cli,
        approver: Arc::new(approver),
        by_hand: true,
        cancel: CancellationToken::new(),
    })
    .await
}

async fn row(app: &App, tool: &str) -> ToolRow {
    let rows = app.list_tools(Nothing {}).await.unwrap();
    rows.into_iter().find(|row| row.name == tool).unwrap()
}

fn echo(name: &str, value: &str) -> String {
    format!(
        "import {{ z }} from 'zod'\nimport {{ defineTool }} from '@nova/tools'\n\nexport default defineTool({{\n  \
         name: '{name}',\n  description: 'Says it.',\n  effect: 'read',\n  parameters: z.object({{}}),\n  \
         execute: async () => {value},\n}})\n"
    )
}

#[tokio::test]
async fn weather_tool_is_saved_allowed_and_answers_without_leaking_its_key() {
    let (nova, _host, server) = world([
        tool_call("load_skill", json!({"skill": "dynamic"})),
        tool_call("dynamic__weather", json!({"location": "Oslo"})),
        text("It snows in Oslo."),
    ])
    .await;
    save(&nova, "weather.ts", &weather());
    let app = loaded(&nova).await;
    let (_, events) = turn(&app, None, "Weather in Oslo?", ScriptedApprover::always(Decision::Once)).await;
    let asked: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::ApprovalRequested { question, host, .. } => Some((question.clone(), host.clone())),
            _ => None,
        })
        .collect();
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert_eq!(asked[0].1.as_deref(), Some("api.weather.com"));
    assert!(asked[0].0.contains("weather-api"), "{asked:?}");
    let done = events.iter().find_map(|event| match event {
        Event::ToolCallCompleted { ok: true, output, sources, .. } if output.get("location").is_some() => {
            Some((output.clone(), serde_json::to_string(sources).unwrap()))
        }
        _ => None,
    });
    let (output, sources) = done.expect("the server answered");
    assert_eq!(output, json!({"location": "Oslo", "temperature": -3, "conditions": "snow"}));
    assert!(sources.contains("http://api.weather.com/v1/current"), "{sources}");
    let requests = server.requests();
    assert_eq!(requests.len(), 1);
    assert!(requests[0].path.contains(CANARY), "the server gets the key: {}", requests[0].path);
    for told in [serde_json::to_string(&events).unwrap(), format!("{:?}", nova.model.requests())] {
        assert!(!told.contains(CANARY), "{told}");
    }
    nova.model.finish();
}

#[tokio::test]
async fn denied_call_contacts_no_host() {
    let (nova, _host, server) = world([]).await;
    save(&nova, "weather.ts", &weather());
    let app = loaded(&nova).await;
    let denied =
        call(&app, "dynamic.weather", json!({"location": "Oslo"}), ScriptedApprover::always(Decision::Deny));
    assert_eq!(denied.await.error.unwrap().code, ErrorCode::DeniedByUser);
    assert_eq!(server.requests().len(), 0);
}

#[tokio::test]
async fn result_on_the_page_has_the_log_of_its_tool() {
    let (nova, _host, _server) = world([]).await;
    save(&nova, "chatty.ts", &echo("chatty", "(console.warn('asked twice'), 'done')"));
    let app = loaded(&nova).await;
    let result = call(&app, "dynamic.chatty", json!({}), ScriptedApprover::always(Decision::Once)).await;
    let said: Vec<_> = result.log.iter().map(|line| (line.level, line.message.as_str())).collect();
    assert_eq!((result.value, said), (Some(json!("done")), vec![(LogLevel::Warn, "asked twice")]));
}

#[tokio::test]
async fn unchanged_tool_runs_no_javascript_at_the_next_start() {
    let (nova, host, _server) = world([]).await;
    save(&nova, "weather.ts", &weather());
    drop(loaded(&nova).await);
    assert!(host.started() > 0);
    let again = script_host(&nova);
    let mut nova = nova;
    nova.tool_host = Some(again.clone());
    let app = loaded(&nova).await;
    assert_eq!(row(&app, "dynamic.weather").await.state, SkillState::Available);
    assert_eq!(again.started(), 0);
}

#[tokio::test]
async fn edit_applies_at_once_and_an_error_keeps_the_good_version_with_its_line() {
    let (nova, _host, _server) = world([]).await;
    save(&nova, "saying.ts", &echo("saying", "'one'"));
    let app = loaded(&nova).await;
    app.watch();
    let once = || ScriptedApprover::always(Decision::Once);
    assert_eq!(call(&app, "dynamic.saying", json!({}), once()).await.value, Some(json!("one")));

    let mut events = app.events();
    save(&nova, "saying.ts", &echo("saying", "'two'"));
    wait_for(&mut events, |event| matches!(event, Event::RegistryChanged { .. })).await;
    assert_eq!(call(&app, "dynamic.saying", json!({}), once()).await.value, Some(json!("two")));

    save(&nova, "saying.ts", &echo("saying", "'three"));
    wait_for(&mut events, |event| matches!(event, Event::RegistryChanged { .. })).await;
    let broken = row(&app, "dynamic.saying").await;
    assert_eq!(broken.state, SkillState::Available);
    assert!(broken.reason.as_ref().unwrap().contains("saying.ts:9:"), "{broken:?}");
    assert_eq!(call(&app, "dynamic.saying", json!({}), once()).await.value, Some(json!("two")));
}

#[tokio::test]
async fn tool_written_by_the_assistant_is_dry_run_and_works_once_promoted() {
    let create = json!({"name": "weather", "source": weather()});
    let (nova, _host, server) =
        world([tool_call("core__create_tool", create), text("It waits for you.")]).await;
    let app = loaded(&nova).await;
    turn(&app, None, "Write a weather tool", ScriptedApprover::always(Decision::Once)).await;
    let rows = app.list_pending_tools(Nothing {}).await.unwrap();
    let [pending] = rows.as_slice() else { panic!("{rows:?}") };
    let definition = pending.definition.as_ref().unwrap();
    assert_eq!(definition.proposed_hosts, ["api.weather.com"]);
    assert_eq!(definition.credentials, ["weather-api"]);

    let that = || (pending.name.clone(), pending.hash.clone());
    let (name, hash) = that();
    let tried = app.dry_run_tool(DryRunTool { name, hash, args: json!({"location": "Oslo"}) }).await.unwrap();
    assert_eq!(tried.requests.len(), 1);
    assert_eq!(
        tried.requests[0].url,
        "http://api.weather.com/v1/current?q=Oslo&units=celsius&key=%3Cweather-api/api_key%3E"
    );
    assert_eq!(tried.credentials, ["weather-api/api_key"]);
    // The empty response has no location.
    assert!(tried.problem.unwrap().message.contains("weather.ts:"));
    assert_eq!(server.requests().len(), 0);

    let (name, hash) = that();
    app.promote_tool(PendingToolRef { name, hash }).await.unwrap();
    let oslo = json!({"location": "Oslo"});
    let ran = call(&app, "dynamic.weather", oslo, ScriptedApprover::always(Decision::Once)).await;
    assert_eq!(ran.value.unwrap()["conditions"], "snow");
    nova.model.finish();
}

/// The servers of the manual's tools, but over http: those here have no certificate.
async fn the_web_of_the_manual() -> [(&'static str, WebServer); 2] {
    let json = |body: &str| Reply::with(200, &[("content-type", "application/json")], body);
    let bank = WebServer::start(move |request| match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/v1/latest?base=EUR&symbols=USD") => {
            json(r#"{"date": "2026-11-20", "rates": {"USD": 1.25}}"#)
        }
        _ => Reply::with(404, &[], ""),
    });
    let weather = WebServer::start(move |request| {
        let key = request.headers.get("authorization").map(String::as_str);
        let asked: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        match (request.method.as_str(), key) {
            ("POST", Some(key)) if key == format!("Bearer {CANARY}") => {
                json(&json!({"for": asked}).to_string())
            }
            _ => Reply::with(401, &[], ""),
        }
    });
    [("api.frankfurter.dev", bank.await), ("api.weather.com", weather.await)]
}

#[tokio::test]
async fn every_example_of_the_manual_does_what_it_says() {
    let servers = the_web_of_the_manual().await;
    let (mut nova, _host, _server) = world([]).await;
    nova.web = Arc::new(web_of(&servers.each_ref().map(|(name, server)| (*name, server))));
    let in_the_manual = [
        ("echo", json!({"text": "hello", "times": 2}), json!({"text": "hello hello"})),
        ("exchange_rate", json!({"from": "EUR", "to": "USD"}), json!({"date": "2026-11-20", "rate": "1.25"})),
        ("weather", json!({"location": "Oslo"}), json!({"for": {"location": "Oslo", "units": "celsius"}})),
        ("archive_done", json!({}), json!({"archived": 0})),
        ("count_down", json!({"from": 3}), json!({"left": 0})),
    ];
    let for_the_model =
        [("exchange_rate", json!({"from": "EUR", "to": "USD"}), json!({"date": "2026-11-20", "rate": 1.25}))];
    let documents =
        [("docs/tools.md", in_the_manual.to_vec()), ("skills/core/SKILL.md", for_the_model.to_vec())];
    for (document, calls) in documents {
        let blocks = blocks(document);
        let names: Vec<&str> = blocks.iter().map(|block| name(block)).collect();
        assert_eq!(names, calls.iter().map(|(name, ..)| *name).collect::<Vec<_>>(), "{document}");
        for (block, (name, args, expected)) in blocks.iter().zip(calls) {
            save(&nova, &format!("{name}.ts"), &block.replace("https://", "http://"));
            let app = loaded(&nova).await;
            let tool = format!("dynamic.{name}");
            let row = row(&app, &tool).await;
            assert_eq!((row.state, &row.reason), (SkillState::Available, &None), "{document}");
            let asked = ScriptedApprover::new([decided(Decision::Once)]);
            let result = call(&app, &tool, args, asked.clone()).await;
            assert_eq!(result.value, Some(expected), "{document}: {name}: {:?}", result.error);
            assert_eq!(asked.asked().len(), 1, "{document}: {name} asks for what it declares, and once");
        }
    }
}

#[test]
fn scaffolded_tool_runs_from_the_command_line() {
    let nova = Nova::new("", []);
    let made = nova.run(&["skill", "new", "greeting", "--kind", "tool"]);
    assert!(made.status.success(), "{made:?}");
    let called = nova.run(&[
        "--json",
        "tool",
        "call",
        "dynamic.greeting",
        "--args",
        r#"{"text": "hello"}"#,
        "--approve",
        "all",
    ]);
    assert!(called.status.success(), "{called:?}");
    let said: Value = serde_json::from_slice(&called.stdout).unwrap();
    assert_eq!(said["ok"], true);
    assert!(said["value"].to_string().contains("hello"), "{said}");
}

#[test]
fn skill_is_not_created_under_an_existing_id() {
    let nova = Nova::new("", []);
    for id in ["dynamic", "vault", "Core"] {
        let refused = nova.run(&["skill", "new", id, "--kind", "folder"]);
        assert_eq!(refused.status.code(), Some(1), "{id}: {refused:?}");
    }
    assert!(!nova.config().join("skills").join("dynamic").exists());
}

/// The limit is on CPU time; by the clock it has all the time that a busy machine needs.
#[tokio::test]
async fn endless_loop_is_stopped_and_leaves_no_process() {
    let mut nova = Nova::new("", []);
    let mut options = HostOptions::new(nova.data().join("scripts"));
    options.limits.computing_ms = 2_000;
    options.time = 10 * PATIENCE;
    options.spare = false;
    let host = host_with(options);
    nova.tool_host = Some(host.clone());
    save(&nova, "endless.ts", &echo("endless", "{ for (;;) {} }"));
    let app = loaded(&nova).await;

    let called = call(&app, "dynamic.endless", json!({}), ScriptedApprover::always(Decision::Once)).await;

    let error = called.error.unwrap();
    assert_eq!(error.code, ErrorCode::ToolFailed, "{error:?}");
    assert!(error.message.contains("endless.ts"), "{error:?}");
    assert!(
        error.message.contains("it used more than 2000 ms of computing time and was stopped"),
        "{error:?}"
    );
    let ended = async {
        while host.alive() > 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, ended).await.expect("no process is left");
}

#[cfg(target_os = "linux")]
#[test]
fn killed_nova_takes_its_script_processes_along() {
    use std::io::{BufRead as _, BufReader};

    let nova = Nova::new("", []);
    let source = echo("waiting", "null").replace(
        "async () => null",
        "(_, ctx) => { ctx.progress(0.5, 'here'); return new Promise(() => {}) }",
    );
    save(&nova, "waiting.ts", &source);
    let mut child = nova
        .command(&["tool", "call", "dynamic.waiting", "--approve", "all"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("here")), "the process runs");
    let processes = descendants(child.id());
    assert!(processes.len() >= 2, "a guard and a script process: {processes:?}");
    child.kill().unwrap();
    child.wait().unwrap();
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(5);
    while processes.iter().any(|process| Path::new(&format!("/proc/{process}/status")).exists()) {
        assert!(std::time::Instant::now() < deadline, "left: {processes:?}");
        std::thread::yield_now();
    }
}

#[cfg(target_os = "linux")]
pub(crate) fn descendants(of: u32) -> Vec<u32> {
    let mut found = Vec::new();
    let mut open = vec![of];
    while let Some(process) = open.pop() {
        let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { continue };
        for thread in threads.flatten() {
            let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            let children: Vec<u32> = children.split_whitespace().filter_map(|id| id.parse().ok()).collect();
            found.extend(&children);
            open.extend(children);
        }
    }
    found
}

/// Contacts a host that its source does not show.
fn reaching() -> String {
    let reach = "await (await fetch('http://' + ['api', 'weather', 'com'].join('.') + '/')).text()";
    echo("reach", &format!("({{ said: {reach} }})"))
}

#[tokio::test]
async fn always_allowed_host_is_listed_and_revoked() {
    let (nova, _host, server) = world([]).await;
    save(&nova, "reach.ts", &reaching());
    let app = loaded(&nova).await;
    let always = ScriptedApprover::always(Decision::Always);
    let first = call(&app, "dynamic.reach", json!({}), always.clone()).await;
    assert!(first.ok, "{:?}: {:?}", first.error, always.asked());
    let nobody = || ScriptedApprover::new([]);
    assert!(call(&app, "dynamic.reach", json!({}), nobody()).await.ok, "no approval is asked");

    let view = app.list_rules(Nothing {}).await.unwrap();
    assert_eq!(view.tools[0].hosts, ["api.weather.com"]);
    let (code, listed) = nova.json(&["permission", "list"]);
    assert_eq!((code, &listed["tools"][0]["hosts"]), (0, &json!(["api.weather.com"])));

    let (code, error) = nova.json(&["permission", "remove", "dynamic.reach@other.example"]);
    assert_eq!(code, 1, "{error}");
    let (code, left) = nova.json(&["permission", "remove", "dynamic.reach@API.weather.com"]);
    assert_eq!((code, &left["tools"][0]["hosts"]), (0, &json!([])));
    assert_eq!(left["tools"][0]["always"], true, "the tool itself runs as before");
    let asks = nobody();
    assert!(!call(&app, "dynamic.reach", json!({}), asks.clone()).await.ok);
    assert_eq!(asks.asked()[0].question, "Let dynamic.reach send to api.weather.com?");
    assert_eq!(server.requests().len(), 2);
}

/// Writes rules into the file while the question waits, then answers.
struct Meanwhile(PathBuf);

#[async_trait::async_trait]
impl nova_app::Approver for Meanwhile {
    async fn ask(&self, request: &nova_app::ApprovalRequest) -> nova_app::Answer {
        if request.question.starts_with("Let ") {
            fs::write(&self.0, "permissions:\n  deny: [internet_access]\n").unwrap();
        }
        nova_testkit::decided(Decision::Once)
    }
}

#[tokio::test]
async fn new_deny_holds_while_its_host_is_asked_about() {
    let (nova, _host, server) = world([]).await;
    save(&nova, "reach.ts", &reaching());
    let hosts = "effect: 'read',\n  hosts: ['api.weather.com'],";
    save(&nova, "reader.ts", &echo("reader", "'read'").replace("effect: 'read',", hosts));
    let app = loaded(&nova).await;
    let result = app
        .run_tool(ToolRun {
            run: "test".into(),
            tool: "dynamic.reach".into(),
            args: json!({}),
            kind: ChangeSetKind::Cli,
            approver: Arc::new(Meanwhile(nova.config().join("permissions.yaml"))),
            by_hand: true,
            cancel: CancellationToken::new(),
        })
        .await;
    let error = result.error.expect("denied meanwhile");
    assert!(error.message.contains("the rule \"internet_access\" denies it"), "{error:?}");
    assert_eq!(server.requests(), []);

    let wanted = TryRule { tool: "dynamic.reader".into(), args: None, relationship: None };
    let tried = app.try_rule(wanted).await.unwrap();
    assert_ne!(tried.verdict, TriedVerdict::Deny, "it may run; only its host is denied");
    assert!(
        tried.reason.ends_with(" It can contact no host: the rule \"internet_access\" denies it."),
        "{}",
        tried.reason
    );
}

/// Runs the program as on a kernel with neither Landlock nor seccomp: their system calls fail as unknown.
#[cfg(target_os = "linux")]
fn on_an_old_kernel(nova: &Nova, args: &[&str]) -> String {
    use seccompiler::{SeccompAction, SeccompFilter};
    let mut command = nova.command(args);
    let run = move || {
        let calls = [libc::SYS_seccomp, libc::SYS_landlock_create_ruleset].map(|call| (call, Vec::new()));
        let unknown = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
        let arch = std::env::consts::ARCH.try_into().unwrap();
        let filter = SeccompFilter::new(calls.into(), SeccompAction::Allow, unknown, arch).unwrap();
        // For this thread and its children.
        let program: seccompiler::BpfProgram = filter.try_into().unwrap();
        seccompiler::apply_filter(&program).unwrap();
        command.output().unwrap()
    };
    let output = std::thread::spawn(run).join().unwrap();
    [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat()
}

#[cfg(target_os = "linux")]
#[test]
fn unconfined_tools_run_after_the_user_agrees() {
    let nova = Nova::new("", []);
    let folder = nova.config().join("tools").join("dynamic");
    fs::create_dir_all(&folder).unwrap();
    let source = "import { z } from 'zod'\nimport { defineTool } from '@nova/tools'\n
export default defineTool({
  name: 'greet', description: 'Greets.', effect: 'read', parameters: z.object({}),
  execute: async () => 'hello from a script',
})
";
    fs::write(folder.join("greet.ts"), source).unwrap();
    let list = || on_an_old_kernel(&nova, &["tool", "list"]);
    let told = list();
    assert!(told.contains("neither Landlock nor seccomp") && told.contains("nova tool unconfined"), "{told}");
    on_an_old_kernel(&nova, &["tool", "unconfined", "allow"]);
    let told = list();
    assert!(!told.contains("neither Landlock") && told.contains("dynamic.greet"), "{told}");
    on_an_old_kernel(&nova, &["tool", "unconfined", "deny"]);
    // Metadata of the file is listed without running it.
    let call = ["tool", "call", "dynamic.greet", "--approve", "all"];
    let told = on_an_old_kernel(&nova, &call);
    assert!(told.contains("neither Landlock") && !told.contains("hello"), "{told}");
    on_an_old_kernel(&nova, &["tool", "unconfined", "allow"]);
    let told = on_an_old_kernel(&nova, &call);
    assert!(told.contains("hello from a script"), "{told}");
}

/// Answers once, and counts the questions.
struct Answers(bool, std::sync::atomic::AtomicUsize);

#[async_trait::async_trait]
impl nova_app::Desktop for Answers {
    async fn pick_folder(&self) -> Option<PathBuf> {
        None
    }

    async fn pick_file(&self, _: &str) -> Option<PathBuf> {
        None
    }

    fn open_url(&self, url: &str) -> Result<(), String> {
        Err(url.to_owned())
    }

    fn show_file(&self, path: &Path) -> Result<(), String> {
        Err(path.display().to_string())
    }

    async fn confirm(&self, title: &str, text: &str) -> Option<bool> {
        assert!(
            title.contains("TypeScript") && text.contains("neither Landlock nor seccomp"),
            "{title} {text}"
        );
        self.1.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        Some(self.0)
    }
}

#[tokio::test]
async fn window_asks_once_about_unconfined_tools() {
    for answer in [true, false] {
        let nova = Nova::new("", []);
        let desktop = Arc::new(Answers(answer, Default::default()));
        let ask = || nova_app::Unconfined::new(&nova.data(), desktop.clone());
        let first = ask();
        let (one, other) = tokio::join!(first.is_allowed(), first.is_allowed());
        assert_eq!((one, other, ask().is_allowed().await), (answer, answer, answer));
        assert_eq!(desktop.1.load(std::sync::atomic::Ordering::SeqCst), 1);
    }
    // Without an approver nothing is stored.
    let nova = Nova::new("", []);
    assert!(!nova_app::Unconfined::new(&nova.data(), Arc::new(nova_app::NoDesktop)).is_allowed().await);
    let yes = Arc::new(Answers(true, Default::default()));
    assert!(nova_app::Unconfined::new(&nova.data(), yes).is_allowed().await);
}
