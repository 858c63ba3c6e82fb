//! What a confined command can and cannot do.

use std::fs;
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::path::Path;

use landlock::{ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr, Scope};
use nova_guard::{Confinement, Enforced, Files, Limits};

use crate::support::*;

/// Whether this kernel's Landlock restricts files and signals. Otherwise prints that the test was skipped.
fn kernel_has_landlock() -> bool {
    let rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V6))
        .and_then(|rules| rules.scope(Scope::Signal))
        .and_then(Ruleset::create);
    if let Err(error) = &rules {
        eprintln!("SKIPPED, nothing was tested: this kernel lacks Landlock of Linux 6.12: {error}");
    }
    rules.is_ok()
}

fn only(read: &[&Path], write: &[&Path]) -> Files {
    let owned = |paths: &[&Path]| paths.iter().map(|path| path.to_path_buf()).collect();
    Files::Only { read: owned(read), write: owned(write) }
}

/// The probe's output under this confinement.
async fn probed(confinement: &Confinement, args: &[&str]) -> String {
    let (output, code, errors) = said(guard().command(confinement, probe()).args(args)).await;
    assert_eq!((code, errors.as_str()), (Some(0), ""), "{args:?} said {output}");
    output
}

fn args(args: &[&str]) -> Vec<String> {
    args.iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn command_without_permissions_reaches_nothing_outside() {
    if !kernel_has_landlock() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("secret");
    fs::write(&file, "secret").unwrap();
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut stranger =
        tokio::process::Command::new("/bin/sleep").arg("1000").kill_on_drop(true).spawn().unwrap();
    let args = [
        "all",
        file.to_str().unwrap(),
        &server.local_addr().unwrap().to_string(),
        &stranger.id().unwrap().to_string(),
    ];

    // Unconfined, the probe succeeds at all of it, so each refusal below is due to the guard.
    let everything = said(guard().command(&Confinement::supervised(), probe()).args(args)).await.0;
    let refused: Vec<&str> = everything.lines().filter(|line| !line.ends_with(": done")).collect();
    assert_eq!(refused, [""; 0]);
    assert!(soon(stranger.wait()).await.is_ok(), "the signal was not delivered");

    fs::write(&file, "secret").unwrap();
    let mut stranger =
        tokio::process::Command::new("/bin/sleep").arg("1000").kill_on_drop(true).spawn().unwrap();
    let args = [args[0], args[1], args[2], &stranger.id().unwrap().to_string()];
    let guarded = guard().command(&Confinement::nothing(), probe()).args(args).start().await.unwrap();
    assert_eq!((guarded.files(), guarded.calls()), (Enforced::Fully, Enforced::Fully));
    drop(guarded);

    let nothing = probed(&Confinement::nothing(), &args).await;

    let told: Vec<&str> = nothing.lines().collect();
    let (denied, refused) = ("Permission denied (os error 13)", "Operation not permitted (os error 1)");
    let expected = [
        ("read", denied),
        ("list", denied),
        ("write", denied),
        ("append", denied),
        ("remove", denied),
        ("passwd", denied),
        ("environ", denied),
        ("memory", denied),
        ("tcp", refused),
        ("udp", refused),
        ("unix", refused),
        ("listen", refused),
        ("pair", "done"),
        ("signal", refused),
        ("prlimit", refused),
        ("spawn", refused),
        ("thread", "done"),
    ];
    assert_eq!(told, expected.map(|(what, answer)| format!("{what}: {answer}")));
    assert_eq!(fs::read(&file).unwrap(), b"secret");
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        3,
        "only the secret and the file of the first run"
    );
    assert!(stranger.try_wait().unwrap().is_none(), "a signal reached it");
}

