//! Nova's own files when they are not regular files, and the permissions of those that are.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use nova_protocol::{Commands as _, Event, Nothing, SkillState};
use nova_testkit::{PATIENCE, text};
use serde_json::json;

use super::keeping_credentials::{said, succeeds};
use super::nova::{Nova, PEOPLE, wait_for};

pub(crate) fn pipe(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let _ = fs::remove_file(path);
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// The exit code and output of the program, which must end although a file would block it.
async fn ends(nova: &Nova, args: &[&str]) -> (Option<i32>, String) {
    let mut command = tokio::process::Command::from(nova.command(args));
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let output = tokio::time::timeout(PATIENCE, command.output()).await;
    let output = output.unwrap_or_else(|_| panic!("{args:?} hangs")).unwrap();
    (output.status.code(), said(&output))
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn pipe_in_place_of_a_file_is_refused_by_name() {
    let files = ["nova.config.json", "permissions.yaml", "trust.json"];
    for file in files {
        let nova = Nova::new(PEOPLE, []);
        let folder = if file == "trust.json" { nova.data() } else { nova.config() };
        pipe(&folder.join(file));
        let (code, told) = ends(&nova, &["skill", "list"]).await;
        assert_eq!(code, Some(0), "{told}");
        assert!(told.contains(file) && told.contains("a pipe"), "{told}");
    }
    let nova = Nova::new(PEOPLE, []);
    pipe(&nova.data().join("grants.json"));
    let (code, told) = ends(&nova, &["credential", "grants"]).await;
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("grants.json") && told.contains("a pipe"), "{told}");
}

#[tokio::test]
async fn oversized_file_is_refused_by_name() {
    for file in ["nova.config.json", "permissions.yaml", "trust.json"] {
        let nova = Nova::new(PEOPLE, []);
        let folder = if file == "trust.json" { nova.data() } else { nova.config() };
        fs::create_dir_all(&folder).unwrap();
        // Whitespace only: each of the formats could be read on.
        fs::write(folder.join(file), " ".repeat(9 << 20)).unwrap();
        let (_, told) = ends(&nova, &["skill", "list"]).await;
        assert!(told.contains(file) && told.contains("larger than 8 MB"), "{file}: {told}");
    }
}

#[tokio::test]
async fn pipe_in_place_of_rules_leaves_no_tool_unruled() {
    let nova = Nova::new(PEOPLE, []);
    nova.rules("permissions:\n  deny: [ crm__list_contacts ]\n");
    pipe(&nova.config().join("permissions.yaml"));
    let (code, told) = ends(&nova, &["tool", "call", "crm.list_contacts"]).await;
    assert_eq!(code, Some(3), "{told}");
}

#[tokio::test]
async fn lock_that_is_a_link_or_a_pipe_is_refused() {
    let nova = Nova::new(PEOPLE, []);
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "providers": [{"id": "far", "kind": "openai", "base_url": "https://models.invalid/v1"}],
    }));
    succeeds(&nova.run(&["session", "list"]));
    let elsewhere = nova.home().join("elsewhere");
    symlink(&elsewhere, nova.data().join(".trust.json.lock")).unwrap();
    let (code, told) = ends(&nova, &["provider", "allow", "far"]).await;
    assert_eq!(code, Some(1), "{told}");
    assert!(!elsewhere.exists(), "the link was followed");

    pipe(&nova.data().join("grants.json.lock"));
    let grant = ["credential", "grant", "far/key", "--to", "provider:far"];
    let (code, told) = ends(&nova, &grant).await;
    assert_eq!(code, Some(1), "{told}");

    pipe(&nova.data().join("leases/.opening"));
    let (code, told) = ends(&nova, &["session", "list"]).await;
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains(".opening"), "{told}");
}

#[test]
fn novas_files_are_private_to_the_user() {
    let nova = Nova::new(PEOPLE, [text("Hello.")]);
    fs::create_dir_all(nova.data()).unwrap();
    fs::set_permissions(nova.data(), fs::Permissions::from_mode(0o755)).unwrap();
    succeeds(&nova.run(&["chat", "-p", "Hello"]));
    assert_eq!(mode(&nova.data()), 0o700);
    let leases: Vec<_> =
        fs::read_dir(nova.data().join("leases")).unwrap().map(|it| it.unwrap().path()).collect();
    assert!(leases.len() > 1, "{leases:?}");
    for lease in leases {
        assert_eq!(mode(&lease), 0o600, "{}", lease.display());
    }

    let session = nova.json(&["session", "list"]).1[0]["id"].as_str().unwrap().to_owned();
    let file = nova.home().join("chat.md");
    succeeds(&nova.run(&["session", "export", &session, "--out", file.to_str().unwrap()]));
    assert_eq!(mode(&file), 0o600);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    succeeds(&nova.run(&["session", "export", &session, "--out", file.to_str().unwrap(), "--force"]));
    assert_eq!(mode(&file), 0o600);
}

#[tokio::test(flavor = "multi_thread")]
async fn pipe_keeps_the_last_good_file_in_force() {
    let nova = Nova::new(PEOPLE, []);
    nova.settings(&json!({"vault": nova.vault.root(), "skills": {"crm": {"enabled": false}}}));
    let app = nova.start().await;
    app.watch();
    let mut events = app.events();
    // Replaces the file atomically, as an editor saves.
    let beside = nova.config().join("pipe");
    pipe(&beside);
    fs::rename(&beside, nova.config().join("nova.config.json")).unwrap();
    let problem = wait_for(&mut events, |event| matches!(event, Event::ConfigProblem { .. })).await;
    assert!(matches!(problem, Event::ConfigProblem { message, .. } if message.contains("a pipe")));
    let rows = app.list_skills(Nothing {}).await.unwrap();
    assert_eq!(rows.iter().find(|row| row.id == "crm").unwrap().state, SkillState::Disabled);
}
