use base64::{Engine, engine::general_purpose::STANDARD};
use nova_script::protocol::{Answer, FaultKind, FromChild, Level, Refusal, ToChild, Want};
use serde_json::{Value, json};

use crate::process::{Process, parts_of, tool};

fn ask(process: &mut Process) -> (u64, Want) {
    match process.next() {
        Some(FromChild::Ask { ask, want }) => (ask, want),
        other => panic!("asked nothing: {other:?}"),
    }
}

fn fetched(status: u16, body: &str) -> Answer {
    Answer::Fetched {
        status,
        headers: vec![("content-type".into(), "application/json".into())],
        body: STANDARD.encode(body),
        url: "https://example.com/end".into(),
    }
}

#[test]
fn weather_tool_fetches_with_its_key() {
    let mut process = Process::start();
    process.load_as("weather.ts", include_str!("tools/weather.ts")).unwrap();
    process.begin("weather.ts", json!({ "location": "Zürich" }));

    let (first, want) = ask(&mut process);
    assert_eq!(want, Want::Credential { service: "weather-api".into(), key: "api_key".into() });
    let value = "k&1".to_owned();
    process.send(&ToChild::Answer { ask: first, answer: Ok(Answer::Credential { value }) });

    let (second, want) = ask(&mut process);
    let expected = Want::Fetch {
        method: "GET".into(),
        url: "https://api.weather.com/v1/current?q=Z%C3%BCrich&units=celsius&key=k&1".into(),
        headers: vec![],
        body: None,
    };
    assert_eq!(want, expected);
    let body = r#"{"location":{"name":"Zürich"},"current":{"temp":7.5,"condition":{"text":"rain"}}}"#;
    process.send(&ToChild::Answer { ask: second, answer: Ok(fetched(200, body)) });

    let value = json!({ "location": "Zürich", "temperature": 7.5, "conditions": "rain" });
    assert_eq!(process.next(), Some(FromChild::Done { value }));
}

