//! The disk of the vault, or of an extra root, is unmounted while Nova runs, and mounted again. Needs root:
//! otherwise the tests print that they checked nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use nova_protocol::{Commands as _, ErrorCode, Event, Nothing, OpenVault, VaultChoice};
use nova_testkit::{call, text};
use serde_json::json;

use super::losing_the_vault::{
    JANE, allowing, aside, copy, gone_sentence, problem, set_stage, wait_for_back, wait_for_gone,
};
use super::nova::{Nova, PEOPLE, turn, wait_for};

/// Something mounted here, until the end of the test.
struct MountPoint(PathBuf);

impl MountPoint {
    /// An empty tmpfs; None without permission to mount.
    fn with_disk(at: &Path) -> Option<Self> {
        let point = Self(at.to_owned());
        point.mount(&["-t", "tmpfs", "-o", "size=4m", "tmpfs"]).then_some(point)
    }

    fn mount(&self, what: &[&str]) -> bool {
        let output = Command::new("mount").args(what).arg(&self.0).output();
        let refused = match output {
            Ok(output) if output.status.success() => return true,
            Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
            Err(error) => error.to_string(),
        };
        eprintln!("not tested: nothing can be mounted here: {}", refused.trim());
        false
    }

    /// Lazily, as when a disk is pulled out: open files stay open.
    fn unmount(&self) {
        let output = Command::new("umount").arg("--lazy").arg(&self.0).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        assert_eq!(files(&self.0), [""; 0], "the folder below is empty");
    }
}

impl Drop for MountPoint {
    fn drop(&mut self) {
        // It may already be unmounted.
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).output();
    }
}

fn files(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().flatten();
    names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Moves the folder's content aside.
fn empty(folder: &Path, aside: &Path) {
    fs::rename(folder, aside).unwrap();
    fs::create_dir(folder).unwrap();
}

fn said(nova: &Nova, args: &[&str]) -> (bool, String) {
    let output = nova.run(args);
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(said).unwrap())
}

/// Unmounts the vault under a running Nova, then mounts what `again` gives.
async fn check_unmounted(first: impl Fn(&Path, &Path) -> Option<MountPoint>) {
    let steps = [set_stage("won"), text("It is gone."), set_stage("won"), text("Done.")];
    let nova = Nova::new(PEOPLE, steps);
    let (root, notes) = (nova.vault.root(), aside(&nova));
    empty(&root, &notes);
    let Some(point) = first(&root, &notes) else { return };
    let app = nova.start().await;
    app.watch();
    assert_eq!(app.app_status(Nothing {}).await.unwrap().vault.unwrap().notes, 3);
    assert_eq!(problem(&app).await, None);

    let mut events = app.events();
    point.unmount();
    assert_eq!(wait_for_gone(&mut events).await, gone_sentence(&nova));
    let now = problem(&app).await.unwrap();
    assert_eq!((now.code, now.message), (ErrorCode::VaultUnavailable, gone_sentence(&nova)));
    let (end, _) = turn(&app, None, "Jane is won", allowing()).await;
    let told = nova.model.last_texts("tool").pop().unwrap();
    assert!(told.contains(&gone_sentence(&nova)), "{told}");
    for args in [
        &["vault", "status"][..],
        &["vault", "search", "Jane"],
        &["tool", "call", "vault.create_note", "--args", "{\"path\": \"New\"}"],
    ] {
        let (done, said) = said(&nova, args);
        assert!(!done && said.contains(&gone_sentence(&nova)), "{args:?}: {said}");
    }
    assert_eq!(files(&root), [""; 0], "nothing is written below the disk");

    let mut events = app.events();
    let again = first(&root, &notes).unwrap();
    assert!(wait_for_back(&mut events).await.starts_with("The vault folder is back."));
    assert_eq!(problem(&app).await, None);
    turn(&app, Some(&end.session), "Jane is won", allowing()).await;
    assert!(nova.vault.read(JANE).contains("stage: won"));
    let (done, status) = said(&nova, &["vault", "status"]);
    assert!(done && !status.contains("is gone"), "{status}");
    nova.model.finish();
    drop((app, again, point));
}

