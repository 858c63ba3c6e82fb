use std::thread;
use std::time::{Duration, Instant};

use nova_script::protocol::{Definition, FaultKind, Fragments};
use nova_skill::VaultAccess;
use serde_json::json;

use crate::process::{Process, parts_of, tool};

/// A file with these properties in addition to the required ones.
fn with(more: &str) -> String {
    format!(
        "import {{ z }} from 'zod'
import {{ defineTool }} from '@nova/tools'

export default defineTool({{
  name: 'tried', description: 'Is tried.', parameters: z.object({{}}), execute: async () => 1,
  {more}
}})
"
    )
}

#[test]
fn weather_tool_has_the_definition_of_its_file() {
    let definition = Process::start().load(include_str!("tools/weather.ts")).unwrap();
    let expected = Definition {
        name: "weather".into(),
        description: "Get current weather for a location".into(),
        parameters: json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {
                "location": { "type": "string", "description": "City name or coordinates" },
                "units": {
                    "type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius",
                },
            },
            "required": ["location"],
        }),
        effect: None,
        credentials: vec!["weather-api".into()],
        hosts: vec![],
        proposed_hosts: vec!["api.weather.com".into()],
        fragments: Fragments::default(),
        keys: vec!["weather-api/api_key".into()],
        vault: None,
    };
    assert_eq!(definition, expected);
}

#[test]
fn slack_tool_has_the_definition_of_its_file() {
    let definition = Process::start().load(include_str!("tools/slack_notify.ts")).unwrap();
    assert_eq!(definition.name, "slack_notify");
    assert_eq!(definition.credentials, ["slack"]);
    assert_eq!(definition.proposed_hosts, ["slack.com"]);
    assert_eq!(definition.parameters["required"], json!(["channel", "message"]));
}

#[test]
fn fragment_without_description_is_one_line_of_what_is_missing() {
    let fragment = "export default defineTool({
  name: 'github_search',
  requires_credentials: ['github'],

  execute: async (args, ctx) => {
    const token = await ctx.credentials.get('github', 'token')
  },
})
";
    let load = |source: &str| Process::start().load(source).unwrap_err().message;
    assert!(
        load(fragment).contains("write `import { defineTool } from '@nova/tools'`"),
        "{}",
        load(fragment)
    );
    assert_eq!(
        load(&format!("import {{ defineTool }} from '@nova/tools'\n{fragment}")),
        "description and parameters are missing: description says in a sentence what the tool does, the model reads \
         it; parameters is a zod object: z.object({ ... }), empty for a tool without arguments"
    );
}

#[test]
fn access_to_notes_and_fragments_are_passed_on() {
    let definition = Process::start().load(&with("vault: 'write'")).unwrap();
    assert_eq!((definition.vault, definition.effect), (Some(VaultAccess::Write), None));
    let described = with("").replace(
        "description: 'Is tried.'",
        "description: { purpose: 'Tries.', use_when: ['one', 'two'], not_when: [{ clause: 'three', instead: 'a.b' }], cite: \
         'four', example: 'five' }",
    );
    let definition = Process::start().load(&described).unwrap();
    assert_eq!(definition.description, "Tries.");
    let expected = json!({
        "use_when": ["one", "two"],
        "not_when": [{"clause": "three", "instead": "a.b"}],
        "cite": ["four"],
        "example": ["five"],
    });
    assert_eq!(json!(definition.fragments), expected);
    for (odd, said) in [
        ("vault: 'all'", "vault is \"all\"; it is 'read' or 'write', or left out"),
        ("vault: 'write', effect: 'send'", "vault: 'write' goes with effect: 'write'"),
        ("description: { purpose: 'x', useWhen: 'y' }", "description.useWhen is not known"),
        (
            "description: { purpose: 'x', not_when: ['y'] }",
            "description.not_when is a list of { clause, instead }",
        ),
    ] {
        let fault = Process::start().load(&with(odd)).unwrap_err();
        assert!(fault.message.contains(said), "{odd}: {}", fault.message);
    }
}

#[test]
fn effect_hosts_and_credentials_are_passed_on() {
    let source = with(
        "effect: 'external', hosts: ['API.Example.com', 'bücher.example:8443'],
         requires_credentials: ['mail/token', 'chat'],",
    );
    let definition = Process::start().load(&source).unwrap();
    assert_eq!(definition.effect.as_deref(), Some("external"));
    assert_eq!(definition.hosts, ["api.example.com", "xn--bcher-kva.example:8443"]);
    assert_eq!(definition.credentials, ["mail/token", "chat"]);
}

#[test]
fn typescript_with_runtime_semantics_runs() {
    let mut process = Process::start();
    let source = tool(
        "enum Unit { C = 'c', F = 'f' }
         class Point { constructor(private readonly x: number, public y = 2) {} sum() { return this.x + this.y } }
         const chosen = { unit: Unit.F } satisfies { unit: Unit };
         const maybe: number | undefined = 3;
         return [chosen.unit, Names.own, new Point(1).sum(), maybe!, (maybe as unknown as number) + 1]",
    );
    process.load(&(source + "namespace Names { export const own: string = 'Nova' }")).unwrap();
    let (_, value) = process.call(json!({}));
    assert_eq!(value, Ok(json!(["f", "Nova", 3, 3, 4])));
}

