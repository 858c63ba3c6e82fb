//! `nova credential` with the encrypted file and with a real keychain, as a terminal starts it.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use nova_testkit::text;
use serde_json::json;

use super::nova::Nova;

pub(crate) const CANARY: &str = "canary-5f81c2-key";
pub(crate) const PASSPHRASE: &str = "correct horse battery staple";

pub(crate) fn passphrase_file(nova: &Nova) -> std::path::PathBuf {
    let file = nova.config().join("passphrase");
    fs::write(&file, format!("{PASSPHRASE}\n")).unwrap();
    file
}

/// Runs the command with the passphrase in a file and `input` on standard input.
pub(crate) fn run_with_stdin(nova: &Nova, args: &[&str], input: &str) -> Output {
    let mut command = nova.command(args);
    command.env("NOVA_PASSPHRASE_FILE", passphrase_file(nova));
    fed(command, input)
}

fn fed(mut command: Command, input: &str) -> Output {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

pub(crate) fn said(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned()).join("\n")
}

#[track_caller]
pub(crate) fn succeeds(output: &Output) -> String {
    let told = said(output);
    assert_eq!(output.status.code(), Some(0), "{told}");
    told
}

/// Asserts that the bytes contain the secret neither plain nor within base64.
#[track_caller]
pub(crate) fn assert_clean(text: &[u8], place: &str) {
    let mut spellings = vec![CANARY.to_owned()];
    for before in ["", "a", "ab"] {
        let encoded = STANDARD_NO_PAD.encode(format!("{before}{CANARY}"));
        spellings.push(encoded[4..encoded.len() - 2].to_owned());
    }
    for spelling in spellings {
        let found = text.windows(spelling.len()).any(|part| part == spelling.as_bytes());
        assert!(!found, "{place} holds {spelling}");
    }
}

/// Asserts that no file below the folder contains it; returns their number.
#[track_caller]
pub(crate) fn assert_clean_folder(folder: &Path) -> usize {
    let mut looked = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            looked += assert_clean_folder(&path);
        } else {
            assert_clean(&fs::read(&path).unwrap_or_default(), &path.display().to_string());
            looked += 1;
        }
    }
    looked
}

#[test]
fn secret_is_stored_listed_and_removed_without_being_shown() {
    let nova = Nova::new("", []);
    let set = run_with_stdin(&nova, &["credential", "set", "weather/key"], &format!("{CANARY}\n"));
    assert!(succeeds(&set).contains("weather/key is stored."));
    let list = run_with_stdin(&nova, &["credential", "list", "--json"], "");
    let rows: serde_json::Value = serde_json::from_slice(&list.stdout).unwrap();
    let row = rows.as_array().unwrap().iter().find(|row| row["name"] == "weather/key").unwrap();
    assert_eq!(row["state"], "kept");
    let again = run_with_stdin(&nova, &["credential", "set", "weather/key"], "another-value");
    let removed = run_with_stdin(&nova, &["credential", "remove", "weather/key"], "");
    succeeds(&removed);
    let gone = run_with_stdin(&nova, &["credential", "remove", "weather/key"], "");
    assert_eq!(gone.status.code(), Some(1));
    for output in [&set, &list, &again, &removed, &gone] {
        assert_clean(said(output).as_bytes(), "the output");
    }
    assert!(assert_clean_folder(&nova.data()) > 1);
}

#[test]
fn value_in_the_arguments_is_refused_and_not_repeated() {
    let nova = Nova::new("", []);
    let output = run_with_stdin(&nova, &["credential", "set", "weather/key", CANARY], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("cannot be passed as an argument"));
    assert_clean(said(&output).as_bytes(), "the output");
    // Nor is a secret given in place of the name.
    let output = run_with_stdin(&nova, &["credential", "set", CANARY], "");
    assert_eq!(output.status.code(), Some(1));
    assert_clean(said(&output).as_bytes(), "the output");
    assert!(!nova.data().join("credentials.age").exists());
}

#[test]
fn file_stays_locked_without_the_right_passphrase_and_no_other_is_created() {
    let nova = Nova::new("", []);
    succeeds(&run_with_stdin(&nova, &["credential", "set", "weather/key"], CANARY));
    let before = fs::read(nova.data().join("credentials.age")).unwrap();
    let passphrases =
        [("NOVA_PASSPHRASE", ""), ("NOVA_PASSPHRASE", "wrong"), ("NOVA_PASSPHRASE_FILE", "/nonexistent")];
    for (variable, value) in passphrases {
        for args in [&["credential", "list"][..], &["credential", "set", "bank/key"]] {
            let mut command = nova.command(&[args, &["--json"]].concat());
            command.env(variable, value);
            let output = fed(command, "value");
            assert_eq!(output.status.code(), Some(1), "{args:?} {variable}={value}: {}", said(&output));
            let error: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(error["error"]["code"], "passphrase_needed", "{error}");
        }
    }
    assert_eq!(fs::read(nova.data().join("credentials.age")).unwrap(), before);
    // Commands that need no secret work anyway.
    let mut list = nova.command(&["skill", "list", "--json"]);
    succeeds(&list.output().unwrap());
}