#[tokio::test]
async fn unmounted_vault_is_gone_until_it_is_mounted() {
    check_unmounted(|root, notes| {
        let point = MountPoint(root.to_owned());
        point.mount(&["--bind", notes.to_str().unwrap()]).then_some(point)
    })
    .await;
}

#[tokio::test]
async fn unmounted_vault_is_found_on_another_disk() {
    check_unmounted(|root, notes| {
        let point = MountPoint::with_disk(root)?;
        copy(notes, root);
        Some(point)
    })
    .await;
}

#[tokio::test]
async fn unmounted_root_is_gone_until_it_is_mounted() {
    let create = || call("vault__create_note", json!({"path": "Team/New.md", "content": "New."}));
    let nova = Nova::new(PEOPLE, [create(), text("It is gone."), create(), text("Done.")]);
    let team = nova.vault.root().with_file_name("team");
    fs::create_dir(&team).unwrap();
    let Some(point) = MountPoint::with_disk(&team) else { return };
    let plan = || fs::write(team.join("Plan.md"), "A plan.\n").unwrap();
    plan();
    std::os::unix::fs::symlink(&team, nova.vault.root().join("Team")).unwrap();
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "roots": [team],
        "providers": [{"id": "test", "kind": "openai", "base_url": nova.model.base_url()}],
        "model": "test/scripted",
    }));
    let app = nova.start().await;
    app.watch();
    assert_eq!(app.app_status(Nothing {}).await.unwrap().vault.unwrap().notes, 4);
    let sentence = format!("The folder that \"Team\" links to is gone: {}.", team.display());

    let mut events = app.events();
    point.unmount();
    let gone = wait_for(&mut events, |event| matches!(event, Event::VaultGone { .. })).await;
    let Event::VaultGone { root, message, .. } = gone else { unreachable!() };
    assert_eq!((root.as_deref(), &message), (Some("Team"), &sentence));
    let (end, _) = turn(&app, None, "Write it down", allowing()).await;
    let told = nova.model.last_texts("tool").pop().unwrap();
    assert!(told.contains("The folder that \\\"Team\\\" links to is gone"), "{told}");
    for args in [
        &["vault", "status"][..],
        &["vault", "check"],
        &["tool", "call", "vault.create_note", "--args", "{\"path\": \"Team/New\"}"],
        &["tool", "call", "vault.read_note", "--args", "{\"path\": \"Team/Plan.md\"}"],
    ] {
        let (_, said) = said(&nova, args);
        assert!(said.contains(sentence.trim_end_matches('.')), "{args:?}: {said}");
    }
    assert_eq!(files(&team), [""; 0], "nothing is written below the disk");

    let mut events = app.events();
    let again = MountPoint::with_disk(&team).unwrap();
    plan();
    let back = wait_for(&mut events, |event| matches!(event, Event::VaultBack { .. })).await;
    let message = "The folder that \"Team\" links to is back.".to_owned();
    assert_eq!(back, Event::VaultBack { root: Some("Team".into()), message });
    turn(&app, Some(&end.session), "Write it down", allowing()).await;
    assert!(fs::read_to_string(team.join("New.md")).unwrap().contains("New."));
    nova.model.finish();
    drop((app, again, point));
}

/// A user who chooses an empty folder wants that one, whatever it contained before.
#[tokio::test]
async fn chosen_empty_folder_is_opened() {
    let nova = Nova::new(PEOPLE, []);
    assert!(said(&nova, &["vault", "status"]).0);
    let root = nova.vault.root();
    empty(&root, &aside(&nova));
    let app = nova.start().await;
    assert_eq!(problem(&app).await.unwrap().message, gone_sentence(&nova));
    let choice = VaultChoice::Folder { path: root.display().to_string() };
    let opened = app.open_vault(OpenVault { choice, model: None, provider: None }).await.unwrap();
    assert_eq!(opened.notes, 0);
    assert!(said(&nova, &["vault", "status"]).0);
}
