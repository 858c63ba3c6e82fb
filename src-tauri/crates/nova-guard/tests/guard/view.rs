//! Isolation of a command with its own root.

use std::ffi::OsString;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use nova_guard::{Confinement, Enforced, Files, GuardedCommand, Limits, ReachedLimit, ShownFolder, View};
use tempfile::TempDir;

use crate::support::*;

/// A folder to read, one to write, and files that a view must hide.
struct World {
    folder: TempDir,
    limits: Limits,
}

const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (file, text) in [
            ("home/.ssh/id_ed25519", "a key"),
            ("vault/Note.md", "a note"),
            ("scratch/kept.txt", "kept"),
            ("data/nova.db", "a database"),
        ] {
            let file = folder.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        Self { folder, limits: Limits::default() }
    }

    fn path(&self, below: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(below)
    }

    fn confinement(&self) -> Confinement {
        let shown =
            |name: &str, write| ShownFolder { source: self.path(name), at: Path::new("/").join(name), write };
        let view = View {
            folders: vec![shown("vault", false), shown("scratch", true)],
            links: vec![
                (self.path("vault"), "/vault".into()),
                ("/usr/lib/in-the-way".into(), "/vault".into()),
            ],
            tmp: Some(1 << 20),
            proxy: false,
        };
        let limits = self.limits.clone();
        Confinement { files: Files::View(view), spawn: true, limits, ..Confinement::nothing() }
    }

    fn script(&self, text: &str) -> GuardedCommand {
        let command = guard().command(&self.confinement(), "/bin/bash").args(["-c", text]);
        command.env("PATH", PATH).env("HOME", "/tmp").folder("/scratch")
    }

    /// A script's stdout and stderr, without the prefixes of the shell's messages.
    async fn says(&self, text: &str) -> String {
        let (output, _, _) = said(self.script(&format!("exec 2>&1; {text}"))).await;
        output
    }
}

/// Whether the user may create namespaces. Otherwise prints that the test was skipped.
async fn kernel_has_namespaces() -> bool {
    let started = World::new().script("true").start().await;
    if let Err(error) = &started {
        eprintln!("SKIPPED, nothing was tested: {error}");
        assert!(error.to_string().contains("make namespaces"), "{error}");
    }
    started.is_ok()
}

#[tokio::test]
async fn shows_given_folders_and_nothing_else_of_the_user() {
    if !kernel_has_namespaces().await {
        return;
    }
    let world = World::new();
    let guarded = world.script("true").start().await.unwrap();
    assert_eq!((guarded.files(), guarded.calls()), (Enforced::Fully, Enforced::Fully));
    drop(guarded);

    let root = world.says("cd /; echo *").await;
    let system =
        ["bin", "dev", "etc", "lib", "lib32", "lib64", "libx32", "nix", "opt", "proc", "run", "sbin", "usr"];
    let others: Vec<&str> = root.split_whitespace().filter(|name| !system.contains(name)).collect();
    assert_eq!(others, ["scratch", "tmp", "vault"]);

    let hidden = [
        world.path("home/.ssh/id_ed25519"),
        world.path("data/nova.db"),
        "/etc/shadow".into(),
        "/etc/ssh".into(),
        "/root".into(),
        "/sys".into(),
        "/var".into(),
        format!("/proc/{}", std::process::id()).into(),
    ];
    for path in hidden {
        assert!(path.exists(), "{} exists outside", path.display());
        assert_eq!(world.says(&format!("test -e {0} && echo there", path.display())).await, "", "{path:?}");
    }
    assert_eq!(world.says("cat /vault/Note.md").await, "a note");
    assert_eq!(world.says(&format!("cat {}/Note.md", world.path("vault").display())).await, "a note");
    assert!(!Path::new("/usr/lib/in-the-way").is_symlink(), "a link was created in a system folder");
    assert_eq!(world.says("hostname; ls -A /tmp | grep -v tmp").await, "nova\n");
}

#[tokio::test]
async fn writes_only_to_writable_folders() {
    if !kernel_has_namespaces().await {
        return;
    }
    let world = World::new();
    symlink(world.path("home"), world.path("scratch/link")).unwrap();
    assert_eq!(world.says("echo new > new.txt; echo tmp > /tmp/a; cat /tmp/a; rm kept.txt").await, "tmp\n");
    assert_eq!(fs::read_to_string(world.path("scratch/new.txt")).unwrap(), "new\n");
    assert!(!world.path("scratch/kept.txt").exists());
    for place in
        ["/vault/Note.md", "/vault/new", "/usr/bin/new", "/new", "/etc/passwd", "/dev/new", "link/.ssh/new"]
    {
        let said = world.says(&format!("echo x > {place} && echo written")).await;
        assert!(!said.contains("written"), "{place}: {said}");
    }
    for system in ["/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/proc/sys/kernel/hostname"] {
        let said = world.says(&format!("echo x > {system} && echo written")).await;
        assert!(!said.contains("written"), "{system}: {said}");
    }
    assert_eq!(fs::read_to_string(world.path("vault/Note.md")).unwrap(), "a note");
    assert_eq!(fs::read_dir(world.path("home/.ssh")).unwrap().count(), 1);
    let full = world.says("head -c 2000000 /dev/zero > /tmp/large").await;
    assert!(full.contains("No space left"), "{full}");
}