#[test]
fn nothing_is_stored_without_a_keychain_and_a_passphrase() {
    let nova = Nova::new("", []);
    let output = fed(nova.command(&["credential", "set", "weather/key"]), CANARY);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("--passphrase-fd"), "{}", said(&output));
    assert_clean_folder(&nova.data());
    assert!(!nova.data().join("credentials.age").exists() && !nova.data().join("credentials.json").exists());
}

#[test]
fn novas_own_logs_contain_no_secret() {
    let nova = Nova::new("", [text("Hello.")]);
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "providers": [{
            "id": "test", "kind": "openai", "base_url": nova.model.base_url(), "api_key": "${credentials:test/key}",
        }],
        "model": "test/scripted",
    }));
    let logged = |args: &[&str], input: &str| {
        let mut command = nova.command(args);
        command.env("NOVA_PASSPHRASE_FILE", passphrase_file(&nova)).env("NOVA_LOG", "trace");
        let output = fed(command, input);
        succeeds(&output);
        let log = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(log.contains("TRACE") || log.contains("DEBUG"), "all of it is logged: {log}");
        assert_clean(log.as_bytes(), &format!("the log of {args:?}"));
        assert!(!log.contains(PASSPHRASE), "{log}");
    };
    logged(&["credential", "set", "test/key"], CANARY);
    logged(&["credential", "grant", "test/key", "--to", "provider:test"], "");
    logged(&["chat", "-p", "Hello"], "");
    logged(&["credential", "list"], "");
    let sent = nova.model.authorizations();
    // Once to ask where its model runs, and once with the message.
    let key = Some(format!("Bearer {CANARY}"));
    assert_eq!(sent, [key.clone(), key]);
    // Log files, databases and caches alike.
    assert!(assert_clean_folder(nova.home()) > 3);
    nova.model.finish();
}

#[cfg(unix)]
#[test]
fn passphrase_comes_by_descriptor_or_with_a_warning_by_environment() {
    let nova = Nova::new("", []);
    succeeds(&run_with_stdin(&nova, &["credential", "set", "weather/key"], CANARY));
    let program = env!("CARGO_BIN_EXE_nova");
    let line = format!(
        "exec '{program}' credential list --passphrase-fd 5 5<'{}'",
        passphrase_file(&nova).display()
    );
    let mut shell = nova.command(&[]);
    let envs: Vec<_> =
        shell.get_envs().map(|(key, value)| (key.to_owned(), value.map(ToOwned::to_owned))).collect();
    shell = Command::new("sh");
    shell.args(["-c", &line]).env_clear();
    shell.envs(envs.into_iter().filter_map(|(key, value)| Some((key, value?))));
    assert!(succeeds(&shell.output().unwrap()).contains("weather/key"));

    let mut open = nova.command(&["credential", "list"]);
    open.env("NOVA_PASSPHRASE", PASSPHRASE);
    let told = succeeds(&open.output().unwrap());
    assert!(
        told.contains("weather/key") && told.contains("other programs can read NOVA_PASSPHRASE"),
        "{told}"
    );
    assert!(!told.contains(PASSPHRASE));
}

#[test]
fn grants_are_listed_revoked_and_refused_for_unknown_consumers() {
    let nova = Nova::new("", []);
    succeeds(&run_with_stdin(&nova, &["credential", "set", "test/key"], CANARY));
    succeeds(&run_with_stdin(&nova, &["credential", "grant", "test/key", "--to", "provider:test"], ""));
    let (code, grants) = nova.json(&["credential", "grants"]);
    assert_eq!(code, 0);
    assert_eq!(
        (&grants[0]["credential"], &grants[0]["consumer"]),
        (&json!("test/key"), &json!("provider:test"))
    );
    for to in
        ["provider:other", "skill:crm", "tool:dynamic.weather", "server:github", "everybody", "skill:", ""]
    {
        let output = run_with_stdin(&nova, &["credential", "grant", "test/key", "--to", to], "");
        assert_eq!(output.status.code(), Some(1), "{to}: {}", said(&output));
    }
    succeeds(&run_with_stdin(&nova, &["credential", "revoke", "test/key", "--to", "provider:test"], ""));
    assert_eq!(nova.json(&["credential", "grants"]).1, json!([]));
    let again = run_with_stdin(&nova, &["credential", "revoke", "test/key", "--to", "provider:test"], "");
    assert_eq!(again.status.code(), Some(1));
}

