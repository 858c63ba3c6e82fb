//! With the real script process, without a guard.

use std::time::Duration;

use nova_registry::ToolHost;
use nova_script::host::HostOptions;
use nova_skill::{Effect, OutputPart, ToolOutput};
use nova_testkit::{FixedCredentials, RecordingHttp};
use serde_json::json;

use crate::support::{Context, Host, failure, file, host_of, run, value, within};

pub(crate) const WEATHER: &str = "import { z } from 'zod'
import { defineTool } from '@nexus/tools'

export default defineTool({
  name: 'weather',
  description: 'Get current weather for a location',
  parameters: z.object({ location: z.string() }),
  requires_credentials: ['weather-api'],
  execute: async ({ location }, ctx) => {
    const apiKey = await ctx.credentials.get('weather-api', 'api_key')
    const response = await fetch(`https://api.weather.com/v1/current?q=${location}&key=${apiKey}`)
    const data = await response.json()
    return { temperature: data.current.temp }
  },
})
";

fn host(change: impl FnOnce(&mut HostOptions)) -> Host {
    host_of(env!("CARGO_BIN_EXE_nova-script"), change)
}

/// A tool whose function has this body.
pub(crate) fn tool(body: &str) -> String {
    format!(
        "import {{ z }} from 'zod'\nimport {{ defineTool }} from '@nova/tools'\nexport default defineTool({{ \
         name: 'stand_in', description: 'D.', parameters: z.object({{}}), {body} }})\n"
    )
}

#[tokio::test]
async fn weather_example_fetches_with_its_credential_through_nova() {
    let host = host(|_| {});
    let weather = within(host.host.load(file("dynamic/weather.ts", "weather.ts", WEATHER))).await.unwrap();
    assert_eq!(weather.spec().id, "weather");
    assert_eq!(weather.spec().effect, Effect::Undeclared);
    assert_eq!(weather.spec().proposed_hosts, ["api.weather.com"]);
    let web = RecordingHttp::default().with("https://api.weather.com/", 200, r#"{"current":{"temp":21}}"#);
    let (ctx, _hears) = Context::with(|context| {
        let credentials = FixedCredentials::default().with("weather-api/api_key", "k3y");
        context.with_http(web.clone()).with_credentials(credentials)
    });
    let Ok(ToolOutput::Value(output)) = run(&weather, json!({ "location": "Bern" }), ctx).await else {
        panic!("a value")
    };
    assert_eq!(output.value, json!({ "temperature": 21 }));
    let [request] = web.requests().try_into().expect("one request");
    assert_eq!(request.url.as_str(), "https://api.weather.com/v1/current?q=Bern&key=k3y");
    assert_eq!(host.host.started(), 1);
}

#[tokio::test]
async fn syntax_error_is_reported_with_its_position() {
    let host = host(|_| {});
    let error = within(host.host.load(file("a", "a.ts", "let a = 1\nlet b = }\n"))).await.err().unwrap();
    assert_eq!((error.file.as_str(), error.line, error.column), ("a.ts", Some(2), Some(9)));
}

#[tokio::test]
async fn endless_loop_ends_and_the_next_call_works() {
    let host = host(|options| options.limits.computing_ms = 300);
    let source = tool("execute: async () => { for (;;) {} }");
    let endless = host.tool(&source).await;
    let (message, _) = failure(&endless, json!({})).await;
    assert!(message.starts_with("stand_in.ts"), "{message}");
    let fine = host.tool(&tool("execute: async () => 5")).await;
    assert_eq!(value(&fine, json!({})).await.unwrap(), json!(5));
}

#[tokio::test]
async fn loop_in_native_code_ends_and_the_next_call_works() {
    let host = host(|options| {
        options.limits.computing_ms = 300;
        options.limits.memory = 4 << 30;
    });
    let endless = host.tool(&tool("execute: async () => `${new Array(1e8)}`.length")).await;
    let (message, _) = failure(&endless, json!({})).await;
    assert_eq!(
        message,
        "stand_in.ts:3: it used more than 300 ms of computing time and was stopped, in or after this line"
    );
    let fine = host.tool(&tool("execute: async () => 5")).await;
    assert_eq!(value(&fine, json!({})).await.unwrap(), json!(5));
}

#[tokio::test]
async fn source_that_crashes_the_parser_is_a_fault_of_the_file() {
    let host = host(|_| {});
    let source = tool("execute: async () => 5") + &"!".repeat(900_000) + "1";
    for loads in 1..=2 {
        let error = within(host.host.load(file("a", "a.ts", &source))).await.err().unwrap();
        let told = "a.ts: the process that read it ran out of stack or memory, at an unknown line: an \
                    expression or a statement nests too deeply. Split it into several.";
        assert_eq!(error.to_string(), told);
        // The fault is not cached: the machine may have been out of memory.
        assert_eq!(host.host.started(), loads);
    }
    let fine = host.tool(&tool("execute: async () => 5")).await;
    assert_eq!(value(&fine, json!({})).await.unwrap(), json!(5));
}

#[tokio::test]
async fn promise_that_never_settles_times_out() {
    let host = host(|options| options.time = Duration::from_secs(1));
    let waiting = host.tool(&tool("execute: () => new Promise(() => {})")).await;
    let (message, _) = failure(&waiting, json!({})).await;
    assert!(message.starts_with("stand_in.ts"), "{message}");
}

#[tokio::test]
async fn generator_streams() {
    use futures::StreamExt;
    let host = host(|_| {});
    let source = tool("execute: async function* () { yield 1; yield 2; return 3 }");
    let generator = host.tool(&source).await;
    let Ok(ToolOutput::Stream(stream)) = run(&generator, json!({}), Context::new().0).await else {
        panic!("a stream")
    };
    let parts: Vec<_> = within(stream.collect()).await;
    let [OutputPart::Partial(one), OutputPart::Partial(two), OutputPart::End(Ok(end))] = parts.as_slice()
    else {
        panic!("two parts and an end")
    };
    assert_eq!((one, two, &end.value), (&json!(1), &json!(2), &json!(3)));
}
