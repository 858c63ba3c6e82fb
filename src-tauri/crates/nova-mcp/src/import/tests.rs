use super::*;

fn found(form: Form, text: &str) -> Vec<(String, Value)> {
    let servers = find_servers(form, text).expect(text);
    servers
        .into_iter()
        .map(|server| (server.name, server.entry.map_or_else(Value::from, Value::from)))
        .collect()
}

fn one(form: Form, text: &str) -> (String, Value) {
    let mut all = found(form, text);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

#[test]
fn reads_the_files_of_other_programs() {
    let github = json!({"command": "npx", "args": ["-y", "github-mcp"], "env": {"LEVEL": "1"}});
    let claude = r#"{"theme": "x", "mcpServers": {"github":
        {"command": "npx", "args": ["-y", "github-mcp"], "env": {"LEVEL": "1"}}}}"#;
    assert_eq!(one(Form::Json, claude), ("github".into(), github.clone()));
    let vs_code = r#"{ // mine
        "inputs": [{"type": "promptString", "id": "key", "password": true}],
        "servers": {"github": {"type": "stdio", "command": "npx", "args": ["-y", "github-mcp"],
            "env": {"LEVEL": "1"},},},
    }"#;
    assert_eq!(one(Form::Json, vs_code), ("github".into(), github.clone()));
    let zed = r#"{"context_servers": {"github": {"source": "custom",
        "command": {"path": "npx", "args": ["-y", "github-mcp"], "env": {"LEVEL": "1"}}}}}"#;
    assert_eq!(one(Form::Json, zed), ("github".into(), github.clone()));
    let codex = "model = \"x\"\n[mcp_servers.github]\ncommand = \"npx\"\nargs = [\"-y\", \"github-mcp\"]\n\
                 startup_timeout_sec = 12.5\n[mcp_servers.github.env]\nLEVEL = \"1\"\n";
    let mut with_limit = github.clone();
    with_limit["startup_timeout_ms"] = json!(12_500);
    assert_eq!(one(Form::Toml, codex), ("github".into(), with_limit));
    let goose = "extensions:\n  github:\n    type: stdio\n    enabled: false\n    cmd: npx\n    args: [-y, github-mcp]\n    \
                 envs: {LEVEL: '1'}\n    timeout: 300\n";
    let mut off = github.clone();
    off["enabled"] = json!(false);
    assert_eq!(one(Form::Yaml, goose), ("github".into(), off));
}

#[test]
fn duplicates_in_projects_of_claude_code_are_merged() {
    let text = r#"{"mcpServers": {"a": {"url": "https://a.example/mcp"}}, "projects": {
        "/x": {"mcpServers": {"a": {"command": "other"}, "b": {"command": "b"}}},
        "/y": {"mcpServers": {"b": {"command": "b"}}}, "/z": {}}}"#;
    let names: Vec<_> =
        found(Form::Json, text).into_iter().map(|(name, entry)| (name, entry["url"].clone())).collect();
    assert_eq!(names, [("a".into(), json!("https://a.example/mcp")), ("b".into(), Value::Null)]);
}

#[test]
fn value_known_only_to_the_other_program_becomes_a_credential() {
    let text = r#"{"servers": {"Staging DB": {"command": "db", "env": {
        "A": "${input:db-key}", "B": "${env:DB_USER}", "C": "${DB_HOST:-localhost}:1", "D": "${credentials:x/y}"}}}}"#;
    let servers = find_servers(Form::Json, text).expect("servers");
    let entry = servers[0].entry.clone().expect("an entry");
    assert_eq!(
        entry["env"],
        json!({"A": "${credentials:staging-db/db-key}", "B": "${credentials:staging-db/DB_USER}",
            "C": "localhost:1", "D": "${credentials:x/y}"})
    );
    assert_eq!(servers[0].asks, ["staging-db/db-key", "staging-db/DB_USER"]);
    let codex =
        "[mcp_servers.docs]\nurl = \"https://docs.example/mcp\"\nbearer_token_env_var = \"DOCS_TOKEN\"\n";
    let (_, entry) = one(Form::Toml, codex);
    assert_eq!(entry["headers"], json!({"Authorization": "Bearer ${credentials:docs/DOCS_TOKEN}"}));
}