/// Whether the keychain programs are installed. In CI they must be.
fn has_keychain() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = |program: &str| std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    let there = ["dbus-run-session", "dbus-send", "gnome-keyring-daemon"].into_iter().all(found);
    assert!(there || std::env::var("CI").as_deref() != Ok("true"), "gnome-keyring is missing (`make setup`)");
    there
}

/// Runs a script in its own D-Bus session with an unlocked keychain; `$NOVA` is the program and `$VALUE` the
/// secret.
fn with_keychain(nova: &Nova, script: &str) -> Output {
    let home = tempfile::tempdir().unwrap();
    let run = home.path().join("run");
    fs::create_dir(&run).unwrap();
    #[cfg(unix)]
    fs::set_permissions(&run, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let unlock = "printf 'keyring password' | gnome-keyring-daemon --unlock --components=secrets >/dev/null";
    let envs: Vec<_> = nova
        .command(&[])
        .get_envs()
        .filter_map(|(key, value)| Some((key.to_owned(), value?.to_owned())))
        .collect();
    Command::new("dbus-run-session")
        .args(["--", "sh", "-c", &format!("{unlock} || exit 90\n{script}")])
        .env_clear()
        .envs(envs)
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("NOVA", env!("CARGO_BIN_EXE_nova"))
        .env("VALUE", CANARY)
        .env("HOME", home.path())
        .env("XDG_DATA_HOME", home.path().join("share"))
        .env("XDG_CACHE_HOME", home.path().join("cache"))
        .env("XDG_CONFIG_HOME", home.path().join("config"))
        .env("XDG_RUNTIME_DIR", &run)
        .output()
        .unwrap()
}

#[test]
fn locked_keychain_is_reported_without_blocking() {
    if !has_keychain() {
        return;
    }
    let nova = Nova::new("", [text("Hello.")]);
    let output = with_keychain(
        &nova,
        r#"
        printf '%s' "$VALUE" | "$NOVA" credential set test/key || exit 91
        dbus-send --session --print-reply --dest=org.freedesktop.secrets /org/freedesktop/secrets \
            org.freedesktop.Secret.Service.Lock array:objpath:/org/freedesktop/secrets/collection/login || exit 92
        for command in list 'set test/other' 'remove test/key'; do
            printf '%s' "$VALUE" | "$NOVA" credential $command --json
            [ $? = 1 ] || exit 93
        done
        # What needs no secret works all the same.
        "$NOVA" chat -p Hello || exit 94
    "#,
    );
    let told = succeeds(&output);
    let refused: Vec<serde_json::Value> = told
        .lines()
        .filter(|line| line.starts_with("{\"ok\":false"))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(refused.len(), 3, "{told}");
    for refused in refused {
        let error = &refused["error"];
        assert_eq!(error["code"], "credential_store", "{error}");
        assert!(error["message"].as_str().unwrap().contains("is locked"), "{error}");
        assert_eq!(error["hint"], "Unlock the keychain, then try again.");
    }
    assert!(told.contains("Hello."), "{told}");
    assert_clean(told.as_bytes(), "the output");
    assert!(!nova.data().join("credentials.age").exists(), "no second store is created");
    assert_clean_folder(&nova.data());
    nova.model.finish();
}

#[test]
fn key_in_a_real_keychain_is_granted_and_sent_to_its_provider_only() {
    if !has_keychain() {
        return;
    }
    let nova = Nova::new("", [text("Hello.")]);
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "providers": [{
            "id": "test", "kind": "openai", "base_url": nova.model.base_url(), "api_key": "${credentials:test/key}",
        }],
        "model": "test/scripted",
    }));
    let output = with_keychain(
        &nova,
        r#"
        "$NOVA" chat -p Hello && exit 91
        printf '%s' "$VALUE" | "$NOVA" credential set test/key || exit 92
        "$NOVA" chat -p Hello 2>&1 && exit 93
        "$NOVA" credential grant test/key --to provider:test || exit 94
        "$NOVA" chat -p Hello || exit 95
        "$NOVA" credential list || exit 96
    "#,
    );
    let told = succeeds(&output);
    assert!(told.contains("The credential test/key is missing."), "{told}");
    assert!(told.contains("provider:test may not have the credential test/key"), "{told}");
    assert!(told.contains("Hello."), "{told}");
    assert_clean(told.as_bytes(), "the output");
    assert!(!nova.data().join("credentials.age").exists());
    assert_clean_folder(&nova.data());
    let sent = nova.model.authorizations();
    assert!(
        !sent.is_empty() && sent.iter().all(|sent| sent.as_deref() == Some(&format!("Bearer {CANARY}"))),
        "{sent:?}"
    );
    nova.model.finish();
}