#[test]
fn zod_can_be_imported_in_each_way_and_types_from_anywhere() {
    let mut process = Process::start();
    for import in [
        "import * as z from 'zod'",
        "import z from 'zod'",
        "import { z, type ZodType } from 'zod'; import type { Tool } from './types'",
        "const { z } = await import('zod')",
    ] {
        let source = with("").replacen("import { z } from 'zod'", import, 1);
        assert!(process.load(&source).is_ok(), "{import}");
    }
}

#[test]
fn unknown_import_is_reported_with_its_position_even_if_unused() {
    let mut process = Process::start();
    let node = "a tool does not run in Node";
    for (import, module, column, why) in [
        ("import fs from 'node:fs'", "node:fs", 16, node),
        ("import { readFile } from 'fs/promises'", "fs/promises", 26, "a tool has no packages"),
        ("import './other'", "./other", 8, "a tool is one file"),
        ("export * from 'nova:prelude'", "nova:prelude", 15, "a tool has no packages"),
        ("const x = () => import('node:fs')", "node:fs", 17, node),
    ] {
        let fault = process.load(&format!("{import}\n{}", with(""))).unwrap_err();
        let message = format!(
            "cannot import '{module}': {why}; there are 'zod' and '@nova/tools', and fetch for the web"
        );
        assert_eq!(parts_of(&fault), (FaultKind::Import, &*message, Some((1, column))), "{import}");
    }
    let late = process.run("return await import('node' + ':fs')").unwrap_err();
    assert_eq!(late.kind, FaultKind::Import);
    assert!(late.message.contains("a tool does not run in Node"), "{}", late.message);
    process.still_works();
}

#[test]
fn syntax_error_is_reported_with_its_position() {
    let mut process = Process::start();
    let fault = process.load("const ok = 1\nconst größe = 'ä'; const = 2\n").unwrap_err();
    assert_eq!((fault.kind, fault.line, fault.column), (FaultKind::Syntax, Some(2), Some(26)));
    let fault = process.load("let a = 1\n\n  let a = 2\n").unwrap_err();
    assert_eq!((fault.kind, fault.line), (FaultKind::Syntax, Some(1)));
    assert!(fault.message.contains("`a` has already been declared"), "{}", fault.message);
    process.still_works();
}

#[test]
fn missing_tool_is_reported_at_the_export_or_the_end() {
    let mut process = Process::start();
    let no_tool = "a file's default export is what defineTool returned: \
                   export default defineTool({ name, description, parameters, execute })";
    for (source, place) in [
        ("", (1, 1)),
        ("const y = 1\nexport const x = 1\n\n", (2, 19)),
        ("\n  export default 5", (2, 3)),
        ("const spec = {}\nexport default { name: 'x' }", (2, 1)),
        ("export default new Proxy({}, { get() { throw 1 } })", (1, 1)),
    ] {
        let fault = process.load(source).unwrap_err();
        assert_eq!(parts_of(&fault), (FaultKind::Definition, no_tool, Some(place)), "{source}");
    }
    process.still_works();
}

#[test]
fn invalid_definition_is_reported_with_the_reason() {
    let mut process = Process::start();
    for (more, message) in [
        (
            "name: 'the weather'",
            "name is \"the weather\"; it has 1 to 64 of the characters A-Z, a-z, 0-9, _ and -",
        ),
        ("name: undefined", "name is missing; it has 1 to 64 of the characters A-Z, a-z, 0-9, _ and -"),
        ("name: 'a'.repeat(65)", "name is \"aaaaaaaa"),
        ("description: ' '", "description is missing"),
        ("description: 'a'.repeat(4097)", "description is longer than 4,096 characters"),
        ("parameters: { a: 1 } as any", "parameters is a zod object: z.object({ ... })"),
        ("parameters: z.string()", "parameters is a zod object: z.object({ ... })"),
        ("execute: 'no'", "execute is a function"),
        (
            "effect: 'readonly'",
            "effect is \"readonly\"; it is one of read, write, external, destructive, send",
        ),
        ("hosts: 'example.com'", "hosts is a list of at most 64 texts"),
        ("hosts: ['https://example.com/']", "hosts has \"https://example.com/\"; write a host alone"),
        ("hosts: ['*.example.com']", "hosts has \"*.example.com\"; write a host alone"),
        ("requires_credentials: ['a/b/c']", "requires_credentials has \"a/b/c\""),
        ("requires_credentials: [1n]", "requires_credentials is a list of at most 64 texts"),
    ] {
        let fault = process.load(&with(more)).unwrap_err();
        assert!(fault.message.starts_with(message), "{more}: {}", fault.message);
        let place = (FaultKind::Definition, Some(4), Some(1));
        assert_eq!((fault.kind, fault.line, fault.column), place, "{more}");
    }
    process.still_works();
}