#[test]
fn unsupported_entries_are_reported_with_the_reason() {
    let text = r#"{"mcpServers": {"a": {"command": "${workspaceFolder}/a"}, "b": {"command": "b", "args": ["${env:X}"]},
        "c": 3, "d": {"type": "builtin"}, "e": {"command": "e", "envFile": ".env"}}}"#;
    for ((_, said), expected) in found(Form::Json, text).iter().zip([
        "command has ${workspaceFolder}, which only its own program fills in.",
        "args has ${env:X}, which only its own program fills in.",
        "It is not an object.",
        "It is built into its own program (builtin).",
        "It reads a file of variables (envFile)",
    ]) {
        assert!(said.as_str().is_some_and(|said| said.starts_with(expected)), "{said}");
    }
}

#[test]
fn reads_snippets_from_documentation() {
    let entry = json!({"command": "npx", "args": ["-y", "@acme/parcel-mcp@1.4"]});
    for text in [
        r#"{"mcpServers": {"parcel": {"command": "npx", "args": ["-y", "@acme/parcel-mcp@1.4"]}}}"#,
        r#""parcel": {"command": "npx", "args": ["-y", "@acme/parcel-mcp@1.4"]},"#,
        r#"{"parcel": {"command": "npx", "args": ["-y", "@acme/parcel-mcp@1.4"]}}"#,
        r#"{"command": "npx", "args": ["-y", "@acme/parcel-mcp@1.4"]}"#,
        "[mcp_servers.parcel]\ncommand = \"npx\"\nargs = [\"-y\", \"@acme/parcel-mcp@1.4\"]",
        "extensions:\n  parcel:\n    cmd: npx\n    args: [-y, '@acme/parcel-mcp@1.4']",
    ] {
        assert_eq!(one(Form::Pasted, text), ("parcel".into(), entry.clone()), "{text}");
    }
    let line = one(Form::Pasted, "uvx mcp-server-git --repository /notes");
    assert_eq!(line, ("git".into(), json!({"command": "uvx mcp-server-git --repository /notes"})));
    let address = one(Form::Pasted, "https://mcp.tessel.example/mcp");
    assert_eq!(address, ("mcp.tessel.example".into(), json!({"url": "https://mcp.tessel.example/mcp"})));
}

#[test]
fn hostile_texts_are_refused_with_their_line() {
    let line = |form, text: &str| find_servers(form, text).expect_err(text).line;
    assert_eq!(line(Form::Json, "{\n  \"mcpServers\": {,}\n}"), Some(2));
    assert_eq!(line(Form::Toml, "a = 1\n[mcp_servers.x\n"), Some(2));
    assert_eq!(line(Form::Yaml, "a: 1\nb: [1, }\nc: 2\n"), Some(2));
    let deep = 100_000;
    for (form, open, inside) in
        [(Form::Json, "[", "1"), (Form::Toml, "a = [[[[", "1"), (Form::Yaml, "[", "1")]
    {
        assert!(find_servers(form, &format!("{}{inside}", open.repeat(deep))).is_err(), "{form:?}");
    }
    let bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\n".to_owned()
        + &(b'b'..=b'k')
            .map(|name| {
                let (name, before) = (char::from(name), char::from(name - 1));
                format!("{name}: &{name} [{}]\n", format!("*{before},").repeat(10))
            })
            .collect::<String>();
    assert!(find_servers(Form::Yaml, &bomb).is_err());
    for text in ["", "  ", "{}", "{\"a\": 1}", "[]"] {
        assert!(find_servers(Form::Pasted, text).is_err(), "{text}");
    }
    for text in [
        "null",
        "[]",
        "3",
        "\"x\"",
        r#"{"mcpServers": null}"#,
        r#"{"mcpServers": [1]}"#,
        r#"{"projects": 1}"#,
    ] {
        assert_eq!(found(Form::Json, text), [], "{text}");
    }
}