#[tokio::test]
async fn granted_folder_is_accessible_and_its_neighbour_is_not() {
    if !kernel_has_landlock() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let [read, write, neighbour] = ["read", "write", "neighbour"].map(|name| {
        let folder = folder.path().join(name);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("note"), "as it was").unwrap();
        folder
    });
    std::os::unix::fs::symlink(neighbour.join("note"), write.join("link")).unwrap();
    let confinement = Confinement { files: only(&[&read], &[&write]), ..Confinement::nothing() };
    let denied = "Permission denied (os error 13)";
    for (word, path, answer) in [
        ("read", read.join("note"), "done"),
        ("write", read.join("note"), denied),
        ("truncate", read.join("note"), denied),
        ("write", read.join("new"), denied),
        ("read", write.join("note"), "done"),
        ("write", write.join("note"), "done"),
        ("write", write.join("new"), "done"),
        ("truncate", write.join("note"), "done"),
        ("read", neighbour.join("note"), denied),
        ("truncate", neighbour.join("note"), denied),
        ("write", neighbour.join("note"), denied),
        ("read", write.join("../neighbour/note"), denied),
        ("read", write.join("link"), denied),
        ("write", write.join("link"), denied),
        ("device", write.join("disk"), denied),
    ] {
        let told = probed(&confinement, &[word, path.to_str().unwrap()]).await;
        assert_eq!(told, format!("{word}: {answer}\n"), "{}", path.display());
    }
    assert_eq!(fs::read_to_string(write.join("new")).unwrap(), "written");
    assert_eq!(fs::read_to_string(read.join("note")).unwrap(), "as it was");
    assert_eq!(fs::read_to_string(neighbour.join("note")).unwrap(), "as it was");
}

#[tokio::test]
async fn missing_folder_is_reported_and_nothing_starts() {
    if !kernel_has_landlock() {
        return;
    }
    let confinement =
        Confinement { files: only(&[Path::new("/nonexistent/vault")], &[]), ..Confinement::nothing() };
    let error =
        guard().command(&confinement, probe()).args(["read", "/etc/passwd"]).start().await.unwrap_err();
    assert!(error.to_string().contains("/nonexistent/vault"), "{error}");
}

#[tokio::test]
async fn children_of_a_confined_command_are_confined() {
    if !kernel_has_landlock() {
        return;
    }
    let system = [Path::new("/bin"), Path::new("/usr")];
    let confinement = Confinement { files: only(&system, &[]), spawn: true, ..Confinement::nothing() };
    let text = "setsid sh -c 'cat /etc/passwd' || echo refused; cat /proc/$PPID/environ || echo refused";
    let command = guard().command(&confinement, "sh").args(["-c", text]).env("PATH", "/usr/bin:/bin");
    assert_eq!(said(command).await.0, "refused\nrefused\n");
}

#[tokio::test]
async fn network_permission_adds_nothing_else() {
    if !kernel_has_landlock() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("secret");
    fs::write(&file, "secret").unwrap();
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let confinement = Confinement { network: true, ..Confinement::nothing() };
    let address = server.local_addr().unwrap().to_string();
    let mut stranger =
        tokio::process::Command::new("/bin/sleep").arg("1000").kill_on_drop(true).spawn().unwrap();
    let pid = stranger.id().unwrap().to_string();
    let told = probed(&confinement, &["all", file.to_str().unwrap(), &address, &pid]).await;
    assert!(stranger.try_wait().unwrap().is_none(), "a signal reached it");
    let done: Vec<&str> = told.lines().filter_map(|line| line.strip_suffix(": done")).collect();
    assert_eq!(done, ["tcp", "udp", "unix", "pair", "thread"]);
}

#[tokio::test]
async fn unix_sockets_are_unreachable_without_network_permission() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let _server = UnixListener::bind(&path).unwrap();
    let mut confinement = Confinement { network: false, require: true, ..Confinement::supervised() };
    let path = path.to_str().unwrap();
    assert_eq!(probed(&confinement, &["socket", path]).await, "unix: Operation not permitted (os error 1)\n");
    confinement.network = true;
    assert_eq!(probed(&confinement, &["socket", path]).await, "unix: done\n");
}

