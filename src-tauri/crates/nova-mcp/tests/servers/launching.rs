//! The environment of servers: `PATH` is that of the login shell, if it answers.

use std::ffi::OsString;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use nova_guard::Guard;
use nova_mcp::LaunchEnvironment;
use tempfile::TempDir;

use crate::support::STAND_IN;

fn environment<'a>(own: impl IntoIterator<Item = (&'a str, &'a str)>) -> LaunchEnvironment {
    let own = own.into_iter().map(|(name, value)| (name.into(), value.into()));
    LaunchEnvironment::new(Guard::new(STAND_IN, ["guard".into()]), own)
}

/// A shell that runs `profile` before the command, which is its fourth argument.
fn shell(folder: &Path, profile: &str) -> PathBuf {
    let file = folder.join("shell");
    std::fs::write(&file, format!("#!/bin/sh\n{profile}\neval \"$4\"\n")).unwrap();
    std::fs::set_permissions(&file, Permissions::from_mode(0o755)).unwrap();
    file
}

async fn path(environment: &LaunchEnvironment) -> OsString {
    let variables = environment.variables().await;
    variables.into_iter().find(|(name, _)| name == "PATH").unwrap().1
}

#[tokio::test]
async fn path_of_the_login_shell_comes_first_and_is_asked_for_once() {
    let folder = TempDir::new().unwrap();
    let profile = "echo >> \"$0.asked\"\necho welcome\nPATH=/opt/own:relative:/usr/bin";
    let shell = shell(folder.path(), profile);
    let environment = environment([("SHELL", shell.to_str().unwrap()), ("PATH", "/usr/bin:/bin")]);
    let (first, second) = tokio::join!(path(&environment), path(&environment));
    assert_eq!(
        (first.to_str(), second.to_str()),
        (Some("/opt/own:/usr/bin:/bin"), Some("/opt/own:/usr/bin:/bin"))
    );
    let asked = std::fs::read_to_string(folder.path().join("shell.asked")).unwrap();
    assert_eq!(asked.lines().count(), 1);
}

#[tokio::test(start_paused = true)]
async fn path_is_novas_own_if_the_shell_hangs() {
    let folder = TempDir::new().unwrap();
    let shell = shell(folder.path(), "exec sleep 1000");
    let environment = environment([("SHELL", shell.to_str().unwrap()), ("PATH", "/usr/bin:/bin")]);
    assert_eq!(path(&environment).await, "/usr/bin:/bin");
}

#[tokio::test]
async fn path_has_a_fallback() {
    assert_eq!(path(&environment([("SHELL", "/nonexistent"), ("PATH", "/bin")])).await, "/bin");
    for own in [&[("PATH", "relative")][..], &[]] {
        let environment = environment(own.iter().copied());
        assert_eq!(path(&environment).await, "/usr/local/bin:/usr/bin:/bin");
    }
}