#[test]
fn parameter_without_a_schema_is_named() {
    let mut process = Process::start();
    for (parameters, path) in [
        ("{ when: z.date() }", "parameters.when"),
        ("{ ok: z.string(), range: z.object({ to: z.date().optional() }) }", "parameters.range.to"),
        ("{ days: z.array(z.object({ at: z.bigint() })) }", "parameters.days[].at"),
        ("{ f: z.function() }", "parameters.f"),
        ("{ c: z.custom(() => true) }", "parameters.c"),
        ("{ m: z.map(z.string(), z.number()) }", "parameters.m"),
    ] {
        let fault = process.load(&with(&format!("parameters: z.object({parameters})"))).unwrap_err();
        let start = format!("{path} cannot be told to a model as JSON Schema: ");
        assert!(fault.message.starts_with(&start), "{}", fault.message);
        assert_eq!((fault.kind, fault.line), (FaultKind::Definition, Some(4)));
    }
}

#[test]
fn hosts_of_addresses_in_the_source_are_proposed() {
    let source = with("hosts: ['said.example'],")
        + "
// https://in-a-comment.example
type Address = 'https://in-a-type.example'
const name = 'x'
const addresses = [
  'https://plain.example/path', \"HTTP://Loud.example:8080\", `https://template.example`,
  `https://begun.example/v1/${name}`, `https://asked.example?q=${name}`, 'https://' + name,
  `https://unknown-${name}.example/`, `https://${name}/`, 'https://api.' + name, 'see https://prose.example',
  'https://said.example/', 'ftp://other.example', `http://port.example:81/${name}`, 'https://plain.example/again',
]
";
    let definition = Process::start().load(&source).unwrap();
    let expected = [
        "asked.example",
        "begun.example",
        "loud.example:8080",
        "plain.example",
        "port.example:81",
        "template.example",
    ];
    assert_eq!(definition.proposed_hosts, expected);
}

#[test]
fn top_level_error_is_reported_with_its_position() {
    let mut process = Process::start();
    let source = "interface Long {\n  a: string\n}\nfunction fail(): never {\n  throw new RangeError('too far')\n}\n/* ü */ fail()\n";
    let fault = process.load(source).unwrap_err();
    assert_eq!(parts_of(&fault), (FaultKind::Thrown, "RangeError: too far", Some((5, 13))));
    assert_eq!(fault.stack, ["fail (tool.ts:5:13)", "<anonymous> (tool.ts:7:9)"]);
}

#[test]
fn file_with_requests_or_waits_at_load_time_is_refused() {
    let mut process = Process::start();
    let fault = process.load("await fetch('https://example.com')").unwrap_err();
    let message = "TypeError: fetch and credentials work while execute runs, not while the file is loaded";
    assert_eq!((fault.kind, &*fault.message, fault.line), (FaultKind::Thrown, message, Some(1)));
    let fault = process.load("await new Promise(() => {})").unwrap_err();
    let message = "the file awaits something that never ends, in or after this line";
    assert_eq!((fault.kind, &*fault.message, fault.line), (FaultKind::Time, message, Some(1)));
    process.still_works();
}

#[test]
fn reloading_a_file_replaces_it() {
    let mut process = Process::start();
    assert_eq!(process.run("return 'old'"), Ok(json!("old")));
    assert_eq!(process.run("return 'new'"), Ok(json!("new")));
    assert!(process.load("broken(").is_err());
    let (_, gone) = process.call(json!({}));
    assert_eq!(gone.unwrap_err().message, "tool.ts is not loaded");
    process.load(&tool("return 'back'")).unwrap();
}

#[test]
fn runtime_is_prepared_if_more_files_may_follow() {
    // `performance.now()` counts from the creation of the runtime.
    let timed = |process: &mut Process, file: &str, more: bool| {
        let source = with("").replace("'Is tried.'", "`${performance.now()}`");
        let began = Instant::now();
        let definition = process.load_one(file, &source, more).unwrap();
        let age: f64 = definition.description.parse().unwrap();
        (age, began.elapsed().as_secs_f64() * 1e3)
    };
    let mut process = Process::start();
    timed(&mut process, "first.ts", true);
    // A file that arrives too early finds no prepared runtime and tells nothing.
    let until = Instant::now() + Duration::from_secs(60);
    let waited = (0..).map_while(|number| (Instant::now() < until).then_some(number)).any(|number| {
        thread::sleep(Duration::from_millis(20));
        let (age, took) = timed(&mut process, &format!("tool{number}.ts"), true);
        age > took
    });
    assert!(waited, "each runtime is created when its file arrives");

    let mut process = Process::start();
    timed(&mut process, "first.ts", false);
    for number in 0..3 {
        thread::sleep(Duration::from_millis(50));
        let (age, took) = timed(&mut process, &format!("tool{number}.ts"), false);
        assert!(age <= took, "a runtime was created {age} ms early; the load took {took} ms");
    }
}
