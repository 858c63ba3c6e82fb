//! No process is left, however a command or its guard ends.

use std::process::Stdio;

use rustix::process::{Signal, kill_process};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;

use crate::support::*;

/// Starts an orphaned grandchild in its own session that ignores all ignorable signals; both print their PID
/// and stay.
const DAEMON: &str = r#"
    trap '' TERM INT HUP
    (setsid sh -c 'trap "" TERM INT HUP; echo $$; exec sleep 1000' </dev/null 2>/dev/null &)
"#;

#[tokio::test]
async fn killing_the_parent_ends_daemons_of_the_command() {
    let text = format!("{DAEMON}\necho $$\nexec sleep 1000");
    let mut parent = Command::new(probe())
        .args(["parent", guard_program(), "/bin/sh", "-c", &text])
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let processes = pids(parent.stdout.as_mut().unwrap(), 3).await;

    parent.start_kill().unwrap();

    for process in &processes {
        assert!(process.ends_within(BOUND), "{process:?} of {processes:?} survived");
    }
    parent.wait().await.unwrap();
}

#[tokio::test]
async fn kill_ends_a_command_that_ignores_sigterm() {
    let mut guarded = script("trap '' TERM; echo $$; while :; do sleep 1000; done").start().await.unwrap();
    let command = pids_of(&mut guarded, 1).await;
    drop(guarded.stdin.take());
    kill_process(command[0].pid, Signal::TERM).unwrap();

    let status = soon(guarded.kill()).await.unwrap();

    assert!(command[0].has_ended());
    assert_eq!(status.code(), Some(128 + 9));
}

#[tokio::test]
async fn daemons_are_gone_when_wait_returns() {
    let mut guarded = script(&format!("{DAEMON}\nread line; exit 3")).start().await.unwrap();
    let daemon = pids_of(&mut guarded, 1).await;
    assert!(!daemon[0].has_ended());

    guarded.stdin.as_mut().unwrap().write_all(b"go\n").await.unwrap();
    let status = soon(guarded.wait()).await.unwrap();

    assert!(daemon[0].has_ended());
    assert_eq!(status.code(), Some(3), "the command's own code");
}

#[tokio::test]
async fn drop_ends_the_command_and_its_daemons() {
    let mut guarded = script(&format!("{DAEMON}\necho $$; exec sleep 1000")).start().await.unwrap();
    let processes = pids_of(&mut guarded, 2).await;
    drop(guarded);
    assert!(processes.iter().all(|process| process.ends_within(BOUND)));
}

#[tokio::test]
async fn tree_of_hundreds_outside_the_group_is_killed() {
    // 2^8 - 1 processes, each in its own session: a harmless number.
    let tree = r#"
        grow() {
            if [ "$1" -gt 1 ]; then
                setsid sh -c "$GROW" sh $(($1 - 1)) &
                setsid sh -c "$GROW" sh $(($1 - 1)) &
            fi
            echo $$
            exec sleep 1000
        }
        grow "$1"
    "#;
    let start = r#"setsid sh -c "$GROW" sh 8 & exec sleep 1000"#;
    let mut guarded = script(start).env("GROW", tree).start().await.unwrap();
    let processes = pids_of(&mut guarded, 255).await;

    soon(guarded.kill()).await.unwrap();

    assert!(processes.iter().all(Process::has_ended));
}

