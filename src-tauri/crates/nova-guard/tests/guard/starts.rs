//! What a command receives at start, and why it fails to start.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::process::Stdio;

use nova_guard::{Confinement, Enforced, Guard, GuardError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;

use crate::support::*;

#[tokio::test]
async fn exit_code_is_that_of_the_command() {
    for (text, code) in [("exit 0", 0), ("exit 7", 7), ("exit 255", 255), ("kill -TERM $$", 128 + 15)] {
        assert_eq!(said(script(text)).await.1, Some(code), "{text}");
    }
}

#[tokio::test]
async fn stdin_stdout_and_stderr_are_connected() {
    let mut guarded = script("echo oops >&2; exec cat").start().await.unwrap();
    let mut stdin = guarded.stdin.take().unwrap();
    let sent: Vec<u8> = (0..1_000_000_u32).map(|number| number as u8).collect();
    let written = sent.clone();
    let writing = tokio::spawn(async move { stdin.write_all(&written).await });
    let (mut output, mut errors) = (Vec::new(), String::new());
    guarded.stdout.as_mut().unwrap().read_to_end(&mut output).await.unwrap();
    guarded.stderr.as_mut().unwrap().read_to_string(&mut errors).await.unwrap();
    writing.await.unwrap().unwrap();
    assert!(output == sent);
    assert_eq!(errors, "oops\n");
}

#[tokio::test]
async fn arguments_and_values_are_passed_byte_for_byte() {
    let odd = OsString::from_vec(b"-- \xff\n'\"$x".to_vec());
    let mut guarded = script(r#"printf '%s|%s|%s' "$1" "$2" "$V""#)
        .args([OsString::from("sh"), odd.clone(), "".into()])
        .env("V", odd.clone())
        .start()
        .await
        .unwrap();
    let mut output = Vec::new();
    guarded.stdout.as_mut().unwrap().read_to_end(&mut output).await.unwrap();
    let odd = odd.into_vec();
    assert_eq!(output, [&odd[..], b"||", &odd].concat());
}

#[tokio::test]
async fn environment_is_exactly_what_was_given() {
    let mut parent = Command::new(probe())
        .args([
            "parent",
            guard_program(),
            "/bin/sh",
            "-c",
            "env -0 | tr '\\0' '\\n'; cat /proc/$PPID/environ; echo end",
        ])
        .env("NOVA_CANARY", "a secret of Nova's")
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut output = String::new();
    let mut stdout = parent.stdout.take().unwrap();
    while !output.ends_with("end\n") {
        output.push(char::from(soon(stdout.read_u8()).await.unwrap()));
    }
    let mut lines: Vec<&str> = output.lines().skip(1).collect();
    // Set by sh itself.
    lines.retain(|line| !["PWD=", "OLDPWD=", "SHLVL=", "_="].iter().any(|own| line.starts_with(own)));
    assert_eq!(lines, ["PATH=/usr/bin:/bin", "end"], "the guard's own environment is empty");
}

#[tokio::test]
async fn ld_preload_does_not_affect_the_guard() {
    let command = script("").env("LD_PRELOAD", "/nonexistent/nova.so");
    let (_, code, errors) = said(command).await;
    assert_eq!(errors.matches("/nonexistent/nova.so").count(), 1, "unexpected attempts: {errors}");
    assert_eq!(code, Some(0));
}

#[tokio::test]
async fn large_environment_is_passed() {
    let mut command = script(r#"printf %s "$V99" | wc -c"#);
    for number in 0..100 {
        command = command.env(format!("V{number}"), "x".repeat(10_000));
    }
    assert_eq!(said(command).await.0.trim(), "10000");
}

#[tokio::test]
async fn working_directory_is_the_one_named_or_root() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(said(script("pwd")).await.0, "/\n");
    let output = said(script("pwd").folder(folder.path())).await.0;
    assert_eq!(output.trim_end(), folder.path().canonicalize().unwrap().to_str().unwrap());
}

#[tokio::test]
async fn no_other_descriptor_is_inherited() {
    // Without close-on-exec, as by a careless library.
    let leaked = std::fs::File::open("/dev/null").unwrap();
    rustix::io::fcntl_setfd(&leaked, rustix::io::FdFlags::empty()).unwrap();
    let output = said(script("exec ls /proc/self/fd")).await.0;
    // 3 is the directory that ls reads.
    assert_eq!(output.split_whitespace().collect::<Vec<_>>(), ["0", "1", "2", "3"]);
}

#[tokio::test]
async fn failure_to_start_is_reported_with_the_reason() {
    async fn reason(command: nova_guard::GuardedCommand) -> String {
        soon(command.start()).await.unwrap_err().to_string()
    }
    let supervised = Confinement::supervised();
    let missing = guard().command(&supervised, "/nonexistent/server");
    assert!(reason(missing).await.contains("/nonexistent/server: No such file"));

    let unnamed = guard().command(&supervised, "nova-no-such-program").env("PATH", "/usr/bin:/bin");
    assert!(matches!(unnamed.start().await, Err(GuardError::NotFound { .. })));

    assert!(reason(script("").folder("/nonexistent")).await.contains("cannot start it in /nonexistent"));
    assert!(reason(script("").env("A=B", "c")).await.contains("A=B"));

    let no_guard = Guard::new("/nonexistent/guard", []).command(&supervised, "/bin/true");
    assert!(matches!(no_guard.start().await, Err(GuardError::Guard { .. })));
    let not_a_guard = Guard::new("/bin/true", []).command(&supervised, "/bin/true");
    assert!(matches!(soon(not_a_guard.start()).await, Err(GuardError::Lost(_))));
}

#[tokio::test]
async fn guard_passes_its_leading_arguments_to_the_inner_step() {
    // Like `nova guard`: `probe without landlock …` takes two arguments before it becomes the guard.
    let words = ["without", "landlock", guard_program()].map(OsString::from);
    let command =
        Guard::new(probe(), words).command(&Confinement::supervised(), "/bin/sh").args(["-c", "echo ok"]);
    assert_eq!(said(command).await.0, "ok\n");
}

#[tokio::test]
async fn without_landlock_confined_command_starts_only_if_not_required() {
    let words = ["without", "landlock", guard_program()].map(OsString::from);
    let guard = Guard::new(probe(), words);
    let mut confinement = Confinement::nothing();
    let error = guard.command(&confinement, probe()).args(["read", "/etc/passwd"]).start().await.unwrap_err();
    assert!(error.to_string().contains("Landlock"), "{error}");

    confinement.require = false;
    let guarded = guard.command(&confinement, probe()).args(["read", "/etc/passwd"]).start().await.unwrap();
    assert_eq!((guarded.files(), guarded.calls()), (Enforced::Not, Enforced::Fully));
}

#[tokio::test]
async fn without_seccomp_confined_command_starts_only_if_not_required() {
    let words = ["without", "seccomp", guard_program()].map(OsString::from);
    let guard = Guard::new(probe(), words);
    let mut confinement = Confinement { files: nova_guard::Files::Any, ..Confinement::nothing() };
    let error = guard.command(&confinement, "/bin/true").start().await.unwrap_err();
    assert!(error.to_string().contains("seccomp"), "{error}");

    confinement.require = false;
    let guarded = guard.command(&confinement, "/bin/true").start().await.unwrap();
    assert_eq!((guarded.files(), guarded.calls()), (Enforced::NotAsked, Enforced::Not));
}

#[tokio::test]
async fn oom_killer_prefers_the_command_to_its_guard() {
    let text = "cat /proc/self/oom_score_adj; cat /proc/$PPID/oom_score_adj";
    let own = std::fs::read_to_string("/proc/self/oom_score_adj").unwrap();
    assert_eq!(said(script(text)).await.0, format!("1000\n{own}"));
}

#[test]
fn guard_started_by_hand_passes_streams_and_exit_code() {
    use std::io::Write as _;

    let mut guard = std::process::Command::new(guard_program())
        .args(["--", "sh", "-c", "cat; env; exit 7"])
        .env("CANARY", "seen")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    guard.stdin.take().unwrap().write_all(b"hello\n").unwrap();
    let output = guard.wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.starts_with("hello\n"), "{said}");
    assert!(!said.contains("CANARY"), "{said}");
    assert_eq!(output.status.code(), Some(7));
}

#[test]
fn guard_runs_its_command_as_a_group_leader() {
    use std::os::unix::process::CommandExt as _;

    let mut guard = std::process::Command::new(guard_program());
    // A group leader, as a shell with job control makes it.
    guard.args(["--", "echo", "hi"]).process_group(0).stdin(Stdio::null());
    assert_eq!(String::from_utf8(guard.output().unwrap().stdout).unwrap(), "hi\n");
}

#[test]
fn guard_started_by_hand_reports_what_it_cannot_start() {
    let guard = |args: &[&str]| {
        let mut command = std::process::Command::new(guard_program());
        command.args(args).stdin(Stdio::null()).output().unwrap()
    };
    for (args, expected) in [
        (&["--", "no-such-program"][..], "no-such-program"),
        (&["--", "./no-such-program"], "no-such-program"),
        (&["--"], "the command after `--` is missing"),
        (&[], "`--` and the command are missing"),
    ] {
        let output = guard(args);
        assert_eq!(output.status.code(), Some(125), "{args:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(expected), "{args:?}: {said}");
    }
}
