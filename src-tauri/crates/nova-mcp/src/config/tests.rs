use super::*;

fn server(entry: Value) -> ServerConfig {
    ServerConfig::read("github", &entry).expect("a server")
}

fn fault(entry: Value) -> String {
    ServerConfig::read("github", &entry).err().expect("a fault")
}

fn command(server: &ServerConfig) -> (&str, Vec<&str>) {
    match &server.way {
        Way::Command { program, args, .. } => (program, args.iter().map(String::as_str).collect()),
        Way::Address { .. } => panic!("a command"),
    }
}

#[test]
fn entry_in_the_format_of_other_programs_is_parsed() {
    let read = server(json!({
        "type": "stdio",
        "command": "npx",
        "args": ["-y", "@modelcontextprotocol/server-github"],
        "env": {"GITHUB_TOKEN": "${credentials:github/token}", "LEVEL": 3},
        "cwd": "/tmp",
        "description": "Issues",
        "timeout_ms": 5000,
        "tools": {"allow": ["a"], "deny": ["b"], "effects": {"a": "read"}},
        "unknown": {},
    }));
    assert_eq!(command(&read), ("npx", vec!["-y", "@modelcontextprotocol/server-github"]));
    assert_eq!(read.credentials().iter().map(ToString::to_string).collect::<Vec<_>>(), ["github/token"]);
    assert_eq!((read.timeout, read.startup_timeout), (Duration::from_secs(5), START));
    assert_eq!(read.tools.effects["a"], Effect::Read);
    assert!(read.enabled && read.description.as_deref() == Some("Issues"));
    let http = server(json!({"type": "http", "url": "https://mcp.example.com/mcp", "headers": {"A": "b"}}));
    assert!(matches!(&http.way, Way::Address { headers, .. } if headers["A"].written == "b"));
    assert!(!server(json!({"command": "x", "disabled": true})).enabled);
}

#[test]
fn command_line_in_one_string_is_split() {
    let read = server(json!({"command": "uvx mcp-server-git --repository \"/my notes\" ''"}));
    assert_eq!(command(&read), ("uvx", vec!["mcp-server-git", "--repository", "/my notes", ""]));
    let path = server(json!({"command": "/opt/my server/run"}));
    assert_eq!(command(&path), ("/opt/my server/run", vec![]));
    let with_args = server(json!({"command": "my server", "args": []}));
    assert_eq!(command(&with_args), ("my server", vec![]));
}

#[test]
fn errors_have_a_path_and_a_remedy() {
    for (entry, said) in [
        (json!("x"), "is not an object. Write"),
        (json!({}), "neither a command nor a url. Add"),
        (json!({"command": "a", "url": "https://a.example.com"}), "a command and a url. Remove"),
        (json!({"command": ""}), "mcpServers.github.command is not a command. Name"),
        (json!({"command": "a 'b"}), "a quotation mark that is not closed. Close"),
        (json!({"command": "a", "args": "b"}), "mcpServers.github.args is not a list of strings. Write"),
        (json!({"command": "a", "args": ["--key=${credentials:a/b}"]}), "Move the secret to env."),
        (json!({"command": "a --key=${credentials:a/b}"}), "Move the secret to env."),
        (json!({"command": "a", "env": {"A": "${credentials:a"}}), "mcpServers.github.env.A: "),
        (json!({"command": "a", "env": {"A=B": "c"}}), "is not a variable name"),
        (json!({"command": "a", "cwd": "b"}), "mcpServers.github.cwd is not an absolute path"),
        (json!({"url": "mcp"}), "mcpServers.github.url is not an address"),
        (json!({"url": "file:///etc/passwd"}), "mcpServers.github.url: "),
        (json!({"url": "http://mcp.example.com"}), "https"),
        (json!({"url": "https://10.0.0.1/mcp"}), "is not a public address"),
        (json!({"url": "https://a:b@mcp.example.com/mcp"}), "Move it to headers."),
        (json!({"url": "https://a.example.com", "oauth": "x"}), "mcpServers.github.oauth is not an object"),
        (
            json!({"url": "https://a.example.com", "oauth": {"client_secret": "plain"}}),
            "mcpServers.github.oauth.client_secret is plain text. Store it as a credential",
        ),
        (json!({"url": "https://a.example.com", "oauth": {"callback_port": 80}}), "is not a port from 1024"),
        (json!({"command": "a", "timeout_ms": 0}), "mcpServers.github.timeout_ms is not a number"),
        (json!({"command": "a", "enabled": "yes"}), "mcpServers.github.enabled is neither"),
        (json!({"command": "a", "tools": {"effects": {"x": "write"}}}), "tools.effects.x must be read"),
    ] {
        let found = fault(entry.clone());
        assert!(found.contains(said), "{entry}: {found}");
    }
    for url in ["http://localhost:3001/mcp", "http://127.0.0.1/mcp", "http://[::1]:1/", "https://localhost/"]
    {
        server(json!({"url": url}));
    }
}

#[test]
fn names_become_ids_and_duplicate_ids_are_refused() {
    let servers = json!({
        "Brave Search": {"command": "a"}, "brave_search": {"command": "b"}, "gıthub": {"command": "c"},
        "ok": {"command": "d"},
    });
    let read = read_servers(Some(&servers));
    let id = |at: usize| read[at].as_ref().map(|server| server.id.clone()).map_err(|(id, _)| id.clone());
    assert_eq!(id(0), Ok("brave-search".into()));
    assert_eq!((id(1), id(3)), (Err("brave-search".into()), Ok("ok".into())));
    assert!(read[2].as_ref().is_err_and(|(_, reason)| reason.contains("cannot be an id")));
    assert!(read_servers(None).is_empty() && read_servers(Some(&json!([])))[0].is_err());
}

#[test]
fn fingerprint_covers_everything_that_decides_what_runs() {
    let base = json!({"command": "a", "args": ["b"], "env": {"C": "d"}, "cwd": "/e"});
    let first = server(base.clone()).fingerprint();
    for (key, value) in [
        ("command", json!("x")),
        ("args", json!(["b", "x"])),
        ("env", json!({"C": "x"})),
        ("env", json!({"C": "d", "LD_PRELOAD": "x"})),
        ("cwd", json!("/x")),
    ] {
        let mut changed = base.clone();
        changed[key] = value;
        assert_ne!(server(changed).fingerprint(), first, "{key}");
    }
    let mut other = base;
    other["description"] = json!("x");
    other["timeout_ms"] = json!(1);
    assert_eq!(server(other).fingerprint(), first, "unrelated settings do not change the fingerprint");
}

#[test]
fn sign_in_settings_are_parsed_and_part_of_the_fingerprint() {
    let plain = server(json!({"url": "https://a.example.com/mcp"}));
    let oauth = json!({
        "clientId": "nova", "client_secret": "${credentials:a/secret}", "scopes": ["read"], "callbackPort": 7777,
    });
    let given = server(json!({"url": "https://a.example.com/mcp", "oauth": oauth}));
    let Way::Address { oauth, .. } = &given.way else { panic!("an address") };
    assert_eq!((oauth.client_id.as_deref(), oauth.port), (Some("nova"), Some(7777)));
    assert_eq!(oauth.scopes, ["read"]);
    assert_eq!(given.credentials().iter().map(ToString::to_string).collect::<Vec<_>>(), ["a/secret"]);
    assert_ne!(given.fingerprint(), plain.fingerprint(), "a sent secret changes the fingerprint");
    let off = server(json!({"url": "https://a.example.com/mcp", "oauth": false}));
    assert_eq!(off.fingerprint(), plain.fingerprint());
}