#[tokio::test]
async fn reaches_no_server() {
    if !kernel_has_namespaces().await {
        return;
    }
    let world = World::new();
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let _unix = UnixListener::bind(world.path("scratch/socket")).unwrap();
    let tries = format!(
        "import socket
def attempt(what, work):
    try:
        work()
        print(what, 'done')
    except OSError as error:
        print(what, type(error).__name__)
attempt('tcp', lambda: socket.create_connection(('127.0.0.1', {port})))
attempt('udp', lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
attempt('raw', lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
attempt('packet', lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
attempt('netlink', lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))
attempt('unix', lambda: socket.socket(socket.AF_UNIX).connect('/scratch/socket'))
attempt('abstract', lambda: socket.socket(socket.AF_UNIX).bind('\\0nova'))
attempt('dns', lambda: socket.getaddrinfo('example.com', 80))
attempt('pair', lambda: socket.socketpair())
",
        port = server.local_addr().unwrap().port()
    );
    fs::write(world.path("scratch/tries.py"), tries).unwrap();
    if !Path::new("/usr/bin/python3").exists() {
        eprintln!("SKIPPED, nothing was tested: there is no /usr/bin/python3");
        return;
    }
    let refused = "PermissionError";
    let said = world.says("/usr/bin/python3 tries.py").await;
    let lines: Vec<&str> = said.lines().collect();
    let expected = ["tcp", "udp", "raw", "packet", "netlink", "unix", "abstract"]
        .map(|what| format!("{what} {refused}"));
    assert_eq!(lines[..7], expected);
    assert_eq!(lines[7..], ["dns gaierror", "pair done"]);
}

#[tokio::test]
async fn sees_only_its_own_processes_and_none_outlives_it() {
    if !kernel_has_namespaces().await {
        return;
    }
    let world = World::new();
    let mut stranger =
        tokio::process::Command::new("/bin/sleep").arg("1000").kill_on_drop(true).spawn().unwrap();
    let text = format!("kill -KILL {} ; kill -KILL 1; echo still", stranger.id().unwrap());
    assert!(world.says(&text).await.ends_with("still\n"));
    assert!(stranger.try_wait().unwrap().is_none(), "a signal reached it");
    let numbers = world.says("for p in /proc/[0-9]*; do echo ${p##*/} $(cat $p/comm); done").await;
    let names: Vec<&str> =
        numbers.lines().filter_map(|line| line.split_once(' ')).map(|(_, name)| name).collect();
    assert!(
        names.len() <= 3 && names.iter().all(|name| ["nova-guard", "bash", "cat", "exe"].contains(name)),
        "{names:?}"
    );
    assert_eq!(world.says("tr '\\0' '\\n' < /proc/1/environ").await, "");

    // A double fork into its own session, which keeps the output pipe open.
    let mut guarded = world.script("(setsid sleep 1000 &) ; echo started").start().await.unwrap();
    let status = soon(guarded.wait()).await.unwrap();
    assert_eq!(status.code(), Some(0));
    let (output, code, _) = said_of(&mut guarded).await;
    assert_eq!((output.as_str(), code), ("started\n", Some(0)), "the pipe closed with its last process");
}

/// The remaining output of an ended command.
async fn said_of(guarded: &mut nova_guard::Guarded) -> (String, Option<i32>, ()) {
    use tokio::io::AsyncReadExt as _;
    let mut output = String::new();
    soon(guarded.stdout.as_mut().unwrap().read_to_string(&mut output)).await.unwrap();
    (output, guarded.wait().await.unwrap().code(), ())
}

#[tokio::test]
async fn unprivileged_user_gets_a_view() {
    if !kernel_has_namespaces().await || !rustix::process::getuid().is_root() {
        eprintln!("SKIPPED, nothing was tested: only root can become somebody else");
        return;
    }
    let world = World::new();
    for folder in ["", "vault", "scratch"] {
        fs::set_permissions(world.path(folder), std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    }
    let words = ["--reuid=65534", "--regid=65534", "--clear-groups", guard_program()].map(OsString::from);
    let nobody = nova_guard::Guard::new("/usr/bin/setpriv", words);
    let limits = Limits { all_processes: Some(100), ..Limits::default() };
    let confinement = Confinement { limits, ..world.confinement() };
    let text = "id -u; echo new > new.txt; cat /vault/Note.md; echo x > /vault/x; cat /proc/sys/kernel/pid_max; \
                grep -c CapEff:.*[1-9a-f] /proc/self/status";
    let command =
        nobody.command(&confinement, "/bin/bash").args(["-c", text]).env("PATH", PATH).folder("/scratch");
    let (output, _, errors) = said(command).await;
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(
        (lines[0], lines[1], *lines.last().unwrap()),
        ("65534", "a note450", "0"),
        "{output} {errors}"
    );
    assert_eq!(fs::read_to_string(world.path("scratch/new.txt")).unwrap(), "new\n");
}

#[tokio::test]
async fn returns_the_exit_code_and_reports_start_failures() {
    if !kernel_has_namespaces().await {
        return;
    }
    let world = World::new();
    for (text, code) in
        [("exit 0", 0), ("exit 7", 7), ("kill -TERM $$", 128 + 15), ("kill -KILL $$", 128 + 9)]
    {
        assert_eq!(said(world.script(text)).await.1, Some(code), "{text}");
    }
    let mut confinement = world.confinement();
    let missing = guard().command(&confinement, "/nonexistent/program").start().await.unwrap_err();
    assert!(missing.to_string().contains("/nonexistent/program: No such file"), "{missing}");
    let Files::View(view) = &mut confinement.files else { unreachable!() };
    view.folders[0].source = "/nonexistent/vault".into();
    let missing = guard().command(&confinement, "/bin/true").start().await.unwrap_err();
    assert!(missing.to_string().contains("/nonexistent/vault"), "{missing}");
    let mut confinement = world.confinement();
    let Files::View(view) = &mut confinement.files else { unreachable!() };
    view.folders[0].at = "/usr/lib/vault".into();
    let taken = guard().command(&confinement, "/bin/true").start().await.unwrap_err();
    assert!(taken.to_string().contains("a system folder"), "{taken}");
    assert!(!Path::new("/usr/lib/vault").exists());
}

#[tokio::test]
async fn cannot_escape() {
    if !kernel_has_namespaces().await {
        return;
    }
    let world = World::new();
    for attempt in [
        "unshare -U true",
        "unshare -m true",
        "mount -t tmpfs none /scratch",
        "umount /vault",
        "mount -o remount,rw /vault",
        "chroot / true",
        "nsenter -t 1 -m true",
        "mknod /scratch/disk b 8 0",
        "cat /proc/1/root/home/*",
        "ls /proc/1/cwd/old",
    ] {
        let said = world.says(&format!("{attempt} && echo succeeded")).await;
        assert!(!said.contains("succeeded"), "{attempt}: {said}");
    }
    assert_eq!(
        world
            .says("grep -h ^Cap /proc/self/status | sort -u -k2 | grep -v 0000000000000000 | grep -v CapBnd")
            .await,
        ""
    );
    let trace = "import ctypes,os; libc = ctypes.CDLL(None, use_errno=True); \
                 print(libc.ptrace(16, os.getppid(), 0, 0), os.strerror(ctypes.get_errno()))";
    if Path::new("/usr/bin/python3").exists() {
        assert_eq!(
            world.says(&format!("/usr/bin/python3 -c '{trace}'")).await,
            "-1 Operation not permitted\n"
        );
    }
}

#[tokio::test]
async fn fork_bomb_is_killed_at_the_limit() {
    if !kernel_has_namespaces().await {
        return;
    }
    let mut world = World::new();
    world.limits = Limits { all_processes: Some(100), ..Limits::default() };
    let mut guarded = world.script("bomb() { bomb | bomb & }; bomb; sleep 1000").start().await.unwrap();
    soon(guarded.wait()).await.unwrap();
    assert_eq!(guarded.reached_limit(), Some(ReachedLimit::Processes));
    let outside = fs::read_to_string("/proc/sys/kernel/pid_max").unwrap();
    assert!(outside.trim().parse::<u64>().unwrap() > 30_000, "the system limit is unchanged");
}

#[tokio::test]
async fn memory_of_all_processes_together_is_limited() {
    if !kernel_has_namespaces().await {
        return;
    }
    let mut world = World::new();
    world.limits = Limits { all_memory: Some(200 << 20), ..Limits::default() };
    // Each stays below the limit individually.
    let text =
        "for i in 1 2 3 4 5; do (x=$(head -c 60000000 /dev/zero | tr '\\0' x); sleep 1000) & done; wait";
    let mut guarded = world.script(text).start().await.unwrap();
    tokio::time::timeout(6 * BOUND, guarded.wait()).await.unwrap().unwrap();
    assert_eq!(guarded.reached_limit(), Some(ReachedLimit::Memory));
}

#[tokio::test]
async fn kill_ends_the_whole_view() {
    if !kernel_has_namespaces().await {
        return;
    }
    let world = World::new();
    let text = "trap '' TERM; for i in 1 2 3; do setsid sleep 1000 & done; echo started; wait";
    let mut guarded = world.script(text).start().await.unwrap();
    let mut line = [0; 8];
    tokio::io::AsyncReadExt::read_exact(guarded.stdout.as_mut().unwrap(), &mut line).await.unwrap();
    soon(guarded.kill()).await.unwrap();
    let (rest, _, ()) = said_of(&mut guarded).await;
    assert_eq!(rest, "", "a process still holds the pipe");
}
