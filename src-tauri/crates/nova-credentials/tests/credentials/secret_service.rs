//! gnome-keyring, in its own session bus and folders.

use std::path::Path;
use std::process::{Command, Output};

use tempfile::tempdir;

use crate::children::{ARGS, DATA, TASK};

/// Whether the programs are installed; in CI they must be.
fn is_available() -> bool {
    let found = |program: &str| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
    };
    let missing: Vec<_> =
        ["dbus-run-session", "gnome-keyring-daemon"].into_iter().filter(|program| !found(program)).collect();
    if missing.is_empty() {
        return true;
    }
    let message = format!("NOT TESTED with a real keychain: {} missing (`make setup`)", missing.join(", "));
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{message}");
    eprintln!("{message}");
    false
}

/// Runs child processes in sequence, in one session with an unlocked keyring.
fn in_session(home: &Path, data: &Path, tasks: &[&str]) -> Output {
    let script = r#"
        printf 'keyring password' | gnome-keyring-daemon --unlock --components=secrets >/dev/null || exit 90
        exe=$1; shift
        for task in "$@"; do
            NOVA_TEST_TASK="$task" "$exe" $NOVA_TEST_ARGS || exit 1
        done
    "#;
    Command::new("dbus-run-session")
        .args(["--", "sh", "-c", script, "sh"])
        .arg(std::env::current_exe().unwrap())
        .args(tasks)
        .env("NOVA_TEST_ARGS", ARGS.join(" "))
        .env(DATA, data)
        .env_remove(TASK)
        .env("HOME", home)
        .env("XDG_DATA_HOME", home.join("share"))
        .env("XDG_CACHE_HOME", home.join("cache"))
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("XDG_RUNTIME_DIR", home.join("run"))
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .output()
        .unwrap()
}

/// A home folder with the session's folder for sockets.
fn home() -> tempfile::TempDir {
    let home = tempdir().unwrap();
    let run = home.path().join("run");
    std::fs::create_dir(&run).unwrap();
    #[cfg(unix)]
    std::fs::set_permissions(&run, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    home
}

fn assert_success(output: &Output) {
    let streams = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    assert!(output.status.success(), "{}", streams.join("\n"));
}

#[test]
fn secrets_are_stored_read_by_another_process_listed_and_removed() {
    if !is_available() {
        return;
    }
    let (home, data) = (home(), tempdir().unwrap());
    assert_success(&in_session(
        home.path(),
        data.path(),
        &["keychain set", "keychain read", "keychain remove"],
    ));
    // The data folder contains only the choice of the store and the names.
    assert!(!data.path().join("credentials.age").exists());
    let record = std::fs::read_to_string(data.path().join("credentials.json")).unwrap();
    assert!(
        record.contains("keychain") && record.contains("mail/login") && !record.contains("openai/key"),
        "{record}"
    );
}

#[test]
fn secrets_persist_and_no_other_store_opens_without_a_session() {
    if !is_available() {
        return;
    }
    let (home, data) = (home(), tempdir().unwrap());
    assert_success(&in_session(home.path(), data.path(), &["keychain set"]));
    assert_success(&in_session(home.path(), data.path(), &["keychain read"]));

    let output = Command::new(std::env::current_exe().unwrap())
        .args(ARGS)
        .env(TASK, "no keychain")
        .env(DATA, data.path())
        .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus")
        .output()
        .unwrap();
    assert_success(&output);
    assert!(!data.path().join("credentials.age").exists());
}
