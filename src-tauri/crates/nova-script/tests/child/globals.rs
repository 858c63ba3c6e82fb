use serde_json::{Value, json};

use crate::process::Process;

/// Evaluates each expression in a call and compares it with the web standards' result.
#[track_caller]
fn expect(cases: &[(&str, Value)]) {
    let mut process = Process::start();
    for (expression, value) in cases {
        let got = process.run(&format!("return {expression}"));
        assert_eq!(got.as_ref(), Ok(value), "{expression}");
    }
}

#[test]
fn url_and_search_params() {
    expect(&[
        (
            "new URL('../c?d=é#e', 'https://u:p@Example.com:8080/a/b/').href",
            json!("https://u:p@example.com:8080/a/c?d=%C3%A9#e"),
        ),
        (
            "(u => [u.protocol, u.host, u.hostname, u.port, u.pathname, u.search, u.hash, u.origin, u.username])(new URL('https://u@h.example:81/p?q=1#f'))",
            json!([
                "https:",
                "h.example:81",
                "h.example",
                "81",
                "/p",
                "?q=1",
                "#f",
                "https://h.example:81",
                "u"
            ]),
        ),
        (
            "(u => { u.searchParams.set('q', 'a b'); u.searchParams.append('r', 'ü'); u.pathname = '/x y'; return u.toString() })(new URL('https://h.example/?q=1'))",
            json!("https://h.example/x%20y?q=a+b&r=%C3%BC"),
        ),
        (
            "(u => { u.search = '?z=9'; return u.searchParams.get('z') })(new URL('https://h.example/?q=1'))",
            json!("9"),
        ),
        ("(() => { try { new URL('no') } catch (e) { return e.message } })()", json!("'no' is not a URL")),
        ("URL.canParse('http://a')", json!(true)),
        ("new URL('https://h.example/?q=\\ud800').search", json!("?q=%EF%BF%BD")),
        ("`${new URLSearchParams({ a: '\\ud800' })}`", json!("a=%EF%BF%BD")),
        ("`${new URLSearchParams({ a: '1&2', b: 'c d' })}`", json!("a=1%262&b=c+d")),
        ("[...new URLSearchParams('?a=1&a=%20&b')]", json!([["a", "1"], ["a", " "], ["b", ""]])),
    ]);
}

#[test]
fn text_encoding_and_base64() {
    expect(&[
        ("Array.from(new TextEncoder().encode('é€'))", json!([195, 169, 226, 130, 172])),
        ("new TextDecoder().decode(new Uint8Array([239, 187, 191, 104, 255]))", json!("h\u{fffd}")),
        ("new TextDecoder('latin1').decode(new Uint8Array([228, 128]))", json!("ä€")),
        (
            "(() => { try { new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([255])) } catch (e) { return e.name } })()",
            json!("TypeError"),
        ),
        ("[btoa('hello'), atob('aGVsbG8=')]", json!(["aGVsbG8=", "hello"])),
        (
            "structuredClone({ d: new Date(0), n: [1, { m: 2 }] })",
            json!({ "d": "1970-01-01T00:00:00.000Z", "n": [1, { "m": 2 }] }),
        ),
        ("[...structuredClone(new Map([[1, new Set([2])]])).get(1)]", json!([2])),
    ]);
}

#[test]
fn headers_requests_and_responses() {
    expect(&[
        ("[...new Headers({ 'X-B': ' 2 ', a: '1' })]", json!([["a", "1"], ["x-b", "2"]])),
        (
            "(h => { h.append('A', 'x'); h.append('a', 'y'); return h.get('A') })(new Headers())",
            json!("x, y"),
        ),
        ("(() => { try { new Headers({ a: 'x\\ny' }) } catch (e) { return e.name } })()", json!("TypeError")),
        ("new Response('{\"a\":1}').json()", json!({ "a": 1 })),
        ("Response.json([1]).headers.get('content-type')", json!("application/json")),
        (
            "(r => [r.method, r.url, r.headers.get('content-type')])(new Request('https://a.example', { method: 'post', body: new URLSearchParams('a=1') }))",
            json!(["POST", "https://a.example/", "application/x-www-form-urlencoded;charset=UTF-8"]),
        ),
        (
            "fetch('https://a.example', { method: 'POST', body: {} }).catch(e => e.message)",
            json!("a body is a string, URLSearchParams or bytes; for an object JSON.stringify(it)"),
        ),
        (
            "fetch('https://a.example', { signal: AbortSignal.abort() }).catch(e => e.name)",
            json!("AbortError"),
        ),
    ]);
}

#[test]
fn timers_and_signals() {
    expect(&[
        ("(async () => { const seen = []; setTimeout(x => seen.push(x), 20, 'b'); setTimeout(() => seen.push('a'), 1);
           clearTimeout(setTimeout(() => seen.push('never'), 5)); await new Promise(r => setTimeout(r, 40)); return seen })()", json!(["a", "b"])),
        ("new Promise(r => { let n = 0; const t = setInterval(() => { if (++n === 3) { clearInterval(t); r(n) } }, 1) })", json!(3)),
        ("(async () => { const seen = []; queueMicrotask(() => seen.push(1)); seen.push(0); await null; return seen })()", json!([0, 1])),
        ("new Promise(r => { const s = AbortSignal.timeout(1); s.onabort = () => r([s.aborted, s.reason.name]) })", json!([true, "TimeoutError"])),
        ("(c => { const any = AbortSignal.any([c.signal, new AbortController().signal]); c.abort('why'); return [any.aborted, any.reason] })(new AbortController())", json!([true, "why"])),
        ("(c => { let n = 0; c.signal.addEventListener('abort', () => n++); c.abort(); c.abort(); return n })(new AbortController())", json!(1)),
        ("(t => { let got; t.addEventListener('x', { handleEvent: e => got = e.type }, { once: true }); t.dispatchEvent(new Event('x')); return got })(new EventTarget())", json!("x")),
    ]);
}

#[test]
fn random_numbers_and_clock() {
    expect(&[
        (
            "/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID())",
            json!(true),
        ),
        ("crypto.randomUUID() === crypto.randomUUID()", json!(false)),
        ("crypto.getRandomValues(new Uint32Array(8)).some(n => n > 65535)", json!(true)),
        ("typeof performance.now()", json!("number")),
        ("new Date('2026-03-01T12:00:00+02:00').toISOString()", json!("2026-03-01T10:00:00.000Z")),
    ]);
}