#[test]
fn slack_tool_posts() {
    let mut process = Process::start();
    process.load_as("slack.ts", include_str!("tools/slack_notify.ts")).unwrap();
    process.begin("slack.ts", json!({ "channel": "#a", "message": "hi" }));
    let (first, want) = ask(&mut process);
    assert_eq!(want, Want::Credential { service: "slack".into(), key: "bot_token".into() });
    let value = "xoxb".to_owned();
    process.send(&ToChild::Answer { ask: first, answer: Ok(Answer::Credential { value }) });
    let (second, want) = ask(&mut process);
    let expected = Want::Fetch {
        method: "POST".into(),
        url: "https://slack.com/api/chat.postMessage".into(),
        headers: vec![
            ("authorization".into(), "Bearer xoxb".into()),
            ("content-type".into(), "application/json".into()),
        ],
        body: Some(STANDARD.encode(r##"{"channel":"#a","text":"hi"}"##)),
    };
    assert_eq!(want, expected);
    process.send(&ToChild::Answer { ask: second, answer: Ok(fetched(200, "{}")) });
    assert_eq!(process.next(), Some(FromChild::Done { value: json!({ "success": true }) }));
}

#[test]
fn invalid_arguments_are_reported_with_zods_message() {
    let mut process = Process::start();
    let source = tool("return 1").replace("z.object({})", "z.object({ n: z.number().max(3) })");
    process.load(&source).unwrap();
    let fault = process.call(json!({ "n": 4 })).1.unwrap_err();
    let message = "✖ Too big: expected number to be <=3\n  → at n";
    assert_eq!(parts_of(&fault), (FaultKind::Arguments, message, None));
    assert_eq!(process.call(json!({ "n": 3 })).1, Ok(json!(1)));
}

#[test]
fn context_has_the_request_and_accepts_log_and_progress() {
    let mut process = Process::start();
    let body = "ctx.log.info('looking at', { n: 1 }); ctx.log.debug('d'); console.warn('careful')
        ctx.progress(0.5, 'half'); const r = ctx.request
        return [r.request_id, r.turn_id, r.session_id, r.principal.relationship, Object.isFrozen(r.principal), ctx.signal.aborted]";
    process.load(&tool(body)).unwrap();
    let (said, value) = process.call(json!({}));
    let log = |level, message: &str| FromChild::Log { level, message: message.into() };
    let expected = [
        log(Level::Info, "looking at {\"n\":1}"),
        log(Level::Debug, "d"),
        log(Level::Warn, "careful"),
        FromChild::Progress { fraction: Some(0.5), message: Some("half".into()) },
    ];
    assert_eq!(said, expected);
    assert_eq!(value, Ok(json!(["r1", "t1", "s1", "owner", true, false])));
}

#[test]
fn generator_streams_and_its_last_value_is_the_result() {
    let mut process = Process::start();
    let generator = |body| tool(body).replace("async (args, ctx) => {", "async function* () {");
    process.load(&generator("yield 1; await null; yield { two: 2 }")).unwrap();
    let partial = |value: Value| FromChild::Partial { value };
    let said = vec![partial(json!(1)), partial(json!({ "two": 2 }))];
    assert_eq!(process.call(json!({})), (said, Ok(json!({ "two": 2 }))));
    process.load(&generator("yield 1; return 'end'")).unwrap();
    assert_eq!(process.call(json!({})), (vec![partial(json!(1))], Ok(json!("end"))));
}

#[test]
fn refusal_is_an_error_at_the_line_of_the_request() {
    let mut process = Process::start();
    process.load(&tool("\n  const r = await fetch('https://example.com/')\n  return r.status")).unwrap();
    process.begin("tool.ts", json!({}));
    let (id, _) = ask(&mut process);
    let refusal = Refusal { message: "example.com was not allowed".into(), code: None };
    process.send(&ToChild::Answer { ask: id, answer: Err(refusal) });
    let Some(FromChild::Failed { fault, fatal: false }) = process.next() else { panic!() };
    let message = "TypeError: example.com was not allowed";
    assert_eq!(parts_of(&fault), (FaultKind::Thrown, message, Some((8, 19))));
}

#[test]
fn fetches_run_concurrently_and_complete_in_any_order() {
    let mut process = Process::start();
    let body = "const get = async p => (await fetch('https://example.com/' + p)).text()
        return Promise.all([get('a'), get('b'), ctx.credentials.has('s')])";
    process.load(&tool(body)).unwrap();
    process.begin("tool.ts", json!({}));
    let (a, _) = ask(&mut process);
    let (b, _) = ask(&mut process);
    let (has, want) = ask(&mut process);
    assert_eq!(want, Want::HasCredential { service: "s".into() });
    process.send(&ToChild::Answer { ask: has, answer: Ok(Answer::HasCredential { has: true }) });
    process.send(&ToChild::Answer { ask: b, answer: Ok(fetched(200, "B")) });
    process.send(&ToChild::Answer { ask: 4711, answer: Ok(fetched(200, "nobody asked")) });
    process.send(&ToChild::Answer { ask: a, answer: Ok(fetched(200, "A")) });
    assert_eq!(process.next(), Some(FromChild::Done { value: json!(["A", "B", true]) }));
}

#[test]
fn response_has_status_headers_and_body() {
    let mut process = Process::start();
    let body = "const r = await fetch(new Request('https://example.com/a', { method: 'put', body: 'x' }))
        const again = r.clone()
        return [r.ok, r.status, r.statusText, r.url, r.redirected, r.headers.get('Content-Type'),
          await r.text(), (await again.bytes()).length, await r.text().catch(e => e.name)]";
    process.load(&tool(body)).unwrap();
    process.begin("tool.ts", json!({}));
    let (id, want) = ask(&mut process);
    assert!(matches!(want, Want::Fetch { method, .. } if method == "PUT"));
    process.send(&ToChild::Answer { ask: id, answer: Ok(fetched(404, "ö")) });
    let value = json!([
        false,
        404,
        "Not Found",
        "https://example.com/end",
        true,
        "application/json",
        "ö",
        2,
        "TypeError"
    ]);
    assert_eq!(process.next(), Some(FromChild::Done { value }));
}

#[test]
fn cancel_fires_the_signal_and_a_waiting_call_ends() {
    let mut process = Process::start();
    let body = "ctx.signal.addEventListener('abort', () => ctx.log.info('cleaning up'))
        await fetch('https://example.com/', { signal: ctx.signal })";
    process.load(&tool(body)).unwrap();
    process.begin("tool.ts", json!({}));
    ask(&mut process);
    process.send(&ToChild::Cancel);
    let message = "cleaning up".to_owned();
    assert_eq!(process.next(), Some(FromChild::Log { level: Level::Info, message }));
    let Some(FromChild::Failed { fault, fatal: false }) = process.next() else { panic!() };
    assert_eq!((fault.kind, &*fault.message), (FaultKind::Thrown, "stopped"));
    process.still_works();
}

#[test]
fn cancel_ends_calls_that_never_settle_or_loop() {
    let mut process = Process::start();
    process.load(&tool("ctx.log.info('on'); await new Promise(() => {})")).unwrap();
    process.begin("tool.ts", json!({}));
    assert!(matches!(process.next(), Some(FromChild::Log { .. })));
    process.send(&ToChild::Cancel);
    let Some(FromChild::Failed { fault, fatal: false }) = process.next() else { panic!() };
    assert_eq!(fault.message, "stopped");

    process.load(&tool("ctx.log.info('on'); for (;;) {}")).unwrap();
    process.begin("tool.ts", json!({}));
    assert!(matches!(process.next(), Some(FromChild::Log { .. })));
    process.send(&ToChild::Cancel);
    let (fault, _) = process.fatal();
    assert_eq!((fault.kind, &*fault.message), (FaultKind::Thrown, "stopped"));
}

#[test]
fn late_cancel_does_not_affect_the_next_call() {
    let mut process = Process::start();
    process.load(&tool("return 1")).unwrap();
    assert_eq!(process.call(json!({})).1, Ok(json!(1)));
    process.send(&ToChild::Cancel);
    assert_eq!(process.call(json!({})).1, Ok(json!(1)));
    process.send(&ToChild::Cancel);
    process.still_works();
}

#[test]
fn result_that_is_not_json_is_an_error_with_the_reason() {
    let mut process = Process::start();
    for (body, value) in [
        ("return undefined", json!(null)),
        (
            "return { at: new Date(0), n: NaN, gone: undefined, list: [undefined, () => 1] }",
            json!({ "at": "1970-01-01T00:00:00.000Z", "n": null, "list": [null, null] }),
        ),
        ("return 'a\\ud800b\\u0000'", json!("a\u{fffd}b\0")),
        ("return JSON.parse('{\"__proto__\": 1}')", json!({ "__proto__": 1 })),
    ] {
        assert_eq!(process.run(body), Ok(value), "{body}");
    }
    let cyclic = "the result cannot be written as JSON: TypeError: circular reference";
    for (body, message) in [
        ("return 1n", "the result is a BigInt; return a number or its String(...)"),
        ("return { total: 1n }", "`total` of the result is a BigInt; return a number or its String(...)"),
        ("return { m: new Map() }", "`m` of the result is a Map; return Object.fromEntries(map)"),
        ("return [new Set()]", "`0` of the result is a Set; return [...set]"),
        ("return () => 1", "the result is a function; return data"),
        ("return Symbol('s')", "the result is a symbol; return data"),
        ("const a = {}; a.a = a; return a", cyclic),
        ("return { toJSON() { throw new Error('no') } }", "the result cannot be written as JSON: no"),
        (
            "let a = 1; for (let i = 0; i < 101; i++) a = [a]; return a",
            "the result nests deeper than 100 levels",
        ),
    ] {
        let fault = process.run(body).unwrap_err();
        assert_eq!((fault.kind, &*fault.message), (FaultKind::Result, message), "{body}");
        assert_eq!(fault.line, Some(7), "{body}");
    }
    process.still_works();
}