#[tokio::test]
async fn process_that_keeps_replacing_itself_is_killed() {
    // Each process lives just long enough to start its successor in a new session. All hold the write end of
    // stdout.
    let hop = r#"setsid sh -c "$HOP" & exit"#;
    for _ in 0..10 {
        let mut guarded =
            script(r#"sh -c "$HOP"; echo on; exec sleep 1000"#).env("HOP", hop).start().await.unwrap();
        let mut output = guarded.stdout.take().unwrap();
        output.read_exact(&mut [0; 3]).await.unwrap();

        soon(guarded.kill()).await.unwrap();

        let mut rest = Vec::new();
        soon(output.read_to_end(&mut rest)).await.unwrap();
        assert_eq!(rest, b"", "a process still holds the output");
    }
}

#[tokio::test]
async fn fork_bomb_whose_processes_leave_the_group_is_killed() {
    // Limited to 2,000 processes in total by the tokens in a pipe. The test kills it while it grows.
    let bomb = r#"while read -r token; do $LEAVE sh -c "$BOMB" & done <&3"#;
    let start = r#"
        mkfifo "$1"; exec 3<>"$1"
        (i=0; while [ $i -lt 2000 ]; do echo; i=$((i + 1)); done >&3; sleep 1000) &
        sh -c "$BOMB" & sh -c "$BOMB" & sh -c "$BOMB" &
        echo $$
        wait
    "#;
    for leave in ["", "setsid"] {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("tokens");
        let command = script(start).args([std::ffi::OsString::from("sh"), pipe.into()]);
        let mut guarded = command.env("BOMB", bomb).env("LEAVE", leave).start().await.unwrap();
        let first = pids_of(&mut guarded, 1).await;
        let mut output = guarded.stdout.take().unwrap();

        soon(guarded.kill()).await.unwrap();

        assert!(first[0].has_ended());
        let mut rest = Vec::new();
        soon(output.read_to_end(&mut rest)).await.unwrap();
        assert_eq!(rest, b"", "a process still holds the output");
    }
}

#[tokio::test]
async fn sigterm_to_the_guard_ends_everything() {
    let mut guarded = script(&format!("{DAEMON}\necho $$; exec sleep 1000")).start().await.unwrap();
    let processes = pids_of(&mut guarded, 2).await;
    let guard = Process::open(guarded.guard_id().unwrap().try_into().unwrap());
    kill_process(guard.pid, Signal::TERM).unwrap();
    soon(guarded.wait()).await.unwrap();
    assert!(processes.iter().all(Process::has_ended));
}

#[tokio::test]
async fn killing_the_guard_kills_the_command() {
    let mut guarded = script("echo $$; exec sleep 1000").start().await.unwrap();
    let command = pids_of(&mut guarded, 1).await;
    let guard = Process::open(guarded.guard_id().unwrap().try_into().unwrap());
    guard.kill();
    assert!(command[0].ends_within(BOUND));
    assert_eq!(soon(guarded.wait()).await.unwrap().code(), None, "a signal ended the guard");
}

#[tokio::test]
async fn two_guards_do_not_disturb_each_other() {
    let mut one = script(&format!("{DAEMON}\necho $$; exec sleep 1000")).start().await.unwrap();
    let mut other = script(&format!("{DAEMON}\ncat")).start().await.unwrap();
    let ones = pids_of(&mut one, 2).await;
    let others = pids_of(&mut other, 1).await;

    soon(one.kill()).await.unwrap();

    assert!(ones.iter().all(Process::has_ended));
    assert!(!others[0].has_ended());
    other.stdin.as_mut().unwrap().write_all(b"still").await.unwrap();
    let mut answer = [0; 5];
    other.stdout.as_mut().unwrap().read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"still");
    soon(other.kill()).await.unwrap();
    assert!(others[0].has_ended());
}

#[tokio::test]
async fn closing_stdin_does_not_end_the_command() {
    let mut guarded = script("cat; echo end of input; read line </dev/null; exit 4").start().await.unwrap();
    drop(guarded.stdin.take());
    let mut output = String::new();
    soon(guarded.stdout.as_mut().unwrap().read_to_string(&mut output)).await.unwrap();
    assert_eq!(output, "end of input\n");
    assert_eq!(soon(guarded.wait()).await.unwrap().code(), Some(4));
}

#[tokio::test]
async fn closed_output_is_at_eof_while_the_command_runs() {
    let mut guarded = script("exec >&- 2>&-; exec sleep 1000").start().await.unwrap();
    let mut rest = Vec::new();
    soon(guarded.stdout.as_mut().unwrap().read_to_end(&mut rest)).await.unwrap();
    soon(guarded.stderr.as_mut().unwrap().read_to_end(&mut rest)).await.unwrap();
    soon(guarded.kill()).await.unwrap();
}

#[tokio::test]
async fn orphans_are_reaped_while_the_command_runs() {
    let mut guarded = script("(sh -c 'echo $$' &); cat").start().await.unwrap();
    let mut output = guarded.stdout.take().unwrap();
    let mut line = Vec::new();
    while !line.ends_with(b"\n") {
        line.push(output.read_u8().await.unwrap());
    }
    let orphan = String::from_utf8(line).unwrap();
    let entry = std::path::PathBuf::from(format!("/proc/{}", orphan.trim()));
    // There is no event for another process reaping its child.
    soon(async {
        while entry.exists() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    soon(guarded.kill()).await.unwrap();
}

#[tokio::test]
async fn guard_started_by_hand_ends_with_its_parent() {
    // The shell that starts the guard is killed; meanwhile the command's child has left its session.
    let text = format!("{} -- sh -c 'setsid sh -c \"echo \\$\\$; exec sleep 1000\"' & wait", guard_program());
    let mut shell = Command::new("/bin/sh")
        .args(["-c", &text])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let sleeper = pids(shell.stdout.as_mut().unwrap(), 1).await.remove(0);
    shell.start_kill().unwrap();
    shell.wait().await.unwrap();
    assert!(sleeper.ends_within(BOUND));
}