#[tokio::test]
async fn limits_are_enforced() {
    let with = |limits| Confinement { limits, ..Confinement::supervised() };
    let large = &["allocate", "200000000"];
    let none = with(Limits::default());
    let memory = with(Limits { memory: Some(64 << 20), ..Limits::default() });
    let space = with(Limits { address_space: Some(128 << 20), ..Limits::default() });
    assert_eq!(probed(&none, large).await, "allocate: done\n");
    for limited in [memory, space] {
        assert!(probed(&limited, large).await.starts_with("allocate: memory allocation failed"));
    }

    let files = with(Limits { open_files: Some(20), ..Limits::default() });
    assert_eq!(probed(&none, &["open"]).await, "open: done\n");
    assert_eq!(probed(&files, &["open"]).await, "open: Too many open files (os error 24)\n");

    let computing = with(Limits { cpu_seconds: Some(1), ..Limits::default() });
    let command = guard().command(&computing, probe()).args(["compute"]);
    assert_eq!(said(command).await.1, Some(128 + 9), "killed by the kernel");

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("large");
    let size = with(Limits { file_size: Some(10_000), ..Limits::default() });
    let text = "head -c 100000 /dev/zero > \"$1\"";
    let command = guard().command(&size, "/bin/sh").args(args(&["-c", text, "sh", file.to_str().unwrap()]));
    let code = said(command.env("PATH", "/usr/bin:/bin")).await.1;
    assert_eq!(code, Some(128 + 25), "SIGXFSZ");
    assert_eq!(fs::metadata(&file).unwrap().len(), 10_000);
}

#[tokio::test]
async fn command_cannot_raise_limits_or_dump_core() {
    let limits = Limits { open_files: Some(50), ..Limits::default() };
    let confinement = Confinement { limits, ..Confinement::supervised() };
    let command = guard().command(&confinement, "/bin/sh").args(["-c", "ulimit -Hn; ulimit -Hc"]);
    assert_eq!(said(command).await.0, "50\n0\n");
}

#[tokio::test]
async fn process_limit_is_relative_to_the_users_other_processes() {
    let limits = Limits { processes: Some(4), ..Limits::default() };
    let confinement = Confinement { limits, ..Confinement::supervised() };
    let others = fs::read_dir("/proc").unwrap().count();
    let command = guard().command(&confinement, "/bin/sh").args(["-c", "ulimit -Hp"]);
    let limit: usize = said(command).await.0.trim().parse().unwrap();
    assert!(limit > 4, "the limit must count from the current processes");
    assert!(limit < 4 + 100 * others, "{limit}");
    if rustix::process::getuid().is_root() {
        eprintln!("PARTLY SKIPPED: the system does not hold the superuser to a limit of processes");
        return;
    }
    let forks = "i=0; while [ $i -lt 2000 ]; do sleep 1000 & i=$((i + 1)); done";
    let command = guard().command(&confinement, "/bin/sh").args(["-c", forks]).env("PATH", "/usr/bin:/bin");
    assert_ne!(said(command).await.1, Some(0), "sh gives up when it cannot fork");
}

#[tokio::test]
async fn code_of_another_architecture_is_killed() {
    // `getpid` by the 32-bit gate (int 0x80), in a hand-written ELF file: a filter that checks numbers
    // without the architecture would mistake its calls for others.
    if !cfg!(target_arch = "x86_64") {
        eprintln!("SKIPPED: the program is for x86-64");
        return;
    }
    let code = [0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xb8, 1, 0, 0, 0, 0x31, 0xdb, 0xcd, 0x80];
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("gate");
    fs::write(&program, elf(&code)).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&program, mode).unwrap();
    assert_eq!(
        said(guard().command(&Confinement::supervised(), &program)).await.1,
        Some(0),
        "the gate exists"
    );
    let filtered = Confinement { network: false, ..Confinement::supervised() };
    assert_eq!(said(guard().command(&filtered, &program)).await.1, Some(128 + 31), "SIGSYS");
}

/// A static 64-bit program: header, one loaded segment, code. See elf(5).
fn elf(code: &[u8]) -> Vec<u8> {
    const AT: u64 = 0x40_0000;
    let mut elf = b"\x7fELF\x02\x01\x01".to_vec();
    elf.resize(16, 0);
    elf.extend([2_u16, 62].iter().flat_map(|number| number.to_le_bytes()));
    elf.extend(1_u32.to_le_bytes());
    elf.extend([AT + 120, 64, 0].iter().flat_map(|number| number.to_le_bytes()));
    elf.extend(0_u32.to_le_bytes());
    elf.extend([64_u16, 56, 1, 0, 0, 0].iter().flat_map(|number| number.to_le_bytes()));
    elf.extend([1_u32, 5].iter().flat_map(|number| number.to_le_bytes()));
    let size = 120 + code.len() as u64;
    elf.extend([0, AT, AT, size, size, 0x1000].iter().flat_map(|number| number.to_le_bytes()));
    elf.extend(code);
    elf
}
